/* SPDX-License-Identifier: MIT */
#include "rt/schedule.h"

#include <stdio.h>
#include <string.h>
#include "rt/error.h"
#include "rt/policy.h"

/* A directive row being applied. */
struct job {
	struct rt_schedule *schedule;
	const struct rt_tables *tables;
	const struct ptowsp_directive_record *row;
	struct ptowsp_error *error;
};

/* ---- names ----------------------------------------------------------------------------------------------------- */

static const char *directive_name(unsigned directive)
{
	switch (directive) {
#define X(name, code, text, meaning) \
	case code:                   \
		return text;
#include "ptowsp/directive.def"
#undef X
	}
	return NULL;
}

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

/* ---- arguments ------------------------------------------------------------------------------------------------- */

static int64_t argument(const struct job *job, unsigned i)
{
	return (&job->row->a0)[i];
}

static unsigned kind(const struct job *job, unsigned i)
{
	return job->row->kinds >> (8 * i) & 0xFF;
}

static ptowsp_status wrong(const struct job *job, unsigned i, const char *want)
{
	return rt_fail(job->error, PTOWSP_INVALID, "schedule directive %s: argument %u must be %s", directive_name(job->row->directive),
		       i + 1, want);
}

static ptowsp_status number(const struct job *job, unsigned i, int64_t least, int64_t most, uint64_t *value_out)
{
	int64_t value = i < job->row->count ? argument(job, i) : -1;

	if (i >= job->row->count || kind(job, i) != PTOWSP_ARGUMENT_NUMBER)
		return wrong(job, i, "a number");
	if (value < least || value > most)
		return rt_fail(job->error, PTOWSP_INVALID, "schedule directive %s: %lld is outside %lld..%lld",
			       directive_name(job->row->directive), (long long)value, (long long)least, (long long)most);
	*value_out = (uint64_t)value;
	return PTOWSP_OK;
}

static ptowsp_status executors(const struct job *job, unsigned i)
{
	uint64_t n = 0;
	ptowsp_status st = number(job, i, 1, RT_EXECUTOR_LIMIT, &n);

	job->schedule->dispatch.executors = (uint32_t)n;
	return st;
}

static ptowsp_status expression(const struct job *job, unsigned i, uint32_t *row_out)
{
	if (i >= job->row->count || kind(job, i) != PTOWSP_ARGUMENT_EXPR || argument(job, i) < 0 ||
	    argument(job, i) >= job->tables->expr.count)
		return wrong(job, i, "an expression");
	*row_out = (uint32_t)argument(job, i);
	return PTOWSP_OK;
}

static ptowsp_status word(const struct job *job, unsigned i, uint32_t *offset_out)
{
	if (i >= job->row->count || kind(job, i) != PTOWSP_ARGUMENT_WORD || argument(job, i) < 0 ||
	    argument(job, i) >= job->tables->strings_size)
		return wrong(job, i, "a word");
	*offset_out = (uint32_t)argument(job, i);
	return PTOWSP_OK;
}

/* ---- what each policy sets ------------------------------------------------------------------------------------- */

static struct rt_dispatch *dispatch_reset(const struct job *job)
{
	job->schedule->dispatch = (struct rt_dispatch){.policy = job->row->policy, .executors = 1, .expr = PTOWSP_NONE};
	return &job->schedule->dispatch;
}

static ptowsp_status dispatch_count(const struct job *job)
{
	dispatch_reset(job);
	return executors(job, 0);
}

static ptowsp_status dispatch_axis(const struct job *job)
{
	struct rt_dispatch *dispatch = dispatch_reset(job);
	ptowsp_status st = word(job, 0, &dispatch->axis);

	return st ? st : executors(job, 1);
}

static ptowsp_status dispatch_expr(const struct job *job)
{
	struct rt_dispatch *dispatch = dispatch_reset(job);
	ptowsp_status st = expression(job, 0, &dispatch->expr);

	return st ? st : executors(job, 1);
}

static ptowsp_status dispatch_bounds(const struct job *job)
{
	struct rt_dispatch *dispatch = dispatch_reset(job);
	uint64_t bound = 0;
	ptowsp_status st = PTOWSP_OK;

	for (unsigned i = 0; !st && i < job->row->count; i++) {
		st = number(job, i, 0, INT64_MAX, &bound);
		dispatch->bounds[dispatch->bound_count++] = (int64_t)bound;
	}
	dispatch->executors = dispatch->bound_count + 1;
	return st;
}

