/* SPDX-License-Identifier: MIT
 * taskgraph_run.h - sources with graphs, compiled and run on cpu_sim in this process, with kernels that tell what they were called with:
 *
 *	struct graph_run *r = graph_run_open(text, NULL);   compiles, loads; NULL entry: the default one
 *	graph_run_bind(r, "X", x, 8);
 *	graph_run_go(r);                                    r->status, r->times, r->calls
 *	graph_run_close(r);
 *
 * C functions that serve kernels by entry symbol: tickN costs N cycles for N of 1, 10, 100; they touch nothing. `mark` adds its block + 1 to the
 * i32 at the beginning of each window it may write, and costs 10. */
#ifndef PTOWSP_TESTS_GRAPH_RUN_H
#define PTOWSP_TESTS_GRAPH_RUN_H

#include "host/ptowsp_host.h"
#include "tests/lang/source.h"

enum { GRAPH_RUN_TASKS = 1800 };
struct graph_run {
	struct source source;
	struct ptowsp_package *package;
	struct ptowsp_plan *plan;
	struct ptowsp_backend *backend;
	struct ptowsp_program *program;
	struct ptowsp_error error;
	ptowsp_status status;
	char log[4096];
	struct ptowsp_trace_task tasks[GRAPH_RUN_TASKS];
	uint32_t task_count;
	char last[64];    /* "task 7 A": the latest one that was traced */
	char times[4096]; /* "A 0-10 B 10-20": kernels in the order of tasks, with start and end */
};

/* What the latest calls of `mark` saw; guarded inside. */
struct graph_call {
	uint64_t task;
	uint32_t block, block_count, executor;
	const void *data[4];
	uint64_t columns[4];
	uint16_t dtype[4], access[4];
	const void *workspace;
	uint64_t workspace_size;
};
extern struct graph_call graph_calls[1024];
extern uint32_t graph_call_count;

/* NULL after an error, which has failed the test. */
struct graph_run *graph_run_open(const char *text, const char *entry, uint32_t threads);
/* The same up to the compilation: messages are expected. */
void graph_run_bind(struct graph_run *run, const char *tensor, void *data, uint64_t elements);
void graph_run_set(struct graph_run *run, const char *name, const char *value);
ptowsp_status graph_run_go(struct graph_run *run);
ptowsp_status graph_run_count(struct graph_run *run); /* without kernels */
void graph_run_close(struct graph_run *run);

#endif
