/* SPDX-License-Identifier: MIT */
#include "aie/design/lower.h"

#include "aie/design/lower_own.h"
#include "ptowsp/ids.h"
#include "registry/common/common_arena.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- types -------------------------------------------------------------------------------------------------------------- */

const struct aie_type *aie_lower_element(struct aie_lowering *lowering, unsigned dtype)
{
	struct aie_module *module = lowering->module;

	switch (dtype) {
	case PTOWSP_BF16: return aie_type_plain(module, AIE_TYPE_BF16, 16);
	case PTOWSP_F16: return aie_type_plain(module, AIE_TYPE_F16, 16);
	case PTOWSP_F32: return aie_type_plain(module, AIE_TYPE_F32, 32);
	case PTOWSP_F64: return aie_type_plain(module, AIE_TYPE_F64, 64);
	default: return aie_type_plain(module, AIE_TYPE_INT, 8 * (uint32_t)rt_dtype_bytes(dtype));
	}
}

const struct aie_type *aie_lower_shape(struct aie_lowering *lowering, const struct aie_shape *shape)
{
	const int64_t dims[2] = {(int64_t)shape->rows, (int64_t)shape->columns};

	return aie_type_memref(lowering->module, aie_lower_element(lowering, shape->dtype), shape->flat ? 1 : 2, shape->flat ? dims + 1 : dims);
}

const struct aie_type *aie_lower_object(struct aie_lowering *lowering, uint32_t stream)
{
	return aie_lower_shape(lowering, &lowering->args->graph->streams[stream].shape);
}

/* ---- tiles -------------------------------------------------------------------------------------------------------------- */

static struct aie_value *tile(struct aie_lowering *lowering, const struct aie_place *place)
{
	struct aie_value **slot = &lowering->tiles[place->column * AIE_ROWS + place->row];
	struct aie_op *op;

	if (*slot)
		return *slot;
	op = aie_op_add(lowering->module, lowering->device, lowering->body, "aie.tile");
	aie_op_attr(lowering->module, op, "col", aie_i32(lowering, place->column));
	aie_op_attr(lowering->module, op, "row", aie_i32(lowering, place->row));
	*slot = aie_op_result(lowering->module, op, aie_type_plain(lowering->module, AIE_TYPE_INDEX, 0));
	return *slot;
}

/* The tile of a cell, of the shim that a stream begins or ends at, or of its group's memory. */
static struct aie_value *end_tile(struct aie_lowering *lowering, uint32_t cell, uint32_t stream)
{
	const struct aie_graph *graph = lowering->args->graph;
	uint32_t node = graph->cell_count;

	if (cell < AIE_LINKED)
		return tile(lowering, &lowering->args->places[cell]);
	for (uint32_t s = 0; s < (cell == AIE_LINKED ? graph->stream_count : stream); s++)
		node += aie_stream_hosted(graph, &graph->streams[s]);
	return tile(lowering, &lowering->args->places[node + (cell == AIE_LINKED ? graph->streams[stream].group : 0)]);
}

static void tiles_make(struct aie_lowering *lowering)
{
	const struct aie_graph *graph = lowering->args->graph;

	for (uint32_t s = 0; s < graph->stream_count; s++) {
		if (aie_stream_hosted(graph, &graph->streams[s]))
			end_tile(lowering, AIE_HOST, s);
		if (graph->streams[s].whole)
			end_tile(lowering, AIE_LINKED, s);
	}
	for (uint32_t c = 0; c < graph->cell_count; c++)
		lowering->cell_tiles[c] = end_tile(lowering, c, 0);
	for (uint32_t s = 0; s < graph->stream_count; s++)
		if (aie_lower_near(lowering, s))
			tile(lowering, &lowering->args->places[lowering->args->near->streams[s]]);
	for (uint32_t b = 0; b < graph->buffer_count; b++) /* its tile may have neither a core nor a stream */
		aie_lower_buffer_tile(lowering, b);
}

struct aie_value *aie_lower_buffer_tile(struct aie_lowering *lowering, uint32_t buffer)
{
	const uint32_t near = lowering->args->near->buffers[buffer];

	return near == AIE_NOTHING ? lowering->cell_tiles[lowering->args->graph->buffers[buffer].cell] : tile(lowering, &lowering->args->places[near]);
}

/* ---- fifos -------------------------------------------------------------------------------------------------------------- */

static const struct aie_attr *no_dims(struct aie_lowering *lowering)
{
	return aie_attr_ints(lowering->module, AIE_ATTR_DIMS, NULL, 0, NULL);
}

static const struct aie_attr *no_dims_list(struct aie_lowering *lowering, uint32_t count)
{
	const struct aie_attr **items = common_take(lowering->module->arena, (size_t)count + 1, sizeof(*items));

	for (uint32_t i = 0; items && i < count; i++)
		items[i] = no_dims(lowering);
	return items ? aie_attr_list(lowering->module, AIE_ATTR_DIMS_LIST, count, items) : NULL;
}

