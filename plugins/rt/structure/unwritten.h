/* SPDX-License-Identifier: MIT */
/* unwritten.h - temp tensors that a task reads before any task has written them. */
#ifndef RT_UNWRITTEN_H
#define RT_UNWRITTEN_H

#include "rt/run/rt_run.h"

/* NO_MEMORY. Nothing is looked for where no kernels run: inputs of a run are not known there. */
ptowsp_status rt_unwritten_init(struct rt_run *run);
/* The next task is the first of this instruction: says what it reads that no task has written so far. Such a read is always of an instruction's
 * first task, so that no other task costs anything. A tensor that a task reads and writes through one argument is not told: which comes first
 * is the kernel's affair. */
void rt_unwritten_look(struct rt_run *run, const struct rt_site *site);

#endif
