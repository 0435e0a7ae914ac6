/* SPDX-License-Identifier: MIT */
#include "rt/instances/outline.h"

#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

/* ---- whose its tasks are ------------------------------------------------------------------------------------------ */

static uint64_t site_claims(const struct rt_program *program, const struct rt_site *site, bool *loose_out)
{
	switch (program->schedule.dispatch.policy) {
	case PTOWSP_DISPATCH_AFFINITY: return site->affinity < 0 ? 0 : UINT64_C(1) << site->affinity;
	case PTOWSP_DISPATCH_HASH:
	case PTOWSP_DISPATCH_CUSTOM: return rt_expr_loops(&program->exprs, site->dispatch, loose_out);
	case PTOWSP_DISPATCH_THRESHOLD:
	case PTOWSP_DISPATCH_GRID: *loose_out = true;
	}
	return 0;
}

static bool site_same(const struct rt_outline *outline, const struct rt_site *a, const struct rt_site *b)
{
	const struct rt_form *forms = outline->env->forms;

	if (a->affinity != b->affinity || (a->dispatch == PTOWSP_NONE) != (b->dispatch == PTOWSP_NONE))
		return false;
	return a->dispatch == b->dispatch || (forms[a->dispatch].terms != RT_FORM_CODE && rt_form_same(&forms[a->dispatch], &forms[b->dispatch]));
}

/* The loops that a loop's bounds read. */
static uint64_t bounds_read(const struct rt_outline *o, const struct rt_loop *loop, bool *loose_out)
{
	const struct rt_exprs *exprs = &o->program->exprs;

	return rt_expr_loops(exprs, loop->low, loose_out) | rt_expr_loops(exprs, loop->high, loose_out) | rt_expr_loops(exprs, loop->step, loose_out);
}

/* ---- at the beginning of a run ----------------------------------------------------------------------------------- */

static void row_add(struct rt_outline *o, struct rt_outline_row *row, const struct rt_outline_row *part)
{
	const struct rt_site *sites = o->program->sites;

	row->bounds |= part->bounds;
	row->claims |= part->claims;
	row->closed &= part->closed;
	row->mixed |= part->mixed || (row->site != PTOWSP_NONE && part->site != PTOWSP_NONE && !site_same(o, &sites[row->site], &sites[part->site]));
	row->loose |= part->loose;
	row->filtered |= part->filtered;
	if (row->site == PTOWSP_NONE)
		row->site = part->site;
}

/* Is what the loop counts by its own value a sum that can be had at once? A body that depends on it in two places at once cannot. */
static bool summable(const struct rt_outline *o, uint32_t at, uint32_t end, uint32_t depth)
{
	const struct rt_program *program = o->program;
	bool ok = true, loose = false;

	for (; ok && at < end; at = rt_statement_end(program, at)) {
		const struct rt_ins *in = &program->code[at];
		const struct rt_loop *loop = rt_statement_loops(in->op) ? &program->loops[in->row] : NULL;

		if (!(o->rows[at].bounds >> depth & 1))
			continue;
		if (loop && rt_loop_sums(loop))
			ok = o->rows[at].body_known;
		else if (loop)
			ok = !(bounds_read(o, loop, &loose) >> depth & 1) && summable(o, at + 1, in->end, depth);
		else
			ok = summable(o, rt_statement_inside(program, at), in->end, depth);
	}
	return ok;
}

static void loop_outline(struct rt_outline *o, uint32_t at, struct rt_outline_row *row)
{
	const struct rt_ins *in = &o->program->code[at];
	const struct rt_loop *loop = &o->program->loops[in->row];
	uint64_t own = UINT64_C(1) << loop->depth, bounds = row->bounds;
	bool loose = false;

	row->body_closed = row->closed && !row->filtered;
	row->body_known = row->body_closed && !bounds && rt_outline_count(o, at + 1, in->end, &row->body);
	row->bounds = (bounds & ~own) | bounds_read(o, loop, &loose);
	if (loop->line != PTOWSP_NONE)
		row->bounds |= rt_expr_loops(&o->program->exprs, loop->line, &loose);
	row->closed &= !loose && !loop->read_count && (loop->line == PTOWSP_NONE || rt_loop_sums(loop));
	if (bounds & own) {
		bool sums = loop->levels == PTOWSP_NONE && loop->line == PTOWSP_NONE && summable(o, at + 1, in->end, loop->depth);

		row->body_closed &= sums;
		row->closed &= sums;
	}
}

static bool counts_nothing(unsigned op)
{
	return op == PTOWSP_OP_NOP || op == PTOWSP_OP_DISPATCH_FILTER || op == PTOWSP_OP_TARGET;
}

static void outline(struct rt_outline *o, uint32_t at, uint32_t end);

