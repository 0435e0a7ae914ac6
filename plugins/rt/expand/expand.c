/* SPDX-License-Identifier: MIT */
#include "rt/expand/expand.h"

#include "rt/expand/frame.h"
#include "rt/expand/interleave.h"
#include "rt/program/rt_error.h"
#include "rt/rt_inline.h"
#include <stddef.h>
#include <string.h>

enum { FRAME_ENTRY = 0xFF };

void rt_expand_start(struct rt_expand *expand, const struct rt_program *program, struct rt_env *env, struct ptowsp_error *error)
{
	memset(expand, 0, offsetof(struct rt_expand, rounds)); /* the arrays are long, and filled before they are read */
	expand->rounds[0] = (struct rt_round){0};              /* of tasks outside of loops */
	expand->program = program;
	expand->code = program->code;
	expand->env = env;
	expand->error = error;
	expand->failure = PTOWSP_RUN_FAILED;
	expand->loops = env->loops;
	expand->at = program->begin;
	expand->frames[expand->depth++] = (struct rt_frame){.op = FRAME_ENTRY, .end = PTOWSP_NONE};
	expand->budget = RT_PAUSE_EVERY;
	expand->turns = program->schedule.interleaved;
}

void rt_expand_move(struct rt_expand *to, const struct rt_expand *from)
{
	uint64_t round_count = to->round_count;
	uint32_t budget = to->budget, loops = from->depth; /* every loop has a frame */

	memcpy(to, from, offsetof(struct rt_expand, rounds));
	memcpy(to->rounds, from->rounds, loops * sizeof(*to->rounds));
	memcpy(to->frames, from->frames, from->depth * sizeof(*to->frames));
	to->round_count = round_count;
	to->budget = budget;
}

enum rt_event rt_expand_failed(struct rt_expand *expand, const char *what, long long value)
{
	char text[160];

	rt_fail_at(expand->error, PTOWSP_RUN_FAILED, expand->env->task, UINT64_MAX, "%s: %s (%lld)",
		   rt_division_place(expand->env, &expand->program->tables, expand->at, text, sizeof(text)), what, value);
	return RT_EVENT_FAILED;
}

/* ---- tokens ---------------------------------------------------------------------------------------------------- */

static enum rt_event token_want(struct rt_expand *expand, const struct rt_frame *frame)
{
	expand->channel = expand->program->code[frame->at].slot;
	return RT_EVENT_CONSUME;
}

static enum rt_event consume_enter(struct rt_expand *expand, const struct rt_ins *in)
{
	struct rt_frame *frame = rt_frame_push(expand, in->op, in->end);

	frame->depth = in->row;
	return token_want(expand, frame);
}

/* Tokens come in any order, so each begins a round of its own. */
void rt_expand_token(struct rt_expand *expand, uint64_t token)
{
	const struct rt_frame *frame = &expand->frames[expand->depth - 1];

	expand->loops[frame->depth] = (int64_t)token;
	expand->rounds[frame->depth] = (struct rt_round){++expand->round_count, (int64_t)token, 1};
	expand->at = frame->at + 1 + expand->program->code[frame->at].count;
}

void rt_expand_closed(struct rt_expand *expand)
{
	const struct rt_frame *frame = &expand->frames[--expand->depth];

	expand->level = frame->level;
	expand->at = frame->end;
}

static enum rt_event channel_use(struct rt_expand *expand, const struct rt_ins *in, enum rt_event event)
{
	expand->channel = in->slot;
	expand->expr = in->row;
	expand->at += 1u + in->count;
	return event;
}

/* ---- branches and scopes --------------------------------------------------------------------------------------- */

static enum rt_event cond_enter(struct rt_expand *expand, const struct rt_ins *in)
{
	const struct rt_expr *expr = &expand->program->exprs.rows[in->row];
	const struct rt_ins *targets = in + 1;
	int64_t value = rt_value(expand->env, in->row);
	struct rt_frame *frame;

	if (expand->env->failed)
		return rt_expand_failed(expand, "division by zero in a condition", 0);
	if (value) {
		frame = rt_frame_push(expand, in->op, targets[0].end);
		frame->left = targets[1].end; /* where to go on behind the then part */
		expand->at += 3;
	} else {
		expand->at = targets[0].end; /* the else part ends where the rest begins */
	}
	return rt_expand_reads(expand, expr->read, expr->read_count);
}

