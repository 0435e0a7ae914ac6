/* SPDX-License-Identifier: MIT */
/* route_graph.h - an array as the router sees it, and what it works on.
 *
 * The wires of a side are alike except where a switch keeps the channel (through memory tiles, and back to where a stream came from). So what is negotiated is sides:
 * a link is all the wires of one side of a switch, it holds as many streams as it has wires, and which stream gets which wire is chosen afterwards (route_channel.c).
 * A way is a sequence of links; what comes in by one may go out by another only if some pair of channels connects. */
#ifndef AIE_ROUTE_GRAPH_H
#define AIE_ROUTE_GRAPH_H

#include "aie/place/route.h"

enum {
	ROUTE_TILES = AIE_COLUMNS_MAX * AIE_ROWS,
	ROUTE_SIDES = 4,
	ROUTE_LINKS = ROUTE_TILES * ROUTE_SIDES,
	ROUTE_NONE = 0xffff,
	ROUTE_EXACT = 6,
	ROUTE_TASTE = 8
};

struct route_link {
	uint8_t from, to;   /* tiles: column * rows + row */
	uint8_t side, into; /* bundles: of the tile that drives it, of the tile that it reaches */
	uint8_t wires;
};
struct route_graph {
	const struct aie_arch *arch;
	uint32_t tile_count, link_count;
	struct route_link links[ROUTE_LINKS];
	uint16_t out[ROUTE_TILES][ROUTE_SIDES];    /* links by side, SOUTH first; NONE */
	uint16_t next[ROUTE_LINKS][ROUTE_SIDES];   /* links that a stream on one may go on to, except its own way back */
	uint16_t before[ROUTE_LINKS][ROUTE_SIDES]; /* the same the other way round */
	uint8_t next_count[ROUTE_LINKS], before_count[ROUTE_LINKS];
	uint16_t reverse[ROUTE_LINKS];              /* the link the other way; NONE */
	uint16_t back[ROUTE_LINKS];                 /* the same, if the switch at the end lets a stream turn round; NONE */
	uint8_t distance[ROUTE_TILES][ROUTE_TILES]; /* columns and rows between tiles: no way is shorter */
};
/* Errors: INVALID for an array larger than the tables. */
ptowsp_status route_graph_init(struct route_graph *graph, const struct aie_arch *arch, struct ptowsp_error *error);
/* Does a stream that goes from one link on to another keep its channel? */
bool route_graph_keeps(const struct route_graph *graph, uint16_t link, uint16_t next);

struct route_tree {
	uint16_t count;
	uint16_t links[ROUTE_LINKS];  /* each behind the one that it continues */
	uint16_t parent[ROUTE_LINKS]; /* index in links; NONE: the source */
};
/* A flow: from a tile to other tiles; which ports does not matter here. */
struct route_net {
	uint64_t targets; /* tiles by bit; that of the source only if a way must leave it and come back (loops) */
	uint32_t target_count;
	uint8_t source; /* tile */
	bool loops;
	uint16_t least; /* links it needs where nobody else is; a lower bound */
	struct route_tree tree;
};
struct route_work {
	struct route_graph graph;
	struct route_net *nets;
	uint32_t net_count;
	uint32_t *order;            /* of nets */
	uint16_t used[ROUTE_LINKS]; /* streams on a link */
	uint32_t history[ROUTE_LINKS];
	uint8_t taste[ROUTE_LINKS]; /* which of equal ways an attempt likes: below ROUTE_TASTE */
	uint32_t cost[ROUTE_LINKS]; /* of the search; UINT32_MAX: closed */
	uint32_t base;              /* no open link costs less */
	uint32_t iterations;
	uint64_t effort;         /* links looked at by searches: what time is measured in where it must not depend on the machine */
	struct route_tree spare; /* of who tries something */
	/* of one search */
	uint32_t distance[ROUTE_LINKS];
	uint16_t from[ROUTE_LINKS], place[ROUTE_LINKS];
	uint64_t heap[ROUTE_LINKS * (ROUTE_SIDES + 1)];
	uint32_t heap_count;
	/* of the exact one: cost of the tree that begins with a link and reaches a set of targets, and how */
	uint32_t best[1 << ROUTE_EXACT][ROUTE_LINKS];
	uint16_t how[1 << ROUTE_EXACT][ROUTE_LINKS];
};

/* route_tree.c: trees by cost. False: closed links keep a target out of reach. `grow` goes to the nearest target, and on from the tree to the next; `exact` is of the
 * least cost there is, for up to ROUTE_EXACT targets; `best` is that for up to `exact` targets, else grown and then improved by moving one target at a time. */
bool route_tree_grow(struct route_work *work, const struct route_net *net, struct route_tree *tree);
bool route_tree_exact(struct route_work *work, const struct route_net *net, struct route_tree *tree);
bool route_tree_best(struct route_work *work, const struct route_net *net, uint32_t exact, struct route_tree *tree);
/* Puts the streams of a tree on its links, or takes them off (-1). */
void route_tree_use(struct route_work *work, const struct route_tree *tree, int by);

/* route_negotiate.c. True: no link carries more than it has wires. */
bool route_negotiate(struct route_work *work, uint64_t seed, uint32_t rounds);
/* route_shorten.c: legal before and after, never longer. */
void route_shorten(struct route_work *work);
/* route_channel.c: channels_out, one per net and link of its tree at [net * ROUTE_LINKS + index]. Errors, without a text: UNSUPPORTED where channels must stay the same
 * and none is left; NO_MEMORY. */
ptowsp_status route_channels(const struct route_work *work, uint8_t *channels_out);
/* route_why.c: says which part of the array more streams must leave or enter than it has wires, false: none is known; and which side was most crowded in what was
 * tried last. */
bool route_why(const struct route_work *work, struct ptowsp_error *error);
void route_why_tried(const struct route_work *work, struct ptowsp_error *error);

#endif
