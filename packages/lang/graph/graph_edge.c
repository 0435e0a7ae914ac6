/* SPDX-License-Identifier: MIT */
/* graph_edge.c - what orders each kernel of a graph: the AFTER words behind its task, barriers, events, and the launches
 * that its launch waits for. */
#include "lang/graph/graph_lower.h"

#include <stdbool.h>
#include <string.h>

/* Nodes that a task waits for, each once; the strongest kind is kept. */
struct edges {
	struct lang_graph_walk *walk;
	uint32_t count, stamp;
};

static struct edges edges_begin(struct lang_graph_walk *walk)
{
	return (struct edges){.walk = walk, .stamp = ++walk->stamp};
}

static void edge_add(struct edges *edges, struct lang_graph_node *node, uint32_t kind)
{
	struct lang_graph_walk *walk = edges->walk;

	if (!node || !node->issued)
		return;
	if (node->stamp == edges->stamp) {
		if (walk->waits[node->place].kind == PTOWSP_AFTER_SOFT)
			walk->waits[node->place].kind = kind;
		return;
	}
	node->stamp = edges->stamp;
	node->place = edges->count;
	*COMMON_PUSH(&walk->lower->unit->arena, walk->waits, edges->count, walk->wait_capacity) = (struct lang_graph_wait){node, kind};
}

static uint32_t kind_of(unsigned dep_type)
{
	switch (dep_type) {
	case PTOWSP_dep_type_DATA: return PTOWSP_AFTER_DATA;
	case PTOWSP_dep_type_BARRIER: return PTOWSP_AFTER_BARRIER;
	case PTOWSP_dep_type_SOFT: return PTOWSP_AFTER_SOFT;
	default: return PTOWSP_AFTER_TASK;
	}
}

/* --- events --- */

/* Edges of this launch, and of all those before: each is over, or an edge to it is right. */
static void event_edges(struct edges *edges, const struct lang_graph_object *event)
{
	struct lang_graph_lowering *lowering = edges->walk->lowering;

	for (const struct lang_graph_link *link = lowering->signals[event->index].first; link; link = link->next) {
		const struct lang_graph_kernel *kernel = lang_graph_kernel(link->inst->args[1].object);

		for (uint32_t i = 0; i < kernel->object.graph->launch_count; i++)
			edge_add(edges, lang_graph_node_of(&lowering->launches[kernel->object.graph->launches[i]], kernel), PTOWSP_AFTER_TASK);
	}
}

/* An event that all its signals may have left out: the run ends there with a report, instead of going on as if it had come. */
static void event_guard(struct lang_graph_walk *walk, const struct lang_graph_object *object)
{
	struct lang_exprs *exprs = &walk->lower->tables->exprs;
	struct edges signals = edges_begin(walk);
	struct lang_graph_event *event = &walk->lowering->events[object->index];
	uint32_t none = lang_expr_const(exprs, 1), head, zero = lang_expr_const(exprs, 0);

	event_edges(&signals, object);
	for (uint32_t i = 0; i < signals.count; i++) {
		if (!walk->waits[i].node->conditional)
			return;
		none = lang_expr_binary(exprs, PTOWSP_EXPR_LAND, none,
					lang_expr_binary(exprs, PTOWSP_EXPR_LT, lang_expr_value(exprs, walk->waits[i].node->slot.row), zero));
	}
	event->needed = 1;
	lang_graph_nest(walk);
	head = lang_word_add(walk->lower, PTOWSP_OP_COND, 0, none, walk->at);
	lang_word_add(walk->lower, PTOWSP_OP_TARGET, 0, head + 4, walk->at);
	lang_word_add(walk->lower, PTOWSP_OP_TARGET, 0, head + 4, walk->at);
	lang_word_add_at(walk->lower, PTOWSP_OP_WAIT, 0, event->made.row, walk->at);
	walk->depth--;
}

void lang_graph_events_wait(struct lang_graph_walk *walk, const struct lang_graph_kernel *kernel)
{
	const struct lang_graph_links *links = &walk->lowering->links[kernel->object.index];

	for (const struct lang_graph_link *link = links->waits.first; link; link = link->next)
		event_guard(walk, link->inst->args[0].object);
}

