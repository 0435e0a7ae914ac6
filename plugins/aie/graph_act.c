/* SPDX-License-Identifier: MIT */
/* graph_act.c - the lines of one act after the other: what a cell acquires, copies, calls and releases; and what the host has to move for it. */
#include <string.h>
#include "graph_own.h"
#include "ptowsp/ids.h"
#include "rt/error.h"
#include "rt/grow.h"

enum { OPEN = 32 }; /* streams of which one act has an object */
struct open {
	uint32_t stream;
	bool produces;
	uint64_t filled; /* bytes of a packed object */
};
struct acting {
	struct aie_maker *maker;
	const struct aie_act *act;
	uint32_t number;
	struct open open[OPEN];
	uint32_t open_count;
	uint32_t temps[OPEN]; /* buffers for this act alone */
	uint32_t temp_count;
	bool failed;      /* no memory */
	bool crowded;     /* more than OPEN */
	bool crossed;     /* a cell wants what another one makes in another order */
};

/* ---- lines, spots, jobs, buffers ---------------------------------------------------------------------------------------- */

static void line_add(struct acting *acting, const struct aie_line *line)
{
	struct aie_lines *program = &acting->maker->graph->cells[acting->act->cell];

	if (!rt_grow((void **)&program->lines, &program->room, program->count, sizeof(*program->lines)))
		acting->failed = true;
	else
		program->lines[program->count++] = *line;
}

static uint32_t spot_add(struct acting *acting, const struct aie_spot *spot)
{
	struct aie_graph *graph = acting->maker->graph;

	if (!rt_grow((void **)&graph->spots, &graph->spot_room, graph->spot_count, sizeof(*graph->spots))) {
		acting->failed = true;
		return 0;
	}
	graph->spots[graph->spot_count] = *spot;
	return graph->spot_count++;
}

static void copy_add(struct acting *acting, const struct aie_spot *from, const struct aie_spot *to)
{
	uint32_t spots = spot_add(acting, from);

	spot_add(acting, to);
	line_add(acting, &(struct aie_line){.kind = AIE_LINE_COPY, .spots = spots, .count = 2});
}

static void job_add(struct acting *acting, const struct aie_job *job)
{
	struct aie_graph *graph = acting->maker->graph;

	if (!rt_grow((void **)&graph->jobs, &graph->job_room, graph->job_count, sizeof(*graph->jobs))) {
		acting->failed = true;
		return;
	}
	graph->jobs[graph->job_count] = *job;
	graph->jobs[graph->job_count++].act = acting->number;
}

static struct aie_shape shape_of(const struct aie_maker *maker, uint32_t area)
{
	const struct aie_area *row = &maker->args->acts->areas.rows[area];

	return (struct aie_shape){row->dtype, row->flat, row->rows, row->columns};
}

/* One of this shape that is free in the cell, or a new one. */
static struct aie_spot buffer_take(struct acting *acting, struct aie_shape shape)
{
	struct aie_maker *maker = acting->maker;
	struct aie_graph *graph = maker->graph;

	for (uint32_t f = maker->free_count; f--;) {
		uint32_t b = maker->free_buffers[f];

		if (graph->buffers[b].cell != acting->act->cell || !aie_shape_same(&graph->buffers[b].shape, &shape))
			continue;
		maker->free_buffers[f] = maker->free_buffers[--maker->free_count];
		return (struct aie_spot){AIE_SPOT_BUFFER, b, 0, shape};
	}
	if (!rt_grow((void **)&graph->buffers, &graph->buffer_room, graph->buffer_count, sizeof(*graph->buffers)))
		acting->failed = true;
	else
		graph->buffers[graph->buffer_count++] = (struct aie_room){acting->act->cell, shape};
	return (struct aie_spot){AIE_SPOT_BUFFER, graph->buffer_count - 1, 0, shape};
}

static void buffer_give(struct acting *acting, uint32_t buffer)
{
	struct aie_maker *maker = acting->maker;

	if (!rt_grow((void **)&maker->free_buffers, &maker->free_room, maker->free_count, sizeof(*maker->free_buffers)))
		acting->failed = true;
	else
		maker->free_buffers[maker->free_count++] = buffer;
}

