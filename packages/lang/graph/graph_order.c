/* SPDX-License-Identifier: MIT */
/* graph_order.c - the edges between the kernels of one graph, an order in which every edge leads forward, and its fences. */
#include "lang/graph/lang_graph.h"
#include "registry/common/common_heap.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *node_name(const struct lang_graph_order *order, uint32_t node)
{
	assert(node < order->kernel_count);
	return order->graph->kernels[node]->object.name;
}

/* ---- the kernels of one graph in an order in which every edge leads forward, or why there is none. ---- */

struct sort {
	struct lang_unit *unit;
	struct lang_graph_order *order;
	uint32_t *missing; /* by node: edges into it whose kernel is not issued yet */
	uint32_t *heap, heap_count;
	uint32_t sorted_count;
};

/* Barriers as soon as they can be, kernels by segment, then by text. */
static bool is_earlier(const struct lang_graph_order *order, uint32_t a, uint32_t b)
{
	uint32_t x = a < order->kernel_count ? order->segment[a] + 1 : 0, y = b < order->kernel_count ? order->segment[b] + 1 : 0;

	return x != y ? x < y : a < b;
}

COMMON_HEAP(heap, uint32_t, const struct lang_graph_order *, is_earlier)

static void sort_init(struct sort *s)
{
	struct lang_graph_order *order = s->order;
	struct common_arena *arena = &s->unit->arena;

	s->missing = common_alloc(arena, (order->node_count + 1) * sizeof(uint32_t));
	order->first = common_alloc(arena, (order->node_count + 1) * sizeof(uint32_t));
	order->next = common_alloc(arena, (order->edge_count + 1) * sizeof(uint32_t));
	s->heap = common_alloc(arena, (order->node_count + 1) * sizeof(uint32_t));
	order->sorted = common_alloc(arena, (order->node_count + 1) * sizeof(uint32_t));
	order->rank = common_alloc(arena, (order->node_count + 1) * sizeof(uint32_t));
	for (uint32_t e = 0; e < order->edge_count; e++) {
		s->missing[order->edges[e].to]++;
		order->next[e] = order->first[order->edges[e].from];
		order->first[order->edges[e].from] = e + 1;
	}
}

static void sort_run(struct sort *s)
{
	struct lang_graph_order *order = s->order;

	for (uint32_t i = 0; i < order->node_count; i++)
		if (!s->missing[i])
			heap_push(s->heap, &s->heap_count, i, order);
	while (s->heap_count) {
		uint32_t node = heap_pop(s->heap, &s->heap_count, order);

		order->rank[node] = s->sorted_count;
		order->sorted[s->sorted_count++] = node;
		for (uint32_t e = order->first[node]; e; e = order->next[e - 1])
			if (!--s->missing[order->edges[e - 1].to])
				heap_push(s->heap, &s->heap_count, order->edges[e - 1].to, order);
	}
}

/* The circle goes through a barrier: a kernel of its set ends before another one of it starts. Walks back from the barrier's node to the
 * kernel that it lets go. */
static void barrier_refuse(struct sort *s, const uint32_t *from, uint32_t barrier)
{
	struct lang_graph_order *order = s->order;
	uint32_t last = order->edges[from[barrier] - 1].from - order->ready, first = last, node = barrier;

	do {
		node = order->edges[from[node] - 1].from;
		if (node < order->kernel_count)
			first = node;
	} while (node != barrier && order->edges[from[node] - 1].from != barrier);
	lang_error(s->unit, order->edges[from[barrier] - 1].inst->at, "the barrier never opens: %s starts when %s has ended, and both are in its set",
		   node_name(order, last), node_name(order, first));
}

/* Some circle among the nodes that could not be issued: every one of them waits for another one. */
static void cycle_refuse(struct sort *s)
{
	struct lang_graph_order *order = s->order;
	uint32_t *from = common_alloc(&s->unit->arena, (order->node_count + 1) * sizeof(uint32_t)); /* edge + 1 into a node that waits */
	uint8_t *seen = common_alloc(&s->unit->arena, order->node_count + 1);
	uint32_t node = 0, start, length = 0;
	const char *text = "";

	order->broken = 1;
	for (uint32_t e = 0; e < order->edge_count; e++)
		if (s->missing[order->edges[e].from] && s->missing[order->edges[e].to])
			from[order->edges[e].to] = e + 1;
	while (!s->missing[node])
		node++;
	for (; !seen[node]; node = order->edges[from[node] - 1].from)
		seen[node] = 1;
	while (node >= order->kernel_count) /* every circle goes through kernels */
		node = order->edges[from[node] - 1].from;
	start = node;
	do { /* backwards along the edges, so that the text reads forwards */
		if (order->barriers && node >= order->barriers) {
			barrier_refuse(s, from, node);
			return;
		}
		if (node < order->kernel_count && length++ < 8)
			text = common_format(&s->unit->arena, "%s%s%s", node_name(order, node), *text ? " -> " : "", text);
		node = order->edges[from[node] - 1].from;
	} while (node != start);
	lang_error(s->unit, order->edges[from[start] - 1].inst->at, "the dependencies form a circle: %s -> %s", node_name(order, start),
		   length > 8 ? "..." : text);
	lang_help(s->unit, "take one of its edges out, or make it SOFT");
}

