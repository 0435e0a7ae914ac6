/* SPDX-License-Identifier: MIT */
/* task_api.h - tasks from C: an orchestration function allocates tasks, says what they read and write, and submits them; the core finds out who waits
 * for whom and runs them on threads.
 *
 *	struct rt_tasks *tasks;
 *	rt_tasks_create(&tasks, NULL, &error);
 *	scale = rt_tasks_kernel(tasks, "scale", PTOWSP_UNIT_AIV, scale_fn);
 *	x = rt_tasks_tensor(tasks, "x", memory, PTOWSP_F32, 2048, 128);
 *	rt_tasks_run(tasks, orchestrate, &size, 8, 20, &result, &error);
 *	rt_tasks_destroy(tasks);
 *
 * where orchestrate does, for each task,
 *
 *	rt_task_alloc(tasks, scale, &task);
 *	rt_task_add_inout(tasks, task, x, 32 * i, 0, 32, 128);
 *	rt_task_submit(tasks, task);
 *
 * Threshold 0 is the safe mode: nothing starts before the orchestration function has returned; the whole graph is built in memory (rt_graph.h), and can be
 * run again, written as text (graph_text.h) and copied. Threshold n is the pipelined mode: tasks start when n of them have been submitted, or no more fit without a start,
 * while the function goes on; memory is bounded by the window, whatever the number of tasks.
 *
 * It stands here and not in abi/, because it is for programs that link libptowsp-rt.a: a backend, a test, an embedding program with kernels of its own.
 * Bytecode or a graph crosses the plugin boundary, never a function of the caller's.
 *
 * One thread calls all of these; kernels run on any thread. Every function that returns a status keeps the first error: the calls behind it do nothing and
 * return it again, and so does the run. So an orchestration function may ignore them all and return PTOWSP_OK. */
#ifndef RT_TASK_API_H
#define RT_TASK_API_H

#include "ptowsp/task.h"
#include "rt/rt_graph.h"
#include <stdbool.h>
#include <stdio.h>

struct rt_tasks;

/* What several devices tell each other that run at the same time, each with tasks of its own on a thread of its own. They may share memory. Errors: NO_MEMORY. */
struct rt_board;
ptowsp_status rt_board_create(struct rt_board **board_out, uint32_t devices, struct ptowsp_error *error);
void rt_board_destroy(struct rt_board *board);

struct rt_tasks_config { /* zero: the defaults */
	uint32_t rules;  /* how edges are found: RT_GRAPH_RULE_OVERLAP, _EXACT or _EXPLICIT (only add_dep), with or without _FULL. 0: OVERLAP and FULL */
	uint32_t window; /* pipelined: tasks that may be submitted and not have left, 0: 8192. Edges to older ones are not made: they have ended */
	uint32_t most_args, most_tensors; /* of one task, 0: 16 each, at most 4096 */
	uint64_t max_tasks;               /* 0: 2^32 - 2 */
	uint64_t max_bytes;               /* of a graph, 0: any */
	const volatile uint32_t *cancel;  /* atomic; non-zero asks a run to end. May be NULL */
	struct rt_board *board;           /* borrowed. NULL: there is one device */
	uint32_t device;                  /* of those of the board */
};
/* config is copied; NULL: the defaults. Errors: INVALID, NO_MEMORY. */
ptowsp_status rt_tasks_create(struct rt_tasks **tasks_out, const struct rt_tasks_config *config, struct ptowsp_error *error);
void rt_tasks_destroy(struct rt_tasks *tasks);

/* ---- before a run ------------------------------------------------------------------------------------------------------ */
/* A kernel; name is copied. fn: as any native kernel (ptowsp/task.h); its `kernel` and `tensor` fields are the numbers given here. Returns its number. */
uint32_t rt_tasks_kernel(struct rt_tasks *tasks, const char *name, enum ptowsp_unit unit, ptowsp_kernel_fn fn);
/* Bytes of workspace that calls of a kernel have (task->workspace, ptowsp/task.h), 0 unless said: 64-byte aligned, undefined contents, no other task's while
 * the kernel runs. Each worker has memory for the largest one, made when a run begins; a run without room for it is NO_MEMORY. */
