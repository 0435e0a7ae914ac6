/* SPDX-License-Identifier: MIT */
/* route_tree.c - the cheapest way from a source to its targets over links that cost something.
 *
 * `grow` is A* from the whole tree so far, with the distance to the nearest target that is left as its bound. `exact` is the dynamic programme of Dreyfus and Wagner on
 * directed links: the cheapest tree that begins with a link and reaches a set is two that begin with it and share the set, or the link and a tree behind it. */
#include <string.h>

#include "aie/place/route_graph.h"
#include "registry/common/common_heap.h"

/* Keys of cost and link: the smallest cost is first, of equal ones the first link. */
#define KEY_BEFORE(order, a, b) ((a) < (b))
COMMON_HEAP(keys, uint64_t, const void *, KEY_BEFORE)

static void heap_push(struct route_work *work, uint64_t key)
{
	keys_push(work->heap, &work->heap_count, key, NULL);
}

static uint64_t heap_pop(struct route_work *work)
{
	work->effort++;
	return keys_pop(work->heap, &work->heap_count, NULL);
}

static uint64_t heap_key(uint32_t cost, uint32_t link)
{
	return (uint64_t)cost << 16 | link;
}

void route_tree_use(struct route_work *work, const struct route_tree *tree, int by)
{
	for (uint32_t i = 0; i < tree->count; i++)
		work->used[tree->links[i]] = (uint16_t)(work->used[tree->links[i]] + by);
}

static uint64_t tree_cost(const struct route_work *work, const struct route_tree *tree)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < tree->count; i++)
		sum += work->cost[tree->links[i]];
	return sum;
}

/* ---- growing ----------------------------------------------------------------------------------------------------------------------------------------- */

static void bounds(const struct route_work *work, uint64_t targets, uint32_t *bound)
{
	for (uint32_t tile = 0; tile < work->graph.tile_count; tile++) {
		uint32_t least = UINT8_MAX;

		for (uint64_t left = targets; left; left &= left - 1) {
			const uint32_t d = work->graph.distance[tile][__builtin_ctzll(left)];

			least = d < least ? d : least;
		}
		bound[tile] = least * work->base;
	}
}

static void reach(struct route_work *work, const uint32_t *bound, uint16_t link, uint16_t from, uint32_t so_far)
{
	const uint32_t cost = work->cost[link];

	if (cost == UINT32_MAX || work->place[link] != ROUTE_NONE || so_far + cost >= work->distance[link])
		return;
	work->distance[link] = so_far + cost;
	work->from[link] = from;
	heap_push(work, heap_key(so_far + cost + bound[work->graph.links[link].to], link));
}

static void go_on(struct route_work *work, const struct route_net *net, const uint32_t *bound, uint16_t link, uint32_t so_far)
{
	const struct route_graph *graph = &work->graph;

	for (uint32_t i = 0; i < graph->next_count[link]; i++)
		reach(work, bound, graph->next[link][i], link, so_far);
	if (net->loops && graph->back[link] != ROUTE_NONE)
		reach(work, bound, graph->back[link], link, so_far);
}

/* The last link of the cheapest way from the tree to a target; NONE. place[] has the tree's links. */
static uint16_t search(struct route_work *work, const struct route_net *net, const struct route_tree *tree, uint64_t targets)
{
	const struct route_graph *graph = &work->graph;
	uint32_t bound[ROUTE_TILES];

	bounds(work, targets, bound);
	memset(work->distance, 0xff, graph->link_count * sizeof(*work->distance));
	work->heap_count = 0;
	for (uint32_t s = 0; s < ROUTE_SIDES; s++)
		if (graph->out[net->source][s] != ROUTE_NONE)
			reach(work, bound, graph->out[net->source][s], ROUTE_NONE, 0);
	for (uint32_t i = 0; i < tree->count; i++)
		go_on(work, net, bound, tree->links[i], 0);
	while (work->heap_count) {
		const uint64_t top = heap_pop(work);
		const uint16_t link = (uint16_t)top;
		const uint32_t tile = graph->links[link].to;

		if ((uint32_t)(top >> 16) != work->distance[link] + bound[tile])
			continue; /* a cheaper way to it was found since */
		if (targets >> tile & 1)
			return link;
		go_on(work, net, bound, link, work->distance[link]);
	}
	return ROUTE_NONE;
}

