/* SPDX-License-Identifier: MIT */
/* text.c - results for people: the one-line summary, --stats=text, diagnostics. */
#include <stdio.h>
#include <string.h>

#include "ptowsp/report.h"
#include "registry/names.h"
#include "registry/text.h"
#include "tools/plain.h"
#include "tools/run/run_run.h"

static void compare_verdict(const struct run *run)
{
	uint32_t compared = 0, wrong = 0;
	uint64_t elements = 0;
	double worst = 0;

	for (uint32_t i = 0; i < run->tensor_count; i++) {
		const struct run_tensor *tensor = &run->tensors[i];

		if (!tensor->compared)
			continue;
		compared++;
		wrong += tensor->compare.exceed > 0;
		elements += tensor->compare.elements;
		worst = tensor->compare.max_abs > worst ? tensor->compare.max_abs : worst;
	}
	if (compared)
		plain_print(stdout, "; compare: %s (%u tensor%s, %llu elements, max abs %.3g)", wrong ? "DIFFERENT" : "ok", compared, compared > 1 ? "s" : "",
			    (unsigned long long)elements, worst);
}

/* Directives that the schedule leaves to the core. */
static void auto_print(const struct ptowsp_run_stats *s)
{
	if (s->auto_executors && s->auto_axis[0])
		plain_print(stdout, "; dispatch auto: affinity(%s, %llu), %llu of %llu edges cross", s->auto_axis, (unsigned long long)s->auto_executors,
			    (unsigned long long)s->auto_cross, (unsigned long long)s->auto_edges);
	else if (s->auto_executors)
		plain_print(stdout, "; dispatch auto: no loop has tasks");
}

void run_summary_print(struct run *run)
{
	const struct ptowsp_run_stats *s = ptowsp_stats(run->program);
	const struct ptowsp_device *device = ptowsp_backend_current(run->backend);

	if (run->options->quiet)
		return;
	if (run->options->runs > 1)
		plain_print(stdout, "run %llu: ", (unsigned long long)run->runs_done);
	plain_print(stdout, "%s%s%s: %llu task%s, %llu cycles (%s%s), %.3f ms", ptowsp_backend_name(run->backend), device ? " " : "",
		    device ? device->name : "", (unsigned long long)s->tasks, s->tasks == 1 ? "" : "s", (unsigned long long)s->total_cycles,
		    run_cycle_model(device), run->options->no_kernels ? ", no kernels run" : "", ptowsp_elapsed_ms(run->program));
	auto_print(s);
	compare_verdict(run);
	plain_print(stdout, "\n");
}

const char *run_code_text(uint32_t flags)
{
	return flags & PTOWSP_KERNEL_NATIVE ? "native" : flags & PTOWSP_KERNEL_PORTABLE ? "portable" : flags & PTOWSP_KERNEL_C ? "c" : NULL;
}

static void kernels_print(const struct run *run, const struct ptowsp_run_stats *s)
{
	plain_print(stdout, "%-32s %12s %16s %s\n", "kernel", "tasks", "cycles", "code");
	for (uint32_t i = 0; i < s->kernel_count; i++) {
		const struct ptowsp_kernel_stats *k = &s->kernels[i];
		const uint64_t ns = run_device_ns(k);

		plain_print(stdout, "%-32s %12llu %16llu %s%s", ptowsp_plan_kernel(run->plan, k->kernel), (unsigned long long)k->tasks,
			    (unsigned long long)k->cycles, run_code_text(k->flags) ? run_code_text(k->flags) : "-",
			    k->flags & PTOWSP_KERNEL_COUNTED_ONE ? "  (counted 1 each)" : "");
		if (ns)
			plain_print(stdout, "  %.3f ms on the device%s", (double)ns / 1e6, run->options->rank_count ? ", of rank 0" : "");
		plain_print(stdout, "\n");
	}
}

/* A channel's row has room for part of its name only. */
const char *run_resource_name(const struct run *run, const struct ptowsp_resource_stats *r, char *text, size_t size)
{
	if (r->resource != PTOWSP_RESOURCE_CHANNEL_FULL)
		return r->name;
	snprintf(text, size, "channel:%s", ptowsp_plan_channel(run->plan, r->pool));
	return text;
}

