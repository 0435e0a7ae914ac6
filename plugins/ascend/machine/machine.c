/* SPDX-License-Identifier: MIT */
#include "ascend/cost.h"
#include "ascend/machine/machine_core.h"
#include "ascend/machine/machine_ready.h"

#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

static ptowsp_status config_check(const struct ascend_run *run)
{
	const struct ascend_machine_config *config = &run->machine->config;

	if (run->instances <= config->clusters && run->parties <= ASCEND_INSTANCES)
		return PTOWSP_OK;
	return rt_fail(run->error, PTOWSP_INVALID, "%u scheduler instances share %u clusters of cores, and each needs one; use schedulers=%u or fewer",
		       run->instances, config->clusters, config->clusters);
}

/* The runtime that has such rings has one orchestrator. */
static ptowsp_status rings_check(const struct ascend_run *run)
{
	const struct rt_limits *limits = run->limits;

	if (limits->processes)
		return rt_fail(run->error, PTOWSP_UNSUPPORTED, "the entry has processes, and rings=runtime is for the tasks of a workload; use rings=one");
	if (limits->ring && limits->window_mode == RT_WINDOW_BENCHMARK)
		return rt_fail(run->error, PTOWSP_UNSUPPORTED, "a task_window that only counts is one window; use rings=one, or let it stall");
	return limits->ring != 1 ? PTOWSP_OK
				 : rt_fail(run->error, PTOWSP_INVALID,
					   "task_window=1: with rings=runtime one place of a ring stays free, and none is left; use 2 or more");
}

static void cores_tell(struct ascend_run *run)
{
	run->traced = rt_feed_traced(run->feed);
	run->heard = rt_feed_heard(run->feed);
	for (uint32_t core = 0; run->traced && core < run->core_count + run->parties; core++) {
		uint32_t number = ascend_core_number(run, (uint16_t)core);

		if (core < run->core_count)
			rt_feed_executor(run->feed, number, core < run->machine->config.clusters ? PTOWSP_UNIT_AIC : PTOWSP_UNIT_AIV, number);
		else
			rt_feed_executor(run->feed, number, PTOWSP_UNIT_AICPU, core - run->core_count);
	}
}

static bool init(struct ascend_run *run)
{
	run->core_count = run->machine->config.clusters * (1 + run->machine->config.vectors_each);
	ascend_tree_init(&run->tree, run->parties);
	ascend_order_of_ready(run);
	if (!ascend_tasks_init(run) || !ascend_gates_init(run) || !ascend_aicpus_init(run) || !ascend_depths_init(run) || !ascend_issue_init(run) ||
	    !ascend_processes_init(run))
		return false;
	ascend_cores_init(run);
	run->started = run->limits->start <= 1;
	cores_tell(run);
	return true;
}

static void finish(struct ascend_run *run)
{
	ascend_processes_finish(run);
	ascend_issue_finish(run);
	ascend_depths_finish(run);
	ascend_aicpus_finish(run);
	ascend_gates_finish(run);
	ascend_tasks_finish(run);
}

void ascend_pull_failed(struct ascend_run *run, ptowsp_status status)
{
	bool at_once = status == PTOWSP_CANCELLED || status == PTOWSP_DEADLINE || status == PTOWSP_NO_MEMORY;

	run->over = true;
	if (at_once)
		run->status = status;
	else
		run->failed = status;
	ascend_issue_stalled(run);
}

/* rt has seen that everything can be issued, so a machine that stands still before its end has lost something. */
static ptowsp_status go(struct ascend_run *run)
{
	ascend_issue_pull(run);
	ascend_aicpus_go(run);
	if (run->no_memory)
		return rt_no_memory(run->error, "the machine");
	if (!run->status && run->failed)
		return run->failed;
	if (!run->status && (!run->over || run->ended < run->met))
		return rt_fail(run->error, PTOWSP_RUN_FAILED, "the machine stands still before the end of the program: a fault of this plugin");
	return run->status;
}

