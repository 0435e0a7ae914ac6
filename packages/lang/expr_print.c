/* SPDX-License-Identifier: MIT */
#include "lang/expr_print.h"

#include <stdbool.h>
#include <string.h>

#include "ptowsp/workload.h"
#include "registry/expression.h"

bool lang_name_is_plain(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

	return *name && strchr(letters, *name) && !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.")];
}

bool lang_task_name(const char *slot, char *name, size_t size)
{
	const char *end = strrchr(slot, '.'), *from = *slot == '@' ? strchr(slot, '.') : NULL;

	if (!from || end <= from + 1 || !end[1] || end[1 + strspn(end + 1, "0123456789")] || (size_t)(end - from) > size)
		return false;
	memcpy(name, from + 1, (size_t)(end - from - 1));
	name[end - from - 1] = '\0';
	return lang_name_is_plain(name);
}

/* "@main.t.3" holds the number of the task that a workload calls %t. A schedule knows the loops by their names alone; bodies say that a name is to be looked for. */
static bool name_print(const struct reg_expression_tables *tables, unsigned op, const char *name, struct reg_text *text)
{
	const bool looked_for = op == PTOWSP_EXPR_AXIS && tables->loops;
	char task[256];

	if (op == PTOWSP_EXPR_VALUE && lang_task_name(name, task, sizeof(task)))
		name = task;
	reg_text_add(text, looked_for ? "axis(%%%s)" : "%%%s", name);
	return lang_name_is_plain(name);
}

struct reg_expression_tables lang_expr_tables(const struct pkg_tables *t, const char *const *loops, uint32_t loop_count)
{
	return (struct reg_expression_tables){.expr = t->expr,
					      .slot = t->slot,
					      .strings = t->strings,
					      .strings_size = t->strings_size,
					      .expr_count = t->expr_count,
					      .slot_count = t->slot_count,
					      .loops = loops,
					      .loop_count = loop_count};
}

bool lang_expr_print(const struct pkg_tables *t, uint32_t row, const char *const *loops, uint32_t loop_count, struct reg_text *text)
{
	struct reg_expression_tables tables = lang_expr_tables(t, loops, loop_count);

	tables.name = name_print;
	return reg_expression_print(&tables, row, 0, text);
}
