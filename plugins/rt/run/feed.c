/* SPDX-License-Identifier: MIT */
#include "rt/run/feed.h"

#include "rt/graph/graph_record.h"
#include "rt/grow.h"
#include "rt/process/process.h"
#include "rt/program/rt_error.h"
#include "rt/threads/walker.h"
#include <stdlib.h>
#include <string.h>

const struct rt_limits *rt_feed_limits(const struct rt_feed *feed)
{
	return &feed->limits;
}

uint64_t rt_feed_walked(const struct rt_feed *feed)
{
	return feed->run->own ? feed->skip.given + feed->skip.walked : feed->run->tasks;
}

uint64_t rt_feed_capacity(const struct rt_feed *feed, uint32_t channel, uint64_t *latency_out)
{
	const struct rt_program *program = feed->run->program;

	*latency_out = program->tables.channel.rows[channel].latency;
	return rt_channel_capacity(program, channel);
}

/* ---- walking ------------------------------------------------------------------------------------------------------ */

/* A notification goes out when what comes before it is over: the engine is asked first. */
static bool tells_another(const struct rt_feed *feed, enum rt_event event)
{
	const struct rt_run *run = feed->run;

	return event == RT_EVENT_SYNC && run->program->code[run->expand.sync].op == PTOWSP_OP_NOTIFY;
}

/* The writer, + 1, of what a slot is loaded from, where the engine has to run it first. */
static uint64_t phase_writer(const struct rt_feed *feed, enum rt_event event)
{
	struct rt_run *run = feed->run;

	if (event != RT_EVENT_SLOT_LOAD || !run->engine->phases || !run->program->planned || run->record || run->quiet)
		return 0;
	return rt_slot_load_writer(run, &run->program->ios[run->expand.io]);
}

static ptowsp_status phase_put(struct rt_feed *feed, uint64_t writer)
{
	struct rt_run *run = feed->run;
	ptowsp_status status = rt_wait_tasks(run, run->tasks); /* the engine has heard of them then */

	run->phased = run->tasks;
	return status ? status : rt_feed_put(feed, RT_ITEM_PHASE, run->expand.slot, run->tasks, writer);
}

/* Behind the last of a run's own tasks nothing is its own. */
static enum rt_event walk_next(struct rt_feed *feed)
{
	struct rt_skip *skip = &feed->skip;

	if (!feed->filtered)
		return rt_expand_next(&feed->run->expand);
	if (feed->run->own && rt_owner_away(&skip->owner, skip->number) == UINT64_MAX - skip->number)
		return RT_EVENT_END;
	return rt_skip_next(skip);
}

/* A version is placed by what has ended, of tasks that the engine has been given. */
static bool follows(const struct rt_feed *feed)
{
	return feed->event == RT_EVENT_TASK && !feed->run->program->sites[feed->run->expand.site].renamed;
}

static ptowsp_status tasks_step(struct rt_feed *feed)
{
	const uint64_t first = feed->run->tasks;
	ptowsp_status status;

	do {
		status = rt_issue(feed->run);
		if (status)
			return status;
		feed->event = walk_next(feed);
	} while (follows(feed) && feed->run->tasks - first < RT_FEED_TOGETHER);
	feed->met = true;
	status = rt_look_after_kernel(feed->run);
	return status ? status : rt_feed_put(feed, RT_ITEM_TASKS, 0, feed->run->tasks, feed->run->tasks - first);
}

static ptowsp_status workload_step(struct rt_feed *feed)
{
	struct rt_run *run = feed->run;
	uint64_t writer;
	enum rt_event event = feed->met ? feed->event : walk_next(feed);

	feed->met = false;
	if (event == RT_EVENT_TASK && run->together)
		return tasks_step(feed);
	if (event == RT_EVENT_END) {
		feed->stage = run->record ? RT_FEED_GRAPH : RT_FEED_PIPELINE;
		return PTOWSP_OK;
	}
	feed->event = event;
	if (tells_another(feed, event)) {
		feed->held = true;
		return rt_feed_put(feed, RT_ITEM_NOTIFY, 0, run->tasks, 0);
	}
	writer = phase_writer(feed, event);
	feed->held = writer != 0;
	return writer ? phase_put(feed, writer) : rt_event_take(run, event);
}

static ptowsp_status held_take(struct rt_feed *feed)
{
	feed->held = false;
	return rt_event_take(feed->run, feed->event);
}

