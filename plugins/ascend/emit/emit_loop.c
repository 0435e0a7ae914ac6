/* SPDX-License-Identifier: MIT */
/* emit_loop.c - loops as those of C++: dense ones, rows of ragged and sparse axes, tile levels. In a process what a loop counts with lies in the state. */
#include "ascend/emit/ascend_emit_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void ascend_local(struct ascend_emitter *e, char name_out[ASCEND_NAME + 4], const char *like, const char *type)
{
	const char *name = ascend_names_add(&e->locals, like, ASCEND_LOCAL);

	snprintf(name_out, ASCEND_NAME + 4, "%s%s", e->process ? "s." : "", name ? name : "");
	if (!name)
		e->body.failed = true;
	if (e->process)
		common_text_add(&e->fields, "\t%s %s;\n", type, name ? name : "");
}

/* A value that stays while the loop goes on. */
static void kept(struct ascend_emitter *e, char name_out[ASCEND_NAME + 4], const char *of, const char *what, const char *type, const char *value)
{
	char like[ASCEND_NAME + 16];

	snprintf(like, sizeof(like), "%.40s_%s", of, what);
	ascend_local(e, name_out, like, type);
	if (e->process)
		ascend_line(e, "%s = %s;", name_out, value);
	else
		ascend_line(e, "%s%s %s = %s;", strcmp(what, "left") ? "const " : "", type, name_out, value);
}

void ascend_body(struct ascend_emitter *e, uint32_t from, uint32_t to)
{
	if (e->open_count < sizeof(e->open))
		e->open[e->open_count++] = ASCEND_OPEN_LOOP;
	e->depth++;
	ascend_block(e, from, to);
	e->depth--;
	ascend_line(e, "}");
	e->open_count--;
}

/* Text of an expression, in a buffer of its own. */
static struct common_text text_of(struct ascend_emitter *e, uint32_t id)
{
	struct common_text text = {0};

	ascend_expr(e, &text, id);
	e->body.failed |= text.failed;
	return text;
}

static void ordered_step(struct ascend_emitter *e, bool ordered)
{
	if (!ordered)
		return;
	e->depth++;
	ascend_line(e, "b.order_step();");
	e->depth--;
}

/* for (i = low; i < high; i++), or by counting where the step is not 1. */
static void dense_loop(struct ascend_emitter *e, const struct rt_ins *in, const struct rt_loop *loop, uint32_t at)
{
	const char *axis = rt_string(&e->p->tables, loop->name), *name;
	struct common_text low = text_of(e, loop->low), high = text_of(e, loop->high), step = text_of(e, loop->step), bound = {0};
	char value[ASCEND_NAME + 4], end[ASCEND_NAME + 4], by[ASCEND_NAME + 4];
	int64_t known;
	const bool checked = in->flags & PTOWSP_CHECKED, ones = ascend_expr_constant(e, loop->step, &known) && known == 1;

	common_text_add(&bound, checked ? "b.extent(%s)" : "%s", common_text_view(&high));
	ascend_local(e, value, axis, "int64_t");
	name = e->process ? value + 2 : value;
	if (!ones) {
		kept(e, by, name, "step", "int64_t", common_text_view(&step));
		high.length = 0;
		common_text_add(&high, "b.trips(%s, %s, %s)", common_text_view(&low), common_text_view(&bound), by);
		kept(e, end, name, "left", "int64_t", common_text_view(&high));
		ascend_line(e, "for (%s%s = %s; %s > 0; %s--, %s += %s) {", e->process ? "" : "int64_t ", value, common_text_view(&low), end, end, value, by);
	} else {
		snprintf(end, sizeof(end), "%s", "");
		if (checked || ascend_expr_changes(e, loop->high))
			kept(e, end, name, "end", "int64_t", common_text_view(&bound));
		ascend_line(e, "for (%s%s = %s; %s < %s; %s++) {", e->process ? "" : "int64_t ", value, common_text_view(&low), value,
			    *end ? end : common_text_view(&high), value);
	}
	snprintf(e->loops[loop->depth], sizeof(e->loops[0]), "%s", value);
	ordered_step(e, in->op == PTOWSP_OP_FOR_EACH);
	ascend_body(e, at + 1, in->end);
	common_text_finish(&low);
	common_text_finish(&high);
	common_text_finish(&step);
	common_text_finish(&bound);
}

