/* SPDX-License-Identifier: MIT */
/* builder_graph.c - the instruction form: graphs as they stand in section GRPH. Code of entries is what runs. */
#include "lang/builder/build.h"

#include "format/format_names.h"
#include "format/graph/graph_schema.h"

#include <stdlib.h>
#include <string.h>

static struct build_graph *graph_of(struct ptowsp_build *b)
{
	if (!b->graph_open)
		build_refuse(b, "this stands between ptowsp_build_graph and ptowsp_build_graph_end");
	return &b->graphs[b->graph_count - 1];
}

struct build_graph *build_graph_add(struct ptowsp_build *b, const char *name, uint32_t device)
{
	struct build_graph graph = {.name = build_string(b, name), .device = device};

	*BUILD_PUSH(b, graphs, graph) = graph;
	return &b->graphs[b->graph_count - 1];
}

void build_graph_name_add(struct ptowsp_build *b, struct build_graph *g, uint32_t object, uint32_t number, const char *name)
{
	struct pkg_graph_name row = {object, number, build_string(b, name)};

	*COMMON_PUSH(b->arena, g->names, g->name_count, g->name_capacity) = row;
}

uint32_t build_graph_set_add(struct ptowsp_build *b, struct build_graph *g, const uint32_t *numbers, uint32_t count)
{
	uint32_t row = g->set_count;

	*COMMON_PUSH(b->arena, g->sets, g->set_count, g->set_capacity) = count;
	for (uint32_t i = 0; i < count; i++)
		*COMMON_PUSH(b->arena, g->sets, g->set_count, g->set_capacity) = numbers[i];
	return row;
}

uint32_t ptowsp_build_graph(struct ptowsp_build *b, const char *name, uint32_t device)
{
	BUILD_CALL(b);
	if (b->graph_open)
		build_refuse(b, "graph %.80s is still open", build_text(b, b->graphs[b->graph_count - 1].name));
	build_graph_add(b, name, device);
	b->graph_open = 1;
	return BUILD_DONE;
}

uint32_t ptowsp_build_graph_name(struct ptowsp_build *b, const char *object, uint32_t number, const char *name)
{
	BUILD_CALL(b);
	struct build_graph *g = graph_of(b);
	uint32_t kind = 0;

	while (object && pkg_graph_object_text(kind) && strcmp(pkg_graph_object_text(kind), object) != 0)
		kind++;
	if (!object || !pkg_graph_object_text(kind))
		build_refuse(b, "\"%.40s\" is no object of a graph: graph, kernel, tensor, stream, event, ... as in graph_objects.def", object ? object : "");
	build_graph_name_add(b, g, kind, number, name);
	return BUILD_DONE;
}

/* ---- instructions ------------------------------------------------------------------------------------------------------------------ */

/* The instruction whose operands are being stated, and that operand. */
static const struct pkg_graph_operand *operand_next(struct ptowsp_build *b, struct build_graph_inst **inst_out)
{
	struct build_graph *g = graph_of(b);
	struct build_graph_inst *inst = g->inst_count ? &g->insts[g->inst_count - 1] : NULL;

	if (!inst)
		build_refuse(b, "an operand stands behind its instruction: ptowsp_build_graph_op");
	if (inst->count == inst->form->count)
		build_refuse(b, "%s has %u operands, and they are there", inst->form->name, inst->form->count);
	*inst_out = inst;
	return &inst->form->operands[inst->count];
}

static uint32_t operand_set(struct ptowsp_build *b, uint64_t value)
{
	struct build_graph_inst *inst;

	operand_next(b, &inst);
	inst->values[inst->count++] = value;
	return BUILD_DONE;
}

/* Operands that are not stated have their defaults. */
static void inst_close(struct ptowsp_build *b)
{
	struct build_graph *g = graph_of(b);
	struct build_graph_inst *inst = g->inst_count ? &g->insts[g->inst_count - 1] : NULL;

	if (g->depth)
		build_refuse(b, "%u node%s of no scalar: ptowsp_build_graph_scalar", g->depth, g->depth == 1 ? " is" : "s are");
	for (; inst && inst->count < inst->form->count; inst->count++) {
		const struct pkg_graph_operand *operand = &inst->form->operands[inst->count];
		uint32_t code;

		if (!*operand->value)
			build_refuse(b, "%s in front lacks its %s", inst->form->name, operand->name);
		if (operand->kind == PKG_GRAPH_ENUM && pkg_word_find((enum pkg_words)operand->argument, operand->value, &code))
			inst->values[inst->count] = code;
		else
			inst->values[inst->count] = strtoull(operand->value, NULL, 0);
	}
}

uint32_t ptowsp_build_graph_op(struct ptowsp_build *b, const char *op)
{
	BUILD_CALL(b);
	struct build_graph *g = graph_of(b);
	struct build_graph_inst inst = {.form = op ? pkg_graph_form_find(op) : NULL};

	inst_close(b);
	if (!inst.form)
		build_refuse(b, "\"%.40s\" is no instruction of a graph (graph_ops.def)", op ? op : "");
	*COMMON_PUSH(b->arena, g->insts, g->inst_count, g->inst_capacity) = inst;
	return BUILD_DONE;
}

