/* SPDX-License-Identifier: MIT */
#include "rt/access/lattice.h"

#include "rt/program/arithmetic.h"
#include "rt/run/rt_run.h"
#include <string.h>

bool rt_overlap_init(struct rt_overlap *map, struct rt_run *run)
{
	*map = (struct rt_overlap){.run = run};
	map->lattices = common_take(run->arena, (size_t)run->tensors.count + 1, sizeof(*map->lattices));
	return map->lattices;
}

void rt_overlap_finish(struct rt_overlap *map)
{
	rt_pieces_destroy(map->pieces);
	memset(map, 0, sizeof(*map));
}

/* ---- the lattice ----------------------------------------------------------------------------------------------- */

static uint64_t size_of(uint64_t step)
{
	return (int64_t)step < 0 ? 0 - step : step;
}

/* The pitch with one more place and its steps; false if two accesses of `length` could then lie across each other. */
static bool pitch_refine(uint64_t *pitch, int64_t length, int64_t from, int64_t to, uint64_t step)
{
	uint64_t away = size_of((uint64_t)to - (uint64_t)from);

	if (away && (!*pitch || away % *pitch))
		*pitch = rt_common(away, *pitch);
	if (step && (!*pitch || size_of(step) % *pitch))
		*pitch = rt_common(size_of(step), *pitch);
	return !*pitch || *pitch >= (uint64_t)length;
}

bool rt_overlap_admit(struct rt_overlap *map, struct rt_track *track, uint32_t tensor, const struct rt_shape *shape, int64_t row, int64_t column,
		      uint64_t row_step, uint64_t column_step)
{
	struct rt_lattice *lattice = &map->lattices[tensor];

	if (lattice->pieces)
		return false;
	if (!lattice->begun)
		*lattice = (struct rt_lattice){.shape = *shape, .row = row, .column = column, .begun = true};
	if (shape->rows == lattice->shape.rows && shape->columns == lattice->shape.columns &&
	    pitch_refine(&lattice->row_pitch, shape->rows, lattice->row, row, row_step) &&
	    pitch_refine(&lattice->column_pitch, shape->columns, lattice->column, column, column_step))
		return true;
	rt_overlap_divide(map, track, tensor);
	return false;
}

bool rt_overlap_covers(struct rt_overlap *map, uint32_t tensor, uint64_t row_unit, uint64_t column_unit)
{
	struct rt_lattice *lattice = &map->lattices[tensor];
	uint64_t rows = rt_common(row_unit & (0 - row_unit), lattice->row_pitch), columns = rt_common(column_unit & (0 - column_unit), lattice->column_pitch);

	if ((row_unit && rows < (uint64_t)lattice->shape.rows) || (column_unit && columns < (uint64_t)lattice->shape.columns))
		return false;
	lattice->row_pitch = rows;
	lattice->column_pitch = columns;
	return true;
}

#define PLACES ((UINT64_C(1) << RT_PLACE_BITS) - 1)

/* ---- from cells to intervals ----------------------------------------------------------------------------------- */

struct dividing {
	struct rt_overlap *map;
	struct rt_track *track;
	uint32_t tensor;
};

#define LOOK_EVERY 1024u

static bool go_on(const struct dividing *dividing)
{
	struct rt_overlap *map = dividing->map;

	if (!map->stopped && ++map->moved % LOOK_EVERY == 0)
		map->stopped = rt_look(map->run);
	return !map->stopped && !dividing->track->preds->out_of_memory;
}

/* What an access of that shape has there: as far as the tensor goes. */
static struct rt_shape shape_there(const struct rt_shape *shape, const struct rt_tensor *tensor, int64_t start)
{
	int64_t rows, columns;

	if (!shape->rows || tensor->elements == UINT64_MAX)
		return *shape;
	rows = tensor->rows - start / tensor->columns;
	columns = tensor->columns - start % tensor->columns;
	return (struct rt_shape){shape->rows < rows ? shape->rows : rows, shape->columns < columns ? shape->columns : columns};
}

/* One cell may be millions of rows. */
static void cell_move(void *context, const struct rt_entry *entry)
{
	struct dividing *dividing = context;
	struct rt_overlap *map = dividing->map;
	const struct rt_tensor *tensor = &map->run->tensors.rows[dividing->tensor];
	int64_t start = (int64_t)(entry->name & PLACES);
	const struct rt_shape shape = shape_there(&map->lattices[dividing->tensor].shape, tensor, start);

	rt_pieces_put(map->pieces, dividing->track, dividing->tensor, start, start + shape.columns, entry->cell);
	for (int64_t r = 1; r < shape.rows && go_on(dividing); r++) {
		start += tensor->columns;
		rt_pieces_put(map->pieces, dividing->track, dividing->tensor, start, start + shape.columns, entry->cell);
	}
}

void rt_overlap_divide(struct rt_overlap *map, struct rt_track *track, uint32_t tensor)
{
	struct dividing dividing = {map, track, tensor};

	if (!map->pieces)
		map->pieces = rt_pieces_create(map->run->tensors.count);
	if (!map->pieces)
		track->preds->out_of_memory = true;
	else if (map->lattices[tensor].begun && !map->lattices[tensor].pieces)
		rt_cells_take(&map->run->cells, track, (uint64_t)tensor << RT_PLACE_BITS, (uint64_t)tensor << RT_PLACE_BITS | PLACES, cell_move, &dividing);
	map->divided += !map->lattices[tensor].pieces;
	map->lattices[tensor].pieces = true;
}
