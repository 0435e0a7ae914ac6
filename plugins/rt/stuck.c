/* SPDX-License-Identifier: MIT */
/* stuck.c - why no process gets on, and what would help. A proposal is tried before it is made: the pipeline runs again from its beginning, quietly and
 * without kernels, with one limit lifted, then with all that turn out to be in the way; how much it used of them is what is proposed. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rt/error.h"
#include "rt/process.h"

/* How far a trial goes. */
#define TRIAL_TASKS (UINT64_C(1) << 20)
#define TRIAL_STEPS (UINT64_C(1) << 23)
enum { TRIAL_ROUNDS = 16 };

/* Limits that are lifted, or, after a trial, what was used of them. Bounded resources first, then channels by row. */
enum { LIMIT_WINDOW, LIMIT_MAP, LIMIT_DEPS, LIMIT_HEAP, LIMIT_CHANNELS };
struct limits {
	uint32_t count;
	uint64_t *values; /* 0: not lifted */
};

static const struct {
	const char *directive;
	enum ptowsp_resource resource;
} bounded[LIMIT_CHANNELS] = {{"task_window", PTOWSP_RESOURCE_TASK_RING},
			     {"tensor_map", PTOWSP_RESOURCE_TENSOR_MAP},
			     {"dep_list", PTOWSP_RESOURCE_DEP_LIST},
			     {"heap", PTOWSP_RESOURCE_HEAP}};

/* ---- who waits for what ---------------------------------------------------------------------------------------- */

static bool has_turn(struct rt_pipeline *pipeline, uint32_t at)
{
	const struct rt_end *end = rt_side_turn(&pipeline->channels[pipeline->instances[at].channel].producers);

	return end && end->instance == at;
}

static bool wants_place(const struct rt_instance *instance)
{
	return instance->standing == RT_ISSUING || instance->standing == RT_ALLOCATING;
}

/* The limit that stops an instance, LIMIT_CHANNELS + row for a channel; UINT32_MAX if no limit does. */
static uint32_t limit_of(struct rt_pipeline *pipeline, uint32_t at)
{
	const struct rt_instance *instance = &pipeline->instances[at];

	if (instance->standing == RT_SENDING && has_turn(pipeline, at))
		return LIMIT_CHANNELS + instance->channel;
	for (uint32_t k = 0; wants_place(instance) && k < LIMIT_CHANNELS; k++)
		if (bounded[k].resource == instance->block.resource)
			return k;
	return UINT32_MAX;
}

/* ---- trials ---------------------------------------------------------------------------------------------------- */

static void limits_lift(struct rt_pipeline *pipeline, const struct limits *lifted)
{
	for (uint32_t i = 0; i < pipeline->channel_count; i++)
		if (lifted->values[LIMIT_CHANNELS + i])
			pipeline->channels[i].capacity = RT_CAPACITY_OPEN;
}

static void used_tell(const struct rt_pipeline *pipeline, struct limits *used)
{
	used->values[LIMIT_WINDOW] = pipeline->clocks.held;
	used->values[LIMIT_MAP] = pipeline->clocks.held_map;
	used->values[LIMIT_DEPS] = pipeline->clocks.held_deps;
	used->values[LIMIT_HEAP] = pipeline->run->versions.most;
	for (uint32_t i = 0; i < pipeline->channel_count; i++)
		used->values[LIMIT_CHANNELS + i] = pipeline->channels[i].high_water;
}

/* Where no task is looked at, none is in a trial. */
static ptowsp_status trial_tokens(struct rt_run *trial, const struct limits *lifted)
{
	ptowsp_status st = rt_entry_look(trial, RT_LOOK_TOKENS);

	if (!st)
		st = rt_pipeline_create(&trial->pipeline, trial);
	if (st)
		return st;
	trial->pipeline->look = RT_LOOK_TOKENS;
	trial->pipeline->steps_most = TRIAL_STEPS;
	limits_lift(trial->pipeline, lifted);
	return rt_pipeline_go(trial->pipeline);
}

