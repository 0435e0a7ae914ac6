/* SPDX-License-Identifier: MIT */
/* aie_place.h - nodes of a virtual graph on tiles: pinned ones first, then each where its neighbours are, then improved by exchanges that a seeded generator proposes. */
#ifndef AIE_PLACE_H
#define AIE_PLACE_H

#include "aie/aie_arch.h"
#include "ptowsp/base.h"

enum { AIE_ANYWHERE = -1 };
struct aie_place_node {
	enum aie_kind kind;  /* of tile that it needs */
	int32_t column, row; /* a pin, or AIE_ANYWHERE each by itself */
	uint32_t in, out;    /* DMA channels that it takes; of shims and memory tiles several nodes share a tile while these fit */
	uint32_t locks, bds;
	uint64_t bytes;   /* of the tile's memory; of a core its stack is a part of them */
	uint64_t stack;   /* of these bytes, where it is a core: for sentences, 0: not said; */
	uint64_t buffers; /*   and those of its buffers: the rest are objects of its streams */
	const char *name; /* for sentences: of a kernel, a tensor */
	const char *role; /*   "the host's stream of" it; NULL: of a node that is nothing else */
	uint64_t task;    /*   of a core whose first call is a task's, which, counted from 1; 0: of none */
	bool process;     /*   of a core that is a process's, whose channels and replicas the user says, */
	uint32_t passes;  /*   ends of its streams from and to other cores, */
	uint32_t words;   /*   and those of them that give words back because a channel has no room for each of its streams */
};
enum aie_place_need { AIE_NEED_NEAR, AIE_NEED_WISHED, AIE_NEED_SHARED, AIE_NEED_SEEN, AIE_NEED_CASCADE };
/* From one node to others. */
struct aie_place_net {
	uint32_t from;
	const uint32_t *to;
	uint32_t to_count;
	enum aie_place_need need; /* NEAR: the nearer the better; SHARED: one of both sees the other's memory; WISHED: as far as
	                           * that can be, and the caller looks whether the design can do without; SEEN: it sees theirs; CASCADE: as aie_arch.h says */
	uint64_t weight;          /* words that go this way, at least 1 */
};
struct aie_place {
	int32_t column, row;
};
/* Cost of a placement: needs that are not met first, then words times columns and rows that they must cross at least (half the perimeter of a net's box). */
struct aie_place_cost {
	uint32_t unmet;
	uint64_t way;
};
struct aie_place_cost aie_place_cost(const struct aie_arch *arch, const struct aie_place *places, const struct aie_place_net *nets, uint32_t net_count);
/* A node takes no more than a tile of its kind has. UNSUPPORTED in a sentence that names node, resource, need, limit and what a user can do. */
ptowsp_status aie_place_node_check(const struct aie_arch *arch, const struct aie_place_node *node, struct ptowsp_error *error);
/* places_out: one per node. Two cores never share a tile. seed 0: as constructed, without exchanges; any other: never worse than that, same seed, same places. Errors:
 * UNSUPPORTED naming node, tile, resource, need and limit where nothing fits; INVALID for a net to a node that is not there; NO_MEMORY. One thread. */
ptowsp_status aie_place(const struct aie_arch *arch, const struct aie_place_node *nodes, uint32_t node_count, const struct aie_place_net *nets,
			uint32_t net_count, uint64_t seed, struct aie_place *places_out, struct ptowsp_error *error);
/* Effort to find better places: none, as seed 0; one annealing; as aie_place does, up to four; sixteen. */
enum aie_effort { AIE_EFFORT_NONE, AIE_EFFORT_LEAST, AIE_EFFORT_USUAL, AIE_EFFORT_MOST };
ptowsp_status aie_place_with(enum aie_effort effort, const struct aie_arch *arch, const struct aie_place_node *nodes, uint32_t node_count,
			     const struct aie_place_net *nets, uint32_t net_count, uint64_t seed, struct aie_place *places_out, struct ptowsp_error *error);

/* The part of an array that a design uses: its first columns, and of these the first rows of cores. */
/* "2x3": 2 rows of cores, 3 columns; "": all. part_out: the array with so many columns, as the dialect knows it, which has that many rows for whoever places cores.
 * Errors: INVALID naming the text and what the array has. Any thread. */
ptowsp_status aie_part_read(struct aie_arch *part_out, const struct aie_arch *arch, const char *text, struct ptowsp_error *error);

#endif
