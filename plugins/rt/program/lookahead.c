/* SPDX-License-Identifier: MIT */
/* lookahead.c - what is told of a program before it runs: the extents that its tasks touch (rt_extents sizes tensors), whether its tokens must block (the packer
 * warns), and which task needs more than the schedule states (the packer refuses). */
#include "rt/process/process.h"
#include "rt/program/rt_error.h"
#include "rt/run/rt_run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- any look ---------------------------------------------------------------------------------------------------------- */

ptowsp_status rt_look_begin(struct rt_run *run, struct rt_program *program, const struct rt_run_args *args, uint64_t window, struct ptowsp_error *error)
{
	ptowsp_status status;

	run->quiet = true;
	status = rt_run_init(run, program, args, error);
	run->window = window;
	rt_places_init(&run->places, program);
	if (!status)
		status = rt_infer_init(run);
	run->error = NULL; /* whatever goes wrong from here on, the run itself will say it */
	if (!status)
		rt_expand_start(&run->expand, program, &run->env, NULL);
	return status;
}

bool rt_look_event(struct rt_run *run, enum rt_event event)
{
	switch (event) {
	case RT_EVENT_SCOPE_BEGIN: return !rt_versions_scope_begin(run, 0);
	case RT_EVENT_SCOPE_END: return !rt_versions_scope_end(run, 0, false);
	case RT_EVENT_SLOT_SET: return !rt_slot_set(run, run->expand.slot, run->expand.expr);
	case RT_EVENT_SYNC: return rt_sync_pass(run, run->expand.sync);
	case RT_EVENT_PAUSE: return !rt_look(run);
	case RT_EVENT_SLOT_LOAD:
	case RT_EVENT_END:
	case RT_EVENT_FAILED: return false;
	default: return true;
	}
}

/* ---- extents and tokens ------------------------------------------------------------------------------------------ */

#define LOOK_STEPS (UINT64_C(1) << 22) /* a pipeline that goes on for so long is not waited for */
#define LOOK_BLIND (UINT64_C(1) << 12) /* steps behind a value that only running tells: a loop that waits for it would not end */
#define LOOK_LEAVE 256u                /* loops that are left for that reason; then the look is over */
#define LOOK_IDLE  (UINT32_C(1) << 16) /* pauses without a task, of 1,024 instructions each: less than a second */

ptowsp_status rt_look_pause(struct rt_run *run)
{
	if (run->idle_from != run->tasks) {
		run->idle_from = run->tasks;
		run->idle = 0;
	}
	return ++run->idle > LOOK_IDLE ? PTOWSP_UNSUPPORTED : rt_look(run);
}

static bool gave_up(const struct rt_run *run)
{
	return run->idle > LOOK_IDLE;
}

static ptowsp_status event_look(struct rt_run *run, enum rt_event event, enum rt_look_for look)
{
	ptowsp_status status = PTOWSP_OK;

	switch (event) {
	case RT_EVENT_TASK:
		if (look == RT_LOOK_EXTENTS)
			status = rt_prepare(run, &run->program->sites[run->expand.site], run->expand.level);
		run->env.task = ++run->tasks;
		return status;
	case RT_EVENT_SLOT_SET: return rt_slot_set(run, run->expand.slot, run->expand.expr);
	case RT_EVENT_SLOT_LOAD: return look == RT_LOOK_TOKENS ? PTOWSP_AGAIN : rt_slot_load(run, run->expand.slot, &run->program->ios[run->expand.io]);
	case RT_EVENT_SYNC: return rt_sync_pass(run, run->expand.sync) ? PTOWSP_OK : PTOWSP_AGAIN; /* the run will end there */
	case RT_EVENT_PAUSE: return rt_look_pause(run);
	case RT_EVENT_FAILED: return run->expand.failure;
	default: return PTOWSP_OK;
	}
}

/* A slot is loaded from what tasks write: it is not known, and neither is how long the program goes on. */
static bool is_blind(const struct rt_run *run, enum rt_event event)
{
	return event == RT_EVENT_SLOT_LOAD && run->program->traits[run->program->ios[run->expand.io].tensor].access & PTOWSP_WRITE;
}

/* The entry's own instructions, as far as a look at tokens or extents wants them. AGAIN: the rest depends on what tasks write. */
static ptowsp_status entry_look(struct rt_run *run, enum rt_look_for look)
{
	uint64_t steps = 0, left = 0;
	uint32_t loops = 0;
	enum rt_event event;
	ptowsp_status status = rt_look(run);

	rt_expand_start(&run->expand, run->program, &run->env, run->error);
	while (!status && (event = rt_expand_next(&run->expand)) != RT_EVENT_END) {
		status = event_look(run, event, look);
		if (!status && look == RT_LOOK_TOKENS && ++steps > LOOK_STEPS)
			status = PTOWSP_LIMIT;
		if (left && !--left && (++loops > LOOK_LEAVE || !rt_expand_break(&run->expand)))
			break;
		if (!left && look == RT_LOOK_EXTENTS && is_blind(run, event))
			left = LOOK_BLIND;
	}
	return status;
}

