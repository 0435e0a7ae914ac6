/* SPDX-License-Identifier: MIT */
/* place_start.c - the first placement: pins, then cores, then who shares tiles.
 *
 * Cores are placed in two ways, and the cheaper one stays. By need: whoever is most strongly connected to those that are placed goes next, to the tile where that costs
 * least. By chain: nodes form chains along their strongest connections and lie on a snake through the columns, down the first and up the second, so that each sees the
 * memory of the one before it. Down first: that is the way of a cascade. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aie/place/place_state.h"
#include "base/error.h"

/* ---- pins -------------------------------------------------------------------------------------------------------------------------------------------- */

static const char *rows_of(enum aie_kind kind)
{
	return kind == AIE_SHIM ? "row 0" : kind == AIE_MEMTILE ? "row 1" : "rows 2 to 5";
}

static ptowsp_status look_at_pin(const struct place_state *state, uint32_t node, struct ptowsp_error *error)
{
	const struct aie_place_node *n = &state->nodes[node];
	const int32_t column = n->column == AIE_ANYWHERE ? 0 : n->column;
	const int32_t row = n->row != AIE_ANYWHERE ? n->row : n->kind == AIE_SHIM ? 0 : n->kind == AIE_MEMTILE ? 1 : AIE_FIRST_CORE;

	if (!aie_arch_inside(state->arch, column, row))
		return base_fail(error, PTOWSP_UNSUPPORTED, "%s is pinned to column %d, row %d (-1: any), and %s has %u columns and %u rows; pin it inside",
				 place_text(n).text, n->column, n->row, state->arch->name, state->arch->columns, state->arch->rows);
	if (aie_arch_kind(state->arch, row) != n->kind)
		return base_fail(error, PTOWSP_UNSUPPORTED, "%s needs a %s and is pinned to row %d; those lie in %s", place_text(n).text,
				 aie_arch_kind_text(n->kind), row, rows_of(n->kind));
	return PTOWSP_OK;
}

/* " (1024 of stack, 512 of buffers, 65536 of objects of its streams)", "" where it is not known. */
static const char *sum_text(const struct aie_place_node *node, enum aie_limit limit, char *text, size_t size)
{
	*text = 0;
	if (limit == AIE_MEMORY && node->stack)
		snprintf(text, size, " (%llu of stack, %llu of buffers, %llu of objects of its streams)", (unsigned long long)node->stack,
			 (unsigned long long)node->buffers, (unsigned long long)(node->bytes - node->stack - node->buffers));
	return text;
}

/* Channels are the reason of a process's needs: a stream per pair of replicas, and one for words where a channel has not room for all of these. */
static const char *advice_text(const struct aie_place_node *node, enum aie_limit limit, char *text, size_t size)
{
	snprintf(text, size, "split it, or pack what it takes");
	if (!node->process || limit == AIE_MEMORY)
		return text;
	if (node->words)
		snprintf(text, size, "%u of its %u streams with other cores are words of a capacity: say more capacity, or replicate less", node->words,
			 node->passes);
	else if (limit == AIE_BDS)
		snprintf(text, size, "each object of a channel takes one: say less capacity, or replicate less");
	else
		snprintf(text, size, "%u of its streams are with other cores: replicate less, or both sides of a channel alike", node->passes);
	return text;
}

ptowsp_status aie_place_node_check(const struct aie_arch *arch, const struct aie_place_node *node, struct ptowsp_error *error)
{
	char sum[120], advice[180];

	for (uint32_t i = 0; i < PLACE_RESOURCES; i++) {
		const uint64_t wants = place_wants(node, i), limit = arch->generation->tiles[node->kind].limits[place_resource(i)];

		if (wants > limit)
			return base_fail(error, PTOWSP_UNSUPPORTED, "%s needs %llu %s%s, and a %s has %llu; %s", place_text(node).text,
					 (unsigned long long)wants, aie_arch_limit_text(place_resource(i)), sum_text(node, place_resource(i), sum, sizeof(sum)),
					 aie_arch_kind_text(node->kind), (unsigned long long)limit,
					 advice_text(node, place_resource(i), advice, sizeof(advice)));
	}
	return PTOWSP_OK;
}