/* ---- objects ------------------------------------------------------------------------------------------------------------ */

static struct open *open_find(struct acting *acting, uint32_t stream)
{
	for (uint32_t o = 0; o < acting->open_count; o++)
		if (acting->open[o].stream == stream)
			return &acting->open[o];
	return NULL;
}

/* The act's object of the stream, acquired where it is not yet. */
static struct open *object_open(struct acting *acting, uint32_t stream, bool produces)
{
	struct open *open = open_find(acting, stream);

	if (open)
		return open;
	if (acting->open_count == OPEN) {
		acting->crowded = true;
		return &acting->open[0];
	}
	open = &acting->open[acting->open_count++];
	*open = (struct open){stream, produces, 0};
	line_add(acting, &(struct aie_line){.kind = AIE_LINE_ACQUIRE, .produces = produces, .stream = stream});
	return open;
}

static void object_close(struct acting *acting, struct open *open)
{
	struct aie_stream *stream = &acting->maker->graph->streams[open->stream];

	line_add(acting, &(struct aie_line){.kind = AIE_LINE_RELEASE, .produces = open->produces, .stream = open->stream});
	stream->objects += open->produces || stream->kind == AIE_STREAM_LOAD;
	*open = acting->open[--acting->open_count];
}

static void objects_close(struct acting *acting, bool produced)
{
	for (uint32_t o = 0; o < acting->open_count;)
		if (acting->open[o].produces == produced)
			object_close(acting, &acting->open[o]);
		else
			o++;
}

/* A part of the act's object, behind those that are there; where an object is one part, the next one. */
static struct aie_spot part_add(struct acting *acting, uint32_t stream, bool produces, struct aie_shape shape)
{
	struct aie_stream *row = &acting->maker->graph->streams[stream];
	struct open *open = open_find(acting, stream);
	struct aie_spot spot = {AIE_SPOT_OBJECT, stream, 0, shape};

	if (open && !row->packed)
		object_close(acting, open);
	open = object_open(acting, stream, produces);
	if (!row->packed)
		return spot;
	spot.at = open->filled;
	open->filled += (aie_shape_bytes(&shape) + 3) / 4 * 4;
	if (open->filled > row->shape.columns)
		row->shape.columns = open->filled;
	return spot;
}

static uint32_t stream_of(struct acting *acting, struct aie_label label, const uint32_t *ends, uint32_t end_count, bool packed)
{
	uint32_t stream;

	if (packed) {
		label.kernel = AIE_NOTHING;
		label.shape = (struct aie_shape){PTOWSP_U8, true, 1, 0};
	}
	stream = aie_maker_stream(acting->maker, &label, ends, end_count);
	if (stream == AIE_NOTHING) {
		acting->failed = true;
		return 0;
	}
	acting->maker->graph->streams[stream].packed = packed;
	return stream;
}

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

static uint32_t load_stream(struct acting *acting, uint32_t u, struct aie_shape shape)
{
	const struct aie_act *act = acting->act;
	const uint8_t pack = acting->maker->pack[act->cell];
	bool call = act->kind == AIE_ACT_CALL;
	const struct aie_label label = {.kind = AIE_STREAM_LOAD, .from = AIE_HOST, .to = act->cell, .channel = call ? AIE_NOTHING : act->channel,
					.kernel = call ? act->kernel : AIE_NOTHING, .use = call && !(pack & AIE_PACK_LOADS) ? u - act->uses : AIE_NOTHING, .shape = shape};

	return stream_of(acting, label, &act->cell, 1, pack & (AIE_PACK_LOADS | AIE_PACK_USES));
}

static uint64_t ends_hash(const uint32_t *ends, uint32_t count)
{
	uint64_t h = 1469598103934665603u;

	for (uint32_t e = 0; e < count; e++)
		h = (h ^ ends[e]) * 1099511628211u;
	return h;
}

