/* SPDX-License-Identifier: MIT */
/* clocks.h - the issue clocks of process instances and the resources that they share.
 *
 * A workload has one issue clock, which never goes back, so clock.c forgets what has left. Instances take turns in logical order while their clocks
 * stand apart: a task may be issued at an earlier time than the task before it. Reservations at time t are then asked of all tasks that may
 * not have left by the least clock: F is monotone in task order, so what has left by t are the first ones, found by halving; and needs are kept
 * as running sums. `base` keeps what does not depend on whose clock it is: slots, streams, depths, meters, total. An instance's own part of
 * it (now, last, orders) is moved in at the beginning of its turn and out at the end. One thread. */
#ifndef RT_CLOCKS_H
#define RT_CLOCKS_H

#include "rt/time/clock.h"

struct rt_row_of_all {
	uint64_t end, leave; /* leave: once settled */
	uint64_t map, deps;  /* reserved by all tasks before it */
	uint32_t scope;      /* + 1; 0: none around it */
};
struct rt_scope_of_all {
	uint64_t close;
	uint32_t tasks; /* own, not settled */
	uint32_t next;  /* free: the next free one + 1 */
	uint64_t first; /* own task + 1 */
	bool open;
};
/* The latest starts of one ready queue, in order: at[head .. count). */
struct rt_starts {
	uint64_t *at;
	uint32_t head, count, room;
	uint64_t high_water;
};
/* One instance's own time. */
struct rt_own_clock {
	uint64_t now, last;
	bool issued, over;
	uint32_t order_depth;
	struct rt_level_of_order orders[PTOWSP_NESTING_LIMIT + 1];
	uint32_t scopes, scope[PTOWSP_NESTING_LIMIT + 1]; /* the open ones */
};
struct rt_clocks {
	struct rt_clock *base;
	struct rt_own_clock *own;        /* per instance */
	uint32_t count, turn;            /* turn: instance whose part is in base, or PTOWSP_NONE */
	uint64_t first, settled, issued; /* rows of tasks first .. issued - 1; those before settled have F */
	uint64_t leave;                  /* F of the latest settled task */
	uint64_t map, deps;              /* reserved by all tasks so far */
	struct rt_row_of_all *rows;
	uint64_t mask;
	struct rt_scope_of_all *scopes;
	uint32_t scope_count, scope_room, scope_free; /* free: + 1 */
	struct rt_starts starts[RT_POOL_LIMIT];
	bool asked; /* slots are loaded, or there is an ALLOC: these ask when tasks ended until all clocks are behind them */
};

/* All clocks start at base's total. Errors: NO_MEMORY. */
ptowsp_status rt_clocks_init(struct rt_clocks *clocks, struct rt_clock *base, uint32_t instances);
void rt_clocks_finish(struct rt_clocks *clocks);
/* Moves the instance's part into base; PTOWSP_NONE: only out. */
void rt_clocks_turn(struct rt_clocks *clocks, uint32_t instance);
/* The instance has ended; its time counts into the total. */
void rt_clocks_over(struct rt_clocks *clocks);
/* The clock of an instance: base's where it is its turn. */
uint64_t *rt_clocks_now(struct rt_clocks *clocks, uint32_t instance);

/* Can the next task, with these needs, ever be issued while things are as they are? OK; AGAIN: not before a scope ends, *block_out says
 * which resource; TOO_SMALL. */
ptowsp_status rt_clocks_room(const struct rt_clocks *clocks, struct rt_need need, struct rt_block *block_out);
/* After AGAIN of rt_clocks_room for another resource: would the ring, which is asked first, stall the task, and the window is one that aborts? */
bool rt_clocks_aborts(const struct rt_clocks *clocks, const uint32_t *reads, uint32_t read_count);
/* Places in the dependency pool that open scopes hold, or tasks behind what they hold. */
uint64_t rt_clocks_deps_held(const struct rt_clocks *clocks);
/* How many tasks must have given back before the next one is issued; after OK of rt_clocks_room. */
uint64_t rt_clocks_tail(const struct rt_clocks *clocks, struct rt_need need);
/* The next task, of the instance whose turn it is. Errors: RUN_FAILED for a full window in mode abort, NO_MEMORY. */
ptowsp_status rt_clocks_task(struct rt_clocks *clocks, const struct rt_clock_task *task, struct ptowsp_trace_task *trace);
/* The same where an engine keeps the time: only what structure asks about is remembered. Errors: NO_MEMORY. */
ptowsp_status rt_clocks_count(struct rt_clocks *clocks, const struct rt_clock_task *task);
ptowsp_status rt_clocks_scope_begin(struct rt_clocks *clocks);
void rt_clocks_scope_end(struct rt_clocks *clocks);
/* As rt_clock_slot_load, and the instance's clock moves: in a process the load itself waits. */
void rt_clocks_slot_load(struct rt_clocks *clocks, uint32_t slot, uint64_t writer);
/* When all tasks before `tail`, which are settled, have left. Forgotten tasks left before anybody can ask: 0. */
uint64_t rt_clocks_left(const struct rt_clocks *clocks, uint64_t tail);
/* The least clock of an instance that goes on: nobody will ever ask about an earlier time. */
uint64_t rt_clocks_least(const struct rt_clocks *clocks);
/* There is room at time `when`: base's clock moves on if that is later. */
void rt_clocks_stall(struct rt_clock *base, struct rt_meter *meter, uint64_t when);
/* Versions of the task being issued: when there is room for the bytes; that they are taken, with the high-water mark. base->heap keeps what
 * some instance might still find there. */
void rt_clocks_heap_stall(struct rt_clocks *clocks, uint64_t bytes);
void rt_clocks_heap_take(struct rt_clocks *clocks, uint64_t bytes);
/* The instance in whose open scope the first task that cannot leave stands; PTOWSP_NONE if none does. */
uint32_t rt_clocks_holder(const struct rt_clocks *clocks);

/* ---- inside: the rows of tasks that some instance may still ask about ---- */

static inline struct rt_row_of_all *rt_clocks_row(const struct rt_clocks *clocks, uint64_t task)
{
	return &clocks->rows[task & clocks->mask];
}
/* Room for one more row. False when out of memory. */
bool rt_clocks_row_make(struct rt_clocks *clocks);
/* F of every task that no open scope holds, in task order. */
void rt_clocks_settle(struct rt_clocks *clocks);

/* Reserved by tasks `from` .. issued - 1. */
uint64_t rt_clocks_map_from(const struct rt_clocks *clocks, uint64_t from);
uint64_t rt_clocks_deps_from(const struct rt_clocks *clocks, uint64_t from);
/* How many tasks must have left: for a place in the ring; for `need` of what the running sums count. */
uint64_t rt_clocks_ring_tail(const struct rt_clocks *clocks);
uint64_t rt_clocks_map_tail(const struct rt_clocks *clocks, uint64_t need);
uint64_t rt_clocks_deps_tail(const struct rt_clocks *clocks, uint64_t need);

#endif
