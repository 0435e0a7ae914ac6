/* SPDX-License-Identifier: MIT */
#include "rt/process.h"

#include <stdlib.h>
#include <string.h>
#include "rt/error.h"

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

/* The schedule's word on a channel's capacity; the later row of two rules. */
static uint64_t capacity_of(const struct rt_program *program, uint32_t channel)
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
		pipeline->channels[i].capacity = capacity_of(run->program, i);
		pipeline->channels[i].latency = tables->channel.rows[i].latency;
	}
	if (!pipeline->channels || !instances_make(pipeline) || rt_clocks_init(&pipeline->clocks, &run->clock, pipeline->count) ||
	    rt_recall_init(&pipeline->recall, run) || !rt_versions_instances(run, pipeline->count))
		return rt_no_memory(run->error, "the pipeline");
	pipeline->live = pipeline->count;
	pipeline->clocks.loads = run->watch != NULL;
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
	rt_recall_finish(&pipeline->recall);
	free(pipeline->channels);
	free(pipeline->instances);
	free(pipeline);
}

/* ---- turns ----------------------------------------------------------------------------------------------------- */

/* Expander, clock and replica of the instance become those of the run. */
static struct rt_instance *turn_to(struct rt_pipeline *pipeline, uint32_t at)
{
	struct rt_run *run = pipeline->run;

	if (at == pipeline->turn)
		return &pipeline->instances[at];
	if (pipeline->turn != PTOWSP_NONE)
		rt_expand_move(&pipeline->instances[pipeline->turn].expand, &run->expand);
	pipeline->turn = run->tell.instance = at;
	rt_expand_move(&run->expand, &pipeline->instances[at].expand);
	rt_clocks_turn(&pipeline->clocks, at);
	run->env.loops = run->expand.loops;
	run->env.instance = pipeline->instances[at].replica;
	return &pipeline->instances[at];
}

/* Everything that the instance has not closed is closed, and others need not wait for it to consume. */
static void instance_end(struct rt_pipeline *pipeline, struct rt_instance *instance)
{
	const struct rt_tables *tables = &pipeline->run->program->tables;
	const struct ptowsp_process_record *process = &tables->process.rows[instance->process];
	const struct ptowsp_process_channel_record *use = &tables->process_channel.rows[process->channels];

	for (uint32_t i = 0; i < process->channel_count; i++, use++) {
		struct rt_channel *channel = &pipeline->channels[use->channel];

		rt_side_finish(use->direction == PTOWSP_CHANNEL_PRODUCES ? &channel->producers : &channel->consumers, pipeline->turn,
			       pipeline->run->clock.now);
	}
	if (pipeline->run->clock.tell)
		rt_tell_process(&pipeline->run->tell, instance->process, instance->replica, pipeline->began, pipeline->run->clock.now);
	rt_clocks_over(&pipeline->clocks);
	instance->standing = RT_ENDED;
	pipeline->live--;
}

/* ---- channels -------------------------------------------------------------------------------------------------- */

/* A sentence about the send at which the instance stands. */
static ptowsp_status send_failed(struct rt_pipeline *pipeline, const struct rt_instance *instance, const char *what)
{
	struct rt_run *run = pipeline->run;
	char text[160];

	return rt_fail_at(run->error, PTOWSP_RUN_FAILED, run->tasks, UINT64_MAX, "process %.40s, channel %.40s: %s, %s",
			  rt_process_name(run->program, instance->process), rt_channel_name(run->program, instance->channel), what,
			  rt_position(&run->program->tables, run->expand.at - 1, text, sizeof(text)));
}

static ptowsp_status send_begin(struct rt_pipeline *pipeline, struct rt_instance *instance)
{
	instance->channel = pipeline->run->expand.channel;
	instance->expr = pipeline->run->expand.expr;
	instance->standing = RT_SENDING;
	if (rt_side_finished(&pipeline->channels[instance->channel].producers, pipeline->turn))
		return send_failed(pipeline, instance, "a token is sent into it after it was closed");
	return PTOWSP_OK;
}

/* The consumer whose turn it is, if it stands at its consume of this channel and has no token yet; else NULL. */
static struct rt_instance *partner_find(struct rt_pipeline *pipeline, uint32_t channel)
{
	const struct rt_end *end = rt_side_turn(&pipeline->channels[channel].consumers);
	struct rt_instance *instance = end ? &pipeline->instances[end->instance] : NULL;

