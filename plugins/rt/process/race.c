/* SPDX-License-Identifier: MIT */
#include "rt/process/race.h"

#include "registry/common/common_grow.h"
#include "rt/grow.h"
#include <stdlib.h>
#include <string.h>

bool rt_race_init(struct rt_race *race, uint32_t tensors, uint64_t window, uint32_t copy)
{
	race->on = true;
	race->copy = copy;
	race->window = window;
	race->mask = rt_window_room(window) - 1;
	race->word_mask = 4095;
	race->rows = calloc(race->mask + 1, sizeof(*race->rows));
	race->seen = calloc(race->mask + 1, sizeof(*race->seen));
	race->stack = calloc(race->mask + 1, sizeof(*race->stack));
	race->words = calloc(race->word_mask + 1, sizeof(*race->words));
	race->map = rt_pieces_create(tensors);
	return race->rows && race->seen && race->stack && race->words && race->map && rt_preds_init(&race->preds) &&
	       rt_track_init(&race->track, &race->preds, true);
}

void rt_race_finish(struct rt_race *race)
{
	rt_pieces_destroy(race->map);
	rt_track_finish(&race->track);
	rt_preds_finish(&race->preds);
	free(race->rows);
	free(race->seen);
	free(race->stack);
	free(race->words);
	memset(race, 0, sizeof(*race));
}

/* ---- ordered constructs ---------------------------------------------------------------------------------------- */

void rt_race_order_begin(struct rt_race *race, uint64_t tasks)
{
	race->first[race->depth] = race->step[race->depth] = tasks;
	race->depth++;
}

void rt_race_order_step(struct rt_race *race, uint64_t tasks)
{
	race->step[race->depth - 1] = tasks;
}

void rt_race_order_end(struct rt_race *race)
{
	race->depth--;
}

void rt_race_barrier(struct rt_race *race, uint64_t tasks)
{
	if (tasks > race->fence)
		race->fence = tasks;
}

void rt_race_fence(struct rt_race *race, uint64_t tasks)
{
	race->copies = tasks;
}

/* ---- what is remembered ---------------------------------------------------------------------------------------- */

static struct rt_race_row *row_of(const struct rt_race *race, uint64_t task)
{
	return &race->rows[task & race->mask];
}

/* Large windows, and none. Marks of `seen` belong to walks that are over. */
static bool rows_grow(struct rt_race *race, uint64_t task)
{
	if (task - race->oldest <= race->mask)
		return true;
	if (!COMMON_RING_DOUBLE(race->rows, race->mask, race->oldest, task) || !COMMON_RING_DOUBLE(race->seen, race->mask, 0, 0) ||
	    !COMMON_RING_DOUBLE(race->stack, race->mask, 0, 0))
		return false;
	race->mask = race->mask * 2 + 1;
	return true;
}

static bool words_grow(struct rt_race *race, uint64_t words)
{
	for (; race->head - race->tail + words > race->word_mask + 1; race->word_mask = race->word_mask * 2 + 1)
		if (!COMMON_RING_DOUBLE(race->words, race->word_mask, race->tail, race->head))
			return false;
	return true;
}

static void put(struct rt_race *race, struct rt_race_row *row, uint64_t from, uint64_t end)
{
	race->words[race->head++ & race->word_mask] = from;
	race->words[race->head++ & race->word_mask] = end;
	row->ranges++;
}

static uint64_t word(const struct rt_race *race, uint64_t at)
{
	return race->words[at & race->word_mask];
}

