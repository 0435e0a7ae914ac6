/* SPDX-License-Identifier: MIT */
/* place_state.h - a placement under way: where nodes are, what tiles have left, what it costs. */
#ifndef AIE_PLACE_STATE_H
#define AIE_PLACE_STATE_H

#include "aie/place/aie_place.h"

enum { PLACE_TILES = AIE_COLUMNS_MAX * AIE_ROWS, PLACE_RESOURCES = 5 };

struct place_state {
	const struct aie_arch *arch;
	const struct aie_place_node *nodes;
	const struct aie_place_net *nets;
	uint32_t node_count, net_count;
	struct aie_place *places;      /* column AIE_ANYWHERE: not placed yet; nets count only who is */
	uint32_t core_at[PLACE_TILES]; /* the node on a core tile; NONE */
	uint64_t used[PLACE_TILES][PLACE_RESOURCES];
	uint64_t *weights;                      /* of nets, scaled so that no sum overflows */
	uint64_t hard;                          /* more than all ways together */
	uint64_t penalty;                       /* of a need that is not met: hard, or less while it may be broken on the way to something better */
	struct aie_place_cost *net_costs, cost; /* of each net by its scaled weight, and the sum of them */
	uint32_t *first_net, *nets_of;          /* nets of a node: nets_of[first_net[node]] up to first_net[node + 1] */
	uint64_t *seen;                         /* nets: the last time that they were looked at */
	uint64_t now;
	uint64_t random;
	enum aie_effort effort;
};
/* Errors: INVALID, NO_MEMORY; finish takes what init left. */
ptowsp_status place_state_init(struct place_state *state, const struct aie_arch *arch, const struct aie_place_node *nodes, uint32_t node_count,
			       const struct aie_place_net *nets, uint32_t net_count, struct ptowsp_error *error);
void place_state_finish(struct place_state *state);

/* A node's name for people: "the core of task 3, kernel gemm", "the host's stream of a", "node 'a'". */
struct place_text {
	char text[96];
};
struct place_text place_text(const struct aie_place_node *node);

static inline uint32_t place_tile(const struct place_state *state, int32_t column, int32_t row)
{
	return (uint32_t)column * state->arch->rows + (uint32_t)row;
}
static inline bool place_is_placed(const struct place_state *state, uint32_t node)
{
	return state->places[node].column != AIE_ANYWHERE;
}
/* below: at most 2^32. */
uint64_t place_draw(struct place_state *state, uint64_t below);
/* Do its pins and its kind let a node be there? */
bool place_may(const struct place_state *state, uint32_t node, int32_t column, int32_t row);
/* Is a tile's switch of resources large enough for the node beside those that are there? resource_out: the first that is not, or NULL; by index. */
bool place_fits(const struct place_state *state, uint32_t node, int32_t column, int32_t row, uint32_t *resource_out);
enum aie_limit place_resource(uint32_t index);
uint64_t place_wants(const struct aie_place_node *node, uint32_t index);
/* Without looking whether it fits; costs are not counted anew. */
void place_put(struct place_state *state, uint32_t node, int32_t column, int32_t row);
void place_take(struct place_state *state, uint32_t node);
/* Counts the nets of one or two nodes (NONE) anew, and the sum of all with them. */
void place_count(struct place_state *state, uint32_t a, uint32_t b);
static inline uint64_t place_sum(const struct place_state *state)
{
	return state->cost.way + state->cost.unmet * state->penalty;
}

/* place_start.c: pins, cores, then memory tiles and shims. Errors: UNSUPPORTED. */
ptowsp_status place_start(struct place_state *state, struct ptowsp_error *error);
/* place_pack.c: have all tiles of a kind together what the nodes need? Errors: UNSUPPORTED naming resource, need and limit. */
ptowsp_status place_sums(const struct place_state *state, enum aie_kind kind, struct ptowsp_error *error);
/* Nodes of a kind that share tiles, each near the nodes that it is connected to. Errors: UNSUPPORTED. */
ptowsp_status place_pack(struct place_state *state, enum aie_kind kind, struct ptowsp_error *error);
/* place_improve.c: never worse than it was. */
ptowsp_status place_improve(struct place_state *state, struct ptowsp_error *error);

#endif
