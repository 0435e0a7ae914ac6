/* SPDX-License-Identifier: MIT */
#include "tools/bench/graph.h"

#include <stdlib.h>
#include "tools/bench/llama.h"

#define TAIL 7u /* w1: length of the chain behind each tile */

/* ---- predecessor lists ---------------------------------------------------------------------------------------- */

static uint32_t task(struct bench_graph *g)
{
	g->offset[g->tasks] = (uint32_t)g->edges;
	return g->tasks++;
}

static void after(struct bench_graph *g, uint32_t predecessor)
{
	g->predecessors[g->edges++] = predecessor;
}

static uint32_t task_after(struct bench_graph *g, uint32_t predecessor)
{
	uint32_t t = task(g);

	after(g, predecessor);
	return t;
}

/* Tile i: normalise, three projections, two rotations: 6 tasks from 6 i on. */
static uint32_t rotated_q(uint32_t i) { return 6 * i + 4; }
static uint32_t rotated_k(uint32_t i) { return 6 * i + 5; }
static uint32_t projected_v(uint32_t i) { return 6 * i + 3; }

static void w1_tile(struct bench_graph *g)
{
	uint32_t norm = task(g), q = task_after(g, norm), k = task_after(g, norm);

	task_after(g, norm);
	task_after(g, q);
	task_after(g, k);
}

/* Row q of the pairs: score, update, accumulate for each k. Returns the last accumulation. */
static uint32_t w1_row(struct bench_graph *g, uint32_t q, uint32_t n)
{
	uint32_t update = 0, sum = 0;

	for (uint32_t k = 0; k < n; k++) {
		uint32_t score = task_after(g, rotated_q(q)), next;

		after(g, rotated_k(k));
		next = task_after(g, score);
		if (k)
			after(g, update);
		update = next;
		next = task_after(g, update);
		after(g, projected_v(k));
		if (k)
			after(g, sum);
		sum = next;
	}
	return sum;
}

static void w1_lists(struct bench_graph *g, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		w1_tile(g);
	for (uint32_t q = 0; q < n; q++)
		w1_row(g, q, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t last = 6 * n + 3 * n * (i + 1) - 1;

		for (unsigned j = 0; j < TAIL; j++)
			last = task_after(g, last);
	}
}

static void w2_lists(struct bench_graph *g, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < n; j++) {
			uint32_t t = task(g);

			if (i)
				after(g, t - n);
			if (j)
				after(g, t - 1);
		}
}

bool bench_graph_init(struct bench_graph *graph, enum bench_workload workload, uint32_t n)
{
	const bool llama = workload == BENCH_LLAMA;
	size_t square = (size_t)n * n;
	size_t tasks = workload == BENCH_W1 ? 3 * square + 13 * (size_t)n : workload == BENCH_W2 ? square : n;
	bool made = true;

	if (llama)
		tasks = 3 * square + 16 * (size_t)n;
	*graph = (struct bench_graph){0};
	graph->offset = calloc(tasks + 1, sizeof(*graph->offset));
	graph->predecessors = calloc((llama ? 4 : 3) * tasks + 1, sizeof(*graph->predecessors));
	if (!graph->offset || !graph->predecessors)
		return false;
	if (workload == BENCH_W1)
		w1_lists(graph, n);
	else if (workload == BENCH_W2)
		w2_lists(graph, n);
	else if (llama)
		made = bench_llama_lists(graph, n);
	else
		for (uint32_t i = 0; i < n; i++)
			if (task(graph) && workload == BENCH_W4)
				after(graph, i - 1);
	graph->offset[graph->tasks] = (uint32_t)graph->edges;
	return made;
}

void bench_graph_finish(struct bench_graph *graph)
{
	free(graph->offset);
	free(graph->predecessors);
	*graph = (struct bench_graph){0};
}

/* ---- bytecode ------------------------------------------------------------------------------------------------- */

/* A row of a tensor that a task accesses; the row is an expression. */
struct access {
	uint32_t tensor, row;
	bool write; /* reads and writes; else reads */
};

static void emit_task(struct bench_program *p, uint32_t kernel, const struct access *accesses, uint32_t count)
{
	bench_program_task(p, kernel, count, 0);
	for (uint32_t i = 0; i < count; i++)
		bench_program_emit(p, accesses[i].write ? PTOWSP_OP_IO_INOUT : PTOWSP_OP_IO_INPUT, i,
				   bench_program_region(p, accesses[i].tensor, accesses[i].row, 1, 1));
}
#define EMIT(p, kernel, ...) \
	emit_task(p, kernel, (const struct access[]){__VA_ARGS__}, \
		  sizeof((const struct access[]){__VA_ARGS__}) / sizeof(struct access))

static uint32_t loop(struct bench_program *p, uint32_t axis)
{
	return bench_program_emit(p, PTOWSP_OP_PARALLEL_FOR, axis, 0);
}