/* Behind it: the processes of a pipeline, if the entry is one, until they end or are stuck. */
static ptowsp_status pipeline_look(struct rt_run *run, enum rt_look_for look)
{
	ptowsp_status status;

	if (!(run->program->tables.entry.rows[run->program->entry].flags & PTOWSP_ENTRY_PIPELINE))
		return PTOWSP_OK;
	status = rt_run_clock(run);
	if (!status)
		status = rt_pipeline_create(&run->pipeline, run);
	if (status)
		return status;
	run->pipeline->look = look;
	run->pipeline->steps_most = look == RT_LOOK_TOKENS ? LOOK_STEPS : 0;
	return rt_pipeline_go(run->pipeline);
}

/* Symbols and slots that have no value of their own. */
static bool open_values(const struct rt_program *program)
{
	const struct ptowsp_entry_record *entry = &program->tables.entry.rows[program->entry];

	for (uint32_t i = 0; i < entry->value_count && entry->values + i < program->tables.entry_value.count; i++) {
		uint32_t slot = program->tables.entry_value.rows[entry->values + i].slot;

		if (slot >= program->tables.slot.count || !(program->tables.slot.rows[slot].flags & PTOWSP_SLOT_HAS_DEFAULT))
			return true;
	}
	return false;
}

ptowsp_status rt_channels_check(struct rt_program *program, struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error)
{
	struct ptowsp_error unsaid = {.head = PTOWSP_HEAD(unsaid, ERROR)};
	struct ptowsp_run_args none = {.head = PTOWSP_HEAD(none, RUN_ARGS), .flags = PTOWSP_RUN_NO_KERNELS};
	const struct rt_run_args args = {.args = &none};
	struct rt_run *run;
	ptowsp_status status;

	if (!(program->tables.entry.rows[program->entry].flags & PTOWSP_ENTRY_PIPELINE) || open_values(program))
		return PTOWSP_OK;
	run = calloc(1, sizeof(*run));
	if (!run)
		return rt_no_memory(error, "the look at the channels");
	run->quiet = true;
	run->deadlock = deadlock_out;
	status = rt_run_init(run, program, &args, &unsaid);
	if (!status)
		status = entry_look(run, RT_LOOK_TOKENS);
	if (!status)
		status = pipeline_look(run, RT_LOOK_TOKENS);
	if (!status && run->pipeline->live)
		status = rt_pipeline_deadlock(run->pipeline);
	if (status == PTOWSP_DEADLOCK)
		rt_fail_at(error, status, unsaid.where[0], unsaid.where[1], "%s", unsaid.text);
	else if (status != PTOWSP_NO_MEMORY)
		status = PTOWSP_OK; /* it cannot be told */
	rt_run_finish(run);
	free(run);
	return status;
}

ptowsp_status rt_extents(struct rt_program *program, const struct ptowsp_run_args *args, uint64_t *elements_out, uint32_t count, struct ptowsp_error *error)
{
	struct ptowsp_error own = {.head = PTOWSP_HEAD(own, ERROR)};
	const struct rt_run_args run_args = {.args = args};
	uint32_t tensors = program->tables.tensor.count;
	struct rt_run *run = calloc(1, sizeof(*run));
	uint64_t *most = calloc((size_t)tensors + 1, sizeof(*most));
	int64_t *corner = calloc((size_t)tensors * 2 + 1, sizeof(*corner));
	ptowsp_status status = run && most && corner ? PTOWSP_OK : rt_no_memory(error, "the extents");

	if (!status) {
		run->quiet = true;
		run->tensors.measuring = true;
		run->tensors.most = most;
		run->tensors.most_row = corner;
		run->tensors.most_column = corner + tensors;
		status = rt_run_init(run, program, &run_args, error ? error : &own);
	}
	if (!status)
		status = entry_look(run, RT_LOOK_EXTENTS);
	if (!status)
		status = pipeline_look(run, RT_LOOK_EXTENTS);
	if (status == PTOWSP_UNSUPPORTED && gave_up(run)) {
		status = PTOWSP_OK;
		memset(most, 0xff, tensors * sizeof(*most));
	}
	for (uint32_t t = 0; t < count; t++)
		elements_out[t] = !status && t < tensors ? most[t] : 0;
	if (run)
		rt_run_finish(run);
	free(run);
	free(most);
	free(corner);
	return status;
}

/* ---- what single tasks need -------------------------------------------------------------------------------------- */

#define WALK_TASKS (UINT64_C(1) << 16) /* a program that goes on for so long is looked at no further */

static ptowsp_status refuse(const struct rt_program *program, uint32_t instruction, const char *who, enum ptowsp_resource resource, uint64_t need,
			    struct ptowsp_error *error)
{
	char text[160];

	return rt_fail(error, PTOWSP_TOO_SMALL, "%s: %s needs %llu of %s, and the schedule states %llu; state %s=%llu or more",
		       rt_position(&program->tables, instruction, text, sizeof(text)), who, (unsigned long long)need, rt_resource_name(resource),
		       (unsigned long long)program->schedule.capacity[resource], rt_resource_name(resource), (unsigned long long)need);
}

