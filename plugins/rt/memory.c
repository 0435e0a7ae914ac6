/* SPDX-License-Identifier: MIT */
#include "rt/memory.h"

/* Semantic times and reservations of each task, and the starts that wait in a ready queue. */
static uint64_t clock_bytes(const struct rt_clock *clock)
{
	uint64_t bytes = rt_clock_size(clock);

	for (uint32_t p = 0; p < clock->pools; p++) {
		const struct rt_waiting *waiting = &clock->waiting[p];

		bytes += waiting->line ? ((uint64_t)waiting->mask + 1) * sizeof(*waiting->line) : 0;
		bytes += waiting->room * sizeof(*waiting->heap);
	}
	return bytes;
}

/* A slot per task, and its place in the line and in every deque. */
static uint64_t ring_bytes(const struct rt_crew *crew)
{
	uint64_t slots = crew->ring.mask + 1;

	if (!crew->workers.entered)
		return 0;
	return (slots + RT_GATES) * crew->ring.stride + slots * sizeof(uint32_t) * (1 + (uint64_t)crew->workers.threads);
}

static uint64_t edge_bytes(const struct rt_run *run)
{
	const struct rt_preds *preds = &run->preds;
	uint64_t bytes = preds->room * sizeof(*preds->list) + (preds->marks ? ((uint64_t)preds->mask + 1) * sizeof(*preds->marks) : 0);

	return bytes + (run->crew.workers.entered ? ((uint64_t)run->crew.ring.edge_mask + 1) * sizeof(*run->crew.ring.edges) : 0);
}

static uint64_t map_bytes(const struct rt_run *run)
{
	uint64_t bytes = rt_cells_size(&run->exact) + rt_cells_size(&run->overlap.cells);

	if (run->intern.rows)
		bytes += (run->intern.mask + 1) * sizeof(*run->intern.rows);
	bytes += run->overlap.pieces ? rt_pieces_bytes(run->overlap.pieces) : 0;
	return bytes + (run->watch ? rt_pieces_bytes(run->watch) : 0);
}

void rt_memory_count(const struct rt_run *run, struct rt_memory *memory_out)
{
	const struct rt_flow *flow = &run->flow;
	const struct rt_track *track = &run->track;

	*memory_out = (struct rt_memory){
		.window = run->window,
		.in_flight = run->clock.meters[PTOWSP_RESOURCE_TASK_RING].high_water,
		.records = clock_bytes(&run->clock) + (flow->needs ? (flow->mask + 1) * sizeof(*flow->needs) : 0) + ring_bytes(&run->crew),
		.edges = edge_bytes(run),
		.map = map_bytes(run),
		.readers = track->readers ? ((uint64_t)track->mask + 1) * sizeof(*track->readers) : 0,
	};
}

void rt_memory_tell(const struct rt_run *run)
{
	struct rt_memory memory;

	if (!run->sinks || !run->sinks->memory)
		return;
	rt_memory_count(run, &memory);
	run->sinks->memory(run->sinks->context, &memory);
}
