/* SPDX-License-Identifier: MIT */
#include "isa/isa_part.h"

#include "isa/isa_tables.h"
#include "isa/rows.h"
#include "isa/tile_window.h"
#include <stdlib.h>
#include <string.h>

/* ---- slices ----------------------------------------------------------------------------------------------------------------- */

struct range {
	uint32_t from, count;
};

static struct range range_of(const struct isa_part *part, uint32_t tile, bool columns)
{
	const struct ptowsp_tile_tile *t = &part->straight->tiles[tile];
	const uint32_t dim = isa_dims_of(part->dims, tile, columns);

	for (uint32_t c = 0; c < part->cut_count; c++)
		if (part->cuts[c].dim == dim)
			return (struct range){part->cuts[c].from, part->cuts[c].count};
	return (struct range){0, columns ? t->columns : t->rows};
}

/* An access of the whole: its tile, parameter and offsets. */
struct access {
	uint32_t tile, param;
	int64_t r, c;
	bool writes;
};

/* False: the instruction is none. Offsets are its last two operands, and constants. */
static bool access_of(const struct isa_program *p, const struct ptowsp_tile_inst *inst, struct access *access_out)
{
	const struct isa_op *op = isa_op(inst->op);
	const bool load = op->shape == ISA_SHAPE_LOAD;
	uint16_t rows[ISA_OPERANDS_MAX];
	const unsigned count = isa_op_operands(op, inst, rows);

	if (!load && op->shape != ISA_SHAPE_STORE)
		return false;
	*access_out = (struct access){load ? inst->d : inst->a, load ? inst->a : inst->d, (int64_t)p->scalars[rows[count - 2]].value,
				      (int64_t)p->scalars[rows[count - 1]].value, !load};
	return true;
}

static ptowsp_status outside(const struct isa_program *p, uint32_t param, struct ptowsp_error *error)
{
	return isa_error(error, PTOWSP_UNSUPPORTED, "touches elements outside of its window %%%.64s", p->param_names[param]);
}

static ptowsp_status slice_of(const struct isa_part *part, const struct access *access, struct isa_slice *slice_out, struct ptowsp_error *error)
{
	const struct ptowsp_tile_tile *tile = &part->straight->tiles[access->tile];
	const struct isa_grid *grid = &part->grids[access->param];
	const struct ptowsp_tensor_arg window = {.rows = grid->rows, .columns = grid->columns, .row_stride = grid->stride, .column_stride = 1};
	const struct range rows = range_of(part, access->tile, false), columns = range_of(part, access->tile, true);
	const bool flat = tile_window_is_flat(&window);
	const uint64_t elements = (uint64_t)tile->rows * tile->columns;
	const int64_t start = flat ? tile_flat_start(access->r, access->c, elements) : tile_flat_start(access->r, 0, tile->rows);
	const uint64_t stride = flat ? tile->columns : grid->stride;

	if (flat ? !tile_flat_holds(&window, start, elements) : !tile_grid_holds(&window, start, access->c, tile->rows, tile->columns))
		return outside(part->straight, access->param, error);
	*slice_out = (struct isa_slice){.param = access->param,
					.at = (flat ? (uint64_t)start : (uint64_t)start * stride + (uint64_t)access->c) + rows.from * stride + columns.from,
					.grid = {rows.count, columns.count, stride},
					.reads = !access->writes,
					.writes = access->writes};
	if (flat && columns.count == tile->columns)
		slice_out->grid = (struct isa_grid){1, (uint64_t)rows.count * columns.count, (uint64_t)rows.count * columns.count};
	return PTOWSP_OK;
}

static bool slice_is(const struct isa_slice *a, const struct isa_slice *b)
{
	return a->param == b->param && a->at == b->at && a->grid.rows == b->grid.rows && a->grid.columns == b->grid.columns && a->grid.stride == b->grid.stride;
}

/* The slice's number, or that of its equal. */
static uint32_t slice_add(struct isa_slice *slices, uint32_t *count, const struct isa_slice *slice)
{
	for (uint32_t s = 0; s < *count; s++)
		if (slice_is(&slices[s], slice)) {
			slices[s].reads |= slice->reads;
			slices[s].writes |= slice->writes;
			return s;
		}
	slices[*count] = *slice;
	return (*count)++;
}

/* numbers_out: per instruction, its slice; NULL: nobody asks. */
static ptowsp_status slices_find(const struct isa_part *part, struct isa_slice *slices, uint32_t *count, uint32_t *numbers_out, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	*count = 0;
	for (uint32_t i = 0; !status && i < part->straight->header.inst_count; i++) {
		struct access access;
		struct isa_slice slice;
		uint32_t number;

		if (!access_of(part->straight, &part->straight->insts[i], &access))
			continue;
		status = slice_of(part, &access, &slice, error);
		if (status)
			break;
		number = slice_add(slices, count, &slice);
		if (numbers_out)
			numbers_out[i] = number;
	}
	return status;
}

ptowsp_status isa_part_slices(const struct isa_part *part, struct isa_slice *slices_out, uint32_t *count_out, struct ptowsp_error *error)
{
	return slices_find(part, slices_out, count_out, NULL, error);
}