void lang_graph_events_end(struct lang_graph_walk *walk)
{
	uint32_t head, zero = lang_expr_const(&walk->lower->tables->exprs, 0);

	for (uint32_t i = 0; i < walk->lowering->program->object_count; i++) {
		if (!walk->lowering->events[i].needed)
			continue;
		head = lang_word_add(walk->lower, PTOWSP_OP_COND, 0, zero, walk->at);
		lang_word_add(walk->lower, PTOWSP_OP_TARGET, 0, head + 4, walk->at);
		lang_word_add(walk->lower, PTOWSP_OP_TARGET, 0, head + 4, walk->at);
		lang_word_add(walk->lower, PTOWSP_OP_SIGNAL, 0, walk->lowering->events[i].made.row, walk->at);
	}
}

/* --- edges of the graph --- */

static void depend_edges(struct edges *edges, const struct lang_graph_kernel *kernel)
{
	struct lang_graph_walk *walk = edges->walk;
	const struct lang_graph_links *links = &walk->lowering->links[kernel->object.index];

	for (const struct lang_graph_link *link = links->into.first; link; link = link->next)
		edge_add(edges, lang_graph_node_of(walk->launch, link->depend->src), kind_of(link->depend->type));
	for (const struct lang_graph_link *link = links->waits.first; link; link = link->next)
		event_edges(edges, link->inst->args[0].object);
}

/* SY_BARRIER: what one kernel of the set waits for, all of them do. */
static void set_edges(struct edges *edges, const struct lang_graph_kernel *kernel)
{
	const struct lang_graph_links *links = &edges->walk->lowering->links[kernel->object.index];

	for (const struct lang_graph_link *link = links->sets.first; link; link = link->next)
		for (uint32_t i = 0; i < link->inst->args[0].set_count; i++)
			depend_edges(edges, lang_graph_kernel(link->inst->args[0].set[i]));
}

static bool is_barrier(const struct lang_graph_links *links)
{
	for (const struct lang_graph_link *link = links->into.first; link; link = link->next)
		if (link->depend->type == PTOWSP_dep_type_BARRIER)
			return true;
	return false;
}

/* Is a barrier of the whole run the same as one of this launch? Where there is no control flow, and every other launch is wholly before this one or
 * wholly behind it: the first kernels of the one wait for the last ones of the other then. */
static int is_alone(const struct lang_graph_walk *walk)
{
	const struct lang_graph_lowering *lowering = walk->lowering;
	uint32_t own = (uint32_t)(walk->launch - lowering->launches);
	int alone = !lowering->dynamic && !walk->branches && !walk->loops;

	for (uint32_t i = 0; i < lowering->launch_count && alone; i++)
		alone = i == own || lang_graph_launch_behind(lowering, own, i) || lang_graph_launch_behind(lowering, i, own);
	return alone;
}

void lang_graph_barrier_emit(struct lang_graph_walk *walk, const struct lang_graph_kernel *kernel)
{
	if (!walk->open_count || !is_barrier(&walk->lowering->links[kernel->object.index]) || !is_alone(walk))
		return;
	lang_word_add_at(walk->lower, PTOWSP_OP_BARRIER, 0, 0, walk->at);
	walk->open_count = 0;
}

/* TG_DEPEND of kind BARRIER: all that were issued before come before all that follow. It is enough to wait for those that nobody else of them waits
 * for, as long as the one that waits always runs. */
static void barrier_raise(struct lang_graph_walk *walk, const struct lang_graph_kernel *kernel)
{
	uint32_t kept = 0;

	if (!is_barrier(&walk->lowering->links[kernel->object.index]) || is_alone(walk)) /* an instruction has said it */
		return;
	for (uint32_t i = 0; i < walk->open_count; i++)
		if (!walk->open[i]->covered)
			walk->open[kept++] = walk->open[i];
	walk->open_count = kept;
	walk->barrier_count = 0;
	for (uint32_t i = 0; i < kept; i++)
		*COMMON_PUSH(&walk->lower->unit->arena, walk->barrier, walk->barrier_count, walk->barrier_capacity) = walk->open[i];
}

