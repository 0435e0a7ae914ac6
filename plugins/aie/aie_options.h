/* SPDX-License-Identifier: MIT */
/* aie_options.h - the options of this backend besides those that all have. Constant after init. */
#ifndef AIE_OPTIONS_H
#define AIE_OPTIONS_H

#include "aie/model.h"
#include "base/options.h"

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
	/* Paths for engine=device, "" for where each is by itself: aie_hardware.h, aie_client.h, base/cache.h. */
	char xrt[BASE_TEXT], peano[BASE_TEXT], aiecc[BASE_TEXT], bridge[BASE_TEXT], cache[BASE_TEXT], root[BASE_TEXT];
	char objects[BASE_TEXT]; /* as in kernel_object.h */
	char grid[BASE_TEXT];    /* as in part.h */
	char pins[BASE_TEXT];    /* as in pin.h */
};
/* options NULL: the defaults. */
bool aie_options_own(const struct base_options *options);
bool aie_options_on_device(const struct base_options *options);
enum aie_choice aie_options_device(const struct base_options *options);

#endif
