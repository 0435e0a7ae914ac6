/* SPDX-License-Identifier: MIT */
/* rt_device.h - a device that is not there: tasks of a builder's kernels are kept when they are started and run when their ends are asked for, in an order that a seed draws among those that nothing
 * started before holds back. */
#ifndef RT_DEVICE_H
#define RT_DEVICE_H

#include "tests/rt/builder/rt_builder.h"

enum { RT_DEVICE_MOST = 64 };
struct rt_device_task {
	struct ptowsp_task task; /* args, tensors and after: its own */
	uint64_t *after;
	uint32_t after_count;
};
struct rt_device {
	struct rt_queues queues;
	const struct rt_kernels *kernels; /* that run */
	uint64_t seed;
	uint32_t depth, count;
	struct rt_device_task tasks[RT_DEVICE_MOST]; /* started and not ended */
	uint64_t started, wrong;                     /* wrong: calls that rt.h does not allow */
	uint64_t most;                               /* that were there at a time */
};
/* The device has 1 to 64 tasks at a time. */
void rt_device_init(struct rt_device *device, const struct rt_kernels *kernels, uint64_t seed);

#endif