static ptowsp_status trial_run(struct rt_run *trial, const struct rt_run *run, const struct limits *lifted)
{
	struct rt_clock *clock = &trial->clock;
	ptowsp_status st;

	trial->window = lifted->values[LIMIT_WINDOW] ? TRIAL_TASKS * 2 : run->window;
	trial->max_tasks = run->max_tasks < TRIAL_TASKS ? run->max_tasks : TRIAL_TASKS;
	st = rt_run_clock(trial);
	if (!st && run->pipeline->look == RT_LOOK_TOKENS)
		return trial_tokens(trial, lifted);
	if (!st)
		st = rt_infer_init(trial);
	if (lifted->values[LIMIT_MAP])
		trial->flow.map_capacity = clock->map_capacity = 0;
	if (lifted->values[LIMIT_DEPS])
		trial->flow.deps_capacity = clock->deps_capacity = 0;
	if (lifted->values[LIMIT_HEAP])
		trial->heap_capacity = clock->heap.capacity = trial->sync.arena.capacity = 0;
	if (!st)
		st = rt_run_expand(trial);
	if (!st)
		st = rt_pipeline_create(&trial->pipeline, trial);
	if (st)
		return st;
	trial->pipeline->steps_most = TRIAL_STEPS;
	limits_lift(trial->pipeline, lifted);
	return rt_pipeline_go(trial->pipeline);
}

/* Lifts what stops the trial, too. False: nothing that was not lifted already. */
static bool more_lift(struct rt_pipeline *pipeline, struct limits *lifted)
{
	bool more = false;

	for (uint32_t i = 0; i < pipeline->count; i++) {
		uint32_t limit = limit_of(pipeline, i);

		if (limit == UINT32_MAX || lifted->values[limit])
			continue;
		lifted->values[limit] = 1;
		more = true;
	}
	return more;
}

/* Does the pipeline end like this? used_out: what it took. more: lifts what it met besides. */
static bool trial_ends(const struct rt_run *run, struct limits *lifted, struct limits *used_out, bool *more)
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
		st = trial_run(trial, run, lifted);
	ends = (!st && !trial->pipeline->live) || (st == PTOWSP_LIMIT && trial->tasks >= trial->max_tasks);
	if (ends)
		used_tell(trial->pipeline, used_out);
	if (more)
		*more = !st && !ends && more_lift(trial->pipeline, lifted);
	rt_run_finish(trial);
	free(trial);
	return ends;
}

/* A trial cannot know what tasks would have written, where it goes by what is there; and tokens alone say nothing about tensors. */
static bool foreseeable(const struct rt_pipeline *pipeline)
{
	const struct rt_program *program = pipeline->run->program;

	for (uint32_t t = 0; t < program->tables.tensor.count; t++)
		if (program->tensor_loaded[t] && (pipeline->look == RT_LOOK_TOKENS || program->tensor_access[t] & PTOWSP_WRITE))
			return false;
	return true;
}

/* What is needed of each limit that has to be lifted, the others 0. False: no limit is a cure. */
static bool cure_find(struct rt_pipeline *pipeline, struct limits *lifted, struct limits *used)
{
	const struct rt_run *run = pipeline->run;
	bool more = true;

	for (uint32_t i = 0; i < pipeline->count; i++) { /* one alone */
		uint32_t limit = limit_of(pipeline, i);

		memset(lifted->values, 0, lifted->count * sizeof(*lifted->values));
		if (limit == UINT32_MAX)
			continue;
		lifted->values[limit] = 1;
		if (trial_ends(run, lifted, used, NULL))
			return true;
	}
	memset(lifted->values, 0, lifted->count * sizeof(*lifted->values));
	more = more_lift(pipeline, lifted);
	for (uint32_t round = 0; more && round < TRIAL_ROUNDS; round++)
		if (trial_ends(run, lifted, used, &more))
			return true;
	return false;
}

/* Where trials go other ways: what lets the first one get on. */
static bool cure_guess(struct rt_pipeline *pipeline, struct limits *lifted, struct limits *used)
{
	for (uint32_t i = 0; i < pipeline->count; i++) {
		uint32_t limit = limit_of(pipeline, i);

		if (limit == UINT32_MAX)
			continue;
		lifted->values[limit] = 1;
		used->values[limit] = limit < LIMIT_CHANNELS ? pipeline->instances[i].block.proposed
							     : pipeline->channels[limit - LIMIT_CHANNELS].capacity + 1;
		return true;
	}
	return false;
}

/* ---- the report ------------------------------------------------------------------------------------------------ */

static void add(char *text, size_t size, const char *format, ...)
#if defined(__GNUC__)
	__attribute__((format(printf, 3, 4)))
#endif
	;
static void add(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list list;

	va_start(list, format);
	vsnprintf(text + used, size - used, format, list);
	va_end(list);
}