uint32_t ptowsp_build_graph_number(struct ptowsp_build *b, uint64_t value)
{
	BUILD_CALL(b);
	struct build_graph_inst *inst;
	const struct pkg_graph_operand *operand = operand_next(b, &inst);

	if (operand->kind == PKG_GRAPH_SET || operand->kind == PKG_GRAPH_SYMBOL)
		build_refuse(b, "%s of %s is no number", operand->name, inst->form->name);
	if ((operand->bytes == 4 && value > UINT32_MAX) || (operand->kind == PKG_GRAPH_SCALAR && value & PTOWSP_GRAPH_DYNAMIC))
		build_refuse(b, "%s of %s: %llu is too large", operand->name, inst->form->name, (unsigned long long)value);
	return operand_set(b, value);
}

uint32_t ptowsp_build_graph_word(struct ptowsp_build *b, const char *word)
{
	BUILD_CALL(b);
	struct build_graph_inst *inst;
	const struct pkg_graph_operand *operand = operand_next(b, &inst);

	if (operand->kind == PKG_GRAPH_SYMBOL)
		return operand_set(b, build_string(b, word));
	if (operand->kind != PKG_GRAPH_ENUM)
		build_refuse(b, "%s of %s is no word", operand->name, inst->form->name);
	return operand_set(b, build_word(b, (uint32_t)operand->argument, word));
}

uint32_t ptowsp_build_graph_set(struct ptowsp_build *b, const uint32_t *numbers, uint32_t count)
{
	BUILD_CALL(b);
	struct build_graph *g = graph_of(b);
	struct build_graph_inst *inst;
	const struct pkg_graph_operand *operand = operand_next(b, &inst);

	if (operand->kind != PKG_GRAPH_SET)
		build_refuse(b, "%s of %s is no set", operand->name, inst->form->name);
	if (count && !numbers)
		build_refuse(b, "the numbers are missing (NULL)");
	return operand_set(b, build_graph_set_add(b, g, numbers, count));
}

/* ---- scalars ----------------------------------------------------------------------------------------------------------------------- */

/* Postfix: the operands of a node stand directly before it. */
static uint32_t node_add(struct ptowsp_build *b, struct pkg_graph_node node)
{
	struct build_graph *g = graph_of(b);
	uint32_t operands[3] = {0}, count = pkg_graph_node_operands(node.op);

	if (g->depth < count)
		build_refuse(b, "the node has %u operands, %u stand before it", count, g->depth);
	if (g->depth - count >= sizeof(g->stack) / sizeof(*g->stack))
		build_refuse(b, "%u nodes wait for the operation that takes them, more are not possible", g->depth);
	for (uint32_t i = count; i > 0; i--)
		operands[i - 1] = g->stack[--g->depth];
	if (count) {
		node.a = operands[0];
		node.b = node.op == PTOWSP_GRAPH_NODE_ELEMENT ? node.b : operands[1];
		node.c = operands[2];
	}
	*COMMON_PUSH(b->arena, g->nodes, g->node_count, g->node_capacity) = node;
	g->stack[g->depth++] = g->node_count - 1;
	return BUILD_DONE;
}

uint32_t ptowsp_build_graph_node(struct ptowsp_build *b, const char *op, int64_t value)
{
	BUILD_CALL(b);
	struct pkg_graph_node node = {0};
	uint32_t code;

	if (op && !strcmp(op, "iteration"))
		node.op = PTOWSP_GRAPH_NODE_ITERATION;
	else if (op && pkg_word_find(PKG_WORDS_expr_op, op, &code) && pkg_graph_node_is_known(code))
		node.op = (uint16_t)code;
	else
		build_refuse(b, "\"%.40s\" is no node of a scalar of a graph", op ? op : "");
	if (node.op == PTOWSP_EXPR_CONST)
		node.value = value;
	else if (node.op == PTOWSP_EXPR_VALUE || node.op == PTOWSP_EXPR_AXIS)
		node.a = (uint32_t)value;
	return node_add(b, node);
}

uint32_t ptowsp_build_graph_element(struct ptowsp_build *b, uint32_t tensor, const char *dtype)
{
	BUILD_CALL(b);
	return node_add(b, (struct pkg_graph_node){.op = PTOWSP_GRAPH_NODE_ELEMENT, .dtype = (uint16_t)build_word(b, PKG_WORDS_dtype, dtype), .b = tensor});
}

uint32_t ptowsp_build_graph_scalar(struct ptowsp_build *b)
{
	BUILD_CALL(b);
	struct build_graph *g = graph_of(b);
	struct build_graph_inst *inst;
	const struct pkg_graph_operand *operand = operand_next(b, &inst);

	if (operand->kind != PKG_GRAPH_SCALAR)
		build_refuse(b, "%s of %s is no scalar", operand->name, inst->form->name);
	if (g->depth != 1)
		build_refuse(b, "a scalar is one node with its operands, here are %u nodes", g->depth);
	g->depth = 0;
	return operand_set(b, PTOWSP_GRAPH_DYNAMIC | g->stack[0]);
}

uint32_t ptowsp_build_graph_end(struct ptowsp_build *b)
{
	BUILD_CALL(b);
	struct build_graph *g = graph_of(b);

	inst_close(b);
	if (g->name_count)
		qsort(g->names, g->name_count, sizeof(*g->names), pkg_graph_name_compare);
	for (uint32_t i = 1; i < g->name_count; i++)
		if (!pkg_graph_name_compare(&g->names[i - 1], &g->names[i]))
			build_refuse(b, "%s %u has two names, %.40s and %.40s", pkg_graph_object_text(g->names[i].object), g->names[i].number,
				     build_text(b, g->names[i - 1].text), build_text(b, g->names[i].text));
	b->graph_open = 0;
	return BUILD_DONE;
}
