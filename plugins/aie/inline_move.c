/* SPDX-License-Identifier: MIT */
/* inline_move.c - elements from one place of a tile to another, and in order. */
#include "inline_own.h"

#include "ptowsp/ids.h"

void aie_inline_make_move(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);

	(void)row;
	if (o.dst[0] != o.src[0]) {
		struct aie_value *from = aie_inline_flat(in, o.src[0]);

		aie_inline_copy(in, from, aie_inline_flat(in, o.dst[0]));
	}
}

void aie_inline_make_transpose(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	const struct ptowsp_tile_tile *tile = &in->tiles[o.dst[0]];
	const bool over = o.dst[0] == o.src[0];
	struct aie_value *to = over ? aie_inline_temp(in, o.dst[0], false) : aie_inline_grid(in, o.dst[0]), *value;
	struct aie_inline_loop rows = aie_inline_count(in, 0, tile->rows), columns = aie_inline_count(in, 0, tile->columns);

	(void)row;
	value = aie_inline_load(in, aie_inline_grid(in, o.src[0]), 2, (struct aie_value *const[]){columns.counter, rows.counter});
	aie_inline_store(in, value, to, 2, (struct aie_value *const[]){rows.counter, columns.counter});
	aie_inline_loop_end(in, &columns, 0, NULL, NULL);
	aie_inline_loop_end(in, &rows, 0, NULL, NULL);
	if (over)
		aie_inline_copy(in, to, aie_inline_grid(in, o.dst[0]));
}

static bool offset_fits(struct aie_inline_index offset, uint32_t part, uint32_t whole)
{
	return !offset.known || (offset.number >= 0 && offset.number <= (int64_t)whole - part);
}

void aie_inline_make_extract(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	const struct ptowsp_tile_tile *tile = &in->tiles[o.dst[0]], *from = &in->tiles[o.src[0]];
	const struct aie_inline_index r = aie_inline_scalar_index(in, o.src[1]), c = aie_inline_scalar_index(in, o.src[2]), offsets[2] = {r, c};
	const int64_t sizes[2] = {tile->rows, tile->columns};
	struct aie_value *part;

	(void)row;
	if (!offset_fits(r, tile->rows, from->rows) || !offset_fits(c, tile->columns, from->columns)) {
		aie_inline_refuse(in, inst, " outside of its tile");
	} else if (o.dst[0] != o.src[0]) { /* else it is all of it */
		part = aie_inline_part(in, aie_inline_grid(in, o.src[0]), offsets, sizes);
		aie_inline_copy(in, part, aie_inline_grid(in, o.dst[0]));
	}
}

/* ---- by indices --------------------------------------------------------------------------------------------------------- */

/* Element i of an index tile as a place. */
static struct aie_value *index_load(struct aie_inliner *in, uint32_t tile, struct aie_value *memref, uint32_t rank, struct aie_value *const *at)
{
	return aie_inline_unary(in, in->tiles[tile].dtype == PTOWSP_U32 ? "arith.index_castui" : "arith.index_cast", aie_inline_index_type(in), aie_inline_load(in, memref, rank, at));
}

/* A byte that no element begins at is a place that no tile has. */
static struct aie_value *element_of_byte(struct aie_inliner *in, struct aie_value *byte, uint32_t bytes)
{
	struct aie_value *size = aie_inline_value(in, aie_inline_number(bytes)), *none = aie_inline_value(in, aie_inline_number(0)), *minus = aie_inline_value(in, aie_inline_number(-1));
	struct aie_value *whole = aie_inline_compare(in, 0, aie_inline_binary(in, "arith.remsi", byte, size), none);

	return aie_inline_select(in, whole, aie_inline_binary(in, "arith.divsi", byte, size), minus);
}

void aie_inline_make_gather(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	const bool over = o.dst[0] == o.src[0] || o.dst[0] == o.src[1];
	const uint32_t bytes = isa_dtype_bytes(in->tiles[o.src[0]].dtype);
	struct aie_value *to = over ? aie_inline_temp(in, o.dst[0], true) : aie_inline_flat(in, o.dst[0]), *at;
	struct aie_inline_loop loop = aie_inline_count(in, 0, (int64_t)aie_inline_count_of(in, o.dst[0]));

	at = index_load(in, o.src[1], aie_inline_flat(in, o.src[1]), 1, &loop.counter);
	if (!*row->access && bytes > 1)
		at = element_of_byte(in, at, bytes);
	aie_inline_store(in, aie_inline_load(in, aie_inline_flat(in, o.src[0]), 1, &at), to, 1, &loop.counter);
	aie_inline_loop_end(in, &loop, 0, NULL, NULL);
	if (over)
		aie_inline_copy(in, to, aie_inline_flat(in, o.dst[0]));
}

/* Where the destination is a source, that is read from a copy. */
void aie_inline_make_scatter(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	const struct ptowsp_tile_tile *tile = &in->tiles[o.src[0]];
	struct aie_value *temp = o.dst[0] == o.src[0] || o.dst[0] == o.src[1] ? aie_inline_temp(in, o.dst[0], false) : NULL;
	struct aie_value *from = o.dst[0] == o.src[0] ? temp : aie_inline_grid(in, o.src[0]), *index = o.dst[0] == o.src[1] ? temp : aie_inline_grid(in, o.src[1]), *at[2], *to[2];
	struct aie_inline_loop rows, columns;
	struct aie_value *value;

	(void)row;
	if (temp)
		aie_inline_copy(in, aie_inline_grid(in, o.dst[0]), temp);
	rows = aie_inline_count(in, 0, tile->rows);
	columns = aie_inline_count(in, 0, tile->columns);
	at[0] = rows.counter;
	at[1] = to[1] = columns.counter;
	to[0] = index_load(in, o.src[1], index, 2, at);
	value = aie_inline_load(in, from, 2, at);
	aie_inline_store(in, value, aie_inline_grid(in, o.dst[0]), 2, to);
	aie_inline_loop_end(in, &columns, 0, NULL, NULL);
	aie_inline_loop_end(in, &rows, 0, NULL, NULL);
}