static void tell(struct ascend_run *run)
{
	rt_feed_executors(run->feed, run->core_count);
	rt_feed_streams(run->feed, run->stream_count);
	if (run->limits->ring)
		rt_feed_window(run->feed, run->limits->ring);
	rt_feed_crossed(run->feed, run->cross_edges, run->notifications);
	for (uint32_t p = 0; p < run->instances; p++)
		rt_feed_share(run->feed, p, run->aicpus[p].tasks);
	ascend_cores_exit(run);
}

static ptowsp_status engine_run(void *context, struct rt_feed *feed, struct ptowsp_error *error)
{
	struct ascend_machine *machine = context;
	struct ascend_run *run;
	ptowsp_status status;

	memset(&machine->stats, 0, sizeof(machine->stats));
	if (machine->config.program_order)
		return ascend_program_order(machine, feed, error);
	run = calloc(1, sizeof(*run));
	if (!run)
		return rt_no_memory(error, "the machine");
	run->machine = machine;
	run->cost = &machine->config.cost;
	run->feed = feed;
	run->limits = rt_feed_limits(feed);
	run->error = error;
	run->instances = run->limits->schedulers;
	run->parties = run->instances + machine->config.orchestrator;
	status = config_check(run);
	if (!status && machine->config.rings)
		status = rings_check(run);
	if (!status)
		status = init(run) ? go(run) : rt_no_memory(error, "the machine");
	if (run->aicpus)
		tell(run);
	finish(run);
	free(run);
	return status;
}

struct rt_engine ascend_machine_engine(struct ascend_machine *machine)
{
	return (struct rt_engine){.context = machine, .run = engine_run, .rings = machine->config.rings && !machine->config.program_order};
}

/* ---- the machine of an architecture -------------------------------------------------------------------------------------- */

static uint64_t cycles(const struct ascend_arch *arch, enum ascend_wire wire)
{
	return ascend_wire_cycles(arch, wire);
}

/* The orchestrator's published figure is one per task. Half of it is charged for the producer map, where instances take turns, and half for what
 * they do side by side. A notice to another instance goes by way of global memory, and is found like COND is read. */
struct ascend_protocol ascend_protocol_of(const struct ascend_arch *arch, bool fitted)
{
	const enum ascend_wire generates = fitted ? ASCEND_WIRE_generate_fitted : ASCEND_WIRE_generate,
			       dispatches = fitted ? ASCEND_WIRE_dispatch_fitted : ASCEND_WIRE_dispatch,
			       completes = fitted ? ASCEND_WIRE_complete_fitted : ASCEND_WIRE_complete;
	uint64_t generate = cycles(arch, generates), store = cycles(arch, ASCEND_WIRE_dmb_store);

	return (struct ascend_protocol){
		.lookup = generate / 2,
		.submit = generate - generate / 2,
		.dispatch = cycles(arch, dispatches) + store,
		.token = cycles(arch, ASCEND_WIRE_aicpu_to_aicore),
		.pickup = cycles(arch, ASCEND_WIRE_pickup),
		.fin = cycles(arch, ASCEND_WIRE_aicore_to_aicpu),
		.complete = cycles(arch, completes) + cycles(arch, ASCEND_WIRE_cond_read),
		.notify = store,
		.notice = cycles(arch, ASCEND_WIRE_aicore_to_gm),
		.hear = cycles(arch, ASCEND_WIRE_cond_read),
	};
}

struct ascend_machine_config ascend_machine_of(const struct ascend_arch *arch)
{
	return (struct ascend_machine_config){
		.clusters = arch->clusters,
		.vectors_each = arch->vectors_each,
		.first_cube = arch->first_cube,
		.first_vector = arch->first_vector,
		.payloads = 2,
		.cost = ascend_protocol_of(arch, false),
	};
}
