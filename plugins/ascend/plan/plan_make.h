/* SPDX-License-Identifier: MIT */
/* plan_make.h - the plan of a walk: everything that orders its tasks as edges between steps.
 *
 *   edges of the package          as they are
 *   dispatch                      tasks of an executor follow each other, where the policy does not ask about time
 *   streams, pipeline_depth d     each task after the d-th before it of its stream or domain: at most d of them overlap
 *   for_each, sequential, barrier a step without a kernel between what has to end and what comes then
 *   processes                     tasks of an instance follow each other
 *   channels of capacity q        what comes behind consume k after what stood before send k; what comes behind send k after what stood before consume k - q
 *
 *   payload of channels           a step that copies a region into a block, behind its writers, another one that copies it out of it: plan_moves.h
 *
 * More predecessors than ASCEND_FAN_IN are gathered by steps without a kernel. Tasks outside scopes stand in scopes of a few hundred, so that a ring of the task buffer
 * gets them back.
 *
 * The task window is kept by the orchestration, before it submits a task (ascend_plan_step.room), whatever rings there are; where it cannot know who has ended, by edges. One thread. */
#ifndef ASCEND_PLAN_MAKE_H
#define ASCEND_PLAN_MAKE_H

#include "ascend/plan/plan_build.h"
#include "base/walk.h"
#include "rt/rt.h"

#define ASCEND_FAN_IN 64u /* edges that the task buffer keeps in a task; a host graph takes twice as many */
/* Versions lie anywhere in this process: their entry tensor begins where no memory is, at an address that the element sizes divide. */
#define ASCEND_VERSIONS_BASE ((const char *)(uintptr_t)4096)

/* The part that all tasks of a kernel have in common. */
struct ascend_plan_kernel {
	struct ascend_plan_step step; /* function, cube, shape, blocks */
	uint32_t passed;              /* bytes per block that the runtime places for its cores to pass on, 0: none */
};
struct ascend_plan_rules {
	bool simulated;                           /* tensor argument 0 is the record of the call: adapter.h, */
	bool bare;                                /*   and the only argument: nothing moves, so the record tells where everything is */
	bool scopes;                              /* the variant gives back by scopes */
	bool mapped;                              /* the runtime's own map is told of windows of tensors */
	bool comes;                               /* in batches, while tasks of earlier ones run: base_walk_then.batch */
	uint64_t window;                          /* that tasks are held to, 0: none */
	uint32_t moved_tensors;                   /* TENS rows, 0: channels carry nothing */
	uint32_t blocks_entry, versions_entry;    /* entry tensors with the blocks of channels, and, 0: there are none, with versions of temp tensors */
	const uint32_t *entries;                  /* per TENS row: its entry tensor */
	const struct ptowsp_binding *bindings;    /* per TENS row; those that no task uses may be empty */
	const struct ascend_plan_kernel *kernels; /* per KREG row */
};
/* Steps of one batch, with what a record of a call has to know beside it. A zeroed one is empty, and one that was made may be made again. */
struct ascend_plan_part {
	const struct base_walk *walk;   /* the batch, or all of it */
	struct ascend_plan_build build; /* its steps */
	bool called;                    /* tasks and copies have records: ascend_plan_rules.simulated */
	struct base_walk_move *copies;  /* owned, in the order of their steps */
	uint32_t copy_count, copy_room;
};
void ascend_plan_part_finish(struct ascend_plan_part *part);

/* Makes the steps of a run, a batch at a time. */
struct ascend_maker;
/* walk: has the limits of the run, and its moves; it and rules->entries, bindings, and those by KREG row outlive the maker. Errors: NO_MEMORY. */
ptowsp_status ascend_maker_create(struct ascend_maker **maker_out, const struct base_walk *walk, const struct ascend_plan_rules *rules,
				  struct ptowsp_error *error);
void ascend_maker_destroy(struct ascend_maker *maker); /* NULL is allowed */
/* last: no batch follows. Errors: TOO_SMALL, UNSUPPORTED naming task and kernel by number for what a window cannot say; NO_MEMORY. */
ptowsp_status ascend_maker_take(struct ascend_maker *maker, struct ascend_plan_part *part, bool last, struct ptowsp_error *error);
/* Bytes of the entry tensor with blocks so far. */
uint64_t ascend_maker_block_bytes(const struct ascend_maker *maker);
/* Tasks that have steps. */
uint64_t ascend_maker_tasks(const struct ascend_maker *maker);
/* Steps up to that of the task, which has one; of a task that is long over, 0. */
uint64_t ascend_maker_steps(const struct ascend_maker *maker, uint64_t task);

#endif
