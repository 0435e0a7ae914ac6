/* SPDX-License-Identifier: MIT */
/* aie_backend.h - the aie backend. */
#ifndef AIE_BACKEND_H
#define AIE_BACKEND_H

#include "aie/aie_arch.h"
#include "base/base_caps.h"
#include "base/models.h"
#include "base/options.h"
#include "ptowsp/plugin.h"

#define AIE_BACKEND_NAME "aie"
#define AIE_TARGETS      "aie,amd_aie,xdna1,xdna2,npu1,npu2,aie2,aie2p"

extern const struct ptowsp_ops aie_ops;

/* The options of this backend besides those that all have. Constant after init. */
/* The arrays as devices of the backend. */
/* Words of --opt device=, in the order of the options' values. */
enum aie_choice { AIE_NPU1, AIE_NPU2, AIE_CHOICES };
/* Times of a device: nanoseconds of the host's clock, from the start of a run to its end. */
#define AIE_DEVICE_MODEL "host clock, ns"
/* Clocks of devices: the runtime core's, the array's by its model, a device's. */
enum aie_times { AIE_TIMES_REFERENCE, AIE_TIMES_ARRAY, AIE_TIMES_DEVICE };
/* All devices, those of the choice first. Static. Any thread. */
const struct base_model *aie_models(enum aie_choice choice, enum aie_times times, uint32_t *count_out);
const struct aie_arch *aie_model_arch(const struct base_model *model);

enum { AIE_ENGINE_ARRAY, AIE_ENGINE_DEVICE };
enum { AIE_BUFFERING_0, AIE_BUFFERING_8, AIE_BUFFERING_BOTH };
enum { AIE_EPOCH_A, AIE_EPOCH_B };
enum { AIE_COST_OF_EMITTED, AIE_COST_OF_PUBLISHED };
struct aie_options {
	struct base_options base;
	unsigned device;      /* enum aie_choice: whose comes first */
	unsigned cores;       /* most that are used, 0: all */
	unsigned depth;       /* objects of a fifo at each end */
	unsigned buffering;   /* words that a stream holds at each end: AIE_BUFFERING_x */
	unsigned host_cycles; /* that the host takes for a task, 0: the model's */
	unsigned seed;        /* of the placement */
	unsigned epoch;       /* of the form that people write: AIE_EPOCH_x */
	unsigned engine;      /* AIE_ENGINE_x */
	unsigned cost;        /* source of a portable kernel's cycles: AIE_COST_OF_x */
	/* Paths for engine=device, "" for where each is by itself: aie_hardware.h, base/cache.h. */
	char xrt[BASE_TEXT], peano[BASE_TEXT], aiecc[BASE_TEXT], bridge[BASE_TEXT], cache[BASE_TEXT], root[BASE_TEXT];
	char objects[BASE_TEXT]; /* as in kernel_object.h */
	char grid[BASE_TEXT];    /* as in aie_place.h */
	char pins[BASE_TEXT];    /* as in cell.h */
};
/* options NULL: the defaults. */
bool aie_options_own(const struct base_options *options);
bool aie_options_on_device(const struct base_options *options);

/* Rows of what the array enforces of what a package asks for, where that is not what the runtime core does, with its own clock, behind the first `there`; as base_caps_add. Any thread. */
uint32_t aie_caps(struct ptowsp_cap *rows, uint32_t there);
/* Rows with the reference clock; as base_backend.caps. */
uint32_t aie_reference_caps(struct ptowsp_cap *rows_out);
/* Rows with the device engine; as base_backend.caps. */
uint32_t aie_device_caps(struct ptowsp_cap *rows_out);

#endif
