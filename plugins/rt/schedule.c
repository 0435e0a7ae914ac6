/* SPDX-License-Identifier: MIT */
#include "rt/schedule.h"

#include <stdio.h>
#include <string.h>
#include "rt/directive.h"
#include "rt/error.h"

static const char *policy_name(unsigned directive, unsigned policy, unsigned *least_out, unsigned *most_out)
{
	static const struct {
		uint8_t directive, policy, least, most;
		const char *word;
	} rows[] = {
#define X(directive, name, code, word, least, most, effect) {PTOWSP_DIRECTIVE_##directive, code, least, most, word},
#include "ptowsp/policy.def"
#undef X
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].directive == directive && rows[i].policy == policy) {
			*least_out = rows[i].least;
			*most_out = rows[i].most;
			return rows[i].word;
		}
	return NULL;
}

static uint8_t state_of(const struct ptowsp_cap *caps, uint32_t count, uint32_t feature)
{
	for (uint32_t i = 0; i < count; i++)
		if (caps[i].feature == feature)
			return caps[i].state;
	return PTOWSP_STATE_DIAGNOSED;
}

/* Not obeyed: an error if it must be, else one sentence. */
static ptowsp_status disobey(const struct rt_directive *d, uint32_t feature, uint8_t state, const char *policy, const struct ptowsp_host *host)
{
	char text[160];
	int length = snprintf(text, sizeof(text), "schedule directive %s %s is %s, not enforced, on this backend",
			      rt_directive_name(d->row->directive), policy, state == PTOWSP_STATE_RECORDED ? "recorded" : "ignored");

	if (d->row->flags & PTOWSP_DIRECTIVE_MUST || state == PTOWSP_STATE_UNSUPPORTED)
		return rt_fail(d->error, PTOWSP_UNSUPPORTED, "schedule directive %s %s cannot be enforced here%s",
			       rt_directive_name(d->row->directive), policy,
			       d->row->flags & PTOWSP_DIRECTIVE_MUST ? " and the package says that it must be" : "");
	if (host && host->diagnose)
		host->diagnose(host->context, feature, state, text, (uint64_t)length);
	return PTOWSP_OK;
}

static ptowsp_status row_apply(const struct rt_directive *d, const struct ptowsp_cap *caps, uint32_t cap_count, const struct ptowsp_host *host)
{
	const struct ptowsp_directive_record *row = d->row;
	uint32_t feature = PTOWSP_FEATURE_POLICY(row->directive, row->policy);
	unsigned least = 0, most = 0;
	const char *policy = policy_name(row->directive, row->policy, &least, &most);
	uint8_t state = state_of(caps, cap_count, feature);

	if (!policy || !rt_directive_name(row->directive))
		return rt_fail(d->error, PTOWSP_BAD_PACKAGE, "schedule directive %u with policy %u is unknown", row->directive, row->policy);
	if (row->count < least || row->count > most || row->count > 8)
		return rt_fail(d->error, PTOWSP_INVALID, "schedule directive %s %s takes %u to %u arguments, not %u",
			       rt_directive_name(row->directive), policy, least, most, row->count);
	if (state != PTOWSP_STATE_ENFORCED)
		return disobey(d, feature, state, policy, host);
	return rt_directive_apply(d);
}

static void defaults(struct rt_schedule *schedule)
{
	*schedule = (struct rt_schedule){
		.dispatch = {.executors = 1, .expr = PTOWSP_NONE},
		.deps = PTOWSP_DEPS_BYTES_OVERLAP,
		.full = true,
		.pools = PTOWSP_POOLS_SINGLE,
		.pool_expr = PTOWSP_NONE,
		.stream_expr = PTOWSP_NONE,
		.start = 1,
	};
#define X(name, code, text, reason, amount) schedule->capacity[code] = amount;
#include "ptowsp/resource.def"
#undef X
	schedule->window = schedule->capacity[PTOWSP_RESOURCE_TASK_RING];
}

static ptowsp_status together(const struct rt_schedule *schedule, bool dispatch, bool grid, struct ptowsp_error *error)
{
	if (schedule->stream_expr != PTOWSP_NONE && !schedule->streams)
		return rt_fail(error, PTOWSP_INVALID, "schedule directive stream_by needs streams=N: how many there are");
	if (dispatch && grid)
		return rt_fail(error, PTOWSP_INVALID, "schedule directives dispatch and spatial_map exclude each other");
	return PTOWSP_OK;
}

/* A package of entry kind "host graph build". */
static bool built_first(const struct rt_tables *tables)
{
	for (uint32_t i = 0; i < tables->meta.count; i++)
		if (!strcmp(rt_string(tables, tables->meta.rows[i].key), "entry_kind"))
			return !strcmp(rt_string(tables, tables->meta.rows[i].value), "host_graph_build");
	return false;
}

ptowsp_status rt_schedule_init(struct rt_schedule *schedule, const struct rt_tables *tables, const struct ptowsp_cap *caps,
			       uint32_t cap_count, uint32_t flags, const struct ptowsp_host *host, struct ptowsp_error *error)
{
	struct rt_directive directive = {schedule, tables, NULL, error};
	bool dispatch = false, grid = false;
	ptowsp_status st = PTOWSP_OK;

	defaults(schedule);
	schedule->strict = flags & PTOWSP_LOAD_STRICT;
	for (uint32_t i = 0; !st && i < tables->directive.count; i++) {
		directive.row = &tables->directive.rows[i];
		dispatch |= directive.row->directive == PTOWSP_DIRECTIVE_DISPATCH;
		grid |= directive.row->directive == PTOWSP_DIRECTIVE_SPATIAL_MAP;
		st = row_apply(&directive, caps, cap_count, host);
	}
	if (built_first(tables))
		schedule->built = true;
	if (schedule->built)
		schedule->start = INT64_MAX; /* nothing starts before the last task is issued */
	return st ? st : together(schedule, dispatch, grid, error);
}

bool rt_schedule_safe(const struct rt_schedule *schedule)
{
	return schedule->deps == PTOWSP_DEPS_BYTES_OVERLAP && schedule->full;
}