static uint32_t pass_stream(struct acting *acting, uint32_t version, struct aie_shape shape)
{
	const struct aie_maker *maker = acting->maker;
	const uint32_t *ends = maker->ends + maker->ends_first[version];
	uint32_t count = maker->ends_first[version + 1] - maker->ends_first[version];
	const struct aie_label label = {.kind = AIE_STREAM_PASS, .from = maker->args->versions->rows[version].cell, .to = ends[0], .channel = AIE_NOTHING,
					.kernel = AIE_NOTHING, .use = AIE_NOTHING, .ends = ends_hash(ends, count), .shape = shape};

	return stream_of(acting, label, ends, count, false);
}

/* The cell's end of the stream has taken one more: which one that is. */
static uint32_t take_next(struct acting *acting, uint32_t stream)
{
	struct aie_maker *maker = acting->maker;
	uint32_t end = maker->graph->streams[stream].to;

	while (maker->graph->ends[end] != acting->act->cell)
		end++;
	return maker->taken[end]++;
}

/* Does the act want another object of the stream, which comes before this one is done with? */
static bool wants_more(struct acting *acting, uint32_t u, uint32_t stream)
{
	const struct aie_maker *maker = acting->maker;
	const struct aie_act *act = acting->act;

	for (uint32_t o = act->uses; o < act->uses + act->use_count; o++) {
		const struct aie_use *use = &maker->args->acts->uses[o];

		if (o != u && use->reads && use->from != AIE_MEMORY && use->from != maker->args->acts->uses[u].from &&
		    maker->args->versions->rows[use->from].cell != act->cell && pass_stream(acting, use->from, shape_of(maker, use->area)) == stream)
			return true;
	}
	return false;
}

/* Out of the object, which goes at once, into a buffer of this act. */
static struct aie_spot set_aside(struct acting *acting, const struct aie_spot *from)
{
	struct aie_spot to = buffer_take(acting, from->shape);

	copy_add(acting, from, &to);
	object_close(acting, open_find(acting, from->number));
	if (acting->temp_count == OPEN)
		acting->crowded = true;
	else
		acting->temps[acting->temp_count++] = to.number;
	return to;
}

/* From memory or from another cell, into this act's objects. */
static struct aie_spot arrive(struct acting *acting, uint32_t u)
{
	const struct aie_maker *maker = acting->maker;
	const struct aie_use *use = &maker->args->acts->uses[u];
	struct aie_shape shape = shape_of(maker, use->area);
	struct aie_spot spot;
	uint32_t stream;

	if (use->from != AIE_MEMORY) {
		stream = pass_stream(acting, use->from, shape);
		acting->crossed |= take_next(acting, stream) != maker->ordinal[use->from];
		spot = part_add(acting, stream, false, shape);
		return wants_more(acting, u, stream) ? set_aside(acting, &spot) : spot;
	}
	stream = load_stream(acting, u, shape);
	spot = part_add(acting, stream, false, shape);
	job_add(acting, &(struct aie_job){.stream = stream, .object = maker->graph->streams[stream].objects, .area = use->area, .at = spot.at,
					  .bytes = aie_shape_bytes(&shape), .use = u});
	return spot;
}

static struct aie_spot home_spot(const struct aie_home *home, struct aie_shape shape)
{
	return (struct aie_spot){home->object ? AIE_SPOT_OBJECT : AIE_SPOT_BUFFER, home->number, 0, shape};
}

/* Whose elements a use begins with: a version of the cell, or what is kept. NULL: nobody's, they arrive for it alone. */
static struct aie_home *home_of(struct acting *acting, uint32_t u)
{
	struct aie_maker *maker = acting->maker;
	const struct aie_use *use = &maker->args->acts->uses[u];

	if (use->from != AIE_MEMORY && maker->args->versions->rows[use->from].cell == acting->act->cell)
		return &maker->homes[use->from];
	return maker->again_count[maker->again[u]] > 1 ? &maker->kept[maker->again[u]] : NULL;
}

