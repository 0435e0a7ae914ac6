/* SPDX-License-Identifier: MIT */
#include "tests/aie/aie_fabric.h"

#include <string.h>

#include "tests/check.h"

uint64_t fabric_draw(struct fabric_random *random, uint64_t below)
{
	random->state ^= random->state << 13;
	random->state ^= random->state >> 7;
	random->state ^= random->state << 17;
	return (random->state >> 11) % below;
}

/* ---- the manual -------------------------------------------------------------------------------------------------------------------------------------- */

enum { CORE, DMA, FIFO, SOUTH, WEST, NORTH, EAST, BUNDLES = 11, ROWS = 6 };

/* {dst, src} of the table of switch ports: core tile, memory tile, shim. */
static const uint8_t ports[3][BUNDLES][2] = {
	{[CORE] = {1, 1}, [DMA] = {2, 2}, [FIFO] = {1, 1}, [NORTH] = {6, 4}, [SOUTH] = {4, 6}, [EAST] = {4, 4}, [WEST] = {4, 4}},
	{[DMA] = {6, 6}, [NORTH] = {6, 4}, [SOUTH] = {4, 6}},
	{[FIFO] = {1, 1}, [NORTH] = {6, 4}, [SOUTH] = {6, 8}, [EAST] = {4, 4}, [WEST] = {4, 4}},
};

static int kind_of(int32_t row)
{
	return row == 0 ? 2 : row == 1 ? 1 : 0;
}

static uint32_t ports_at(uint32_t columns, int32_t column, int32_t row, int bundle, int way)
{
	if ((bundle == WEST && column == 0) || (bundle == EAST && column == (int32_t)columns - 1) || (bundle == NORTH && row == ROWS - 1))
		return 0;
	return ports[kind_of(row)][bundle][way];
}

uint32_t fabric_masters(uint32_t columns, int32_t column, int32_t row, int bundle)
{
	return ports_at(columns, column, row, bundle, 0);
}

uint32_t fabric_slaves(uint32_t columns, int32_t column, int32_t row, int bundle)
{
	return ports_at(columns, column, row, bundle, 1);
}

bool fabric_connects(uint32_t columns, int32_t column, int32_t row, int in, uint32_t in_channel, int out, uint32_t out_channel)
{
	const int kind = kind_of(row);

	if (in_channel >= fabric_slaves(columns, column, row, in) || out_channel >= fabric_masters(columns, column, row, out))
		return false;
	if (kind == 1) { /* north and south: the same channel only, DMA to DMA too */
		const bool in_wire = in == NORTH || in == SOUTH, out_wire = out == NORTH || out == SOUTH;

		return in_wire == out_wire ? in_channel == out_channel : true;
	}
	if (kind == 2) /* from the sides not back on another channel; from South, which is the mux, anywhere */
		return in == out && in != SOUTH && in != FIFO ? in_channel == out_channel : true;
	if (in == CORE)
		return out != CORE;
	return in == out ? in_channel == out_channel : true;
}

/* ---- whether routes are legal ------------------------------------------------------------------------------------------------------------------------ */

static bool step(int side, int32_t *column, int32_t *row, int *into)
{
	if (side != SOUTH && side != WEST && side != NORTH && side != EAST)
		return false;
	*column += side == EAST ? 1 : side == WEST ? -1 : 0;
	*row += side == NORTH ? 1 : side == SOUTH ? -1 : 0;
	*into = side == EAST ? WEST : side == WEST ? EAST : side == NORTH ? SOUTH : NORTH;
	return *row >= 0; /* South of a shim is the mux */
}

/* Ports of a shim's switch behind its mux: MM2S 0, 1 at South 3, 7; NOC 0 to 3 at 2, 3, 6, 7; out of it S2MM at 2, 3, NOC at 2 to 5. */
static struct aie_port behind_mux(struct aie_port port, bool into)
{
	static const uint32_t dma_in[] = {3, 7}, noc_in[] = {2, 3, 6, 7};

	if (port.row != 0 || port.bundle == AIE_BUNDLE_FIFO)
		return port;
	port.channel = port.bundle == AIE_BUNDLE_DMA ? (into ? dma_in[port.channel] : port.channel + 2) : (into ? noc_in[port.channel] : port.channel + 2);
	port.bundle = AIE_BUNDLE_SOUTH;
	return port;
}

static bool same(const struct aie_port *a, const struct aie_port *b)
{
	return a->column == b->column && a->row == b->row && a->bundle == b->bundle && a->channel == b->channel;
}

