/* SPDX-License-Identifier: MIT */
/* wait.c - how the expander waits for worker threads: it runs ready tasks itself, moves the ring's frontier, and looks at deadline and cancel. */
#include "rt/program/rt_error.h"
#include "rt/run/rt_run.h"
#include "rt/structure/memory_limit.h"

#define WAIT_NS UINT64_C(10000000) /* between two looks at deadline and cancel */
#define TURN_NS UINT64_C(1000000)  /* of waiting for a device while others may make something ready */

/* The sentence names the kernel of the oldest task where that is on a device: it may be the one without an end. */
static ptowsp_status deadline_passed(const struct rt_run *run)
{
	const struct rt_ring *ring = &run->crew.ring;

	if (run->started && rt_ring_note(ring, ring->frontier)->started)
		return rt_fail_at(run->error, PTOWSP_DEADLINE, ring->frontier, rt_ring_task(ring, ring->frontier)->kernel,
				  "the deadline passed in kernel %.60s; allow more time with --timeout-ms",
				  rt_kernel_name(run->program, rt_ring_task(ring, ring->frontier)->kernel));
	return rt_fail_at(run->error, PTOWSP_DEADLINE, run->tasks, UINT64_MAX,
			  "the deadline passed after %llu task%s issued; allow more time with --timeout-ms", (unsigned long long)run->tasks,
			  run->tasks == 1 ? " was" : "s were");
}

ptowsp_status rt_look(struct rt_run *run)
{
	rt_dispatch_show(run);
	if (run->cancel && atomic_load_explicit((const volatile _Atomic uint32_t *)run->cancel, memory_order_relaxed))
		return rt_fail_at(run->error, PTOWSP_CANCELLED, run->tasks, UINT64_MAX, "the run was cancelled after %llu tasks were issued",
				  (unsigned long long)run->tasks);
	if (run->args->deadline_ns && rt_now_ns(run->program) >= run->args->deadline_ns)
		return deadline_passed(run);
	if (!run->held || run->tasks < run->held_next)
		return PTOWSP_OK;
	run->held_next = run->tasks + RT_MEMORY_LIMIT_TASKS;
	return rt_memory_limit_check(run->held, run->tasks, run->error);
}

#define LOOK_MOST 1024u
#define LOOK_NS   UINT64_C(500000)

#define SHOW_NS   UINT64_C(50000000)

/* Reading the clock costs as much as a short task: the number of kernels between two looks adapts to about half a millisecond. */
ptowsp_status rt_look_after_kernel(struct rt_run *run)
{
	uint64_t now;

	if (run->sample_left && !--run->sample_left)
		rt_dispatch_sample(run);
	if (run->cancel && atomic_load_explicit((const volatile _Atomic uint32_t *)run->cancel, memory_order_relaxed))
		return rt_look(run);
	if (run->look_left && --run->look_left)
		return PTOWSP_OK;
	now = rt_now_ns(run->program);
	if (now - run->looked_ns > LOOK_NS)
		run->look_every = run->look_every / 2;
	else if (run->look_every < LOOK_MOST)
		run->look_every = run->look_every * 2 + 1;
	run->looked_ns = now;
	run->look_left = run->look_every ? run->look_every : 1;
	if (now - run->shown_ns > SHOW_NS) {
		run->shown_ns = now;
		rt_stats_publish(run);
	}
	return rt_look(run);
}

ptowsp_status rt_frontier_move(struct rt_run *run)
{
	struct rt_crew *crew = &run->crew;
	struct rt_ring *ring = &crew->ring;
	const struct rt_slot *slot;
	ptowsp_status status = PTOWSP_OK;

	while (!status && (slot = rt_ring_advance(ring)))
		if (rt_ring_note(ring, ring->frontier - 1)->later)
			status = rt_clock_failed(run, rt_lag_cycles(&run->lag, slot->cycles));
	/* Relaxed: rt_workers_status acquires. Not before everything in front of it is over: of two failures the earlier one is told, as with one thread. */
	if (status || atomic_load_explicit(&crew->workers.failed_task, memory_order_relaxed) != ring->frontier)
		return status;
	status = rt_workers_status(&crew->workers, run->error);
	return rt_ring_note(ring, ring->frontier)->started ? rt_started_failure(run, rt_ring_task(ring, ring->frontier)) : status;
}

