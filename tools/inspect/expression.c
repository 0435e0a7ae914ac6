/* SPDX-License-Identifier: MIT */
/* expression.c - expressions and regions as people write them. */
#include "tools/inspect/inspect.h"

#include "format/format_names.h"
#include "ptowsp/workload.h"
#include "registry/operator.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define DEPTH_LIMIT 64 /* of operands inside operands; deeper ones are shown as ... */

/* Text being written; every node adds at least one character, so a full buffer ends the walk. */
struct writing {
	const struct pkg_tables *tables;
	const char *const *loops;
	uint32_t loop_count;
	char *text;
	size_t size, used;
};

/* 1, and the text ends in "...", if there is no room for more. */
static int is_full(struct writing *w)
{
	if (w->used + 1 < w->size)
		return 0;
	if (w->size > 4)
		memcpy(w->text + w->size - 4, "...", 4);
	return 1;
}

static void add(struct writing *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct writing *w, const char *format, ...)
{
	va_list arguments;
	int length;

	if (is_full(w))
		return;
	va_start(arguments, format);
	length = vsnprintf(w->text + w->used, w->size - w->used, format, arguments);
	va_end(arguments);
	w->used += length > 0 ? (size_t)length : 0;
	if (w->used >= w->size) {
		w->used = w->size;
		is_full(w);
	}
}

static void node_add(struct writing *w, uint32_t row, int outer, int depth);

static void leaf_add(struct writing *w, const struct ptowsp_expr_record *e)
{
	const struct pkg_tables *t = w->tables;

	switch (e->op) {
	case PTOWSP_EXPR_CONST:
		add(w, "%" PRId64, (int64_t)((uint64_t)e->c << 32 | e->b));
		break;
	case PTOWSP_EXPR_LOOP:
		if (e->a < w->loop_count)
			add(w, "%s", w->loops[e->a]);
		else
			add(w, "loop(%u)", (unsigned)e->a);
		break;
	case PTOWSP_EXPR_VALUE:
		add(w, "%s", pkg_string(t, t->slot[e->a].name));
		break;
	case PTOWSP_EXPR_AXIS:
		add(w, "axis(%s)", pkg_string(t, e->a));
		break;
	default:
		add(w, "%s", pkg_word(PKG_WORDS_expr_op, e->op));
	}
}

static void binary_add(struct writing *w, const struct ptowsp_expr_record *e, int outer, int depth)
{
	int precedence = (int)reg_operator_level(e->op);
	int parentheses = precedence < outer;

	add(w, "%s", parentheses ? "(" : "");
	node_add(w, e->a, precedence, depth);
	add(w, " %s ", pkg_word(PKG_WORDS_expr_op, e->op));
	node_add(w, e->b, precedence + 1, depth); /* a - (b - c) keeps its parentheses */
	add(w, "%s", parentheses ? ")" : "");
}

static void node_add(struct writing *w, uint32_t row, int outer, int depth)
{
	const struct ptowsp_expr_record *e;

	if (is_full(w))
		return;
	if (row >= w->tables->expr_count || depth > DEPTH_LIMIT) {
		if (row < w->tables->expr_count)
			add(w, "...");
		else
			add(w, "EXPR[%u]?", (unsigned)row);
		return;
	}
	e = &w->tables->expr[row];
	if (!pkg_expr_operands(e->op)) {
		leaf_add(w, e);
	} else if (reg_operator_level(e->op)) {
		binary_add(w, e, outer, depth + 1);
	} else if (e->op == PTOWSP_EXPR_SELECT) {
		add(w, "(");
		node_add(w, e->a, 1, depth + 1);
		add(w, " ? ");
		node_add(w, e->b, 1, depth + 1);
		add(w, " : ");
		node_add(w, e->c, 1, depth + 1);
		add(w, ")");
	} else if (pkg_expr_operands(e->op) == 2) {
		add(w, "%s(", pkg_word(PKG_WORDS_expr_op, e->op));
		node_add(w, e->a, 0, depth + 1);
		add(w, ", ");
		node_add(w, e->b, 0, depth + 1);
		add(w, ")");
	} else {
		add(w, "%s", e->op == PTOWSP_EXPR_NEG ? "-" : pkg_word(PKG_WORDS_expr_op, e->op));
		node_add(w, e->a, 11, depth + 1);
	}
}

void inspect_expression(const struct pkg_tables *tables, uint32_t row, const char *const *loops, uint32_t loop_count, char *text,
			size_t size)
{
	struct writing w = {tables, loops, loop_count, text, size, 0};

	text[0] = 0;
	node_add(&w, row, 0, 0);
}

static int is_zero(const struct pkg_tables *t, uint32_t row)
{
	return row < t->expr_count && t->expr[row].op == PTOWSP_EXPR_CONST && !t->expr[row].b && !t->expr[row].c;
}

/* row * unit + column, without what is 0. */
static void flat_add(struct writing *w, const struct ptowsp_region_record *r)
{
	int row = !is_zero(w->tables, r->row), column = !is_zero(w->tables, r->column);

	if (row) {
		node_add(w, r->row, 10, 0);
		add(w, " * %u", (unsigned)r->unit);
	}
	add(w, "%s", row && column ? " + " : "");
	if (column || !row)
		node_add(w, r->column, 9, 0);
	if (r->columns)
		add(w, " ... %u]", (unsigned)r->columns);
	else
		add(w, " ...]");
}

static void block_add(struct writing *w, const struct ptowsp_region_record *r)
{
	node_add(w, r->row, 0, 0);
	add(w, ", ");
	node_add(w, r->column, 0, 0);
	add(w, "] %u x %u", (unsigned)r->rows, (unsigned)r->columns);
}

void inspect_region(const struct pkg_tables *tables, uint32_t row, const char *const *loops, uint32_t loop_count, char *text,
		    size_t size)
{
	struct writing w = {tables, loops, loop_count, text, size, 0};
	const struct ptowsp_region_record *r;

	text[0] = 0;
	if (row >= tables->region_count) {
		add(&w, "REGN[%u]?", (unsigned)row);
		return;
	}
	r = &tables->region[row];
	add(&w, "%s[", pkg_string(tables, tables->tensor[r->tensor].name));
	if (r->unit)
		flat_add(&w, r);
	else
		block_add(&w, r);
	if (r->view)
		add(&w, " as %s", pkg_word(PKG_WORDS_dtype, r->view - 1) ? pkg_word(PKG_WORDS_dtype, r->view - 1) : "?");
}