/* Where what a use reads is. */
static struct aie_spot source(struct acting *acting, uint32_t u)
{
	struct aie_maker *maker = acting->maker;
	struct aie_shape shape = shape_of(maker, maker->args->acts->uses[u].area);
	struct aie_home *home = home_of(acting, u);
	struct aie_spot from, to;

	if (!home)
		return arrive(acting, u);
	if (home->there)
		return home_spot(home, shape);
	from = arrive(acting, u);
	to = buffer_take(acting, shape);
	copy_add(acting, &from, &to);
	*home = (struct aie_home){true, false, to.number, maker->again_count[maker->again[u]]};
	return to;
}

/* One reading less is to come. */
static void read_done(struct acting *acting, uint32_t u)
{
	struct aie_home *home = acting->maker->args->acts->uses[u].reads ? home_of(acting, u) : NULL;

	if (!home || !home->there || --home->left)
		return;
	home->there = false;
	if (!home->object)
		buffer_give(acting, home->number);
}

/* ---- writing ------------------------------------------------------------------------------------------------------------ */

static uint32_t store_stream(struct acting *acting, struct aie_shape shape)
{
	static const uint32_t host = AIE_HOST;
	const struct aie_label label = {.kind = AIE_STREAM_STORE, .from = acting->act->cell, .to = AIE_HOST, .channel = AIE_NOTHING, .kernel = AIE_NOTHING,
					.use = AIE_NOTHING, .shape = shape};

	return stream_of(acting, label, &host, 1, acting->maker->pack[acting->act->cell] & AIE_PACK_STORES);
}

static uint32_t leaves(const struct aie_maker *maker, uint32_t version)
{
	return maker->args->versions->rows[version].stored + (maker->ends_first[version + 1] > maker->ends_first[version]);
}

/* The version that a call makes next of what only it reads, changing it in place. AIE_NOTHING: there is none. */
static uint32_t changed(const struct aie_maker *maker, uint32_t version)
{
	const struct aie_version *row = &maker->args->versions->rows[version];
	const struct aie_use *use = row->local == 1 ? &maker->args->acts->uses[maker->reader[version]] : NULL;

	return use && use->writes ? use->to : AIE_NOTHING;
}

/* The last version that comes of it in place, if nothing but that one leaves the cell, and by one way. */
static uint32_t chain_end(const struct aie_maker *maker, uint32_t version)
{
	while (!leaves(maker, version) && changed(maker, version) != AIE_NOTHING)
		version = changed(maker, version);
	return leaves(maker, version) == 1 && !maker->args->versions->rows[version].local ? version : AIE_NOTHING;
}

static uint32_t leaving_stream(struct acting *acting, uint32_t version)
{
	const struct aie_version *row = &acting->maker->args->versions->rows[version];
	struct aie_shape shape = shape_of(acting->maker, row->area);

	return row->stored ? store_stream(acting, shape) : pass_stream(acting, version, shape);
}

/* From the act that makes the one to the act that makes the other nothing else of the cell goes the same way. */
static bool alone(struct acting *acting, uint32_t from, uint32_t to, uint32_t stream)
{
	const struct aie_versions *versions = acting->maker->args->versions;
	uint32_t first = from, last = to;

	while (first && versions->rows[first - 1].act == versions->rows[from].act)
		first--;
	while (last + 1 < versions->count && versions->rows[last + 1].act == versions->rows[to].act)
		last++;
	for (uint32_t v = first; v <= last; v++)
		if (v != to && versions->rows[v].cell == acting->act->cell && leaves(acting->maker, v) && leaving_stream(acting, v) == stream)
			return false;
	return true;
}

/* Where a version is made that begins from nothing: in the object in which it leaves, if that can be. */
static struct aie_spot begin(struct acting *acting, uint32_t version, struct aie_shape shape)
{
	struct aie_maker *maker = acting->maker;
	uint32_t end = chain_end(maker, version), stream = end == AIE_NOTHING ? 0 : leaving_stream(acting, end);
	struct aie_spot spot;

