/* SPDX-License-Identifier: MIT */
/* expand_loop.c - loops: the iterations of one that is being entered, its next one, its end. */
#include "rt/expand/frame.h"
#include "rt/program/axis.h"
#include "rt/program/rt_error.h"
#include "rt/rt_inline.h"

static enum rt_event extent_failed(struct rt_expand *expand, const struct rt_loop *loop, int64_t extent)
{
	const struct rt_program *program = expand->program;
	uint32_t slot = rt_expr_source(&program->exprs, loop->high);
	char text[160];

	rt_fail_at(expand->error, PTOWSP_RUN_FAILED, expand->env->task, UINT64_MAX,
		   "%s: the extent of axis %.40s is %lld, it must be 0 or more; it comes from %.40s",
		   rt_position(&program->tables, expand->at, text, sizeof(text)), rt_string(&program->tables, loop->name), (long long)extent,
		   slot == PTOWSP_NONE ? "its expression" : rt_slot_name(program, slot));
	return RT_EVENT_FAILED;
}

/* The next column index. Indices need not grow, so each iteration is a round of its own. */
RT_INLINE enum rt_event select_step(struct rt_expand *expand, struct rt_frame *frame)
{
	const struct rt_loop *loop = &expand->program->loops[expand->program->code[frame->at].row];
	int64_t *value = &expand->loops[frame->depth];

	if (rt_axis_index(expand->program, expand->env, loop, frame->at, frame->step++, value, expand->error))
		return RT_EVENT_FAILED;
	expand->rounds[frame->depth] = (struct rt_round){++expand->round_count, *value, 1};
	return RT_EVENT_NONE;
}

/* Value and level of the next iteration; *more_out false after the last one. */
RT_INLINE enum rt_event loop_step(struct rt_expand *expand, struct rt_frame *frame, bool *more_out)
{
	*more_out = frame->walk.set ? rt_level_next(&frame->walk, &expand->loops[frame->depth]) : frame->left > 0;
	if (!*more_out)
		return RT_EVENT_NONE;
	if (frame->walk.set) {
		expand->level = frame->level ? frame->level : frame->walk.level; /* the outer level wins unless it is 32 */
		return RT_EVENT_NONE;
	}
	frame->left--;
	if (frame->op == PTOWSP_OP_SELECT)
		return select_step(expand, frame);
	expand->loops[frame->depth] += frame->step;
	return RT_EVENT_NONE;
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
		return rt_expand_failed(expand, "division by zero in a loop bound", 0);
	if (span->step < 1)
		return rt_expand_failed(expand, "the step of a loop must be at least 1", span->step);
	if (loop->levels != PTOWSP_NONE && (span->low || span->step != 1))
		return rt_expand_failed(expand, "a loop with tile levels begins at 0 and has step 1", span->low ? span->low : span->step);
	if (in->flags & PTOWSP_CHECKED && span->high < 0)
		return extent_failed(expand, loop, span->high);
	if (span->low < span->high)
		span->count = ((uint64_t)span->high - (uint64_t)span->low - 1) / (uint64_t)span->step + 1;
	return RT_EVENT_NONE;
}

static enum rt_event row_span(struct rt_expand *expand, const struct rt_ins *in, struct span *span)
{
	const struct rt_loop *loop = &expand->program->loops[in->row];
	struct rt_axis_row row;

	if (rt_axis_open(expand->program, expand->env, loop, expand->at, &row, expand->error))
		return RT_EVENT_FAILED;
	if (expand->env->failed)
		return rt_expand_failed(expand, "division by zero in the row of an axis", 0);
	*span = (struct span){.high = row.count > INT64_MAX ? INT64_MAX : (int64_t)row.count, .step = 1, .count = row.count};
	if (in->op == PTOWSP_OP_SELECT)
		span->step = row.first;
	return RT_EVENT_NONE;
}

static enum rt_event loop_begin(struct rt_expand *expand, const struct rt_ins *in, const struct span *span)
{
	const struct rt_loop *loop = &expand->program->loops[in->row];
	struct rt_frame *frame = rt_frame_push(expand, in->op, in->end);
	bool more;

	frame->depth = loop->depth;
	frame->step = span->step;
	frame->left = span->count - 1;
	expand->rounds[loop->depth] =
		(struct rt_round){++expand->round_count, (int64_t)((uint64_t)span->low + (span->count - 1) * (uint64_t)span->step), (uint64_t)span->step};
	if (loop->levels != PTOWSP_NONE) {
		const struct rt_level_set *set = &expand->program->level_sets[loop->levels];
		struct rt_level_sum sum = rt_level_sum(set, span->count);

		frame->walk = (struct rt_level_walk){.set = set, .rest = span->count};
		expand->rounds[loop->depth].stride = sum.stride;
		expand->rounds[loop->depth].last = span->high - sum.last;
		loop_step(expand, frame, &more);
	} else if (in->op == PTOWSP_OP_SELECT) {
		if (select_step(expand, frame) != RT_EVENT_NONE)
			return RT_EVENT_FAILED;
	} else {
		expand->loops[loop->depth] = span->low;
	}
	expand->at++;
	expand->ordering = in->op == PTOWSP_OP_FOR_EACH; /* the read comes first, ORDER_BEGIN with the next call */
	return rt_expand_reads(expand, loop->read, loop->read_count);
}

enum rt_event rt_loop_enter(struct rt_expand *expand, const struct rt_ins *in)
{
	const struct rt_loop *loop = &expand->program->loops[in->row];
	struct span span;
	enum rt_event event = loop->line == PTOWSP_NONE ? dense_span(expand, in, &span) : row_span(expand, in, &span);

	if (event != RT_EVENT_NONE)
		return event;
	if (span.count)
		return loop_begin(expand, in, &span);
	expand->at = in->end;
	return rt_expand_reads(expand, loop->read, loop->read_count);
}

enum rt_event rt_loop_end(struct rt_expand *expand, const struct rt_frame *frame)
{
	expand->level = frame->level;
	expand->depth--;
	if (frame->op != PTOWSP_OP_FOR_EACH)
		return RT_EVENT_NONE;
	rt_frame_release(expand, frame);
	return RT_EVENT_ORDER_END;
}

enum rt_event rt_loop_leave(struct rt_expand *expand, struct rt_frame *frame)
{
	bool more;
	enum rt_event event = loop_step(expand, frame, &more);

	if (event != RT_EVENT_NONE || !more)
		return event != RT_EVENT_NONE ? event : rt_loop_end(expand, frame);
	expand->at = frame->at + 1;
	return frame->op == PTOWSP_OP_FOR_EACH ? RT_EVENT_ORDER_STEP : RT_EVENT_NONE;
}

enum rt_event rt_while_test(struct rt_expand *expand, uint32_t at)
{
	const struct rt_ins *in = &expand->program->code[at];
	const struct rt_expr *expr = &expand->program->exprs.rows[in->row];
	int64_t value = rt_value(expand->env, in->row);

	expand->at = at;
	if (expand->env->failed)
		return rt_expand_failed(expand, "division by zero in a condition", 0);
	expand->at = at + 2;
	if (!value) {
		expand->at = in->end;
		expand->depth--;
	}
	return rt_expand_reads(expand, expr->read, expr->read_count);
}

enum rt_event rt_while_enter(struct rt_expand *expand, const struct rt_ins *in)
{
	rt_frame_push(expand, in->op, in->end);
	return rt_while_test(expand, expand->at);
}