/* The source's and each end's; a host's end has none, and the other side's number stands there. */
static const struct aie_attr *depth_attr(struct aie_lowering *lowering, uint32_t s)
{
	const struct aie_depths *depths = &lowering->args->depths[s];
	uint32_t ends = lowering->args->graph->streams[s].to_count, from = depths->from ? depths->from : depths->to,
		 to = depths->to ? depths->to : depths->from;
	const struct aie_attr **items = common_take(lowering->module->arena, (size_t)ends + 1, sizeof(*items));

	for (uint32_t e = 0; items && e <= ends; e++)
		items[e] = aie_i32(lowering, e ? to : from);
	return items ? aie_attr_list(lowering->module, AIE_ATTR_LIST, ends + 1, items) : NULL;
}

/* The tile of an end that a DMA fills or empties: of a cell's, where its objects lie. */
static struct aie_value *dma_tile(struct aie_lowering *lowering, uint32_t cell, uint32_t s)
{
	if (cell < AIE_LINKED && aie_lower_near(lowering, s))
		return tile(lowering, &lowering->args->places[lowering->args->near->streams[s]]);
	return end_tile(lowering, cell, s);
}

static void fifo_say(struct aie_lowering *lowering, struct aie_op *op, uint32_t s, const char *name)
{
	struct aie_module *module = lowering->module;

	aie_op_attr(module, op, "sym_name", aie_attr_text(module, AIE_ATTR_STRING, name));
	aie_op_attr(module, op, "elemNumber", depth_attr(lowering, s));
	aie_op_attr(module, op, "elemType", aie_attr_type(module, aie_type_fifo(module, aie_lower_object(lowering, s))));
	aie_op_attr(module, op, "via_DMA", aie_attr_bool(module, false));
	aie_op_attr(module, op, "plio", aie_attr_bool(module, false));
	aie_op_attr(module, op, "disable_synchronization", aie_attr_bool(module, false));
	aie_op_attr(module, op, "dimensionsToStream", no_dims(lowering));
	aie_op_attr(module, op, "dimensionsFromStreamPerConsumer", no_dims_list(lowering, lowering->args->graph->streams[s].to_count));
}

static void fifo_make(struct aie_lowering *lowering, uint32_t s)
{
	struct aie_module *module = lowering->module;
	const struct aie_graph *graph = lowering->args->graph;
	const struct aie_stream *stream = &graph->streams[s];
	struct aie_op *op = aie_op_add(module, lowering->device, lowering->body, "aie.objectfifo");

	aie_op_operand(module, op, dma_tile(lowering, stream->from, s));
	for (uint32_t e = 0; e < stream->to_count; e++)
		aie_op_operand(module, op, dma_tile(lowering, graph->ends[stream->to + e], s));
	fifo_say(lowering, op, s, lowering->streams[s]);
}

/* ---- links -------------------------------------------------------------------------------------------------------------- */

static const struct aie_attr *names_attr(struct aie_lowering *lowering, const uint32_t *streams, uint32_t count)
{
	const struct aie_attr **items = common_take(lowering->module->arena, (size_t)count + 1, sizeof(*items));

	for (uint32_t i = 0; items && i < count; i++)
		items[i] = aie_attr_text(lowering->module, AIE_ATTR_SYMBOL, lowering->streams[streams[i]]);
	return items ? aie_attr_list(lowering->module, AIE_ATTR_LIST, count, items) : NULL;
}

/* A list of one name. */
static const struct aie_attr *name_attr(struct aie_lowering *lowering, const char *name)
{
	const struct aie_attr *one = aie_attr_text(lowering->module, AIE_ATTR_SYMBOL, name);

	return aie_attr_list(lowering->module, AIE_ATTR_LIST, 1, &one);
}

/* Offsets of the members' parts in an object of the whole: elements. */
static const struct aie_attr *offsets_attr(struct aie_lowering *lowering, const struct aie_group *group, bool has)
{
	const struct aie_graph *graph = lowering->args->graph;
	const struct aie_attr **items = common_take(lowering->module->arena, (size_t)group->count + 1, sizeof(*items));
	int64_t at = 0;

	for (uint32_t i = 0; items && i < group->count; i++) {
		const struct aie_shape *shape = &graph->streams[graph->members[group->members + i]].shape;

		items[i] = aie_attr_int(lowering->module, aie_type_plain(lowering->module, AIE_TYPE_INT, 64), at);
		at += (int64_t)(shape->rows * shape->columns);
	}
	return items ? aie_attr_list(lowering->module, AIE_ATTR_LIST, has ? group->count : 0, items) : NULL;
}

static void link_make(struct aie_lowering *lowering, const struct aie_group *group)
{
	struct aie_op *op = aie_op_add(lowering->module, lowering->device, lowering->body, "aie.objectfifo.link");
	const struct aie_attr *whole = name_attr(lowering, lowering->streams[group->whole]);
	const struct aie_attr *members = names_attr(lowering, lowering->args->graph->members + group->members, group->count);

	aie_op_attr(lowering->module, op, "fifoIns", group->joins ? members : whole);
	aie_op_attr(lowering->module, op, "fifoOuts", group->joins ? whole : members);
	aie_op_attr(lowering->module, op, "src_offsets", offsets_attr(lowering, group, group->joins));
	aie_op_attr(lowering->module, op, "dst_offsets", offsets_attr(lowering, group, !group->joins));
}

