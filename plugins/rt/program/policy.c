/* SPDX-License-Identifier: MIT */
#include "rt/program/policy.h"

#include "rt/program/form.h"
#include "rt/program/rt_error.h"
#include "rt/program/rt_schedule.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one row per policy ------------------------------------------------------------------------------------------ */

uint32_t rt_free_least(const uint64_t *free, uint32_t count)
{
	uint32_t least = 0;

	for (uint32_t e = 1; e < count; e++)
		if (free[e] < free[least])
			least = e;
	return least;
}

static uint32_t only(const struct rt_pick *pick)
{
	(void)pick;
	return 0;
}

static uint32_t round_robin(const struct rt_pick *pick)
{
	return (uint32_t)(pick->count % pick->dispatch->executors);
}

static uint32_t by_value(const struct rt_pick *pick)
{
	return rt_modulo(pick->value, pick->dispatch->executors);
}

static uint32_t by_hash(const struct rt_pick *pick)
{
	return (uint32_t)(rt_mix64((uint64_t)pick->value) % pick->dispatch->executors);
}

static uint32_t static_partition(const struct rt_pick *pick)
{
	uint32_t executor = 0;

	for (uint32_t k = 0; k < pick->dispatch->bound_count; k++)
		executor += (uint64_t)pick->dispatch->bounds[k] <= pick->task;
	return executor;
}

static uint32_t work_steal(const struct rt_pick *pick)
{
	return rt_free_least(pick->free, pick->dispatch->executors);
}

static int64_t grid_value(const struct rt_pick *pick, unsigned dimension)
{
	return pick->grid[dimension] < 0 ? 0 : pick->loops[pick->grid[dimension]];
}

static uint32_t grid(const struct rt_pick *pick)
{
	uint32_t rows = (uint32_t)pick->dispatch->rows, columns = (uint32_t)pick->dispatch->columns;

	return rt_modulo(grid_value(pick, 0), rows) * columns + rt_modulo(grid_value(pick, 1), columns);
}

static const struct rt_policy policies[] = {
	{0, false, only},
	{PTOWSP_DISPATCH_ROUND_ROBIN, false, round_robin},
	{PTOWSP_DISPATCH_AFFINITY, false, by_value},
	{PTOWSP_DISPATCH_HASH, false, by_hash},
	{PTOWSP_DISPATCH_CUSTOM, false, by_value},
	{PTOWSP_DISPATCH_STATIC_PARTITION, false, static_partition},
	{PTOWSP_DISPATCH_WORK_STEAL, true, work_steal},
	{RT_POLICY_GRID, false, grid},
	{PTOWSP_DISPATCH_THRESHOLD, false, only}, /* place.c asks the policy that serves the value */
	{PTOWSP_DISPATCH_AUTO, false, only},      /* auto.c makes it an affinity before the first task */
};

const struct rt_policy *rt_policy_find(uint32_t id)
{
	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++)
		if (policies[i].id == id)
			return &policies[i];
	return NULL;
}

/* ---- the policies inside dispatch threshold ---------------------------------------------------------------------- */

/* A text being read; at stands at the next byte. */
struct reader {
	const struct rt_tables *tables;
	uint32_t start; /* STRS offset */
	const char *text, *at;
	struct ptowsp_error *error;
};

static ptowsp_status wrong(const struct reader *r, const char *want)
{
	return rt_fail(r->error, PTOWSP_BAD_PACKAGE, "schedule directive dispatch threshold: %s is wanted at \"%.40s\" of \"%.80s\"", want, r->at, r->text);
}

static void blanks_skip(struct reader *r)
{
	while (*r->at == ' ')
		r->at++;
}

