/* SPDX-License-Identifier: MIT */
/* program.h - a loaded package: kernels bound, bytecode verified and lowered. */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

#include "device.h"
#include "hints.h"
#include "kernels.h"
#include "trace/trace.h"

struct base_program {
	struct base_device *device;
	void *own;                 /* the backend's */
	uint32_t hooked;           /* bind or load was called */
	struct base_program *next; /* in the device */
	struct base_kernels kernels;
	struct rt_program *rt;
	struct base_shards shards;
	struct base_hints *hints; /* owned; NULL: the program wishes nothing */
	struct base_trace trace;
	const struct ptowsp_load_args *loading; /* inside of load, else NULL */
	uint32_t in_flight;                     /* guarded by device->lock */
};

ptowsp_status base_load(struct ptowsp_object *device, const struct ptowsp_load_args *args, struct ptowsp_object **program_out, struct ptowsp_error *error);
/* Arguments of load as the ABI says them. Errors: INVALID, UNKNOWN_FIELD. */
ptowsp_status base_load_args_check(const struct base_instance *instance, const struct ptowsp_load_args *args, struct ptowsp_error *error);
/* INVALID while a run of the program is going on: the program stays as it is. */
ptowsp_status base_unload(struct ptowsp_object *program, struct ptowsp_error *error);
ptowsp_status base_stats(struct ptowsp_object *program, struct ptowsp_run_stats *stats_out, struct ptowsp_error *error);

/* Bytes of the tensors that a run is given, and of the tiles of all threads. */
uint64_t base_given_bytes(const struct base_program *program, const struct ptowsp_run_args *args);
/* One run on the calling thread and the pool's; outputs as rt_run. Runner thread only. */
ptowsp_status base_program_run(struct base_program *program, const struct base_run *run, struct ptowsp_run_stats *stats_out,
			       struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error);
void base_program_destroy(struct base_program *program);

#endif
