/* SPDX-License-Identifier: MIT
 * random_graph.c - random programs in the instruction form: what is in them. */
#include "tests/taskgraph/random_graph.h"
#include "tests/draw.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* While a graph is made. */
struct place {
	struct random_graph *g;
	int graph, depth, loops, in_loop, conditional;
	int counts[8]; /* of the CF_LOOPs around, the outermost first */
};

unsigned random_graph_pick(struct random_graph *g, unsigned n)
{
	return (unsigned)draw(&g->state, n);
}

static bool chance(struct random_graph *g, unsigned percent)
{
	return random_graph_pick(g, 100) < percent;
}

int32_t random_graph_word(int function, int32_t out, int32_t first, int32_t second)
{
	static const uint32_t factors[] = {3, 5, 17};

	return (int32_t)((uint32_t)out * factors[function] + (uint32_t)first + 7 * (uint32_t)second + (uint32_t)function + 1);
}

static int node_add(struct random_graph *g, int kind)
{
	g->nodes[g->node_count] = (struct rg_node){.kind = kind, .next = -1, .child = -1, .other = -1};
	return g->node_count++;
}

static int tensor_pick(struct place *p)
{
	return p->graph + RG_GRAPHS * (int)random_graph_pick(p->g, RG_TENSORS / RG_GRAPHS);
}

static struct rg_part part_pick(struct place *p, int moves)
{
	struct rg_part part = {.tensor = tensor_pick(p), .slot = (int)random_graph_pick(p->g, RG_SLOTS)};

	if (moves && p->loops && chance(p->g, 45)) {
		part.level = 1 + (int)random_graph_pick(p->g, (unsigned)p->loops);
		part.step = 1;
		part.slot = (int)random_graph_pick(p->g, (unsigned)(RG_SLOTS + 1 - p->counts[p->loops - part.level]));
	} else if (moves && chance(p->g, 6)) {
		part.level = -1; /* ITERATION, which is 0 to 3 */
		part.slot = 0;
	}
	return part;
}

static struct rg_condition condition_pick(struct place *p)
{
	struct rg_condition c = {.kind = (int)random_graph_pick(p->g, 4), .mask = 1 + (int)random_graph_pick(p->g, 3)};

	if (c.kind == RG_ITERATOR && !p->loops)
		c.kind = RG_ELEMENT;
	c.tensor = tensor_pick(p);
	c.element = (int)random_graph_pick(p->g, RG_ELEMENTS);
	return c;
}

/* --- edges --- */

static bool parts_meet(const struct rg_part *a, const struct rg_part *b)
{
	return a->tensor == b->tensor && (a->level || b->level || a->slot == b->slot);
}

/* The tensor that the two may not touch at once, -1: there is none. */
static int conflict(const struct rg_kernel *a, const struct rg_kernel *b)
{
	if (parts_meet(&a->out, &b->out))
		return a->out.tensor;
	for (int i = 0; i < a->inputs; i++)
		if (parts_meet(&a->in[i], &b->out))
			return b->out.tensor;
	for (int i = 0; i < b->inputs; i++)
		if (parts_meet(&b->in[i], &a->out))
			return a->out.tensor;
	return -1;
}

static void edge_add(struct place *p, int from, int to, int tensor)
{
	struct random_graph *g = p->g;
	struct rg_edge *edge = &g->edges[g->edge_count];
	unsigned roll = random_graph_pick(g, 100);

	if (g->edge_count == (int)(sizeof(g->edges) / sizeof(*g->edges))) {
		g->overflow = 1;
		return;
	}
	g->edge_count++;
	*edge = (struct rg_edge){from, to, RG_DATA, tensor};
	if (roll < 25 || tensor < 0)
		edge->kind = RG_AFTER;
	else if (roll < 40 && !g->kernels[from].conditional)
		edge->kind = RG_EVENT;
	else if (roll < 48 && !g->kernels[to].conditional && !g->shuffled[p->graph])
		edge->kind = RG_BARRIER;
}

static void edges_make(struct place *p, int kernel)
{
	struct random_graph *g = p->g;

	for (int k = 0; k < kernel; k++) {
		int tensor = g->kernels[k].graph == p->graph ? conflict(&g->kernels[k], &g->kernels[kernel]) : -1;

		if (g->kernels[k].graph != p->graph)
			continue;
		if (tensor >= 0)
			edge_add(p, k, kernel, tensor);
		else if (chance(g, 6))
			edge_add(p, k, kernel, -1);
		else if (chance(g, 4) && g->edge_count < 1000)
			g->edges[g->edge_count++] = (struct rg_edge){k, kernel, RG_SOFT, -1};
	}
}

