/* SPDX-License-Identifier: MIT */
#include "tests/model/slow_program.h"

#include <stdlib.h>
#include <string.h>

/* ---- keeping ------------------------------------------------------------------------------------------------------ */

static bool keep(struct slow_program *p, const struct rt_item *item)
{
	uint64_t *list = item->count ? malloc(item->count * sizeof(*list)) : NULL;

	if (p->count == p->room) {
		int room = 2 * p->room + 256;
		struct slow_item *more = realloc(p->items, (size_t)room * sizeof(*more));

		if (!more) {
			free(list);
			return false;
		}
		p->items = more;
		p->room = room;
	}
	if (item->count && !list)
		return false;
	if (list)
		memcpy(list, item->list, item->count * sizeof(*list));
	p->items[p->count] = (struct slow_item){.rt = *item, .scope = SLOW_NONE, .iteration = SLOW_NONE};
	p->items[p->count].rt.list = list;
	p->task_count += item->kind == RT_ITEM_TASK;
	p->count++;
	return true;
}

static ptowsp_status record(void *context, struct rt_feed *feed, struct ptowsp_error *error)
{
	struct slow_program *p = context;
	const struct rt_item *item = NULL;
	ptowsp_status status;

	(void)error;
	p->limits = *rt_feed_limits(feed);
	memcpy(p->depths, p->limits.depths, p->limits.depth_count * sizeof(*p->depths));
	p->limits.depths = p->depths;
	for (uint32_t c = 0; c < p->limits.channels && c < SLOW_CHANNELS; c++)
		p->capacities[c] = rt_feed_capacity(feed, c, &p->latencies[c]);
	do {
		status = rt_feed_next(feed, &item);
		if (!status && !keep(p, item))
			status = PTOWSP_NO_MEMORY;
	} while (!status && item->kind != RT_ITEM_END);
	return status;
}

struct rt_engine slow_program_recorder(struct slow_program *p)
{
	return (struct rt_engine){.context = p, .run = record};
}

void slow_program_finish(struct slow_program *p)
{
	for (int i = 0; i < p->count; i++) {
		free((void *)p->items[i].rt.list);
		free(p->items[i].sources);
	}
	free(p->items);
	free(p->tasks);
	free(p->iterations);
	free(p->scopes);
	memset(p, 0, sizeof(*p));
}

/* ---- order -------------------------------------------------------------------------------------------------------- */

/* Where the workload, or one process, stands among its own items. */
struct place {
	int scope, iteration;
	uint64_t barrier;
};

/* Per slot the item that gave its value, per event the latest signal; SLOW_NONE: there since ever. */
struct values {
	int *slots, *events;
};

static int iteration_begin(struct slow_program *p, int outer, int before)
{
	p->iterations[p->iteration_count] = (struct slow_iteration){.outer = outer, .before = before, .end = p->count};
	return p->iteration_count++;
}

static void iteration_touch(struct slow_program *p, int iteration)
{
	for (; iteration != SLOW_NONE; iteration = p->iterations[iteration].outer)
		p->iterations[iteration].tasks = true;
}

/* A fence is a barrier behind the last copy before it. */
static uint64_t fence_find(const struct slow_program *p, uint64_t tasks, uint32_t kernels)
{
	while (tasks && slow_task(p, (int)tasks - 1)->rt.kernel < kernels)
		tasks--;
	return tasks;
}

static bool source_add(struct slow_item *item, int source)
{
	int *more;

	if (source == SLOW_NONE)
		return true;
	more = realloc(item->sources, (size_t)(item->source_count + 1) * sizeof(*more));
	if (!more)
		return false;
	item->sources = more;
	more[item->source_count++] = source;
	return true;
}

static bool values_follow(struct values *v, struct slow_item *item, int at)
{
	bool ok = true;

	switch (item->rt.kind) {
	case RT_ITEM_READ:
	case RT_ITEM_SET:
		for (uint32_t k = 0; k < item->rt.count; k++)
			ok = ok && source_add(item, v->slots[item->rt.list[k]]);
		if (item->rt.kind == RT_ITEM_SET)
			v->slots[item->rt.row] = at;
		return ok;
	case RT_ITEM_LOAD: v->slots[item->rt.row] = at; return true;
	case RT_ITEM_SIGNAL: v->events[item->rt.row] = at; return true;
	case RT_ITEM_WAIT: return source_add(item, v->events[item->rt.row]);
	default: return true;
	}
}

static void place_follow(struct slow_program *p, struct place *place, int at, uint32_t kernels)
{
	struct slow_item *item = &p->items[at];
	uint64_t tasks;

	item->scope = place->scope;
	item->iteration = place->iteration;
	switch (item->rt.kind) {
	case RT_ITEM_SCOPE_BEGIN:
		p->scopes[p->scope_count] = (struct slow_scope){place->scope, p->count};
		place->scope = p->scope_count++;
		break;
	case RT_ITEM_SCOPE_END:
		p->scopes[place->scope].end = at;
		place->scope = p->scopes[place->scope].outer;
		break;
	case RT_ITEM_ORDER_BEGIN: place->iteration = iteration_begin(p, place->iteration, SLOW_NONE); break;
	case RT_ITEM_ORDER_STEP:
		p->iterations[place->iteration].end = at;
		place->iteration = iteration_begin(p, p->iterations[place->iteration].outer, place->iteration);
		break;
	case RT_ITEM_ORDER_END:
		p->iterations[place->iteration].end = at;
		place->iteration = p->iterations[place->iteration].outer;
		break;
	case RT_ITEM_BARRIER: place->barrier = item->rt.number > place->barrier ? item->rt.number : place->barrier; break;
	case RT_ITEM_FENCE:
		tasks = fence_find(p, item->rt.number, kernels);
		place->barrier = tasks > place->barrier ? tasks : place->barrier;
		break;
	case RT_ITEM_TASK:
		iteration_touch(p, place->iteration);
		item->barrier = item->rt.process == PTOWSP_NONE ? place->barrier : 0; /* a process has one task at a time */
		p->tasks[item->rt.number] = at;
		break;
	default: break;
	}
}

bool slow_program_order(struct slow_program *p, uint32_t kernels)
{
	size_t walkers = (size_t)p->limits.processes + 1, room = (size_t)p->count + 1;
	struct place *places = malloc(walkers * sizeof(*places));
	struct values values = {malloc((p->limits.slots + 1) * sizeof(int)), malloc((p->limits.events + 1) * sizeof(int))};
	bool ok;

	p->tasks = calloc((size_t)p->task_count + 1, sizeof(*p->tasks));
	p->iterations = calloc(room, sizeof(*p->iterations));
	p->scopes = calloc(room, sizeof(*p->scopes));
	ok = places && values.slots && values.events && p->tasks && p->iterations && p->scopes;
	for (size_t w = 0; ok && w < walkers; w++)
		places[w] = (struct place){SLOW_NONE, SLOW_NONE, 0};
	for (uint32_t s = 0; ok && s < p->limits.slots; s++)
		values.slots[s] = SLOW_NONE;
	for (uint32_t e = 0; ok && e < p->limits.events; e++)
		values.events[e] = SLOW_NONE;
	for (int at = 0; ok && at < p->count; at++) {
		uint32_t process = p->items[at].rt.process;

		place_follow(p, &places[process == PTOWSP_NONE ? 0 : process + 1], at, kernels);
		ok = values_follow(&values, &p->items[at], at);
	}
	free(places);
	free(values.slots);
	free(values.events);
	return ok;
}
