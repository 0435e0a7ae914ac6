/* SPDX-License-Identifier: MIT */
/* ir_read_attr.c - attributes out of text. */
#include "aie/ir/ir_read.h"
#include "registry/common/common_arena.h"

#include <stdlib.h>
#include <string.h>

/* ---- texts */

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Undoes escapes in place of `to`; 0: one that nobody knows, or a byte 0. */
static size_t unescape(char *to, const char *from, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < length; i++) {
		char c = from[i];

		if (c == '\\' && i + 1 < length && (from[i + 1] == '"' || from[i + 1] == '\\')) {
			c = from[++i];
		} else if (c == '\\' && i + 1 < length && (from[i + 1] == 'n' || from[i + 1] == 't')) {
			c = from[++i] == 'n' ? '\n' : '\t';
		} else if (c == '\\') {
			const int high = i + 2 < length ? hex_digit(from[i + 1]) : -1, low = i + 2 < length ? hex_digit(from[i + 2]) : -1;

			if (high < 0 || low < 0 || !(high | low))
				return SIZE_MAX;
			c = (char)(16 * high + low);
			i += 2;
		}
		to[count++] = c;
	}
	return count;
}

const char *aie_read_text(struct aie_reader *reader)
{
	const struct aie_token token = reader->token;
	const size_t sign = *token.begin == '@', quote = token.begin[sign] == '"';
	size_t length = token.length - sign - 2 * quote;
	char *copy = malloc(length + 1);
	const char *name = NULL;

	if (!copy) {
		aie_read_memory(reader);
		return NULL;
	}
	if (quote)
		length = unescape(copy, token.begin + sign + 1, length);
	else
		memcpy(copy, token.begin + sign, length);
	if (length == SIZE_MAX)
		aie_read_fail(reader, &token, "a string with an escape that is none of \\\" \\\\ \\n \\t and two digits other than 00 stands here");
	else if (sign && length > AIE_READ_NAME) /* of the name, however it is written */
		aie_read_fail(reader, &token, "a name of more than %d bytes stands here", AIE_READ_NAME);
	else if (!(name = aie_name(reader->module, copy, length)))
		aie_read_memory(reader);
	free(copy);
	aie_read_next(reader);
	return name;
}

static const struct aie_attr *text_attr(struct aie_reader *reader, enum aie_attr_kind kind)
{
	const char *text = aie_read_text(reader);

	return text ? aie_read_made(reader, aie_attr_text(reader->module, kind, text)) : NULL;
}

const struct aie_attr *aie_read_symbol(struct aie_reader *reader)
{
	if (reader->token.kind != AIE_TOKEN_SYMBOL) {
		aie_read_expected(reader, "a name that begins with '@'");
		return NULL;
	}
	return text_attr(reader, AIE_ATTR_SYMBOL);
}

/* ---- lists */

static bool item_add(struct aie_reader *reader, const struct aie_attr ***items, uint32_t *count, const struct aie_attr *attr)
{

	if (!attr)
		return false;
	if (*count == AIE_READ_ITEMS)
		return aie_read_fail(reader, &reader->token, "a list has more than %d items here", AIE_READ_ITEMS);
	return COMMON_ARENA_ADD(reader->module->arena, *items, *count, attr) || aie_read_memory(reader);
}

/* [a, b]; each by `read`. */
static const struct aie_attr *list(struct aie_reader *reader, enum aie_attr_kind kind, const struct aie_attr *(*read)(struct aie_reader *reader))
{
	const struct aie_attr **items = NULL;
	uint32_t count = 0;

	if (!aie_read_down(reader) || !aie_read_mark(reader, '[', "and a list"))
		return NULL;
	while (!aie_read_at_mark(reader, ']'))
		if ((count && !aie_read_mark(reader, ',', "or ']' behind an item")) || !item_add(reader, &items, &count, read(reader)))
			return NULL;
	aie_read_next(reader);
	aie_read_up(reader);
	return aie_read_made(reader, aie_attr_list(reader->module, kind, count, items));
}

static bool int_add(struct aie_reader *reader, int64_t **ints, uint32_t *count, int64_t value)
{

	if (*count == AIE_READ_ITEMS)
		return aie_read_fail(reader, &reader->token, "an array has more than %d items here", AIE_READ_ITEMS);
	return COMMON_ARENA_ADD(reader->module->arena, *ints, *count, value) || aie_read_memory(reader);
}

/* A number of `type`: an integer's value, a float's bits as a double. */
static bool element_add(struct aie_reader *reader, const struct aie_type *type, int64_t **ints, uint32_t *count)
{
	const struct aie_token at = reader->token;
	const struct aie_attr *attr;
	int64_t value;

	if (!aie_read_at_number(reader))
		return aie_read_expected(reader, "a number");
	aie_read_next(reader);
	attr = aie_read_number_as(reader, &at, type);
	if (!attr)
		return false;
	value = attr->number;
	if (attr->kind == AIE_ATTR_FLOAT)
		memcpy(&value, &attr->real, sizeof(value));
	return int_add(reader, ints, count, value);
}

