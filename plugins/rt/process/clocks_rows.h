/* SPDX-License-Identifier: MIT */
/* clocks_rows.h - inside of the clocks: the rows of tasks that some instance may still ask about. */
#ifndef RT_CLOCKS_ROWS_H
#define RT_CLOCKS_ROWS_H

#include "rt/process/clocks.h"

static inline uint64_t rt_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline struct rt_row_of_all *rt_clocks_row(const struct rt_clocks *clocks, uint64_t task)
{
	return &clocks->rows[task & clocks->mask];
}
/* Room for one more row. False when out of memory. */
bool rt_clocks_row_make(struct rt_clocks *clocks);
/* F of every task that no open scope holds, in task order. */
void rt_clocks_settle(struct rt_clocks *clocks);

/* clocks_room.c: reserved by tasks `from` .. issued - 1. */
uint64_t rt_clocks_map_from(const struct rt_clocks *clocks, uint64_t from);
uint64_t rt_clocks_deps_from(const struct rt_clocks *clocks, uint64_t from);
/* How many tasks must have left: for a place in the ring; for `need` of what the running sums count. */
uint64_t rt_clocks_ring_tail(const struct rt_clocks *clocks);
uint64_t rt_clocks_map_tail(const struct rt_clocks *clocks, uint64_t need);
uint64_t rt_clocks_deps_tail(const struct rt_clocks *clocks, uint64_t need);

#endif
