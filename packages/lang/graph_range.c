/* SPDX-License-Identifier: MIT */
/* graph_range.c - which values a scalar can have, and which bytes a binding can mean. */
#include "lang/lang_graph.h"

/* What an operation makes of the least and the largest values of its two operands. */
static int operation_range(unsigned op, const int64_t a[2], const int64_t b[2], int64_t *low_out, int64_t *high_out)
{
	switch (op) {
	case PTOWSP_EXPR_ADD:
	case PTOWSP_EXPR_SUB:
		*low_out = op == PTOWSP_EXPR_ADD ? a[0] + b[0] : a[0] - b[1];
		*high_out = op == PTOWSP_EXPR_ADD ? a[1] + b[1] : a[1] - b[0];
		return 1;
	case PTOWSP_EXPR_MUL:
		if (a[0] < 0 || b[0] < 0 || (b[1] && a[1] > LANG_GRAPH_FAR / b[1]))
			return 0;
		*low_out = a[0] * b[0];
		*high_out = a[1] * b[1];
		return 1;
	case PTOWSP_EXPR_SHL:
		if (a[0] < 0 || b[0] < 0 || b[1] > 60 || a[1] > LANG_GRAPH_FAR >> b[1])
			return 0;
		*low_out = a[0] << b[0];
		*high_out = a[1] << b[1];
		return 1;
	default:
		return 0;
	}
}

int lang_graph_range(const struct lang_graph_scalar *scalar, int64_t *low_out, int64_t *high_out)
{
	int64_t al, ah, bl, bh;

	*low_out = *high_out = scalar->value;
	if (scalar->op == PTOWSP_EXPR_CONST)
		return scalar->value > -LANG_GRAPH_FAR && scalar->value < LANG_GRAPH_FAR;
	if (scalar->op == PTOWSP_EXPR_AXIS) {
		*low_out = 0;
		return scalar->object->inst && lang_graph_range(scalar->object->inst->args[0].scalar, &al, high_out) && --*high_out >= 0;
	}
	if (!scalar->b || scalar->c || !lang_graph_range(scalar->a, &al, &ah) || !lang_graph_range(scalar->b, &bl, &bh) ||
	    !operation_range(scalar->op, (const int64_t[]){al, ah}, (const int64_t[]){bl, bh}, low_out, high_out))
		return 0;
	return *low_out > -LANG_GRAPH_FAR && *high_out < LANG_GRAPH_FAR;
}

void lang_graph_bytes(const struct lang_graph_bind *bind, int64_t *from_out, int64_t *end_out)
{
	int64_t high, size, unused;

	*end_out = INT64_MAX;
	if (!lang_graph_range(bind->offset, from_out, &high)) {
		*from_out = 0;
		return;
	}
	if (lang_graph_range(bind->size, &unused, &size) && size > 0)
		*end_out = high + size;
}

int lang_graph_overlaps(const struct lang_graph_bind *a, const struct lang_graph_bind *b)
{
	int64_t from, end, other_from, other_end;

	lang_graph_bytes(a, &from, &end);
	lang_graph_bytes(b, &other_from, &other_end);
	return a->tensor == b->tensor && from < other_end && other_from < end;
}
