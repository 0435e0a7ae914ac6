/* SPDX-License-Identifier: MIT */
/* route.c - flows become nets, nets become trees of links, trees become connections of switches. */
#include "aie/place/route.h"

#include <stdlib.h>
#include <string.h>

#include "aie/place/route_graph.h"
#include "base/error.h"

enum { ROUNDS = 48, ATTEMPTS = 16, ATTEMPTS_BEFORE_WHY = 1, ATTEMPTS_MOST = 256 };
/* Links looked at, after which no shorter routes are looked for, and after ATTEMPTS no routes at all. */
static const uint64_t EFFORT = 60000, EFFORT_MOST = 300000;

/* ---- what the flows say ------------------------------------------------------------------------------------------------------------------------------ */

/* The port of the switch that a port of a flow is. False: there is none. */
static bool resolve(const struct aie_arch *arch, const struct aie_port *port, bool into, struct aie_port *port_out)
{
	*port_out = *port;
	if (!aie_arch_inside(arch, port->column, port->row) || (uint32_t)port->bundle >= AIE_BUNDLES)
		return false;
	if (aie_arch_kind(arch, port->row) == AIE_SHIM && (port->bundle == AIE_BUNDLE_DMA || port->bundle == AIE_BUNDLE_NOC)) {
		port_out->bundle = AIE_BUNDLE_SOUTH;
		return aie_arch_mux(port->bundle, port->channel, into, &port_out->channel);
	}
	if (port->bundle != AIE_BUNDLE_DMA && port->bundle != AIE_BUNDLE_CORE)
		return false; /* sides are not ends; what the others may connect to is not looked at here */
	return port->channel < (into ? aie_arch_tile(arch, port->row)->slaves : aie_arch_tile(arch, port->row)->masters)[port->bundle];
}

static ptowsp_status no_port(const struct aie_port *port, bool into, struct ptowsp_error *error)
{
	if ((uint32_t)port->bundle >= AIE_BUNDLES)
		return base_fail(error, PTOWSP_INVALID, "a stream %s tile (%d,%d) names a bundle that there is not", into ? "from" : "to", port->column,
				 port->row);
	return base_fail(
		error, PTOWSP_INVALID,
		"a stream %s tile (%d,%d), %s %u, has no such port; name a tile of the array, DMA or core (of a shim DMA or NOC), and a channel that it has",
		into ? "from" : "to", port->column, port->row, aie_arch_bundle_text(port->bundle), port->channel);
}

/* Ports that are taken, a bit each. */
struct ports {
	uint32_t in[ROUTE_TILES][AIE_BUNDLES], out[ROUTE_TILES][AIE_BUNDLES];
};
static ptowsp_status claim(const struct aie_arch *arch, const struct aie_port *port, bool into, struct ports *ports, struct aie_port *port_out,
			   struct ptowsp_error *error)
{
	uint32_t *taken;

	if (!resolve(arch, port, into, port_out))
		return no_port(port, into, error);
	taken = &(into ? ports->in : ports->out)[port->column * (int32_t)arch->rows + port->row][port_out->bundle];
	if (*taken >> port_out->channel & 1)
		return base_fail(error, PTOWSP_INVALID,
				 "two streams %s tile (%d,%d), %s %u; a port has one: make them one stream with several ends, or name another channel",
				 into ? "come from" : "go to", port->column, port->row, aie_arch_bundle_text(port->bundle), port->channel);
	*taken |= 1u << port_out->channel;
	return PTOWSP_OK;
}

static ptowsp_status net_of(const struct aie_arch *arch, const struct aie_flow *flow, struct ports *ports, struct route_net *net, struct ptowsp_error *error)
{
	struct aie_port from, to;
	ptowsp_status status = claim(arch, &flow->from, true, ports, &from, error);

	if (status)
		return status;
	net->source = (uint8_t)(from.column * (int32_t)arch->rows + from.row);
	for (uint32_t i = 0; i < flow->to_count; i++) {
		status = claim(arch, &flow->to[i], false, ports, &to, error);
		if (status)
			return status;
		if (to.column != from.column || to.row != from.row) {
			net->targets |= UINT64_C(1) << (to.column * (int32_t)arch->rows + to.row);
		} else if (!aie_arch_connects(arch, aie_arch_kind(arch, to.row), from.bundle, from.channel, to.bundle, to.channel)) {
			net->loops = true; /* the switch has no way: out of it and back in */
			net->targets |= UINT64_C(1) << net->source;
		}
	}
	net->target_count = (uint32_t)__builtin_popcountll(net->targets);
	return PTOWSP_OK;
}

