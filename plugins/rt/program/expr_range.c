/* SPDX-License-Identifier: MIT */
/* expr_range.c - what can be proved of an expression before any run. */
#include "rt/program/arithmetic.h"
#include "rt/program/expr.h"

bool rt_expr_known(const struct rt_exprs *exprs, uint32_t id, int64_t *value_out)
{
	struct rt_nest none = {.key = PTOWSP_NONE};
	int64_t low, high;

	for (uint32_t d = 0; d < PTOWSP_NESTING_LIMIT; d++)
		none.low[d] = INT64_MIN, none.high[d] = INT64_MAX;
	rt_expr_range(exprs, id, &none, &low, &high);
	*value_out = low;
	return low == high;
}

struct range {
	int64_t low, high;
};
static const struct range anything = {INT64_MIN, INT64_MAX};
#define SMALL (INT64_C(1) << 31) /* products of these cannot overflow */
#define LARGE (INT64_C(1) << 62) /* sums of these cannot overflow */

static bool within(struct range r, int64_t limit)
{
	return r.low > -limit && r.high < limit;
}

static struct range product(struct range a, struct range b)
{
	const int64_t p[4] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
	struct range out = {p[0], p[0]};

	for (unsigned k = 1; k < 4; k++) {
		out.low = p[k] < out.low ? p[k] : out.low;
		out.high = p[k] > out.high ? p[k] : out.high;
	}
	return out;
}

static struct range inner_range(const struct rt_node *node, struct range a, struct range b, struct range c)
{
	unsigned count = rt_operands(node->op);
	uint32_t failed = 0;
	int64_t value;

	if (a.low == a.high && (count < 2 || b.low == b.high) && (count < 3 || c.low == c.high)) {
		value = rt_operation(node->op, a.low, b.low, c.low, &failed);
		return failed ? anything : (struct range){value, value};
	}
	switch (node->op) {
	case PTOWSP_EXPR_ADD: return within(a, LARGE) && within(b, LARGE) ? (struct range){a.low + b.low, a.high + b.high} : anything;
	case PTOWSP_EXPR_SUB: return within(a, LARGE) && within(b, LARGE) ? (struct range){a.low - b.high, a.high - b.low} : anything;
	case PTOWSP_EXPR_MUL: return within(a, SMALL) && within(b, SMALL) ? product(a, b) : anything;
	case PTOWSP_EXPR_DIV: return b.low == b.high && b.low > 0 ? (struct range){a.low / b.low, a.high / b.low} : anything;
	case PTOWSP_EXPR_MOD: return b.low == b.high && b.low > 0 && a.low >= 0 ? (struct range){0, b.low - 1} : anything;
	case PTOWSP_EXPR_MIN: return (struct range){a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
	case PTOWSP_EXPR_MAX: return (struct range){a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
	case PTOWSP_EXPR_EQ:
	case PTOWSP_EXPR_NE:
	case PTOWSP_EXPR_LT:
	case PTOWSP_EXPR_LE:
	case PTOWSP_EXPR_GT:
	case PTOWSP_EXPR_GE:
	case PTOWSP_EXPR_LAND:
	case PTOWSP_EXPR_LOR:
	case PTOWSP_EXPR_LNOT: return (struct range){0, 1};
	case PTOWSP_EXPR_SELECT: return (struct range){b.low < c.low ? b.low : c.low, b.high > c.high ? b.high : c.high};
	}
	return anything;
}

/* Expressions that are not small are simply not proved: the marked instruction checks at run time. */
#define RANGE_NODES 256u

void rt_expr_range(const struct rt_exprs *exprs, uint32_t id, const struct rt_nest *nest, int64_t *low_out, int64_t *high_out)
{
	const struct rt_expr *expr = &exprs->rows[id];
	const struct rt_node *node = &exprs->nodes[expr->first];
	struct range v[RANGE_NODES], last = anything;

	for (uint32_t i = 0; expr->count <= RANGE_NODES && i < expr->count; i++, node++) {
		if (node->op == PTOWSP_EXPR_CONST)
			last = (struct range){node->value, node->value};
		else if (node->op == PTOWSP_EXPR_LOOP)
			last = (struct range){nest->low[node->a], nest->high[node->a]};
		else if (!rt_operands(node->op))
			last = anything;
		else
			last = inner_range(node, v[node->a], v[node->b], v[node->c]);
		v[i] = last;
	}
	*low_out = last.low;
	*high_out = last.high;
}
