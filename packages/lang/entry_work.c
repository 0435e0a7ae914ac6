/* SPDX-License-Identifier: MIT */
/* entry_work.c - what an entry says of itself: extents of its axes, which scheduler instance its tasks belong to, where it ends. */
#include "lang/lang_process.h"
#include "lang/lower/lang_lower.h"
#include "lang/parse/parse.h"

#include <stdbool.h>
#include <string.h>

/* --- parsing --- */

/* "%tiles = 4", "%tiles = %n" */
bool lang_extent_parse(struct lang_parser *parser, struct lang_work *work)
{
	if (!lang_work_name_parse(parser, work, "an axis such as %tiles") || !lang_expect(parser, '=', "and the extent behind the axis"))
		return false;
	work->value = lang_scalar_parse(parser, "a number, or a symbol or slot");
	return work->value != NULL;
}

static const struct {
	const char *text;
	uint32_t policy;
} filters[] = {{"round_robin", PTOWSP_DISPATCH_ROUND_ROBIN}, {"affinity", PTOWSP_DISPATCH_AFFINITY}, {"hash", PTOWSP_DISPATCH_HASH},
	       {"threshold", PTOWSP_DISPATCH_THRESHOLD},     {"custom", PTOWSP_DISPATCH_CUSTOM},     {"static_partition", PTOWSP_DISPATCH_STATIC_PARTITION}};

/* "hash(%i)"; round_robin looks at no value. */
bool lang_filter_parse(struct lang_parser *parser, struct lang_work *work)
{
	size_t i = 0;

	while (i < sizeof(filters) / sizeof(*filters) && !lang_word_take(parser, filters[i].text))
		i++;
	if (i == sizeof(filters) / sizeof(*filters))
		return lang_expected(parser, "the policy of the filter: round_robin, affinity, hash, threshold, custom or static_partition");
	work->mode = filters[i].policy;
	if (work->mode == PTOWSP_DISPATCH_ROUND_ROBIN && !lang_at_mark(parser, '('))
		return true;
	if (!lang_expect(parser, '(', "and the value behind the policy"))
		return false;
	work->value = lang_scalar_parse(parser, "a value such as %i");
	return work->value && lang_expect(parser, ')', "behind the value");
}

/* "1, 7": a device of the run, and a number of the notification. */
bool lang_notify_parse(struct lang_parser *parser, struct lang_work *work)
{
	uint32_t *notification = common_alloc(&parser->unit->arena, sizeof(*notification));

	if (lang_peek(parser)->kind != LANG_NUMBER || !lang_uint_read(lang_peek(parser)->text, &work->mode))
		return lang_expected(parser, "the number of a device of the run, such as 1");
	if (work->mode > UINT16_MAX) {
		lang_error(parser->unit, lang_peek(parser)->at, "devices of a run are numbered from 0, at most to %u", UINT16_MAX);
		return false;
	}
	lang_take(parser);
	if (!lang_expect(parser, ',', "and the number of the notification"))
		return false;
	if (lang_peek(parser)->kind != LANG_NUMBER || !lang_uint_read(lang_peek(parser)->text, notification))
		return lang_expected(parser, "the number of the notification");
	lang_take(parser);
	work->more = notification;
	return true;
}

/* --- checking --- */

void lang_notify_check(struct lang_work_check *check, struct lang_work *work)
{
	if (check->decl->kind == LANG_DECL_PROCESS)
		lang_error(check->unit, work->at, "devices tell each other in workloads, not in a process");
}

/* A slot may have another value when the loop begins than where an entry with that extent begins: such a workload is not expanded in others. */
static void alone_note(struct lang_work_check *check, const struct lang_work *work)
{
	if (work->value->kind == LANG_SCALAR_NAME && work->value->decl && work->value->decl->kind == LANG_DECL_SLOT &&
	    check->decl->kind == LANG_DECL_WORKLOAD && !((struct lang_workload *)check->decl)->alone)
		((struct lang_workload *)check->decl)->alone = work;
}

/* Nothing but other extents stands before it; the same axis among them is an error, too. */
static bool beginning_check(struct lang_work_check *check, const struct lang_work *work)
{
	struct lang_axis *axis = (struct lang_axis *)work->decl;

	if (check->begun || check->depth > 1) {
		lang_error(check->unit, work->at, "extents stand at the beginning of a workload or process, before everything else");
		return false;
	}
	if (axis->stated_in == check->decl) {
		lang_error(check->unit, work->name_at, "the extent of %%%s is said twice", work->name);
		return false;
	}
	axis->stated_in = check->decl;
	return true;
}

