/* SPDX-License-Identifier: MIT
 * main.c - each allocation of a whole life fails in turn: opening a package, planning, opening a backend, loading, running, closing. Every
 * time NO_MEMORY comes out with one sentence, or the run is right without it, and nothing stays behind.
 *
 *	faults PLUGINS PACKAGES [NAME [EVERY]]     two folders; one line per program: "ok NAME - so many allocations ..." or "not ok NAME - why" */
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/ptowsp_host.h"
#include "registry/names.h"
#include "tests/faults/count.h"
#include "tests/taskgraph/fused_softmax.h"

/* ---- programs -------------------------------------------------------------------------------------------------- */

static const struct program {
	const char *name, *package, *entry;
	const char *schedule[4];
	const char *set; /* NAME=VALUE, or NULL */
	uint32_t threads, flags;
	const char *schedulers; /* instances, NULL: one */
	ptowsp_status ends;     /* where nothing fails */
	const char *mate;       /* entry on a second device of the run; NULL: there is one */
	const char *backend;    /* NULL: cpu_sim */
} programs[] = {
	{"softmax", "softmax", NULL, {NULL}, "total_rows=29", 1, 0, NULL, PTOWSP_OK, NULL, NULL},
	{"softmax_two_threads", "softmax", NULL, {NULL}, "total_rows=29", 2, 0, NULL, PTOWSP_OK, NULL, NULL},
	{"llama_layer_without_kernels", "llama_layer", NULL, {"task_window=64"}, "num_tiles=8", 1, PTOWSP_RUN_NO_KERNELS, NULL, PTOWSP_OK, NULL, NULL},
	{"exact_raw_pools_streams",
	 "probes/control",
	 "units",
	 {"deps=tensor_map_exact", "pools=by_exec_unit", "streams=2"},
	 NULL,
	 1,
	 0,
	 NULL,
	 PTOWSP_OK,
	 NULL,
	 NULL},
	{"slots_and_loads", "probes/tasks", "count", {"dispatch=work_steal(3)", "pipeline_depth=2"}, "n=40", 2, 0, NULL, PTOWSP_OK, NULL, NULL},
	{"a_deadlock", "probes/control", "scope", {"task_window=2"}, NULL, 1, 0, NULL, PTOWSP_DEADLOCK, NULL, NULL},
	{"a_kernel_that_fails", "probes/tasks", "fail", {NULL}, NULL, 1, 0, NULL, PTOWSP_KERNEL_FAILED, NULL, NULL},
	{"no_such_entry", "probes/control", "nowhere", {NULL}, NULL, 1, 0, NULL, PTOWSP_NOT_FOUND, NULL, NULL},
	{"processes", "probes/channels", NULL, {NULL}, NULL, 1, 0, NULL, PTOWSP_OK, NULL, NULL},
	{"races_between_processes", "probes/channels", NULL, {"deps=explicit"}, NULL, 1, PTOWSP_RUN_STRICT, NULL, PTOWSP_OK, NULL, NULL},
	{"processes_two_threads", "probes/channels", NULL, {NULL}, NULL, 2, 0, NULL, PTOWSP_OK, NULL, NULL},
	{"payload", "probes/payload", NULL, {NULL}, NULL, 1, 0, NULL, PTOWSP_OK, NULL, NULL},
	{"payload_two_threads", "probes/payload", NULL, {"channel_capacity=c,0"}, NULL, 2, 0, NULL, PTOWSP_OK, NULL, NULL},
	{"rows_from_tensors", "probes/flow", "sparse_rows", {NULL}, NULL, 1, 0, NULL, PTOWSP_OK, NULL, NULL},
	{"stated_edges", "probes/flow", "hybrid", {"deps=hybrid"}, NULL, 2, 0, NULL, PTOWSP_OK, NULL, NULL},
	{"memory_that_is_given_back", "probes/events", "heap", {"heap=64"}, NULL, 1, 0, NULL, PTOWSP_OK, NULL, NULL},
	{"versions", "probes/events", "temp", {"heap=64"}, NULL, 2, 0, NULL, PTOWSP_OK, NULL, NULL},
	{"versions_without_bound", "probes/events", "temp", {"start=after_orchestration"}, NULL, 2, 0, NULL, PTOWSP_OK, NULL, NULL},
	{"choosing_an_axis", "probes/tasks", "lanes", {"dispatch=auto(2)"}, NULL, 1, 0, NULL, PTOWSP_OK, NULL, NULL},
	{"branches_in_turn",
	 "probes/control",
	 "combine",
	 {"timing=interleaved", "dispatch=threshold(task,round_robin(2),3,static_partition(4))"},
	 NULL,
	 1,
	 0,
	 NULL,
	 PTOWSP_OK,
	 NULL,
	 NULL},
	{"built_first", "probes/tasks", "count", {"start=after_orchestration"}, "n=40", 2, 0, NULL, PTOWSP_OK, NULL, NULL},
	{"several_instances", "probes/tasks", "lanes", {"dispatch=affinity(lane,2)"}, NULL, 2, 0, "2", PTOWSP_OK, NULL, NULL},
	{"several_instances_with_small_rings",
	 "softmax",
	 NULL,
	 {"task_window=4", "dispatch=round_robin(3)", "hazards=raw"},
	 "total_rows=29",
	 2,
	 0,
	 "3",
	 PTOWSP_OK,
	 NULL,
	 NULL},
	{"several_instances_that_generate_first", "probes/flow", "sparse_rows", {"start=after_orchestration"}, NULL, 1, 0, "3", PTOWSP_OK, NULL, NULL},
	{"several_instances_in_a_deadlock", "probes/control", "scope", {"task_window=1"}, NULL, 1, 0, "2", PTOWSP_DEADLOCK, NULL, NULL},
	{"a_graph_with_a_checkpoint", "probes/graphs", "restored", {NULL}, NULL, 1, 0, NULL, PTOWSP_OK, NULL, NULL},
	{"a_graph_with_branches", "probes/graphs", "branches", {"start=after_orchestration"}, "n=2", 2, 0, NULL, PTOWSP_OK, NULL, NULL},
	{"two_devices", "two_devices", "left", {NULL}, NULL, 1, 0, NULL, PTOWSP_OK, "right", NULL},
	{"two_devices_that_fail", "two_devices", "left", {"tensor_map=1"}, NULL, 2, 0, NULL, PTOWSP_TOO_SMALL, "right", NULL},
	{"an_array", "passthrough", NULL, {NULL}, NULL, 1, 0, NULL, PTOWSP_OK, NULL, "aie"},
	{"an_array_in_phases", "predicated", NULL, {NULL}, NULL, 1, 0, NULL, PTOWSP_OK, NULL, "aie"},
	{"an_array_for_processes", "two_stage", NULL, {NULL}, NULL, 1, 0, NULL, PTOWSP_OK, NULL, "aie"},
	{"a_machine", "softmax", NULL, {NULL}, "total_rows=5", 1, 0, NULL, PTOWSP_OK, NULL, "a2a3sim"},
	{"a_machine_for_processes", "two_stage", NULL, {NULL}, NULL, 1, 0, NULL, PTOWSP_OK, NULL, "a2a3sim"},
	{"tasks_from_c_safe", NULL, NULL, {NULL}, NULL, 2, 0, NULL, PTOWSP_OK, NULL, NULL},
	{"tasks_from_c_pipelined", NULL, NULL, {NULL}, NULL, 2, 1, NULL, PTOWSP_OK, NULL, NULL},
};

