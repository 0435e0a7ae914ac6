/* SPDX-License-Identifier: MIT */
#include "rt/trial.h"

#include <stdlib.h>
#include <string.h>
#include "rt/error.h"
#include "rt/stuck.h"

/* How far a trial goes. */
#define TRIAL_TASKS (UINT64_C(1) << 20)
#define TRIAL_STEPS (UINT64_C(1) << 23)
enum { TRIAL_ROUNDS = 16 };

static const struct {
	const char *directive;
	enum ptowsp_resource resource;
} bounded[RT_LIMIT_CHANNELS] = {{"task_window", PTOWSP_RESOURCE_TASK_RING},
				{"tensor_map", PTOWSP_RESOURCE_TENSOR_MAP},
				{"dep_list", PTOWSP_RESOURCE_DEP_LIST},
				{"heap", PTOWSP_RESOURCE_HEAP}};

const char *rt_limit_directive(uint32_t limit)
{
	return limit < RT_LIMIT_CHANNELS ? bounded[limit].directive : "channel_capacity";
}

/* ---- who waits for what ---------------------------------------------------------------------------------------- */

static bool has_turn(struct rt_pipeline *pipeline, uint32_t at)
{
	const struct rt_end *end = rt_side_turn(&pipeline->channels[pipeline->instances[at].channel].producers);

	return end && end->instance == at;
}

bool rt_wants_place(const struct rt_instance *instance)
{
	return instance->standing == RT_ISSUING || instance->standing == RT_ALLOCATING;
}

uint32_t rt_limit_of(struct rt_pipeline *pipeline, uint32_t at)
{
	const struct rt_instance *instance = &pipeline->instances[at];

	if (instance->standing == RT_SENDING && has_turn(pipeline, at))
		return RT_LIMIT_CHANNELS + instance->channel;
	for (uint32_t k = 0; rt_wants_place(instance) && k < RT_LIMIT_CHANNELS; k++)
		if (bounded[k].resource == instance->block.resource)
			return k;
	return UINT32_MAX;
}

/* ---- trials ---------------------------------------------------------------------------------------------------- */

/* Of a limit that is lifted: as good as none, or what is to be tried. */
static uint64_t lifted_to(const struct rt_settings *exact, uint32_t limit, uint64_t open)
{
	return exact ? exact->values[limit] : open;
}

static void limits_lift(struct rt_pipeline *pipeline, const struct rt_settings *lifted, const struct rt_settings *exact)
{
	for (uint32_t i = 0; i < pipeline->channel_count; i++)
		if (lifted->values[RT_LIMIT_CHANNELS + i])
			pipeline->channels[i].capacity = lifted_to(exact, RT_LIMIT_CHANNELS + i, RT_CAPACITY_OPEN);
}

static void used_tell(const struct rt_pipeline *pipeline, struct rt_settings *used)
{
	used->values[RT_LIMIT_WINDOW] = pipeline->clocks.held;
	used->values[RT_LIMIT_MAP] = pipeline->clocks.held_map;
	used->values[RT_LIMIT_DEPS] = pipeline->clocks.held_deps;
	used->values[RT_LIMIT_HEAP] = pipeline->run->versions.most;
	for (uint32_t i = 0; i < pipeline->channel_count; i++)
		used->values[RT_LIMIT_CHANNELS + i] = pipeline->channels[i].high_water;
}

/* Where no task is looked at, none is in a trial. */
static ptowsp_status trial_tokens(struct rt_run *trial, const struct rt_settings *lifted, const struct rt_settings *exact)
{
	ptowsp_status st = rt_entry_look(trial, RT_LOOK_TOKENS);

	if (!st)
		st = rt_pipeline_create(&trial->pipeline, trial);
	if (st)
		return st;
	trial->pipeline->look = RT_LOOK_TOKENS;
	trial->pipeline->steps_most = TRIAL_STEPS;
	limits_lift(trial->pipeline, lifted, exact);
	return rt_pipeline_go(trial->pipeline);
}

static ptowsp_status trial_run(struct rt_run *trial, const struct rt_run *run, const struct rt_settings *lifted, const struct rt_settings *exact)
{
	struct rt_clock *clock = &trial->clock;
	const uint64_t window = lifted->values[RT_LIMIT_WINDOW] ? lifted_to(exact, RT_LIMIT_WINDOW, TRIAL_TASKS * 2) : rt_limit_now(run->pipeline, RT_LIMIT_WINDOW);
	ptowsp_status st;

	trial->window = run->program->planned ? 0 : window;
	trial->max_tasks = run->max_tasks < TRIAL_TASKS ? run->max_tasks : TRIAL_TASKS;
	st = rt_run_clock(trial);
	if (!st && run->pipeline->look == RT_LOOK_TOKENS)
		return trial_tokens(trial, lifted, exact);
	if (!st)
		st = rt_infer_init(trial);
	if (lifted->values[RT_LIMIT_MAP])
		trial->flow.map_capacity = clock->map_capacity = lifted_to(exact, RT_LIMIT_MAP, 0);
	if (lifted->values[RT_LIMIT_DEPS])
		trial->flow.deps_capacity = clock->deps_capacity = lifted_to(exact, RT_LIMIT_DEPS, 0);
	if (lifted->values[RT_LIMIT_HEAP])
		trial->heap_capacity = clock->heap.capacity = trial->sync.arena.capacity = lifted_to(exact, RT_LIMIT_HEAP, 0);
	if (!st)
		st = rt_run_expand(trial);
	clock->window = window;
	if (!st)
		st = rt_pipeline_create(&trial->pipeline, trial);
	if (st)
		return st;
	trial->pipeline->steps_most = TRIAL_STEPS;
	limits_lift(trial->pipeline, lifted, exact);
	return rt_pipeline_go(trial->pipeline);
}

