/* SPDX-License-Identifier: MIT */
/* sim_build.c - streams of a design and the tasks of its host. */
#include "aie/sim/sim_build.h"

#include "aie/sim/aie_cost.h"
#include "base/error.h"
#include "registry/common/common_arena.h"
#include <inttypes.h>
#include <stdlib.h>

void aie_build_leave(struct aie_build *build, ptowsp_status status)
{
	build->status = status;
	longjmp(build->out, 1);
}

/* ---- ways --------------------------------------------------------------------------------------------------------- */

static const struct aie_hop *hop_at(const struct aie_routes *routes, const struct aie_route *route, int32_t column, int32_t row, enum aie_bundle out,
				    uint32_t channel)
{
	for (uint32_t i = route->first; i < route->first + route->count; i++) {
		const struct aie_hop *hop = &routes->hops[i];

		if (hop->column == column && hop->row == row && hop->out == out && (channel == AIE_NONE || hop->out_channel == channel))
			return hop;
	}
	return NULL;
}

static bool is_side(enum aie_bundle bundle)
{
	return bundle == AIE_BUNDLE_NORTH || bundle == AIE_BUNDLE_SOUTH || bundle == AIE_BUNDLE_EAST || bundle == AIE_BUNDLE_WEST;
}

/* Switches from the source to where this hop leaves, the way back; 0: it does not come from there. */
static uint32_t switches_behind(const struct aie_routes *routes, const struct aie_route *route, const struct aie_hop *hop)
{
	uint32_t count = 1;

	while (is_side(hop->in) && count <= route->count) {
		int32_t column = hop->column, row = hop->row;
		const enum aie_bundle out = aie_arch_step(hop->in, &column, &row);
		const struct aie_hop *before = hop_at(routes, route, column, row, out, hop->in_channel);

		if (!before)
			break;
		hop = before;
		count++;
	}
	return count;
}

static uint32_t distance(int32_t a, int32_t b)
{
	return (uint32_t)(a < b ? b - a : a - b);
}

/* From the producer of a fifo to one of its consumers; routes has the fifos that move in their order. Where there are none: as the crow walks. */
static uint32_t switches_of(const struct aie_build *build, uint32_t fifo, uint32_t consumer)
{
	const struct aie_design *design = build->args->design;
	const struct aie_routes *routes = build->args->routes;
	const struct aie_tile *from = &design->tiles[design->fifos[fifo].producer], *to = &design->tiles[design->fifos[fifo].consumers[consumer]];
	const struct aie_hop *hop = NULL;
	uint32_t flow = 0;

	for (uint32_t i = 0; i < fifo; i++)
		flow += design->fifos[i].moves;
	if (routes && flow < routes->count) {
		hop = hop_at(routes, &routes->routes[flow], to->column, to->row, AIE_BUNDLE_DMA, AIE_NONE);
		if (!hop)
			hop = hop_at(routes, &routes->routes[flow], to->column, to->row, AIE_BUNDLE_SOUTH, AIE_NONE);
	}
	if (hop)
		return switches_behind(routes, &routes->routes[flow], hop);
	return distance(from->column, to->column) + distance(from->row, to->row) + 1;
}

/* ---- streams ------------------------------------------------------------------------------------------------------ */

static const char *tile_name(const struct aie_build *build, uint32_t tile, char text[32])
{
	base_text(text, 32, "(%" PRId32 ",%" PRId32 ")", build->args->design->tiles[tile].column, build->args->design->tiles[tile].row);
	return text;
}

/* Channels are counted as they come, per tile and direction. */
static uint32_t channel_of(const struct aie_build *build, uint32_t fifo, uint32_t tile, bool sends)
{
	const struct aie_design *design = build->args->design;
	uint32_t channel = 0;

	for (uint32_t i = 0; i < fifo; i++) {
		const struct aie_fifo *f = &design->fifos[i];

		if (sends)
			channel += f->moves && f->producer == tile;
		for (uint32_t c = 0; !sends && f->moves && c < f->consumer_count; c++)
			channel += f->consumers[c] == tile;
	}
	return channel;
}

