/* SPDX-License-Identifier: MIT */
/* graph_edge.c - the AFTER words behind a task of a graph: its edges, barriers, events, and the launches that its launch waits for. */
#include "lang/graph_walk.h"

#include <string.h>

/* Nodes that a task waits for, each once; the strongest kind is kept. */
struct edges {
	struct lang_graph_walk *walk;
	struct edge {
		struct lang_graph_node *node;
		uint32_t kind; /* operand1 of AFTER */
	} *rows;
	uint32_t count, capacity;
};

static void edge_add(struct edges *edges, struct lang_graph_node *node, uint32_t kind)
{
	if (!node || !node->issued)
		return;
	for (uint32_t i = 0; i < edges->count; i++)
		if (edges->rows[i].node == node) {
			if (edges->rows[i].kind == PTOWSP_AFTER_SOFT)
				edges->rows[i].kind = kind;
			return;
		}
	*LANG_PUSH(&edges->walk->lower->unit->arena, edges->rows, edges->count, edges->capacity) = (struct edge){node, kind};
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

static void block_signals(struct edges *edges, const struct lang_graph_block *block, const struct lang_graph_object *event)
{
	struct lang_graph_lowering *lowering = edges->walk->lowering;

	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		block_signals(edges, &inst->body, event);
		block_signals(edges, &inst->other, event);
		if (inst->op != PTOWSP_SY_SIGNAL || inst->args[0].object != event)
			continue;
		/* Of this launch, and of all those before: each is over, or an edge to it is right. */
		for (uint32_t i = 0; i < lowering->launch_count; i++)
			edge_add(edges, lang_graph_node_of(&lowering->launches[i], lang_graph_kernel(inst->args[1].object)), PTOWSP_AFTER_TASK);
	}
}

typedef void (*wait_fn)(struct edges *edges, const struct lang_graph_object *event);

static void block_waits(struct edges *edges, const struct lang_graph_block *block, const struct lang_graph_kernel *kernel, wait_fn fn)
{
	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		block_waits(edges, &inst->body, kernel, fn);
		block_waits(edges, &inst->other, kernel, fn);
		if (inst->op == PTOWSP_SY_WAIT && lang_graph_kernel(inst->args[1].object) == kernel)
			fn(edges, inst->args[0].object);
	}
}

static void event_edges(struct edges *edges, const struct lang_graph_object *event)
{
	block_signals(edges, &edges->walk->lowering->program->body, event);
}

static struct lang_graph_event *event_of(struct lang_graph_lowering *lowering, const struct lang_graph_object *object)
{
	for (uint32_t i = 0; i < lowering->event_count; i++)
		if (lowering->events[i].object == object)
			return &lowering->events[i];
	return NULL;
}

/* An event that all its signals may have left out: the run ends there with a report, instead of going on as if it had come. */
static void event_guard(struct edges *edges, const struct lang_graph_object *object)
{
	struct lang_graph_walk *walk = edges->walk;
	struct lang_exprs *exprs = &walk->lower->tables.exprs;
	struct edges signals = {.walk = walk};
	struct lang_graph_event *event = event_of(walk->lowering, object);
	uint32_t none = lang_expr_const(exprs, 1), head, zero = lang_expr_const(exprs, 0);

	event_edges(&signals, object);
	for (uint32_t i = 0; i < signals.count; i++) {
		if (!signals.rows[i].node->conditional)
			return;
		none = lang_expr_binary(exprs, PTOWSP_EXPR_LAND, none,
					lang_expr_binary(exprs, PTOWSP_EXPR_LT, lang_expr_value(exprs, signals.rows[i].node->slot.row), zero));
	}
	event->needed = 1;
	head = lang_graph_emit(walk, PTOWSP_OP_COND, 0, none);
	lang_graph_emit(walk, PTOWSP_OP_TARGET, 0, head + 4);
	lang_graph_emit(walk, PTOWSP_OP_TARGET, 0, head + 4);
	lang_debug_add(walk->lower, 0, lang_graph_emit(walk, PTOWSP_OP_WAIT, 0, event->made.row), walk->at);
}

void lang_graph_events_wait(struct lang_graph_walk *walk, const struct lang_graph_kernel *kernel)
{
	struct edges edges = {.walk = walk};

	block_waits(&edges, &walk->lowering->program->body, kernel, event_guard);
}