/* Instances in declaration order, which is that of their executors. */
static void processes_print(const struct run *run, const struct ptowsp_run_stats *s)
{
	if (s->process_count)
		plain_print(stdout, "%-24s %10s %12s %16s\n", "process", "replica", "tasks", "end");
	for (uint32_t i = 0; i < s->process_count; i++)
		plain_print(stdout, "%-24s %10u %12llu %16llu\n", ptowsp_plan_process(run->plan, s->processes[i].process), s->processes[i].replica,
			    (unsigned long long)s->processes[i].tasks, (unsigned long long)s->processes[i].clock);
}

/* Names belong to rows of the package, which need not be the plan's. */
const char *run_tensor_name(const struct run *run, uint32_t row)
{
	for (uint32_t i = 0; i < run->tensor_count; i++)
		if (run->tensors[i].info.row == row)
			return run->tensors[i].info.name;
	return "?";
}

static void layouts_print(const struct run *run, const struct ptowsp_run_stats *s)
{
	if (s->layout_count)
		plain_print(stdout, "%-24s %-12s %8s %14s %14s %14s\n", "layout of", "", "shards", "bytes local", "bytes moved", "bytes placed");
	for (uint32_t i = 0; i < s->layout_count; i++) {
		const struct ptowsp_layout_stats *l = &s->layouts[i];

		plain_print(stdout, "%-24s %-12s %8u %14llu %14llu %14llu\n", run_tensor_name(run, l->tensor), l->layout, l->shards,
			    (unsigned long long)l->bytes_local, (unsigned long long)l->bytes_moved, (unsigned long long)l->bytes_placed);
	}
}

static void channels_print(const struct run *run, const struct ptowsp_run_stats *s)
{
	if (s->channel_count)
		plain_print(stdout, "%-16s %10s %10s %12s %12s %12s %12s %14s\n", "channel", "sends", "consumes", "full waits", "full cycles", "empty waits",
			    "empty cycles", "payload bytes");
	for (uint32_t i = 0; i < s->channel_count; i++) {
		const struct ptowsp_channel_stats *c = &s->channels[i];

		plain_print(stdout, "%-16s %10llu %10llu %12llu %12llu %12llu %12llu %14llu\n", ptowsp_plan_channel(run->plan, c->channel),
			    (unsigned long long)c->sends, (unsigned long long)c->consumes, (unsigned long long)c->full_count,
			    (unsigned long long)c->full_cycles, (unsigned long long)c->empty_count, (unsigned long long)c->empty_cycles,
			    (unsigned long long)c->payload_bytes);
	}
}

/* Stalls and their cycles are semantic; the waiting is real and also happens where semantic time never stalls. */
static void resources_print(const struct run *run, const struct ptowsp_run_stats *s)
{
	char name[160];

	plain_print(stdout, "%-16s %14s %14s %10s %14s %10s\n", "resource", "capacity", "high water", "stalls", "stall cycles", "waited ms");
	for (uint32_t i = 0; i < s->resource_count; i++) {
		const struct ptowsp_resource_stats *r = &s->resources[i];
		char capacity[24] = "unbounded";

		if (r->capacity || r->resource == PTOWSP_RESOURCE_CHANNEL_FULL)
			snprintf(capacity, sizeof(capacity), "%llu", (unsigned long long)r->capacity);
		plain_print(stdout, "%-16s %14s %14llu %10llu %14llu %10.3f\n", run_resource_name(run, r, name, sizeof(name)), capacity,
			    (unsigned long long)r->high_water, (unsigned long long)r->stall_count, (unsigned long long)r->stall_cycles,
			    (double)r->stall_ns / 1e6);
	}
	if (s->process_count)
		plain_print(stdout, "high water of ring, pools and heap: counted over all processes\n");
}

static void compares_print(const struct run *run)
{
	for (uint32_t i = 0; i < run->tensor_count; i++) {
		const struct run_tensor *tensor = &run->tensors[i];
		const struct compare *c = &tensor->compare;

		if (tensor->compared)
			plain_print(stdout, "compare %s with %s: %s, %llu of %llu exceed; abs max %.3g mean %.3g; rel max %.3g mean %.3g\n", tensor->info.name,
				    tensor->compared_with, c->exceed ? "DIFFERENT" : "ok", (unsigned long long)c->exceed, (unsigned long long)c->elements,
				    c->max_abs, c->mean_abs, c->max_rel, c->mean_rel);
	}
}