static bool lacks(const struct rt_program *program, enum ptowsp_resource resource, uint64_t need)
{
	return program->schedule.stated[resource] && program->schedule.capacity[resource] && need > program->schedule.capacity[resource];
}

/* A region without a shape has the elements that its kernel touches, and nobody has asked the kernel. */
static bool edges_known(const struct rt_program *program)
{
	bool known = program->schedule.deps != PTOWSP_DEPS_BYTES_OVERLAP;

	for (uint32_t i = 0; !known && i < program->io_count; i++)
		if (program->ios[i].unit)
			return false;
	return true;
}

struct walk {
	struct rt_run run;
	bool edges;                    /* edges are known */
	bool alloc;                    /* it is no task but an alloc that lacks something */
	enum ptowsp_resource resource; /* lacked by a task; need 0: none */
	uint64_t need;
};

static bool task_lacks(struct walk *walk, enum ptowsp_resource resource, uint64_t need)
{
	if (!lacks(walk->run.program, resource, need))
		return false;
	walk->resource = resource;
	walk->need = need;
	return true;
}

static bool task_pass(struct walk *walk)
{
	struct rt_run *run = &walk->run;
	const struct rt_site *site = &run->program->sites[run->expand.site];
	struct rt_need need;

	walk->alloc = false;
	if (run->tasks >= WALK_TASKS || rt_prepare(run, site, run->expand.level) || rt_infer(run, site, &need) ||
	    task_lacks(walk, PTOWSP_RESOURCE_TENSOR_MAP, need.map) || (walk->edges && task_lacks(walk, PTOWSP_RESOURCE_DEP_LIST, need.deps)) ||
	    (site->renamed && task_lacks(walk, PTOWSP_RESOURCE_HEAP, run->versions.need)) || (site->renamed && rt_versions_take(run, 0, false)))
		return false;
	run->env.task = ++run->tasks;
	return true;
}

static bool sync_pass(struct walk *walk)
{
	struct rt_run *run = &walk->run;
	const struct rt_ins *in = &run->program->code[run->expand.sync];

	walk->alloc = in->op == PTOWSP_OP_ALLOC;
	return !(walk->alloc && task_lacks(walk, PTOWSP_RESOURCE_HEAP, rt_tensor_bytes(&run->tensors.rows[in->slot]))) && rt_sync_pass(run, run->expand.sync);
}

/* A value that only running tells ends the walk. */
static bool event_pass(struct walk *walk, enum rt_event event)
{
	switch (event) {
	case RT_EVENT_TASK: return task_pass(walk);
	case RT_EVENT_SYNC: return sync_pass(walk);
	default: return rt_look_event(&walk->run, event);
	}
}

static ptowsp_status walk_go(struct walk *walk, struct ptowsp_error *error)
{
	struct rt_run *run = &walk->run;
	const struct rt_program *program = run->program;
	char who[96];

	while (event_pass(walk, rt_expand_next(&run->expand)))
		continue;
	if (!walk->need)
		return PTOWSP_OK;
	if (walk->alloc)
		snprintf(who, sizeof(who), "the alloc before task %llu", (unsigned long long)run->tasks);
	else
		snprintf(who, sizeof(who), "task %llu, kernel %.40s,", (unsigned long long)run->tasks, rt_kernel_name(program, run->kernel));
	return refuse(program, walk->alloc ? run->expand.sync : program->sites[run->expand.site].instruction, who, walk->resource, walk->need, error);
}

static ptowsp_status walk_check(struct rt_program *program, struct ptowsp_error *error)
{
	struct ptowsp_error unsaid = {.head = PTOWSP_HEAD(unsaid, ERROR)};
	struct ptowsp_run_args none = {.head = PTOWSP_HEAD(none, RUN_ARGS), .flags = PTOWSP_RUN_NO_KERNELS};
	const struct rt_run_args args = {.args = &none};
	struct walk *walk = calloc(1, sizeof(*walk));
	ptowsp_status status;

	if (!walk)
		return rt_no_memory(error, "the look at what tasks need");
	walk->edges = edges_known(program);
	status = rt_look_begin(&walk->run, program, &args, program->schedule.built ? 0 : program->schedule.window, &unsaid);
	if (!status)
		status = walk_go(walk, error);
	else if (status != PTOWSP_NO_MEMORY)
		status = PTOWSP_OK;
	rt_run_finish(&walk->run);
	free(walk);
	return status;
}

ptowsp_status rt_needs_check(struct rt_program *program, struct ptowsp_error *error)
{
	const bool *stated = program->schedule.stated;
	bool any = stated[PTOWSP_RESOURCE_TENSOR_MAP] || stated[PTOWSP_RESOURCE_DEP_LIST] || stated[PTOWSP_RESOURCE_HEAP];

	const bool decided = program->asks && program->tables.entry.rows[program->entry].value_count; /* from outside; else every run goes one way */

	return any && !decided ? walk_check(program, error) : PTOWSP_OK;
}
