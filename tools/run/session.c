/* SPDX-License-Identifier: MIT */
/* session.c - the life of a call: open, load, bind, run N times, compare, write. */
#include <stdlib.h>
#include <string.h>

#include "format/format_package.h"
#include "registry/text.h"
#include "tools/plain.h"
#include "tools/run/run_run.h"

#define LOOK_NS UINT64_C(3000000000) /* for each step of a run that somebody only asks about */

/* What the entry does not read is no mistake where a script sets it for several entries, and easily taken for something that is read. Programs of further devices may read it. */
static void unread_tell(const struct run *run, const struct flag_pairs *set)
{
	struct ptowsp_value_info info;

	for (uint32_t v = 0; !run->mate_count && ptowsp_plan_value(run->plan, v, &info); v++)
		if (!(info.flags & PTOWSP_VALUE_NEEDED) && flag_pairs_find(set, info.name))
			plain_line(stderr, "ptowsp-run: --set %s has no effect: %s does not read it", info.name, ptowsp_plan_entry(run->plan));
}

ptowsp_status run_open(struct run *run, const struct run_options *options, struct ptowsp_error *error)
{
	struct ptowsp_plan_options plan = {.entry = options->entry, .schedule = options->schedule.at, .schedule_count = options->schedule.count};
	ptowsp_status status;

	run->options = options;
	status = ptowsp_package_open(&run->package, options->package, options->max_memory ? options->max_memory : PKG_TOOL_LIMIT, error);
	if (!status)
		status = run_mates_entry(run, &plan.entry, error);
	if (!status)
		status = ptowsp_plan_create(&run->plan, run->package, &plan, error);
	for (uint32_t i = 0; !status && !options->quiet && ptowsp_package_notice(run->package, i); i++)
		fprintf(stderr, "ptowsp-run: %s\n", ptowsp_package_notice(run->package, i));
	return status;
}

/* A graph is written when the run is over; that it cannot be is known before. */
static ptowsp_status graph_look(const char *path, struct ptowsp_error *error)
{
	struct output output = {.slot = -1};
	ptowsp_status status = graph_path_check(path, error);

	if (!status && strcmp(path, "-"))
		status = output_open(&output, path, error);
	output_drop(&output);
	return status;
}

ptowsp_status run_files_open(struct run *run, struct ptowsp_error *error)
{
	const struct run_options *o = run->options;
	ptowsp_status status = run_files_apart(o, error);

	if (!status)
		status = run_tensors_open(run, error);
	if (!status)
		status = run_checkpoints_open(run, error);
	if (!status)
		status = run_values_check(run, error);
	if (!status && o->graph) {
		status = graph_look(o->graph, error);
		run->graph_wanted = !status;
		run->graph.graphviz_ms = o->timeout_ms;
	}
	if (!status && o->trace) {
		status = output_open(&run->trace.output, o->trace, error);
		run->trace_wanted = !status;
	}
	if (!status && o->report) {
		status = output_open(&run->report.output, o->report, error);
		run->report_wanted = !status;
	}
	return status;
}

ptowsp_status run_program_load(struct ptowsp_program **out, struct ptowsp_backend *backend, const struct ptowsp_plan *plan, const struct run_options *options,
			       uint32_t flags, struct ptowsp_error *error)
{
	char text[sizeof(error->text)];
	ptowsp_status status;

	run_watchdog(options, RUN_LOADING);
	status = ptowsp_program_load(out, backend, plan, run_load_flags(options) | flags, error);
	run_watchdog(options, RUN_NOTHING);
	if (status != PTOWSP_DEADLINE)
		return status;
	memcpy(text, error->text, sizeof(text));
	return reg_fail(error, status, "not loaded in %llu ms (--load-timeout-ms): %.*s", (unsigned long long)options->load_timeout_ms, (int)sizeof(text) - 1,
			text);
}

static ptowsp_status start_and_wait(struct run *run, struct ptowsp_error *error)
{
	ptowsp_status status = run_mates_prepare(run, error);

	if (!status)
		status = run_expect_check(run, error);
	if (!status)
		status = run_mates_start(run, error);
	run_counters_start(&run->counters);
	if (!status)
		status = ptowsp_execute_async(run->program, &run->execute, error);
	if (!status)
		status = run_wait(run, error);
	run_counters_stop(&run->counters);
	return run_mates_wait(run, status, error);
}

