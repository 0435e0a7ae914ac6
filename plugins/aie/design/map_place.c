/* SPDX-License-Identifier: MIT */
/* map_place.c - a graph as what is placed: cells, shims and memory tiles as nodes with what they take, streams as nets. */
#include "aie/design/map.h"

#include "rt/program/rt_error.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct placing {
	struct aie_place_node *nodes;
	struct aie_place_net *nets;
	uint32_t *ends;
	uint32_t *ways;    /* per cell: streams in, streams out */
	uint32_t *tensors; /* per stream: hosted_tensors */
	uint32_t node_count, end_count, net_count;
};

/* For sentences: the task that it calls first, and its kernel. */
static void cell_called(const struct aie_map *map, const struct aie_map_args *args, uint32_t cell, struct aie_place_node *node)
{
	const struct aie_lines *program = &map->graph.cells[cell];

	node->process = map->acts.processes != 0;
	node->role = "a";
	node->name = "core that calls nothing";
	for (uint32_t l = 0; l < program->count && !node->task; l++)
		if (program->lines[l].kind == AIE_LINE_CALL) {
			const struct aie_act *act = &map->acts.rows[program->lines[l].act];

			node->name = aie_kernel_name(&args->names, act->kernel);
			node->task = map->acts.first + act->task + 1;
		}
}

/* Per stream, and behind them, the first tensor that the host moves there; AIE_NOTHING: none. To be freed; NULL: no memory. */
static uint32_t *hosted_tensors(const struct aie_map *map)
{
	const struct aie_graph *graph = &map->graph;
	uint32_t *tensors = malloc(((size_t)graph->stream_count + 1) * sizeof(*tensors));

	for (uint32_t s = 0; tensors && s < graph->stream_count; s++)
		tensors[s] = AIE_NOTHING;
	for (uint32_t j = graph->job_count; tensors && j-- > 0;)
		if (graph->jobs[j].area != AIE_NOTHING)
			tensors[graph->jobs[j].stream] = map->acts.areas.rows[graph->jobs[j].area].tensor;
	return tensors;
}

static const char *hosted_name(const struct aie_map_args *args, const uint32_t *tensors, uint32_t stream)
{
	return tensors[stream] == AIE_NOTHING ? "words" : aie_tensor_name(&args->names, tensors[stream]);
}

/* Without objects of its streams. */
static void cell_bytes(const struct aie_map *map, const struct aie_map_args *args, uint32_t cell, struct aie_place_node *node)
{
	const struct aie_lines *program = &map->graph.cells[cell];
	uint64_t stack = 0;

	for (uint32_t l = 0; l < program->count; l++)
		if (program->lines[l].kind == AIE_LINE_CALL) {
			uint64_t need = map->acts.rows[program->lines[l].act].stack;

			stack = need > stack ? need : stack;
		}
	for (uint32_t b = 0; b < map->graph.buffer_count; b++)
		if (map->graph.buffers[b].cell == cell)
			node->buffers += aie_shape_bytes(&map->graph.buffers[b].shape);
	node->stack = stack + aie_arch_tile(args->arch, AIE_FIRST_CORE)->limits[AIE_STACK];
	node->bytes = node->buffers + node->stack;
}

static void cells_describe(struct placing *placing, const struct aie_map *map, const struct aie_map_args *args)
{
	for (uint32_t c = 0; c < map->graph.cell_count; c++) {
		struct aie_place_node *node = &placing->nodes[c];

		*node = (struct aie_place_node){.kind = AIE_CORE, .column = map->cells.rows[c].column, .row = map->cells.rows[c].row};
		cell_called(map, args, c, node);
		cell_bytes(map, args, c, node);
	}
	placing->node_count = map->graph.cell_count;
}

/* The needs of a stream at one of its ends. shared: nothing before it is known in whose memory it lies, if in one, which joint_check looks at. */
static void end_describe(struct placing *placing, const struct aie_stream *stream, uint32_t node, bool source, bool shared, uint32_t depth)
{
	struct aie_place_node *row = &placing->nodes[node];

	if (shared)
		return;
	row->in += !source;
	row->out += source;
	if (row->kind == AIE_MEMTILE)
		return;
	row->locks += 2;
	row->bds += depth ? depth : 1;
	if (row->kind == AIE_CORE)
		row->bytes += depth * aie_shape_bytes(&stream->shape);
}

