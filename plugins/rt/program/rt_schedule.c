/* SPDX-License-Identifier: MIT */
#include "rt/program/rt_schedule.h"

#include "rt/program/policy.h"
#include "rt/program/rt_error.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- what each directive sets ------------------------------------------------------------------------------------ */

const char *rt_directive_name(unsigned directive)
{
	switch (directive) {
#define X(name, code, text, meaning)                                                                                                                           \
	case code:                                                                                                                                             \
		return text;
#include "ptowsp/directive.def"
#undef X
	}
	return NULL;
}

/* One SCHD row that is being applied: its arguments, and what it sets. Its count is that of at most 8 arguments. */
struct directive {
	struct rt_schedule *schedule; /* NULL: the row is a policy inside dispatch threshold */
	struct rt_dispatch *dispatch; /* set by DISPATCH and SPATIAL_MAP */
	uint32_t word_length;         /* of such a policy: bytes of its word */
	const struct rt_tables *tables;
	const struct ptowsp_directive_record *row;
	struct ptowsp_error *error;
};

/* ---- arguments ------------------------------------------------------------------------------------------------- */

static int64_t argument(const struct directive *d, unsigned i)
{
	return (&d->row->a0)[i];
}

static unsigned kind(const struct directive *d, unsigned i)
{
	return d->row->kinds >> (8 * i) & 0xFF;
}

static ptowsp_status wrong(const struct directive *d, unsigned i, const char *want)
{
	return rt_fail(d->error, PTOWSP_BAD_PACKAGE, "schedule directive %s: argument %u must be %s", rt_directive_name(d->row->directive), i + 1, want);
}

static ptowsp_status number(const struct directive *d, unsigned i, int64_t least, int64_t most, uint64_t *value_out)
{
	int64_t value = i < d->row->count ? argument(d, i) : -1;

	if (i >= d->row->count || kind(d, i) != PTOWSP_ARGUMENT_NUMBER)
		return wrong(d, i, "a number");
	if (value < least || value > most)
		return rt_fail(d->error, PTOWSP_BAD_PACKAGE, "schedule directive %s: %lld is outside %lld..%lld", rt_directive_name(d->row->directive),
			       (long long)value, (long long)least, (long long)most);
	*value_out = (uint64_t)value;
	return PTOWSP_OK;
}

static ptowsp_status executors(const struct directive *d, unsigned i)
{
	uint64_t n = 0;
	ptowsp_status status = number(d, i, 1, RT_EXECUTOR_LIMIT, &n);

	d->dispatch->executors = (uint32_t)n;
	return status;
}

static ptowsp_status expression(const struct directive *d, unsigned i, uint32_t *row_out)
{
	if (i >= d->row->count || kind(d, i) != PTOWSP_ARGUMENT_EXPR || argument(d, i) < 0 || argument(d, i) >= d->tables->expr.count)
		return wrong(d, i, "an expression");
	*row_out = (uint32_t)argument(d, i);
	return PTOWSP_OK;
}

static ptowsp_status word(const struct directive *d, unsigned i, uint32_t *offset_out)
{
	if (i >= d->row->count || kind(d, i) != PTOWSP_ARGUMENT_WORD || argument(d, i) < 0 || argument(d, i) >= d->tables->strings_size)
		return wrong(d, i, "a word");
	*offset_out = (uint32_t)argument(d, i);
	return PTOWSP_OK;
}

/* ---- what each policy sets ------------------------------------------------------------------------------------- */

static ptowsp_status dispatch_count(const struct directive *d)
{
	return executors(d, 0);
}

static ptowsp_status dispatch_axis(const struct directive *d)
{
	ptowsp_status status = word(d, 0, &d->dispatch->axis);

	d->dispatch->axis_length = d->word_length;
	return status ? status : executors(d, 1);
}

static ptowsp_status dispatch_expr(const struct directive *d)
{
	ptowsp_status status = expression(d, 0, &d->dispatch->expr);

	return status ? status : executors(d, 1);
}

static ptowsp_status dispatch_bounds(const struct directive *d)
{
	uint64_t bound = 0;
	ptowsp_status status = PTOWSP_OK;

	for (unsigned i = 0; !status && i < d->row->count; i++) {
		status = number(d, i, 0, INT64_MAX, &bound);
		d->dispatch->bounds[d->dispatch->bound_count++] = (int64_t)bound;
	}
	d->dispatch->executors = d->dispatch->bound_count + 1;
	return status;
}

