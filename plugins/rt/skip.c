/* SPDX-License-Identifier: MIT */
#include "rt/skip.h"

#include <string.h>
#include "rt/error.h"
#include "rt/skip_body.h"

/* ---- statements --------------------------------------------------------------------------------------------------- */

/* At a loop. True: it was passed over. Own numbers of a round robin lie close; its loops find them when they are entered. */
static bool loop_pass(struct rt_skip *skip, const struct rt_ins *in)
{
	struct rt_expand *expand = skip->expand;
	const struct rt_outline_row *row = &skip->outline.rows[expand->at];
	uint64_t count = 0;
	uint32_t owner;

	if (!row->closed)
		return false;
	if (skip->owner.numbered && !rt_skip_filter_of(skip)) {
		if (skip->owner.dispatch->policy != PTOWSP_DISPATCH_STATIC_PARTITION || row->filtered ||
		    !rt_outline_count(&skip->outline, expand->at, in->end, &count) || rt_owner_away(&skip->owner, skip->number) < count)
			return false;
	} else {
		owner = rt_skip_statement_owner(skip, row, skip->owner.program->loops[in->row].depth);
		if (owner == skip->owner.instances || owner == skip->owner.me || !rt_outline_count(&skip->outline, expand->at, in->end, &count))
			return false;
	}
	rt_skip_pass(skip, count);
	expand->at = in->end;
	return true;
}

static bool task_pass(struct rt_skip *skip, const struct rt_ins *in)
{
	if (rt_skip_task_owner(skip, &skip->owner.program->sites[in->row]) == skip->owner.me)
		return false;
	skip->walked++;
	skip->number++;
	skip->expand->at = in->end;
	skip->expand->given++;
	return true;
}

static bool statement(struct rt_skip *skip)
{
	struct rt_expand *expand = skip->expand;
	const struct rt_ins *in = &skip->owner.program->code[expand->at];

	if (skip->all && in->op == PTOWSP_OP_TASK)
		skip->all_owner = rt_skip_task_owner(skip, &skip->owner.program->sites[in->row]);
	if (skip->all && in->op != PTOWSP_OP_DISPATCH_FILTER)
		return false;
	switch (in->op) {
	case PTOWSP_OP_TASK: return task_pass(skip, in);
	case PTOWSP_OP_PARALLEL_FOR:
	case PTOWSP_OP_FOR_EACH:
	case PTOWSP_OP_SELECT: return loop_pass(skip, in);
	case PTOWSP_OP_DISPATCH_FILTER: rt_skip_filter_take(skip, in); return false;
	}
	return false;
}

/* ---- the loop ----------------------------------------------------------------------------------------------------- */

static enum rt_event task_give(struct rt_skip *skip)
{
	skip->task = skip->owner.env->task = skip->number++;
	skip->given++;
	return RT_EVENT_TASK;
}

/* At the end of an own iteration: goes to the next one at once, where that tells nothing. */
static bool iteration_next(struct rt_skip *skip)
{
	struct rt_expand *expand = skip->expand;
	struct rt_frame *frame = rt_skip_frame_of(skip);
	struct rt_skip_body *body = rt_skip_body_of(skip);

	if (body->way != RT_WAY_VALUE || frame->op != PTOWSP_OP_PARALLEL_FOR || expand->budget < 2 || expand->breaking || !frame->left)
		return false;
	expand->budget--;
	rt_skip_body_next(skip, frame, body);
	return body->way == RT_WAY_VALUE && rt_expand_again(expand);
}

/* The interpreter would tell nothing here: it is not time for a look, and no body is being left or begun. */
static inline bool quiet(const struct rt_expand *expand, const struct rt_frame *top)
{
	return expand->budget > 1 && !expand->breaking && !(top->branch && top->op == PTOWSP_OP_FOR_EACH);
}

/* At a task of an own body. */
static inline enum rt_event mine_task(struct rt_skip *skip, const struct rt_ins *in)
{
	struct rt_expand *expand = skip->expand;

	expand->budget--;
	expand->site = in->row;
	expand->at = in->end;
	expand->given++;
	return task_give(skip);
}

/* Inside a body that is own as a whole. RT_EVENT_NONE: it is at its end, or was left. */
static enum rt_event mine_next(struct rt_skip *skip)
{
	struct rt_expand *expand = skip->expand;
	const struct rt_ins *code = skip->owner.program->code;
	enum rt_event event = RT_EVENT_NONE;

