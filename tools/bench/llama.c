/* SPDX-License-Identifier: MIT */
#include "tools/bench/llama.h"

#include <stdio.h>
#include <stdlib.h>
#include "ptowsp/task.h"

enum tensor {
	INPUT, ATTN_NORM, NORM, WQ, WK, WV, Q, K, V, COS, SIN, Q_ROPE, K_ROPE, ZEROS_LARGE, ZEROS_SMALL, NEG_INF, ATTN_OUT, L_VEC, M_VEC, SCORES,
	WEIGHTS, SCALE, WO, HIDDEN, MLP_NORM, W_GATE, W_UP, GATE, UP, SWIGLU, W_DOWN, MLP_OUT, OUTPUT, TENSORS
};
_Static_assert((int)TENSORS == (int)BENCH_LLAMA_TENSORS, "as many tensors as the header says");
enum { MOST = 7 }; /* tensors of a task */

/* A tile of a tensor: of the outer loop, of the inner one, or the first. */
struct touch {
	uint8_t tensor, tile, access;
};
enum { FIRST, OUTER, INNER };
struct call {
	uint8_t count;
	struct touch touches[MOST];
};
#define R(tensor, tile) {tensor, tile, PTOWSP_READ}
#define W(tensor, tile) {tensor, tile, PTOWSP_WRITE}

static const struct call before[] = {
	{3, {R(INPUT, OUTER), R(ATTN_NORM, FIRST), W(NORM, OUTER)}}, /* rmsnorm */
	{3, {R(NORM, OUTER), R(WQ, FIRST), W(Q, OUTER)}},
	{3, {R(NORM, OUTER), R(WK, FIRST), W(K, OUTER)}},
	{3, {R(NORM, OUTER), R(WV, FIRST), W(V, OUTER)}},
	{4, {R(Q, OUTER), R(COS, FIRST), R(SIN, FIRST), W(Q_ROPE, OUTER)}},
	{4, {R(K, OUTER), R(COS, FIRST), R(SIN, FIRST), W(K_ROPE, OUTER)}},
};
static const struct call begin[] = {
	{6, {R(ZEROS_LARGE, FIRST), R(ZEROS_SMALL, FIRST), R(NEG_INF, FIRST), W(ATTN_OUT, OUTER), W(L_VEC, OUTER), W(M_VEC, OUTER)}},
};
static const struct call block[] = {
	{3, {R(Q_ROPE, OUTER), R(K_ROPE, INNER), W(SCORES, OUTER)}},
	{7, {R(SCORES, OUTER), R(M_VEC, OUTER), R(L_VEC, OUTER), W(M_VEC, OUTER), W(L_VEC, OUTER), W(WEIGHTS, OUTER), W(SCALE, OUTER)}},
	{5, {R(ATTN_OUT, OUTER), R(WEIGHTS, OUTER), R(V, INNER), R(SCALE, OUTER), W(ATTN_OUT, OUTER)}},
};
static const struct call end[] = {
	{3, {R(ATTN_OUT, OUTER), R(L_VEC, OUTER), W(ATTN_OUT, OUTER)}},
};
static const struct call behind[] = {
	{3, {R(ATTN_OUT, OUTER), R(WO, FIRST), W(NORM, OUTER)}},
	{3, {R(NORM, OUTER), R(INPUT, OUTER), W(HIDDEN, OUTER)}},
	{3, {R(HIDDEN, OUTER), R(MLP_NORM, FIRST), W(NORM, OUTER)}},
	{3, {R(NORM, OUTER), R(W_GATE, FIRST), W(GATE, OUTER)}},
	{3, {R(NORM, OUTER), R(W_UP, FIRST), W(UP, OUTER)}},
	{3, {R(GATE, OUTER), R(UP, OUTER), W(SWIGLU, OUTER)}},
	{3, {R(SWIGLU, OUTER), R(W_DOWN, FIRST), W(MLP_OUT, OUTER)}},
	{3, {R(MLP_OUT, OUTER), R(HIDDEN, OUTER), W(OUTPUT, OUTER)}},
};
#define COUNT(calls) (sizeof(calls) / sizeof(*(calls)))

/* ---- predecessor lists ---------------------------------------------------------------------------------------- */

struct lists {
	struct bench_graph *graph;
	uint32_t *writers; /* per tensor and tile: latest task + 1 */
	uint32_t m;
};

static uint32_t *writer_of(const struct lists *l, const struct touch *touch, uint32_t outer, uint32_t inner)
{
	return &l->writers[(size_t)touch->tensor * l->m + (touch->tile == FIRST ? 0 : touch->tile == OUTER ? outer : inner)];
}

static void predecessor_add(struct bench_graph *g, uint32_t from, uint32_t producer)
{
	for (uint64_t e = from; e < g->edges; e++)
		if (g->predecessors[e] == producer)
			return;
	g->predecessors[g->edges++] = producer;
}

