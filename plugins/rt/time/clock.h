/* SPDX-License-Identifier: MIT */
/* clock.h - semantic time. It is told, in order, what the expander met and what each task cost, and computes issue, start and end of every task,
 * stalls and high-water marks. It never looks at threads or at wall time and nothing that runs depends on it, so it is the same on every
 * machine.
 *
 *   a      issue clock: never goes back
 *   F(i)   when task i leaves: max(F(i-1), end(i), close(i)); monotone, so tasks before `gone` have left at time a
 *   rows   what is remembered of tasks gone .. issued - 1 and of the window: start, end, F, reservations
 *   begun  with one executor tasks start in order, so those before `begun` have started at time a; gone <= begun
 */
#ifndef RT_CLOCK_H
#define RT_CLOCK_H

#include "ptowsp/plugin.h"
#include "registry/common/common_arena.h"
#include "rt/program/rt_schedule.h"
#include "rt/structure/arena.h"
#include "rt/structure/flow.h"
#include "rt/time/waiting.h"
#include <stdbool.h>

struct rt_clock_row {
	uint64_t start, end, leave;
	struct rt_need need;
};
/* The d largest ends of a domain: a heap, the least first. */
struct rt_ends {
	uint64_t *ends;
	uint32_t count, room;
};
struct rt_level_of_order {
	uint64_t before; /* largest end of earlier iterations, here and in every construct around */
	uint64_t now;    /* largest end so far inside */
};
struct rt_meter {
	uint64_t high_water, stalls, cycles;
	uint64_t used; /* of an engine: right after its latest issue; the clocks of rt have it themselves */
};
static inline void rt_meter_stall(struct rt_meter *meter, uint64_t cycles)
{
	meter->stalls += cycles != 0;
	meter->cycles += cycles;
}
static inline void rt_meter_mark(struct rt_meter *meter, uint64_t use)
{
	if (use > meter->high_water)
		meter->high_water = use;
}

/* A task of a lone clock of which it has not been told. */
struct rt_clock_kept {
	uint64_t cycles;
	struct rt_need need;
};
#define RT_CLOCK_KEPT 64u
/* Places that a pool of a lone clock does not reach. */
#define RT_LONE_MOST (UINT64_C(1) << 30)

struct rt_listener;
struct rt_clock {
	struct common_arena *arena; /* where what the configuration sizes lies; set by rt_clock_init */
	/* configuration */
	uint64_t window, map_capacity, deps_capacity, ready_capacity; /* 0: unbounded */
	uint64_t ring_most, map_most, deps_most, ready_most;          /* the same, UINT64_MAX: unbounded; set by rt_clock_init */
	uint64_t stalling;                                            /* ring_most where a full ring stalls, else UINT64_MAX; set by rt_clock_init */
	uint32_t window_mode;
	uint64_t spacing; /* a(i) >= a(i-1) + spacing */
	uint64_t floor;   /* nothing starts earlier: start(threshold) */
	uint64_t streams;
	const struct rt_depth *depths;
	uint32_t depth_count;
	uint32_t executors; /* per pool */
	bool single;        /* bounded, with one pool of one executor for ever: `begun` stands for its ready queue */
	bool gated;         /* there are depths or streams; set by rt_clock_init */
	bool ringed;        /* rows of all tasks that have not gone, and of the window, always have room, and a full ring stalls; set with mask */
	bool lone;          /* ringed, single, not gated, pools below RT_LONE_MOST, and nobody hears of stalls: clock_lone.c; set with mask */
	/* state */
	uint64_t now, last, issued, gone, begun, settled, leave, total;
	uint64_t map_used, deps_used; /* by tasks gone .. issued - 1 */
	struct rt_clock_row *rows;
	uint64_t mask;
	uint64_t held_first[PTOWSP_NESTING_LIMIT + 1]; /* open scopes: first own task + 1, 0: none */
	uint32_t scopes;
	struct rt_level_of_order orders[PTOWSP_NESTING_LIMIT + 1];
	uint32_t order_depth;
	uint64_t *known;  /* per SLOT row: V, when its value is there */
	uint64_t *events; /* per EVNT row: end of all tasks before its latest signal */
	uint32_t event_count;
	bool of_instance;    /* `now` is that of a process instance, which is never before the end of its tasks */
	uint64_t copies_end; /* the largest end of a copy; told from outside */
	struct rt_arena heap;
	uint64_t *free; /* per executor, counted on through the pools */
	uint32_t pools; /* with an entry in free and waiting */
	uint64_t *stream_ends;
	struct rt_waiting *waiting;           /* per pool, unless single */
	struct rt_ends *ends[RT_DEPTH_LIMIT]; /* per domain, one or more heaps */
	uint32_t ends_count[RT_DEPTH_LIMIT];
	struct rt_meter meters[PTOWSP_RESOURCE_COUNT];
	struct rt_meter *ready_meters;  /* per pool */
	bool out_of_memory;             /* sticky */
	const struct rt_listener *tell; /* listener.h: hears of stalls; NULL: nobody */
	struct rt_clock_kept *kept_end;
	struct rt_clock_kept kept[RT_CLOCK_KEPT]; /* up to kept_end, behind `issued`; none where anybody looks: rt_clock_catch_up */
};
struct rt_clock_task {
	uint64_t cycles;
	struct rt_need need;
	uint32_t pool, executor, stream, kernel; /* executor: counted on through the pools */
	uint32_t depth_loops;                    /* bit k: task of the loop that depths[k] names */
	uint32_t owner;                          /* the scheduler instance that it belongs to */
	uint64_t heap;                           /* bytes of the versions it makes */
	uint32_t pred_count;
	const uint64_t *preds;
};
/* When it runs. */
struct rt_clock_times {
	uint64_t start, end;
};

