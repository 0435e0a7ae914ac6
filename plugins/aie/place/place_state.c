/* SPDX-License-Identifier: MIT */
/* place_state.c - what tiles have left, what a placement costs. */
#include "aie/place/place_state.h"
#include "registry/common/common_hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

uint64_t place_draw(struct place_state *state, uint64_t below)
{
	return (common_random(&state->random) >> 32) * below >> 32;
}

/* ---- resources --------------------------------------------------------------------------------------------------------------------------------------- */

enum aie_limit place_resource(uint32_t index)
{
	static const enum aie_limit resources[PLACE_RESOURCES] = {AIE_DMA_IN, AIE_DMA_OUT, AIE_LOCKS, AIE_BDS, AIE_MEMORY};

	return resources[index];
}

uint64_t place_wants(const struct aie_place_node *node, uint32_t index)
{
	const uint64_t wants[PLACE_RESOURCES] = {node->in, node->out, node->locks, node->bds, node->bytes};

	return wants[index];
}

bool place_may(const struct place_state *state, uint32_t node, int32_t column, int32_t row)
{
	const struct aie_place_node *n = &state->nodes[node];

	return aie_arch_inside(state->arch, column, row) && aie_arch_kind(state->arch, row) == n->kind && (n->column == AIE_ANYWHERE || n->column == column) &&
	       (n->row == AIE_ANYWHERE || n->row == row);
}

bool place_fits(const struct place_state *state, uint32_t node, int32_t column, int32_t row, uint32_t *resource_out)
{
	const uint64_t *used = state->used[place_tile(state, column, row)];

	for (uint32_t i = 0; i < PLACE_RESOURCES; i++) {
		const uint64_t wants = place_wants(&state->nodes[node], i), limit = aie_arch_tile(state->arch, row)->limits[place_resource(i)];

		if (!wants || (wants <= limit && used[i] <= limit - wants))
			continue;
		if (resource_out)
			*resource_out = i;
		return false;
	}
	return true;
}

void place_put(struct place_state *state, uint32_t node, int32_t column, int32_t row)
{
	const uint32_t tile = place_tile(state, column, row);

	state->places[node] = (struct aie_place){column, row};
	for (uint32_t i = 0; i < PLACE_RESOURCES; i++)
		state->used[tile][i] += place_wants(&state->nodes[node], i);
	if (state->nodes[node].kind == AIE_CORE)
		state->core_at[tile] = node;
}

void place_take(struct place_state *state, uint32_t node)
{
	const uint32_t tile = place_tile(state, state->places[node].column, state->places[node].row);

	for (uint32_t i = 0; i < PLACE_RESOURCES; i++)
		state->used[tile][i] -= place_wants(&state->nodes[node], i);
	if (state->core_at[tile] == node)
		state->core_at[tile] = PTOWSP_NONE;
	state->places[node] = (struct aie_place){AIE_ANYWHERE, AIE_ANYWHERE};
}

/* ---- costs ------------------------------------------------------------------------------------------------------------------------------------------- */

static bool met(const struct aie_arch *arch, enum aie_place_need need, const struct aie_place *a, const struct aie_place *b)
{
	switch (need) {
	case AIE_NEED_WISHED:
	case AIE_NEED_SHARED: return aie_arch_shares(arch, a->column, a->row, b->column, b->row) || aie_arch_shares(arch, b->column, b->row, a->column, a->row);
	case AIE_NEED_SEEN: return aie_arch_shares(arch, a->column, a->row, b->column, b->row);
	case AIE_NEED_CASCADE: return aie_arch_cascades(arch, a->column, a->row, b->column, b->row);
	default: return true;
	}
}

/* Half the perimeter of the box around a net's placed nodes; how many of its needs are not met. */
static uint32_t box(const struct aie_arch *arch, const struct aie_place *places, const struct aie_place_net *net, uint32_t *unmet)
{
	const struct aie_place from = places[net->from];
	int32_t west = from.column, east = from.column, south = from.row, north = from.row;

	*unmet = 0;
	if (from.column == AIE_ANYWHERE)
		return 0;
	for (uint32_t i = 0; i < net->to_count; i++) {
		const struct aie_place *to = &places[net->to[i]];

		if (to->column == AIE_ANYWHERE)
			continue;
		west = to->column < west ? to->column : west;
		east = to->column > east ? to->column : east;
		south = to->row < south ? to->row : south;
		north = to->row > north ? to->row : north;
		*unmet += !met(arch, net->need, &from, to);
	}
	return (uint32_t)(east - west + north - south);
}

struct aie_place_cost aie_place_cost(const struct aie_arch *arch, const struct aie_place *places, const struct aie_place_net *nets, uint32_t net_count)
{
	struct aie_place_cost cost = {0, 0};

	for (uint32_t i = 0; i < net_count; i++) {
		uint32_t unmet;

		cost.way += box(arch, places, &nets[i], &unmet) * nets[i].weight;
		cost.unmet += unmet;
	}
	return cost;
}

