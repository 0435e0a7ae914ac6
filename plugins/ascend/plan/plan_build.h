/* SPDX-License-Identifier: MIT */
/* plan_build.h - makes a plan (ascend_plan.h) step by step, and one block of it. One thread. */
#ifndef ASCEND_PLAN_BUILD_H
#define ASCEND_PLAN_BUILD_H

#include "ascend/ascend_plan.h"
#include "ptowsp/base.h"
#include "registry/common/common_grow.h"
#include <stdbool.h>

struct ascend_plan_build {
	struct ascend_plan_step *steps;
	uint32_t *edges;
	struct ascend_plan_window *windows;
	uint64_t *scalars;
	uint32_t step_count, edge_count, window_count, scalar_count;
	uint32_t step_room, edge_room, window_room, scalar_room;
	uint32_t first; /* steps of the run before */
	bool failed;    /* no memory; what comes then is lost, and block says so */
};
/* A zeroed one is empty. Each call adds behind what is there; edges, windows and scalars belong to the step that was added last. Returns the step's number in the run; producer
 * is one. Inline: each is called for every task. */
static inline uint32_t ascend_plan_step_add(struct ascend_plan_build *build, const struct ascend_plan_step *step)
{
	struct ascend_plan_step *at;

	if (build->failed || !COMMON_GROW(build->steps, build->step_room, build->step_count)) {
		build->failed = true;
		return 0;
	}
	at = &build->steps[build->step_count];
	*at = *step;
	at->edge_count = at->window_count = at->scalar_count = 0;
	return build->first + build->step_count++;
}

#define ASCEND_PLAN_ADD(build, row, value)                                                                                                                     \
	do {                                                                                                                                                   \
		if ((build)->failed || !COMMON_GROW((build)->row##s, (build)->row##_room, (build)->row##_count)) {                                             \
			(build)->failed = true;                                                                                                                \
		} else {                                                                                                                                       \
			(build)->row##s[(build)->row##_count++] = (value);                                                                                     \
			(build)->steps[(build)->step_count - 1].row##_count++;                                                                                 \
		}                                                                                                                                              \
	} while (0)
static inline void ascend_plan_edge_add(struct ascend_plan_build *build, uint32_t producer)
{
	ASCEND_PLAN_ADD(build, edge, build->first + build->step_count - 1 - producer);
}
static inline void ascend_plan_window_add(struct ascend_plan_build *build, const struct ascend_plan_window *window)
{
	ASCEND_PLAN_ADD(build, window, *window);
}
static inline void ascend_plan_scalar_add(struct ascend_plan_build *build, uint64_t value)
{
	ASCEND_PLAN_ADD(build, scalar, value);
}
/* Empties the build, whose memory stays for the next part. first: steps of the run before. */
void ascend_plan_build_empty(struct ascend_plan_build *build, uint32_t first);
/* The rows where they lie, which have to stay there while the plan is read. */
void ascend_plan_over(const struct ascend_plan_build *build, struct ascend_plan_head *plan_out);
/* *block_out: to be freed. Errors: NO_MEMORY. */
ptowsp_status ascend_plan_block_make(const struct ascend_plan_build *build, struct ascend_plan_head **block_out, struct ptowsp_error *error);
void ascend_plan_build_finish(struct ascend_plan_build *build);

static inline const struct ascend_plan_step *ascend_plan_steps(const struct ascend_plan_head *plan)
{
	return (const void *)((uintptr_t)plan + (uintptr_t)plan->steps);
}
static inline const uint32_t *ascend_plan_edges(const struct ascend_plan_head *plan)
{
	return (const void *)((uintptr_t)plan + (uintptr_t)plan->edges);
}

/* The steps that a step comes behind, while it is put together. A zeroed one is empty. */
struct ascend_preds {
	uint32_t *steps; /* owned */
	uint32_t count, room;
	bool failed; /* no memory; what comes then is lost */
};
#define ASCEND_STEP_NONE UINT32_MAX /* adds nothing */
void ascend_preds_add(struct ascend_preds *preds, uint32_t step);
/* Each once, in order. */
void ascend_preds_tidy(struct ascend_preds *preds);
void ascend_preds_finish(struct ascend_preds *preds);

#endif