	while (event == RT_EVENT_NONE) {
		const struct rt_frame *top = rt_skip_frame_of(skip);
		bool end = expand->at == top->end;

		if (expand->depth < skip->mine || (!skip->whole && expand->depth == skip->mine && end)) {
			if (expand->depth == skip->mine && iteration_next(skip))
				continue;
			skip->mine = 0;
			return RT_EVENT_NONE;
		}
		if (quiet(expand, top)) {
			if (!end && code[expand->at].op == PTOWSP_OP_TASK)
				return mine_task(skip, &code[expand->at]);
			if (end && rt_expand_again(expand)) {
				expand->budget--;
				continue;
			}
		}
		skip->owner.env->task = skip->number;
		event = rt_expand_step(expand);
	}
	return event == RT_EVENT_TASK ? task_give(skip) : event;
}

/* Passes over what it can where the expander stands. True: look again. */
static bool stand(struct rt_skip *skip)
{
	struct rt_expand *expand = skip->expand;
	struct rt_frame *frame = rt_skip_frame_of(skip);
	struct rt_skip_body *body = rt_skip_body_of(skip);

	if (expand->breaking || (frame->branch && frame->op == PTOWSP_OP_FOR_EACH))
		return false;
	if (body->fresh) {
		rt_skip_body_first(skip, frame, body);
		return true;
	}
	if (skip->filter_count)
		rt_skip_filters_end(skip);
	if (expand->at != frame->end)
		return statement(skip);
	if (body->way != RT_WAY_WALK)
		rt_skip_body_next(skip, frame, body);
	return false;
}

/* A loop whose iterations are one task each, own by number: the next one at once. */
static inline bool next_at_once(struct rt_skip *skip)
{
	struct rt_expand *expand = skip->expand;
	const struct rt_skip_body *body = rt_skip_body_of(skip);
	struct rt_frame *frame = rt_skip_frame_of(skip);
	uint64_t trips = skip->owner.instances;

	if (body->way != RT_WAY_NUMBER || body->count != 1 || body->sums || frame->op != PTOWSP_OP_PARALLEL_FOR || expand->at != frame->end ||
	    skip->owner.dispatch->policy == PTOWSP_DISPATCH_STATIC_PARTITION || frame->left < trips || expand->budget < 2 || expand->breaking ||
	    skip->owner.program->code[frame->at + 1].op != PTOWSP_OP_TASK)
		return false;
	expand->budget--;
	expand->loops[frame->depth] = (int64_t)((uint64_t)expand->loops[frame->depth] + trips * (uint64_t)frame->step);
	frame->left -= trips;
	skip->skipped += trips - 1;
	skip->number += trips - 1;
	return true;
}

/* One step of the interpreter; a body that it enters begins to be chosen from. */
static enum rt_event step(struct rt_skip *skip)
{
	struct rt_expand *expand = skip->expand;
	uint32_t depth = expand->depth;
	bool ended = expand->at == rt_skip_frame_of(skip)->end;
	enum rt_event event = rt_expand_step(expand);

	if (event != RT_EVENT_PAUSE && expand->depth > depth)
		rt_skip_body_enter(skip);
	else if (event != RT_EVENT_PAUSE && ended && expand->depth == depth && skip->bodies[depth].way == RT_WAY_VALUE)
		rt_skip_mine_begin(skip, false); /* an iteration that rt_skip_body_next chose has begun */
	return event == RT_EVENT_TASK ? task_give(skip) : event;
}

enum rt_event rt_skip_next(struct rt_skip *skip)
{
	struct rt_expand *expand = skip->expand;
	enum rt_event event = RT_EVENT_NONE;

	if (!skip->mine && skip->number == skip->task + 1 && skip->given && next_at_once(skip))
		return task_give(skip);
	while (event == RT_EVENT_NONE) {
		if (skip->mine) {
			event = mine_next(skip);
			continue;
		}
		skip->owner.env->task = skip->number;
		if (expand->budget > 1 && stand(skip))
			expand->budget--;
		else
			event = step(skip);
	}
	return event;
}

ptowsp_status rt_skip_init(struct rt_skip *skip, struct rt_expand *expand, const struct rt_program *program, struct rt_env *env, uint32_t me,
			   uint32_t instances, struct ptowsp_error *error)
{
	ptowsp_status st;

	memset(skip, 0, sizeof(*skip));
	skip->expand = expand;
	st = rt_outline_init(&skip->outline, program, env, error);
	rt_expand_start(expand, program, env, error);
	skip->outline.loops = expand->loops;
	rt_owner_init(&skip->owner, program, env, me, instances);
	return st;
}

void rt_skip_finish(struct rt_skip *skip)
{
	rt_outline_finish(&skip->outline);
}
