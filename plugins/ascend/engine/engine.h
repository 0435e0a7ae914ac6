/* SPDX-License-Identifier: MIT */
/* engine.h - the pto-runtime engine of a backend made of base: what its hooks open, load, run, unload and close call where engine=pto-runtime. */
#ifndef ASCEND_ENGINE_H
#define ASCEND_ENGINE_H

#include "ascend/engine/files.h"
#include "base/program.h"

struct ascend_engine; /* of a device */
struct ascend_loaded; /* of a program */

struct ascend_engine_how {
	const char *cache;   /* as in compile.h */
	const char *records; /* a folder where the runtime writes its records of the latest run; "": nothing */
	bool mapped;         /* its own map finds edges between tasks that touch a tensor */
};
/* which and how: copied, paths may be relative; device: its number. Errors: of ascend_objects_make and ascend_client_open. */
ptowsp_status ascend_engine_open(struct ascend_engine **engine_out, const struct ascend_which *which, const struct ascend_engine_how *how, int device,
				 struct ptowsp_error *error);
void ascend_engine_close(struct ascend_engine *engine); /* NULL is allowed; after the last program */

/* Behind base's load. Errors: UNSUPPORTED for channels of payload, and on a device for kernels without a payload for its cores; of ascend_callable_make and
 * ascend_client_register; of rt_program_create. */
ptowsp_status ascend_engine_load(struct ascend_engine *engine, struct ascend_loaded **loaded_out, struct base_program *program,
				 const struct ptowsp_load_args *args, struct ptowsp_error *error);
void ascend_engine_unload(struct ascend_loaded *loaded); /* NULL is allowed */
/* In place of rt_run. The plan of the run is made, checked against the limits of the variant, and given to the runtime. Statistics are those of structure: the
 * runtime tells no times. Errors: of rt_run, ascend_direction_check, ascend_plan_make, ascend_plan_check, ascend_client_run; KERNEL_FAILED of the first task that failed. */
ptowsp_status ascend_engine_run(struct ascend_loaded *loaded, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out,
				struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error);

/* Capability rows under this engine, before those of base and rt: what it does not enforce. variant: ASCEND_HOST_GRAPH or ASCEND_TASK_BUFFER; onboard: on a device; mapped: its map finds edges; recorded: it writes down when tasks were on cores.
 * As base_backend.caps. */
uint32_t ascend_engine_caps(const char *variant, bool onboard, bool mapped, bool recorded, struct ptowsp_cap *rows_out);

#endif
