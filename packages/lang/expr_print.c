/* SPDX-License-Identifier: MIT */
#include "lang/expr_print.h"

#include "format/format_names.h"

#include <stdbool.h>
#include <string.h>

#include "ptowsp/workload.h"
#include "registry/operator.h"

enum { STRENGTH_ANY = 0, STRENGTH_SIGN = 11, DEPTH_LIMIT = 2048 }; /* a chain of operators is as deep as it is long */

struct printer {
	const struct pkg_tables *tables;
	const char *const *loops;
	uint32_t loop_count, depth;
	struct reg_text *text;
};

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

static int row_print(struct printer *p, uint32_t row, unsigned least);

static bool name_print(struct printer *p, const char *name)
{
	if (!lang_name_is_plain(name))
		return false;
	reg_text_add(p->text, "%%%s", name);
	return true;
}

/* A schedule knows the loops by their names alone; bodies say that a name is to be looked for. */
static int axis_print(struct printer *p, const char *name)
{
	int ok;

	reg_text_add(p->text, "%s", p->loops ? "axis(" : "");
	ok = name_print(p, name);
	reg_text_add(p->text, "%s", p->loops ? ")" : "");
	return ok;
}

/* "@main.t.3" holds the number of the task that a workload calls %t. */
static bool slot_print(struct printer *p, const struct ptowsp_slot_record *slot)
{
	char name[256];

	if (lang_task_name(pkg_string(p->tables, slot->name), name, sizeof(name)))
		return name_print(p, name);
	return name_print(p, pkg_string(p->tables, slot->name));
}

static int function_print(struct printer *p, const struct ptowsp_expr_record *node, unsigned operands)
{
	const uint32_t rows[] = {node->a, node->b, node->c};
	int ok = 1;

	reg_text_add(p->text, "%s(", pkg_word(PKG_WORDS_expr_op, node->op));
	for (unsigned i = 0; i < operands && ok; i++) {
		reg_text_add(p->text, "%s", i ? ", " : "");
		ok = row_print(p, rows[i], STRENGTH_ANY);
	}
	reg_text_add(p->text, ")");
	return ok;
}

/* Operators of one strength bind from left to right, so the right side needs more. */
static int operator_print(struct printer *p, const struct ptowsp_expr_record *node, unsigned least)
{
	unsigned own = reg_operator_level(node->op);
	int ok;

	reg_text_add(p->text, "%s", own < least ? "(" : "");
	ok = row_print(p, node->a, own);
	reg_text_add(p->text, " %s ", pkg_word(PKG_WORDS_expr_op, node->op));
	ok = ok && row_print(p, node->b, own + 1);
	reg_text_add(p->text, "%s", own < least ? ")" : "");
	return ok;
}

/* A number would take the sign for its own. */
static int sign_print(struct printer *p, const struct ptowsp_expr_record *node)
{
	int number = p->tables->expr[node->a].op == PTOWSP_EXPR_CONST, ok;

	reg_text_add(p->text, "%s%s", node->op == PTOWSP_EXPR_NEG ? "-" : pkg_word(PKG_WORDS_expr_op, node->op), number ? "(" : "");
	ok = row_print(p, node->a, STRENGTH_SIGN);
	reg_text_add(p->text, "%s", number ? ")" : "");
	return ok;
}

static int node_print(struct printer *p, const struct ptowsp_expr_record *node, unsigned least)
{
	switch (node->op) {
	case PTOWSP_EXPR_CONST: reg_text_add(p->text, "%lld", (long long)((uint64_t)node->c << 32 | node->b)); return 1;
	case PTOWSP_EXPR_LOOP: return node->a < p->loop_count && name_print(p, p->loops[node->a]);
	case PTOWSP_EXPR_VALUE: return slot_print(p, &p->tables->slot[node->a]);
	case PTOWSP_EXPR_AXIS: return axis_print(p, pkg_string(p->tables, node->a));
	case PTOWSP_EXPR_TASK:
	case PTOWSP_EXPR_INSTANCE: reg_text_add(p->text, "%s", pkg_word(PKG_WORDS_expr_op, node->op)); return 1;
	case PTOWSP_EXPR_NEG:
	case PTOWSP_EXPR_NOT:
	case PTOWSP_EXPR_LNOT: return sign_print(p, node);
	case PTOWSP_EXPR_MIN:
	case PTOWSP_EXPR_MAX: return function_print(p, node, 2);
	case PTOWSP_EXPR_SELECT: return function_print(p, node, 3);
	default: return reg_operator_level(node->op) && operator_print(p, node, least);
	}
}

/* Nodes are shared, so a small table may be a text without end: it stops where there is no room. */
static int row_print(struct printer *p, uint32_t row, unsigned least)
{
	int ok;

	if (row >= p->tables->expr_count || p->depth == DEPTH_LIMIT || p->text->length + 1 >= p->text->room)
		return 0;
	p->depth++;
	ok = node_print(p, &p->tables->expr[row], least);
	p->depth--;
	return ok;
}

bool lang_expr_print(const struct pkg_tables *tables, uint32_t row, const char *const *loops, uint32_t loop_count, struct reg_text *text)
{
	struct printer p = {.tables = tables, .loops = loops, .loop_count = loop_count, .text = text};

	return row_print(&p, row, STRENGTH_ANY) && text->length + 1 < text->room;
}
