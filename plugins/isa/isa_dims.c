/* SPDX-License-Identifier: MIT */
#include "isa/isa_dims.h"

#include "isa/isa_program.h"
#include <stdlib.h>

/* Tiles of an instruction in operand order, results first. */
struct tiles {
	uint16_t all[ISA_OPERANDS_MAX];
	unsigned count, results;
};

static struct tiles tiles_of(const struct ptowsp_tile_inst *inst)
{
	const struct isa_op *op = isa_op(inst->op);
	uint16_t rows[ISA_OPERANDS_MAX];
	const unsigned count = isa_op_operands(op, inst, rows);
	struct tiles tiles = {.count = 0};

	for (unsigned k = 0; k < count; k++)
		if (op->operands[k] == 'T' || op->operands[k] == 't') {
			tiles.results += op->operands[k] == 'T';
			tiles.all[tiles.count++] = rows[k];
		}
	return tiles;
}

uint32_t isa_dims_of(const struct isa_dims *dims, uint32_t tile, bool columns)
{
	uint32_t at = 2 * tile + columns;

	while (dims->up[at] != at)
		at = dims->up[at] = dims->up[dims->up[at]];
	return at;
}

uint32_t isa_dims_extent(const struct isa_program *straight, uint32_t dim)
{
	return dim % 2 ? straight->tiles[dim / 2].columns : straight->tiles[dim / 2].rows;
}

/* ---- rules ------------------------------------------------------------------------------------------------------------------ */

enum { ROWS, COLUMNS };

static void same(struct isa_dims *dims, uint32_t a, bool a_columns, uint32_t b, bool b_columns)
{
	const uint32_t x = isa_dims_of(dims, a, a_columns), y = isa_dims_of(dims, b, b_columns);

	dims->up[y] = x;
	dims->whole[x] |= dims->whole[y];
}

static void whole(struct isa_dims *dims, uint32_t tile, bool columns)
{
	dims->whole[isa_dims_of(dims, tile, columns)] = true;
}

static void both(struct isa_dims *dims, uint32_t a, uint32_t b)
{
	same(dims, a, ROWS, b, ROWS);
	same(dims, a, COLUMNS, b, COLUMNS);
}

/* d MxN of a MxK and b KxN: each element takes a row and a column. */
static void product(struct isa_dims *dims, const struct tiles *t, unsigned shape)
{
	unsigned left, right;
	uint32_t a, b;

	isa_shape_factors(shape, &left, &right);
	a = t->all[t->results + left];
	b = t->all[t->results + right];
	same(dims, t->all[0], ROWS, a, ROWS);
	same(dims, t->all[0], COLUMNS, b, COLUMNS);
	whole(dims, a, COLUMNS);
	whole(dims, b, ROWS);
	if (shape == ISA_SHAPE_MATMUL_ACC)
		both(dims, t->all[0], t->all[1]);
	if (shape == ISA_SHAPE_MATMUL_BIAS)
		same(dims, t->all[0], COLUMNS, t->all[3], COLUMNS);
	if (shape != ISA_SHAPE_MATMUL_MX)
		return;
	same(dims, t->all[0], ROWS, t->all[2], ROWS);
	same(dims, t->all[0], COLUMNS, t->all[4], COLUMNS);
	whole(dims, t->all[2], COLUMNS);
	whole(dims, t->all[4], ROWS);
}

/* All elements of all operands, or nobody knows which. */
static void mixed(struct isa_dims *dims, const struct tiles *t)
{
	for (unsigned k = 0; k < t->count; k++) {
		whole(dims, t->all[k], ROWS);
		whole(dims, t->all[k], COLUMNS);
	}
}

