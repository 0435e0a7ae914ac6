/* SPDX-License-Identifier: MIT */
/* program.h - a loaded package: kernels bound, bytecode verified and lowered. */
#ifndef CPU_SIM_PROGRAM_H
#define CPU_SIM_PROGRAM_H

#include "device.h"
#include "kernels.h"
#include "trace.h"

struct cpu_program {
	struct cpu_device *device;
	struct cpu_program *next;    /* in the device */
	struct cpu_kernels kernels;
	struct rt_program *rt;
	struct cpu_shards shards;
	struct cpu_trace trace;
	uint32_t in_flight;          /* guarded by device->lock */
};

ptowsp_status cpu_load(struct ptowsp_object *device, const struct ptowsp_load_args *args, struct ptowsp_object **program_out,
		       struct ptowsp_error *error);
/* INVALID while a run of the program is going on: the program stays as it is. */
ptowsp_status cpu_unload(struct ptowsp_object *program, struct ptowsp_error *error);
ptowsp_status cpu_stats(struct ptowsp_object *program, struct ptowsp_run_stats *stats_out, struct ptowsp_error *error);

/* One run on the calling thread and the pool's; outputs as rt_run. Runner thread only. */
ptowsp_status cpu_program_run(struct cpu_program *program, const struct cpu_run *run, struct ptowsp_run_stats *stats_out,
			      struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error);
void cpu_program_destroy(struct cpu_program *program);

#endif
