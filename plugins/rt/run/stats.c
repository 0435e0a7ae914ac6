/* SPDX-License-Identifier: MIT */
/* stats.c - counters as rt_run and rt_stats give them back. */
#include "rt/instances/schedulers.h"
#include "rt/process/process.h"
#include "rt/program/rt_error.h"
#include "rt/run/feed.h"
#include "rt/run/rt_run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESOURCE_ROOM = RT_POOL_LIMIT + 4 };

ptowsp_status rt_snapshot_init(struct rt_snapshot *snapshot, const struct rt_program *program, struct ptowsp_error *error)
{
	uint32_t channels = program->tables.channel.count;

	snapshot->resources = calloc((size_t)RESOURCE_ROOM + channels, sizeof(*snapshot->resources));
	snapshot->channels = calloc((size_t)channels + 1, sizeof(*snapshot->channels));
	snapshot->processes = calloc((size_t)rt_instances(program) + 1, sizeof(*snapshot->processes));
	snapshot->kernels = calloc((size_t)program->tables.kernel.count + 1, sizeof(*snapshot->kernels));
	return snapshot->resources && snapshot->kernels && snapshot->channels && snapshot->processes ? PTOWSP_OK : rt_no_memory(error, "statistics");
}

void rt_snapshot_finish(struct rt_snapshot *snapshot)
{
	free(snapshot->resources);
	free(snapshot->kernels);
	free(snapshot->channels);
	free(snapshot->processes);
}

static void name_copy(char *to, size_t size, const char *name)
{
	const size_t length = strlen(name) < size ? strlen(name) : size - 1;

	memcpy(to, name, length);
	to[length] = 0;
}

static struct ptowsp_resource_stats *resource_add(struct rt_snapshot *snapshot, unsigned resource, const char *name, uint64_t capacity, uint64_t used,
						  const struct rt_meter *meter)
{
	struct ptowsp_resource_stats *row = &snapshot->resources[snapshot->stats.resource_count++];

	*row = (struct ptowsp_resource_stats){.resource = resource,
					      .capacity = capacity,
					      .high_water = meter->high_water,
					      .stall_count = meter->stalls,
					      .stall_cycles = meter->cycles,
					      .used = used};
	name_copy(row->name, sizeof(row->name), name);
	return row;
}

/* The walk for an engine is ahead of it, and its clock is not told of ends. */
static uint64_t used_of(const struct rt_run *run, const struct rt_meter *meter, uint64_t own)
{
	return run->engine ? meter->used : own;
}

static void resources_fill(const struct rt_run *run, struct rt_snapshot *snapshot)
{
	const struct rt_clock *clock = &run->clock;

	const struct {
		enum ptowsp_resource resource;
		uint64_t capacity, used;
	} rows[] = {{PTOWSP_RESOURCE_TASK_RING, clock->window, clock->issued - clock->gone},
		    {PTOWSP_RESOURCE_TENSOR_MAP, clock->map_capacity, clock->map_used},
		    {PTOWSP_RESOURCE_DEP_LIST, clock->deps_capacity, clock->deps_used},
		    {PTOWSP_RESOURCE_HEAP, run->heap_capacity, clock->heap.used}};

	snapshot->stats.resource_count = 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct rt_meter *meter = &clock->meters[rows[i].resource];

		resource_add(snapshot, rows[i].resource, rt_resource_name(rows[i].resource), rows[i].capacity, used_of(run, meter, rows[i].used), meter)
			->stall_ns = run->stall_ns[rows[i].resource];
	}
	for (uint32_t p = 0; p < run->places.pools && p < clock->pools; p++) {
		resource_add(snapshot, PTOWSP_RESOURCE_READY, run->places.names[p], clock->ready_capacity,
			     used_of(run, &clock->ready_meters[p], rt_clock_waiting(clock, p)), &clock->ready_meters[p])
			->pool = p;
	}
}

