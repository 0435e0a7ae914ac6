/* SPDX-License-Identifier: MIT
 * graph_maker.h - random built graphs for the tests of rt/graph*.h, and what a test task writes down. */
#ifndef PTOWSP_TESTS_GRAPH_MAKER_H
#define PTOWSP_TESTS_GRAPH_MAKER_H

#include "rt/graph/graph_build.h"
#include "rt/graph/graph_run.h"
#include <stdatomic.h>

/* xorshift; *state is not 0. */
uint32_t graph_pick(uint64_t *state, uint32_t n);
enum { GRAPH_STREAMS = 1, GRAPH_ORDERS = 2, GRAPH_POOLS = 4 };
/* A graph of `tasks` tasks, each with up to `most` predecessors among the 40 before it. REQUIREs that it can be made and checked. To be freed. */
void *graph_make(uint64_t seed, uint32_t tasks, uint32_t most, unsigned with, uint64_t *size_out);

/* When each task began and ended, on one counter. */
struct graph_diary {
	const struct rt_graph *graph;
	_Atomic uint32_t now;
	uint32_t *began, *ended; /* 0: not yet */
	uint32_t *worker;
	_Atomic uint32_t twice; /* tasks that began a second time */
	uint32_t fail_at;       /* a task that fails, or RT_GRAPH_NONE */
};
void graph_diary_init(struct graph_diary *diary, const struct rt_graph *graph);
void graph_diary_finish(struct graph_diary *diary);
ptowsp_status graph_diary_task(void *diary, uint32_t task, uint32_t worker, struct ptowsp_error *error);
/* NULL if every task ran once, behind everything that it had to wait for; else what is wrong. */
const char *graph_diary_check(const struct graph_diary *diary);

#endif