/* Shows a wait to others; not for one that ends at once. */
static void wait_show(struct rt_run *run)
{
	if (run->waiting)
		return;
	run->waiting = true;
	rt_stats_publish(run);
}

/* The end to wait for: that of the last task wanted, or, if it has come, of the first one. */
static uint32_t slot_expected(const struct rt_ring *ring, uint64_t wanted)
{
	uint32_t last = rt_ring_note(ring, wanted - 1)->slot;

	return rt_ring_ended(ring, last) ? rt_ring_note(ring, ring->frontier)->slot : last;
}

/* A wake costs about as much as so much work. */
#define WAKE_NS UINT64_C(40000)

void rt_call_helpers(struct rt_run *run, uint64_t ns)
{
	struct rt_workers *workers = &run->crew.workers;

	if (!workers->entered && ns > WAKE_NS && rt_ready_own(&workers->ready))
		rt_workers_enter(workers);
}

/* One step of waiting: something to run, or a nap until there is news. */
static ptowsp_status wait_step(struct rt_run *run, uint64_t wanted)
{
	struct rt_crew *crew = &run->crew;
	ptowsp_status status = PTOWSP_OK;
	uint32_t slot;
	bool found = rt_ready_take(&crew->workers.ready, 0, &slot);

	if (!found) {
		status = rt_look(run);
		if (status)
			return status;
		wait_show(run);
		if (run->started)
			rt_started_reap(run, rt_now_ns(run->program) + (crew->ring.issued - crew->ring.frontier > run->started ? TURN_NS : WAIT_NS));
		else
			found = rt_ready_expect(&crew->workers.ready, &crew->ring, slot_expected(&crew->ring, wanted), WAIT_NS, &slot);
	}
	if (found) {
		if (!crew->workers.entered)
			rt_call_helpers(run, rt_now_ns(run->program) - crew->since_ns);
		crew->awaited = slot_expected(&crew->ring, wanted) + 1;
		status = rt_dispatch_run(run, slot);
		crew->awaited = 0;
	}
	return status ? status : rt_frontier_move(run);
}

static ptowsp_status timed(struct rt_run *run, ptowsp_status status, uint64_t since)
{
	run->stall_ns[run->reason] += rt_now_ns(run->program) - since;
	run->waiting = false;
	return status;
}

/* A wait is for an eighth of the tasks in flight more than it needs, or it would wait again for the next task. All tasks in flight end without
 * the expander's help, so this cannot hang. */
static uint64_t frontier_wanted(const struct rt_run *run, uint64_t tasks)
{
	return tasks + (run->crew.ring.issued - tasks) / 8;
}

ptowsp_status rt_wait_tasks(struct rt_run *run, uint64_t tasks)
{
	struct rt_crew *crew = &run->crew;
	uint64_t since;
	ptowsp_status status;

	if (!crew->sharing || crew->ring.frontier >= tasks)
		return PTOWSP_OK;
	status = rt_frontier_move(run);
	if (status || crew->ring.frontier >= tasks)
		return status;
	rt_dispatch_show(run);
	since = rt_now_ns(run->program);
	tasks = frontier_wanted(run, tasks);
	while (!status && crew->ring.frontier < tasks)
		status = wait_step(run, tasks);
	return timed(run, status, since);
}

ptowsp_status rt_wait_room(struct rt_run *run, uint64_t edges)
{
	struct rt_ring *ring = &run->crew.ring;
	ptowsp_status status = PTOWSP_OK;

	if (rt_ring_room(ring, edges))
		return status;
	run->reason = PTOWSP_RESOURCE_TASK_RING;
	while (!status && !rt_ring_room(ring, edges))
		status = rt_wait_tasks(run, ring->frontier + 1);
	return status;
}