static ptowsp_status dispatch_threshold(const struct job *job)
{
	struct rt_dispatch *dispatch = dispatch_reset(job);
	ptowsp_status st = expression(job, 0, &dispatch->expr);
	int64_t threshold = INT64_MIN;

	job->schedule->part_count = 0;
	for (unsigned i = 1; !st && i < job->row->count; i++) {
		uint32_t text = 0;

		if (i % 2 == 0 && kind(job, i) != PTOWSP_ARGUMENT_NUMBER)
			return wrong(job, i, "a number, the threshold of the policy behind it");
		if (i % 2 == 0) {
			threshold = argument(job, i);
			continue;
		}
		st = word(job, i, &text);
		if (!st)
			st = rt_threshold_read(job->schedule, job->tables, text, threshold, job->error);
	}
	if (!st && job->row->count % 2)
		st = wrong(job, job->row->count - 1u, "followed by the policy that it is for");
	for (uint32_t k = 0; k < job->schedule->part_count; k++)
		if (job->schedule->parts[k].executors > dispatch->executors)
			dispatch->executors = job->schedule->parts[k].executors;
	return st;
}

static ptowsp_status interleaved(const struct job *job)
{
	job->schedule->interleaved = true;
	return PTOWSP_OK;
}

static ptowsp_status spatial_map(const struct job *job)
{
	struct rt_dispatch *dispatch = dispatch_reset(job);
	uint64_t rows = 1, columns = 1;
	ptowsp_status st = number(job, 0, 1, RT_EXECUTOR_LIMIT, &rows);

	if (!st)
		st = number(job, 1, 1, (int64_t)(RT_EXECUTOR_LIMIT / rows), &columns);
	dispatch->policy = RT_POLICY_GRID;
	dispatch->rows = (int64_t)rows;
	dispatch->columns = (int64_t)columns;
	dispatch->executors = (uint32_t)(rows * columns);
	return st;
}

static ptowsp_status deps(const struct job *job)
{
	uint32_t offset = 0;
	ptowsp_status st = PTOWSP_OK;

	job->schedule->hybrid = job->row->policy == PTOWSP_DEPS_HYBRID;
	job->schedule->deps = job->row->policy;
	if (!job->schedule->hybrid)
		return PTOWSP_OK;
	job->schedule->deps = PTOWSP_DEPS_TENSOR_MAP_EXACT;
	if (job->row->count)
		st = word(job, 0, &offset);
	if (!st && job->row->count) {
		if (!strcmp(rt_string(job->tables, offset), "bytes_overlap"))
			job->schedule->deps = PTOWSP_DEPS_BYTES_OVERLAP;
		else if (strcmp(rt_string(job->tables, offset), "tensor_map_exact"))
			st = wrong(job, 0, "bytes_overlap or tensor_map_exact");
	}
	return st;
}

static ptowsp_status hazards(const struct job *job)
{
	job->schedule->full = job->row->policy == PTOWSP_HAZARDS_FULL;
	return PTOWSP_OK;
}

static ptowsp_status task_window(const struct job *job)
{
	static const uint8_t modes[] = {[PTOWSP_TASK_WINDOW_STALL] = RT_WINDOW_STALL, [PTOWSP_TASK_WINDOW_ABORT] = RT_WINDOW_ABORT,
					[PTOWSP_TASK_WINDOW_BENCHMARK] = RT_WINDOW_BENCHMARK};
	uint32_t unit = 0;
	ptowsp_status st = number(job, 0, 0, INT64_C(1) << 30, &job->schedule->window);

	if (!st && job->row->count > 1)
		st = word(job, 1, &unit);
	if (!st && job->row->count > 1 && strcmp(rt_string(job->tables, unit), "tasks"))
		st = wrong(job, 1, "tasks, the only unit");
	job->schedule->window_stated = true;
	job->schedule->window_mode = modes[job->row->policy];
	return st;
}

static ptowsp_status capacity(const struct job *job)
{
	static const uint8_t resources[] = {[PTOWSP_DIRECTIVE_TENSOR_MAP] = PTOWSP_RESOURCE_TENSOR_MAP,
					    [PTOWSP_DIRECTIVE_DEP_LIST] = PTOWSP_RESOURCE_DEP_LIST,
					    [PTOWSP_DIRECTIVE_HEAP] = PTOWSP_RESOURCE_HEAP,
					    [PTOWSP_DIRECTIVE_READY_QUEUE] = PTOWSP_RESOURCE_READY};
	unsigned resource = resources[job->row->directive];

	job->schedule->stated[resource] = true;
	return number(job, 0, 0, INT64_MAX, &job->schedule->capacity[resource]);
}