static const char *instance_text(const struct rt_pipeline *pipeline, uint32_t at, char *text, size_t size)
{
	const struct rt_program *program = pipeline->run->program;
	const struct rt_instance *instance = &pipeline->instances[at];

	if (program->tables.process.rows[instance->process].replicas > 1)
		snprintf(text, size, "%.40s[%u]", rt_process_name(program, instance->process), instance->replica);
	else
		snprintf(text, size, "%.40s", rt_process_name(program, instance->process));
	return text;
}

/* The instruction that the instance stands at. */
static uint32_t instruction_of(const struct rt_pipeline *pipeline, uint32_t at)
{
	const struct rt_instance *instance = &pipeline->instances[at];
	const struct rt_expand *expand = at == pipeline->turn ? &pipeline->run->expand : &instance->expand;

	switch (instance->standing) {
	case RT_SENDING: return expand->at - 1;
	case RT_CONSUMING: return expand->frames[expand->depth - 1].at;
	case RT_ISSUING: return pipeline->run->program->sites[expand->site].instruction;
	case RT_WAITING:
	case RT_ALLOCATING: return expand->sync;
	default: return expand->at;
	}
}

static void issuing_text(const struct rt_pipeline *pipeline, uint32_t at, char *text, size_t size)
{
	const struct rt_block *block = &pipeline->instances[at].block;
	uint32_t holder = rt_clocks_holder(&pipeline->clocks);
	char name[64];

	add(text, size, " to issue a task, which needs %llu of %llu places of %s; %llu are held by an open scope of %s",
	    (unsigned long long)block->need, (unsigned long long)block->capacity, rt_resource_name(block->resource),
	    (unsigned long long)block->used, holder == at || holder == PTOWSP_NONE ? "its own" : instance_text(pipeline, holder, name, sizeof(name)));
}

static void allocating_text(const struct rt_pipeline *pipeline, uint32_t at, char *text, size_t size)
{
	const struct rt_block *block = &pipeline->instances[at].block;

	add(text, size, " to allocate, which needs %llu of %llu bytes of heap; %llu are taken and nothing gives them back", (unsigned long long)block->need,
	    (unsigned long long)block->capacity, (unsigned long long)block->used);
}

static void sending_text(struct rt_pipeline *pipeline, uint32_t at, char *text, size_t size)
{
	const struct rt_instance *instance = &pipeline->instances[at];
	const struct rt_channel *channel = &pipeline->channels[instance->channel];
	const struct rt_end *next = rt_side_turn(&pipeline->channels[instance->channel].producers);
	char name[64];

	add(text, size, " to send into %.40s", rt_channel_name(pipeline->run->program, instance->channel));
	if (next && next->instance != at)
		add(text, size, ", where it is the turn of %s", instance_text(pipeline, next->instance, name, sizeof(name)));
	else if (!channel->capacity)
		add(text, size, ", a rendezvous to which no consumer comes");
	else
		add(text, size, ", which is full: %llu of %llu", (unsigned long long)(channel->sends - channel->consumes),
		    (unsigned long long)channel->capacity);
}

static void consuming_text(struct rt_pipeline *pipeline, uint32_t at, char *text, size_t size)
{
	const struct rt_instance *instance = &pipeline->instances[at];
	struct rt_channel *channel = &pipeline->channels[instance->channel];
	const struct rt_end *next;
	char name[64];

	add(text, size, " to consume from %.40s", rt_channel_name(pipeline->run->program, instance->channel));
	if (channel->sends > channel->consumes) {
		next = rt_side_turn(&channel->consumers);
		if (next)
			add(text, size, ", where it is the turn of %s", instance_text(pipeline, next->instance, name, sizeof(name)));
		return;
	}
	next = rt_side_turn(&channel->producers);
	if (next)
		add(text, size, ", which is empty: %s has not ended and sends nothing", instance_text(pipeline, next->instance, name, sizeof(name)));
}

static void event_text(const struct rt_pipeline *pipeline, uint32_t at, char *text, size_t size)
{
	const struct rt_program *program = pipeline->run->program;
	const struct rt_ins *in = &program->code[instruction_of(pipeline, at)];

	add(text, size, " for a signal of event %.40s, which nobody gives", rt_string(&program->tables, program->tables.event.rows[in->slot].name));
}

