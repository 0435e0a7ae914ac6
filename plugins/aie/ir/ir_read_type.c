/* SPDX-License-Identifier: MIT */
/* ir_read_type.c - types out of text. */
#include "aie/ir/ir_read.h"
#include "registry/common/common_arena.h"

#include <string.h>

bool aie_read_part(struct aie_reader *reader, const struct aie_type ***parts, uint32_t *count, const struct aie_type *type)
{

	if (!type)
		return false;
	if (*count == AIE_READ_VALUES)
		return aie_read_fail(reader, &reader->token, "a list of types has more than %d here", AIE_READ_VALUES);
	return COMMON_ARENA_ADD(reader->module->arena, *parts, *count, type) || aie_read_memory(reader);
}

/* a, b) behind the opening mark. */
static bool types_in_parens(struct aie_reader *reader, const struct aie_type ***parts, uint32_t *count)
{
	if (aie_read_take(reader, ')'))
		return true;
	do {
		if (!aie_read_part(reader, parts, count, aie_read_type(reader)))
			return false;
	} while (aie_read_take(reader, ','));
	return aie_read_mark(reader, ')', "behind the types");
}

bool aie_read_types(struct aie_reader *reader, const struct aie_type ***parts, uint32_t *count)
{
	if (aie_read_take(reader, '('))
		return types_in_parens(reader, parts, count);
	return aie_read_part(reader, parts, count, aie_read_type(reader));
}

const struct aie_type *aie_read_signature(struct aie_reader *reader)
{
	const struct aie_type **parts = NULL, *type;
	uint32_t count = 0, inputs;

	if (!aie_read_down(reader) || !aie_read_mark(reader, '(', "and the types of operands") || !types_in_parens(reader, &parts, &count))
		return NULL;
	inputs = count;
	if (!aie_read_arrow(reader) || !aie_read_types(reader, &parts, &count))
		return NULL;
	aie_read_up(reader);
	type = aie_type_function(reader->module, inputs, count, parts);
	if (!type)
		aie_read_memory(reader);
	return type;
}

/* 16x32x: sizes, read byte by byte, as the lexer would take "x32xf32" for a word. */
static bool read_sizes(struct aie_reader *reader, int64_t *sizes, uint32_t *rank_out)
{
	struct aie_lexer *lexer = &reader->lexer;
	uint32_t rank = 0;

	while (lexer->at < lexer->end && ((*lexer->at >= '0' && *lexer->at <= '9') || *lexer->at == '?')) {
		const struct aie_token here = {AIE_TOKEN_INTEGER, lexer->at, 1, lexer->line, (uint32_t)(lexer->at - lexer->line_start) + 1};
		int64_t size = 0;

		if (*lexer->at == '?')
			return aie_read_fail(reader, &here, "'?' stands here, expected a number: sizes are known before anything runs");
		if (rank == AIE_DIMS)
			return aie_read_fail(reader, &here, "a memref has more than %d dimensions here", AIE_DIMS);
		for (; lexer->at < lexer->end && *lexer->at >= '0' && *lexer->at <= '9' && size <= AIE_READ_ELEMENTS; lexer->at++)
			size = 10 * size + (*lexer->at - '0');
		if (size > AIE_READ_ELEMENTS)
			return aie_read_fail(reader, &here, "a size is larger than 2^40 here");
		if (lexer->at == lexer->end || *lexer->at != 'x')
			return aie_read_fail(reader, &here,
					     "a size stands here without 'x' behind it, expected 'x' and another size or the type of an element");
		lexer->at++;
		sizes[rank++] = size;
	}
	*rank_out = rank;
	return true;
}

