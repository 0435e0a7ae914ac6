/* SPDX-License-Identifier: MIT */
/* lang_graph_write.c - a program as a task graph binary, the instructions that TG_FUSE implies left out, and the directives of
 * its package. */
#include "format/graph/graph_builder.h"
#include "lang/graph/graph_lower.h"
#include "lang/graph/lang_graph.h"
#include "lang/lower/lang_lower.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An instruction, or the word that goes on with or ends a block of one. */
struct line {
	const struct lang_graph_inst *inst;
	uint8_t op;
};
struct graph_write {
	struct lang_unit *unit;
	struct lang_graph_program *program;
	struct ptowsp_build *build;
	struct build_graph *graph;
	struct line *lines; /* by place in program text */
	uint32_t *numbers;  /* room for the largest set */
	struct lang_graph_object **objects;
};

static unsigned end_of(unsigned op)
{
	return op == PTOWSP_TG_BEGIN   ? PTOWSP_TG_END
	       : op == PTOWSP_CF_IF    ? PTOWSP_CF_ENDIF
	       : op == PTOWSP_CF_LOOP  ? PTOWSP_CF_ENDLOOP
	       : op == PTOWSP_CF_WHILE ? PTOWSP_CF_ENDWHILE
				       : 0;
}

static void lines_fill(struct graph_write *w, const struct lang_graph_block *block)
{
	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		w->lines[inst->order] = (struct line){inst, inst->op};
		if (inst->has_else)
			w->lines[inst->else_order] = (struct line){inst, PTOWSP_CF_ELSE};
		if (end_of(inst->op))
			w->lines[inst->end_order] = (struct line){inst, (uint8_t)end_of(inst->op)};
		lines_fill(w, &inst->body);
		lines_fill(w, &inst->other);
	}
}

/* Postfix: the operands of a node directly before it. */
static uint32_t node_write(struct graph_write *w, struct lang_graph_scalar *scalar)
{
	struct pkg_graph_node node = {.op = scalar->op};

	switch (scalar->op) {
	case PTOWSP_EXPR_CONST: node.value = scalar->value; break;
	case PTOWSP_EXPR_VALUE:
	case PTOWSP_EXPR_AXIS: node.a = scalar->object->number; break;
	case PTOWSP_GRAPH_NODE_ELEMENT:
		node.dtype = scalar->dtype;
		node.a = node_write(w, scalar->a);
		node.b = scalar->object->number;
		break;
	default:
		node.a = scalar->a ? node_write(w, scalar->a) : 0;
		node.b = scalar->b ? node_write(w, scalar->b) : 0;
		node.c = scalar->c ? node_write(w, scalar->c) : 0;
	}
	*COMMON_PUSH(w->build->arena, w->graph->nodes, w->graph->node_count, w->graph->node_capacity) = node;
	scalar->row = w->graph->node_count - 1;
	return scalar->row;
}

static uint64_t set_write(struct graph_write *w, const struct lang_graph_arg *arg)
{
	for (uint32_t i = 0; i < arg->set_count; i++)
		w->numbers[i] = arg->set[i]->number;
	return build_graph_set_add(w->build, w->graph, w->numbers, arg->set_count);
}

static uint64_t value_of(struct graph_write *w, const struct pkg_graph_operand *operand, const struct lang_graph_arg *arg)
{
	int64_t value;

	switch ((enum pkg_graph_kind)operand->kind) {
	case PKG_GRAPH_NEW:
	case PKG_GRAPH_ID:
	case PKG_GRAPH_USE: return arg->object ? arg->object->number : 0;
	case PKG_GRAPH_SET: return set_write(w, arg);
	case PKG_GRAPH_SYMBOL: return build_string(w->build, arg->text);
	case PKG_GRAPH_SCALAR:
		if (!lang_graph_constant(arg->scalar, &value))
			return PTOWSP_GRAPH_DYNAMIC | node_write(w, arg->scalar);
		return (uint64_t)value;
	default: return arg->value;
	}
}

static void line_write(struct graph_write *w, const struct line *line)
{
	struct build_graph_inst inst = {.form = pkg_graph_form(line->op)};

	if (line->op == line->inst->op)
		for (uint32_t i = 0; i < inst.form->count; i++)
			inst.values[i] = value_of(w, &inst.form->operands[i], &line->inst->args[i]);
	else if (line->op == PTOWSP_TG_END)
		inst.values[0] = line->inst->args[0].object->number;
	*COMMON_PUSH(w->build->arena, w->graph->insts, w->graph->inst_count, w->graph->inst_capacity) = inst;
}

/* --- names --- */

static int by_number(const void *a, const void *b)
{
	const struct lang_graph_object *x = *(struct lang_graph_object *const *)a, *y = *(struct lang_graph_object *const *)b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* A number that stands for itself needs no name. */
static int is_named(const struct lang_graph_object *object)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", (unsigned)object->number);
	return !object->numeric || strcmp(object->name, text) != 0;
}

