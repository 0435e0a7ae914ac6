/* SPDX-License-Identifier: MIT */
/* started.c - tasks that a device takes in and that end later (struct rt_queues of rt.h). They are started in task order, so whatever one of them comes behind has been started or is on another thread:
 * the former is the device's to see to, the latter ends first. In the ring they stand like others, and their ends, which are taken here, make ready what waits for them. */
#include "rt/program/rt_error.h"
#include "rt/run/rt_run.h"

enum { ENDS = 64 /* taken at a time */ };
#define SLICE_NS UINT64_C(10000000) /* between two looks at deadline and cancel */

bool rt_started_takes(const struct rt_run *run, uint32_t kernel)
{
	return run->queues && kernel != run->program->copy_kernel && run->queues->takes(run->queues->context, kernel);
}

/* ---- ends --------------------------------------------------------------------------------------------------------- */

static bool is_started(const struct rt_ring *ring, uint64_t task)
{
	return task >= ring->frontier && task < ring->issued && rt_ring_note(ring, task)->started && !rt_ring_ended(ring, rt_ring_note(ring, task)->slot);
}

/* A device that tells of a task which it does not have is mistaken: nothing ends. */
static void end_take(struct rt_run *run, const struct rt_task_end *end)
{
	const struct ptowsp_error none = {.head = PTOWSP_HEAD(none, ERROR)};
	struct rt_workers *workers = &run->crew.workers;
	struct rt_chain chain = {.workers = workers};

	if (!is_started(&run->crew.ring, end->task))
		return;
	run->started--;
	rt_ring_task(&run->crew.ring, end->task)->cycles = end->cycles;
	if (end->status)
		rt_workers_failed(workers, end->task, end->status, &none);
	rt_ring_finished(&run->crew.ring, rt_ring_note(&run->crew.ring, end->task)->slot, end->status != PTOWSP_OK, rt_chain_ready, &chain);
	if (chain.have)
		rt_ready_push(&workers->ready, 0, chain.next);
}

void rt_started_reap(struct rt_run *run, uint64_t until_ns)
{
	struct rt_task_end ends[ENDS];
	const uint32_t count = run->queues->reap(run->queues->context, until_ns, ends, ENDS);

	for (uint32_t i = 0; i < count; i++)
		end_take(run, &ends[i]);
}

void rt_started_end(struct rt_run *run)
{
	if (run->started)
		run->queues->abandon(run->queues->context);
	while (run->started)
		rt_started_reap(run, rt_now_ns(run->program) + SLICE_NS);
}

ptowsp_status rt_started_failure(struct rt_run *run, struct rt_slot *slot)
{
	struct rt_crew *crew = &run->crew;
	const ptowsp_status failed = crew->workers.status;
	ptowsp_status status = PTOWSP_OK;

	rt_started_end(run);
	if (failed == PTOWSP_KERNEL_FAILED)
		status = rt_crew_slot_call(crew, slot, 0, false);
	if (!status)
		return rt_crew_failure(run->program, slot->kernel, slot->number, failed, run->error);
	return rt_fail_at(run->error, status, crew->own[0].error.where[0], crew->own[0].error.where[1], "%s", crew->own[0].error.text);
}

/* ---- beginnings --------------------------------------------------------------------------------------------------- */

/* Tasks of other threads that the task comes behind, which the device knows nothing of. */
ptowsp_status rt_started_before(struct rt_run *run, uint64_t also)
{
	const struct rt_ring *ring = &run->crew.ring;
	uint64_t wanted = run->barrier;

	for (uint32_t i = 0; i <= run->preds.count; i++) {
		const uint64_t end = i < run->preds.count ? run->preds.list[i] + 1 : also;

		if (end > wanted && end > ring->frontier && !is_started(ring, end - 1) && !rt_ring_ended(ring, rt_ring_note(ring, end - 1)->slot))
			wanted = end;
	}
	return rt_wait_tasks(run, wanted);
}

/* Predecessors still on the device. */
static uint32_t after_find(struct rt_run *run, uint64_t also)
{
	const struct rt_ring *ring = &run->crew.ring;
	uint32_t count = 0;

	for (uint32_t i = 0; i < run->preds.count; i++)
		if (is_started(ring, run->preds.list[i]))
			run->after[count++] = run->marks[run->preds.list[i] & ring->mask];
	if (also && is_started(ring, also - 1))
		run->after[count++] = run->marks[(also - 1) & ring->mask];
	return count;
}

/* An end, of those before the task. */
static ptowsp_status end_await(struct rt_run *run)
{
	struct rt_crew *crew = &run->crew;
	const uint64_t failed = atomic_load_explicit(&crew->workers.failed_task, memory_order_relaxed);
	ptowsp_status status = rt_look(run);

	if (!status && failed != UINT64_MAX)
		status = rt_wait_tasks(run, failed + 1);
	if (!status)
		rt_started_reap(run, rt_now_ns(run->program) + SLICE_NS);
	return status ? status : rt_frontier_move(run);
}

ptowsp_status rt_started_begin(struct rt_run *run, struct rt_slot *slot, uint64_t also)
{
	struct rt_ring *ring = &run->crew.ring;
	const struct ptowsp_task task = rt_crew_task(&run->crew, slot, 0);
	const struct rt_queues *queues = run->queues;
	ptowsp_status status;

	run->error->text[0] = 0;
	while ((status = queues->start(queues->context, &task, run->after, after_find(run, also), &run->marks[slot->number & ring->mask], run->error)) ==
	       PTOWSP_AGAIN)
		if ((status = end_await(run)))
			return status;
	if (status && status != PTOWSP_UNSUPPORTED)
		return rt_crew_failure(run->program, slot->kernel, slot->number, status, run->error);
	rt_ring_note(ring, slot->number)->rest_end = ring->rest_head;
	rt_ring_note(ring, slot->number)->started = !status;
	run->started += !status;
	return status;
}
