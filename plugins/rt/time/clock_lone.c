/* SPDX-License-Identifier: MIT */
/* clock_lone.c - tasks of a clock that has one executor, as most have. They start and end in order, and nothing that runs depends on them, so the clock is told of
 * them later: some at a time, with its state in registers. rt_clock_task, one at a time, gives the same times. */
#include "rt/time/clock.h"

#include "rt/grow.h"
#include "rt/rt_inline.h"

/* A task's reservations as one number: both parts stay below 2^30, bit 31 of each is free. */
#define FREE_BITS UINT64_C(0x8000000080000000)

static uint64_t pair(uint64_t map, uint64_t deps)
{
	return deps << 32 | map;
}

RT_INLINE uint64_t pair_of(const struct rt_need *need)
{
	return (uint64_t)need->deps << 32 | need->map;
}

/* Is one part of it larger than that of most, whose free bits are set? */
RT_INLINE bool is_more(uint64_t used, uint64_t most)
{
	return ((most - used) & FREE_BITS) != FREE_BITS;
}

/* The clock while kept tasks are told, in registers; named as in rt_clock. first, begun and next are distances of rows in bytes. */
struct lone {
	char *rows;
	uint64_t mask;  /* of distances */
	uint64_t first; /* of those that have not left */
	uint64_t left;  /*   as many */
	uint64_t may;   /*   of which so many can: no scope holds them */
	uint64_t begun; /* the first that had not started when the latest task was issued */
	uint64_t waiting;
	uint64_t next;
	uint64_t now, last; /* the issue clock: at least what it is for the next task, and for the latest one */
	uint64_t used;      /* a pair */
	uint64_t end;       /* when the next task can start: the executor is free, and nothing holds it */
	uint64_t free;      /* 1: no scope is open */
	uint64_t window, ring_mark, ready_mark, used_mark;
	uint64_t used_most;
	uint64_t stalls, stalled;
};

RT_INLINE struct lone lone_begin(const struct rt_clock *clock)
{
	const uint64_t size = sizeof(*clock->rows), mask = clock->mask * size;

	return (struct lone){
		.rows = (char *)clock->rows,
		.mask = mask,
		.first = clock->gone * size & mask,
		.left = clock->issued - clock->gone,
		.may = clock->settled - clock->gone,
		.begun = clock->begun * size & mask,
		.waiting = clock->issued - clock->begun,
		.next = clock->issued * size & mask,
		.now = clock->issued ? rt_later(clock->now, clock->last + clock->spacing) : clock->now,
		.used = pair(clock->map_used, clock->deps_used),
		.end = rt_later(rt_later(clock->floor, clock->orders[clock->order_depth].before), clock->free[0]),
		.free = !clock->scopes,
		.window = clock->window,
		.ring_mark = clock->meters[PTOWSP_RESOURCE_TASK_RING].high_water,
		.ready_mark = clock->ready_meters[0].high_water,
		.used_most = FREE_BITS | pair(clock->map_most, clock->deps_most),
		.used_mark = FREE_BITS | pair(clock->meters[PTOWSP_RESOURCE_TENSOR_MAP].high_water, clock->meters[PTOWSP_RESOURCE_DEP_LIST].high_water),
	};
}

static void meters_store(struct rt_clock *clock, const struct lone *at)
{
	struct rt_meter *ring = &clock->meters[PTOWSP_RESOURCE_TASK_RING];

	ring->stalls += at->stalls;
	ring->cycles += at->stalled;
	ring->high_water = at->ring_mark;
	clock->meters[PTOWSP_RESOURCE_TENSOR_MAP].high_water = (uint32_t)at->used_mark & INT32_MAX;
	clock->meters[PTOWSP_RESOURCE_DEP_LIST].high_water = at->used_mark >> 32 & INT32_MAX;
	clock->ready_meters[0].high_water = at->ready_mark;
}

