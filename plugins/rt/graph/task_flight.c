/* SPDX-License-Identifier: MIT */
#include "rt/graph/task_flight.h"

#include "rt/grow.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

#define WAIT_NS UINT64_C(10000000) /* between two looks for a cancel */
enum { FRONTIER_EVERY = 32 };      /* the frontier is moved so often, or when there is no room */

/* A slot's words: the record, the arguments, the tensor arguments. */
enum { TASK_WORDS = sizeof(struct rt_graph_task) / sizeof(uint64_t), IO_WORDS = sizeof(struct rt_graph_io) / sizeof(uint64_t) };

static uint64_t words_of(uint64_t args, uint64_t ios)
{
	return TASK_WORDS + args + ios * IO_WORDS;
}

static void slot_run(void *context, uint32_t at, struct rt_chain *chain);

/* The calling thread looks around after each task. */
static bool never(void *host)
{
	(void)host;
	return false;
}

ptowsp_status rt_flight_init(struct rt_flight *flight, struct rt_tasks *tasks, uint64_t window, uint32_t threshold, struct ptowsp_error *error)
{
	memset(flight, 0, sizeof(*flight));
	flight->tasks = tasks;
	flight->threshold = threshold;
	rt_workers_init(&flight->workers, tasks->pool, slot_run, flight);
	flight->workers.goes_on = never;
	if (!rt_ring_init(&flight->ring, window, words_of(tasks->config.most_args, tasks->config.most_tensors)) ||
	    !rt_workers_make(&flight->workers, flight->ring.mask + 1) || rt_flow_init(&flight->flow, window, 0, 0))
		return rt_no_memory(error, "tasks in flight");
	return PTOWSP_OK;
}

void rt_flight_finish(struct rt_flight *flight)
{
	if (!flight->tasks)
		return;
	rt_workers_finish(&flight->workers);
	rt_ring_finish(&flight->ring);
	rt_flow_finish(&flight->flow);
	free(flight->stream_last);
	memset(flight, 0, sizeof(*flight));
}

uint64_t rt_flight_bytes(const struct rt_flight *flight)
{
	const struct rt_ring *ring = &flight->ring;

	return (ring->mask + 1 + RT_GATES) * ring->stride + ((uint64_t)ring->edge_mask + 1) * sizeof(*ring->edges) +
	       (ring->mask + 1) * sizeof(uint32_t) * (1 + (uint64_t)flight->workers.threads);
}

/* ---- running one ------------------------------------------------------------------------------------------------------ */

static void slot_run(void *context, uint32_t at, struct rt_chain *chain)
{
	struct rt_flight *flight = context;
	struct rt_slot *slot = rt_ring_slot(&flight->ring, at);
	const struct rt_graph_task *task = (const struct rt_graph_task *)(const void *)slot->words;
	const uint64_t *args = slot->words + TASK_WORDS;
	const struct rt_graph_io *ios = (const struct rt_graph_io *)(const void *)(args + task->arg_count);
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	ptowsp_status status = rt_task_call(flight->tasks, task, slot->number, args, ios, chain->worker, &error);

	if (status) {
		rt_workers_failed(&flight->workers, slot->number, status, &error);
		atomic_store(&flight->workers.stop, 1);
	}
	rt_ring_finished(&flight->ring, at, status != PTOWSP_OK, rt_chain_ready, chain);
	rt_ready_tell(&flight->workers.ready, at);
}

static void start(struct rt_flight *flight)
{
	if (flight->workers.entered)
		return;
	flight->started_at = flight->ring.issued;
	rt_workers_enter(&flight->workers);
}

/* ---- waiting ---------------------------------------------------------------------------------------------------------- */

static ptowsp_status frontier_move(struct rt_flight *flight, struct ptowsp_error *error)
{
	while (rt_ring_advance(&flight->ring))
		;
	return rt_workers_status(&flight->workers, error);
}

static bool slot_over(const void *context, uint32_t at)
{
	return rt_ring_ended(context, at);
}

/* Runs something, or naps until the oldest task has ended. */
static ptowsp_status wait_step(struct rt_flight *flight, struct ptowsp_error *error)
{
	uint32_t oldest = (uint32_t)(flight->ring.frontier & flight->ring.mask), slot;
	ptowsp_status status = rt_tasks_look(flight->tasks, error);

	if (!status &&
	    (rt_ready_take(&flight->workers.ready, 0, &slot) || rt_ready_expect(&flight->workers.ready, oldest, slot_over, &flight->ring, WAIT_NS, &slot)))
		rt_workers_run(&flight->workers, slot, 0);
	return status ? status : frontier_move(flight, error);
}

