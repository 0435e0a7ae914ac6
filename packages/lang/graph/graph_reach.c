/* SPDX-License-Identifier: MIT */
#include "lang/graph/lang_graph.h"
#include "ptowsp/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 8, BLOCK = WORDS * 64 }; /* kernels that one pass over the edges asks for */

/* One pass: which kernels of a block of questions come before a node, a bit each. Rows lie in the order in which nodes are issued, so that a pass
 * reads and writes a narrow band of them. */
struct pass {
	const struct lang_graph_order *order;
	uint64_t (*before)[WORDS], (*visible)[WORDS]; /* by rank */
	uint32_t *bit;                                /* by rank: its bit in this pass plus 1, 0: it is not asked for */
	uint32_t first, last;                         /* ranks */
};

/* qsort has no context: the questions carry ranks while they are sorted. */
static int by_from(const void *a, const void *b)
{
	const struct lang_graph_question *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static void edge_follow(struct pass *pass, const struct lang_graph_edge *edge, const uint64_t *out, const uint64_t *seen)
{
	uint32_t to = pass->order->rank[edge->to];
	int flushes = edge->type == PTOWSP_dep_type_DATA || edge->type == PTOWSP_dep_type_BARRIER;

	if (to > pass->last)
		return;
	for (uint32_t w = 0; w < WORDS; w++) {
		pass->before[to][w] |= out[w];
		pass->visible[to][w] |= flushes ? out[w] : seen[w];
	}
}

static int row_step(struct pass *pass, uint32_t at, uint64_t *out)
{
	uint64_t any = 0;

	memcpy(out, pass->before[at], sizeof(pass->before[at]));
	if (pass->bit[at])
		out[(pass->bit[at] - 1) / 64] |= UINT64_C(1) << ((pass->bit[at] - 1) % 64);
	for (uint32_t w = 0; w < WORDS; w++)
		any |= out[w];
	return any != 0;
}

static void pass_run(struct pass *pass)
{
	const struct lang_graph_order *order = pass->order;
	size_t rows = (size_t)pass->last - pass->first + 1;
	uint64_t out[WORDS];

	memset(pass->before[pass->first], 0, rows * sizeof(*pass->before));
	memset(pass->visible[pass->first], 0, rows * sizeof(*pass->visible));
	for (uint32_t at = pass->first; at <= pass->last; at++) {
		if (!row_step(pass, at, out))
			continue;
		for (uint32_t e = order->first[order->sorted[at]]; e; e = order->next[e - 1])
			edge_follow(pass, &order->edges[e - 1], out, pass->visible[at]);
	}
}

/* The questions that one pass answers: as many as have BLOCK different kernels in front. Returns how many. */
static uint32_t block_take(struct pass *pass, const struct lang_graph_question *questions, uint32_t count)
{
	uint32_t taken = 0, bits = 0;

	pass->first = pass->last = questions[0].from;
	for (; taken < count; taken++) {
		const struct lang_graph_question *q = &questions[taken];

		if (!pass->bit[q->from]) {
			if (bits == BLOCK)
				break;
			pass->bit[q->from] = ++bits;
		}
		pass->last = q->to > pass->last ? q->to : pass->last;
	}
	return taken;
}

static void block_answer(struct pass *pass, struct lang_graph_question *questions, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct lang_graph_question *q = &questions[i];
		uint32_t bit = pass->bit[q->from] - 1;

		q->before = pass->before[q->to][bit / 64] >> (bit % 64) & 1;
		q->visible = pass->visible[q->to][bit / 64] >> (bit % 64) & 1;
	}
	for (uint32_t i = 0; i < count; i++)
		pass->bit[questions[i].from] = 0;
}

void lang_graph_reach(struct lang_unit *unit, const struct lang_graph_order *order, struct lang_graph_question *questions, uint32_t count)
{
	struct pass pass = {.order = order};
	uint32_t taken;

	if (!count)
		return;
	pass.before = common_alloc(&unit->arena, order->node_count * sizeof(*pass.before));
	pass.visible = common_alloc(&unit->arena, order->node_count * sizeof(*pass.visible));
	pass.bit = common_alloc(&unit->arena, order->node_count * sizeof(*pass.bit));
	for (uint32_t i = 0; i < count; i++) {
		questions[i].from = order->rank[questions[i].from];
		questions[i].to = order->rank[questions[i].to];
		assert(questions[i].from < questions[i].to);
	}
	qsort(questions, count, sizeof(*questions), by_from);
	for (uint32_t at = 0; at < count; at += taken) {
		taken = block_take(&pass, questions + at, count - at);
		pass_run(&pass);
		block_answer(&pass, questions + at, taken);
	}
	for (uint32_t i = 0; i < count; i++) {
		questions[i].from = order->sorted[questions[i].from];
		questions[i].to = order->sorted[questions[i].to];
	}
}