/* The processes of the entry, if it has some; a round of turns at a time. */
static ptowsp_status pipeline_step(struct rt_feed *feed)
{
	struct rt_run *run = feed->run;
	bool moved = true;
	ptowsp_status status;

	if (!(run->program->tables.entry.rows[run->program->entry].flags & PTOWSP_ENTRY_PIPELINE)) {
		feed->stage = RT_FEED_OVER;
		return PTOWSP_OK;
	}
	if (!run->pipeline) {
		run->clock.issued = run->tasks; /* the clock was not told of them */
		status = rt_pipeline_begin(run);
		return status ? status : rt_feed_put(feed, RT_ITEM_PIPELINE, 0, run->tasks, 0);
	}
	status = rt_pipeline_round(run->pipeline, &moved);
	if (!status && moved && run->pipeline->live)
		return PTOWSP_OK;
	feed->stage = RT_FEED_OVER;
	if (status || !run->pipeline->live)
		return status;
	rt_feed_show(feed);
	return rt_pipeline_stop(run);
}

ptowsp_status rt_feed_step(struct rt_feed *feed)
{
	ptowsp_status status;

	if (feed->held)
		return held_take(feed);
	switch (feed->stage) {
	case RT_FEED_WORKLOAD: return workload_step(feed);
	case RT_FEED_GRAPH:
		status = rt_record_run(feed->run, feed->pool);
		feed->stage = RT_FEED_PIPELINE;
		return status;
	case RT_FEED_PIPELINE: return pipeline_step(feed);
	default: return PTOWSP_OK;
	}
}

/* Tasks of a graph that is still being built have not begun; where that failed, none of them ever will. */
static bool never_begins(const struct rt_feed *feed)
{
	return feed->failed && feed->run->record && feed->stage == RT_FEED_WORKLOAD;
}

/* The first item is a task whose kernel has not told yet how long it took. Others are walked meanwhile, up to a limit. */
static ptowsp_status later_step(struct rt_feed *feed)
{
	bool waits = feed->failed || feed->stage == RT_FEED_OVER || feed->held ||
		     (feed->stage == RT_FEED_WORKLOAD && !feed->run->record && feed->give.head - feed->give.tail > RT_FEED_AHEAD);

	return waits ? rt_wait_tasks(feed->run, feed->run->tasks) : rt_feed_step(feed);
}

bool rt_feed_at_once(ptowsp_status status)
{
	return status == PTOWSP_CANCELLED || status == PTOWSP_DEADLINE || status == PTOWSP_NO_MEMORY;
}

/* Takes a walker's items, if there is one or is one now. */
static ptowsp_status taken(struct rt_feed *feed)
{
	if (!feed->walker)
		rt_walker_look(feed);
	return feed->walker ? rt_walker_take(feed) : PTOWSP_OK;
}

const struct ptowsp_error *rt_feed_error(const struct rt_feed *feed)
{
	return feed->run->error;
}

ptowsp_status rt_feed_next(struct rt_feed *feed, const struct rt_item **item_out)
{
	ptowsp_status status = PTOWSP_OK;

	if (feed->given)
		rt_items_drop(&feed->give);
	feed->given = false;
	if (rt_items_none(&feed->give) && (status = taken(feed)))
		return status;
	if (rt_items_none(&feed->give) && feed->failed)
		return feed->failed;
	while (!status && rt_items_none(&feed->give) && (feed->stage != RT_FEED_OVER || feed->held)) {
		status = rt_feed_step(feed);
		if (status && !rt_items_none(&feed->give) && !rt_feed_at_once(status)) { /* earlier items come first */
			feed->failed = status;
			status = PTOWSP_OK;
		}
	}
	while (!status && !rt_items_none(&feed->give) && feed->give.rows[feed->give.tail & feed->give.mask].later) {
		if (never_begins(feed))
			return feed->failed;
		status = later_step(feed);
		if (status && !feed->failed) { /* earlier items come first */
			feed->failed = status;
			status = rt_wait_tasks(feed->run, feed->run->tasks);
		}
	}
	if (feed->give.broken)
		status = rt_no_memory(feed->run->error, "items");
	if (status)
		return status;
	if (rt_items_none(&feed->give)) {
		feed->end.kind = RT_ITEM_END;
		feed->end.process = PTOWSP_NONE;
		feed->end.number = feed->run->tasks;
		*item_out = &feed->end;
		return PTOWSP_OK;
	}
	*item_out = rt_items_first(&feed->give);
	feed->given = true;
	return PTOWSP_OK;
}

/* ---- a run -------------------------------------------------------------------------------------------------------- */

