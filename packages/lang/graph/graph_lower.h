/* SPDX-License-Identifier: MIT */
/* graph_lower.h - a program of task graph instructions as workload: rows of kernels, tensors, slots and events, and one entry of code.
 * Everything lies in the unit's arena.
 *
 * graph_type.c   which element type each tensor has
 * graph_rows.c   rows with ids, and what is written into them
 * graph_launch.c  launches: who waits for whom
 * graph_lower.c, graph_edge.c  the code */
#ifndef LANG_GRAPH_LOWER_H
#define LANG_GRAPH_LOWER_H

#include <stdbool.h>

#include "lang/graph/lang_graph.h"
#include "lang/lower/lang_lower.h"
#include "lang/tensor.h"

/* A kernel or a copy of one launch. In a program with control flow its slot holds the number of its latest task, -1 before the first. */
struct lang_graph_node {
	struct lang_made slot; /* first */
	uint64_t number;       /* of its task, in a program without control flow */
	uint8_t issued;        /* the code so far has it */
	uint8_t conditional;   /* it may not run */
	uint8_t source, sink;  /* no edge of its graph leads to it, from it */
	uint8_t named;         /* others may wait for it: in a program with control flow it has a slot */
	uint8_t covered;       /* a task of its launch that always runs waits for it */
	uint32_t stamp, place; /* of the latest list of edges that it is in, and where there */
};

/* One TG_LAUNCH or TG_INVOKE; also a copy at the top, and the copies of a TG_CHECKPOINT or TG_RESTORE. */
struct lang_graph_launch {
	struct lang_graph_inst *inst;
	struct lang_graph *graph;        /* NULL: copies only */
	struct lang_graph_node *nodes;   /* kernels as in graph->kernels, then copies */
	struct lang_graph_inst **copies; /* MC_COPY of its graph, in text order */
	uint32_t node_count, copy_count, copy_capacity;
	uint8_t conditional;            /* it stands in a branch or loop */
	uint8_t branches;               /* its graph has branches or loops */
	uint8_t maybe_empty;            /* it may be that no task of it runs: nobody is behind anything because of it */
	uint8_t waited;                 /* some launch waits for it directly */
	uint32_t *direct, direct_count; /* launches that it waits for, ascending; others behind those */
	uint64_t *behind;               /* per launch a bit: it starts behind that one in any way; NULL: not looked at yet */
};

/* The facts that lowering finds out about a tensor. */
struct lang_graph_memory {
	struct lang_made made; /* first; TENS row */
	struct lang_graph_tensor *tensor;
	struct lang_graph_memory *leader;    /* of those that are copied into each other: one type */
	const char *name;                    /* of the row */
	struct lang_graph_memory *shared;    /* external: of an earlier program, the same tensor; NULL: none */
	const struct lang_tensor *declared;  /* external: `tensor` of that name in the module, NULL: none */
	uint16_t dtype;                      /* u8 where elements of several types lie in it */
	uint8_t typed, mixed;                /* while types are found: some use has one; two uses differ */
	uint8_t ordered;                     /* a copy or a scalar reads or writes it: kernels of which nothing is known count as doing both */
	uint8_t freed_inside;                /* MC_FREE in the block of its MC_ALLOC */
	uint8_t there;                       /* while code is written: between the two */
	const struct lang_graph_block *home; /* while code is written: the block that takes and frees it */
	uint64_t elements;                   /* 0: external, as many as are bound */
};

struct lang_graph_node_row {   /* KREG row of a kernel */
	struct lang_made made; /* first */
	struct lang_graph_kernel *kernel;
	struct lang_graph_lowering *lowering;
	struct lang_graph_node_row *same; /* itself, or that of a kernel which is called in the same way */
	const char *name;
};

/* More kernels than that in a module: those that are called in the same way share a row, which bears the name of their entry. An instruction of WORK
 * can name 65,536 of them. */
#define LANG_GRAPH_ROWS_LIMIT (1u << 15)

struct lang_graph_slot {                         /* of an element that is loaded, or a scalar that is declared nowhere */
	struct lang_made made;                   /* first */
	const struct lang_graph_scalar *element; /* NULL: of a scalar */
};

/* Instructions and edges that name a kernel or an event, in the order of the text. */
struct lang_graph_link {
	struct lang_graph_link *next;
	struct lang_graph_inst *inst;
	struct lang_graph_depend *depend;
};
struct lang_graph_list {
	struct lang_graph_link *first, *last;
};
struct lang_graph_links {
	struct lang_graph_list into, from; /* TG_DEPEND */
	struct lang_graph_list waits;      /* SY_WAIT */
	struct lang_graph_list sets;       /* SY_BARRIER */
};