static void path_look(struct aie_build *build, const struct aie_fifo *fifo, const struct aie_path *path, uint64_t bytes)
{
	if (path->bytes % 4 || !path->bytes)
		AIE_BUILD_FAIL(build, PTOWSP_UNSUPPORTED,
			       "fifo @%s moves %" PRIu64 " bytes at once, which is no number of words; make its objects a multiple of 4 bytes", fifo->name,
			       path->bytes);
	if (path->least < 0 || path->beyond > (int64_t)bytes)
		AIE_BUILD_FAIL(build, PTOWSP_INVALID, "fifo @%s walks from byte %" PRId64 " to %" PRId64 " of an object of %" PRIu64 " bytes; stay within",
			       fifo->name, path->least, path->beyond, bytes);
}

/* A walk that is none becomes a path that is refused. */
static void walk_make(struct aie_path *path, const struct aie_walk *walk, const struct aie_type *type)
{
	*path = (struct aie_path){0};
	if (!aie_path_fits(walk->rank, walk->sizes, walk->strides, (uint32_t)aie_type_bytes(type->element)))
		return;
	if (walk->rank)
		aie_path_make(path, walk->rank, walk->sizes, walk->strides, (uint32_t)aie_type_bytes(type->element));
	else
		aie_path_plain(path, aie_type_bytes(type));
}

/* Each part by itself, in the order of the link; together where the walk or a repetition is over all of them. */
static void pieces_add(struct aie_build *build, const struct aie_fifo *fifo, const struct aie_walk *walk, uint32_t lock, uint32_t link, bool whole)
{
	const struct aie_design *design = build->args->design;
	const uint32_t parts = whole ? (design->links[link].in_count > 1 ? design->links[link].in_count : design->links[link].out_count) : 1;
	const uint32_t *fifos = !whole ? NULL : design->links[link].in_count > 1 ? design->links[link].ins : design->links[link].outs;
	const bool together = parts == 1 || walk->rank || fifo->repeat > 1;
	struct aie_path path;

	for (uint32_t i = 0; i < (together ? 1 : parts); i++) {
		if (together)
			walk_make(&path, walk, fifo->type);
		else
			aie_path_plain(&path, aie_type_bytes(design->fifos[fifos[i]].type));
		path_look(build, fifo, &path, aie_type_bytes(fifo->type));
		aie_net_piece(build->net, lock + i, together ? parts : 1, &path);
	}
}

static bool is_whole(const struct aie_design *design, uint32_t link, bool in)
{
	return link != AIE_NONE && (in ? design->links[link].out_count : design->links[link].in_count) > 1;
}

static void end_add(struct aie_build *build, uint32_t number, uint32_t consumer)
{
	const struct aie_design *design = build->args->design;
	const struct aie_fifo *fifo = &design->fifos[number];
	const bool sends = consumer == AIE_NONE;
	const uint32_t tile = sends ? fifo->producer : fifo->consumers[consumer];
	const uint32_t lock = sends ? build->put[number] : build->got[number][consumer];
	const bool linked = !sends && fifo->link_in != AIE_NONE && design->links[fifo->link_in].tile == tile;
	const uint32_t link = sends ? fifo->link_out : linked ? fifo->link_in : AIE_NONE;
	char text[32];
	uint32_t end = aie_net_end(
		build->net, fifo->name,
		aie_net_agent(build->net, "dma %s %s %u", tile_name(build, tile, text), sends ? "MM2S" : "S2MM", channel_of(build, number, tile, sends)), sends,
		design->tiles[tile].kind == AIE_SHIM, sends ? 0 : AIE_COST_SWITCH * switches_of(build, number, consumer), sends ? fifo->repeat : 1);

	if (sends)
		build->ends[number] = end;
	if (lock != AIE_NONE)
		pieces_add(build, fifo, sends ? &fifo->to_stream : &fifo->from_stream[consumer], lock, link, is_whole(design, link, !sends));
}

static void streams_add(struct aie_build *build)
{
	const struct aie_design *design = build->args->design;

	for (uint32_t i = 0; i < design->fifo_count; i++) {
		if (!design->fifos[i].moves)
			continue;
		end_add(build, i, AIE_NONE);
		for (uint32_t c = 0; c < design->fifos[i].consumer_count; c++)
			end_add(build, i, c);
		aie_net_stream(build->net, build->ends[i], 1 + design->fifos[i].consumer_count);
	}
}

/* ---- the host ----------------------------------------------------------------------------------------------------- */