/* channel.c looks the rows up by the names of its channels. */
static ptowsp_status channel_capacity(const struct job *job)
{
	uint32_t name = 0;
	uint64_t tokens = 0;
	ptowsp_status st = word(job, 0, &name);

	return st ? st : number(job, 1, 0, UINT32_MAX, &tokens);
}

static ptowsp_status pipeline_depth(const struct job *job)
{
	static const char *const domains[] = {[RT_DOMAIN_GLOBAL] = "global", [RT_DOMAIN_STREAM] = "stream", [RT_DOMAIN_POOL] = "pool"};
	struct rt_schedule *schedule = job->schedule;
	struct rt_depth depth = {.domain = RT_DOMAIN_GLOBAL};
	uint32_t at = 0;
	ptowsp_status st = number(job, job->row->count - 1u, 1, INT64_C(1) << 24, &depth.depth);

	if (!st && job->row->count > 1) {
		st = word(job, 0, &depth.loop);
		depth.domain = RT_DOMAIN_LOOP;
		for (unsigned k = 0; !st && k < sizeof(domains) / sizeof(*domains); k++)
			if (!strcmp(rt_string(job->tables, depth.loop), domains[k]))
				depth.domain = k, depth.loop = 0;
	}
	while (at < schedule->depth_count && (schedule->depths[at].domain != depth.domain ||
					       strcmp(rt_string(job->tables, schedule->depths[at].loop), rt_string(job->tables, depth.loop))))
		at++;
	if (st || at == RT_DEPTH_LIMIT)
		return st ? st : rt_fail(job->error, PTOWSP_INVALID, "pipeline_depth names more than %u domains", RT_DEPTH_LIMIT);
	schedule->depth_count += at == schedule->depth_count;
	schedule->depths[at] = depth;
	return PTOWSP_OK;
}

static ptowsp_status pools(const struct job *job)
{
	job->schedule->pools = job->row->policy;
	job->schedule->pool_expr = PTOWSP_NONE;
	return job->row->policy == PTOWSP_POOLS_CUSTOM ? expression(job, 0, &job->schedule->pool_expr) : PTOWSP_OK;
}

static ptowsp_status streams(const struct job *job)
{
	return number(job, 0, 1, INT64_C(1) << 20, &job->schedule->streams);
}

static ptowsp_status stream_by(const struct job *job)
{
	return expression(job, 0, &job->schedule->stream_expr);
}

static ptowsp_status batches(const struct job *job)
{
	return number(job, 0, 1, INT64_MAX, &job->schedule->batch);
}

/* The later of rate_limit and issue_cost rules; both say a(i) >= a(i-1) + k. */
static ptowsp_status spacing(const struct job *job)
{
	uint64_t k = 0;
	ptowsp_status st = number(job, 0, 0, INT64_C(1) << 40, &k);

	if (k > job->schedule->issue_cost)
		job->schedule->issue_cost = k;
	return st;
}

static ptowsp_status start(const struct job *job)
{
	return number(job, 0, 1, INT64_MAX, &job->schedule->start);
}

static ptowsp_status start_built(const struct job *job)
{
	job->schedule->built = true;
	return PTOWSP_OK;
}

/* Everything this core obeys. A policy that stands here has an `enforced` row in caps.c. */
static const struct rule {
	uint8_t directive, policy;
	ptowsp_status (*apply)(const struct job *job);
} rules[] = {
#define RULE(directive, policy, apply) {PTOWSP_DIRECTIVE_##directive, PTOWSP_##directive##_##policy, apply}
	RULE(DISPATCH, ROUND_ROBIN, dispatch_count), RULE(DISPATCH, WORK_STEAL, dispatch_count),
	RULE(DISPATCH, AFFINITY, dispatch_axis),     RULE(DISPATCH, HASH, dispatch_expr),
	RULE(DISPATCH, CUSTOM, dispatch_expr),	     RULE(DISPATCH, STATIC_PARTITION, dispatch_bounds),
	RULE(DISPATCH, THRESHOLD, dispatch_threshold), RULE(DISPATCH, AUTO, dispatch_count),
	RULE(TIMING, INTERLEAVED, interleaved),
	RULE(SPATIAL_MAP, GRID, spatial_map),	     RULE(DEPS, BYTES_OVERLAP, deps),
	RULE(DEPS, TENSOR_MAP_EXACT, deps),	     RULE(DEPS, EXPLICIT, deps),
	RULE(DEPS, HYBRID, deps),		     RULE(HAZARDS, FULL, hazards),
	RULE(HAZARDS, RAW, hazards),		     RULE(TASK_WINDOW, STALL, task_window),
	RULE(TASK_WINDOW, ABORT, task_window),	     RULE(TASK_WINDOW, BENCHMARK, task_window),
	RULE(PIPELINE_DEPTH, DEPTH, pipeline_depth), RULE(POOLS, SINGLE, pools),
	RULE(POOLS, BY_EXEC_UNIT, pools),	     RULE(POOLS, CUSTOM, pools),
	RULE(STREAMS, COUNT, streams),		     RULE(STREAM_BY, EXPRESSION, stream_by),
	RULE(BATCH_DEPS, COUNT, batches),	     RULE(TIMING, BATCHED, batches),
	RULE(TIMING, RATE_LIMIT, spacing),	     RULE(ISSUE_COST, CYCLES, spacing),
	RULE(START, THRESHOLD, start),		     RULE(START, AFTER_ORCHESTRATION, start_built),
	RULE(TENSOR_MAP, CAPACITY, capacity),	     RULE(DEP_LIST, CAPACITY, capacity),
	RULE(HEAP, CAPACITY, capacity),
	RULE(READY_QUEUE, CAPACITY, capacity),	     RULE(CHANNEL_CAPACITY, CAPACITY, channel_capacity),
#undef RULE
};

