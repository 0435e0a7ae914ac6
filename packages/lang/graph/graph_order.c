/* SPDX-License-Identifier: MIT */
/* graph_order.c - the edges between the kernels of one graph, and its fences. */
#include "lang/graph/lang_graph.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

/* The walk over the body of a graph, in program text. */
struct walk {
	struct lang_unit *unit;
	struct lang_graph_order *order;
	uint32_t segment;
	struct lang_graph_inst **barriers; /* SY_BARRIER */
	uint32_t barrier_count, barrier_capacity;
	struct lang_graph_inst **waits; /* SY_SIGNAL and SY_WAIT */
	uint32_t wait_count, wait_capacity;
};

/* Kernels do not pass these when they are sorted: their place in the text has a meaning. */
static bool is_fixed(unsigned op)
{
	switch (op) {
	case PTOWSP_MC_FENCE:
	case PTOWSP_MC_COPY:
	case PTOWSP_MC_FREE:
	case PTOWSP_CF_IF:
	case PTOWSP_CF_LOOP:
	case PTOWSP_CF_WHILE:
	case PTOWSP_CF_BREAK:
	case PTOWSP_SY_NOTIFY:
	case PTOWSP_SY_WAIT_NOTIFY: return true;
	}
	return false;
}

static void block_walk(struct walk *walk, const struct lang_graph_block *block)
{
	struct lang_graph_order *order = walk->order;

	for (struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		walk->segment += (uint32_t)is_fixed(inst->op);
		if (inst->op == PTOWSP_MC_FENCE)
			*COMMON_PUSH(&walk->unit->arena, order->fences, order->fence_count, order->fence_capacity) = inst;
		if (inst->op == PTOWSP_TG_KERNEL && !inst->broken) {
			uint32_t node = lang_graph_kernel(inst->args[0].object)->node;

			order->segment[node] = walk->segment;
		} else if (inst->op == PTOWSP_SY_BARRIER && !inst->broken) {
			*COMMON_PUSH(&walk->unit->arena, walk->barriers, walk->barrier_count, walk->barrier_capacity) = inst;
		} else if ((inst->op == PTOWSP_SY_SIGNAL || inst->op == PTOWSP_SY_WAIT) && !inst->broken) {
			*COMMON_PUSH(&walk->unit->arena, walk->waits, walk->wait_count, walk->wait_capacity) = inst;
		} else if (inst->body.first || inst->other.first) {
			block_walk(walk, &inst->body);
			walk->segment++;
			block_walk(walk, &inst->other);
			walk->segment++;
		}
	}
}

static void edge_add(struct walk *walk, uint32_t from, uint32_t to, uint32_t type, const struct lang_graph_inst *inst)
{
	*COMMON_PUSH(&walk->unit->arena, walk->order->edges, walk->order->edge_count, walk->order->edge_capacity) =
		(struct lang_graph_edge){from, to, (uint8_t)type, inst};
}

static void depend_edges(struct walk *walk)
{
	struct lang_graph_order *order = walk->order;

	for (uint32_t i = 0; i < order->graph->depend_count; i++) {
		const struct lang_graph_depend *d = order->graph->depends[i];
		uint32_t from = d->src->node, to = d->dst->node;

		if (from == to) {
			lang_error(walk->unit, d->inst->args[1].at, "%s depends on itself", d->src->object.name);
			order->broken = 1;
		} else if (d->type == PTOWSP_dep_type_BARRIER && from > to) {
			lang_error(walk->unit, d->inst->at, "%s stands behind %s: a BARRIER is where the second kernel stands in the text", d->src->object.name,
				   d->dst->object.name);
			lang_help(walk->unit, "move TG_KERNEL(%s, ...) up", d->src->object.name);
			order->broken = 1;
		} else if (d->type != PTOWSP_dep_type_SOFT) {
			edge_add(walk, from, to, d->type, d->inst);
		}
	}
}

/* Everything above the second kernel of a BARRIER ends before it and everything below: a node where the text is cut. */
static void cut_edges(struct walk *walk)
{
	struct lang_graph_order *order = walk->order;
	const struct lang_graph_inst **cuts = common_alloc(&walk->unit->arena, ((size_t)order->kernel_count + 1) * sizeof(*cuts));
	uint32_t start = 0, node = UINT32_MAX;

	for (uint32_t i = 0; i < order->graph->depend_count; i++)
		if (order->graph->depends[i]->type == PTOWSP_dep_type_BARRIER)
			cuts[order->graph->depends[i]->dst->node] = order->graph->depends[i]->inst;
	for (uint32_t i = 0; i < order->kernel_count; i++) {
		const struct lang_graph_inst *inst = cuts[i];

		if (inst) {
			uint32_t before = node;

			node = order->node_count++;
			for (; start < i; start++)
				edge_add(walk, start, node, PTOWSP_dep_type_BARRIER, inst);
			if (before != UINT32_MAX)
				edge_add(walk, before, node, PTOWSP_dep_type_BARRIER, inst);
		}
		if (node != UINT32_MAX)
			edge_add(walk, node, i, PTOWSP_dep_type_BARRIER, inst ? inst : order->graph->kernels[i]->inst);
	}
}

