/* SPDX-License-Identifier: MIT */
#include "rt/expand.h"

#include <stddef.h>
#include <string.h>
#include "rt/error.h"

enum { FRAME_ENTRY = 0xFF, PAUSE_EVERY = 1024 };
/* Inside the interpreter: go on. */
#define GO_ON ((enum rt_event)-1)

void rt_expand_start(struct rt_expand *expand, const struct rt_program *program, struct rt_env *env, struct ptowsp_error *error)
{
	memset(expand, 0, sizeof(*expand));
	expand->program = program;
	expand->env = env;
	expand->error = error;
	env->loops = expand->loops;
	expand->at = program->tables.entry.rows[program->entry].instruction;
	expand->frames[expand->depth++] = (struct rt_frame){.op = FRAME_ENTRY, .end = PTOWSP_NONE};
	expand->budget = PAUSE_EVERY;
}

void rt_expand_move(struct rt_expand *to, const struct rt_expand *from)
{
	uint64_t round_count = to->round_count;
	uint32_t budget = to->budget, loops = from->depth; /* every loop has a frame */

	memcpy(to, from, offsetof(struct rt_expand, loops));
	memcpy(to->loops, from->loops, loops * sizeof(*to->loops));
	memcpy(to->rounds, from->rounds, loops * sizeof(*to->rounds));
	memcpy(to->frames, from->frames, from->depth * sizeof(*to->frames));
	to->round_count = round_count;
	to->budget = budget;
}

static struct rt_frame *push(struct rt_expand *expand, uint8_t op, uint32_t end)
{
	struct rt_frame *frame = &expand->frames[expand->depth++];

	frame->op = op;
	frame->level = (uint8_t)expand->level;
	frame->branch = 0;
	frame->at = expand->at;
	frame->end = end;
	return frame;
}

static enum rt_event failed(struct rt_expand *expand, const char *what, long long value)
{
	char text[160];

	rt_fail_at(expand->error, PTOWSP_RUN_FAILED, expand->env->task, UINT64_MAX, "%s: %s (%lld)",
		   rt_position(&expand->program->tables, expand->at, text, sizeof(text)), what, value);
	return RT_EVENT_FAILED;
}

/* Reading slots that the program itself changes costs time on the semantic clock: the user hears of it first. */
static enum rt_event reads(struct rt_expand *expand, uint32_t read, uint32_t count)
{
	expand->read = read;
	expand->read_count = count;
	return count ? RT_EVENT_READ : GO_ON;
}

/* ---- loops ----------------------------------------------------------------------------------------------------- */

/* Value and level of the next iteration; false after the last one. */
static bool loop_step(struct rt_expand *expand, struct rt_frame *frame)
{
	if (frame->walk.set) {
		if (!rt_level_next(&frame->walk, &expand->loops[frame->depth]))
			return false;
		expand->level = frame->level ? frame->level : frame->walk.level; /* the outer level wins unless it is 32 */
		return true;
	}
	if (!frame->left)
		return false;
	frame->left--;
	expand->loops[frame->depth] += frame->step;
	return true;
}

static enum rt_event loop_enter(struct rt_expand *expand, const struct rt_ins *in)
{
	const struct rt_loop *loop = &expand->program->loops[in->row];
	int64_t low = rt_value(expand->env, loop->low), high = rt_value(expand->env, loop->high);
	int64_t step = rt_value(expand->env, loop->step);
	struct rt_frame *frame;

	if (expand->env->failed)
		return failed(expand, "division by zero in a loop bound", 0);
	if (step < 1)
		return failed(expand, "the step of a loop must be at least 1", step);
	if (loop->levels != PTOWSP_NONE && (low || step != 1))
		return failed(expand, "a loop with tile levels begins at 0 and has step 1", low ? low : step);
	if (low >= high) {
		expand->at = in->end;
		return reads(expand, loop->read, loop->read_count);
	}
	frame = push(expand, in->op, in->end);
	frame->depth = loop->depth;
	frame->walk.set = NULL;
	expand->rounds[loop->depth] = (struct rt_round){++expand->round_count, high - 1, (uint64_t)step};
	if (loop->levels != PTOWSP_NONE) {
		rt_level_start(&frame->walk, &expand->program->level_sets[loop->levels], (uint64_t)high);
		expand->rounds[loop->depth].stride = rt_level_stride(&frame->walk);
		loop_step(expand, frame);
	} else {
		expand->loops[loop->depth] = low;
		frame->step = step;
		frame->left = ((uint64_t)high - (uint64_t)low - 1) / (uint64_t)step;
	}
	expand->at++;
	frame->branch = in->op == PTOWSP_OP_FOR_EACH; /* the read comes first, ORDER_BEGIN with the next call */
	return reads(expand, loop->read, loop->read_count);
}

static enum rt_event loop_leave(struct rt_expand *expand, struct rt_frame *frame)
{
	bool ordered = frame->op == PTOWSP_OP_FOR_EACH;

