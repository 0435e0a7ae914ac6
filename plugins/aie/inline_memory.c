/* SPDX-License-Identifier: MIT */
/* inline_memory.c - between tiles and the kernel's windows, which lie in its arguments as ptowsp.before and ptowsp.window have it. */
#include "inline_own.h"

#include <stdio.h>
#include "ptowsp/ids.h"

/* Where a tile lies, or elements: `rows` rows of `columns` of the window, `step` elements apart in an argument of one dimension. */
struct place {
	struct aie_value *memref;
	uint32_t rank;                       /* of the argument */
	struct aie_inline_index row, column; /* rank 2: its first element; rank 1: column alone */
	int64_t rows, columns, step;
};

static bool is_flat(const struct aie_view *view)
{
	return view->rows == 1;
}

/* As the interpreter has it; what only shows when the body runs, the argument's own bounds tell. */
static bool is_inside(struct aie_inline_index first, uint64_t count, uint64_t limit)
{
	return !first.known || (first.number >= 0 && count <= limit && (uint64_t)first.number <= limit - count);
}

/* And in the argument, whose ends may be left out or stand out. */
static bool is_there(const struct place *place)
{
	const struct aie_type *type = place->memref->type;
	const int64_t span = place->rank == 2 ? place->columns : (place->rows - 1) * place->step + place->columns;

	return (!place->column.known || (place->column.number >= 0 && place->column.number + span <= type->dims[place->rank - 1])) && span <= type->dims[place->rank - 1] &&
	       (place->rank == 1 || (place->rows <= type->dims[0] && (!place->row.known || place->row.number + place->rows <= type->dims[0])));
}

/* A tile at [r, c] (pto_ops.def, tload). */
static bool tile_find(struct aie_inliner *in, uint32_t inst, uint32_t param, uint32_t tile, struct aie_inline_index r, struct aie_inline_index c, struct place *place_out)
{
	const struct aie_view *view = &in->args->views[param];
	const uint64_t rows = in->tiles[tile].rows, columns = in->tiles[tile].columns, count = rows * columns;
	struct place p = {.memref = in->args->memrefs[param], .rank = in->args->memrefs[param]->type->rank, .rows = 1, .columns = (int64_t)count, .step = (int64_t)count};
	bool inside;

	if (is_flat(view)) {
		p.column = aie_inline_add(in, aie_inline_times(in, r, (int64_t)count), c);
		inside = is_inside(p.column, count, view->columns) && p.rank == 1;
	} else {
		p.row = aie_inline_times(in, r, (int64_t)rows);
		inside = is_inside(p.row, rows, view->rows) && is_inside(c, columns, view->columns);
		p.column = p.rank == 2 ? c : aie_inline_add(in, aie_inline_times(in, p.row, (int64_t)view->stride), c);
		p.rows = (int64_t)rows;
		p.columns = (int64_t)columns;
		p.step = (int64_t)view->stride;
	}
	if (p.rank == 2)
		p.row = aie_inline_add(in, p.row, aie_inline_number(-view->before / (int64_t)view->stride));
	p.column = aie_inline_add(in, p.column, aie_inline_number(p.rank == 2 ? -view->before % (int64_t)view->stride : -view->before));
	*place_out = p;
	if (inside && is_there(&p))
		return true;
	aie_inline_refuse(in, inst, " outside of its window");
	return false;
}

/* ---- tiles -------------------------------------------------------------------------------------------------------------- */

static void move(struct aie_inliner *in, struct aie_value *place, struct aie_value *tile, bool load)
{
	aie_inline_copy(in, load ? place : tile, load ? tile : place);
}

/* A row after the other, where rows are no dimension of the argument. */
static void rows_move(struct aie_inliner *in, const struct place *p, uint32_t tile, bool load)
{
	struct aie_inline_loop loop = aie_inline_count(in, 0, p->rows);
	const struct aie_inline_index row = aie_inline_of(loop.counter), at = aie_inline_add(in, aie_inline_times(in, row, p->step), p->column);
	const struct aie_inline_index of_tile = aie_inline_times(in, row, p->columns);
	struct aie_value *place = aie_inline_part(in, p->memref, &at, &p->columns);

	move(in, place, aie_inline_part(in, aie_inline_flat(in, tile), &of_tile, &p->columns), load);
	aie_inline_loop_end(in, &loop, 0, NULL, NULL);
}

