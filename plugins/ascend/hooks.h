/* SPDX-License-Identifier: MIT */
/* hooks.h - what both Ascend backends do behind the hooks of base. The engine of an instance's programs follows from its options: the machine of this library, the threads
 * and the clock of rt, or a pto-runtime. A backend adds its table of options, its devices' kind and what its hardware needs. */
#ifndef ASCEND_HOOKS_H
#define ASCEND_HOOKS_H

#include "ascend/ascend_arch.h"
#include "ascend/ascend_options.h"
#include "base/backend.h"

/* Devices of kind `onboard` or simulated ones, those of the option `device` first, with engine and cycle model of the options. */
const struct base_model *ascend_hook_models(const struct base_options *options, bool onboard, uint32_t *count_out);
/* Rows of a pto-runtime under these options, as base_backend.caps; NULL: of the variant that is the default. */
uint32_t ascend_hook_caps(const struct base_options *options, bool onboard, struct ptowsp_cap *rows_out);
/* As in struct base_backend. open: for simulated devices. */
ptowsp_status ascend_hook_open(struct base_device *device, struct ptowsp_error *error);
/* For a device whose hardware was found; number: its place among those of the machine. Errors: NO_DEVICE without runtime=DIR; of ascend_engine_open. */
ptowsp_status ascend_hook_open_onboard(struct base_device *device, int number, struct ptowsp_error *error);
void ascend_hook_close(struct base_device *device);
ptowsp_status ascend_hook_bind(struct base_program *program, struct ptowsp_error *error);
ptowsp_status ascend_hook_load(struct base_program *program, const struct ptowsp_load_args *args, struct ptowsp_error *error);
void ascend_hook_unload(struct base_program *program);
ptowsp_status ascend_hook_run(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out,
			      struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error);

/* The extension "ptowsp.artifact/1": what ascend_emit.h writes, without a device. The table, if that is what is asked for; else NULL. For base_backend.extension. Any thread. */
const void *ascend_artifact_extension(struct ptowsp_object *instance, const char *id);

#endif
