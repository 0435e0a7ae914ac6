/* SPDX-License-Identifier: MIT */
/* life.c - one life of a plugin under the host that this is linked with, told line by line: PLUGIN [process]. Built with each host of tools/check/minors; the one of the
 * test minor uses everything that appended.txt appends, where the effective minor has it. The others are the same lines without. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/call/services.h"
#include "host/layers/layers.h"
#include "host/ptowsp_host.h"
#include "host/worker/isolate.h"
#include "host/worker/remote.h"
#include "ptowsp/package.h"
#include "ptowsp/workload.h"
#include "registry/names.h"

#define LATER (PTOWSP_ABI_MINOR >= 9999)

static struct host_caller caller;
static struct host_services services;
static struct host_breaches breaches;
static struct host_plugin *plugin;
static struct ptowsp_object *instance, *device, *program;
static struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};

/* The line of an answer. An expected refusal is one, too. */
static ptowsp_status tell(const char *what, ptowsp_status status)
{
	printf("%s: %s\n", what, reg_status_name(status));
	return status;
}

static void must(const char *what, ptowsp_status status)
{
	if (!status)
		return;
	tell(what, status);
	fprintf(stderr, "%s: %s\n", what, error.text);
	exit(1);
}

static void log_line(void *context, int32_t level, const char *text)
{
	(void)context, (void)level;
	printf("log: %s\n", text);
}

#if LATER
/* Both sides know what is new. */
static bool later(void)
{
	return plugin->minor >= 9999;
}

static uint64_t on_later(void *context, uint64_t number)
{
	(void)context;
	printf("upcall: %llu\n", (unsigned long long)number);
	return number;
}
#endif

static void start(const char *path, bool process)
{
	struct host_search search = {.lint_off = true, .isolate = process ? PTOWSP_ISOLATE_PROCESS : PTOWSP_ISOLATE_NONE};
	struct ptowsp_init_args args = {.head = PTOWSP_HEAD(struct ptowsp_init_args, INIT_ARGS)};

	must("load", host_plugin_load(&search, path, &plugin, &error));
	printf("effective minor: %u\n", plugin->minor);
	if (plugin->remote)
		host_remote_caller(&caller, plugin->remote);
	else
		host_caller_init(&caller, &plugin->ops);
	caller.minor = plugin->minor;
	must("services", host_services_init(&services, plugin->minor));
	services.log = log_line;
	host_breaches_init(&breaches, plugin->note.name, log_line, NULL);
#if LATER
	if (later())
		services.table.later = on_later;
	if (later() && plugin->descriptor)
		printf("plugin.later: %s\n", plugin->descriptor->later);
#endif
	must("layers", host_layers_create(&caller, "validate,threads", &breaches, &error));
	must("init", host_call_init(&caller, host_caller_services(&caller, &services.table), &args, &instance, &error));
}

/* What tables and rows say. */
static void look(void)
{
	const struct ptowsp_device *devices[8];
	const struct ptowsp_option *options[64];
	struct ptowsp_cap rows[512];
	uint32_t count = 8;

	must("devices", host_call_devices(&caller, instance, devices, &count, &error));
#if LATER
	if (later())
		printf("device.later: %s\n", devices[0]->later);
#endif
	count = 64;
	if (!host_call_options(&caller, options, &count, &error) && count) {
#if LATER
		if (later())
			printf("option.later: %llu\n", (unsigned long long)options[0]->later);
#endif
	}
	memset(rows, 0, sizeof(rows));
	count = 512;
	must("capabilities", host_call_capabilities(&caller, instance, NULL, rows, sizeof(*rows), &count, &error));
	for (uint32_t i = 0; i < count; i++) {
		struct reg_feature feature;

		if (rows[i].since > plugin->minor || !reg_feature(rows[i].feature, &feature))
			printf("a row of an unknown feature 0x%x\n", rows[i].feature);
#if LATER
		if (rows[i].feature == PTOWSP_FEATURE_LATER || rows[i].later)
			printf("cap.later of \"%s\": %llu\n", feature.name, (unsigned long long)rows[i].later);
#endif
	}
}