/* The statements inside, branch by branch: a filter holds to the end of its branch. */
static void parts_outline(struct rt_outline *o, uint32_t at)
{
	const struct rt_ins *in = &o->program->code[at];
	uint32_t targets = at + 1, count = in->op == PTOWSP_OP_COND ? 2 : in->count, part = rt_statement_inside(o->program, at);

	if (in->op != PTOWSP_OP_COND && in->op != PTOWSP_OP_COMBINE && in->op != PTOWSP_OP_SEQUENTIAL) {
		outline(o, part, in->end);
		return;
	}
	for (uint32_t k = 0; k < count; k++) {
		outline(o, part, o->program->code[targets + k].end);
		part = o->program->code[targets + k].end;
	}
}

static void one_outline(struct rt_outline *o, uint32_t at)
{
	const struct rt_program *program = o->program;
	const struct rt_ins *in = &program->code[at];
	struct rt_outline_row row = {.site = PTOWSP_NONE, .closed = true};
	uint32_t end = rt_statement_end(program, at);
	uint64_t count;

	if (in->op == PTOWSP_OP_TASK) {
		row.site = in->row;
		row.claims = site_claims(program, &program->sites[in->row], &row.loose);
		row.known = true;
		row.count = 1;
	} else if (end == at + 1) {
		row.closed = row.known = counts_nothing(in->op);
		row.filtered = in->op == PTOWSP_OP_DISPATCH_FILTER;
	} else {
		parts_outline(o, at);
		for (uint32_t part = rt_statement_inside(program, at); part < end; part = rt_statement_end(program, part))
			row_add(o, &row, &o->rows[part]);
		o->rows[at] = row;
		if (rt_statement_loops(in->op))
			loop_outline(o, at, &row);
		row.closed &= in->op != PTOWSP_OP_COND && in->op != PTOWSP_OP_WHILE;
	}
	o->rows[at] = row;
	if (end == at + 1 || !row.closed || row.bounds)
		return;
	o->rows[at].known = rt_outline_count(o, at, end, &count);
	o->rows[at].count = count;
}

static void outline(struct rt_outline *o, uint32_t at, uint32_t end)
{
	for (; at < end; at = rt_statement_end(o->program, at)) {
		one_outline(o, at);
		o->rows[at].end = end;
	}
}

ptowsp_status rt_outline_init(struct rt_outline *o, const struct rt_program *program, struct rt_env *env, struct ptowsp_error *error)
{
	uint32_t end = program->begin;

	*o = (struct rt_outline){.program = program, .env = env};
	o->rows = calloc((size_t)program->tables.work.code_count + 1, sizeof(*o->rows));
	if (!o->rows)
		return rt_no_memory(error, "the outline of the program");
	memset(env->loops, 0, PTOWSP_NESTING_LIMIT * sizeof(*env->loops));
	while (program->code[end].op != PTOWSP_OP_HALT)
		end = rt_statement_end(program, end);
	outline(o, program->begin, end);
	return PTOWSP_OK;
}

