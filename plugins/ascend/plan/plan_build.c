/* SPDX-License-Identifier: MIT */
#include "ascend/plan/plan_build.h"

#include "registry/common/common_grow.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

#define PAGE 64u

uint32_t ascend_plan_step_add(struct ascend_plan_build *build, const struct ascend_plan_step *step)
{
	if (build->failed || !COMMON_GROW(build->steps, build->step_room, build->step_count)) {
		build->failed = true;
		return 0;
	}
	build->steps[build->step_count] = *step;
	build->steps[build->step_count].edge_count = 0;
	build->steps[build->step_count].window_count = build->steps[build->step_count].scalar_count = 0;
	return build->first + build->step_count++;
}

static struct ascend_plan_step *last(struct ascend_plan_build *build)
{
	return &build->steps[build->step_count - 1];
}

#define ADD(rows, count, room, value)                                                                                                                          \
	do {                                                                                                                                                   \
		if (build->failed || !COMMON_GROW(build->rows, build->room, build->count))                                                                     \
			build->failed = true;                                                                                                                  \
		else                                                                                                                                           \
			build->rows[build->count++] = (value);                                                                                                 \
	} while (0)

void ascend_plan_edge_add(struct ascend_plan_build *build, uint32_t producer)
{
	ADD(edges, edge_count, edge_room, build->first + build->step_count - 1 - producer);
	if (!build->failed)
		last(build)->edge_count++;
}

void ascend_plan_window_add(struct ascend_plan_build *build, const struct ascend_plan_window *window)
{
	ADD(windows, window_count, window_room, *window);
	if (!build->failed)
		last(build)->window_count++;
}

void ascend_plan_scalar_add(struct ascend_plan_build *build, uint64_t value)
{
	ADD(scalars, scalar_count, scalar_room, value);
	if (!build->failed)
		last(build)->scalar_count++;
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

ptowsp_status ascend_plan_block_make(const struct ascend_plan_build *build, struct ascend_plan_head **block_out, struct ptowsp_error *error)
{
	struct ascend_plan_head head = {.magic = ASCEND_PLAN_MAGIC,
					.version = ASCEND_PLAN_VERSION,
					.bytes = sizeof(head),
					.step_count = build->step_count,
					.edge_count = build->edge_count,
					.window_count = build->window_count,
					.scalar_count = build->scalar_count,
					.first = build->first};

	*block_out = NULL;
	head.steps = part(&head.bytes, build->step_count, sizeof(*build->steps));
	head.edges = part(&head.bytes, build->edge_count, sizeof(*build->edges));
	head.windows = part(&head.bytes, build->window_count, sizeof(*build->windows));
	head.scalars = part(&head.bytes, build->scalar_count, sizeof(*build->scalars));
	if (!build->failed)
		*block_out = aligned_alloc(PAGE, head.bytes);
	if (!*block_out)
		return rt_no_memory(error, "the plan of the pto-runtime");
	memset(*block_out, 0, head.bytes);
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
