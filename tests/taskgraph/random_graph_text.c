/* SPDX-License-Identifier: MIT
 * random_graph_text.c - random programs in the instruction form, as text: ids are names or numbers, operands with a default may be left out, kernels and
 * edges may stand in any order. */
#include "tests/taskgraph/random_graph.h"

#include <stdarg.h>
#include <stdio.h>

static void say(struct random_graph *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct random_graph *g, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g->length += (size_t)vsnprintf(g->text + g->length, sizeof(g->text) - g->length, format, args);
	va_end(args);
	if (g->length >= sizeof(g->text)) {
		g->overflow = 1;
		g->length = 0;
	}
}

/* Allocated tensors are numbers. */
static void tensor_say(struct random_graph *g, int tensor)
{
	if (tensor >= RG_TENSORS)
		say(g, "C%d", tensor - RG_TENSORS);
	else
		say(g, tensor < RG_TENSORS / 2 ? "T%d" : "10%d", tensor);
}

static void offset_say(struct random_graph *g, const struct rg_part *part, int loops)
{
	if (part->level > 0 && part->slot)
		say(g, "(%d + i%d) * 64", part->slot, loops - part->level);
	else if (part->level > 0)
		say(g, "i%d*64", loops - part->level);
	else if (part->level < 0)
		say(g, "ITERATION << 6");
	else
		say(g, "%d", part->slot * 64);
}

static void bind_say(struct random_graph *g, const struct rg_kernel *k, int arg, const struct rg_part *part, int loops)
{
	say(g, " MC_BIND(%s, %d, ", k->name, arg);
	tensor_say(g, part->tensor);
	say(g, ", ");
	offset_say(g, part, loops);
	/* The last part goes to the end of an allocation anyway. */
	say(g, !part->level && part->slot == RG_SLOTS - 1 && part->tensor >= RG_TENSORS / 2 && part->tensor < RG_TENSORS ? ")\n" : ", 64)\n");
}

static void kernel_say(struct random_graph *g, const struct rg_kernel *k, int loops)
{
	if (k->counter)
		say(g, " TG_KERNEL(%s, rgcount, 1, AIV, 0)\n", k->name);
	else
		say(g, " TG_KERNEL(%s, rgstep%d, %d, %s, %d)\n", k->name, k->function, k->blocks, k->blocks & 1 ? "AIV" : "AIC_AIV", k->blocks * 64);
	for (int i = 0; i < k->inputs; i++)
		bind_say(g, k, i, &k->in[i], loops);
	bind_say(g, k, k->inputs, &k->out, loops);
}

static void condition_say(struct random_graph *g, const struct rg_condition *c, int loops)
{
	if (c->kind == RG_SYMBOL)
		say(g, "n & %d", c->mask);
	else if (c->kind == RG_ITERATOR)
		say(g, "i%d & %d", loops - 1, c->mask);
	else if (c->kind == RG_ITERATION)
		say(g, "ITERATION & %d", c->mask);
	else {
		tensor_say(g, c->tensor);
		say(g, c->mask & 1 ? "[%d] & %d" : "[%d]:i32 & %d", c->element, c->mask);
	}
}

static void copy_say(struct random_graph *g, const struct rg_node *n, int loops)
{
	say(g, " MC_COPY(");
	tensor_say(g, n->from.tensor);
	say(g, ", ");
	tensor_say(g, n->to.tensor);
	say(g, ", 64, ");
	offset_say(g, &n->from, loops);
	if (n->to.level || n->to.slot) {
		say(g, ", ");
		offset_say(g, &n->to, loops);
	}
	say(g, ")\n");
}

static void block_say(struct random_graph *g, int first, int loops, int shuffled);

static void loop_say(struct random_graph *g, const struct rg_node *n, int loops, int shuffled)
{
	if (n->condition.mask)
		say(g, " CF_LOOP(n & %d, i%d)\n", n->condition.mask, loops);
	else
		say(g, " CF_LOOP(%d, i%d)\n", n->count, loops);
	block_say(g, n->child, loops + 1, shuffled);
	say(g, " CF_ENDLOOP\n");
}