	return instance && instance->standing == RT_CONSUMING && instance->channel == channel && !instance->given ? instance : NULL;
}

/* The next token; its consumer's clock moves. */
static uint64_t token_take(struct rt_pipeline *pipeline, uint32_t row, uint64_t *clock, uint32_t instance)
{
	struct rt_channel *channel = &pipeline->channels[row];
	struct rt_wait_meter before = channel->empty;
	uint64_t value = rt_channel_take(channel, clock);

	if (pipeline->run->clock.tell)
		rt_tell_take(&pipeline->run->tell, channel, row, value, before, instance);
	return value;
}

/* Slots that the token reads move the clock first. */
static ptowsp_status send_now(struct rt_pipeline *pipeline, struct rt_instance *instance, struct rt_instance *partner)
{
	struct rt_run *run = pipeline->run;
	struct rt_channel *channel = &pipeline->channels[instance->channel];
	const struct rt_expr *expr = &run->program->exprs.rows[instance->expr];
	uint64_t *clock = partner ? rt_clocks_now(&pipeline->clocks, (uint32_t)(partner - pipeline->instances)) : NULL;
	int64_t value = rt_value(&run->env, instance->expr);
	struct rt_wait_meter before;

	if (run->env.failed)
		return send_failed(pipeline, instance, "the token divides by zero");
	rt_clock_read(&run->clock, run->program->exprs.reads + expr->read, expr->read_count);
	before = channel->full;
	if (rt_channel_send(channel, (uint64_t)value, &run->clock.now, clock))
		return rt_no_memory(run->error, "tokens");
	if (run->clock.tell)
		rt_tell_send(&run->tell, channel, instance->channel, (uint64_t)value, before);
	if (partner) {
		partner->value = token_take(pipeline, instance->channel, clock, (uint32_t)(partner - pipeline->instances));
		partner->given = true;
	}
	instance->standing = RT_GOING;
	return PTOWSP_OK;
}

/* *done_out: it could be sent. */
static ptowsp_status send_try(struct rt_pipeline *pipeline, struct rt_instance *instance, bool *done_out)
{
	struct rt_channel *channel = &pipeline->channels[instance->channel];
	struct rt_instance *partner = channel->capacity ? NULL : partner_find(pipeline, instance->channel);

	*done_out = rt_channel_sends(channel, pipeline->turn, partner != NULL);
	return *done_out ? send_now(pipeline, instance, partner) : PTOWSP_OK;
}

static bool consume_try(struct rt_pipeline *pipeline, struct rt_instance *instance)
{
	struct rt_channel *channel = &pipeline->channels[instance->channel];
	struct rt_run *run = pipeline->run;

	if (instance->given) {
		rt_expand_token(&run->expand, instance->value);
	} else if (rt_channel_gives(channel, pipeline->turn)) {
		rt_expand_token(&run->expand, token_take(pipeline, instance->channel, &run->clock.now, pipeline->turn));
	} else if (rt_channel_over(channel)) {
		if (channel->producers.closed > run->clock.now)
			run->clock.now = channel->producers.closed;
		rt_expand_closed(&run->expand);
	} else {
		return false;
	}
	instance->given = false;
	instance->standing = RT_GOING;
	return true;
}

/* ---- tasks ----------------------------------------------------------------------------------------------------- */

/* Could the edges of any task find no room in what open scopes leave of the dependency pool? A task has at most one per task of the window. */
static bool deps_short(const struct rt_pipeline *pipeline)
{
	const struct rt_run *run = pipeline->run;
	uint64_t most = run->window && run->window < run->tasks ? run->window : run->tasks;

	return pipeline->recall.on && rt_clocks_deps_held(&pipeline->clocks) + most > run->clock.deps_capacity;
}

/* A version that nothing follows may be replaced by another instance, or be another instance's. */
static ptowsp_status versions_try(struct rt_pipeline *pipeline, struct rt_instance *instance, const struct rt_site *site)
{
	ptowsp_status st = rt_versions_look(pipeline->run, site);

	return st ? st : rt_versions_room(pipeline->run, pipeline->clocks.settled, &instance->block);
}

/* Stated edges are values of the task like its extents: whether they make sense is asked whenever it is tried, room or not. */
static ptowsp_status after_look(struct rt_run *run, const struct rt_site *site)
{
	rt_preds_next(&run->preds, run->tasks, run->window);
	return rt_after_enter(run, site);
}

