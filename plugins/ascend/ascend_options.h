/* SPDX-License-Identifier: MIT */
/* ascend_options.h - the options of the Ascend backends. */
#ifndef ASCEND_OPTIONS_H
#define ASCEND_OPTIONS_H

#include "ascend/ascend_arch.h"
#include "ascend/engine/pto.h"
#include "ascend/machine/simulated.h"
#include "base/device.h"
#include "base/options.h"

/* Streams of a device where no option says how many: as many as a pto-runtime makes. */
enum { ASCEND_STREAMS = 2 };
/* Constant after init. */
struct ascend_options {
	struct base_options base; /* base.schedulers: AICPU threads that generate tasks */
	unsigned device;          /* enum ascend_arch_id whose devices come first */
	struct ascend_pto pto;
	struct ascend_simulated own;
	char root[BASE_TEXT]; /* of a device: in front of /dev and /usr/local/Ascend */
};
/* Rows of a backend's table of options. */
#define ASCEND_OPTIONS                                                                                                                                         \
	{BASE_OPTION("device", "word", "910b", "910b|910c|950|ascend_910b|ascend_910c|ascend_950|dav_c220|dav_c310",                                           \
		     "whose devices come first, also by their target: without --device the first one is taken"),                                               \
	 offsetof(struct ascend_options, device),                                                                                                              \
	 ASCEND_910B,                                                                                                                                          \
	 {[ASCEND_910B] = "910b", [ASCEND_910C] = "910c", [ASCEND_950] = "950", "ascend_910b", "ascend_910c", "ascend_950", "dav_c220", "dav_c310"},           \
	 0,                                                                                                                                                    \
	 0},                                                                                                                                                   \
		{BASE_OPTION("aicpus", "int", "1", "1..14", "AICPU threads that generate tasks, each its own part; another name of schedulers"),               \
		 offsetof(struct base_options, schedulers),                                                                                                    \
		 1,                                                                                                                                            \
		 {NULL},                                                                                                                                       \
		 1,                                                                                                                                            \
		 14},                                                                                                                                          \
	{                                                                                                                                                      \
		BASE_OPTION("streams", "int", "2", "1..64",                                                                                                    \
			    "with clock=own: streams of the device; stream s of a schedule is s mod that, and tasks of one follow each other"),                \
			offsetof(struct ascend_options, own.streams), ASCEND_STREAMS, {NULL}, 1, 64                                                            \
	}

#define ASCEND_ROOT_OPTION                                                                                                                                     \
	{                                                                                                                                                      \
		BASE_OPTION("root", "path", "", "",                                                                                                            \
			    "what stands in front of /dev/davinci0 and /usr/local/Ascend/driver, where a container has them elsewhere"),                       \
			offsetof(struct ascend_options, root), 0, {NULL}, 0, 0                                                                                 \
	}

/* NULL: the defaults. */
enum ascend_arch_id ascend_options_arch(const struct base_options *options);
/* Of the engine that the options choose; NULL: of another one. options may be NULL: the defaults. */
const struct ascend_pto *ascend_options_pto(const struct base_options *options);
const struct ascend_simulated *ascend_options_own(const struct base_options *options);
/* Do the options fit the device? INVALID naming the option, what it says and what the device has. */
ptowsp_status ascend_options_check(struct base_device *device, struct ptowsp_error *error);

#endif
