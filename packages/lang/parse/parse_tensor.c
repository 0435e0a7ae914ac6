/* SPDX-License-Identifier: MIT */
/* parse_tensor.c - types, tensors with their layouts, and axes. */
#include "lang/lang_axis.h"
#include "lang/parse/parse.h"
#include "lang/tensor.h"
#include "ptowsp/package.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TILE_ELEMENTS (1u << 24) /* more than any tile memory holds */

/* The words of the source for element types. */
static const struct element {
	const char *text;
	uint16_t dtype;
	uint8_t index;
} elements[] = {
	{"idx", PTOWSP_I64, 1},
	{"index", PTOWSP_I64, 1},
	{"u1", PTOWSP_BOOL, 0},
#define X(name, code, bytes, cls, text, descr) {text, code, 0},
#include "ptowsp/dtype.def"
#undef X
};

bool lang_uint_read(const char *text, uint32_t *value_out)
{
	uint64_t value = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		value = value * 10 + (uint64_t)(*text - '0');
		if (value > UINT32_MAX)
			return false;
	}
	*value_out = (uint32_t)value;
	return true;
}

static bool element_find(struct lang_parser *parser, const char *text, struct lang_span at, struct lang_type *type)
{
	struct lang_guess guess;

	lang_guess_start(&guess, text);
	for (size_t i = 0; i < sizeof(elements) / sizeof(*elements); i++) {
		if (!strcmp(elements[i].text, text)) {
			type->dtype = elements[i].dtype;
			type->index = elements[i].index;
			return true;
		}
		lang_guess_try(&guess, elements[i].text);
	}
	lang_error(parser->unit, at, "there is no element type \"%s\"", text);
	if (!lang_guess_help(parser->unit, &guess, ""))
		lang_help(parser->unit, "element types are f16 bf16 f32 f64 i8 i16 i32 i64 u1 u8 u16 u32 u64 and index");
	return false;
}

static bool space_find(struct lang_parser *parser, struct lang_type *type)
{
	uint32_t space;

	if (!lang_words_take(parser, PKG_WORDS_space, &space))
		return lang_expected(parser, "a memory space (gm, l2, hbm, shared, ub, l1)");
	type->space = (uint16_t)space;
	return true;
}

/* "32x128xf32" */
static bool shape_read(struct lang_parser *parser, const struct lang_token *token, struct lang_type *type)
{
	char *text = common_copy(&parser->unit->arena, token->text, strlen(token->text));
	char *columns = strchr(text, 'x'), *element = columns ? strchr(columns + 1, 'x') : NULL;

	if (!element) {
		lang_error(parser->unit, token->at, "\"%s\" is no tile shape", token->text);
		lang_help(parser->unit, "a tile is rows x columns x element type: !pto.tile<32x128xf32>");
		return false;
	}
	*columns++ = '\0';
	*element++ = '\0';
	if (!lang_uint_read(text, &type->rows) || !lang_uint_read(columns, &type->columns) || !type->rows || !type->columns ||
	    (uint64_t)type->rows * type->columns > TILE_ELEMENTS) {
		lang_error(parser->unit, token->at, "a tile has 1 to %u elements, not \"%s\"", TILE_ELEMENTS, token->text);
		return false;
	}
	return element_find(parser, element, token->at, type);
}

static int tile_read(struct lang_parser *parser, struct lang_type *type)
{
	type->kind = LANG_TYPE_TILE;
	type->space = PTOWSP_SPACE_UB;
	if (lang_peek(parser)->kind != LANG_NUMBER)
		return lang_expected(parser, "the tile's shape such as 32x128xf32");
	if (!shape_read(parser, lang_take(parser), type))
		return 0;
	if (!lang_at_mark(parser, ','))
		return 1;
	lang_take(parser);
	return space_find(parser, type);
}

