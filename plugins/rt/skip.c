/* SPDX-License-Identifier: MIT */
#include "rt/skip.h"

#include <string.h>
#include "rt/error.h"
#include "rt/policy.h"

/* How the iterations of a body are chosen: each is walked; those with own numbers; those whose value is own. */
enum { WAY_WALK, WAY_NUMBER, WAY_VALUE };

/* ---- whose -------------------------------------------------------------------------------------------------------- */

/* z mod n without a division: the estimate is the quotient or one less. */
static inline uint32_t rest_of(const struct rt_skip *skip, uint64_t z)
{
	uint64_t n = skip->instances, quotient, rest;

#ifdef __SIZEOF_INT128__
	__extension__ typedef unsigned __int128 wide;

	quotient = (uint64_t)((wide)z * skip->reciprocal >> 64);
#else
	quotient = z / n;
#endif
	rest = z - quotient * n;
	return (uint32_t)(rest >= n ? rest - n : rest);
}

static bool decided_by_number(const struct rt_dispatch *dispatch)
{
	switch (dispatch->policy) {
	case 0:
	case PTOWSP_DISPATCH_ROUND_ROBIN:
	case PTOWSP_DISPATCH_WORK_STEAL:
	case PTOWSP_DISPATCH_AUTO:
	case PTOWSP_DISPATCH_STATIC_PARTITION: return true;
	}
	return false;
}

static int64_t site_value(const struct rt_skip *skip, const struct rt_site *site)
{
	struct rt_env *env = skip->outline.env;

	if (site->dispatch != PTOWSP_NONE)
		return rt_value(env, site->dispatch);
	return site->affinity >= 0 ? env->loops[site->affinity] : 0;
}

static int64_t grid_value(const struct rt_skip *skip, const struct rt_site *site)
{
	const struct rt_env *env = skip->outline.env;
	uint32_t rows = (uint32_t)skip->dispatch->rows, columns = (uint32_t)skip->dispatch->columns;
	int64_t row = site->grid[0] < 0 ? 0 : env->loops[site->grid[0]], column = site->grid[1] < 0 ? 0 : env->loops[site->grid[1]];

	return (int64_t)rt_modulo(row, rows) * columns + rt_modulo(column, columns);
}

static uint32_t owner_by(const struct rt_skip *skip, const struct rt_dispatch *dispatch, const struct rt_site *site, int64_t value, uint64_t task)
{
	uint32_t part = 0;

	switch (dispatch->policy) {
	case PTOWSP_DISPATCH_HASH: return rest_of(skip, rt_mix64((uint64_t)value));
	case PTOWSP_DISPATCH_AFFINITY:
	case PTOWSP_DISPATCH_CUSTOM: return rt_modulo(value, skip->instances);
	case RT_POLICY_GRID: return rt_modulo(grid_value(skip, site), skip->instances);
	case PTOWSP_DISPATCH_STATIC_PARTITION:
		for (uint32_t k = 0; k < dispatch->bound_count; k++)
			part += (uint64_t)dispatch->bounds[k] <= task;
		return part % skip->instances;
	}
	return rest_of(skip, task);
}

/* By the part of dispatch threshold that serves a value. */
static uint32_t owner_of_part(const struct rt_skip *skip, const struct rt_site *site, int64_t value, uint64_t task)
{
	const struct rt_program *program = skip->outline.program;
	uint32_t k = rt_threshold_part(&program->schedule, value);
	const struct rt_site_part *part = &program->parts[site->first_part + k];

	value = part->value != PTOWSP_NONE ? rt_value(skip->outline.env, part->value)
					   : part->affinity >= 0 ? skip->outline.env->loops[part->affinity] : 0;
	return owner_by(skip, &program->schedule.parts[k], site, value, task);
}

uint32_t rt_skip_owner(const struct rt_skip *skip, const struct rt_site *site, uint64_t task)
{
	int64_t value = site_value(skip, site);

	if (skip->dispatch->policy == PTOWSP_DISPATCH_THRESHOLD)
		return owner_of_part(skip, site, value, task);
	return owner_by(skip, skip->dispatch, site, value, task);
}

