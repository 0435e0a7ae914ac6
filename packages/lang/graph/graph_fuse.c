/* SPDX-License-Identifier: MIT */
/* graph_fuse.c - TG_FUSE: a graph of the kernels of two. The second one's kernels come behind those of the first; an edge leads from one to
 * the other where they share bytes that one of them may write, so that the fused graph computes what the two do one after the other. Two kernels that
 * do the same on tensors that nobody writes but they are one kernel. */
#include "lang/graph/lang_graph.h"
#include "ptowsp/task.h"

#include <stdbool.h>
#include <string.h>

/* A graph being made of two. */
struct fusion {
	struct lang_unit *unit;
	struct lang_graph_program *program;
	struct lang_graph *graph;
	struct lang_graph_kernel **copies; /* by kernel of the program so far: its copy */
	uint32_t first_count;              /* kernels that come from the first graph */
	struct lang_map names;             /* of its kernels */
	uint32_t number;                   /* the largest one of a kernel so far */
};

/* --- kernels that are the same --- */

static bool scalars_equal(const struct lang_graph_scalar *a, const struct lang_graph_scalar *b)
{
	int64_t x, y;

	return lang_graph_constant(a, &x) && lang_graph_constant(b, &y) && x == y;
}

static bool kernels_equal(const struct lang_graph_kernel *a, const struct lang_graph_kernel *b)
{
	if (strcmp(a->entry, b->entry) || a->blockdim != b->blockdim || a->core_type != b->core_type || a->workspace != b->workspace ||
	    a->bind_count != b->bind_count)
		return false;
	for (uint32_t i = 0; i < a->bind_count; i++) {
		const struct lang_graph_bind *x = a->binds[i], *y = b->binds[i];

		/* A kernel that reads its own result, or may, does not do the same twice. */
		if (x->arg != y->arg || x->tensor != y->tensor || !scalars_equal(x->offset, y->offset) || !scalars_equal(x->size, y->size) ||
		    (x->access != PTOWSP_READ && x->access != PTOWSP_WRITE))
			return false;
	}
	return true;
}

/* Somebody else may write what the kernel gets. */
static bool is_disturbed(const struct lang_graph *graph, const struct lang_graph_kernel *kernel)
{
	for (uint32_t k = 0; k < graph->kernel_count; k++)
		for (uint32_t i = 0; i < graph->kernels[k]->bind_count && graph->kernels[k] != kernel; i++)
			for (uint32_t j = 0; j < kernel->bind_count; j++)
				if (graph->kernels[k]->binds[i]->access != PTOWSP_READ && lang_graph_overlaps(graph->kernels[k]->binds[i], kernel->binds[j]))
					return true;
	return false;
}

static bool at_top(const struct lang_graph_kernel *kernel)
{
	return kernel->inst->parent && (kernel->inst->parent->op == PTOWSP_TG_BEGIN || kernel->inst->parent->op == PTOWSP_TG_FUSE);
}

/* The kernel of the first graph that does what this one of the second does. */
static struct lang_graph_kernel *same_find(const struct lang_graph *first, const struct lang_graph *second, const struct lang_graph_kernel *kernel)
{
	for (uint32_t i = 0; i < first->kernel_count && at_top(kernel); i++)
		if (at_top(first->kernels[i]) && kernels_equal(first->kernels[i], kernel) && !is_disturbed(first, first->kernels[i]) &&
		    !is_disturbed(second, kernel))
			return first->kernels[i];
	return NULL;
}

/* --- copies --- */

static struct lang_graph_kernel *kernel_copy(struct fusion *fusion, const struct lang_graph_kernel *kernel, const struct lang_graph *from)
{
	struct lang_graph_program *p = fusion->program;
	struct common_arena *arena = &fusion->unit->arena;
	struct lang_graph_kernel *copy = common_alloc(arena, sizeof(*copy));