static ptowsp_status dispatch_threshold(const struct directive *d)
{
	struct rt_dispatch *dispatch = d->dispatch;
	ptowsp_status status = expression(d, 0, &dispatch->expr);
	int64_t threshold = INT64_MIN;

	d->schedule->part_count = 0;
	for (unsigned i = 1; !status && i < d->row->count; i++) {
		uint32_t text = 0;

		if (i % 2 == 0 && kind(d, i) != PTOWSP_ARGUMENT_NUMBER)
			return wrong(d, i, "a number, the threshold of the policy behind it");
		if (i % 2 == 0) {
			threshold = argument(d, i);
			continue;
		}
		status = word(d, i, &text);
		if (!status)
			status = rt_threshold_read(d->schedule, d->tables, text, threshold, d->error);
	}
	if (!status && d->row->count % 2)
		status = wrong(d, d->row->count - 1u, "followed by the policy that it is for");
	for (uint32_t k = 0; k < d->schedule->part_count; k++)
		if (d->schedule->parts[k].executors > dispatch->executors)
			dispatch->executors = d->schedule->parts[k].executors;
	return status;
}

static ptowsp_status spatial_map(const struct directive *d)
{
	struct rt_dispatch *dispatch = d->dispatch;
	uint64_t rows = 1, columns = 1;
	ptowsp_status status = number(d, 0, 1, RT_EXECUTOR_LIMIT, &rows);

	if (!status)
		status = number(d, 1, 1, (int64_t)(RT_EXECUTOR_LIMIT / rows), &columns);
	dispatch->policy = PTOWSP_DISPATCH_GRID;
	dispatch->rows = (int64_t)rows;
	dispatch->columns = (int64_t)columns;
	dispatch->executors = (uint32_t)(rows * columns);
	return status;
}

static ptowsp_status deps(const struct directive *d)
{
	uint32_t offset = 0;
	ptowsp_status status = PTOWSP_OK;

	d->schedule->hybrid = d->row->policy == PTOWSP_DEPS_HYBRID;
	d->schedule->deps = d->row->policy;
	if (!d->schedule->hybrid)
		return PTOWSP_OK;
	d->schedule->deps = PTOWSP_DEPS_TENSOR_MAP_EXACT;
	if (d->row->count)
		status = word(d, 0, &offset);
	if (!status && d->row->count) {
		if (!strcmp(rt_string(d->tables, offset), "bytes_overlap"))
			d->schedule->deps = PTOWSP_DEPS_BYTES_OVERLAP;
		else if (strcmp(rt_string(d->tables, offset), "tensor_map_exact"))
			status = wrong(d, 0, "bytes_overlap or tensor_map_exact");
	}
	return status;
}

static ptowsp_status task_window(const struct directive *d)
{
	static const uint8_t modes[] = {[PTOWSP_TASK_WINDOW_STALL] = RT_WINDOW_STALL,
					[PTOWSP_TASK_WINDOW_ABORT] = RT_WINDOW_ABORT,
					[PTOWSP_TASK_WINDOW_BENCHMARK] = RT_WINDOW_BENCHMARK};
	uint32_t unit = 0;
	ptowsp_status status = number(d, 0, 0, INT64_C(1) << 30, &d->schedule->window);

	if (!status && d->row->count > 1)
		status = word(d, 1, &unit);
	if (!status && d->row->count > 1 && strcmp(rt_string(d->tables, unit), "tasks"))
		status = wrong(d, 1, "tasks, the only unit");
	d->schedule->window_stated = true;
	d->schedule->window_mode = modes[d->row->policy];
	return status;
}

static ptowsp_status capacity(const struct directive *d)
{
	static const uint8_t resources[] = {[PTOWSP_DIRECTIVE_TENSOR_MAP] = PTOWSP_RESOURCE_TENSOR_MAP,
					    [PTOWSP_DIRECTIVE_DEP_LIST] = PTOWSP_RESOURCE_DEP_LIST,
					    [PTOWSP_DIRECTIVE_HEAP] = PTOWSP_RESOURCE_HEAP,
					    [PTOWSP_DIRECTIVE_READY_QUEUE] = PTOWSP_RESOURCE_READY};
	unsigned resource = resources[d->row->directive];

	d->schedule->stated[resource] = true;
	return number(d, 0, 0, INT64_MAX, &d->schedule->capacity[resource]);
}

