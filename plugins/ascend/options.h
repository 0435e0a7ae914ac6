/* SPDX-License-Identifier: MIT */
/* options.h - the options that the Ascend backends share. */
#ifndef ASCEND_OPTIONS_H
#define ASCEND_OPTIONS_H

#include "arch.h"
#include "base/device.h"
#include "base/options.h"

/* Constant after init. */
struct ascend_options {
	struct base_options base; /* base.schedulers: AICPU threads that generate tasks */
	unsigned device;          /* enum ascend_arch_id whose devices come first */
};
/* Rows of a backend's table of options. */
#define ASCEND_OPTIONS \
	{BASE_OPTION("device", "word", "910b", "910b|910c|950", "whose devices come first: without --device the first one is taken"), \
	 offsetof(struct ascend_options, device), ASCEND_910B, {[ASCEND_910B] = "910b", [ASCEND_910C] = "910c", [ASCEND_950] = "950"}, 0, 0}, \
	{BASE_OPTION("aicpus", "int", "1", "1..14", "AICPU threads that generate tasks, each its own part; another name of schedulers"), \
	 offsetof(struct base_options, schedulers), 1, {NULL}, 1, 14}

/* NULL: the defaults. */
enum ascend_arch_id ascend_options_arch(const struct base_options *options);
/* Do the options fit the device? INVALID naming the option, what it says and what the device has. */
ptowsp_status ascend_options_check(struct base_device *device, struct ptowsp_error *error);

#endif