/* slots: SLOT rows. The caller has filled the configuration; rows is NULL or a block of malloc's of rows_size bytes, rt_clock_least at least, which the clock
 * takes over; the arena outlives the clock. Errors: NO_MEMORY. */
ptowsp_status rt_clock_init(struct rt_clock *clock, struct common_arena *arena, uint32_t slots, size_t rows_size);
void rt_clock_finish(struct rt_clock *clock);
/* Bytes of the rows: those that there are, those that a clock so configured begins with. */
size_t rt_clock_size(const struct rt_clock *clock);
size_t rt_clock_least(const struct rt_clock *clock);
/* Room for pools 0 .. pools - 1. False when out of memory. */
bool rt_clock_pools(struct rt_clock *clock, uint32_t pools);

/* One that was kept; a lone clock, whose ring stalls, refuses none. */
void rt_clock_kept_task(struct rt_clock *clock, const struct rt_clock_kept *kept);
/* clock_lone.c: the clock is told of the tasks that are kept, of which there is at least one. */
void rt_clock_settle_kept(struct rt_clock *clock);
/* The next task of a lone clock is kept. */
static inline void rt_clock_keep(struct rt_clock *clock, uint64_t cycles, struct rt_need need)
{
	*clock->kept_end++ = (struct rt_clock_kept){cycles, need};
	if (clock->kept_end == clock->kept + RT_CLOCK_KEPT)
		rt_clock_settle_kept(clock);
}
/* rt_clock_settle_kept, if there is a task: before anybody looks at the clock or tells it something else. */
static inline void rt_clock_catch_up(struct rt_clock *clock)
{
	if (clock->kept_end > clock->kept)
		rt_clock_settle_kept(clock);
}
/* The next task. RUN_FAILED: the window is full and its mode is abort. */
ptowsp_status rt_clock_task(struct rt_clock *clock, const struct rt_clock_task *task, struct rt_clock_times *times);
/* Parts of rt_clock_task, for clocks_task.c: the earliest start by issue clock, orders, depths and stream; and a task's change of these by its end. */
uint64_t rt_clock_gates(struct rt_clock *clock, const struct rt_clock_task *task);
void rt_clock_enter(struct rt_clock *clock, const struct rt_clock_task *task, uint64_t end);
/* The next task, which can never be issued, first meets a full ring in mode abort. */
bool rt_clock_aborts(struct rt_clock *clock);
/* F of every task that no open scope holds. */
void rt_clock_settle_all(struct rt_clock *clock);
/* The same behind the latest task, whose row it is. */
static inline void rt_clock_settle(struct rt_clock *clock, struct rt_clock_row *row)
{
	if (clock->scopes) {
		if (!clock->held_first[clock->scopes - 1])
			clock->held_first[clock->scopes - 1] = clock->issued;
		rt_clock_settle_all(clock);
		return;
	}
	if (row->end > clock->leave)
		clock->leave = row->end;
	row->leave = clock->leave;
	clock->settled = clock->issued;
}
/* Tasks of the pool that have been issued and had not started at the time of the latest issue. */
static inline uint64_t rt_clock_waiting(const struct rt_clock *clock, uint32_t pool)
{
	return clock->single ? clock->issued - clock->begun : rt_waiting_count(&clock->waiting[pool]);
}
void rt_clock_scope_begin(struct rt_clock *clock);
void rt_clock_scope_end(struct rt_clock *clock);
void rt_clock_order_begin(struct rt_clock *clock);
void rt_clock_order_step(struct rt_clock *clock);
void rt_clock_order_end(struct rt_clock *clock);
void rt_clock_read(struct rt_clock *clock, const uint32_t *slots, uint32_t count);
void rt_clock_slot_set(struct rt_clock *clock, uint32_t slot, const uint32_t *reads, uint32_t count);
/* writer: number + 1 of the latest task that wrote the element, 0 for none. */
void rt_clock_slot_load(struct rt_clock *clock, uint32_t slot, uint64_t writer);

/* clock_depth.c: heaps of ends, as configured (false when out of memory); the earliest start that depths allow; a task that ends then. */
bool rt_clock_depth_init(struct rt_clock *clock);
void rt_clock_depth_finish(struct rt_clock *clock);
uint64_t rt_clock_depth_time(struct rt_clock *clock, const struct rt_clock_task *task);
void rt_clock_depth_enter(struct rt_clock *clock, const struct rt_clock_task *task, uint64_t end);
/* clock_sync.c: a task's bytes of the heap: when is there room, and, once it is known when the task is issued, they are taken. */
void rt_clock_heap_stall(struct rt_clock *clock, uint64_t bytes);
void rt_clock_heap_take(struct rt_clock *clock, uint64_t bytes);
/* clock_sync.c: SIGNAL and WAIT of event a; BARRIER; FENCE; ALLOC of a bytes; FREE of b bytes when the tasks before a have left. Errors: NO_MEMORY. */
ptowsp_status rt_clock_sync(struct rt_clock *clock, unsigned op, uint64_t a, uint64_t b);

#endif
