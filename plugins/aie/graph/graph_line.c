/* SPDX-License-Identifier: MIT */
/* graph_line.c - lines, spots, jobs and buffers of an act, and the objects that it holds. */
#include "aie/graph/graph_act.h"
#include "ptowsp/ids.h"
#include <string.h>

/* ---- lines, spots, jobs, buffers ---------------------------------------------------------------------------------------- */

void aie_maker_line(struct aie_maker *maker, uint32_t cell, struct aie_line line)
{
	struct aie_lines *program = &maker->graph->cells[cell];

	AIE_MAKER_GROW(maker, program->lines, program->room, program->count);
	program->lines[program->count++] = line;
}

void aie_acting_line_add(struct aie_acting *acting, const struct aie_line *line)
{
	aie_maker_line(acting->maker, acting->act->cell, *line);
}

uint32_t aie_acting_spot_add(struct aie_acting *acting, const struct aie_spot *spot)
{
	struct aie_graph *graph = acting->maker->graph;

	AIE_MAKER_GROW(acting->maker, graph->spots, graph->spot_room, graph->spot_count);
	graph->spots[graph->spot_count] = *spot;
	return graph->spot_count++;
}

void aie_acting_copy_add(struct aie_acting *acting, const struct aie_spot *from, const struct aie_spot *to)
{
	uint32_t spots = aie_acting_spot_add(acting, from);

	aie_acting_spot_add(acting, to);
	aie_acting_line_add(acting, &(struct aie_line){.kind = AIE_LINE_COPY, .spots = spots, .count = 2});
}

void aie_acting_job_add(struct aie_acting *acting, const struct aie_job *job)
{
	struct aie_graph *graph = acting->maker->graph;

	AIE_MAKER_GROW(acting->maker, graph->jobs, graph->job_room, graph->job_count);
	graph->jobs[graph->job_count] = *job;
	graph->jobs[graph->job_count++].act = acting->number;
}

struct aie_shape aie_acting_shape_of(const struct aie_maker *maker, uint32_t area)
{
	const struct aie_area *row = &maker->args->acts->areas.rows[area];

	return (struct aie_shape){row->dtype, row->flat, row->rows, row->columns};
}

/* One of this shape that is free in the cell, or a new one. */
struct aie_spot aie_acting_buffer_take(struct aie_acting *acting, struct aie_shape shape)
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
	AIE_MAKER_GROW(maker, graph->buffers, graph->buffer_room, graph->buffer_count);
	graph->buffers[graph->buffer_count++] = (struct aie_room){acting->act->cell, shape};
	return (struct aie_spot){AIE_SPOT_BUFFER, graph->buffer_count - 1, 0, shape};
}

void aie_acting_buffer_give(struct aie_acting *acting, uint32_t buffer)
{
	struct aie_maker *maker = acting->maker;

	AIE_MAKER_GROW(maker, maker->free_buffers, maker->free_room, maker->free_count);
	maker->free_buffers[maker->free_count++] = buffer;
}

/* ---- objects ------------------------------------------------------------------------------------------------------------ */

struct aie_act_open *aie_acting_open_find(struct aie_acting *acting, uint32_t stream)
{
	for (uint32_t o = 0; o < acting->open_count; o++)
		if (acting->open[o].stream == stream)
			return &acting->open[o];
	return NULL;
}

/* The act's object of the stream, acquired where it is not yet. */
struct aie_act_open *aie_acting_object_open(struct aie_acting *acting, uint32_t stream, bool produces)
{
	struct aie_act_open *open = aie_acting_open_find(acting, stream);

	if (open)
		return open;
	if (acting->open_count == AIE_ACT_OPEN) {
		acting->crowded = true;
		return &acting->open[0];
	}
	open = &acting->open[acting->open_count++];
	*open = (struct aie_act_open){stream, produces, 0};
	aie_acting_line_add(acting, &(struct aie_line){.kind = AIE_LINE_ACQUIRE, .produces = produces, .stream = stream});
	return open;
}

void aie_acting_object_close(struct aie_acting *acting, struct aie_act_open *open)
{
	struct aie_stream *stream = &acting->maker->graph->streams[open->stream];

	aie_acting_line_add(acting, &(struct aie_line){.kind = AIE_LINE_RELEASE, .produces = open->produces, .stream = open->stream});
	stream->objects += open->produces || stream->kind == AIE_STREAM_LOAD;
	*open = acting->open[--acting->open_count];
}

void aie_acting_objects_close(struct aie_acting *acting, bool produced)
{
	for (uint32_t o = 0; o < acting->open_count;)
		if (acting->open[o].produces == produced)
			aie_acting_object_close(acting, &acting->open[o]);
		else
			o++;
}

/* A part of the act's object, behind those that are there; where an object is one part, the next one. */
struct aie_spot aie_acting_part_add(struct aie_acting *acting, uint32_t stream, bool produces, struct aie_shape shape)
{
	struct aie_stream *row = &acting->maker->graph->streams[stream];
	struct aie_act_open *open = aie_acting_open_find(acting, stream);
	struct aie_spot spot = {AIE_SPOT_OBJECT, stream, 0, shape};

	if (open && !row->packed)
		aie_acting_object_close(acting, open);
	open = aie_acting_object_open(acting, stream, produces);
	if (!row->packed)
		return spot;
	spot.at = open->filled;
	open->filled += (aie_shape_bytes(&shape) + 3) / 4 * 4;
	if (open->filled > row->shape.columns)
		row->shape.columns = open->filled;
	return spot;
}

uint32_t aie_acting_stream_of(struct aie_acting *acting, struct aie_label label, const uint32_t *ends, uint32_t end_count, bool packed)
{
	uint32_t stream;

	if (packed) {
		label.kernel = AIE_NOTHING;
		label.shape = (struct aie_shape){PTOWSP_U8, true, 1, 0};
	}
	stream = aie_maker_stream(acting->maker, &label, ends, end_count);
	acting->maker->graph->streams[stream].packed = packed;
	return stream;
}