void rt_outline_finish(struct rt_outline *o)
{
	free(o->rows);
	*o = (struct rt_outline){0};
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static bool value(const struct rt_outline *o, uint32_t id, int64_t *value_out)
{
	uint32_t failed = o->env->failed;
	bool ok;

	*value_out = rt_value(o->env, id);
	ok = o->env->failed == failed;
	o->env->failed = failed;
	return ok;
}

static bool dense_trips(const struct rt_outline *o, const struct rt_ins *in, uint64_t *trips_out)
{
	const struct rt_loop *loop = &o->program->loops[in->row];
	int64_t low, high, step;

	*trips_out = 0;
	if (!value(o, loop->low, &low) || !value(o, loop->high, &high) || !value(o, loop->step, &step) || step < 1 ||
	    (in->flags & PTOWSP_CHECKED && high < 0) || (loop->levels != PTOWSP_NONE && (low || step != 1)))
		return false;
	if (low < high)
		*trips_out = ((uint64_t)high - (uint64_t)low - 1) / (uint64_t)step + 1;
	if (loop->levels != PTOWSP_NONE)
		*trips_out = rt_level_sum(&o->program->level_sets[loop->levels], *trips_out).trips;
	return true;
}

/* Values of rows row .. row + rows - 1 together. */
static bool sums_trips(const struct rt_outline *o, const struct rt_loop *loop, int64_t row, uint64_t rows, uint64_t *trips_out)
{
	const struct ptowsp_axis_value_record *v = &o->program->tables.axis_value.rows[loop->first];
	int64_t all = 0;

	if (!rt_expr_known(&o->program->exprs, loop->high, &all) || row < 0 || row > all || rows > (uint64_t)(all - row))
		return false;
	*trips_out = (uint64_t)(v[row + (int64_t)rows].value - v[row].value);
	return true;
}

static bool trips_of(const struct rt_outline *o, uint32_t at, uint64_t *trips_out)
{
	const struct rt_ins *in = &o->program->code[at];
	const struct rt_loop *loop = &o->program->loops[in->row];
	int64_t row;

	if (loop->line == PTOWSP_NONE)
		return dense_trips(o, in, trips_out);
	return value(o, loop->line, &row) && sums_trips(o, loop, row, 1, trips_out);
}

static bool times(uint64_t a, uint64_t b, uint64_t *out)
{
	return !__builtin_mul_overflow(a, b, out);
}

/* A loop, whole. */
static bool loop_count(const struct rt_outline *o, uint32_t at, uint64_t *count_out)
{
	const struct rt_ins *in = &o->program->code[at];
	const struct rt_loop *loop = &o->program->loops[in->row];
	uint64_t trips, each;
	int64_t low, step;

	if (!trips_of(o, at, &trips))
		return false;
	*count_out = 0;
	if (!trips)
		return true;
	if (o->rows[at].body_known)
		return times(trips, o->rows[at].body, count_out);
	if (loop->levels != PTOWSP_NONE || loop->line != PTOWSP_NONE) /* its body is the same in every iteration */
		return rt_outline_count(o, at + 1, in->end, &each) && times(trips, each, count_out);
	return value(o, loop->low, &low) && value(o, loop->step, &step) && rt_outline_range(o, at + 1, in->end, loop->depth, low, step, trips, count_out);
}

static bool one_count(const struct rt_outline *o, uint32_t at, uint64_t *count_out)
{
	const struct rt_program *program = o->program;
	const struct rt_outline_row *row = &o->rows[at];

	*count_out = row->count;
	if (row->known || !row->closed)
		return row->closed;
	if (rt_statement_loops(program->code[at].op))
		return loop_count(o, at, count_out);
	return rt_outline_count(o, rt_statement_inside(program, at), program->code[at].end, count_out);
}

bool rt_outline_count(const struct rt_outline *o, uint32_t at, uint32_t end, uint64_t *count_out)
{
	bool ok = true;
	uint64_t count;

	*count_out = 0;
	for (; ok && at < end; at = rt_statement_end(o->program, at))
		ok = one_count(o, at, &count) && !__builtin_add_overflow(*count_out, count, count_out);
	return ok;
}

/* A loop over rows that follow each other while the outer loop goes on: one difference of running sums. */
static bool rows_range(const struct rt_outline *o, uint32_t at, uint32_t depth, int64_t step, uint64_t trips, uint64_t *count_out)
{
	const struct rt_ins *in = &o->program->code[at];
	const struct rt_loop *loop = &o->program->loops[in->row];
	const struct rt_form *line = &o->env->forms[loop->line];
	uint64_t values, each;
	int64_t row;

	return line->terms != RT_FORM_CODE && rt_form_step(line, depth) == 1 && step == 1 && value(o, loop->line, &row) &&
	       sums_trips(o, loop, row, trips, &values) && rt_outline_count(o, at + 1, in->end, &each) && times(values, each, count_out);
}

static bool one_range(const struct rt_outline *o, uint32_t at, uint32_t depth, int64_t first, int64_t step, uint64_t trips, uint64_t *count_out)
{
	const struct rt_program *program = o->program;
	const struct rt_ins *in = &program->code[at];
	uint64_t count, inner;
	bool loose = false;

	if (!(o->rows[at].bounds >> depth & 1))
		return one_count(o, at, &count) && times(count, trips, count_out);
	if (!rt_statement_loops(in->op))
		return rt_outline_range(o, rt_statement_inside(program, at), in->end, depth, first, step, trips, count_out);
	if (rt_loop_sums(&program->loops[in->row]))
		return rows_range(o, at, depth, step, trips, count_out);
	/* Only what is inside depends on the outer loop; it must not depend on this one too. */
	if (bounds_read(o, &program->loops[in->row], &loose) >> depth & 1)
		return false;
	return trips_of(o, at, &inner) && rt_outline_range(o, at + 1, in->end, depth, first, step, trips, &count) && times(count, inner, count_out);
}

bool rt_outline_range(const struct rt_outline *o, uint32_t at, uint32_t end, uint32_t depth, int64_t first, int64_t step, uint64_t trips, uint64_t *count_out)
{
	int64_t stands = o->env->loops[depth];
	bool ok = true;
	uint64_t count;

	*count_out = 0;
	if (!trips)
		return true;
	o->env->loops[depth] = first;
	for (; ok && at < end; at = rt_statement_end(o->program, at))
		ok = one_range(o, at, depth, first, step, trips, &count) && !__builtin_add_overflow(*count_out, count, count_out);
	o->env->loops[depth] = stands;
	return ok;
}
