/* SPDX-License-Identifier: MIT */
/* engine_run.c - one run. In the simulation of tensormap_and_ringbuffer tasks go to the runtime as the walk meets them, and it runs meanwhile (stream.h): what the program loads is
 * waited for. Elsewhere the runtime gets all of them at once; where tasks decide which tasks there are, a run of the runtime takes those that are known, and the next one what
 * follows from them. */
#include "ascend/engine/engine_run.h"

#include "base/scope.h"
#include "registry/common/common_grow.h"
#include "rt/program/rt_error.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 256 /* tasks */ };

/* ---- the runtime ------------------------------------------------------------------------------------------------------- */

static void stop(void *context)
{
	ascend_calls_stop(&((struct ascend_run *)context)->calls);
}

static uint64_t now(void *context)
{
	const struct ptowsp_host *host = ((const struct ascend_run *)context)->loaded->program->device->instance->host;

	return host->now_ns(host->context);
}

static ptowsp_status client_run(struct ascend_run *run, struct ptowsp_error *error)
{
	const struct ascend_patience patience = {run->args->cancel, run->args->args->deadline_ns, now, run, stop};

	return ascend_client_run(run->loaded->engine->client, run->loaded->callable, run->entry, &run->config, &patience, error);
}

/* ---- what the runtime writes down --------------------------------------------------------------------------------------- */

enum { SWIMLANE_PHASES = 4, PMU_PIPES = 2 }; /* all of a core's tasks, of schedulers and of the orchestrator; how busy pipes are */

static void records_set(struct ascend_run *run)
{
	const char *folder = run->loaded->engine->records;

	if (!*folder)
		return;
	for (uint32_t k = 0; k < run->loaded->program->kernels.count; k++) {
		atomic_store(&run->loaded->program->kernels.rows[k].device_tasks, 0);
		atomic_store(&run->loaded->program->kernels.rows[k].device_ns, 0);
	}
	run->config.swimlane = SWIMLANE_PHASES;
	run->config.pmu = PMU_PIPES;
	run->config.dep_gen = run->config.scope_stats = 1;
	snprintf(run->config.output_prefix, sizeof(run->config.output_prefix), "%s", folder);
}

/* The runtime names its tasks in the order in which they are submitted. */
ptowsp_status ascend_run_note(struct ascend_run *run, const struct ascend_batch *batch)
{
	const struct ascend_plan_step *steps = ascend_plan_steps(batch->plan);

	for (uint32_t s = 0; *run->loaded->engine->records && s < batch->plan->step_count; s++) {
		if (steps[s].kind == ASCEND_STEP_SCOPE_BEGIN || steps[s].kind == ASCEND_STEP_SCOPE_END)
			continue;
		if (!COMMON_GROW(run->submitted, run->submitted_room, run->submitted_count))
			return rt_no_memory(run->error, "records of a run");
		run->submitted[run->submitted_count++] =
			(struct ascend_submitted){steps[s].kind == ASCEND_STEP_TASK ? steps[s].number : UINT64_MAX, steps[s].function};
	}
	return PTOWSP_OK;
}

/* Edges that its map found go where those of the walk go. */
static ptowsp_status edges_tell(struct ascend_run *run, struct ascend_records *records)
{
	const struct rt_sinks *sinks = run->args->sinks;
	struct ascend_edge *edges = NULL;
	uint64_t count = 0;
	ptowsp_status status = ascend_records_edges(records, &edges, &count, run->error);

	for (uint64_t i = 0; !status && i < count && sinks && sinks->edge; i++)
		sinks->edge(sinks->context, edges[i].producer, edges[i].consumer);
	run->edges += status ? 0 : count;
	free(edges);
	return status;
}

/* The kernel that copies regions is the walk's, and none of the package's. */
static void time_take(void *context, uint32_t kernel, uint64_t ns)
{
	const struct base_kernels *kernels = &((const struct ascend_loaded *)context)->program->kernels;
	struct base_kernel *row = &kernels->rows[kernel];

	if (kernel >= kernels->count)
		return;
	atomic_fetch_add(&row->device_tasks, 1);
	atomic_fetch_add(&row->device_ns, ns);
}

