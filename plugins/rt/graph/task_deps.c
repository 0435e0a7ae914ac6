/* SPDX-License-Identifier: MIT */
#include "rt/graph/task_deps.h"

#include "ptowsp/task.h"
#include <string.h>

#define FRESHEN_EVERY (UINT64_C(1) << 30) /* see preds.h */

bool rt_task_deps_init(struct rt_task_deps *deps, uint32_t rules, uint64_t window, uint32_t tensors)
{
	memset(deps, 0, sizeof(*deps));
	deps->rules = rules;
	deps->window = window;
	if (!rt_preds_init(&deps->preds) || !rt_track_init(&deps->track, &deps->preds, rules & RT_GRAPH_RULE_FULL))
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

/* Elements in one piece are a shape without rows. */
static bool exact_find(struct rt_task_deps *deps, const struct rt_graph_io *io, unsigned bit)
{
	const uint64_t shape = io->rows ? (uint64_t)io->rows << 32 | io->columns : io->length;
	const struct rt_key key = {(int64_t)io->start, (int64_t)shape, io->tensor};
	uint64_t name = rt_intern_name(&deps->intern, &deps->preds, &key);

	if (name != RT_NO_NAME)
		rt_cells_access(&deps->exact, &deps->track, name, bit);
	return name != RT_NO_NAME && !deps->preds.out_of_memory;
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