static void tile_move(struct aie_inliner *in, const struct place *p, uint32_t tile, bool load)
{
	const int64_t sizes[2] = {p->rows, p->columns}, count = p->rows * p->columns;
	const struct aie_inline_index offsets[2] = {p->row, p->column};
	const bool dense = p->rows == 1 || p->step == p->columns;
	struct aie_value *place;

	if (p->rank == 1 && !dense) {
		rows_move(in, p, tile, load);
		return;
	}
	place = p->rank == 2 ? aie_inline_part(in, p->memref, offsets, sizes) : aie_inline_part(in, p->memref, &p->column, &count);
	move(in, place, p->rank == 2 ? aie_inline_grid(in, tile) : aie_inline_flat(in, tile), load);
}

static void load_or_store(struct aie_inliner *in, uint32_t inst, bool load)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	const uint16_t tile = load ? o.dst[0] : o.src[0], param = load ? o.src[0] : o.dst[0];
	const struct aie_inline_index r = aie_inline_scalar_index(in, o.src[1]), c = aie_inline_scalar_index(in, o.src[2]);
	struct place place;

	if (tile_find(in, inst, param, tile, r, c, &place))
		tile_move(in, &place, tile, load);
}

void aie_inline_make_load(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	(void)row;
	load_or_store(in, inst, true);
}

void aie_inline_make_store(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	(void)row;
	load_or_store(in, inst, false);
}

/* Element [i, j] of a place. */
static void element_store(struct aie_inliner *in, const struct place *p, struct aie_value *i, struct aie_value *j, int64_t width, struct aie_value *value)
{
	const int64_t step = p->rows == 1 ? width : p->step; /* a flat window has the tile's rows one after the other */
	struct aie_inline_index row = p->rank == 2 ? aie_inline_add(in, p->row, aie_inline_of(i)) : aie_inline_times(in, aie_inline_of(i), step), column = aie_inline_add(in, p->column, aie_inline_of(j));
	struct aie_value *at[2];

	at[0] = aie_inline_value(in, p->rank == 2 ? row : aie_inline_add(in, row, column));
	at[1] = aie_inline_value(in, column);
	aie_inline_store(in, value, p->memref, p->rank, at);
}

void aie_inline_make_store_scaled(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	const struct ptowsp_tile_tile *tile = &in->tiles[o.src[0]];
	const struct aie_inline_index r = aie_inline_scalar_index(in, o.src[2]), c = aie_inline_scalar_index(in, o.src[3]);
	struct aie_inline_element element = {.key = o.key, .result = o.key, .dtypes = {o.key, o.key}};
	struct aie_inline_loop rows, columns;
	struct aie_value *value;
	struct place place;

	if (!tile_find(in, inst, o.dst[0], o.src[0], r, c, &place))
		return;
	rows = aie_inline_count(in, 0, tile->rows);
	columns = aie_inline_count(in, 0, tile->columns);
	element.stored[0] = aie_inline_load(in, aie_inline_grid(in, o.src[0]), 2, (struct aie_value *const[]){rows.counter, columns.counter});
	element.stored[1] = aie_inline_load(in, aie_inline_flat(in, o.src[1]), 1, &columns.counter);
	value = aie_inline_narrow(in, aie_inline_expression(in, &element, aie_inline_text(row, o.key)), o.key);
	element_store(in, &place, rows.counter, columns.counter, tile->columns, value);
	aie_inline_loop_end(in, &columns, 0, NULL, NULL);
	aie_inline_loop_end(in, &rows, 0, NULL, NULL);
}

/* ---- single elements of a window ---------------------------------------------------------------------------------------- */

/* Element n of it, counted row by row. */
static uint32_t element_find(struct aie_inliner *in, uint32_t param, struct aie_inline_index n, struct aie_value *at_out[2])
{
	const struct aie_view *view = &in->args->views[param];
	const int64_t stride = (int64_t)view->stride, first = -view->before;
	const uint32_t rank = in->args->memrefs[param]->type->rank;
	struct aie_value *number = aie_inline_value(in, n), *width = aie_inline_value(in, aie_inline_number((int64_t)view->columns));
	struct aie_inline_index row, column;

	if (is_flat(view)) {
		at_out[0] = aie_inline_value(in, aie_inline_add(in, n, aie_inline_number(first)));
		return 1;
	}
	row = aie_inline_of(aie_inline_binary(in, "arith.divui", number, width));
	column = aie_inline_add(in, aie_inline_of(aie_inline_binary(in, "arith.remui", number, width)), aie_inline_number(rank == 2 ? first % stride : first));
	row = rank == 2 ? aie_inline_add(in, row, aie_inline_number(first / stride)) : aie_inline_add(in, aie_inline_times(in, row, stride), column);
	at_out[0] = aie_inline_value(in, row);
	at_out[1] = aie_inline_value(in, column);
	return rank;
}