static void task_drop(void *context, const struct ptowsp_trace_task *tasks, uint32_t count, uint32_t stride)
{
	(void)context, (void)tasks, (void)count, (void)stride;
}

static ptowsp_status program_run(struct ptowsp_program *program, const struct program *p, struct ptowsp_error *error)
{
	struct ptowsp_execute_options execute = {.flags = p->flags};
	char name[64] = "";
	ptowsp_status status = ptowsp_trace_attach(program, task_drop, NULL, error);

	if (p->set)
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(p->set, "="), p->set);
	if (!status && p->set)
		status = ptowsp_value_set(program, name, strchr(p->set, '=') + 1, error);
	return status ? status : ptowsp_execute(program, &execute, error);
}

/* A program on a backend of its own. */
struct device {
	struct ptowsp_plan *plan;
	struct ptowsp_backend *backend;
	struct ptowsp_program *program;
};

static ptowsp_status device_open(struct device *d, const struct program *p, const char *entry, const char *plugins, struct ptowsp_package *package,
				 struct ptowsp_error *error)
{
	char plugin[1024];
	struct ptowsp_setting instances = {"schedulers", p->schedulers};
	struct ptowsp_backend_options backend_options = {
		.isolate = PTOWSP_ISOLATE_NONE, .plugin = plugin, .threads = p->threads, .settings = &instances, .setting_count = p->schedulers != NULL};
	struct ptowsp_plan_options plan_options = {.entry = entry, .schedule = p->schedule};
	ptowsp_status status;