static bool has_filter(const struct rt_program *program)
{
	for (uint32_t i = 0; i < program->tables.work.code_count; i++)
		if (program->code[i].op == PTOWSP_OP_DISPATCH_FILTER)
			return true;
	return false;
}

static void limits_fill(struct rt_feed *feed)
{
	const struct rt_run *run = feed->run;
	const struct rt_schedule *schedule = &run->program->schedule;

	feed->limits = (struct rt_limits){
		.window = run->window,
		.map = run->clock.map_capacity,
		.deps = run->clock.deps_capacity,
		.ready = run->clock.ready_capacity,
		.heap = run->heap_capacity,
		.window_mode = schedule->window_mode,
		.schedulers = run->share_count ? run->share_count : 1,
		.policy = schedule->dispatch.policy,
		.executors = run->clock.executors,
		.order = schedule->ready,
		.issue_cost = schedule->issue_cost,
		.batch = schedule->batch,
		.streams = schedule->streams,
		.depths = schedule->depths,
		.depth_count = schedule->depth_count,
		.start = schedule->built ? UINT64_MAX : schedule->start,
		.slots = run->program->tables.slot.count,
		.events = run->program->tables.event.count,
		.channels = run->program->tables.channel.count,
		.processes = rt_instances(run->program),
		.pools = run->places.pools,
		.ring = run->flow.ring,
		.stated = schedule->window_stated ? schedule->window : 0,
	};
}

static ptowsp_status begin(struct rt_feed *feed)
{
	struct rt_run *run = feed->run;
	ptowsp_status status = rt_look(run);

	limits_fill(feed);
	if (!(run->program->tables.entry.rows[run->program->entry].flags & PTOWSP_ENTRY_PIPELINE)) /* turns are on the engine's thread */
		run->crew.brief_ns *= RT_FEED_BRIEF;
	feed->fill = &feed->give;
	feed->told.kernels = calloc((size_t)run->program->tables.kernel.count + 1, sizeof(*feed->told.kernels));
	if (!feed->told.kernels)
		return rt_no_memory(run->error, "items");
	feed->heard = run->sinks && run->sinks->task;
	run->together = run->engine->task && !run->record && feed->limits.window_mode != RT_WINDOW_ABORT && !(run->sinks && run->sinks->edge);
	feed->apart = rt_walker_rules.after;
	run->lag.feed = feed;
	rt_issue_begin(run);
	feed->filtered = run->own || (feed->limits.schedulers > 1 && has_filter(run->program));
	if (feed->filtered && run->program->schedule.interleaved)
		return rt_fail(run->error, PTOWSP_UNSUPPORTED,
			       "the program: dispatch filters and timing=interleaved together need one scheduler instance, this run "
			       "has %u; use schedulers=1",
			       feed->limits.schedulers);
	rt_owner_init(&feed->owner, run->program, &run->env, 0, feed->limits.schedulers);
	if (!feed->filtered) {
		rt_expand_start(&run->expand, run->program, &run->env, run->error);
		feed->numbered = !feed->limits.policy;
	} else if (!status) {
		status = rt_skip_init(&feed->skip, &run->expand, run->program, &run->env, 0, feed->limits.schedulers, run->error);
		feed->skip.all = !run->own;
		if (run->own)
			rt_owner_own(&feed->skip.owner, run->own);
	}
	return status;
}

static void finish(struct rt_feed *feed)
{
	if (feed->filtered)
		rt_skip_finish(&feed->skip);
	rt_items_finish(&feed->give);
	if (feed->told.kernels)
		rt_feed_show(feed);
	free(feed->told.kernels);
	feed->run->lag.feed = NULL;
	feed->run->lag.over = true;
}

ptowsp_status rt_feed_run(struct rt_run *run, const struct rt_engine *engine, struct rt_pool *pool)
{
	struct rt_feed feed = {.run = run, .pool = pool};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)}; /* apart from that of the walk, which may go on */
	ptowsp_status status = begin(&feed);

	if (!status)
		status = engine->run(engine->context, &feed, &error);
	rt_walker_stop(&feed);
	if (status && error.text[0])
		*run->error = error;
	finish(&feed);
	if (status == PTOWSP_DEADLOCK)
		rt_deadlock_settle(run);
	return status;
}

/* ---- what the engine says of time -------------------------------------------------------------------------------- */

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
	rt_listener_say(&feed->run->tell, event);
}

