/* SPDX-License-Identifier: MIT */
/* rt_outcome.c - programs of a builder, run, and all that a run tells. */
#include "tests/rt/builder/rt_builder_rows.h"

#include <stdio.h>
#include <time.h>

static void log_line(void *context, int32_t level, const char *text, uint64_t length)
{
	struct builder *b = context;
	size_t used = strlen(b->log);

	(void)level;
	snprintf(b->log + used, sizeof(b->log) - used, "%.*s\n", (int)length, text);
}

static void diagnose(void *context, uint32_t feature, uint8_t state, const char *text, uint64_t length)
{
	(void)feature;
	log_line(context, state, text, length);
}

uint64_t builder_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static uint64_t now_ns(void *context)
{
	(void)context;
	return builder_now_ns();
}

uint32_t builder_caps(struct ptowsp_cap *rows_out, uint32_t room)
{
	const uint32_t count = rt_capabilities(rows_out, room);

	for (uint32_t i = 0; i < count; i++)
		if (rows_out[i].feature >> 4 == PTOWSP_FEATURE_POLICY(PTOWSP_DIRECTIVE_READY, 0) >> 4)
			rows_out[i].state = PTOWSP_STATE_ENFORCED;
	return count;
}

ptowsp_status builder_program(struct builder *b, struct rt_program **program_out, struct ptowsp_error *error)
{
	static struct ptowsp_host host; /* the context is not read behind rt_program_destroy */
	struct ptowsp_cap caps[256];
	struct rt_program_args args = {.section_stride = sizeof(struct ptowsp_section), .kernels = &b->table, .host = &host, .caps = caps};

	args.cap_count = builder_caps(caps, 256);
	args.sections = builder_sections(b, &args.section_count);
	host = (struct ptowsp_host){.head = PTOWSP_HEAD(host, HOST), .context = b, .log = log_line, .diagnose = diagnose, .now_ns = now_ns};
	return rt_program_create(program_out, &args, error);
}

uint64_t *builder_memory(const struct builder *b, uint64_t seed, struct ptowsp_binding *bindings, uint64_t *count_out)
{
	const struct ptowsp_tensor_record *tensors = (struct ptowsp_tensor_record *)b->tensor.rows;
	uint64_t total = 0, *memory;

	for (uint32_t t = 0; t < b->tensor.count; t++) {
		bindings[t] = (struct ptowsp_binding){.elements = 1, .tensor = t, .dtype = tensors[t].dtype, .rank = (uint16_t)tensors[t].dim_count};
		for (uint32_t d = 0; d < tensors[t].dim_count; d++) {
			bindings[t].extents[d] = ((uint64_t *)b->shapes.rows)[2 * t + d];
			bindings[t].elements *= bindings[t].extents[d];
		}
		total += bindings[t].elements;
	}
	memory = need(calloc(total + 1, sizeof(*memory)));
	for (uint64_t i = 0; i < total; i++)
		memory[i] = seed ? builder_fold(seed, i) : 0;
	*count_out = total;
	for (uint32_t t = 0; t < b->tensor.count; t++) {
		bindings[t].data = memory;
		memory += bindings[t].elements;
	}
	return memory - total;
}

static void task_sink(void *context, const struct ptowsp_trace_task *task)
{
	struct outcome *o = context;

	if (o->task_count == o->task_room) {
		o->task_room = o->task_room ? o->task_room * 2 : 64;
		o->tasks = need(realloc(o->tasks, o->task_room * sizeof(*o->tasks)));
	}
	o->tasks[o->task_count++] = *task;
}

static void edge_sink(void *context, uint64_t producer, uint64_t consumer)
{
	struct outcome *o = context;

	if (o->edge_count == o->edge_room) {
		o->edge_room = o->edge_room ? o->edge_room * 2 : 64;
		o->edges = need(realloc(o->edges, o->edge_room * sizeof(*o->edges)));
	}
	o->edges[o->edge_count++] = (struct outcome_edge){producer, consumer};
}

static int edge_compare(const void *a, const void *b)
{
	const struct outcome_edge *x = a, *y = b;

	if (x->consumer != y->consumer)
		return x->consumer < y->consumer ? -1 : 1;
	return (x->producer > y->producer) - (x->producer < y->producer);
}

static void arrays_copy(struct outcome *o)
{
	o->stats.resource_count = o->stats.resource_count < 64 ? o->stats.resource_count : 64;
	o->stats.kernel_count = o->stats.kernel_count < 64 ? o->stats.kernel_count : 64;
	if (o->stats.resources)
		memcpy(o->resources, o->stats.resources, o->stats.resource_count * sizeof(*o->resources));
	if (o->stats.kernels)
		memcpy(o->kernels, o->stats.kernels, o->stats.kernel_count * sizeof(*o->kernels));
	o->stats.channel_count = o->stats.channel_count < 64 ? o->stats.channel_count : 64;
	if (o->stats.channels)
		memcpy(o->channels, o->stats.channels, o->stats.channel_count * sizeof(*o->channels));
	o->stats.channels = o->channels;
	if (o->stats.schedulers)
		memcpy(o->schedulers, o->stats.schedulers, o->stats.scheduler_count * sizeof(*o->schedulers));
	o->stats.schedulers = o->schedulers;
	o->stats.resources = o->resources;
	o->stats.kernels = o->kernels;
	if (o->edge_count)
		qsort(o->edges, o->edge_count, sizeof(*o->edges), edge_compare);
}

