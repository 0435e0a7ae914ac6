/* SPDX-License-Identifier: MIT */
/* options.h - the options of this backend besides those that all have. Constant after init. */
#ifndef AIE_OPTIONS_H
#define AIE_OPTIONS_H

#include "base/options.h"
#include "model.h"

enum { AIE_ENGINE_ARRAY, AIE_ENGINE_DEVICE };
struct aie_options {
	struct base_options base;
	unsigned device;      /* enum aie_choice: whose comes first */
	unsigned cores;       /* most that are used, 0: all */
	unsigned depth;       /* objects of a fifo at each end */
	unsigned buffering;   /* words that a stream holds at each end: place among 0 and 8 */
	unsigned seed;        /* of the placement */
	char out[BASE_TEXT];  /* file that gets the design as MLIR, "": none */
};
/* options NULL: the defaults. */
bool aie_options_own(const struct base_options *options);
enum aie_choice aie_options_device(const struct base_options *options);

#endif