	if (end != AIE_NOTHING && !maker->graph->streams[stream].packed && !open_find(acting, stream) && alone(acting, version, end, stream)) {
		line_add(acting, &(struct aie_line){.kind = AIE_LINE_ACQUIRE, .produces = true, .stream = stream});
		maker->homes[version] = (struct aie_home){true, true, stream, 0};
		return (struct aie_spot){AIE_SPOT_OBJECT, stream, 0, shape};
	}
	spot = buffer_take(acting, shape);
	maker->homes[version] = (struct aie_home){true, false, spot.number, 0};
	return spot;
}

/* Where a use that writes does it. */
static struct aie_spot target(struct acting *acting, uint32_t u)
{
	struct aie_maker *maker = acting->maker;
	const struct aie_use *use = &maker->args->acts->uses[u];
	struct aie_shape shape = shape_of(maker, use->area);
	struct aie_home *home = use->reads ? home_of(acting, u) : NULL;
	struct aie_spot from, to;

	if (!use->reads)
		return begin(acting, use->to, shape);
	from = source(acting, u);
	if (home && home->left == 1) { /* nobody else wants it as it was */
		maker->homes[use->to] = (struct aie_home){true, home->object, home->number, 0};
		home->there = false;
		return from;
	}
	to = begin(acting, use->to, shape);
	copy_add(acting, &from, &to);
	return to;
}

static void store(struct acting *acting, uint32_t u, const struct aie_spot *from)
{
	struct aie_maker *maker = acting->maker;
	const struct aie_use *use = &maker->args->acts->uses[u];
	uint32_t stream = store_stream(acting, from->shape);
	struct aie_spot to = *from;

	if (from->kind == AIE_SPOT_BUFFER) {
		to = part_add(acting, stream, true, from->shape);
		copy_add(acting, from, &to);
	}
	job_add(acting, &(struct aie_job){.stream = stream, .object = maker->graph->streams[stream].objects, .area = use->area, .at = to.at,
					  .bytes = aie_shape_bytes(&from->shape), .use = u, .stores = true});
}

static void pass(struct acting *acting, uint32_t version, const struct aie_spot *from)
{
	uint32_t stream = pass_stream(acting, version, from->shape);
	struct aie_spot to;

	acting->maker->ordinal[version] = acting->maker->graph->streams[stream].objects;
	if (from->kind == AIE_SPOT_OBJECT)
		return;
	to = part_add(acting, stream, true, from->shape);
	copy_add(acting, from, &to);
}

/* What was made leaves for wherever it is wanted, and stays as long as the cell reads it. */
static void made(struct acting *acting, uint32_t u)
{
	struct aie_maker *maker = acting->maker;
	uint32_t version = maker->args->acts->uses[u].to;
	struct aie_home *home = &maker->homes[version];
	const struct aie_spot spot = home_spot(home, shape_of(maker, maker->args->acts->uses[u].area));

	if (maker->args->versions->rows[version].stored)
		store(acting, u, &spot);
	if (maker->ends_first[version + 1] > maker->ends_first[version])
		pass(acting, version, &spot);
	home->left = maker->args->versions->rows[version].local;
	if (home->left)
		return;
	home->there = false;
	if (!home->object) {
		buffer_give(acting, home->number);
		return;
	}
	line_add(acting, &(struct aie_line){.kind = AIE_LINE_RELEASE, .produces = true, .stream = home->number});
	maker->graph->streams[home->number].objects++;
}

/* ---- acts --------------------------------------------------------------------------------------------------------------- */

static void call(struct acting *acting)
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
		if (!uses[act->uses + i].writes)
			spots[i] = source(acting, act->uses + i);
	for (uint32_t i = 0; i < count; i++)
		if (uses[act->uses + i].writes)
			spots[i] = target(acting, act->uses + i);
	first = maker->graph->spot_count;
	for (uint32_t i = 0; i < count; i++)
		spot_add(acting, &spots[i]);
	line_add(acting, &(struct aie_line){.kind = AIE_LINE_CALL, .act = acting->number, .spots = first, .count = count});
	for (uint32_t i = 0; i < count; i++)
		read_done(acting, act->uses + i);
	while (acting->temp_count)
		buffer_give(acting, acting->temps[--acting->temp_count]);
	objects_close(acting, false);
	for (uint32_t i = 0; i < count; i++)
		if (uses[act->uses + i].writes)
			made(acting, act->uses + i);
	objects_close(acting, true);
}

