/* SPDX-License-Identifier: MIT */
#include "rt/graph_run.h"

#include <stdlib.h>
#include <string.h>
#include "rt/error.h"
#include "rt/pool.h"

#define LOOK_NS UINT64_C(10000000)

/* The one pass over all records: what a run needs of them before their tasks run. */
static void records_read(struct rt_graph_state *state)
{
	const struct rt_graph *graph = state->graph;

	for (uint32_t t = 0; t < graph->task_count; t++) {
		state->fanins[t] = graph->tasks[t].fanin;
		state->places[t] = graph->tasks[t].queue;
		state->ordered |= graph->tasks[t].order != 0;
		if (graph->tasks[t].queue >= state->queue_count)
			state->queue_count = graph->tasks[t].queue + 1u;
	}
}

ptowsp_status rt_graph_state_init(struct rt_graph_state *state, const struct rt_graph *graph, struct ptowsp_error *error)
{
	size_t tasks = (size_t)graph->task_count + 1;

	memset(state, 0, sizeof(*state));
	state->graph = graph;
	pthread_mutex_init(&state->lock, NULL);
	state->waits = malloc(tasks * sizeof(*state->waits));
	state->fanins = malloc(tasks * sizeof(*state->fanins));
	state->places = malloc(tasks);
	state->done = malloc(tasks);
	if (!state->waits || !state->fanins || !state->places || !state->done || !rt_graph_queues_init(&state->queues, graph->task_count))
		return rt_no_memory(error, "the run of a graph");
	records_read(state);
	return PTOWSP_OK;
}

void rt_graph_state_finish(struct rt_graph_state *state)
{
	if (!state->graph)
		return;
	rt_graph_queues_finish(&state->queues);
	pthread_mutex_destroy(&state->lock);
	free(state->waits);
	free(state->fanins);
	free(state->places);
	free(state->done);
	memset(state, 0, sizeof(*state));
}

/* ---- failures ------------------------------------------------------------------------------------------------------ */

static void fail(struct rt_graph_state *state, uint32_t task, ptowsp_status st, const struct ptowsp_error *error)
{
	pthread_mutex_lock(&state->lock);
	if (!state->status || task < state->failed_task) {
		state->status = st;
		state->failed_task = task;
		state->error = *error;
	}
	pthread_mutex_unlock(&state->lock);
	atomic_store(&state->stop, 1);
	rt_graph_queues_stop(&state->queues);
}

/* ---- order --------------------------------------------------------------------------------------------------------- */

/* Something that a task waited for is over. True: it was the last. Acquire and release: who sees zero sees what all those before it did. */
static bool released(struct rt_graph_state *state, uint32_t task)
{
	return atomic_fetch_sub_explicit(&state->waits[task], 1, memory_order_acq_rel) == 1;
}

static bool gate_open(const struct rt_graph_state *state)
{
	const struct rt_graph_how *how = state->how;

	return (!how->window || state->admitted - state->frontier < how->window) && (!how->depth || state->admitted - state->ended < how->depth) &&
	       (!state->ordered || state->graph->tasks[state->admitted].order <= state->frontier);
}

/* Under the lock: what has ended lets others in. */
static void admit(struct rt_graph_state *state)
{
	const struct rt_graph *graph = state->graph;

	while (state->frontier < graph->task_count && state->done[state->frontier])
		state->frontier++;
	if (state->admitted == graph->task_count || !gate_open(state))
		return;
	rt_graph_queue_begin(&state->queues);
	while (state->admitted < graph->task_count && gate_open(state)) {
		uint32_t task = state->admitted++;

		if (released(state, task))
			rt_graph_queue_add(&state->queues, state->places[task], task);
	}
	rt_graph_queue_end(&state->queues);
	if (state->admitted - state->ended > state->in_flight_high_water)
		state->in_flight_high_water = state->admitted - state->ended;
}

/* The first task that becomes ready goes on at once on the same thread: what it needs is in this core's cache. */
struct chain {
	uint32_t next;
	bool have;
	uint32_t ended; /* tasks since the count of all was lowered */
};

static void ready(struct rt_graph_state *state, uint32_t task, struct chain *chain, uint32_t queue)
{
	uint8_t own = state->places[task];

	if (!chain->have && (queue == RT_GRAPH_ANY_QUEUE || queue == own)) {
		chain->next = task;
		chain->have = true;
		return;
	}
	rt_graph_queue_push(&state->queues, own, task);
}

static void ended(struct rt_graph_state *state, uint32_t number, struct chain *chain, uint32_t queue)
{
	const struct rt_graph_task *task = &state->graph->tasks[number];
	const uint32_t *to = state->graph->edges + task->fanout_begin;

	for (uint32_t i = 0; i < task->fanout_count; i++)
		if (released(state, to[i]))
			ready(state, to[i], chain, queue);
	if (task->stream_next != RT_GRAPH_NONE && released(state, task->stream_next))
		ready(state, task->stream_next, chain, queue);
	if (state->gated) {
		pthread_mutex_lock(&state->lock);
		state->done[number] = 1;
		state->ended++;
		admit(state);
		pthread_mutex_unlock(&state->lock);
	}
	chain->ended++;
}

