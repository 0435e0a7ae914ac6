/* SPDX-License-Identifier: MIT */
#include "aie/design/map.h"

#include "aie/graph/divided.h"
#include "aie/graph/fits.h"
#include "aie/graph/standstill.h"
#include "rt/program/rt_error.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEEP = 4096 /* bytes of what is read from memory again that a cell keeps */, COLUMN = 4 /* cores, and streams of a group, where that does */ };

/* ---- depths ------------------------------------------------------------------------------------------------------------- */

static ptowsp_status depths_make(struct aie_map *map, struct ptowsp_error *error)
{
	free(map->depths);
	map->depths = calloc((size_t)map->graph.stream_count + 1, sizeof(*map->depths));
	return map->depths ? PTOWSP_OK : rt_no_memory(error, "the depths of fifos");
}

/* ---- places ------------------------------------------------------------------------------------------------------------- */

struct placing {
	struct aie_place_node *nodes;
	struct aie_place_net *nets;
	uint32_t *ends;
	uint32_t *ways;    /* per cell: streams in, streams out */
	uint32_t *tensors; /* per stream: hosted_tensors */
	uint32_t node_count, end_count;
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

			node->name = args->kernel_name(args->context, act->kernel);
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
	return tensors[stream] == AIE_NOTHING ? "words" : args->tensor_name(args->context, tensors[stream]);
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

/* What groups take of a memory tile besides channels. Even channels have one half of its descriptors, odd ones the other, and which channels a group gets is not known yet:
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
static ptowsp_status place(struct aie_map *map, const struct aie_map_args *args, struct ptowsp_error *error)
{
	const struct aie_graph *graph = &map->graph;
	size_t nodes = (size_t)graph->cell_count + graph->stream_count + graph->group_count + 1;
	struct placing placing = {calloc(nodes, sizeof(*placing.nodes)),
				  calloc(nodes, sizeof(*placing.nets)),
				  calloc((size_t)graph->end_count + 1, sizeof(uint32_t)),
				  calloc(2 * (size_t)graph->cell_count + 1, sizeof(uint32_t)),
				  hosted_tensors(map),
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
		map->place_count = placing.node_count;
		status = aie_place_with(args->effort, args->arch, placing.nodes, placing.node_count, placing.nets, graph->stream_count, args->seed, map->places,
					error);
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

/* ---- all ---------------------------------------------------------------------------------------------------------------- */

/* How a graph is tried. */
struct way {
	uint32_t cells;           /* most */
	bool obey;                /* executors are cells */
	enum aie_apart apart;     /* as in aie_version.h */
	bool by_kernel;           /* as in cell.h */
	bool share, pack, always; /* as in aie_graph.h */
	uint32_t group, depth, keep;
};

/* Streams without depths and places. */
static ptowsp_status streams_make(struct aie_map *map, const struct aie_map_args *args, const struct way *way, struct ptowsp_error *error)
{
	const struct aie_graph_args graph = {.acts = &map->acts,
					     .cells = &map->cells,
					     .versions = &map->versions,
					     .arch = args->arch,
					     .share = way->share,
					     .pack = way->pack,
					     .group = way->group,
					     .always = way->always,
					     .keep = way->keep,
					     .bounds = args->bounds,
					     .capacities = args->walk->capacities};
	ptowsp_status status = base_patience_check(args->patience, error);

	if (!status)
		status = aie_cells_make(&map->cells, &map->acts, way->obey ? &map->executors : NULL, way->cells, way->by_kernel, error);

	if (!status)
		status = aie_pins_apply(&args->pins, &map->cells, error);
	if (!status)
		status = aie_versions_make(&map->versions, &map->acts, args->kept, way->apart, error);
	return status ? status : aie_graph_make(&map->graph, &graph, error);
}

static ptowsp_status order_make(struct aie_map *map, const struct aie_map_args *args, uint32_t depth, struct ptowsp_error *error)
{
	const struct aie_order_args order = {&map->graph, map->depths, args->queue, &map->acts, args->bounds};
	bool less = true;
	ptowsp_status status = PTOWSP_UNSUPPORTED;

	for (int whole = 0; status == PTOWSP_UNSUPPORTED && whole < 2 && less; whole++) {
		status = base_patience_check(args->patience, error);
		if (status)
			break;
		less = aie_depths_choose(map->depths, &map->graph, depth, whole);
		status = place(map, args, error);
		if (status)
			continue;
		status = aie_order_make(&map->order, &order, error);
		if (status == PTOWSP_UNSUPPORTED && map->order.stuck)
			status = aie_standstill_fail(map, args, map->stood.text[0] ? error : &map->stood);
	}
	return status;
}

static ptowsp_status graph_make(struct aie_map *map, const struct aie_map_args *args, const struct way *way, struct ptowsp_error *error)
{
	ptowsp_status status = streams_make(map, args, way, error);

	if (!status)
		status = depths_make(map, error);
	return status ? status : order_make(map, args, way->depth, error);
}

static ptowsp_status depths_try(struct aie_map *map, const struct aie_map_args *args, struct way way, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_UNSUPPORTED;

	for (way.depth = way.keep || args->exact ? args->depth : 1; status == PTOWSP_UNSUPPORTED && way.depth; way.depth = args->exact ? 0 : way.depth - 1) {
		status = graph_make(map, args, &way, error);
		if (map->graph.crowded && !way.group)
			break;
	}
	return status;
}

/* Chooses how many streams of the host become one at a memory tile, and whether more do than it has no channels for: what feeds the array in the least time, but less than the simplest way only where
 * that is clearly less. UNSUPPORTED: no way has enough channels. */
static ptowsp_status groups_choose(struct aie_map *map, const struct aie_map_args *args, struct way *way, struct ptowsp_error *error)
{
	static const struct {
		uint32_t group;
		bool always;
	} choices[] = {{0, false}, {COLUMN, false}, {2, false}, {COLUMN, true}, {2, true}};
	ptowsp_status status = PTOWSP_OK, chosen = PTOWSP_UNSUPPORTED;
	uint64_t least = 0;

	for (size_t c = 0; c < sizeof(choices) / sizeof(*choices) && (!status || status == PTOWSP_UNSUPPORTED); c++) {
		struct way tried = *way;

		tried.group = choices[c].group;
		tried.always = choices[c].always;
		status = streams_make(map, args, &tried, error);
		if (!status && (chosen || map->graph.host_cycles <= least / 4 * 3)) {
			least = map->graph.host_cycles;
			chosen = PTOWSP_OK;
			*way = tried;
		}
		if (!map->graph.crowded && !c)
			c = 2; /* the simplest way has channels enough */
	}
	return status == PTOWSP_UNSUPPORTED ? chosen : status;
}

/* Groups of streams as they feed the array best; where that has no place each stream with a channel of a shim of its own; where there are not so many, groups of them through memory tiles, of
 * a column's cores first; each time with loads that cells can share, where it makes a difference then with those of a cell together. No more than has to be where the schedule says when
 * tasks begin: what is for one cell may be held up by another's. */
static ptowsp_status groups_try(struct aie_map *map, const struct aie_map_args *args, struct way way, struct ptowsp_error *error)
{
	static const uint32_t groups[] = {0, COLUMN, 6, 3, 2};
	struct way fed = way;
	ptowsp_status status = args->bounds ? PTOWSP_UNSUPPORTED : groups_choose(map, args, &fed, error);

	if (!status)
		status = map->graph.cell_count > 1 ? depths_try(map, args, fed, error) : PTOWSP_UNSUPPORTED;
	for (uint32_t g = 0; status == PTOWSP_UNSUPPORTED && g < sizeof(groups) / sizeof(*groups) && (!g || map->graph.crowded); g++) {
		way.group = groups[g];
		way.pack = false;
		status = depths_try(map, args, way, error);
		way.pack = true;
		if (status == PTOWSP_UNSUPPORTED && map->graph.by_use)
			status = depths_try(map, args, way, error);
	}
	return status;
}

/* With loads that several share, but where the schedule says which of them begins when; then without; and where memory is short with fewer objects in fifos, unless the schedule says
 * how many. */
static ptowsp_status ways_try(struct aie_map *map, const struct aie_map_args *args, struct way way, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_UNSUPPORTED;

	for (int share = !args->bounds; status == PTOWSP_UNSUPPORTED && share >= 0; share--) {
		way.share = share;
		status = groups_try(map, args, way, error);
	}
	return status;
}

/* Cells hand each other what they make; where they have no channels for it, all of it goes through memory. */
static ptowsp_status obeying_try(struct aie_map *map, const struct aie_map_args *args, uint32_t cells, struct ptowsp_error *error)
{
	ptowsp_status status = ways_try(map, args, (struct way){.cells = cells, .obey = true, .keep = KEEP}, error);

	return status == PTOWSP_UNSUPPORTED ? ways_try(map, args, (struct way){.cells = cells, .obey = true, .apart = AIE_APART_CELLS, .keep = KEEP}, error)
					    : status;
}

/* Cores hold their parts of tensors. */
static ptowsp_status hold(struct aie_map *map, const struct aie_map_args *args, uint32_t cells, struct ptowsp_error *error)
{
	const struct aie_hold_args holders = {&map->acts,      args->layouts,     args->tensor_count, args->stated,
					      &map->executors, args->kernel_name, args->tensor_name,  args->context};
	ptowsp_status status = aie_hold_make(&map->hold, &holders, error);

	if (status)
		return status;
	aie_hold_swap(&map->hold, &map->acts);
	status = obeying_try(map, args, cells, error);
	map->held = !status;
	if (status)
		aie_hold_swap(&map->hold, &map->acts);
	return status;
}

static ptowsp_status executors_make(struct aie_map *map, const struct aie_map_args *args, struct ptowsp_error *error)
{
	struct aie_executors_args executors = {.walk = args->walk, .pool = args->pool, .grid_rows = args->grid_rows, .grid_columns = args->grid_columns};
	uint32_t *holders = args->layouts ? aie_hold_all(&map->acts, args->layouts, &executors.more_count) : NULL;
	uint32_t *numbers = args->by_holder ? aie_hold_executors(&map->acts, args->layouts, args->walk->task_count) : NULL;
	bool whole = (holders || !args->layouts) && (numbers || !args->by_holder);
	ptowsp_status status;

	executors.more = holders;
	executors.numbers = numbers;
	status = whole ? aie_executors_make(&map->executors, &executors, error) : rt_no_memory(error, "the executors of a schedule");
	free(holders);
	free(numbers);
	return status;
}

/* Executors of the schedule are cores. */
static ptowsp_status obey(struct aie_map *map, const struct aie_map_args *args, uint32_t cells, struct ptowsp_error *error)
{
	ptowsp_status status = executors_make(map, args, error);

	if (!status)
		status = args->layouts ? hold(map, args, cells, error) : PTOWSP_UNSUPPORTED;
	if (status == PTOWSP_UNSUPPORTED && args->layouts)
		snprintf(map->why, sizeof(map->why), "%s", error->text);
	if (status == PTOWSP_UNSUPPORTED && !(args->layouts && args->must))
		status = obeying_try(map, args, cells, error);
	map->obeyed = !status;
	map->grid[0] = status ? 0 : args->grid_rows;
	map->grid[1] = status ? 0 : args->grid_columns;
	if (status == PTOWSP_UNSUPPORTED)
		snprintf(map->why, sizeof(map->why), "%s", error->text);
	return status;
}

/* All cores, then half of them and so on, but that each process keeps its own. */
static ptowsp_status cells_try(struct aie_map *map, const struct aie_map_args *args, struct way way, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_UNSUPPORTED;

	for (; status == PTOWSP_UNSUPPORTED && way.cells; way.cells = map->acts.processes ? 0 : way.cells / 2)
		status = ways_try(map, args, way, error);
	return status;
}

/* As the schedule says, if that can be. Else as it fits; where memory is short so that what is read from memory again comes again, with cores that have one kernel each, and at last with
 * cores that keep nothing. */
static ptowsp_status graph_choose(struct aie_map *map, const struct aie_map_args *args, struct ptowsp_error *error)
{
	uint32_t all = args->arch->columns * (args->arch->rows - AIE_FIRST_CORE), cells = args->cells && args->cells < all ? args->cells : all;
	struct ptowsp_error unsaid = {.head = PTOWSP_HEAD(unsaid, ERROR)};
	ptowsp_status status = PTOWSP_UNSUPPORTED;

	map->stood = (struct ptowsp_error){.head = PTOWSP_HEAD(map->stood, ERROR)};
	if (args->scheduled)
		status = obey(map, args, cells, error);
	if (status == PTOWSP_UNSUPPORTED && args->scheduled && args->must)
		return rt_fail(error, PTOWSP_UNSUPPORTED, "the schedule's executors cannot be cores: %s", map->why);
	status = status == PTOWSP_UNSUPPORTED ? cells_try(map, args, (struct way){.cells = cells, .keep = KEEP}, error) : status;
	status = status == PTOWSP_UNSUPPORTED ? cells_try(map, args, (struct way){.cells = cells}, error) : status;
	if (status == PTOWSP_UNSUPPORTED && !map->acts.processes)
		status = cells_try(map, args, (struct way){.cells = cells, .by_kernel = true}, error);
	if (status == PTOWSP_UNSUPPORTED && !cells_try(map, args, (struct way){.cells = cells, .apart = AIE_APART_ACTS}, &unsaid))
		status = PTOWSP_OK;
	if (status == PTOWSP_UNSUPPORTED && map->acts.processes && map->stood.text[0])
		*error = map->stood; /* what channels need may not fit, too, but that they need it is the reason */
	return status;
}

static ptowsp_status text_make(struct aie_map *map, const struct aie_map_args *args, struct ptowsp_error *error)
{
	const struct aie_lower_args lower = {.arch = args->arch,
					     .walk = args->walk,
					     .acts = &map->acts,
					     .cells = &map->cells,
					     .graph = &map->graph,
					     .order = &map->order,
					     .depths = map->depths,
					     .places = map->places,
					     .tensors = args->tensors,
					     .tensor_count = args->tensor_count,
					     .kernel_count = args->kernel_count,
					     .objects = args->objects,
					     .object_count = args->object_count,
					     .kernel_name = args->kernel_name,
					     .channel_name = args->channel_name,
					     .tensor_name = args->tensor_name,
					     .context = args->context};
	struct aie_module module = {0};
	ptowsp_status status = aie_module_begin(&module, error);

	if (!status)
		status = aie_lower(&module, &lower, &map->lowered, error);
	if (!status)
		status = base_patience_check(args->patience, error);
	if (!status)
		status = aie_module_print(&module, AIE_FORM_GENERIC, &map->text, error);
	aie_module_finish(&module);
	return status;
}

/* It may be that which is too much. */
static ptowsp_status depth_said(const struct aie_map_args *args, struct ptowsp_error *error)
{
	struct ptowsp_error why = *error;

	return rt_fail(error, PTOWSP_UNSUPPORTED, "with pipeline_depth=%u, as many objects at each end of each fifo, %.180s", args->depth, why.text);
}

/* ---- calls that are divided --------------------------------------------------------------------------------------------- */

struct naming {
	const struct aie_divided *divided;
	const struct aie_map_args *args;
};

static const char *kernel_name(const void *context, uint32_t kernel)
{
	const struct naming *naming = context;

	return kernel > naming->divided->package ? naming->divided->kernels.rows[kernel].name : naming->args->kernel_name(naming->args->context, kernel);
}

static const char *channel_name(const void *context, uint32_t channel)
{
	const struct naming *naming = context;

	return naming->args->channel_name(naming->args->context, channel);
}

static const char *tensor_name(const void *context, uint32_t tensor)
{
	const struct naming *naming = context;

	return tensor >= naming->divided->own ? "between" : naming->args->tensor_name(naming->args->context, tensor);
}

static ptowsp_status acts_make(struct aie_map *map, const struct aie_map_args *args, bool exact, struct ptowsp_error *error)
{
	const struct aie_acts_args acts = {args->walk,   args->kernels, args->bases,       args->tensors,     args->patience,
					   args->served, exact,         args->kernel_name, args->tensor_name, args->context};
	ptowsp_status status = aie_acts_make(&map->acts, &acts, error);

	if (!status)
		status = aie_fits_find(&map->acts, args, error);
	return status;
}

static ptowsp_status design_make(struct aie_map *map, const struct aie_map_args *args, struct ptowsp_error *error)
{
	ptowsp_status status = graph_choose(map, args, error);

	if (status == PTOWSP_UNSUPPORTED && args->exact)
		return depth_said(args, error);
	return status ? status : text_make(map, args, error);
}

/* The design of the divided walk. */
static ptowsp_status divided_design_make(struct aie_map *map, const struct aie_map_args *args, bool exact, struct ptowsp_error *error)
{
	struct aie_divided *divided = &map->divided;
	const struct naming naming = {divided, args};
	struct aie_divided_kernels kernels = {.divided = divided, .others = args->kernels};
	const struct rt_kernels table = aie_divided_table(&kernels);
	struct aie_map_args with = *args;
	ptowsp_status status;

	with.walk = &divided->walk;
	with.kernels = &table;
	with.bases = divided->bases;
	with.tensors = divided->tensors;
	with.kept = divided->kept;
	with.served = &divided->kernels;
	with.tensor_count = divided->tensor_count;
	with.kernel_count = divided->kernels.count;
	with.layouts = divided->layouts;
	with.stated = divided->stated;
	with.kernel_name = kernel_name;
	with.channel_name = channel_name;
	with.tensor_name = tensor_name;
	with.context = &naming;
	status = acts_make(map, &with, exact, error);
	map->walk = with.walk;
	map->kernels = with.served;
	map->bases = with.bases;
	map->tensors = with.tensors;
	return status ? status : design_make(map, &with, error);
}

/* One way to divide. The map begins anew with each. */
static ptowsp_status way_make(struct aie_map *map, const struct aie_map_args *args, bool exact, struct aie_divided_way way, struct ptowsp_error *error)
{
	ptowsp_status status;

	aie_map_finish(map);
	map->walk = args->walk;
	map->kernels = args->served;
	map->bases = args->bases;
	map->tensors = args->tensors;
	status = acts_make(map, args, exact, error);
	if (!status)
		status = aie_divided_make(&map->divided, &map->acts, args, way, error);
	if (status)
		return status;
	if (!map->divided.any && way.share > 1) /* as before */
		return rt_fail(error, PTOWSP_UNSUPPORTED, "no call is large");
	return map->divided.any ? divided_design_make(map, args, exact, error) : design_make(map, args, error);
}

/* Calls that do not fit into a core are divided; where cores then have no room for all that they do, into smaller parts, and at last others with them, too. */
static ptowsp_status make(struct aie_map *map, const struct aie_map_args *args, bool exact, struct ptowsp_error *error)
{
	static const struct aie_divided_way ways[] = {{1, 2}, {1, 4}, {2, 2}, {4, 4}, {8, 8}};
	ptowsp_status status = way_make(map, args, exact, ways[0], error), another = status;
	const bool divided = map->divided.any, refused = map->divided.refused;

	for (size_t w = divided ? 1 : 2; !refused && another == PTOWSP_UNSUPPORTED && w < sizeof(ways) / sizeof(*ways); w++) {
		struct ptowsp_error other = {.head = PTOWSP_HEAD(other, ERROR)};

		another = way_make(map, args, exact, ways[w], &other);
		if (another && another != PTOWSP_UNSUPPORTED)
			*error = other;
	}
	return another;
}

/* Parts of words are exchanged by way of memory. What only goes from core to core may do so as it is, where that is no way. */
ptowsp_status aie_map_make(struct aie_map *map, const struct aie_map_args *args, struct ptowsp_error *error)
{
	struct ptowsp_error other = {.head = PTOWSP_HEAD(other, ERROR)};
	ptowsp_status status = make(map, args, false, error);

	if (status == PTOWSP_UNSUPPORTED && map->acts.widened && !make(map, args, true, &other))
		status = PTOWSP_OK;
	return status;
}

void aie_map_finish(struct aie_map *map)
{
	aie_divided_finish(&map->divided);
	aie_acts_finish(&map->acts);
	aie_executors_finish(&map->executors);
	aie_hold_finish(&map->hold);
	aie_cells_finish(&map->cells);
	aie_versions_finish(&map->versions);
	aie_graph_finish(&map->graph);
	aie_order_finish(&map->order);
	aie_lowered_finish(&map->lowered);
	free(map->depths);
	free(map->places);
	free(map->text);
	memset(map, 0, sizeof(*map));
}
