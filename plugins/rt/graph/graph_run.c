/* SPDX-License-Identifier: MIT */
#include "rt/graph/graph_run.h"

#include "rt/grow.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

#define LOOK_NS UINT64_C(10000000)

/* The one pass over all records: what a run needs of them before their tasks run. */
static void records_read(struct rt_graph_state *state)
{
	const struct rt_graph *graph = state->graph;

	for (uint32_t t = 0; t < graph->task_count; t++) {
		state->fanins[t] = graph->tasks[t].fanin;
		state->ordered |= graph->tasks[t].order != 0;
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
	state->done = malloc(tasks);
	if (!state->waits || !state->fanins || !state->done)
		return rt_no_memory(error, "the run of a graph");
	records_read(state);
	return PTOWSP_OK;
}

void rt_graph_state_finish(struct rt_graph_state *state)
{
	if (!state->graph)
		return;
	pthread_mutex_destroy(&state->lock);
	free(state->waits);
	free(state->fanins);
	free(state->done);
	memset(state, 0, sizeof(*state));
}

/* ---- order --------------------------------------------------------------------------------------------------------- */

/* Something that a task waited for is over. True: it was the last. Acquire and release: who sees zero sees what all those before it did. */
static bool released(struct rt_graph_state *state, uint32_t task)
{
	return atomic_fetch_sub_explicit(&state->waits[task], 1, memory_order_acq_rel) == 1;
}

/* Under the lock: what has ended lets others in. */
static void admit(struct rt_graph_state *state, struct rt_chain *chain)
{
	const struct rt_graph *graph = state->graph;

	while (state->frontier < graph->task_count && state->done[state->frontier])
		state->frontier++;
	while (state->admitted < graph->task_count && graph->tasks[state->admitted].order <= state->frontier)
		if (released(state, state->admitted++))
			rt_chain_ready(chain, state->admitted - 1);
}

static void ended(struct rt_graph_state *state, uint32_t number, struct rt_chain *chain)
{
	const struct rt_graph_task *task = &state->graph->tasks[number];
	const uint32_t *to = state->graph->edges + task->fanout_begin;

	if (task->stream_next != RT_GRAPH_NONE && released(state, task->stream_next))
		rt_chain_ready(chain, task->stream_next);
	for (uint32_t i = task->fanout_count; i--;)
		if (released(state, to[i]))
			rt_chain_ready(chain, to[i]);
	if (!state->ordered)
		return;
	pthread_mutex_lock(&state->lock);
	state->done[number] = 1;
	admit(state, chain);
	pthread_mutex_unlock(&state->lock);
}

/* ---- threads ------------------------------------------------------------------------------------------------------- */

/* task: RT_GRAPH_NONE for a look. */
static void fail(struct rt_graph_state *state, uint32_t task, ptowsp_status status, const struct ptowsp_error *error)
{
	rt_workers_failed(&state->workers, task, status, error);
	rt_workers_halt(&state->workers);
}

static bool look(struct rt_graph_state *state, struct ptowsp_error *error)
{
	ptowsp_status status = state->how->look ? state->how->look(state->how->context, error) : PTOWSP_OK;

	if (status)
		fail(state, RT_GRAPH_NONE, status, error);
	return !status;
}

/* All tasks have, or no more begin. Sequentially consistent, as rt_ready_expect demands. */
static bool over(const void *context, uint32_t unused)
{
	const struct rt_graph_state *state = context;
	uint32_t count = 0;

	(void)unused;
	for (uint32_t t = 0; t < state->workers.threads; t++)
		count += atomic_load(&state->ended[t].count);
	return count == state->graph->task_count || atomic_load(&state->workers.stop);
}

static void task_run(void *context, uint32_t task, struct rt_chain *chain)
{
	struct rt_graph_state *state = context;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	ptowsp_status status = state->how->task(state->how->context, task, chain->worker, &error);

	if (status) {
		fail(state, task, status, &error);
		return;
	}
	ended(state, task, chain);
	atomic_fetch_add(&state->ended[chain->worker].count, 1);
	rt_ready_tell(&state->workers.ready, 0);
	if (!chain->worker)
		look(state, &error);
}

/* The calling thread does what the others do, and looks at the time. */
static void work_here(struct rt_graph_state *state)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	uint32_t task;

	while (!over(state, 0) && look(state, &error))
		if (rt_ready_take(&state->workers.ready, 0, &task) || rt_ready_expect(&state->workers.ready, 0, over, state, LOOK_NS, &task))
			rt_workers_run(&state->workers, task, 0);
}

static ptowsp_status run_alone(struct rt_graph_state *state, struct ptowsp_error *error)
{
	const struct rt_graph_how *how = state->how;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t t = 0; !status && t < state->graph->task_count; t++) {
		if (how->look)
			status = how->look(how->context, error);
		if (!status)
			status = how->task(how->context, t, 0, error);
	}
	return status;
}

/* What waits for nothing. */
static void tasks_begin(struct rt_graph_state *state)
{
	struct rt_chain chain = {.workers = &state->workers};
	uint32_t tasks = state->graph->task_count;

	for (uint32_t t = 0; t < tasks; t++)
		atomic_init(&state->waits[t], state->fanins[t] + state->ordered);
	memset(state->done, 0, tasks);
	state->admitted = state->frontier = 0;
	if (state->ordered)
		admit(state, &chain);
	for (uint32_t t = tasks; !state->ordered && t--;)
		if (!state->fanins[t])
			rt_chain_ready(&chain, t);
	if (chain.have)
		rt_ready_push(&state->workers.ready, 0, chain.next);
	if (state->workers.ready.queue)
		rt_ready_share(&state->workers.ready, 0);
}

static void task_rank(void *context, uint32_t task, struct rt_rank *rank)
{
	const struct rt_graph_state *state = context;
	const struct rt_wish wish = state->how->wish ? state->how->wish(state->how->context, task) : (struct rt_wish){0, 0};

	*rank = (struct rt_rank){wish.priority, state->graph->tasks[task].fanout_count, wish.home, task};
}

static ptowsp_status run_shared(struct rt_graph_state *state, struct ptowsp_error *error)
{
	uint32_t threads = state->workers.threads;
	ptowsp_status status = PTOWSP_OK;

	state->ended = aligned_alloc(RT_GRAPH_ALIGNMENT, threads * sizeof(*state->ended));
	if (!state->ended || !rt_workers_make(&state->workers, rt_power_above(state->graph->task_count)))
		return rt_no_memory(error, "the run of a graph");
	memset(state->ended, 0, threads * sizeof(*state->ended));
	if (state->how->look) /* or the workers are through before it is asked */
		status = state->how->look(state->how->context, error);
	if (status)
		return status;
	tasks_begin(state);
	rt_workers_enter(&state->workers);
	work_here(state);
	rt_workers_leave(&state->workers);
	return rt_workers_status(&state->workers, error);
}

ptowsp_status rt_graph_run(struct rt_graph_state *state, const struct rt_graph_how *how, struct ptowsp_error *error)
{
	struct ptowsp_error own = {.head = PTOWSP_HEAD(own, ERROR)};
	ptowsp_status status;

	state->how = how;
	if (!error)
		error = &own;
	if (rt_pool_threads(how->pool) == 1)
		return run_alone(state, error);
	if (!state->graph->task_count)
		return PTOWSP_OK;
	rt_workers_init(&state->workers, how->pool, task_run, state);
	state->workers.order = (struct rt_ready_order){how->policy, task_rank, state, how->homes};
	status = run_shared(state, error);
	rt_workers_finish(&state->workers);
	free(state->ended);
	state->ended = NULL;
	return status;
}