struct lang_graph_event {      /* of an event that kernels wait for */
	struct lang_made made; /* first */
	const struct lang_graph_object *object;
	uint8_t needed; /* it may be that nothing signals it */
};

struct lang_graph_save {       /* a tensor in a checkpoint */
	struct lang_made made; /* first; TENS row of the copy */
	struct lang_graph_memory *memory;
	const struct lang_graph_object *checkpoint;
	uint64_t elements;
	struct lang_graph_save *next;
};

/* The state of a checkpoint: LANG_GRAPH_MARK_BYTES. A host that asks sets the first two to 1 and the others to 0 before the run, the last one to 1 too
 * where the run begins with the checkpoint. Then the third one is 1 once it was taken, and the second one 0 for good once it was brought back without
 * being there: it takes over the last one when it is brought back, and the last one takes over the second when it is taken. */
enum { LANG_GRAPH_MARK_BYTES = 4 };
struct lang_graph_mark {
	struct lang_made made; /* first; TENS row */
	const struct lang_graph_object *checkpoint;
	struct lang_graph_mark *next;
};

struct lang_graph_lowering {
	struct lang_unit *unit;
	struct lang_module *module;
	struct lang_graph_program *program;
	uint32_t entry;                     /* ENTR row */
	struct lang_graph_launch *launches; /* in text order */
	uint32_t launch_count, launch_capacity;
	struct lang_graph_memory *memories;  /* by tensor->object.index */
	struct lang_graph_node_row *kernels; /* by kernel->object.index */
	struct lang_graph_links *links;      /* by kernel->object.index */
	struct lang_graph_list *signals;     /* SY_SIGNAL by object->index of the event */
	struct lang_map scalars;             /* of slots that are called like a scalar */
	uint32_t elements;                   /* of the slots those that are loaded */
	struct lang_graph_event *events;     /* by object->index; without an object where it is no event */
	struct lang_graph_save *saves;
	struct lang_graph_mark *marks;
	struct lang_map shared_rows; /* rows that kernels share, by what is in them */
	uint8_t dynamic;             /* there is control flow: task numbers are in slots */
};

/* --- graph_edge.c --- */
void lang_graph_list_add(struct common_arena *arena, struct lang_graph_list *list, struct lang_graph_inst *inst, struct lang_graph_depend *depend);
void lang_graph_links_make(struct lang_graph_lowering *lowering);

/* --- graph_type.c --- */
void lang_graph_types_find(struct lang_graph_lowering *lowering);
/* How a kernel touches its argument: READ | WRITE, 0: not known, or not at all. */
unsigned lang_graph_access(const struct lang_graph_lowering *lowering, const struct lang_graph_kernel *kernel, const struct lang_graph_bind *bind);
struct lang_graph_bind *lang_graph_bind_of(const struct lang_graph_kernel *kernel, uint32_t arg);

/* --- graph_launch.c --- */
void lang_graph_launches_find(struct lang_graph_lowering *lowering);
/* The launch that the instruction makes. */
struct lang_graph_launch *lang_graph_launch_of(struct lang_graph_lowering *lowering, const struct lang_graph_inst *inst);
/* The one is behind the other, directly or not. */
bool lang_graph_launch_behind(const struct lang_graph_lowering *lowering, uint32_t launch, uint32_t other);
/* Marks the nodes that edges may lead from. */
void lang_graph_nodes_name(struct lang_graph_lowering *lowering);
struct lang_graph_node *lang_graph_node_of(struct lang_graph_launch *launch, const struct lang_graph_kernel *kernel);

/* --- graph_rows.c --- */
/* TENS row; once rows are sorted. */
uint32_t lang_graph_tensor_row(const struct lang_graph_memory *memory);
/* Rows of all graph programs of the module, before any is numbered. */
void lang_graphs_declare(struct lang_lower *lower);
/* Directives that graphs bring along, where the source has none of the kind. */
void lang_graph_schedule(struct lang_lower *lower);

/* --- the state of writing a graph program's code; shared by the files that do it. --- */

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

/* Enters a body, or says that bodies lie too deep; depth-- leaves it. */
void lang_graph_nest(struct lang_graph_walk *walk);

/* --- graph_rows.c --- */

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
/* Puts a full barrier before the task where one instruction says just that; else edges do. */
void lang_graph_barrier_emit(struct lang_graph_walk *walk, const struct lang_graph_kernel *kernel);
/* Called before the task, where perhaps nothing has signalled an event that the kernel waits for. */
void lang_graph_events_wait(struct lang_graph_walk *walk, const struct lang_graph_kernel *kernel);
/* At the end of the program: an event that is waited for is signalled somewhere, if only in a branch that is never taken. */
void lang_graph_events_end(struct lang_graph_walk *walk);

#endif
