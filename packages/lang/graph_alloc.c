/* SPDX-License-Identifier: MIT */
/* graph_alloc.c - where the code of a graph program takes and frees its tensors. */
#include "lang/graph_walk.h"

static void alloc_emit(struct lang_graph_walk *walk, const struct lang_graph_memory *memory)
{
	lang_graph_emit(walk, PTOWSP_OP_ALLOC, 0, lang_graph_tensor_row(memory));
}

/* A tensor of the block, at its first use: taken. */
static void memory_want(struct lang_graph_walk *walk, const struct lang_graph_block *home, const struct lang_graph_object *tensor)
{
	struct lang_graph_memory *memory = &walk->lowering->memories[tensor->index];

	if (memory->home != home || memory->there)
		return;
	memory->there = 1;
	walk->at = tensor->inst->at;
	alloc_emit(walk, memory);
}

static void scalar_wants(struct lang_graph_walk *walk, const struct lang_graph_block *home, const struct lang_graph_scalar *scalar)
{
	if (!scalar)
		return;
	if (scalar->op == PTOWSP_GRAPH_NODE_ELEMENT)
		memory_want(walk, home, scalar->object);
	scalar_wants(walk, home, scalar->a);
	scalar_wants(walk, home, scalar->b);
	scalar_wants(walk, home, scalar->c);
}

static void kernel_wants(struct lang_graph_walk *walk, const struct lang_graph_block *home, const struct lang_graph_kernel *kernel)
{
	for (uint32_t i = 0; i < kernel->bind_count; i++) {
		memory_want(walk, home, &kernel->binds[i]->tensor->object);
		scalar_wants(walk, home, kernel->binds[i]->offset);
		scalar_wants(walk, home, kernel->binds[i]->size);
	}
}

void lang_graph_wants_emit(struct lang_graph_walk *walk, const struct lang_graph_block *home, const struct lang_graph_inst *inst)
{
	const struct lang_graph_block *blocks[] = {&inst->body, &inst->other};

	for (unsigned i = 0; i < inst->arg_count; i++)
		scalar_wants(walk, home, inst->args[i].scalar);
	if (inst->op == PTOWSP_TG_KERNEL)
		kernel_wants(walk, home, lang_graph_kernel(inst->args[0].object));
	else if (inst->op == PTOWSP_MC_ALLOC)
		memory_want(walk, home, inst->args[0].object);
	else if (inst->op == PTOWSP_MC_COPY)
		for (unsigned i = 0; i < 2; i++)
			memory_want(walk, home, inst->args[i].object);
	else if (inst->op == PTOWSP_TG_LAUNCH || inst->op == PTOWSP_TG_INVOKE)
		blocks[0] = lang_graph_of(inst->args[0].object)->body;
	for (unsigned i = 0; i < 2 && inst->op != PTOWSP_TG_BEGIN; i++)
		for (const struct lang_graph_inst *inner = blocks[i]->first; inner; inner = inner->next)
			lang_graph_wants_emit(walk, home, inner);
}

uint32_t lang_graph_homes_find(struct lang_graph_walk *walk, const struct lang_graph_block *block)
{
	uint32_t count = 0;

	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next)
		if (inst->op == PTOWSP_MC_ALLOC && walk->lowering->memories[inst->args[0].object->index].freed_inside) {
			walk->lowering->memories[inst->args[0].object->index].home = block;
			count++;
		}
	return count;
}

void lang_graph_free_emit(struct lang_graph_walk *walk, const struct lang_graph_inst *inst)
{
	struct lang_graph_memory *memory = lang_graph_memory_of(walk, lang_graph_tensor(inst->args[0].object));

	memory->there = 0;
	lang_graph_emit_at(walk, PTOWSP_OP_FREE, 0, lang_graph_tensor_row(memory));
}

void lang_graph_allocs_emit(struct lang_graph_walk *walk)
{
	const struct lang_graph_program *program = walk->lowering->program;

	for (uint32_t i = 0; i < program->tensor_count; i++)
		if (program->tensors[i]->object.defined && !walk->lowering->memories[i].freed_inside)
			alloc_emit(walk, &walk->lowering->memories[i]);
}