/* Element number i of an index tile as a place. */
static struct aie_inline_index index_of(struct aie_inliner *in, uint32_t tile, struct aie_value *i)
{
	struct aie_value *stored = aie_inline_load(in, aie_inline_flat(in, tile), 1, &i);
	const char *name = in->tiles[tile].dtype == PTOWSP_U32 ? "arith.index_castui" : "arith.index_cast";

	return aie_inline_of(aie_inline_unary(in, name, aie_inline_index_type(in), stored));
}

void aie_inline_make_memory_gather(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	struct aie_inline_loop loop = aie_inline_count(in, 0, (int64_t)aie_inline_count_of(in, o.dst[0]));
	struct aie_value *at[2], *value;
	const uint32_t rank = element_find(in, o.src[0], index_of(in, o.src[1], loop.counter), at);

	(void)row;
	value = aie_inline_load(in, in->args->memrefs[o.src[0]], rank, at);
	aie_inline_store(in, value, aie_inline_flat(in, o.dst[0]), 1, &loop.counter);
	aie_inline_loop_end(in, &loop, 0, NULL, NULL);
}

void aie_inline_make_memory_scatter(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	struct aie_inline_loop loop = aie_inline_count(in, 0, (int64_t)aie_inline_count_of(in, o.src[0]));
	struct aie_value *at[2], *value = aie_inline_load(in, aie_inline_flat(in, o.src[0]), 1, &loop.counter);
	const uint32_t rank = element_find(in, o.dst[0], index_of(in, o.src[1], loop.counter), at);

	(void)row;
	aie_inline_store(in, value, in->args->memrefs[o.dst[0]], rank, at);
	aie_inline_loop_end(in, &loop, 0, NULL, NULL);
}

/* Known places outside are for the interpreter to tell. */
static bool element_is_there(struct aie_inliner *in, uint32_t inst, struct aie_inline_index n, uint64_t limit)
{
	if (is_inside(n, 1, limit))
		return true;
	aie_inline_refuse(in, inst, " outside of its window");
	return false;
}

static uint64_t window_count(const struct aie_inliner *in, uint32_t param)
{
	return in->args->views[param].rows * in->args->views[param].columns;
}

void aie_inline_make_scalar_load(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	const struct aie_inline_index n = aie_inline_scalar_index(in, o.src[1]);
	struct aie_value *at[2];
	uint32_t rank;

	(void)row;
	if (!element_is_there(in, inst, n, window_count(in, o.src[0])))
		return;
	rank = element_find(in, o.src[0], n, at);
	aie_inline_scalar_set(in, o.dst[0], aie_inline_scalar_of(in, aie_inline_load(in, in->args->memrefs[o.src[0]], rank, at), o.key, in->rows[o.dst[0]].dtype));
}

void aie_inline_make_scalar_store(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	const struct aie_inline_index n = aie_inline_scalar_index(in, o.src[1]);
	struct aie_value *at[2];
	uint32_t rank;

	(void)row;
	if (!element_is_there(in, inst, n, window_count(in, o.dst[0])))
		return;
	rank = element_find(in, o.dst[0], n, at);
	aie_inline_store(in, aie_inline_scalar_stored(in, o.src[0], o.key), in->args->memrefs[o.dst[0]], rank, at);
}

/* ---- single elements of a tile ------------------------------------------------------------------------------------------ */

void aie_inline_make_element_get(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	const struct aie_inline_index n = aie_inline_scalar_index(in, o.src[1]);
	struct aie_value *at;

	(void)row;
	if (!element_is_there(in, inst, n, aie_inline_count_of(in, o.src[0])))
		return;
	at = aie_inline_value(in, n);
	aie_inline_scalar_set(in, o.dst[0], aie_inline_scalar_of(in, aie_inline_load(in, aie_inline_flat(in, o.src[0]), 1, &at), o.key, in->rows[o.dst[0]].dtype));
}

void aie_inline_make_element_set(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	const struct aie_inline_index n = aie_inline_scalar_index(in, o.src[0]);
	struct aie_value *at, *value;

	(void)row;
	if (!element_is_there(in, inst, n, aie_inline_count_of(in, o.dst[0])))
		return;
	at = aie_inline_value(in, n);
	value = aie_inline_scalar_stored(in, o.src[1], o.key);
	aie_inline_store(in, value, aie_inline_flat(in, o.dst[0]), 1, &at);
}
