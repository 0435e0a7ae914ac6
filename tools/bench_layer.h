/* SPDX-License-Identifier: MIT */
/* bench_layer.h - the llama layer's example package as a program of the runtime core whose kernels do nothing. */
#ifndef TOOLS_BENCH_LAYER_H
#define TOOLS_BENCH_LAYER_H

#include "format/package.h"
#include "rt/rt.h"

#define BENCH_LAYER_SECTIONS 32u

/* One sequence length. Of the package's schedule only hazards and deps are replaced; the rest stays. */
struct bench_layer {
	struct pkg *package;
	struct ptowsp_section sections[BENCH_LAYER_SECTIONS];
	uint32_t section_count, entry;
	struct ptowsp_directive_record schedule[16];
	uint64_t *values;                /* one per SLOT row */
	struct ptowsp_binding *bindings; /* one per tensor; all share one memory, which nobody touches */
	uint32_t binding_count;
	void *memory;
	struct rt_program *program;
	struct rt_pool *pool;
};

/* iterations: M of each loop, which makes 16 M + 3 M^2 tasks; at least 256 only in multiples of 128. deps: PTOWSP_DEPS_x, hazards: PTOWSP_HAZARDS_x; window: 0 = as the package says.
 * Destroy with bench_layer_finish also after a failure. Errors: those of opening and lowering; TOO_SMALL if the package makes
 * another number of tasks. */
ptowsp_status bench_layer_init(struct bench_layer *layer, const char *path, uint32_t iterations, unsigned deps, unsigned hazards,
			       uint32_t window, unsigned threads, struct ptowsp_error *error);
void bench_layer_finish(struct bench_layer *layer);
/* One run; flags: PTOWSP_RUN_NO_KERNELS or 0. */
ptowsp_status bench_layer_run(struct bench_layer *layer, uint32_t flags, const struct rt_sinks *sinks,
			      struct ptowsp_run_stats *stats_out, struct ptowsp_error *error);
static inline uint64_t bench_layer_tasks(uint32_t iterations)
{
	return 16 * (uint64_t)iterations + 3 * (uint64_t)iterations * iterations;
}

#endif