static void waiting_text(struct rt_pipeline *pipeline, uint32_t at, char *text, size_t size)
{
	char name[64], where[160];

	add(text, size, "%s waits at %s", instance_text(pipeline, at, name, sizeof(name)),
	    rt_position(&pipeline->run->program->tables, instruction_of(pipeline, at), where, sizeof(where)));
	switch (pipeline->instances[at].standing) {
	case RT_SENDING: sending_text(pipeline, at, text, size); break;
	case RT_CONSUMING: consuming_text(pipeline, at, text, size); break;
	case RT_ISSUING: issuing_text(pipeline, at, text, size); break;
	case RT_WAITING: event_text(pipeline, at, text, size); break;
	case RT_ALLOCATING: allocating_text(pipeline, at, text, size); break;
	default: break;
	}
}

static uint32_t resource_of(const struct rt_instance *instance)
{
	switch (instance->standing) {
	case RT_ISSUING:
	case RT_ALLOCATING: return instance->block.resource;
	case RT_SENDING: return PTOWSP_RESOURCE_CHANNEL_FULL;
	case RT_CONSUMING: return PTOWSP_RESOURCE_CHANNEL_EMPTY;
	default: return PTOWSP_NONE;
	}
}

static uint32_t channel_of(const struct rt_instance *instance)
{
	return instance->standing == RT_SENDING || instance->standing == RT_CONSUMING ? instance->channel : PTOWSP_NONE;
}

static void waiting_fill(struct rt_pipeline *pipeline, struct ptowsp_deadlock *report)
{
	for (uint32_t i = 0; i < pipeline->count; i++) {
		const struct rt_instance *instance = &pipeline->instances[i];

		if (instance->standing == RT_ENDED)
			continue;
		if (report->waiting_count < PTOWSP_WAITING_LIMIT)
			report->waiting[report->waiting_count] =
				(struct ptowsp_waiting){.process = instance->process,
							.replica = instance->replica,
							.instruction = instruction_of(pipeline, i),
							.resource = resource_of(instance),
							.channel = channel_of(instance),
							.scope_depth = pipeline->clocks.own[i].scopes};
		report->waiting_count++;
	}
}

/* The more of it a limit could change, the more a wait tells. */
static uint32_t rank_of(struct rt_pipeline *pipeline, uint32_t at)
{
	switch (pipeline->instances[at].standing) {
	case RT_ENDED: return 0;
	case RT_ISSUING:
	case RT_ALLOCATING: return 4;
	case RT_WAITING: return 2;
	default: return limit_of(pipeline, at) == UINT32_MAX ? 1 : 3;
	}
}

/* The instance that the report is about: one that waits for a place, else one that a full channel stops, one that waits for an event, the first. */
static uint32_t subject_find(struct rt_pipeline *pipeline)
{
	uint32_t subject = PTOWSP_NONE, rank = 0;

	for (uint32_t i = 0; i < pipeline->count; i++) {
		uint32_t own = rank_of(pipeline, i);

		if (own > rank)
			subject = i, rank = own;
	}
	return subject;
}

static uint32_t kind_of(struct rt_pipeline *pipeline, uint32_t subject, bool cured)
{
	const struct rt_instance *instance = &pipeline->instances[subject];
	uint32_t holder = rt_clocks_holder(&pipeline->clocks);

	if (wants_place(instance))
		return holder != PTOWSP_NONE && !wants_place(&pipeline->instances[holder]) ? PTOWSP_DEADLOCK_WINDOW_CHANNEL
												     : PTOWSP_DEADLOCK_HELD;
	if (instance->standing == RT_WAITING)
		return PTOWSP_DEADLOCK_EVENT;
	return cured ? PTOWSP_DEADLOCK_CHANNEL_CYCLE : PTOWSP_DEADLOCK_CHANNEL_EMPTY;
}

static void use_fill(const struct rt_pipeline *pipeline, uint32_t subject, struct ptowsp_deadlock *report)
{
	const struct rt_instance *instance = &pipeline->instances[subject];
	const struct rt_channel *channel = &pipeline->channels[instance->channel];

	report->resource = instance->standing == RT_WAITING ? 0 : resource_of(instance);
	report->channel = channel_of(instance);
	report->scope_depth = pipeline->clocks.own[subject].scopes;
	report->scope_held = instance->standing == RT_ISSUING;
	report->task = pipeline->run->tasks;
	if (wants_place(instance)) {
		report->capacity = instance->block.capacity;
		report->used = instance->block.used;
		report->high_water = pipeline->run->clock.meters[instance->block.resource].high_water;
		return;
	}
	if (instance->standing == RT_WAITING)
		return;
	report->capacity = channel->capacity;
	report->used = channel->sends - channel->consumes;
	report->high_water = channel->high_water;
}