/* Among the resources a channel has one row with both waits; the name is cut to what fits, the row in CSPC is `pool`. */
static void channel_fill(const struct rt_run *run, struct rt_snapshot *snapshot, uint32_t row)
{
	const struct rt_channel *channel = &run->pipeline->channels[row];
	const struct rt_wait_meter *full = run->engine ? &channel->told_full : &channel->full, *empty = run->engine ? &channel->told_empty : &channel->empty;
	const struct rt_meter meter = {.high_water = channel->high_water, .stalls = full->count + empty->count, .cycles = full->cycles + empty->cycles};
	char name[24];

	snprintf(name, sizeof(name), "channel:%.15s", rt_channel_name(run->program, row));
	resource_add(snapshot, PTOWSP_RESOURCE_CHANNEL_FULL, name, channel->capacity, channel->sends - channel->consumes, &meter)->pool = row;
	snapshot->channels[snapshot->stats.channel_count++] = (struct ptowsp_channel_stats){
		.channel = row,
		.flags = channel->producers.open ? 0 : PTOWSP_CHANNEL_CLOSED,
		.capacity = channel->capacity,
		.latency = channel->latency,
		.sends = channel->sends,
		.consumes = channel->consumes,
		.high_water = channel->high_water,
		.full_count = full->count,
		.full_cycles = full->cycles,
		.empty_count = empty->count,
		.empty_cycles = empty->cycles,
		.payload_bytes = channel->consumes * channel->bytes,
	};
}

static void channels_fill(const struct rt_run *run, struct rt_snapshot *snapshot)
{
	snapshot->stats.channel_count = 0;
	for (uint32_t i = 0; run->pipeline && run->pipeline->channels && i < run->pipeline->channel_count; i++)
		channel_fill(run, snapshot, i);
}

static const uint8_t standings[] = {
	[RT_GOING] = PTOWSP_STANDING_GOING,     [RT_SENDING] = PTOWSP_STANDING_SENDING, [RT_CONSUMING] = PTOWSP_STANDING_CONSUMING,
	[RT_ISSUING] = PTOWSP_STANDING_ISSUING, [RT_WAITING] = PTOWSP_STANDING_EVENT,   [RT_ENDED] = PTOWSP_STANDING_ENDED,
};

static void schedulers_fill(const struct rt_run *run, struct rt_snapshot *snapshot)
{
	snapshot->stats.scheduler_count = run->shares ? run->share_count : 0;
	snapshot->stats.cross_edges = run->cross_edges;
	snapshot->stats.notifications = run->notifications;
	if (run->shares)
		memcpy(snapshot->schedulers, run->shares, run->share_count * sizeof(*run->shares));
}

static void processes_fill(const struct rt_run *run, struct rt_snapshot *snapshot)
{
	const struct rt_pipeline *pipeline = run->pipeline;

	snapshot->stats.process_count = 0;
	for (uint32_t i = 0; pipeline && pipeline->clocks.own && pipeline->told && i < pipeline->count; i++) {
		const struct rt_instance *instance = &pipeline->instances[i];
		bool channel = instance->standing == RT_SENDING || instance->standing == RT_CONSUMING;

		snapshot->processes[snapshot->stats.process_count++] = (struct ptowsp_process_stats){
			.process = instance->process,
			.replica = instance->replica,
			.standing = standings[instance->standing],
			.channel = channel ? instance->channel : PTOWSP_NONE,
			.resource = instance->standing == RT_ISSUING ? instance->block.resource : 0,
			.clock = run->engine                  ? pipeline->told[i]
				 : i == pipeline->clocks.turn ? run->clock.now
							      : pipeline->clocks.own[i].now,
			.tasks = instance->tasks,
		};
	}
}

/* Device tasks of a kernel; headers of 10.0 have no place for them. */
static void device_fill(const struct rt_kernels *kernels, struct ptowsp_kernel_stats *row)
{
#if PTOWSP_ABI_TARGET >= 1
	if (kernels->device)
		kernels->device(kernels->context, row->kernel, &row->device_tasks, &row->device_ns);
#else
	(void)kernels, (void)row;
#endif
}

static void kernels_fill(const struct rt_run *run, struct rt_snapshot *snapshot)
{
	rt_plans_count(&run->plans);
	snapshot->stats.kernel_count = 0;
	for (uint32_t k = 0; k < run->program->tables.kernel.count; k++)
		if (run->kernel_stats[k].tasks) {
			struct ptowsp_kernel_stats *row = &snapshot->kernels[snapshot->stats.kernel_count++];

			*row = run->kernel_stats[k];
			if (k != run->program->copy_kernel)
				device_fill(&run->program->kernels, row);
		}
}

static void chosen_fill(const struct rt_program *program, struct ptowsp_run_stats *stats)
{
	const struct rt_chosen *chosen = &program->chosen;

	stats->auto_executors = chosen->executors;
	stats->auto_edges = chosen->edges;
	stats->auto_cross = chosen->cross;
	if (chosen->executors && chosen->axis != PTOWSP_NONE)
		snprintf(stats->auto_axis, sizeof(stats->auto_axis), "%s", rt_string(&program->tables, chosen->axis));
}