/* [8, 1], offset: 4>, behind "strided<". */
static bool read_strides(struct aie_reader *reader, uint32_t rank, int64_t *strides, int64_t *offset)
{
	const struct aie_token at = reader->token;
	uint32_t count = 0;

	if (!aie_read_mark(reader, '[', "and the strides"))
		return false;
	while (!aie_read_at_mark(reader, ']')) {
		if (count == rank)
			return aie_read_fail(reader, &at, "more strides than sizes stand here, expected %u", rank);
		if ((count && !aie_read_mark(reader, ',', "or ']' behind a stride")) || !aie_read_integer(reader, &strides[count++]))
			return false;
	}
	if (count != rank)
		return aie_read_fail(reader, &at, "%u strides stand here, expected %u, as many as there are sizes", count, rank);
	aie_read_next(reader);
	if (aie_read_take(reader, ',')) {
		if (!aie_read_word(reader, "offset", "behind the strides") || !aie_read_mark(reader, ':', "behind 'offset'"))
			return false;
		if (aie_read_take(reader, '?'))
			*offset = AIE_DYNAMIC;
		else if (!aie_read_integer(reader, offset))
			return false;
	}
	return aie_read_mark(reader, '>', "behind the strides");
}

static bool scalar(const struct aie_type *type)
{
	return type->kind < AIE_TYPE_MEMREF;
}

/* Nothing of it lies beyond AIE_READ_ELEMENTS. */
static bool span_is_small(const int64_t *sizes, const int64_t *strides, uint32_t rank, int64_t offset)
{
	int64_t left = AIE_READ_ELEMENTS - (offset == AIE_DYNAMIC ? 0 : offset), product = 1;

	if (left < 0 || left > AIE_READ_ELEMENTS)
		return false;
	for (uint32_t i = 0; i < rank; i++) {
		if (sizes[i] && product > AIE_READ_ELEMENTS / sizes[i])
			return false;
		product *= sizes[i];
		if (strides && (strides[i] < 0 || strides[i] > AIE_READ_ELEMENTS))
			return false;
		if (!strides || sizes[i] < 2)
			continue;
		if (strides[i] > left / (sizes[i] - 1))
			return false;
		left -= strides[i] * (sizes[i] - 1);
	}
	return true;
}

static const struct aie_type *memref(struct aie_reader *reader)
{
	const struct aie_token at = reader->token;
	int64_t sizes[AIE_DIMS] = {0}, strides[AIE_DIMS] = {0}, offset = 0;
	const struct aie_type *element, *type;
	bool strided = false;
	uint32_t rank = 0;

	if (!aie_read_at_mark(reader, '<')) {
		aie_read_expected(reader, "'<' behind 'memref'");
		return NULL;
	}
	if (!read_sizes(reader, sizes, &rank))
		return NULL;
	aie_read_next(reader);
	element = aie_read_type(reader);
	if (!element)
		return NULL;
	if (!scalar(element)) {
		aie_read_fail(reader, &at, "a memref of memrefs, fifos or functions stands here, expected one of numbers");
		return NULL;
	}
	while (aie_read_take(reader, ',')) {
		if (reader->token.kind == AIE_TOKEN_INTEGER) { /* a memory space says nothing that its tile does not */
			if (!aie_read_number(reader))
				return NULL;
			continue;
		}
		strided = true;
		if (!aie_read_word(reader, "strided", "behind the type of the elements") || !aie_read_mark(reader, '<', "behind 'strided'") ||
		    !read_strides(reader, rank, strides, &offset))
			return NULL;
	}
	if (!aie_read_mark(reader, '>', "at the end of the memref"))
		return NULL;
	if (!span_is_small(sizes, strided ? strides : NULL, rank, offset)) {
		aie_read_fail(reader, &at, "this memref has a negative stride or offset, or more than 2^40 elements");
		return NULL;
	}
	type = strided ? aie_type_view(reader->module, element, rank, sizes, strides, offset) : aie_type_memref(reader->module, element, rank, sizes);
	if (!type)
		aie_read_memory(reader);
	return type;
}

static bool token_is(const struct aie_token *token, const char *text)
{
	return token->length == strlen(text) && !memcmp(token->begin, text, token->length);
}

/* A word or !dialect.name and <...> behind it, as it stands. */
static const struct aie_type *other(struct aie_reader *reader)
{
	char text[AIE_READ_OTHER + 1];
	const struct aie_type *type;

	if (!aie_read_raw(reader, text))
		return NULL;
	type = aie_type_other(reader->module, text);
	if (!type)
		aie_read_memory(reader);
	return type;
}

