/* SPDX-License-Identifier: MIT */
/* express.h - what most tasks of most programs are: the next iteration of a loop whose accesses move on by constants, one executor, nothing held, nothing to
 * wait for. Such tasks go from the expander to the clock and through their kernel in one pass, in one file, without asking again what
 * cannot have changed. Everything else takes the steps of issue.c; which way a task goes makes no difference to any result. */
#ifndef RT_EXPRESS_H
#define RT_EXPRESS_H

#include "rt/rt_run.h"

/* Before the first task: may tasks of this run go this way at all? */
void rt_express_init(struct rt_run *run);
/* true: nothing in the instruction asks for more. kernel: at the level in force; map_most: the most places in the tensor map that a task of the instruction takes. */
bool rt_express_site(const struct rt_run *run, const struct rt_site *site, uint32_t kernel, uint32_t map_most);
/* The expander stands behind the words of the task run->expand.site. Issues it, and then whatever follows until something else than a task of this kind
 * comes: run->expand stands before that. Errors: those of rt_issue. */
ptowsp_status rt_express(struct rt_run *run);

#endif
