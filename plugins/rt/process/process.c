/* SPDX-License-Identifier: MIT */
#include "rt/process/process.h"

#include "rt/program/rt_error.h"
#include "rt/run/feed.h"
#include <stdlib.h>
#include <string.h>

/* ---- turns ----------------------------------------------------------------------------------------------------- */

/* Expander, clock and replica of the instance become those of the run. */
static struct rt_instance *turn_to(struct rt_pipeline *pipeline, uint32_t at)
{
	struct rt_run *run = pipeline->run;

	if (at == pipeline->turn)
		return &pipeline->instances[at];
	if (pipeline->turn != PTOWSP_NONE) {
		rt_expand_move(&pipeline->instances[pipeline->turn].expand, &run->expand);
		memcpy(pipeline->instances[pipeline->turn].loops, run->env.loops, run->expand.depth * sizeof(*run->env.loops));
	}
	pipeline->turn = run->tell.instance = at;
	rt_expand_move(&run->expand, &pipeline->instances[at].expand);
	memcpy(run->env.loops, pipeline->instances[at].loops, run->expand.depth * sizeof(*run->env.loops));
	rt_clocks_turn(&pipeline->clocks, at);
	run->env.instance = pipeline->instances[at].replica;
	return &pipeline->instances[at];
}

/* To an engine, if there is one. */
static ptowsp_status feed_put(struct rt_pipeline *pipeline, enum rt_item_kind kind, uint32_t row, uint64_t number, uint64_t bytes)
{
	struct rt_feed *feed = pipeline->run->lag.feed;
	ptowsp_status status = feed ? rt_feed_put(feed, kind, row, number, bytes) : PTOWSP_OK;

	return status ? rt_no_memory(pipeline->run->error, "items") : PTOWSP_OK;
}

/* The first time counts. An item that finds no room is told with the next pull. */
static void side_finish(struct rt_pipeline *pipeline, uint32_t row, bool consumes)
{
	struct rt_channel *channel = &pipeline->channels[row];
	struct rt_side *side = consumes ? &channel->consumers : &channel->producers;

	if (!rt_side_finished(side, pipeline->turn)) {
		rt_vector_clock_end(&pipeline->fronts, row, consumes, pipeline->turn);
		feed_put(pipeline, RT_ITEM_FINISH, row, consumes, 0);
	}
	rt_side_finish(side, pipeline->turn, pipeline->run->clock.now);
}

/* Everything that the instance has not closed is closed, and others need not wait for it to consume. */
static ptowsp_status instance_end(struct rt_pipeline *pipeline, struct rt_instance *instance)
{
	const struct rt_tables *tables = &pipeline->run->program->tables;
	const struct ptowsp_process_record *process = &tables->process.rows[instance->process];
	const struct ptowsp_process_channel_record *use = &tables->process_channel.rows[process->channels];

	for (uint32_t i = 0; i < process->channel_count; i++, use++)
		side_finish(pipeline, use->channel, use->direction != PTOWSP_CHANNEL_PRODUCES);
	if (pipeline->run->clock.tell)
		rt_listener_process(&pipeline->run->tell, instance->process, instance->replica, pipeline->began, pipeline->run->clock.now);
	rt_clocks_over(&pipeline->clocks);
	instance->standing = RT_ENDED;
	pipeline->live--;
	return feed_put(pipeline, RT_ITEM_PROCESS_END, 0, 0, 0);
}

/* ---- memory, events --------------------------------------------------------------------------------------------- */

/* Without room, others go first: they may free. */
static ptowsp_status alloc_try(struct rt_pipeline *pipeline, struct rt_instance *instance, bool *done_out)
{
	struct rt_run *run = pipeline->run;
	ptowsp_status status = PTOWSP_OK;
	uint64_t bytes;

	if (pipeline->look == RT_LOOK_RUN)
		status = rt_sync_room(run, run->expand.sync, pipeline->clocks.settled, &instance->block);
	*done_out = !status;
	if (status)
		return status == PTOWSP_AGAIN ? PTOWSP_OK : status;
	instance->standing = RT_GOING;
	if (pipeline->look != RT_LOOK_RUN)
		return PTOWSP_OK;
	bytes = rt_sync_alloc(run, run->expand.sync);
	if (!run->lag.feed) {
		rt_clocks_heap_stall(&pipeline->clocks, bytes);
		rt_clocks_heap_take(&pipeline->clocks, bytes);
	}
	return feed_put(pipeline, RT_ITEM_ALLOC, 0, 0, bytes);
}