/* !aie.objectfifo<memref>, and what an acquire gives of one. */
static const struct aie_type *fifo(struct aie_reader *reader)
{
	const struct aie_token at = reader->token;
	const bool objects = token_is(&at, "!aie.objectfifosubview");
	const struct aie_type *type;

	for (uint32_t i = 0; i < reader->alias_count; i++)
		if (reader->aliases[i].name.length == at.length && !memcmp(reader->aliases[i].name.begin, at.begin, at.length)) {
			aie_read_next(reader);
			return reader->aliases[i].type;
		}
	if (!objects && !token_is(&at, "!aie.objectfifo"))
		return other(reader);
	aie_read_next(reader);
	if (!aie_read_mark(reader, '<', "and the type of an object"))
		return NULL;
	type = aie_read_type(reader);
	if (!type || !aie_read_mark(reader, '>', "behind the type of an object"))
		return NULL;
	if (type->kind != AIE_TYPE_MEMREF) {
		aie_read_fail(reader, &at, "the objects of this fifo are no memrefs, expected %.*s<memref<...>>", (int)at.length, at.begin);
		return NULL;
	}
	type = objects ? aie_type_objects(reader->module, type) : aie_type_fifo(reader->module, type);
	if (!type)
		aie_read_memory(reader);
	return type;
}

/* i1 to i64; 0: the word is no such type. */
static uint32_t width_of(const struct aie_token *token)
{
	const size_t sign = *token->begin == 'u' || *token->begin == 's'; /* ui32, si32: of as many bits */
	uint32_t bits = 0;

	if (token->length < 2 + sign || token->length > 3 + sign || token->begin[sign] != 'i' || token->begin[1 + sign] == '0')
		return 0;
	for (size_t i = 1 + sign; i < token->length; i++) {
		if (token->begin[i] < '0' || token->begin[i] > '9')
			return 0;
		bits = 10 * bits + (uint32_t)(token->begin[i] - '0');
	}
	return bits <= AIE_READ_WIDTH ? bits : 0;
}

static const struct aie_type *plain(struct aie_reader *reader)
{
	static const struct {
		const char *word;
		enum aie_type_kind kind;
	} words[] = {{"index", AIE_TYPE_INDEX}, {"bf16", AIE_TYPE_BF16}, {"f16", AIE_TYPE_F16}, {"f32", AIE_TYPE_F32}, {"f64", AIE_TYPE_F64}};
	const uint32_t bits = width_of(&reader->token);
	const struct aie_type *type = NULL;
	bool known = bits != 0;

	if (bits)
		type = aie_type_plain(reader->module, AIE_TYPE_INT, bits);
	for (size_t i = 0; !known && i < sizeof(words) / sizeof(*words); i++)
		if (aie_read_at_word(reader, words[i].word)) {
			known = true;
			type = aie_type_plain(reader->module, words[i].kind, 0);
		}
	if (!known)
		aie_read_expected(reader, "a type: index, i1 to i64, bf16, f16, f32, f64, memref<...>, !aie.objectfifo<...> or a function's");
	else if (!type)
		aie_read_memory(reader);
	else
		aie_read_next(reader);
	return type;
}

const struct aie_type *aie_read_type(struct aie_reader *reader)
{
	const struct aie_type *type;

	if (aie_read_at_mark(reader, '('))
		return aie_read_signature(reader);
	if (!aie_read_down(reader))
		return NULL;
	if (reader->token.kind == AIE_TOKEN_BANG) {
		type = fifo(reader);
	} else if (aie_read_at_word(reader, "memref")) {
		aie_read_next(reader);
		type = memref(reader);
	} else if (aie_read_at_word(reader, "vector") || aie_read_at_word(reader, "tensor")) {
		type = other(reader);
	} else if (reader->token.kind == AIE_TOKEN_WORD) {
		type = plain(reader);
	} else {
		aie_read_expected(reader, "a type");
		return NULL;
	}
	aie_read_up(reader);
	return type;
}
