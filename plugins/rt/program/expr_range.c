/* SPDX-License-Identifier: MIT */
/* expr_range.c - what can be proved of an expression before any run: between which numbers its values lie, and on which lattice. */
#include "rt/program/arithmetic.h"
#include "rt/program/expr.h"

const struct rt_bounds rt_unbounded = {INT64_MIN, INT64_MAX, {0, 1}};

/* ---- between which numbers ------------------------------------------------------------------------------------------ */

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

/* ---- on which lattice ------------------------------------------------------------------------------------------------ */

static uint64_t distance(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b) < 0 ? b - a : a - b;
}

struct rt_values rt_values_join(struct rt_values a, struct rt_values b)
{
	return (struct rt_values){a.residue, rt_common(rt_common(a.modulus, b.modulus), distance(a.residue, b.residue))};
}

/* (r + i m)(s + k n) = r s + r k n + s i m + i k m n. A modulus that does not fit says nothing that a smaller one would not. */
static struct rt_values values_product(struct rt_values a, struct rt_values b)
{
	uint64_t x, y, z;

	if (__builtin_mul_overflow(distance(a.residue, 0), b.modulus, &x) || __builtin_mul_overflow(distance(b.residue, 0), a.modulus, &y) ||
	    __builtin_mul_overflow(a.modulus, b.modulus, &z))
		return rt_unbounded.on;
	return (struct rt_values){a.residue * b.residue, rt_common(rt_common(x, y), z)};
}

static struct rt_values inner_values(const struct rt_node *node, struct rt_values a, struct rt_values b, struct rt_values c)
{
	const struct rt_values any = rt_unbounded.on;
	bool shift = !b.modulus && b.residue < 62;

	switch (node->op) {
	case PTOWSP_EXPR_ADD: return (struct rt_values){a.residue + b.residue, rt_common(a.modulus, b.modulus)};
	case PTOWSP_EXPR_SUB: return (struct rt_values){a.residue - b.residue, rt_common(a.modulus, b.modulus)};
	case PTOWSP_EXPR_NEG: return (struct rt_values){0 - a.residue, a.modulus};
	case PTOWSP_EXPR_MUL: return values_product(a, b);
	case PTOWSP_EXPR_SHL: return shift ? values_product(a, (struct rt_values){UINT64_C(1) << b.residue, 0}) : any;
	/* MOD takes away a multiple of the divisor. */
	case PTOWSP_EXPR_MOD: return !b.modulus && b.residue ? (struct rt_values){a.residue, rt_common(a.modulus, distance(b.residue, 0))} : any;
	case PTOWSP_EXPR_MIN:
	case PTOWSP_EXPR_MAX: return rt_values_join(a, b);
	case PTOWSP_EXPR_SELECT: return rt_values_join(b, c);
	default: return any;
	}
}

struct rt_values rt_loop_values(const struct rt_exprs *exprs, const struct rt_nest *nest, uint32_t low, uint32_t step)
{
	struct rt_values from = rt_expr_values(exprs, low, nest), by = rt_expr_values(exprs, step, nest);
	uint64_t modulus = rt_common(from.modulus, rt_common(by.modulus, distance(by.residue, 0)));

	return modulus ? (struct rt_values){from.residue, modulus} : rt_unbounded.on;
}

/* ---- node by node ---------------------------------------------------------------------------------------------------- */

static struct range range_of(const struct rt_bounds *bounds)
{
	return (struct range){bounds->low, bounds->high};
}

/* Without a nest nothing is known of loops; constants have the modulus 0. */
static struct rt_bounds leaf_bounds(const struct rt_node *node, const struct rt_nest *nest)
{
	struct rt_bounds bounds = rt_unbounded;

	if (node->op == PTOWSP_EXPR_CONST)
		return (struct rt_bounds){node->value, node->value, {(uint64_t)node->value, 0}};
	if (node->op == PTOWSP_EXPR_LOOP && nest) {
		bounds = nest->loops[node->a];
		bounds.on = bounds.on.modulus ? bounds.on : rt_unbounded.on;
	}
	return bounds;
}

#define NODES 256u /* of a longer expression nothing is proved: the marked instruction checks at run time */

struct rt_bounds rt_expr_bounds(const struct rt_exprs *exprs, uint32_t id, const struct rt_nest *nest)
{
	const struct rt_expr *expr = &exprs->rows[id];
	const struct rt_node *node = &exprs->nodes[expr->first];
	struct rt_bounds v[NODES], last = rt_unbounded;

	for (uint32_t i = 0; expr->count <= NODES && i < expr->count; i++, node++) {
		if (rt_operands(node->op)) {
			const struct rt_bounds *a = &v[node->a], *b = &v[node->b], *c = &v[node->c];
			struct range range = inner_range(node, range_of(a), range_of(b), range_of(c));

			last = (struct rt_bounds){range.low, range.high, inner_values(node, a->on, b->on, c->on)};
		} else {
			last = leaf_bounds(node, nest);
		}
		v[i] = last;
	}
	return last;
}

bool rt_expr_known(const struct rt_exprs *exprs, uint32_t id, int64_t *value_out)
{
	struct rt_bounds bounds = rt_expr_bounds(exprs, id, NULL);

	*value_out = bounds.low;
	return bounds.low == bounds.high;
}

struct rt_values rt_expr_values(const struct rt_exprs *exprs, uint32_t id, const struct rt_nest *nest)
{
	int64_t known;

	return rt_expr_known(exprs, id, &known) ? (struct rt_values){(uint64_t)known, 0} : rt_expr_bounds(exprs, id, nest).on;
}
