/* SPDX-License-Identifier: MIT */
/* spu_orders.h - what each task of a walk comes behind: its predecessors; the task before it of its stream, its executor and the domains of pipeline_depth; of a process
 * what the process did last and what its tokens bring along. And gates: points at which nothing is submitted until all tasks before some number have ended. StarPU is told
 * the orders, the clock of the run stands on them, and real times are held against them. One thread. */
#ifndef SPU_ORDERS_H
#define SPU_ORDERS_H

#include "base/lanes.h"
#include "rt/process/vector_clock.h"

struct spu_gate {
	uint64_t at, number; /* before task `at`: all tasks before `number` */
};
struct spu_orders {
	const struct base_walk *walk;
	struct base_lanes lanes;
	struct rt_vector_clocks clocks;
	uint64_t *begins; /* owned, per task and behind the last: its first one in the list */
	uint32_t *list;   /* owned */
	struct spu_gate *gates;
	uint32_t count, room, gate_count, gate_room;
};

/* False: no memory, here and below. To be finished in any case. */
bool spu_orders_init(struct spu_orders *orders, const struct base_walk *walk);
void spu_orders_finish(struct spu_orders *orders);
/* The next task; begins[number] up to begins[number + 1] are there then. */
bool spu_orders_task(struct spu_orders *orders, uint64_t number);
bool spu_orders_gate(struct spu_orders *orders, uint64_t at, uint64_t number);

#endif