/* Adds the way that ends with a link; the tiles that it comes to. */
static uint64_t add_way(struct route_work *work, struct route_tree *tree, uint16_t link)
{
	uint16_t way[ROUTE_LINKS];
	uint32_t length = 0;
	uint16_t parent;
	uint64_t tiles = 0;

	for (; link != ROUTE_NONE && work->place[link] == ROUTE_NONE; link = work->from[link])
		way[length++] = link;
	parent = link == ROUTE_NONE ? ROUTE_NONE : work->place[link];
	while (length) {
		const uint16_t add = way[--length];

		tree->links[tree->count] = add;
		tree->parent[tree->count] = parent;
		parent = work->place[add] = tree->count++;
		tiles |= UINT64_C(1) << work->graph.links[add].to;
	}
	return tiles;
}

static bool grow_on(struct route_work *work, const struct route_net *net, struct route_tree *tree, uint64_t targets)
{
	memset(work->place, 0xff, sizeof(work->place));
	for (uint16_t i = 0; i < tree->count; i++)
		work->place[tree->links[i]] = i;
	while (targets) {
		const uint16_t link = search(work, net, tree, targets);

		if (link == ROUTE_NONE)
			return false;
		targets &= ~add_way(work, tree, link);
	}
	return true;
}

bool route_tree_grow(struct route_work *work, const struct route_net *net, struct route_tree *tree)
{
	tree->count = 0;
	return grow_on(work, net, tree, net->targets);
}

/* ---- the least there is ------------------------------------------------------------------------------------------------------------------------------ */

enum { HOW_ENDS = 0xfffe, HOW_SPLITS = 0x8000 };

/* A link is known to reach the set for so much: so does the one before it, for its own cost more. */
static void tell(struct route_work *work, uint32_t set, uint16_t link, uint32_t before)
{
	uint32_t *best = work->best[set];
	const uint32_t cost = work->cost[before];

	if (cost == UINT32_MAX || best[link] >= UINT32_MAX - cost || best[link] + cost >= best[before])
		return;
	best[before] = best[link] + cost;
	work->how[set][before] = link;
	heap_push(work, heap_key(best[before], before));
}

static void tell_all(struct route_work *work, const struct route_net *net, uint32_t set, uint16_t link)
{
	const struct route_graph *graph = &work->graph;
	const uint16_t reverse = graph->reverse[link];

	for (uint32_t i = 0; i < graph->before_count[link]; i++)
		tell(work, set, link, graph->before[link][i]);
	if (net->loops && reverse != ROUTE_NONE && graph->back[reverse] == link)
		tell(work, set, link, reverse);
}

/* Spreads best[set] backwards along the links. */
static void spread(struct route_work *work, const struct route_net *net, uint32_t set)
{
	work->heap_count = 0;
	for (uint32_t link = 0; link < work->graph.link_count; link++)
		tell_all(work, net, set, (uint16_t)link);
	while (work->heap_count) {
		const uint64_t top = heap_pop(work);

		if (top >> 16 == work->best[set][(uint16_t)top])
			tell_all(work, net, set, (uint16_t)top);
	}
}

static void split(struct route_work *work, uint32_t set)
{
	for (uint32_t link = 0; link < work->graph.link_count; link++) {
		uint32_t best = UINT32_MAX;

		for (uint32_t part = (set - 1) & set; part > (set ^ part); part = (part - 1) & set) {
			const uint32_t a = work->best[part][link], b = work->best[set ^ part][link];

			if (a == UINT32_MAX || b == UINT32_MAX || a - work->cost[link] + b >= best)
				continue;
			best = a - work->cost[link] + b;
			work->how[set][link] = (uint16_t)(HOW_SPLITS | part);
		}
		work->best[set][link] = best;
	}
}

static void ends(struct route_work *work, uint32_t set, uint32_t tile)
{
	for (uint32_t link = 0; link < work->graph.link_count; link++) {
		work->best[set][link] = work->graph.links[link].to == tile ? work->cost[link] : UINT32_MAX;
		work->how[set][link] = HOW_ENDS;
	}
}

static void lay(struct route_work *work, struct route_tree *tree, uint32_t set, uint16_t link, uint16_t parent)
{
	for (;;) {
		const uint16_t how = work->how[set][link];

		if (work->place[link] == ROUTE_NONE) {
			tree->links[tree->count] = link;
			tree->parent[tree->count] = parent;
			work->place[link] = tree->count++;
		}
		parent = work->place[link];
		if (how == HOW_ENDS)
			return;
		if (how & HOW_SPLITS) {
			const uint32_t part = how & ~HOW_SPLITS;

			lay(work, tree, part, link, work->place[link]);
			set ^= part;
			continue;
		}
		link = how;
	}
}

