/* SPDX-License-Identifier: MIT */
/* route_shorten.c - routes that are legal become shorter.
 *
 * One stream after the other is taken out and laid again over links that have a wire left. Then, for each that is longer than it would be alone: it gets the way that it
 * would like, those who must make room are laid again, and what came out shorter in all stays. */
#include <stdlib.h>
#include <string.h>

#include "aie/place/route_graph.h"

static const uint32_t WIRE = 4096;               /* cost of one */
static const uint64_t EFFORT = UINT64_C(100000); /* of all exchanges: they stop at it */
enum { EXACT = 3, PASSES = 16 };                 /* targets of a net that is laid exactly while many are */

/* Full links are closed; used ones cost a little more, so that equal lengths spread. */
static void price(struct route_work *work, bool closed)
{
	for (uint32_t link = 0; link < work->graph.link_count; link++)
		work->cost[link] = closed && work->used[link] >= work->graph.links[link].wires ? UINT32_MAX : WIRE + work->used[link] + work->taste[link];
	work->base = WIRE;
}

/* Lays a net that is taken out. Its tree stays as it was if there is no way. */
static bool lay(struct route_work *work, struct route_net *net, uint32_t exact)
{
	struct route_tree tree;

	price(work, true);
	if (!route_tree_best(work, net, exact, &tree))
		return false;
	net->tree = tree;
	return true;
}

static bool one_by_one(struct route_work *work, uint32_t exact)
{
	bool shorter = false;

	for (uint32_t i = 0; i < work->net_count; i++) {
		struct route_net *net = &work->nets[work->order[i]];
		const struct route_tree old = net->tree;

		if (old.count <= net->least)
			continue;
		route_tree_use(work, &net->tree, -1);
		if (!lay(work, net, exact) || net->tree.count > old.count)
			net->tree = old;
		route_tree_use(work, &net->tree, 1);
		shorter |= net->tree.count < old.count;
	}
	return shorter;
}

/* ---- exchanges --------------------------------------------------------------------------------------------------------------------------------------- */

enum { GROUP = 12 };
struct group {
	uint32_t nets[GROUP], count, length;
	struct route_tree old[GROUP];
};

static void take(struct route_work *work, struct group *group, uint32_t net)
{
	group->nets[group->count] = net;
	group->old[group->count++] = work->nets[net].tree;
	group->length += work->nets[net].tree.count;
	route_tree_use(work, &work->nets[net].tree, -1);
}

static bool uses(const struct route_tree *tree, uint16_t link)
{
	for (uint32_t i = 0; i < tree->count; i++)
		if (tree->links[i] == link)
			return true;
	return false;
}

static bool taken(const struct group *group, uint32_t net)
{
	for (uint32_t i = 0; i < group->count; i++)
		if (group->nets[i] == net)
			return true;
	return false;
}

/* For each overfull link one that uses it: in turn by `skip`, those first that could go elsewhere. */
static bool make_room(struct route_work *work, struct group *group, const struct route_tree *wanted, uint32_t skip)
{
	for (uint32_t i = 0; i < wanted->count; i++) {
		const uint16_t link = wanted->links[i];

		if (work->used[link] < work->graph.links[link].wires)
			continue;
		for (uint32_t k = 0, net = skip % work->net_count; k < work->net_count; k++, net = (net + 1) % work->net_count)
			if (!taken(group, net) && uses(&work->nets[net].tree, link)) {
				if (group->count == GROUP)
					return false;
				take(work, group, net);
				break;
			}
	}
	return true;
}

static void undo(struct route_work *work, const struct group *group, uint32_t laid)
{
	for (uint32_t i = 0; i < laid; i++)
		route_tree_use(work, &work->nets[group->nets[i]].tree, -1);
	for (uint32_t i = 0; i < group->count; i++) {
		work->nets[group->nets[i]].tree = group->old[i];
		route_tree_use(work, &work->nets[group->nets[i]].tree, 1);
	}
}

/* The first of the group gets what it wants, the others what there is. */
static bool lay_group(struct route_work *work, struct group *group, const struct route_tree *wanted)
{
	uint32_t length = wanted->count, laid = 1;
	bool fits = true;

	work->nets[group->nets[0]].tree = *wanted;
	route_tree_use(work, wanted, 1);
	while (fits && laid < group->count) {
		struct route_net *net = &work->nets[group->nets[laid]];

		fits = lay(work, net, EXACT);
		if (!fits)
			break;
		route_tree_use(work, &net->tree, 1);
		length += net->tree.count;
		laid++;
	}
	if (fits && length < group->length)
		return true;
	undo(work, group, laid);
	return false;
}

static bool exchange(struct route_work *work, uint32_t number)
{
	const struct route_net *net = &work->nets[number];
	struct route_tree wanted;
	bool shorter = false;

	route_tree_use(work, &net->tree, -1);
	price(work, false);
	route_tree_best(work, net, EXACT, &wanted);
	route_tree_use(work, &net->tree, 1);
	for (uint32_t skip = 0; skip < 4 && !shorter && wanted.count < net->tree.count; skip++) {
		struct group group = {.count = 0, .length = 0};

		take(work, &group, number);
		if (make_room(work, &group, &wanted, number + 1 + skip * work->net_count / 4))
			shorter = lay_group(work, &group, &wanted);
		else
			undo(work, &group, 0);
	}
	return shorter;
}

static bool exchanges(struct route_work *work, uint64_t until)
{
	bool shorter = false;

	for (uint32_t i = 0; i < work->net_count && work->effort < until; i++)
		if (work->nets[i].tree.count > work->nets[i].least)
			shorter |= exchange(work, i);
	return shorter;
}

void route_shorten(struct route_work *work)
{
	const uint64_t until = work->effort + EFFORT;

	for (int pass = 0; pass < PASSES; pass++)
		if (!one_by_one(work, EXACT) && !exchanges(work, until))
			break;
	one_by_one(work, ROUTE_EXACT);
}
