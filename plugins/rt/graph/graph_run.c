/* SPDX-License-Identifier: MIT */
#include "rt/graph/graph_run.h"

#include "rt/program/rt_error.h"
#include "rt/threads/flight.h"
#include <stdlib.h>
#include <string.h>

#define FLIGHT_LIMIT (UINT64_C(1) << 14) /* tasks in flight, at most */

ptowsp_status rt_graph_state_init(struct rt_graph_state *state, const struct rt_graph *graph, struct ptowsp_error *error)
{
	uint64_t *ends = malloc(((size_t)graph->task_count + 1) * sizeof(*ends)), count = 0;

	*state = (struct rt_graph_state){.graph = graph};
	for (uint32_t t = 0; ends && t < graph->task_count; t++) {
		ends[t] = count;
		count += graph->tasks[t].fanin;
	}
	state->producers = ends ? malloc((count + 1) * sizeof(*state->producers)) : NULL;
	for (uint32_t t = 0; state->producers && t < graph->task_count; t++) {
		const struct rt_graph_task *task = &graph->tasks[t];

		for (uint32_t e = 0; e < task->fanout_count; e++)
			state->producers[ends[graph->edges[task->fanout_begin + e]]++] = t;
		if (task->stream_next != RT_GRAPH_NONE)
			state->producers[ends[task->stream_next]++] = t;
	}
	free(ends);
	return state->producers ? PTOWSP_OK : rt_no_memory(error, "the run of a graph");
}

void rt_graph_state_finish(struct rt_graph_state *state)
{
	free(state->producers);
	memset(state, 0, sizeof(*state));
}

struct going {
	const struct rt_graph *graph;
	const struct rt_graph_how *how;
	struct rt_flight flight;
};

static ptowsp_status task_run(void *context, const struct rt_slot *slot, uint32_t worker, struct ptowsp_error *error)
{
	const struct going *going = context;

	return going->how->task(going->how->context, (uint32_t)slot->number, worker, error);
}

static ptowsp_status look(void *context, struct ptowsp_error *error)
{
	const struct rt_graph_how *how = ((const struct going *)context)->how;

	return how->look ? how->look(how->context, error) : PTOWSP_OK;
}

static void task_rank(void *context, uint32_t at, struct rt_rank *rank)
{
	const struct going *going = context;
	uint64_t number = rt_ring_slot(&going->flight.ring, at)->number;
	const struct rt_wish wish = going->how->wish ? going->how->wish(going->how->context, (uint32_t)number) : (struct rt_wish){0, 0};

	*rank = (struct rt_rank){wish.priority, going->graph->tasks[number].fanout_count, wish.home, number};
}

/* `order` is a barrier: tasks are added in the order of their numbers, so those behind wait too. */
static ptowsp_status tasks_submit(struct going *going, const uint64_t *producers, struct ptowsp_error *error)
{
	const struct rt_graph *graph = going->graph;
	struct rt_flight *flight = &going->flight;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t t = 0; !status && t < graph->task_count; t++) {
		uint32_t fanin = graph->tasks[t].fanin;
		struct rt_slot *slot;

		status = rt_flight_wait(flight, graph->tasks[t].order, error);
		if (!status)
			status = rt_flight_add(flight, fanin, &slot, error);
		if (!status)
			status = rt_flight_submit(flight, producers, fanin, 0, error);
		producers += fanin;
	}
	return status;
}

static ptowsp_status run_shared(const struct rt_graph_state *state, const struct rt_graph_how *how, struct ptowsp_error *error)
{
	uint64_t window = state->graph->task_count < FLIGHT_LIMIT ? state->graph->task_count : FLIGHT_LIMIT;
	struct going going = {.graph = state->graph, .how = how};
	ptowsp_status status;

	going.flight = (struct rt_flight){.context = &going,
					  .task = task_run,
					  .look = look,
					  .order = {how->policy, task_rank, &going, how->homes},
					  .threshold = how->policy ? window : 1}; /* a policy chooses among all that is there */
	status = rt_flight_init(&going.flight, how->pool, window, 0, error);
	if (!status)
		status = tasks_submit(&going, state->producers, error);
	status = rt_flight_end(&going.flight, status, error);
	rt_flight_finish(&going.flight);
	return status;
}

static ptowsp_status run_alone(const struct rt_graph *graph, const struct rt_graph_how *how, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t t = 0; !status && t < graph->task_count; t++) {
		if (how->look)
			status = how->look(how->context, error);
		if (!status)
			status = how->task(how->context, t, 0, error);
	}
	return status;
}

ptowsp_status rt_graph_run(const struct rt_graph_state *state, const struct rt_graph_how *how, struct ptowsp_error *error)
{
	struct ptowsp_error own = {.head = PTOWSP_HEAD(own, ERROR)};

	error = error ? error : &own;
	return rt_pool_threads(how->pool) == 1 ? run_alone(state->graph, how, error) : run_shared(state, how, error);
}
