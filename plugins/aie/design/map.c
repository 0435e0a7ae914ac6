/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include "aie/design/map.h"
#include "aie/graph/divided.h"
#include "aie/graph/fits.h"
#include "rt/program/rt_error.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SENTENCE = 150 }; /* bytes of the ring in an error's text */

/* The kernel that a cell calls first. */
static const char *kernel_of(const struct aie_map *map, const struct aie_map_args *args, uint32_t cell)
{
	const struct aie_lines *program = &map->graph.cells[cell];

	for (uint32_t l = 0; l < program->count; l++)
		if (program->lines[l].kind == AIE_LINE_CALL)
			return aie_kernel_name(&args->names, map->acts.rows[program->lines[l].act].kernel);
	return "no kernel";
}

static void wait_add(const struct aie_map *map, const struct aie_map_args *args, const struct aie_order_wait *wait, char *text, size_t size)
{
	const struct aie_stream *stream = &map->graph.streams[wait->stream];
	const struct aie_depths *depths = &map->depths[wait->stream];
	const char *what = stream->kind == AIE_STREAM_CHANNEL ? aie_channel_name(&args->names, stream->channel) : "",
		   *kernel = kernel_of(map, args, wait->cell);

	if (wait->makes)
		base_text(text, size, "core %u (%.20s) finds %s %.20s full (%u)", wait->cell, kernel, *what ? "channel" : "a stream", what,
			  depths->joint ? depths->from : depths->from + depths->to);
	else
		base_text(text, size, "core %u (%.20s) finds %s %.20s empty", wait->cell, kernel, *what ? "channel" : "a stream", what);
}

/* Fails for a map whose order is stuck: UNSUPPORTED with the ring, cell by cell, or with who waits where none of the cells closes one. */
static ptowsp_status standstill_fail(const struct aie_map *map, const struct aie_map_args *args, struct ptowsp_error *error)
{
	const struct aie_order *order = &map->order;
	char text[SENTENCE] = "";

	if (!order->ring_count)
		return rt_fail(error, PTOWSP_UNSUPPORTED,
			       "the array stands still with %u objects in each fifo: what cores do first waits for what they do later; %s", args->depth,
			       map->acts.processes ? "say more capacity of channels, or replicate less" : "use fewer cores (--opt cores)");
	for (uint32_t i = 0; i < order->ring_count; i++) {
		const size_t length = strlen(text);

		base_text(text + length, sizeof(text) - length, "%s", i ? "; " : "");
		wait_add(map, args, &order->ring[i], text + strlen(text), sizeof(text) - strlen(text));
	}
	return rt_fail(error, PTOWSP_UNSUPPORTED, "streams form a ring that their buffers do not make safe: %s (rule 13.1); use --opt clock=reference", text);
}

enum { KEEP = 4096 /* bytes of what is read from memory again that a cell keeps */, COLUMN = 4 /* cores, and streams of a group, where that does */ };

/* ---- depths ------------------------------------------------------------------------------------------------------------- */

static ptowsp_status depths_make(struct aie_map *map, struct ptowsp_error *error)
{
	free(map->depths);
	map->depths = calloc((size_t)map->graph.stream_count + 1, sizeof(*map->depths));
	return map->depths ? PTOWSP_OK : rt_no_memory(error, "the depths of fifos");
}

/* ---- all ---------------------------------------------------------------------------------------------------------------- */

/* A way to try a graph. */
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
					     .tiles = map->beside == AIE_BESIDE_CHANNELS ? 1 + AIE_NEAR_TILES : 1,
					     .keep = way->keep,
					     .bounds = args->bounds,
					     .capacities = args->walk->capacities,
					     .names = args->names};
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
		status = aie_map_place(map, args, error);
		if (status)
			continue;
		status = aie_order_make(&map->order, &order, error);
		if (status == PTOWSP_UNSUPPORTED && map->order.stuck)
			status = standstill_fail(map, args, map->stood.text[0] ? error : &map->stood);
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
	const struct aie_hold_args holders = {&map->acts, args->layouts, args->tensor_count, args->stated, &map->executors, args->names};
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
static ptowsp_status ways_choose(struct aie_map *map, const struct aie_map_args *args, struct ptowsp_error *error)
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
		*error = map->stood; /* needs of channels may not fit, too, but the need itself is the reason */
	return status;
}

