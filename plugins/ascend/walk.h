/* SPDX-License-Identifier: MIT */
/* walk.h - what a program does in one run, without running it: its tasks with their arguments and edges, and what else orders them, from a program that was made
 * with rt_program_args.planned. One thread. */
#ifndef ASCEND_WALK_H
#define ASCEND_WALK_H

#include "ptowsp/run.h"
#include "rt/feed.h"

/* A task, by its number. */
struct ascend_walk_task {
	uint64_t args;            /* places of its first scalar, tensor argument and predecessor */
	uint64_t tensors, preds;
	uint32_t arg_count, tensor_count, pred_count;
	uint32_t kernel, executor, stream, process, pool;
	uint32_t depth_loops;     /* as in struct rt_item */
	uint16_t unit;
	uint64_t cycles;          /* as far as they are known before it runs */
	bool there;               /* kernels.run was told of it */
};
/* What comes before a task besides its edges: items of the feed, with the number of the next task. */
struct ascend_walk_event {
	uint8_t kind;             /* enum rt_item_kind */
	uint32_t row, process;
	uint64_t number, at;      /* the item's; tasks before it */
};
struct ascend_walk {
	struct ascend_walk_task *tasks;
	uint64_t *args;
	struct ptowsp_tensor_arg *tensors;
	uint64_t *preds;
	struct ascend_walk_event *events;
	uint64_t task_count;      /* that the feed gave */
	uint32_t task_room, arg_count, arg_room, tensor_count, tensor_room, pred_count, pred_room, event_count, event_room;
	struct rt_limits limits;  /* in force; depths are the program's */
	uint64_t *capacities;     /* per channel */
	uint64_t edges;
};

/* kernels.run of the planned program, with the walk as its context. */
ptowsp_status ascend_walk_task_run(void *walk, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker);
/* What is done with a whole walk, before rt closes its run: feed takes the times of tasks. */
struct ascend_walk_then {
	void *context;
	ptowsp_status (*walked)(void *context, struct rt_feed *feed, struct ptowsp_error *error);
};
/* Fills a zeroed or filled walk. planned: its kernels.run gets here. args: as for rt_run; kernels are not run. Errors: of rt_run and of `then`. */
ptowsp_status ascend_walk_fill(struct ascend_walk *walk, struct rt_program *planned, const struct rt_run_args *args, const struct ascend_walk_then *then,
			       struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error);
void ascend_walk_finish(struct ascend_walk *walk);

#endif