static ptowsp_status put_pinned(struct place_state *state, uint32_t node, struct ptowsp_error *error)
{
	const struct aie_place_node *n = &state->nodes[node];
	const uint32_t other = state->core_at[place_tile(state, n->column, n->row)];
	uint32_t r = 0;

	if (n->kind == AIE_CORE && other != PTOWSP_NONE)
		return base_fail(error, PTOWSP_UNSUPPORTED, "%s and %s are both pinned to core tile (%d,%d), which holds one; pin one of them elsewhere",
				 place_text(&state->nodes[other]).text, place_text(n).text, n->column, n->row);
	if (!place_fits(state, node, n->column, n->row, &r))
		return base_fail(error, PTOWSP_UNSUPPORTED, "%s (%d,%d) needs %llu %s for what is pinned to it up to %s, of %llu; pin some of them elsewhere",
				 aie_arch_kind_text(n->kind), n->column, n->row,
				 (unsigned long long)(state->used[place_tile(state, n->column, n->row)][r] + place_wants(n, r)),
				 aie_arch_limit_text(place_resource(r)), place_text(n).text,
				 (unsigned long long)aie_arch_tile(state->arch, n->row)->limits[place_resource(r)]);
	place_put(state, node, n->column, n->row);
	place_count(state, node, PTOWSP_NONE);
	return PTOWSP_OK;
}

/* Shims and memory tiles lie in one row: a column is all of their pin. */
static bool fully_pinned(const struct aie_place_node *n)
{
	return n->column != AIE_ANYWHERE && n->row != AIE_ANYWHERE;
}

static ptowsp_status put_pins(struct place_state *state, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; !status && i < state->node_count; i++) {
		status = look_at_pin(state, i, error);
		if (!status)
			status = aie_place_node_check(state->arch, &state->nodes[i], error);
	}
	for (uint32_t i = 0; !status && i < state->node_count; i++)
		if (fully_pinned(&state->nodes[i]))
			status = put_pinned(state, i, error);
	return status;
}

/* ---- cores by need ----------------------------------------------------------------------------------------------------------------------------------- */

/* Words between a node and those that are placed; a need counts more than any of them. */
static uint64_t pull(const struct place_state *state, uint32_t node)
{
	uint64_t sum = 0;

	for (uint32_t i = state->first_net[node]; i < state->first_net[node + 1]; i++) {
		const struct aie_place_net *net = &state->nets[state->nets_of[i]];
		bool placed = place_is_placed(state, net->from);

		for (uint32_t k = 0; !placed && k < net->to_count; k++)
			placed = place_is_placed(state, net->to[k]);
		if (placed)
			sum += state->weights[state->nets_of[i]] + (net->need != AIE_NEED_NEAR ? state->penalty : 0);
	}
	return sum;
}

/* Partly pinned ones first, then the strongest pull, then the most connections, then the first. */
static uint32_t next_core(const struct place_state *state)
{
	uint32_t best = PTOWSP_NONE;
	uint64_t best_pull = 0;

	for (uint32_t i = 0; i < state->node_count; i++) {
		const struct aie_place_node *n = &state->nodes[i];
		uint64_t strength;

		if (n->kind != AIE_CORE || place_is_placed(state, i))
			continue;
		strength = n->column != AIE_ANYWHERE || n->row != AIE_ANYWHERE ? UINT64_MAX : pull(state, i);
		if (best == PTOWSP_NONE || strength > best_pull) {
			best = i;
			best_pull = strength;
		}
	}
	return best;
}

/* Tiles of cores in the order of the snake. */
static uint32_t snake_tile(const struct place_state *state, uint32_t at, int32_t *row_out)
{
	const uint32_t height = state->arch->rows - AIE_FIRST_CORE, column = at / height, step = at % height;

	*row_out = (int32_t)(AIE_FIRST_CORE + (column % 2 ? step : height - 1 - step));
	return column;
}

static uint32_t core_tiles(const struct place_state *state)
{
	return state->arch->columns * (state->arch->rows - AIE_FIRST_CORE);
}