/* A cell's end that lies beside it: a fifo between both tiles, linked with the stream's on the tile whose memory has the objects of both, and allocated there, so that nothing moves
 * them on. */
static void near_make(struct aie_lowering *lowering, uint32_t s)
{
	struct aie_module *module = lowering->module;
	const struct aie_stream *stream = &lowering->args->graph->streams[s];
	const bool produces = stream->from < AIE_LINKED;
	const uint32_t cell = produces ? stream->from : lowering->args->graph->ends[stream->to];
	struct aie_value *at = dma_tile(lowering, cell, s), *core = end_tile(lowering, cell, s);
	struct aie_op *op = aie_op_add(module, lowering->device, lowering->body, "aie.objectfifo");
	const struct aie_attr *far = name_attr(lowering, lowering->streams[s]), *near = name_attr(lowering, lowering->held[s]);

	aie_op_operand(module, op, produces ? core : at);
	aie_op_operand(module, op, produces ? at : core);
	fifo_say(lowering, op, s, lowering->held[s]);
	op = aie_op_add(module, lowering->device, lowering->body, "aie.objectfifo.link");
	aie_op_attr(module, op, "fifoIns", produces ? near : far);
	aie_op_attr(module, op, "fifoOuts", produces ? far : near);
	aie_op_attr(module, op, "src_offsets", aie_attr_list(module, AIE_ATTR_LIST, 0, NULL));
	aie_op_attr(module, op, "dst_offsets", aie_attr_list(module, AIE_ATTR_LIST, 0, NULL));
	op = aie_op_add(module, lowering->device, lowering->body, "aie.objectfifo.allocate");
	aie_op_operand(module, op, at);
	aie_op_attr(module, op, "objFifo_name", aie_attr_text(module, AIE_ATTR_SYMBOL, lowering->held[s]));
}

/* ---- all ---------------------------------------------------------------------------------------------------------------- */

static bool begin(struct aie_lowering *lowering)
{
	const struct aie_lower_args *args = lowering->args;

	lowering->tiles = calloc((size_t)args->arch->columns * AIE_ROWS + AIE_ROWS, sizeof(struct aie_value *));
	lowering->cell_tiles = calloc((size_t)args->graph->cell_count + 1, sizeof(struct aie_value *));
	lowering->streams = calloc((size_t)args->graph->stream_count + 1, sizeof(*lowering->streams));
	lowering->held = calloc((size_t)args->graph->stream_count + 1, sizeof(*lowering->held));
	return lowering->tiles && lowering->cell_tiles && lowering->streams && lowering->held;
}

static void module_make(struct aie_lowering *lowering)
{
	struct aie_module *module = lowering->module;
	const struct aie_graph *graph = lowering->args->graph;

	lowering->device = aie_op_add(module, module->top, &module->top->regions[0], "aie.device");
	lowering->body = aie_op_region(module, lowering->device);
	aie_op_attr(module, lowering->device, "device", aie_i32(lowering, lowering->args->arch->device));
	aie_op_attr(module, lowering->device, "sym_name", aie_attr_text(module, AIE_ATTR_STRING, "main"));
	if (!lowering->body)
		return;
	aie_lower_stream_names(lowering);
	aie_lower_functions(lowering);
	tiles_make(lowering);
	for (uint32_t s = 0; s < graph->stream_count; s++)
		fifo_make(lowering, s);
	for (uint32_t g = 0; g < graph->group_count; g++)
		link_make(lowering, &graph->groups[g]);
	for (uint32_t s = 0; s < graph->stream_count; s++)
		if (aie_lower_near(lowering, s))
			near_make(lowering, s);
	aie_lower_cores(lowering);
	aie_lower_host(lowering);
	if (!aie_op_add(module, lowering->device, lowering->body, "aie.end") && !lowering->failed)
		lowering->failed = PTOWSP_NO_MEMORY;
}

ptowsp_status aie_lower(struct aie_module *module, const struct aie_lower_args *args, struct aie_lowered *lowered, struct ptowsp_error *error)
{
	struct aie_lowering lowering = {.module = module, .args = args, .lowered = lowered, .error = error};

	aie_lowered_finish(lowered);
	if (begin(&lowering))
		module_make(&lowering);
	else
		lowering.failed = PTOWSP_NO_MEMORY;
	free(lowering.tiles);
	free(lowering.cell_tiles);
	free(lowering.streams);
	free(lowering.held);
	common_names_finish(&lowering.functions);
	common_names_finish(&lowering.symbols);
	return lowering.failed == PTOWSP_NO_MEMORY ? rt_no_memory(error, "the module of a design") : lowering.failed;
}

void aie_lowered_finish(struct aie_lowered *lowered)
{
	for (uint32_t f = 0; f < lowered->function_count; f++)
		free(lowered->functions[f]);
	free(lowered->functions);
	free(lowered->kernels);
	free(lowered->tasks);
	free(lowered->arguments);
	free(lowered->steps);
	memset(lowered, 0, sizeof(*lowered));
}
