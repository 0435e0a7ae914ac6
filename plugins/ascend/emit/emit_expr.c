/* SPDX-License-Identifier: MIT */
/* emit_expr.c - scalar expressions as C++: 64-bit integers that wrap (the build script says -fwrapv). All operands are evaluated, as the package has it:
 * so && and || are & and | of truths, and a choice is a call. Division is a call that fails by name. */
#include "ascend/emit/ascend_emit_state.h"
#include "rt/program/arithmetic.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct rt_expr *expr_of(const struct ascend_emitter *e, uint32_t id)
{
	return &e->p->exprs.rows[id];
}

static const struct rt_node *node_of(const struct ascend_emitter *e, uint32_t id, uint32_t at)
{
	return &e->p->exprs.nodes[expr_of(e, id)->first + at];
}

bool ascend_expr_constant(const struct ascend_emitter *e, uint32_t id, int64_t *value_out)
{
	return rt_expr_known(&e->p->exprs, id, value_out);
}

bool ascend_expr_changes(const struct ascend_emitter *e, uint32_t id)
{
	const struct rt_expr *expr = expr_of(e, id);

	for (uint32_t i = 0; i < expr->count; i++)
		if (node_of(e, id, i)->op == PTOWSP_EXPR_TASK)
			return true;
	return expr->read_count > 0;
}

static void constant_put(struct common_text *text, int64_t value)
{
	if (value == INT64_MIN)
		common_text_add(text, "INT64_MIN");
	else if (value > INT32_MAX || value < -INT32_MAX)
		common_text_add(text, value < 0 ? "(-INT64_C(%" PRIi64 "))" : "INT64_C(%" PRIi64 ")", value < 0 ? -value : value);
	else
		common_text_add(text, value < 0 ? "(%" PRIi64 ")" : "%" PRIi64, value);
}

/* $a, $b, $c: operands. */
static const char *const forms[64] = {
	[PTOWSP_EXPR_ADD] = "($a + $b)",
	[PTOWSP_EXPR_SUB] = "($a - $b)",
	[PTOWSP_EXPR_MUL] = "($a * $b)",
	[PTOWSP_EXPR_DIV] = "b.quotient($a, $b)",
	[PTOWSP_EXPR_MOD] = "b.remainder($a, $b)",
	[PTOWSP_EXPR_MIN] = "smaller($a, $b)",
	[PTOWSP_EXPR_MAX] = "larger($a, $b)",
	[PTOWSP_EXPR_AND] = "($a & $b)",
	[PTOWSP_EXPR_OR] = "($a | $b)",
	[PTOWSP_EXPR_XOR] = "($a ^ $b)",
	[PTOWSP_EXPR_SHL] = "(int64_t)((uint64_t)$a << ($b & 63))",
	[PTOWSP_EXPR_SHR] = "($a >> ($b & 63))",
	[PTOWSP_EXPR_EQ] = "(int64_t)($a == $b)",
	[PTOWSP_EXPR_NE] = "(int64_t)($a != $b)",
	[PTOWSP_EXPR_LT] = "(int64_t)($a < $b)",
	[PTOWSP_EXPR_LE] = "(int64_t)($a <= $b)",
	[PTOWSP_EXPR_GT] = "(int64_t)($a > $b)",
	[PTOWSP_EXPR_GE] = "(int64_t)($a >= $b)",
	[PTOWSP_EXPR_LAND] = "(int64_t)(($a != 0) & ($b != 0))",
	[PTOWSP_EXPR_LOR] = "(int64_t)(($a != 0) | ($b != 0))",
	[PTOWSP_EXPR_NEG] = "(-$a)",
	[PTOWSP_EXPR_NOT] = "(~$a)",
	[PTOWSP_EXPR_LNOT] = "(int64_t)(!$a)",
	[PTOWSP_EXPR_SELECT] = "chosen($a, $b, $c)",
};

/* Leaves as what they are called; false: it has operands. */
static bool leaf_put(struct ascend_emitter *e, struct common_text *text, const struct rt_node *node)
{
	switch (node->op) {
	case PTOWSP_EXPR_CONST: constant_put(text, node->value); return true;
	case PTOWSP_EXPR_LOOP: common_text_add(text, "%s", e->loops[node->a]); return true;
	case PTOWSP_EXPR_VALUE:
		e->slot_used[node->a] = 1;
		common_text_add(text, "%s", e->slots.rows[node->a].text);
		return true;
	case PTOWSP_EXPR_TASK: common_text_add(text, "b.next_task()"); return true;
	case PTOWSP_EXPR_INSTANCE: common_text_add(text, e->process ? "replica" : "0"); return true;
	default: return false;
	}
}