void lang_graph_events_end(struct lang_graph_walk *walk)
{
	uint32_t head, zero = lang_expr_const(&walk->lower->tables.exprs, 0);

	for (uint32_t i = 0; i < walk->lowering->event_count; i++) {
		if (!walk->lowering->events[i].needed)
			continue;
		head = lang_graph_emit(walk, PTOWSP_OP_COND, 0, zero);
		lang_graph_emit(walk, PTOWSP_OP_TARGET, 0, head + 4);
		lang_graph_emit(walk, PTOWSP_OP_TARGET, 0, head + 4);
		lang_graph_emit(walk, PTOWSP_OP_SIGNAL, 0, walk->lowering->events[i].made.row);
	}
}

/* --- edges of the graph --- */

static void depend_edges(struct edges *edges, const struct lang_graph_kernel *kernel)
{
	const struct lang_graph *graph = edges->walk->launch->graph;

	for (uint32_t i = 0; i < graph->depend_count; i++)
		if (graph->depends[i]->dst == kernel)
			edge_add(edges, lang_graph_node_of(edges->walk->launch, graph->depends[i]->src), kind_of(graph->depends[i]->type));
	block_waits(edges, &edges->walk->lowering->program->body, kernel, event_edges);
}

static int set_has(const struct lang_graph_arg *arg, const struct lang_graph_kernel *kernel)
{
	for (uint32_t i = 0; i < arg->set_count; i++)
		if (lang_graph_kernel(arg->set[i]) == kernel)
			return 1;
	return 0;
}

/* SY_BARRIER: what one kernel of the set waits for, all of them do. */
static void set_edges(struct edges *edges, const struct lang_graph_block *block, const struct lang_graph_kernel *kernel)
{
	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		set_edges(edges, &inst->body, kernel);
		set_edges(edges, &inst->other, kernel);
		if (inst->op != PTOWSP_SY_BARRIER || !set_has(&inst->args[0], kernel))
			continue;
		for (uint32_t i = 0; i < inst->args[0].set_count; i++)
			depend_edges(edges, lang_graph_kernel(inst->args[0].set[i]));
	}
}

/* TG_DEPEND of kind BARRIER: all that were issued before come before all that follow. */
static void barrier_raise(struct lang_graph_walk *walk, const struct lang_graph_kernel *kernel)
{
	const struct lang_graph *graph = walk->launch->graph;
	int raised = 0;

	for (uint32_t i = 0; i < graph->depend_count; i++)
		raised |= graph->depends[i]->dst == kernel && graph->depends[i]->type == PTOWSP_dep_type_BARRIER;
	for (uint32_t n = 0; raised && n < walk->launch->node_count; n++) {
		struct lang_graph_barrier *barrier;

		if (!walk->launch->nodes[n].issued)
			continue;
		barrier = lang_alloc(&walk->lower->unit->arena, sizeof(*barrier));
		*barrier = (struct lang_graph_barrier){walk->barrier, &walk->launch->nodes[n]};
		walk->barrier = barrier;
	}
}

/* --- launches --- */

/* In a graph without control flow its first kernels wait for the last ones; else any of them may be the first or the last that runs. */
static void launch_edges(struct edges *edges, const struct lang_graph_node *node)
{
	struct lang_graph_lowering *lowering = edges->walk->lowering;
	const struct lang_graph_launch *launch = edges->walk->launch;

	if (!launch->branches && !node->source)
		return;
	for (uint32_t i = 0; i < lowering->launch_count; i++) {
		struct lang_graph_launch *before = &lowering->launches[i];

		if (!(launch->waits[i] & 1))
			continue;
		for (uint32_t n = 0; n < before->node_count; n++)
			if (before->branches || before->nodes[n].sink)
				edge_add(edges, &before->nodes[n], PTOWSP_AFTER_TASK);
	}
}

void lang_graph_edges_emit(struct lang_graph_walk *walk, struct lang_graph_node *node, const struct lang_graph_kernel *kernel)
{
	struct lang_exprs *exprs = &walk->lower->tables.exprs;
	struct edges edges = {.walk = walk};

	if (kernel) {
		barrier_raise(walk, kernel);
		depend_edges(&edges, kernel);
		set_edges(&edges, walk->launch->graph->body, kernel);
	}
	for (const struct lang_graph_barrier *barrier = walk->barrier; barrier; barrier = barrier->next)
		edge_add(&edges, barrier->node, PTOWSP_AFTER_BARRIER);
	launch_edges(&edges, node);
	for (uint32_t i = 0; i < edges.count; i++) {
		const struct lang_graph_node *from = edges.rows[i].node;

		if (from == node)
			continue;
		lang_graph_emit(walk, PTOWSP_OP_AFTER, edges.rows[i].kind,
				walk->lowering->dynamic ? lang_expr_value(exprs, from->slot.row) : lang_expr_const(exprs, from->number));
	}
}