/* Half the perimeter of the box around a net's tiles. */
static uint32_t box(const struct route_work *work, const struct route_net *net)
{
	const uint32_t rows = work->graph.arch->rows;
	uint32_t west = net->source / rows, east = west, south = net->source % rows, north = south;

	for (uint64_t left = net->targets; left; left &= left - 1) {
		const uint32_t column = (uint32_t)__builtin_ctzll(left) / rows, row = (uint32_t)__builtin_ctzll(left) % rows;

		west = column < west ? column : west;
		east = column > east ? column : east;
		south = row < south ? row : south;
		north = row > north ? row : north;
	}
	return east - west + north - south;
}

/* Length of a net where it is alone: exactly for few targets, else at least a link per target, and the box around them. */
static bool measure(struct route_work *work, struct route_net *net)
{
	struct route_tree tree;
	uint32_t around;

	if (net->target_count <= ROUTE_EXACT) {
		if (!route_tree_exact(work, net, &tree))
			return false;
		net->least = tree.count;
		return true;
	}
	around = box(work, net);
	net->least = (uint16_t)(around > net->target_count ? around : net->target_count);
	return route_tree_grow(work, net, &tree);
}

static ptowsp_status begin(struct route_work *work, const struct aie_flow *flows, uint32_t count, struct ptowsp_error *error)
{
	struct ports *ports = calloc(1, sizeof(*ports));
	ptowsp_status status = ports ? PTOWSP_OK : base_fail(error, PTOWSP_NO_MEMORY, "no memory for the ports of a design");

	for (uint32_t link = 0; link < work->graph.link_count; link++)
		work->cost[link] = 1;
	work->base = 1;
	for (uint32_t i = 0; !status && i < count; i++) {
		status = net_of(work->graph.arch, &flows[i], ports, &work->nets[i], error);
		if (!status && !measure(work, &work->nets[i]))
			status = base_fail(error, PTOWSP_UNSUPPORTED, "no wires lead from tile (%d,%d), %s %u, to all ends of its stream", flows[i].from.column,
					   flows[i].from.row, aie_arch_bundle_text(flows[i].from.bundle), flows[i].from.channel);
	}
	free(ports);
	return status;
}

/* ---- routes ------------------------------------------------------------------------------------------------------------------------------------------ */

/* The shortest so far stays in kept and kept_channels; each net's tree is what the last attempt made of it. */
struct kept {
	struct route_tree *trees;
	uint8_t *channels, *spare;
	uint32_t length;
};
static uint32_t length_of(const struct route_work *work)
{
	uint32_t length = 0;

	for (uint32_t i = 0; i < work->net_count; i++)
		length += work->nets[i].tree.count;
	return length;
}

static ptowsp_status keep(struct route_work *work, struct kept *kept)
{
	const uint32_t length = length_of(work);
	ptowsp_status status;
	uint8_t *swap;

	if (length >= kept->length)
		return PTOWSP_OK;
	status = route_channels(work, kept->spare);
	if (status)
		return status == PTOWSP_NO_MEMORY ? status : PTOWSP_OK;
	swap = kept->channels, kept->channels = kept->spare, kept->spare = swap;
	kept->length = length;
	for (uint32_t i = 0; i < work->net_count; i++)
		kept->trees[i] = work->nets[i].tree;
	return PTOWSP_OK;
}

static void restore(struct route_work *work, const struct kept *kept)
{
	memset(work->used, 0, sizeof(work->used));
	for (uint32_t i = 0; i < work->net_count; i++) {
		work->nets[i].tree = kept->trees[i];
		route_tree_use(work, &kept->trees[i], 1);
	}
}