	*copy = *kernel;
	copy->object.index = p->kernel_count;
	copy->object.number = ++fusion->number;
	copy->object.graph = fusion->graph;
	if (lang_map_find(&fusion->names, kernel->object.name))
		copy->object.name = common_format(arena, "%s.%s", from->object.name, kernel->object.name);
	if (!lang_map_find(&fusion->names, copy->object.name))
		lang_map_add(&fusion->names, arena, copy->object.name, copy);
	copy->node = fusion->graph->kernel_count;
	copy->binds = NULL;
	copy->bind_count = copy->bind_capacity = 0;
	for (uint32_t i = 0; i < kernel->bind_count; i++) {
		struct lang_graph_bind *bind = common_alloc(arena, sizeof(*bind));

		*bind = *kernel->binds[i];
		bind->kernel = copy;
		*COMMON_PUSH(arena, copy->binds, copy->bind_count, copy->bind_capacity) = bind;
	}
	*COMMON_PUSH(arena, p->kernels, p->kernel_count, p->kernel_capacity) = copy;
	*COMMON_PUSH(arena, fusion->graph->kernels, fusion->graph->kernel_count, fusion->graph->kernel_capacity) = copy;
	return copy;
}

static void operands_copy(struct fusion *fusion, struct lang_graph_inst *inst)
{
	struct lang_graph_arg *args = inst->arg_count ? common_alloc(&fusion->unit->arena, inst->arg_count * sizeof(*args)) : NULL;

	for (uint32_t i = 0; i < inst->arg_count; i++) {
		struct lang_graph_arg *arg = &args[i];
		struct lang_graph_object **set;

		*arg = inst->args[i];
		if (arg->object && arg->object->kind == PTOWSP_GRAPH_KERNEL)
			arg->object = &fusion->copies[arg->object->index]->object;
		if (!arg->set_count)
			continue;
		set = common_alloc(&fusion->unit->arena, arg->set_count * sizeof(*set));
		for (uint32_t k = 0; k < arg->set_count; k++)
			set[k] = &fusion->copies[arg->set[k]->index]->object;
		arg->set = set;
	}
	inst->args = args;
}

/* The instructions of a block, with the copies for the kernels; TG_KERNEL of a kernel that is there already is left out. */
static void block_copy(struct fusion *fusion, const struct lang_graph_block *from, struct lang_graph_block *to, struct lang_graph_inst *parent)
{
	for (const struct lang_graph_inst *inst = from->first; inst; inst = inst->next) {
		struct lang_graph_inst *copy;

		if (inst->op == PTOWSP_TG_KERNEL && fusion->copies[inst->args[0].object->index]->inst != inst)
			continue;
		copy = common_alloc(&fusion->unit->arena, sizeof(*copy));
		*copy = *inst;
		copy->next = NULL;
		copy->parent = parent;
		copy->graph = fusion->graph;
		copy->body = copy->other = (struct lang_graph_block){0};
		copy->body.last = &copy->body.first;
		copy->other.last = &copy->other.first;
		operands_copy(fusion, copy);
		if (inst->op == PTOWSP_TG_KERNEL)
			lang_graph_kernel(copy->args[0].object)->inst = copy;
		*to->last = copy;
		to->last = &copy->next;
		block_copy(fusion, &inst->body, &copy->body, copy);
		block_copy(fusion, &inst->other, &copy->other, copy);
	}
}

static void depend_add(struct fusion *fusion, struct lang_graph_kernel *src, struct lang_graph_kernel *dst, uint32_t type, struct lang_graph_tensor *tensor,
		       struct lang_graph_inst *inst)
{
	struct lang_graph_depend *d = common_alloc(&fusion->unit->arena, sizeof(*d));

	*d = (struct lang_graph_depend){inst, src, dst, type, tensor};
	*COMMON_PUSH(&fusion->unit->arena, fusion->graph->depends, fusion->graph->depend_count, fusion->graph->depend_capacity) = d;
}