/* For sentences. */
static void pass_count(struct aie_place_node *core, const struct aie_stream *stream)
{
	core->passes++;
	core->words += stream->kind == AIE_STREAM_TOKEN && stream->room;
}

static void ways_count(struct placing *placing, const struct aie_graph *graph)
{
	for (uint32_t s = 0; s < graph->stream_count; s++) {
		const struct aie_stream *stream = &graph->streams[s];

		if (aie_stream_shared(graph, stream)) {
			pass_count(&placing->nodes[stream->from], stream);
			pass_count(&placing->nodes[graph->ends[stream->to]], stream);
		}

		if (stream->from < AIE_LINKED)
			placing->ways[2 * stream->from + 1]++;
		for (uint32_t e = stream->to; e < stream->to + stream->to_count; e++)
			if (graph->ends[e] < AIE_LINKED)
				placing->ways[2 * graph->ends[e]]++;
	}
}

/* A stream between two cores takes a DMA channel of each, and where they have not enough for all of them it had better lie in a memory that both see. */
static bool wants_memory(const struct placing *placing, const struct aie_map_args *args, const struct aie_graph *graph, const struct aie_stream *stream)
{
	const uint64_t *limits = aie_arch_tile(args->arch, AIE_FIRST_CORE)->limits;

	return aie_stream_shared(graph, stream) &&
	       (placing->ways[2 * stream->from + 1] > limits[AIE_DMA_OUT] || placing->ways[2 * graph->ends[stream->to]] > limits[AIE_DMA_IN]);
}

static void hosts_describe(struct placing *placing, const struct aie_graph *graph, const struct aie_map_args *args)
{
	for (uint32_t s = 0; s < graph->stream_count; s++)
		if (aie_stream_hosted(graph, &graph->streams[s]))
			placing->nodes[placing->node_count++] = (struct aie_place_node){.kind = AIE_SHIM,
											.column = AIE_ANYWHERE,
											.row = AIE_ANYWHERE,
											.role = "the host's stream of",
											.name = hosted_name(args, placing->tensors, s)};
}

/* Needs of groups on a memory tile besides channels. Even channels have one half of its descriptors, odd ones the other, and which channels a group gets is not known yet:
 * twice what the half with the whole's channel could need at most. */
static void groups_describe(struct placing *placing, const struct aie_map *map, const struct aie_map_args *args)
{
	const struct aie_graph *graph = &map->graph;

	for (uint32_t g = 0; g < graph->group_count; g++) {
		const struct aie_group *group = &graph->groups[g];
		const struct aie_stream *whole = &graph->streams[group->whole];
		uint32_t depth = group->joins ? map->depths[group->whole].from : map->depths[group->whole].to;

		placing->nodes[placing->node_count++] = (struct aie_place_node){.kind = AIE_MEMTILE,
										.column = AIE_ANYWHERE,
										.row = AIE_ANYWHERE,
										.locks = 2 * group->count,
										.bds = 2 * depth * (group->count + (group->count + 1) / 2),
										.bytes = depth * aie_shape_bytes(&whole->shape),
										.role = group->joins ? "the joined stores of" : "the distributed loads of",
										.name = hosted_name(args, placing->tensors, group->whole)};
	}
}

/* shim: of the stream, if it has one; groups: the first. */
static uint32_t end_node(const struct aie_stream *stream, uint32_t end, uint32_t shim, uint32_t groups)
{
	return end == AIE_HOST ? shim : end == AIE_LINKED ? groups + stream->group : end;
}