/* "gm,...,f32": the dots are part of the notation, a memref has no shape of its own. */
static bool memref_read(struct lang_parser *parser, struct lang_type *type)
{
	const struct lang_token *token;

	type->kind = LANG_TYPE_MEMREF;
	if (!space_find(parser, type) || !lang_expect(parser, ',', "behind the memory space"))
		return false;
	if (!lang_dots_take(parser, NULL))
		return lang_expected(parser, "\"...\" (a memref has no shape of its own)");
	if (!lang_expect(parser, ',', "behind \"...\""))
		return false;
	token = lang_peek(parser);
	if (token->kind != LANG_WORD)
		return lang_expected(parser, "an element type");
	lang_take(parser);
	return element_find(parser, token->text, token->at, type);
}

int lang_type_parse(struct lang_parser *parser, struct lang_type *type_out)
{
	const struct lang_token *token = lang_peek(parser);
	int ok;

	memset(type_out, 0, sizeof(*type_out));
	type_out->at = token->at;
	if (token->kind == LANG_WORD) {
		lang_take(parser);
		type_out->kind = LANG_TYPE_SCALAR;
		return element_find(parser, token->text, token->at, type_out);
	}
	if (token->kind != LANG_TYPE)
		return lang_expected(parser, "a type");
	lang_take(parser);
	if (strcmp(token->text, "pto.tile") != 0 && strcmp(token->text, "pto.memref") != 0) {
		lang_error(parser->unit, token->at, "there is no type !%s", token->text);
		lang_help(parser->unit, "types are !pto.tile<RxCxf32>, !pto.memref<gm,...,f32> and element types");
		return 0;
	}
	if (!strcmp(token->text, "pto.memref") && !lang_at_mark(parser, '<')) {
		*type_out = (struct lang_type){.kind = LANG_TYPE_MEMREF, .open = 1, .dtype = PTOWSP_F32, .space = PTOWSP_SPACE_GM, .at = token->at};
		return 1;
	}
	if (!lang_expect(parser, '<', "behind the type's name"))
		return 0;
	ok = !strcmp(token->text, "pto.tile") ? tile_read(parser, type_out) : memref_read(parser, type_out);
	if (ok) {
		const struct lang_token *end = lang_peek(parser);

		ok = lang_expect(parser, '>', "at the end of the type");
		if (ok && end->at.line == token->at.line)
			type_out->at.length = end->at.column + 1 - token->at.column;
	}
	return ok;
}

/* ---- layout(S(0), R) mem(row_major). ---- */

/* "R", "S(0)" */
static int dim_parse(struct lang_parser *parser, struct lang_layout *layout)
{
	struct lang_layout_dim *dim = &layout->dims[layout->rank];
	uint32_t axis;

	dim->at = lang_peek(parser)->at;
	if (lang_word_take(parser, "R")) {
		layout->rank++;
		return 1;
	}
	if (!lang_word_take(parser, "S"))
		return lang_expected(parser, "R (replicated) or S(axis) (sharded over an axis of the grid)");
	if (!lang_expect(parser, '(', "and the axis of the grid behind S"))
		return 0;
	if (!lang_uint_read(lang_peek(parser)->text, &axis) || axis > UINT16_MAX)
		return lang_expected(parser, "the number of an axis of the grid");
	lang_take(parser);
	dim->sharded = 1;
	dim->mesh_axis = (uint16_t)axis;
	layout->rank++;
	return lang_expect(parser, ')', "behind the axis");
}

static int dims_parse(struct lang_parser *parser, struct lang_layout *layout)
{
	layout->stated = 1;
	layout->at = lang_take(parser)->at;
	if (!lang_expect(parser, '(', "and the distribution behind layout"))
		return 0;
	while (layout->rank < LANG_MAX_RANK) {
		if (!dim_parse(parser, layout))
			return 0;
		if (!lang_at_more(parser))
			return lang_expect(parser, ')', "behind the distribution");
		lang_take(parser);
	}
	lang_error(parser->unit, lang_peek(parser)->at, "a layout has at most %u dimensions", LANG_MAX_RANK);
	return 0;
}