/* Goes back from a kernel along the edges that hold it up longest, to one behind a fixed place that it stands above. */
static void held_refuse(struct sort *s, uint32_t kernel, const uint32_t *last)
{
	struct lang_graph_order *order = s->order;
	uint32_t node = kernel;

	do
		node = order->edges[last[node] - 1].from;
	while (node >= order->kernel_count || order->segment[node] <= order->segment[kernel]);
	lang_error(s->unit, order->edges[last[kernel] - 1].inst->at, "%s stands above %s, which has to end before it starts", node_name(order, kernel),
		   node_name(order, node));
	lang_help(s->unit, "move TG_KERNEL(%s, ...) down: a fence, copy, condition or loop lies between the two", node_name(order, kernel));
	order->broken = 1;
}

/* Edges of events and sets may ask for a kernel to pass what has a fixed place: it cannot. */
static void held_check(struct sort *s)
{
	struct lang_graph_order *order = s->order;
	uint32_t *last = common_alloc(&s->unit->arena, (order->node_count + 1) * sizeof(uint32_t)); /* edge + 1 into a node, from who is issued last */
	uint32_t segment = 0;

	for (uint32_t e = 0; e < order->edge_count; e++) {
		uint32_t *at = &last[order->edges[e].to];

		if (!*at || order->rank[order->edges[*at - 1].from] < order->rank[order->edges[e].from])
			*at = e + 1;
	}
	for (uint32_t i = 0; i < order->node_count && !order->broken; i++) {
		uint32_t node = order->sorted[i];

		if (node >= order->kernel_count)
			continue;
		if (order->segment[node] < segment)
			held_refuse(s, node, last);
		segment = order->segment[node];
	}
}

/* A TG_KERNEL of a block, and where its kernel is issued. */
struct place {
	uint32_t position;
	struct lang_graph_inst *inst;
};

static int by_position(const void *a, const void *b)
{
	uint32_t x = ((const struct place *)a)->position, y = ((const struct place *)b)->position;

	return x < y ? -1 : x > y;
}

/* Puts the kernels of a block into the sorted order. Its segments lie one behind the other, so that one sort does all of them. */
static void block_sort(const struct lang_graph_order *order, struct lang_unit *unit, struct lang_graph_block *block)
{
	struct place *places = NULL;
	struct lang_graph_inst **all = NULL, **last = &block->first;
	uint32_t count = 0, capacity = 0, all_count = 0, all_capacity = 0;

	for (struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		*COMMON_PUSH(&unit->arena, all, all_count, all_capacity) = inst;
		if (inst->op == PTOWSP_TG_KERNEL)
			*COMMON_PUSH(&unit->arena, places, count, capacity) =
				(struct place){order->position[lang_graph_kernel(inst->args[0].object)->node], inst};
		block_sort(order, unit, &inst->body);
		block_sort(order, unit, &inst->other);
	}
	if (count)
		qsort(places, count, sizeof(*places), by_position);
	for (uint32_t i = 0, k = 0; i < all_count; i++, last = &(*last)->next)
		*last = all[i]->op == PTOWSP_TG_KERNEL ? places[k++].inst : all[i];
	if (all_count) {
		*last = NULL;
		block->last = last;
	}
}

static void lang_graph_sort(struct lang_unit *unit, struct lang_graph_order *order)
{
	struct sort sort = {.unit = unit, .order = order};

	sort_init(&sort);
	sort_run(&sort);
	if (sort.sorted_count < order->node_count)
		cycle_refuse(&sort);
	else
		held_check(&sort);
	if (order->broken)
		return;
	for (uint32_t i = 0, k = 0; i < sort.sorted_count; i++)
		if (order->sorted[i] < order->kernel_count)
			order->position[order->sorted[i]] = k++;
	block_sort(order, unit, order->graph->body);
}

/* ---- the edges between the kernels of one graph, and its fences. ---- */

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

/* An edge may lead back in program text only where nothing between the two kernels has a fixed place. */
static void back_refuse(struct walk *walk)
{
	struct lang_graph_order *order = walk->order;

	for (uint32_t i = 0; i < order->edge_count && !order->broken; i++) {
		const struct lang_graph_edge *e = &order->edges[i];

		if (order->segment[e->from] <= order->segment[e->to])
			continue;
		lang_error(walk->unit, e->inst->at, "%s stands behind %s, which waits for it", node_name(order, e->from), node_name(order, e->to));
		lang_help(walk->unit, "move TG_KERNEL(%s, ...) up: a fence, copy, condition or loop lies between the two", node_name(order, e->from));
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