/* array<i64: 1, 2> */
static const struct aie_attr *array(struct aie_reader *reader)
{
	const struct aie_token at = reader->token;
	const struct aie_type *type;
	int64_t *ints = NULL;
	uint32_t count = 0;

	if (!aie_read_mark(reader, '<', "behind 'array'"))
		return NULL;
	type = aie_read_type(reader);
	if (!type)
		return NULL;
	if (type->kind != AIE_TYPE_INT) {
		aie_read_fail(reader, &at, "an array of another type than i1 to i64 stands here");
		return NULL;
	}
	if (aie_read_take(reader, ':'))
		do {
			if (!element_add(reader, type, &ints, &count))
				return NULL;
		} while (aie_read_take(reader, ','));
	if (!aie_read_mark(reader, '>', "at the end of the array"))
		return NULL;
	return aie_read_made(reader, aie_attr_ints(reader->module, AIE_ATTR_INTS, type, count, ints));
}

/* <size = 4, stride = 8> */
static bool pair_add(struct aie_reader *reader, int64_t **ints, uint32_t *count)
{
	int64_t size, stride;

	return aie_read_mark(reader, '<', "and a size and a stride") && aie_read_word(reader, "size", "of a dimension") &&
	       aie_read_mark(reader, '=', "behind 'size'") && aie_read_integer(reader, &size) && aie_read_mark(reader, ',', "behind the size") &&
	       aie_read_word(reader, "stride", "of a dimension") && aie_read_mark(reader, '=', "behind 'stride'") && aie_read_integer(reader, &stride) &&
	       aie_read_mark(reader, '>', "behind the stride") && int_add(reader, ints, count, size) && int_add(reader, ints, count, stride);
}

/* [<size = 4, stride = 8>, ...] */
const struct aie_attr *aie_read_dims(struct aie_reader *reader)
{
	int64_t *ints = NULL;
	uint32_t count = 0;

	if (!aie_read_mark(reader, '[', "and dimensions"))
		return NULL;
	while (!aie_read_at_mark(reader, ']'))
		if ((count && !aie_read_mark(reader, ',', "or ']' behind a dimension")) || !pair_add(reader, &ints, &count))
			return NULL;
	aie_read_next(reader);
	return aie_read_made(reader, aie_attr_ints(reader->module, AIE_ATTR_DIMS, NULL, count, ints));
}

/* bd_dim_layout_array[...]> or bd_dim_layout_array_array[[...]]>, behind "#aie<". */
static const struct aie_attr *layout(struct aie_reader *reader)
{
	const struct aie_attr *attr;

	if (aie_read_take_word(reader, "bd_dim_layout_array"))
		attr = aie_read_dims(reader);
	else if (aie_read_take_word(reader, "bd_dim_layout_array_array"))
		attr = list(reader, AIE_ATTR_DIMS_LIST, aie_read_dims);
	else
		attr = NULL, aie_read_expected(reader, "bd_dim_layout_array or bd_dim_layout_array_array");
	return attr && aie_read_mark(reader, '>', "behind the dimensions") ? attr : NULL;
}

/* The bytes behind a string's first quote up to its last one; the end where there is none on this line. */
static const char *string_over(const char *at, const char *end)
{
	for (at++; at < end && *at != '"' && *at != '\n'; at++)
		at += *at == '\\' && at + 1 < end;
	return at;
}

bool aie_read_raw(struct aie_reader *reader, char text[AIE_READ_OTHER + 1])
{
	const struct aie_token at = reader->token;
	struct aie_lexer *lexer = &reader->lexer;
	static const char opening[] = "{[(<", closing[] = "}])>";
	const char *end = lexer->at, *mark = at.length == 1 ? strchr(opening, *at.begin) : NULL;
	char stack[AIE_READ_OTHER + 1];
	uint32_t open = 0;

	if (mark)
		stack[open++] = closing[mark - opening];
	for (; end < lexer->end && (open || *end == '<') && end - at.begin < AIE_READ_OTHER; end++) {
		if (*end == '"')
			end = string_over(end, lexer->end);
		if (end == lexer->end || *end == '\n' || *end == '\0')
			break;
		mark = strchr(opening, *end);
		if (mark)
			stack[open++] = closing[mark - opening];
		else if (strchr(closing, *end) && (*end != '>' || end[-1] != '-') && stack[--open] != *end) {
			open++;
			break;
		}
		if (!open) {
			end++;
			break;
		}
	}
	if (open || end - at.begin >= AIE_READ_OTHER)
		return aie_read_fail(reader, &at, "what begins here has no closing mark within its line and %d bytes", AIE_READ_OTHER);
	memcpy(text, at.begin, (size_t)(end - at.begin));
	text[end - at.begin] = '\0';
	lexer->at = end;
	aie_read_next(reader);
	return true;
}

