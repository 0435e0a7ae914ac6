/* SPDX-License-Identifier: MIT */
/* dispatch.c - from the expander to the worker threads: whether a task is handed over at all, its record in the ring, its links, and who runs it. */
#include "rt/program/rt_error.h"
#include "rt/run/rt_run.h"

void rt_windows_store(struct rt_run *run, const struct rt_site *site, uint64_t *words)
{
	const struct rt_access *accesses = rt_run_accesses(run);

	for (uint32_t i = 0; i < site->io_count; i++) {
		words[2 * i] = (uint64_t)accesses[i].start;
		words[2 * i + 1] = accesses[i].length;
	}
}

/* ---- alone or sharing --------------------------------------------------------------------------------------------- */

/* A kernel whose work depends on its arguments may be brief now and long the next time. */
static bool brief(const struct rt_run *run)
{
	return !run->known[run->kernel].varies && rt_crew_brief(&run->crew, run->kernel) && !rt_started_takes(run, run->kernel);
}

static bool goes_on(void *host);

static ptowsp_status sharing_begin(struct rt_run *run)
{
	struct rt_crew *crew = &run->crew;
	ptowsp_status status = rt_crew_make(crew, run->error);

	if (status)
		return status;
	for (uint32_t k = 0; k < run->program->tables.kernel.count; k++)
		run->known[k].here = false;
	run->sample_left = 0;
	rt_ring_skip(&crew->ring, run->tasks);
	crew->brief_run = 0;
	crew->long_end = run->tasks + 1;
	crew->workers.goes_on = goes_on;
	crew->workers.host = run;
	crew->since_ns = rt_now_ns(run->program);
	crew->sharing = true;
	return PTOWSP_OK;
}

/* Waits for nothing but brief tasks. */
static ptowsp_status sharing_end(struct rt_run *run)
{
	ptowsp_status status = rt_wait_tasks(run, run->tasks);

	if (status)
		return status;
	run->crew.sharing = false;
	run->sample_left = rt_crew_rules.sample_every;
	return PTOWSP_OK;
}

static ptowsp_status mode_choose(struct rt_run *run)
{
	struct rt_crew *crew = &run->crew;

	if (!crew->sharing)
		return brief(run) && !run->queues ? PTOWSP_OK : sharing_begin(run);
	if (!brief(run)) {
		crew->brief_run = 0;
		crew->long_end = run->tasks + 1;
		return PTOWSP_OK;
	}
	return !run->queues && ++crew->brief_run >= rt_crew_rules.brief_run && crew->ring.frontier >= crew->long_end ? sharing_end(run) : PTOWSP_OK;
}

void rt_dispatch_sample(struct rt_run *run)
{
	run->sample_left = rt_crew_rules.sample_every;
	run->known[run->kernel].here = false;
}

/* ---- helping ------------------------------------------------------------------------------------------------------ */

/* The expander goes on for TURN tasks, then runs ready ones while the others have enough without more of them: LEAST ready for each thread, or AHEAD in flight, which
 * will make some ready. */
enum { TURN = 64, LEAST = 8, AHEAD = 512 };
static bool enough(const struct rt_crew *crew)
{
	return rt_ready_own(&crew->workers.ready) >= (uint64_t)crew->workers.threads * LEAST ||
	       crew->ring.issued - crew->ring.frontier >= (uint64_t)crew->workers.threads * AHEAD;
}

/* The frontier is moved, and `enough` with it, after so many tasks of a chain at the latest; to ask takes lines away from the workers. */
enum { CHAIN = 32, ASKED = 4 };
/* The same of tasks without a chain. */
enum { HELPED = 16 };

/* Between the tasks of a chain on this thread. */
static bool goes_on(void *host)
{
	struct rt_run *run = host;
	struct rt_crew *crew = &run->crew;

	crew->looked = rt_look_after_kernel(run);
	if (crew->looked)
		return false;
	return crew->awaited ? !rt_ring_ended(&crew->ring, crew->awaited - 1) : ++crew->chained % ASKED || (crew->chained < CHAIN && enough(crew));
}

ptowsp_status rt_dispatch_run(struct rt_run *run, uint32_t slot)
{
	run->crew.looked = PTOWSP_OK;
	run->crew.chained = 0;
	rt_workers_run(&run->crew.workers, slot, 0);
	return run->crew.looked;
}

static ptowsp_status help(struct rt_run *run)
{
	struct rt_crew *crew = &run->crew;
	ptowsp_status status;
	uint32_t slot;

	rt_dispatch_show(run);
	if (run->started)
		rt_started_reap(run, 0);
	status = rt_frontier_move(run);
	if (!crew->workers.entered)
		rt_call_helpers(run, rt_now_ns(run->program) - crew->since_ns);
	for (uint32_t left = HELPED; !status && enough(crew) && rt_ready_take(&crew->workers.ready, 0, &slot); left--) {
		status = rt_dispatch_run(run, slot);
		if (!status && !left) {
			status = rt_frontier_move(run);
			left = HELPED;
		}
	}
	return status;
}

