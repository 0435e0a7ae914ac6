/* SPDX-License-Identifier: MIT */
/* plan_schedule.c - the schedule in force: the package's directives, replaced one by one by overrides, and the sections
 * that a plugin is given then. */
#include <stdlib.h>
#include <string.h>

#include "host/plan/host_plan.h"

/* Names for expressions; arrays owned by the caller of scope_make. */
struct names {
	const char **loops, **values;
	uint32_t *loop_strings, *value_rows;
};

static void names_finish(struct names *names)
{
	free(names->loops);
	free(names->values);
	free(names->loop_strings);
	free(names->value_rows);
}

static ptowsp_status scope_make(const struct ptowsp_plan *plan, struct names *names, struct reg_scope *scope, struct ptowsp_error *error)
{
	const struct pkg_tables *t = plan->tables;

	*names = (struct names){calloc(t->axis_count + 1u, sizeof(*names->loops)), calloc(plan->value_count + 1u, sizeof(*names->values)),
				calloc(t->axis_count + 1u, sizeof(*names->loop_strings)), calloc(plan->value_count + 1u, sizeof(*names->value_rows))};
	*scope = (struct reg_scope){names->loops, names->loop_strings, names->values, names->value_rows, 0, 0};
	if (!names->loops || !names->values || !names->loop_strings || !names->value_rows)
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory for the names of loops");
	for (uint32_t i = 0; i < t->axis_count; i++) {
		const char *name = pkg_string(t, t->axis[i].name);

		if (!*name || reg_scope_loop(scope, name, strlen(name)) >= 0)
			continue;
		names->loops[scope->loop_count] = name;
		names->loop_strings[scope->loop_count++] = t->axis[i].name;
	}
	for (uint32_t i = 0; i < plan->value_count; i++) {
		names->values[i] = plan->values[i].name;
		names->value_rows[i] = plan->values[i].row;
	}
	scope->value_count = plan->value_count;
	return PTOWSP_OK;
}

static ptowsp_status overrides_parse(struct ptowsp_plan *plan, const char *const *texts, uint32_t count, struct ptowsp_error *error)
{
	const struct pkg_tables *t = plan->tables;
	struct names names;
	struct reg_scope scope;
	ptowsp_status status = scope_make(plan, &names, &scope, error);

	reg_schedule_init(&plan->overrides, (uint32_t)t->strings_size, t->expr_count);
	if (!status && t->strings_size > UINT32_MAX / 2)
		status = host_fail(error, PTOWSP_BAD_PACKAGE, "the package's strings are too long");
	for (uint32_t i = 0; i < count && !status; i++)
		status = reg_schedule_add(&plan->overrides, texts[i], &scope, error);
	names_finish(&names);
	return status;
}

/* Is a row of the package replaced? spatial_map and dispatch replace each other too: both say which executor. Capacities are about one channel
 * each: of two for the same one the later rules. */
static bool is_replaced(const struct ptowsp_plan *plan, uint16_t directive)
{
	if (directive == PTOWSP_DIRECTIVE_CHANNEL_CAPACITY || directive == PTOWSP_DIRECTIVE_LAYOUT)
		return false;
	for (uint32_t i = 0; i < plan->overrides.count; i++) {
		uint16_t with = plan->overrides.rows[i].directive;

		if (with == directive || (with == PTOWSP_DIRECTIVE_DISPATCH && directive == PTOWSP_DIRECTIVE_SPATIAL_MAP) ||
		    (with == PTOWSP_DIRECTIVE_SPATIAL_MAP && directive == PTOWSP_DIRECTIVE_DISPATCH))
			return true;
	}
	return false;
}

static ptowsp_status directives_merge(struct ptowsp_plan *plan, struct ptowsp_error *error)
{
	const struct pkg_tables *t = plan->tables;

	plan->directives = calloc((size_t)t->directive_count + plan->overrides.count + 1, sizeof(*plan->directives));
	if (!plan->directives)
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory for the schedule");
	for (uint32_t i = 0; i < t->directive_count; i++)
		if (!is_replaced(plan, t->directive[i].directive))
			plan->directives[plan->directive_count++] = t->directive[i];
	for (uint32_t i = 0; i < plan->overrides.count; i++)
		plan->directives[plan->directive_count++] = plan->overrides.rows[i];
	return PTOWSP_OK;
}

