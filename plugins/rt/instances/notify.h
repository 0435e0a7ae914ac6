/* SPDX-License-Identifier: MIT */
/* notify.h - what a device has told itself and not yet heard. One thread. */
#ifndef RT_NOTIFY_H
#define RT_NOTIFY_H

#include "ptowsp/base.h"
#include <stdbool.h>
#include <stdint.h>

struct rt_notice {
	uint64_t cycles; /* when it was sent */
	uint32_t number;
	bool taken;
};
struct rt_notices {
	struct rt_notice *rows; /* oldest first */
	uint32_t count, room;
};
void rt_notices_finish(struct rt_notices *notices);

struct rt_run;
/* Does a NOTIFY or WAIT_NOTIFY. Errors: DEADLOCK, reported; UNSUPPORTED, INVALID for a device that is not there; those of tasks that end meanwhile. */
ptowsp_status rt_notify_take(struct rt_run *run, uint32_t instruction);

#endif