static bool is_positive(const struct ascend_emitter *e, uint32_t id, const struct rt_node *node)
{
	return (node->op == PTOWSP_EXPR_DIV || node->op == PTOWSP_EXPR_MOD) && node_of(e, id, node->b)->op == PTOWSP_EXPR_CONST &&
	       node_of(e, id, node->b)->value > 0;
}

/* As C++ has it where nothing can go wrong. */
static const char *form_of(const struct ascend_emitter *e, uint32_t id, const struct rt_node *node)
{
	return !is_positive(e, id, node) ? forms[node->op] : node->op == PTOWSP_EXPR_DIV ? "($a / $b)" : "($a % $b)";
}

/* names: every node before this one has one; else it is written out in full. */
static void node_put(struct ascend_emitter *e, struct common_text *text, uint32_t id, uint32_t at, bool names)
{
	const struct rt_node *node = node_of(e, id, at);
	const uint32_t operands[3] = {node->a, node->b, node->c};

	if (text->failed || leaf_put(e, text, node) || node->op >= 64 || !forms[node->op])
		return;
	for (const char *form = form_of(e, id, node); *form; form++) {
		const uint32_t operand = *form == '$' ? operands[form[1] - 'a'] : 0;

		if (*form != '$') {
			common_text_bytes(text, form, 1);
			continue;
		}
		form++;
		if (*form == 'a' && node_of(e, id, operands[0])->op == PTOWSP_EXPR_CONST && rt_operands(node->op) > 1 &&
		    node_of(e, id, operands[1])->op == PTOWSP_EXPR_CONST)
			common_text_add(text, "(int64_t)"); /* of constants alone: not as int */
		if (names && node_of(e, id, operand)->op >= PTOWSP_EXPR_ADD)
			common_text_add(text, "n%" PRIu32, operand);
		else
			node_put(e, text, id, operand, names);
	}
}

/* Bytes it would take in full, as far as it matters: a node may be an operand of several. */
static uint64_t size_of(const struct ascend_emitter *e, uint32_t id)
{
	const struct rt_expr *expr = expr_of(e, id);
	uint64_t sizes[256], size = 0;

	if (expr->count > sizeof(sizes) / sizeof(*sizes))
		return UINT64_MAX;
	for (uint32_t i = 0; i < expr->count; i++) {
		const struct rt_node *node = node_of(e, id, i);

		size = 12;
		if (node->op >= PTOWSP_EXPR_ADD)
			size += sizes[node->a] + (node->op < PTOWSP_EXPR_NEG || node->op == PTOWSP_EXPR_SELECT ? sizes[node->b] : 0) +
				(node->op == PTOWSP_EXPR_SELECT ? sizes[node->c] : 0);
		sizes[i] = size > UINT32_MAX ? UINT32_MAX : size;
	}
	return size;
}

/* One value per node: as long as the expression is in the package, however often its parts are used. */
static void steps_put(struct ascend_emitter *e, struct common_text *text, uint32_t id)
{
	const struct rt_expr *expr = expr_of(e, id);

	common_text_add(text, "[&] {");
	for (uint32_t i = 0; i + 1 < expr->count; i++) {
		if (node_of(e, id, i)->op < PTOWSP_EXPR_ADD)
			continue;
		common_text_add(text, " const int64_t n%" PRIu32 " = ", i);
		node_put(e, text, id, i, true);
		common_text_add(text, ";");
	}
	common_text_add(text, " return (int64_t)");
	node_put(e, text, id, expr->count - 1, true);
	common_text_add(text, "; }()");
}

/* Sums and products need no parentheses where expressions stand: as arguments, and beside comparisons. */
static void root_put(struct ascend_emitter *e, struct common_text *text, uint32_t id)
{
	const struct rt_node *node = node_of(e, id, expr_of(e, id)->count - 1);
	const size_t from = text->length;

	node_put(e, text, id, expr_of(e, id)->count - 1, false);
	if (text->failed || text->length - from < 2 || text->bytes[from] != '(' || node->op > PTOWSP_EXPR_MOD || node->op < PTOWSP_EXPR_ADD)
		return;
	if ((node->op == PTOWSP_EXPR_DIV || node->op == PTOWSP_EXPR_MOD) && !is_positive(e, id, node))
		return;
	memmove(text->bytes + from, text->bytes + from + 1, text->length - from - 2);
	text->length -= 2;
	text->bytes[text->length] = '\0';
}

void ascend_expr(struct ascend_emitter *e, struct common_text *text, uint32_t id)
{
	int64_t value;

	if (expr_of(e, id)->count == 1)
		node_put(e, text, id, 0, false);
	else if (ascend_expr_constant(e, id, &value))
		constant_put(text, value);
	else if (size_of(e, id) > ASCEND_EXPRESSION_MOST)
		steps_put(e, text, id);
	else
		root_put(e, text, id);
}