static void streams_describe(struct placing *placing, const struct aie_map *map, const struct aie_map_args *args)
{
	const struct aie_graph *graph = &map->graph;
	uint32_t shim = graph->cell_count, groups;

	hosts_describe(placing, graph, args);
	groups = placing->node_count;
	groups_describe(placing, map, args);
	placing->net_count = graph->stream_count;
	for (uint32_t s = 0; s < graph->stream_count; s++) {
		const struct aie_stream *stream = &graph->streams[s];
		struct aie_place_net *net = &placing->nets[s];

		*net = (struct aie_place_net){.from = end_node(stream, stream->from, shim, groups),
					      .to = placing->ends + placing->end_count,
					      .to_count = stream->to_count,
					      .need = wants_memory(placing, args, graph, stream) ? AIE_NEED_WISHED : AIE_NEED_NEAR,
					      .weight = 1 + stream->objects * aie_shape_bytes(&stream->shape) / 4};
		end_describe(placing, stream, net->from, true, net->need == AIE_NEED_WISHED, map->depths[s].from);
		for (uint32_t e = 0; e < stream->to_count; e++) {
			uint32_t node = end_node(stream, graph->ends[stream->to + e], shim, groups);

			placing->ends[placing->end_count++] = node;
			end_describe(placing, stream, node, false, net->need == AIE_NEED_WISHED, map->depths[s].to);
		}
		shim += aie_stream_hosted(graph, stream);
	}
}

/* ---- memories beside cells ---------------------------------------------------------------------------------------------- */

/* Parts of a cell that may lie beside it: streams that it alone has with the host, through no memory tile, and buffers. */
struct spread {
	struct aie_map *map;
	const struct aie_map_args *args;
	uint32_t cell, count, stream_count;
	struct aie_place_node *items; /* the streams, then the buffers */
	uint32_t *numbers;            /* of each */
	uint8_t *tile_of;             /* of each */
};

/* The cell of a stream that may lie beside it; AIE_NOTHING: it may not. */
static uint32_t spread_cell(const struct aie_graph *graph, const struct aie_stream *stream)
{
	if (stream->to_count != 1 || stream->group != AIE_NOTHING || !aie_stream_hosted(graph, stream))
		return AIE_NOTHING;
	return stream->from < AIE_LINKED ? stream->from : graph->ends[stream->to];
}

static void item_add(struct spread *spread, uint32_t number, const struct aie_place_node *item)
{
	spread->numbers[spread->count] = number;
	spread->items[spread->count++] = *item;
}

static void items_find(struct spread *spread)
{
	const struct aie_graph *graph = &spread->map->graph;

	spread->count = 0;
	for (uint32_t s = 0; s < graph->stream_count; s++) {
		const bool makes = graph->streams[s].from == spread->cell;
		const uint32_t depth = makes ? spread->map->depths[s].from : spread->map->depths[s].to;

		if (spread_cell(graph, &graph->streams[s]) == spread->cell)
			item_add(spread, s,
				 &(struct aie_place_node){
					 .in = !makes, .out = makes, .locks = 2, .bds = depth, .bytes = depth * aie_shape_bytes(&graph->streams[s].shape)});
	}
	spread->stream_count = spread->count;
	for (uint32_t b = 0; b < graph->buffer_count; b++)
		if (graph->buffers[b].cell == spread->cell)
			item_add(spread, b,
				 &(struct aie_place_node){.bytes = aie_shape_bytes(&graph->buffers[b].shape),
							  .buffers = aie_shape_bytes(&graph->buffers[b].shape)});
}

/* A core without what may lie elsewhere; items as memory is aligned. */
static void items_take(struct spread *spread, struct aie_place_node *core)
{
	for (uint32_t i = 0; i < spread->count; i++) {
		struct aie_place_node *item = &spread->items[i];

		core->in -= item->in;
		core->out -= item->out;
		core->locks -= item->locks;
		core->bds -= item->bds;
		core->bytes -= item->bytes;
		core->buffers -= item->buffers;
		item->bytes = aie_near_bytes(item->bytes);
	}
	core->bytes = aie_near_bytes(core->bytes);
}