/* Lifts what stops the trial, too. False: nothing that was not lifted already. */
static bool more_lift(struct rt_pipeline *pipeline, struct rt_settings *lifted)
{
	bool more = false;

	for (uint32_t i = 0; i < pipeline->count; i++) {
		uint32_t limit = rt_limit_of(pipeline, i);

		if (limit == UINT32_MAX || lifted->values[limit])
			continue;
		lifted->values[limit] = 1;
		more = true;
	}
	return more;
}

/* Does the pipeline end like this? exact: capacities of what is lifted, else there are none. used_out: what it took. more: lifts what it met besides. Each may be
 * NULL. */
static bool trial_ends(const struct rt_run *run, struct rt_settings *lifted, const struct rt_settings *exact, struct rt_settings *used_out, bool *more)
{
	struct ptowsp_error unsaid = {.head = PTOWSP_HEAD(unsaid, ERROR)};
	const struct rt_run_args args = {.args = run->args, .cancel = run->cancel};
	struct rt_run *trial = calloc(1, sizeof(*trial));
	bool ends = false;
	ptowsp_status st = PTOWSP_NO_MEMORY;

	if (!trial)
		return false;
	trial->quiet = true;
	st = rt_run_init(trial, run->program, &args, &unsaid);
	if (!st)
		st = trial_run(trial, run, lifted, exact);
	ends = (!st && !trial->pipeline->live) || (st == PTOWSP_LIMIT && trial->tasks >= trial->max_tasks);
	if (ends && used_out)
		used_tell(trial->pipeline, used_out);
	if (more)
		*more = !st && !ends && more_lift(trial->pipeline, lifted);
	if (more && !*more && !st && !ends)
		rt_stuck_text(trial->pipeline, rt_stuck_subject(trial->pipeline), lifted->rest, sizeof(lifted->rest));
	rt_run_finish(trial);
	free(trial);
	return ends;
}

bool rt_cure_foreseeable(const struct rt_pipeline *pipeline)
{
	const struct rt_program *program = pipeline->run->program;

	for (uint32_t t = 0; t < program->tables.tensor.count; t++)
		if (program->tensor_loaded[t] && (pipeline->look == RT_LOOK_TOKENS || (program->tensor_access[t] | program->tensor_moved[t]) & PTOWSP_WRITE))
			return false;
	return true;
}

static bool limits_find(struct rt_pipeline *pipeline, struct rt_settings *lifted, struct rt_settings *used)
{
	const struct rt_run *run = pipeline->run;
	bool more = true;

	for (uint32_t i = 0; i < pipeline->count; i++) { /* one alone */
		uint32_t limit = rt_limit_of(pipeline, i);

		memset(lifted->values, 0, lifted->count * sizeof(*lifted->values));
		if (limit == UINT32_MAX)
			continue;
		lifted->values[limit] = 1;
		if (trial_ends(run, lifted, NULL, used, NULL))
			return true;
	}
	memset(lifted->values, 0, lifted->count * sizeof(*lifted->values));
	more = more_lift(pipeline, lifted);
	for (uint32_t round = 0; more && round < TRIAL_ROUNDS; round++)
		if (trial_ends(run, lifted, NULL, used, &more))
			return true;
	return false;
}

/* With no more than was used, others may have their turn first, and then more is needed. */
static void used_raise(struct rt_pipeline *pipeline, struct rt_settings *lifted, struct rt_settings *used)
{
	for (uint32_t k = 0; k < lifted->count; k++)
		if (lifted->values[k] && used->values[k] < rt_limit_now(pipeline, k))
			used->values[k] = rt_limit_now(pipeline, k);
	for (uint32_t round = 0; round < TRIAL_ROUNDS && !trial_ends(pipeline->run, lifted, used, NULL, NULL); round++)
		for (uint32_t k = 0; k < lifted->count; k++)
			if (lifted->values[k])
				used->values[k] *= 2;
}

bool rt_cure_find(struct rt_pipeline *pipeline, struct rt_settings *lifted, struct rt_settings *used)
{
	if (!limits_find(pipeline, lifted, used))
		return false;
	used_raise(pipeline, lifted, used);
	return true;
}

bool rt_cure_guess(struct rt_pipeline *pipeline, struct rt_settings *lifted, struct rt_settings *used)
{
	for (uint32_t i = 0; i < pipeline->count; i++) {
		uint32_t limit = rt_limit_of(pipeline, i);

		if (limit == UINT32_MAX)
			continue;
		lifted->values[limit] = 1;
		used->values[limit] = limit < RT_LIMIT_CHANNELS ? pipeline->instances[i].block.proposed
							     : pipeline->channels[limit - RT_LIMIT_CHANNELS].capacity + 1;
		return true;
	}
	return false;
}

/* ---- limits as they are ---------------------------------------------------------------------------------------- */

uint64_t rt_limit_now(const struct rt_pipeline *pipeline, uint32_t limit)
{
	const struct rt_clock *clock = &pipeline->run->clock;

	switch (limit) {
	case RT_LIMIT_WINDOW: return clock->window;
	case RT_LIMIT_MAP: return clock->map_capacity;
	case RT_LIMIT_DEPS: return clock->deps_capacity;
	case RT_LIMIT_HEAP: return clock->heap.capacity;
	default: return pipeline->channels[limit - RT_LIMIT_CHANNELS].capacity;
	}
}
