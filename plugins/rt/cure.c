/* SPDX-License-Identifier: MIT */
#include "rt/cure.h"

#include <stdio.h>
#include <stdlib.h>
#include "rt/generate.h"

/* How far a trial goes behind the blocked task, and from where no program is tried again. */
#define TRIAL_TASKS (UINT64_C(1) << 20)
#define TRIAL_START (UINT64_C(1) << 22)
/* Several instances find one place more at a time; after some rounds it is doubled. */
enum { TRIAL_ROUNDS = 64, TRIAL_EXACT = 24 };

static bool is_foreseeable(const struct rt_program *program)
{
	for (uint32_t t = 0; t < program->tables.tensor.count; t++)
		if (program->tensor_loaded[t] && program->tensor_access[t] & PTOWSP_WRITE)
			return false;
	return true;
}

static ptowsp_status trial_go(struct rt_run *trial, const struct rt_run *run, const struct rt_cures *cures)
{
	const uint64_t *values = cures->values;
	uint64_t most = run->tasks + TRIAL_TASKS;
	struct rt_clock *clock = &trial->clock;
	ptowsp_status st;

	trial->window = values[PTOWSP_RESOURCE_TASK_RING] ? values[PTOWSP_RESOURCE_TASK_RING] : run->window;
	trial->max_tasks = run->max_tasks < most ? run->max_tasks : most;
	st = rt_run_clock(trial);
	if (!st)
		st = rt_infer_init(trial);
	if (values[PTOWSP_RESOURCE_TASK_RING])
		clock->window_mode = RT_WINDOW_STALL; /* who sets task_window to a number has said no other mode */
	if (values[PTOWSP_RESOURCE_TENSOR_MAP])
		trial->flow.map_capacity = clock->map_capacity = values[PTOWSP_RESOURCE_TENSOR_MAP];
	if (values[PTOWSP_RESOURCE_DEP_LIST])
		trial->flow.deps_capacity = clock->deps_capacity = values[PTOWSP_RESOURCE_DEP_LIST];
	if (values[PTOWSP_RESOURCE_HEAP])
		trial->heap_capacity = clock->heap.capacity = trial->sync.arena.capacity = values[PTOWSP_RESOURCE_HEAP];
	if (st)
		return st;
	return trial->schedulers > 1 ? rt_generate_run(trial, NULL) : rt_run_expand(trial);
}

/* *block_out: what the program cannot have with these capacities; proposed is 0 if nothing is in its way. Whether it then ends in a deadlock of another kind
 * stands in cures->behind. */
static void capacities_try(const struct rt_run *run, struct rt_cures *cures, struct rt_block *block_out)
{
	struct ptowsp_error unsaid = {.head = PTOWSP_HEAD(unsaid, ERROR)};
	const struct rt_run_args args = {.args = run->args, .cancel = run->cancel, .schedulers = run->schedulers};
	struct rt_run *trial = calloc(1, sizeof(*trial));

	*block_out = (struct rt_block){0};
	if (!trial)
		return;
	trial->quiet = true;
	trial->blocked = block_out;
	if (!rt_run_init(trial, run->program, &args, &unsaid) && trial_go(trial, run, cures) == PTOWSP_DEADLOCK && !block_out->proposed)
		snprintf(cures->behind, sizeof(cures->behind), "%.*s", (int)sizeof(cures->behind) - 1, unsaid.text);
	rt_run_finish(trial);
	free(trial);
}

void rt_cures_find(const struct rt_run *run, struct rt_cures *cures)
{
	struct rt_block block;

	if (!run->deadlock || run->notify || run->tasks > TRIAL_START || !is_foreseeable(run->program))
		return;
	for (uint32_t round = 0; round < TRIAL_ROUNDS; round++) {
		capacities_try(run, cures, &block);
		if (block.proposed <= cures->values[block.resource])
			return;
		cures->values[block.resource] = round < TRIAL_EXACT ? block.proposed : 2 * block.proposed;
	}
}