void rt_feed_tell(struct rt_feed *feed, const struct ptowsp_trace_task *trace)
{
	rt_feed_ended(feed, trace->kernel, trace->start, trace->end);
	if (feed->heard)
		feed->run->sinks->task(feed->run->sinks->context, trace);
}

void rt_feed_stall(struct rt_feed *feed, enum ptowsp_resource resource, uint32_t pool, uint64_t task, uint32_t process, uint64_t begin, uint64_t end)
{
	struct rt_meter *meter = meter_of(feed, resource, pool);

	if (!meter || end <= begin)
		return;
	rt_meter_stall(meter, end - begin);
	if (heard(feed))
		say(feed, &(struct ptowsp_trace_event){.begin = begin,
						       .end = end,
						       .number = task,
						       .instance = process,
						       .kind = PTOWSP_TRACE_STALL,
						       .row = resource == PTOWSP_RESOURCE_READY ? pool : 0,
						       .resource = (uint16_t)resource});
}

/* ---- told at the end, also of a run that the engine ends before the walk does ---- */

void rt_feed_window(struct rt_feed *feed, uint64_t window)
{
	rt_walker_stop(feed);
	feed->run->window = window;
	feed->run->clock.window = window;
}

void rt_feed_use(struct rt_feed *feed, enum ptowsp_resource resource, uint32_t pool, uint64_t use)
{
	struct rt_meter *meter = meter_of(feed, resource, pool);

	if (!meter)
		return;
	rt_meter_mark(meter, use);
	meter->used = use;
}

ptowsp_status rt_feed_full(struct rt_feed *feed, uint64_t task)
{
	feed->run->clock.issued = task;
	return rt_clock_failed(feed->run, PTOWSP_RUN_FAILED);
}

/* The channel's own counts are times of the semantic clock. */
static void wait_count(struct rt_wait_meter *meter, uint64_t waited)
{
	meter->count += waited != 0;
	meter->cycles += waited;
}

void rt_feed_token(struct rt_feed *feed, const struct rt_item *item, uint64_t waited, uint64_t time)
{
	struct rt_channel *channel = &feed->run->pipeline->channels[item->row];
	bool sent = item->kind == RT_ITEM_SEND;

	wait_count(sent ? &channel->told_full : &channel->told_empty, waited);
	if (heard(feed))
		rt_listener_token(&feed->run->tell,
				  (struct ptowsp_trace_event){.end = time,
							      .number = item->number,
							      .value = item->bytes,
							      .row = item->row,
							      .bytes = channel->bytes,
							      .instance = item->process,
							      .kind = sent ? PTOWSP_TRACE_SEND : PTOWSP_TRACE_CONSUME},
				  sent ? PTOWSP_RESOURCE_CHANNEL_FULL : PTOWSP_RESOURCE_CHANNEL_EMPTY, waited);
}

void rt_feed_channel_wait(struct rt_feed *feed, uint32_t channel, bool sends, uint32_t process, uint64_t begin, uint64_t end)
{
	struct rt_channel *row = &feed->run->pipeline->channels[channel];

	wait_count(sends ? &row->told_full : &row->told_empty, end - begin);
	if (heard(feed) && end > begin)
		say(feed, &(struct ptowsp_trace_event){.begin = begin,
						       .end = end,
						       .row = channel,
						       .instance = process,
						       .kind = PTOWSP_TRACE_STALL,
						       .resource = sends ? PTOWSP_RESOURCE_CHANNEL_FULL : PTOWSP_RESOURCE_CHANNEL_EMPTY});
}

void rt_feed_process(struct rt_feed *feed, uint32_t process, uint64_t time)
{
	struct rt_pipeline *pipeline = feed->run->pipeline;
	const struct rt_instance *instance = &pipeline->instances[process];

	feed->told.total = rt_later(feed->told.total, time);
	pipeline->told[process] = time;
	if (heard(feed))
		say(feed, &(struct ptowsp_trace_event){.begin = pipeline->told_began,
						       .end = time,
						       .value = instance->replica,
						       .row = instance->process,
						       .instance = process,
						       .kind = PTOWSP_TRACE_PROCESS});
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
		say(feed,
		    &(struct ptowsp_trace_event){.begin = begin, .end = end, .number = task, .value = work, .instance = executor, .kind = PTOWSP_TRACE_WORK});
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
	feed->run->clock.now = rt_later(feed->run->clock.now, cycles); /* where a notification looks */
}

void rt_feed_began(struct rt_feed *feed, uint64_t cycles)
{
	feed->run->pipeline->told_began = cycles;
}