/* Room is looked for before the tensor map takes the task in under its number: who finds none lets others go first. */
static ptowsp_status task_infer(struct rt_pipeline *pipeline, struct rt_instance *instance, const struct rt_site *site)
{
	struct rt_run *run = pipeline->run;
	ptowsp_status st = rt_prepare(run, site, run->expand.level);

	if (!st && site->allocated)
		st = rt_sync_there(run, site);
	if (!st && site->after_count)
		st = after_look(run, site);
	if (!st && site->renamed)
		st = versions_try(pipeline, instance, site);
	if (st)
		return st;
	if (deps_short(pipeline)) {
		st = rt_recall_preds(&pipeline->recall, run, site);
		instance->need = (struct rt_need){rt_infer_map(run, site), run->preds.count};
	} else {
		instance->need = (struct rt_need){.map = rt_infer_map(run, site)};
	}
	if (!st)
		st = rt_clocks_room(&pipeline->clocks, instance->need, &instance->block);
	if (!st)
		st = rt_infer(run, site, &instance->need);
	if (!st)
		st = rt_clocks_room(&pipeline->clocks, instance->need, &instance->block); /* more than the whole pool */
	if (!st && site->renamed)
		st = rt_versions_take(run, pipeline->turn + 1, true);
	if (!st && pipeline->recall.on && !rt_recall_add(&pipeline->recall, run, site))
		st = rt_no_memory(run->error, "remembered tasks");
	return st;
}

/* Real threads: places that must have been given back; and with dependencies that are a promise, everything, as channels may order what edges
 * do not. */
static ptowsp_status task_wait(struct rt_pipeline *pipeline, struct rt_need need)
{
	struct rt_run *run = pipeline->run;
	uint64_t tail = rt_clocks_tail(&pipeline->clocks, need);
	ptowsp_status st = PTOWSP_OK;

	run->flow.tail = tail > run->flow.tail ? tail : run->flow.tail;
	run->reason = PTOWSP_RESOURCE_TASK_RING;
	if (run->kernels && !run->known[run->kernel].here)
		st = rt_dispatch_begin(run);
	return st || rt_schedule_safe(&run->program->schedule) ? st : rt_wait_tasks(run, run->tasks);
}

static ptowsp_status kernel_run(struct rt_run *run, const struct rt_site *site, struct rt_clock_task *task)
{
	return run->known[run->kernel].here ? rt_run_here(run, site, task) : rt_dispatch(run, site, task);
}

/* Cycles that only running tells: the instance waits for the task, because its clock is the first thing that others ask about. */
static ptowsp_status kernel_await(struct rt_run *run, const struct rt_site *site, struct rt_clock_task *task)
{
	struct rt_known *known = &run->known[run->kernel];
	ptowsp_status st;

	if (known->here || !run->crew.sharing)
		return kernel_run(run, site, task);
	task->cycles = 0;
	known->later = false; /* lag.c has no record of it */
	st = rt_dispatch(run, site, task);
	known->later = true;
	if (!st)
		st = rt_wait_tasks(run, run->tasks + 1);
	if (!st)
		task->cycles = rt_ring_task(&run->crew.ring, run->tasks)->cycles;
	return st;
}

static ptowsp_status task_time(struct rt_pipeline *pipeline, const struct rt_clock_task *task)
{
	struct rt_run *run = pipeline->run;
	struct ptowsp_trace_task trace;
	ptowsp_status st = rt_clock_failed(run, rt_clocks_task(&pipeline->clocks, task, &trace));

	if (!st)
		run->lag.told(run->lag.context, &trace);
	return st;
}

static ptowsp_status task_issue(struct rt_pipeline *pipeline, struct rt_instance *instance, const struct rt_site *site)
{
	struct rt_run *run = pipeline->run;
	struct rt_clock_task task = {.depth_loops = site->depth_loops, .need = instance->need, .kernel = run->kernel,
				     .cycles = run->known[run->kernel].cycles, .preds = run->preds.list, .pred_count = run->preds.count};
	bool later = run->kernels && run->known[run->kernel].later;
	ptowsp_status st = task_wait(pipeline, instance->need);

	if (site->renamed)
		task.heap = run->versions.need;
	if (!st && site->renamed && run->kernels)
		st = rt_versions_place(run, site);
	if (!st)
		st = rt_issue_place(run, site, &task);
	task.executor = pipeline->turn;
	rt_clock_read(&run->clock, run->program->exprs.reads + site->read, site->read_count);
	if (!st && later)
		st = kernel_await(run, site, &task);
	if (!st)
		st = task_time(pipeline, &task);
	if (!st && run->kernels && !later)
		st = kernel_run(run, site, &task);
	if (st)
		return st;
	run->flow.issued++;
	instance->tasks++;
	rt_sync_mark(run, site);
	rt_issue_count(run, &task);
	if (run->versions.on)
		run->versions.scopes[pipeline->turn + 1].tasks = run->tasks;
	return PTOWSP_OK;
}