static bool goes_on(const struct route_work *work, const struct kept *kept, uint32_t attempt)
{
	if (kept->length < UINT32_MAX)
		return attempt < ATTEMPTS && work->effort <= EFFORT;
	return attempt < ATTEMPTS || (attempt < ATTEMPTS_MOST && work->effort <= EFFORT_MOST);
}

static ptowsp_status find(struct route_work *work, struct kept *kept, struct ptowsp_error *error)
{
	uint32_t least = 0;

	for (uint32_t i = 0; i < work->net_count; i++)
		least += work->nets[i].least;
	for (uint32_t attempt = 0; kept->length > least && goes_on(work, kept, attempt); attempt++) {
		if (attempt == ATTEMPTS_BEFORE_WHY && kept->length == UINT32_MAX && route_why(work, error))
			return PTOWSP_UNSUPPORTED;
		if (!route_negotiate(work, attempt, ROUNDS))
			continue;
		route_shorten(work);
		if (keep(work, kept))
			return base_fail(error, PTOWSP_NO_MEMORY, "no memory for the wires of a design");
	}
	if (kept->length == UINT32_MAX) {
		route_why_tried(work, error);
		return PTOWSP_UNSUPPORTED;
	}
	restore(work, kept);
	return PTOWSP_OK;
}

static uint16_t arrival(const struct route_work *work, const struct route_net *net, uint32_t tile)
{
	for (uint16_t i = 0; i < net->tree.count; i++)
		if (work->graph.links[net->tree.links[i]].to == tile)
			return i;
	return ROUTE_NONE;
}

/* The port by which a stream comes into the switch behind a link of its tree; NONE: at its source. */
static void come_in(const struct route_work *work, uint32_t net, uint16_t link, const struct aie_port *from, const uint8_t *channels, struct aie_hop *hop)
{
	if (link == ROUTE_NONE) {
		hop->column = from->column, hop->row = from->row;
		hop->in = from->bundle, hop->in_channel = from->channel;
		return;
	}
	hop->column = (int32_t)(work->graph.links[work->nets[net].tree.links[link]].to / work->graph.arch->rows);
	hop->row = (int32_t)(work->graph.links[work->nets[net].tree.links[link]].to % work->graph.arch->rows);
	hop->in = (enum aie_bundle)work->graph.links[work->nets[net].tree.links[link]].into;
	hop->in_channel = channels[net * ROUTE_LINKS + link];
}

static void hops_of(const struct route_work *work, const struct aie_flow *flow, uint32_t number, const uint8_t *channels, struct aie_routes *routes)
{
	const struct aie_arch *arch = work->graph.arch;
	const struct route_net *net = &work->nets[number];
	struct aie_route *route = &routes->routes[number];
	struct aie_port from, to;
	uint32_t depth[ROUTE_LINKS];

	resolve(arch, &flow->from, true, &from);
	*route = (struct aie_route){.first = routes->hop_count, .length = net->tree.count, .longest = 1};
	for (uint16_t i = 0; i < net->tree.count; i++) {
		struct aie_hop *hop = &routes->hops[routes->hop_count++];
		const uint16_t parent = net->tree.parent[i];

		come_in(work, number, parent, &from, channels, hop);
		hop->out = (enum aie_bundle)work->graph.links[net->tree.links[i]].side;
		hop->out_channel = channels[number * ROUTE_LINKS + i];
		depth[i] = (parent == ROUTE_NONE ? 1 : depth[parent]) + 1;
		route->longest = depth[i] > route->longest ? depth[i] : route->longest;
	}
	for (uint32_t i = 0; i < flow->to_count; i++) {
		struct aie_hop *hop = &routes->hops[routes->hop_count++];
		bool here;

		resolve(arch, &flow->to[i], false, &to);
		here = to.column == from.column && to.row == from.row &&
		       aie_arch_connects(arch, aie_arch_kind(arch, to.row), from.bundle, from.channel, to.bundle, to.channel);
		come_in(work, number, here ? ROUTE_NONE : arrival(work, net, (uint32_t)(to.column * (int32_t)arch->rows + to.row)), &from, channels, hop);
		hop->out = to.bundle, hop->out_channel = to.channel;
	}
	route->count = routes->hop_count - route->first;
	routes->length += route->length;
	routes->least += net->least;
}

