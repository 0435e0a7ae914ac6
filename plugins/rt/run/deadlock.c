/* SPDX-License-Identifier: MIT */
/* deadlock.c - why a task, an alloc or a process can never go on: class, cause, who waits for what, and the least value with which the blocked one
 * could proceed, worked out from the state at the block. Nothing is run again. */
#include "rt/process/process.h"
#include "rt/program/rt_error.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- a workload -------------------------------------------------------------------------------------------------- */

/* The directive that sets a resource's capacity, and what one unit of it is. */
static const struct {
	const char *directive, *unit;
} bounded[PTOWSP_RESOURCE_COUNT] = {
	[PTOWSP_RESOURCE_TASK_RING] = {"task_window", "places"}, [PTOWSP_RESOURCE_TENSOR_MAP] = {"tensor_map", "entries"},
	[PTOWSP_RESOURCE_DEP_LIST] = {"dep_list", "entries"},    [PTOWSP_RESOURCE_HEAP] = {"heap", "bytes"},
	[PTOWSP_RESOURCE_READY] = {"ready_queue", "places"},
};

const char *rt_resource_name(unsigned resource)
{
	switch (resource) {
#define X(name, code, text, reason, capacity)                                                                                                                  \
	case code:                                                                                                                                             \
		return text;
#include "ptowsp/resource.def"
#undef X
	}
	return "";
}

static ptowsp_status too_small(const struct rt_run *run, const struct rt_block *block)
{
	if (run->sync.blocked)
		return rt_fail_at(run->error, PTOWSP_TOO_SMALL, run->tasks, UINT64_MAX,
				  "the alloc before task %llu needs %llu bytes of heap, which has %llu; raise it with --schedule heap=%llu",
				  (unsigned long long)run->tasks, (unsigned long long)block->need, (unsigned long long)block->capacity,
				  (unsigned long long)block->proposed);
	return rt_fail_at(run->error, PTOWSP_TOO_SMALL, run->tasks, run->kernel,
			  "task %llu, kernel %.40s, needs %llu %s of %s, which has %llu; raise it with --schedule %s=%llu", (unsigned long long)run->tasks,
			  rt_kernel_name(run->program, run->kernel), (unsigned long long)block->need, bounded[block->resource].unit,
			  rt_resource_name(block->resource), (unsigned long long)block->capacity, bounded[block->resource].directive,
			  (unsigned long long)block->proposed);
}

void rt_deadlock_give(struct ptowsp_deadlock *deadlock, const struct ptowsp_deadlock *report)
{
	uint32_t size = deadlock ? deadlock->head.size : 0;

	if (size < sizeof(report->head))
		return;
	memcpy(deadlock, report, size < sizeof(*report) ? size : sizeof(*report));
	deadlock->head.size = size;
}

void rt_deadlock_settle(struct rt_run *run)
{
	struct ptowsp_deadlock *deadlock = run->deadlock;

	if (deadlock && deadlock->head.size >= offsetof(struct ptowsp_deadlock, proposed) && deadlock->kind == PTOWSP_DEADLOCK_HELD)
		deadlock->high_water = run->clock.meters[deadlock->resource].high_water;
}

/* The setting with which the blocked task or alloc could proceed; the report does not look further. */
static void option_write(const struct rt_block *block, struct ptowsp_deadlock *report)
{
	report->proposed = block->proposed;
	snprintf(report->option, sizeof(report->option), "--schedule %s=%llu", bounded[block->resource].directive, (unsigned long long)block->proposed);
}

/* Parts of a report on a held place. */
struct held {
	const char *who;            /* before the number of the task */
	const char *wants;          /* before what it needs */
	const char *by, *so;        /* the holder, before and behind the depth of scopes */
	const char *cure;           /* beside a larger capacity */
	const char *waits, *sooner; /* of the sentence: why nothing comes back; a further cure, "": none */
};
/* Outputs that stay live until a scope ends. */
static const struct held by_scope = {"task",
				     " cannot be issued: it needs",
				     "tasks of an open scope",
				     " whose outputs stay live until the scope ends, behind this task",
				     "make the scope smaller",
				     ", held by an open scope",
				     ", or end the scope earlier"};
/* Versions that no other follows, of tasks before or of an open scope; and tensors between alloc and free. */
static const struct held by_versions = {"task",
					" cannot be issued: the versions of temp tensors that it makes need",
					"versions that no other follows, by tensors that are not freed, or by an open scope",
					"",
					"end the scope earlier",
					" for its versions that nothing gives back",
					""};
/* Tensors that are allocated, or freed behind a scope that is still open. */
static const struct held by_tensors = {"the alloc before task",
				       " cannot be done: it needs",
				       "tensors that are not freed, or by tasks of an open scope",
				       " that used them",
				       "free earlier",
				       " that nothing gives back",
				       ""};

