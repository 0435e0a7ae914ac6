/* SPDX-License-Identifier: MIT */
/* engine_batch.c - tasks of the walk on their way to the runtime and back, a batch at a time. */
#include "ascend/engine/engine_run.h"

#include "ascend/ascend_arch.h"
#include "ascend/plan/plan_check.h"
#include "ascend/plan/plan_moves.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

void ascend_run_tell(struct ascend_run *run, struct ascend_batch *batch, struct rt_feed *feed)
{
	const struct ascend_arch *arch = ascend_model_arch(run->loaded->program->device->model);

	ascend_batch_cycles(batch, ascend_arch_vectors(arch), arch->clusters);
	ascend_plan_clock_tell(&run->clock, batch->plan, batch->walk, ascend_run_window(run), feed);
}

static ptowsp_status maker_make(struct ascend_run *run)
{
	const struct ascend_loaded *loaded = run->loaded;
	const struct ascend_plan_rules rules = {.simulated = !loaded->engine->which.onboard,
						.bare = run->calls.bare,
						.scopes = !ascend_run_is_host_graph(run),
						.mapped = loaded->engine->mapped,
						.comes = run->streamed,
						.window = ascend_run_window(run),
						.moved_tensors = loaded->blocks_entry ? loaded->planned->tables.tensor.count : 0,
						.blocks_entry = loaded->blocks_entry,
						.versions_entry = loaded->versions_entry,
						.entries = loaded->entries,
						.bindings = loaded->bindings,
						.kernels = loaded->tasks};

	return ascend_maker_create(&run->maker, &loaded->walk, &rules, run->error);
}

/* Once per run of the runtime. */
ptowsp_status ascend_run_begin(struct ascend_run *run)
{
	const struct base_walk *walk = &run->loaded->walk;
	ptowsp_status status = ascend_run_bind(run);

	ascend_calls_init(&run->calls, run->loaded->program->rt, run->loaded->program->kernels.workers);
	run->calls.bare = run->streamed && !run->loaded->engine->mapped;
	if (!status)
		status = maker_make(run);
	if (!status && !ascend_plan_clock_begin(&run->clock, run->streamed ? ASCEND_STEPS_KEPT - 1 : 2 * walk->task_count + walk->event_count, walk->first))
		status = rt_no_memory(run->error, "the times of a plan");
	if (!status && run->streamed && !(run->stream = ascend_stream_create(&run->calls)))
		status = rt_no_memory(run->error, "the batches of a run");
	return status || ascend_run_is_host_graph(run) ? status : ascend_run_rings(run);
}

/* All that has ended is told, and forgotten. */
void ascend_run_take_back(struct ascend_run *run, struct rt_feed *feed, bool all)
{
	struct ascend_batch *batch;

	while ((batch = ascend_stream_back(run->stream, all))) {
		ascend_run_tell(run, batch, feed);
		batch->next = run->spare;
		run->spare = batch;
	}
}

static void nap(void)
{
	nanosleep(&(const struct timespec){0, 100000}, NULL);
}

/* The runtime gave up, or a task failed: nothing more is worth walking. */
bool ascend_run_is_over(struct ascend_run *run)
{
	return atomic_load(&run->stream->done) || run->calls.stop;
}

ptowsp_status ascend_run_over(struct ascend_run *run)
{
	ptowsp_status status = ascend_run_land(run);

	return status ? status : rt_fail(run->error, PTOWSP_RUN_FAILED, "the pto-runtime was done before all tasks were given to it");
}

/* The runtime is not launched before there is a task: its schedulers wait for the first one for ever (simpler 6ebaf77, tensormap_and_ringbuffer). */
static ptowsp_status publish(struct ascend_run *run, struct rt_feed *feed)
{
	struct ascend_batch *batch = run->batch;
	const bool launches = run->kernels && !run->launched.there && batch->record_count;
	ptowsp_status status = PTOWSP_OK;

	while (run->kernels && !ascend_stream_room(run->stream, batch->plan->step_count) && !ascend_run_is_over(run)) {
		ascend_run_take_back(run, feed, false);
		nap();
	}
	run->batch = NULL;
	status = ascend_run_note(run, batch);
	ascend_stream_publish(run->stream, batch);
	if (!status && launches && !ascend_run_is_over(run))
		status = ascend_run_launch(run);
	ascend_run_take_back(run, feed, !run->kernels);
	return status;
}

/* The tasks of the walk so far. */
ptowsp_status ascend_run_flush(struct ascend_run *run, struct rt_feed *feed, bool last)
{
	struct base_walk *walk = &run->loaded->walk;
	ptowsp_status status = run->maker ? PTOWSP_OK : ascend_run_begin(run);
	bool ok;

	if (status || (!walk->task_count && !walk->event_count && !last))
		return status;
	run->batch = run->spare ? run->spare : ascend_batch_create(&run->calls);
	if (run->spare) {
		run->spare = run->spare->next;
		run->batch->next = NULL;
	}
	ok = run->batch && base_walk_take(walk, &run->batch->own);
	status = ok ? ascend_batch_plan(run->batch, run->maker, false, last, run->error) : rt_no_memory(run->error, "a batch of tasks");
	if (!status && ascend_maker_block_bytes(run->maker) > ASCEND_BLOCKS_ROOM)
		status = rt_fail(run->error, PTOWSP_TOO_SMALL, "elements that travel with tokens take more than %d bytes at a time; send smaller regions",
				 ASCEND_BLOCKS_ROOM);
	return status ? status : publish(run, feed);
}

ptowsp_status ascend_run_come(void *context, struct rt_feed *feed, struct ptowsp_error *error)
{
	struct ascend_run *run = context;

	run->error = error;
	run->feed = feed;
	return run->stream && ascend_run_is_over(run) ? ascend_run_over(run) : ascend_run_flush(run, feed, false);
}

/* rt_engine.wait: the tasks are given to the runtime, and it is done with them. */
ptowsp_status ascend_run_wait(void *context, uint64_t tasks, struct ptowsp_error *error)
{
	struct ascend_run *run = context;
	struct base_walk *walk = &run->loaded->walk;
	ptowsp_status status = PTOWSP_OK;
	uint64_t steps;

	if (tasks > walk->first + walk->task_count)
		return rt_fail_at(error, PTOWSP_UNSUPPORTED, tasks - 1, UINT64_MAX,
				  "a process waits for what task %llu writes, which this engine is given later; take another backend, such as cpu_sim",
				  (unsigned long long)tasks - 1);
	run->error = error;
	if (run->feed)
		status = ascend_run_flush(run, run->feed, false);
	if (status || !run->launched.there || !tasks)
		return status;
	steps = ascend_maker_steps(run->maker, tasks - 1);
	while (ascend_stream_ended(run->stream) < steps && !ascend_run_is_over(run))
		nap();
	return ascend_run_is_over(run) ? ascend_run_over(run) : PTOWSP_OK;
}

/* rt_engine.ended. */
uint64_t ascend_run_ended(void *context)
{
	struct ascend_run *run = context;
	const uint64_t steps = run->stream ? ascend_stream_ended(run->stream) : 0;

	while (run->stream && run->ended < ascend_maker_tasks(run->maker) && ascend_maker_steps(run->maker, run->ended) <= steps)
		run->ended++;
	return run->ended;
}
