/* SPDX-License-Identifier: MIT */
#include "rt/expand.h"

#include <stddef.h>
#include <string.h>
#include "rt/axis.h"
#include "rt/error.h"
#include "rt/turns.h"

enum { FRAME_ENTRY = 0xFF, PAUSE_EVERY = 1024 };
/* Inside the interpreter: go on. */
#define GO_ON ((enum rt_event)-1)

void rt_expand_start(struct rt_expand *expand, const struct rt_program *program, struct rt_env *env, struct ptowsp_error *error)
{
	memset(expand, 0, sizeof(*expand));
	expand->program = program;
	expand->env = env;
	expand->error = error;
	expand->failure = PTOWSP_RUN_FAILED;
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
	frame->given = expand->given;
	return frame;
}

/* A body that held the turn of its branch was left; if it gave tasks, the turn is over. */
static void turn_release(struct rt_expand *expand, const struct rt_frame *frame)
{
	expand->passing |= expand->program->schedule.interleaved && frame->given != expand->given;
}

static enum rt_event failed(struct rt_expand *expand, const char *what, long long value)
{
	char text[160];

	rt_fail_at(expand->error, PTOWSP_RUN_FAILED, expand->env->task, UINT64_MAX, "%s: %s (%lld)",
		   rt_position(&expand->program->tables, expand->at, text, sizeof(text)), what, value);
	return RT_EVENT_FAILED;
}

static enum rt_event extent_failed(struct rt_expand *expand, const struct rt_loop *loop, int64_t extent)
{
	const struct rt_program *program = expand->program;
	uint32_t slot = rt_expr_source(&program->exprs, loop->high);
	char text[160];

	rt_fail_at(expand->error, PTOWSP_RUN_FAILED, expand->env->task, UINT64_MAX, "%s: the extent of axis %.40s is %lld, it must be 0 or more; it comes from %.40s",
		   rt_position(&program->tables, expand->at, text, sizeof(text)), rt_string(&program->tables, loop->name), (long long)extent,
		   slot == PTOWSP_NONE ? "its expression" : rt_slot_name(program, slot));
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

/* The next column index. Indices need not grow, so each iteration is a round of its own. */
static enum rt_event select_step(struct rt_expand *expand, struct rt_frame *frame)
{
	const struct rt_loop *loop = &expand->program->loops[expand->program->code[frame->at].row];
	int64_t *value = &expand->loops[frame->depth];

	if (rt_axis_index(expand->program, expand->env, loop, frame->at, frame->step++, value, expand->error))
		return RT_EVENT_FAILED;
	expand->rounds[frame->depth] = (struct rt_round){++expand->round_count, *value, 1};
	return GO_ON;
}

/* Value and level of the next iteration; *more_out false after the last one. */
static enum rt_event loop_step(struct rt_expand *expand, struct rt_frame *frame, bool *more_out)
{
	*more_out = frame->walk.set ? rt_level_next(&frame->walk, &expand->loops[frame->depth]) : frame->left > 0;
	if (!*more_out)
		return GO_ON;
	if (frame->walk.set) {
		expand->level = frame->level ? frame->level : frame->walk.level; /* the outer level wins unless it is 32 */
		return GO_ON;
	}
	frame->left--;
	if (frame->op == PTOWSP_OP_SELECT)
		return select_step(expand, frame);
	expand->loops[frame->depth] += frame->step;
	return GO_ON;
}

/* Iterations of a loop that is being entered. */
struct span {
	int64_t low, high, step;
	uint64_t count;
};

static enum rt_event dense_span(struct rt_expand *expand, const struct rt_ins *in, struct span *span)
{
	const struct rt_loop *loop = &expand->program->loops[in->row];

	*span = (struct span){.low = rt_value(expand->env, loop->low), .high = rt_value(expand->env, loop->high)};
	span->step = rt_value(expand->env, loop->step);
	if (expand->env->failed)
		return failed(expand, "division by zero in a loop bound", 0);
	if (span->step < 1)
		return failed(expand, "the step of a loop must be at least 1", span->step);
	if (loop->levels != PTOWSP_NONE && (span->low || span->step != 1))
		return failed(expand, "a loop with tile levels begins at 0 and has step 1", span->low ? span->low : span->step);
	if (in->flags & PTOWSP_CHECKED && span->high < 0)
		return extent_failed(expand, loop, span->high);
	if (span->low < span->high)
		span->count = ((uint64_t)span->high - (uint64_t)span->low - 1) / (uint64_t)span->step + 1;
	return GO_ON;
}

static enum rt_event row_span(struct rt_expand *expand, const struct rt_ins *in, struct span *span)
{
	const struct rt_loop *loop = &expand->program->loops[in->row];
	struct rt_axis_row row;