/* channel.c looks the rows up by the names of its channels. */
static ptowsp_status channel_capacity(const struct directive *d)
{
	uint32_t name = 0;
	uint64_t tokens = 0;
	ptowsp_status status = word(d, 0, &name);

	return status ? status : number(d, 1, 0, UINT32_MAX, &tokens);
}

static ptowsp_status pipeline_depth(const struct directive *d)
{
	static const char *const domains[] = {[RT_DOMAIN_GLOBAL] = "global", [RT_DOMAIN_STREAM] = "stream", [RT_DOMAIN_POOL] = "pool"};
	struct rt_schedule *schedule = d->schedule;
	struct rt_depth depth = {.domain = RT_DOMAIN_GLOBAL};
	uint32_t at = 0;
	ptowsp_status status = number(d, d->row->count - 1u, 1, INT64_C(1) << 24, &depth.depth);

	if (!status && d->row->count > 1) {
		status = word(d, 0, &depth.loop);
		depth.domain = RT_DOMAIN_LOOP;
		for (unsigned k = 0; !status && k < sizeof(domains) / sizeof(*domains); k++)
			if (!strcmp(rt_string(d->tables, depth.loop), domains[k]))
				depth.domain = k, depth.loop = 0;
	}
	while (at < schedule->depth_count &&
	       (schedule->depths[at].domain != depth.domain || strcmp(rt_string(d->tables, schedule->depths[at].loop), rt_string(d->tables, depth.loop))))
		at++;
	if (status || at == RT_DEPTH_LIMIT)
		return status ? status : rt_fail(d->error, PTOWSP_BAD_PACKAGE, "pipeline_depth names more than %u domains", RT_DEPTH_LIMIT);
	schedule->depth_count += at == schedule->depth_count;
	schedule->depths[at] = depth;
	return PTOWSP_OK;
}

static ptowsp_status pools(const struct directive *d)
{
	d->schedule->pools = d->row->policy;
	d->schedule->pool_expr = PTOWSP_NONE;
	return d->row->policy == PTOWSP_POOLS_CUSTOM ? expression(d, 0, &d->schedule->pool_expr) : PTOWSP_OK;
}

static ptowsp_status stream_by(const struct directive *d)
{
	return expression(d, 0, &d->schedule->stream_expr);
}

/* The later of two rows of one directive rules. */
static void timing_begin(struct rt_schedule *schedule)
{
	schedule->interleaved = false;
	schedule->rate = 0;
}

