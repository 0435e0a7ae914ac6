/* SPDX-License-Identifier: MIT */
#include "rt/graph/task_deps.h"

#include "ptowsp/task.h"
#include <stdlib.h>
#include <string.h>

enum { SHAPES_FIRST = 64 };
#define FRESHEN_EVERY (UINT64_C(1) << 30) /* see preds.h */

bool rt_task_deps_init(struct rt_task_deps *deps, uint32_t rules, uint64_t window, uint32_t tensors)
{
	memset(deps, 0, sizeof(*deps));
	deps->rules = rules;
	deps->window = window;
	deps->shape_mask = SHAPES_FIRST - 1;
	deps->shapes = calloc(SHAPES_FIRST, sizeof(*deps->shapes));
	if (!deps->shapes || !rt_preds_init(&deps->preds) || !rt_track_init(&deps->track, &deps->preds, rules & RT_GRAPH_RULE_FULL))
		return false;
	if (rules & RT_GRAPH_RULE_EXACT)
		return rt_cells_init(&deps->exact, 0);
	return !(rules & RT_GRAPH_RULE_OVERLAP) || (deps->pieces = rt_pieces_create(tensors)) != NULL;
}

void rt_task_deps_finish(struct rt_task_deps *deps)
{
	rt_cells_finish(&deps->exact);
	rt_intern_finish(&deps->intern);
	rt_pieces_destroy(deps->pieces);
	rt_track_finish(&deps->track);
	rt_preds_finish(&deps->preds);
	free(deps->shapes);
	memset(deps, 0, sizeof(*deps));
}

void rt_task_deps_next(struct rt_task_deps *deps, uint64_t task)
{
	if (task && task % FRESHEN_EVERY == 0) {
		if (deps->exact.entries)
			rt_cells_freshen(&deps->exact, &deps->track);
		if (deps->pieces)
			rt_pieces_freshen(deps->pieces, &deps->track);
		deps->preds.out_of_memory |= !rt_intern_freshen(&deps->intern, &deps->preds);
	}
	rt_preds_next(&deps->preds, task, deps->window);
}

void rt_task_deps_add(struct rt_task_deps *deps, uint64_t producer)
{
	if (deps->preds.task - producer <= deps->preds.span)
		rt_preds_add(&deps->preds, rt_preds_stamp(&deps->preds, producer));
}

/* ---- exact: a key per tensor, place and shape ------------------------------------------------------------------------ */

static struct rt_task_shape *shape_look(struct rt_task_shape *shapes, uint32_t mask, const struct rt_graph_io *io)
{
	uint32_t at = (io->tensor * 0x9E3779B1u + io->rows * 0x85EBCA77u + io->columns * 0xC2B2AE3Du) >> 7;

	for (;; at++) {
		struct rt_task_shape *shape = &shapes[at & mask];

		if (!shape->class || (shape->tensor == io->tensor && shape->rows == io->rows && shape->columns == io->columns))
			return shape;
	}
}

static bool shapes_grow(struct rt_task_deps *deps)
{
	uint32_t mask = deps->shape_mask * 2 + 1;
	struct rt_task_shape *more = calloc((size_t)mask + 1, sizeof(*more));

	for (uint32_t i = 0; more && i <= deps->shape_mask; i++) {
		const struct rt_task_shape *old = &deps->shapes[i];
		const struct rt_graph_io io = {.tensor = old->tensor, .rows = old->rows, .columns = old->columns};

		if (old->class)
			*shape_look(more, mask, &io) = *old;
	}
	if (!more)
		return false;
	free(deps->shapes);
	deps->shapes = more;
	deps->shape_mask = mask;
	return true;
}

