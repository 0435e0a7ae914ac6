/* SPDX-License-Identifier: MIT */
/* graph_act.c - the lines of one act after the other: what a cell acquires, copies, calls and releases; and what the host has to move for it. */
#include "aie/graph/graph_act.h"
#include "ptowsp/ids.h"
#include "rt/program/rt_error.h"
#include <string.h>

/* ---- acts --------------------------------------------------------------------------------------------------------------- */

static void call(struct aie_acting *acting)
{
	struct aie_maker *maker = acting->maker;
	const struct aie_act *act = acting->act;
	const struct aie_use *uses = maker->args->acts->uses;
	struct aie_spot spots[AIE_MOST_TENSORS];
	uint32_t first, count = act->use_count;

	if (count > AIE_MOST_TENSORS) {
		acting->crowded = true;
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		if (!uses[act->uses + i].writes && uses[act->uses + i].with == i)
			spots[i] = aie_acting_source(acting, act->uses + i);
	for (uint32_t i = 0; i < count; i++)
		if (uses[act->uses + i].writes)
			spots[i] = aie_acting_target(acting, act->uses + i);
	first = maker->graph->spot_count;
	for (uint32_t i = 0; i < count; i++)
		aie_acting_spot_add(acting, &spots[uses[act->uses + i].with]);
	aie_acting_line_add(acting, &(struct aie_line){.kind = AIE_LINE_CALL, .act = acting->number, .spots = first, .count = count});
	for (uint32_t i = 0; i < count; i++)
		aie_acting_read_done(acting, act->uses + i);
	while (acting->temp_count)
		aie_acting_buffer_give(acting, acting->temps[--acting->temp_count]);
	aie_acting_objects_close(acting, false);
	for (uint32_t i = 0; i < count; i++)
		if (uses[act->uses + i].writes)
			aie_acting_made(acting, act->uses + i);
	aie_acting_objects_close(acting, true);
}

/* A call of nothing. */
static void hold(struct aie_acting *acting)
{
	uint32_t use = acting->act->uses;

	aie_acting_target(acting, use);
	aie_acting_read_done(acting, use);
	aie_acting_objects_close(acting, false);
	aie_acting_made(acting, use);
	aie_acting_objects_close(acting, true);
}

static uint32_t channel_stream(struct aie_acting *acting, uint32_t from, uint32_t to)
{
	const struct aie_act *act = acting->act;
	const struct aie_label label = {.kind = AIE_STREAM_CHANNEL, .from = from, .to = to, .channel = act->channel, .kernel = AIE_NOTHING, .use = AIE_NOTHING};
	uint32_t stream = aie_acting_stream_of(acting, label, &to, 1, false);

	acting->maker->graph->streams[stream].room = acting->maker->rooms[act->channel];
	acting->maker->graph->streams[stream].shape = act->use_count ? aie_acting_shape_of(acting->maker, acting->maker->args->acts->uses[act->uses].area)
								     : (struct aie_shape){PTOWSP_I32, true, 1, 1};
	return stream;
}

/* The host moves what lies in memory, or a word where a token has no elements. */
static void host_moves(struct aie_acting *acting, uint32_t stream)
{
	const struct aie_act *act = acting->act;
	struct aie_stream *row = &acting->maker->graph->streams[stream];
	uint32_t use = act->use_count ? act->uses : AIE_NOTHING, object = act->kind == AIE_ACT_SEND ? row->objects : aie_acting_take_next(acting, stream);

	aie_acting_job_add(acting, &(struct aie_job){.stream = stream,
						     .object = object,
						     .area = use == AIE_NOTHING ? AIE_NOTHING : acting->maker->args->acts->uses[use].area,
						     .bytes = aie_shape_bytes(&row->shape),
						     .use = use,
						     .stores = act->kind == AIE_ACT_TAKE});
	row->objects += act->kind == AIE_ACT_SEND;
	if (act->kind == AIE_ACT_SEND)
		aie_credit_sent(acting->maker, acting->number, acting->maker->graph->job_count - 1);
}

/* The latest job + 1 by which the act's process, which is the host's, takes something; 0: none. */
static uint32_t host_took(const struct aie_acting *acting)
{
	const struct aie_graph *graph = acting->maker->graph;
	const struct aie_act *acts = acting->maker->args->acts->rows;
	uint32_t j = graph->job_count;

	while (j && !(acts[graph->jobs[j - 1].act].kind == AIE_ACT_TAKE && graph->jobs[j - 1].stores &&
		      acts[graph->jobs[j - 1].act].process == acting->act->process))
		j--;
	return j;
}

static void send(struct aie_acting *acting)
{
	struct aie_maker *maker = acting->maker;
	const struct aie_act *act = acting->act;
	uint32_t taker = maker->takers[acting->number], cell = taker == AIE_NOTHING ? AIE_NOTHING : maker->args->acts->rows[taker].cell, stream;
	struct aie_spot from, to;

	if (taker == AIE_NOTHING)
		return;
	if (act->cell == AIE_HOST && cell == AIE_HOST)
		aie_maker_leave(
			maker,
			rt_fail(maker->error, PTOWSP_UNSUPPORTED,
				"channel %.60s connects processes of which neither calls a kernel: no core would have a part in it; use --opt clock=reference",
				aie_channel_name(&maker->args->names, act->channel)));
	stream = channel_stream(acting, act->cell, cell);
	if (act->cell == AIE_HOST) {
		host_moves(acting, stream);
		return;
	}
	aie_credit_wait(maker, acting->number);
	if (act->use_count) {
		from = aie_acting_source(acting, act->uses);
		to = aie_acting_part_add(acting, stream, true, from.shape);
		aie_acting_copy_add(acting, &from, &to);
		aie_acting_read_done(acting, act->uses);
	} else {
		aie_acting_object_open(acting, stream, true);
	}
	aie_acting_objects_close(acting, false);
	aie_acting_objects_close(acting, true);
}

static void take(struct aie_acting *acting)
{
	struct aie_maker *maker = acting->maker;
	const struct aie_act *act = acting->act;
	uint32_t stream = channel_stream(acting, maker->args->acts->rows[maker->takers[acting->number]].cell, act->cell);
	struct aie_spot from, to;

	aie_credit_give(maker, acting->number, true, act->cell == AIE_HOST && maker->credit[acting->number] != AIE_NOTHING ? host_took(acting) : 0);
	if (act->cell == AIE_HOST) {
		host_moves(acting, stream);
		aie_credit_give(maker, acting->number, false, maker->graph->job_count);
		return;
	}
	if (act->use_count) {
		const struct aie_use *use = &maker->args->acts->uses[act->uses];
		struct aie_shape shape = aie_acting_shape_of(maker, use->area);

		from = aie_acting_part_add(acting, stream, false, shape);
		to = aie_acting_begin(acting, use->to, shape);
		aie_acting_copy_add(acting, &from, &to);
	} else {
		aie_acting_object_open(acting, stream, false);
	}
	aie_acting_objects_close(acting, false);
	aie_credit_give(maker, acting->number, false, 0);
	if (act->use_count)
		aie_acting_made(acting, act->uses);
	aie_acting_objects_close(acting, true);
}

static void called(struct aie_acting *acting)
{
	struct aie_maker *maker = acting->maker;
	uint32_t line, job;

	aie_gate_call(maker, acting->act);
	line = maker->graph->cells[acting->act->cell].count;
	job = maker->graph->job_count;
	call(acting);
	aie_gate_called(maker, acting->act);
	if (!acting->crowded && !acting->crossed)
		aie_bound_words(maker, acting->number, line, job);
}

/* The host hears from who closes and tells who leaves (graph_job.c); of its own processes it knows. */
static void closing(struct aie_acting *acting)
{
	const struct aie_act *act = acting->act;

	if (act->cell != AIE_HOST)
		aie_word_add(acting->maker, acting->number, acting->maker->graph->cells[act->cell].count, act->kind == AIE_ACT_CLOSE);
}

void aie_maker_act(struct aie_maker *maker, uint32_t number)
{
	const struct aie_act *act = &maker->args->acts->rows[number];
	const unsigned long long task = maker->args->acts->first + act->task;
	struct aie_acting acting = {.maker = maker, .act = act, .number = number};

	switch (act->kind) {
	case AIE_ACT_CALL: called(&acting); break;
	case AIE_ACT_SEND: send(&acting); break;
	case AIE_ACT_TAKE: take(&acting); break;
	case AIE_ACT_CLOSE:
	case AIE_ACT_LEAVE: closing(&acting); break;
	case AIE_ACT_HOLD: hold(&acting); break;
	default: aie_gate_act(maker, act); break;
	}
	if (acting.crowded)
		aie_maker_leave(maker, rt_fail_at(maker->error, PTOWSP_UNSUPPORTED, task, act->kernel,
						  "task %llu has more than %u tensor arguments from different streams", task, AIE_ACT_OPEN));
	if (acting.crossed)
		aie_maker_leave(maker, rt_fail_at(maker->error, PTOWSP_UNSUPPORTED, task, act->kernel,
						  "task %llu reads what another core makes in another order than that core makes it, and a stream has one; use "
						  "fewer cores (--opt grid)",
						  task));
}

/* ---- ends --------------------------------------------------------------------------------------------------------------- */

/* Does something leave the cell behind its last call? */
static bool is_seen(const struct aie_lines *program)
{
	for (uint32_t l = program->count; l--;) {
		if (program->lines[l].kind == AIE_LINE_RELEASE && program->lines[l].produces)
			return true;
		if (program->lines[l].kind == AIE_LINE_CALL)
			return false;
	}
	return true;
}

/* A word behind all that the cell does. */
static void end_tell(struct aie_acting *acting)
{
	const struct aie_shape word = {PTOWSP_I32, true, 1, 1};
	uint32_t stream = aie_acting_store_stream(acting, word);
	struct aie_spot spot = aie_acting_part_add(acting, stream, true, word);

	aie_acting_job_add(acting, &(struct aie_job){.stream = stream,
						     .object = acting->maker->graph->streams[stream].objects,
						     .area = AIE_NOTHING,
						     .at = spot.at,
						     .bytes = 4,
						     .use = AIE_NOTHING,
						     .stores = true});
	aie_acting_objects_close(acting, true);
}

void aie_maker_end(struct aie_maker *maker, uint32_t cell, uint32_t last)
{
	struct aie_acting acting = {.maker = maker, .act = &maker->args->acts->rows[last], .number = last};

	if (!is_seen(&maker->graph->cells[cell]))
		end_tell(&acting);
}