static bool take(struct reader *r, char c)
{
	blanks_skip(r);
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

static ptowsp_status number(struct reader *r, int64_t least, int64_t most, int64_t *value_out)
{
	char *end = NULL;
	long long value;

	blanks_skip(r);
	if (*r->at != '-' && !isdigit((unsigned char)*r->at))
		return wrong(r, "a number");
	value = strtoll(r->at, &end, 10);
	if (value < least || value > most)
		return wrong(r, "a number in its range");
	*value_out = value;
	r->at = end;
	return PTOWSP_OK;
}

static size_t name_length(const struct reader *r)
{
	size_t length = 0;

	while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_')
		length++;
	return length;
}

static ptowsp_status count(struct reader *r, struct rt_dispatch *part)
{
	int64_t n = 1;
	ptowsp_status status = number(r, 1, RT_EXECUTOR_LIMIT, &n);

	part->executors = (uint32_t)n;
	return status;
}

static ptowsp_status axis_and_count(struct reader *r, struct rt_dispatch *part)
{
	blanks_skip(r);
	part->axis = r->start + (uint32_t)(r->at - r->text);
	part->axis_length = (uint32_t)name_length(r);
	if (!part->axis_length)
		return wrong(r, "the name of a loop");
	r->at += part->axis_length;
	return take(r, ',') ? count(r, part) : wrong(r, "a comma");
}

static ptowsp_status expr_and_count(struct reader *r, struct rt_dispatch *part)
{
	int64_t row = 0;
	ptowsp_status status;

	if (!take(r, '#'))
		return wrong(r, "# and a row of EXPR");
	status = number(r, 0, (int64_t)r->tables->expr.count - 1, &row);
	part->expr = (uint32_t)row;
	if (!status && !take(r, ','))
		status = wrong(r, "a comma");
	return status ? status : count(r, part);
}

static ptowsp_status bounds(struct reader *r, struct rt_dispatch *part)
{
	ptowsp_status status = PTOWSP_OK;

	do {
		if (part->bound_count == RT_BOUND_LIMIT)
			return wrong(r, "at most seven bounds");
		status = number(r, 0, INT64_MAX, &part->bounds[part->bound_count++]);
	} while (!status && take(r, ','));
	part->executors = part->bound_count + 1;
	return status;
}

static ptowsp_status rows_and_columns(struct reader *r, struct rt_dispatch *part)
{
	ptowsp_status status = number(r, 1, RT_EXECUTOR_LIMIT, &part->rows);

	if (!status && !take(r, ','))
		status = wrong(r, "a comma");
	if (!status)
		status = number(r, 1, RT_EXECUTOR_LIMIT / part->rows, &part->columns);
	part->executors = status ? 1 : (uint32_t)(part->rows * part->columns);
	return status;
}

static const struct {
	const char *word;
	uint8_t policy;
	ptowsp_status (*read)(struct reader *r, struct rt_dispatch *part);
} parsers[] = {
	{"round_robin", PTOWSP_DISPATCH_ROUND_ROBIN, count},    {"work_steal", PTOWSP_DISPATCH_WORK_STEAL, count},
	{"affinity", PTOWSP_DISPATCH_AFFINITY, axis_and_count}, {"hash", PTOWSP_DISPATCH_HASH, expr_and_count},
	{"custom", PTOWSP_DISPATCH_CUSTOM, expr_and_count},     {"static_partition", PTOWSP_DISPATCH_STATIC_PARTITION, bounds},
	{"spatial_map", RT_POLICY_GRID, rows_and_columns},
};

static ptowsp_status policy_read(struct reader *r, struct rt_dispatch *part)
{
	size_t length, k = 0;
	ptowsp_status status;

	blanks_skip(r);
	length = name_length(r);
	while (k < sizeof(parsers) / sizeof(*parsers) && (strlen(parsers[k].word) != length || memcmp(parsers[k].word, r->at, length)))
		k++;
	if (k == sizeof(parsers) / sizeof(*parsers))
		return wrong(r, "round_robin, affinity, hash, static_partition, work_steal, custom or spatial_map");
	r->at += length;
	part->policy = parsers[k].policy;
	if (!take(r, '('))
		return wrong(r, "(");
	status = parsers[k].read(r, part);
	return status || take(r, ')') ? status : wrong(r, ")");
}

static ptowsp_status part_add(struct rt_schedule *schedule, struct reader *r, int64_t threshold)
{
	struct rt_dispatch part = {.executors = 1, .expr = PTOWSP_NONE, .threshold = threshold};
	ptowsp_status status = policy_read(r, &part);

	for (uint32_t k = 0; !status && k < schedule->part_count; k++)
		if (schedule->parts[k].threshold == threshold)
			status = rt_fail(r->error, PTOWSP_BAD_PACKAGE, "schedule directive dispatch threshold has two policies from %lld on",
					 (long long)threshold);
	if (!status && schedule->part_count == RT_PART_LIMIT)
		status = rt_fail(r->error, PTOWSP_BAD_PACKAGE, "schedule directive dispatch threshold has more than %d policies", RT_PART_LIMIT);
	if (!status)
		schedule->parts[schedule->part_count++] = part;
	return status;
}

ptowsp_status rt_threshold_read(struct rt_schedule *schedule, const struct rt_tables *tables, uint32_t text, int64_t threshold, struct ptowsp_error *error)
{
	struct reader r = {.tables = tables, .start = text, .text = rt_string(tables, text), .error = error};
	ptowsp_status status;

	r.at = r.text;
	status = part_add(schedule, &r, threshold);
	while (!status && take(&r, ',')) {
		status = number(&r, INT64_MIN, INT64_MAX, &threshold);
		if (!status && !take(&r, ':'))
			status = wrong(&r, ":");
		if (!status)
			status = part_add(schedule, &r, threshold);
	}
	blanks_skip(&r);
	return status || !*r.at ? status : wrong(&r, "the end");
}

uint32_t rt_threshold_part(const struct rt_schedule *schedule, int64_t value)
{
	uint32_t best = 0;

	for (uint32_t k = 1; k < schedule->part_count; k++)
		if (schedule->parts[k].threshold <= value &&
		    (schedule->parts[best].threshold > value || schedule->parts[k].threshold > schedule->parts[best].threshold))
			best = k;
	return best;
}

/* ---- the grid that a run's tasks go to --------------------------------------------------------------------------- */

/* Of the workload: processes place their own tasks. */
static const struct rt_site *site_find(const struct rt_program *program)
{
	for (uint32_t s = 0; s < program->site_count; s++)
		if (program->sites[s].dispatch != PTOWSP_NONE)
			return &program->sites[s];
	return NULL;
}

/* Do all tasks of a run have one value? */
static bool is_one(const struct rt_program *program)
{
	bool loose = false;
	uint64_t loops = 0;

	for (uint32_t s = 0; s < program->site_count; s++)
		loops |= rt_expr_loops(&program->exprs, program->sites[s].dispatch, &loose);
	return !loops && !loose;
}

static const struct rt_dispatch *part_largest(const struct rt_schedule *schedule)
{
	const struct rt_dispatch *best = NULL;

	for (uint32_t k = 0; k < schedule->part_count; k++) {
		const struct rt_dispatch *part = &schedule->parts[k];

		if (part->policy == RT_POLICY_GRID &&
		    (!best || part->executors > best->executors || (part->executors == best->executors && part->threshold > best->threshold)))
			best = part;
	}
	return best;
}

static ptowsp_status part_serving(const struct rt_program *program, const struct rt_site *site, const struct ptowsp_run_args *args,
				  const struct rt_dispatch **part_out, struct ptowsp_error *error)
{
	const struct rt_exprs *exprs = &program->exprs;
	const uint32_t slots = program->tables.slot.count;
	uint64_t *values = calloc((size_t)slots + 1, sizeof(*values));
	int64_t *loops = calloc(rt_exprs_places(exprs), sizeof(*loops));
	struct rt_env env = {.exprs = exprs, .loops = loops, .values = values};
	ptowsp_status status = values && loops ? PTOWSP_OK : rt_no_memory(error, "the value of a threshold");

	for (uint32_t i = 0; !status && i < slots; i++)
		values[i] = i < args->value_count ? args->values[i] : program->tables.slot.rows[i].value;
	if (!status)
		*part_out = &program->schedule.parts[rt_threshold_part(&program->schedule, rt_expr_run(&env, site->dispatch))];
	free(values);
	free(loops);
	return status;
}

ptowsp_status rt_grid_find(const struct rt_program *program, const struct ptowsp_run_args *args, uint64_t grid_out[2], struct ptowsp_error *error)
{
	const struct rt_schedule *schedule = &program->schedule;
	const struct rt_dispatch *dispatch = &schedule->dispatch;
	const struct rt_site *site = site_find(program);
	ptowsp_status status = PTOWSP_OK;

	grid_out[0] = grid_out[1] = 0;
	if (dispatch->policy == PTOWSP_DISPATCH_THRESHOLD)
		dispatch = part_largest(schedule);
	if (dispatch && dispatch != &schedule->dispatch && site && is_one(program))
		status = part_serving(program, site, args, &dispatch, error);
	if (status || !dispatch || dispatch->policy != RT_POLICY_GRID)
		return status;
	grid_out[0] = (uint64_t)dispatch->rows;
	grid_out[1] = (uint64_t)dispatch->columns;
	return PTOWSP_OK;
}