/* Everything this core obeys, or hands on. A policy that stands here has an `enforced` row in caps.c, `ready` excepted. */
static const struct rule {
	uint8_t directive, policy;
	uint8_t bytes; /* of the field of struct rt_schedule at `at`, which becomes `least`, or argument 0, a number of least .. most; 0: there is none */
	uint16_t at;
	int64_t least, most;
	ptowsp_status (*apply)(const struct directive *d); /* NULL: nothing else */
} rules[] = {
#define RULE(directive, policy, apply)                                                                                                                         \
	{                                                                                                                                                      \
		PTOWSP_DIRECTIVE_##directive, PTOWSP_##directive##_##policy, 0, 0, 0, 0, apply                                                                 \
	}
#define FIELD(field) sizeof(((struct rt_schedule *)NULL)->field), offsetof(struct rt_schedule, field)
#define NUMBER(directive, policy, field, least, most)                                                                                                          \
	{                                                                                                                                                      \
		PTOWSP_DIRECTIVE_##directive, PTOWSP_##directive##_##policy, FIELD(field), least, most, NULL                                                   \
	}
#define VALUE(directive, policy, field, value) NUMBER(directive, policy, field, value, value)
	RULE(DISPATCH, ROUND_ROBIN, dispatch_count),
	RULE(DISPATCH, WORK_STEAL, dispatch_count),
	RULE(DISPATCH, AFFINITY, dispatch_axis),
	RULE(DISPATCH, HASH, dispatch_expr),
	RULE(DISPATCH, CUSTOM, dispatch_expr),
	RULE(DISPATCH, STATIC_PARTITION, dispatch_bounds),
	RULE(DISPATCH, THRESHOLD, dispatch_threshold),
	RULE(DISPATCH, AUTO, dispatch_count),
	VALUE(TIMING, INTERLEAVED, interleaved, true),
	RULE(SPATIAL_MAP, GRID, spatial_map),
	RULE(DISPATCH, GRID, spatial_map),
	RULE(DEPS, BYTES_OVERLAP, deps),
	RULE(DEPS, TENSOR_MAP_EXACT, deps),
	RULE(DEPS, EXPLICIT, deps),
	RULE(DEPS, HYBRID, deps),
	VALUE(HAZARDS, FULL, full, true),
	VALUE(HAZARDS, RAW, full, false),
	RULE(TASK_WINDOW, STALL, task_window),
	RULE(TASK_WINDOW, ABORT, task_window),
	RULE(TASK_WINDOW, BENCHMARK, task_window),
	RULE(PIPELINE_DEPTH, DEPTH, pipeline_depth),
	RULE(POOLS, SINGLE, pools),
	RULE(POOLS, BY_EXEC_UNIT, pools),
	RULE(POOLS, CUSTOM, pools),
	NUMBER(STREAMS, COUNT, streams, 1, INT64_C(1) << 20),
	RULE(STREAM_BY, EXPRESSION, stream_by),
	NUMBER(BATCH_DEPS, COUNT, batch, 1, INT64_MAX),
	NUMBER(TIMING, BATCHED, batch, 1, INT64_MAX),
	NUMBER(TIMING, RATE_LIMIT, rate, 0, INT64_C(1) << 40),
	NUMBER(ISSUE_COST, CYCLES, issue_cost, 0, INT64_C(1) << 40),
	NUMBER(START, THRESHOLD, start, 1, INT64_MAX),
	VALUE(START, AFTER_ORCHESTRATION, built, true),
	RULE(TENSOR_MAP, CAPACITY, capacity),
	RULE(DEP_LIST, CAPACITY, capacity),
	RULE(HEAP, CAPACITY, capacity),
	VALUE(READY, FIFO, ready, PTOWSP_READY_FIFO),
	VALUE(READY, WORK_STEAL, ready, PTOWSP_READY_WORK_STEAL),
	VALUE(READY, PRIORITY, ready, PTOWSP_READY_PRIORITY),
	RULE(READY_QUEUE, CAPACITY, capacity),
	RULE(CHANNEL_CAPACITY, CAPACITY, channel_capacity),
#undef RULE
#undef FIELD
#undef NUMBER
#undef VALUE
};

static const struct rule *rule_find(unsigned directive, unsigned policy)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (rules[i].directive == directive && rules[i].policy == policy)
			return &rules[i];
	return NULL;
}

bool rt_directive_obeyed(unsigned directive, unsigned policy)
{
	return rule_find(directive, policy) != NULL;
}

static ptowsp_status rule_apply(const struct rule *rule, const struct directive *d)
{
	uint64_t value = (uint64_t)rule->least; /* little-endian, as every host is that this builds for */
	ptowsp_status status = rule->least == rule->most ? PTOWSP_OK : number(d, 0, rule->least, rule->most, &value);

	if (rule->bytes)
		memcpy((char *)d->schedule + rule->at, &value, rule->bytes);
	if (d->row->directive == PTOWSP_DIRECTIVE_DISPATCH || d->row->directive == PTOWSP_DIRECTIVE_SPATIAL_MAP)
		*d->dispatch = (struct rt_dispatch){.policy = d->row->policy, .executors = 1, .expr = PTOWSP_NONE};
	return status || !rule->apply ? status : rule->apply(d);
}

/* ---- all rows ---------------------------------------------------------------------------------------------------- */

const struct rt_policy_row rt_policy_rows[] = {
#define X(directive, name, code, word, least, most, effect) {PTOWSP_DIRECTIVE_##directive, code, least, most, word},
#include "ptowsp/policy.def"
#undef X
	{0, 0, 0, 0, NULL},
};

