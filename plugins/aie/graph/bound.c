/* SPDX-License-Identifier: MIT */
#include "aie/graph/bound.h"

#include "registry/common/common_grow.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

/* A rule of the schedule, with the lines that it is about. */
enum rule_kind { RULE_WINDOW, RULE_DEPTH, RULE_STREAM, RULE_BATCH };
struct rule {
	uint8_t kind;
	uint8_t domain; /* enum rt_domain */
	uint32_t loop;  /* of a loop: its bit in depth_loops */
	uint64_t most;  /* tasks of a line at once */
	uint32_t line;  /* its first one */
};
struct maker {
	struct aie_bounds *bounds;
	const struct aie_bounds_args *args;
	struct rule rules[RT_DEPTH_LIMIT + 3];
	uint32_t rule_count;
	uint32_t *count; /* per line: tasks so far */
	uint32_t *batch; /* per task: tasks before its batch */
};
#define NO_LINE UINT32_MAX

static uint32_t line_of(const struct rule *rule, const struct base_walk_task *task)
{
	switch (rule->domain) {
	case RT_DOMAIN_STREAM: return rule->line + task->stream;
	case RT_DOMAIN_POOL: return rule->line + task->pool;
	case RT_DOMAIN_LOOP: return task->depth_loops >> rule->loop & 1 ? rule->line : NO_LINE;
	default: return rule->line;
	}
}

/* ---- rules -------------------------------------------------------------------------------------------------------------- */

static uint32_t lines_of(const struct base_walk *walk, unsigned domain)
{
	uint32_t most = 0;

	for (uint64_t t = 0; t < walk->task_count; t++) {
		uint32_t value = domain == RT_DOMAIN_STREAM ? walk->tasks[t].stream : domain == RT_DOMAIN_POOL ? walk->tasks[t].pool : 0;

		most = value > most ? value : most;
	}
	return most + 1;
}

static void rule_add(struct maker *maker, struct rule rule)
{
	rule.line = maker->bounds->line_count;
	maker->bounds->line_count += lines_of(maker->args->walk, rule.domain);
	maker->rules[maker->rule_count++] = rule;
}

/* One that no task can meet with is none. */
static void rules_find(struct maker *maker)
{
	const struct aie_bounds_args *args = maker->args;
	uint64_t tasks = args->walk->task_count;

	if (args->window && args->window < tasks)
		rule_add(maker, (struct rule){.kind = RULE_WINDOW, .domain = RT_DOMAIN_GLOBAL, .most = args->window});
	for (uint32_t d = 0; d < args->depth_count && d < RT_DEPTH_LIMIT; d++)
		if (args->depths[d].depth && args->depths[d].depth < tasks)
			rule_add(maker, (struct rule){.kind = RULE_DEPTH, .domain = (uint8_t)args->depths[d].domain, .loop = d, .most = args->depths[d].depth});
	if (args->streams)
		rule_add(maker, (struct rule){.kind = RULE_STREAM, .domain = RT_DOMAIN_STREAM, .most = 1});
	if (args->batch && args->batch < tasks)
		rule_add(maker, (struct rule){.kind = RULE_BATCH, .domain = RT_DOMAIN_GLOBAL});
}

/* ---- batches ------------------------------------------------------------------------------------------------------------ */

static bool flushes(const struct base_walk_event *event)
{
	return event->process == PTOWSP_NONE && (event->kind == RT_ITEM_BARRIER || event->kind == RT_ITEM_SCOPE_END || event->kind == RT_ITEM_ORDER_STEP);
}

/* A batch is full with so many tasks of the workload, or ends where something makes it. */
static void batches_find(struct maker *maker)
{
	const struct base_walk *walk = maker->args->walk;
	uint32_t e = 0;
	uint64_t begin = 0;

	for (uint64_t t = 0; t < walk->task_count; t++) {
		for (; e < walk->event_count && walk->events[e].at <= t; e++)
			if (flushes(&walk->events[e]) && walk->events[e].at > begin)
				begin = walk->events[e].at;
		if (t - begin == maker->args->batch)
			begin = t;
		maker->batch[t] = walk->tasks[t].process == PTOWSP_NONE ? (uint32_t)begin : 0;
	}
}

/* ---- rows --------------------------------------------------------------------------------------------------------------- */

