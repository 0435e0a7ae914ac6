/* SPDX-License-Identifier: MIT */
/* skip.c - the expander of one scheduler instance: gives its own tasks, and passes over those of others by arithmetic where that can be told. */
#include "rt/instances/skip.h"

#include "rt/program/policy.h"
#include "rt/program/rt_error.h"
#include <string.h>

/* How the iterations of a body are chosen: each is walked; those with own numbers; those whose value is own. */
enum { RT_WAY_WALK, RT_WAY_NUMBER, RT_WAY_VALUE };

static inline struct rt_skip_body *skip_body_of(struct rt_skip *skip)
{
	return &skip->bodies[skip->expand->depth];
}

static inline struct rt_frame *skip_frame_of(const struct rt_skip *skip)
{
	return &skip->expand->frames[skip->expand->depth - 1];
}

static inline void skip_pass(struct rt_skip *skip, uint64_t tasks)
{
	skip->number += tasks;
	skip->skipped += tasks;
}

/* The rest of the innermost frame is own: of its iteration, or of the loop. */
static inline void skip_mine_begin(struct rt_skip *skip, bool whole)
{
	skip->mine = skip->expand->depth;
	skip->whole = whole;
}

/* ---- dispatch filters -------------------------------------------------------------------------------------------- */

static uint32_t skip_statement_owner(const struct rt_skip *skip, const struct rt_outline_row *row, uint32_t depth)
{
	const struct rt_skip_filter *filter = rt_skip_filter_of(skip);

	if (row->filtered || row->site == PTOWSP_NONE)
		return skip->owner.instances;
	if (filter)
		return filter->owner < skip->owner.instances ? filter->owner : skip->owner.instances;
	if (skip->owner.numbered || row->mixed || row->loose || row->claims >> depth)
		return skip->owner.instances;
	return rt_owner_find(&skip->owner, &skip->owner.program->sites[row->site], skip->number);
}

static uint32_t skip_task_owner(const struct rt_skip *skip, const struct rt_site *site)
{
	const struct rt_skip_filter *filter = rt_skip_filter_of(skip);

	if (filter)
		return filter->owner < RT_SKIP_LIMIT ? filter->owner : rt_owner_rest(&skip->owner, skip->number);
	return rt_owner_find(&skip->owner, site, skip->number);
}

/* The policy of a filter: its own where it is by hash or by number, else the value decides. */
static unsigned policy_of(const struct rt_schedule *schedule, const struct rt_ins *in, int64_t value)
{
	if (in->count == PTOWSP_DISPATCH_THRESHOLD && schedule->part_count)
		return schedule->parts[rt_threshold_part(schedule, value)].policy;
	return in->count;
}

static uint32_t owner_by(const struct rt_owner *owner, unsigned policy, int64_t value)
{
	switch (policy) {
	case PTOWSP_DISPATCH_ROUND_ROBIN: return RT_SKIP_LIMIT;
	case PTOWSP_DISPATCH_HASH: return rt_owner_rest(owner, rt_mix64((uint64_t)value));
	}
	return rt_modulo(value, owner->instances);
}

static void skip_filter_take(struct rt_skip *skip, const struct rt_ins *in)
{
	uint32_t depth = skip->expand->depth, end = skip->outline.rows[skip->expand->at].end;
	const struct rt_skip_filter *now = rt_skip_filter_of(skip);
	int64_t value = rt_value(skip->owner.env, in->row);
	uint32_t owner = owner_by(&skip->owner, policy_of(&skip->owner.program->schedule, in, value), value);

	if (!now || now->depth != depth || now->end != end)
		skip->filter_count++;
	skip->filters[skip->filter_count - 1] = (struct rt_skip_filter){.depth = depth, .end = end, .owner = owner};
}

static void skip_filters_end(struct rt_skip *skip)
{
	const struct rt_skip_filter *filter;

	while ((filter = rt_skip_filter_of(skip)) != NULL &&
	       (filter->depth > skip->expand->depth || (filter->depth == skip->expand->depth && skip->expand->at >= filter->end)))
		skip->filter_count--;
}

/* ---- bodies of loops --------------------------------------------------------------------------------------------- */