static void calls_list(struct lists *l, const struct call *calls, size_t count, uint32_t outer, uint32_t inner)
{
	struct bench_graph *g = l->graph;

	for (const struct call *call = calls; call < calls + count; call++) {
		uint32_t from = (uint32_t)g->edges, task = g->tasks++;

		g->offset[task] = from;
		for (uint32_t i = 0; i < call->count; i++) {
			uint32_t *writer = writer_of(l, &call->touches[i], outer, inner);

			if (call->touches[i].access == PTOWSP_WRITE)
				*writer = task + 1;
			else if (*writer)
				predecessor_add(g, from, *writer - 1);
		}
	}
}

bool bench_llama_lists(struct bench_graph *graph, uint32_t m)
{
	struct lists l = {graph, calloc((size_t)TENSORS * m, sizeof(*l.writers)), m};

	for (uint32_t i = 0; l.writers && i < m; i++)
		calls_list(&l, before, COUNT(before), i, 0);
	for (uint32_t q = 0; l.writers && q < m; q++) {
		calls_list(&l, begin, COUNT(begin), q, 0);
		for (uint32_t k = 0; k < m; k++)
			calls_list(&l, block, COUNT(block), q, k);
		calls_list(&l, end, COUNT(end), q, 0);
	}
	for (uint32_t i = 0; l.writers && i < m; i++)
		calls_list(&l, behind, COUNT(behind), i, 0);
	free(l.writers);
	return l.writers != NULL;
}

/* ---- bytecode ------------------------------------------------------------------------------------------------- */

struct emitting {
	struct bench_program *p;
	uint32_t tensors[TENSORS], kernels[MOST + 1]; /* kernels by number of tensors */
	uint32_t rows[INNER + 1];                      /* expressions: first row of the tile */
};

static void calls_emit(const struct emitting *e, const struct call *calls, size_t count)
{
	for (const struct call *call = calls; call < calls + count; call++) {
		bench_program_task(e->p, e->kernels[call->count], call->count, 0);
		for (uint32_t i = 0; i < call->count; i++) {
			const struct touch *touch = &call->touches[i];
			uint32_t region = bench_program_region(e->p, e->tensors[touch->tensor], e->rows[touch->tile], BENCH_LLAMA_ROWS, BENCH_LLAMA_COLUMNS);

			bench_program_emit(e->p, touch->access == PTOWSP_WRITE ? PTOWSP_OP_IO_OUTPUT : PTOWSP_OP_IO_INPUT, i, region);
		}
	}
}

static void emitting_init(struct emitting *e, struct bench_program *program, uint32_t m)
{
	uint32_t tile = bench_program_const(program, BENCH_LLAMA_ROWS);
	char name[16];

	e->p = program;
	for (uint32_t t = 0; t <= MOST; t++) {
		snprintf(name, sizeof(name), "work%u", t);
		e->kernels[t] = bench_program_kernel(program, name, t, 0, NULL, 0);
	}
	for (uint32_t t = 0; t < TENSORS; t++) {
		snprintf(name, sizeof(name), "t%u", t);
		e->tensors[t] = bench_program_tensor(program, name, m * BENCH_LLAMA_ROWS, BENCH_LLAMA_COLUMNS);
	}
	e->rows[FIRST] = bench_program_const(program, 0);
	for (uint32_t depth = 0; depth < 2; depth++)
		e->rows[OUTER + depth] = bench_program_expr(program, PTOWSP_EXPR_MUL, bench_program_expr(program, PTOWSP_EXPR_LOOP, depth, 0), tile);
}

void bench_llama_program(struct bench_program *program, uint32_t m)
{
	struct emitting e;
	uint32_t count = bench_program_const(program, m), tiles = bench_program_axis(program, "tile", count), keys = bench_program_axis(program, "kv_tile", count);
	uint32_t outer, inner;

	emitting_init(&e, program, m);
	outer = bench_program_emit(program, PTOWSP_OP_PARALLEL_FOR, tiles, 0);
	calls_emit(&e, before, COUNT(before));
	bench_program_end(program, outer);
	outer = bench_program_emit(program, PTOWSP_OP_PARALLEL_FOR, tiles, 0);
	calls_emit(&e, begin, COUNT(begin));
	inner = bench_program_emit(program, PTOWSP_OP_PARALLEL_FOR, keys, 0);
	calls_emit(&e, block, COUNT(block));
	bench_program_end(program, inner);
	calls_emit(&e, end, COUNT(end));
	bench_program_end(program, outer);
	outer = bench_program_emit(program, PTOWSP_OP_PARALLEL_FOR, tiles, 0);
	calls_emit(&e, behind, COUNT(behind));
	bench_program_end(program, outer);
}