	if (rt_axis_open(expand->program, expand->env, loop, expand->at, &row, expand->error))
		return RT_EVENT_FAILED;
	if (expand->env->failed)
		return failed(expand, "division by zero in the row of an axis", 0);
	*span = (struct span){.high = row.count > INT64_MAX ? INT64_MAX : (int64_t)row.count, .step = 1, .count = row.count};
	if (in->op == PTOWSP_OP_SELECT)
		span->step = row.first;
	return GO_ON;
}

static enum rt_event loop_begin(struct rt_expand *expand, const struct rt_ins *in, const struct span *span)
{
	const struct rt_loop *loop = &expand->program->loops[in->row];
	struct rt_frame *frame = push(expand, in->op, in->end);
	bool more;

	frame->depth = loop->depth;
	frame->walk.set = NULL;
	frame->step = span->step;
	frame->left = span->count - 1;
	expand->rounds[loop->depth] = (struct rt_round){
		++expand->round_count, (int64_t)((uint64_t)span->low + (span->count - 1) * (uint64_t)span->step), (uint64_t)span->step};
	if (loop->levels != PTOWSP_NONE) {
		rt_level_start(&frame->walk, &expand->program->level_sets[loop->levels], (uint64_t)span->high);
		expand->rounds[loop->depth].stride = rt_level_stride(&frame->walk);
		expand->rounds[loop->depth].last = span->high - rt_level_last_step(&frame->walk);
		loop_step(expand, frame, &more);
	} else if (in->op == PTOWSP_OP_SELECT) {
		if (select_step(expand, frame) != GO_ON)
			return RT_EVENT_FAILED;
	} else {
		expand->loops[loop->depth] = span->low;
	}
	expand->at++;
	frame->branch = in->op == PTOWSP_OP_FOR_EACH; /* the read comes first, ORDER_BEGIN with the next call */
	return reads(expand, loop->read, loop->read_count);
}

static enum rt_event loop_enter(struct rt_expand *expand, const struct rt_ins *in)
{
	const struct rt_loop *loop = &expand->program->loops[in->row];
	struct span span;
	enum rt_event event = loop->line == PTOWSP_NONE ? dense_span(expand, in, &span) : row_span(expand, in, &span);

	if (event != GO_ON)
		return event;
	if (span.count)
		return loop_begin(expand, in, &span);
	expand->at = in->end;
	return reads(expand, loop->read, loop->read_count);
}

/* Behind the loop. */
static enum rt_event loop_end(struct rt_expand *expand, const struct rt_frame *frame)
{
	expand->level = frame->level;
	expand->depth--;
	if (frame->op != PTOWSP_OP_FOR_EACH)
		return GO_ON;
	turn_release(expand, frame);
	return RT_EVENT_ORDER_END;
}

static enum rt_event loop_leave(struct rt_expand *expand, struct rt_frame *frame)
{
	bool more;
	enum rt_event event = loop_step(expand, frame, &more);

	if (event != GO_ON || !more)
		return event != GO_ON ? event : loop_end(expand, frame);
	expand->at = frame->at + 1;
	return frame->op == PTOWSP_OP_FOR_EACH ? RT_EVENT_ORDER_STEP : GO_ON;
}

bool rt_expand_again(struct rt_expand *expand)
{
	struct rt_frame *frame = &expand->frames[expand->depth - 1];
	bool more = false;

	if (frame->op == PTOWSP_OP_PARALLEL_FOR && !expand->breaking)
		loop_step(expand, frame, &more); /* no event for this opcode */
	if (more)
		expand->at = frame->at + 1;
	return more;
}

/* Before each iteration; the frame is there from the first one on. */
static enum rt_event while_test(struct rt_expand *expand, uint32_t at)
{
	const struct rt_ins *in = &expand->program->code[at];
	const struct rt_expr *expr = &expand->program->exprs.rows[in->row];
	int64_t value = rt_value(expand->env, in->row);

