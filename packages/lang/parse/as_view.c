/* SPDX-License-Identifier: MIT */
/* as_view.c - views of PTO-AS: memory with a shape and strides, parts of it, and moving tiles from and to parts. A part whose
 * elements lie one behind the other is a tload; any other one is gathered through a tile of element numbers. */
#include "lang/parse/as.h"

#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <string.h>

/* "[%c1, 16, %n]" into terms; 0 after an error. */
static int list_read(struct lang_as *as, struct lang_as_term *terms, uint32_t *count_out)
{
	*count_out = 0;
	if (!lang_expect(as->parser, '[', "and the list of values"))
		return 0;
	while (!lang_at_mark(as->parser, ']')) {
		if (*count_out == LANG_AS_RANK) {
			lang_error(as->parser->unit, lang_peek(as->parser)->at, "a view has up to %d dimensions", LANG_AS_RANK);
			return 0;
		}
		if (!lang_as_term(as, &terms[(*count_out)++]))
			return 0;
		if (!lang_at_mark(as->parser, ','))
			break;
		lang_take(as->parser);
	}
	return lang_expect(as->parser, ']', "at the end of the list");
}

/* ", word = [...]": two lists by name, in this order. */
static bool lists_read(struct lang_as *as, const char *const words[2], struct lang_as_term *const terms[2], uint32_t *count_out)
{
	uint32_t counts[2];

	for (int i = 0; i < 2; i++) {
		if (lang_at_mark(as->parser, ','))
			lang_take(as->parser);
		if (!lang_at_word(as->parser, words[i]))
			return lang_expected(as->parser, i ? words[1] : words[0]);
		lang_take(as->parser);
		if (!lang_expect(as->parser, '=', "behind the word") || !list_read(as, terms[i], &counts[i]))
			return false;
	}
	*count_out = counts[0];
	if (counts[0] == counts[1] && counts[0] > 0)
		return true;
	lang_error(as->parser->unit, as->at, "%s and %s have as many values as the view has dimensions, here are %u and %u", words[0], words[1], counts[0],
		   counts[1]);
	return false;
}

/* "{layout = #pto.layout<nd>}": the strides say it all. */
static bool attributes_skip(struct lang_as *as)
{
	int depth = 0;

	if (!lang_at_mark(as->parser, '{'))
		return true;
	do {
		if (lang_peek(as->parser)->kind == LANG_END)
			return lang_expected(as->parser, "\"}\" behind the attributes");
		depth += lang_at_mark(as->parser, '{') - lang_at_mark(as->parser, '}');
		lang_take(as->parser);
	} while (depth > 0);
	return true;
}

static bool one_result(struct lang_as *as, const struct lang_as_results *results, const char *word)
{
	if (results->count == 1)
		return true;
	lang_error(as->parser->unit, as->at, "%s gives 1 result, here are %u", word, results->count);
	return false;
}

int lang_as_view_make(struct lang_as *as, const struct lang_as_results *results)
{
	static const char *const words[2] = {"shape", "strides"};
	const struct lang_token *token = lang_peek(as->parser);
	struct lang_as_value *pointer = lang_as_operand(as);
	struct lang_as_view *view = common_alloc(&as->parser->unit->arena, sizeof(*view));

	if (!pointer || !one_result(as, results, "pto.make_tensor_view"))
		return 0;
	if (pointer->kind != LANG_AS_POINTER) {
		lang_error(as->parser->unit, token->at, "a view is made of a pointer, and %%%s is none", token->text);
		return 0;
	}
	if (!lists_read(as, words, (struct lang_as_term *const[2]){view->sizes, view->strides}, &view->rank) || !attributes_skip(as) ||
	    !lang_as_types_skip(as->parser))
		return 0;
	view->memref = pointer->text;
	view->dtype = pointer->type.dtype;
	lang_as_define(as, results->names[0], LANG_AS_VIEW)->view = view;
	return 1;
}

