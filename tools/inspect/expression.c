/* SPDX-License-Identifier: MIT */
/* expression.c - expressions and regions as people write them. */
#include "tools/inspect/inspect.h"

#include "format/format_names.h"
#include "lang/expr_print.h"
#include "ptowsp/workload.h"
#include "registry/text.h"

#include <stdbool.h>
#include <string.h>

enum { SUM = 9, PRODUCT = 10 }; /* levels of + and * */

struct writing {
	const struct pkg_tables *tables;
	struct reg_expression_tables names;
	struct reg_text text;
};

static struct writing writing_of(const struct pkg_tables *t, const char *const *loops, uint32_t loop_count, char *memory, size_t size)
{
	struct writing w = {.tables = t, .names = lang_expr_tables(t, loops, loop_count)};

	reg_text_init(&w.text, memory, size);
	return w;
}

/* A text that fills its memory is cut. */
static void end(struct writing *w)
{
	if (w->text.length + 1 >= w->text.room && w->text.room > 4)
		memcpy(w->text.at + w->text.room - 4, "...", 4);
}

void inspect_expression(const struct pkg_tables *tables, uint32_t row, const char *const *loops, uint32_t loop_count, char *text, size_t size)
{
	struct writing w = writing_of(tables, loops, loop_count, text, size);

	reg_expression_print(&w.names, row, 0, &w.text);
	end(&w);
}

static bool is_zero(const struct pkg_tables *t, uint32_t row)
{
	return row < t->expr_count && t->expr[row].op == PTOWSP_EXPR_CONST && !t->expr[row].b && !t->expr[row].c;
}

/* row * unit + column, without what is 0. */
static void flat_add(struct writing *w, const struct ptowsp_region_record *r)
{
	int row = !is_zero(w->tables, r->row), column = !is_zero(w->tables, r->column);

	if (row) {
		reg_expression_print(&w->names, r->row, PRODUCT, &w->text);
		reg_text_add(&w->text, " * %u", (unsigned)r->unit);
	}
	reg_text_add(&w->text, "%s", row && column ? " + " : "");
	if (column || !row)
		reg_expression_print(&w->names, r->column, SUM, &w->text);
	if (r->columns)
		reg_text_add(&w->text, " ... %u]", (unsigned)r->columns);
	else
		reg_text_add(&w->text, " ...]");
}

static void block_add(struct writing *w, const struct ptowsp_region_record *r)
{
	reg_expression_print(&w->names, r->row, 0, &w->text);
	reg_text_add(&w->text, ", ");
	reg_expression_print(&w->names, r->column, 0, &w->text);
	reg_text_add(&w->text, "] %u x %u", (unsigned)r->rows, (unsigned)r->columns);
}

void inspect_region(const struct pkg_tables *tables, uint32_t row, const char *const *loops, uint32_t loop_count, char *text, size_t size)
{
	struct writing w = writing_of(tables, loops, loop_count, text, size);
	const struct ptowsp_region_record *r;

	if (row >= tables->region_count) {
		reg_text_add(&w.text, "REGN[%u]?", (unsigned)row);
		return;
	}
	r = &tables->region[row];
	reg_text_add(&w.text, "%s[", pkg_string(tables, tables->tensor[r->tensor].name));
	if (r->unit)
		flat_add(&w, r);
	else
		block_add(&w, r);
	if (r->view)
		reg_text_add(&w.text, " as %s", pkg_word(PKG_WORDS_dtype, r->view - 1) ? pkg_word(PKG_WORDS_dtype, r->view - 1) : "?");
	end(&w);
}
