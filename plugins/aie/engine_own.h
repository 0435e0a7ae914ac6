/* SPDX-License-Identifier: MIT */
/* engine_own.h - what the files of the engine share. */
#ifndef AIE_ENGINE_OWN_H
#define AIE_ENGINE_OWN_H

#include "base/planned.h"
#include "base/program.h"
#include "map.h"
#include "options.h"

struct aie_loaded {
	struct base_program *program;
	const struct aie_arch *arch;
	struct base_planned kernels;
	struct rt_program *planned;
	struct base_walk walk;        /* of the latest run, as the next one */
	struct aie_map map;
	void **bases;                 /* per TENS row, of the run: where it lies */
	struct aie_tensor *tensors;   /* per TENS row, of the run */
	uint8_t *kept;                /* per TENS row */
	uint64_t *stacks;             /* per KREG row */
};
struct aie_run {
	struct aie_loaded *loaded;
	const struct rt_run_args *args;
	struct ptowsp_error *error;
};
/* engine_go.c: reads the text of the map, runs what it says, tells the feed. */
ptowsp_status aie_engine_go(struct aie_run *run, struct rt_feed *feed);

#endif
