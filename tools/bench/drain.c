/* SPDX-License-Identifier: MIT */
#include "tools/bench/drain.h"

#include <stdlib.h>
#include "rt/pool.h"
#include "rt/ready.h"
#include "rt/ring.h"
#include "tools/bench/bench.h"

void bench_recording_add(void *context, uint64_t producer, uint64_t consumer)
{
	struct bench_recording *r = context;

	if (r->count == r->room) {
		uint64_t room = r->room ? 2 * r->room : 4096;
		void *more = realloc(r->edges, room * sizeof(*r->edges));

		if (!more) {
			r->count++;
			return;
		}
		r->edges = more;
		r->room = room;
	}
	if (r->count < r->room) {
		r->edges[r->count][0] = producer;
		r->edges[r->count++][1] = consumer;
	}
}

void bench_recording_finish(struct bench_recording *recording)
{
	free(recording->edges);
	*recording = (struct bench_recording){0};
}

/* A graph that is being drained. */
struct drain {
	struct rt_ring ring;
	struct rt_ready ready;
	uint32_t *starts; /* slots of tasks that wait for nobody */
	uint64_t start_count, tasks;
	_Atomic uint64_t finished;
	ptowsp_status (*volatile kernel)(const struct rt_slot *slot);
};

static ptowsp_status nothing(const struct rt_slot *slot)
{
	(void)slot;
	return PTOWSP_OK;
}

/* The first task that becomes ready is kept for the same thread, as the core does it. */
struct chain {
	struct drain *drain;
	uint32_t worker, next;
	bool have;
};

static void made_ready(void *context, uint32_t slot)
{
	struct chain *chain = context;

	if (chain->have) {
		rt_ready_push(&chain->drain->ready, chain->worker, slot);
		return;
	}
	chain->next = slot;
	chain->have = true;
}

static void work(void *context, uint32_t worker)
{
	struct drain *drain = context;
	struct chain chain = {.drain = drain, .worker = worker};
	uint32_t slot;

	while (rt_ready_wait(&drain->ready, worker, &slot)) {
		uint64_t ran = 0;

		chain.next = slot;
		chain.have = true;
		while (chain.have) {
			uint32_t at = chain.next;

			chain.have = false;
			drain->kernel(rt_ring_slot(&drain->ring, at));
			rt_ring_finished(&drain->ring, at, false, made_ready, &chain);
			ran++;
		}
		if (atomic_fetch_add(&drain->finished, ran) + ran == drain->tasks)
			rt_ready_stop(&drain->ready);
	}
}

/* Edges stand in the order of their consumers. producers: room for as many as there are edges. */
static void link_all(struct drain *drain, const struct bench_recording *recording, uint64_t *producers)
{
	uint64_t edge = 0;

	for (uint64_t t = 0; t < recording->tasks; t++) {
		uint32_t count = 0;

		for (; edge < recording->count && recording->edges[edge][1] == t; edge++)
			producers[count++] = recording->edges[edge][0];
		rt_ring_add(&drain->ring);
		if (rt_ring_link(&drain->ring, producers, count, 0))
			drain->starts[drain->start_count++] = (uint32_t)t;
	}
}

static ptowsp_status ran_once(const struct drain *drain)
{
	uint64_t done = 0;

	for (uint64_t t = 0; t < drain->tasks; t++)
		done += rt_slot_over(rt_ring_task(&drain->ring, t));
	return done == drain->tasks && atomic_load(&drain->finished) == drain->tasks ? PTOWSP_OK : PTOWSP_RUN_FAILED;
}

ptowsp_status bench_drain(const struct bench_recording *recording, struct rt_pool *pool, double *ns_out)
{
	struct drain drain = {.tasks = recording->tasks, .kernel = nothing};
	ptowsp_status st = PTOWSP_NO_MEMORY;

	uint64_t *producers = calloc(recording->count + 1, sizeof(*producers));

	drain.starts = calloc(recording->tasks + 1, sizeof(*drain.starts));
	if (recording->count <= recording->room && drain.starts && producers && rt_ring_init(&drain.ring, recording->tasks, 1) &&
	    rt_ready_init(&drain.ready, drain.ring.mask + 1, rt_pool_threads(pool)) && recording->count <= drain.ring.edge_mask) {
		uint64_t began;

		link_all(&drain, recording, producers);
		began = bench_now_ns();
		rt_ready_publish(&drain.ready, drain.starts, (uint32_t)drain.start_count);
		rt_pool_enter(pool, work, &drain);
		work(&drain, 0);
		rt_pool_leave(pool);
		*ns_out = (double)(bench_now_ns() - began);
		st = ran_once(&drain);
	}
	if (drain.ready.threads)
		rt_ready_finish(&drain.ready);
	rt_ring_finish(&drain.ring);
	free(drain.starts);
	free(producers);
	return st;
}
