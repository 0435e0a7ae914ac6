/* SPDX-License-Identifier: MIT */
/* rt_graph.h - a built task graph: one block of memory, immutable, without pointers, that may be copied to a device or to a file as it is. State of
 * a run stands elsewhere (graph_run.h). Everything here compiles freestanding: no library, no operating system, any 64-bit little-endian
 * machine.
 *
 *   head | tasks | edges | args | ios | kernels | tensors | text
 *
 * The head says where each part begins. Tasks stand in the order of their numbers: number = place. The successors of task t are edges[fanout_begin ..
 * + fanout_count), ascending, all larger than t: so the order of numbers is a valid order, and there is no cycle. Ranges follow each
 * other without gaps: fanout_begin, args_begin and io_begin of a task are the ends of the ranges of the task before.
 *
 * A task may start when all tasks with an edge to it have ended, the earlier task of its stream too (RT_GRAPH_STREAMED), and all tasks whose number is below
 * `order`. */
#ifndef RT_GRAPH_H
#define RT_GRAPH_H

#include "ptowsp/base.h"
#include "ptowsp/exec.h"

#define RT_GRAPH_MAGIC      0x42475450u /* the bytes read "PTGB" */
#define RT_GRAPH_VERSION    1u
#define RT_GRAPH_ALIGNMENT  64u        /* of every part, and of the block */
#define RT_GRAPH_NONE       UINT32_MAX /* no task, no executor, no instruction */
#define RT_GRAPH_TASK_LIMIT (UINT32_MAX - 1)

enum rt_graph_part_kind { RT_GRAPH_TASKS, RT_GRAPH_EDGES, RT_GRAPH_ARGS, RT_GRAPH_IOS, RT_GRAPH_KERNELS, RT_GRAPH_TENSORS, RT_GRAPH_TEXT, RT_GRAPH_PARTS };
struct rt_graph_part {
	uint64_t offset; /* from the beginning of the block, a multiple of RT_GRAPH_ALIGNMENT */
	uint32_t count;  /* records */
	uint32_t size;   /* bytes of one */
};
struct rt_graph_head {
	uint32_t magic, version;
	uint64_t bytes;  /* of the whole block, a multiple of RT_GRAPH_ALIGNMENT */
	uint64_t window; /* with which the edges were found: older tasks have none; 0: all tasks */
	uint32_t rules;  /* RT_GRAPH_RULE_x */
	uint32_t reserved;
	struct rt_graph_part parts[RT_GRAPH_PARTS];
	uint64_t zero[6];
};
/* How its edges were found; for people and checks, a run does not look. */
enum { RT_GRAPH_RULE_EXACT = 1, RT_GRAPH_RULE_OVERLAP = 2, RT_GRAPH_RULE_EXPLICIT = 4, RT_GRAPH_RULE_FULL = 8, RT_GRAPH_RULES = 15 };

/* A task's record, wherever it lies: in a graph, or in the ring of a run that generates its tasks (ring.h). 32 bytes. */
#define RT_TASK_FIELDS                                                                                                                                         \
	uint32_t kernel;   /* row of kernels */                                                                                                                \
	uint32_t executor; /* affinity: where it is placed, counted on through the pools, or NONE */                                                           \
	uint32_t stream;                                                                                                                                       \
	uint32_t instruction; /* of the workload that made it, or NONE */                                                                                      \
	uint32_t order;       /* tasks before it have ended before this one starts; at most its number */                                                      \
	uint16_t arg_count, io_count;                                                                                                                          \
	uint8_t domain; /* enum ptowsp_exec_domain */                                                                                                          \
	uint8_t pool;   /* enum ptowsp_exec_pool: by its kernel */                                                                                             \
	uint8_t queue;  /* ready queue that it joins, 0 first */                                                                                               \
	uint8_t level;  /* tile level */                                                                                                                       \
	uint16_t tags;  /* RT_GRAPH_x below */                                                                                                                 \
	uint16_t reserved;

