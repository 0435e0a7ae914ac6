/* SPDX-License-Identifier: MIT */
/* route_negotiate.c - streams bid for links until none carries more than it has wires (PathFinder: McMurchie and Ebeling 1995).
 *
 * A link costs base + history, times what it would be overfull by with one more stream. History grows each round that a link is overfull, so that who has another way
 * learns to take it. A round lays again those streams that use an overfull link, one after the other. The order matters: those that must go furthest first, and in
 * later attempts one that the seed draws. Every second attempt takes the cheapest tree to a few ends instead of growing one: some designs have no routes among the
 * grown ones. */
#include <stdlib.h>

#include "aie/place/route_graph.h"
#include "registry/common/common_hash.h"

enum { BASE = 256, HISTORY_MAX = 1 << 15, PRESSURE_MAX = 1 << 12, EXACT = 3 };

/* Furthest first, of equal ones the first flow. */
static void order_by_need(struct route_work *work)
{
	for (uint32_t i = 0; i < work->net_count; i++) {
		const uint32_t need = work->nets[i].least;
		uint32_t at = i;

		for (; at && work->nets[work->order[at - 1]].least < need; at--)
			work->order[at] = work->order[at - 1];
		work->order[at] = i;
	}
}

static void shuffle(struct route_work *work, uint64_t *state)
{
	for (uint32_t i = work->net_count; i > 1; i--) {
		const uint32_t k = (uint32_t)(common_random(state) % i), other = work->order[k];

		work->order[k] = work->order[i - 1];
		work->order[i - 1] = other;
	}
}

/* pressure: in 1/16 of the cost for each stream too many. */
static void price(struct route_work *work, uint32_t pressure)
{
	for (uint32_t link = 0; link < work->graph.link_count; link++) {
		const uint32_t wires = work->graph.links[link].wires, used = work->used[link];
		const uint32_t over = used + 1 > wires ? used + 1 - wires : 0;
		const uint64_t cost = (uint64_t)(BASE + work->history[link]) * (16 + (uint64_t)pressure * over) / 16;

		/* A link half full costs a little more than an empty one: streams spread while it is for nothing. */
		work->cost[link] = (uint32_t)(cost < (1u << 22) ? cost : 1u << 22) + used + work->taste[link];
	}
	work->base = BASE;
}

static bool crowded(const struct route_work *work, const struct route_tree *tree)
{
	for (uint32_t i = 0; i < tree->count; i++)
		if (work->used[tree->links[i]] > work->graph.links[tree->links[i]].wires)
			return true;
	return false;
}

static bool is_legal(const struct route_work *work)
{
	for (uint32_t link = 0; link < work->graph.link_count; link++)
		if (work->used[link] > work->graph.links[link].wires)
			return false;
	return true;
}

static void learn(struct route_work *work)
{
	for (uint32_t link = 0; link < work->graph.link_count; link++) {
		const uint32_t wires = work->graph.links[link].wires, used = work->used[link];

		if (used > wires && work->history[link] < HISTORY_MAX)
			work->history[link] += (used - wires) * BASE / 2;
	}
}

static void round_of(struct route_work *work, bool all, uint32_t pressure, uint32_t exact)
{
	for (uint32_t i = 0; i < work->net_count; i++) {
		struct route_net *net = &work->nets[work->order[i]];

		if (!all && !crowded(work, &net->tree))
			continue;
		route_tree_use(work, &net->tree, -1);
		price(work, pressure);
		if (exact)
			route_tree_best(work, net, exact, &net->tree);
		else
			route_tree_grow(work, net, &net->tree); /* nothing is closed: what is in reach was looked at before */
		route_tree_use(work, &net->tree, 1);
	}
}

bool route_negotiate(struct route_work *work, uint64_t seed, uint32_t rounds)
{
	uint32_t pressure = 8;
	uint64_t state = seed;

	for (uint32_t link = 0; link < work->graph.link_count; link++) {
		work->used[link] = 0, work->history[link] = 0;
		work->taste[link] = seed ? (uint8_t)(common_random(&state) % ROUTE_TASTE) : 0;
	}
	for (uint32_t i = 0; i < work->net_count; i++)
		work->nets[i].tree.count = 0;
	order_by_need(work);
	if (seed)
		shuffle(work, &state);
	for (uint32_t round = 0; round < rounds; round++) {
		work->iterations++;
		round_of(work, !round, pressure, seed % 2 ? EXACT : 0);
		if (is_legal(work))
			return true;
		learn(work);
		pressure = pressure * 3 / 2 < PRESSURE_MAX ? pressure * 3 / 2 : PRESSURE_MAX;
	}
	return false;
}