/* How many rows a list of the axis has; UINT32_MAX: a tensor has them. */
static uint32_t rows_most(const struct lang_axis *axis)
{
	if (axis->lengths.tensor)
		return UINT32_MAX;
	return axis->kind == PTOWSP_AXIS_SPARSE ? axis->lengths.count - 1 : axis->lengths.count;
}

static void value_check(struct lang_work_check *check, struct lang_work *work, const struct lang_axis *axis)
{
	struct lang_scope scope = {.module = check->scope.module};
	int rows = axis->kind == PTOWSP_AXIS_RAGGED || axis->kind == PTOWSP_AXIS_SPARSE;
	int64_t value;

	if (!lang_scalar_check(&scope, work->value, "an extent"))
		return;
	if (lang_scalar_known(work->value, &value)) {
		if (value < 0 || value > UINT32_MAX)
			lang_error(check->unit, work->value->all, "an extent is 0 to %u, not %lld", UINT32_MAX, (long long)value);
		else if (rows && rows_most(axis) != UINT32_MAX && value != rows_most(axis)) /* indices stand behind all beginnings */
			lang_error(check->unit, work->value->all, "%%%s has %u rows in its list, not %lld", work->name, rows_most(axis), (long long)value);
	} else if (rows) {
		lang_error(check->unit, work->value->all, "%%%s is %s: its extent is a number, how many rows it has", work->name,
			   axis->kind == PTOWSP_AXIS_RAGGED ? "ragged" : "sparse");
	} else if (work->value->kind != LANG_SCALAR_NAME) {
		lang_error(check->unit, work->value->all, "an extent is a number, or a symbol or slot alone");
		lang_help(check->unit, "declare a symbol for it, or write the bound into the axis");
	}
}

void lang_extent_check(struct lang_work_check *check, struct lang_work *work)
{
	const struct lang_axis *axis;

	if (!lang_work_decl_find(check, work, LANG_DECL_AXIS, "an axis") || !beginning_check(check, work))
		return;
	axis = (const struct lang_axis *)work->decl;
	if (!axis->head.broken)
		value_check(check, work, axis);
	alone_note(check, work);
}

void lang_filter_check(struct lang_work_check *check, struct lang_work *work)
{
	if (check->decl->kind == LANG_DECL_PROCESS)
		lang_error(check->unit, work->at, "dispatch does not apply to processes: dispatch_filter stands in workloads");
	if (work->value)
		lang_scalar_check(&check->scope, work->value, "the value of a filter");
}

void lang_halt_check(struct lang_work_check *check, struct lang_work *work)
{
	if (check->depth > 1)
		lang_error(check->unit, work->at, "halt ends the workload or process, and stands in none of its loops and branches");
}

/* --- lowering --- */

/* The axis with that extent of its own, made once per statement. */
static struct lang_axis *extent_axis(struct lang_lower *lower, struct lang_work *work)
{
	struct lang_axis *axis = work->axis;
	int lists = work->decl && ((const struct lang_axis *)work->decl)->lengths.count;

	if (axis)
		return axis;
	if (lists) /* they say how many rows there are, and the extent said the same */
		return (struct lang_axis *)work->decl;
	axis = work->axis = common_alloc(&lower->unit->arena, sizeof(*axis));
	*axis = *(const struct lang_axis *)work->decl;
	axis->low = axis->step = NULL;
	axis->high = work->value;
	axis->stated_count = axis->stated_capacity = 0;
	axis->stated_in = NULL;
	axis->stated = NULL;
	return axis;
}

/* Extents at the beginning of a workload that is expanded hold for the loops of its code. */
static void extents_enter(struct lang_work_walk *walk, const struct lang_body *body)
{
	for (struct lang_work *work = body->first; work; work = work->next) {
		struct lang_extent *extent;

		if (work->form->opcode == PTOWSP_OP_NOP)
			continue;
		if (work->form->opcode != PTOWSP_OP_AXIS_DENSE)
			return;
		extent = common_alloc(&walk->lower->unit->arena, sizeof(*extent));
		*extent = (struct lang_extent){walk->extents, (const struct lang_axis *)work->decl, extent_axis(walk->lower, work)};
		walk->extents = extent;
	}
}

static const struct lang_extent *extent_find(const struct lang_work_walk *walk, const struct lang_axis *axis)
{
	const struct lang_extent *extent = walk->extents;

	while (extent && extent->axis != axis)
		extent = extent->outer;
	return extent;
}

