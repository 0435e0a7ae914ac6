/* SPDX-License-Identifier: MIT */
/* tasks.h - what stands behind the C interface of tasks (task_api.h). The calling thread owns it; workers read kernels and tensors, and write their own
 * piece of `windows`. */
#ifndef RT_TASKS_H
#define RT_TASKS_H

#include "rt/graph/graph_build.h"
#include "rt/graph/graph_run.h"
#include "rt/graph/task_deps.h"
#include "rt/rt.h"
#include "rt/structure/flow.h"
#include "rt/task_api.h"
#include "rt/threads/flight.h"

/* Tasks that run while others are being submitted: a slot's words are the record, the arguments, the tensor arguments. */
struct rt_tasks_aloft {
	struct rt_flight flight;
	struct rt_flow flow;   /* scopes and the window */
	uint64_t *stream_last; /* per stream: its latest task + 1 */
	uint32_t stream_count, stream_room;
};
struct rt_task_event {
	uint64_t count, tasks; /* signals that are left; tasks before the latest */
};
struct rt_task_channel;
struct rt_task_turns;
/* Tasks that are none of the program's: each by how many of the program's come before it, the latest `room` of them, all where `most` is 0. */
struct rt_task_moves {
	uint64_t *before; /* number i at i % room */
	uint64_t count, room, most;
};
struct rt_tasks {
	struct rt_tasks_config config;
	struct rt_graph_build tables; /* kernels and tensors with their names; while a graph is built its tasks */
	struct rt_task_kernel {
		ptowsp_kernel_fn fn;
		uint64_t workspace; /* bytes */
		uint32_t blocks;
	} * functions; /* per kernel */
	void **data;   /* per tensor */
	uint32_t function_room, data_room;
	struct rt_task_channel *channels;
	uint32_t channel_count, channel_room, copy_kernel; /* of what goes with tokens */
	ptowsp_status refused;                             /* a kernel or tensor was; no run begins */
	struct ptowsp_error refused_error;

	/* the run */
	bool running; /* an orchestration function is being called */
	struct rt_task_deps deps;
	struct rt_tasks_aloft *aloft; /* pipelined mode, else NULL */
	uint64_t next, edges;         /* number of the next task */
	uint64_t barrier;             /* tasks before it end before those that follow begin */
	struct rt_task_event *events;
	uint32_t event_count;
	struct rt_task_turns *turns; /* processes, else NULL */
	uint32_t scopes;
	struct rt_task_moves moves;
	bool moving;              /* the next task is one of those */
	bool open;                /* a task is allocated and not submitted */
	struct rt_graph_task row; /* that task */
	bool streamed;
	uint64_t *args;
	struct rt_graph_io *ios;
	ptowsp_status status; /* sticky */
	struct ptowsp_error error;

	/* running */
	struct rt_pool *pool;
	uint32_t workers;                  /* of the pool */
	struct ptowsp_tensor_arg *windows; /* most_tensors per worker */
	unsigned char *workspace;          /* workspace_stride bytes per worker; NULL: no kernel needs any */
	uint64_t workspace_stride;         /* the largest workspace of a kernel, a multiple of 64 */
	void *block;                       /* the graph of the last safe run */
	struct rt_graph graph;
	struct rt_graph_state state; /* of its runs, made by the first one */
};
/* An error between tasks, unless there is one already. */
ptowsp_status rt_tasks_fail(struct rt_tasks *tasks, ptowsp_status status, const char *what);
/* Somebody asked for it. */
bool rt_tasks_cancelled(const struct rt_tasks *tasks);
/* Calls the kernel of a task on this thread. args, ios: its own. */
ptowsp_status rt_task_call(struct rt_tasks *tasks, const struct rt_graph_task *task, uint64_t number, const uint64_t *args, const struct rt_graph_io *ios,
			   uint32_t worker, struct ptowsp_error *error);
/* task_turns.c: the process that has the turn lets others go on. Nothing where there are none. */
void rt_task_turn_over(struct rt_tasks *tasks);
/* task_moves.c: one more, behind so many of the program's tasks; most: as many as may be asked for, 0: all. False when out of memory. */
bool rt_task_moves_add(struct rt_task_moves *moves, uint64_t before, uint64_t most);
/* The number of the program's task `producer` among all; false: it is so old that it has left the window. */
bool rt_task_moves_find(const struct rt_task_moves *moves, uint64_t producer, uint64_t *number_out);
void rt_task_moves_finish(struct rt_task_moves *moves);
/* Until the event has a signal, in a process. */
void rt_task_event_await(struct rt_tasks *tasks, uint32_t event);
/* task_board.c: the device begins a run, or has ended one. */
void rt_task_board_run(const struct rt_tasks *tasks, bool ends);
/* Channels as they are before a run; and without any. */
void rt_task_channels_reset(struct rt_tasks *tasks);
void rt_task_channels_finish(struct rt_tasks *tasks);
/* task_run.c: pipelined mode: the task under construction, with its predecessors in tasks->deps. Errors: DEADLOCK, KERNEL_FAILED, CANCELLED, NO_MEMORY. */
ptowsp_status rt_task_fly(struct rt_tasks *tasks);

#endif
