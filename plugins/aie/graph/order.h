/* SPDX-License-Identifier: MIT */
/* order.h - in which order the host begins its jobs, and for which it waits before, so that nothing ever stands still: found by running the virtual graph without time, with
 * the depths that its streams have. Whatever was begun there can be begun in that order everywhere, because nothing in such a network depends on when. One thread. */
#ifndef AIE_ORDER_H
#define AIE_ORDER_H

#include "aie/graph/aie_graph.h"

struct aie_depths {
	uint32_t from, to; /* objects that fit at the source and at each end; 0 at the host's; a memory tile has the same number for all streams of a group */
	bool joint;        /* source and end see the same memory: the objects of both are the same ones, from = to */
};
struct aie_order_step {
	bool waits;      /* for the oldest task of the stream that nobody has waited for */
	uint32_t number; /* stream, else the job that the task begins with */
	uint32_t task;   /* of one that waits: the program's task for whose place in the window it waits; AIE_NOTHING: it waits for something else */
};
/* A cell that waits: to make an object of the stream, or to take one. */
struct aie_order_wait {
	uint32_t cell, stream;
	bool makes;
};
enum { AIE_ORDER_RING = 8 };
struct aie_order {
	struct aie_order_step *steps;
	uint32_t count, room;
	bool stuck; /* with these depths it stands still: no order */
	struct aie_order_wait ring
		[AIE_ORDER_RING]; /* then: cells of which each waits for the next and the last for the first, as many as there is room for; none where they wait for the host */
	uint32_t ring_count;
};
struct aie_order_args {
	const struct aie_graph *graph;
	const struct aie_depths *depths; /* per stream */
	uint32_t queue;              /* descriptors of a stream that may be given to its channel and not waited for; a job with filler behind it takes two */
	const struct aie_acts *acts; /* those of the graph */
	const struct aie_bounds *bounds; /* when tasks may be handed over; NULL: at any time */
};
/* Fills a zeroed or finished order. Errors: UNSUPPORTED naming a cell and the stream where it stands still; NO_MEMORY. */
ptowsp_status aie_order_make(struct aie_order *order, const struct aie_order_args *args, struct ptowsp_error *error);
void aie_order_finish(struct aie_order *order);

#endif