/* A row of a ragged axis: 0 .. length - 1; of a sparse one under select: its column indices. */
static void row_loop(struct ascend_emitter *e, const struct rt_ins *in, const struct rt_loop *loop, uint32_t at)
{
	const char *axis = rt_string(&e->p->tables, loop->name), *name;
	struct common_text line = text_of(e, loop->line), rows = text_of(e, loop->high), call = {0};
	char value[ASCEND_NAME + 4], row[ASCEND_NAME + 4], place[ASCEND_NAME + 4];
	const char *type = e->process ? "" : "int64_t ";

	ascend_local(e, value, axis, "int64_t");
	name = e->process ? value + 2 : value;
	common_text_add(&call, "b.axis_row(AXIS_%s, %s, %s)", e->axes.rows[loop->axis].text, common_text_view(&line), common_text_view(&rows));
	kept(e, row, name, "row", "BuilderRow", common_text_view(&call));
	if (in->op == PTOWSP_OP_SELECT) {
		char like[ASCEND_NAME + 16], total[ASCEND_NAME + 4];

		kept(e, total, name, "rows", "int64_t", common_text_view(&rows));
		snprintf(like, sizeof(like), "%.40s_at", name);
		ascend_local(e, place, like, "int64_t");
		ascend_line(e, "for (%s%s = 0; %s < %s.count; %s++) {", type, place, place, row, place);
		ascend_line(e, "\t%s%s = b.axis_index(AXIS_%s, %s, %s.first + %s);", e->process ? "" : "const int64_t ", value, e->axes.rows[loop->axis].text,
			    total, row, place);
	} else {
		ascend_line(e, "for (%s%s = 0; %s < %s.count; %s++) {", type, value, value, row, value);
	}
	snprintf(e->loops[loop->depth], sizeof(e->loops[0]), "%s", value);
	ordered_step(e, in->op == PTOWSP_OP_FOR_EACH);
	ascend_body(e, at + 1, in->end);
	common_text_finish(&line);
	common_text_finish(&rows);
	common_text_finish(&call);
}

/* Blocks of powers of two, each at its tile level; the outer level wins. */
static void leveled_loop(struct ascend_emitter *e, const struct rt_ins *in, const struct rt_loop *loop, uint32_t at)
{
	const char *axis = rt_string(&e->p->tables, loop->name), *name;
	struct common_text high = text_of(e, loop->high);
	char value[ASCEND_NAME + 4], walk[ASCEND_NAME + 4], outer[ASCEND_NAME + 4], like[ASCEND_NAME + 16];
	const bool checked = in->flags & PTOWSP_CHECKED;

	ascend_local(e, value, axis, "int64_t");
	name = e->process ? value + 2 : value;
	snprintf(like, sizeof(like), "%.40s_walk", name);
	ascend_local(e, walk, like, "LevelWalk");
	kept(e, outer, name, "level", "uint8_t", "b.place->level");
	if (!e->process)
		ascend_line(e, "LevelWalk %s;", walk);
	ascend_line(e, checked ? "%s.start(&%s_workload::levels[%u], b.extent(%s));" : "%s.start(&%s_workload::levels[%u], %s);", walk,
		    e->workloads.rows[e->p->entry].text, loop->levels, common_text_view(&high));
	ascend_line(e, "while (%s.next()) {", walk);
	ascend_line(e, "\t%s%s = %s.value;", e->process ? "" : "const int64_t ", value, walk);
	ascend_line(e, "\tb.place->level = %s ? %s : %s.level;", outer, outer, walk);
	snprintf(e->loops[loop->depth], sizeof(e->loops[0]), "%s", value);
	ordered_step(e, in->op == PTOWSP_OP_FOR_EACH);
	ascend_body(e, at + 1, in->end);
	ascend_line(e, "b.place->level = %s;", outer);
	common_text_finish(&high);
}

uint32_t ascend_loop(struct ascend_emitter *e, uint32_t at)
{
	const struct rt_ins *in = &e->p->code[at];
	const struct rt_loop *loop = &e->p->loops[in->row];
	const bool ordered = in->op == PTOWSP_OP_FOR_EACH;

	if (ordered)
		ascend_line(e, "b.order_begin();");
	if (loop->line != PTOWSP_NONE)
		row_loop(e, in, loop, at);
	else if (loop->levels != PTOWSP_NONE)
		leveled_loop(e, in, loop, at);
	else
		dense_loop(e, in, loop, at);
	if (ordered)
		ascend_line(e, "b.order_end();");
	return in->end;
}
