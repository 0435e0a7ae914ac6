/* SPDX-License-Identifier: MIT */
/* stuck.c - why no process gets on, and the least capacity with which the first of the blocked could. */
#include "rt/stuck.h"

#include <stdio.h>
#include <string.h>
#include "rt/error.h"

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
							.instruction = rt_stuck_at(pipeline, i),
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
static void option_write(struct rt_pipeline *pipeline, uint32_t subject, struct ptowsp_deadlock *report)
{
	const struct rt_instance *instance = &pipeline->instances[subject];

	if (wants_place(instance)) {
		report->proposed = instance->block.proposed;
		snprintf(report->option, sizeof(report->option), "--schedule %s=%llu", rt_resource_directive(instance->block.resource),
			 (unsigned long long)report->proposed);
	} else if (wants_room(pipeline, subject)) {
		report->proposed = pipeline->channels[instance->channel].capacity + 1;
		snprintf(report->option, sizeof(report->option), "--schedule channel_capacity=%s,%llu", rt_channel_name(pipeline->run->program, instance->channel),
			 (unsigned long long)report->proposed);
	}
}

static void report_write(struct rt_pipeline *pipeline, uint32_t subject, struct ptowsp_deadlock *report)
{
	uint32_t told = 0;

	use_fill(pipeline, subject, report);
	report->kind = kind_of(pipeline, subject);
	waiting_fill(pipeline, report);
	option_write(pipeline, subject, report);
	snprintf(report->text, sizeof(report->text), "no process can go on: ");
	rt_stuck_text(pipeline, subject, report->text, sizeof(report->text));
	for (uint32_t i = 0; i < pipeline->count && told < 3; i++) {
		if (i == subject || pipeline->instances[i].standing == RT_ENDED)
			continue;
		rt_text_add(report->text, sizeof(report->text), "; ");
		rt_stuck_text(pipeline, i, report->text, sizeof(report->text));
		told++;
	}
	if (report->waiting_count > told + 1)
		rt_text_add(report->text, sizeof(report->text), "; and %u more", report->waiting_count - told - 1);
	if (wants_place(&pipeline->instances[subject]) && !pipeline->run->lag.feed)
		rt_text_add(report->text, sizeof(report->text), "; high water %llu, counted over all processes", (unsigned long long)report->high_water);
	if (report->option[0])
		rt_text_add(report->text, sizeof(report->text), "; use at least %s", report->option);
	else
		rt_text_add(report->text, sizeof(report->text), "; no capacity would help");
}

enum { ROOM = 170 }; /* of an error's text, for the wait and its option beside the words below */

/* The first wait and its option in one sentence; of a long wait the beginning. */
static void sentence_write(struct rt_pipeline *pipeline, uint32_t subject, const struct ptowsp_deadlock *report)
{
	const char *option = report->option[0] ? report->option : "no capacity would help";
	char wait[320] = "";

	rt_stuck_text(pipeline, subject, wait, sizeof(wait));
	rt_text_cut(wait, ROOM - strlen(option));
	rt_fail_at(pipeline->run->error, PTOWSP_DEADLOCK, report->task, report->resource, "deadlock: process %s; %s%s", wait,
		   report->option[0] ? "use at least " : "", option);
}

ptowsp_status rt_pipeline_stuck(struct rt_pipeline *pipeline)
{
	struct ptowsp_deadlock report = {.head = PTOWSP_HEAD(report, DEADLOCK), .channel = PTOWSP_NONE};
	uint32_t subject = subject_of(pipeline);

	report_write(pipeline, subject, &report);
	rt_deadlock_give(pipeline->run->deadlock, &report);
	sentence_write(pipeline, subject, &report);
	return PTOWSP_DEADLOCK;
}