/* Counts it; resolving it tells the extents. */
static ptowsp_status task_look(struct rt_pipeline *pipeline, struct rt_instance *instance, const struct rt_site *site)
{
	struct rt_run *run = pipeline->run;
	ptowsp_status st = pipeline->look == RT_LOOK_EXTENTS ? rt_prepare(run, site, run->expand.level) : PTOWSP_OK;

	run->env.task = ++run->tasks;
	instance->standing = RT_GOING;
	return st;
}

static ptowsp_status task_try(struct rt_pipeline *pipeline, struct rt_instance *instance, bool *done_out)
{
	struct rt_run *run = pipeline->run;
	const struct rt_site *site = &run->program->sites[run->expand.site];
	ptowsp_status st;

	*done_out = true;
	if (pipeline->look != RT_LOOK_RUN)
		return task_look(pipeline, instance, site);
	st = task_infer(pipeline, instance, site);
	*done_out = !st;
	if (st == PTOWSP_AGAIN)
		return instance->block.resource != PTOWSP_RESOURCE_TASK_RING &&
				       rt_clocks_aborts(&pipeline->clocks, run->program->exprs.reads + site->read, site->read_count)
			       ? rt_clock_failed(run, PTOWSP_RUN_FAILED)
			       : PTOWSP_OK;
	if (st == PTOWSP_TOO_SMALL)
		return rt_block_report(run, st, &instance->block, run->deadlock);
	if (!st)
		st = task_issue(pipeline, instance, site);
	instance->standing = RT_GOING;
	return st;
}

/* Who finds no room lets others go first: they may free. */
static ptowsp_status alloc_try(struct rt_pipeline *pipeline, struct rt_instance *instance, bool *done_out)
{
	struct rt_run *run = pipeline->run;
	ptowsp_status st = PTOWSP_OK;
	uint64_t bytes;

	if (pipeline->look == RT_LOOK_RUN)
		st = rt_sync_room(run, run->expand.sync, pipeline->clocks.settled, &instance->block);
	*done_out = !st;
	if (st)
		return st == PTOWSP_AGAIN ? PTOWSP_OK : st;
	instance->standing = RT_GOING;
	if (pipeline->look != RT_LOOK_RUN)
		return PTOWSP_OK;
	bytes = rt_sync_alloc(run, run->expand.sync);
	rt_clocks_heap_stall(&pipeline->clocks, bytes);
	rt_clocks_heap_take(&pipeline->clocks, bytes);
	return PTOWSP_OK;
}

/* A wait needs a signal of any instance; everything else goes on at once. */
static ptowsp_status sync_try(struct rt_pipeline *pipeline, struct rt_instance *instance, bool *done_out)
{
	struct rt_run *run = pipeline->run;

	*done_out = rt_sync_ready(run, run->expand.sync);
	if (!*done_out)
		return PTOWSP_OK;
	instance->standing = RT_GOING;
	if (pipeline->look != RT_LOOK_RUN && run->program->code[run->expand.sync].op == PTOWSP_OP_FREE)
		return PTOWSP_OK;
	return rt_sync_take(run, run->expand.sync);
}

/* ---- events ---------------------------------------------------------------------------------------------------- */