/* Lowered once per batch: the count is everybody's. */
static void left_lower(struct rt_graph_state *state, uint32_t ended)
{
	if (ended && atomic_fetch_sub_explicit(&state->left, ended, memory_order_acq_rel) == ended)
		rt_graph_queues_stop(&state->queues);
}

/* ---- threads ------------------------------------------------------------------------------------------------------- */

static bool look(struct rt_graph_state *state, struct ptowsp_error *error)
{
	ptowsp_status st = state->how->look ? state->how->look(state->how->context, error) : PTOWSP_OK;

	if (st)
		fail(state, RT_GRAPH_NONE, st, error);
	return !st;
}

/* A task and those that it leads to. */
static void run_chain(struct rt_graph_state *state, struct chain *chain, uint32_t queue, uint32_t worker)
{
	while (chain->have && !atomic_load_explicit(&state->stop, memory_order_relaxed)) {
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		uint32_t task = chain->next;
		ptowsp_status st = state->how->task(state->how->context, task, worker, &error);

		chain->have = false;
		if (st)
			fail(state, task, st, &error);
		else
			ended(state, task, chain, queue);
		if (worker == 0 && !look(state, &error))
			return;
	}
}

static void run_batch(struct rt_graph_state *state, const struct rt_graph_batch *batch, uint32_t queue, uint32_t worker)
{
	struct chain chain = {0};

	for (uint32_t i = 0; i < batch->count; i++) {
		chain.next = batch->tasks[i];
		chain.have = true;
		run_chain(state, &chain, queue, worker);
	}
	left_lower(state, chain.ended);
}

static void work(void *context, uint32_t worker)
{
	struct rt_graph_state *state = context;
	uint32_t queue = state->how->bound ? worker % state->queue_count : RT_GRAPH_ANY_QUEUE;
	struct rt_graph_batch batch;

	while (rt_graph_queue_wait(&state->queues, queue, worker, state->shares, 0, &batch))
		run_batch(state, &batch, queue, worker);
}

/* The calling thread does the same, and looks at the time. */
static void work_here(struct rt_graph_state *state)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	uint32_t queue = state->how->bound ? 0 : RT_GRAPH_ANY_QUEUE;
	struct rt_graph_batch batch;

	while (!atomic_load(&state->stop) && atomic_load(&state->left) && look(state, &error))
		if (rt_graph_queue_wait(&state->queues, queue, 0, state->shares, LOOK_NS, &batch))
			run_batch(state, &batch, queue, 0);
}

static ptowsp_status run_alone(struct rt_graph_state *state, struct ptowsp_error *error)
{
	const struct rt_graph_how *how = state->how;
	ptowsp_status st = PTOWSP_OK;

	state->in_flight_high_water = state->graph->task_count != 0;
	for (uint32_t t = 0; !st && t < state->graph->task_count; t++) {
		if (how->look)
			st = how->look(how->context, error);
		if (!st)
			st = how->task(how->context, t, 0, error);
	}
	return st;
}

static void state_begin(struct rt_graph_state *state)
{
	uint32_t tasks = state->graph->task_count;

	for (uint32_t t = 0; t < tasks; t++)
		atomic_init(&state->waits[t], state->fanins[t] + 1);
	memset(state->done, 0, tasks);
	state->gated = state->how->window || state->how->depth || state->ordered;
	state->admitted = state->frontier = state->ended = state->in_flight_high_water = 0;
	state->status = PTOWSP_OK;
	atomic_store(&state->left, tasks);
	atomic_store(&state->stop, 0);
	rt_graph_queues_reset(&state->queues);
}

ptowsp_status rt_graph_run(struct rt_graph_state *state, const struct rt_graph_how *how, struct ptowsp_error *error)
{
	struct ptowsp_error own = {.head = PTOWSP_HEAD(own, ERROR)};
	uint32_t threads = rt_pool_threads(how->pool);
	ptowsp_status st;

	state->how = how;
	state->shares = 2 * threads;
	if (threads == 1)
		return how->bound && state->queue_count > 1 ? rt_fail(error, PTOWSP_INVALID, "%u ready queues need as many threads, not 1", state->queue_count)
							    : run_alone(state, error ? error : &own);
	if (how->bound && threads < state->queue_count)
		return rt_fail(error, PTOWSP_INVALID, "%u ready queues need as many threads, not %u", state->queue_count, threads);
	state_begin(state);
	if (!state->graph->task_count)
		return PTOWSP_OK;
	st = how->look ? how->look(how->context, error ? error : &own) : PTOWSP_OK; /* or the workers are through before it is asked */
	if (st)
		return st;
	pthread_mutex_lock(&state->lock);
	admit(state);
	pthread_mutex_unlock(&state->lock);
	rt_pool_enter(how->pool, work, state);
	work_here(state);
	rt_graph_queues_stop(&state->queues);
	rt_pool_leave(how->pool);
	if (state->status && error)
		rt_fail_at(error, state->status, state->error.where[0], state->error.where[1], "%s", state->error.text);
	return state->status;
}
