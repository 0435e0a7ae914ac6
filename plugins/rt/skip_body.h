/* SPDX-License-Identifier: MIT */
/* skip_body.h - what the files of skip share: skip.c has the loop, skip_body.c the iterations of bodies, skip_filter.c the filters. */
#ifndef RT_SKIP_BODY_H
#define RT_SKIP_BODY_H

#include "rt/skip.h"

/* How the iterations of a body are chosen: each is walked; those with own numbers; those whose value is own. */
enum { RT_WAY_WALK, RT_WAY_NUMBER, RT_WAY_VALUE };

static inline struct rt_skip_body *rt_skip_body_of(struct rt_skip *skip)
{
	return &skip->bodies[skip->expand->depth];
}

static inline struct rt_frame *rt_skip_frame_of(const struct rt_skip *skip)
{
	return &skip->expand->frames[skip->expand->depth - 1];
}

static inline void rt_skip_pass(struct rt_skip *skip, uint64_t tasks)
{
	skip->number += tasks;
	skip->skipped += tasks;
}

/* All that the innermost frame has left is own: of its iteration, or of the loop. */
static inline void rt_skip_mine_begin(struct rt_skip *skip, bool whole)
{
	skip->mine = skip->expand->depth;
	skip->whole = whole;
}

/* The filter in force; NULL: none. */
static inline const struct rt_skip_filter *rt_skip_filter_of(const struct rt_skip *skip)
{
	return skip->filter_count ? &skip->filters[skip->filter_count - 1] : NULL;
}

/* A body has just been entered: decides how its iterations are chosen. */
void rt_skip_body_enter(struct rt_skip *skip);
/* At the beginning of the first iteration: goes on to the first one with something own in it, or to the end. */
void rt_skip_body_first(struct rt_skip *skip, struct rt_frame *frame, struct rt_skip_body *body);
/* At the end of an iteration: the next one with something own in it follows, or none. */
void rt_skip_body_next(struct rt_skip *skip, struct rt_frame *frame, struct rt_skip_body *body);

/* Whose all tasks of a statement are, where that can be told before it; `instances`: it cannot. depth: how many loops are around it. */
uint32_t rt_skip_statement_owner(const struct rt_skip *skip, const struct rt_outline_row *row, uint32_t depth);
uint32_t rt_skip_task_owner(const struct rt_skip *skip, const struct rt_site *site);
/* At a dispatch_filter: the rest of the body belongs to somebody; a filter that it had before has no say any more. */
void rt_skip_filter_take(struct rt_skip *skip, const struct rt_ins *in);
/* Filters of bodies and branches that were left, or are at their end. */
void rt_skip_filters_end(struct rt_skip *skip);

#endif