/* The node of a tile beside the cell, which it has to see. */
static uint32_t beside_add(struct placing *placing, uint32_t cell, struct aie_place_node tile)
{
	tile.kind = AIE_CORE;
	tile.column = tile.row = AIE_ANYWHERE;
	tile.role = "the memory beside the core of";
	tile.name = placing->nodes[cell].name;
	placing->ends[placing->end_count] = placing->node_count;
	placing->nets[placing->net_count++] =
		(struct aie_place_net){.from = cell, .to = &placing->ends[placing->end_count++], .to_count = 1, .need = AIE_NEED_SEEN, .weight = 1};
	placing->nodes[placing->node_count] = tile;
	return placing->node_count++;
}

/* Streams of the cell begin or end there. */
static void beside_move(struct placing *placing, struct spread *spread, uint32_t tile, uint32_t node)
{
	const struct aie_near *near = &spread->map->near;

	for (uint32_t i = 0; i < spread->count; i++) {
		const uint32_t number = spread->numbers[i];

		if (spread->tile_of[i] != tile)
			continue;
		*(i < spread->stream_count ? &near->streams[number] : &near->buffers[number]) = node;
		if (i < spread->stream_count && placing->nets[number].from == spread->cell)
			placing->nets[number].from = node;
		else if (i < spread->stream_count)
			placing->ends[placing->nets[number].to - placing->ends] = node;
	}
}

/* Bytes of the largest object that would be moved. */
static uint64_t object_most(const struct spread *spread)
{
	const struct aie_graph *graph = &spread->map->graph;
	uint64_t most = 0;

	for (uint32_t i = 0; i < spread->stream_count; i++) {
		const uint64_t bytes = aie_shape_bytes(&graph->streams[spread->numbers[i]].shape);

		most = bytes > most ? bytes : most;
	}
	return most;
}

static ptowsp_status no_room(const struct spread *spread, const struct aie_place_node *core, struct ptowsp_error *error)
{
	return rt_fail(
		error, PTOWSP_UNSUPPORTED,
		"the core of kernel %.24s needs %llu bytes, of which an object has up to %llu, and %u DMA channels in, %u out; it and %d tiles beside it have "
		"no room, of %llu bytes each; use smaller tiles",
		core->name, (unsigned long long)core->bytes, (unsigned long long)object_most(spread), core->in, core->out, AIE_NEAR_TILES,
		(unsigned long long)aie_arch_core_bytes(spread->args->arch));
}

/* Buffers for which a cell's own tile has no room lie beside it. */
static ptowsp_status cell_spread(struct placing *placing, struct spread *spread, struct ptowsp_error *error)
{
	struct ptowsp_error unsaid = {.head = PTOWSP_HEAD(unsaid, ERROR)};
	const struct aie_place_node core = placing->nodes[spread->cell];
	struct aie_place_node tiles[1 + AIE_NEAR_TILES] = {core};

	if (!aie_place_node_check(spread->args->arch, &core, &unsaid))
		return PTOWSP_OK;
	items_find(spread);
	items_take(spread, &tiles[0]);
	if (object_most(spread) > aie_near_most(spread->args->arch) || !aie_near_pack(spread->args->arch, spread->items, spread->count, tiles, spread->tile_of))
		return no_room(spread, &core, error);
	placing->nodes[spread->cell] = tiles[0];
	for (uint32_t t = 1; t <= AIE_NEAR_TILES; t++)
		if (tiles[t].bytes)
			beside_move(placing, spread, t, beside_add(placing, spread->cell, tiles[t]));
	return PTOWSP_OK;
}

/* Everything lies with its cell, or where memories beside cells are taken what has no room there lies there. */
static ptowsp_status cells_spread(struct placing *placing, struct aie_map *map, const struct aie_map_args *args, struct ptowsp_error *error)
{
	const struct aie_graph *graph = &map->graph;
	const size_t count = (size_t)graph->stream_count + graph->buffer_count + 1;
	struct spread spread = {
		.map = map, .args = args, .items = calloc(count, sizeof(*spread.items)), .numbers = calloc(count, 4), .tile_of = calloc(count, 1)};
	ptowsp_status status = PTOWSP_OK;

	free(map->near.streams);
	free(map->near.buffers);
	map->near.streams = malloc(count * sizeof(*map->near.streams));
	map->near.buffers = malloc(count * sizeof(*map->near.buffers));
	if (!spread.items || !spread.numbers || !spread.tile_of || !map->near.streams || !map->near.buffers)
		status = rt_no_memory(error, "the memories beside cores");
	for (size_t i = 0; !status && i < count; i++)
		map->near.streams[i] = map->near.buffers[i] = AIE_NOTHING;
	for (; !status && spread.cell < graph->cell_count; spread.cell++) {
		map->tight |= placing->nodes[spread.cell].bytes > aie_arch_core_bytes(args->arch);
		status = map->beside ? cell_spread(placing, &spread, error) : PTOWSP_OK;
	}
	free(spread.items);
	free(spread.numbers);
	free(spread.tile_of);
	return status;
}

