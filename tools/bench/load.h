/* SPDX-License-Identifier: MIT */
/* load.h - one of the workloads of bench/graph.h as a program of the runtime core whose kernel counts its task, after a stated amount of work if there is
 * any, and checks the order if asked. The graph is generated from bytecode in every run. */
#ifndef TOOLS_BENCH_LOAD_H
#define TOOLS_BENCH_LOAD_H

#include <stdatomic.h>
#include "rt/rt.h"
#include "tools/bench/graph.h"

#define BENCH_LOAD_TENSORS 40u

struct bench_load {
	/* set by the caller, before bench_load_init */
	enum bench_workload workload;
	unsigned n, threads;
	unsigned window;            /* 0: the default */
	unsigned hazards, deps;     /* PTOWSP_HAZARDS_x, PTOWSP_DEPS_x */
	uint64_t work;              /* multiply-adds per task: bench_spin_count; may be changed between runs */
	/* made */
	struct bench_graph graph;
	_Atomic uint32_t *counters; /* executions so far, one per task */
	uint32_t epoch;             /* runs so far; the kernel reads it and the next, which change between runs only */
	bool check;
	_Atomic uint32_t bad_order;
	uint32_t bad_count;
	struct rt_pool *pool;
	struct rt_program *program;
	struct ptowsp_binding bindings[BENCH_LOAD_TENSORS];
	uint32_t binding_count;
	float *data; /* of all tensors: nobody looks at it */
};

/* Call bench_load_finish also after a failure. n at most 4096 for w1, w2 and llama: task numbers have 32 bits. */
ptowsp_status bench_load_init(struct bench_load *load, struct ptowsp_error *error);
void bench_load_finish(struct bench_load *load);
/* One generation and execution, and then a look at the counters; what is wrong adds up in bad_order and bad_count. check: the order too. flags: PTOWSP_RUN_x;
 * without kernels nothing is counted. *ns_out: its wall time. */
ptowsp_status bench_load_run(struct bench_load *load, uint32_t flags, bool check, const struct rt_sinks *sinks, double *ns_out,
			     struct ptowsp_error *error);
/* For executions that are not the core's: begin, then bench_load_task for each task from any thread, then end, which looks at the counters. */
void bench_load_begin(struct bench_load *load, bool check);
void bench_load_task(struct bench_load *load, uint32_t task);
void bench_load_end(struct bench_load *load);
/* As rt_survey. */
ptowsp_status bench_load_survey(struct bench_load *load, struct rt_survey *survey_out, struct ptowsp_error *error);

#endif