static enum rt_event no_memory(struct rt_expand *expand)
{
	expand->failure = rt_no_memory(expand->error, "branches");
	return RT_EVENT_FAILED;
}

/* Branches lie one behind the other and order nothing, unless they take turns. */
static enum rt_event combine_enter(struct rt_expand *expand, const struct rt_ins *in)
{
	if (expand->turns)
		return rt_interleave_enter(expand, rt_frame_push(expand, in->op, in->end), in) ? RT_EVENT_NONE : no_memory(expand);
	expand->at += 1u + in->count;
	return RT_EVENT_NONE;
}

static enum rt_event combine_leave(struct rt_expand *expand, struct rt_frame *frame)
{
	if (!rt_interleave_end(expand, frame))
		expand->depth--;
	return RT_EVENT_NONE;
}

static enum rt_event sequential_enter(struct rt_expand *expand, const struct rt_ins *in)
{
	rt_frame_push(expand, in->op, in[1].end);
	expand->at += 1u + in->count;
	return RT_EVENT_ORDER_BEGIN;
}

static enum rt_event sequential_leave(struct rt_expand *expand, struct rt_frame *frame)
{
	const struct rt_ins *in = &expand->program->code[frame->at];

	if (++frame->branch < in->count) {
		frame->end = in[1 + frame->branch].end;
		return RT_EVENT_ORDER_STEP;
	}
	expand->depth--;
	rt_frame_release(expand, frame);
	return RT_EVENT_ORDER_END;
}

/* The end of the innermost body was reached. */
RT_INLINE enum rt_event leave(struct rt_expand *expand, struct rt_frame *frame)
{
	switch (frame->op) {
	case PTOWSP_OP_PARALLEL_FOR: return rt_expand_iterate(expand, frame) ? RT_EVENT_NONE : rt_loop_leave(expand, frame);
	case PTOWSP_OP_FOR_EACH:
	case PTOWSP_OP_SELECT: return rt_loop_leave(expand, frame);
	case PTOWSP_OP_WHILE: return rt_while_test(expand, frame->at);
	case PTOWSP_OP_SEQUENTIAL: return sequential_leave(expand, frame);
	case PTOWSP_OP_COMBINE: return combine_leave(expand, frame);
	case PTOWSP_OP_CONSUME: return token_want(expand, frame);
	case PTOWSP_OP_COND:
		expand->at = (uint32_t)frame->left;
		expand->depth--;
		return RT_EVENT_NONE;
	default: /* scope */
		expand->depth--;
		rt_frame_release(expand, frame);
		return RT_EVENT_SCOPE_END;
	}
}

/* BREAK: leaves one body per call, so that scopes and orders end as they always do. */
static enum rt_event break_one(struct rt_expand *expand)
{
	struct rt_frame *frame = &expand->frames[expand->depth - 1];

	switch (frame->op) {
	case PTOWSP_OP_PARALLEL_FOR:
	case PTOWSP_OP_FOR_EACH:
	case PTOWSP_OP_SELECT:
	case PTOWSP_OP_WHILE:
	case PTOWSP_OP_CONSUME:
		expand->breaking = false;
		expand->at = frame->end;
		return rt_loop_end(expand, frame);
	case PTOWSP_OP_SEQUENTIAL: expand->depth--; return RT_EVENT_ORDER_END;
	case PTOWSP_OP_SCOPE: expand->depth--; return RT_EVENT_SCOPE_END;
	case PTOWSP_OP_COMBINE:
		rt_interleave_drop(frame);
		expand->depth--;
		return RT_EVENT_NONE;
	default: expand->depth--; return RT_EVENT_NONE;
	}
}

/* ---- the loop -------------------------------------------------------------------------------------------------- */

/* A slot that no listener hears of has its value at once. An expression that divides by zero goes the way that tells its user. */
static enum rt_event slot_set(struct rt_expand *expand, const struct rt_ins *in)
{
	int64_t value = expand->slots ? rt_value(expand->env, in->row) : 0;

	expand->at++;
	if (expand->slots && !expand->env->failed) {
		expand->slots[in->slot] = (uint64_t)value;
		return RT_EVENT_NONE;
	}
	expand->slot = in->slot;
	expand->expr = in->row;
	return RT_EVENT_SLOT_SET;
}