/* A place that an open scope or a version without a successor holds. */
static ptowsp_status held_report(const struct rt_run *run, const struct rt_block *block, struct ptowsp_deadlock *deadlock)
{
	bool heap = block->resource == PTOWSP_RESOURCE_HEAP;
	const struct held *held = !heap ? &by_scope : run->sync.blocked ? &by_tensors : &by_versions;
	const char *resource = rt_resource_name(block->resource);
	char kernel[64] = "", depth[32] = "";
	struct ptowsp_deadlock report = {
		.head = PTOWSP_HEAD(report, DEADLOCK),
		.resource = block->resource,
		.scope_depth = run->flow.scopes,
		.scope_held = !heap || run->flow.scopes != 0,
		.kind = PTOWSP_DEADLOCK_HELD,
		.channel = PTOWSP_NONE,
		.task = run->tasks,
		.capacity = block->capacity,
		.used = block->used,
		.high_water = run->lag.feed ? 0 : run->clock.meters[block->resource].high_water,
	};

	option_write(block, &report);
	if (held == &by_versions)
		snprintf(kernel, sizeof(kernel), ", kernel %.40s,", rt_kernel_name(run->program, run->kernel));
	if (!heap)
		snprintf(depth, sizeof(depth), " (depth %u)", report.scope_depth);
	snprintf(report.text, sizeof(report.text), "%s %llu%s%s %llu of %llu %s of %s, and %llu are held by %s (depth %u)%s; use at least %s, or %s", held->who,
		 (unsigned long long)run->tasks, kernel, held->wants, (unsigned long long)block->need, (unsigned long long)block->capacity,
		 bounded[block->resource].unit, resource, (unsigned long long)block->used, held->by, report.scope_depth, held->so, report.option, held->cure);
	rt_deadlock_give(deadlock, &report);
	return rt_fail_at(run->error, PTOWSP_DEADLOCK, run->tasks, block->resource, "deadlock: %s %llu waits for %s%s%s; use at least %s%s", held->who,
			  (unsigned long long)run->tasks, resource, held->waits, depth, report.option, held->sooner);
}

ptowsp_status rt_block_report(const struct rt_run *run, ptowsp_status status, const struct rt_block *block, struct ptowsp_deadlock *deadlock)
{
	if (status == PTOWSP_NO_MEMORY) /* there is no block to report */
		return rt_no_memory(run->error, "the window");
	if (status == PTOWSP_TOO_SMALL)
		return too_small(run, block);
	return held_report(run, block, deadlock);
}

/* ---- where a process waits --------------------------------------------------------------------------------------- */

static void text_add(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list list;

	va_start(list, format);
	vsnprintf(text + used, size - used, format, list);
	va_end(list);
}