/* Class of a shape, + 1; 0 when out of memory or classes. */
static uint32_t class_of(struct rt_task_deps *deps, const struct rt_graph_io *io)
{
	struct rt_task_shape *shape = shape_look(deps->shapes, deps->shape_mask, io);

	if (shape->class)
		return shape->class;
	if (deps->shape_count + 2 >= RT_CLASS_LIMIT || (deps->shape_count * 2 > deps->shape_mask && !shapes_grow(deps)))
		return 0;
	shape = shape_look(deps->shapes, deps->shape_mask, io);
	*shape = (struct rt_task_shape){io->tensor, io->rows, io->columns, ++deps->shape_count};
	return shape->class;
}

/* Elements in one piece are a shape without rows. */
static bool exact_find(struct rt_task_deps *deps, const struct rt_graph_io *named, unsigned bit)
{
	const struct rt_graph_io piece = {
		.start = named->start, .tensor = named->tensor, .rows = (uint32_t)(named->length >> 32), .columns = (uint32_t)named->length};
	const struct rt_graph_io *io = named->rows ? named : &piece;
	struct rt_key key = {.row = (int64_t)io->start, .class = class_of(deps, io)};
	uint64_t name = (uint64_t)key.class << RT_PLACE_BITS | io->start;

	if (key.class && io->start >> RT_PLACE_BITS)
		name = rt_intern_name(&deps->intern, &deps->preds, &key);
	if (!key.class || name == RT_NO_NAME)
		return false;
	rt_cells_access(&deps->exact, &deps->track, name, bit);
	return !deps->preds.out_of_memory;
}

/* ---- overlap: the elements ---------------------------------------------------------------------------------------------- */

static void piece_find(struct rt_task_deps *deps, uint32_t tensor, uint64_t start, uint64_t length, unsigned bit)
{
	if (bit == PTOWSP_READ)
		rt_pieces_read(deps->pieces, &deps->track, tensor, (int64_t)start, (int64_t)(start + length));
	else
		rt_pieces_write(deps->pieces, &deps->track, tensor, (int64_t)start, (int64_t)(start + length));
}

static void overlap_find(struct rt_task_deps *deps, const struct rt_graph_io *io, uint64_t pitch, unsigned bit)
{
	const uint64_t length = io->rows ? (uint64_t)io->rows * io->columns : io->length;

	if (!io->rows || io->columns == pitch) {
		if (length)
			piece_find(deps, io->tensor, io->start, length, bit);
		return;
	}
	for (uint32_t r = 0; r < io->rows; r++)
		piece_find(deps, io->tensor, io->start + r * pitch, io->columns, bit);
}

/* Reads of a task come before its writes. */
bool rt_task_deps_find(struct rt_task_deps *deps, const struct rt_graph_io *ios, uint32_t count, const struct rt_graph_tensor *tensors)
{
	static const unsigned bits[] = {PTOWSP_READ, PTOWSP_WRITE};
	bool ok = true;

	for (unsigned b = 0; b < 2; b++)
		for (uint32_t i = 0; ok && i < count; i++) {
			if (!(ios[i].access & bits[b]))
				continue;
			if (deps->exact.entries)
				ok = exact_find(deps, &ios[i], bits[b]);
			else if (deps->pieces)
				overlap_find(deps, &ios[i], tensors[ios[i].tensor].columns, bits[b]);
		}
	return ok && !deps->preds.out_of_memory;
}

/* The other rules know regions as wholes, or none: there it is all tasks so far. */
bool rt_task_deps_writer(struct rt_task_deps *deps, uint64_t next, uint32_t tensor, uint64_t element, uint64_t *before_out)
{
	*before_out = next;
	if (!deps->pieces)
		return true;
	rt_task_deps_next(deps, next);
	rt_pieces_peek(deps->pieces, &deps->track, tensor, (int64_t)element, (int64_t)element + 1, PTOWSP_READ);
	/* The map forgets who leaves the window with the next task: those have ended when that is submitted, not yet now. */
	*before_out = deps->window && next >= deps->window ? next - deps->window + 1 : 0;
	for (uint32_t i = 0; i < deps->preds.count; i++)
		if (deps->preds.list[i] >= *before_out)
			*before_out = deps->preds.list[i] + 1;
	return !deps->preds.out_of_memory;
}
