/* SPDX-License-Identifier: MIT */
#include "tests/model/slow_room.h"

static int number_of(const struct slow *s, int item)
{
	return (int)s->p->items[item].rt.number;
}

/* Versions and tensors before it, without those that have come back. */
static uint64_t heap_use(const struct slow *s, int item)
{
	uint64_t sum = 0;

	for (int i = 0; i < item; i++) {
		const struct rt_item *rt = &s->p->items[i].rt;

		if (rt->kind == RT_ITEM_TASK || rt->kind == RT_ITEM_ALLOC)
			sum += rt->bytes;
		else if (rt->kind == RT_ITEM_FREE && rt->number <= (uint64_t)s->left)
			sum -= rt->bytes;
	}
	return sum;
}

/* Tasks before it in its pool whose token is not written. */
static uint64_t queue_use(const struct slow *s, int task)
{
	uint32_t pool = slow_task(s->p, task)->rt.pool;
	uint64_t sum = 0;

	for (int i = 0; i < task; i++)
		sum += slow_task(s->p, i)->rt.pool == pool && s->rows[i].stage < SLOW_TAKEN;
	return sum;
}

static uint64_t need_of(const struct slow *s, enum slow_resource resource, int item)
{
	const struct rt_item *rt = &s->p->items[item].rt;

	switch (resource) {
	case SLOW_MAP: return rt->need.map;
	case SLOW_DEPS: return rt->need.deps;
	case SLOW_HEAP: return rt->bytes;
	default: return 1;
	}
}

static uint64_t use_of(const struct slow *s, enum slow_resource resource, int item)
{
	uint64_t sum = 0;

	if (resource == SLOW_HEAP)
		return heap_use(s, item);
	if (resource == SLOW_QUEUE)
		return queue_use(s, number_of(s, item));
	for (int i = s->left; i < number_of(s, item); i++)
		sum += need_of(s, resource, s->p->tasks[i]);
	return sum;
}

static uint64_t capacity_of(const struct slow *s, enum slow_resource resource)
{
	const struct rt_limits *l = &s->p->limits;
	const uint64_t capacities[] = {l->window, l->map, l->deps, l->heap, l->ready};

	return capacities[resource];
}

bool slow_room(const struct slow *s, enum slow_resource resource, int item)
{
	uint64_t need = need_of(s, resource, item), capacity = capacity_of(s, resource);

	return !capacity || !need || use_of(s, resource, item) + need <= capacity;
}

static struct slow_meter *meter_of(struct slow *s, enum slow_resource resource, int item)
{
	return resource == SLOW_QUEUE ? &s->m->ready[s->p->items[item].rt.pool] : &s->m->meters[resource];
}

/* Those that are there, whatever their numbers. */
static uint64_t queued(const struct slow *s, int item)
{
	uint64_t sum = 0;

	for (int i = 0; i < s->p->task_count; i++)
		sum += slow_task(s->p, i)->rt.pool == s->p->items[item].rt.pool && s->rows[i].stage >= SLOW_ISSUED && s->rows[i].stage < SLOW_TAKEN;
	return sum;
}

void slow_room_mark(struct slow *s, int item, enum slow_resource first)
{
	bool task = s->p->items[item].rt.kind == RT_ITEM_TASK;

	for (enum slow_resource r = first; r < SLOW_RESOURCES; r++)
		if ((task || r == SLOW_HEAP) && need_of(s, r, item)) {
			struct slow_meter *meter = meter_of(s, r, item);

			meter->high_water = slow_later(meter->high_water, (r == SLOW_QUEUE ? queued(s, item) : use_of(s, r, item)) + need_of(s, r, item));
		}
}

void slow_room_stalled(struct slow *s, enum slow_resource resource, int item, uint64_t cycles)
{
	struct slow_meter *meter = meter_of(s, resource, item);

	meter->stalls += cycles > 0;
	meter->cycles += cycles;
}

static bool scope_holds(const struct slow *s, int task)
{
	int scope = slow_task(s->p, task)->scope;

	return scope != SLOW_NONE && !s->walked[s->p->scopes[scope].end];
}

void slow_room_leave(struct slow *s)
{
	while (s->ended < s->p->task_count && s->rows[s->ended].stage == SLOW_ENDED)
		s->ended++;
	while (s->left < s->ended && !scope_holds(s, s->left))
		s->left++;
	for (int i = 0; i < s->p->task_count; i++)
		if (s->rows[i].counted && (uint64_t)i < (uint64_t)s->left + s->p->limits.window) {
			s->rows[i].counted = false;
			slow_room_stalled(s, SLOW_WINDOW, s->p->tasks[i], s->now - s->rows[i].counted_since);
		}
}