/* "(16, 16)" behind blocked, nz or strides. */
static int numbers_parse(struct lang_parser *parser, struct lang_memory *memory, const char *what)
{
	if (!lang_expect(parser, '(', what))
		return 0;
	for (;;) {
		uint32_t number;

		if (memory->count == LANG_MAX_RANK) {
			lang_error(parser->unit, lang_peek(parser)->at, "at most %u numbers stand here", LANG_MAX_RANK);
			return 0;
		}
		if (lang_peek(parser)->kind != LANG_NUMBER || !lang_uint_read(lang_peek(parser)->text, &number) || !number)
			return lang_expected(parser, "a number above 0");
		memory->numbers[memory->count++] = number;
		lang_take(parser);
		if (!lang_at_more(parser))
			return lang_expect(parser, ')', "behind the numbers");
		lang_take(parser);
	}
}

/* "mem(row_major)", "mem(blocked(16, 16) swizzle 3)" */
static int memory_parse(struct lang_parser *parser, struct lang_memory *memory)
{
	static const char *const numbers[] = {[PTOWSP_MEMORY_BLOCKED] = "and rows and columns of a block",
					      [PTOWSP_MEMORY_NZ] = "and rows and columns of a block",
					      [PTOWSP_MEMORY_STRIDED] = "and the stride of each dimension in elements"};
	uint32_t order;

	lang_take(parser);
	if (!lang_expect(parser, '(', "and the order behind mem"))
		return 0;
	memory->at = lang_peek(parser)->at;
	memory->stated = 1;
	if (!lang_words_take(parser, PKG_WORDS_memory_order, &order))
		return lang_expected(parser, "the order of the elements: row_major, col_major, blocked(r, c), nz(r, c) or strides(...)");
	memory->order = (uint16_t)order;
	if (numbers[order] && !numbers_parse(parser, memory, numbers[order]))
		return 0;
	if (lang_word_take(parser, "swizzle")) {
		if (!lang_uint_read(lang_peek(parser)->text ? lang_peek(parser)->text : "", &memory->swizzle) || !memory->swizzle || memory->swizzle > 7)
			return lang_expected(parser, "how many bits of the row, 1 to 7");
		lang_take(parser);
	}
	return lang_expect(parser, ')', "behind the order");
}

/* A second statement would be lost, or mix with what stands before. */
static int once(struct lang_parser *parser, const char *word, int stated)
{
	if (lang_at_word(parser, word) && stated)
		lang_error(parser->unit, lang_peek(parser)->at, "%s(...) stands here already", word);
	return !lang_at_word(parser, word) || !stated;
}

bool lang_layout_parse(struct lang_parser *parser, struct lang_layout *layout)
{
	if (!once(parser, "layout", layout->stated))
		return false;
	if (lang_at_word(parser, "layout") && !dims_parse(parser, layout))
		return false;
	if (!once(parser, "mem", layout->memory.stated))
		return false;
	return !lang_at_word(parser, "mem") || memory_parse(parser, &layout->memory);
}

/* ---- tensor %T : f32[rows, columns] role @space align 64 layout(...) mem(...). ---- */

/* "[%seq, 128]" */
static int shape_parse(struct lang_parser *parser, struct lang_tensor *tensor)
{
	if (!lang_expect(parser, '[', "and the shape behind the element type"))
		return 0;
	while (tensor->rank < LANG_MAX_RANK) {
		tensor->extents[tensor->rank] = lang_scalar_parse(parser, "an extent such as 64 or %n");
		if (!tensor->extents[tensor->rank])
			return 0;
		tensor->rank++;
		if (!lang_at_more(parser))
			return lang_expect(parser, ']', "behind the shape");
		lang_take(parser);
	}
	lang_error(parser->unit, lang_peek(parser)->at, "a tensor has at most %u dimensions", LANG_MAX_RANK);
	return 0;
}

