/* SPDX-License-Identifier: MIT */
/* as_type.c - types of PTO-AS: f16, !pto.ptr<f16>, !pto.tensor_view<1x1x1x16x16xf16>, !pto.tile_buf<loc=mat, dtype=f16, ...>. */
#include "isa/isa.h"
#include "lang/parse/as.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct element {
	const char *text;
	uint16_t dtype;
	uint8_t index;
} elements[] = {
	{"index", PTOWSP_I64, 1}, {"i1", PTOWSP_BOOL, 0}, {"ui8", PTOWSP_U8, 0},   {"ui16", PTOWSP_U16, 0}, {"ui32", PTOWSP_U32, 0},
	{"ui64", PTOWSP_U64, 0},  {"si8", PTOWSP_I8, 0},  {"si16", PTOWSP_I16, 0}, {"si32", PTOWSP_I32, 0}, {"si64", PTOWSP_I64, 0},
#define X(name, code, bytes, cls, text, descr) {text, code, 0},
#include "ptowsp/dtype.def"
#undef X
};

static bool element_set(struct lang_parser *parser, const char *text, struct lang_span at, struct lang_type *type)
{
	for (size_t i = 0; i < sizeof(elements) / sizeof(*elements); i++)
		if (!strcmp(elements[i].text, text)) {
			type->dtype = elements[i].dtype;
			type->index = elements[i].index;
			return true;
		}
	lang_error(parser->unit, at, "there is no element type \"%s\"", text);
	lang_help(parser->unit, "element types are index i1 i8 i16 i32 i64 ui8 ui16 ui32 ui64 f16 bf16 f32 f64");
	return false;
}

/* A type that is not closed must not swallow the lines below; one that goes on there goes on with "name=", "," or ">". */
static bool ends_here(const struct lang_token *token)
{
	if (token->kind == LANG_END || token->mark == '}' || token->mark == '{')
		return true;
	return token->first && token->mark != '>' && token->mark != ',' && !(token->kind == LANG_WORD && token[1].mark == '=');
}

/* The text up to the next "," or ">" of this type, without blanks: "loc=mat", "16x128xf32", "valid=?x?". */
static bool item_read(struct lang_parser *parser, char *text, size_t size)
{
	size_t used = 0;
	int depth = 0;

	*text = '\0';
	for (;;) {
		const struct lang_token *token = lang_peek(parser);

		if (ends_here(token))
			return lang_expected(parser, "\">\" at the end of the type");
		if (!depth && (token->mark == ',' || token->mark == '>'))
			return true;
		depth += (token->mark == '<') - (token->mark == '>');
		used += (size_t)snprintf(text + used, size - used, "%s", token->text);
		if (used >= size) {
			lang_error(parser->unit, token->at, "a part of a type has at most %zu characters", size - 1);
			return false;
		}
		lang_take(parser);
	}
}

/* "16", "?" at *text up to an x; 0 sizes for "?". Returns 0 if it is neither. */
static bool size_read(const char **text, uint32_t *size_out)
{
	char number[16];
	size_t length = strcspn(*text, "x");

	if (length == 0 || length >= sizeof(number))
		return false;
	memcpy(number, *text, length);
	number[length] = '\0';
	*text += length + ((*text)[length] == 'x');
	*size_out = 0;
	return !strcmp(number, "?") || lang_uint_read(number, size_out);
}

/* "1x1x16x?xf16" */
static bool shape_read(struct lang_parser *parser, const char *text, struct lang_as_type *type)
{
	const char *size;

	while (*text == '?' || (*text >= '0' && *text <= '9')) {
		if (type->rank == LANG_AS_RANK) {
			lang_error(parser->unit, type->at, "a shape has at most %d sizes", LANG_AS_RANK);
			return false;
		}
		size = text;
		if (!size_read(&text, &type->sizes[type->rank])) {
			lang_error(parser->unit, type->at, "\"%.*s\" is no size of 32 bits: a shape is sizes and an element type, such as 16x128xf32",
				   (int)strcspn(size, "x"), size);
			return false;
		}
		type->rank++;
	}
	return element_set(parser, text, type->at, &type->type);
}

