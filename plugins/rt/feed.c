/* SPDX-License-Identifier: MIT */
#include "rt/feed.h"

#include <stdlib.h>
#include "rt/error.h"
#include "rt/graph_record.h"
#include "rt/process.h"
#include "rt/walker.h"

const struct rt_limits *rt_feed_limits(const struct rt_feed *feed)
{
	return &feed->limits;
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

static ptowsp_status workload_step(struct rt_feed *feed)
{
	struct rt_run *run = feed->run;
	enum rt_event event = feed->filtered ? rt_skip_next(&feed->skip) : rt_expand_next(&run->expand);

	if (event == RT_EVENT_END) {
		feed->stage = run->record ? RT_FEED_GRAPH : RT_FEED_PIPELINE;
		return PTOWSP_OK;
	}
	if (tells_another(feed, event)) {
		feed->held = true;
		return rt_feed_put(feed, RT_ITEM_NOTIFY, 0, run->tasks, 0);
	}
	return rt_event_take(run, event);
}

static ptowsp_status held_take(struct rt_feed *feed)
{
	feed->held = false;
	return rt_event_take(feed->run, RT_EVENT_SYNC);
}

/* The processes of the entry, if it has some; a round of turns at a time. */
static ptowsp_status pipeline_step(struct rt_feed *feed)
{
	struct rt_run *run = feed->run;
	bool moved = true;
	ptowsp_status st;

	if (!(run->program->tables.entry.rows[run->program->entry].flags & PTOWSP_ENTRY_PIPELINE)) {
		feed->stage = RT_FEED_OVER;
		return PTOWSP_OK;
	}
	if (!run->pipeline) {
		run->clock.issued = run->tasks; /* which it was not told of */
		st = rt_pipeline_begin(run);
		return st ? st : rt_feed_put(feed, RT_ITEM_PIPELINE, 0, run->tasks, 0);
	}
	st = rt_pipeline_round(run->pipeline, &moved);
	if (!st && moved && run->pipeline->live)
		return PTOWSP_OK;
	feed->stage = RT_FEED_OVER;
	if (st || !run->pipeline->live)
		return st;
	rt_feed_show(feed);
	return rt_pipeline_stop(run);
}

ptowsp_status rt_feed_step(struct rt_feed *feed)
{
	ptowsp_status st;

	if (feed->held)
		return held_take(feed);
	switch (feed->stage) {
	case RT_FEED_WORKLOAD: return workload_step(feed);
	case RT_FEED_GRAPH:
		st = rt_record_run(feed->run, feed->pool);
		feed->stage = RT_FEED_PIPELINE;
		return st;
	case RT_FEED_PIPELINE: return pipeline_step(feed);
	default: return PTOWSP_OK;
	}
}

/* The first item is a task whose kernel has not told yet how long it took. Others are walked meanwhile, up to a limit. */
static ptowsp_status later_step(struct rt_feed *feed)
{
	bool waits = feed->failed || feed->stage == RT_FEED_OVER || feed->held || (feed->stage == RT_FEED_WORKLOAD && !feed->run->record && feed->give.head - feed->give.tail > RT_FEED_AHEAD);

	return waits ? rt_wait_tasks(feed->run, feed->run->tasks) : rt_feed_step(feed);
}

bool rt_feed_at_once(ptowsp_status st)
{
	return st == PTOWSP_CANCELLED || st == PTOWSP_DEADLINE || st == PTOWSP_NO_MEMORY;
}

/* What a walker has met, if there is one or is one now. */
static ptowsp_status taken(struct rt_feed *feed)
{
	if (!feed->walker)
		rt_walker_look(feed);
	return feed->walker ? rt_walker_take(feed) : PTOWSP_OK;
}

ptowsp_status rt_feed_next(struct rt_feed *feed, const struct rt_item **item_out)
{
	ptowsp_status st = PTOWSP_OK;

	if (feed->given)
		rt_feed_drop(feed);
	if (feed->give.head == feed->give.tail && (st = taken(feed)))
		return st;
	if (feed->give.head == feed->give.tail && feed->failed)
		return feed->failed;
	while (!st && feed->give.head == feed->give.tail && (feed->stage != RT_FEED_OVER || feed->held)) {
		st = rt_feed_step(feed);
		if (st && feed->give.head != feed->give.tail && !rt_feed_at_once(st)) { /* what came before it comes first */
			feed->failed = st;
			st = PTOWSP_OK;
		}
	}
	while (!st && feed->give.head != feed->give.tail && feed->give.rows[feed->give.tail & feed->give.mask].later) {
		st = later_step(feed);
		if (st && !feed->failed) { /* what came before it comes first */
			feed->failed = st;
			st = rt_wait_tasks(feed->run, feed->run->tasks);
		}
	}
	if (!st && feed->give.broken)
		st = rt_no_memory(feed->run->error, "items");
	if (st)
		return st;
	if (feed->give.head == feed->give.tail) {
		feed->end.kind = RT_ITEM_END;
		feed->end.process = PTOWSP_NONE;
		feed->end.number = feed->run->tasks;
		*item_out = &feed->end;
		return PTOWSP_OK;
	}
	*item_out = rt_feed_give(feed);
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
	};
}

static ptowsp_status begin(struct rt_feed *feed)
{
	struct rt_run *run = feed->run;
	ptowsp_status st = rt_look(run);

	limits_fill(feed);
	if (!(run->program->tables.entry.rows[run->program->entry].flags & PTOWSP_ENTRY_PIPELINE)) /* whose turns are the engine's thread's */
		run->crew.brief_ns *= RT_FEED_BRIEF;
	feed->fill = &feed->give;
	feed->told.kernels = calloc((size_t)run->program->tables.kernel.count + 1, sizeof(*feed->told.kernels));
	if (!feed->told.kernels)
		return rt_no_memory(run->error, "items");
	feed->heard = run->sinks && run->sinks->task;
	feed->apart = rt_walker_rules.after;
	run->lag.feed = feed;
	feed->filtered = feed->limits.schedulers > 1 && has_filter(run->program);
	if (feed->filtered && run->program->schedule.interleaved)
		return rt_fail(run->error, PTOWSP_UNSUPPORTED, "the program: dispatch filters and timing=interleaved together need one scheduler instance, this run "
			       "has %u; use schedulers=1", feed->limits.schedulers);
	rt_owner_init(&feed->owner, run->program, &run->env, 0, feed->limits.schedulers);
	if (!feed->filtered) {
		rt_expand_start(&run->expand, run->program, &run->env, run->error);
	} else if (!st) {
		st = rt_skip_init(&feed->skip, &run->expand, run->program, &run->env, 0, feed->limits.schedulers, run->error);
		feed->skip.all = true;
	}
	return st;
}

static void finish(struct rt_feed *feed)
{
	if (feed->filtered)
		rt_skip_finish(&feed->skip);
	free(feed->give.rows);
	free(feed->give.words);
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
	ptowsp_status st = begin(&feed);

	if (!st)
		st = engine->run(engine->context, &feed, &error);
	rt_walker_stop(&feed);
	if (st && error.text[0])
		*run->error = error;
	finish(&feed);
	if (st == PTOWSP_DEADLOCK)
		rt_deadlock_settle(run);
	return st;
}