static bool role_parse(struct lang_parser *parser, struct lang_tensor *tensor)
{
	uint32_t role;

	if (!lang_words_take(parser, PKG_WORDS_role, &role))
		return lang_expected(parser, "the tensor's role: in, out, inout, temp or const");
	tensor->role = (uint16_t)role;
	return true;
}

static bool space_parse(struct lang_parser *parser, struct lang_tensor *tensor)
{
	const struct lang_token *token = lang_take(parser);
	uint32_t space;

	if (tensor->space_stated) {
		lang_error(parser->unit, token->at, "a memory stands here already, and a tensor lies in one");
		return false;
	}
	tensor->space_stated = 1;
	if (pkg_word_find(PKG_WORDS_space, token->text, &space)) {
		tensor->space = (uint16_t)space;
		return true;
	}
	lang_error(parser->unit, token->at, "there is no memory @%.80s", token->text);
	lang_help(parser->unit, "memories are @gm, @l2, @hbm, @shared, @ub and @l1");
	return false;
}

/* "align 64" */
static bool alignment_parse(struct lang_parser *parser, struct lang_tensor *tensor)
{
	const struct lang_token *token = lang_peek(parser);

	if (token->kind != LANG_NUMBER || !lang_uint_read(token->text, &tensor->alignment) || !tensor->alignment ||
	    tensor->alignment & (tensor->alignment - 1) || tensor->alignment > 1u << 30)
		return lang_expected(parser, "an alignment in bytes, a power of two up to 2^30");
	lang_take(parser);
	return true;
}

static bool attributes_parse(struct lang_parser *parser, struct lang_tensor *tensor)
{
	struct lang_clauses clauses = {0};

	for (;;) {
		const struct lang_token *token = lang_peek(parser);
		int ok;

		if (token->kind == LANG_AT && !token->first)
			ok = space_parse(parser, tensor);
		else if (lang_clause_take(parser, &clauses, 0, "align"))
			ok = alignment_parse(parser, tensor);
		else if (lang_at_word(parser, "layout") || lang_at_word(parser, "mem"))
			ok = lang_layout_parse(parser, &tensor->layout);
		else
			return !clauses.again && (token->first || token->kind == LANG_END ||
						  lang_expected(parser, "@space, align, layout(...), mem(...) or the end of the line"));
		if (!ok)
			return false;
	}
}

void lang_tensor_parse(struct lang_parser *parser)
{
	struct lang_tensor *tensor = lang_decl_begin(parser, LANG_DECL_TENSOR, sizeof(*tensor), LANG_NAME, "the tensor's name such as %x");
	int ok;

	if (!tensor)
		return;
	tensor->role = PTOWSP_ROLE_INOUT; /* where it cannot be read, nothing else is said of it */
	ok = lang_expect(parser, ':', "and the type behind the name");
	tensor->type_at = lang_peek(parser)->at;
	ok = ok && lang_element_parse(parser, &tensor->dtype, "an element type such as f32") && shape_parse(parser, tensor) && role_parse(parser, tensor) &&
	     attributes_parse(parser, tensor);
	lang_decl_end(parser, &tensor->head, ok);
}

/* ---- axis %a = dense(16) | dense_dyn(%n / 64) | ragged(4, [33, 64, 128, 15]) | sparse(%indptr, %indices). ---- */

/* "[33, 64, 128]" */
static int values_parse(struct lang_parser *parser, struct lang_list_source *list)
{
	struct lang_scope scope = {.module = parser->module, .constant = 1};

	lang_take(parser);
	for (bool more = !lang_at_mark(parser, ']'); more; more = lang_comma_take(parser, ']')) {
		struct lang_scalar *scalar = lang_scalar_parse(parser, "a number");
		int64_t value;

		if (!scalar || !lang_scalar_check(&scope, scalar, "a list"))
			return 0;
		if (!lang_scalar_known(scalar, &value) || value < 0 || value > UINT32_MAX) {
			lang_error(parser->unit, scalar->all, "a list holds numbers from 0 to %u", UINT32_MAX);
			return 0;
		}
		*COMMON_PUSH(&parser->unit->arena, list->values, list->count, list->capacity) = value;
	}
	return lang_expect(parser, ']', "behind the numbers");
}