struct seen {
	uint8_t masters[8][ROWS][BUNDLES][8]; /* flow + 1 that drives it */
};
static const char *wrong_hop(const struct aie_arch *arch, const struct aie_flow *flow, uint32_t number, const struct aie_hop *hops, uint32_t at,
			     struct seen *seen, uint32_t *depths, uint32_t *length)
{
	const struct aie_hop *hop = &hops[at];
	const struct aie_port from = behind_mux(flow->from, true), in = {hop->column, hop->row, hop->in, hop->in_channel};
	int32_t column = hop->column, row = hop->row;
	int into;

	if (column < 0 || column >= (int32_t)arch->columns || row < 0 || row >= ROWS)
		return "a hop outside of the array";
	if (!fabric_connects(arch->columns, column, row, hop->in, hop->in_channel, hop->out, hop->out_channel))
		return check_fmt("tile (%d,%d) may not connect %d:%u to %d:%u", column, row, hop->in, hop->in_channel, hop->out, hop->out_channel);
	if (seen->masters[column][row][hop->out][hop->out_channel])
		return check_fmt("tile (%d,%d) drives %d:%u twice", column, row, hop->out, hop->out_channel);
	seen->masters[column][row][hop->out][hop->out_channel] = (uint8_t)(number + 1);
	depths[at] = same(&in, &from) ? 1 : 0;
	for (uint32_t i = 0; i < at && !depths[at]; i++) {
		int32_t to_column = hops[i].column, to_row = hops[i].row;

		if (step(hops[i].out, &to_column, &to_row, &into) && to_column == column && to_row == row && into == (int)hop->in &&
		    hops[i].out_channel == hop->in_channel)
			depths[at] = depths[i] + 1;
	}
	*length += step(hop->out, &column, &row, &into);
	return depths[at] ? NULL : check_fmt("nothing comes in at tile (%d,%d) %d:%u", hop->column, hop->row, hop->in, hop->in_channel);
}

static const char *wrong_route(const struct aie_arch *arch, const struct aie_flow *flow, uint32_t number, const struct aie_routes *routes, struct seen *seen)
{
	const struct aie_route *route = &routes->routes[number];
	const struct aie_hop *hops = &routes->hops[route->first];
	uint32_t depths[512], length = 0, longest = 1;
	const char *wrong = route->count > 512 ? "a route of more than 512 hops" : NULL;

	for (uint32_t i = 0; !wrong && i < route->count; i++)
		wrong = wrong_hop(arch, flow, number, hops, i, seen, depths, &length);
	for (uint32_t e = 0; !wrong && e < flow->to_count; e++) {
		const struct aie_port to = behind_mux(flow->to[e], false);
		uint32_t i = 0, way;

		while (i < route->count && !same(&to, &(struct aie_port){hops[i].column, hops[i].row, hops[i].out, hops[i].out_channel}))
			i++;
		if (i == route->count)
			return "an end is not reached";
		way = (uint32_t)((to.column > flow->from.column ? to.column - flow->from.column : flow->from.column - to.column) +
				 (to.row > flow->from.row ? to.row - flow->from.row : flow->from.row - to.row));
		if (depths[i] < way + 1)
			return "an end is nearer than it can be";
		longest = depths[i] > longest ? depths[i] : longest;
	}
	if (wrong)
		return wrong;
	return length != route->length ? "the length is another one" : longest != route->longest ? "the longest way is another one" : NULL;
}

const char *fabric_wrong(const struct aie_arch *arch, const struct aie_flow *flows, uint32_t count, const struct aie_routes *routes)
{
	static struct seen seen;
	uint32_t length = 0, hops = 0;
	const char *wrong = routes->count == count ? NULL : "routes and flows are not as many";

	memset(&seen, 0, sizeof(seen));
	for (uint32_t i = 0; !wrong && i < count; i++) {
		wrong = routes->routes[i].first == hops ? wrong_route(arch, &flows[i], i, routes, &seen) : "routes do not follow one another";
		length += routes->routes[i].length;
		hops += routes->routes[i].count;
	}
	return wrong ? wrong : length == routes->length && hops == routes->hop_count ? NULL : "the sum is another one";
}

/* ---- routes drawn first ------------------------------------------------------------------------------------------------------------------------------ */