/* A call of nothing. */
static void hold(struct acting *acting)
{
	uint32_t use = acting->act->uses;

	target(acting, use);
	read_done(acting, use);
	objects_close(acting, false);
	made(acting, use);
	objects_close(acting, true);
}

static uint32_t channel_stream(struct acting *acting, uint32_t from, uint32_t to)
{
	const struct aie_act *act = acting->act;
	const struct aie_label label = {.kind = AIE_STREAM_CHANNEL, .from = from, .to = to, .channel = act->channel, .kernel = AIE_NOTHING, .use = AIE_NOTHING};
	uint32_t stream = stream_of(acting, label, &to, 1, false);

	if (!acting->failed)
		acting->maker->graph->streams[stream].room = acting->maker->rooms[act->channel];
	if (!acting->failed)
		acting->maker->graph->streams[stream].shape = act->use_count ? shape_of(acting->maker, acting->maker->args->acts->uses[act->uses].area)
									     : (struct aie_shape){PTOWSP_I32, true, 1, 1};
	return stream;
}

/* The host moves what lies in memory, or a word where a token has no elements. */
static void host_moves(struct acting *acting, uint32_t stream)
{
	const struct aie_act *act = acting->act;
	struct aie_stream *row = &acting->maker->graph->streams[stream];
	uint32_t use = act->use_count ? act->uses : AIE_NOTHING, object = act->kind == AIE_ACT_SEND ? row->objects : take_next(acting, stream);

	job_add(acting, &(struct aie_job){.stream = stream, .object = object,
					  .area = use == AIE_NOTHING ? AIE_NOTHING : acting->maker->args->acts->uses[use].area, .bytes = aie_shape_bytes(&row->shape),
					  .use = use, .stores = act->kind == AIE_ACT_TAKE});
	row->objects += act->kind == AIE_ACT_SEND;
	if (!acting->failed && act->kind == AIE_ACT_SEND)
		aie_credit_sent(acting->maker, acting->number, acting->maker->graph->job_count - 1);
}

/* The latest job + 1 by which the act's process, which is the host's, takes something; 0: none. */
static uint32_t host_took(const struct acting *acting)
{
	const struct aie_graph *graph = acting->maker->graph;
	const struct aie_act *acts = acting->maker->args->acts->rows;
	uint32_t j = graph->job_count;

	while (j && !(acts[graph->jobs[j - 1].act].kind == AIE_ACT_TAKE && graph->jobs[j - 1].stores && acts[graph->jobs[j - 1].act].process == acting->act->process))
		j--;
	return j;
}

static ptowsp_status send(struct acting *acting)
{
	struct aie_maker *maker = acting->maker;
	const struct aie_act *act = acting->act;
	uint32_t taker = maker->takers[acting->number], cell = taker == AIE_NOTHING ? AIE_NOTHING : maker->args->acts->rows[taker].cell, stream;
	struct aie_spot from, to;

	if (taker == AIE_NOTHING)
		return PTOWSP_OK;
	if (act->cell == AIE_HOST && cell == AIE_HOST)
		return rt_fail(maker->error, PTOWSP_UNSUPPORTED, "channel %u connects processes of which neither calls a kernel: no core would have a part in it; use --opt clock=reference",
			       act->channel);
	stream = channel_stream(acting, act->cell, cell);
	if (act->cell == AIE_HOST) {
		host_moves(acting, stream);
		return PTOWSP_OK;
	}
	acting->failed |= !aie_credit_wait(maker, acting->number);
	if (act->use_count) {
		from = source(acting, act->uses);
		to = part_add(acting, stream, true, from.shape);
		copy_add(acting, &from, &to);
		read_done(acting, act->uses);
	} else {
		object_open(acting, stream, true);
	}
	objects_close(acting, false);
	objects_close(acting, true);
	return PTOWSP_OK;
}