static bool space_set(const char *text, struct lang_type *type)
{
	static const char *const near[] = {"mat", "left", "right", "acc", "bias", "scaling"};

	const int vector = !strcmp(text, "vec") || !strcmp(text, "ub");

	if (vector)
		type->space = PTOWSP_SPACE_UB;
	for (size_t i = 0; i < sizeof(near) / sizeof(*near); i++)
		if (!strcmp(text, near[i]))
			type->space = PTOWSP_SPACE_L1;
	return vector || type->space == PTOWSP_SPACE_L1;
}

/* The elements of a tile: its valid part decides where it is stated. */
struct tile {
	uint32_t rows, columns, valid_rows, valid_columns;
};

static int tile_item(struct lang_parser *parser, const char *text, struct lang_as_type *type, struct tile *tile)
{
	const char *value = strchr(text, '=');
	const char *rest = value ? value + 1 : text;
	size_t key = value ? (size_t)(value - text) : 0;
	uint32_t *number = !strncmp(text, "rows=", 5)    ? &tile->rows
			   : !strncmp(text, "cols=", 5)  ? &tile->columns
			   : !strncmp(text, "v_row=", 6) ? &tile->valid_rows
			   : !strncmp(text, "v_col=", 6) ? &tile->valid_columns
							 : NULL;
	int ok = 1;

	if (number)
		ok = size_read(&rest, number) && !*rest;
	else if (!value && strchr(text, 'x'))
		ok = shape_read(parser, text, type) && type->rank == 2;
	else if (!value || (key == 3 && !strncmp(text, "loc", 3)))
		ok = space_set(rest, &type->type);
	else if (key == 5 && !strncmp(text, "dtype", 5))
		return element_set(parser, rest, type->at, &type->type);
	else if (key == 5 && !strncmp(text, "valid", 5))
		ok = size_read(&rest, &tile->valid_rows) && size_read(&rest, &tile->valid_columns) && !*rest;
	else /* how a machine lays the tile out: nothing that changes its elements */
		ok = 1;
	if (!ok) {
		lang_error(parser->unit, type->at, "\"%s\" is no part of a tile's type", text);
		lang_help(parser->unit, "!pto.tile_buf<loc=vec, dtype=f32, rows=16, cols=128, v_row=16, v_col=128, ...>");
	}
	return ok;
}

static int tile_read(struct lang_parser *parser, struct lang_as_type *type)
{
	struct tile tile = {0, 0, UINT32_MAX, UINT32_MAX};
	char text[96];

	type->kind = LANG_AS_TYPE_TILE;
	type->type.kind = LANG_TYPE_TILE;
	type->type.space = PTOWSP_SPACE_UB;
	type->type.dtype = PTOWSP_F32;
	for (;;) {
		if (!item_read(parser, text, sizeof(text)) || !tile_item(parser, text, type, &tile))
			return 0;
		if (!lang_at_mark(parser, ','))
			break;
		lang_take(parser);
	}
	if (type->rank == 2) {
		tile.rows = type->sizes[0];
		tile.columns = type->sizes[1];
	}
	type->type.rows = tile.valid_rows == UINT32_MAX ? tile.rows : tile.valid_rows;
	type->type.columns = tile.valid_columns == UINT32_MAX ? tile.columns : tile.valid_columns;
	type->sizes[0] = tile.rows;
	type->sizes[1] = tile.columns;
	return lang_expect(parser, '>', "at the end of the type");
}

/* "f16" or "f16, gm" */
static int pointer_read(struct lang_parser *parser, struct lang_as_type *type)
{
	char text[96];

	type->kind = LANG_AS_TYPE_POINTER;
	type->type.kind = LANG_TYPE_MEMREF;
	type->type.space = PTOWSP_SPACE_GM;
	if (!item_read(parser, text, sizeof(text)) || !element_set(parser, text, type->at, &type->type))
		return 0;
	if (lang_at_mark(parser, ',')) {
		lang_take(parser);
		if (!item_read(parser, text, sizeof(text)))
			return 0;
	}
	return lang_expect(parser, '>', "at the end of the type");
}