enum { SLOTS = 8 * ROWS * BUNDLES * 8, FAR = 1 << 30 };
struct plant {
	struct fabric_design *design;
	struct fabric_random *random;
	uint32_t columns, windy;
	bool driven[SLOTS];       /* masters */
	bool source_taken[SLOTS]; /* slaves that a stream begins at */
	uint32_t cost[SLOTS];     /* of masters, drawn anew for each stream */
	uint32_t reach[SLOTS];
	int from[SLOTS]; /* the master before; -1: the source */
	bool mine[SLOTS];
	uint64_t heap[SLOTS * 8]; /* cost and slot, the least first */
	uint32_t heap_count;
};

static uint32_t slot_of(int32_t column, int32_t row, int bundle, uint32_t channel)
{
	return (uint32_t)(((column * ROWS + row) * BUNDLES + bundle) * 8) + channel;
}

static void port_of(uint32_t slot, int32_t *column, int32_t *row, int *bundle, uint32_t *channel)
{
	*channel = slot % 8;
	*bundle = (int)(slot / 8 % BUNDLES);
	*row = (int32_t)(slot / 8 / BUNDLES % ROWS);
	*column = (int32_t)(slot / 8 / BUNDLES / ROWS);
}

static void push(struct plant *plant, uint32_t cost, uint32_t slot)
{
	const uint64_t key = (uint64_t)cost << 16 | slot;
	uint32_t at = plant->heap_count++;

	REQUIRE(at < SLOTS * 8);
	for (; at && plant->heap[(at - 1) / 2] > key; at = (at - 1) / 2)
		plant->heap[at] = plant->heap[(at - 1) / 2];
	plant->heap[at] = key;
}

static uint64_t pop(struct plant *plant)
{
	const uint64_t top = plant->heap[0], last = plant->heap[--plant->heap_count];
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < plant->heap_count) {
		child += child + 1 < plant->heap_count && plant->heap[child + 1] < plant->heap[child];
		if (plant->heap[child] >= last)
			break;
		plant->heap[at] = plant->heap[child];
		at = child;
	}
	plant->heap[at] = last;
	return top;
}

static void spread(struct plant *plant, int32_t column, int32_t row, int in, uint32_t in_channel, uint32_t so_far, int from)
{
	for (int out = 0; out < BUNDLES; out++)
		for (uint32_t channel = 0; channel < fabric_masters(plant->columns, column, row, out); channel++) {
			const uint32_t slot = slot_of(column, row, out, channel), cost = so_far + plant->cost[slot];

			if (plant->driven[slot] || cost >= plant->reach[slot] || !fabric_connects(plant->columns, column, row, in, in_channel, out, channel))
				continue;
			plant->reach[slot] = cost;
			plant->from[slot] = from;
			push(plant, cost, slot);
		}
}

/* Ways of least drawn cost from the source to every port; those of the stream so far cost nothing. */
static void search(struct plant *plant, const struct aie_port *source)
{
	plant->heap_count = 0;
	for (uint32_t i = 0; i < SLOTS; i++) {
		plant->reach[i] = plant->mine[i] ? 0 : FAR;
		if (plant->mine[i])
			push(plant, 0, i);
	}
	spread(plant, source->column, source->row, (int)source->bundle, source->channel, 0, -1);
	while (plant->heap_count) {
		const uint64_t top = pop(plant);
		const uint32_t slot = top & 0xffff;
		int32_t column, row;
		uint32_t channel;
		int bundle, into;

		if (top >> 16 != plant->reach[slot])
			continue;
		port_of(slot, &column, &row, &bundle, &channel);
		if (step(bundle, &column, &row, &into))
			spread(plant, column, row, into, channel, plant->reach[slot], (int)slot);
	}
}

/* A port at which nothing begins or ends yet, as a flow names it. */
static bool draw_port(struct plant *plant, bool into, struct aie_port *named, struct aie_port *port)
{
	uint32_t slot;

	for (int tries = 0; tries < 60; tries++) {
		const int32_t column = (int32_t)fabric_draw(plant->random, plant->columns), row = (int32_t)fabric_draw(plant->random, ROWS);
		const enum aie_bundle bundle = row == 0                                    ? (fabric_draw(plant->random, 2) ? AIE_BUNDLE_DMA : AIE_BUNDLE_NOC)
					       : row > 1 && !fabric_draw(plant->random, 3) ? AIE_BUNDLE_CORE
											   : AIE_BUNDLE_DMA;
		const uint32_t channels =
			row == 0 ? (bundle == AIE_BUNDLE_DMA ? 2 : 4) : (into ? fabric_slaves : fabric_masters)(plant->columns, column, row, (int)bundle);

		*named = (struct aie_port){column, row, bundle, (uint32_t)fabric_draw(plant->random, channels)};
		*port = behind_mux(*named, into);
		slot = slot_of(column, row, (int)port->bundle, port->channel);
		if (into ? !plant->source_taken[slot] : !plant->driven[slot] && !plant->mine[slot])
			return true;
	}
	return false;
}