static void w1_program(struct bench_program *p, const uint32_t kernels[4], uint32_t n)
{
	static const char *const names[] = {"x", "q", "k", "v", "m", "o"};
	uint32_t t[6], s, outer, inner, count = bench_program_const(p, n);
	uint32_t i = bench_program_expr(p, PTOWSP_EXPR_LOOP, 0, 0), k = bench_program_expr(p, PTOWSP_EXPR_LOOP, 1, 0);
	uint32_t pair = bench_program_expr(p, PTOWSP_EXPR_ADD, bench_program_expr(p, PTOWSP_EXPR_MUL, i, count), k);
	uint32_t tiles = bench_program_axis(p, "i", count), inner_tiles = bench_program_axis(p, "k", count);

	for (unsigned d = 0; d < 6; d++)
		t[d] = bench_program_tensor(p, names[d], n, 1);
	s = bench_program_tensor(p, "s", n * n, 1);
	outer = loop(p, tiles);
	EMIT(p, kernels[1], {t[0], i, true});
	for (unsigned d = 1; d <= 3; d++)
		EMIT(p, kernels[2], {t[0], i, false}, {t[d], i, true});
	EMIT(p, kernels[1], {t[1], i, true});
	EMIT(p, kernels[1], {t[2], i, true});
	bench_program_end(p, outer);
	outer = loop(p, tiles);
	inner = loop(p, inner_tiles);
	EMIT(p, kernels[3], {t[1], i, false}, {t[2], k, false}, {s, pair, true});
	EMIT(p, kernels[2], {s, pair, true}, {t[4], i, true});
	EMIT(p, kernels[3], {s, pair, false}, {t[3], k, false}, {t[5], i, true});
	bench_program_end(p, inner);
	bench_program_end(p, outer);
	outer = loop(p, tiles);
	for (unsigned j = 0; j < TAIL; j++)
		EMIT(p, kernels[1], {t[5], i, true});
	bench_program_end(p, outer);
}

static void w2_program(struct bench_program *p, const uint32_t kernels[4], uint32_t n)
{
	uint32_t count = bench_program_const(p, n), rows = bench_program_tensor(p, "rows", n, 1);
	uint32_t columns = bench_program_tensor(p, "columns", n, 1);
	uint32_t i = bench_program_expr(p, PTOWSP_EXPR_LOOP, 0, 0), j = bench_program_expr(p, PTOWSP_EXPR_LOOP, 1, 0);
	uint32_t outer = loop(p, bench_program_axis(p, "i", count)), inner = loop(p, bench_program_axis(p, "j", count));

	EMIT(p, kernels[2], {rows, i, true}, {columns, j, true});
	bench_program_end(p, inner);
	bench_program_end(p, outer);
}

static void line_program(struct bench_program *p, const uint32_t kernels[4], uint32_t n, bool chain)
{
	uint32_t one = bench_program_tensor(p, "chain", 1, 1), first = bench_program_const(p, 0);
	uint32_t tasks = loop(p, bench_program_axis(p, "i", bench_program_const(p, n)));

	if (chain)
		EMIT(p, kernels[1], {one, first, true});
	else
		bench_program_task(p, kernels[0], 0, 0);
	bench_program_end(p, tasks);
}

void bench_graph_program(struct bench_program *program, enum bench_workload workload, uint32_t n)
{
	static const char *const names[] = {"work0", "work1", "work2", "work3"};
	uint32_t kernels[4]; /* by number of tensors */

	if (workload == BENCH_LLAMA) {
		bench_llama_program(program, n);
		return;
	}
	for (uint32_t t = 0; t < 4; t++)
		kernels[t] = bench_program_kernel(program, names[t], t, 0, NULL, 0);
	if (workload == BENCH_W1)
		w1_program(program, kernels, n);
	else if (workload == BENCH_W2)
		w2_program(program, kernels, n);
	else
		line_program(program, kernels, n, workload == BENCH_W4);
}

uint64_t bench_graph_tensor(enum bench_workload workload, uint32_t n, uint32_t row)
{
	if (workload == BENCH_W1)
		return row < 6 ? n : row == 6 ? (uint64_t)n * n : 0;
	if (workload == BENCH_W2)
		return row < 2 ? n : 0;
	if (workload == BENCH_LLAMA)
		return row < BENCH_LLAMA_TENSORS ? (uint64_t)n * BENCH_LLAMA_ROWS * BENCH_LLAMA_COLUMNS : 0;
	return row < 1 ? 1 : 0;
}

uint32_t bench_graph_columns(enum bench_workload workload)
{
	return workload == BENCH_LLAMA ? BENCH_LLAMA_COLUMNS : 1;
}

const char *bench_graph_name(enum bench_workload workload)
{
	static const char *const names[] = {"", "w1", "w2", "w3", "w4", "llama"};

	return names[workload];
}
