/* SPDX-License-Identifier: MIT */
/* pto.h - the pto-runtime engine as the Ascend backends offer it: their options for it, and hooks of base that pass on to engine.h. */
#ifndef ASCEND_PTO_H
#define ASCEND_PTO_H

#include "ascend/engine/engine.h"
#include "base/backend.h"
#include "base/options.h"

/* Constant after init; a member of the backend's options. */
struct ascend_pto {
	unsigned engine;  /* enum ascend_pto_engine */
	unsigned variant; /* place in ascend_pto_variants */
	char runtime[BASE_TEXT], cache[BASE_TEXT];
};
enum ascend_pto_engine { ASCEND_PTO_RUNTIME, ASCEND_BUILT_IN }; /* a device has the first one only */
extern const char *const ascend_pto_variants[2];

/* Rows of a backend's table, whose options struct has `pto` at this place. */
#define ASCEND_PTO_OPTIONS(type, pto)                                                                                                                          \
	{BASE_OPTION("runtime", "path", "", "", "the root of a pto-runtime that was built in place"), offsetof(type, pto.runtime), 0, {NULL}, 0, 0},           \
		{BASE_OPTION("variant", "word", ASCEND_TASK_BUFFER, ASCEND_TASK_BUFFER "|" ASCEND_HOST_GRAPH, "which of its runtimes runs a program"),         \
		 offsetof(type, pto.variant),                                                                                                                  \
		 0,                                                                                                                                            \
		 {ASCEND_TASK_BUFFER, ASCEND_HOST_GRAPH},                                                                                                      \
		 0,                                                                                                                                            \
		 0},                                                                                                                                           \
	{                                                                                                                                                      \
		BASE_OPTION("cache", "path", "", "", "where what is compiled for it is kept; empty: $XDG_CACHE_HOME/ptowsp or ~/.cache/ptowsp"),               \
			offsetof(type, pto.cache), 0, {NULL}, 0, 0                                                                                             \
	}
#define ASCEND_PTO_ENGINE(type, pto)                                                                                                                           \
	{                                                                                                                                                      \
		BASE_OPTION("engine", "word", "built-in", "built-in|pto-runtime", "who runs tasks: this library, or the runtime that runtime=DIR names"),      \
			offsetof(type, pto.engine), ASCEND_BUILT_IN, {"pto-runtime", "built-in"}, 0, 0                                                         \
	}
#define ASCEND_PTO_ENGINE_ALONE(type, pto)                                                                                                                     \
	{                                                                                                                                                      \
		BASE_OPTION("engine", "word", "pto-runtime", "pto-runtime", "who runs tasks: the runtime that runtime=DIR names"), offsetof(type, pto.engine), \
			ASCEND_PTO_RUNTIME, {"pto-runtime"}, 0, 0                                                                                              \
	}

/* Sets device->own. number: of the device. Errors: of ascend_engine_open. */
ptowsp_status ascend_pto_open(struct base_device *device, const struct ascend_pto *pto, const char *arch, bool onboard, int number, struct ptowsp_error *error);
/* As in struct base_backend, for a device that ascend_pto_open opened. */
void ascend_pto_close(struct base_device *device);
ptowsp_status ascend_pto_load(struct base_program *program, const struct ptowsp_load_args *args, struct ptowsp_error *error);
void ascend_pto_unload(struct base_program *program);
ptowsp_status ascend_pto_run(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out,
			     struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error);

#endif
