/* SPDX-License-Identifier: MIT */
/* graph_link.c - by kernel and by event: the instructions that order them, so that nobody searches a program for them. */
#include "lang/graph_lower.h"

void lang_graph_list_add(struct lang_arena *arena, struct lang_graph_list *list, struct lang_graph_inst *inst, struct lang_graph_depend *depend)
{
	struct lang_graph_link *link = lang_alloc(arena, sizeof(*link));

	*link = (struct lang_graph_link){NULL, inst, depend};
	if (list->last)
		list->last->next = link;
	else
		list->first = link;
	list->last = link;
}

static void block_link(struct lang_graph_lowering *lowering, const struct lang_graph_block *block)
{
	struct lang_arena *arena = &lowering->unit->arena;

	for (struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		if (inst->op == PTOWSP_SY_SIGNAL)
			lang_graph_list_add(arena, &lowering->signals[inst->args[0].object->index], inst, NULL);
		else if (inst->op == PTOWSP_SY_WAIT)
			lang_graph_list_add(arena, &lowering->links[inst->args[1].object->index].waits, inst, NULL);
		for (uint32_t i = 0; inst->op == PTOWSP_SY_BARRIER && i < inst->args[0].set_count; i++)
			lang_graph_list_add(arena, &lowering->links[inst->args[0].set[i]->index].sets, inst, NULL);
		block_link(lowering, &inst->body);
		block_link(lowering, &inst->other);
	}
}

static void depends_link(struct lang_graph_lowering *lowering, const struct lang_graph *graph)
{
	struct lang_arena *arena = &lowering->unit->arena;

	for (uint32_t i = 0; i < graph->depend_count; i++) {
		struct lang_graph_depend *depend = graph->depends[i];

		lang_graph_list_add(arena, &lowering->links[depend->src->object.index].from, NULL, depend);
		lang_graph_list_add(arena, &lowering->links[depend->dst->object.index].into, NULL, depend);
	}
}

void lang_graph_links_make(struct lang_graph_lowering *lowering)
{
	const struct lang_graph_program *program = lowering->program;
	struct lang_arena *arena = &lowering->unit->arena;

	lowering->links = lang_alloc(arena, ((size_t)program->kernel_count + 1) * sizeof(*lowering->links));
	lowering->signals = lang_alloc(arena, ((size_t)program->object_count + 1) * sizeof(*lowering->signals));
	block_link(lowering, &program->body);
	for (uint32_t g = 0; g < program->graph_count; g++) {
		/* What TG_FUSE made stands nowhere in the text. */
		if (program->graphs[g]->fused[0])
			block_link(lowering, &program->graphs[g]->own);
		depends_link(lowering, program->graphs[g]);
	}
}
