/* SPDX-License-Identifier: MIT */
/* account.c - the semantic time of several instances: walks the whole program and meets each task with the record that its instance left. */
#include <stdlib.h>
#include "rt/rt_error.h"
#include "rt/generate.h"

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t now_of(const struct rt_generate *g)
{
	uint64_t now = 0;

	for (uint32_t p = 0; p < g->count; p++)
		now = later(now, g->schedulers[p].clock.now);
	return now;
}

/* What was read moves an issue clock to where its value is there. */
static void read(const struct rt_generate *g, struct rt_clock *clock, uint32_t first, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		clock->now = later(clock->now, g->run->clock.known[g->run->program->exprs.reads[first + i]]);
}

static ptowsp_status scope(struct rt_generate *g, enum rt_event event)
{
	for (uint32_t p = 0; p < g->count; p++) {
		struct rt_scheduler *s = &g->schedulers[p];

		(event == RT_EVENT_SCOPE_BEGIN ? rt_clock_scope_begin : rt_clock_scope_end)(&s->clock);
		(event == RT_EVENT_SCOPE_BEGIN ? rt_flow_scope_begin : rt_flow_scope_end)(&s->flow);
	}
	return rt_event_take(g->run, event);
}

static ptowsp_status event_take(struct rt_generate *g, enum rt_event event)
{
	struct rt_run *run = g->run;

	if (event == RT_EVENT_SCOPE_BEGIN || event == RT_EVENT_SCOPE_END)
		return scope(g, event);
	if (event == RT_EVENT_READ) {
		for (uint32_t p = 0; p < g->count; p++)
			read(g, &g->schedulers[p].clock, run->expand.read, run->expand.read_count);
		return PTOWSP_OK;
	}
	run->clock.now = now_of(g);
	return rt_event_take(run, event);
}

/* ---- a task ------------------------------------------------------------------------------------------------------- */

/* The map has forgotten what is W * N numbers back: it has ended. As every stall, this one begins when the task could else be issued. */
static void forgotten_wait(struct rt_generate *g, struct rt_scheduler *s, uint64_t number)
{
	uint64_t reach = g->window && number >= g->window ? rt_mark_of(g, number - g->window)->reach : 0;

	if (s->clock.issued)
		s->clock.now = later(s->clock.now, s->clock.last + s->clock.spacing);
	if (reach <= s->clock.now || g->run->clock.window_mode == RT_WINDOW_BENCHMARK)
		return;
	rt_meter_stall(&s->clock.meters[PTOWSP_RESOURCE_TASK_RING], reach - s->clock.now);
	s->clock.now = reach;
}

/* Everything that keeps it from starting but its own instance. */
static uint64_t gates(const struct rt_generate *g, const struct rt_clock_task *task, const struct rt_own_task *own)
{
	struct rt_clock *base = &g->run->clock;
	uint64_t start;

	base->now = 0;
	start = later(rt_clock_gates(base, task), base->free[task->executor]);
	for (uint32_t i = 0; i < own->pred_count; i++)
		start = later(start, rt_mark_of(g, own->preds[i])->end);
	return start;
}

static ptowsp_status time_find(struct rt_generate *g, struct rt_scheduler *s, const struct rt_own_task *own, struct rt_clock_task *task,
			       struct ptowsp_trace_task *trace)
{
	struct rt_run *run = g->run;
	struct rt_clock_task alone = *task;
	struct rt_clock_times times;
	ptowsp_status st;

	s->clock.floor = gates(g, task, own);
	if (!rt_clock_pools(&s->clock, run->places.pools))
		return PTOWSP_NO_MEMORY;
	s->clock.free[0] = 0;
	alone.executor = alone.stream = alone.depth_loops = 0;
	st = rt_clock_task(&s->clock, &alone, &times);
	if (st)
		return st;
	*trace = (struct ptowsp_trace_task){.task = own->number, .start = times.start, .end = times.end, .kernel = task->kernel, .executor = task->executor,
					    .stream = task->stream};
	run->clock.free[task->executor] = trace->end;
	rt_clock_enter(&run->clock, task, trace->end);
	return PTOWSP_OK;
}

static void edges_count(struct rt_generate *g, const struct rt_own_task *own)
{
	struct rt_run *run = g->run;

	run->edges += own->pred_count;
	for (uint32_t i = 0; i < own->pred_count; i++) {
		struct rt_mark *mark = rt_mark_of(g, own->preds[i]);
		uint64_t bit = UINT64_C(1) << own->owner;

		if (run->sinks && run->sinks->edge)
			run->sinks->edge(run->sinks->context, own->preds[i], own->number);
		if (mark->owner == own->owner)
			continue;
		g->cross_edges++;
		g->notifications += !(mark->told & bit);
		mark->told |= bit;
	}
}

