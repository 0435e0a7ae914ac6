/* SPDX-License-Identifier: MIT */
#include "rt/program/expr.h"

#include "registry/common/common_grow.h"
#include "registry/common/common_hash.h"
#include "registry/common/common_operation.h"
#include "rt/program/arithmetic.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

/* Bounds the memory and the time that a package can cost by naming one large expression in many places. */
#define NODE_LIMIT (UINT32_C(1) << 22)
#define MEMO_LEAST 64u /* places of an empty memo, a power of two */

/* ---- operations -------------------------------------------------------------------------------------------------- */

unsigned rt_operands(unsigned op)
{
	return common_operands(op);
}

int64_t rt_operation(uint32_t op, int64_t a, int64_t b, int64_t c, uint32_t *failed)
{
	return common_operation(op, a, b, c, failed);
}

/* ---- tables ---------------------------------------------------------------------------------------------------- */

ptowsp_status rt_exprs_init(struct rt_exprs *exprs, const struct rt_tables *tables, const uint8_t *changed, struct ptowsp_error *error)
{
	memset(exprs, 0, sizeof(*exprs));
	exprs->changed = changed;
	exprs->place = calloc((size_t)tables->expr.count + 1, sizeof(*exprs->place));
	exprs->work = calloc((size_t)tables->expr.count * 4 + 8, sizeof(*exprs->work));
	exprs->memo_mask = MEMO_LEAST - 1;
	exprs->memo = calloc(exprs->memo_mask + 1, sizeof(*exprs->memo));
	/* Never NULL, so that an empty run of reads is a pointer too. */
	return exprs->place && exprs->work && exprs->memo && COMMON_GROW(exprs->reads, exprs->read_room, 0) ? PTOWSP_OK : rt_no_memory(error, "expressions");
}

void rt_exprs_finish(struct rt_exprs *exprs)
{
	free(exprs->nodes);
	free(exprs->rows);
	free(exprs->reads);
	free(exprs->place);
	free(exprs->work);
	free(exprs->memo);
	memset(exprs, 0, sizeof(*exprs));
}

ptowsp_status rt_exprs_back(struct rt_exprs *exprs, const struct rt_exprs *before, struct ptowsp_error *error)
{
	exprs->node_count = before->node_count;
	exprs->count = before->count;
	exprs->read_count = before->read_count;
	if (exprs->memo_mask != MEMO_LEAST - 1 && !COMMON_RESIZE(exprs->memo, MEMO_LEAST))
		return rt_no_memory(error, "expressions");
	memset(exprs->memo, 0, MEMO_LEAST * sizeof(*exprs->memo));
	exprs->memo_mask = MEMO_LEAST - 1;
	exprs->memo_count = 0;
	return PTOWSP_OK;
}

/* The memo's place for key: its entry or a free one. */
static struct rt_expr_memo *memo_find(struct rt_expr_memo *memo, uint32_t mask, uint64_t key)
{
	uint32_t at = (uint32_t)common_hash(0, key) & mask;

	while (memo[at].id && memo[at].key != key)
		at = (at + 1) & mask;
	return &memo[at];
}

static ptowsp_status memo_add(struct rt_exprs *exprs, uint64_t key, uint32_t id, struct ptowsp_error *error)
{
	uint32_t mask = exprs->memo_mask * 2 + 1;
	struct rt_expr_memo *more;

	if (exprs->memo_count * 2 > exprs->memo_mask) {
		more = calloc((size_t)mask + 1, sizeof(*more));
		if (!more)
			return rt_no_memory(error, "expressions");
		for (uint32_t i = 0; i <= exprs->memo_mask; i++)
			if (exprs->memo[i].id)
				*memo_find(more, mask, exprs->memo[i].key) = exprs->memo[i];
		free(exprs->memo);
		exprs->memo = more;
		exprs->memo_mask = mask;
	}
	*memo_find(exprs->memo, exprs->memo_mask, key) = (struct rt_expr_memo){key, id + 1};
	exprs->memo_count++;
	return PTOWSP_OK;
}

/* ---- compiling ------------------------------------------------------------------------------------------------- */

static ptowsp_status node_add(struct rt_exprs *exprs, struct rt_node node, struct ptowsp_error *error)
{
	if (exprs->node_count >= NODE_LIMIT)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "the expressions of one entry have more than %u nodes", NODE_LIMIT);
	if (!COMMON_GROW(exprs->nodes, exprs->node_room, exprs->node_count))
		return rt_no_memory(error, "expressions");
	exprs->nodes[exprs->node_count++] = node;
	return PTOWSP_OK;
}

static ptowsp_status expr_add(struct rt_exprs *exprs, uint32_t first, uint32_t read, uint32_t *id_out, struct ptowsp_error *error)
{
	struct rt_expr *row;

	if (!COMMON_GROW(exprs->rows, exprs->room, exprs->count))
		return rt_no_memory(error, "expressions");
	row = &exprs->rows[exprs->count];
	row->first = first;
	row->count = exprs->node_count - first;
	row->read = read;
	row->read_count = exprs->read_count - read;
	if (row->count > exprs->longest)
		exprs->longest = row->count;
	*id_out = exprs->count++;
	return PTOWSP_OK;
}