/* One task of a graph. */
struct rt_graph_task {
	RT_TASK_FIELDS
	uint64_t cycles; /* known before it runs, 0 with LATER */
	uint32_t fanin;  /* edges into it, + 1 if it is STREAMED */
	uint32_t fanout_begin, fanout_count;
	uint32_t stream_next; /* the next task of its stream, or NONE */
	uint32_t args_begin, io_begin;
};
enum {
	RT_GRAPH_STREAMED = 1,    /* waits for the earlier task of its stream */
	RT_GRAPH_BARRIER = 2,     /* its order is larger than that of the task before */
	RT_GRAPH_FLUSH_BATCH = 4, /* dependencies collected so far were merged before it */
	RT_GRAPH_LATER = 8,       /* its cycles are known only by running */
	RT_GRAPH_TAGS = 15
};
/* A tensor argument: rows x columns elements from `start`, rows the tensor's `columns` apart; or, rows 0, `length` elements in one piece. */
struct rt_graph_io {
	uint64_t start, length; /* elements; length 0 with rows */
	uint32_t tensor;        /* row of tensors */
	uint32_t rows, columns;
	uint16_t access; /* PTOWSP_READ | PTOWSP_WRITE, 0: bound only */
	uint16_t reserved;
};
struct rt_graph_kernel {
	uint64_t id;          /* of its name, ptowsp_id */
	uint32_t name;        /* offset in text */
	uint16_t unit;        /* enum ptowsp_unit */
	uint8_t domain, pool; /* of its unit */
};
struct rt_graph_tensor {
	uint64_t id;
	uint64_t elements; /* UINT64_MAX: not known */
	uint64_t columns;  /* elements from one row to the next, at least 1 */
	uint32_t name;
	uint16_t dtype; /* enum ptowsp_dtype */
	uint16_t size;  /* bytes of an element */
};
PTOWSP_STATIC_ASSERT(sizeof(struct rt_graph_part) == 16, "layout");
PTOWSP_STATIC_ASSERT(sizeof(struct rt_graph_head) == 192, "layout");
PTOWSP_STATIC_ASSERT(sizeof(struct rt_graph_task) == 64, "one cache line");
PTOWSP_STATIC_ASSERT(offsetof(struct rt_graph_task, cycles) == 32, "what a task is has 32 bytes");
PTOWSP_STATIC_ASSERT(sizeof(struct rt_graph_io) == 32, "layout");
PTOWSP_STATIC_ASSERT(sizeof(struct rt_graph_kernel) == 16, "layout");
PTOWSP_STATIC_ASSERT(sizeof(struct rt_graph_tensor) == 32, "layout");

/* The parts of a block that lies in this memory. Borrowed; the block outlives it. */
struct rt_graph {
	const struct rt_graph_head *head;
	const struct rt_graph_task *tasks;
	const uint32_t *edges;
	const uint64_t *args;
	const struct rt_graph_io *ios;
	const struct rt_graph_kernel *kernels;
	const struct rt_graph_tensor *tensors;
	const char *text;
	uint32_t task_count, edge_count, arg_count, io_count, kernel_count, tensor_count, text_size;
};
static inline void rt_graph_open(struct rt_graph *graph, const void *block)
{
	const char *base = (const char *)block;
	const struct rt_graph_head *head = (const struct rt_graph_head *)block;
	const struct rt_graph_part *parts = head->parts;

	graph->head = head;
	graph->tasks = (const struct rt_graph_task *)(base + parts[RT_GRAPH_TASKS].offset);
	graph->edges = (const uint32_t *)(base + parts[RT_GRAPH_EDGES].offset);
	graph->args = (const uint64_t *)(base + parts[RT_GRAPH_ARGS].offset);
	graph->ios = (const struct rt_graph_io *)(base + parts[RT_GRAPH_IOS].offset);
	graph->kernels = (const struct rt_graph_kernel *)(base + parts[RT_GRAPH_KERNELS].offset);
	graph->tensors = (const struct rt_graph_tensor *)(base + parts[RT_GRAPH_TENSORS].offset);
	graph->text = base + parts[RT_GRAPH_TEXT].offset;
	graph->task_count = parts[RT_GRAPH_TASKS].count;
	graph->edge_count = parts[RT_GRAPH_EDGES].count;
	graph->arg_count = parts[RT_GRAPH_ARGS].count;
	graph->io_count = parts[RT_GRAPH_IOS].count;
	graph->kernel_count = parts[RT_GRAPH_KERNELS].count;
	graph->tensor_count = parts[RT_GRAPH_TENSORS].count;
	graph->text_size = parts[RT_GRAPH_TEXT].count;
}

/* Is a block of `size` bytes from an untrusted place a graph? NULL if so, and rt_graph_open and everything it leads to may be trusted; else the rule that
 * it breaks, as a constant text, with the number of the record in *where_out (may be NULL).
 * rt_graph_head_check looks at the head alone and tells how many tasks there are: rt_graph_check needs `counts`, one per task, to count the edges
 * into each. block: aligned to 8 bytes. Any thread. */
const char *rt_graph_head_check(const void *block, uint64_t size, uint32_t *tasks_out);
const char *rt_graph_check(const void *block, uint64_t size, uint32_t *counts, uint64_t *where_out);

#endif