/* The fifo's end in DDR; AIE_NONE: it has none there. */
static uint32_t shim_end(const struct aie_build *build, uint32_t number)
{
	const struct aie_design *design = build->args->design;
	const struct aie_fifo *fifo = &design->fifos[number];

	if (!fifo->moves)
		return AIE_NONE;
	if (design->tiles[fifo->producer].kind == AIE_SHIM)
		return build->ends[number];
	for (uint32_t c = 0; c < fifo->consumer_count; c++)
		if (design->tiles[fifo->consumers[c]].kind == AIE_SHIM)
			return build->ends[number] + 1 + c;
	return AIE_NONE;
}

/* Number of a descriptor among those of all shims. */
static uint32_t descriptor_of(const struct aie_design *design, const struct aie_step *step)
{
	const uint32_t per_shim = (uint32_t)design->arch->generation->tiles[AIE_SHIM].limits[AIE_BDS];

	return (uint32_t)design->tiles[aie_design_shim(design, step->fifo)].column * per_shim + step->descriptor;
}

static void task_add(struct aie_build *build, const struct aie_step *step, uint32_t end)
{
	const struct aie_design *design = build->args->design;
	const char *fifo = design->fifos[step->fifo].name;
	const struct aie_type *type = design->arguments[step->argument];
	const uint32_t element = (uint32_t)aie_type_bytes(type->element);
	const int64_t bytes = (int64_t)aie_type_bytes(type), at = step->offset * (int64_t)element;
	uint8_t *base = build->args->arguments ? build->args->arguments[step->argument] : NULL;
	struct aie_path path;
	uint32_t task;

	if (!aie_path_fits(4, step->sizes, step->strides, element) || step->offset < 0 || step->offset > bytes)
		AIE_BUILD_FAIL(build, PTOWSP_INVALID,
			       "a task of @%s has a size below 1 or reaches beyond 2^50 bytes; move at least one element, and within the argument", fifo);
	aie_path_make(&path, 4, step->sizes, step->strides, element);
	if (path.bytes % 4)
		AIE_BUILD_FAIL(build, PTOWSP_UNSUPPORTED, "a task of @%s moves %" PRIu64 " bytes, which is no number of words; make it a multiple of 4", fifo,
			       path.bytes);
	if (at + path.least < 0 || at + path.beyond > bytes)
		AIE_BUILD_FAIL(build, PTOWSP_INVALID,
			       "a task of @%s reaches from byte %" PRId64 " to %" PRId64 " of argument %u, which has %" PRId64 "; stay within", fifo,
			       at + path.least, at + path.beyond, step->argument, bytes);
	if (!base && !build->args->counted)
		AIE_BUILD_FAIL(build, PTOWSP_INVALID, "argument %u of the sequence is not there; give its memory", step->argument);
	task = aie_net_task(build->net, end, base ? base + at : NULL, &path, descriptor_of(design, step), step->token || aie_design_writes(design, step));
	build->net->tasks[task].line = step->op->line;
	build->net->tasks[task].filler = step->argument == design->filler;
}

static void host_add(struct aie_build *build)
{
	const struct aie_design *design = build->args->design;

	build->net->host_agent = aie_net_agent(build->net, "host");
	for (uint32_t i = 0; i < design->step_count; i++) {
		const struct aie_step *step = &design->steps[i];
		const uint32_t end = shim_end(build, step->fifo);

		if (end == AIE_NONE)
			AIE_BUILD_FAIL(build, PTOWSP_INVALID, "the host moves @%s, which has no end on a shim; give it one", design->fifos[step->fifo].name);
		if (step->waits)
			aie_net_wait(build->net, end);
		else
			task_add(build, step, end);
	}
}

/* ---- all ---------------------------------------------------------------------------------------------------------- */

static void all_make(void *context)
{
	struct aie_build *build = context;

	aie_build_locks(build);
	aie_build_cores(build);
	streams_add(build);
	host_add(build);
}

ptowsp_status aie_build_make(struct aie_build *build, const struct aie_sim_args *args, struct aie_net *net, struct ptowsp_error *error)
{
	*build = (struct aie_build){.args = args, .net = net, .error = error};
	aie_net_set(net, args->design->arch, args);
	net->out = &build->out;
	if (!common_job(&build->out, all_make, build) && !build->status)
		build->status = base_fail(error, PTOWSP_NO_MEMORY, "no memory to simulate a design of %u fifos", args->design->fifo_count);
	net->out = NULL;
	return build->status;
}

void aie_build_finish(struct aie_build *build)
{
	for (uint32_t i = 0; build->cores && i < build->args->design->core_count; i++)
		aie_body_destroy(build->cores[i].body);
}