static int list_parse(struct lang_parser *parser, struct lang_list_source *list)
{
	const struct lang_token *token = lang_peek(parser);

	list->at = token->at;
	if (token->mark == '[')
		return values_parse(parser, list);
	if (token->kind != LANG_NAME)
		return lang_expected(parser, "a list such as [33, 64] or a tensor of integers");
	list->tensor = lang_take(parser)->text;
	return 1;
}

/* "(n)", "(low, high)", "(low, high, step)" */
static bool dense_parse(struct lang_parser *parser, struct lang_axis *axis)
{
	struct lang_scalar *values[3] = {NULL, NULL, NULL};
	uint32_t count = 0;

	do {
		if (count)
			lang_take(parser);
		values[count] = lang_scalar_parse(parser, "a bound such as 16 or %n");
		if (!values[count++])
			return false;
	} while (count < 3 && lang_at_more(parser));
	axis->high = values[count > 1];
	axis->low = count > 1 ? values[0] : NULL;
	axis->step = values[2];
	return true;
}

/* "(beginnings, indices)", or "(rows, %beginnings, %indices)" where not all rows of the tensors count. */
static bool sparse_parse(struct lang_parser *parser, struct lang_axis *axis)
{
	const struct lang_token *token = lang_peek(parser);

	if (token->mark != '[' && (token->kind != LANG_NAME || (token[1].mark == ',' && token[2].kind == LANG_NAME && token[3].mark == ','))) {
		axis->high = lang_scalar_parse(parser, "a list such as [0, 2], a tensor of integers, or how many rows there are");
		if (!axis->high || !lang_expect(parser, ',', "and the beginnings behind the number of rows"))
			return false;
	}
	return list_parse(parser, &axis->lengths) && lang_expect(parser, ',', "and the indices behind the beginnings of rows") &&
	       list_parse(parser, &axis->indices);
}

/* "(rows, lengths)" */
static bool rows_parse(struct lang_parser *parser, struct lang_axis *axis)
{
	if (axis->kind == PTOWSP_AXIS_SPARSE)
		return sparse_parse(parser, axis);
	axis->high = lang_scalar_parse(parser, "how many rows there are");
	return axis->high && lang_expect(parser, ',', "and the lengths behind the number of rows") && list_parse(parser, &axis->lengths);
}

bool lang_axis_read(struct lang_parser *parser, struct lang_axis *axis)
{
	uint32_t kind;
	int ok;

	axis->kind_at = lang_peek(parser)->at;
	if (!lang_words_take(parser, PKG_WORDS_axis_kind, &kind)) {
		lang_expected(parser, "dense, dense_dyn, ragged or sparse");
		lang_help(parser->unit, "numbers from 0 on are dense(%%n), in a loop also: parallel_for %%i in 0 to %%n { }");
		return false;
	}
	axis->kind = (uint8_t)kind;
	if (!lang_expect(parser, '(', "behind the kind of axis"))
		return false;
	ok = axis->kind == PTOWSP_AXIS_DENSE || axis->kind == PTOWSP_AXIS_DENSE_DYN ? dense_parse(parser, axis) : rows_parse(parser, axis);
	return ok && lang_expect(parser, ')', "at the end of the axis");
}

void lang_axis_parse(struct lang_parser *parser)
{
	struct lang_axis *axis = lang_decl_begin(parser, LANG_DECL_AXIS, sizeof(*axis), LANG_NAME, "the axis' name such as %tiles");

	if (axis)
		lang_decl_end(parser, &axis->head,
			      lang_expect(parser, '=', "and the axis behind the name") && lang_axis_read(parser, axis) &&
				      lang_levels_parse(parser, &axis->levels));
}