static void text_cut(char *text, size_t room)
{
	size_t at = room;

	if (strlen(text) <= room)
		return;
	while (at && !(strchr(",;", text[at]) && text[at + 1] == ' '))
		at--;
	text[at ? at : room] = 0;
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

uint32_t rt_instance_instruction(const struct rt_pipeline *pipeline, uint32_t at)
{
	const struct rt_instance *instance = &pipeline->instances[at];
	const struct rt_expand *expand = at == pipeline->turn ? &pipeline->run->expand : &instance->expand;

	switch (instance->standing) {
	case RT_SENDING: return expand->at - 1 - (instance->move != NULL); /* behind its word */
	case RT_CONSUMING: return expand->frames[expand->depth - 1].at;
	case RT_ISSUING: return pipeline->run->program->sites[expand->site].instruction;
	case RT_WAITING:
	case RT_ALLOCATING: return expand->sync;
	default: return expand->at;
	}
}

/* At a task or an alloc. Bytes of the heap may be held without any scope. */
static void place_text(const struct rt_pipeline *pipeline, uint32_t at, char *text, size_t size)
{
	const struct rt_instance *instance = &pipeline->instances[at];
	const struct rt_block *block = &instance->block;
	uint32_t holder = rt_clocks_holder(&pipeline->clocks);
	char name[64];

	text_add(text, size, " to %s, which needs %llu of %llu %s of %s; %llu are held by ", instance->standing == RT_ISSUING ? "issue a task" : "allocate",
		 (unsigned long long)block->need, (unsigned long long)block->capacity, bounded[block->resource].unit, rt_resource_name(block->resource),
		 (unsigned long long)block->used);
	if (block->resource == PTOWSP_RESOURCE_HEAP)
		text_add(text, size, "versions that no other follows or tensors that are not freed%s", holder == PTOWSP_NONE ? "" : ", or by ");
	if (holder != PTOWSP_NONE)
		text_add(text, size, "an open scope of %s", holder == at ? "its own" : instance_text(pipeline, holder, name, sizeof(name)));
}

static void sending_text(struct rt_pipeline *pipeline, uint32_t at, char *text, size_t size)
{
	const struct rt_instance *instance = &pipeline->instances[at];
	const struct rt_channel *channel = &pipeline->channels[instance->channel];
	const struct rt_end *next = rt_side_turn(&pipeline->channels[instance->channel].producers);
	char name[64];

	text_add(text, size, " to send into %.40s", rt_channel_name(pipeline->run->program, instance->channel));
	if (next && next->instance != at)
		text_add(text, size, ", where it is the turn of %s", instance_text(pipeline, next->instance, name, sizeof(name)));
	else if (!channel->capacity)
		text_add(text, size, ", a rendezvous to which no consumer comes");
	else
		text_add(text, size, ", which is full: %llu of %llu", (unsigned long long)(channel->sends - channel->consumes),
			 (unsigned long long)channel->capacity);
}

static void consuming_text(struct rt_pipeline *pipeline, uint32_t at, char *text, size_t size)
{
	const struct rt_instance *instance = &pipeline->instances[at];
	struct rt_channel *channel = &pipeline->channels[instance->channel];
	const struct rt_end *next;
	char name[64];

	text_add(text, size, " to consume from %.40s", rt_channel_name(pipeline->run->program, instance->channel));
	if (channel->sends > channel->consumes) {
		next = rt_side_turn(&channel->consumers);
		if (next)
			text_add(text, size, ", where it is the turn of %s", instance_text(pipeline, next->instance, name, sizeof(name)));
		return;
	}
	next = rt_side_turn(&channel->producers);
	if (next)
		text_add(text, size, ", which is empty: %s has not ended and sends nothing", instance_text(pipeline, next->instance, name, sizeof(name)));
}

static void event_text(const struct rt_pipeline *pipeline, uint32_t at, char *text, size_t size)
{
	const struct rt_program *program = pipeline->run->program;
	const struct rt_ins *in = &program->code[rt_instance_instruction(pipeline, at)];

	text_add(text, size, " for a signal of event %.40s, which nobody gives", rt_string(&program->tables, program->tables.event.rows[in->slot].name));
}

static void wait_text(struct rt_pipeline *pipeline, uint32_t at, char *text, size_t size)
{
	char name[64], where[160];

	text_add(text, size, "%s waits at %s", instance_text(pipeline, at, name, sizeof(name)),
		 rt_position(&pipeline->run->program->tables, rt_instance_instruction(pipeline, at), where, sizeof(where)));
	switch (pipeline->instances[at].standing) {
	case RT_SENDING: sending_text(pipeline, at, text, size); break;
	case RT_CONSUMING: consuming_text(pipeline, at, text, size); break;
	case RT_ISSUING:
	case RT_ALLOCATING: place_text(pipeline, at, text, size); break;
	case RT_WAITING: event_text(pipeline, at, text, size); break;
	default: break;
	}
}

/* ---- why no process goes on -------------------------------------------------------------------------------------- */

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
			report->waiting[report->waiting_count] = (struct ptowsp_waiting){.process = instance->process,
											 .replica = instance->replica,
											 .instruction = rt_instance_instruction(pipeline, i),
											 .resource = resource_of(instance),
											 .channel = channel_of(instance),
											 .scope_depth = pipeline->clocks.own[i].scopes};
		report->waiting_count++;
	}
}

/* The instance stands at a task or an alloc. */
static bool wants_place(const struct rt_instance *instance)
{
	return instance->standing == RT_ISSUING || instance->standing == RT_ALLOCATING;
}

/* The instance stands at a send, it is its turn, and only room is missing. */
static bool wants_room(struct rt_pipeline *pipeline, uint32_t at)
{
	const struct rt_instance *instance = &pipeline->instances[at];
	const struct rt_end *next = instance->standing == RT_SENDING ? rt_side_turn(&pipeline->channels[instance->channel].producers) : NULL;

	return next && next->instance == at;
}

/* The more of it a capacity could change, the more a wait tells. */
static uint32_t rank_of(struct rt_pipeline *pipeline, uint32_t at)
{
	const struct rt_instance *instance = &pipeline->instances[at];

	if (instance->standing == RT_ENDED)
		return 0;
	if (wants_place(instance))
		return 4;
	if (wants_room(pipeline, at))
		return 3;
	return instance->standing == RT_WAITING ? 2 : 1;
}

/* The instance that the report is about: one that waits for a place, else one that a full channel stops, one that waits for an event, the first. */
static uint32_t subject_of(struct rt_pipeline *pipeline)
{
	uint32_t subject = PTOWSP_NONE, rank = 0;

	for (uint32_t i = 0; i < pipeline->count; i++) {
		uint32_t own = rank_of(pipeline, i);

		if (own > rank)
			subject = i, rank = own;
	}
	return subject;
}