/* The first own range of numbers that ends behind `number`; bounds need not ascend, so all are looked at. */
static void range_find(struct rt_skip *skip)
{
	const struct rt_dispatch *dispatch = skip->dispatch;
	uint64_t at = skip->number;

	for (;;) {
		uint64_t end = UINT64_MAX;

		for (uint32_t k = 0; k < dispatch->bound_count; k++)
			if ((uint64_t)dispatch->bounds[k] > at && (uint64_t)dispatch->bounds[k] < end)
				end = (uint64_t)dispatch->bounds[k];
		skip->next = at;
		skip->until = end;
		if (owner_by(skip, dispatch, NULL, 0, at) == skip->me)
			return;
		skip->next = skip->until = UINT64_MAX;
		if (end == UINT64_MAX)
			return;
		at = end;
	}
}

/* How many tasks from `number` on are not own, where the number decides. */
static inline uint64_t away(struct rt_skip *skip)
{
	if (skip->dispatch->policy == PTOWSP_DISPATCH_STATIC_PARTITION) {
		if (skip->number >= skip->until && skip->until != UINT64_MAX)
			range_find(skip);
		return skip->next > skip->number ? skip->next - skip->number : 0;
	}
	if (skip->next < skip->number) {
		uint32_t rest = rest_of(skip, skip->number);

		skip->next = skip->number + (skip->me >= rest ? skip->me - rest : skip->me + skip->instances - rest);
	}
	return skip->next - skip->number;
}

/* ---- passing over ------------------------------------------------------------------------------------------------- */

static inline void pass(struct rt_skip *skip, uint64_t tasks)
{
	skip->number += tasks;
	skip->skipped += tasks;
}

static struct rt_skip_body *body_of(struct rt_skip *skip)
{
	return &skip->bodies[skip->expand->depth];
}

static struct rt_frame *frame_of(const struct rt_skip *skip)
{
	return &skip->expand->frames[skip->expand->depth - 1];
}

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
	uint32_t n = skip->instances, moves = rt_modulo(body->moves, n), sum = moves;
	uint64_t stride = 1;

	for (; sum; sum = (sum + moves) % n)
		stride++;
	return stride;
}

