/* SPDX-License-Identifier: MIT */
#include "lang/expr.h"

#include <assert.h>
#include <string.h>

static uint32_t hash_of(const struct ptowsp_expr_record *row)
{
	uint64_t hash = row->op;

	hash = (hash * UINT64_C(0x9E3779B97F4A7C15)) ^ row->a;
	hash = (hash * UINT64_C(0x9E3779B97F4A7C15)) ^ row->b;
	hash = (hash * UINT64_C(0x9E3779B97F4A7C15)) ^ row->c;
	hash *= UINT64_C(0x9E3779B97F4A7C15);
	return (uint32_t)(hash >> 32);
}

/* The place of an equal row, or the free one where it belongs. */
static uint32_t *slot_of(const struct lang_exprs *exprs, const struct ptowsp_expr_record *row)
{
	uint32_t at = hash_of(row) & exprs->mask;

	while (exprs->slots[at] && memcmp(&exprs->rows[exprs->slots[at] - 1], row, sizeof(*row)) != 0)
		at = (at + 1) & exprs->mask;
	return &exprs->slots[at];
}

static void slots_grow(struct lang_exprs *exprs)
{
	exprs->mask = exprs->slots ? exprs->mask * 2 + 1 : 63;
	exprs->slots = lang_alloc(exprs->arena, ((size_t)exprs->mask + 1) * sizeof(*exprs->slots));
	for (uint32_t i = 0; i < exprs->count; i++)
		*slot_of(exprs, &exprs->rows[i]) = i + 1;
}

static uint32_t row_add(struct lang_exprs *exprs, struct ptowsp_expr_record row)
{
	uint32_t *slot;

	if (!exprs->slots || exprs->count > exprs->mask / 2)
		slots_grow(exprs);
	slot = slot_of(exprs, &row);
	if (!*slot) {
		*LANG_PUSH(exprs->arena, exprs->rows, exprs->count, exprs->capacity) = row;
		*slot = exprs->count;
	}
	return *slot - 1;
}

uint32_t lang_expr_const(struct lang_exprs *exprs, uint64_t value)
{
	return row_add(exprs, (struct ptowsp_expr_record){
				      .op = PTOWSP_EXPR_CONST, .b = (uint32_t)value, .c = (uint32_t)(value >> 32)});
}

uint32_t lang_expr_loop(struct lang_exprs *exprs, uint32_t depth)
{
	return row_add(exprs, (struct ptowsp_expr_record){.op = PTOWSP_EXPR_LOOP, .a = depth});
}

uint32_t lang_expr_value(struct lang_exprs *exprs, uint32_t slot)
{
	return row_add(exprs, (struct ptowsp_expr_record){.op = PTOWSP_EXPR_VALUE, .a = slot});
}

int lang_expr_is_const(const struct lang_exprs *exprs, uint32_t row, int64_t *value_out)
{
	const struct ptowsp_expr_record *node = &exprs->rows[row];

	if (node->op != PTOWSP_EXPR_CONST)
		return 0;
	*value_out = (int64_t)((uint64_t)node->c << 32 | node->b);
	return 1;
}

/* Wrapping, as the machine does it. 0: it cannot be folded. */
static int fold(enum ptowsp_expr_op op, int64_t a, int64_t b, uint64_t *value_out)
{
	switch (op) {
	case PTOWSP_EXPR_ADD:
		*value_out = (uint64_t)a + (uint64_t)b;
		return 1;
	case PTOWSP_EXPR_SUB:
		*value_out = (uint64_t)a - (uint64_t)b;
		return 1;
	case PTOWSP_EXPR_MUL:
		*value_out = (uint64_t)a * (uint64_t)b;
		return 1;
	case PTOWSP_EXPR_DIV:
		if (b == 0)
			return 0;
		*value_out = b == -1 ? 0 - (uint64_t)a : (uint64_t)(a / b);
		return 1;
	case PTOWSP_EXPR_AND:
		*value_out = (uint64_t)a & (uint64_t)b;
		return 1;
	case PTOWSP_EXPR_EQ:
		*value_out = a == b;
		return 1;
	case PTOWSP_EXPR_NE:
		*value_out = a != b;
		return 1;
	case PTOWSP_EXPR_LT:
		*value_out = a < b;
		return 1;
	case PTOWSP_EXPR_LE:
		*value_out = a <= b;
		return 1;
	case PTOWSP_EXPR_GT:
		*value_out = a > b;
		return 1;
	case PTOWSP_EXPR_GE:
		*value_out = a >= b;
		return 1;
	default:
		return 0;
	}
}

uint32_t lang_expr_binary(struct lang_exprs *exprs, enum ptowsp_expr_op op, uint32_t a, uint32_t b)
{
	int64_t left = 0, right = 0;
	int a_const = lang_expr_is_const(exprs, a, &left), b_const = lang_expr_is_const(exprs, b, &right);
	uint64_t value;

	assert(a < exprs->count && b < exprs->count);
	if (a_const && b_const && fold(op, left, right, &value))
		return lang_expr_const(exprs, value);
	if (b_const && right == 0 && (op == PTOWSP_EXPR_ADD || op == PTOWSP_EXPR_SUB))
		return a;
	if (a_const && left == 0 && op == PTOWSP_EXPR_ADD)
		return b;
	if (b_const && right == 1 && (op == PTOWSP_EXPR_MUL || op == PTOWSP_EXPR_DIV))
		return a;
	if (a_const && left == 1 && op == PTOWSP_EXPR_MUL)
		return b;
	return row_add(exprs, (struct ptowsp_expr_record){.op = (uint16_t)op, .a = a, .b = b});
}