static void inst_look(struct isa_dims *dims, const struct ptowsp_tile_inst *inst)
{
	const unsigned shape = isa_op(inst->op)->shape;
	const struct tiles t = tiles_of(inst);

	switch (inst->op == PTOWSP_PTO_TCI ? ISA_SHAPE_RESHAPE : shape) { /* it counts through all of them */
	case ISA_SHAPE_LOAD:
	case ISA_SHAPE_FILL: break;
	case ISA_SHAPE_STORE: /* a scale row beside the tile */
	case ISA_SHAPE_SAME_ANY:
		if (t.results)
			both(dims, t.all[0], t.all[1]);
		if (t.count > t.results + 1)
			same(dims, t.all[0], COLUMNS, t.all[t.count - 1], COLUMNS);
		break;
	case ISA_SHAPE_SAME:
	case ISA_SHAPE_SAME_MASK:
	case ISA_SHAPE_SELECT:
		for (unsigned k = 1; k < t.count; k++)
			both(dims, t.all[0], t.all[k]);
		break;
	case ISA_SHAPE_MATMUL:
	case ISA_SHAPE_MATMUL_ACC:
	case ISA_SHAPE_MATMUL_BIAS:
	case ISA_SHAPE_MATMUL_MX: product(dims, &t, shape); break;
	case ISA_SHAPE_ROW_REDUCE: whole(dims, t.all[1], COLUMNS); /* fall through */
	case ISA_SHAPE_ROW_EXPAND: same(dims, t.all[0], ROWS, t.all[1], ROWS); break;
	case ISA_SHAPE_COL_REDUCE: whole(dims, t.all[1], ROWS); /* fall through */
	case ISA_SHAPE_COL_EXPAND: same(dims, t.all[0], COLUMNS, t.all[1], COLUMNS); break;
	case ISA_SHAPE_ROW_COMBINE:
		both(dims, t.all[0], t.all[1]);
		same(dims, t.all[0], ROWS, t.all[2], ROWS);
		break;
	case ISA_SHAPE_TRANSPOSE:
		same(dims, t.all[0], ROWS, t.all[1], COLUMNS);
		same(dims, t.all[0], COLUMNS, t.all[1], ROWS);
		break;
	default: mixed(dims, &t); break;
	}
}

/* ---- all -------------------------------------------------------------------------------------------------------------------- */

static bool stored_has(const struct isa_dims *dims, const struct isa_program *p, uint32_t dim)
{
	for (uint32_t i = 0; i < p->header.inst_count; i++) {
		const struct ptowsp_tile_inst *inst = &p->insts[i];

		if (isa_op(inst->op)->shape == ISA_SHAPE_STORE && isa_dims_of(dims, inst->a, ROWS) != dim && isa_dims_of(dims, inst->a, COLUMNS) != dim)
			return false;
	}
	return true;
}

/* Half of the rows of a tile that are its columns, too, are a quarter of it. */
static void squares_find(struct isa_dims *dims, const struct isa_program *p)
{
	for (uint32_t t = 0; t < p->header.tile_count; t++)
		if (isa_dims_of(dims, t, ROWS) == isa_dims_of(dims, t, COLUMNS))
			whole(dims, t, ROWS);
}

static void cuts_find(struct isa_dims *dims, const struct isa_program *p)
{
	for (uint32_t d = 0; d < 2 * p->header.tile_count; d++)
		if (dims->up[d] == d && !dims->whole[d] && isa_dims_extent(p, d) > 1 && stored_has(dims, p, d))
			dims->cuts[dims->cut_count++] = d;
}

ptowsp_status isa_dims_find(struct isa_dims *dims, const struct isa_program *straight, struct ptowsp_error *error)
{
	const size_t count = 2 * (size_t)straight->header.tile_count;

	dims->up = calloc(count + 1, sizeof(*dims->up));
	dims->whole = calloc(count + 1, sizeof(*dims->whole));
	dims->cuts = calloc(count + 1, sizeof(*dims->cuts));
	if (!dims->up || !dims->whole || !dims->cuts) {
		isa_dims_finish(dims);
		return isa_error(error, PTOWSP_NO_MEMORY, "no memory for a tile program");
	}
	for (uint32_t d = 0; d < count; d++)
		dims->up[d] = d;
	for (uint32_t i = 0; i < straight->header.inst_count; i++)
		inst_look(dims, &straight->insts[i]);
	squares_find(dims, straight);
	cuts_find(dims, straight);
	return PTOWSP_OK;
}

void isa_dims_finish(struct isa_dims *dims)
{
	free(dims->up);
	free(dims->whole);
	free(dims->cuts);
	*dims = (struct isa_dims){.up = NULL};
}
