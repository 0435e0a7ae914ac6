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
 * gets them back. One thread. */
#ifndef ASCEND_PLAN_MAKE_H
#define ASCEND_PLAN_MAKE_H

#include "ascend/plan/plan_build.h"
#include "base/walk.h"

#define ASCEND_FAN_IN    64u /* what the task buffer keeps in a task; a host graph takes twice as many */
#define ASCEND_STEP_NONE UINT32_MAX

struct ascend_plan_rules {
	bool simulated;                        /* tensor argument 0 is the record of the call: adapter.h */
	bool scopes;                           /* the variant gives back by scopes */
	uint32_t call_bytes;                   /* of a record; those of moves stand behind those of tasks, in the order of the walk's */
	uint32_t blocks_entry;                 /* entry tensor with the blocks of channels */
	uint64_t window;                       /* that the package states, 0: none */
	bool window_edges;                     /* no ring is that large: each task waits for the one a window before, too */
	const uint32_t *entries;               /* per TENS row: its entry tensor */
	const struct ptowsp_binding *bindings; /* per TENS row; those that no task uses may be empty */
	const uint16_t *blocks;                /* per KREG row, NULL: 1 each */
};
/* *build: zeroed. *block_bytes_out: of the entry tensor with blocks. Errors: TOO_SMALL, UNSUPPORTED naming task and kernel by number for what a window cannot say; NO_MEMORY. */
ptowsp_status ascend_plan_make(struct ascend_plan_build *build, const struct base_walk *walk, const struct ascend_plan_rules *rules, uint64_t *block_bytes_out,
			       struct ptowsp_error *error);

#endif