int lang_as_view_part(struct lang_as *as, const struct lang_as_results *results)
{
	static const char *const words[2] = {"offsets", "sizes"};
	const struct lang_token *token = lang_peek(as->parser);
	struct lang_as_value *whole = lang_as_operand(as);
	struct lang_as_view *view = common_alloc(&as->parser->unit->arena, sizeof(*view));
	struct lang_as_term offsets[LANG_AS_RANK];
	uint32_t rank;

	if (!whole || !one_result(as, results, "a part of a view"))
		return 0;
	if (whole->kind != LANG_AS_VIEW) {
		lang_error(as->parser->unit, token->at, "%%%s is no view", token->text);
		lang_help(as->parser->unit, "make one of the pointer: pto.make_tensor_view");
		return 0;
	}
	*view = *whole->view;
	if (!lists_read(as, words, (struct lang_as_term *const[2]){offsets, view->sizes}, &rank) || !attributes_skip(as) || !lang_as_types_skip(as->parser))
		return 0;
	if (rank != view->rank) {
		lang_error(as->parser->unit, as->at, "%%%s has %u dimensions, the part has %u", token->text, view->rank, rank);
		return 0;
	}
	for (uint32_t i = 0; i < rank; i++)
		view->base = lang_as_calc(as, PTOWSP_PTO_ADD, view->base, lang_as_calc(as, PTOWSP_PTO_MUL, offsets[i], view->strides[i]));
	lang_as_define(as, results->names[0], LANG_AS_VIEW)->view = view;
	return 1;
}

/* The last two dimensions are the tile's; the others have one element. */
struct place {
	const struct lang_as_view *view;
	uint32_t rows, columns;
	struct lang_as_term row, column; /* strides */
};

static int place_find(struct lang_as *as, const struct lang_as_value *view, const struct lang_as_value *tile, struct place *place_out)
{
	const struct lang_as_view *v = view->view;
	const struct lang_as_term one = {NULL, 1};
	int64_t sizes[2] = {1, 1};

	for (uint32_t i = 0; i < v->rank; i++) {
		const struct lang_as_term size = v->sizes[i];

		if (size.var || (i + 2 < v->rank && size.number != 1)) {
			lang_error(as->parser->unit, as->at, "a tile moves from and to parts of 1 x ... x rows x columns, in numbers; size %u of %%%s is %s", i,
				   view->name, size.var ? "no number" : "not 1");
			lang_help(as->parser->unit, "take a part of the tile's size: pto.subview %%v, offsets = [...], sizes = [1, 1, 1, 16, 128]");
			return 0;
		}
		if (i + 2 >= v->rank)
			sizes[i + 2 - v->rank] = size.number;
	}
	*place_out = (struct place){.view = v, .rows = tile->type.rows, .columns = tile->type.columns};
	place_out->row = v->rank > 1 ? v->strides[v->rank - 2] : one;
	place_out->column = v->strides[v->rank - 1];
	if (sizes[0] == tile->type.rows && sizes[1] == tile->type.columns)
		return 1;
	lang_error(as->parser->unit, as->at, "%%%s is %lldx%lld, the tile %%%s is %ux%u", view->name, (long long)sizes[0], (long long)sizes[1], tile->name,
		   tile->type.rows, tile->type.columns);
	return 0;
}

static int is(struct lang_as_term term, uint64_t number)
{
	return !term.var && term.number == (int64_t)number;
}

/* One behind the other, as a tload reads them. */
static bool is_packed(const struct place *p)
{
	return (p->rows == 1 || is(p->row, p->columns)) && (p->columns == 1 || is(p->column, 1));
}

static void tile3(struct lang_as *as, unsigned op, const char *d, const char *a, struct lang_as_term s)
{
	const struct lang_operand operands[3] = {lang_as_of_name(as, d), lang_as_of_name(as, a), lang_as_of_term(as, s)};

	lang_as_emit(as, op, operands, 3);
}

/* walk[i, j] = i * row + j * column: from n = i * columns + j in four or five steps. */
static void walk_emit(struct lang_as *as, const struct place *p, const char *walk, const char *part)
{
	const struct lang_as_term columns = {NULL, p->columns};
	const struct lang_operand count[2] = {lang_as_of_name(as, walk), lang_as_of_term(as, (struct lang_as_term){NULL, 0})};
	const struct lang_operand sum[3] = {lang_as_of_name(as, walk), lang_as_of_name(as, walk), lang_as_of_name(as, part)};

	lang_as_emit(as, PTOWSP_PTO_TCI, count, 2);
	tile3(as, PTOWSP_PTO_TDIVS, part, walk, columns);
	tile3(as, PTOWSP_PTO_TMULS, part, part, p->row);
	tile3(as, PTOWSP_PTO_TREMS, walk, walk, columns);
	if (!is(p->column, 1))
		tile3(as, PTOWSP_PTO_TMULS, walk, walk, p->column);
	lang_as_emit(as, PTOWSP_PTO_TADD, sum, 3);
}