RT_INLINE enum rt_event execute(struct rt_expand *expand, const struct rt_ins *in)
{
	switch (in->op) {
	case PTOWSP_OP_TASK:
		expand->site = in->row;
		expand->at = in->end;
		expand->given++;
		expand->passing = expand->turns;
		return RT_EVENT_TASK;
	case PTOWSP_OP_PARALLEL_FOR:
	case PTOWSP_OP_FOR_EACH:
	case PTOWSP_OP_SELECT: return rt_loop_enter(expand, in);
	case PTOWSP_OP_WHILE: return rt_while_enter(expand, in);
	case PTOWSP_OP_BREAK: expand->breaking = true; return RT_EVENT_NONE;
	case PTOWSP_OP_COND: return cond_enter(expand, in);
	case PTOWSP_OP_COMBINE: return combine_enter(expand, in);
	case PTOWSP_OP_SEQUENTIAL: return sequential_enter(expand, in);
	case PTOWSP_OP_SCOPE:
		rt_frame_push(expand, in->op, in->end);
		expand->at++;
		return RT_EVENT_SCOPE_BEGIN;
	case PTOWSP_OP_SLOT_SET: return slot_set(expand, in);
	case PTOWSP_OP_SLOT_LOAD:
		expand->slot = in->slot;
		expand->io = in->row;
		expand->at++;
		return RT_EVENT_SLOT_LOAD;
	case PTOWSP_OP_SIGNAL:
	case PTOWSP_OP_WAIT:
	case PTOWSP_OP_BARRIER:
	case PTOWSP_OP_FENCE:
	case PTOWSP_OP_ALLOC:
	case PTOWSP_OP_FREE:
	case PTOWSP_OP_NOTIFY:
	case PTOWSP_OP_WAIT_NOTIFY: expand->sync = expand->at++; return RT_EVENT_SYNC;
	case PTOWSP_OP_NOP:
	case PTOWSP_OP_DISPATCH_FILTER: /* one scheduler instance: every task is its own */ expand->at++; return RT_EVENT_NONE;
	case PTOWSP_OP_SEND: return channel_use(expand, in, RT_EVENT_SEND);
	case PTOWSP_OP_CLOSE: return channel_use(expand, in, RT_EVENT_CLOSE);
	case PTOWSP_OP_CONSUME: return consume_enter(expand, in);
	}
	return RT_EVENT_END;
}

RT_INLINE enum rt_event step(struct rt_expand *expand)
{
	struct rt_frame *top = &expand->frames[expand->depth - 1];

	if (!--expand->budget) {
		expand->budget = RT_PAUSE_EVERY;
		return RT_EVENT_PAUSE;
	}
	if (expand->ordering) {
		expand->ordering = false;
		return RT_EVENT_ORDER_BEGIN;
	}
	if (expand->breaking)
		return break_one(expand);
	return expand->at == top->end ? leave(expand, top) : execute(expand, &expand->program->code[expand->at]);
}

enum rt_event rt_expand_any(struct rt_expand *expand)
{
	enum rt_event event;

	if (expand->passing && !expand->breaking && !rt_interleave_pass(expand))
		return no_memory(expand);
	expand->passing = false;
	while ((event = step(expand)) == RT_EVENT_NONE)
		if (rt_expand_task(expand)) /* shorter than a step */
			return RT_EVENT_TASK;
	return event;
}

bool rt_expand_break(struct rt_expand *expand)
{
	for (uint32_t d = 0; d < expand->depth; d++)
		switch (expand->frames[d].op) {
		case PTOWSP_OP_PARALLEL_FOR:
		case PTOWSP_OP_FOR_EACH:
		case PTOWSP_OP_SELECT:
		case PTOWSP_OP_WHILE:
		case PTOWSP_OP_CONSUME: return expand->breaking = true;
		}
	return false;
}

enum rt_event rt_expand_step(struct rt_expand *expand)
{
	return step(expand);
}

void rt_expand_finish(struct rt_expand *expand)
{
	for (uint32_t d = 0; d < expand->depth; d++)
		if (expand->frames[d].op == PTOWSP_OP_COMBINE)
			rt_interleave_drop(&expand->frames[d]);
	expand->depth = 0;
}