	snprintf(plugin, sizeof(plugin), "%s/libptowsp_%s.so", plugins, p->backend ? p->backend : "cpu_sim");
	while (plan_options.schedule_count < 4 && p->schedule[plan_options.schedule_count])
		plan_options.schedule_count++;
	status = ptowsp_plan_create(&d->plan, package, &plan_options, error);
	if (!status)
		status = ptowsp_backend_open(&d->backend, &backend_options, error);
	return status ? status : ptowsp_program_load(&d->program, d->backend, d->plan, 0, error);
}

static void device_close(struct device *d)
{
	ptowsp_program_unload(d->program);
	ptowsp_backend_close(d->backend);
	ptowsp_plan_destroy(d->plan);
	*d = (struct device){0};
}

/* Whoever does not start keeps the others waiting until it is closed. */
static ptowsp_status pair_run(struct device *pair, struct ptowsp_error *error)
{
	struct ptowsp_program *joined[2] = {pair[0].program, pair[1].program};
	ptowsp_status status = ptowsp_programs_join(joined, 2, error), other;
	struct ptowsp_error unsaid = {.head = PTOWSP_HEAD(unsaid, ERROR)};

	if (status)
		return status;
	status = ptowsp_execute_async(pair[0].program, NULL, error);
	if (status)
		return status;
	status = ptowsp_execute_async(pair[1].program, NULL, error);
	if (status) {
		device_close(&pair[1]);
		ptowsp_synchronize(pair[0].program, UINT64_MAX, &unsaid);
		return status;
	}
	status = ptowsp_synchronize(pair[0].program, UINT64_MAX, error);
	other = ptowsp_synchronize(pair[1].program, UINT64_MAX, &unsaid);
	if (other == PTOWSP_NO_MEMORY) { /* the cause; its mate says that it failed */
		*error = unsaid;
		return other;
	}
	return status;
}

/* flags: the threshold of tasks from C. */
static ptowsp_status tasks_life(const struct program *p, struct ptowsp_error *error)
{
	struct rt_tasks_result result;
	struct fused_softmax f;
	ptowsp_status status = fused_softmax_init(&f, 4, NULL);

	if (status)
		snprintf(error->text, sizeof(error->text), "no memory for tasks"), error->code = status;
	else
		status = rt_tasks_run(f.tasks, fused_softmax_orchestrate, &f, p->threads, p->flags, &result, error);
	fused_softmax_finish(&f);
	return status;
}

static ptowsp_status life(const struct program *p, const char *plugins, const char *folder, struct ptowsp_error *error)
{
	struct ptowsp_package *package = NULL;
	struct device pair[2] = {{0}};
	char path[1024];
	ptowsp_status status;

	if (!p->package)
		return tasks_life(p, error);
	snprintf(path, sizeof(path), "%s/%s.pkg.zst", folder, p->package);
	status = ptowsp_package_open(&package, path, 0, error);
	if (!status)
		status = device_open(&pair[0], p, p->entry, plugins, package, error);
	if (!status && p->mate)
		status = device_open(&pair[1], p, p->mate, plugins, package, error);
	if (!status)
		status = p->mate ? pair_run(pair, error) : program_run(pair[0].program, p, error);
	device_close(&pair[1]);
	device_close(&pair[0]);
	ptowsp_package_close(package);
	return status;
}