/* Inside of one graph an event orders its kernels like an edge: those that signal it come before its node, those that wait behind it. */
static void event_edges(struct walk *walk)
{
	struct lang_graph_order *order = walk->order;
	struct lang_map nodes = {0};

	for (uint32_t i = 0; i < walk->wait_count; i++) {
		const struct lang_graph_inst *inst = walk->waits[i];
		uint32_t kernel = lang_graph_kernel(inst->args[1].object)->node, *node;

		node = lang_map_find(&nodes, inst->args[0].object->name);
		if (!node) {
			node = common_alloc(&walk->unit->arena, sizeof(*node));
			*node = order->node_count++;
			lang_map_add(&nodes, &walk->unit->arena, inst->args[0].object->name, node);
		}
		if (inst->op == PTOWSP_SY_SIGNAL)
			edge_add(walk, kernel, *node, PTOWSP_dep_type_AFTER, inst);
		else
			edge_add(walk, *node, kernel, PTOWSP_dep_type_AFTER, inst);
	}
}

/* A kernel that comes before one of a set comes before all of the set. Every kernel gets a node in front of it where its edges end; from there
 * one leads to the kernel, and one to each barrier that it belongs to. */
static void barrier_edges(struct walk *walk)
{
	struct lang_graph_order *order = walk->order;
	uint32_t ready = order->node_count;

	if (!walk->barrier_count)
		return;
	order->ready = ready;
	order->barriers = ready + order->kernel_count;
	order->node_count += order->kernel_count + walk->barrier_count;
	for (uint32_t e = 0; e < order->edge_count; e++)
		if (order->edges[e].to < order->kernel_count)
			order->edges[e].to += ready;
	for (uint32_t i = 0; i < order->kernel_count; i++)
		edge_add(walk, ready + i, i, PTOWSP_dep_type_AFTER, order->graph->kernels[i]->inst);
	for (uint32_t i = 0; i < walk->barrier_count; i++) {
		const struct lang_graph_inst *inst = walk->barriers[i];
		uint32_t node = ready + order->kernel_count + i;

		for (uint32_t k = 0; k < inst->args[0].set_count; k++) {
			uint32_t member = lang_graph_kernel(inst->args[0].set[k])->node;

			edge_add(walk, ready + member, node, PTOWSP_dep_type_AFTER, inst);
			edge_add(walk, node, member, PTOWSP_dep_type_AFTER, inst);
		}
	}
}

const char *lang_graph_node_name(const struct lang_graph_order *order, uint32_t node)
{
	assert(node < order->kernel_count);
	return order->graph->kernels[node]->object.name;
}

/* An edge may lead back in program text only where nothing between the two kernels has a fixed place. */
static void back_refuse(struct walk *walk)
{
	struct lang_graph_order *order = walk->order;

	for (uint32_t i = 0; i < order->edge_count && !order->broken; i++) {
		const struct lang_graph_edge *e = &order->edges[i];

		if (order->segment[e->from] <= order->segment[e->to])
			continue;
		lang_error(walk->unit, e->inst->at, "%s stands behind %s, which waits for it", lang_graph_node_name(order, e->from),
			   lang_graph_node_name(order, e->to));
		lang_help(walk->unit, "move TG_KERNEL(%s, ...) up: a fence, copy, condition or loop lies between the two",
			  lang_graph_node_name(order, e->from));
		order->broken = 1;
	}
}

/* --- fences --- */

static bool is_around(const struct lang_graph_inst *block, const struct lang_graph_inst *inst)
{
	while (inst && inst != block)
		inst = inst->parent;
	return inst != NULL;
}

bool lang_graph_is_fenced(const struct lang_graph_order *order, const struct lang_graph_inst *a, const struct lang_graph_inst *b)
{
	uint32_t low = 0, high = order->fence_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (order->fences[middle]->order < a->order)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < order->fence_count && order->fences[low]->order < b->order; low++)
		if (is_around(order->fences[low]->parent, a) || is_around(order->fences[low]->parent, b))
			return true;
	return false;
}

void lang_graph_order_make(struct lang_unit *unit, struct lang_graph *graph, struct lang_graph_order *order_out)
{
	struct walk walk = {.unit = unit, .order = order_out};
	size_t rows = ((size_t)graph->kernel_count + 1) * sizeof(uint32_t);

	memset(order_out, 0, sizeof(*order_out));
	order_out->graph = graph;
	order_out->kernel_count = graph->kernel_count;
	order_out->segment = common_alloc(&unit->arena, rows);
	order_out->position = common_alloc(&unit->arena, rows);
	block_walk(&walk, graph->body);
	order_out->node_count = graph->kernel_count;
	depend_edges(&walk);
	back_refuse(&walk);
	cut_edges(&walk);
	event_edges(&walk);
	barrier_edges(&walk);
	if (!order_out->broken)
		lang_graph_sort(unit, order_out);
}