/* Edges are asked for; times are beside them, and of a run whose records are not whole there are none. */
static ptowsp_status records_read(struct ascend_run *run)
{
	const struct ascend_engine *engine = run->loaded->engine;
	struct ascend_records *records = NULL;
	ptowsp_status status;

	if (!*engine->records)
		return PTOWSP_OK;
	status = ascend_records_open(&records, engine->records, run->submitted, run->submitted_count, run->error);
	if (!status)
		status = ascend_records_times(records, time_take, run->loaded, run->error);
	if (!status && engine->mapped)
		status = edges_tell(run, records);
	ascend_records_close(records);
	run->submitted_count = 0;
	run->recorded = true;
	if (status != PTOWSP_IO || engine->mapped)
		return status;
	base_log(run->loaded->program->device->instance, PTOWSP_LOG_WARNING, "no times of tasks on the device: %s", run->error->text);
	run->error->text[0] = '\0';
	return PTOWSP_OK;
}

/* A task that failed says why; what the runtime makes of that does not. */
static ptowsp_status result_of(struct ascend_run *run, ptowsp_status status)
{
	const struct ascend_client_times *times = &run->loaded->engine->client->times;
	ptowsp_status failed;

	base_log(run->loaded->program->device->instance, PTOWSP_LOG_INFO,
		 "pto-runtime: %.3f ms to prepare the run, %.3f ms until it was over, %.3f ms to finalize it", (double)times->prepare_ns / 1e6,
		 (double)times->run_ns / 1e6, (double)times->finalize_ns / 1e6);
	run->gave_up = status == PTOWSP_DEADLOCK;
	if (status == PTOWSP_CANCELLED || status == PTOWSP_DEADLINE)
		return status;
	failed = ascend_calls_result(&run->calls, run->error);
	if (!failed && !status)
		status = records_read(run);
	return failed ? failed : status;
}

static void *launched_run(void *context)
{
	struct ascend_run *run = context;

	run->launched.status = client_run(run, &run->launched.error);
	atomic_store(&run->stream->done, 1);
	return NULL;
}

ptowsp_status ascend_run_launch(struct ascend_run *run)
{
	ptowsp_status status = ascend_run_entry(run);

	run->launched.error = (struct ptowsp_error){.head = PTOWSP_HEAD(run->launched.error, ERROR)};
	if (!status && pthread_create(&run->launched.thread, NULL, launched_run, run))
		return rt_no_memory(run->error, "the thread of the pto-runtime's client");
	run->launched.there = !status;
	return status;
}

/* Waits until the runtime is done. */
ptowsp_status ascend_run_land(struct ascend_run *run)
{
	if (!run->launched.there)
		return PTOWSP_OK;
	run->launched.there = false;
	ascend_stream_complete(run->stream);
	pthread_join(run->launched.thread, NULL);
	if (run->launched.status)
		*run->error = run->launched.error;
	return result_of(run, run->launched.status);
}

/* ---- whole runs -------------------------------------------------------------------------------------------------------- */

static ptowsp_status whole_plan(struct ascend_run *run)
{
	ptowsp_status status = ascend_run_begin(run);

	if (status)
		return status;
	run->batch = ascend_batch_create(&run->calls);
	if (!run->batch)
		return rt_no_memory(run->error, "a batch of tasks");
	run->batch->walk = &run->loaded->walk;
	status = ascend_batch_plan(run->batch, run->maker, true, true, run->error);
	return status || !ascend_run_is_host_graph(run) ? status : ascend_run_graph(run);
}

/* The tasks of the walk, which are there to the last one: rt has looked at bindings and values. */
static ptowsp_status whole_run(struct ascend_run *run, struct rt_feed *feed)
{
	const struct base_walk *walk = &run->loaded->walk;
	ptowsp_status status = base_scope_check(walk, ascend_run_window(run), run->deadlock, run->error);

	if (!status)
		status = whole_plan(run);
	if (!status && run->kernels && walk->task_count + walk->move_count) {
		status = ascend_run_entry(run);
		if (!status)
			status = ascend_run_note(run, run->batch);
		if (!status)
			status = result_of(run, client_run(run, run->error));
	}
	if (!status && ascend_run_window(run))
		rt_feed_window(feed, ascend_run_window(run));
	if (!status)
		ascend_run_tell(run, run->batch, feed);
	return status;
}

/* ---- the run ----------------------------------------------------------------------------------------------------------- */

/* --stats and the report have the sentence of a deadlock that the runtime found, no numbers. */
static void deadlock_tell(struct ptowsp_deadlock *deadlock, const struct ptowsp_error *error)
{
	struct ptowsp_deadlock report = {.head = PTOWSP_HEAD(report, DEADLOCK), .channel = PTOWSP_NONE};

	if (!deadlock)
		return;
	memcpy(report.text, error->text, sizeof(error->text));
	base_result_copy(&deadlock->head, &report.head);
}