/* Places that have to be given back, and, for policies that look at the clock, cycles that are not yet known. */
ptowsp_status rt_dispatch_begin(struct rt_run *run)
{
	struct rt_crew *crew = &run->crew;
	uint64_t failed = atomic_load_explicit(&crew->workers.failed_task, memory_order_relaxed);
	uint64_t wanted;
	ptowsp_status status = mode_choose(run);

	if (status || !crew->sharing)
		return status;
	if (failed != UINT64_MAX) /* ends with that failure, or an earlier one */
		return rt_wait_tasks(run, failed + 1);
	if (run->tasks % TURN == 0)
		status = help(run);
	wanted = run->places.timed && run->lag.waiting ? run->tasks : rt_flow_ended(&run->flow, run->tasks);
	if (wanted > run->flow.tail)
		run->reason = PTOWSP_RESOURCE_TASK_RING;
	return !status && crew->ring.frontier < wanted ? rt_wait_tasks(run, wanted) : status;
}

/* ---- into the ring ------------------------------------------------------------------------------------------------ */

void rt_dispatch_show(struct rt_run *run)
{
	struct rt_crew *crew = &run->crew;

	if (!crew->fresh_count)
		return;
	rt_ready_push_all(&crew->workers.ready, 0, crew->fresh, crew->fresh_count);
	rt_call_helpers(run, rt_ready_own(&crew->workers.ready) * (crew->fresh_ns / crew->fresh_count));
	crew->fresh_count = 0;
	crew->fresh_ns = 0;
}

/* So much work is shown to who searches, without waiting for more. */
#define SEARCHED_NS UINT64_C(2000)

/* A ready task goes to whoever is free, unless handing it over takes longer than running it. */
static ptowsp_status run_ready(struct rt_run *run, uint32_t slot)
{
	struct rt_crew *crew = &run->crew;

	if (brief(run))
		return rt_dispatch_run(run, slot);
	crew->fresh[crew->fresh_count++] = slot;
	crew->fresh_ns += rt_crew_kernel_ns(crew, run->kernel);
	/* Relaxed: whoever begins to search a little later finds it a little later. */
	if (crew->fresh_count == RT_CREW_FRESH || (crew->fresh_ns > SEARCHED_NS && atomic_load_explicit(&crew->workers.ready.searching, memory_order_relaxed)))
		rt_dispatch_show(run);
	return PTOWSP_OK;
}

/* Start and length of each window of a plan's task, of a block its rows and columns: the rest does not change. */
static void windows_place(struct rt_run *run, struct rt_slot *slot, const struct rt_io *ios)
{
	uint64_t *words = slot->words + run->plan->site->arg_count;

	rt_plan_windows_move(run->plan, &run->env);
	for (const struct ptowsp_tensor_arg *window = run->plan->windows, *end = window + run->plan->site->io_count; window < end; window++, words += 2) {
		words[0] = (uint64_t)(uintptr_t)window->data;
		words[1] = ios++->unit ? window->columns : window->rows << 32 | window->columns;
	}
}

static void slot_fill(struct rt_run *run, struct rt_slot *slot, const struct rt_site *site, struct rt_clock_task *task)
{
	bool later = run->known[run->kernel].later;

	slot->site = (uint32_t)(site - run->program->sites);
	slot->kernel = run->kernel;
	slot->executor = task->executor;
	slot->stream = task->stream;
	slot->placed = run->plan && run->plan->plain && !run->plan->versions;
	rt_ring_note(&run->crew.ring, slot->number)->later = later;
	slot->cycles = later ? 0 : task->cycles;
	if (later)
		task->cycles = RT_CYCLES_LATER;
	for (uint32_t i = 0; i < site->arg_count; i++)
		slot->words[i] = run->task_args[i];
	if (slot->placed)
		windows_place(run, slot, &run->program->ios[site->first_io]);
	else
		rt_windows_store(run, site, slot->words + site->arg_count);
}

static ptowsp_status hand_over(struct rt_run *run, const struct rt_site *site, struct rt_clock_task *task)
{
	struct rt_ring *ring = &run->crew.ring;
	const uint64_t also = run->stream_order ? run->stream_order[task->stream] : 0;
	const bool starts = rt_started_takes(run, run->kernel);
	struct rt_slot *slot;
	ptowsp_status status = starts ? rt_started_before(run, also) : PTOWSP_OK;

	if (!status && run->barrier > ring->frontier) {
		run->reason = PTOWSP_RESOURCE_TASK_RING;
		status = rt_wait_tasks(run, run->barrier);
	}
	if (!status && !rt_ring_room(ring, (uint64_t)run->preds.count + 1)) /* and one for the stream's order */
		status = rt_wait_room(run, (uint64_t)run->preds.count + 1);
	if (status)
		return status;
	rt_ring_expect(ring, run->preds.list, run->preds.count);
	slot = rt_ring_add(ring);
	slot_fill(run, slot, site, task);
	status = starts ? rt_started_begin(run, slot, also) : PTOWSP_UNSUPPORTED;
	if (status != PTOWSP_UNSUPPORTED)
		return status;
	return rt_ring_link(ring, run->preds.list, run->preds.count, also) ? run_ready(run, rt_ring_note(ring, slot->number)->slot) : PTOWSP_OK;
}

ptowsp_status rt_dispatch(struct rt_run *run, const struct rt_site *site, struct rt_clock_task *task)
{
	ptowsp_status status;

	if (run->crew.sharing)
		return hand_over(run, site, task);
	status = rt_run_here(run, site, task);
	run->known[run->kernel].here = brief(run) && !rt_crew_doubts(&run->crew, run->kernel);
	return status;
}