/* The first of `most` values value, value + moves ... that is own; most: none. */
static uint64_t own_find(const struct rt_skip *skip, const struct rt_skip_body *body, int64_t value, uint64_t most)
{
	uint64_t v = (uint64_t)value, mask = skip->instances - 1;

	if (skip->dispatch->policy == PTOWSP_DISPATCH_HASH && !(skip->instances & mask)) {
		for (uint64_t k = 0; k < most; k++, v += (uint64_t)body->moves)
			if ((rt_mix64(v) & mask) == skip->me)
				return k;
		return most;
	}
	if (skip->dispatch->policy == PTOWSP_DISPATCH_HASH) {
		for (uint64_t k = 0; k < most; k++, v += (uint64_t)body->moves)
			if (rest_of(skip, rt_mix64(v)) == skip->me)
				return k;
		return most;
	}
	for (uint64_t k = 0; k < most; k++, v += (uint64_t)body->moves) {
		if (rt_modulo((int64_t)v, skip->instances) == skip->me)
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

	if (body->way == WAY_NUMBER) {
		tasks = away(skip);
		if (!body->sums && tasks < body->count)
			return 0;
		trips = body->sums ? trips_fit(skip, frame, first, most, tasks) : body->count ? tasks / body->count : most;
		return trips < most ? trips : most;
	}
	site = &skip->outline.program->sites[skip->outline.rows[frame->at].site];
	*value = first;
	trips = own_find(skip, body, site_value(skip, site), most);
	*value = stands;
	return trips;
}

/* All that the innermost frame has left is own: of its iteration, or of the loop. */
static void mine_begin(struct rt_skip *skip, bool whole)
{
	skip->mine = skip->expand->depth;
	skip->whole = whole;
}

/* At the beginning of the first iteration: goes on to the first one with something own in it, or to the end. */
static void first_choose(struct rt_skip *skip, struct rt_frame *frame, struct rt_skip_body *body)
{
	struct rt_expand *expand = skip->expand;
	int64_t first = expand->loops[frame->depth];
	uint64_t trips = trips_away(skip, frame, body, first, frame->left + 1), tasks;

	body->fresh = false;
	if (!trips_count(skip, frame, first, trips, &tasks)) {
		body->way = WAY_WALK;
		return;
	}
	pass(skip, tasks);
	if (trips > frame->left) {
		expand->at = frame->end;
		frame->left = 0;
		return;
	}
	expand->loops[frame->depth] = (int64_t)((uint64_t)first + trips * (uint64_t)frame->step);
	frame->left -= trips;
	if (body->way == WAY_VALUE)
		mine_begin(skip, false);
}

/* At the end of an iteration: the next one with something own in it follows, or none. */
static void next_choose(struct rt_skip *skip, struct rt_frame *frame, struct rt_skip_body *body)
{
	struct rt_expand *expand = skip->expand;
	int64_t first = (int64_t)((uint64_t)expand->loops[frame->depth] + (uint64_t)frame->step);
	uint64_t trips, tasks;

	if (!frame->left)
		return;
	if (body->way == WAY_VALUE && body->stride)
		trips = body->stride - 1 < frame->left ? body->stride - 1 : frame->left;
	else
		trips = trips_away(skip, frame, body, first, frame->left);
	if (!trips_count(skip, frame, first, trips, &tasks)) {
		body->way = WAY_WALK;
	} else if (trips) {
		pass(skip, tasks);
		expand->loops[frame->depth] = (int64_t)((uint64_t)expand->loops[frame->depth] + trips * (uint64_t)frame->step);
		frame->left -= trips;
	}
}

/* ---- a body is entered -------------------------------------------------------------------------------------------- */

/* What the value moves by; the stride, where the values of the loop's whole range are those of exact arithmetic. */
static void value_moves(const struct rt_skip *skip, const struct rt_frame *frame, const struct rt_site *site, struct rt_skip_body *body)
{
	const struct rt_form *form = site->dispatch == PTOWSP_NONE ? NULL : &skip->outline.env->forms[site->dispatch];
	int64_t slope = form ? 0 : 1, span, last, far;

	for (unsigned k = 0; form && k < form->terms; k++)
		if (form->loop[k] == frame->depth)
			slope = form->step[k];
	body->moves = (int64_t)((uint64_t)slope * (uint64_t)frame->step);
	body->stride = 0;
	if (skip->dispatch->policy != PTOWSP_DISPATCH_HASH && frame->left < INT64_MAX && !__builtin_mul_overflow(slope, frame->step, &far) &&
	    !__builtin_mul_overflow(far, (int64_t)frame->left, &span) && !__builtin_add_overflow(site_value(skip, site), span, &last))
		body->stride = stride_find(skip, body);
}

/* The filter in force; NULL: none. */
static const struct rt_skip_filter *filter_of(const struct rt_skip *skip)
{
	return skip->filter_count ? &skip->filters[skip->filter_count - 1] : NULL;
}

/* Whose all tasks of a statement are, where that can be told before it; `instances`: it cannot. depth: how many loops are around it. */
static uint32_t statement_owner(const struct rt_skip *skip, const struct rt_outline_row *row, uint32_t depth)
{
	const struct rt_skip_filter *filter = filter_of(skip);

	if (row->filtered || row->site == PTOWSP_NONE)
		return skip->instances;
	if (filter)
		return filter->owner < skip->instances ? filter->owner : skip->instances;
	if (skip->numbered || row->mixed || row->loose || row->claims >> depth)
		return skip->instances;
	return rt_skip_owner(skip, &skip->outline.program->sites[row->site], skip->number);
}

/* Are all tasks of the loop, whose first iteration has just begun, inside the own range of numbers? */
static bool range_holds(struct rt_skip *skip, const struct rt_frame *frame)
{
	uint64_t tasks;

	return skip->dispatch->policy == PTOWSP_DISPATCH_STATIC_PARTITION && !away(skip) && frame->left < UINT64_MAX &&
	       trips_count(skip, frame, skip->expand->loops[frame->depth], frame->left + 1, &tasks) && tasks <= skip->until - skip->number;
}

/* A loop that decides by its own value. */
static void value_enter(struct rt_skip *skip, const struct rt_frame *frame, const struct rt_outline_row *row, struct rt_skip_body *body)
{
	const struct rt_site *site = &skip->outline.program->sites[row->site];

	if (row->mixed || row->loose || row->claims >> frame->depth != 1 ||
	    (site->dispatch != PTOWSP_NONE && skip->outline.env->forms[site->dispatch].terms == RT_FORM_CODE))
		return;
	value_moves(skip, frame, site, body);
	body->way = WAY_VALUE;
	body->fresh = true;
}

static void loop_enter(struct rt_skip *skip, const struct rt_frame *frame, struct rt_skip_body *body)
{
	const struct rt_outline_row *row = &skip->outline.rows[frame->at];

	if ((!skip->numbered || skip->filter_count) && statement_owner(skip, row, frame->depth) == skip->me) {
		mine_begin(skip, true);
		return;
	}
	if (frame->op == PTOWSP_OP_SELECT || frame->walk.set || !row->body_closed || row->site == PTOWSP_NONE || filter_of(skip))
		return;
	body->sums = !row->body_known;
	body->count = row->body;
	if (body->sums && !rt_outline_range(&skip->outline, frame->at + 1, frame->end, frame->depth, skip->expand->loops[frame->depth], frame->step,
					    1, &body->count))
		return;
	if (!skip->numbered) {
		value_enter(skip, frame, row, body);
	} else if (range_holds(skip, frame)) {
		mine_begin(skip, true);
	} else {
		body->way = WAY_NUMBER;
		body->fresh = true;
	}
}

static void body_enter(struct rt_skip *skip)
{
	const struct rt_frame *frame = frame_of(skip);
	struct rt_skip_body *body = body_of(skip);

	body->way = WAY_WALK;
	body->fresh = false;
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
	if (skip->numbered && !filter_of(skip)) {
		if (skip->dispatch->policy != PTOWSP_DISPATCH_STATIC_PARTITION || row->filtered ||
		    !rt_outline_count(&skip->outline, expand->at, in->end, &count) || away(skip) < count)
			return false;
	} else {
		owner = statement_owner(skip, row, skip->outline.program->loops[in->row].depth);
		if (owner == skip->instances || owner == skip->me || !rt_outline_count(&skip->outline, expand->at, in->end, &count))
			return false;
	}
	pass(skip, count);
	expand->at = in->end;
	return true;
}

static uint32_t task_owner(const struct rt_skip *skip, const struct rt_site *site)
{
	const struct rt_skip_filter *filter = filter_of(skip);

	if (filter)
		return filter->owner < RT_SKIP_LIMIT ? filter->owner : rest_of(skip, skip->number);
	return rt_skip_owner(skip, site, skip->number);
}

static bool task_pass(struct rt_skip *skip, const struct rt_ins *in)
{
	if (task_owner(skip, &skip->outline.program->sites[in->row]) == skip->me)
		return false;
	skip->walked++;
	skip->number++;
	skip->expand->at = in->end;
	skip->expand->given++;
	return true;
}

/* The rest of the body belongs to somebody; a filter that it had before has no say any more. */
static void filter_take(struct rt_skip *skip, const struct rt_ins *in)
{
	const struct rt_schedule *schedule = &skip->outline.program->schedule;
	uint32_t depth = skip->expand->depth, end = skip->outline.rows[skip->expand->at].end;
	struct rt_dispatch rule = {.policy = in->count == PTOWSP_DISPATCH_HASH	      ? PTOWSP_DISPATCH_HASH
					     : in->count == PTOWSP_DISPATCH_ROUND_ROBIN ? PTOWSP_DISPATCH_ROUND_ROBIN
										       : PTOWSP_DISPATCH_CUSTOM};
	const struct rt_skip_filter *now = filter_of(skip);
	int64_t value = rt_value(skip->outline.env, in->row);

	if (in->count == PTOWSP_DISPATCH_THRESHOLD && schedule->part_count)
		rule.policy = schedule->parts[rt_threshold_part(schedule, value)].policy;
	if (!now || now->depth != depth || now->end != end)
		skip->filter_count++;
	skip->filters[skip->filter_count - 1] = (struct rt_skip_filter){
		.depth = depth,
		.end = end,
		.owner = rule.policy == PTOWSP_DISPATCH_ROUND_ROBIN ? RT_SKIP_LIMIT
			 : rule.policy == PTOWSP_DISPATCH_HASH	    ? rest_of(skip, rt_mix64((uint64_t)value))
								    : rt_modulo(value, skip->instances),
	};
}

/* Filters of bodies and branches that were left, or are at their end. */
static void filters_end(struct rt_skip *skip)
{
	const struct rt_skip_filter *filter;

	while ((filter = filter_of(skip)) != NULL &&
	       (filter->depth > skip->expand->depth || (filter->depth == skip->expand->depth && skip->expand->at >= filter->end)))
		skip->filter_count--;
}

static bool statement(struct rt_skip *skip)
{
	struct rt_expand *expand = skip->expand;
	const struct rt_ins *in = &skip->outline.program->code[expand->at];

	switch (in->op) {
	case PTOWSP_OP_TASK: return task_pass(skip, in);
	case PTOWSP_OP_PARALLEL_FOR:
	case PTOWSP_OP_FOR_EACH:
	case PTOWSP_OP_SELECT: return loop_pass(skip, in);
	case PTOWSP_OP_DISPATCH_FILTER: filter_take(skip, in); return false;
	}
	return false;
}

/* ---- the loop ----------------------------------------------------------------------------------------------------- */

static enum rt_event task_give(struct rt_skip *skip)
{
	skip->task = skip->outline.env->task = skip->number++;
	skip->given++;
	return RT_EVENT_TASK;
}

/* At the end of an own iteration: goes to the next one at once, where that tells nothing. */
static bool iteration_next(struct rt_skip *skip)
{
	struct rt_expand *expand = skip->expand;
	struct rt_frame *frame = frame_of(skip);
	struct rt_skip_body *body = body_of(skip);

	if (body->way != WAY_VALUE || frame->op != PTOWSP_OP_PARALLEL_FOR || expand->budget < 2 || expand->breaking || !frame->left)
		return false;
	expand->budget--;
	next_choose(skip, frame, body);
	return body->way == WAY_VALUE && rt_expand_again(expand);
}

/* Inside a body that is own as a whole. RT_EVENT_NONE: it is at its end, or was left. */
static enum rt_event mine_next(struct rt_skip *skip)
{
	struct rt_expand *expand = skip->expand;
	const struct rt_ins *code = skip->outline.program->code;
	enum rt_event event = RT_EVENT_NONE;

	while (event == RT_EVENT_NONE) {
		const struct rt_frame *top = frame_of(skip);

		if (expand->depth < skip->mine || (!skip->whole && expand->depth == skip->mine && expand->at == top->end)) {
			if (expand->depth == skip->mine && iteration_next(skip))
				continue;
			skip->mine = 0;
			return RT_EVENT_NONE;
		}
		if (expand->budget > 1 && !expand->breaking && !(top->branch && top->op == PTOWSP_OP_FOR_EACH)) {
			if (expand->at == top->end && rt_expand_again(expand)) {
				expand->budget--;
				continue;
			}
			if (expand->at != top->end && code[expand->at].op == PTOWSP_OP_TASK) {
				expand->budget--;
				expand->site = code[expand->at].row;
				expand->at = code[expand->at].end;
				expand->given++;
				return task_give(skip);
			}
		}
		skip->outline.env->task = skip->number;
		event = rt_expand_step(expand);
	}
	return event == RT_EVENT_TASK ? task_give(skip) : event;
}

/* Passes over what it can where the expander stands. True: look again. */
static bool stand(struct rt_skip *skip)
{
	struct rt_expand *expand = skip->expand;
	struct rt_frame *frame = frame_of(skip);
	struct rt_skip_body *body = body_of(skip);

	if (expand->breaking || (frame->branch && frame->op == PTOWSP_OP_FOR_EACH))
		return false;
	if (body->fresh) {
		first_choose(skip, frame, body);
		return true;
	}
	if (skip->filter_count)
		filters_end(skip);
	if (expand->at != frame->end)
		return statement(skip);
	if (body->way != WAY_WALK)
		next_choose(skip, frame, body);
	return false;
}

/* A loop whose iterations are one task each, own by number: the next one at once. */
static inline bool next_at_once(struct rt_skip *skip)
{
	struct rt_expand *expand = skip->expand;
	const struct rt_skip_body *body = &skip->bodies[expand->depth];
	struct rt_frame *frame = &expand->frames[expand->depth - 1];
	uint64_t trips = skip->instances;

	if (body->way != WAY_NUMBER || body->count != 1 || body->sums || frame->op != PTOWSP_OP_PARALLEL_FOR || expand->at != frame->end ||
	    skip->dispatch->policy == PTOWSP_DISPATCH_STATIC_PARTITION || frame->left < trips || expand->budget < 2 || expand->breaking ||
	    skip->outline.program->code[frame->at + 1].op != PTOWSP_OP_TASK)
		return false;
	expand->budget--;
	expand->loops[frame->depth] = (int64_t)((uint64_t)expand->loops[frame->depth] + trips * (uint64_t)frame->step);
	frame->left -= trips;
	skip->skipped += trips - 1;
	skip->number += trips - 1;
	return true;
}

enum rt_event rt_skip_next(struct rt_skip *skip)
{
	struct rt_expand *expand = skip->expand;
	enum rt_event event;

	if (!skip->mine && skip->number == skip->task + 1 && skip->given && next_at_once(skip))
		return task_give(skip);
	for (;;) {
		const struct rt_frame *frame = frame_of(skip);
		uint32_t depth = expand->depth;
		bool ended;

		if (skip->mine) {
			event = mine_next(skip);
			if (event != RT_EVENT_NONE)
				return event;
			continue;
		}
		skip->outline.env->task = skip->number;
		if (expand->budget > 1 && stand(skip)) {
			expand->budget--;
			continue;
		}
		ended = expand->at == frame->end;
		event = rt_expand_step(expand);
		if (event != RT_EVENT_PAUSE && expand->depth > depth)
			body_enter(skip);
		else if (event != RT_EVENT_PAUSE && ended && expand->depth == depth && skip->bodies[depth].way == WAY_VALUE)
			mine_begin(skip, false); /* an iteration that next_choose chose has begun */
		if (event == RT_EVENT_TASK)
			return task_give(skip);
		if (event != RT_EVENT_NONE)
			return event;
	}
}

ptowsp_status rt_skip_init(struct rt_skip *skip, struct rt_expand *expand, const struct rt_program *program, struct rt_env *env, uint32_t me,
			   uint32_t instances, struct ptowsp_error *error)
{
	ptowsp_status st;

	memset(skip, 0, sizeof(*skip));
	skip->expand = expand;
	skip->dispatch = &program->schedule.dispatch;
	skip->me = me;
	skip->instances = instances;
	skip->numbered = decided_by_number(skip->dispatch);
	skip->reciprocal = instances > 1 ? (uint64_t)(UINT64_MAX / instances) : UINT64_MAX;
	st = rt_outline_init(&skip->outline, program, env, error);
	rt_expand_start(expand, program, env, error);
	skip->outline.loops = expand->loops;
	if (skip->dispatch->policy == PTOWSP_DISPATCH_STATIC_PARTITION)
		range_find(skip);
	else
		skip->next = me;
	return st;
}

void rt_skip_finish(struct rt_skip *skip)
{
	rt_outline_finish(&skip->outline);
}