static bool remember(struct rt_race *race, const struct rt_race_task *told)
{
	uint64_t task = told->number;
	uint32_t before = told->front ? told->front->count : 0;
	struct rt_race_row *row;

	if (race->window && task >= race->window) {
		race->oldest = task - race->window + 1;
		race->tail = race->oldest < task ? row_of(race, race->oldest)->at : race->head;
	}
	if (!rows_grow(race, task) || !words_grow(race, 2 * ((uint64_t)told->chosen_count + before + race->depth + 2)))
		return false;
	row = row_of(race, task);
	*row = (struct rt_race_row){
		.at = race->head, .kernel = told->kernel, .instance = told->instance, .copies = race->copies > race->fence ? race->copies : 0};
	race->seen[task & race->mask] = 0;
	for (uint32_t i = 0; i < told->chosen_count; i++)
		put(race, row, told->chosen[i], told->chosen[i] + 1);
	if (told->stream)
		put(race, row, told->stream - 1, told->stream);
	for (uint32_t i = 0; i < before; i++)
		put(race, row, told->front->rows[i].step, told->front->rows[i].step + 1);
	for (uint32_t d = 0; d < race->depth; d++)
		put(race, row, race->first[d], race->step[d]);
	put(race, row, 0, race->fence);
	return true;
}

/* ---- the walk -------------------------------------------------------------------------------------------------- */

/* Marks a task that comes before the one of this walk, once. */
static void visit(struct rt_race *race, uint64_t task, uint64_t walk, uint64_t *top)
{
	uint64_t *seen = &race->seen[task & race->mask];

	if (task < race->oldest || *seen == walk)
		return;
	*seen = walk;
	race->stack[(*top)++] = task;
}

/* Tasks [from, end) that the walk has marked: iterations of an ordered loop have earlier ones before them that are nearly the same. */
struct marked {
	uint64_t from, end;
};

static void visit_range(struct rt_race *race, struct marked range, uint64_t walk, uint64_t *top, struct marked *marked)
{
	for (uint64_t t = range.from; t < range.end; t++)
		if (t >= marked->from && t < marked->end)
			t = marked->end - 1;
		else
			visit(race, t, walk, top);
	if (range.from <= marked->end && range.end >= marked->from)
		*marked = (struct marked){range.from < marked->from ? range.from : marked->from, range.end > marked->end ? range.end : marked->end};
	else if (range.end - range.from > marked->end - marked->from)
		*marked = range;
}

/* Marks every task not before `least` that is ordered before `task`. */
static void walk_back(struct rt_race *race, uint64_t task, uint64_t least)
{
	uint64_t top = 0, walk = task + 1;
	struct marked marked = {0};

	race->stack[top++] = task;
	while (top) {
		const struct rt_race_row *row = row_of(race, race->stack[--top]);

		for (uint32_t i = 0; i < row->ranges; i++) {
			uint64_t from = word(race, row->at + 2 * i), end = word(race, row->at + 2 * i + 1);

			from = from > least ? from : least;
			if (from < end)
				visit_range(race, (struct marked){from, end}, walk, &top, &marked);
		}
		for (uint64_t t = least; t < row->copies; t++)
			if (row_of(race, t)->kernel == race->copy)
				visit(race, t, walk, &top);
	}
}

uint32_t rt_race_instance(const struct rt_race *race, uint64_t task)
{
	return task < race->oldest ? PTOWSP_NONE : row_of(race, task)->instance;
}

bool rt_race_task(struct rt_race *race, const struct rt_race_task *told)
{
	uint64_t least = UINT64_MAX, pair = UINT64_MAX, task = told->number;

	if (race->preds.out_of_memory || !remember(race, told))
		return false;
	if (race->found)
		return true;
	for (uint32_t i = 0; i < race->preds.count; i++)
		least = race->preds.list[i] < least ? race->preds.list[i] : least;
	if (least == UINT64_MAX)
		return true;
	walk_back(race, task, least);
	for (uint32_t i = 0; i < race->preds.count; i++)
		if (race->seen[race->preds.list[i] & race->mask] != task + 1 && race->preds.list[i] < pair)
			pair = race->preds.list[i];
	if (pair != UINT64_MAX) {
		race->found = true;
		race->earlier = pair;
		race->earlier_kernel = row_of(race, pair)->kernel;
		race->later = task;
		race->later_kernel = told->kernel;
	}
	return true;
}
