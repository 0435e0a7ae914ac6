/* SPDX-License-Identifier: MIT */
/* lower_name.c - symbols of a design: its fifos and the functions that its cores call, and files of these. A core's program is linked with C's library and with what the tools begin it by, so no
 * symbol is what a package calls something: a kernel may be called memcpy or main. */
#include "aie/design/lower_own.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "kernel_";

/* Tensor whose elements a stream carries, or a buffer has. */
struct carried {
	uint32_t tensor; /* the first; AIE_NOTHING: not known */
	bool more;
};

static void tensor_note(struct carried *carried, uint32_t tensor)
{
	if (carried->tensor == AIE_NOTHING)
		carried->tensor = tensor;
	carried->more |= carried->tensor != tensor;
}

static uint32_t spot_row(const struct aie_graph *graph, const struct aie_spot *spot)
{
	return spot->kind == AIE_SPOT_OBJECT ? spot->number : graph->stream_count + spot->number;
}

/* Tensors that calls find in objects and buffers of their cell. */
static void calls_look(const struct aie_lower_args *args, struct carried *carried, const struct aie_lines *lines)
{
	for (uint32_t l = 0; l < lines->count; l++) {
		const struct aie_line *line = &lines->lines[l];

		for (uint32_t s = 0; line->kind == AIE_LINE_CALL && s < line->count; s++) {
			const struct aie_use *use = &args->acts->uses[args->acts->rows[line->act].uses + s];

			tensor_note(&carried[spot_row(args->graph, &args->graph->spots[line->spots + s])], args->acts->areas.rows[use->area].tensor);
		}
	}
}

/* Objects that a buffer is copied into, or that are copied into one. */
static void copies_look(const struct aie_graph *graph, struct carried *carried, const struct aie_lines *lines)
{
	for (uint32_t l = 0; l < lines->count; l++) {
		const struct aie_spot *spots = &graph->spots[lines->lines[l].spots];

		for (int to = 0; lines->lines[l].kind == AIE_LINE_COPY && to < 2; to++) {
			const struct carried *from = &carried[spot_row(graph, &spots[!to])];

			if (spots[to].kind == AIE_SPOT_OBJECT && spots[!to].kind == AIE_SPOT_BUFFER && from->tensor != AIE_NOTHING)
				tensor_note(&carried[spots[to].number], from->tensor);
		}
	}
}

/* Per stream, and behind them per buffer, as the host's moves and the calls of cores have it. To be freed; NULL: no memory. */
static struct carried *carried_find(const struct aie_lower_args *args)
{
	const struct aie_graph *graph = args->graph;
	struct carried *carried = malloc(((size_t)graph->stream_count + graph->buffer_count + 1) * sizeof(*carried));

	for (uint32_t s = 0; carried && s < graph->stream_count + graph->buffer_count; s++)
		carried[s] = (struct carried){AIE_NOTHING, false};
	for (uint32_t j = 0; carried && j < graph->job_count; j++)
		if (graph->jobs[j].area != AIE_NOTHING)
			tensor_note(&carried[graph->jobs[j].stream], args->acts->areas.rows[graph->jobs[j].area].tensor);
	for (uint32_t c = 0; carried && c < graph->cell_count; c++)
		calls_look(args, carried, &graph->cells[c]);
	for (uint32_t c = 0; carried && c < graph->cell_count; c++)
		copies_look(graph, carried, &graph->cells[c]);
	return carried;
}

/* "load_a_12", "load_a_etc_13": what becomes of the elements, whose the first ones are, and a number. */
static void stream_name(const struct aie_lowering *lowering, uint32_t stream, const struct carried *carried, char *name, size_t size)
{
	static const char *const kinds[] = {"load", "store", "pass", "channel", "order"}, *const wholes[] = {"loads", "stores"};
	const struct aie_stream *row = &lowering->args->graph->streams[stream];
	const char *kind = row->whole ? wholes[row->kind] : kinds[row->kind];

	if (carried->tensor == AIE_NOTHING)
		snprintf(name, size, "%s_%u", kind, stream);
	else
		snprintf(name, size, "%s_%.32s%s_%u", kind, aie_tensor_name(&lowering->args->names, carried->tensor), carried->more ? "_etc" : "", stream);
	for (; *name; name++)
		*name = isalnum((unsigned char)*name) ? *name : '_';
}

void aie_lower_stream_names(struct aie_lowering *lowering)
{
	const struct aie_graph *graph = lowering->args->graph;
	struct carried *carried = carried_find(lowering->args);

	if (!carried)
		lowering->failed = PTOWSP_NO_MEMORY;
	for (uint32_t s = 0; carried && s < graph->stream_count; s++) {
		const struct aie_stream *stream = &graph->streams[s];
		char *name = lowering->streams[s];

		if (stream->kind == AIE_STREAM_CHANNEL)
			snprintf(name, sizeof(lowering->streams[s]), "%.40s_%u", aie_channel_name(&lowering->args->names, stream->channel), s);
		else
			stream_name(lowering, s, &carried[s], name, sizeof(lowering->streams[s]));
		snprintf(lowering->held[s], sizeof(lowering->held[s]), "%s%s", aie_lower_near(lowering, s) ? "near_" : "", name);
		if (!common_names_add(&lowering->symbols, name) || (aie_lower_near(lowering, s) && !common_names_add(&lowering->symbols, lowering->held[s])))
			lowering->failed = PTOWSP_NO_MEMORY;
	}
	free(carried);
}

/* An object of the user's says itself what its function is called. */
char *aie_lower_function_name(struct aie_lowering *lowering, uint32_t kernel)
{
	const struct aie_lower_args *args = lowering->args;
	const char *entry = args->objects && kernel < args->object_count ? args->objects[kernel].entry : "";
	const char *begin = *entry ? "" : prefix, *rest = *entry ? entry : aie_kernel_name(&args->names, kernel);
	size_t length = strlen(begin) + strlen(rest);
	char *name = malloc(length + 16);

	if (!name)
		return NULL;
	snprintf(name, length + 1, "%s%s", begin, rest);
	for (size_t i = 0; i < length; i++)
		name[i] = isalnum((unsigned char)name[i]) ? name[i] : '_';
	if (common_names_choose(&lowering->symbols, name, length + 16, "_"))
		return name;
	free(name);
	return NULL;
}

void aie_lower_buffer_name(struct aie_lowering *lowering, char name_out[AIE_BUFFER_NAME], uint32_t buffer)
{
	snprintf(name_out, AIE_BUFFER_NAME, "buffer_%" PRIu32, buffer);
	if (!common_names_choose(&lowering->symbols, name_out, AIE_BUFFER_NAME, "_"))
		lowering->failed = PTOWSP_NO_MEMORY;
}

/* Kernels of one name have different numbers, and files have names of bounded length. */
void aie_lower_object_name(char name_out[AIE_OBJECT_NAME], uint32_t kernel, const char *name)
{
	int length = snprintf(name_out, AIE_OBJECT_NAME, "%s%" PRIu32 "_%.48s", prefix, kernel, name);

	for (int i = sizeof(prefix) - 1; i < length; i++)
		name_out[i] = isalnum((unsigned char)name_out[i]) ? name_out[i] : '_';
	snprintf(name_out + length, AIE_OBJECT_NAME - (size_t)length, ".o");
}
