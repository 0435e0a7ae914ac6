/* SPDX-License-Identifier: MIT */
/* interleave.h - timing interleaved: the branches of a combine take turns, one task each. The branch whose turn it is lives in the expander's own
 * frames; the others are kept aside from the combine's frame on. A branch that is inside a scope or an ordered construct of its own keeps its
 * turn until that ends, because scopes and orders are stacks of the whole run. One thread. */
#ifndef RT_INTERLEAVE_H
#define RT_INTERLEAVE_H

#include "rt/expand/expand.h"

/* Says once where that limit is met. */
void rt_interleave_tell(const struct rt_program *program);

/* Opens the combine at expand->at; its frame is pushed already. False when out of memory. */
bool rt_interleave_enter(struct rt_expand *expand, struct rt_frame *frame, const struct rt_ins *in);
/* A task was given: every combine around it that can passes the turn on. False when out of memory. */
bool rt_interleave_pass(struct rt_expand *expand);
/* The branch has ended. True: the next one goes on. False: it was the last one; the combine is over and its memory given back. */
bool rt_interleave_end(struct rt_expand *expand, struct rt_frame *frame);
/* The combine is left while branches are left: by break, or because the run ends. */
void rt_interleave_drop(struct rt_frame *frame);

#endif
