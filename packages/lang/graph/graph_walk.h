/* SPDX-License-Identifier: MIT */
/* graph_walk.h - the state of writing a graph program's code; shared by the files that do it. */
#ifndef LANG_GRAPH_WALK_H
#define LANG_GRAPH_WALK_H

#include "lang/graph/graph_lower.h"

struct lang_graph_iterator {
	const struct lang_graph_object *object;
	uint32_t loop; /* depth of its value */
};
/* A node that the task at hand waits for. */
struct lang_graph_wait {
	struct lang_graph_node *node;
	uint32_t kind; /* operand1 of AFTER */
};
struct lang_graph_walk {
	struct lang_lower *lower;
	struct lang_graph_lowering *lowering;
	struct lang_graph_launch *launch; /* NULL at the top */
	struct lang_graph_node **open;    /* issued in the launch, and no task that always runs waits for them */
	struct lang_graph_node **barrier; /* everything issued from now on in the launch waits for them */
	uint32_t open_count, open_capacity, barrier_count, barrier_capacity;
	struct lang_graph_wait *waits; /* room for those of one task */
	uint32_t wait_capacity, stamp;
	struct lang_span at;
	uint64_t tasks;     /* issued so far, in a program without control flow */
	uint32_t iteration; /* EXPR row of ITERATION */
	uint32_t depth, loops, branches;
	struct lang_graph_iterator iterators[PTOWSP_NESTING_LIMIT];
	uint32_t iterator_count;
};

static inline struct lang_graph_memory *lang_graph_memory_of(const struct lang_graph_walk *walk, const struct lang_graph_tensor *tensor)
{
	return &walk->lowering->memories[tensor->object.index];
}

/* --- graph_lower.c --- */

/* One body deeper, or the error that this is too deep; leaving it is depth--. */
void lang_graph_nest(struct lang_graph_walk *walk);
uint32_t lang_graph_emit(struct lang_graph_walk *walk, unsigned opcode, uint32_t operand1, uint32_t operand2);
/* The same with the position. */
uint32_t lang_graph_emit_at(struct lang_graph_walk *walk, unsigned opcode, uint32_t operand1, uint32_t operand2);
void lang_graph_kernel_emit(struct lang_graph_walk *walk, const struct lang_graph_kernel *kernel);
void lang_graph_copy_emit(struct lang_graph_walk *walk, const struct lang_graph_inst *inst);
/* Every tensor that the graph changes, into its place in the checkpoint or back. */
void lang_graph_checkpoint_emit(struct lang_graph_walk *walk, const struct lang_graph_inst *inst);

/* --- graph_control.c --- */

void lang_graph_block_emit(struct lang_graph_walk *walk, const struct lang_graph_block *block);

/* --- graph_lower.c --- */

/* EXPR row of a scalar; what it loads is loaded here. */
uint32_t lang_graph_expr(struct lang_graph_walk *walk, const struct lang_graph_scalar *scalar);
/* Bytes as elements of the tensor; types were chosen so that nothing is left over. */
uint32_t lang_graph_elements_expr(struct lang_graph_walk *walk, const struct lang_graph_scalar *bytes, const struct lang_graph_memory *memory);

/* --- graph_memory.c --- */

/* Tensors that live as long as the run, or until a MC_FREE somewhere else. */
void lang_graph_allocs_emit(struct lang_graph_walk *walk);
/* How many allocations of the block are freed in it. */
uint32_t lang_graph_homes_find(struct lang_graph_walk *walk, const struct lang_graph_block *block);
/* Allocations of the block that the instruction wants: those where they stand, or where they are used before that, as in the seed's own text. */
void lang_graph_wants_emit(struct lang_graph_walk *walk, const struct lang_graph_block *home, const struct lang_graph_inst *inst);
void lang_graph_free_emit(struct lang_graph_walk *walk, const struct lang_graph_inst *inst);

/* --- graph_edge.c --- */

/* AFTER words behind the task of a kernel, or of a copy (kernel NULL). */
void lang_graph_edges_emit(struct lang_graph_walk *walk, struct lang_graph_node *node, const struct lang_graph_kernel *kernel);
/* Before the task: a full barrier in front of it, where one instruction says just that; else edges do. */
void lang_graph_barrier_emit(struct lang_graph_walk *walk, const struct lang_graph_kernel *kernel);
/* Before the task: where it may be that nothing has signalled an event that the kernel waits for. */
void lang_graph_events_wait(struct lang_graph_walk *walk, const struct lang_graph_kernel *kernel);
/* At the end of the program: an event that is waited for is signalled somewhere, if only in a branch that is never taken. */
void lang_graph_events_end(struct lang_graph_walk *walk);

#endif
