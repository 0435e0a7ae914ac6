/* SPDX-License-Identifier: MIT */
/* route.h - streams through the switches of an array: one source, one or more ends, a tree of wires each of which carries one stream.
 *
 * Nodes are ports with a direction: what comes into a switch and what leaves it are not the same, so that no way turns around inside one. Negotiated: all streams are
 * routed by cheapest way, wires that several want become dearer, until each has one; then each is taken out and laid again as short as the others allow. Same flows,
 * same routes. */
#ifndef AIE_ROUTE_H
#define AIE_ROUTE_H

#include "aie/aie_arch.h"
#include "ptowsp/base.h"

/* In a flow, DMA and NOC ports of a shim are named as such; in a hop they are the South ports of its switch that the mux wires them to (aie_arch_mux). */
struct aie_port {
	int32_t column, row;
	enum aie_bundle bundle;
	uint32_t channel;
};
struct aie_flow {
	struct aie_port from;      /* into the switch of its tile: DMA, Core, on a shim NOC or DMA */
	const struct aie_port *to; /* out of the switches of their tiles; no port twice, in no two flows */
	uint32_t to_count;
};
/* A connection inside a switch; behind it, where `out` leads to a neighbour, the wire to it. */
struct aie_hop {
	int32_t column, row;
	enum aie_bundle in, out;
	uint32_t in_channel, out_channel;
};
struct aie_route {
	uint32_t first, count; /* of routes.hops: a tree, each after the one that it continues */
	uint32_t length;       /* wires between tiles, a shared one once */
	uint32_t longest;      /* switches that a word passes to the farthest end */
};
struct aie_routes {
	struct aie_route *routes; /* one per flow */
	struct aie_hop *hops;
	uint32_t count, hop_count;
	uint32_t length;     /* of all: distinct wires between tiles in use */
	uint32_t least;      /* length if each stream had the array for itself, as far as that is known: no routes are shorter */
	uint32_t iterations; /* of the negotiation */
	struct aie_link_use {
		int32_t column, row;
		enum aie_bundle side; /* of the switch that drives it */
		uint32_t used, limit;
	} hottest; /* the side with the largest share of its wires in use, the most used of those, the first in order of column, row, side */
};
/* Fills routes, which are zeroed or finished. Errors: INVALID for a port that is not there or is in two flows; UNSUPPORTED with the side (tile, direction) or the
 * part of the array that too many streams need, how many, and its limit; NO_MEMORY. One thread. */
ptowsp_status aie_route(const struct aie_arch *arch, const struct aie_flow *flows, uint32_t count, struct aie_routes *routes, struct ptowsp_error *error);
void aie_routes_finish(struct aie_routes *routes);
/* Streams on the wires of one side of a switch. */
uint32_t aie_routes_used(const struct aie_routes *routes, int32_t column, int32_t row, enum aie_bundle side);

#endif
