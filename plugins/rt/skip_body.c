/* SPDX-License-Identifier: MIT */
/* skip_body.c - bodies of loops: how their iterations are chosen, and which are passed over without being walked. */
#include "rt/policy.h"
#include "rt/skip_body.h"

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
	for (uint64_t k = 0; k < most; k++, v += (uint64_t)body->moves) {
		if (rt_modulo((int64_t)v, skip->owner.instances) == skip->owner.me)
			return k;
		if (body->stride && k == body->stride) /* a whole period without one */
			return most;
	}
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
	trips = own_find(skip, body, rt_owner_value(&skip->owner, site), most);
	*value = stands;
	return trips;
}

void rt_skip_body_first(struct rt_skip *skip, struct rt_frame *frame, struct rt_skip_body *body)
{
	struct rt_expand *expand = skip->expand;
	int64_t first = expand->loops[frame->depth];
	uint64_t trips = trips_away(skip, frame, body, first, frame->left + 1), tasks;

	body->fresh = false;
	if (!trips_count(skip, frame, first, trips, &tasks)) {
		body->way = RT_WAY_WALK;
		return;
	}
	rt_skip_pass(skip, tasks);
	if (trips > frame->left) {
		expand->at = frame->end;
		frame->left = 0;
		return;
	}
	expand->loops[frame->depth] = (int64_t)((uint64_t)first + trips * (uint64_t)frame->step);
	frame->left -= trips;
	if (body->way == RT_WAY_VALUE)
		rt_skip_mine_begin(skip, false);
}

void rt_skip_body_next(struct rt_skip *skip, struct rt_frame *frame, struct rt_skip_body *body)
{
	struct rt_expand *expand = skip->expand;
	int64_t first = (int64_t)((uint64_t)expand->loops[frame->depth] + (uint64_t)frame->step);
	uint64_t trips, tasks;

	if (!frame->left)
		return;
	if (body->way == RT_WAY_VALUE && body->stride)
		trips = body->stride - 1 < frame->left ? body->stride - 1 : frame->left;
	else
		trips = trips_away(skip, frame, body, first, frame->left);
	if (!trips_count(skip, frame, first, trips, &tasks)) {
		body->way = RT_WAY_WALK;
	} else if (trips) {
		rt_skip_pass(skip, tasks);
		expand->loops[frame->depth] = (int64_t)((uint64_t)expand->loops[frame->depth] + trips * (uint64_t)frame->step);
		frame->left -= trips;
	}
}

/* What the value moves by; the stride, where the values of the loop's whole range are those of exact arithmetic. */
static void value_moves(const struct rt_skip *skip, const struct rt_frame *frame, const struct rt_site *site, struct rt_skip_body *body)
{
	const struct rt_form *form = site->dispatch == PTOWSP_NONE ? NULL : &skip->owner.env->forms[site->dispatch];
	int64_t slope = form ? 0 : 1, span, last, far;

	for (unsigned k = 0; form && k < form->terms; k++)
		if (form->loop[k] == frame->depth)
			slope = form->step[k];
	body->moves = (int64_t)((uint64_t)slope * (uint64_t)frame->step);
	body->stride = 0;
	if (skip->owner.dispatch->policy != PTOWSP_DISPATCH_HASH && frame->left < INT64_MAX && !__builtin_mul_overflow(slope, frame->step, &far) &&
	    !__builtin_mul_overflow(far, (int64_t)frame->left, &span) && !__builtin_add_overflow(rt_owner_value(&skip->owner, site), span, &last))
		body->stride = stride_find(skip, body);
}

/* Are all tasks of the loop, whose first iteration has just begun, inside the own range of numbers? */
static bool range_holds(struct rt_skip *skip, const struct rt_frame *frame)
{
	uint64_t tasks;

	return skip->owner.dispatch->policy == PTOWSP_DISPATCH_STATIC_PARTITION && !rt_owner_away(&skip->owner, skip->number) && frame->left < UINT64_MAX &&
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

	if ((!skip->owner.numbered || skip->filter_count) && rt_skip_statement_owner(skip, row, frame->depth) == skip->owner.me) {
		rt_skip_mine_begin(skip, true);
		return;
	}
	if (frame->op == PTOWSP_OP_SELECT || frame->walk.set || !row->body_closed || row->site == PTOWSP_NONE || rt_skip_filter_of(skip))
		return;
	body->sums = !row->body_known;
	body->count = row->body;
	if (body->sums && !rt_outline_range(&skip->outline, frame->at + 1, frame->end, frame->depth, skip->expand->loops[frame->depth], frame->step,
					    1, &body->count))
		return;
	if (!skip->owner.numbered) {
		value_enter(skip, frame, row, body);
	} else if (range_holds(skip, frame)) {
		rt_skip_mine_begin(skip, true);
	} else {
		body->way = RT_WAY_NUMBER;
		body->fresh = true;
	}
}

void rt_skip_body_enter(struct rt_skip *skip)
{
	const struct rt_frame *frame = rt_skip_frame_of(skip);
	struct rt_skip_body *body = rt_skip_body_of(skip);

	body->way = RT_WAY_WALK;
	body->fresh = false;
	if (skip->all)
		return;
	if (frame->op == PTOWSP_OP_PARALLEL_FOR || frame->op == PTOWSP_OP_FOR_EACH || frame->op == PTOWSP_OP_SELECT)
		loop_enter(skip, frame, body);
}