static const struct rt_policy_row *policy_find(const struct ptowsp_directive_record *directive)
{
	for (const struct rt_policy_row *row = rt_policy_rows; row->word; row++)
		if (row->directive == directive->directive && row->policy == directive->policy)
			return row;
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
static ptowsp_status disobey(const struct directive *d, uint32_t feature, uint8_t state, const char *policy, const struct ptowsp_host *host)
{
	char text[160];
	int length = snprintf(text, sizeof(text), "schedule directive %s %s is %s, not enforced, on this backend", rt_directive_name(d->row->directive), policy,
			      state == PTOWSP_STATE_RECORDED ? "recorded" : "ignored");

	if (d->row->flags & PTOWSP_DIRECTIVE_MUST || state == PTOWSP_STATE_UNSUPPORTED)
		return rt_fail(d->error, PTOWSP_UNSUPPORTED, "schedule directive %s %s cannot be enforced here%s", rt_directive_name(d->row->directive), policy,
			       d->row->flags & PTOWSP_DIRECTIVE_MUST ? " and the package says that it must be" : "");
	if (host && host->diagnose)
		host->diagnose(host->context, feature, state, text, (uint64_t)length);
	return PTOWSP_OK;
}

static ptowsp_status counts_check(const struct directive *d, const char **policy_out)
{
	const struct ptowsp_directive_record *row = d->row;
	const struct rt_policy_row *policy = policy_find(row);

	if (!policy || !rt_directive_name(row->directive))
		return rt_fail(d->error, PTOWSP_BAD_PACKAGE, "schedule directive %u with policy %u is unknown", row->directive, row->policy);
	*policy_out = policy->word;
	if (row->count < policy->least || row->count > policy->most || row->count > 8)
		return rt_fail(d->error, PTOWSP_BAD_PACKAGE, "schedule directive %s %s takes %u to %u arguments, not %u", rt_directive_name(row->directive),
			       policy->word, policy->least, policy->most, row->count);
	return PTOWSP_OK;
}

/* The backend itself enforces a row for which this core has no policy. */
static ptowsp_status row_apply(const struct directive *d, const struct ptowsp_cap *caps, uint32_t cap_count, const struct ptowsp_host *host)
{
	uint32_t feature = PTOWSP_FEATURE_POLICY(d->row->directive, d->row->policy);
	const struct rule *rule = rule_find(d->row->directive, d->row->policy);
	uint8_t state = state_of(caps, cap_count, feature);
	const char *policy;
	ptowsp_status status = counts_check(d, &policy);

	if (!status && state != PTOWSP_STATE_ENFORCED)
		return disobey(d, feature, state, policy, host);
	return status || !rule ? status : rule_apply(rule, d);
}

ptowsp_status rt_dispatch_read(struct rt_dispatch *part, const struct rt_tables *tables, const struct ptowsp_directive_record *row, uint32_t word_length,
			       struct ptowsp_error *error)
{
	const struct directive d = {.dispatch = part, .word_length = word_length, .tables = tables, .row = row, .error = error};
	const char *policy;
	ptowsp_status status = counts_check(&d, &policy);

	return status ? status : rule_apply(rule_find(row->directive, row->policy), &d);
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
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "schedule directive stream_by needs streams=N: how many there are");
	if (dispatch && grid)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "schedule directives dispatch and spatial_map exclude each other");
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

ptowsp_status rt_schedule_init(struct rt_schedule *schedule, const struct rt_tables *tables, const struct ptowsp_cap *caps, uint32_t cap_count, uint32_t flags,
			       const struct ptowsp_host *host, struct ptowsp_error *error)
{
	struct directive directive = {.schedule = schedule, .dispatch = &schedule->dispatch, .tables = tables, .error = error};
	bool dispatch = false, grid = false;
	ptowsp_status status = PTOWSP_OK;

	defaults(schedule);
	schedule->strict = flags & PTOWSP_LOAD_STRICT;
	for (uint32_t i = 0; !status && i < tables->directive.count; i++) {
		directive.row = &tables->directive.rows[i];
		if (directive.row->directive == PTOWSP_DIRECTIVE_TIMING)
			timing_begin(schedule);
		dispatch |= directive.row->directive == PTOWSP_DIRECTIVE_DISPATCH;
		grid |= directive.row->directive == PTOWSP_DIRECTIVE_SPATIAL_MAP;
		status = row_apply(&directive, caps, cap_count, host);
	}
	if (schedule->rate > schedule->issue_cost)
		schedule->issue_cost = schedule->rate;
	if (built_first(tables))
		schedule->built = true;
	if (schedule->built)
		schedule->start = INT64_MAX; /* nothing starts before the last task is issued */
	return status ? status : together(schedule, dispatch, grid, error);
}

bool rt_schedule_safe(const struct rt_schedule *schedule)
{
	return schedule->deps == PTOWSP_DEPS_BYTES_OVERLAP && schedule->full;
}