static void schedulers_print(const struct ptowsp_run_stats *s)
{
	if (!s->scheduler_count)
		return;
	plain_print(stdout, "edges between scheduler instances %llu, notifications %llu\n", (unsigned long long)s->cross_edges,
		    (unsigned long long)s->notifications);
	plain_print(stdout, "%-28s %16s %16s %16s\n", "scheduler instance", "tasks", "passed over", "walked");
	for (uint32_t i = 0; i < s->scheduler_count; i++)
		plain_print(stdout, "%-28u %16llu %16llu %16llu\n", i, (unsigned long long)s->schedulers[i].tasks, (unsigned long long)s->schedulers[i].skipped,
			    (unsigned long long)s->schedulers[i].walked);
}

/* Cores: of the cycles that there are; pipes: of those in which a task ran. */
static void pipes_print(const struct ptowsp_run_stats *s)
{
	uint64_t whole = 0;

	if (s->pipe_count)
		plain_print(stdout, "%-28s %16s %16s\n", "cores", "cycles", "share %");
	for (uint32_t i = 0; i < s->pipe_count; i++) {
		const struct ptowsp_pipe_stats *row = &s->pipes[i];
		char text[64];

		if (*row->name)
			snprintf(text, sizeof(text), "  %.24s", row->name);
		else
			snprintf(text, sizeof(text), "%u %s", row->cores, reg_pool_text(row->unit));
		whole = *row->name ? whole : row->cycles;
		plain_print(stdout, "%-28s %16llu %16.1f\n", text, (unsigned long long)row->cycles,
			    100.0 * (double)row->cycles / ((*row->name ? (double)whole : (double)row->cores * (double)s->total_cycles) + 1e-9));
	}
}

/* Groups of figures that the backend gives besides; the group stands where it begins. */
static void figures_print(const struct run *run)
{
	struct ptowsp_figure row;
	char group[sizeof(row.group)] = "";

	for (uint32_t i = 0; ptowsp_report_row(run->program, i, &row); i++) {
		if (strcmp(group, row.group))
			plain_print(stdout, "%s\n", row.group);
		memcpy(group, row.group, sizeof(group));
		plain_print(stdout, "  %-44s %14llu", row.name, (unsigned long long)row.value);
		if (row.limit)
			plain_print(stdout, " of %llu", (unsigned long long)row.limit);
		plain_print(stdout, "%s%s", *row.unit ? " " : "", row.unit);
		if (row.limit)
			plain_print(stdout, " (%.1f %%)", 100.0 * (double)row.value / (double)row.limit);
		plain_print(stdout, "\n");
	}
}

static void compiled_print(const struct run *run)
{
	struct ptowsp_compiled_use use;

	ptowsp_compiled_used(run->program, &use);
	if (use.found)
		plain_print(stdout, "compiled earlier: %u pieces of %llu bytes were found\n", use.found, (unsigned long long)use.found_bytes);
}

static void chain_print(const struct run *run)
{
	const struct run_chained chained = run_chained(run);

	if (run->options->chain)
		plain_print(stdout, "chain of %llu runs: %llu bytes of %u tensors stayed %s\n", (unsigned long long)run->runs_done,
			    (unsigned long long)chained.bytes, chained.tensors,
			    chained.is_apart ? "on the device" : "in memory of this process, as the backend has no buffers");
}