static struct ptowsp_execute_options execute_options(const struct run_options *o)
{
	return (struct ptowsp_execute_options){
		.flags = (o->no_kernels ? PTOWSP_RUN_NO_KERNELS : 0) | (o->strict ? PTOWSP_RUN_STRICT : 0),
		.timeout_ns = o->timeout_ms < UINT64_MAX / 2000000 ? o->timeout_ms * 1000000 : 0,
		.max_tasks = o->max_tasks,
		.memory_limit = o->max_memory,
	};
}

static struct ptowsp_execute_options look_options(const struct run_options *o)
{
	struct ptowsp_execute_options look = execute_options(o);

	if (!look.timeout_ns || look.timeout_ns > LOOK_NS)
		look.timeout_ns = LOOK_NS;
	return look;
}

ptowsp_status run_program_place(struct ptowsp_program *program, const struct run_options *options, struct ptowsp_error *error)
{
	const struct ptowsp_execute_options look = look_options(options);

	return ptowsp_program_place(program, &look, error);
}

ptowsp_status run_program_check(struct ptowsp_program *program, const struct run_options *options, struct ptowsp_error *error)
{
	const struct ptowsp_execute_options look = look_options(options);

	return ptowsp_program_check(program, &look, error);
}

ptowsp_status run_look(struct run *run, uint64_t number, struct ptowsp_error *error)
{
	const struct run_options *o = run->options;
	ptowsp_status status = run_values_set(run->program, o, number, error);

	run->execute = o->timeout_ms ? execute_options(o) : look_options(o);
	run->execute.flags |= o->no_kernels ? 0 : PTOWSP_RUN_LOOK;
	if (!status)
		status = ptowsp_prepare(run->program, &run->execute, error);
	if (!status)
		status = start_and_wait(run, error);
	if (!status)
		status = run_unwritten_check(run, error);
	return status != PTOWSP_DEADLINE ? status
					 : reg_fail(error, status, "its tasks could not be counted in %llu ms (--timeout-ms gives more)",
						    (unsigned long long)(run->execute.timeout_ns / 1000000));
}

static ptowsp_status load(struct run *run, struct ptowsp_error *error)
{
	ptowsp_status status = run_backend_open(&run->backend, run->options, run->plan, error);

	if (!status)
		status = run_plugin_apart(ptowsp_backend_path(run->backend), error);
	if (!status && run->options->emit && !ptowsp_report_has_files(run->backend)) {
		run_watchdog(run->options, RUN_LOADING);
		status = run_emit(run, error);
		run_watchdog(run->options, RUN_NOTHING);
		run->emitted = !status;
	}
	if (!status)
		status = run_program_load(&run->program, run->backend, run->plan, run->options, 0, error);
	if (!status)
		status = run_mates_open(run, error);
	return status ? status : run_tensors_bind(run, error);
}

/* The backend says what it was doing, the tool how long it was allowed to. */
static ptowsp_status fail_deadline(const struct run *run, struct ptowsp_error *error)
{
	char text[sizeof(error->text)];

	memcpy(text, error->text, sizeof(text));
	text[sizeof(text) - 1] = '\0';
	return reg_fail(error, PTOWSP_DEADLINE, "not done in %llu ms: %s", (unsigned long long)run->options->timeout_ms, text);
}

/* Preparing may expand the whole program to measure tensors: it counts for the deadline. */
static ptowsp_status run_once(struct run *run, uint64_t number, struct ptowsp_error *error)
{
	const struct run_options *o = run->options;
	const bool is_last = number + 1 == o->runs;
	ptowsp_status status = run_values_set(run->program, o, number, error);

	run->execute = execute_options(o);
	run_watchdog(o, RUN_RUNNING);
	run_measuring(run, true);
	if (!status)
		status = ptowsp_prepare(run->program, &run->execute, error);
	run_measuring(run, false);
	if (!status && o->emit && !run->emitted) {
		status = run_emit(run, error);
		run->emitted = !status;
	}
	if (!status && o->chain && !number)
		status = run_chain_begin(run, error);
	if (!status && is_last)
		status = run_sinks_attach(run, error);
	if (!status)
		status = start_and_wait(run, error);
	if (!status && o->chain && is_last)
		status = run_chain_end(run, error);
	run_watchdog(o, RUN_NOTHING);
	if (!status)
		run_mates_print(run);
	if (status)
		return status == PTOWSP_DEADLINE ? fail_deadline(run, error) : status;
	run->runs_done++;
	status = run_unwritten_check(run, error);
	return status || o->rank || (o->chain && !is_last) ? status : run_compare(run, error); /* of several ranks the first has the results */
}