static bool row_add(struct maker *maker, const struct rule *rule, uint32_t line, uint64_t count)
{
	struct aie_bounds *bounds = maker->bounds;

	if (!count)
		return true;
	if (!COMMON_GROW(bounds->rows, bounds->row_room, bounds->row_count))
		return false;
	bounds->rows[bounds->row_count++] = (struct aie_bound){line, (uint32_t)count, rule->kind == RULE_WINDOW};
	return true;
}

static bool task_bind(struct maker *maker, uint64_t t)
{
	bool ok = true;

	for (uint32_t r = 0; ok && r < maker->rule_count; r++) {
		const struct rule *rule = &maker->rules[r];
		uint32_t line = line_of(rule, &maker->args->walk->tasks[t]);
		uint64_t before = line == NO_LINE ? 0 : maker->count[line];

		if (line == NO_LINE)
			continue;
		ok = row_add(maker, rule, line, rule->kind == RULE_BATCH ? maker->batch[t] : before >= rule->most ? before - rule->most + 1 : 0);
		maker->count[line]++;
	}
	return ok;
}

static void lines_fill(struct maker *maker)
{
	struct aie_bounds *bounds = maker->bounds;

	for (uint32_t l = 0; l < bounds->line_count; l++)
		bounds->begins[l + 1] = bounds->begins[l] + maker->count[l];
	memset(maker->count, 0, bounds->line_count * sizeof(*maker->count));
	for (uint64_t t = 0; t < bounds->task_count; t++)
		for (uint32_t r = 0; r < maker->rule_count; r++) {
			uint32_t line = line_of(&maker->rules[r], &maker->args->walk->tasks[t]);

			if (line != NO_LINE)
				bounds->tasks[bounds->begins[line] + maker->count[line]++] = (uint32_t)t;
		}
}

/* Marks the tasks that others wait for: the first ones of each line, as many as its last row asks for. */
static void seen_find(struct maker *maker)
{
	struct aie_bounds *bounds = maker->bounds;

	memset(maker->count, 0, bounds->line_count * sizeof(*maker->count));
	for (uint32_t r = 0; r < bounds->row_count; r++)
		if (bounds->rows[r].count > maker->count[bounds->rows[r].line])
			maker->count[bounds->rows[r].line] = bounds->rows[r].count;
	for (uint32_t l = 0; l < bounds->line_count; l++)
		for (uint32_t i = 0; i < maker->count[l]; i++)
			bounds->seen[bounds->tasks[bounds->begins[l] + i]] = 1;
}

static bool rooms_make(struct maker *maker)
{
	struct aie_bounds *bounds = maker->bounds;
	size_t tasks = bounds->task_count + 1, lines = (size_t)bounds->line_count + 1;

	bounds->first = calloc(tasks + 1, sizeof(*bounds->first));
	bounds->tasks = calloc(tasks * (maker->rule_count + 1), sizeof(*bounds->tasks));
	bounds->begins = calloc(lines + 1, sizeof(*bounds->begins));
	bounds->seen = calloc(tasks, 1);
	maker->count = calloc(lines, sizeof(*maker->count));
	maker->batch = calloc(tasks, sizeof(*maker->batch));
	return bounds->first && bounds->tasks && bounds->begins && bounds->seen && maker->count && maker->batch;
}

ptowsp_status aie_bounds_make(struct aie_bounds *bounds, const struct aie_bounds_args *args, struct ptowsp_error *error)
{
	struct maker maker = {.bounds = bounds, .args = args};
	bool ok;

	aie_bounds_finish(bounds);
	bounds->task_count = args->walk->task_count;
	rules_find(&maker);
	if (!maker.rule_count)
		return PTOWSP_OK;
	ok = rooms_make(&maker);
	if (ok)
		batches_find(&maker);
	for (uint64_t t = 0; ok && t < bounds->task_count; t++) {
		ok = task_bind(&maker, t);
		bounds->first[t + 1] = bounds->row_count;
	}
	if (ok) {
		lines_fill(&maker);
		seen_find(&maker);
	}
	bounds->ordered = args->window && args->window < bounds->task_count;
	free(maker.count);
	free(maker.batch);
	return ok ? PTOWSP_OK : rt_no_memory(error, "the bounds of a schedule");
}

void aie_bounds_finish(struct aie_bounds *bounds)
{
	free(bounds->rows);
	free(bounds->first);
	free(bounds->tasks);
	free(bounds->begins);
	free(bounds->seen);
	memset(bounds, 0, sizeof(*bounds));
}