/* ---- the program ------------------------------------------------------------------------------------------------------------ */

/* Each access at the beginning of its own window. */
static void access_move(struct ptowsp_tile_inst *inst, uint32_t slice, uint16_t zero)
{
	const bool load = isa_op(inst->op)->shape == ISA_SHAPE_LOAD;
	const bool scaled = inst->op == PTOWSP_PTO_TSTORE_FP;

	*(load ? &inst->a : &inst->d) = (uint16_t)slice;
	*(scaled ? &inst->c : &inst->b) = zero;
	*(scaled ? &inst->f : &inst->c) = zero;
}

static void params_make(struct isa_tables *tables, const struct isa_part *part, const struct isa_slice *slices, uint32_t count)
{
	for (uint32_t s = 0; s < count; s++) {
		struct ptowsp_tile_param *param = &tables->params[s];

		param->name = (uint32_t)(part->straight->param_names[slices[s].param] - part->straight->pool);
		param->dtype = part->straight->params[slices[s].param].dtype;
		param->access = (uint16_t)((slices[s].reads ? PTOWSP_READ : 0) | (slices[s].writes ? PTOWSP_WRITE : 0));
		param->rows = (uint32_t)slices[s].grid.rows;
		param->columns = (uint32_t)slices[s].grid.columns;
	}
	tables->param_count = count;
}

/* numbers: per instruction. False: no memory. */
static bool tables_make(struct isa_tables *tables, const struct isa_part *part, const struct isa_slice *slices, uint32_t count, const uint32_t *numbers)
{
	const struct isa_program *p = part->straight;
	const struct ptowsp_tile_scalar zero = {.name = (uint32_t)(p->name - p->pool), .dtype = PTOWSP_I64, .kind = PTOWSP_SCALAR_CONST};
	struct access access;
	uint16_t row;

	while (tables->param_count < count)
		if (!isa_tables_param(tables, (struct ptowsp_tile_param){.name = 0}, &row))
			return false;
	if (!isa_tables_scalar(tables, zero, &row))
		return false;
	params_make(tables, part, slices, count);
	for (uint32_t t = 0; t < tables->tile_count; t++) {
		tables->tiles[t].rows = range_of(part, t, false).count;
		tables->tiles[t].columns = range_of(part, t, true).count;
	}
	for (uint32_t i = 0; i < tables->inst_count; i++)
		if (access_of(p, &p->insts[i], &access))
			access_move(&tables->insts[i], numbers[i], row);
	return true;
}

/* Constants that stood for offsets are nobody's any more, and those of no part are those of another one. */
static void constants_clear(struct isa_tables *tables, uint8_t *used)
{
	for (uint32_t i = 0; i < tables->inst_count; i++) {
		const struct isa_op *op = isa_op(tables->insts[i].op);
		uint16_t rows[ISA_OPERANDS_MAX];
		const unsigned count = isa_op_operands(op, &tables->insts[i], rows);

		for (unsigned k = 0; k < count; k++)
			if (op->operands[k] == 's')
				used[rows[k]] = 1;
	}
	for (uint32_t s = 0; s < tables->scalar_count; s++)
		if (!used[s] && tables->scalars[s].kind == PTOWSP_SCALAR_CONST)
			tables->scalars[s].value = 0;
}

ptowsp_status isa_part_program(struct isa_program **program_out, const struct isa_part *part, struct ptowsp_error *error)
{
	static const struct isa_options options = {.rows_bytes = ISA_ROWS_BYTES};
	const uint32_t count = part->straight->header.inst_count;
	struct isa_slice *slices = calloc(count + 1u, sizeof(*slices));
	uint32_t *numbers = calloc(count + 1u, sizeof(*numbers)), slice_count = 0;
	struct isa_tables tables;
	bool ok = isa_tables_copy(&tables, part->straight) && slices && numbers;
	uint8_t *used = ok ? calloc(tables.scalar_count + 2u, 1) : NULL;
	ptowsp_status status = used ? slices_find(part, slices, &slice_count, numbers, error) : PTOWSP_NO_MEMORY;

	*program_out = NULL;
	if (!status && !tables_make(&tables, part, slices, slice_count, numbers))
		status = PTOWSP_NO_MEMORY;
	if (!status) {
		constants_clear(&tables, used);
		status = isa_tables_program(program_out, &tables, part->straight, &options, error);
	} else if (status == PTOWSP_NO_MEMORY) {
		isa_error(error, status, "no memory for a tile program");
	}
	isa_tables_finish(&tables);
	free(slices);
	free(numbers);
	free(used);
	return status;
}

bool isa_program_same(const struct isa_program *a, const struct isa_program *b)
{
	const struct ptowsp_tile_header *x = &a->header, *y = &b->header;

	return !memcmp(x, y, sizeof(*x)) && !memcmp(a->params, b->params, x->param_count * sizeof(*a->params)) &&
	       !memcmp(a->tiles, b->tiles, x->tile_count * sizeof(*a->tiles)) && !memcmp(a->scalars, b->scalars, x->scalar_count * sizeof(*a->scalars)) &&
	       !memcmp(a->insts, b->insts, x->inst_count * sizeof(*a->insts));
}
