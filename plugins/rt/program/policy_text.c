/* SPDX-License-Identifier: MIT */
/* policy_text.c - the policies inside dispatch threshold, which packages have as text. Each is read as the row of SCHD that says the same. */
#include "rt/program/rt_error.h"
#include "rt/program/rt_schedule.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

static ptowsp_status number(struct reader *r, int64_t *value_out)
{
	char *end = NULL;

	blanks_skip(r);
	if (*r->at != '-' && !isdigit((unsigned char)*r->at))
		return wrong(r, "a number");
	*value_out = strtoll(r->at, &end, 10);
	r->at = end;
	return PTOWSP_OK;
}

/* Bytes of a name, behind which the text goes on. */
static uint32_t name_take(struct reader *r)
{
	uint32_t length = 0;

	blanks_skip(r);
	while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_')
		length++;
	r->at += length;
	return length;
}

/* A number, #ROW of EXPR, or a name. */
static ptowsp_status argument(struct reader *r, struct ptowsp_directive_record *row, uint32_t *word_length)
{
	int64_t *value = &(&row->a0)[row->count];
	unsigned kind = take(r, '#') ? PTOWSP_ARGUMENT_EXPR : isalpha((unsigned char)*r->at) || *r->at == '_' ? PTOWSP_ARGUMENT_WORD : PTOWSP_ARGUMENT_NUMBER;

	row->kinds |= (uint64_t)kind << 8 * row->count++;
	if (kind != PTOWSP_ARGUMENT_WORD)
		return number(r, value);
	*value = r->start + (r->at - r->text);
	*word_length = name_take(r);
	return PTOWSP_OK;
}

/* The policy of that name, if it can stand here; 0: none. */
static uint8_t policy_of(const char *name, size_t length)
{
	for (const struct rt_policy_row *row = rt_policy_rows; row->word; row++)
		if (row->directive == PTOWSP_DIRECTIVE_DISPATCH && row->policy != PTOWSP_DISPATCH_THRESHOLD && row->policy != PTOWSP_DISPATCH_AUTO &&
		    strlen(row->word) == length && !memcmp(row->word, name, length))
			return row->policy;
	return 0;
}

static ptowsp_status policy_read(struct reader *r, struct rt_dispatch *part)
{
	struct ptowsp_directive_record row = {.directive = PTOWSP_DIRECTIVE_DISPATCH};
	uint32_t word_length = 0, length = name_take(r);
	struct ptowsp_error why;
	ptowsp_status status = PTOWSP_OK;

	row.policy = policy_of(r->at - length, length);
	if (!row.policy) {
		r->at -= length;
		return wrong(r, "round_robin, affinity, hash, static_partition, work_steal, custom or spatial_map");
	}
	if (!take(r, '('))
		return wrong(r, "(");
	do
		status = row.count < 8 ? argument(r, &row, &word_length) : wrong(r, ")");
	while (!status && take(r, ','));
	if (!status && !take(r, ')'))
		status = wrong(r, ")");
	if (status)
		return status;
	status = rt_dispatch_read(part, r->tables, &row, word_length, r->error);
	if (!status || !r->error)
		return status;
	why = *r->error;
	return rt_fail(r->error, status, "%s, in \"%.80s\"", why.text, r->text);
}

static ptowsp_status part_add(struct rt_schedule *schedule, struct reader *r, int64_t threshold)
{
	struct rt_dispatch part;
	ptowsp_status status = policy_read(r, &part);

	part.threshold = threshold;
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
		status = number(&r, &threshold);
		if (!status && !take(&r, ':'))
			status = wrong(&r, ":");
		if (!status)
			status = part_add(schedule, &r, threshold);
	}
	blanks_skip(&r);
	return status || !*r.at ? status : wrong(&r, "the end");
}