/* A call that one core's memory is too small for wants those beside it, and first no more than memory. */
static ptowsp_status graph_choose(struct aie_map *map, const struct aie_map_args *args, struct ptowsp_error *error)
{
	struct ptowsp_error unsaid = {.head = PTOWSP_HEAD(unsaid, ERROR)};
	ptowsp_status status;

	map->beside = map->divided.beside ? AIE_BESIDE_MEMORY : AIE_BESIDE_NOTHING;
	status = ways_choose(map, args, error);
	if (status != PTOWSP_UNSUPPORTED || !map->beside)
		return status;
	map->beside = AIE_BESIDE_CHANNELS;
	return ways_choose(map, args, &unsaid) ? status : PTOWSP_OK;
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
					     .near = &map->near,
					     .tensors = args->tensors,
					     .tensor_count = args->tensor_count,
					     .kernel_count = args->kernel_count,
					     .objects = args->objects,
					     .object_count = args->object_count,
					     .names = args->names};
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

/* The stated depth may be too much: the error names it. */
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

	return kernel >= naming->divided->package ? naming->divided->kernels.rows[kernel].name : aie_kernel_name(&naming->args->names, kernel);
}

static const char *kernel_place(const void *context, uint32_t kernel, char *text, size_t size)
{
	const struct naming *naming = context;

	return kernel >= naming->divided->package ? memcpy(text, "", 1) : naming->args->names.place(naming->args->names.context, kernel, text, size);
}

static const char *channel_name(const void *context, uint32_t channel)
{
	const struct naming *naming = context;

	return aie_channel_name(&naming->args->names, channel);
}

static const char *tensor_name(const void *context, uint32_t tensor)
{
	const struct naming *naming = context;

	return tensor >= naming->divided->own ? "between" : aie_tensor_name(&naming->args->names, tensor);
}

static ptowsp_status acts_make(struct aie_map *map, const struct aie_map_args *args, bool exact, struct ptowsp_error *error)
{
	const struct aie_acts_args acts = {args->walk, args->kernels, args->bases, args->tensors, args->patience, args->served, exact, args->names};
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
	with.names = (struct aie_called){kernel_name, channel_name, tensor_name, kernel_place, &naming};
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

/* Calls that do not fit into a core are divided; where cores then have no room for all that they do, into smaller parts, and at last others with them, too. What no way has room for may lie
 * beside its core. */
static ptowsp_status make(struct aie_map *map, const struct aie_map_args *args, bool exact, struct ptowsp_error *error)
{
	static const struct aie_divided_way ways[] = {{1, 2, false}, {1, 4, false}, {2, 2, false}, {4, 4, false}, {8, 8, false}, {1, 2, true}};
	const size_t count = sizeof(ways) / sizeof(*ways);
	ptowsp_status status = way_make(map, args, exact, ways[0], error), another = status;
	const bool divided = map->divided.any, refused = map->divided.refused;
	bool tight = map->tight;

	for (size_t w = divided ? 1 : 2; !refused && another == PTOWSP_UNSUPPORTED && w < count - !tight; w++) {
		struct ptowsp_error other = {.head = PTOWSP_HEAD(other, ERROR)};

		another = way_make(map, args, exact, ways[w], &other);
		tight |= map->tight;
		if (another && another != PTOWSP_UNSUPPORTED)
			*error = other;
	}
	return another;
}

/* Parts of words are exchanged by way of memory. Elements that only go from core to core may do so as they are, where that is no way. */
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
	free(map->near.streams);
	free(map->near.buffers);
	free(map->text);
	memset(map, 0, sizeof(*map));
}