static uint32_t kind_of(struct rt_pipeline *pipeline, uint32_t subject)
{
	const struct rt_instance *instance = &pipeline->instances[subject];
	uint32_t holder = rt_clocks_holder(&pipeline->clocks);

	if (wants_place(instance))
		return holder != PTOWSP_NONE && !wants_place(&pipeline->instances[holder]) ? PTOWSP_DEADLOCK_WINDOW_CHANNEL : PTOWSP_DEADLOCK_HELD;
	if (instance->standing == RT_WAITING)
		return PTOWSP_DEADLOCK_EVENT;
	return wants_room(pipeline, subject) ? PTOWSP_DEADLOCK_CHANNEL_CYCLE : PTOWSP_DEADLOCK_CHANNEL_EMPTY;
}

static void use_fill(const struct rt_pipeline *pipeline, uint32_t subject, struct ptowsp_deadlock *report)
{
	const struct rt_instance *instance = &pipeline->instances[subject];
	const struct rt_channel *channel = &pipeline->channels[instance->channel];

	report->resource = instance->standing == RT_WAITING ? 0 : resource_of(instance);
	report->channel = channel_of(instance);
	report->scope_depth = pipeline->clocks.own[subject].scopes;
	report->scope_held = wants_place(instance) && rt_clocks_holder(&pipeline->clocks) != PTOWSP_NONE;
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

/* The capacity with which the task, alloc or send of the subject could proceed, worked out from what is held now; none where no capacity is what it lacks. */
static void option_find(struct rt_pipeline *pipeline, uint32_t subject, struct ptowsp_deadlock *report)
{
	const struct rt_instance *instance = &pipeline->instances[subject];

	if (wants_place(instance)) {
		option_write(&instance->block, report);
	} else if (wants_room(pipeline, subject)) {
		report->proposed = pipeline->channels[instance->channel].capacity + 1;
		snprintf(report->option, sizeof(report->option), "--schedule channel_capacity=%s,%llu",
			 rt_channel_name(pipeline->run->program, instance->channel), (unsigned long long)report->proposed);
	}
}

static void report_write(struct rt_pipeline *pipeline, uint32_t subject, struct ptowsp_deadlock *report)
{
	uint32_t told = 0;

	use_fill(pipeline, subject, report);
	report->kind = kind_of(pipeline, subject);
	waiting_fill(pipeline, report);
	option_find(pipeline, subject, report);
	snprintf(report->text, sizeof(report->text), "no process can go on: ");
	wait_text(pipeline, subject, report->text, sizeof(report->text));
	for (uint32_t i = 0; i < pipeline->count && told < 3; i++) {
		if (i == subject || pipeline->instances[i].standing == RT_ENDED)
			continue;
		text_add(report->text, sizeof(report->text), "; ");
		wait_text(pipeline, i, report->text, sizeof(report->text));
		told++;
	}
	if (report->waiting_count > told + 1)
		text_add(report->text, sizeof(report->text), "; and %u more", report->waiting_count - told - 1);
	if (wants_place(&pipeline->instances[subject]) && !pipeline->run->lag.feed)
		text_add(report->text, sizeof(report->text), "; high water %llu, counted over all processes", (unsigned long long)report->high_water);
	if (report->option[0])
		text_add(report->text, sizeof(report->text), "; use at least %s", report->option);
	else
		text_add(report->text, sizeof(report->text), "; no capacity would help");
}

enum { ROOM = 170 }; /* of an error's text, for the wait and its option beside the words below */

/* The first wait and its option in one sentence; of a long wait the beginning. */
static void sentence_write(struct rt_pipeline *pipeline, uint32_t subject, const struct ptowsp_deadlock *report)
{
	const char *option = report->option[0] ? report->option : "no capacity would help";
	char wait[320] = "";

	wait_text(pipeline, subject, wait, sizeof(wait));
	text_cut(wait, ROOM - strlen(option));
	rt_fail_at(pipeline->run->error, PTOWSP_DEADLOCK, report->task, report->resource, "deadlock: process %s; %s%s", wait,
		   report->option[0] ? "use at least " : "", option);
}

ptowsp_status rt_pipeline_deadlock(struct rt_pipeline *pipeline)
{
	struct ptowsp_deadlock report = {.head = PTOWSP_HEAD(report, DEADLOCK), .channel = PTOWSP_NONE};
	uint32_t subject = subject_of(pipeline);

	report_write(pipeline, subject, &report);
	rt_deadlock_give(pipeline->run->deadlock, &report);
	sentence_write(pipeline, subject, &report);
	return PTOWSP_DEADLOCK;
}