static const struct aie_attr *other(struct aie_reader *reader)
{
	char text[AIE_READ_OTHER + 1];

	return aie_read_raw(reader, text) ? aie_read_made(reader, aie_attr_text(reader->module, AIE_ATTR_OTHER, text)) : NULL;
}

static const struct aie_attr *hash(struct aie_reader *reader)
{
	static const char known[] = "<bd_dim_layout_array";
	const struct aie_lexer *lexer = &reader->lexer;

	if (reader->token.length != 4 || memcmp(reader->token.begin, "#aie", 4) || (size_t)(lexer->end - lexer->at) < sizeof(known) ||
	    memcmp(lexer->at, known, sizeof(known) - 1))
		return other(reader);
	aie_read_next(reader);
	return aie_read_mark(reader, '<', "behind '#aie'") ? layout(reader) : NULL;
}

/* ---- dense values */

/* The numbers are read before the type that says what they are, so that their tokens are kept. */
struct dense {
	struct aie_token *tokens; /* of the arena */
	uint32_t count;
	int64_t sizes[AIE_DIMS + 1]; /* of the lists, outermost first; -1: not seen yet */
	uint32_t rank;
};

static bool dense_token(struct aie_reader *reader, struct dense *dense)
{
	if (!aie_read_at_number(reader))
		return aie_read_expected(reader, "a number or '['");
	if (dense->count == AIE_READ_ITEMS)
		return aie_read_fail(reader, &reader->token, "a dense value has more than %d elements here", AIE_READ_ITEMS);
	if (!COMMON_ARENA_ADD(reader->module->arena, dense->tokens, dense->count, reader->token))
		return aie_read_memory(reader);
	aie_read_next(reader);
	return true;
}

static bool dense_list(struct aie_reader *reader, struct dense *dense, uint32_t depth)
{
	const struct aie_token at = reader->token;
	int64_t count = 0;

	if (!aie_read_at_mark(reader, '['))
		return dense->rank && depth != dense->rank ? aie_read_expected(reader, "'[', as in the lists before")
							   : (dense->rank = depth, dense_token(reader, dense));
	if (depth == AIE_DIMS || (dense->rank && depth >= dense->rank))
		return aie_read_fail(reader, &at, "lists stand deeper inside each other here than before, or more than %d deep", AIE_DIMS);
	aie_read_next(reader);
	for (; !aie_read_at_mark(reader, ']'); count++)
		if ((count && !aie_read_mark(reader, ',', "or ']' behind an element")) || !dense_list(reader, dense, depth + 1))
			return false;
	if (dense->sizes[depth] >= 0 && dense->sizes[depth] != count)
		return aie_read_fail(reader, &at, "a list of %lld elements stands here, expected %lld as in the one before", (long long)count,
				     (long long)dense->sizes[depth]);
	dense->sizes[depth] = count;
	aie_read_next(reader);
	return true;
}

/* tensor<4xi32>, which the values of a memref have in MLIR; memref<4xi32> is taken, too. */
static const struct aie_type *dense_type(struct aie_reader *reader)
{
	const struct aie_token at = reader->token;
	const struct aie_type *type;

	if (aie_read_at_word(reader, "tensor"))
		reader->token = (struct aie_token){AIE_TOKEN_WORD, "memref", 6, at.line, at.column};
	type = aie_read_type(reader);
	if (type && (type->kind != AIE_TYPE_MEMREF || type->strided)) {
		aie_read_fail(reader, &at, "the type of a dense value stands here, expected tensor<...> of numbers");
		return NULL;
	}
	return type;
}

static bool dense_shape_is(const struct dense *dense, const struct aie_type *type)
{
	if (!dense->rank)
		return true;
	if (dense->rank != type->rank)
		return false;
	for (uint32_t i = 0; i < dense->rank; i++)
		if (dense->sizes[i] != type->dims[i])
			return false;
	return true;
}