static ptowsp_status wait_tasks(struct rt_flight *flight, uint64_t tasks, struct ptowsp_error *error)
{
	ptowsp_status status = frontier_move(flight, error);

	while (!status && flight->ring.frontier < tasks) {
		start(flight);
		status = wait_step(flight, error);
	}
	return status;
}

static ptowsp_status wait_room(struct rt_flight *flight, uint64_t edges, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	if (flight->ring.issued % FRONTIER_EVERY == 0)
		status = frontier_move(flight, error);
	while (!status && !rt_ring_room(&flight->ring, edges) && flight->ring.frontier < flight->ring.issued)
		status = wait_tasks(flight, flight->ring.frontier + 1, error);
	return status;
}

/* ---- submitting ------------------------------------------------------------------------------------------------------- */

static ptowsp_status places_find(struct rt_flight *flight, struct ptowsp_error *error)
{
	enum ptowsp_resource reason;
	struct rt_block block;
	ptowsp_status status = rt_flow_reserve(&flight->flow, (struct rt_need){0}, &reason, &block);

	if (status == PTOWSP_NO_MEMORY)
		return rt_no_memory(error, "tasks in flight");
	if (status)
		return rt_fail_at(error, status, flight->ring.issued, flight->tasks->row.kernel,
				  "task %llu can never be submitted: open scopes hold the whole window of %llu tasks; a window of %llu lets it in, or end a "
				  "scope before",
				  (unsigned long long)flight->ring.issued, (unsigned long long)block.capacity, (unsigned long long)block.proposed);
	return wait_tasks(flight, rt_flow_tail(&flight->flow), error);
}

/* The latest task of its stream, + 1; UINT64_MAX without memory. */
static uint64_t stream_follow(struct rt_flight *flight)
{
	uint32_t stream = flight->tasks->row.stream;
	uint64_t before;

	if (!flight->tasks->streamed)
		return 0;
	while (flight->stream_count <= stream) {
		if (!rt_grow((void **)&flight->stream_last, &flight->stream_room, flight->stream_count, sizeof(*flight->stream_last)))
			return UINT64_MAX;
		flight->stream_last[flight->stream_count++] = 0;
	}
	before = flight->stream_last[stream];
	flight->stream_last[stream] = flight->ring.issued + 1;
	return before;
}

static void slot_fill(struct rt_flight *flight, struct rt_slot *slot)
{
	const struct rt_tasks *tasks = flight->tasks;
	const struct rt_graph_task *row = &tasks->row;

	slot->kernel = row->kernel;
	slot->executor = row->executor;
	slot->stream = row->stream;
	memcpy(slot->words, row, sizeof(*row));
	memcpy(slot->words + TASK_WORDS, tasks->args, row->arg_count * sizeof(*tasks->args));
	memcpy(slot->words + TASK_WORDS + row->arg_count, tasks->ios, row->io_count * sizeof(*tasks->ios));
}

/* One thread: what is ready runs here, now. */
static ptowsp_status run_alone(struct rt_flight *flight, struct ptowsp_error *error)
{
	uint32_t slot;

	while (!atomic_load_explicit(&flight->workers.stop, memory_order_relaxed) && rt_ready_take(&flight->workers.ready, 0, &slot))
		rt_workers_run(&flight->workers, slot, 0);
	return frontier_move(flight, error);
}

ptowsp_status rt_flight_submit(struct rt_flight *flight, struct ptowsp_error *error)
{
	const struct rt_preds *preds = &flight->tasks->deps.preds;
	struct rt_ring *ring = &flight->ring;
	ptowsp_status status = rt_tasks_look(flight->tasks, error);
	uint64_t before = 0;
	uint32_t at;

	if (!status)
		status = places_find(flight, error);
	if (!status)
		status = wait_room(flight, (uint64_t)preds->count + 1, error);
	if (!status && (before = stream_follow(flight)) == UINT64_MAX)
		status = rt_no_memory(error, "streams");
	if (status)
		return status;
	at = (uint32_t)(ring->issued & ring->mask);
	slot_fill(flight, rt_ring_add(ring));
	if (rt_ring_link(ring, preds->list, preds->count, before))
		rt_ready_push(&flight->workers.ready, 0, at);
	if (ring->issued - ring->frontier > flight->in_flight)
		flight->in_flight = ring->issued - ring->frontier;
	if (ring->issued >= flight->threshold)
		start(flight);
	return flight->workers.entered && flight->workers.threads == 1 ? run_alone(flight, error) : rt_workers_status(&flight->workers, error);
}

ptowsp_status rt_flight_end(struct rt_flight *flight, struct ptowsp_error *error)
{
	start(flight);
	return wait_tasks(flight, flight->ring.issued, error);
}
