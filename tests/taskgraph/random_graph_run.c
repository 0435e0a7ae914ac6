/* SPDX-License-Identifier: MIT
 * random_graph_run.c - what a program of instructions does, written from their specification: one after the other, in the order of the text. Slow and
 * plain on purpose; it shares nothing with packages/lang. */
#include "tests/taskgraph/random_graph.h"

#include <stdbool.h>
#include <string.h>

enum { GO_ON, BROKEN };

/* Around the instruction at hand. */
struct scope {
	struct random_graph *g;
	int launch, iteration; /* launch -1: the top */
	int iterators[8], loops;
	int first[8], end[8], ranges; /* what has to be over because a round of a loop began */
};

static int *words_of(struct random_graph *g, int tensor)
{
	return tensor < RG_TENSORS ? g->tensors[tensor] : g->counters[tensor - RG_TENSORS];
}

static int slot_of(const struct scope *s, const struct rg_part *part)
{
	if (part->level > 0)
		return part->slot + part->step * s->iterators[s->loops - part->level];
	return part->level < 0 ? s->iteration : part->slot;
}

static int *part_of(struct scope *s, const struct rg_part *part)
{
	return words_of(s->g, part->tensor) + slot_of(s, part) * RG_WORDS;
}

static void kernel_run(struct scope *s, int kernel)
{
	struct random_graph *g = s->g;
	const struct rg_kernel *k = &g->kernels[kernel];
	struct rg_instance *instance = &g->instances[g->instance_count];
	int *out = part_of(s, &k->out);

	if (g->instance_count == RG_INSTANCES) {
		g->overflow = 1;
		return;
	}
	g->instance_count++;
	*instance = (struct rg_instance){.kernel = kernel, .launch = s->launch, .ranges = s->ranges};
	memcpy(instance->after_first, s->first, sizeof(instance->after_first));
	memcpy(instance->after_end, s->end, sizeof(instance->after_end));
	if (k->counter) {
		out[0]++;
		return;
	}
	for (int w = 0; w < RG_WORDS; w++)
		out[w] = random_graph_word(k->function, out[w], k->inputs > 0 ? part_of(s, &k->in[0])[w] : 0, k->inputs > 1 ? part_of(s, &k->in[1])[w] : 0);
}

static bool condition_is(const struct scope *s, const struct rg_condition *c)
{
	int value = c->kind == RG_SYMBOL     ? s->g->symbol
		    : c->kind == RG_ELEMENT  ? words_of(s->g, c->tensor)[c->element]
		    : c->kind == RG_ITERATOR ? s->iterators[s->loops - 1]
					     : s->iteration;

	return (value & c->mask) != 0;
}

static int block_run(struct scope *s, int first);

static int loop_run(struct scope *s, const struct rg_node *n)
{
	int rounds = n->condition.mask ? s->g->symbol & n->condition.mask : n->count, begin = s->g->instance_count, range = s->ranges++, state = GO_ON;

	s->loops += n->kind == RG_LOOP;
	for (int i = 0; state == GO_ON && !s->g->overflow && (n->kind == RG_LOOP ? i < rounds : s->g->counters[n->graph][0] < n->count); i++) {
		if (n->kind == RG_LOOP)
			s->iterators[s->loops - 1] = i;
		s->first[range] = begin;
		s->end[range] = s->g->instance_count;
		state = block_run(s, n->child);
	}
	s->loops -= n->kind == RG_LOOP;
	s->ranges--;
	return GO_ON;
}

/* A launch waits for those on its stream, and for all that the program has waited for. */
static void launch_run(struct scope *s, const struct rg_node *n)
{
	struct random_graph *g = s->g;
	struct scope inner = {.g = g, .launch = g->launch_count};

	if (g->launch_count == RG_LAUNCHES) {
		g->overflow = 1;
		return;
	}
	g->launch_graph[g->launch_count] = n->graph;
	g->launch_stream[g->launch_count] = n->kind == RG_LAUNCH ? n->stream : 2;
	for (int l = 0; l < g->launch_count; l++)
		if (g->launch_stream[l] == g->launch_stream[g->launch_count] || (g->synced >> l & 1))
			g->launch_behind[g->launch_count] |= UINT64_C(1) << l;
	g->launch_count++;
	if (n->kind == RG_INVOKE)
		inner.iteration = n->iteration_of_loop ? s->iterators[s->loops - 1] : n->count;
	block_run(&inner, g->body[n->graph]);
}

static void sync_run(struct random_graph *g, int graph)
{
	for (int l = 0; l < g->launch_count; l++)
		if (g->launch_graph[l] == graph)
			g->synced |= UINT64_C(1) << l;
}

static int block_run(struct scope *s, int first)
{
	for (int at = first; at >= 0; at = s->g->nodes[at].next) {
		const struct rg_node *n = &s->g->nodes[at];
		int state = GO_ON;

		switch (n->kind) {
		case RG_KERNEL: kernel_run(s, n->kernel); break;
		case RG_COPY: memmove(part_of(s, &n->to), part_of(s, &n->from), RG_WORDS * sizeof(int32_t)); break;
		case RG_IF: state = block_run(s, condition_is(s, &n->condition) ? n->child : n->other); break;
		case RG_LOOP:
		case RG_WHILE: state = loop_run(s, n); break;
		case RG_BREAK: state = condition_is(s, &n->condition) ? BROKEN : GO_ON; break;
		case RG_LAUNCH:
		case RG_INVOKE: launch_run(s, n); break;
		case RG_SYNC: sync_run(s->g, n->graph); break;
		default: break; /* a fence makes visible what is visible here anyway */
		}
		if (state == BROKEN)
			return BROKEN;
	}
	return GO_ON;
}

void random_graph_interpret(struct random_graph *g)
{
	struct scope top = {.g = g, .launch = -1};

	g->instance_count = g->launch_count = 0;
	g->synced = 0;
	memset(g->launch_behind, 0, sizeof(g->launch_behind));
	block_run(&top, g->top);
}