static ptowsp_status event_take(struct rt_pipeline *pipeline, struct rt_instance *instance, enum rt_event event)
{
	struct rt_run *run = pipeline->run;

	switch (event) {
	case RT_EVENT_TASK: instance->standing = RT_ISSUING; return PTOWSP_OK;
	case RT_EVENT_SEND: return send_begin(pipeline, instance);
	case RT_EVENT_CONSUME:
		instance->standing = RT_CONSUMING;
		instance->channel = run->expand.channel;
		return PTOWSP_OK;
	case RT_EVENT_CLOSE:
		rt_side_finish(&pipeline->channels[run->expand.channel].producers, pipeline->turn, run->clock.now);
		return PTOWSP_OK;
	case RT_EVENT_SCOPE_BEGIN:
		rt_versions_scope_begin(run, pipeline->turn + 1);
		return rt_clock_failed(run, rt_clocks_scope_begin(&pipeline->clocks));
	case RT_EVENT_SCOPE_END:
		rt_batch_flush(run);
		rt_clocks_scope_end(&pipeline->clocks);
		return rt_versions_scope_end(run, pipeline->turn + 1, true);
	case RT_EVENT_ORDER_BEGIN: rt_clock_order_begin(&run->clock); return PTOWSP_OK;
	case RT_EVENT_ORDER_STEP:
		rt_batch_flush(run);
		run->barrier = run->tasks; /* more than its own tasks, which real threads may wait for */
		rt_clock_order_step(&run->clock);
		return PTOWSP_OK;
	case RT_EVENT_ORDER_END: rt_clock_order_end(&run->clock); return PTOWSP_OK;
	case RT_EVENT_SYNC:
		instance->standing = run->program->code[run->expand.sync].op == PTOWSP_OP_ALLOC ? RT_ALLOCATING : RT_WAITING;
		return PTOWSP_OK;
	case RT_EVENT_SLOT_LOAD: return pipeline->look == RT_LOOK_TOKENS ? PTOWSP_AGAIN : rt_event_take(run, event);
	case RT_EVENT_END: instance_end(pipeline, instance); return PTOWSP_OK;
	default: return rt_event_take(run, event);
	}
}

/* What the instance stands at; *over_out: its turn ends. */
static ptowsp_status stand(struct rt_pipeline *pipeline, struct rt_instance *instance, bool *over_out)
{
	bool done = false;
	ptowsp_status st = PTOWSP_OK;

	switch (instance->standing) {
	case RT_SENDING: st = send_try(pipeline, instance, &done); break;
	case RT_CONSUMING: done = consume_try(pipeline, instance); break;
	case RT_ISSUING:
		st = task_try(pipeline, instance, &done);
		*over_out = true;
		break;
	case RT_WAITING: st = sync_try(pipeline, instance, &done); break;
	case RT_ALLOCATING: st = alloc_try(pipeline, instance, &done); break;
	case RT_ENDED: break;
	case RT_GOING: return PTOWSP_OK;
	}
	pipeline->steps += done;
	*over_out |= !done;
	return st;
}

static ptowsp_status turn_take(struct rt_pipeline *pipeline, uint32_t at)
{
	struct rt_instance *instance = turn_to(pipeline, at);
	bool over = false;
	ptowsp_status st = stand(pipeline, instance, &over);

	while (!st && !over) {
		st = event_take(pipeline, instance, rt_expand_next(&pipeline->run->expand));
		pipeline->steps++;
		if (!st)
			st = stand(pipeline, instance, &over);
	}
	return st;
}

ptowsp_status rt_pipeline_go(struct rt_pipeline *pipeline)
{
	uint64_t before;
	ptowsp_status st = PTOWSP_OK;

	do {
		before = pipeline->steps;
		for (uint32_t i = 0; !st && i < pipeline->count; i++)
			if (pipeline->instances[i].standing != RT_ENDED)
				st = turn_take(pipeline, i);
		if (!st && pipeline->steps_most && pipeline->steps > pipeline->steps_most)
			st = PTOWSP_LIMIT;
	} while (!st && pipeline->live && pipeline->steps != before);
	return st;
}

ptowsp_status rt_pipeline_run(struct rt_run *run)
{
	ptowsp_status st = PTOWSP_OK;

	if (run->race.on && !run->quiet)
		rt_log(run->program, PTOWSP_LOG_WARNING,
		       "races are not looked for between processes, whose tasks channels may order; `deterministic` stays unknown");
	run->race.on = false;
	run->clock.of_instance = true;
	if (run->kernels)
		st = rt_wait_tasks(run, run->tasks); /* all clocks start when the workload is over */
	if (!st)
		st = rt_pipeline_create(&run->pipeline, run);
	if (!st)
		st = rt_pipeline_go(run->pipeline);
	if (!st && run->pipeline->live)
		st = rt_pipeline_stuck(run->pipeline);
	return st;
}