static int view_read(struct lang_parser *parser, struct lang_as_type *type)
{
	char text[96];

	type->kind = LANG_AS_TYPE_VIEW;
	if (!item_read(parser, text, sizeof(text)) || !shape_read(parser, text, type))
		return 0;
	while (lang_at_mark(parser, ',')) {
		lang_take(parser);
		if (!item_read(parser, text, sizeof(text)))
			return 0;
	}
	return lang_expect(parser, '>', "at the end of the type");
}

bool lang_as_type_parse(struct lang_parser *parser, struct lang_as_type *type_out)
{
	static const struct {
		const char *word;
		int (*read)(struct lang_parser *parser, struct lang_as_type *type);
	} kinds[] = {{"pto.ptr", pointer_read},    {"pto.tensor_view", view_read}, {"pto.partition_tensor_view", view_read},
		     {"pto.tile_view", view_read}, {"pto.tile_buf", tile_read},    {"pto.tile", tile_read}};
	const struct lang_token *token = lang_peek(parser);

	memset(type_out, 0, sizeof(*type_out));
	type_out->at = type_out->type.at = token->at;
	if (token->kind == LANG_WORD) {
		lang_take(parser);
		type_out->type.kind = LANG_TYPE_SCALAR;
		return element_set(parser, token->text, token->at, &type_out->type);
	}
	if (token->kind != LANG_TYPE)
		return lang_expected(parser, "a type");
	lang_take(parser);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(token->text, kinds[i].word))
			return lang_expect(parser, '<', "behind the type's name") && kinds[i].read(parser, type_out);
	lang_error(parser->unit, token->at, "there is no type !%s", token->text);
	lang_help(parser->unit, "types are !pto.ptr<f16>, !pto.tensor_view<...>, !pto.tile_view<...>, !pto.tile_buf<...> and element types");
	return false;
}

static bool list_skip(struct lang_parser *parser)
{
	struct lang_as_type type;
	int wrapped = lang_at_mark(parser, '(');

	if (wrapped)
		lang_take(parser);
	for (bool more = !lang_at_mark(parser, ')'); more; more = lang_comma_take(parser, ')'))
		if (!lang_as_type_parse(parser, &type))
			return false;
	return !wrapped || lang_expect(parser, ')', "behind the types");
}

bool lang_as_types_skip(struct lang_parser *parser)
{
	if (!lang_at_mark(parser, ':'))
		return true;
	lang_take(parser);
	if (!list_skip(parser))
		return false;
	if (lang_peek(parser)->kind != LANG_ARROW)
		return true;
	lang_take(parser);
	return list_skip(parser);
}

/* ---- names of PTO-AS and what they stand for; statements that the dialect's operations become. ---- */

static struct common_arena *arena_of(const struct lang_as *as)
{
	return &as->parser->unit->arena;
}

static struct lang_as_name *name_of(struct lang_as *as, const char *text)
{
	struct lang_as_name *name = lang_map_find(&as->names, text);

	if (!name) {
		name = common_alloc(arena_of(as), sizeof(*name));
		lang_map_add(&as->names, arena_of(as), text, name);
	}
	return name;
}

/* Never NULL: a name that is not there is told, and broken. */
static struct lang_as_value *name_find(struct lang_as *as, const struct lang_token *token)
{
	struct lang_as_name *name = name_of(as, token->text);

	if (!name->top) {
		lang_error(as->parser->unit, token->at, "there is no %%%s here", token->text);
		lang_help(as->parser->unit, "a value is seen from its operation to the end of the region around it");
		lang_as_define(as, token, LANG_AS_BROKEN);
	}
	return name->top;
}

struct lang_as_value *lang_as_define(struct lang_as *as, const struct lang_token *token, enum lang_as_kind kind)
{
	struct lang_as_name *name = name_of(as, token->text);
	struct lang_as_value *value = common_alloc(arena_of(as), sizeof(*value));