/* ---- all ---------------------------------------------------------------------------------------------------------------- */

/* A stream lies in a memory that both cores see, as design_fifo.c puts it: in the producer's where both do; else it moves from one to the other. */
static void joint_add(struct placing *placing, const struct aie_map *map, const struct aie_map_args *args, uint32_t s)
{
	const struct aie_stream *stream = &map->graph.streams[s];
	const uint32_t from = stream->from, to = *placing->nets[s].to;
	const struct aie_place *maker = &map->places[from], *taker = &map->places[to];
	struct aie_place_node *at = &placing->nodes[aie_arch_shares(args->arch, taker->column, taker->row, maker->column, maker->row) ? from : to];

	if (map->depths[s].joint) {
		at->locks += 2;
		at->bytes += map->depths[s].from * aie_shape_bytes(&stream->shape);
		return;
	}
	end_describe(placing, stream, from, true, false, map->depths[s].from);
	end_describe(placing, stream, to, false, false, map->depths[s].to);
}

/* UNSUPPORTED where a tile has not so much. */
static ptowsp_status joint_check(struct placing *placing, const struct aie_map *map, const struct aie_map_args *args, struct ptowsp_error *error)
{
	const struct aie_graph *graph = &map->graph;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t s = 0; s < graph->stream_count; s++)
		if (placing->nets[s].need == AIE_NEED_WISHED)
			joint_add(placing, map, args, s);
	for (uint32_t c = 0; !status && c < graph->cell_count; c++)
		status = aie_place_node_check(args->arch, &placing->nodes[c], error);
	return status;
}

/* The depths of fifos are settled. */
ptowsp_status aie_map_place(struct aie_map *map, const struct aie_map_args *args, struct ptowsp_error *error)
{
	const struct aie_graph *graph = &map->graph;
	const size_t beside = (size_t)graph->cell_count * AIE_NEAR_TILES,
		     nodes = (size_t)graph->cell_count + graph->stream_count + graph->group_count + beside + 1;
	struct placing placing = {calloc(nodes, sizeof(*placing.nodes)),
				  calloc(nodes, sizeof(*placing.nets)),
				  calloc(graph->end_count + beside + 1, sizeof(uint32_t)),
				  calloc(2 * (size_t)graph->cell_count + 1, sizeof(uint32_t)),
				  hosted_tensors(map),
				  0,
				  0,
				  0};
	ptowsp_status status = PTOWSP_OK;

	free(map->places);
	map->places = calloc(nodes, sizeof(*map->places));
	if (!placing.nodes || !placing.nets || !placing.ends || !placing.ways || !placing.tensors || !map->places)
		status = rt_no_memory(error, "the places of a design");
	if (!status) {
		cells_describe(&placing, map, args);
		ways_count(&placing, graph);
		streams_describe(&placing, map, args);
		status = cells_spread(&placing, map, args, error);
		map->place_count = placing.node_count;
		if (!status)
			status = aie_place_with(args->effort, args->arch, placing.nodes, placing.node_count, placing.nets, placing.net_count, args->seed,
						map->places, error);
		if (!status)
			aie_depths_settle(map->depths, graph, args->arch, map->places);
		if (!status)
			status = joint_check(&placing, map, args, error);
	}
	free(placing.nodes);
	free(placing.nets);
	free(placing.ends);
	free(placing.tensors);
	free(placing.ways);
	return status;
}
