/* SPDX-License-Identifier: MIT */
/* ascend_options.h - the options of the Ascend backends. */
#ifndef ASCEND_OPTIONS_H
#define ASCEND_OPTIONS_H

#include "ascend/ascend_arch.h"
#include "ascend/engine/pto.h"
#include "ascend/machine/simulated.h"
#include "base/device.h"
#include "base/options.h"

/* Streams of a device, and AICPU threads that hand tasks to cores, where no option says how many: those of a pto-runtime. */
enum { ASCEND_STREAMS = 2, ASCEND_SCHEDULERS = 3 };
/* Constant after init. */
struct ascend_options {
	struct base_options base; /* base.schedulers: AICPU threads that hand tasks to cores */
	unsigned device;          /* enum ascend_arch_id whose devices come first */
	struct ascend_pto pto;
	struct ascend_simulated own;
	char root[BASE_TEXT]; /* of a device: in front of /dev and /usr/local/Ascend */
};
/* Rows of a backend's table of options. */
#define ASCEND_OPTIONS                                                                                                                                         \
	BASE_OPTION(offsetof(struct ascend_options, device), "device", "word", "910b", "910b|910c|950|ascend_910b|ascend_910c|ascend_950|dav_c220|dav_c310",   \
		    "whose devices come first, also by their target: without --device the first one is taken"),                                                \
		BASE_OPTION(offsetof(struct base_options, schedulers), "aicpus", "int", "0", "0..14",                                                          \
			    "AICPU threads that hand tasks to cores, each its own part; 0: as many as a pto-runtime has, 3, on the machine, else 1; another "  \
			    "name of schedulers"),                                                                                                             \
		BASE_OPTION(offsetof(struct ascend_options, own.streams), "streams", "int", "2", "1..64",                                                      \
			    "with clock=own: streams of the device; stream s of a schedule is s mod that, and tasks of one follow each other")

#define ASCEND_ROOT_OPTION                                                                                                                                     \
	BASE_OPTION(offsetof(struct ascend_options, root), "root", "path", "", "",                                                                             \
		    "what stands in front of /dev/davinci0 and /usr/local/Ascend/driver, where a container has them elsewhere")

/* base.schedulers where no option says how many: those of a pto-runtime on the machine, else 1. */
void ascend_options_settle(struct base_options *options);
/* NULL: the defaults. */
enum ascend_arch_id ascend_options_arch(const struct base_options *options);
/* Options of the chosen engine; NULL: another one is chosen. options may be NULL: the defaults. */
const struct ascend_pto *ascend_options_pto(const struct base_options *options);
const struct ascend_simulated *ascend_options_own(const struct base_options *options);
/* Do the options fit the device? INVALID naming the option, what it says and what the device has. */
ptowsp_status ascend_options_check(struct base_device *device, struct ptowsp_error *error);

#endif
