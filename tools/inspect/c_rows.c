/* SPDX-License-Identifier: MIT */
/* c_rows.c - rows without names, said when they are needed: expressions, regions, levels, axes. */
#include "tools/inspect/c.h"

#include "format/format_names.h"

#include <stdlib.h>
#include <string.h>

/* A division has a position of its own; what comes behind it has the one from before. */
static uint32_t operation_say(struct said *s, uint32_t row, const uint32_t handles[3])
{
	uint16_t op = s->t->expr[row].op;
	const struct ptowsp_debug_record before = s->place;
	uint32_t handle;

	if (op == PTOWSP_EXPR_DIV || op == PTOWSP_EXPR_MOD)
		say_position(s, 4, row);
	handle = say(s, "expr", pkg_word(PKG_WORDS_expr_op, op), handles[0], handles[1], handles[2]);
	say_place(s, &before);
	return handle;
}

static uint32_t expr_say(struct said *s, uint32_t row)
{
	const struct ptowsp_expr_record *e = &s->t->expr[row];
	const uint32_t operands[3] = {e->a, e->b, e->c};
	uint32_t count = pkg_expr_operands(e->op), handles[3] = {0};

	for (uint32_t i = 0; i < count; i++)
		handles[i] = s->values[operands[i]];
	switch (e->op) {
	case PTOWSP_EXPR_CONST: return say(s, "number", (int64_t)((uint64_t)e->c << 32 | e->b));
	case PTOWSP_EXPR_LOOP: return say(s, "loop", e->a);
	case PTOWSP_EXPR_VALUE: return say(s, "value", s->slots[e->a]);
	case PTOWSP_EXPR_AXIS: return say(s, "named", pkg_string(s->t, e->a));
	default: return operation_say(s, row, handles);
	}
}

uint32_t say_expr(struct said *s, uint32_t row)
{
	for (; s->exprs <= row && !ptowsp_build_status(s->b); s->exprs++)
		if (!s->values[s->exprs])
			s->values[s->exprs] = expr_say(s, s->exprs);
	return s->values[row];
}

void say_loop_value(struct said *s, uint32_t depth, uint32_t handle)
{
	for (uint32_t i = s->exprs; i < s->t->expr_count && !(s->how & SAY_STATED); i++)
		if (s->t->expr[i].op == PTOWSP_EXPR_LOOP && s->t->expr[i].a == depth && !s->values[i]) {
			s->values[i] = handle;
			return;
		}
}

static void region_say(struct said *s, uint32_t row)
{
	const struct ptowsp_region_record *r = &s->t->region[row];
	uint32_t place = say_expr(s, r->row), column = say_expr(s, r->column);

	if (r->view)
		say(s, "view", s->tensors[r->tensor], pkg_word(PKG_WORDS_dtype, r->view - 1) ? pkg_word(PKG_WORDS_dtype, r->view - 1) : "?", place, column,
		    r->rows, r->columns, r->unit);
	else if (r->unit)
		say(s, "window", s->tensors[r->tensor], place, column, r->unit, r->columns);
	else
		say(s, "region", s->tensors[r->tensor], place, column, r->rows, r->columns);
}

uint32_t say_region(struct said *s, uint32_t row)
{
	while (s->regions <= row && !ptowsp_build_status(s->b))
		region_say(s, s->regions++);
	return (uint32_t)BUILD_REGION << BUILD_ROW_BITS | row;
}

static uint32_t levels_say(struct said *s, uint32_t row)
{
	for (; s->levels <= row && !ptowsp_build_status(s->b); s->levels++) {
		const struct ptowsp_levels_record *l = &s->t->levels[s->levels];
		uint32_t *rows = calloc((size_t)l->count * 2 + 1, sizeof(*rows));

		if (!rows) {
			s->failed = 1;
			break;
		}
		for (uint32_t i = 0; i < l->count; i++) {
			rows[i] = s->t->level[l->first + i].block;
			rows[l->count + i] = s->t->level[l->first + i].rows;
		}
		say(s, "levels", l->max_range, l->min_range, rows, l->count, rows + l->count, l->count, l->count);
		free(rows);
	}
	return (uint32_t)BUILD_LEVELS << BUILD_ROW_BITS | row;
}

/* The constants 0 and 1 that the calls of ragged and sparse axes need are rows that come by themselves. */
static void rows_axis_say(struct said *s, const struct ptowsp_axis_record *a, const char *name)
{
	const int64_t *values = s->t->axis_value_count ? &s->t->axis_value[a->first].value : NULL;
	uint32_t row = say_expr(s, a->row), rows = a->kind == PTOWSP_AXIS_RAGGED ? a->count - 1 : 0;
	int64_t *lengths;

	say_expr(s, a->low);
	say_expr(s, a->step);
	if (!a->count) {
		say(s, "axis_of", name, row, say_expr(s, a->high), s->tensors[a->lengths], a->indices == PTOWSP_NONE ? 0 : s->tensors[a->indices]);
		return;
	}
	say_expr(s, a->high);
	if (a->kind == PTOWSP_AXIS_SPARSE) {
		rows = s->t->expr[a->high].b; /* a constant, as the verifier demands */
		say(s, "sparse", name, row, values, rows + 1, rows, values + rows + 1, (uint32_t)values[rows]);
		return;
	}
	lengths = calloc((size_t)rows + 1, sizeof(*lengths));
	for (uint32_t i = 0; lengths && i < rows; i++)
		lengths[i] = values[i + 1] - values[i];
	if (lengths)
		say(s, "ragged", name, row, lengths, rows + !rows, rows);
	s->failed |= !lengths;
	free(lengths);
}

static void one_axis_say(struct said *s, uint32_t row)
{
	const struct ptowsp_axis_record *a = &s->t->axis[row];
	const char *name = pkg_string(s->t, a->name);
	uint32_t low, high, step;

	if (a->kind == PTOWSP_AXIS_RAGGED || a->kind == PTOWSP_AXIS_SPARSE) {
		rows_axis_say(s, a, name);
		return;
	}
	low = say_expr(s, a->low);
	high = say_expr(s, a->high);
	step = say_expr(s, a->step);
	say(s, "axis", name, pkg_word(PKG_WORDS_axis_kind, a->kind), low, high, step, a->levels == PTOWSP_NONE ? 0 : levels_say(s, a->levels));
}

uint32_t say_axis(struct said *s, uint32_t row)
{
	while (s->axes <= row && !ptowsp_build_status(s->b))
		one_axis_say(s, s->axes++);
	return (uint32_t)BUILD_AXIS << BUILD_ROW_BITS | row;
}

void say_rest(struct said *s, int exprs)
{
	if (s->t->levels_count)
		levels_say(s, s->t->levels_count - 1);
	if (s->t->axis_count)
		say_axis(s, s->t->axis_count - 1);
	if (s->t->region_count)
		say_region(s, s->t->region_count - 1);
	if (s->t->expr_count && exprs)
		say_expr(s, s->t->expr_count - 1);
}
