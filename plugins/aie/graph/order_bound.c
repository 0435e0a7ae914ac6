/* SPDX-License-Identifier: MIT */
#include "aie/graph/order.h"

#include <stdlib.h>
#include <string.h>

static uint32_t task_of(const struct aie_order_bound *bound, uint32_t job)
{
	const struct aie_act *act = &bound->acts->rows[bound->graph->jobs[job].act];

	return act->kind == AIE_ACT_CALL ? (uint32_t)act->task : AIE_NOTHING;
}

bool aie_order_bound_make(struct aie_order_bound *bound, const struct aie_order_args *args)
{
	const struct aie_bounds *bounds = args->bounds && args->bounds->first ? args->bounds : NULL;
	size_t tasks = bounds ? bounds->task_count + 1 : 0, lines = bounds ? (size_t)bounds->line_count + 1 : 0;

	*bound = (struct aie_order_bound){.bounds = bounds, .graph = args->graph, .acts = args->acts};
	if (!bounds)
		return true;
	bound->ends = malloc(tasks * sizeof(*bound->ends));
	bound->begins = calloc(tasks, 1);
	bound->ended = calloc(lines, sizeof(*bound->ended));
	bound->seen = calloc(lines, sizeof(*bound->seen));
	if (!bound->ends || !bound->begins || !bound->ended || !bound->seen)
		return false;
	memset(bound->ends, 0xff, tasks * sizeof(*bound->ends));
	for (uint32_t j = 0; j < args->graph->job_count; j++) {
		uint32_t task = task_of(bound, j);

		if (task != AIE_NOTHING && args->graph->jobs[j].stores)
			bound->ends[task] = j;
		else if (task != AIE_NOTHING)
			bound->begins[task] = 1;
	}
	return true;
}

void aie_order_bound_finish(struct aie_order_bound *bound)
{
	free(bound->ends);
	free(bound->begins);
	free(bound->ended);
	free(bound->seen);
	memset(bound, 0, sizeof(*bound));
}

uint32_t aie_order_bound_task(const struct aie_order_bound *bound, uint32_t job)
{
	return bound->bounds && !bound->graph->jobs[job].stores ? task_of(bound, job) : AIE_NOTHING;
}

uint32_t aie_order_bound_end(const struct aie_order_bound *bound, uint32_t line, uint32_t place)
{
	return bound->ends[bound->bounds->tasks[bound->bounds->begins[line] + place]];
}

bool aie_order_bound_next(struct aie_order_bound *bound, uint32_t task)
{
	while (bound->handed < bound->bounds->task_count && bound->begins[bound->handed] != 1)
		bound->handed++;
	return task <= bound->handed;
}

void aie_order_bound_begun(struct aie_order_bound *bound, uint32_t job)
{
	uint32_t task = aie_order_bound_task(bound, job);

	if (task != AIE_NOTHING)
		bound->begins[task] = 2;
}
