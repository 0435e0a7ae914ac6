/* SPDX-License-Identifier: MIT */
/* graph.h - the task graphs w1 to w4 of the peer comparison and that of a llama layer: as bytecode that generates them, and as predecessor lists
 * against which an execution is checked. */
#ifndef TOOLS_BENCH_GRAPH_H
#define TOOLS_BENCH_GRAPH_H

#include "tools/bench/program.h"

enum bench_workload {
	BENCH_W1 = 1, /* a transformer-like block over n tiles: 3n^2 + 13n tasks, 7n^2 + 10n edges */
	BENCH_W2,     /* a wavefront over n x n: n^2 tasks, 2n(n-1) edges */
	BENCH_W3,     /* n independent tasks */
	BENCH_W4,     /* a chain of n tasks, n-1 edges */
	BENCH_LLAMA   /* bench/llama.h: 3n^2 + 16n tasks, 7n^2 + 17n edges */
};

/* Task numbers are a topological order and the order in which the bytecode reaches the tasks. */
struct bench_graph {
	uint32_t tasks;
	uint64_t edges;
	uint32_t *offset;       /* tasks + 1 */
	uint32_t *predecessors; /* of task t: from offset[t] up to offset[t + 1] */
};

/* n at least 1. False without memory. */
bool bench_graph_init(struct bench_graph *graph, enum bench_workload workload, uint32_t n);
void bench_graph_finish(struct bench_graph *graph);
/* The same graph as a program of one kernel; its edges come from the regions that the tasks access. */
void bench_graph_program(struct bench_program *program, enum bench_workload workload, uint32_t n);
/* What a workload is called: "w1", "llama". */
const char *bench_graph_name(enum bench_workload workload);
/* Elements of the program's tensor `row`, shaped elements / columns x columns; 0 behind the last. */
uint64_t bench_graph_tensor(enum bench_workload workload, uint32_t n, uint32_t row);
uint32_t bench_graph_columns(enum bench_workload workload);

#endif
