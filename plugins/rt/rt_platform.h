/* SPDX-License-Identifier: MIT */
/* rt_platform.h - instructions of task graphs as capability rows of a device, from the platform it belongs to (platform.def). */
#ifndef RT_PLATFORM_H
#define RT_PLATFORM_H

#include "ptowsp/caps.h"

enum rt_platform { RT_PLATFORM_A2, RT_PLATFORM_A3, RT_PLATFORM_A5, RT_PLATFORM_CPU };

/* A row for each instruction of graph_ops.def: what platform.def says; of instructions that it does not list, what their like there says, `recorded`
 * for hints, and `enforced` for what the packer turns into bytecode that this core runs. Evidence is self-tested: probes run on
 * this core for every platform; a backend whose devices the tests cannot run says otherwise. Writes at most room rows, returns how many there are. Any thread. */
uint32_t rt_platform_capabilities(enum rt_platform platform, struct ptowsp_cap *rows_out, uint32_t room);

#endif