static ptowsp_status read_add(struct rt_exprs *exprs, uint32_t first, uint32_t slot, struct ptowsp_error *error)
{
	for (uint32_t i = first; i < exprs->read_count; i++)
		if (exprs->reads[i] == slot)
			return PTOWSP_OK;
	if (!COMMON_GROW(exprs->reads, exprs->read_room, exprs->read_count))
		return rt_no_memory(error, "expressions");
	exprs->reads[exprs->read_count++] = slot;
	return PTOWSP_OK;
}

/* A leaf as seen from nest. */
static ptowsp_status leaf(struct rt_exprs *exprs, const struct rt_tables *tables, const struct ptowsp_expr_record *row, const struct rt_nest *nest,
			  bool lenient, uint32_t read, struct rt_node *node, struct ptowsp_error *error)
{
	switch (row->op) {
	case PTOWSP_EXPR_CONST: node->value = (int64_t)((uint64_t)row->c << 32 | row->b); return PTOWSP_OK;
	case PTOWSP_EXPR_LOOP:
		if (row->a < nest->depth)
			return PTOWSP_OK;
		if (!lenient)
			return rt_fail(error, PTOWSP_BAD_PACKAGE, "an expression reads loop %u of %u", row->a, nest->depth);
		node->op = PTOWSP_EXPR_CONST;
		return PTOWSP_OK;
	case PTOWSP_EXPR_VALUE:
		if (row->a >= tables->slot.count)
			return rt_fail(error, PTOWSP_BAD_PACKAGE, "an expression reads row %u of %u SLOT rows", row->a, tables->slot.count);
		return exprs->changed[row->a] ? read_add(exprs, read, row->a, error) : PTOWSP_OK;
	case PTOWSP_EXPR_AXIS:
		node->op = PTOWSP_EXPR_CONST;
		for (uint32_t d = 0; d < nest->depth; d++)
			if (!strcmp(rt_string(tables, nest->names[d]), rt_string(tables, row->a)))
				node->op = PTOWSP_EXPR_LOOP, node->a = d;
		return PTOWSP_OK;
	}
	return PTOWSP_OK; /* TASK, INSTANCE */
}

/* The row is a node of the expression being compiled; which one. */
static bool is_placed(const struct rt_exprs *exprs, uint32_t row)
{
	return exprs->place[row] > exprs->serial;
}

static uint32_t place_of(const struct rt_exprs *exprs, uint32_t row)
{
	return (uint32_t)(exprs->place[row] - exprs->serial - 1);
}

/* Adds the node of a row whose operands have their places. */
static ptowsp_status row_add(struct rt_exprs *exprs, const struct rt_tables *tables, uint32_t index, const struct rt_nest *nest, bool lenient, uint32_t first,
			     uint32_t read, struct ptowsp_error *error)
{
	const struct ptowsp_expr_record *row = &tables->expr.rows[index];
	struct rt_node node = {.op = row->op, .a = row->a};
	unsigned count = rt_operands(row->op);
	ptowsp_status status = PTOWSP_OK;

	if (count)
		node.value = (int64_t)index + 1;
	else
		status = leaf(exprs, tables, row, nest, lenient, read, &node, error);
	if (count > 0)
		node.a = place_of(exprs, row->a);
	if (count > 1)
		node.b = place_of(exprs, row->b);
	if (count > 2)
		node.c = place_of(exprs, row->c);
	if (!status)
		status = node_add(exprs, node, error);
	if (!status)
		exprs->place[index] = exprs->serial + exprs->node_count - first;
	return status;
}

/* Pushes the operands of a row that have no place yet; the count says how many. Operands are earlier rows, which ends it. */
static ptowsp_status operands_push(struct rt_exprs *exprs, const struct rt_tables *tables, uint32_t index, uint32_t *top, struct ptowsp_error *error)
{
	const struct ptowsp_expr_record *row = &tables->expr.rows[index];
	const uint32_t refs[3] = {row->a, row->b, row->c};
	unsigned count = rt_operands(row->op);

	if (count > 3)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "EXPR row %u has the unknown operation %u", index, row->op);
	for (unsigned k = 0; k < count; k++) {
		if (refs[k] >= index)
			return rt_fail(error, PTOWSP_BAD_PACKAGE, "EXPR row %u refers to row %u, which is not earlier", index, refs[k]);
		if (!is_placed(exprs, refs[k]))
			exprs->work[(*top)++] = refs[k];
	}
	return PTOWSP_OK;
}

/* Post-order over the part of the table below row, without recursion. The stack holds at most three operands per row on the way down, and
 * every way down is strictly decreasing; a row is dropped when it is met again with a place. */