/* Does the entry say of that row how far it goes? */
static bool is_stated(const struct lang_work_walk *walk, uint32_t row)
{
	for (const struct lang_work *work = walk->stated ? walk->body->first : NULL; work; work = work->next) {
		const struct lang_axis *axis = (const struct lang_axis *)work->decl;

		if (work->form->opcode != PTOWSP_OP_AXIS_DENSE && work->form->opcode != PTOWSP_OP_NOP)
			break;
		for (uint32_t i = 0; work->form->opcode == PTOWSP_OP_AXIS_DENSE && i < axis->stated_count; i++)
			if (axis->stated[i] == row)
				return true;
	}
	return false;
}

uint32_t lang_loop_axis_lower(struct lang_work_walk *walk, const struct lang_work *work, uint32_t row)
{
	const struct lang_extent *extent = extent_find(walk, work->axis);
	uint32_t at = lang_axis_lower(walk->lower, extent ? extent->as : work->axis, work->local->name, row);

	return extent && is_stated(walk, at) ? lang_axis_twin(walk->lower, at) : at;
}

void lang_body_expand(struct lang_work_walk *walk, const struct lang_body *body)
{
	struct lang_extent *outer = walk->extents;

	extents_enter(walk, body);
	for (const struct lang_work *work = body->first; work && work->form->opcode != PTOWSP_OP_HALT; work = work->next)
		if (work->form->opcode != PTOWSP_OP_AXIS_DENSE)
			work->form->lower(walk, work);
	walk->extents = outer;
}

/* Rows of AXES that the loops will have whose axes have extents here, in the order of the loops. */
static void loops_walk(struct lang_work_walk *walk, const struct lang_body *body, uint32_t depth)
{
	for (const struct lang_work *work = body->first; work; work = work->next) {
		int is_loop = work->local && work->local->kind == LANG_LOCAL_LOOP;
		const struct lang_decl *target = work->target;

		if (work->form->opcode == PTOWSP_OP_HALT && body != walk->body)
			return; /* that of a workload that is expanded */
		if (is_loop && work->axis && work->axis->stated_in == walk->body && !extent_find(walk, work->axis))
			lang_axis_state(walk->lower, work->axis, work->local->name, work->value ? lang_scalar_lower(walk->lower, work->value) : PTOWSP_NONE);
		if (is_loop)
			work->local->loop = depth;
		for (uint32_t i = 0; i < work->body_count; i++)
			loops_walk(walk, &work->bodies[i], depth + (uint32_t)is_loop);
		if (target && target->kind == LANG_DECL_WORKLOAD) {
			struct lang_extent *outer = walk->extents;

			lang_expansion_count(walk->lower, work->at);
			extents_enter(walk, &((const struct lang_workload *)target)->body);
			loops_walk(walk, &((const struct lang_workload *)target)->body, depth);
			walk->extents = outer;
		}
	}
}

static void axes_state(struct lang_work_walk *walk)
{
	for (const struct lang_work *work = walk->body->first; work; work = work->next) {
		struct lang_axis *axis = (struct lang_axis *)work->decl;

		if (work->form->opcode == PTOWSP_OP_NOP)
			continue;
		if (work->form->opcode != PTOWSP_OP_AXIS_DENSE)
			break;
		axis->stated_in = walk->body;
		axis->stated_count = 0;
	}
	loops_walk(walk, walk->body, 0);
	walk->stated = 1;
}

/* The words say it of rows of AXES: one for each name and row of a loop over the axis. */
void lang_extent_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	const struct lang_axis *axis = (const struct lang_axis *)work->decl;
	int rows = axis->kind == PTOWSP_AXIS_RAGGED || axis->kind == PTOWSP_AXIS_SPARSE;
	unsigned opcode = rows ? PTOWSP_OP_AXIS_DENSE + axis->kind : PTOWSP_OP_AXIS_DENSE;
	uint32_t operand;
	int64_t value;

	if (!walk->stated)
		axes_state(walk);
	if (lang_scalar_known(work->value, &value)) {
		operand = (uint32_t)value;
	} else {
		opcode = PTOWSP_OP_AXIS_DENSE_DYN;
		operand = work->value->decl->row;
		lang_value_use(walk->lower, operand);
	}
	for (uint32_t i = 0; i < axis->stated_count; i++)
		lang_word_add_at(walk->lower, opcode, axis->stated[i], operand, work->at);
	if (!axis->stated_count)
		lang_warn(walk->lower->unit, work->name_at, "no loop here runs over %%%s", work->name);
}

void lang_filter_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	uint32_t value = work->value ? lang_scalar_lower(walk->lower, work->value) : lang_expr_const(&walk->lower->tables->exprs, 0);

	lang_word_add_at(walk->lower, PTOWSP_OP_DISPATCH_FILTER, work->mode, value, work->at);
}

void lang_notify_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	lang_word_add_at(walk->lower, work->form->opcode, work->mode, *(const uint32_t *)work->more, work->at);
}
