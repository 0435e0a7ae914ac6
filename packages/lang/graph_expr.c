/* SPDX-License-Identifier: MIT */
/* graph_expr.c - scalars of graph programs as expressions; what they load is loaded where they stand. */
#include "lang/graph_walk.h"

static uint32_t value_expr(struct lang_graph_walk *walk, const char *name)
{
	uint32_t row = lang_row_find(lang_rows_of(walk->lower, PTOWSP_SECTION_SLOT), name);

	if (row == PTOWSP_NONE)
		return lang_expr_const(&walk->lower->tables.exprs, 0);
	lang_value_use(walk->lower, row);
	return lang_expr_value(&walk->lower->tables.exprs, row);
}

/* Loads the element into its slot, here and now. */
static uint32_t element_load(struct lang_graph_walk *walk, const struct lang_graph_scalar *scalar)
{
	struct lang_exprs *exprs = &walk->lower->tables.exprs;
	const struct lang_graph_memory *memory = lang_graph_memory_of(walk, lang_graph_tensor(scalar->object));
	uint32_t size = pkg_dtype_bytes(scalar->dtype), index = lang_graph_expr(walk, scalar->a), slot = scalar->slot->made.row;
	struct ptowsp_region_record region = {.tensor = lang_graph_tensor_row(memory), .row = lang_expr_const(exprs, 0), .column = index, .unit = 1};

	if (memory->dtype != scalar->dtype) {
		region.column = lang_expr_binary(exprs, PTOWSP_EXPR_MUL, index, lang_expr_const(exprs, size));
		region.columns = size;
		region.view = scalar->dtype + 1u;
	}
	lang_graph_emit(walk, PTOWSP_OP_SLOT_LOAD, slot, lang_region_add(&walk->lower->tables, &region));
	return lang_expr_value(exprs, slot);
}

static uint32_t iterator_expr(struct lang_graph_walk *walk, const struct lang_graph_object *iterator)
{
	for (uint32_t i = walk->iterator_count; i-- > 0;)
		if (walk->iterators[i].object == iterator)
			return lang_expr_loop(&walk->lower->tables.exprs, walk->iterators[i].loop);
	return lang_expr_const(&walk->lower->tables.exprs, 0);
}

uint32_t lang_graph_expr(struct lang_graph_walk *walk, const struct lang_graph_scalar *scalar)
{
	struct lang_exprs *exprs = &walk->lower->tables.exprs;
	uint32_t a, b;

	switch (scalar->op) {
	case PTOWSP_EXPR_CONST: return lang_expr_const(exprs, (uint64_t)scalar->value);
	case PTOWSP_EXPR_VALUE: return value_expr(walk, scalar->object->name);
	case PTOWSP_EXPR_AXIS: return iterator_expr(walk, scalar->object);
	case PTOWSP_GRAPH_NODE_ELEMENT: return element_load(walk, scalar);
	case PTOWSP_GRAPH_NODE_ITERATION: return walk->iteration;
	default: break;
	}
	a = lang_graph_expr(walk, scalar->a);
	if (!scalar->b)
		return lang_expr_unary(exprs, scalar->op, a);
	b = lang_graph_expr(walk, scalar->b);
	return scalar->c ? lang_expr_ternary(exprs, scalar->op, a, b, lang_graph_expr(walk, scalar->c)) : lang_expr_binary(exprs, scalar->op, a, b);
}

uint32_t lang_graph_elements_expr(struct lang_graph_walk *walk, const struct lang_graph_scalar *bytes, const struct lang_graph_memory *memory)
{
	struct lang_exprs *exprs = &walk->lower->tables.exprs;
	uint32_t expr = lang_graph_expr(walk, bytes), size = pkg_dtype_bytes(memory->dtype);

	return size == 1 ? expr : lang_expr_binary(exprs, PTOWSP_EXPR_DIV, expr, lang_expr_const(exprs, size));
}