/* On core tile `at` in the order of the snake, with its nets counted; false where it is taken or the node may not stand there. */
static bool put_on_snake(struct place_state *state, uint32_t node, uint32_t at, struct aie_place *place_out)
{
	int32_t row;
	const int32_t column = (int32_t)snake_tile(state, at, &row);

	if (state->core_at[place_tile(state, column, row)] != PTOWSP_NONE || !place_may(state, node, column, row))
		return false;
	place_put(state, node, column, row);
	place_count(state, node, PTOWSP_NONE);
	*place_out = (struct aie_place){column, row};
	return true;
}

/* To the free tile where it costs least, of equal ones the first of the snake. */
static bool put_cheapest(struct place_state *state, uint32_t node)
{
	uint64_t best = UINT64_MAX;
	struct aie_place place = {0, 0};

	for (uint32_t at = 0; at < core_tiles(state); at++) {
		struct aie_place tried;

		if (!put_on_snake(state, node, at, &tried))
			continue;
		if (place_sum(state) < best) {
			best = place_sum(state);
			place = tried;
		}
		place_take(state, node);
	}
	if (best == UINT64_MAX)
		return false;
	place_put(state, node, place.column, place.row);
	place_count(state, node, PTOWSP_NONE);
	return true;
}

/* Pins of others may hold the tiles that a node may have: who is there moves on if that frees one. */
static bool put_somewhere(struct place_state *state, uint32_t node, uint64_t *tried)
{
	for (uint32_t at = 0; at < core_tiles(state); at++) {
		int32_t row;
		const int32_t column = (int32_t)snake_tile(state, at, &row);
		const uint32_t tile = place_tile(state, column, row), other = state->core_at[tile];

		if ((*tried >> tile & 1) || !place_may(state, node, column, row))
			continue;
		*tried |= UINT64_C(1) << tile;
		if (other != PTOWSP_NONE) {
			if (fully_pinned(&state->nodes[other]))
				continue;
			place_take(state, other);
			if (!put_somewhere(state, other, tried)) {
				place_put(state, other, column, row);
				continue;
			}
			place_count(state, other, PTOWSP_NONE);
		}
		place_put(state, node, column, row);
		place_count(state, node, PTOWSP_NONE);
		return true;
	}
	return false;
}

static ptowsp_status no_core(const struct place_state *state, uint32_t node, struct ptowsp_error *error)
{
	const struct aie_place_node *n = &state->nodes[node];
	uint32_t cores = 0;

	for (uint32_t i = 0; i < state->node_count; i++)
		cores += state->nodes[i].kind == AIE_CORE;
	if (cores > core_tiles(state))
		return base_fail(error, PTOWSP_UNSUPPORTED, "%u nodes need a core tile each, and %s has %u; take a larger array, or give each core more to do",
				 cores, state->arch->name, core_tiles(state));
	return base_fail(error, PTOWSP_UNSUPPORTED, "%s is pinned to column %d, row %d (-1: any), where no core tile is left; pin fewer there",
			 place_text(n).text, n->column, n->row);
}

static ptowsp_status cores_by_need(struct place_state *state, struct ptowsp_error *error)
{
	for (uint32_t node = next_core(state); node != PTOWSP_NONE; node = next_core(state)) {
		uint64_t tried = 0;

		if (!put_cheapest(state, node) && !put_somewhere(state, node, &tried))
			return no_core(state, node, error);
	}
	return PTOWSP_OK;
}

/* ---- cores by chain ---------------------------------------------------------------------------------------------------------------------------------- */

struct edge {
	uint64_t weight;
	uint32_t from, to;
};
static int by_weight(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static bool free_core(const struct place_state *state, uint32_t node)
{
	return state->nodes[node].kind == AIE_CORE && !place_is_placed(state, node);
}

static uint32_t edges_of(const struct place_state *state, struct edge *edges)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < state->net_count; i++)
		for (uint32_t k = 0; k < state->nets[i].to_count; k++)
			if (free_core(state, state->nets[i].from) && free_core(state, state->nets[i].to[k]))
				edges[count++] = (struct edge){state->weights[i] + (state->nets[i].need != AIE_NEED_NEAR ? state->penalty : 0),
							       state->nets[i].from, state->nets[i].to[k]};
	qsort(edges, count, sizeof(*edges), by_weight);
	return count;
}