/* --- the body of a graph --- */

static int kernel_make(struct place *p, int counter)
{
	struct random_graph *g = p->g;
	int kernel = g->kernel_count++, node = node_add(g, RG_KERNEL);
	struct rg_kernel *k = &g->kernels[kernel];

	*k = (struct rg_kernel){.graph = p->graph, .function = (int)random_graph_pick(g, RG_FUNCTIONS), .conditional = p->conditional, .counter = counter};
	snprintf(k->name, sizeof(k->name), "G%dK%d", p->graph, kernel);
	k->blocks = counter ? 1 : 1 + (int)random_graph_pick(g, 4);
	k->inputs = counter ? 0 : (int)random_graph_pick(g, 3);
	for (int i = 0; i < k->inputs; i++)
		k->in[i] = part_pick(p, 1);
	k->out = counter ? (struct rg_part){.tensor = RG_TENSORS + p->graph} : part_pick(p, 1);
	g->nodes[node].kernel = kernel;
	edges_make(p, kernel);
	return node;
}

static int copy_make(struct place *p)
{
	int node = node_add(p->g, RG_COPY);
	struct rg_node *n = &p->g->nodes[node];

	n->from = part_pick(p, 1);
	do
		n->to = part_pick(p, 1);
	while (n->to.tensor == n->from.tensor);
	return node;
}

static int block_make(struct place p, unsigned most);

static struct place inside(const struct place *p)
{
	struct place q = *p;

	q.depth++;
	q.conditional = 1;
	return q;
}

static int loop_make(struct place *p)
{
	struct place q = inside(p);
	int node = node_add(p->g, RG_LOOP), count = 1 + (int)random_graph_pick(p->g, 3);

	q.in_loop = 1;
	q.counts[q.loops++] = count;
	p->g->nodes[node].count = count;
	/* n & mask is at most the mask. */
	if (count != 2 && chance(p->g, 30))
		p->g->nodes[node].condition.mask = count;
	p->g->nodes[node].child = block_make(q, 4);
	return node;
}

static int while_make(struct place *p)
{
	struct place q = inside(p);
	int node = node_add(p->g, RG_WHILE), last;

	q.in_loop = 1;
	p->g->nodes[node].count = 1 + (int)random_graph_pick(p->g, 5);
	p->g->nodes[node].graph = p->graph;
	last = p->g->nodes[node].child = block_make(q, 2);
	while (p->g->nodes[last].next >= 0)
		last = p->g->nodes[last].next;
	p->g->nodes[last].next = kernel_make(&q, 1);
	return node;
}

static int if_make(struct place *p)
{
	int node = node_add(p->g, RG_IF);

	p->g->nodes[node].condition = condition_pick(p);
	p->g->nodes[node].child = block_make(inside(p), 3);
	if (chance(p->g, 50))
		p->g->nodes[node].other = block_make(inside(p), 3);
	return node;
}

static int one_make(struct place *p)
{
	unsigned roll = random_graph_pick(p->g, 100);
	int node;

	if (p->depth < 3 && roll < 10)
		return if_make(p);
	if (p->depth < 3 && roll < 20)
		return loop_make(p);
	if (p->depth < 3 && roll < 23)
		return while_make(p);
	if (roll < 28)
		return node_add(p->g, RG_FENCE);
	if (roll < 35)
		return copy_make(p);
	if (roll < 42 && p->in_loop) {
		node = node_add(p->g, RG_BREAK);
		p->g->nodes[node].condition = condition_pick(p);
		return node;
	}
	return kernel_make(p, 0);
}

static int block_make(struct place p, unsigned most)
{
	int first = -1, last = -1, node;

	for (unsigned i = 0, n = 1 + random_graph_pick(p.g, most); i < n || first < 0; i++) {
		node = p.g->kernel_count > RG_KERNELS - 8 || p.g->node_count > RG_NODES - 40 ? node_add(p.g, RG_FENCE) : one_make(&p);
		if (first < 0)
			first = node;
		else
			p.g->nodes[last].next = node;
		last = node;
	}
	return first;
}

/* 1: a leads to b, over edges that order, or a full barrier lies anywhere between the two. */
static bool leads(const struct random_graph *g, int a, int b)
{
	for (int i = 0; i < g->edge_count; i++) {
		const struct rg_edge *e = &g->edges[i];

		if ((e->kind == RG_BARRIER && a < e->to && e->to <= b) || (e->from == a && e->to == b && e->kind != RG_SOFT) ||
		    (e->from == a && e->to < b && e->kind != RG_SOFT && leads(g, e->to, b)))
			return true;
	}
	return false;
}