/* ---- one after the other --------------------------------------------------------------------------------------- */

struct tally {
	uint64_t refused, tolerated, bad;
	char why[512]; /* of the first that was bad */
};

__attribute__((format(printf, 2, 3))) static void bad(struct tally *tally, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	if (!tally->bad++)
		vsnprintf(tally->why, sizeof(tally->why), format, ap);
	va_end(ap);
}

/* The host has words for a plugin that has none; they do not count. */
static bool is_sentence(const char *text)
{
	return *text && !strchr(text, '\n') && !strstr(text, "did not say why") && !strstr(text, "without a sentence");
}

/* clean: status of the life in which nothing failed. */
static void judge(struct tally *tally, uint64_t n, ptowsp_status status, ptowsp_status clean, const struct ptowsp_error *error, uint64_t kept_before)
{
	if (fault_count.used != kept_before)
		bad(tally, "allocation %" PRIu64 ": %" PRIu64 " pieces of memory stay behind (%s)", n, fault_count.used - kept_before, error->text);
	else if (status == clean)
		tally->tolerated++;
	else if (status != PTOWSP_NO_MEMORY)
		bad(tally, "allocation %" PRIu64 ": status %s: %.200s", n, reg_status_name(status), error->text);
	else if (!is_sentence(error->text) || error->code != PTOWSP_NO_MEMORY)
		bad(tally, "allocation %" PRIu64 ": no sentence, or another status in it: \"%.200s\"", n, error->text);
	else
		tally->refused++;
}

static ptowsp_status once(const struct program *p, const char *plugins, const char *folder, uint64_t fail_at, struct ptowsp_error *error)
{
	ptowsp_status status;

	*error = (struct ptowsp_error){.head = PTOWSP_HEAD(*error, ERROR)};
	atomic_store(&fault_count.count, 0);
	atomic_store(&fault_count.fail_at, fail_at);
	status = life(p, plugins, folder, error);
	atomic_store(&fault_count.fail_at, 0);
	return status;
}

/* every: of so many allocations one fails; another one in each program. */
static bool program_try(const struct program *p, uint64_t every, const char *plugins, const char *folder)
{
	struct ptowsp_error error;
	struct tally tally = {0};
	ptowsp_status clean;
	uint64_t count, kept_before;

	once(p, plugins, folder, 0, &error); /* what is made once per process is there now */
	kept_before = fault_count.used;
	clean = once(p, plugins, folder, 0, &error);
	count = atomic_load(&fault_count.count);
	if (fault_count.used != kept_before)
		bad(&tally, "a life without faults leaves memory behind");
	if (clean != p->ends)
		bad(&tally, "a life without faults ends with %s: %.200s", reg_status_name(clean), error.text);
	for (uint64_t n = 1 + (uint64_t)(p - programs) % every; n <= count; n += every) {
		ptowsp_status status = once(p, plugins, folder, n, &error);

		judge(&tally, n, status, clean, &error, kept_before);
	}
	if (tally.bad)
		printf("not ok %s - %" PRIu64 " of %" PRIu64 " are wrong; %s\n", p->name, tally.bad, count, tally.why);
	else
		printf("ok %s - %" PRIu64 " allocations, %" PRIu64 " refused, %" PRIu64 " not missed\n", p->name, count, tally.refused, tally.tolerated);
	fflush(stdout);
	return tally.bad || !tally.refused;
}

int main(int argc, char **argv)
{
	uint64_t every = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
	int failed = 0;

	if (argc < 3 || !every)
		return 2;
	fault_count_start();
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		if (argc < 4 || !strcmp(argv[3], programs[i].name))
			failed |= program_try(&programs[i], every, argv[1], argv[2]);
	return failed;
}