/* Tasks of `trips` iterations from value `first` on. */
static bool trips_count(const struct rt_skip *skip, const struct rt_frame *frame, int64_t first, uint64_t trips, uint64_t *count_out)
{
	const struct rt_skip_body *body = &skip->bodies[skip->expand->depth];

	if (!body->sums)
		return !__builtin_mul_overflow(trips, body->count, count_out);
	return rt_outline_range(&skip->outline, frame->at + 1, frame->end, frame->depth, first, frame->step, trips, count_out);
}

/* The most iterations, up to `most`, that have no more than so many tasks together: their counts never fall, so by halving. */
static uint64_t trips_fit(const struct rt_skip *skip, const struct rt_frame *frame, int64_t first, uint64_t most, uint64_t tasks)
{
	uint64_t low = 0, high = most, count;

	while (low < high) {
		uint64_t middle = high - (high - low) / 2;

		if (trips_count(skip, frame, first, middle, &count) && count <= tasks)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* Values move by a constant: own ones repeat. */
static uint64_t stride_find(const struct rt_skip *skip, const struct rt_skip_body *body)
{
	uint32_t n = skip->owner.instances, moves = rt_modulo(body->moves, n), sum = moves;
	uint64_t stride = 1;

	for (; sum; sum = (sum + moves) % n)
		stride++;
	return stride;
}

/* The first of `most` values value, value + moves ... that is own; most: none. */
static uint64_t own_find(const struct rt_skip *skip, const struct rt_skip_body *body, int64_t value, uint64_t most)
{
	uint64_t v = (uint64_t)value, mask = skip->owner.instances - 1;

	if (skip->owner.dispatch->policy == PTOWSP_DISPATCH_HASH && !(skip->owner.instances & mask)) {
		for (uint64_t k = 0; k < most; k++, v += (uint64_t)body->moves)
			if ((rt_mix64(v) & mask) == skip->owner.me)
				return k;
		return most;
	}
	if (skip->owner.dispatch->policy == PTOWSP_DISPATCH_HASH) {
		for (uint64_t k = 0; k < most; k++, v += (uint64_t)body->moves)
			if (rt_owner_rest(&skip->owner, rt_mix64(v)) == skip->owner.me)
				return k;
		return most;
	}
	for (uint64_t k = 0; k < most && (!body->stride || k <= body->stride); k++, v += (uint64_t)body->moves) /* or a whole period without one */
		if (rt_modulo((int64_t)v, skip->owner.instances) == skip->owner.me)
			return k;
	return most;
}

/* Iterations at whose beginning nothing is own, of `most` that begin with the loop's value `first`. */
static uint64_t trips_away(struct rt_skip *skip, const struct rt_frame *frame, struct rt_skip_body *body, int64_t first, uint64_t most)
{
	const struct rt_site *site;
	uint64_t tasks, trips;
	int64_t *value = &skip->expand->loops[frame->depth], stands = *value;

	if (body->way == RT_WAY_NUMBER) {
		tasks = rt_owner_away(&skip->owner, skip->number);
		if (!body->sums && tasks < body->count)
			return 0;
		trips = body->sums ? trips_fit(skip, frame, first, most, tasks) : body->count ? tasks / body->count : most;
		return trips < most ? trips : most;
	}
	site = &skip->owner.program->sites[skip->outline.rows[frame->at].site];
	*value = first;
	trips = own_find(skip, body, rt_value_deciding(skip->owner.env, site->dispatch, site->affinity), most);
	*value = stands;
	return trips;
}

/* Passes over the iterations, whose first has the value `first`. False: they are not counted at once, and the body is walked. */
static bool trips_pass(struct rt_skip *skip, const struct rt_frame *frame, struct rt_skip_body *body, int64_t first, uint64_t trips)
{
	uint64_t tasks;

	if (!trips_count(skip, frame, first, trips, &tasks)) {
		body->way = RT_WAY_WALK;
		return false;
	}
	skip_pass(skip, tasks);
	return true;
}

static void trips_leave(struct rt_skip *skip, struct rt_frame *frame, uint64_t trips)
{
	int64_t *value = &skip->expand->loops[frame->depth];

	*value = (int64_t)((uint64_t)*value + trips * (uint64_t)frame->step);
	frame->left -= trips;
}

static void skip_body_first(struct rt_skip *skip, struct rt_frame *frame, struct rt_skip_body *body)
{
	int64_t first = skip->expand->loops[frame->depth];
	uint64_t trips = trips_away(skip, frame, body, first, frame->left + 1);

	body->fresh = false;
	if (!trips_pass(skip, frame, body, first, trips))
		return;
	if (trips > frame->left) {
		skip->expand->at = frame->end;
		frame->left = 0;
		return;
	}
	trips_leave(skip, frame, trips);
	if (body->way == RT_WAY_VALUE)
		skip_mine_begin(skip, false);
}

static void skip_body_next(struct rt_skip *skip, struct rt_frame *frame, struct rt_skip_body *body)
{
	int64_t first = (int64_t)((uint64_t)skip->expand->loops[frame->depth] + (uint64_t)frame->step);
	uint64_t trips;

	if (!frame->left)
		return;
	if (body->way == RT_WAY_VALUE && body->stride)
		trips = body->stride - 1 < frame->left ? body->stride - 1 : frame->left;
	else
		trips = trips_away(skip, frame, body, first, frame->left);
	if (trips_pass(skip, frame, body, first, trips))
		trips_leave(skip, frame, trips);
}

/* Sets the value's change; the stride, where values of the loop's whole range are those of exact arithmetic. */
static void value_moves(const struct rt_skip *skip, const struct rt_frame *frame, const struct rt_site *site, struct rt_skip_body *body)
{
	const struct rt_form *form = site->dispatch == PTOWSP_NONE ? NULL : &skip->owner.env->forms[site->dispatch];
	int64_t slope = form ? (int64_t)rt_form_step(form, frame->depth) : 1, span, last, far;

	body->moves = (int64_t)((uint64_t)slope * (uint64_t)frame->step);
	body->stride = 0;
	if (skip->owner.dispatch->policy != PTOWSP_DISPATCH_HASH && frame->left < INT64_MAX && !__builtin_mul_overflow(slope, frame->step, &far) &&
	    !__builtin_mul_overflow(far, (int64_t)frame->left, &span) &&
	    !__builtin_add_overflow(rt_value_deciding(skip->owner.env, site->dispatch, site->affinity), span, &last))
		body->stride = stride_find(skip, body);
}

/* Are all tasks of the loop, whose first iteration has just begun, inside the own range of numbers? */
static bool range_holds(struct rt_skip *skip, const struct rt_frame *frame)
{
	uint64_t tasks;

	return skip->owner.ranged && !rt_owner_away(&skip->owner, skip->number) && frame->left < UINT64_MAX &&
	       trips_count(skip, frame, skip->expand->loops[frame->depth], frame->left + 1, &tasks) && tasks <= skip->owner.until - skip->number;
}

/* A loop that decides by its own value. */
static void value_enter(struct rt_skip *skip, const struct rt_frame *frame, const struct rt_outline_row *row, struct rt_skip_body *body)
{
	const struct rt_site *site = &skip->owner.program->sites[row->site];

	if (row->mixed || row->loose || row->claims >> frame->depth != 1 ||
	    (site->dispatch != PTOWSP_NONE && skip->owner.env->forms[site->dispatch].terms == RT_FORM_CODE))
		return;
	value_moves(skip, frame, site, body);
	body->way = RT_WAY_VALUE;
	body->fresh = true;
}

static void loop_enter(struct rt_skip *skip, const struct rt_frame *frame, struct rt_skip_body *body)
{
	const struct rt_outline_row *row = &skip->outline.rows[frame->at];

	if ((!skip->owner.numbered || skip->filter_count) && skip_statement_owner(skip, row, frame->depth) == skip->owner.me) {
		skip_mine_begin(skip, true);
		return;
	}
	if (frame->op == PTOWSP_OP_SELECT || frame->walk.set || !row->body_closed || row->site == PTOWSP_NONE || rt_skip_filter_of(skip))
		return;
	body->sums = !row->body_known;
	body->count = row->body;
	if (body->sums &&
	    !rt_outline_range(&skip->outline, frame->at + 1, frame->end, frame->depth, skip->expand->loops[frame->depth], frame->step, 1, &body->count))
		return;
	if (!skip->owner.numbered) {
		value_enter(skip, frame, row, body);
	} else if (range_holds(skip, frame)) {
		skip_mine_begin(skip, true);
	} else {
		body->way = RT_WAY_NUMBER;
		body->fresh = true;
	}
}

static void skip_body_enter(struct rt_skip *skip)
{
	const struct rt_frame *frame = skip_frame_of(skip);
	struct rt_skip_body *body = skip_body_of(skip);

	body->way = RT_WAY_WALK;
	body->fresh = false;
	if (skip->all)
		return;
	if (frame->op == PTOWSP_OP_PARALLEL_FOR || frame->op == PTOWSP_OP_FOR_EACH || frame->op == PTOWSP_OP_SELECT)
		loop_enter(skip, frame, body);
}

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
		if (!skip->owner.ranged || row->filtered || !rt_outline_count(&skip->outline, expand->at, in->end, &count) ||
		    rt_owner_away(&skip->owner, skip->number) < count)
			return false;
	} else {
		owner = skip_statement_owner(skip, row, skip->owner.program->loops[in->row].depth);
		if (owner == skip->owner.instances || owner == skip->owner.me || !rt_outline_count(&skip->outline, expand->at, in->end, &count))
			return false;
	}
	skip_pass(skip, count);
	expand->at = in->end;
	return true;
}

