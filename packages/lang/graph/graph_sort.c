/* SPDX-License-Identifier: MIT */
/* graph_sort.c - the kernels of one graph in an order in which every edge leads forward, or why there is none. */
#include "lang/graph/lang_graph.h"

#include "registry/common/common_heap.h"

#include <stdbool.h>
#include <stdlib.h>

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
		   lang_graph_node_name(order, last), lang_graph_node_name(order, first));
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
			text = common_format(&s->unit->arena, "%s%s%s", lang_graph_node_name(order, node), *text ? " -> " : "", text);
		node = order->edges[from[node] - 1].from;
	} while (node != start);
	lang_error(s->unit, order->edges[from[start] - 1].inst->at, "the dependencies form a circle: %s -> %s", lang_graph_node_name(order, start),
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
	lang_error(s->unit, order->edges[last[kernel] - 1].inst->at, "%s stands above %s, which has to end before it starts",
		   lang_graph_node_name(order, kernel), lang_graph_node_name(order, node));
	lang_help(s->unit, "move TG_KERNEL(%s, ...) down: a fence, copy, condition or loop lies between the two", lang_graph_node_name(order, kernel));
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

void lang_graph_sort(struct lang_unit *unit, struct lang_graph_order *order)
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