static uint32_t end_of(const uint32_t *next, uint32_t node)
{
	while (next[node] != PTOWSP_NONE)
		node = next[node];
	return node;
}

/* The strongest connections first; a node has one before it and one behind it. */
static void link_chains(const struct edge *edges, uint32_t count, uint32_t *next, uint32_t *before)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t from = edges[i].from, to = edges[i].to;

		if (from == to || next[from] != PTOWSP_NONE || before[to] != PTOWSP_NONE || end_of(next, to) == from)
			continue;
		next[from] = to;
		before[to] = from;
	}
}

static void lay_chains(struct place_state *state, const uint32_t *next, const uint32_t *before)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < state->node_count; i++) {
		if (!free_core(state, i) || before[i] != PTOWSP_NONE)
			continue;
		for (uint32_t node = i; node != PTOWSP_NONE && at < core_tiles(state); at++) {
			struct aie_place place;

			if (put_on_snake(state, node, at, &place))
				node = next[node];
		}
	}
}

static ptowsp_status cores_by_chain(struct place_state *state, struct ptowsp_error *error)
{
	uint32_t ends = 1;
	struct edge *edges;
	uint32_t *next = malloc(((size_t)state->node_count + 1) * sizeof(*next)), *before = malloc(((size_t)state->node_count + 1) * sizeof(*before));

	for (uint32_t i = 0; i < state->net_count; i++)
		ends += state->nets[i].to_count;
	edges = malloc(ends * sizeof(*edges));
	if (edges && next && before) {
		memset(next, 0xff, ((size_t)state->node_count + 1) * sizeof(*next));
		memset(before, 0xff, ((size_t)state->node_count + 1) * sizeof(*before));
		link_chains(edges, edges_of(state, edges), next, before);
		lay_chains(state, next, before);
	}
	free(before);
	free(next);
	free(edges);
	return edges && next && before ? cores_by_need(state, error) : base_fail(error, PTOWSP_NO_MEMORY, "no memory to place %u nodes", state->node_count);
}

/* ---- all --------------------------------------------------------------------------------------------------------------------------------------------- */

static void take_cores(struct place_state *state)
{
	for (uint32_t i = 0; i < state->node_count; i++)
		if (state->nodes[i].kind == AIE_CORE && place_is_placed(state, i) && !fully_pinned(&state->nodes[i])) {
			place_take(state, i);
			place_count(state, i, PTOWSP_NONE);
		}
}

static ptowsp_status put_cores(struct place_state *state, struct ptowsp_error *error)
{
	const size_t room = ((size_t)state->node_count + 1) * sizeof(*state->places);
	struct aie_place *kept = malloc(room);
	ptowsp_status status = kept ? cores_by_need(state, error) : base_fail(error, PTOWSP_NO_MEMORY, "no memory to place %u nodes", state->node_count);
	const uint64_t cost = place_sum(state);

	if (!status) {
		memcpy(kept, state->places, room);
		take_cores(state);
		status = cores_by_chain(state, error);
	}
	if (!status && place_sum(state) >= cost) {
		take_cores(state);
		for (uint32_t i = 0; i < state->node_count; i++)
			if (free_core(state, i)) {
				place_put(state, i, kept[i].column, kept[i].row);
				place_count(state, i, PTOWSP_NONE);
			}
	}
	free(kept);
	return status;
}

ptowsp_status place_start(struct place_state *state, struct ptowsp_error *error)
{
	ptowsp_status status = put_pins(state, error);

	if (!status)
		status = place_sums(state, AIE_MEMTILE, error);
	if (!status)
		status = place_sums(state, AIE_SHIM, error);
	if (!status)
		status = put_cores(state, error);
	if (!status)
		status = place_pack(state, AIE_MEMTILE, error);
	if (!status)
		status = place_pack(state, AIE_SHIM, error);
	return status;
}