/* A tile of element numbers that many places may share, by name. */
static const char *shared_tile(struct lang_as *as, const char *name, const struct place *p, int *fresh_out)
{
	const struct lang_type type = {.dtype = PTOWSP_U32, .space = PTOWSP_SPACE_UB, .rows = p->rows, .columns = p->columns};
	const char *tile = lang_map_find(&as->walks, name);

	*fresh_out = !tile;
	if (!tile) {
		tile = lang_as_var(as, LANG_TILE, name, type, as->at);
		lang_map_add(&as->walks, &as->parser->unit->arena, name, (void *)(uintptr_t)tile);
	}
	return tile;
}

/* The element numbers of a place without its base. With strides that are numbers they are made once, before everything. */
static const char *walk_of(struct lang_as *as, const struct place *p)
{
	struct common_arena *arena = &as->parser->unit->arena;
	const int constant = !p->row.var && !p->column.var;
	const char *name = constant ? common_format(arena, "walk.%ux%u.%lld.%lld", p->rows, p->columns, (long long)p->row.number, (long long)p->column.number)
				    : common_format(arena, "walk.%ux%u", p->rows, p->columns);
	struct lang_block *here = as->block;
	int fresh, part_fresh;
	const char *walk = shared_tile(as, name, p, &fresh);
	const char *part = shared_tile(as, common_format(arena, "part.%ux%u", p->rows, p->columns), p, &part_fresh);

	if (constant)
		as->block = &as->prologue;
	if (fresh || !constant)
		walk_emit(as, p, walk, part);
	as->block = here;
	return walk;
}

/* The element numbers of a place. */
static const char *numbers_of(struct lang_as *as, const struct place *p)
{
	const char *walk = walk_of(as, p), *numbers;
	int fresh;

	if (is(p->view->base, 0))
		return walk;
	numbers = shared_tile(as, common_format(&as->parser->unit->arena, "part.%ux%u", p->rows, p->columns), p, &fresh);
	tile3(as, PTOWSP_PTO_TADDS, numbers, walk, p->view->base);
	return numbers;
}

static bool dtype_check(struct lang_as *as, const struct lang_as_value *view, const struct lang_as_value *tile)
{
	if (view->view->dtype == tile->type.dtype)
		return true;
	lang_error(as->parser->unit, as->at, "%%%s holds %s, the tile %%%s holds %s", view->name, common_dtype_text(view->view->dtype), tile->name,
		   common_dtype_text(tile->type.dtype));
	lang_help(as->parser->unit, "load a tile of %s and convert it: pto.tcvt", common_dtype_text(view->view->dtype));
	return false;
}

/* Between a tile and a part of memory: one operation where its elements lie one behind the other, else another one that is given their numbers. */
static void move_emit(struct lang_as *as, const struct place *p, const char *tile, unsigned packed, unsigned scattered)
{
	struct lang_operand operands[4] = {lang_as_of_name(as, tile), lang_as_of_name(as, p->view->memref)};

	if (is_packed(p)) {
		operands[2] = lang_as_of_term(as, (struct lang_as_term){NULL, 0});
		operands[3] = lang_as_of_term(as, p->view->base);
		lang_as_emit(as, packed, operands, 4);
	} else {
		operands[2] = lang_as_of_name(as, numbers_of(as, p));
		lang_as_emit(as, scattered, operands, 3);
	}
}

bool lang_as_load(struct lang_as *as, const struct lang_as_value *view, const struct lang_as_value *tile)
{
	struct place p;

	if (!place_find(as, view, tile, &p) || !dtype_check(as, view, tile))
		return false;
	move_emit(as, &p, tile->text, PTOWSP_PTO_TLOAD, PTOWSP_PTO_MGATHER);
	return true;
}

/* The conversion that a store makes on its way: an accumulator of f32 into memory of f16. */
static const char *converted(struct lang_as *as, const struct lang_as_value *tile, uint16_t dtype)
{
	struct lang_type type = tile->type;
	struct lang_operand operands[2];

	if (tile->type.dtype == dtype)
		return tile->text;
	type.dtype = dtype;
	operands[0] = lang_as_of_name(as, lang_as_var(as, LANG_TILE, "stored", type, as->at));
	operands[1] = lang_as_of_name(as, tile->text);
	lang_as_emit(as, PTOWSP_PTO_TCVT, operands, 2);
	return operands[0].text;
}

bool lang_as_store(struct lang_as *as, const struct lang_as_value *tile, const struct lang_as_value *view)
{
	struct place p;

	if (!place_find(as, view, tile, &p))
		return false;
	move_emit(as, &p, converted(as, tile, p.view->dtype), PTOWSP_PTO_TSTORE, PTOWSP_PTO_MSCATTER);
	return true;
}
