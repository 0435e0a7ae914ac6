/* SPDX-License-Identifier: MIT */
/* threshold.c - the policies inside dispatch threshold: their texts as configurations, and which of them serves a value. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rt/error.h"
#include "rt/schedule.h"

/* A text being read; at stands at the next byte. */
struct reader {
	const struct rt_tables *tables;
	uint32_t start; /* STRS offset */
	const char *text, *at;
	struct ptowsp_error *error;
};

static ptowsp_status wrong(const struct reader *r, const char *want)
{
	return rt_fail(r->error, PTOWSP_INVALID, "schedule directive dispatch threshold: %s is wanted at \"%.40s\" of \"%.80s\"", want, r->at,
		       r->text);
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
	ptowsp_status st = number(r, 1, RT_EXECUTOR_LIMIT, &n);

	part->executors = (uint32_t)n;
	return st;
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
	ptowsp_status st;

	if (!take(r, '#'))
		return wrong(r, "# and a row of EXPR");
	st = number(r, 0, (int64_t)r->tables->expr.count - 1, &row);
	part->expr = (uint32_t)row;
	if (!st && !take(r, ','))
		st = wrong(r, "a comma");
	return st ? st : count(r, part);
}

static ptowsp_status bounds(struct reader *r, struct rt_dispatch *part)
{
	ptowsp_status st = PTOWSP_OK;

	do {
		if (part->bound_count == RT_BOUND_LIMIT)
			return wrong(r, "at most seven bounds");
		st = number(r, 0, INT64_MAX, &part->bounds[part->bound_count++]);
	} while (!st && take(r, ','));
	part->executors = part->bound_count + 1;
	return st;
}

static ptowsp_status rows_and_columns(struct reader *r, struct rt_dispatch *part)
{
	ptowsp_status st = number(r, 1, RT_EXECUTOR_LIMIT, &part->rows);

	if (!st && !take(r, ','))
		st = wrong(r, "a comma");
	if (!st)
		st = number(r, 1, RT_EXECUTOR_LIMIT / part->rows, &part->columns);
	part->executors = st ? 1 : (uint32_t)(part->rows * part->columns);
	return st;
}

static const struct {
	const char *word;
	uint8_t policy;
	ptowsp_status (*read)(struct reader *r, struct rt_dispatch *part);
} policies[] = {
	{"round_robin", PTOWSP_DISPATCH_ROUND_ROBIN, count},	       {"work_steal", PTOWSP_DISPATCH_WORK_STEAL, count},
	{"affinity", PTOWSP_DISPATCH_AFFINITY, axis_and_count},	       {"hash", PTOWSP_DISPATCH_HASH, expr_and_count},
	{"custom", PTOWSP_DISPATCH_CUSTOM, expr_and_count},	       {"static_partition", PTOWSP_DISPATCH_STATIC_PARTITION, bounds},
	{"spatial_map", RT_POLICY_GRID, rows_and_columns},
};

static ptowsp_status policy_read(struct reader *r, struct rt_dispatch *part)
{
	size_t length, k = 0;
	ptowsp_status st;

	blanks_skip(r);
	length = name_length(r);
	while (k < sizeof(policies) / sizeof(*policies) &&
	       (strlen(policies[k].word) != length || memcmp(policies[k].word, r->at, length)))
		k++;
	if (k == sizeof(policies) / sizeof(*policies))
		return wrong(r, "round_robin, affinity, hash, static_partition, work_steal, custom or spatial_map");
	r->at += length;
	part->policy = policies[k].policy;
	if (!take(r, '('))
		return wrong(r, "(");
	st = policies[k].read(r, part);
	return st || take(r, ')') ? st : wrong(r, ")");
}

static ptowsp_status part_add(struct rt_schedule *schedule, struct reader *r, int64_t threshold)
{
	struct rt_dispatch part = {.executors = 1, .expr = PTOWSP_NONE, .threshold = threshold};
	ptowsp_status st = policy_read(r, &part);

	for (uint32_t k = 0; !st && k < schedule->part_count; k++)
		if (schedule->parts[k].threshold == threshold)
			st = rt_fail(r->error, PTOWSP_INVALID, "schedule directive dispatch threshold has two policies from %lld on", (long long)threshold);
	if (!st && schedule->part_count == RT_PART_LIMIT)
		st = rt_fail(r->error, PTOWSP_INVALID, "schedule directive dispatch threshold has more than %d policies", RT_PART_LIMIT);
	if (!st)
		schedule->parts[schedule->part_count++] = part;
	return st;
}

ptowsp_status rt_threshold_read(struct rt_schedule *schedule, const struct rt_tables *tables, uint32_t text, int64_t threshold,
				struct ptowsp_error *error)
{
	struct reader r = {.tables = tables, .start = text, .text = rt_string(tables, text), .error = error};
	ptowsp_status st;

	r.at = r.text;
	st = part_add(schedule, &r, threshold);
	while (!st && take(&r, ',')) {
		st = number(&r, INT64_MIN, INT64_MAX, &threshold);
		if (!st && !take(&r, ':'))
			st = wrong(&r, ":");
		if (!st)
			st = part_add(schedule, &r, threshold);
	}
	blanks_skip(&r);
	return st || !*r.at ? st : wrong(&r, "the end");
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