/* --- launches --- */

/* The first kernels of a graph without control flow wait for the last ones; else any of them may be the first or the last that runs. */
static void launch_edges(struct edges *edges, const struct lang_graph_node *node)
{
	struct lang_graph_lowering *lowering = edges->walk->lowering;
	const struct lang_graph_launch *launch = edges->walk->launch;

	if (!launch->branches && !node->source)
		return;
	for (uint32_t i = 0; i < launch->direct_count; i++) {
		struct lang_graph_launch *before = &lowering->launches[launch->direct[i]];

		for (uint32_t n = 0; n < before->node_count; n++)
			if (before->branches || before->nodes[n].sink)
				edge_add(edges, &before->nodes[n], PTOWSP_AFTER_TASK);
	}
}

/* A task of the same launch that waits for another one hides it from full barriers. */
static void cover(const struct lang_graph_walk *walk, struct lang_graph_node *node, uint32_t kind)
{
	const struct lang_graph_launch *launch = walk->launch;

	if (!walk->branches && kind != PTOWSP_AFTER_SOFT && node >= launch->nodes && node < launch->nodes + launch->node_count)
		node->covered = 1;
}

void lang_graph_edges_emit(struct lang_graph_walk *walk, struct lang_graph_node *node, const struct lang_graph_kernel *kernel)
{
	struct lang_exprs *exprs = &walk->lower->tables->exprs;
	struct edges edges = edges_begin(walk);

	if (kernel) {
		barrier_raise(walk, kernel);
		depend_edges(&edges, kernel);
		set_edges(&edges, kernel);
	}
	for (uint32_t i = 0; i < walk->barrier_count; i++)
		edge_add(&edges, walk->barrier[i], PTOWSP_AFTER_BARRIER);
	launch_edges(&edges, node);
	for (uint32_t i = 0; i < edges.count; i++) {
		struct lang_graph_node *from = walk->waits[i].node;

		if (from == node)
			continue;
		lang_word_add(walk->lower, PTOWSP_OP_AFTER, walk->waits[i].kind,
			      walk->lowering->dynamic ? lang_expr_value(exprs, from->slot.row) : lang_expr_const(exprs, from->number), walk->at);
		cover(walk, from, walk->waits[i].kind);
	}
}

/* ---- by kernel and by event: the instructions that order them, so that nobody searches a program for them. ---- */

void lang_graph_list_add(struct common_arena *arena, struct lang_graph_list *list, struct lang_graph_inst *inst, struct lang_graph_depend *depend)
{
	struct lang_graph_link *link = common_alloc(arena, sizeof(*link));

	*link = (struct lang_graph_link){NULL, inst, depend};
	if (list->last)
		list->last->next = link;
	else
		list->first = link;
	list->last = link;
}

static void block_link(struct lang_graph_lowering *lowering, const struct lang_graph_block *block)
{
	struct common_arena *arena = &lowering->unit->arena;

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
	struct common_arena *arena = &lowering->unit->arena;

	for (uint32_t i = 0; i < graph->depend_count; i++) {
		struct lang_graph_depend *depend = graph->depends[i];

		lang_graph_list_add(arena, &lowering->links[depend->src->object.index].from, NULL, depend);
		lang_graph_list_add(arena, &lowering->links[depend->dst->object.index].into, NULL, depend);
	}
}

void lang_graph_links_make(struct lang_graph_lowering *lowering)
{
	const struct lang_graph_program *program = lowering->program;
	struct common_arena *arena = &lowering->unit->arena;

	lowering->links = common_alloc(arena, ((size_t)program->kernel_count + 1) * sizeof(*lowering->links));
	lowering->signals = common_alloc(arena, ((size_t)program->object_count + 1) * sizeof(*lowering->signals));
	block_link(lowering, &program->body);
	for (uint32_t g = 0; g < program->graph_count; g++) {
		/* Kernels that TG_FUSE made stand nowhere in the text. */
		if (program->graphs[g]->fused[0])
			block_link(lowering, &program->graphs[g]->own);
		depends_link(lowering, program->graphs[g]);
	}
}