static ptowsp_status walk(struct rt_exprs *exprs, const struct rt_tables *tables, uint32_t row, const struct rt_nest *nest, bool lenient, uint32_t first,
			  uint32_t read, struct ptowsp_error *error)
{
	uint32_t top = 0, before;
	ptowsp_status status = PTOWSP_OK;

	exprs->work[top++] = row;
	while (!status && top) {
		uint32_t index = exprs->work[top - 1];

		before = top;
		if (!is_placed(exprs, index))
			status = operands_push(exprs, tables, index, &top, error);
		if (status || top != before)
			continue;
		top--;
		if (!is_placed(exprs, index))
			status = row_add(exprs, tables, index, nest, lenient, first, read, error);
	}
	return status;
}

ptowsp_status rt_expr_compile(struct rt_exprs *exprs, const struct rt_tables *tables, uint32_t row, const struct rt_nest *nest, bool lenient, uint32_t *id_out,
			      struct ptowsp_error *error)
{
	uint64_t key = (uint64_t)row << 32 | (uint64_t)(nest->key + 1) << 1 | lenient;
	struct rt_expr_memo *memo;
	uint32_t first = exprs->node_count, read = exprs->read_count;
	ptowsp_status status;

	if (row >= tables->expr.count)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "there is no EXPR row %u, the table has %u", row, tables->expr.count);
	memo = memo_find(exprs->memo, exprs->memo_mask, key);
	if (memo->id) {
		*id_out = memo->id - 1;
		return PTOWSP_OK;
	}
	status = walk(exprs, tables, row, nest, lenient, first, read, error);
	exprs->serial += exprs->node_count - first;
	if (!status)
		status = expr_add(exprs, first, read, id_out, error);
	if (!status)
		status = memo_add(exprs, key, *id_out, error);
	return status;
}

static ptowsp_status leaf_add(struct rt_exprs *exprs, struct rt_node node, uint32_t *id_out, struct ptowsp_error *error)
{
	uint32_t first = exprs->node_count, read = exprs->read_count;
	ptowsp_status status = node.op == PTOWSP_EXPR_VALUE && exprs->changed[node.a] ? read_add(exprs, read, node.a, error) : PTOWSP_OK;

	if (!status)
		status = node_add(exprs, node, error);
	return status ? status : expr_add(exprs, first, read, id_out, error);
}

ptowsp_status rt_expr_constant(struct rt_exprs *exprs, int64_t value, uint32_t *id_out, struct ptowsp_error *error)
{
	return leaf_add(exprs, (struct rt_node){.op = PTOWSP_EXPR_CONST, .value = value}, id_out, error);
}

ptowsp_status rt_expr_loop(struct rt_exprs *exprs, uint32_t depth, uint32_t *id_out, struct ptowsp_error *error)
{
	return leaf_add(exprs, (struct rt_node){.op = PTOWSP_EXPR_LOOP, .a = depth}, id_out, error);
}

ptowsp_status rt_expr_slot(struct rt_exprs *exprs, uint32_t slot, uint32_t *id_out, struct ptowsp_error *error)
{
	return leaf_add(exprs, (struct rt_node){.op = PTOWSP_EXPR_VALUE, .a = slot}, id_out, error);
}

uint32_t rt_expr_source(const struct rt_exprs *exprs, uint32_t id)
{
	const struct rt_expr *expr = &exprs->rows[id];

	for (uint32_t i = 0; i < expr->count; i++)
		if (exprs->nodes[expr->first + i].op == PTOWSP_EXPR_VALUE)
			return exprs->nodes[expr->first + i].a;
	return PTOWSP_NONE;
}

uint64_t rt_expr_loops(const struct rt_exprs *exprs, uint32_t id, bool *loose_out)
{
	const struct rt_expr *expr = id == PTOWSP_NONE ? NULL : &exprs->rows[id];
	uint64_t loops = 0;

	*loose_out |= expr && expr->read_count;
	for (uint32_t i = 0; expr && i < expr->count; i++) {
		const struct rt_node *node = &exprs->nodes[expr->first + i];

		if (node->op == PTOWSP_EXPR_LOOP)
			loops |= UINT64_C(1) << node->a;
		*loose_out |= node->op == PTOWSP_EXPR_TASK;
	}
	return loops;
}

ptowsp_status rt_exprs_reads(struct rt_exprs *exprs, const uint32_t *ids, uint32_t count, uint32_t *read_out, uint32_t *read_count_out,
			     struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	*read_out = exprs->read_count;
	for (uint32_t i = 0; !status && i < count; i++) {
		const struct rt_expr *expr = ids[i] == PTOWSP_NONE ? NULL : &exprs->rows[ids[i]];

		for (uint32_t k = 0; !status && expr && k < expr->read_count; k++)
			status = read_add(exprs, *read_out, exprs->reads[expr->read + k], error);
	}
	*read_count_out = exprs->read_count - *read_out;
	return status;
}