const struct aie_attr *aie_read_dense(struct aie_reader *reader, const struct aie_type *type)
{
	const struct aie_token at = reader->token;
	struct dense dense = {.sizes = {-1, -1, -1, -1, -1, -1}};
	int64_t *ints = NULL;
	uint32_t count = 0;

	if (!aie_read_mark(reader, '<', "behind 'dense'") || (!aie_read_at_mark(reader, '>') && !dense_list(reader, &dense, 0)) ||
	    !aie_read_mark(reader, '>', "behind the elements") || (!type && !aie_read_mark(reader, ':', "and the type of a dense value")))
		return NULL;
	type = type ? type : dense_type(reader);
	if (!type)
		return NULL;
	if (dense.count ? !dense_shape_is(&dense, type) : aie_type_count(type) != 0) {
		aie_read_fail(reader, &at, "the elements of a dense value stand here in other lists than its type has dimensions");
		return NULL;
	}
	for (uint32_t i = 0; i < dense.count; i++) {
		const struct aie_attr *attr = aie_read_number_as(reader, &dense.tokens[i], type->element);
		int64_t value = attr ? attr->number : 0;

		if (attr && attr->kind == AIE_ATTR_FLOAT)
			memcpy(&value, &attr->real, sizeof(value));
		if (!attr || !int_add(reader, &ints, &count, value))
			return NULL;
	}
	return aie_read_made(reader, aie_attr_ints(reader->module, AIE_ATTR_DENSE, type, count, ints));
}

/* ---- any */

static const struct aie_attr *type_attr(struct aie_reader *reader)
{
	const struct aie_type *type = aie_read_type(reader);

	return type ? aie_read_made(reader, aie_attr_type(reader->module, type)) : NULL;
}

static const struct aie_attr *word_attr(struct aie_reader *reader)
{
	if (aie_read_at_word(reader, "true") || aie_read_at_word(reader, "false")) {
		const bool value = *reader->token.begin == 't';

		aie_read_next(reader);
		return aie_read_made(reader, aie_attr_bool(reader->module, value));
	}
	if (aie_read_take_word(reader, "unit"))
		return aie_read_made(reader, aie_attr_unit(reader->module));
	if (aie_read_take_word(reader, "array"))
		return array(reader);
	if (aie_read_take_word(reader, "dense"))
		return aie_read_dense(reader, NULL);
	if (aie_read_at_word(reader, "affine_map") || aie_read_at_word(reader, "affine_set"))
		return other(reader);
	return type_attr(reader);
}

const struct aie_attr *aie_read_attr(struct aie_reader *reader)
{
	switch (reader->token.kind) {
	case AIE_TOKEN_STRING: return text_attr(reader, AIE_ATTR_STRING);
	case AIE_TOKEN_SYMBOL: return text_attr(reader, AIE_ATTR_SYMBOL);
	case AIE_TOKEN_INTEGER:
	case AIE_TOKEN_REAL: return aie_read_number(reader);
	case AIE_TOKEN_HASH: return hash(reader);
	case AIE_TOKEN_WORD: return word_attr(reader);
	case AIE_TOKEN_BANG: return type_attr(reader);
	case AIE_TOKEN_MARK:
		if (aie_read_at_mark(reader, '['))
			return list(reader, AIE_ATTR_LIST, aie_read_attr);
		if (aie_read_at_mark(reader, '('))
			return type_attr(reader);
		if (aie_read_at_mark(reader, '{'))
			return other(reader);
		/* fall through */
	default: aie_read_expected(reader, "an attribute's value"); return NULL;
	}
}

bool aie_read_set(struct aie_reader *reader, struct aie_op *op, const char *name, const struct aie_attr *attr)
{
	if (!attr)
		return reader->status ? false : aie_read_memory(reader);
	return aie_op_attr(reader->module, op, name, attr) || aie_read_memory(reader);
}

static bool named_attr(struct aie_reader *reader, struct aie_op *op)
{
	const struct aie_token at = reader->token;
	const char *name;

	if (at.kind == AIE_TOKEN_STRING) {
		name = aie_read_text(reader);
	} else if (at.kind == AIE_TOKEN_WORD) {
		name = aie_name(reader->module, at.begin, at.length);
		aie_read_next(reader);
	} else {
		return aie_read_expected(reader, "the name of an attribute");
	}
	if (!name)
		return reader->status ? false : aie_read_memory(reader);
	if (!*name || strlen(name) > AIE_READ_NAME)
		return aie_read_fail(reader, &at, "the name of an attribute stands here, which has 1 to %d bytes", AIE_READ_NAME);
	if (aie_attr_of(op, name))
		return aie_read_fail(reader, &at, "attribute '%.64s' stands twice in one operation", name);
	if (op->attr_count == AIE_READ_ATTRS)
		return aie_read_fail(reader, &at, "an operation has more than %d attributes here", AIE_READ_ATTRS);
	return aie_read_set(reader, op, name, aie_read_take(reader, '=') ? aie_read_attr(reader) : aie_attr_unit(reader->module));
}

bool aie_read_attrs(struct aie_reader *reader, struct aie_op *op)
{
	if (!aie_read_mark(reader, '{', "and attributes"))
		return false;
	if (aie_read_take(reader, '}'))
		return true;
	do {
		if (!named_attr(reader, op))
			return false;
	} while (aie_read_take(reader, ','));
	return aie_read_mark(reader, '}', "or ',' behind an attribute");
}