static void find_hottest(const struct route_work *work, struct aie_routes *routes)
{
	struct aie_link_use *hottest = &routes->hottest;

	for (uint32_t i = 0; i < work->graph.link_count; i++) {
		const struct route_link *link = &work->graph.links[i];
		const uint32_t used = work->used[i], share = used * hottest->limit, other = hottest->used * link->wires;

		if (hottest->limit && (share < other || (share == other && used <= hottest->used)))
			continue;
		*hottest = (struct aie_link_use){.column = (int32_t)(link->from / work->graph.arch->rows),
						 .row = (int32_t)(link->from % work->graph.arch->rows),
						 .side = (enum aie_bundle)link->side,
						 .used = used,
						 .limit = link->wires};
	}
}

static ptowsp_status fill(const struct route_work *work, const struct aie_flow *flows, uint32_t count, const uint8_t *channels, struct aie_routes *routes,
			  struct ptowsp_error *error)
{
	size_t hops = 1;

	for (uint32_t i = 0; i < count; i++)
		hops += work->nets[i].tree.count + flows[i].to_count;
	routes->routes = calloc(count + 1, sizeof(*routes->routes));
	routes->hops = calloc(hops, sizeof(*routes->hops));
	if (!routes->routes || !routes->hops)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for the routes of a design");
	for (uint32_t i = 0; i < count; i++)
		hops_of(work, &flows[i], i, channels, routes);
	routes->count = count;
	routes->iterations = work->iterations;
	find_hottest(work, routes);
	return PTOWSP_OK;
}

static ptowsp_status route_all(struct route_work *work, struct kept *kept, const struct aie_flow *flows, struct aie_routes *routes, struct ptowsp_error *error)
{
	ptowsp_status status = begin(work, flows, work->net_count, error);

	if (!status)
		status = find(work, kept, error);
	if (!status)
		status = fill(work, flows, work->net_count, kept->channels, routes, error);
	return status;
}

ptowsp_status aie_route(const struct aie_arch *arch, const struct aie_flow *flows, uint32_t count, struct aie_routes *routes, struct ptowsp_error *error)
{
	const size_t room = (size_t)count + 1;
	struct route_work *work = calloc(1, sizeof(*work));
	struct route_net *nets = calloc(room, sizeof(*nets));
	uint32_t *order = calloc(room, sizeof(*order));
	struct kept kept = {
		.trees = calloc(room, sizeof(*kept.trees)), .channels = calloc(room, ROUTE_LINKS), .spare = calloc(room, ROUTE_LINKS), .length = UINT32_MAX};
	ptowsp_status status = PTOWSP_OK;

	memset(routes, 0, sizeof(*routes));
	if (!work || !nets || !order || !kept.trees || !kept.channels || !kept.spare)
		status = base_fail(error, PTOWSP_NO_MEMORY, "no memory to route a design");
	if (!status)
		status = route_graph_init(&work->graph, arch, error);
	if (!status) {
		work->nets = nets, work->order = order, work->net_count = count;
		status = route_all(work, &kept, flows, routes, error);
	}
	if (status)
		aie_routes_finish(routes);
	free(kept.spare);
	free(kept.channels);
	free(kept.trees);
	free(order);
	free(nets);
	free(work);
	return status;
}

void aie_routes_finish(struct aie_routes *routes)
{
	free(routes->routes);
	free(routes->hops);
	memset(routes, 0, sizeof(*routes));
}

uint32_t aie_routes_used(const struct aie_routes *routes, int32_t column, int32_t row, enum aie_bundle side)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < routes->hop_count; i++)
		used += routes->hops[i].column == column && routes->hops[i].row == row && routes->hops[i].out == side;
	return used;
}