/* Two kernels beside each other in front of which everything is the same; neither leads to the other. */
static void set_make(struct random_graph *g, int graph)
{
	for (int at = g->body[graph]; at >= 0; at = g->nodes[at].next) {
		int next = g->nodes[at].next, a = g->nodes[at].kernel, b = next < 0 ? 0 : g->nodes[next].kernel;

		if (next < 0 || g->nodes[at].kind != RG_KERNEL || g->nodes[next].kind != RG_KERNEL || leads(g, a, b) || chance(g, 40))
			continue;
		g->sets[g->set_count++] = (struct rg_set){graph, a, b};
		return;
	}
}

/* --- the top --- */

struct top {
	struct place place;
	int last, running[RG_GRAPHS]; /* stream of the launch that may still run, -1: none */
};

static void top_append(struct top *t, int node)
{
	if (t->last < 0)
		t->place.g->top = node;
	else
		t->place.g->nodes[t->last].next = node;
	t->last = node;
}

static int on_graph(struct top *t, int kind, int graph, int stream)
{
	int node = node_add(t->place.g, kind);

	t->place.g->nodes[node].graph = graph;
	t->place.g->nodes[node].stream = stream;
	return node;
}

static void sync_make(struct top *t, int graph)
{
	top_append(t, on_graph(t, RG_SYNC, graph, 0));
	t->running[graph] = -1;
}

static void launch_make(struct top *t, int graph, int stream)
{
	int node = on_graph(t, stream < 2 ? RG_LAUNCH : RG_INVOKE, graph, stream);

	if (t->running[graph] >= 0 && t->running[graph] != stream)
		sync_make(t, graph);
	t->place.g->nodes[node].count = (int)random_graph_pick(t->place.g, RG_SLOTS);
	top_append(t, node);
	t->running[graph] = stream;
}

/* A loop or branch whose body launches the graph and waits for it. */
static void block_top_make(struct top *t, int graph)
{
	struct random_graph *g = t->place.g;
	int loop = chance(g, 50), node, inner = on_graph(t, loop ? RG_INVOKE : RG_LAUNCH, graph, loop ? 2 : 0);

	sync_make(t, graph);
	node = node_add(g, loop ? RG_LOOP : RG_IF);
	t->place.graph = graph;
	g->nodes[node].condition = loop ? (struct rg_condition){0} : condition_pick(&t->place);
	if (g->nodes[node].condition.kind == RG_ITERATION)
		g->nodes[node].condition.kind = RG_SYMBOL;
	g->nodes[node].count = 1 + (int)random_graph_pick(g, 3);
	g->nodes[inner].iteration_of_loop = loop;
	g->nodes[node].child = inner;
	g->nodes[inner].next = on_graph(t, RG_SYNC, graph, 0);
	top_append(t, node);
}

static void top_make(struct random_graph *g)
{
	struct top t = {.place = {.g = g}, .last = -1, .running = {-1, -1, -1}};

	for (unsigned i = 0, n = 2 + random_graph_pick(g, 6); i < n; i++) {
		unsigned roll = random_graph_pick(g, 100);
		int graph = (int)random_graph_pick(g, RG_GRAPHS);

		if (roll < 55) {
			launch_make(&t, graph, (int)random_graph_pick(g, 2));
		} else if (roll < 70) {
			launch_make(&t, graph, 2);
		} else if (roll < 80) {
			block_top_make(&t, graph);
		} else {
			sync_make(&t, graph);
			t.place.graph = graph;
			if (roll < 90)
				top_append(&t, copy_make(&t.place));
		}
	}
	for (int graph = 0; graph < RG_GRAPHS; graph++)
		sync_make(&t, graph);
}

void random_graph_make(struct random_graph *g, uint64_t seed)
{
	memset(g, 0, sizeof(*g));
	g->seed = seed;
	g->state = draw_seed(seed);
	for (int i = 0; i < 8; i++)
		random_graph_pick(g, 2);
	g->symbol = (int)random_graph_pick(g, 8);
	for (int graph = 0; graph < RG_GRAPHS; graph++) {
		g->shuffled[graph] = chance(g, 50);
		g->body[graph] = block_make((struct place){.g = g, .graph = graph}, 9);
		if (chance(g, 30))
			set_make(g, graph);
	}
	top_make(g);
	random_graph_text(g);
}
