/* SPDX-License-Identifier: MIT */
/* random_graph.h - random programs in the instruction form, and what they must do: a plain interpreter of the form, one instruction after the other.
 *
 * Programs have no races, so that any order that the edges allow gives the same bytes: between two kernels that touch the same part of a tensor,
 * one of them writing, there is an edge, an event or a full barrier. Kernels are C functions of which nothing is known (random_graph_step). */
#ifndef TESTS_RANDOM_GRAPH_H
#define TESTS_RANDOM_GRAPH_H

#include <stddef.h>
#include <stdint.h>

enum {
	RG_GRAPHS = 3,
	RG_TENSORS = 12,         /* tensor t belongs to graph t % RG_GRAPHS; the first half comes from outside, the others are allocated */
	RG_COUNTERS = RG_GRAPHS, /* C0 ...: what CF_WHILE asks */
	RG_SLOTS = 4,            /* parts of a tensor that bindings mean */
	RG_WORDS = 16,           /* i32 of a part */
	RG_ELEMENTS = RG_SLOTS * RG_WORDS,
	RG_KERNELS = 64,
	RG_NODES = 256,
	RG_INSTANCES = 900,
	RG_LAUNCHES = 64,
	RG_FUNCTIONS = 3,
};

/* A part of a tensor: slot + step * the iterator of the loop so many levels out (1: the innermost), level 0: slot alone. */
struct rg_part {
	int tensor, slot, step, level;
};
struct rg_kernel {
	char name[16];
	int graph, function, blocks, inputs;
	struct rg_part in[2], out;
	int counter;     /* 1: adds 1 to C of its graph instead */
	int conditional; /* it stands in a branch or loop */
};
enum rg_edge_kind { RG_AFTER, RG_DATA, RG_SOFT, RG_BARRIER, RG_EVENT };
struct rg_edge {
	int from, to, kind, tensor;
};
enum rg_node_kind { RG_KERNEL, RG_COPY, RG_FENCE, RG_IF, RG_LOOP, RG_WHILE, RG_BREAK, RG_LAUNCH, RG_INVOKE, RG_SYNC };
enum rg_condition_kind { RG_SYMBOL, RG_ELEMENT, RG_ITERATOR, RG_ITERATION };
/* Something of bits 0 to 2 of a value: value & mask. */
struct rg_condition {
	int kind, tensor, element, mask;
};
struct rg_node {
	int kind, next, child, other;     /* nodes, -1: none */
	int kernel, graph, stream, count; /* count: of CF_LOOP, limit of CF_WHILE */
	int iteration_of_loop;            /* TG_INVOKE: 1: the iterator around, 0: count */
	struct rg_condition condition;
	struct rg_part from, to; /* MC_COPY of one part */
};
struct rg_set { /* SY_BARRIER */
	int graph, a, b;
};
/* A kernel as it ran, in the order of the program. */
struct rg_instance {
	int kernel, launch;
	int after_first[4], after_end[4]; /* ranges of instances that rounds of loops put before it */
	int ranges;
};
struct random_graph {
	uint64_t seed, state;
	struct rg_kernel kernels[RG_KERNELS];
	struct rg_edge edges[1024];
	struct rg_node nodes[RG_NODES];
	struct rg_set sets[RG_GRAPHS];
	int kernel_count, edge_count, node_count, set_count;
	int body[RG_GRAPHS], top; /* first nodes */
	int shuffled[RG_GRAPHS];  /* its kernels stand in any order between what has a fixed place */
	int symbol;               /* the value of n */
	char text[65536];
	size_t length;
	/* what it does */
	int32_t tensors[RG_TENSORS][RG_ELEMENTS], counters[RG_COUNTERS][RG_WORDS];
	struct rg_instance instances[RG_INSTANCES];
	int instance_count, launch_count, overflow;
	int launch_graph[RG_LAUNCHES], launch_stream[RG_LAUNCHES];
	uint64_t launch_behind[RG_LAUNCHES]; /* bits of launches that end before it starts */
	uint64_t synced;                     /* while it runs: bits of launches that the program has waited for */
};

/* Fills in program and text; the same seed gives the same. */
void random_graph_make(struct random_graph *g, uint64_t seed);
/* Runs it: tensors as they are before, and then as they must be; instances, launches. overflow: it does more than there is room for. */
void random_graph_interpret(struct random_graph *g);
/* What function f does to one word of its output. */
int32_t random_graph_word(int function, int32_t out, int32_t first, int32_t second);
void random_graph_text(struct random_graph *g); /* of the program that is there */
unsigned random_graph_pick(struct random_graph *g, unsigned n);

#endif