	if (name->top && name->top->kind != LANG_AS_BROKEN && kind != LANG_AS_BROKEN)
		lang_error(as->parser->unit, token->at, "%%%s is there already, from %s", token->text, lang_place(as->parser->unit, name->top->at));
	value->kind = (uint8_t)kind;
	value->name = token->text;
	value->at = token->at;
	value->shadowed = name->top;
	value->next = as->region;
	name->top = value;
	as->region = value;
	return value;
}

struct lang_as_value *lang_as_region_enter(struct lang_as *as)
{
	struct lang_as_value *outer = as->region;

	as->region = NULL;
	return outer;
}

void lang_as_region_leave(struct lang_as *as, struct lang_as_value *outer)
{
	for (struct lang_as_value *value = as->region; value; value = value->next)
		name_of(as, value->name)->top = value->shadowed;
	as->region = outer;
}

/* Names of numbers get a letter; the same name of another region gets a number. */
const char *lang_as_var(struct lang_as *as, enum lang_var_kind kind, const char *name, struct lang_type type, struct lang_span at)
{
	const int is_number = *name >= '0' && *name <= '9';
	const char *text = is_number ? common_format(arena_of(as), "v%s", name) : name;

	while (lang_var_find(as->parser->function, text))
		text = common_format(arena_of(as), "%s%s.%u", is_number ? "v" : "", name, ++as->made);
	type.kind = kind == LANG_TILE ? LANG_TYPE_TILE : kind == LANG_MEMREF ? LANG_TYPE_MEMREF : LANG_TYPE_SCALAR;
	lang_var_add(as->parser->unit, as->parser->function, kind, text, type, at);
	return text;
}

static struct lang_as_value *number_value(struct lang_as *as, const struct lang_token *token)
{
	struct lang_as_value *value = common_alloc(arena_of(as), sizeof(*value));

	value->kind = LANG_AS_NUMBER;
	value->type = (struct lang_type){.kind = LANG_TYPE_SCALAR, .dtype = PTOWSP_I64, .index = 1};
	value->text = token->text;
	value->at = token->at;
	if (strpbrk(token->text, ".eE"))
		value->kind = LANG_AS_FLOAT;
	return value;
}

/* Decimal, with a sign; 0 if it is none or does not fit 64 bits. */
static int integer_read(const char *text, int64_t *value_out)
{
	const int negative = *text == '-';
	int64_t value = 0;

	text += negative || *text == '+';
	if (!*text)
		return 0;
	for (; *text; text++)
		if (*text < '0' || *text > '9' || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_sub_overflow(value, *text - '0', &value)) /* negative: it reaches further */
			return 0;
	return negative ? (*value_out = value, 1) : !__builtin_sub_overflow(0, value, value_out);
}

struct lang_as_value *lang_as_operand(struct lang_as *as)
{
	const struct lang_token *token = lang_peek(as->parser);
	struct lang_as_value *value;

	if (token->kind == LANG_NAME || token->kind == LANG_LITERAL) {
		lang_take(as->parser);
		value = name_find(as, token);
		return value->kind == LANG_AS_BROKEN ? NULL : value;
	}
	if (token->kind != LANG_NUMBER) {
		lang_expected(as->parser, "a value such as %x");
		return NULL;
	}
	lang_take(as->parser);
	value = number_value(as, token);
	if (value->kind == LANG_AS_NUMBER && !integer_read(token->text, &value->term.number)) {
		lang_error(as->parser->unit, token->at, "\"%s\" is no number of 64 bits", token->text);
		return NULL;
	}
	return value;
}

int lang_as_term(struct lang_as *as, struct lang_as_term *term_out)
{
	const struct lang_token *token = lang_peek(as->parser);
	const struct lang_as_value *value = lang_as_operand(as);

	if (!value)
		return 0;
	*term_out = value->term;
	if (value->kind == LANG_AS_NUMBER || (value->kind == LANG_AS_SCALAR && common_dtype_class(value->type.dtype) != 'f'))
		return 1;
	lang_error(as->parser->unit, token->at, "a whole number is needed here, and %s%s is none", token->kind == LANG_NUMBER ? "" : "%", token->text);
	return 0;
}

