/* SPDX-License-Identifier: MIT */
/* peek.h - the edges that a task would have if it were issued now. Who finds no room for them in the dependency pool lets other instances go first, and is another number
 * then, so nothing is left behind in the tensor map. One thread. */
#ifndef RT_PEEK_H
#define RT_PEEK_H

#include "rt/access.h"

struct rt_run;
struct rt_site;
/* Of the prepared task, into run->preds, as rt_infer finds them. Errors: those of rt_after_enter and of the deadline, NO_MEMORY. */
ptowsp_status rt_peek_edges(struct rt_run *run, const struct rt_site *site);

#endif