/* Behind so many tasks that lone_task has told. */
static void lone_store(struct rt_clock *clock, const struct lone *at, uint32_t told)
{
	struct rt_level_of_order *order = &clock->orders[clock->order_depth];

	meters_store(clock, at);
	clock->now = at->now;
	clock->map_used = (uint32_t)at->used;
	clock->deps_used = at->used >> 32;
	clock->gone = clock->issued + told - at->left;
	clock->begun = clock->issued + told - at->waiting;
	if (!told)
		return;
	clock->last = at->last;
	clock->free[0] = at->end;
	order->now = rt_later(order->now, at->end);
	clock->total = rt_later(clock->total, at->end);
	if (!clock->scopes)
		clock->leave = at->end;
	else if (!clock->held_first[clock->scopes - 1])
		clock->held_first[clock->scopes - 1] = clock->issued + 1;
	clock->issued += told;
	clock->settled = clock->gone + at->may;
}

RT_INLINE struct rt_clock_row *row_at(const struct lone *at, uint64_t place)
{
	return (struct rt_clock_row *)(void *)(at->rows + place);
}

RT_INLINE uint64_t behind(const struct lone *at, uint64_t place)
{
	return (place + sizeof(struct rt_clock_row)) & at->mask;
}

/* Tasks leave whose time has come, or, with a full ring, when the first of them does; others have started. */
RT_INLINE void lone_settle(struct lone *at)
{
	uint64_t leave = row_at(at, at->first)->leave;

	if (at->left == at->window && leave > at->now) {
		at->stalls++;
		at->stalled += leave - at->now;
		at->now = leave;
	}
	while (at->may && row_at(at, at->first)->leave <= at->now) {
		at->used -= pair_of(&row_at(at, at->first)->need);
		at->first = behind(at, at->first);
		at->may--;
		at->left--;
	}
	while (at->waiting && row_at(at, at->begun)->start <= at->now) {
		at->begun = behind(at, at->begun);
		at->waiting--;
	}
}

/* The larger of both parts of a mark, whose free bits are set, and of what is used. */
RT_INLINE uint64_t larger(uint64_t mark, uint64_t used)
{
	uint64_t least = (mark - used) & FREE_BITS; /* of parts where the mark is no less */
	uint64_t keep = least - (least >> 31);

	return FREE_BITS | (mark & keep) | (used & ~keep);
}

/* More is used than ever. False, and no mark has changed: it is more than there is. */
RT_INLINE bool lone_mark(const struct rt_clock *clock, struct lone *at, uint64_t used)
{
	if (is_more(used, at->used_most) || at->waiting >= clock->ready_most)
		return false;
	at->ring_mark = rt_later(at->ring_mark, at->left + 1);
	at->ready_mark = rt_later(at->ready_mark, at->waiting + 1);
	at->used_mark = larger(at->used_mark, used);
	return true;
}

/* The next task. False, and it is not issued: something else than the ring is short. */
RT_INLINE bool lone_task(const struct rt_clock *clock, struct lone *at, const struct rt_clock_kept *task)
{
	struct rt_clock_row *row = row_at(at, at->next);
	uint64_t used, start;

	lone_settle(at);
	used = at->used + pair_of(&task->need);
	if ((at->left >= at->ring_mark || at->waiting >= at->ready_mark || is_more(used, at->used_mark)) && !lone_mark(clock, at, used))
		return false;
	at->used = used;
	at->last = at->now;
	start = rt_later(at->end, at->now);
	at->end = start + task->cycles;
	*row = (struct rt_clock_row){start, at->end, at->end, task->need};
	at->next = behind(at, at->next);
	at->left++;
	at->waiting++;
	at->may += at->free;
	return true;
}

/* The kept tasks from `next` on, up to one for which something is short; returns that. */
static const struct rt_clock_kept *lone_tell(struct rt_clock *clock, const struct rt_clock_kept *next, const struct rt_clock_kept *end)
{
	const struct rt_clock_kept *task = next;
	struct lone at = lone_begin(clock);
	uint64_t spacing = clock->spacing;

	while (lone_task(clock, &at, task) && ++task < end)
		at.now += spacing;
	lone_store(clock, &at, (uint32_t)(task - next));
	return task;
}

/* With so few, taking the state into registers costs more than it saves. */
#define FEW 2

void rt_clock_settle_kept(struct rt_clock *clock)
{
	const struct rt_clock_kept *task = clock->kept, *end = clock->kept_end;

	clock->kept_end = clock->kept;
	while (task < end) {
		if (end - task > FEW)
			task = lone_tell(clock, task, end);
		if (task < end)
			rt_clock_kept_task(clock, task++);
	}
}