/* A host that breaks HO1: a byte behind what the effective minor has. */
static void tail(void)
{
	const uint32_t known = host_struct_size(HOST_STRUCT_open_args, plugin->minor);
	const struct ptowsp_open_args args = {.head = {known + 8, PTOWSP_STRUCT_OPEN_ARGS, 0}, .threads = 1};
	union {
		struct ptowsp_open_args args;
		unsigned char bytes[256];
	} longer = {.bytes = {0}};
	struct ptowsp_object *made = NULL;

	if (plugin->remote ||
	    !strcmp(plugin->note.name, "checking")) /* what lies there is not sent; that one takes no call any more from a host that breaks a rule */
		return;
	memcpy(longer.bytes, &args, PTOWSP_OPEN_ARGS_FLOOR_10_0);
	longer.bytes[known] = 1;
	tell("open with a byte behind the effective minor", plugin->ops.open(instance, &longer.args, &made, &error));
	longer.bytes[known] = 0;
	tell("open with zeros there", plugin->ops.open(instance, &longer.args, &made, &error));
	if (made)
		must("close", plugin->ops.close(made, &error));
}

static void open_and_load(void)
{
	static _Alignas(64) const struct {
		struct ptowsp_workload_header header;
		struct ptowsp_instruction code[1];
	} work = {.header = {.magic = PTOWSP_WORKLOAD_MAGIC, .version = PTOWSP_WORKLOAD_VERSION, .num_instructions = 1}, .code = {{.opcode = PTOWSP_OP_HALT}}};
	static _Alignas(64) const struct ptowsp_entry_record entry = {.flags = PTOWSP_ENTRY_DEFAULT};
	const struct ptowsp_section sections[] = {{PTOWSP_SECTION_ENTR, sizeof(entry), 1, &entry}, {PTOWSP_SECTION_WORK, 1, sizeof(work), &work}};
	struct ptowsp_open_args open = {.head = PTOWSP_HEAD(open, OPEN_ARGS), .threads = 1};
	const struct ptowsp_load_args load = {
		.head = PTOWSP_HEAD(load, LOAD_ARGS), .sections = sections, .section_count = 2, .section_stride = sizeof(*sections)};

#if LATER
	if (later())
		open.later = 42;
#endif
	must("open", host_call_open(&caller, instance, &open, &device, &error));
	must("load", host_call_load(&caller, device, &load, &program, &error));
}

/* What was appended to operations: there, or UNIMPLEMENTED and not called. */
static void calls(void)
{
#if LATER
	uint64_t sum = 0;

	if (!tell("later", host_call_later(&caller, device, 1000, &sum, &error)))
		printf("later(1000): %llu\n", (unsigned long long)sum);
	tell("later beyond", host_call_later(&caller, device, UINT64_MAX, &sum, &error));
	printf("trace.later is there: %s\n", host_caller_offers(&caller, instance, HOST_OPERATION_trace_later) ? "yes" : "no");
	tell("trace.later", host_call_trace_later(&caller, program, 3, &error));
#endif
}

static void run(void)
{
	struct ptowsp_run_args args = {.head = PTOWSP_HEAD(args, RUN_ARGS), .program = program};
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
	static struct host_run ours;

	must("a token", host_runs_begin(&services.runs, &ours));
	args.token = ours.token;
#if LATER
	if (later())
		args.later = 100;
#endif
	must("submit", host_call_submit(&caller, device, &args, &error));
	for (int i = 0; i < 1000 && !host_runs_is_complete(&services.runs, &ours); i++) {
		const ptowsp_status status = host_call_poll(&caller, device, host_now_ns() + 10000000, &error);

		if (status != PTOWSP_AGAIN) /* a busy machine takes longer than one look */
			must("poll", status);
	}
	printf("done: %s, %llu cycles, size %u\n", host_runs_is_complete(&services.runs, &ours) ? reg_status_name(ours.report.status) : "never",
	       (unsigned long long)ours.report.stats.total_cycles, ours.report.stats.head.size == sizeof(stats));
#if LATER
	printf("stats.later: %llu\n", (unsigned long long)ours.report.stats.later);
	for (uint32_t i = 0; i < ours.report.stats.resource_count; i++)
		if (ours.report.stats.resources[i].later)
			printf("resource.later: %llu\n", (unsigned long long)ours.report.stats.resources[i].later);
#endif
	must("stats", host_call_stats(&caller, program, &stats, &error));
	host_report_finish(&ours.report);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	start(argv[1], argc > 2 && !strcmp(argv[2], "process"));
	look();
	tail();
	open_and_load();
	calls();
	run();
	must("unload", host_call_unload(&caller, program, &error));
	must("close", host_call_close(&caller, device, &error));
	must("fini", host_call_fini(&caller, instance, &error));
	host_plugin_release(plugin);
	host_caller_finish(&caller);
	host_breaches_finish(&breaches);
	host_services_finish(&services);
	puts("end");
	return 0;
}
