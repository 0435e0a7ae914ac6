/* SPDX-License-Identifier: MIT */
/* stuck.c - why no process gets on, and what would help. */
#include "rt/stuck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rt/error.h"
#include "rt/trial.h"

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

/* The more of it a limit could change, the more a wait tells. */
static uint32_t rank_of(struct rt_pipeline *pipeline, uint32_t at)
{
	switch (pipeline->instances[at].standing) {
	case RT_ENDED: return 0;
	case RT_ISSUING:
	case RT_ALLOCATING: return 4;
	case RT_WAITING: return 2;
	default: return rt_limit_of(pipeline, at) == UINT32_MAX ? 1 : 3;
	}
}

/* The instance that the report is about: one that waits for a place, else one that a full channel stops, one that waits for an event, the first. */
uint32_t rt_stuck_subject(struct rt_pipeline *pipeline)
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

	if (rt_wants_place(instance))
		return holder != PTOWSP_NONE && !rt_wants_place(&pipeline->instances[holder]) ? PTOWSP_DEADLOCK_WINDOW_CHANNEL
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
	if (rt_wants_place(instance)) {
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

/* Whole ones only: what has no room is named when the program blocks again. */
static void option_add(const struct rt_pipeline *pipeline, uint32_t limit, uint64_t value, struct ptowsp_deadlock *report)
{
	char one[sizeof(report->option)];

	if (!report->proposed)
		report->proposed = value;
	if (limit < RT_LIMIT_CHANNELS)
		snprintf(one, sizeof(one), "--schedule %s=%llu", rt_limit_directive(limit), (unsigned long long)value);
	else
		snprintf(one, sizeof(one), "--schedule channel_capacity=%s,%llu", rt_channel_name(pipeline->run->program, limit - RT_LIMIT_CHANNELS),
			 (unsigned long long)value);
	if (strlen(report->option) + strlen(one) + 1 < sizeof(report->option))
		rt_text_add(report->option, sizeof(report->option), "%s%s", report->option[0] ? " " : "", one);
}

/* That of the instance which the report is about first. */
static void options_write(struct rt_pipeline *pipeline, uint32_t subject, const struct rt_settings *lifted, const struct rt_settings *used,
			  struct ptowsp_deadlock *report)
{
	uint32_t own = rt_limit_of(pipeline, subject), first = own == UINT32_MAX ? 0 : own;

	for (uint32_t i = 0; i < lifted->count; i++) {
		uint32_t k = i == 0 ? first : i <= first ? i - 1 : i;

		if (lifted->values[k] && used->values[k] > rt_limit_now(pipeline, k))
			option_add(pipeline, k, used->values[k], report);
	}
}

static void report_write(struct rt_pipeline *pipeline, bool cured, const struct rt_settings *lifted, const struct rt_settings *used,
			 struct ptowsp_deadlock *report)
{
	uint32_t subject = rt_stuck_subject(pipeline), told = 0;

	use_fill(pipeline, subject, report);
	report->kind = kind_of(pipeline, subject, cured);
	waiting_fill(pipeline, report);
	if (cured)
		options_write(pipeline, subject, lifted, used, report);
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
	if (report->option[0])
		rt_text_add(report->text, sizeof(report->text), "; use %s", report->option);
	else
		rt_text_add(report->text, sizeof(report->text), "; no capacity would help%s%s", lifted->rest[0] ? ": with more, " : "", lifted->rest);
}

enum { ROOM = 190, WAIT_LEAST = 80, WAIT_ALONE = 170, WAIT_POINTING = 140 }; /* in an error's text, beside the words below */

/* The first wait and the options, if the one sentence of the error has room for both. */
static void sentence_write(struct rt_pipeline *pipeline, const struct ptowsp_deadlock *report)
{
	char wait[320] = "";

	rt_stuck_text(pipeline, rt_stuck_subject(pipeline), wait, sizeof(wait));
	if (strlen(report->option) + WAIT_LEAST > ROOM) {
		rt_text_cut(wait, WAIT_POINTING);
		rt_fail_at(pipeline->run->error, PTOWSP_DEADLOCK, report->task, report->resource, "deadlock: process %s; use the settings of its report", wait);
		return;
	}
	rt_text_cut(wait, report->option[0] ? ROOM - strlen(report->option) : WAIT_ALONE);
	if (report->option[0])
		rt_fail_at(pipeline->run->error, PTOWSP_DEADLOCK, report->task, report->resource, "deadlock: process %s; use %s", wait, report->option);
	else
		rt_fail_at(pipeline->run->error, PTOWSP_DEADLOCK, report->task, report->resource, "deadlock: process %s; no capacity would help", wait);
}

ptowsp_status rt_pipeline_stuck(struct rt_pipeline *pipeline)
{
	struct rt_run *run = pipeline->run;
	struct ptowsp_deadlock report = {.head = PTOWSP_HEAD(report, DEADLOCK), .channel = PTOWSP_NONE};
	uint32_t count = RT_LIMIT_CHANNELS + pipeline->channel_count;
	struct rt_settings lifted = {.count = count, .values = calloc(count, sizeof(uint64_t))}, used = {.count = count, .values = calloc(count, sizeof(uint64_t))};
	ptowsp_status st = lifted.values && used.values ? PTOWSP_DEADLOCK : rt_no_memory(run->error, "the report of a deadlock");
	bool cured = false;

	if (st == PTOWSP_DEADLOCK) {
		cured = rt_cure_find(pipeline, &lifted, &used) || (!rt_cure_foreseeable(pipeline) && rt_cure_guess(pipeline, &lifted, &used));
		report_write(pipeline, cured, &lifted, &used, &report);
		rt_deadlock_give(run->deadlock, &report);
		sentence_write(pipeline, &report);
	}
	free(lifted.values);
	free(used.values);
	return st;
}
