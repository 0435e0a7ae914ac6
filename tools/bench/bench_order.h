/* SPDX-License-Identifier: MIT */
/* bench_order.h - limit-static: no runtime, but what two threads reach that each walk a list of tasks made before, and wait where the other has to be ahead. */
#ifndef TOOLS_BENCH_ORDER_H
#define TOOLS_BENCH_ORDER_H

#include "tools/bench/nest.h"

struct bench_order_task {
	uint32_t *windows[BENCH_NEST_WINDOWS];
	uint64_t by;
	uint32_t number, wait; /* wait: so many of the other thread's tasks have to be over */
	uint32_t step;
};

/* The tasks of a walk, by the thread that does them. */
struct bench_order {
	struct bench_order_task *tasks[2];
	uint32_t count[2], room[2];
	uint64_t edges; /* unique pairs of a task and one that wrote what it reads */
	const struct bench_nest *nest;
	struct bench_tile *tiles; /* while it is made */
	uint32_t tile_room, tile_count;
	bool failed;
};

/* Walks the shape, on the tensors of nest, whose kernel and context it uses; none runs. Finish also after a failure. False without memory. */
bool bench_order_init(struct bench_order *order, struct bench_nest *nest, const struct bench_shape *shape);
void bench_order_finish(struct bench_order *order);
/* All tasks once, on the tensors that nest had. *ns_out: execution alone. False if there is no second thread. */
bool bench_order_run(const struct bench_order *order, double *ns_out);

#endif
