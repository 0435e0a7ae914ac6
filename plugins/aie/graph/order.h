/* SPDX-License-Identifier: MIT */
/* order.h - in which order the host begins its jobs, and for which it waits before, so that nothing ever stands still: found by running the virtual graph without time, with
 * the depths that its streams have. Whatever was begun there can be begun in that order everywhere, because nothing in such a network depends on when. One thread. */
#ifndef AIE_ORDER_H
#define AIE_ORDER_H

#include "aie/graph/aie_graph.h"
#include "aie/place/aie_place.h"

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

/* How many objects each stream has at its source and at its ends. A channel has no more than its capacity says, counted over both. One thread. */
/* Before places are known: depths has one row per stream of the graph, with what may be needed on either side. depth: objects at each end, at least 1. whole: channels get
 * all that their capacity lets them, however much that is. True if some channel got less. */
bool aie_depths_choose(struct aie_depths *depths, const struct aie_graph *graph, uint32_t depth, bool whole);
/* With places, of cells first: where two cores see one memory their objects are the same ones; elsewhere a channel's are divided between both ends. */
void aie_depths_settle(struct aie_depths *depths, const struct aie_graph *graph, const struct aie_arch *arch, const struct aie_place *places);

/* Jobs of tasks, as order.c knows them: which job begins a task and by which the host sees that it has ended. One thread. */
struct aie_order_bound {
	const struct aie_bounds *bounds; /* NULL: none, and nothing else is there */
	const struct aie_graph *graph;
	const struct aie_acts *acts;
	uint32_t *ends;  /* per task: the job that says that it has ended, AIE_NOTHING */
	uint8_t *begins; /* per task: 0: by no job; 1: by one that has not begun; 2: it has */
	uint32_t *ended; /* per line: of its first tasks, those that have ended */
	uint32_t *seen;  /* per line: for whose ends the host has waited */
	uint64_t handed; /* tasks before it have been handed over */
};
/* bound: zeroed. False: no memory. */
bool aie_order_bound_make(struct aie_order_bound *bound, const struct aie_order_args *args);
void aie_order_bound_finish(struct aie_order_bound *bound);
/* The task that begins with the job, AIE_NOTHING: none that there are bounds for. */
uint32_t aie_order_bound_task(const struct aie_order_bound *bound, uint32_t job);
/* The job that says that the task at this place of the line has ended. */
uint32_t aie_order_bound_end(const struct aie_order_bound *bound, uint32_t line, uint32_t place);
/* Have those before it been handed over? */
bool aie_order_bound_next(struct aie_order_bound *bound, uint32_t task);
/* The job has begun. */
void aie_order_bound_begun(struct aie_order_bound *bound, uint32_t job);

#endif
