/* SPDX-License-Identifier: MIT */
#include "lang/builder/lang_expr.h"
#include "registry/common/common_hash.h"

#include "format/format_names.h"
#include "registry/common/common_operation.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

static uint32_t hash_of(const struct ptowsp_expr_record *row)
{
	return (uint32_t)(common_hash(common_hash(common_hash(common_hash(0, row->op), row->a), row->b), row->c) >> 32);
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
	exprs->slots = common_alloc(exprs->arena, ((size_t)exprs->mask + 1) * sizeof(*exprs->slots));
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
		*COMMON_PUSH(exprs->arena, exprs->rows, exprs->count, exprs->capacity) = row;
		*slot = exprs->count;
	}
	return *slot - 1;
}

uint32_t lang_expr_const(struct lang_exprs *exprs, uint64_t value)
{
	return row_add(exprs, (struct ptowsp_expr_record){.op = PTOWSP_EXPR_CONST, .b = (uint32_t)value, .c = (uint32_t)(value >> 32)});
}

uint32_t lang_expr_loop(struct lang_exprs *exprs, uint32_t depth)
{
	return row_add(exprs, (struct ptowsp_expr_record){.op = PTOWSP_EXPR_LOOP, .a = depth});
}

uint32_t lang_expr_value(struct lang_exprs *exprs, uint32_t slot)
{
	return row_add(exprs, (struct ptowsp_expr_record){.op = PTOWSP_EXPR_VALUE, .a = slot});
}

bool lang_expr_is_const(const struct lang_exprs *exprs, uint32_t row, int64_t *value_out)
{
	const struct ptowsp_expr_record *node = &exprs->rows[row];

	if (node->op != PTOWSP_EXPR_CONST)
		return false;
	*value_out = (int64_t)((uint64_t)node->c << 32 | node->b);
	return true;
}

bool lang_expr_fold(enum ptowsp_expr_op op, int64_t a, int64_t b, int64_t c, uint64_t *value_out)
{
	uint32_t failed = !pkg_expr_operands(op);

	*value_out = failed ? 0 : (uint64_t)common_operation(op, a, b, c, &failed);
	return !failed;
}

uint32_t lang_expr_unary(struct lang_exprs *exprs, enum ptowsp_expr_op op, uint32_t a)
{
	int64_t number;
	uint64_t value;

	if (lang_expr_is_const(exprs, a, &number) && lang_expr_fold(op, number, 0, 0, &value))
		return lang_expr_const(exprs, value);
	return row_add(exprs, (struct ptowsp_expr_record){.op = (uint16_t)op, .a = a});
}

uint32_t lang_expr_ternary(struct lang_exprs *exprs, enum ptowsp_expr_op op, uint32_t a, uint32_t b, uint32_t c)
{
	int64_t values[3];
	uint64_t value;

	if (lang_expr_is_const(exprs, a, &values[0]) && lang_expr_is_const(exprs, b, &values[1]) && lang_expr_is_const(exprs, c, &values[2]) &&
	    lang_expr_fold(op, values[0], values[1], values[2], &value))
		return lang_expr_const(exprs, value);
	return row_add(exprs, (struct ptowsp_expr_record){.op = (uint16_t)op, .a = a, .b = b, .c = c});
}

uint32_t lang_expr_leaf(struct lang_exprs *exprs, enum ptowsp_expr_op op)
{
	return row_add(exprs, (struct ptowsp_expr_record){.op = (uint16_t)op});
}

uint32_t lang_expr_binary(struct lang_exprs *exprs, enum ptowsp_expr_op op, uint32_t a, uint32_t b)
{
	int64_t left = 0, right = 0;
	int a_const = lang_expr_is_const(exprs, a, &left), b_const = lang_expr_is_const(exprs, b, &right);
	uint64_t value;

	assert(a < exprs->count && b < exprs->count);
	if (a_const && b_const && lang_expr_fold(op, left, right, 0, &value))
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

uint32_t lang_expr_node(struct lang_exprs *exprs, struct ptowsp_expr_record row)
{
	switch (pkg_expr_operands(row.op)) {
	case 1: return lang_expr_unary(exprs, (enum ptowsp_expr_op)row.op, row.a);
	case 2: return lang_expr_binary(exprs, (enum ptowsp_expr_op)row.op, row.a, row.b);
	case 3: return lang_expr_ternary(exprs, (enum ptowsp_expr_op)row.op, row.a, row.b, row.c);
	default: return row_add(exprs, row);
	}
}

uint32_t lang_expr_append(struct lang_exprs *exprs, struct ptowsp_expr_record row)
{
	*COMMON_PUSH(exprs->arena, exprs->rows, exprs->count, exprs->capacity) = row;
	return exprs->count - 1;
}