static void fill(const struct rt_run *run, struct rt_snapshot *snapshot)
{
	struct ptowsp_run_stats *stats = &snapshot->stats;
	const struct rt_schedule *schedule = &run->program->schedule;

	stats->total_cycles = run->engine ? run->told_total : run->clock.total;
	stats->tasks = run->tasks;
	stats->edges = run->edges;
	stats->task_window = rt_schedulers_window(run);
	stats->executors = (uint64_t)run->places.pools * run->clock.executors;
	stats->streams = run->engine_streams ? run->engine_streams : schedule->streams ? schedule->streams : 1;
	stats->batches = run->batches;
	stats->flushes = run->flushes;
	stats->execute_ns = (run->ended_ns ? run->ended_ns : rt_now_ns(run->program)) - run->started_ns;
	stats->deterministic = run->measured || run->race.found             ? PTOWSP_DETERMINISTIC_NO
			       : rt_schedule_safe(schedule) || run->race.on ? PTOWSP_DETERMINISTIC_YES
									    : PTOWSP_DETERMINISTIC_UNKNOWN;
	stats->stall = run->waiting ? (uint32_t)run->reason + 1 : 0;
	if (run->pipeline)
		stats->executors = run->pipeline->count;
	if (run->engine)
		stats->executors = run->engine_executors;
	resources_fill(run, snapshot);
	channels_fill(run, snapshot);
	processes_fill(run, snapshot);
	schedulers_fill(run, snapshot);
	chosen_fill(run->program, stats);
	kernels_fill(run, snapshot);
}

static void copy(const struct rt_snapshot *from, struct rt_snapshot *to)
{
	to->stats = from->stats;
	to->stats.resources = to->resources;
	to->stats.kernels = to->kernels;
	to->stats.channels = to->channels;
	to->stats.processes = to->processes;
	to->stats.schedulers = to->schedulers;
	memcpy(to->schedulers, from->schedulers, from->stats.scheduler_count * sizeof(*to->schedulers));
	memcpy(to->resources, from->resources, from->stats.resource_count * sizeof(*to->resources));
	memcpy(to->channels, from->channels, from->stats.channel_count * sizeof(*to->channels));
	memcpy(to->processes, from->processes, from->stats.process_count * sizeof(*to->processes));
	memcpy(to->kernels, from->kernels, from->stats.kernel_count * sizeof(*to->kernels));
}

void rt_stats_reset(struct rt_program *program)
{
	struct rt_snapshot *snapshot = program->snapshot;

	pthread_mutex_lock(&program->lock);
	snapshot->stats = (struct ptowsp_run_stats){
		.head = PTOWSP_HEAD(snapshot->stats, RUN_STATS),
		.resource_stride = sizeof(*snapshot->resources),
		.kernel_stride = sizeof(*snapshot->kernels),
		.channel_stride = sizeof(*snapshot->channels),
		.process_stride = sizeof(*snapshot->processes),
		.scheduler_stride = sizeof(*snapshot->schedulers),
	};
	pthread_mutex_unlock(&program->lock);
}

void rt_stats_publish(struct rt_run *run)
{
	if (run->lag.feed)
		rt_feed_show(run->lag.feed);
	rt_clock_catch_up(&run->clock);
	pthread_mutex_lock(&run->program->lock);
	fill(run, run->program->snapshot);
	pthread_mutex_unlock(&run->program->lock);
}

/* Keeps the caller's size; writes only what fits into it. */
void rt_stats_give(struct rt_program *program, struct rt_snapshot *into, struct ptowsp_run_stats *stats_out)
{
	struct ptowsp_head head = stats_out->head;
	uint32_t size = head.size < sizeof(*stats_out) ? head.size : (uint32_t)sizeof(*stats_out);

	pthread_mutex_lock(&program->lock);
	copy(program->snapshot, into);
	pthread_mutex_unlock(&program->lock);
	if (size < sizeof(head))
		return;
	memcpy(stats_out, &into->stats, size);
	stats_out->head.size = head.size;
}

void rt_stats(const struct rt_program *program, struct ptowsp_run_stats *stats_out)
{
	struct rt_program *owner = (struct rt_program *)program; /* only its lock and the reader's copy change */

	rt_stats_give(owner, owner->reader, stats_out);
}
