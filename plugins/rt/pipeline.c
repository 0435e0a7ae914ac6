/* SPDX-License-Identifier: MIT */
/* pipeline.c - the instances and channels of a pipeline: making and unmaking them, and their names. */
#include <stdlib.h>
#include <string.h>
#include "rt/error.h"
#include "rt/process.h"

const char *rt_process_name(const struct rt_program *program, uint32_t process)
{
	return process < program->tables.process.count ? rt_string(&program->tables, program->tables.process.rows[process].name) : "";
}

const char *rt_channel_name(const struct rt_program *program, uint32_t channel)
{
	return channel < program->tables.channel.count ? rt_string(&program->tables, program->tables.channel.rows[channel].name) : "";
}

uint32_t rt_instances(const struct rt_program *program)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < program->tables.process.count; i++)
		count += program->tables.process.rows[i].replicas;
	return count < RT_INSTANCE_LIMIT ? (uint32_t)count : RT_INSTANCE_LIMIT;
}

/* ---- making and unmaking --------------------------------------------------------------------------------------- */

/* The later row of two rules. */
uint64_t rt_channel_capacity(const struct rt_program *program, uint32_t channel)
{
	const struct rt_tables *tables = &program->tables;
	uint64_t capacity = tables->channel.rows[channel].capacity;

	for (uint32_t i = 0; i < tables->directive.count; i++) {
		const struct ptowsp_directive_record *row = &tables->directive.rows[i];

		if (row->directive == PTOWSP_DIRECTIVE_CHANNEL_CAPACITY &&
		    !strcmp(rt_string(tables, (uint32_t)row->a0), rt_channel_name(program, channel)))
			capacity = (uint64_t)row->a1;
	}
	return capacity;
}

static void instance_init(struct rt_pipeline *pipeline, uint32_t at, uint32_t process, uint32_t replica)
{
	struct rt_instance *instance = &pipeline->instances[at];
	struct rt_run *run = pipeline->run;

	instance->process = process;
	instance->replica = replica;
	rt_expand_start(&instance->expand, run->program, &run->env, run->error);
	instance->expand.at = run->program->tables.process.rows[process].instruction;
}

/* The instance at both ends of the channels that its process names. */
static bool ends_add(struct rt_pipeline *pipeline, uint32_t at)
{
	const struct rt_tables *tables = &pipeline->run->program->tables;
	const struct ptowsp_process_record *process = &tables->process.rows[pipeline->instances[at].process];
	const struct ptowsp_process_channel_record *use = &tables->process_channel.rows[process->channels];
	bool ok = true;

	for (uint32_t i = 0; ok && i < process->channel_count; i++, use++) {
		struct rt_channel *channel = &pipeline->channels[use->channel];
		struct rt_side *side = use->direction == PTOWSP_CHANNEL_PRODUCES ? &channel->producers : &channel->consumers;

		if (!side->count || side->ends[side->count - 1].instance != at) /* a row that is there twice */
			ok = rt_side_add(side, at);
	}
	return ok;
}

static int order_compare(const void *a, const void *b)
{
	const struct ptowsp_process_record *x = *(const struct ptowsp_process_record *const *)a;
	const struct ptowsp_process_record *y = *(const struct ptowsp_process_record *const *)b;

	return x->order != y->order ? (x->order > y->order) - (x->order < y->order) : (x > y) - (x < y);
}

static bool instances_make(struct rt_pipeline *pipeline)
{
	const struct rt_tables *tables = &pipeline->run->program->tables;
	const struct ptowsp_process_record **order = calloc((size_t)tables->process.count + 1, sizeof(*order));
	uint32_t at = 0;
	bool ok = order != NULL;

	for (uint32_t i = 0; ok && i < tables->process.count; i++) {
		order[i] = &tables->process.rows[i];
		pipeline->count += tables->process.rows[i].replicas;
	}
	pipeline->instances = calloc((size_t)pipeline->count + 1, sizeof(*pipeline->instances));
	ok = ok && pipeline->instances;
	if (ok)
		qsort(order, tables->process.count, sizeof(*order), order_compare);
	for (uint32_t i = 0; ok && i < tables->process.count; i++)
		for (uint32_t replica = 0; ok && replica < order[i]->replicas; replica++, at++) {
			instance_init(pipeline, at, (uint32_t)(order[i] - tables->process.rows), replica);
			ok = ends_add(pipeline, at);
		}
	free(order);
	return ok;
}

static bool allocates(const struct rt_program *program)
{
	for (uint32_t t = 0; t < program->tables.tensor.count; t++)
		if (program->tensor_allocated[t])
			return true;
	return false;
}

ptowsp_status rt_pipeline_create(struct rt_pipeline **pipeline_out, struct rt_run *run)
{
	const struct rt_tables *tables = &run->program->tables;
	struct rt_pipeline *pipeline = *pipeline_out = calloc(1, sizeof(*pipeline));

	if (!pipeline)
		return rt_no_memory(run->error, "the pipeline");
	pipeline->run = run;
	pipeline->turn = PTOWSP_NONE;
	pipeline->channel_count = tables->channel.count;
	pipeline->channels = calloc((size_t)tables->channel.count + 1, sizeof(*pipeline->channels));
	for (uint32_t i = 0; pipeline->channels && i < tables->channel.count; i++) {
		pipeline->channels[i].capacity = rt_channel_capacity(run->program, i);
		pipeline->channels[i].latency = tables->channel.rows[i].latency;
		pipeline->channels[i].bytes = run->program->payloads[i].bytes;
	}
	if (!pipeline->channels || !instances_make(pipeline) || rt_clocks_init(&pipeline->clocks, &run->clock, pipeline->count) ||
	    (run->program->move_count && !rt_trails_init(&pipeline->trails, tables->tensor.count)) || !rt_versions_instances(run, pipeline->count))
		return rt_no_memory(run->error, "the pipeline");
	if (run->race.on && !rt_fronts_init(&pipeline->fronts, pipeline->count, tables->slot.count, tables->event.count, pipeline->channels, tables->channel.count))
		return rt_no_memory(run->error, "the race check");
	pipeline->told = calloc((size_t)pipeline->count + 1, sizeof(*pipeline->told));
	if (!pipeline->told)
		return rt_no_memory(run->error, "the pipeline");
	pipeline->trails.named = run->engine && rt_schedule_safe(&run->program->schedule); /* else who wrote last need not be behind those before */
	pipeline->live = pipeline->count;
	pipeline->clocks.asked = run->watch != NULL || allocates(run->program);
	pipeline->began = run->clock.total;
	return PTOWSP_OK;
}

void rt_pipeline_destroy(struct rt_pipeline *pipeline)
{
	if (!pipeline)
		return;
	for (uint32_t i = 0; pipeline->channels && i < pipeline->channel_count; i++)
		rt_channel_finish(&pipeline->channels[i]);
	for (uint32_t i = 0; pipeline->instances && i < pipeline->count; i++)
		if (i != pipeline->turn) /* that one is the run's */
			rt_expand_finish(&pipeline->instances[i].expand);
	rt_clocks_finish(&pipeline->clocks);
	rt_trails_finish(&pipeline->trails);
	rt_fronts_finish(&pipeline->fronts);
	free(pipeline->channels);
	free(pipeline->told);
	free(pipeline->instances);
	free(pipeline);
}