	if (loop_step(expand, frame)) {
		expand->at = frame->at + 1;
		return ordered ? RT_EVENT_ORDER_STEP : GO_ON;
	}
	expand->level = frame->level;
	expand->depth--;
	return ordered ? RT_EVENT_ORDER_END : GO_ON;
}

/* ---- tokens ---------------------------------------------------------------------------------------------------- */

static enum rt_event token_want(struct rt_expand *expand, const struct rt_frame *frame)
{
	expand->channel = expand->program->code[frame->at].slot;
	return RT_EVENT_CONSUME;
}

static enum rt_event consume_enter(struct rt_expand *expand, const struct rt_ins *in)
{
	struct rt_frame *frame = push(expand, in->op, in->end);

	frame->depth = in->row;
	frame->walk.set = NULL;
	return token_want(expand, frame);
}

/* Tokens come in any order, so each begins a round of its own. */
void rt_expand_token(struct rt_expand *expand, uint64_t token)
{
	const struct rt_frame *frame = &expand->frames[expand->depth - 1];

	expand->loops[frame->depth] = (int64_t)token;
	expand->rounds[frame->depth] = (struct rt_round){++expand->round_count, (int64_t)token, 1};
	expand->at = frame->at + 1;
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
	expand->at++;
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
		return failed(expand, "division by zero in a condition", 0);
	if (value) {
		frame = push(expand, in->op, targets[0].end);
		frame->left = targets[1].end; /* where to go on behind the then part */
		expand->at += 3;
	} else {
		expand->at = targets[0].end; /* the else part ends where the rest begins */
	}
	return reads(expand, expr->read, expr->read_count);
}

static enum rt_event sequential_enter(struct rt_expand *expand, const struct rt_ins *in)
{
	push(expand, in->op, in[1].end);
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
	return RT_EVENT_ORDER_END;
}

/* The end of the innermost body was reached. */
static enum rt_event leave(struct rt_expand *expand, struct rt_frame *frame)
{
	switch (frame->op) {
	case PTOWSP_OP_PARALLEL_FOR:
	case PTOWSP_OP_FOR_EACH: return loop_leave(expand, frame);
	case PTOWSP_OP_SEQUENTIAL: return sequential_leave(expand, frame);
	case PTOWSP_OP_CONSUME: return token_want(expand, frame);
	case PTOWSP_OP_COND:
		expand->at = (uint32_t)frame->left;
		expand->depth--;
		return GO_ON;
	default: /* scope */
		expand->depth--;
		return RT_EVENT_SCOPE_END;
	}
}

/* ---- the loop -------------------------------------------------------------------------------------------------- */

static enum rt_event execute(struct rt_expand *expand, const struct rt_ins *in)
{
	switch (in->op) {
	case PTOWSP_OP_TASK:
		expand->site = in->row;
		expand->at = in->end;
		return RT_EVENT_TASK;
	case PTOWSP_OP_PARALLEL_FOR:
	case PTOWSP_OP_FOR_EACH: return loop_enter(expand, in);
	case PTOWSP_OP_COND: return cond_enter(expand, in);
	case PTOWSP_OP_COMBINE: /* branches lie one behind the other and order nothing */
		expand->at += 1u + in->count;
		return GO_ON;
	case PTOWSP_OP_SEQUENTIAL: return sequential_enter(expand, in);
	case PTOWSP_OP_SCOPE:
		push(expand, in->op, in->end);
		expand->at++;
		return RT_EVENT_SCOPE_BEGIN;
	case PTOWSP_OP_SLOT_SET:
		expand->slot = in->slot;
		expand->expr = in->row;
		expand->at++;
		return RT_EVENT_SLOT_SET;
	case PTOWSP_OP_SLOT_LOAD:
		expand->slot = in->slot;
		expand->io = in->row;
		expand->at++;
		return RT_EVENT_SLOT_LOAD;
	case PTOWSP_OP_NOP:
		expand->at++;
		return GO_ON;
	case PTOWSP_OP_SEND: return channel_use(expand, in, RT_EVENT_SEND);
	case PTOWSP_OP_CLOSE: return channel_use(expand, in, RT_EVENT_CLOSE);
	case PTOWSP_OP_CONSUME: return consume_enter(expand, in);
	}
	return RT_EVENT_END;
}

enum rt_event rt_expand_next(struct rt_expand *expand)
{
	enum rt_event event = GO_ON;

	while (event == GO_ON) {
		struct rt_frame *top = &expand->frames[expand->depth - 1];

		if (!--expand->budget) {
			expand->budget = PAUSE_EVERY;
			return RT_EVENT_PAUSE;
		}
		if (top->branch && top->op == PTOWSP_OP_FOR_EACH) {
			top->branch = 0;
			return RT_EVENT_ORDER_BEGIN;
		}
		if (expand->at == top->end)
			event = leave(expand, top);
		else
			event = execute(expand, &expand->program->code[expand->at]);
	}
	return event;
}
