/* SPDX-License-Identifier: MIT */
/* stuck_text.c - where an instance waits and for what, in words. */
#include "rt/stuck.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "rt/error.h"

void rt_text_add(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list list;

	va_start(list, format);
	vsnprintf(text + used, size - used, format, list);
	va_end(list);
}

void rt_text_cut(char *text, size_t room)
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

uint32_t rt_stuck_at(const struct rt_pipeline *pipeline, uint32_t at)
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

	rt_text_add(text, size, " to %s, which needs %llu of %llu %s of %s; %llu are held by ", instance->standing == RT_ISSUING ? "issue a task" : "allocate",
		    (unsigned long long)block->need, (unsigned long long)block->capacity, rt_resource_unit(block->resource), rt_resource_name(block->resource),
		    (unsigned long long)block->used);
	if (block->resource == PTOWSP_RESOURCE_HEAP)
		rt_text_add(text, size, "versions that no other follows or tensors that are not freed%s", holder == PTOWSP_NONE ? "" : ", or by ");
	if (holder != PTOWSP_NONE)
		rt_text_add(text, size, "an open scope of %s", holder == at ? "its own" : instance_text(pipeline, holder, name, sizeof(name)));
}

static void sending_text(struct rt_pipeline *pipeline, uint32_t at, char *text, size_t size)
{
	const struct rt_instance *instance = &pipeline->instances[at];
	const struct rt_channel *channel = &pipeline->channels[instance->channel];
	const struct rt_end *next = rt_side_turn(&pipeline->channels[instance->channel].producers);
	char name[64];

	rt_text_add(text, size, " to send into %.40s", rt_channel_name(pipeline->run->program, instance->channel));
	if (next && next->instance != at)
		rt_text_add(text, size, ", where it is the turn of %s", instance_text(pipeline, next->instance, name, sizeof(name)));
	else if (!channel->capacity)
		rt_text_add(text, size, ", a rendezvous to which no consumer comes");
	else
		rt_text_add(text, size, ", which is full: %llu of %llu", (unsigned long long)(channel->sends - channel->consumes),
		    (unsigned long long)channel->capacity);
}

static void consuming_text(struct rt_pipeline *pipeline, uint32_t at, char *text, size_t size)
{
	const struct rt_instance *instance = &pipeline->instances[at];
	struct rt_channel *channel = &pipeline->channels[instance->channel];
	const struct rt_end *next;
	char name[64];

	rt_text_add(text, size, " to consume from %.40s", rt_channel_name(pipeline->run->program, instance->channel));
	if (channel->sends > channel->consumes) {
		next = rt_side_turn(&channel->consumers);
		if (next)
			rt_text_add(text, size, ", where it is the turn of %s", instance_text(pipeline, next->instance, name, sizeof(name)));
		return;
	}
	next = rt_side_turn(&channel->producers);
	if (next)
		rt_text_add(text, size, ", which is empty: %s has not ended and sends nothing", instance_text(pipeline, next->instance, name, sizeof(name)));
}

static void event_text(const struct rt_pipeline *pipeline, uint32_t at, char *text, size_t size)
{
	const struct rt_program *program = pipeline->run->program;
	const struct rt_ins *in = &program->code[rt_stuck_at(pipeline, at)];

	rt_text_add(text, size, " for a signal of event %.40s, which nobody gives", rt_string(&program->tables, program->tables.event.rows[in->slot].name));
}

void rt_stuck_text(struct rt_pipeline *pipeline, uint32_t at, char *text, size_t size)
{
	char name[64], where[160];

	rt_text_add(text, size, "%s waits at %s", instance_text(pipeline, at, name, sizeof(name)),
	    rt_position(&pipeline->run->program->tables, rt_stuck_at(pipeline, at), where, sizeof(where)));
	switch (pipeline->instances[at].standing) {
	case RT_SENDING: sending_text(pipeline, at, text, size); break;
	case RT_CONSUMING: consuming_text(pipeline, at, text, size); break;
	case RT_ISSUING:
	case RT_ALLOCATING: place_text(pipeline, at, text, size); break;
	case RT_WAITING: event_text(pipeline, at, text, size); break;
	default: break;
	}
}
