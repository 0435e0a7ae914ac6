/* SPDX-License-Identifier: MIT */
/* ascend_plan.h - what the orchestration object of the pto-runtime engine interprets: the tasks of one run in the order in which they are submitted, as blocks of
 * memory without pointers: one with all of them, or, where the orchestration runs in this process, one after the other as they come (ascend_plan_source). Compiled as C11 into the backends and as C++17 into the orchestration (orchestration/plan.cpp), so it needs <stdint.h> only.
 *
 *   head | steps | edges | windows | scalars
 *
 * A step is a task, a task without a kernel (something to wait for), or the begin or end of a scope. Edges, windows and scalars of the steps follow each other
 * without gaps: a step says how many it has. An edge is how many steps before it an earlier one stands, which is a task. */
#ifndef ASCEND_PLAN_H
#define ASCEND_PLAN_H

#include <stdint.h>

#define ASCEND_PLAN_MAGIC   0x4C505450u /* the bytes read "PTPL" */
#define ASCEND_PLAN_VERSION 5u
#define ASCEND_PLAN_DIMS    2

struct ascend_plan_head {
	uint32_t magic, version;
	uint64_t bytes; /* of the whole block */
	uint32_t step_count, edge_count, window_count, scalar_count;
	uint64_t steps, edges, windows,
		scalars;     /* offsets from the beginning, multiples of 8: beyond the block and modulo 2^64 where it is read in this process */
	uint64_t first;      /* steps of the run before its own */
	uint64_t calls;      /* records of calls (adapter.h), in the order of tasks and copies: where the first one begins in the table, */
	uint64_t call_bytes; /*   and of each; 0: there are none */
};

enum ascend_step_kind {
	ASCEND_STEP_TASK = 0,
	ASCEND_STEP_DUMMY = 1, /* no kernel, windows or scalars */
	ASCEND_STEP_SCOPE_BEGIN = 2,
	ASCEND_STEP_SCOPE_END = 3,
	ASCEND_STEP_COPY = 4 /* of the simulation: a task that is none of the package's, with a region and a block */
};
enum ascend_step_shape {
	ASCEND_SHAPE_CUBE = 0,
	ASCEND_SHAPE_VECTOR = 1,
	ASCEND_SHAPE_MIX = 2,    /* a cluster: a cube core and both of its vector cores */
	ASCEND_SHAPE_MIX_ONE = 3 /* a cube core and one vector core, the other one stays free */
};

struct ascend_plan_step {
	uint64_t number;   /* of the package's task; of others: of the next one */
	uint32_t function; /* id of the kernel's child for vector cores */
	uint32_t edge_count;
	uint16_t window_count, scalar_count;
	uint16_t blocks; /* at least 1 */
	uint8_t kind, shape;
	uint32_t room; /* it is submitted when no more steps than that before it may still run; ASCEND_ROOM_ANY: at once */
	uint32_t cube; /* id of its child for cube cores */
};
#define ASCEND_ROOM_ANY UINT32_MAX

enum {
	ASCEND_WINDOW_READ = 1,
	ASCEND_WINDOW_WRITE = 2,
	ASCEND_WINDOW_MAPPED = 4, /* the runtime finds whom its task comes behind because of it */
	ASCEND_WINDOW_PLACED = 8  /* the last one of its task: memory that the runtime places for the time that it runs, of dtype and shapes */
};
/* A tensor argument: elements of `dtype`, seen from the beginning of entry tensor `entry`. */
struct ascend_plan_window {
	uint64_t start; /* elements */
	uint32_t entry; /* tensor of the orchestration's arguments */
	uint8_t dtype;  /* of pod.h, the runtime's */
	uint8_t access; /* ASCEND_WINDOW_x */
	uint8_t ndims;  /* 1 or 2 */
	uint8_t contiguous;
	uint32_t shapes[ASCEND_PLAN_DIMS], strides[ASCEND_PLAN_DIMS];
};

#ifdef __cplusplus
static_assert(sizeof(ascend_plan_head) == 88, "layout");
static_assert(sizeof(ascend_plan_step) == 32, "layout");
static_assert(sizeof(ascend_plan_window) == 32, "layout");
#else
_Static_assert(sizeof(struct ascend_plan_head) == 88, "layout");
_Static_assert(sizeof(struct ascend_plan_step) == 32, "layout");
_Static_assert(sizeof(struct ascend_plan_window) == 32, "layout");
#endif

/* Blocks as they come. Both functions are called on the orchestration's thread. */
enum { ASCEND_STEPS_KEPT = 16384 }; /* a power of two: whom steps may name, and no step further back may still run */
struct ascend_plan_source {
	/* The block behind the latest one, which nobody looks at any more. NULL: it is not there yet, or *over_out: there is none. */
	const struct ascend_plan_head *(*next)(struct ascend_plan_source *source, int *over_out);
	uint64_t (*ended)(struct ascend_plan_source *source); /* steps before it no longer run */
};

/* Arguments of the orchestration: entry tensor 0 is the plan as bytes, 1 the table of calls (adapter.h; in the simulation only, else one byte that nobody
 * looks at), those of the package follow. Scalar 0 is the plan's address in this process where the orchestration runs on the host (host_build_graph), else 0; scalar 1 that
 * of a source, in place of a plan, or 0. */
enum { ASCEND_ENTRY_PLAN = 0, ASCEND_ENTRY_CALLS = 1, ASCEND_ENTRY_FIRST = 2, ASCEND_ENTRY_ADDRESS = 0, ASCEND_ENTRY_SOURCE = 1, ASCEND_ENTRY_NUMBERS = 2 };
#define ASCEND_ORCHESTRATION        "aicpu_orchestration_entry"
#define ASCEND_ORCHESTRATION_CONFIG "aicpu_orchestration_config"

#endif