static const struct rule *rule_find(unsigned directive, unsigned policy)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (rules[i].directive == directive && rules[i].policy == policy)
			return &rules[i];
	return NULL;
}

bool rt_schedule_obeys(unsigned directive, unsigned policy)
{
	return rule_find(directive, policy) != NULL;
}

/* ---- the rows -------------------------------------------------------------------------------------------------- */

static uint8_t state_of(const struct ptowsp_cap *caps, uint32_t count, uint32_t feature)
{
	for (uint32_t i = 0; i < count; i++)
		if (caps[i].feature == feature)
			return caps[i].state;
	return PTOWSP_STATE_DIAGNOSED;
}

/* Not obeyed: an error if it must be, else one sentence. */
static ptowsp_status disobey(const struct job *job, uint32_t feature, uint8_t state, const char *policy, const struct ptowsp_host *host)
{
	char text[160];
	int length = snprintf(text, sizeof(text), "schedule directive %s %s is %s, not enforced, on this backend",
			      directive_name(job->row->directive), policy, state == PTOWSP_STATE_RECORDED ? "recorded" : "ignored");

	if (job->row->flags & PTOWSP_DIRECTIVE_MUST || state == PTOWSP_STATE_UNSUPPORTED)
		return rt_fail(job->error, PTOWSP_UNSUPPORTED, "schedule directive %s %s cannot be enforced here%s",
			       directive_name(job->row->directive), policy,
			       job->row->flags & PTOWSP_DIRECTIVE_MUST ? " and the package says that it must be" : "");
	if (host && host->diagnose)
		host->diagnose(host->context, feature, state, text, (uint64_t)length);
	return PTOWSP_OK;
}

static ptowsp_status row_apply(const struct job *job, const struct ptowsp_cap *caps, uint32_t cap_count, const struct ptowsp_host *host)
{
	const struct ptowsp_directive_record *row = job->row;
	uint32_t feature = PTOWSP_FEATURE_POLICY(row->directive, row->policy);
	unsigned least = 0, most = 0;
	const char *policy = policy_name(row->directive, row->policy, &least, &most);
	const struct rule *rule = rule_find(row->directive, row->policy);
	uint8_t state = state_of(caps, cap_count, feature);

	if (!policy || !directive_name(row->directive))
		return rt_fail(job->error, PTOWSP_BAD_PACKAGE, "schedule directive %u with policy %u is unknown", row->directive, row->policy);
	if (row->count < least || row->count > most || row->count > 8)
		return rt_fail(job->error, PTOWSP_INVALID, "schedule directive %s %s takes %u to %u arguments, not %u",
			       directive_name(row->directive), policy, least, most, row->count);
	if (state != PTOWSP_STATE_ENFORCED)
		return disobey(job, feature, state, policy, host);
	return rule ? rule->apply(job) : PTOWSP_OK; /* without a rule: the backend itself enforces it */
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
	struct job job = {schedule, tables, NULL, error};
	bool dispatch = false, grid = false;
	ptowsp_status st = PTOWSP_OK;

	defaults(schedule);
	schedule->strict = flags & PTOWSP_LOAD_STRICT;
	for (uint32_t i = 0; !st && i < tables->directive.count; i++) {
		job.row = &tables->directive.rows[i];
		dispatch |= job.row->directive == PTOWSP_DIRECTIVE_DISPATCH;
		grid |= job.row->directive == PTOWSP_DIRECTIVE_SPATIAL_MAP;
		st = row_apply(&job, caps, cap_count, host);
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