static void count_node(struct place_state *state, uint32_t node)
{
	for (uint32_t i = state->first_net[node]; i < state->first_net[node + 1]; i++) {
		const uint32_t net = state->nets_of[i];
		struct aie_place_cost *cost = &state->net_costs[net];

		if (state->seen[net] == state->now)
			continue;
		state->seen[net] = state->now;
		state->cost.way -= cost->way;
		state->cost.unmet -= cost->unmet;
		cost->way = box(state->arch, state->places, &state->nets[net], &cost->unmet) * state->weights[net];
		state->cost.way += cost->way;
		state->cost.unmet += cost->unmet;
	}
}

void place_count(struct place_state *state, uint32_t a, uint32_t b)
{
	state->now++;
	count_node(state, a);
	if (b != PTOWSP_NONE)
		count_node(state, b);
}

/* ---- life -------------------------------------------------------------------------------------------------------------------------------------------- */

static ptowsp_status look_at_nets(const struct place_state *state, struct ptowsp_error *error)
{
	for (uint32_t i = 0; i < state->net_count; i++) {
		bool inside = state->nets[i].from < state->node_count;

		for (uint32_t k = 0; k < state->nets[i].to_count; k++)
			inside &= state->nets[i].to[k] < state->node_count;
		if (!inside)
			return base_fail(error, PTOWSP_INVALID, "net %u of a placement names a node beyond the %u that there are", i, state->node_count);
	}
	return PTOWSP_OK;
}

/* Weights count by their upper bits alone where their sum is large. */
static void scale(struct place_state *state)
{
	uint32_t shift = 0;
	uint64_t most = 0;

	for (uint32_t i = 0; i < state->net_count; i++)
		most = state->nets[i].weight > most ? state->nets[i].weight : most;
	while (most >> shift > UINT32_MAX)
		shift++;
	state->hard = 1;
	for (uint32_t i = 0; i < state->net_count; i++) {
		const uint64_t weight = state->nets[i].weight >> shift;

		state->weights[i] = weight ? weight : 1;
		state->hard += state->weights[i] * (AIE_COLUMNS_MAX + AIE_ROWS);
	}
	state->penalty = state->hard;
}

static void list_nets(struct place_state *state)
{
	uint32_t *at;

	for (int fill = 0; fill < 2; fill++) {
		at = state->first_net + (fill ? 0 : 1);
		for (uint32_t i = 0; i < state->net_count; i++)
			for (uint32_t k = 0; k <= state->nets[i].to_count; k++) {
				const uint32_t node = k ? state->nets[i].to[k - 1] : state->nets[i].from;

				if (fill)
					state->nets_of[at[node]++] = i;
				else
					at[node]++;
			}
		for (uint32_t n = 0; !fill && n < state->node_count; n++)
			state->first_net[n + 1] += state->first_net[n];
	}
	for (uint32_t n = state->node_count; n; n--)
		state->first_net[n] = state->first_net[n - 1];
	state->first_net[0] = 0;
}

struct place_text place_text(const struct aie_place_node *node)
{
	struct place_text text;

	if (node->task)
		snprintf(text.text, sizeof(text.text), "the core of task %llu, kernel %.40s", (unsigned long long)node->task - 1, node->name);
	else if (node->role)
		snprintf(text.text, sizeof(text.text), "%s %.40s", node->role, node->name);
	else
		snprintf(text.text, sizeof(text.text), "node '%.40s'", node->name);
	return text;
}

ptowsp_status place_state_init(struct place_state *state, const struct aie_arch *arch, const struct aie_place_node *nodes, uint32_t node_count,
			       const struct aie_place_net *nets, uint32_t net_count, struct ptowsp_error *error)
{
	size_t ends = 1;
	ptowsp_status status;

	memset(state, 0, sizeof(*state));
	state->arch = arch, state->nodes = nodes, state->nets = nets, state->node_count = node_count, state->net_count = net_count;
	status = look_at_nets(state, error);
	if (status)
		return status;
	for (uint32_t i = 0; i < net_count; i++)
		ends += nets[i].to_count + 1;
	state->places = malloc(((size_t)node_count + 1) * sizeof(*state->places));
	state->weights = calloc((size_t)net_count + 1, sizeof(*state->weights));
	state->net_costs = calloc((size_t)net_count + 1, sizeof(*state->net_costs));
	state->seen = calloc((size_t)net_count + 1, sizeof(*state->seen));
	state->first_net = calloc((size_t)node_count + 2, sizeof(*state->first_net));
	state->nets_of = calloc(ends, sizeof(*state->nets_of));
	if (!state->places || !state->weights || !state->net_costs || !state->seen || !state->first_net || !state->nets_of)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory to place %u nodes", node_count);
	memset(state->places, 0xff, ((size_t)node_count + 1) * sizeof(*state->places));
	memset(state->core_at, 0xff, sizeof(state->core_at));
	scale(state);
	list_nets(state);
	return PTOWSP_OK;
}

void place_state_finish(struct place_state *state)
{
	free(state->places);
	free(state->weights);
	free(state->net_costs);
	free(state->seen);
	free(state->first_net);
	free(state->nets_of);
	memset(state, 0, sizeof(*state));
}
