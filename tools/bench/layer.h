/* SPDX-License-Identifier: MIT */
/* layer.h - the llama layer's example package as a program of the runtime core whose kernels cost and touch what their
 * bodies say, and do nothing when called. */
#ifndef TOOLS_BENCH_LAYER_H
#define TOOLS_BENCH_LAYER_H

#include "tools/bench/bodies.h"

#define BENCH_LAYER_SECTIONS 32u

/* One sequence length. Of the package's schedule only hazards and deps are replaced; the rest stays. */
struct bench_layer {
	/* set by the caller, before bench_layer_init */
	uint32_t iterations;    /* M of each loop, which makes 16 M + 3 M^2 tasks; at least 256 only in multiples of 128 */
	unsigned deps, hazards; /* PTOWSP_DEPS_x, PTOWSP_HAZARDS_x */
	uint32_t window;        /* 0: as the package says */
	unsigned threads;
	uint64_t work;          /* multiply-adds per task: bench_spin_count; may be changed between runs */
	uint64_t first_ns;      /* when the first kernel of the latest run began; the caller sets it to 0 before */
	/* made */
	struct pkg *package;
	struct ptowsp_section sections[BENCH_LAYER_SECTIONS];
	uint32_t section_count, entry;
	struct ptowsp_directive_record schedule[16];
	uint64_t *values;                /* one per SLOT row */
	struct ptowsp_binding *bindings; /* one per tensor; all share one memory, which nobody touches */
	uint32_t binding_count;
	void *memory;
	struct bench_bodies bodies;
	struct rt_program *program;
	struct rt_pool *pool;
};

/* Destroy with bench_layer_finish also after a failure. Errors: those of opening and lowering; TOO_SMALL if the package makes
 * another number of tasks. */
ptowsp_status bench_layer_init(struct bench_layer *layer, const char *path, struct ptowsp_error *error);
void bench_layer_finish(struct bench_layer *layer);
/* One run; flags: PTOWSP_RUN_NO_KERNELS or 0. */
ptowsp_status bench_layer_run(struct bench_layer *layer, uint32_t flags, const struct rt_sinks *sinks,
			      struct ptowsp_run_stats *stats_out, struct ptowsp_error *error);
/* The way from the file to the first kernel, made anew for a layer like this one: opening, lowering, and a run. *ns_out: until the first kernel begins. */
ptowsp_status bench_layer_start(const struct bench_layer *like, const char *path, double *ns_out, struct ptowsp_error *error);
/* As rt_survey. */
ptowsp_status bench_layer_survey(struct bench_layer *layer, struct rt_survey *survey_out, struct ptowsp_error *error);
static inline uint64_t bench_layer_tasks(uint32_t iterations)
{
	return 16 * (uint64_t)iterations + 3 * (uint64_t)iterations * iterations;
}

#endif
