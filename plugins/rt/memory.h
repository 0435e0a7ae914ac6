/* SPDX-License-Identifier: MIT */
/* memory.h - what a run keeps per task in flight, in bytes that it has asked for: struct rt_memory of rt.h. Nothing here ever shrinks during a run, so
 * what is there at its end is the most there was. */
#ifndef RT_MEMORY_H
#define RT_MEMORY_H

#include "rt/run/rt_run.h"

void rt_memory_count(const struct rt_run *run, struct rt_memory *memory_out);
/* To the run's sink, if there is one; while its rings still exist. */
void rt_memory_tell(const struct rt_run *run);

#endif