static void take(struct acting *acting)
{
	struct aie_maker *maker = acting->maker;
	const struct aie_act *act = acting->act;
	uint32_t stream = channel_stream(acting, maker->args->acts->rows[maker->takers[acting->number]].cell, act->cell);
	struct aie_spot from, to;

	acting->failed |= !aie_credit_give(maker, acting->number, true, act->cell == AIE_HOST && maker->credit[acting->number] != AIE_NOTHING ? host_took(acting) : 0);
	if (act->cell == AIE_HOST) {
		host_moves(acting, stream);
		acting->failed |= !aie_credit_give(maker, acting->number, false, maker->graph->job_count);
		return;
	}
	if (act->use_count) {
		const struct aie_use *use = &maker->args->acts->uses[act->uses];
		struct aie_shape shape = shape_of(maker, use->area);

		from = part_add(acting, stream, false, shape);
		to = begin(acting, use->to, shape);
		copy_add(acting, &from, &to);
	} else {
		object_open(acting, stream, false);
	}
	objects_close(acting, false);
	acting->failed |= !aie_credit_give(maker, acting->number, false, 0);
	if (act->use_count)
		made(acting, act->uses);
	objects_close(acting, true);
}

static ptowsp_status called(struct acting *acting)
{
	struct aie_maker *maker = acting->maker;
	ptowsp_status st = aie_gate_call(maker, acting->act);
	uint32_t line = maker->graph->cells[acting->act->cell].count, job = maker->graph->job_count;

	call(acting);
	aie_gate_called(maker, acting->act);
	return st || acting->failed || acting->crowded || acting->crossed ? st : aie_bound_words(maker, acting->number, line, job);
}

ptowsp_status aie_maker_act(struct aie_maker *maker, uint32_t number)
{
	struct acting acting = {.maker = maker, .act = &maker->args->acts->rows[number], .number = number};
	ptowsp_status st = PTOWSP_OK;

	if (acting.act->kind == AIE_ACT_CALL) {
		st = called(&acting);
	} else if (acting.act->kind == AIE_ACT_SEND) {
		st = send(&acting);
	} else if (acting.act->kind == AIE_ACT_TAKE) {
		take(&acting);
	} else if (acting.act->kind == AIE_ACT_HOLD) {
		hold(&acting);
	} else {
		st = aie_gate_act(maker, acting.act);
	}
	if (!st && acting.crowded)
		st = rt_fail_at(maker->error, PTOWSP_UNSUPPORTED, acting.act->task, acting.act->kernel, "task %llu has more than %u tensor arguments from different streams",
				(unsigned long long)acting.act->task, OPEN);
	if (!st && acting.crossed)
		st = rt_fail_at(maker->error, PTOWSP_UNSUPPORTED, acting.act->task, acting.act->kernel,
				"task %llu reads what another core makes in another order than that core makes it, and a stream has one; use fewer cores (--opt grid)",
				(unsigned long long)acting.act->task);
	return st || !acting.failed ? st : rt_no_memory(maker->error, "the virtual graph");
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

ptowsp_status aie_maker_end(struct aie_maker *maker, uint32_t cell, uint32_t last)
{
	struct acting acting = {.maker = maker, .act = &maker->args->acts->rows[last], .number = last};
	const struct aie_shape word = {PTOWSP_I32, true, 1, 1};
	struct aie_spot spot;
	uint32_t stream;

	if (is_seen(&maker->graph->cells[cell]))
		return PTOWSP_OK;
	stream = store_stream(&acting, word);
	spot = part_add(&acting, stream, true, word);
	job_add(&acting, &(struct aie_job){.stream = stream, .object = maker->graph->streams[stream].objects, .area = AIE_NOTHING, .at = spot.at, .bytes = 4,
					   .use = AIE_NOTHING, .stores = true});
	objects_close(&acting, true);
	return acting.failed ? rt_no_memory(maker->error, "the virtual graph") : PTOWSP_OK;
}