/* Aligned as a graph has to be. */
static void graph_sink(void *context, const void *block, uint64_t size)
{
	struct outcome *o = context;

	o->graph = need(aligned_alloc(64, size));
	memcpy(o->graph, block, size);
	o->graph_size = size;
}

static void wanted_set(const struct outcome_how *how, struct ptowsp_run_args *run, struct rt_run_args *args)
{
	run->flags = how->flags;
	run->deadline_ns = how->deadline_ns;
	run->max_tasks = how->max_tasks;
	run->values = how->values;
	run->value_count = how->value_count;
	args->cancel = how->cancel;
	args->memory = how->memory;
	args->fixed_map = how->fixed_map;
	args->schedulers = how->schedulers;
	args->engine = how->engine;
	if (how->no_sinks)
		args->sinks = NULL;
}

static struct outcome *outcome_create(const struct builder *b, const struct outcome_how *how, struct ptowsp_binding *bindings)
{
	struct outcome *o = need(calloc(1, sizeof(*o)));

	o->error.head = (struct ptowsp_head)PTOWSP_HEAD(o->error, ERROR);
	o->stats.head = (struct ptowsp_head)PTOWSP_HEAD(o->stats, RUN_STATS);
	o->deadlock.head = (struct ptowsp_head)PTOWSP_HEAD(o->deadlock, DEADLOCK);
	o->memory = builder_memory(b, how->seed, bindings, &o->memory_count);
	for (uint64_t i = 0; i < how->content_count && i < o->memory_count; i++)
		o->memory[i] = how->content[i];
	return o;
}

struct outcome *builder_run_program(struct builder *b, struct rt_program *program, const struct outcome_how *how)
{
	const struct outcome_how standard = {0};
	struct ptowsp_binding *bindings = need(calloc(b->tensor.count + 1, sizeof(*bindings)));
	struct outcome *o = outcome_create(b, how ? how : &standard, bindings);
	struct rt_sinks sinks = {.context = o, .task = task_sink, .edge = edge_sink, .graph = graph_sink};
	struct ptowsp_run_args run = {.head = PTOWSP_HEAD(run, RUN_ARGS), .bindings = bindings, .binding_stride = sizeof(*bindings)};
	struct rt_run_args args = {.args = &run, .sinks = &sinks};
	struct rt_pool *own = NULL;

	how = how ? how : &standard;
	if (how->unlinked)
		sinks.edge = NULL;
	b->idle = how->idle;
	run.binding_count = how->bare ? 0 : b->tensor.count;
	wanted_set(how, &run, &args);
	if (!how->pool && how->threads > 1 && rt_pool_create(&own, how->threads, NULL))
		abort();
	args.pool = how->pool ? how->pool : own;
	atomic_store(&b->calls, 0);
	atomic_store(&b->questions, 0);
	o->status = rt_run(program, &args, &o->stats, &o->deadlock, &o->error);
	o->calls = atomic_load(&b->calls);
	o->questions = atomic_load(&b->questions);
	arrays_copy(o);
	memcpy(o->log, b->log, sizeof(o->log));
	rt_pool_destroy(own);
	free(bindings);
	return o;
}

struct outcome *builder_run(struct builder *b, const struct outcome_how *how)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_program *program;
	struct outcome *o;
	ptowsp_status status;

	b->log[0] = 0;
	b->table.queues = how ? how->queues : NULL;
	status = builder_program(b, &program, &error);
	if (status) {
		o = need(calloc(1, sizeof(*o)));
		o->status = status;
		o->error = error;
		memcpy(o->log, b->log, sizeof(o->log));
		return o;
	}
	o = builder_run_program(b, program, how);
	rt_program_destroy(program);
	return o;
}

void outcome_destroy(struct outcome *o)
{
	free(o->tasks);
	free(o->edges);
	free(o->memory);
	free(o->graph);
	free(o);
}

const struct ptowsp_resource_stats *outcome_resource(const struct outcome *o, const char *name)
{
	static const struct ptowsp_resource_stats none;

	for (uint32_t i = 0; i < o->stats.resource_count; i++)
		if (!strcmp(o->resources[i].name, name))
			return &o->resources[i];
	return &none;
}

bool outcome_has_edge(const struct outcome *o, uint64_t producer, uint64_t consumer)
{
	for (uint32_t i = 0; i < o->edge_count; i++)
		if (o->edges[i].producer == producer && o->edges[i].consumer == consumer)
			return true;
	return false;
}