static void batch_count(struct rt_run *run)
{
	if (!run->program->schedule.batch || ++run->batch_fill < run->program->schedule.batch)
		return;
	run->batches++;
	run->batch_fill = 0;
}

/* Messages about a kernel come from here, where there is one walk. */
static ptowsp_status kernel_meet(struct rt_run *run, const struct rt_own_task *own)
{
	return run->known[own->kernel].asked && own->level == 0 ? PTOWSP_OK : rt_prepare(run, own->site, run->expand.level);
}

static ptowsp_status task_account(struct rt_generate *g, struct rt_own_task *own)
{
	struct rt_run *run = g->run;
	struct rt_scheduler *s = &g->schedulers[own->owner];
	struct rt_clock_task task = {.cycles = own->cycles, .need = own->need, .kernel = own->kernel, .depth_loops = own->site->depth_loops};
	struct ptowsp_trace_task trace;
	struct rt_mark *mark = rt_mark_of(g, own->number);
	struct rt_block block;
	ptowsp_status st = kernel_meet(run, own);

	run->kernel = own->kernel;
	if (st)
		return st;
	read(g, &s->clock, own->site->read, own->site->read_count);
	st = rt_flow_reserve(&s->flow, own->need, &run->reason, &block);
	if (st)
		return rt_block_report(run, st, &block, run->deadlock);
	forgotten_wait(g, s, own->number);
	st = rt_issue_place(run, own->site, &task);
	if (st)
		return st;
	run->clock.issued = own->number;
	st = rt_clock_failed(run, time_find(g, s, own, &task, &trace));
	run->clock.issued = 0;
	if (st)
		return st;
	mark->end = trace.end;
	mark->reach = later(trace.end, own->number ? rt_mark_of(g, own->number - 1)->reach : 0);
	run->lag.told(run->lag.context, &trace);
	edges_count(g, own);
	batch_count(run);
	s->tasks++;
	run->env.task = ++run->tasks;
	return PTOWSP_OK;
}

/* The task before which the program stands: false, its record is not there yet. */
static bool task_step(struct rt_generate *g)
{
	struct rt_run *run = g->run;
	struct rt_mark *mark = rt_mark_of(g, run->tasks);
	struct rt_own_task *own = mark->number == run->tasks + 1 ? mark->task : NULL;
	ptowsp_status st;

	if (!own || (own->later && !own->ended))
		return false;
	g->pending = false;
	st = task_account(g, own);
	if (st)
		rt_generate_fail(g, mark->number - 1, st, run->error);
	own->accounted = true;
	if (own->ended)
		mark->task = NULL;
	rt_scheduler_retire(&g->schedulers[own->owner]);
	return true;
}

bool rt_account(struct rt_generate *g)
{
	enum rt_event event;
	ptowsp_status st;

	if (g->over)
		return false;
	if (g->run->tasks >= g->failed) {
		g->over = true;
		return true;
	}
	if (g->pending)
		return task_step(g);
	event = rt_expand_next(&g->run->expand);
	if (event == RT_EVENT_TASK) {
		g->pending = true;
		return task_step(g) || true;
	}
	if (event == RT_EVENT_END) {
		g->over = true;
		return true;
	}
	st = event_take(g, event);
	if (st)
		rt_generate_fail(g, g->run->tasks, st, g->run->error);
	return true;
}

/* ---- counters ----------------------------------------------------------------------------------------------------- */

static void meter_add(struct rt_meter *sum, const struct rt_meter *part)
{
	sum->high_water = later(sum->high_water, part->high_water);
	sum->stalls += part->stalls;
	sum->cycles += part->cycles;
}

void rt_account_sum(struct rt_generate *g)
{
	struct rt_clock *base = &g->run->clock;

	for (uint32_t p = 0; p < g->count; p++) {
		const struct rt_clock *own = &g->schedulers[p].clock;

		for (unsigned r = 0; r < PTOWSP_RESOURCE_COUNT; r++)
			meter_add(&base->meters[r], &own->meters[r]);
		for (uint32_t k = 0; k < own->pools && k < base->pools; k++)
			meter_add(&base->ready_meters[k], &own->ready_meters[k]);
	}
}