static bool task_pass(struct rt_skip *skip, const struct rt_ins *in)
{
	if (skip->owner.own ? !rt_owner_away(&skip->owner, skip->number) : skip_task_owner(skip, &skip->owner.program->sites[in->row]) == skip->owner.me)
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
		skip->all_owner = skip_task_owner(skip, &skip->owner.program->sites[in->row]);
	if (skip->all && in->op != PTOWSP_OP_DISPATCH_FILTER)
		return false;
	switch (in->op) {
	case PTOWSP_OP_TASK: return task_pass(skip, in);
	case PTOWSP_OP_PARALLEL_FOR:
	case PTOWSP_OP_FOR_EACH:
	case PTOWSP_OP_SELECT: return loop_pass(skip, in);
	case PTOWSP_OP_DISPATCH_FILTER:
		if (!skip->owner.own)
			skip_filter_take(skip, in);
		return false;
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

/* Inside a body that is own as a whole. RT_EVENT_NONE: it is at its end, or was left. */
static enum rt_event mine_next(struct rt_skip *skip)
{
	struct rt_expand *expand = skip->expand;
	enum rt_event event = RT_EVENT_NONE;

	while (event == RT_EVENT_NONE) {
		bool end = expand->at == skip_frame_of(skip)->end;

		if (expand->depth < skip->mine || (!skip->whole && expand->depth == skip->mine && end)) {
			skip->mine = 0;
			return RT_EVENT_NONE;
		}
		if (rt_expand_task(expand))
			return task_give(skip);
		skip->owner.env->task = skip->number;
		event = rt_expand_step(expand);
	}
	return event == RT_EVENT_TASK ? task_give(skip) : event;
}

/* Passes over what it can where the expander stands. True: look again. */
static bool stand(struct rt_skip *skip)
{
	struct rt_expand *expand = skip->expand;
	struct rt_frame *frame = skip_frame_of(skip);
	struct rt_skip_body *body = skip_body_of(skip);

	if (expand->breaking || expand->ordering)
		return false;
	if (body->fresh) {
		skip_body_first(skip, frame, body);
		return true;
	}
	if (skip->filter_count)
		skip_filters_end(skip);
	if (expand->at != frame->end)
		return statement(skip);
	if (body->way != RT_WAY_WALK)
		skip_body_next(skip, frame, body);
	return false;
}

/* One step of the interpreter; a body that it enters begins to be chosen from. */
static enum rt_event step(struct rt_skip *skip)
{
	struct rt_expand *expand = skip->expand;
	uint32_t depth = expand->depth;
	bool ended = expand->at == skip_frame_of(skip)->end;
	enum rt_event event = rt_expand_step(expand);

	if (event != RT_EVENT_PAUSE && expand->depth > depth)
		skip_body_enter(skip);
	else if (event != RT_EVENT_PAUSE && ended && expand->depth == depth && skip->bodies[depth].way == RT_WAY_VALUE)
		skip_mine_begin(skip, false); /* an iteration that skip_body_next chose has begun */
	return event == RT_EVENT_TASK ? task_give(skip) : event;
}

enum rt_event rt_skip_next(struct rt_skip *skip)
{
	struct rt_expand *expand = skip->expand;
	enum rt_event event = RT_EVENT_NONE;

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
	ptowsp_status status;

	memset(skip, 0, sizeof(*skip));
	skip->expand = expand;
	status = rt_outline_init(&skip->outline, program, env, error);
	rt_expand_start(expand, program, env, error);
	rt_owner_init(&skip->owner, program, env, me, instances);
	return status;
}

void rt_skip_finish(struct rt_skip *skip)
{
	rt_outline_finish(&skip->outline);
}