/* A wait needs a signal of any instance; everything else goes on at once. */
static ptowsp_status sync_try(struct rt_pipeline *pipeline, struct rt_instance *instance, bool *done_out)
{
	struct rt_run *run = pipeline->run;
	const struct rt_ins *in = &run->program->code[run->expand.sync];

	*done_out = rt_sync_ready(run, run->expand.sync);
	if (!*done_out)
		return PTOWSP_OK;
	instance->standing = RT_GOING;
	if (in->op == PTOWSP_OP_BARRIER)
		rt_batch_flush(run);
	if (in->op == PTOWSP_OP_SIGNAL)
		rt_vector_clock_signal(&pipeline->fronts, pipeline->turn, in->slot);
	if (in->op == PTOWSP_OP_WAIT)
		rt_vector_clock_wait(&pipeline->fronts, pipeline->turn, in->slot);
	if (pipeline->look != RT_LOOK_RUN && in->op == PTOWSP_OP_FREE)
		return PTOWSP_OK;
	return rt_sync_take(run, run->expand.sync);
}

/* ---- events ---------------------------------------------------------------------------------------------------- */

static ptowsp_status load_take(struct rt_pipeline *pipeline)
{
	struct rt_run *run = pipeline->run;
	ptowsp_status status = rt_event_take(run, RT_EVENT_SLOT_LOAD);
	uint32_t writer = !status && pipeline->fronts.on && run->loaded_from ? rt_race_instance(&run->race, run->loaded_from - 1) : PTOWSP_NONE;

	if (status)
		return status;
	if (writer != PTOWSP_NONE)
		rt_vector_clock_follow(&pipeline->fronts, pipeline->turn, writer, run->loaded_from - 1);
	rt_vector_clock_slot_load(&pipeline->fronts, pipeline->turn, run->expand.slot);
	return PTOWSP_OK;
}

static ptowsp_status event_take(struct rt_pipeline *pipeline, struct rt_instance *instance, enum rt_event event)
{
	struct rt_run *run = pipeline->run;
	const struct rt_expr *expr;
	ptowsp_status status;

	switch (event) {
	case RT_EVENT_TASK: instance->standing = RT_ISSUING; return PTOWSP_OK;
	case RT_EVENT_SEND: return rt_transfer_begin(pipeline, instance);
	case RT_EVENT_CONSUME:
		instance->standing = RT_CONSUMING;
		instance->channel = run->expand.channel;
		return PTOWSP_OK;
	case RT_EVENT_CLOSE: side_finish(pipeline, run->expand.channel, false); return PTOWSP_OK;
	case RT_EVENT_SCOPE_BEGIN:
		rt_versions_scope_begin(run, pipeline->turn + 1);
		status = feed_put(pipeline, RT_ITEM_SCOPE_BEGIN, 0, 0, 0);
		return status ? status : rt_clock_failed(run, rt_clocks_scope_begin(&pipeline->clocks));
	case RT_EVENT_SCOPE_END:
		rt_batch_flush(run);
		rt_clocks_scope_end(&pipeline->clocks);
		status = rt_versions_scope_end(run, pipeline->turn + 1, true);
		return status ? status : feed_put(pipeline, RT_ITEM_SCOPE_END, 0, 0, 0);
	case RT_EVENT_ORDER_BEGIN: return rt_clock_failed(run, rt_lag_order_begin(&run->lag));
	case RT_EVENT_ORDER_STEP:
		rt_batch_flush(run);
		run->barrier = run->tasks; /* more than its own tasks, which real threads may wait for */
		return rt_clock_failed(run, rt_lag_order_step(&run->lag));
	case RT_EVENT_ORDER_END: return rt_clock_failed(run, rt_lag_order_end(&run->lag));
	case RT_EVENT_SYNC: instance->standing = run->program->code[run->expand.sync].op == PTOWSP_OP_ALLOC ? RT_ALLOCATING : RT_WAITING; return PTOWSP_OK;
	case RT_EVENT_SLOT_SET:
		expr = &run->program->exprs.rows[run->expand.expr];
		rt_vector_clock_slot_set(&pipeline->fronts, pipeline->turn, run->expand.slot, run->program->exprs.reads + expr->read, expr->read_count);
		return rt_event_take(run, event);
	case RT_EVENT_READ: return rt_process_read(pipeline, run->expand.read, run->expand.read_count);
	case RT_EVENT_SLOT_LOAD: return pipeline->look == RT_LOOK_TOKENS ? PTOWSP_AGAIN : load_take(pipeline);
	case RT_EVENT_END: return instance_end(pipeline, instance);
	case RT_EVENT_PAUSE: return pipeline->look == RT_LOOK_RUN ? rt_event_take(run, event) : rt_look_pause(run);
	default: return rt_event_take(run, event);
	}
}