static void node_say(struct random_graph *g, const struct rg_node *n, int loops, int shuffled)
{
	static const char *const scopes[] = {"DEVICE", "L2", "GM"};

	switch (n->kind) {
	case RG_KERNEL: kernel_say(g, &g->kernels[n->kernel], loops); break;
	case RG_COPY: copy_say(g, n, loops); break;
	case RG_FENCE: say(g, " MC_FENCE(%s)\n", scopes[random_graph_pick(g, 3)]); break;
	case RG_IF:
		say(g, " CF_IF(");
		condition_say(g, &n->condition, loops);
		say(g, ")\n");
		block_say(g, n->child, loops, shuffled);
		if (n->other >= 0) {
			say(g, " CF_ELSE\n");
			block_say(g, n->other, loops, shuffled);
		}
		say(g, " CF_ENDIF\n");
		break;
	case RG_LOOP: loop_say(g, n, loops, shuffled); break;
	case RG_WHILE:
		say(g, " CF_WHILE(C%d[0] < %d)\n", n->graph, n->count);
		block_say(g, n->child, loops, shuffled);
		say(g, " CF_ENDWHILE\n");
		break;
	case RG_BREAK:
		say(g, " CF_BREAK(");
		condition_say(g, &n->condition, loops);
		say(g, ")\n");
		break;
	case RG_LAUNCH: say(g, "TG_LAUNCH(G%d, %s)\n", n->graph, n->stream ? "7" : "main"); break;
	case RG_INVOKE:
		if (n->iteration_of_loop)
			say(g, "TG_INVOKE(G%d, i%d)\n", n->graph, loops - 1);
		else
			say(g, "TG_INVOKE(G%d, %d)\n", n->graph, n->count);
		break;
	default: say(g, "TG_SYNC(G%d)\n", n->graph); break;
	}
}

/* Kernels beside each other may stand in any order. */
static void block_say(struct random_graph *g, int first, int loops, int shuffled)
{
	int run[RG_NODES], count;

	for (int at = first; at >= 0;) {
		for (count = 0; at >= 0 && shuffled && g->nodes[at].kind == RG_KERNEL; at = g->nodes[at].next)
			run[count++] = at;
		while (count) {
			int k = (int)random_graph_pick(g, (unsigned)count);

			node_say(g, &g->nodes[run[k]], loops, shuffled);
			run[k] = run[--count];
		}
		if (at < 0 || (shuffled && g->nodes[at].kind == RG_KERNEL))
			continue;
		node_say(g, &g->nodes[at], loops, shuffled);
		at = g->nodes[at].next;
	}
}

static void edge_say(struct random_graph *g, int index)
{
	const struct rg_edge *e = &g->edges[index];
	const char *from = g->kernels[e->from].name, *to = g->kernels[e->to].name;

	if (e->kind == RG_EVENT) {
		say(g, " SY_WAIT(E%d, %s) SY_SIGNAL(E%d, %s)\n", index, to, index, from);
	} else if (e->kind == RG_DATA) {
		say(g, " TG_DEPEND(%s, %s, DATA, ", from, to);
		tensor_say(g, e->tensor);
		say(g, ")\n");
	} else if (e->kind == RG_AFTER) {
		say(g, index & 1 ? " TG_DEPEND(%s, %s)\n" : " TG_DEPEND(%s, %s, AFTER)\n", from, to);
	} else {
		say(g, " TG_DEPEND(%s, %s, %s)\n", from, to, e->kind == RG_SOFT ? "SOFT" : "BARRIER");
	}
}

static void edges_say(struct random_graph *g, int graph, int early)
{
	for (int i = 0; i < g->edge_count; i++)
		if (g->kernels[g->edges[i].from].graph == graph && (i % 3 == 0) == early)
			edge_say(g, i);
	for (int i = 0; i < g->set_count && !early; i++)
		if (g->sets[i].graph == graph)
			say(g, " SY_BARRIER({%s, %s}, %d)\n", g->kernels[g->sets[i].a].name, g->kernels[g->sets[i].b].name, i);
}

void random_graph_text(struct random_graph *g)
{
	for (int t = RG_TENSORS / 2; t < RG_TENSORS; t++)
		say(g, t & 1 ? "MC_ALLOC(10%d, 4*64)\n" : "MC_ALLOC(10%d, 256, 64, HBM)\n", t);
	for (int t = RG_TENSORS / 2; t < RG_TENSORS; t++)
		say(g, "MC_COPY(IN%d, 10%d, 256)\n", t, t);
	for (int graph = 0; graph < RG_GRAPHS; graph++) {
		say(g, "TG_BEGIN(G%d)\n", graph);
		edges_say(g, graph, 1);
		block_say(g, g->body[graph], 0, g->shuffled[graph]);
		edges_say(g, graph, 0);
		say(g, "TG_END(G%d)\n", graph);
	}
	block_say(g, g->top, 0, 0);
	for (int t = RG_TENSORS / 2; t < RG_TENSORS; t++)
		say(g, "MC_COPY(10%d, OUT%d, 256)\n", t, t);
	for (int t = RG_TENSORS / 2; t < RG_TENSORS; t += 2)
		say(g, "MC_FREE(10%d)\n", t);
}
