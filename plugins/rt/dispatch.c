/* SPDX-License-Identifier: MIT */
/* dispatch.c - from the expander to the worker threads: a task's record in the ring, its links, and who runs it. */
#include <string.h>
#include "rt/run.h"

void rt_windows_store(struct rt_run *run, const struct rt_site *site, uint64_t *words)
{
	const struct rt_access *accesses = rt_run_accesses(run);

	for (uint32_t i = 0; i < site->io_count; i++) {
		words[2 * i] = (uint64_t)accesses[i].start;
		words[2 * i + 1] = accesses[i].length;
	}
}

/* Tasks that wait for each thread before the expander runs one itself: enough that nobody runs dry while it does. */
#define BACKLOG_PER_THREAD 32u

/* A ready task goes to whoever is free, unless there is enough for all, or handing it over takes longer than running it. */
static ptowsp_status run_ready(struct rt_run *run, uint32_t slot)
{
	const struct rt_crew *crew = &run->crew;
	bool here = rt_ready_backlog(&crew->ready) >= crew->threads * BACKLOG_PER_THREAD ||
		    (!run->known[run->kernel].varies && rt_crew_brief(crew, run->kernel));

	if (!here) {
		rt_ready_push(&run->crew.ready, slot);
		return PTOWSP_OK;
	}
	rt_crew_run(&run->crew, slot, 0);
	return rt_look_after_kernel(run);
}

ptowsp_status rt_dispatch(struct rt_run *run, const struct rt_site *site, struct rt_clock_task *task)
{
	struct rt_ring *ring = &run->crew.ring;
	struct rt_slot *slot;
	uint64_t *words, count = site->arg_count + 2 * (uint64_t)site->io_count;
	ptowsp_status st = rt_wait_room(run, count);

	if (st)
		return st;
	slot = rt_ring_add(ring, count, &words);
	slot->site = (uint32_t)(site - run->program->sites);
	slot->kernel = run->kernel;
	slot->executor = task->executor;
	slot->stream = task->stream;
	slot->later = run->known[run->kernel].later;
	slot->cycles = slot->later ? 0 : task->cycles;
	if (slot->later)
		task->cycles = RT_CYCLES_LATER;
	memcpy(words, run->task_args, site->arg_count * sizeof(*words));
	rt_windows_store(run, site, words + site->arg_count);
	for (uint32_t i = 0; i < run->preds.count; i++)
		rt_ring_link(ring, run->preds.list[i]);
	if (run->stream_order && run->stream_order[task->stream])
		rt_ring_link(ring, run->stream_order[task->stream] - 1);
	return rt_ring_linked(ring) ? run_ready(run, (uint32_t)(slot - ring->slots)) : PTOWSP_OK;
}

/* On worker threads: places that have to be given back, barriers, and, for policies that look at the clock, cycles that are not yet known. */
ptowsp_status rt_dispatch_gates(struct rt_run *run)
{
	uint64_t tasks = run->flow.tail > run->barrier ? run->flow.tail : run->barrier;

	if (run->places.timed && run->lag.waiting)
		tasks = run->tasks;
	return rt_wait_tasks(run, tasks);
}
