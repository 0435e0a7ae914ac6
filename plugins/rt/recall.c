/* SPDX-License-Identifier: MIT */
#include "rt/recall.h"

#include <stdlib.h>
#include <string.h>
#include "rt/error.h"
#include "rt/grow.h"
#include "rt/run.h"

ptowsp_status rt_recall_init(struct rt_recall *recall, const struct rt_run *run)
{
	recall->on = run->program->process_scopes && run->clock.deps_capacity;
	recall->first = run->tasks;
	recall->mask = rt_window_room(run->window) * 2 - 1;
	if (!recall->on)
		return PTOWSP_OK;
	recall->tasks = calloc(recall->mask + 1, sizeof(*recall->tasks));
	return recall->tasks ? PTOWSP_OK : PTOWSP_NO_MEMORY;
}

void rt_recall_finish(struct rt_recall *recall)
{
	for (uint64_t i = 0; recall->tasks && i <= recall->mask; i++)
		free(recall->tasks[i].rows);
	free(recall->tasks);
	free(recall->own.rows);
	memset(recall, 0, sizeof(*recall));
}

/* ---- what a task touches --------------------------------------------------------------------------------------- */

static bool piece_add(struct rt_piece_list *list, struct rt_piece piece)
{
	if (!rt_grow((void **)&list->rows, &list->room, list->count, sizeof(*list->rows)))
		return false;
	list->rows[list->count++] = piece;
	return true;
}

struct adding {
	struct rt_piece_list *list;
	uint32_t bits;
	bool ok;
};

static bool interval_add(void *context, uint32_t tensor, int64_t start, int64_t end)
{
	struct adding *adding = context;

	adding->ok = piece_add(adding->list, (struct rt_piece){start, end, tensor, adding->bits});
	return adding->ok;
}

static bool exact(const struct rt_run *run)
{
	return run->program->schedule.deps == PTOWSP_DEPS_TENSOR_MAP_EXACT;
}

static bool access_add(struct rt_piece_list *list, const struct rt_run *run, const struct rt_access *access)
{
	struct adding adding = {.list = list, .ok = true};

	if (exact(run))
		return piece_add(list, (struct rt_piece){access->key.row, access->key.column, access->key.class, access->io->access});
	for (unsigned bit = PTOWSP_READ; adding.ok && bit <= PTOWSP_WRITE; bit <<= 1) {
		adding.bits = bit;
		if (access->io->access & bit)
			rt_access_visit(access, &run->tensors, bit, interval_add, &adding);
	}
	return adding.ok;
}

/* all: also versions that it makes, which come behind nobody. */
static bool list_fill(struct rt_piece_list *list, struct rt_run *run, const struct rt_site *site, bool all)
{
	const struct rt_access *accesses = rt_run_accesses(run);
	bool ok = true;

	list->count = 0;
	for (uint32_t i = 0; ok && i < site->io_count && run->program->schedule.deps != PTOWSP_DEPS_EXPLICIT; i++)
		if (accesses[i].io->access && (all || !site->renamed || !rt_versions_makes(run, accesses[i].io->tensor, accesses[i].start)))
			ok = access_add(list, run, &accesses[i]);
	return ok;
}

/* A window that is large, or none: twice the room. */
static bool tasks_grow(struct rt_recall *recall, uint64_t count)
{
	uint64_t mask = recall->mask * 2 + 1;
	struct rt_piece_list *more = calloc(mask + 1, sizeof(*more));

	if (!more)
		return false;
	for (uint64_t t = recall->first; t < count; t++)
		more[t & mask] = recall->tasks[t & recall->mask];
	free(recall->tasks);
	recall->tasks = more;
	recall->mask = mask;
	return true;
}

bool rt_recall_add(struct rt_recall *recall, struct rt_run *run, const struct rt_site *site)
{
	if (run->window && run->tasks - recall->first > run->window)
		recall->first = run->tasks - run->window;
	if (run->tasks - recall->first > recall->mask && !tasks_grow(recall, run->tasks))
		return false;
	return list_fill(&recall->tasks[run->tasks & recall->mask], run, site, true);
}

/* ---- comparing ------------------------------------------------------------------------------------------------- */

static bool meet(bool keys, const struct rt_piece *a, const struct rt_piece *b)
{
	if (a->space != b->space)
		return false;
	return keys ? a->start == b->start && a->end == b->end : a->start < b->end && b->start < a->end;
}

/* Does what is left of the task come behind the earlier one? */
static bool follows(const struct rt_piece_list *own, const struct rt_piece_list *earlier, bool keys, bool full)
{
	for (uint32_t i = 0; i < own->count; i++)
		for (uint32_t k = 0; k < earlier->count; k++) {
			const struct rt_piece *mine = &own->rows[i], *theirs = &earlier->rows[k];
			bool raw = mine->bits & PTOWSP_READ && theirs->bits & PTOWSP_WRITE;

			if ((raw || (full && mine->bits & PTOWSP_WRITE)) && meet(keys, mine, theirs))
				return true;
		}
	return false;
}

/* What the earlier task wrote is settled: nobody before it matters there. */
static bool rest_take(struct rt_piece_list *own, const struct rt_piece *written, bool keys)
{
	for (uint32_t i = 0; i < own->count;) {
		struct rt_piece mine = own->rows[i], behind = mine;

		if (!meet(keys, &mine, written)) {
			i++;
			continue;
		}
		own->rows[i] = own->rows[--own->count];
		if (keys)
			continue;
		behind.start = written->end;
		mine.end = written->start;
		if ((mine.start < mine.end && !piece_add(own, mine)) || (behind.start < behind.end && !piece_add(own, behind)))
			return false;
	}
	return true;
}

static bool earlier_look(struct rt_recall *recall, struct rt_run *run, uint64_t task)
{
	const struct rt_piece_list *earlier = &recall->tasks[task & recall->mask];
	bool keys = exact(run), ok = true;

	if (follows(&recall->own, earlier, keys, run->program->schedule.full))
		rt_preds_add(&run->preds, (uint32_t)task + 1);
	for (uint32_t k = 0; ok && k < earlier->count; k++)
		if (earlier->rows[k].bits & PTOWSP_WRITE)
			ok = rest_take(&recall->own, &earlier->rows[k], keys);
	return ok;
}

ptowsp_status rt_recall_preds(struct rt_recall *recall, struct rt_run *run, const struct rt_site *site)
{
	bool ok = list_fill(&recall->own, run, site, false);

	rt_preds_next(&run->preds, run->tasks, run->window);
	for (uint64_t t = run->tasks; ok && recall->own.count && t > recall->first && run->tasks - t < run->preds.span; t--)
		ok = earlier_look(recall, run, t - 1);
	if (!ok || run->preds.out_of_memory)
		return rt_no_memory(run->error, "remembered tasks");
	return site->after_count ? rt_after_enter(run, site) : PTOWSP_OK;
}
