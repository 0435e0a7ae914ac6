/* SPDX-License-Identifier: MIT */
/* models.h - the devices of a backend: which there are, and which one is meant. */
#ifndef BASE_MODELS_H
#define BASE_MODELS_H

#include "ptowsp/arch.h"
#include "rt/rt_platform.h"
#include <stdbool.h>

struct base_backend;
struct base_options;

/* A device as data. */
struct base_model {
	struct ptowsp_device device;
	enum rt_platform platform; /* has at least its instructions of task graphs */
	bool untested;             /* no row of it is self-tested, as with base_backend.untested */
};
/* Units and memories of a device that counts no executors of its own: as many of each type as the schedule asks for, which are bookkeeping of the semantic clock; tensors in one
 * memory, tiles in another, neither with a limit. */
enum { BASE_MODEL_MEMORIES = 2 };
enum {
#define X(name, code, text, pool) BASE_MODEL_##name,
#include "ptowsp/unit.def"
#undef X
	BASE_MODEL_UNITS
};
extern const struct ptowsp_arch_memory base_model_memories[BASE_MODEL_MEMORIES];
extern const struct ptowsp_arch_unit base_model_units[BASE_MODEL_UNITS];
/* Such a device, with the reference cycle model: its name and text, the word of what runs its tasks, PTOWSP_DISPATCH_x, PTOWSP_TIMING_x. */
#define BASE_MODEL(name_, text_, engine_, dispatch_, timing_)                                                                                                  \
	{                                                                                                                                                      \
		.platform = RT_PLATFORM_CPU, .device = {                                                                                                       \
			.head = PTOWSP_HEAD(struct ptowsp_device, DEVICE),                                                                                     \
			.name = name_,                                                                                                                         \
			.text = text_ ", reference cycle model",                                                                                               \
			.cycle_model = "reference",                                                                                                            \
			.memories = base_model_memories,                                                                                                       \
			.units = base_model_units,                                                                                                             \
			.memory_count = BASE_MODEL_MEMORIES,                                                                                                   \
			.memory_stride = sizeof(struct ptowsp_arch_memory),                                                                                    \
			.unit_count = BASE_MODEL_UNITS,                                                                                                        \
			.unit_stride = sizeof(struct ptowsp_arch_unit),                                                                                        \
			.dispatch = PTOWSP_DISPATCH_##dispatch_,                                                                                               \
			.sync = PTOWSP_SYNC_BARRIER,                                                                                                           \
			.timing = PTOWSP_TIMING_##timing_,                                                                                                     \
			.engine = engine_                                                                                                                      \
		}                                                                                                                                              \
	}

/* The model of `selector` (NULL and "": the first one) among those of the backend under these options. Errors: NO_DEVICE naming what there is. */
ptowsp_status base_model_find(const struct base_backend *backend, const struct base_options *options, const char *selector, const struct base_model **model_out,
			      struct ptowsp_error *error);
/* The op `devices`. */
ptowsp_status base_models_list(const struct base_backend *backend, struct ptowsp_object *instance, const struct ptowsp_device **devices_out, uint32_t *count,
			       struct ptowsp_error *error);

#endif
