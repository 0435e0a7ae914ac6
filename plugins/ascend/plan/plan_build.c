/* SPDX-License-Identifier: MIT */
#include "ascend/plan/plan_build.h"

#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

#define PAGE 64u

void ascend_plan_build_empty(struct ascend_plan_build *build, uint32_t first)
{
	build->step_count = build->edge_count = build->window_count = build->scalar_count = 0;
	build->first = first;
}

static uint64_t part(uint64_t *end, uint64_t count, size_t size)
{
	uint64_t begin = *end;

	*end = (begin + count * size + PAGE - 1) / PAGE * PAGE;
	return begin;
}

static void part_copy(struct ascend_plan_head *head, uint64_t offset, const void *rows, uint64_t bytes)
{
	if (bytes)
		memcpy((char *)head + offset, rows, bytes);
}

static struct ascend_plan_head head_of(const struct ascend_plan_build *build)
{
	return (struct ascend_plan_head){.magic = ASCEND_PLAN_MAGIC,
					 .version = ASCEND_PLAN_VERSION,
					 .bytes = sizeof(struct ascend_plan_head),
					 .step_count = build->step_count,
					 .edge_count = build->edge_count,
					 .window_count = build->window_count,
					 .scalar_count = build->scalar_count,
					 .first = build->first};
}

void ascend_plan_over(const struct ascend_plan_build *build, struct ascend_plan_head *plan_out)
{
	const uintptr_t begin = (uintptr_t)plan_out;

	*plan_out = head_of(build);
	plan_out->steps = (uintptr_t)build->steps - begin;
	plan_out->edges = (uintptr_t)build->edges - begin;
	plan_out->windows = (uintptr_t)build->windows - begin;
	plan_out->scalars = (uintptr_t)build->scalars - begin;
}

ptowsp_status ascend_plan_block_make(const struct ascend_plan_build *build, struct ascend_plan_head **block_out, struct ptowsp_error *error)
{
	struct ascend_plan_head head = head_of(build);

	*block_out = NULL;
	head.steps = part(&head.bytes, build->step_count, sizeof(*build->steps));
	head.edges = part(&head.bytes, build->edge_count, sizeof(*build->edges));
	head.windows = part(&head.bytes, build->window_count, sizeof(*build->windows));
	head.scalars = part(&head.bytes, build->scalar_count, sizeof(*build->scalars));
	if (!build->failed)
		*block_out = aligned_alloc(PAGE, head.bytes);
	if (!*block_out)
		return rt_no_memory(error, "the plan of the pto-runtime");
	memset(*block_out, 0, head.bytes); /* gaps, too */
	**block_out = head;
	part_copy(*block_out, head.steps, build->steps, build->step_count * sizeof(*build->steps));
	part_copy(*block_out, head.edges, build->edges, build->edge_count * sizeof(*build->edges));
	part_copy(*block_out, head.windows, build->windows, build->window_count * sizeof(*build->windows));
	part_copy(*block_out, head.scalars, build->scalars, build->scalar_count * sizeof(*build->scalars));
	return PTOWSP_OK;
}

void ascend_plan_build_finish(struct ascend_plan_build *build)
{
	free(build->steps);
	free(build->edges);
	free(build->windows);
	free(build->scalars);
	memset(build, 0, sizeof(*build));
}

/* ---- whom a step comes behind ---------------------------------------------------------------------------------------- */

void ascend_preds_add(struct ascend_preds *preds, uint32_t step)
{
	if (step == ASCEND_STEP_NONE || preds->failed)
		return;
	if (!COMMON_GROW(preds->steps, preds->room, preds->count))
		preds->failed = true;
	else
		preds->steps[preds->count++] = step;
}

static int by_step(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void ascend_preds_tidy(struct ascend_preds *preds)
{
	uint32_t kept = 0;

	if (preds->count)
		qsort(preds->steps, preds->count, sizeof(*preds->steps), by_step);
	for (uint32_t i = 0; i < preds->count; i++)
		if (!kept || preds->steps[kept - 1] != preds->steps[i])
			preds->steps[kept++] = preds->steps[i];
	preds->count = kept;
}

void ascend_preds_finish(struct ascend_preds *preds)
{
	free(preds->steps);
	*preds = (struct ascend_preds){0};
}