static void graph_copy(struct fusion *fusion, const struct lang_graph *from, const struct lang_graph *first, struct lang_graph_inst *inst)
{
	for (uint32_t i = 0; i < from->kernel_count; i++) {
		struct lang_graph_kernel *same = first ? same_find(first, from, from->kernels[i]) : NULL;

		fusion->copies[from->kernels[i]->object.index] = same ? fusion->copies[same->object.index] : kernel_copy(fusion, from->kernels[i], from);
	}
	block_copy(fusion, from->body, fusion->graph->body, inst);
	for (uint32_t i = 0; i < from->depend_count; i++) {
		const struct lang_graph_depend *d = from->depends[i];
		struct lang_graph_kernel *src = fusion->copies[d->src->object.index], *dst = fusion->copies[d->dst->object.index];

		if (src != dst)
			depend_add(fusion, src, dst, d->type, d->tensor, d->inst);
	}
}

/* --- edges between the two --- */

/* The bytes that a writes and b reads come along; other conflicts need nothing but the order. */
static void pair_join(struct fusion *fusion, struct lang_graph_kernel *a, struct lang_graph_kernel *b, struct lang_graph_inst *inst)
{
	struct lang_graph_tensor *data = NULL;
	int ordered = 0;

	for (uint32_t i = 0; i < a->bind_count; i++)
		for (uint32_t k = 0; k < b->bind_count && !data; k++) {
			const struct lang_graph_bind *x = a->binds[i], *y = b->binds[k];

			if ((x->access == PTOWSP_READ && y->access == PTOWSP_READ) || !lang_graph_overlaps(x, y))
				continue;
			ordered = 1;
			if (x->access != PTOWSP_READ && y->access != PTOWSP_WRITE)
				data = x->tensor;
		}
	if (ordered)
		depend_add(fusion, a, b, data ? PTOWSP_dep_type_DATA : PTOWSP_dep_type_AFTER, data, inst);
}

static void fuse(struct lang_unit *unit, struct lang_graph_program *program, struct lang_graph_inst *inst)
{
	struct lang_graph *a = lang_graph_of(inst->args[0].object), *b = lang_graph_of(inst->args[1].object);
	struct fusion fusion = {.unit = unit, .program = program, .graph = lang_graph_of(inst->args[2].object)};

	fusion.graph->fused[0] = a;
	fusion.graph->fused[1] = b;
	if (a == b) {
		lang_error(unit, inst->args[1].at, "graph %s is fused with itself", a->object.name);
		return;
	}
	if ((uint64_t)a->kernel_count * b->kernel_count > LANG_GRAPH_FUSE_LIMIT) {
		lang_error(unit, inst->at, "graphs of %u and %u kernels are too large to be fused", a->kernel_count, b->kernel_count);
		return;
	}
	for (uint32_t i = 0; i < program->kernel_count; i++)
		if (program->kernels[i]->object.number > fusion.number)
			fusion.number = program->kernels[i]->object.number;
	fusion.graph->closed = 1;
	fusion.copies = common_alloc(&unit->arena, ((size_t)program->kernel_count + 1) * sizeof(*fusion.copies));
	graph_copy(&fusion, a, NULL, inst);
	fusion.first_count = fusion.graph->kernel_count;
	graph_copy(&fusion, b, a, inst);
	for (uint32_t i = 0; i < fusion.first_count; i++)
		for (uint32_t k = fusion.first_count; k < fusion.graph->kernel_count; k++)
			pair_join(&fusion, fusion.graph->kernels[i], fusion.graph->kernels[k], inst);
}

static void block_fuse(struct lang_unit *unit, struct lang_graph_program *program, const struct lang_graph_block *block)
{
	for (struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		if (inst->op == PTOWSP_TG_FUSE)
			fuse(unit, program, inst);
		else if (inst->op != PTOWSP_TG_BEGIN) {
			block_fuse(unit, program, &inst->body);
			block_fuse(unit, program, &inst->other);
		}
	}
}

void lang_graph_fuse(struct lang_unit *unit, struct lang_graph_program *program)
{
	block_fuse(unit, program, &program->body);
}