	expand->at = at;
	if (expand->env->failed)
		return failed(expand, "division by zero in a condition", 0);
	expand->at = at + 2;
	if (!value) {
		expand->at = in->end;
		expand->depth--;
	}
	return reads(expand, expr->read, expr->read_count);
}

static enum rt_event while_enter(struct rt_expand *expand, const struct rt_ins *in)
{
	push(expand, in->op, in->end);
	return while_test(expand, expand->at);
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

static enum rt_event no_memory(struct rt_expand *expand)
{
	expand->failure = rt_no_memory(expand->error, "branches");
	return RT_EVENT_FAILED;
}

/* Branches lie one behind the other and order nothing, unless they take turns. */
static enum rt_event combine_enter(struct rt_expand *expand, const struct rt_ins *in)
{
	if (expand->program->schedule.interleaved)
		return rt_turns_enter(expand, push(expand, in->op, in->end), in) ? GO_ON : no_memory(expand);
	expand->at += 1u + in->count;
	return GO_ON;
}

static enum rt_event combine_leave(struct rt_expand *expand, struct rt_frame *frame)
{
	if (!rt_turns_end(expand, frame))
		expand->depth--;
	return GO_ON;
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
	turn_release(expand, frame);
	return RT_EVENT_ORDER_END;
}

/* The end of the innermost body was reached. */
static enum rt_event leave(struct rt_expand *expand, struct rt_frame *frame)
{
	switch (frame->op) {
	case PTOWSP_OP_PARALLEL_FOR:
	case PTOWSP_OP_FOR_EACH:
	case PTOWSP_OP_SELECT: return loop_leave(expand, frame);
	case PTOWSP_OP_WHILE: return while_test(expand, frame->at);
	case PTOWSP_OP_SEQUENTIAL: return sequential_leave(expand, frame);
	case PTOWSP_OP_COMBINE: return combine_leave(expand, frame);
	case PTOWSP_OP_CONSUME: return token_want(expand, frame);
	case PTOWSP_OP_COND:
		expand->at = (uint32_t)frame->left;
		expand->depth--;
		return GO_ON;
	default: /* scope */
		expand->depth--;
		turn_release(expand, frame);
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
		return loop_end(expand, frame);
	case PTOWSP_OP_SEQUENTIAL: expand->depth--; return RT_EVENT_ORDER_END;
	case PTOWSP_OP_SCOPE: expand->depth--; return RT_EVENT_SCOPE_END;
	case PTOWSP_OP_COMBINE: rt_turns_drop(frame); expand->depth--; return GO_ON;
	default: expand->depth--; return GO_ON;
	}
}

/* ---- the loop -------------------------------------------------------------------------------------------------- */

static enum rt_event execute(struct rt_expand *expand, const struct rt_ins *in)
{
	switch (in->op) {
	case PTOWSP_OP_TASK:
		expand->site = in->row;
		expand->at = in->end;
		expand->given++;
		expand->passing = expand->program->schedule.interleaved;
		return RT_EVENT_TASK;
	case PTOWSP_OP_PARALLEL_FOR:
	case PTOWSP_OP_FOR_EACH:
	case PTOWSP_OP_SELECT: return loop_enter(expand, in);
	case PTOWSP_OP_WHILE: return while_enter(expand, in);
	case PTOWSP_OP_BREAK:
		expand->breaking = true;
		return GO_ON;
	case PTOWSP_OP_COND: return cond_enter(expand, in);
	case PTOWSP_OP_COMBINE: return combine_enter(expand, in);
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
	case PTOWSP_OP_SIGNAL:
	case PTOWSP_OP_WAIT:
	case PTOWSP_OP_BARRIER:
	case PTOWSP_OP_FENCE:
	case PTOWSP_OP_ALLOC:
	case PTOWSP_OP_FREE:
		expand->sync = expand->at++;
		return RT_EVENT_SYNC;
	case PTOWSP_OP_NOP:
	case PTOWSP_OP_DISPATCH_FILTER: /* one scheduler instance: every task is its own */
		expand->at++;
		return GO_ON;
	case PTOWSP_OP_SEND: return channel_use(expand, in, RT_EVENT_SEND);
	case PTOWSP_OP_CLOSE: return channel_use(expand, in, RT_EVENT_CLOSE);
	case PTOWSP_OP_CONSUME: return consume_enter(expand, in);
	}
	return RT_EVENT_END;
}

static inline enum rt_event step(struct rt_expand *expand)
{
	struct rt_frame *top = &expand->frames[expand->depth - 1];

	if (!--expand->budget) {
		expand->budget = PAUSE_EVERY;
		return RT_EVENT_PAUSE;
	}
	if (top->branch && top->op == PTOWSP_OP_FOR_EACH) {
		top->branch = 0;
		return RT_EVENT_ORDER_BEGIN;
	}
	if (expand->breaking)
		return break_one(expand);
	return expand->at == top->end ? leave(expand, top) : execute(expand, &expand->program->code[expand->at]);
}

enum rt_event rt_expand_next(struct rt_expand *expand)
{
	enum rt_event event = GO_ON;

	if (expand->passing && !expand->breaking && !rt_turns_pass(expand))
		return no_memory(expand);
	expand->passing = false;
	while (event == GO_ON)
		event = step(expand);
	return event;
}

enum rt_event rt_expand_step(struct rt_expand *expand)
{
	enum rt_event event = step(expand);

	return event == GO_ON ? RT_EVENT_NONE : event;
}

void rt_expand_finish(struct rt_expand *expand)
{
	for (uint32_t d = 0; d < expand->depth; d++)
		if (expand->frames[d].op == PTOWSP_OP_COMBINE)
			rt_turns_drop(&expand->frames[d]);
	expand->depth = 0;
}