/* failure: values that are not as expected, NULL else. */
static ptowsp_status results_save(struct run *run, const struct ptowsp_error *failure, struct ptowsp_error *error)
{
	struct output graph = {.slot = -1};
	ptowsp_status status = run_outputs_write(run, error);

	run_checkpoints_tell(run);
	if (!status)
		status = run_trace_finish(run, NULL, error);
	if (!status && run->graph_wanted)
		status = graph_file(&run->graph, run->options->graph, &graph, error);
	if (!status && run->report_wanted)
		status = run_report_write(run, failure, error);
	if (!status)
		status = run_checkpoint_write(run, error);
	if (!status)
		run_signals_over();
	if (!status)
		status = output_publish(&graph, error);
	output_drop(&graph);
	if (!status)
		status = run_outputs_publish(run, error);
	if (!status && run->trace_wanted)
		status = output_publish(&run->trace.output, error);
	if (!status && run->report_wanted)
		status = output_publish(&run->report.output, error);
	if (!status && run->options->checkpoint)
		status = output_publish(&run->checkpoint, error);
	return status;
}

/* The rest of a run that did not succeed. One whose values are not as expected was itself good. One that found a deadlock, or in
 * which a task failed, has a timeline up to there; behind a failed task it may go on with what other threads had been given by then. One that was ended
 * from outside, by a deadline or a signal, leaves all files as they were. */
static void failure_save(struct run *run, const struct ptowsp_error *failure)
{
	static const ptowsp_status told[] = {PTOWSP_DEADLOCK, PTOWSP_RUN_FAILED, PTOWSP_KERNEL_FAILED, PTOWSP_TOO_SMALL};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	ptowsp_status status = PTOWSP_OK;
	bool tells = false;

	for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++)
		tells = tells || told[i] == failure->code;
	if (failure->code == PTOWSP_MISMATCH && run->runs_done == run->options->runs)
		status = results_save(run, failure, &error);
	else if (tells && run->trace.begun)
		status = run_trace_finish(run, failure, &error);
	if (!status && tells && run->trace.begun) {
		run_signals_over();
		status = output_publish(&run->trace.output, &error);
	}
	if (!status && tells && run->report_wanted)
		status = run_report_write(run, failure, &error);
	if (!status && tells && run->report_wanted)
		status = output_publish(&run->report.output, &error);
	if (status)
		fprintf(stderr, "ptowsp-run: %s\n", error.text);
}

ptowsp_status run_execute(struct run *run, struct ptowsp_error *error)
{
	ptowsp_status status = run_files_open(run, error);

	if (!status && run->options->profile)
		run_counters_open(&run->counters);
	if (!status)
		status = load(run, error);
	if (run_emit_was_all(run, status, error))
		return PTOWSP_OK;
	for (uint64_t i = 0; i < run->options->runs && !status; i++) {
		status = run_once(run, i, error);
		if (!status && run->options->runs > 1 && !run->options->stats)
			run_summary_print(run);
	}
	if (status) {
		failure_save(run, error);
		return status;
	}
	status = results_save(run, NULL, error);
	if (!status && !run->options->quiet)
		unread_tell(run, &run->options->set);
	return status;
}

void run_finish(struct run *run)
{
	fflush(stdout); /* a hanging call takes nothing along */
	run_watchdog(run->options, RUN_CLOSING);
	ptowsp_program_unload(run->program); /* it may be what the others wait for */
	run_mates_finish(run);
	run_chain_finish(run);
	ptowsp_backend_close(run->backend);
	run_watchdog(run->options, RUN_NOTHING);
	run_tensors_finish(run);
	run_counters_close(&run->counters);
	checkpoint_finish(&run->restored);
	output_drop(&run->checkpoint);
	run_trace_drop(run);
	ptowsp_plan_destroy(run->plan);
	ptowsp_package_close(run->package);
	*run = (struct run){.options = run->options};
}
