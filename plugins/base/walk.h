/* SPDX-License-Identifier: MIT */
/* walk.h - what a program does in one run, without running it: its tasks with their arguments and edges, and what else orders them, from a program that was made
 * with rt_program_args.planned. One thread. */
#ifndef BASE_WALK_H
#define BASE_WALK_H

#include "patience.h"
#include "ptowsp/run.h"
#include "rt/rt_feed.h"

/* A task, by its number. */
struct base_walk_task {
	uint64_t args; /* places of its first scalar, tensor argument and predecessor */
	uint64_t tensors, preds;
	uint32_t arg_count, tensor_count, pred_count;
	uint32_t kernel, executor, stream, process, pool;
	uint32_t depth_loops; /* as in struct rt_item */
	uint16_t unit;
	uint64_t cycles; /* as far as they are known before it runs */
	bool there;      /* kernels.run was told of it */
};
/* Events before a task besides its edges: items of the feed, with the number of the next task. */
struct base_walk_event {
	uint8_t kind; /* enum rt_item_kind */
	uint32_t row, process;
	uint64_t number, at; /* the item's; tasks before it */
	uint64_t preds;      /* FOLLOW: place of the first task of its list */
	uint32_t pred_count;
};
/* Elements that travel with a token: those of the n-th SEND of an instance into a channel, or of its n-th TAKE from it, are the n-th of these that say so. */
struct base_walk_move {
	uint32_t process, channel;
	bool sends;
	struct ptowsp_tensor_arg window; /* of a walk that does not come in batches: among its tensors, too */
};
struct base_walk {
	uint64_t
		first; /* tasks before its own, which have run: all numbers in it count from there; not where it comes in batches, whose numbers are those of the run */
	uint64_t told; /* of its own, whose kernels.run was told: some that the feed has not given yet */
	struct base_walk_task *tasks;
	uint64_t *args;
	struct ptowsp_tensor_arg *tensors;
	uint64_t *preds;
	struct base_walk_event *events;
	struct base_walk_move *moves;
	uint64_t task_count; /* that the feed gave */
	uint32_t rows;       /* of tasks, there or not */
	uint32_t task_room, arg_count, arg_room, tensor_count, tensor_room, pred_count, pred_room, event_count, event_room, move_count, move_room;
	struct rt_limits limits; /* in force; depths are the program's */
	uint64_t *capacities;    /* per channel */
	uint64_t edges;
	bool batched;   /* base_walk_then.batch */
	bool exhausted; /* a task was not taken for want of memory */
};
/* Load before which the tasks so far have to run. */
struct base_walk_phase {
	uint32_t slot;   /* that is loaded */
	uint64_t writer; /* from what this task writes, of the whole run */
};

/* kernels.run of the planned program, with the walk as its context. */
ptowsp_status base_walk_task_run(void *walk, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker);
/* kernels.moved of it. */
ptowsp_status base_walk_moved(void *walk, const struct rt_moved *moved, struct ptowsp_error *error);
/* Receiver of a whole walk, before rt closes its run: feed takes the times of tasks. */
struct base_walk_then {
	void *context;
	ptowsp_status (*walked)(void *context, struct rt_feed *feed, struct ptowsp_error *error);
	/* NULL: a program whose tasks decide which tasks there are is refused. Else runs the tasks of the walk so far, behind which it is emptied, and goes on. */
	ptowsp_status (*phase)(void *context, struct rt_feed *feed, const struct base_walk_phase *phase, struct ptowsp_error *error);
	/* NULL, or takes the walk as it comes (base_walk_take): before its first item, and whenever it has about batch_tasks tasks or as many events. Preds and events then name tasks of earlier batches, too. */
	ptowsp_status (*batch)(void *context, struct rt_feed *feed, struct ptowsp_error *error);
	uint64_t batch_tasks;
	const struct rt_engine *engine; /* its wait, ended and arena are those of the run; NULL: none */
	uint64_t most;                  /* tasks and events that are taken, 0: any number */
	struct base_patience *patience; /* asked meanwhile, and told of tasks; NULL: rt alone looks at deadline and cancel */
	/* The walk ends by an error of the program: runs the tasks before it, whose own failure goes before. NULL: they do not run. */
	ptowsp_status (*broken)(void *context, struct rt_feed *feed, struct ptowsp_error *error);
};
/* Fills a zeroed or filled walk. planned: its kernels.run gets here. args: as for rt_run; kernels are not run. Errors: of rt_run and of `then`;
 * UNSUPPORTED beyond `most`, as soon as it is met. */
ptowsp_status base_walk_fill(struct base_walk *walk, struct rt_program *planned, const struct rt_run_args *args, const struct base_walk_then *then,
			     struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error);
/* Tasks and events so far go to *taken, which is zeroed or was taken before, and to be finished: its room is the walk's then. Limits, capacities and moves stay. False: no memory. */
bool base_walk_take(struct base_walk *walk, struct base_walk *taken);
void base_walk_finish(struct base_walk *walk);

struct rt_vector_clocks; /* rt/process/vector_clock.h, which is not installed */
/* Clocks of the walk's processes, before whatever each instance does next; a step is the caller's number for a task. False: no memory; to be finished in any case. */
bool base_walk_clocks_init(struct rt_vector_clocks *clocks, const struct base_walk *walk);
/* SEND, TAKE, CLOSED and FINISH; others change nothing. */
void base_walk_clocks_take(struct rt_vector_clocks *clocks, const struct base_walk_event *event);

#endif