/* Frees the parts of one run of the runtime. */
static void runtime_finish(struct ascend_run *run)
{
	ascend_batch_destroy(run->batch);
	ascend_batch_destroy(run->spare);
	ascend_stream_destroy(run->stream);
	ascend_maker_destroy(run->maker);
	ascend_calls_finish(&run->calls);
	free(run->entry);
	free(run->blocks);
	run->batch = run->spare = NULL;
	run->stream = NULL;
	run->maker = NULL;
	run->entry = NULL;
	run->blocks = NULL;
}

static ptowsp_status walked(void *context, struct rt_feed *feed, struct ptowsp_error *error)
{
	struct ascend_run *run = context;
	ptowsp_status status;

	run->error = error;
	if (!run->streamed)
		return whole_run(run, feed);
	status = ascend_run_flush(run, feed, true);
	if (!status)
		status = ascend_run_land(run);
	if (!status)
		ascend_run_take_back(run, feed, true);
	return status;
}

/* An error of the program: the tasks before it run. */
static ptowsp_status broken(void *context, struct rt_feed *feed, struct ptowsp_error *error)
{
	return ((struct ascend_run *)context)->streamed ? walked(context, feed, error) : PTOWSP_OK;
}

static bool scope_open(const struct base_walk *walk)
{
	uint32_t open = 0;

	for (uint32_t e = 0; e < walk->event_count; e++) {
		open += walk->events[e].kind == RT_ITEM_SCOPE_BEGIN;
		open -= walk->events[e].kind == RT_ITEM_SCOPE_END;
	}
	return open > 0;
}

/* A loaded value lies in memory when the runtime is done with the tasks so far. */
static ptowsp_status phase(void *context, struct rt_feed *feed, const struct base_walk_phase *at, struct ptowsp_error *error)
{
	struct ascend_run *run = context;
	const struct ascend_loaded *loaded = run->loaded;
	ptowsp_status status;

	if (loaded->planned->schedule.window_stated && scope_open(&loaded->walk))
		return rt_fail_at(error, PTOWSP_UNSUPPORTED, at->writer, UINT64_MAX,
				  "slot %.40s is read from what task %llu writes, in an open scope and with a stated task_window, which several runs of the "
				  "pto-runtime cannot hold; leave one "
				  "of them out, or take another backend, such as cpu_sim",
				  rt_slot_name(loaded->planned, at->slot), (unsigned long long)at->writer);
	base_log(loaded->program->device->instance, PTOWSP_LOG_INFO, "pto-runtime: %llu tasks, behind which slot %.60s is read from what task %llu writes",
		 (unsigned long long)loaded->walk.task_count, rt_slot_name(loaded->planned, at->slot), (unsigned long long)at->writer);
	status = walked(run, feed, error);
	if (!status) /* a failure tells a deadlock by what is there */
		runtime_finish(run);
	return status;
}

ptowsp_status ascend_engine_run(struct ascend_loaded *loaded, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out,
				struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error)
{
	struct ptowsp_error own = {.head = PTOWSP_HEAD(own, ERROR)};
	struct ascend_run run = {.loaded = loaded, .args = args, .error = error ? error : &own, .deadlock = deadlock_out, .streamed = loaded->streamed};
	struct rt_engine engine = {0};
	struct base_walk_then then = {.context = &run, .walked = walked, .broken = broken, .engine = &engine};
	ptowsp_status status;

	run.kernels = !(args->args->flags & PTOWSP_RUN_NO_KERNELS);
	records_set(&run);
	if (run.streamed) {
		engine = (struct rt_engine){.wait = ascend_run_wait, .ended = ascend_run_ended, .device = &run};
		then.batch = ascend_run_come;
		then.batch_tasks = BATCH;
	} else {
		then.phase = phase;
	}
	status = base_walk_fill(&loaded->walk, loaded->planned, args, &then, stats_out, deadlock_out, run.error = error ? error : &own);
	run.error = error ? error : &own;
	if (run.launched.there) { /* the walk has ended otherwise than by its end */
		own = *run.error;
		ascend_calls_stop(&run.calls);
		ascend_run_land(&run);
		*run.error = own;
	}
	if (status == PTOWSP_DEADLOCK && run.gave_up) /* else it is the walk's, with a report */
		deadlock_tell(deadlock_out, run.error);
	runtime_finish(&run);
	free(run.submitted);
	if (stats_out)
		stats_out->edges += run.edges;
	if (stats_out && run.recorded)
		ascend_figures_tell(&loaded->figures, loaded->engine->records, ascend_model_arch(loaded->program->device->model), stats_out);
	ascend_plan_clock_finish(&run.clock);
	return status;
}
