/* SPDX-License-Identifier: MIT */
/* options.h - the backend's own options: --opt KEY=VALUE. */
#ifndef CPU_SIM_OPTIONS_H
#define CPU_SIM_OPTIONS_H

#include "ptowsp/plugin.h"

struct cpu_options {
	unsigned opt_level; /* 0 to 3; kernels are interpreted, so all levels run the same way */
	unsigned fixed_map; /* 1: the tensor map is a fixed pool */
	unsigned profiling; /* 1: wall time per kernel is logged after each run */
	unsigned debug;     /* 1: what serves each kernel is logged at load */
	unsigned schedulers; /* instances that generate tasks from the bytecode, 1 to 64 */
	unsigned replay;    /* loops that repeat themselves are replayed: enum rt_replay_when */
	unsigned own_clock; /* this backend's own clock is the reference clock */
	unsigned fast;      /* 1: portable kernels may fuse and reorder sums of floats */
};

/* Defaults, then the settings in order. Errors: INVALID naming key, value and what would do. */
ptowsp_status cpu_options_read(struct cpu_options *options_out, const struct ptowsp_init_args *args,
			       struct ptowsp_error *error);
/* The op of the same name. */
ptowsp_status cpu_options_list(const struct ptowsp_option **options_out, uint32_t *count, struct ptowsp_error *error);

#endif