void rt_tasks_kernel_workspace(struct rt_tasks *tasks, uint32_t kernel, uint64_t bytes);
/* Tasks of the kernel call it so many times, 1 unless said, one block behind the other (task->block). */
void rt_tasks_kernel_blocks(struct rt_tasks *tasks, uint32_t kernel, uint32_t blocks);
/* rows x columns elements that lie one row behind the other at data, borrowed. Returns its number. */
uint32_t rt_tasks_tensor(struct rt_tasks *tasks, const char *name, void *data, enum ptowsp_dtype dtype, uint64_t rows, uint64_t columns);

/* A kernel for rt_tasks_kernel: copies its first tensor argument into its second, which has as many rows and columns; they may overlap. */
ptowsp_status rt_tasks_copy(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
/* A channel between processes for so many tokens, 0: from hand to hand. With each go rows x columns elements, 0 x 0: none, which need memory of `blocks` times as many: the capacity, or so
 * many as there are processes that take. Returns its number. */
uint32_t rt_tasks_channel(struct rt_tasks *tasks, const char *name, uint64_t capacity, uint64_t blocks, enum ptowsp_dtype dtype, uint32_t rows,
			  uint32_t columns);

/* ---- in an orchestration function -------------------------------------------------------------------------------------- */
/* 0 or an error of its own, which ends the run. */
typedef ptowsp_status (*rt_orchestration_fn)(struct rt_tasks *tasks, void *context);

/* The next task; *task_out is its number, 0 first. It has to be submitted before another one is allocated. Errors: INVALID, LIMIT. */
ptowsp_status rt_task_alloc(struct rt_tasks *tasks, uint32_t kernel, uint64_t *task_out);
/* A region of rows x columns elements whose first one is (row, column), as the next tensor argument. Errors: INVALID naming task, tensor and region. */
ptowsp_status rt_task_add_input(struct rt_tasks *tasks, uint64_t task, uint32_t tensor, uint64_t row, uint64_t column, uint32_t rows, uint32_t columns);
ptowsp_status rt_task_add_output(struct rt_tasks *tasks, uint64_t task, uint32_t tensor, uint64_t row, uint64_t column, uint32_t rows, uint32_t columns);
ptowsp_status rt_task_add_inout(struct rt_tasks *tasks, uint64_t task, uint32_t tensor, uint64_t row, uint64_t column, uint32_t rows, uint32_t columns);
/* One that the task is given and does not touch: nobody waits for it. */
ptowsp_status rt_task_add_bound(struct rt_tasks *tasks, uint64_t task, uint32_t tensor, uint64_t row, uint64_t column, uint32_t rows, uint32_t columns);
/* So many elements behind each other, from that one of the tensor on, whatever its columns, as the next tensor argument: the kernel sees a single row. access: PTOWSP_READ | PTOWSP_WRITE,
 * 0: it does not touch them. Errors: INVALID naming task, tensor and elements. */
ptowsp_status rt_task_add_flat(struct rt_tasks *tasks, uint64_t task, uint32_t tensor, uint64_t element, uint64_t count, unsigned access);
/* The next scalar argument. */
ptowsp_status rt_task_add_arg(struct rt_tasks *tasks, uint64_t task, uint64_t value);
/* The task waits for an earlier one, whatever the rules say. */
ptowsp_status rt_task_add_dep(struct rt_tasks *tasks, uint64_t task, uint64_t producer);
/* The same, where tasks are counted as rt_tasks_count does, without what goes with tokens. */
ptowsp_status rt_task_add_after(struct rt_tasks *tasks, uint64_t task, uint64_t producer);
/* Tasks of one stream (0 .. 65535) follow each other. A task without a stream follows nobody. */
ptowsp_status rt_task_set_stream(struct rt_tasks *tasks, uint64_t task, uint32_t stream);
/* The task may run now. May wait for room in the window. Errors: DEADLOCK: the window is held by open scopes, with a window that would do;
 * KERNEL_FAILED, CANCELLED, TOO_BIG, NO_MEMORY. */
ptowsp_status rt_task_submit(struct rt_tasks *tasks, uint64_t task);
/* Tasks of a scope keep their places of the window until it ends. */
ptowsp_status rt_scope_begin(struct rt_tasks *tasks);
ptowsp_status rt_scope_end(struct rt_tasks *tasks);
/* Tasks that were submitted; what goes with tokens is none of them. */
uint64_t rt_tasks_count(const struct rt_tasks *tasks);
/* Tasks that follow begin when all so far have ended. */
ptowsp_status rt_tasks_barrier(struct rt_tasks *tasks);
/* An event, 0 to 65535, counts signals. A wait takes one of them, and tasks that follow begin when those before the signal have ended. Without one it is a DEADLOCK; a process waits. */
ptowsp_status rt_tasks_signal(struct rt_tasks *tasks, uint32_t event);
ptowsp_status rt_tasks_wait(struct rt_tasks *tasks, uint32_t event);
/* Tells a device of the board when all tasks so far have ended; in the safe mode there is none. Takes such a notification of that device, waiting for it: DEADLOCK where its run has ended without. */
ptowsp_status rt_tasks_notify(struct rt_tasks *tasks, uint32_t device, uint32_t notification);
ptowsp_status rt_tasks_wait_notify(struct rt_tasks *tasks, uint32_t device, uint32_t notification);
/* An element of a tensor, counted from its first one, when the latest task so far that writes it has ended: an integer as it is, a float toward zero; bits: its pattern, zero-extended.
 * Between tasks. The value is 0 after an error, which the function has to return. Errors: INVALID: no such element, or in the safe mode, where no task has run yet, one that a task of this run
 * writes; those of tasks. */
ptowsp_status rt_tasks_load(struct rt_tasks *tasks, uint32_t tensor, uint64_t element, bool bits, int64_t *value_out);

/* ---- processes --------------------------------------------------------------------------------------------------------- */
/* Functions that take turns: each on a thread of its own, one at a time. A turn is over with the next task that is submitted, or where the process has to wait. So the numbers of tasks, which order
 * them, do not depend on threads. */
struct rt_tasks_process {
	ptowsp_status (*run)(struct rt_tasks *tasks, void *context, uint32_t instance);
	uint32_t instance;
	const uint32_t *takes, *sends; /* channels that it takes from, that it sends into */
	uint32_t take_count, send_count;
};
/* In an orchestration function: until all have ended. Their tasks begin when all so far have ended. Errors: those of tasks; DEADLOCK where all wait. */
ptowsp_status rt_tasks_processes(struct rt_tasks *tasks, const struct rt_tasks_process *processes, uint32_t count, void *context);
/* In a process. Waits until the next token may be sent; false after an error. Then, if elements go with it, those of the region that begins at (row, column); then the token. */
bool rt_process_room(struct rt_tasks *tasks, uint32_t channel);
ptowsp_status rt_process_give(struct rt_tasks *tasks, uint32_t channel, uint32_t tensor, uint64_t row, uint64_t column);
ptowsp_status rt_process_send(struct rt_tasks *tasks, uint32_t channel, int64_t token);
/* Waits for the next token; false: the channel is closed by all who sent into it and empty, or after an error. Then what came with it goes into a region. */
bool rt_process_take(struct rt_tasks *tasks, uint32_t channel, int64_t *token_out);
ptowsp_status rt_process_get(struct rt_tasks *tasks, uint32_t channel, uint32_t tensor, uint64_t row, uint64_t column);
/* It sends nothing more; the end of a process closes its channels. */
ptowsp_status rt_process_close(struct rt_tasks *tasks, uint32_t channel);

/* ---- running ------------------------------------------------------------------------------------------------------------ */
struct rt_tasks_result {
	uint64_t tasks, edges;
	uint64_t started_at; /* tasks that were submitted when the first one could start */
	uint64_t in_flight;  /* most tasks that had been submitted and had not left */
	uint64_t bytes;      /* of memory that grows with the window or with the graph: records, arguments, edges; not the tensor map */
	uint64_t build_ns;   /* wall time in the orchestration function */
	uint64_t total_ns;   /* of the whole run */
};
/* workers: threads, the calling one included, at least 1. result_out may be NULL. Errors: those above, earliest first. Tasks that run have ended when it
 * returns. */
ptowsp_status rt_tasks_run(struct rt_tasks *tasks, rt_orchestration_fn orchestrate, void *context, uint32_t workers, uint32_t threshold,
			   struct rt_tasks_result *result_out, struct ptowsp_error *error);
/* Builds the graph and runs nothing. */
ptowsp_status rt_tasks_build(struct rt_tasks *tasks, rt_orchestration_fn orchestrate, void *context, struct ptowsp_error *error);
/* Runs the graph of the last build or safe run once more. INVALID without one. */
ptowsp_status rt_tasks_rerun(struct rt_tasks *tasks, uint32_t workers, struct rt_tasks_result *result_out, struct ptowsp_error *error);
/* The graph, or NULL; until the next build, run or destroy. graph->head is the block, graph->head->bytes its size. */
const struct rt_graph *rt_tasks_graph(const struct rt_tasks *tasks);

#endif
