/* SPDX-License-Identifier: MIT */
#include "rt/threads/flight.h"

#include "rt/program/rt_error.h"
#include <string.h>

#define WAIT_NS UINT64_C(10000000) /* between two looks */
enum { FRONTIER_EVERY = 32 };      /* the frontier is moved so often, or when there is no room */

static void slot_run(void *context, uint32_t at, struct rt_chain *chain)
{
	struct rt_flight *flight = context;
	struct rt_slot *slot = rt_ring_slot(&flight->ring, at);
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	ptowsp_status status = flight->task(flight->context, slot, chain->worker, &error);

	if (status) {
		rt_workers_failed(&flight->workers, slot->number, status, &error);
		atomic_store(&flight->workers.stop, 1);
	}
	rt_ring_finished(&flight->ring, at, status != PTOWSP_OK, rt_chain_ready, chain);
	rt_ready_tell(&flight->workers.ready, at);
}

/* The calling thread looks around after each task. */
static bool never(void *host)
{
	(void)host;
	return false;
}

ptowsp_status rt_flight_init(struct rt_flight *flight, struct rt_pool *pool, uint64_t window, uint64_t words, struct ptowsp_error *error)
{
	rt_workers_init(&flight->workers, pool, slot_run, flight);
	flight->workers.goes_on = never;
	flight->workers.order = flight->order;
	return rt_ring_init(&flight->ring, window, words) && rt_workers_make(&flight->workers, flight->ring.mask + 1) ? PTOWSP_OK
														      : rt_no_memory(error, "tasks in flight");
}

void rt_flight_finish(struct rt_flight *flight)
{
	rt_workers_finish(&flight->workers);
	rt_ring_finish(&flight->ring);
}

/* ---- waiting ------------------------------------------------------------------------------------------------------- */

static void start(struct rt_flight *flight)
{
	if (flight->workers.entered)
		return;
	flight->started_at = flight->ring.issued;
	rt_workers_enter(&flight->workers);
}

static ptowsp_status look(struct rt_flight *flight, struct ptowsp_error *error)
{
	return flight->look ? flight->look(flight->context, error) : PTOWSP_OK;
}

static ptowsp_status frontier_move(struct rt_flight *flight, struct ptowsp_error *error)
{
	while (rt_ring_advance(&flight->ring))
		;
	return rt_workers_status(&flight->workers, error);
}

/* Runs something, or naps until the oldest task has ended. */
static ptowsp_status wait_step(struct rt_flight *flight, struct ptowsp_error *error)
{
	uint32_t oldest = rt_ring_note(&flight->ring, flight->ring.frontier)->slot, slot;
	ptowsp_status status = look(flight, error);

	if (!status && (rt_ready_take(&flight->workers.ready, 0, &slot) || rt_ready_expect(&flight->workers.ready, &flight->ring, oldest, WAIT_NS, &slot)))
		rt_workers_run(&flight->workers, slot, 0);
	return status ? status : frontier_move(flight, error);
}

ptowsp_status rt_flight_wait(struct rt_flight *flight, uint64_t tasks, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	if (flight->ring.frontier < tasks)
		status = frontier_move(flight, error);
	while (!status && flight->ring.frontier < tasks) {
		start(flight);
		status = wait_step(flight, error);
	}
	return status;
}

/* ---- adding -------------------------------------------------------------------------------------------------------- */

ptowsp_status rt_flight_add(struct rt_flight *flight, uint64_t edges, struct rt_slot **slot_out, struct ptowsp_error *error)
{
	struct rt_ring *ring = &flight->ring;
	ptowsp_status status = look(flight, error);

	if (!status && ring->issued % FRONTIER_EVERY == 0)
		status = frontier_move(flight, error);
	/* Tasks that have ended get no edge: with nothing in flight there is room whatever `edges` is. */
	while (!status && !rt_ring_room(ring, edges) && ring->frontier < ring->issued)
		status = rt_flight_wait(flight, ring->frontier + 1, error);
	if (!status)
		*slot_out = rt_ring_add(ring);
	return status;
}

/* One thread: ready tasks run here, now. */
static ptowsp_status run_alone(struct rt_flight *flight, struct ptowsp_error *error)
{
	uint32_t slot;

	while (!atomic_load_explicit(&flight->workers.stop, memory_order_relaxed) && rt_ready_take(&flight->workers.ready, 0, &slot))
		rt_workers_run(&flight->workers, slot, 0);
	return frontier_move(flight, error);
}

ptowsp_status rt_flight_submit(struct rt_flight *flight, const uint64_t *producers, uint32_t count, uint64_t also, struct ptowsp_error *error)
{
	struct rt_ring *ring = &flight->ring;

	if (rt_ring_link(ring, producers, count, also))
		rt_ready_push(&flight->workers.ready, 0, rt_ring_note(ring, ring->issued - 1)->slot);
	if (ring->issued - ring->frontier > flight->most_aloft)
		flight->most_aloft = ring->issued - ring->frontier;
	if (ring->issued >= flight->threshold)
		start(flight);
	return flight->workers.entered && flight->workers.threads == 1 ? run_alone(flight, error) : rt_workers_status(&flight->workers, error);
}

ptowsp_status rt_flight_end(struct rt_flight *flight, ptowsp_status status, struct ptowsp_error *error)
{
	ptowsp_status failed;

	if (!flight->workers.run)
		return status;
	if (!status) {
		start(flight);
		status = rt_flight_wait(flight, flight->ring.issued, error);
	}
	rt_workers_leave(&flight->workers);
	failed = rt_workers_status(&flight->workers, error);
	return failed ? failed : status;
}