struct lang_stmt *lang_as_emit(struct lang_as *as, unsigned op, const struct lang_operand *operands, uint32_t count)
{
	struct lang_stmt *stmt = common_alloc(arena_of(as), sizeof(*stmt));

	stmt->op = (uint8_t)op;
	stmt->at = as->at;
	stmt->word = isa_op(op)->mnemonic;
	stmt->body.last = &stmt->body.first;
	stmt->other.last = &stmt->other.first;
	stmt->count = count;
	stmt->results = (uint32_t)strspn(isa_op(op)->operands, "TS");
	stmt->operands = common_alloc(arena_of(as), (count + 1) * sizeof(*stmt->operands));
	if (count)
		memcpy(stmt->operands, operands, count * sizeof(*operands));
	*as->block->last = stmt;
	as->block->last = &stmt->next;
	return stmt;
}

struct lang_operand lang_as_of_term(const struct lang_as *as, struct lang_as_term term)
{
	if (term.var)
		return lang_as_of_name(as, term.var);
	return (struct lang_operand){.kind = LANG_OPERAND_NUMBER, .text = common_format(arena_of(as), "%lld", (long long)term.number), .at = as->at};
}

struct lang_operand lang_as_of_name(const struct lang_as *as, const char *name)
{
	return (struct lang_operand){.kind = LANG_OPERAND_NAME, .text = name, .at = as->at};
}

struct lang_operand lang_as_of_value(const struct lang_as *as, const struct lang_as_value *value)
{
	switch (value->kind) {
	case LANG_AS_NUMBER:
	case LANG_AS_SCALAR: return lang_as_of_term(as, value->term);
	case LANG_AS_FLOAT: return (struct lang_operand){.kind = LANG_OPERAND_NUMBER, .text = value->text, .at = as->at};
	case LANG_AS_VIEW: return lang_as_of_name(as, value->view->memref);
	default: return lang_as_of_name(as, value->text);
	}
}

/* The value of two numbers. 0: the result does not fit, or there is none. */
static int fold(unsigned op, int64_t x, int64_t y, int64_t *result_out)
{
	switch (op) {
	case PTOWSP_PTO_ADD: return !__builtin_add_overflow(x, y, result_out);
	case PTOWSP_PTO_SUB: return !__builtin_sub_overflow(x, y, result_out);
	case PTOWSP_PTO_MUL: return !__builtin_mul_overflow(x, y, result_out);
	default:
		if (y == 0 || (x == INT64_MIN && y == -1))
			return 0;
		*result_out = x / y;
		return 1;
	}
}

/* The neutral operand, which leaves the other one as it is. */
static bool is_neutral(unsigned op, struct lang_as_term term)
{
	return !term.var && term.number == (op == PTOWSP_PTO_MUL || op == PTOWSP_PTO_DIV);
}

struct lang_as_term lang_as_calc(struct lang_as *as, unsigned op, struct lang_as_term x, struct lang_as_term y)
{
	static const struct lang_type index = {.dtype = PTOWSP_I64, .index = 1};
	struct lang_as_term result = {0};
	struct lang_operand operands[3];

	if (!x.var && !y.var && fold(op, x.number, y.number, &result.number))
		return result;
	if (is_neutral(op, y))
		return x;
	if (is_neutral(op, x) && (op == PTOWSP_PTO_ADD || op == PTOWSP_PTO_MUL))
		return y;
	if (op == PTOWSP_PTO_MUL && ((!x.var && !x.number) || (!y.var && !y.number)))
		return result;
	result.var = lang_as_var(as, LANG_SCALAR, "at", index, as->at);
	operands[0] = lang_as_of_name(as, result.var);
	operands[1] = lang_as_of_term(as, x);
	operands[2] = lang_as_of_term(as, y);
	lang_as_emit(as, op, operands, 3);
	return result;
}