void run_stats_text(struct run *run)
{
	static const char *const deterministic[] = {"no", "yes", "only if the author's promise holds"};
	const struct ptowsp_run_stats *s = ptowsp_stats(run->program);
	const struct ptowsp_device *device = ptowsp_backend_current(run->backend);
	const char *const numerics = run_setting(run, "numerics");
	char window[24] = "unbounded";

	if (s->task_window)
		snprintf(window, sizeof(window), "%llu", (unsigned long long)s->task_window);
	run_summary_print(run);
	plain_print(stdout, "tasks %llu, edges %llu, executors %llu, streams %llu, task window %s\n", (unsigned long long)s->tasks,
		    (unsigned long long)s->edges, (unsigned long long)s->executors, (unsigned long long)s->streams, window);
	plain_print(stdout, "engine %s, cycle model %s\n", run_engine(device), run_cycle_model(device));
	plain_print(stdout, "load %.3f ms, run %.3f ms; deterministic: %s%s%s\n", ptowsp_compile_ms(run->program), (double)s->execute_ns / 1e6,
		    deterministic[s->deterministic < 3 ? s->deterministic : 2], numerics ? "; numerics: " : "", numerics ? numerics : "");
	compiled_print(run);
	if (ptowsp_backend_isolation(run->backend) != PTOWSP_ISOLATE_NONE)
		plain_print(stdout, "isolation %s: %llu bytes of tensors copied\n", run_isolation_text(ptowsp_backend_isolation(run->backend)),
			    (unsigned long long)ptowsp_backend_copied(run->backend));
	chain_print(run);
	schedulers_print(s);
	kernels_print(run, s);
	if (*ptowsp_program_trust(run->program))
		plain_print(stdout, "trust in native code: %s\n", ptowsp_program_trust(run->program));
	resources_print(run, s);
	channels_print(run, s);
	processes_print(run, s);
	layouts_print(run, s);
	pipes_print(s);
	figures_print(run);
	compares_print(run);
	if (ptowsp_deadlock(run->program)) /* the sentence on stderr has no room for everybody who waits */
		plain_print(stdout, "deadlock: %s\n", ptowsp_deadlock(run->program)->text);
}

/* A temp tensor that is not renamed changes no result, and its author can do nothing about it in a run: --explain, --stats and -v say it. The same is true of what a run without
 * kernels would end by if it had them, of phases into which a backend splits a run, and of calls that it divides. */
static bool is_for_who_asks(const struct ptowsp_diagnostic *row)
{
	static const uint32_t features[] = {
		PTOWSP_FEATURE_TEMP_RENAMED,
		PTOWSP_FEATURE_NO_KERNELS,
		PTOWSP_FEATURE_CSP_PAYLOAD,
		PTOWSP_FEATURE_TENSOR_TO_SLOT,
		PTOWSP_FEATURE_KERNEL_CYCLES,
#if PTOWSP_ABI_MINOR >= 1
		PTOWSP_FEATURE_DEVICE_TASKS,
#endif
	};

	for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++)
		if (row->feature == features[i])
			return true;
	return false;
}

/* Backends say of a temp tensor that it is read before any task has written it, and do not know what it was given. */
#define UNWRITTEN "temp tensor %.60s is read before any task has written it, "

static bool is_unwritten(const struct ptowsp_diagnostic *row, const struct run_tensor *tensor)
{
	char text[128];

	snprintf(text, sizeof(text), UNWRITTEN, tensor->info.name);
	return !row->feature && tensor->info.role == PTOWSP_ROLE_TEMP && !strncmp(row->text, text, strlen(text));
}

/* The temp tensor that the row says this of; NULL: it says something else. */
static const struct run_tensor *unwritten_of(const struct run *run, const struct ptowsp_diagnostic *row)
{
	for (uint32_t i = 0; i < run->tensor_count; i++)
		if (is_unwritten(row, &run->tensors[i]))
			return &run->tensors[i];
	return NULL;
}

static bool is_given(const struct run_tensor *tensor)
{
	return tensor && (tensor->in || tensor->filled || tensor->restored);
}

ptowsp_status run_unwritten_check(const struct run *run, struct ptowsp_error *error)
{
	struct ptowsp_diagnostic row;

	for (uint32_t i = 0; run->options->strict && ptowsp_diagnostic_row(run->program, i, &row); i++) {
		const struct run_tensor *tensor = unwritten_of(run, &row);

		if (tensor && !is_given(tensor))
			return reg_fail(error, PTOWSP_UNSUPPORTED, "%.200s, and --strict refuses that; write it first", row.text);
	}
	return PTOWSP_OK;
}

static void diagnostic_print(const struct run *run, const struct ptowsp_diagnostic *row)
{
	const struct run_tensor *unwritten = unwritten_of(run, row);

	if (!is_given(unwritten) && (run->options->verbose || !is_for_who_asks(row)))
		plain_print(stderr, "ptowsp-run: %s%s\n", row->text, unwritten ? ": it holds zeros then" : "");
}

void run_diagnostics_print(struct run *run)
{
	struct ptowsp_diagnostic row;

	for (uint32_t i = 0; !run->options->quiet && ptowsp_diagnostic_row(run->program, i, &row); i++)
		diagnostic_print(run, &row);
}