/* What the pipeline has of it already. */
static uint64_t capacity_now(const struct rt_pipeline *pipeline, uint32_t limit)
{
	const struct rt_clock *clock = &pipeline->run->clock;

	switch (limit) {
	case LIMIT_WINDOW: return clock->window;
	case LIMIT_MAP: return clock->map_capacity;
	case LIMIT_DEPS: return clock->deps_capacity;
	case LIMIT_HEAP: return clock->heap.capacity;
	default: return pipeline->channels[limit - LIMIT_CHANNELS].capacity;
	}
}

static void option_add(const struct rt_pipeline *pipeline, uint32_t limit, uint64_t value, struct ptowsp_deadlock *report)
{
	const char *gap = report->option[0] ? " " : "";

	if (!report->proposed)
		report->proposed = value;
	if (limit < LIMIT_CHANNELS)
		add(report->option, sizeof(report->option), "%s--schedule %s=%llu", gap, bounded[limit].directive, (unsigned long long)value);
	else
		add(report->option, sizeof(report->option), "%s--schedule channel_capacity=%s,%llu", gap,
		    rt_channel_name(pipeline->run->program, limit - LIMIT_CHANNELS), (unsigned long long)value);
}

static void report_write(struct rt_pipeline *pipeline, bool cured, const struct limits *lifted, const struct limits *used,
			 struct ptowsp_deadlock *report)
{
	uint32_t subject = subject_find(pipeline), told = 0;

	use_fill(pipeline, subject, report);
	report->kind = kind_of(pipeline, subject, cured);
	waiting_fill(pipeline, report);
	for (uint32_t k = 0; cured && k < lifted->count; k++)
		if (lifted->values[k] && used->values[k] > capacity_now(pipeline, k))
			option_add(pipeline, k, used->values[k], report);
	snprintf(report->text, sizeof(report->text), "no process can go on: ");
	waiting_text(pipeline, subject, report->text, sizeof(report->text));
	for (uint32_t i = 0; i < pipeline->count && told < 3; i++) {
		if (i == subject || pipeline->instances[i].standing == RT_ENDED)
			continue;
		add(report->text, sizeof(report->text), "; ");
		waiting_text(pipeline, i, report->text, sizeof(report->text));
		told++;
	}
	if (report->waiting_count > told + 1)
		add(report->text, sizeof(report->text), "; and %u more", report->waiting_count - told - 1);
	if (report->option[0])
		add(report->text, sizeof(report->text), "; use %s", report->option);
	else
		add(report->text, sizeof(report->text), "; no capacity would help");
}

/* The first wait and the options: both must be in the one sentence of the error. */
static void sentence_write(struct rt_pipeline *pipeline, const struct ptowsp_deadlock *report)
{
	char wait[320] = "";

	waiting_text(pipeline, subject_find(pipeline), wait, sizeof(wait));
	if (report->option[0])
		rt_fail_at(pipeline->run->error, PTOWSP_DEADLOCK, report->task, report->resource, "deadlock: process %.*s; use %s",
			   190 - (int)strlen(report->option), wait, report->option);
	else
		rt_fail_at(pipeline->run->error, PTOWSP_DEADLOCK, report->task, report->resource, "deadlock: process %.170s; no capacity would help", wait);
}

ptowsp_status rt_pipeline_stuck(struct rt_pipeline *pipeline)
{
	struct rt_run *run = pipeline->run;
	struct ptowsp_deadlock report = {.head = PTOWSP_HEAD(report, DEADLOCK), .channel = PTOWSP_NONE};
	uint32_t count = LIMIT_CHANNELS + pipeline->channel_count;
	struct limits lifted = {count, calloc(count, sizeof(uint64_t))}, used = {count, calloc(count, sizeof(uint64_t))};
	ptowsp_status st = lifted.values && used.values ? PTOWSP_DEADLOCK : rt_no_memory(run->error, "the report of a deadlock");
	bool cured = false;

	if (st == PTOWSP_DEADLOCK) {
		cured = cure_find(pipeline, &lifted, &used) || (!foreseeable(pipeline) && cure_guess(pipeline, &lifted, &used));
		report_write(pipeline, cured, &lifted, &used, &report);
		rt_deadlock_give(run->deadlock, &report);
		sentence_write(pipeline, &report);
	}
	free(lifted.values);
	free(used.values);
	return st;
}