static void names_write(struct graph_write *w)
{
	const struct lang_graph_program *p = w->program;
	struct lang_graph_object **objects = w->objects;
	uint32_t count = 0;

	for (uint32_t i = 0; i < p->graph_count; i++)
		objects[count++] = &p->graphs[i]->object;
	for (uint32_t i = 0; i < p->kernel_count; i++)
		if (!p->kernels[i]->object.graph->fused[0])
			objects[count++] = &p->kernels[i]->object;
	for (uint32_t i = 0; i < p->tensor_count; i++)
		objects[count++] = &p->tensors[i]->object;
	for (uint32_t i = 0; i < p->object_count; i++)
		objects[count++] = p->objects[i];
	qsort(objects, count, sizeof(*objects), by_number);
	for (uint32_t i = 0; i < count; i++)
		if (is_named(objects[i]))
			build_graph_name_add(w->build, w->graph, objects[i]->kind, objects[i]->number, objects[i]->name);
}

static void room_take(struct graph_write *w)
{
	const struct lang_graph_program *p = w->program;
	size_t objects = (size_t)p->graph_count + p->kernel_count + p->tensor_count + p->object_count + 1;

	w->lines = common_alloc(&w->unit->arena, (p->inst_count + 1) * sizeof(*w->lines));
	w->numbers = common_alloc(&w->unit->arena, ((size_t)p->kernel_count + 1) * sizeof(*w->numbers));
	w->objects = common_alloc(&w->unit->arena, objects * sizeof(*w->objects));
}

void lang_graph_build(struct lang_lower *lower, struct lang_decl *decl)
{
	struct graph_write w = {.unit = lower->unit, .program = (struct lang_graph_program *)(void *)decl, .build = lower->build};

	w.graph = build_graph_add(lower->build, decl->name, w.program->device);
	room_take(&w);
	lines_fill(&w, &w.program->body);
	names_write(&w);
	for (uint32_t i = 0; i < w.program->inst_count; i++)
		if (w.lines[i].inst)
			line_write(&w, &w.lines[i]);
}

/* ---- directives that a package with graphs has unless its source says otherwise. ---- */

#define HEAP_STANDARD   (UINT64_C(64) << 20)
#define EXECUTORS_LIMIT 1024u

static bool has_directive(struct lang_lower *lower, unsigned directive)
{
	uint32_t count = pkg_writer_count(lower->writer, PTOWSP_SECTION_SCHD);

	for (uint32_t i = 0; i < count; i++) {
		const struct ptowsp_directive_record *row = pkg_writer_at(lower->writer, PTOWSP_SECTION_SCHD, i);

		if (row && row->directive == directive)
			return true;
	}
	return false;
}

static void directive_add(struct lang_lower *lower, unsigned directive, unsigned policy, uint64_t kind, int64_t argument)
{
	struct ptowsp_directive_record row = {.directive = (uint16_t)directive, .policy = (uint16_t)policy, .count = 1, .kinds = kind, .a0 = argument};

	if (!has_directive(lower, directive))
		pkg_writer_row(lower->writer, PTOWSP_SECTION_SCHD, &row, sizeof(row));
}

/* Code besides that of graphs: its times are not for a graph to change. */
static bool has_other_code(const struct lang_module *module)
{
	for (const struct lang_function *f = module->first; f; f = f->next)
		if (f->kind == LANG_ORCHESTRATION)
			return true;
	for (const struct lang_decl *decl = module->decls; decl; decl = decl->next)
		if (decl->kind != LANG_DECL_GRAPH && lang_decl_forms[decl->kind].code)
			return true;
	return false;
}

static uint64_t heap_of(const struct lang_graph_lowering *lowering)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < lowering->program->tensor_count; i++)
		if (lowering->program->tensors[i]->object.defined)
			bytes += (lowering->program->tensors[i]->size + 63) / 64 * 64;
	return bytes;
}

static uint32_t nodes_of(const struct lang_graph_lowering *lowering)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < lowering->launch_count; i++)
		count += lowering->launches[i].node_count;
	return count;
}

/* An executor for each kernel that may run beside the others, so that edges alone order them. */
void lang_graph_schedule(struct lang_lower *lower)
{
	uint64_t heap = 0, most;
	uint32_t nodes = 0, graphs = 0;

	for (const struct lang_decl *decl = lower->module->decls; decl; decl = decl->next) {
		const struct lang_graph_lowering *lowering;

		if (decl->kind != LANG_DECL_GRAPH)
			continue;
		lowering = ((const struct lang_graph_program *)decl)->lowering;
		most = heap_of(lowering);
		heap = most > heap ? most : heap;
		nodes = nodes_of(lowering) > nodes ? nodes_of(lowering) : nodes;
		graphs++;
	}
	if (!graphs)
		return;
	directive_add(lower, PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_HYBRID, PTOWSP_ARGUMENT_WORD, pkg_writer_string(lower->writer, "bytes_overlap"));
	if (heap > HEAP_STANDARD && heap <= INT64_MAX)
		directive_add(lower, PTOWSP_DIRECTIVE_HEAP, PTOWSP_HEAP_CAPACITY, PTOWSP_ARGUMENT_NUMBER, (int64_t)heap);
	if (nodes > 1 && !has_other_code(lower->module) && !has_directive(lower, PTOWSP_DIRECTIVE_SPATIAL_MAP))
		directive_add(lower, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_ROUND_ROBIN, PTOWSP_ARGUMENT_NUMBER,
			      nodes < EXECUTORS_LIMIT ? nodes : EXECUTORS_LIMIT);
}