/* The cheapest first link towards a set. */
static uint32_t first_link(const struct route_work *work, const struct route_net *net, uint32_t set, uint16_t *link_out)
{
	uint32_t best = UINT32_MAX;

	*link_out = ROUTE_NONE;
	for (uint32_t s = 0; s < ROUTE_SIDES; s++) {
		const uint16_t link = work->graph.out[net->source][s];

		if (link != ROUTE_NONE && work->best[set][link] < best) {
			best = work->best[set][link];
			*link_out = link;
		}
	}
	return best;
}

/* Sets of targets by the links out of the source's tile. */
static bool lay_from_source(struct route_work *work, const struct route_net *net, struct route_tree *tree, uint32_t all)
{
	uint32_t best[1 << ROUTE_EXACT] = {0};
	uint32_t part_of[1 << ROUTE_EXACT];
	uint16_t link;

	for (uint32_t set = 1; set <= all; set++) {
		best[set] = first_link(work, net, set, &link);
		part_of[set] = set;
		for (uint32_t part = (set - 1) & set; part; part = (part - 1) & set)
			if (first_link(work, net, part, &link) < UINT32_MAX && best[set ^ part] < UINT32_MAX &&
			    first_link(work, net, part, &link) + best[set ^ part] < best[set]) {
				best[set] = first_link(work, net, part, &link) + best[set ^ part];
				part_of[set] = part;
			}
	}
	if (best[all] == UINT32_MAX)
		return false;
	memset(work->place, 0xff, sizeof(work->place));
	for (uint32_t set = all; set; set ^= part_of[set]) {
		first_link(work, net, part_of[set], &link);
		lay(work, tree, part_of[set], link, ROUTE_NONE);
	}
	return true;
}

bool route_tree_exact(struct route_work *work, const struct route_net *net, struct route_tree *tree)
{
	const uint32_t all = (1u << net->target_count) - 1;
	uint8_t tiles[ROUTE_EXACT];
	uint32_t count = 0;

	tree->count = 0;
	if (!all)
		return true;
	for (uint64_t left = net->targets; left; left &= left - 1)
		tiles[count++] = (uint8_t)__builtin_ctzll(left);
	for (uint32_t set = 1; set <= all; set++) {
		if (set & (set - 1))
			split(work, set);
		else
			ends(work, set, tiles[__builtin_ctz(set)]);
		spread(work, net, set);
	}
	return lay_from_source(work, net, tree, all);
}

/* ---- the best that is worth its time ----------------------------------------------------------------------------------------------------------------- */

/* Takes out of a tree what only leads to one target, or what is behind it if that only leads on: what is left reaches the others. */
static void without(const struct route_work *work, const struct route_net *net, const struct route_tree *tree, uint32_t tile, struct route_tree *left)
{
	bool needed[ROUTE_LINKS] = {false};
	uint16_t moved[ROUTE_LINKS];
	uint64_t seen = UINT64_C(1) << tile;

	for (uint32_t i = 0; i < tree->count; i++) {
		const uint32_t to = work->graph.links[tree->links[i]].to;

		if (seen >> to & 1 || !(net->targets >> to & 1))
			continue;
		seen |= UINT64_C(1) << to;
		for (uint16_t at = (uint16_t)i; at != ROUTE_NONE && !needed[at]; at = tree->parent[at])
			needed[at] = true;
	}
	left->count = 0;
	for (uint32_t i = 0; i < tree->count; i++)
		if (needed[i]) {
			left->links[left->count] = tree->links[i];
			left->parent[left->count] = tree->parent[i] == ROUTE_NONE ? ROUTE_NONE : moved[tree->parent[i]];
			moved[i] = left->count++;
		}
}

static uint64_t reached(const struct route_work *work, const struct route_tree *tree)
{
	uint64_t tiles = 0;

	for (uint32_t i = 0; i < tree->count; i++)
		tiles |= UINT64_C(1) << work->graph.links[tree->links[i]].to;
	return tiles;
}

bool route_tree_best(struct route_work *work, const struct route_net *net, uint32_t exact, struct route_tree *tree)
{
	struct route_tree *other = &work->spare;
	bool better = true;

	if (net->target_count <= exact)
		return route_tree_exact(work, net, tree);
	if (!route_tree_grow(work, net, tree))
		return false;
	for (int pass = 0; better && pass < 8; pass++) {
		better = false;
		for (uint64_t left = net->targets; left; left &= left - 1) {
			without(work, net, tree, (uint32_t)__builtin_ctzll(left), other);
			if (grow_on(work, net, other, net->targets & ~reached(work, other)) && tree_cost(work, other) < tree_cost(work, tree)) {
				*tree = *other;
				better = true;
			}
		}
	}
	return true;
}
