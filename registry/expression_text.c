/* SPDX-License-Identifier: MIT */
/* expression_text.c - rows of the EXPR table as people type them. */
#include <stdbool.h>

#include "registry/common/common_operation.h"
#include "registry/expression.h"
#include "registry/operator.h"
#include "registry/text.h"

enum {
	DEPTH_LIMIT = 64,
	SOURCE_DEPTH_LIMIT = 2048,
	SIGN_LEVEL = 11
}; /* a chain of operators is as deep as it is long; a sign binds closer than every operator */

struct printer {
	const struct reg_expression_tables *tables;
	struct reg_text *text;
	unsigned depth;
	bool failed;
};

static void row_print(struct printer *p, uint32_t row, unsigned least);

static const char *word_of(unsigned op)
{
	switch (op) {
#define X(NAME, code, word, operands, effect)                                                                                                                  \
	case code:                                                                                                                                             \
		return word;
#include "ptowsp/expr_ops.def"
#undef X
	}
	return "?";
}

static const char *string_at(const struct reg_expression_tables *t, uint32_t offset)
{
	return offset < t->strings_size ? t->strings + offset : "?";
}

static void name_print(struct printer *p, unsigned op, const char *name)
{
	if (p->tables->name)
		p->failed |= !p->tables->name(p->tables, op, name, p->text);
	else
		reg_text_add(p->text, "%s", name);
}

static void leaf_print(struct printer *p, const struct ptowsp_expr_record *node)
{
	const struct reg_expression_tables *t = p->tables;

	switch (node->op) {
	case PTOWSP_EXPR_CONST: reg_text_add(p->text, "%lld", (long long)((uint64_t)node->c << 32 | node->b)); return;
	case PTOWSP_EXPR_LOOP:
		if (node->a < t->loop_count)
			name_print(p, node->op, t->loops[node->a]);
		else
			reg_text_add(p->text, "loop(%u)", node->a);
		p->failed |= node->a >= t->loop_count;
		return;
	case PTOWSP_EXPR_VALUE: name_print(p, node->op, node->a < t->slot_count ? string_at(t, t->slot[node->a].name) : "?"); return;
	case PTOWSP_EXPR_AXIS: name_print(p, node->op, string_at(t, node->a)); return;
	default: reg_text_add(p->text, "%s", word_of(node->op)); p->failed |= *word_of(node->op) == '?';
	}
}

/* Operators of one level bind from left to right, so the right side needs more. */
static void operator_print(struct printer *p, const struct ptowsp_expr_record *node, unsigned level, unsigned least)
{
	reg_text_add(p->text, "%s", level < least ? "(" : "");
	row_print(p, node->a, level);
	reg_text_add(p->text, " %s ", word_of(node->op));
	row_print(p, node->b, level + 1);
	reg_text_add(p->text, "%s", level < least ? ")" : "");
}

/* A number in a source would take the sign for its own. */
static void sign_print(struct printer *p, const struct ptowsp_expr_record *node)
{
	const bool apart = p->tables->name && node->a < p->tables->expr_count && p->tables->expr[node->a].op == PTOWSP_EXPR_CONST;

	reg_text_add(p->text, "%s%s", node->op == PTOWSP_EXPR_NEG ? "-" : word_of(node->op), apart ? "(" : "");
	row_print(p, node->a, SIGN_LEVEL);
	reg_text_add(p->text, "%s", apart ? ")" : "");
}

static void call_print(struct printer *p, const struct ptowsp_expr_record *node)
{
	const uint32_t rows[] = {node->a, node->b, node->c};

	reg_text_add(p->text, "%s(", word_of(node->op));
	for (unsigned i = 0; i < common_operands(node->op); i++) {
		reg_text_add(p->text, "%s", i ? ", " : "");
		row_print(p, rows[i], 0);
	}
	reg_text_add(p->text, ")");
}

static void node_print(struct printer *p, const struct ptowsp_expr_record *node, unsigned least)
{
	unsigned operands = common_operands(node->op), level = reg_operator_level(node->op);

	if (!operands || operands == UINT32_MAX) {
		leaf_print(p, node);
	} else if (level) {
		operator_print(p, node, level, least);
	} else if (operands == 1) {
		sign_print(p, node);
	} else {
		call_print(p, node);
	}
}

/* Nodes are shared, so a small table may be a text without end: every node adds to it, and a full one ends the walk. */
static void row_print(struct printer *p, uint32_t row, unsigned least)
{
	if (p->text->length + 1 >= p->text->room || (p->failed && p->tables->name))
		return;
	if (row >= p->tables->expr_count || p->depth == (p->tables->name ? SOURCE_DEPTH_LIMIT : DEPTH_LIMIT)) {
		p->failed = true;
		if (row < p->tables->expr_count)
			reg_text_add(p->text, "...");
		else
			reg_text_add(p->text, "EXPR[%u]?", row);
		return;
	}
	p->depth++;
	node_print(p, &p->tables->expr[row], least);
	p->depth--;
}

bool reg_expression_print(const struct reg_expression_tables *tables, uint32_t row, unsigned least, struct reg_text *text)
{
	struct printer p = {.tables = tables, .text = text};

	row_print(&p, row, least);
	return !p.failed && text->length + 1 < text->room;
}
