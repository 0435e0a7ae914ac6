/* SPDX-License-Identifier: MIT */
/* route_channel.c - which stream gets which wire of a link.
 *
 * Most switches take any wire to any other, so the only rule is that two streams never share one. Links between which a stream keeps its channel (through a memory
 * tile, round and back) are one chain and get one number. Chains with the fewest wires to choose from come first, of those the longest; each takes the first number
 * that is free on all of its links. Without streams that turn round that always works: two links in a row are the longest chain, all chains of both share them, and
 * the single ones take what is left. With them it may need another choice further up, which is looked for. */
#include <stdlib.h>

#include "aie/place/route_graph.h"

enum { STEPS = 100000 };
struct chain {
	uint16_t links[ROUTE_LINKS];
	uint16_t places[ROUTE_LINKS]; /* in the tree */
	uint32_t net, count, wires;
};
struct chains {
	struct chain *chains;
	uint32_t count;
	uint32_t taken[ROUTE_LINKS]; /* channels by bit */
	uint32_t steps;
};

static void chain_add(struct chain *chain, const struct route_work *work, uint16_t link, uint16_t place)
{
	const uint32_t wires = work->graph.links[link].wires;

	chain->links[chain->count] = link;
	chain->places[chain->count++] = place;
	chain->wires = wires < chain->wires ? wires : chain->wires;
}

static void chains_of_net(const struct route_work *work, struct chains *all, uint32_t net)
{
	const struct route_tree *tree = &work->nets[net].tree;
	uint32_t chain_of[ROUTE_LINKS];

	for (uint16_t i = 0; i < tree->count; i++) {
		const uint16_t parent = tree->parent[i];

		if (parent != ROUTE_NONE && route_graph_keeps(&work->graph, tree->links[parent], tree->links[i])) {
			chain_of[i] = chain_of[parent];
		} else {
			all->chains[all->count] = (struct chain){.net = net, .wires = UINT32_MAX};
			chain_of[i] = all->count++;
		}
		chain_add(&all->chains[chain_of[i]], work, tree->links[i], i);
	}
}

static int by_need(const void *a, const void *b)
{
	const struct chain *x = a, *y = b;

	if (x->wires != y->wires)
		return x->wires < y->wires ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (x->net != y->net)
		return x->net < y->net ? -1 : 1;
	return x->places[0] < y->places[0] ? -1 : 1;
}

static void mark(struct chains *all, const struct chain *chain, uint32_t channel, uint8_t *channels_out)
{
	for (uint32_t i = 0; i < chain->count; i++) {
		all->taken[chain->links[i]] ^= 1u << channel;
		channels_out[chain->net * ROUTE_LINKS + chain->places[i]] = (uint8_t)channel;
	}
}

static bool choose(struct chains *all, uint32_t at, uint8_t *channels_out)
{
	const struct chain *chain = &all->chains[at];
	uint32_t taken = 0;

	if (at == all->count)
		return true;
	for (uint32_t i = 0; i < chain->count; i++)
		taken |= all->taken[chain->links[i]];
	for (uint32_t channel = 0; channel < chain->wires; channel++) {
		if (taken >> channel & 1)
			continue;
		if (!all->steps)
			return false;
		all->steps--;
		mark(all, chain, channel, channels_out);
		if (choose(all, at + 1, channels_out))
			return true;
		mark(all, chain, channel, channels_out);
	}
	return false;
}

ptowsp_status route_channels(const struct route_work *work, uint8_t *channels_out)
{
	struct chains *all = calloc(1, sizeof(*all));
	ptowsp_status status = PTOWSP_NO_MEMORY;
	uint32_t links = 0;

	for (uint32_t i = 0; i < work->net_count; i++)
		links += work->nets[i].tree.count;
	if (all)
		all->chains = malloc((links + 1) * sizeof(*all->chains));
	if (all && all->chains) {
		for (uint32_t i = 0; i < work->net_count; i++)
			chains_of_net(work, all, i);
		qsort(all->chains, all->count, sizeof(*all->chains), by_need);
		all->steps = STEPS;
		status = choose(all, 0, channels_out) ? PTOWSP_OK : PTOWSP_UNSUPPORTED;
	}
	if (all)
		free(all->chains);
	free(all);
	return status;
}
