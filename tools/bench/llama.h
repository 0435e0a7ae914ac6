/* SPDX-License-Identifier: MIT */
/* llama.h - the full task graph of a llama layer over M tiles of 64 rows, as regions of plain tensors: the graph of the seed's benchmarks, whose index
 * arithmetic is nothing but tile numbers. 16 M + 3 M^2 tasks, 7 M^2 + 17 M edges RAW. The example package llama_layer has the same tasks and edges, but
 * finds the places of its blocks of scores through a slot. */
#ifndef TOOLS_BENCH_LLAMA_H
#define TOOLS_BENCH_LLAMA_H

#include "tools/bench/graph.h"

enum { BENCH_LLAMA_TENSORS = 33, BENCH_LLAMA_ROWS = 64, BENCH_LLAMA_COLUMNS = 128 };

/* Predecessors through what is written and then read. False without memory. graph has room for the tasks and four predecessors each. */
bool bench_llama_lists(struct bench_graph *graph, uint32_t m);
void bench_llama_program(struct bench_program *program, uint32_t m);

#endif
