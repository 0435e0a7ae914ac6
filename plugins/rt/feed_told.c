/* SPDX-License-Identifier: MIT */
/* feed_told.c - what an engine found out about time: into the counters, the trace and the reports where the semantic clock would have put it. */
#include "rt/feed.h"

#include <string.h>
#include "rt/process.h"
#include "rt/walker.h"

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void rt_told_copy(struct rt_told *to, const struct rt_told *from, uint32_t kernels)
{
	struct ptowsp_kernel_stats *rows = to->kernels;

	memcpy(rows, from->kernels, kernels * sizeof(*rows));
	*to = *from;
	to->kernels = rows;
}

static void show(struct rt_run *run, const struct rt_told *told)
{
	run->told_total = told->total;
	for (uint32_t k = 0; k < run->program->tables.kernel.count; k++) {
		run->kernel_stats[k].tasks = told->kernels[k].tasks;
		run->kernel_stats[k].cycles = told->kernels[k].cycles;
	}
	memcpy(run->clock.meters, told->meters, sizeof(told->meters));
	memcpy(run->clock.ready_meters, told->ready, run->clock.pools * sizeof(*told->ready));
}

void rt_feed_show(struct rt_feed *feed)
{
	if (feed->fill == &feed->give)
		show(feed->run, &feed->told);
	else
		show(feed->run, rt_walker_told(feed));
}

static struct rt_meter *meter_of(struct rt_feed *feed, enum ptowsp_resource resource, uint32_t pool)
{
	if (resource != PTOWSP_RESOURCE_READY)
		return &feed->told.meters[resource];
	return pool < RT_POOL_LIMIT ? &feed->told.ready[pool] : NULL;
}

static bool heard(const struct rt_feed *feed)
{
	return feed->run->sinks && feed->run->sinks->event;
}

static void say(const struct rt_feed *feed, const struct ptowsp_trace_event *event)
{
	feed->run->sinks->event(feed->run->sinks->context, event);
}

void rt_feed_told_slowly(struct rt_feed *feed, const struct ptowsp_trace_task *trace)
{
	feed->run->sinks->task(feed->run->sinks->context, trace);
}

void rt_feed_stall(struct rt_feed *feed, enum ptowsp_resource resource, uint32_t pool, uint64_t task, uint32_t process, uint64_t begin, uint64_t end)
{
	struct rt_meter *meter = meter_of(feed, resource, pool);

	if (!meter || end <= begin)
		return;
	rt_meter_stall(meter, end - begin);
	if (heard(feed))
		say(feed, &(struct ptowsp_trace_event){.begin = begin, .end = end, .number = task, .instance = process, .kind = PTOWSP_TRACE_STALL,
						       .row = resource == PTOWSP_RESOURCE_READY ? pool : 0, .resource = (uint16_t)resource});
}

/* What follows is said at the end, also of a run that the engine ends before the walk has. */

void rt_feed_window(struct rt_feed *feed, uint64_t window)
{
	rt_walker_stop(feed);
	feed->run->window = window;
	feed->run->clock.window = window;
}

void rt_feed_use(struct rt_feed *feed, enum ptowsp_resource resource, uint32_t pool, uint64_t use)
{
	struct rt_meter *meter = meter_of(feed, resource, pool);

	if (meter)
		rt_meter_mark(meter, use);
}

ptowsp_status rt_feed_full(struct rt_feed *feed, uint64_t task)
{
	feed->run->clock.issued = task;
	return rt_clock_failed(feed->run, PTOWSP_RUN_FAILED);
}

/* What the channel itself counted are times of the semantic clock. */
static void wait_count(struct rt_wait_meter *meter, uint64_t waited)
{
	meter->count += waited != 0;
	meter->cycles += waited;
}

void rt_feed_token(struct rt_feed *feed, const struct rt_item *item, uint64_t waited, uint64_t time)
{
	struct rt_channel *channel = &feed->run->pipeline->channels[item->row];
	bool sent = item->kind == RT_ITEM_SEND;
	struct ptowsp_trace_event event = {.end = time, .number = item->number, .value = item->bytes, .row = item->row, .instance = item->process,
					   .kind = PTOWSP_TRACE_STALL};

	wait_count(sent ? &channel->told_full : &channel->told_empty, waited);
	if (!heard(feed))
		return;
	event.begin = time - waited;
	event.resource = sent ? PTOWSP_RESOURCE_CHANNEL_FULL : PTOWSP_RESOURCE_CHANNEL_EMPTY;
	if (waited)
		say(feed, &event);
	event.begin = time;
	event.resource = 0;
	event.bytes = channel->bytes;
	event.kind = sent ? PTOWSP_TRACE_SEND : PTOWSP_TRACE_CONSUME;
	say(feed, &event);
}

void rt_feed_process(struct rt_feed *feed, uint32_t process, uint64_t time)
{
	struct rt_pipeline *pipeline = feed->run->pipeline;
	const struct rt_instance *instance = &pipeline->instances[process];

	feed->told.total = later(feed->told.total, time);
	pipeline->told[process] = time;
	if (heard(feed))
		say(feed, &(struct ptowsp_trace_event){.begin = pipeline->told_began, .end = time, .value = instance->replica, .row = instance->process,
						       .instance = process, .kind = PTOWSP_TRACE_PROCESS});
}

void rt_feed_share(struct rt_feed *feed, uint32_t scheduler, uint64_t tasks)
{
	struct rt_run *run = feed->run;

	rt_walker_stop(feed);
	if (run->shares && scheduler < run->share_count)
		run->shares[scheduler] = (struct ptowsp_scheduler_stats){.tasks = tasks, .skipped = run->tasks - tasks};
}

void rt_feed_crossed(struct rt_feed *feed, uint64_t edges, uint64_t notifications)
{
	rt_walker_stop(feed);
	feed->run->cross_edges = edges;
	feed->run->notifications = notifications;
}

bool rt_feed_traced(const struct rt_feed *feed)
{
	return heard(feed);
}

void rt_feed_executor(struct rt_feed *feed, uint32_t executor, unsigned unit, uint64_t number)
{
	if (heard(feed))
		say(feed, &(struct ptowsp_trace_event){.value = number, .instance = executor, .row = unit, .kind = PTOWSP_TRACE_EXECUTOR});
}

void rt_feed_work(struct rt_feed *feed, uint32_t executor, unsigned work, uint64_t task, uint64_t begin, uint64_t end)
{
	if (heard(feed))
		say(feed, &(struct ptowsp_trace_event){.begin = begin, .end = end, .number = task, .value = work, .instance = executor, .kind = PTOWSP_TRACE_WORK});
}

void rt_feed_executors(struct rt_feed *feed, uint64_t count)
{
	rt_walker_stop(feed);
	feed->run->engine_executors = count;
}

void rt_feed_streams(struct rt_feed *feed, uint64_t count)
{
	rt_walker_stop(feed);
	feed->run->engine_streams = count;
}

void rt_feed_settled(struct rt_feed *feed, uint64_t cycles)
{
	feed->run->clock.now = later(feed->run->clock.now, cycles); /* where a notification looks */
}

void rt_feed_began(struct rt_feed *feed, uint64_t cycles)
{
	feed->run->pipeline->told_began = cycles;
}