/* Tries the pending step; *over_out: the turn ends. */
static ptowsp_status stand(struct rt_pipeline *pipeline, struct rt_instance *instance, bool *over_out)
{
	bool done = false;
	ptowsp_status status = PTOWSP_OK;

	switch (instance->standing) {
	case RT_SENDING: status = rt_transfer_send(pipeline, instance, &done); break;
	case RT_CONSUMING: status = rt_transfer_consume(pipeline, instance, &done); break;
	case RT_ISSUING:
		status = rt_process_task(pipeline, instance, &done);
		*over_out = true;
		break;
	case RT_WAITING: status = sync_try(pipeline, instance, &done); break;
	case RT_ALLOCATING: status = alloc_try(pipeline, instance, &done); break;
	case RT_ENDED: break;
	case RT_GOING: return PTOWSP_OK;
	}
	pipeline->steps += done;
	*over_out |= !done;
	return status;
}

static ptowsp_status turn_take(struct rt_pipeline *pipeline, uint32_t at)
{
	struct rt_instance *instance = turn_to(pipeline, at);
	bool over = false;
	ptowsp_status status = stand(pipeline, instance, &over);

	while (!status && !over) {
		status = event_take(pipeline, instance, rt_expand_next(&pipeline->run->expand));
		pipeline->steps++;
		if (!status)
			status = stand(pipeline, instance, &over);
	}
	return status;
}

ptowsp_status rt_pipeline_round(struct rt_pipeline *pipeline, bool *moved_out)
{
	uint64_t before = pipeline->steps;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; !status && i < pipeline->count; i++)
		if (pipeline->instances[i].standing != RT_ENDED && rt_transfer_moves(pipeline, i)) /* thousands may wait for one that moves */
			status = turn_take(pipeline, i);
	if (!status && pipeline->steps_most && pipeline->steps > pipeline->steps_most)
		status = PTOWSP_LIMIT;
	*moved_out = pipeline->steps != before;
	return status;
}

ptowsp_status rt_pipeline_go(struct rt_pipeline *pipeline)
{
	bool moved = true;
	ptowsp_status status = PTOWSP_OK;

	while (!status && pipeline->live && moved)
		status = rt_pipeline_round(pipeline, &moved);
	return status;
}

ptowsp_status rt_pipeline_begin(struct rt_run *run)
{
	ptowsp_status status = PTOWSP_OK;

	if (run->race.on && run->program->move_count)
		rt_log(run->program, PTOWSP_LOG_WARNING,
		       "races are not looked for between processes where payload channels move elements, as no task does that; `deterministic` stays unknown");
	run->race.on = run->race.on && !run->program->move_count;
	rt_race_barrier(&run->race, run->tasks); /* all processes begin when the workload is over */
	run->clock.of_instance = true;
	if (run->program->planned && !run->program->windowed)
		run->clock.window = rt_window_planned(run);
	if (run->kernels)
		status = rt_wait_tasks(run, run->tasks); /* all clocks start when the workload is over */
	return status ? status : rt_pipeline_create(&run->pipeline, run);
}

ptowsp_status rt_pipeline_stop(struct rt_run *run)
{
	ptowsp_status status = rt_wait_tasks(run, run->tasks); /* nothing runs in a deadlock, and one of them may fail */

	return status ? status : rt_pipeline_deadlock(run->pipeline);
}

ptowsp_status rt_pipeline_run(struct rt_run *run)
{
	ptowsp_status status = rt_pipeline_begin(run);

	if (!status)
		status = rt_pipeline_go(run->pipeline);
	return status || !run->pipeline->live ? status : rt_pipeline_stop(run);
}

/* ---- making and unmaking all instances and channels -------------------------------------------------------------- */

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

		if (row->directive == PTOWSP_DIRECTIVE_CHANNEL_CAPACITY && !strcmp(rt_string(tables, (uint32_t)row->a0), rt_channel_name(program, channel)))
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
		if (program->traits[t].allocated)
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
	    (run->program->move_count && !rt_history_init(&pipeline->trails, tables->tensor.count)) || !rt_versions_instances(run, pipeline->count))
		return rt_no_memory(run->error, "the pipeline");
	if (run->race.on && !rt_vector_clocks_init(&pipeline->fronts, pipeline->count, tables->slot.count, tables->event.count, tables->channel.count))
		return rt_no_memory(run->error, "the race check");
	for (uint32_t i = 0; pipeline->fronts.on && i < tables->channel.count; i++)
		pipeline->fronts.channels[i].capacity = pipeline->channels[i].capacity;
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
	rt_history_finish(&pipeline->trails);
	rt_vector_clocks_finish(&pipeline->fronts);
	free(pipeline->channels);
	free(pipeline->told);
	free(pipeline->instances);
	free(pipeline);
}
