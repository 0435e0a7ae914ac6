/* SPDX-License-Identifier: MIT */
/* frame.h - what the files of the expander share: frames are pushed here, and each step says what its user hears of it. */
#ifndef RT_FRAME_H
#define RT_FRAME_H

#include "rt/expand/expand.h"

static inline struct rt_frame *rt_frame_push(struct rt_expand *expand, uint8_t op, uint32_t end)
{
	struct rt_frame *frame = &expand->frames[expand->depth++];

	frame->op = op;
	frame->walk.set = NULL;
	frame->level = (uint8_t)expand->level;
	frame->branch = 0;
	frame->at = expand->at;
	frame->end = end;
	frame->given = expand->given;
	return frame;
}

/* A body that held the turn of its branch was left; if it gave tasks, the turn is over. */
static inline void rt_frame_release(struct rt_expand *expand, const struct rt_frame *frame)
{
	expand->passing |= expand->turns && frame->given != expand->given;
}

/* Reading slots that the program itself changes costs time on the semantic clock: the user hears of it first. */
static inline enum rt_event rt_expand_reads(struct rt_expand *expand, uint32_t read, uint32_t count)
{
	expand->read = read;
	expand->read_count = count;
	return count ? RT_EVENT_READ : RT_EVENT_NONE;
}

/* RUN_FAILED at expand->at. */
enum rt_event rt_expand_failed(struct rt_expand *expand, const char *what, long long value);

/* expand_loop.c: at a loop, and at the end of an iteration of one; RT_EVENT_NONE: go on. */
enum rt_event rt_loop_enter(struct rt_expand *expand, const struct rt_ins *in);
enum rt_event rt_loop_leave(struct rt_expand *expand, struct rt_frame *frame);
/* Leaves it behind. */
enum rt_event rt_loop_end(struct rt_expand *expand, const struct rt_frame *frame);
enum rt_event rt_while_enter(struct rt_expand *expand, const struct rt_ins *in);
/* Before each iteration of the WHILE at `at`; its frame is there from the first one on. */
enum rt_event rt_while_test(struct rt_expand *expand, uint32_t at);

#endif