/* Own bytes for a section: the package's records, then the added ones. */
static ptowsp_status section_replace(struct ptowsp_plan *plan, unsigned which, uint32_t type, uint32_t stride, const void *first, uint64_t first_count,
				     const void *then, uint64_t then_count, struct ptowsp_error *error)
{
	uint64_t count = first_count + then_count, bytes = count * stride;
	uint32_t i = 0;
	char *data = NULL;

	if (!count)
		return PTOWSP_OK;
	if (bytes > PTRDIFF_MAX - 64 || posix_memalign((void **)&plan->replaced[which], 64, (size_t)bytes))
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory for the schedule");
	data = plan->replaced[which];
	if (first_count)
		memcpy(data, first, (size_t)(first_count * stride));
	if (then_count)
		memcpy(data + first_count * stride, then, (size_t)(then_count * stride));
	while (i < plan->section_count && plan->sections[i].type != type)
		i++;
	plan->section_count += i == plan->section_count;
	plan->sections[i] = (struct ptowsp_section){type, stride, count, data};
	return PTOWSP_OK;
}

static ptowsp_status sections_make(struct ptowsp_plan *plan, struct ptowsp_error *error)
{
	const struct pkg_tables *t = plan->tables;
	const struct reg_schedule *o = &plan->overrides;
	uint32_t count;
	const struct ptowsp_section *sections = pkg_sections(plan->package->pkg, &count);
	ptowsp_status status;

	plan->sections = calloc(count + 3u, sizeof(*plan->sections));
	if (!plan->sections)
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory for the sections");
	if (count)
		memcpy(plan->sections, sections, count * sizeof(*sections));
	plan->section_count = count;
	plan->strings = t->strings;
	plan->strings_size = t->strings_size;
	if (!o->count)
		return PTOWSP_OK;
	status = section_replace(plan, 0, PTOWSP_SECTION_SCHD, sizeof(*plan->directives), plan->directives, plan->directive_count, NULL, 0, error);
	if (!status && o->expressions.count)
		status =
			section_replace(plan, 1, PTOWSP_SECTION_EXPR, sizeof(*t->expr), t->expr, t->expr_count, o->expressions.at, o->expressions.count, error);
	if (!status && o->string_bytes) {
		status = section_replace(plan, 2, PTOWSP_SECTION_STRS, 1, t->strings, t->strings_size, o->strings, o->string_bytes, error);
		plan->strings = plan->replaced[2];
		plan->strings_size += o->string_bytes;
	}
	return status;
}

/* A layout needs its tensor, and the grid, which an override may take away; whoever places no shards would not tell. */
static ptowsp_status layouts_check(const struct ptowsp_plan *plan, struct ptowsp_error *error)
{
	struct pkg_tables tables = *plan->tables;
	char text[PKG_LAYOUT_WRONG];

	tables.directive = plan->directives;
	tables.directive_count = plan->directive_count;
	tables.strings = plan->strings;
	tables.strings_size = plan->strings_size;
	for (uint32_t i = 0; i < plan->directive_count; i++)
		if (pkg_layout_wrong(&tables, i, plan->entry, text))
			return host_fail(error, PTOWSP_INVALID, "%s", text);
	return PTOWSP_OK;
}

ptowsp_status host_plan_schedule(struct ptowsp_plan *plan, const char *const *texts, uint32_t count, struct ptowsp_error *error)
{
	ptowsp_status status = overrides_parse(plan, texts, count, error);

	if (!status)
		status = directives_merge(plan, error);
	if (!status)
		status = sections_make(plan, error);
	return status || !plan->overrides.count ? status : layouts_check(plan, error);
}

struct reg_expression_tables host_plan_expressions(const struct ptowsp_plan *plan)
{
	const struct pkg_tables *t = plan->tables;

	return (struct reg_expression_tables){.expr = plan->replaced[1] ? plan->replaced[1] : t->expr,
					      .expr_count = t->expr_count + (plan->replaced[1] ? plan->overrides.expressions.count : 0),
					      .slot = t->slot,
					      .slot_count = t->slot_count,
					      .strings = plan->strings,
					      .strings_size = plan->strings_size};
}
