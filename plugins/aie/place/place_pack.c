/* SPDX-License-Identifier: MIT */
/* place_pack.c - nodes that share memory tiles or shims: each near the column in the middle of its peers, while channels, descriptors, locks and bytes last.
 *
 * Nodes that take the largest part of a tile go first. Others move on where one does not fit any more: looked for in depth, with a bound, so that a packing is found
 * where there is one and not many nodes. */
#include <stdlib.h>

#include "aie/place/place_state.h"
#include "base/error.h"

enum { STEPS = 50000 };
struct pack {
	struct place_state *state;
	uint32_t *nodes, count;
	uint32_t steps;
	uint32_t deepest; /* the node at which it ended, for the text */
};

/* Thousandths of a tile: the largest part of any resource. */
static uint64_t part(const struct place_state *state, uint32_t node)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < PLACE_RESOURCES; i++) {
		const uint64_t limit = state->arch->generation->tiles[state->nodes[node].kind].limits[place_resource(i)];
		const uint64_t share = limit ? place_wants(&state->nodes[node], i) * 1000 / limit : 0;

		most = share > most ? share : most;
	}
	return most;
}

static void order(struct pack *pack, enum aie_kind kind)
{
	const struct place_state *state = pack->state;

	for (uint32_t i = 0; i < state->node_count; i++) {
		uint32_t at = pack->count;

		if (state->nodes[i].kind != kind || place_is_placed(state, i))
			continue;
		for (; at && part(state, pack->nodes[at - 1]) < part(state, i); at--)
			pack->nodes[at] = pack->nodes[at - 1];
		pack->nodes[at] = i;
		pack->count++;
	}
}

/* The column in the middle of the placed peers, by words; of a node that has none, its own number: they spread. */
static int32_t middle(const struct place_state *state, uint32_t node)
{
	uint64_t sum = 0, weight = 0;

	for (uint32_t i = state->first_net[node]; i < state->first_net[node + 1]; i++) {
		const struct aie_place_net *net = &state->nets[state->nets_of[i]];

		for (uint32_t k = 0; k <= net->to_count; k++) {
			const uint32_t peer = k ? net->to[k - 1] : net->from;

			if (peer == node || !place_is_placed(state, peer))
				continue;
			sum += state->weights[state->nets_of[i]] * (uint64_t)state->places[peer].column * 2;
			weight += state->weights[state->nets_of[i]];
		}
	}
	return weight ? (int32_t)((sum + weight) / (2 * weight)) : (int32_t)(node % state->arch->columns);
}

static bool put_from(struct pack *pack, uint32_t at);

static bool put_at(struct pack *pack, uint32_t at, int32_t column)
{
	struct place_state *state = pack->state;
	const uint32_t node = pack->nodes[at];
	const int32_t row = state->nodes[node].kind == AIE_SHIM ? 0 : 1;

	if (!pack->steps || !place_may(state, node, column, row) || !place_fits(state, node, column, row, NULL))
		return false;
	pack->steps--;
	place_put(state, node, column, row);
	if (put_from(pack, at + 1))
		return true;
	place_take(state, node);
	return false;
}

/* Nearest columns to the middle first, of equal ones the western. */
static bool put_from(struct pack *pack, uint32_t at)
{
	const int32_t columns = (int32_t)pack->state->arch->columns;
	int32_t wanted;

	if (at == pack->count)
		return true;
	pack->deepest = at > pack->deepest ? at : pack->deepest;
	wanted = middle(pack->state, pack->nodes[at]);
	for (int32_t away = 0; away < columns; away++)
		if (put_at(pack, at, wanted - away) || (away && put_at(pack, at, wanted + away)))
			return true;
	return false;
}

ptowsp_status place_sums(const struct place_state *state, enum aie_kind kind, struct ptowsp_error *error)
{
	const struct aie_place_node *last = NULL;

	for (uint32_t r = 0; r < PLACE_RESOURCES; r++) {
		const uint64_t limit = state->arch->columns * state->arch->generation->tiles[kind].limits[place_resource(r)];
		uint64_t wants = 0;

		for (uint32_t i = 0; i < state->node_count; i++) {
			if (state->nodes[i].kind == kind)
				last = &state->nodes[i];
			wants += state->nodes[i].kind == kind ? place_wants(&state->nodes[i], r) : 0;
		}
		if (wants > limit)
			return base_fail(error, PTOWSP_UNSUPPORTED, "all together need %llu %s of the %ss of %s, and they have %llu together; %s has no place",
					 (unsigned long long)wants, aie_arch_limit_text(place_resource(r)), aie_arch_kind_text(kind), state->arch->name,
					 (unsigned long long)limit, place_text(last).text);
	}
	return PTOWSP_OK;
}

/* There is enough of each resource in all tiles together, and yet not of all in one where it ended. */
static ptowsp_status no_room(const struct pack *pack, enum aie_kind kind, struct ptowsp_error *error)
{
	const struct place_state *state = pack->state;
	const struct aie_place_node *node = &state->nodes[pack->nodes[pack->deepest]];

	return base_fail(error, PTOWSP_UNSUPPORTED,
			 "no %s of %s has room for %s beside the others: %u DMA channels in, %u out, %u locks, %u buffer descriptors, %llu bytes; split "
			 "it or pin fewer",
			 aie_arch_kind_text(kind), state->arch->name, place_text(node).text, node->in, node->out, node->locks, node->bds,
			 (unsigned long long)node->bytes);
}

ptowsp_status place_pack(struct place_state *state, enum aie_kind kind, struct ptowsp_error *error)
{
	struct pack pack = {.state = state, .nodes = malloc(((size_t)state->node_count + 1) * sizeof(*pack.nodes)), .steps = STEPS};
	ptowsp_status status = PTOWSP_OK;

	if (!pack.nodes)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory to place %u nodes", state->node_count);
	order(&pack, kind);
	if (!put_from(&pack, 0))
		status = no_room(&pack, kind, error);
	for (uint32_t i = 0; !status && i < pack.count; i++)
		place_count(state, pack.nodes[i], PTOWSP_NONE);
	free(pack.nodes);
	return status;
}