static bool add_end(struct plant *plant, const struct aie_port *source)
{
	struct aie_port named, port;
	int32_t column, row;
	uint32_t channel;
	int slot, bundle, into;

	if (plant->design->end_count == FABRIC_ENDS || !draw_port(plant, false, &named, &port))
		return false;
	search(plant, source);
	slot = (int)slot_of(port.column, port.row, (int)port.bundle, port.channel);
	if (plant->reach[slot] == FAR)
		return false;
	plant->design->ends[plant->design->end_count++] = named;
	while (slot >= 0 && !plant->mine[slot]) {
		plant->mine[slot] = true;
		port_of((uint32_t)slot, &column, &row, &bundle, &channel);
		plant->design->length += step(bundle, &column, &row, &into);
		slot = plant->from[slot];
	}
	return true;
}

static void add_flow(struct plant *plant)
{
	struct fabric_design *design = plant->design;
	struct aie_port named, source;
	const uint64_t ends = fabric_draw(plant->random, 3) ? 1 : 2 + fabric_draw(plant->random, 6);
	struct aie_flow *flow = &design->flows[design->count];

	memset(plant->mine, 0, sizeof(plant->mine));
	if (!draw_port(plant, true, &named, &source))
		return;
	*flow = (struct aie_flow){.from = named, .to = &design->ends[design->end_count]};
	for (uint32_t i = 0; i < SLOTS; i++)
		plant->cost[i] = 100 + (uint32_t)fabric_draw(plant->random, 1 + 10 * plant->windy);
	for (uint64_t i = 0; i < ends; i++)
		flow->to_count += add_end(plant, &source);
	if (!flow->to_count)
		return;
	design->count++;
	plant->source_taken[slot_of(source.column, source.row, (int)source.bundle, source.channel)] = true;
	for (uint32_t i = 0; i < SLOTS; i++)
		plant->driven[i] |= plant->mine[i];
}

void fabric_any(struct fabric_design *design, const struct aie_arch *arch, uint32_t flows, struct fabric_random *random)
{
	static struct plant plant;

	memset(design, 0, sizeof(*design));
	memset(&plant, 0, sizeof(plant));
	plant.random = random;
	plant.columns = arch->columns;
	while (design->count < flows) {
		struct aie_flow *flow = &design->flows[design->count];
		const uint64_t ends = fabric_draw(random, 3) ? 1 : 2 + fabric_draw(random, 5);
		struct aie_port named, port;

		*flow = (struct aie_flow){.to = &design->ends[design->end_count]};
		if (!draw_port(&plant, true, &flow->from, &port))
			return;
		plant.source_taken[slot_of(port.column, port.row, (int)port.bundle, port.channel)] = true;
		while (flow->to_count < ends && design->end_count < FABRIC_ENDS && draw_port(&plant, false, &named, &port)) {
			plant.driven[slot_of(port.column, port.row, (int)port.bundle, port.channel)] = true;
			design->ends[design->end_count++] = named;
			flow->to_count++;
		}
		if (!flow->to_count)
			return;
		design->count++;
	}
}

void fabric_plant(struct fabric_design *design, const struct aie_arch *arch, uint32_t percent, uint32_t windy, struct fabric_random *random)
{
	static struct plant plant;

	memset(design, 0, sizeof(*design));
	memset(&plant, 0, sizeof(plant));
	plant.design = design;
	plant.random = random;
	plant.columns = arch->columns;
	plant.windy = windy;
	for (uint32_t slot = 0; slot < SLOTS; slot++) {
		int32_t column, row;
		uint32_t channel;
		int bundle, into;

		port_of(slot, &column, &row, &bundle, &channel);
		if (column < (int32_t)arch->columns && channel < fabric_masters(arch->columns, column, row, bundle))
			design->wires += step(bundle, &column, &row, &into);
	}
	for (int tries = 0; tries < 400 && design->count < FABRIC_FLOWS && design->length * 100 < design->wires * percent; tries++)
		add_flow(&plant);
}
