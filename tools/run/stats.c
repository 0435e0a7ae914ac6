/* SPDX-License-Identifier: MIT */
/* stats.c - --stats=json: one object with everything about the last run. */
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "ptowsp/report.h"
#include "registry/common/common_dtype.h"
#include "registry/names.h"
#include "tools/run/run_profile.h"
#include "tools/run/run_run.h"

static json_t *number(uint64_t value)
{
	return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

/* JSON has no infinity and no NaN: null. */
static json_t *real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

uint64_t run_device_ns(const struct ptowsp_kernel_stats *k)
{
#if PTOWSP_ABI_MINOR >= 1
	return k->device_ns;
#else
	(void)k;
	return 0;
#endif
}

/* Places of its tasks, if the backend counts them; headers of 10.0 have none for that. */
static void device_add(const struct run *run, json_t *row, const struct ptowsp_kernel_stats *k)
{
#if PTOWSP_ABI_MINOR >= 1
	const struct ptowsp_cap *cap = ptowsp_backend_cap(run->backend, PTOWSP_FEATURE_DEVICE_TASKS);

	if (!cap || cap->state != PTOWSP_STATE_ENFORCED)
		return;
	json_object_set_new(row, "device_tasks", number(k->device_tasks));
	json_object_set_new(row, "device_ns", number(k->device_ns));
#else
	(void)run, (void)row, (void)k;
#endif
}

static json_t *kernels_json(const struct run *run, const struct ptowsp_run_stats *s)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < s->kernel_count; i++) {
		const struct ptowsp_kernel_stats *k = &s->kernels[i];
		json_t *row =
			json_pack("{s:s, s:o, s:o}", "name", ptowsp_plan_kernel(run->plan, k->kernel), "tasks", number(k->tasks), "cycles", number(k->cycles));

		if (run_code_text(k->flags))
			json_object_set_new(row, "code", json_string(run_code_text(k->flags)));
		if (k->flags & PTOWSP_KERNEL_COUNTED_ONE)
			json_object_set_new(row, "counted_one", json_true());
		device_add(run, row, k);
		json_array_append_new(rows, row);
	}
	return rows;
}

static json_t *channels_json(const struct run *run, const struct ptowsp_run_stats *s)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < s->channel_count; i++) {
		const struct ptowsp_channel_stats *c = &s->channels[i];
		json_t *row = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:b}", "name", ptowsp_plan_channel(run->plan, c->channel), "capacity",
					number(c->capacity), "latency", number(c->latency), "sends", number(c->sends), "consumes", number(c->consumes),
					"high_water", number(c->high_water), "closed", (int)(c->flags & PTOWSP_CHANNEL_CLOSED));

		json_object_set_new(row, "full_count", number(c->full_count));
		json_object_set_new(row, "full_cycles", number(c->full_cycles));
		json_object_set_new(row, "empty_count", number(c->empty_count));
		json_object_set_new(row, "empty_cycles", number(c->empty_cycles));
		json_object_set_new(row, "payload_bytes", number(c->payload_bytes)); /* 0: a channel of tokens */
		json_array_append_new(rows, row);
	}
	return rows;
}

static json_t *processes_json(const struct run *run, const struct ptowsp_run_stats *s)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < s->process_count; i++) {
		const struct ptowsp_process_stats *p = &s->processes[i];

		json_array_append_new(rows, json_pack("{s:s, s:i, s:o, s:o}", "name", ptowsp_plan_process(run->plan, p->process), "replica", (int)p->replica,
						      "tasks", number(p->tasks), "end", number(p->clock)));
	}
	return rows;
}

static json_t *layouts_json(const struct run *run, const struct ptowsp_run_stats *s)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < s->layout_count; i++) {
		const struct ptowsp_layout_stats *l = &s->layouts[i];

		json_array_append_new(rows, json_pack("{s:s, s:s, s:i, s:o, s:o, s:o}", "name", run_tensor_name(run, l->tensor), "layout", l->layout, "shards",
						      (int)l->shards, "bytes_local", number(l->bytes_local), "bytes_moved", number(l->bytes_moved),
						      "bytes_placed", number(l->bytes_placed)));
	}
	return rows;
}

static json_t *resources_json(const struct run *run, const struct ptowsp_run_stats *s)
{
	json_t *rows = json_array();
	char name[160];

	for (uint32_t i = 0; i < s->resource_count; i++) {
		const struct ptowsp_resource_stats *r = &s->resources[i];

		json_array_append_new(rows, json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "name", run_resource_name(run, r, name, sizeof(name)), "capacity",
						      number(r->capacity), "high_water", number(r->high_water), "stall_count", number(r->stall_count),
						      "stall_cycles", number(r->stall_cycles), "stall_ns", number(r->stall_ns)));
	}
	return rows;
}

static json_t *diagnostics_json(const struct run *run)
{
	json_t *rows = json_array();
	struct ptowsp_diagnostic row;

	for (uint32_t i = 0; ptowsp_diagnostic_row(run->program, i, &row); i++) {
		struct reg_feature feature = {.name = "input"};

		if (row.feature)
			reg_feature(row.feature, &feature);
		json_array_append_new(rows, json_pack("{s:s, s:s, s:s}", "feature", feature.name, "state", reg_state_text(row.state), "text", row.text));
	}
	return rows;
}

/* Did the backend, once it knew the program, say that it keeps this without obeying it? */
static bool recorded_here(const struct run *run, uint32_t feature)
{
	struct ptowsp_diagnostic row;

	for (uint32_t i = 0; ptowsp_diagnostic_row(run->program, i, &row); i++)
		if (row.state == PTOWSP_STATE_RECORDED && row.feature == feature)
			return true;
	return false;
}

/* Directives that the backend keeps without obeying, with their parameters. */
static json_t *recorded_json(const struct run *run)
{
	json_t *rows = json_array();
	struct ptowsp_match *match;
	struct ptowsp_verdict v;

	if (ptowsp_match_create(&match, run->backend, run->plan, 0, NULL))
		return rows;
	for (uint32_t i = 0; ptowsp_match_row(match, i, &v); i++)
		if (v.directive && (v.state == PTOWSP_STATE_RECORDED || recorded_here(run, v.feature)))
			json_array_append_new(rows, json_pack("{s:s%, s:s}", "directive", v.what, strcspn(v.what, "="), "value",
							      v.what + strcspn(v.what, "=") + (strchr(v.what, '=') != NULL)));
	ptowsp_match_destroy(match);
	return rows;
}

static json_t *place_json(const struct compare_place *place)
{
	return json_pack("{s:o, s:o, s:o}", "index", number(place->index), "got", real(place->got), "expected", real(place->expected));
}

static json_t *compare_json(const struct run *run)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < run->tensor_count; i++) {
		const struct run_tensor *t = &run->tensors[i];
		const struct compare *c = &t->compare;
		json_t *row;

		if (!t->compared)
			continue;
		row = json_pack("{s:s, s:s, s:b, s:o, s:o, s:f, s:f, s:o, s:o, s:o, s:o}", "name", t->info.name, "with", t->compared_with, "ok", !c->exceed,
				"elements", number(c->elements), "exceed", number(c->exceed), "rtol", c->rtol, "atol", c->atol, "max_abs", real(c->max_abs),
				"mean_abs", real(c->mean_abs), "max_rel", real(c->max_rel), "mean_rel", real(c->mean_rel));
		if (c->exceed) {
			json_object_set_new(row, "first", place_json(&c->first));
			json_object_set_new(row, "worst", place_json(&c->worst));
		}
		json_array_append_new(rows, row);
	}
	return rows;
}

static json_t *deterministic_json(uint32_t value)
{
	return value == PTOWSP_DETERMINISTIC_YES ? json_true() : value == PTOWSP_DETERMINISTIC_NO ? json_false() : json_null();
}

static uint64_t peak_bytes(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) ? 0 : (uint64_t)usage.ru_maxrss * 1024;
}

/* Cores of a kind, then their pipes. */
static json_t *pipes_json(const struct ptowsp_run_stats *s)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < s->pipe_count; i++) {
		const struct ptowsp_pipe_stats *row = &s->pipes[i];

		json_array_append_new(rows, json_pack("{s:s, s:i, s:s, s:o}", "unit", reg_pool_text(row->unit), "cores", (int)row->cores, "pipe", row->name,
						      "cycles", number(row->cycles)));
	}
	return rows;
}

static json_t *figures_json(const struct run *run)
{
	json_t *rows = json_array();
	struct ptowsp_figure row;

	for (uint32_t i = 0; ptowsp_report_row(run->program, i, &row); i++)
		json_array_append_new(rows, json_pack("{s:s, s:s, s:o, s:o, s:s}", "group", row.group, "name", row.name, "value", number(row.value), "limit",
						      row.limit ? number(row.limit) : json_null(), "unit", row.unit));
	return rows;
}

/* One row where one instance generates everything: all tasks are its own. */
static json_t *schedulers_json(const struct ptowsp_run_stats *s)
{
	const struct ptowsp_scheduler_stats alone = {.tasks = s->tasks};
	uint32_t count = s->scheduler_count ? s->scheduler_count : 1;
	json_t *rows = json_array();

	for (uint32_t i = 0; i < count; i++) {
		const struct ptowsp_scheduler_stats *row = s->scheduler_count ? &s->schedulers[i] : &alone;

		json_array_append_new(
			rows, json_pack("{s:o, s:o, s:o}", "tasks", number(row->tasks), "skipped", number(row->skipped), "walked", number(row->walked)));
	}
	return rows;
}

/* The loop that dispatch=auto took; null where the schedule says which itself. */
static json_t *auto_json(const struct ptowsp_run_stats *s)
{
	if (!s->auto_executors)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o}", "axis", s->auto_axis[0] ? json_string(s->auto_axis) : json_null(), "executors", number(s->auto_executors),
			 "edges", number(s->auto_edges), "crossing", number(s->auto_cross));
}

/* null: its tensors go to each run and come back. */
static json_t *chain_json(const struct run *run)
{
	const struct run_chained chained = run_chained(run);

	if (!run->options->chain)
		return json_null();
	return json_pack("{s:i, s:o, s:b}", "tensors", (int)chained.tensors, "bytes", number(chained.bytes), "on_device", (int)chained.is_apart);
}

static void figures_add(json_t *root, const struct run *run, const struct ptowsp_run_stats *s)
{
	struct ptowsp_compiled_use use;
	const char *numerics = run_setting(run, "numerics");

	json_object_set_new(root, "total_cycles", number(s->total_cycles));
	json_object_set_new(root, "num_tasks", number(s->tasks));
	json_object_set_new(root, "num_edges", number(s->edges));
	json_object_set_new(root, "num_replayed", number(s->replayed));
	json_object_set_new(root, "num_executors", number(s->executors));
	json_object_set_new(root, "num_streams", number(s->streams));
	json_object_set_new(root, "task_window", number(s->task_window));
	json_object_set_new(root, "batches", number(s->batches));
	json_object_set_new(root, "flushes", number(s->flushes));
	json_object_set_new(root, "schedulers", schedulers_json(s));
	json_object_set_new(root, "cross_edges", number(s->cross_edges));
	json_object_set_new(root, "notifications", number(s->notifications));
	json_object_set_new(root, "dispatch_auto", auto_json(s));
	ptowsp_compiled_used(run->program, &use);
	json_object_set_new(root, "compiled_found", number(use.found));
	json_object_set_new(root, "compiled_found_bytes", number(use.found_bytes));
	json_object_set_new(root, "compile_ms", json_real(ptowsp_compile_ms(run->program)));
	json_object_set_new(root, "execute_ms", json_real((double)s->execute_ns / 1e6));
	json_object_set_new(root, "peak_rss_bytes", number(peak_bytes()));
	json_object_set_new(root, "isolation", json_string(run_isolation_text(ptowsp_backend_isolation(run->backend))));
	json_object_set_new(root, "isolation_copy_bytes", number(ptowsp_backend_copied(run->backend)));
	json_object_set_new(root, "deterministic", deterministic_json(s->deterministic));
	json_object_set_new(root, "numerics", numerics ? json_string(numerics) : json_null());
	json_object_set_new(root, "kernels", kernels_json(run, s));
	json_object_set_new(root, "resources", resources_json(run, s));
	json_object_set_new(root, "channels", channels_json(run, s));
	json_object_set_new(root, "processes", processes_json(run, s));
	json_object_set_new(root, "pipes", pipes_json(s));
	json_object_set_new(root, "layouts", layouts_json(run, s));
	json_object_set_new(root, "figures", figures_json(run));
	json_object_set_new(root, "chain", chain_json(run));
}

static const char *const deadlock_kinds[] = {"held", "channel_cycle", "window_channel", "channel_empty", "event"};

static json_t *channel_json(const struct run *run, uint32_t channel)
{
	return channel == PTOWSP_NONE ? json_null() : json_string(ptowsp_plan_channel(run->plan, channel));
}

/* The processes that wait: where, and for what. */
static json_t *waiting_json(const struct run *run, const struct ptowsp_deadlock *d)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < d->waiting_count && i < PTOWSP_WAITING_LIMIT; i++) {
		const struct ptowsp_waiting *w = &d->waiting[i];

		json_array_append_new(rows, json_pack("{s:s, s:i, s:i, s:s, s:o, s:i}", "process",
						      w->process == PTOWSP_NONE ? "" : ptowsp_plan_process(run->plan, w->process), "replica", (int)w->replica,
						      "instruction", (int)w->instruction, "reason",
						      w->resource == PTOWSP_NONE ? "EVENT_WAIT" : reg_stall_text(w->resource), "channel",
						      channel_json(run, w->channel), "scope_depth", (int)w->scope_depth));
	}
	return rows;
}

static json_t *deadlock_json(const struct run *run, const struct ptowsp_deadlock *d)
{
	json_t *row = json_pack("{s:s, s:o, s:o, s:o, s:o, s:i, s:b, s:o, s:s, s:s}", "resource",
				d->kind == PTOWSP_DEADLOCK_EVENT ? "event" : reg_resource_text(d->resource), "task", number(d->task), "capacity",
				number(d->capacity), "used", number(d->used), "high_water", number(d->high_water), "scope_depth", (int)d->scope_depth,
				"scope_held", (int)d->scope_held, "proposed", number(d->proposed), "option", d->option, "text", d->text);

	json_object_set_new(row, "kind", json_string(d->kind < 5 ? deadlock_kinds[d->kind] : "unknown"));
	json_object_set_new(row, "channel", channel_json(run, d->channel));
	json_object_set_new(row, "waiting_count", number(d->waiting_count));
	json_object_set_new(row, "waiting", waiting_json(run, d));
	return row;
}

/* Nine tell every f32 from its neighbours and are plenty for times and differences; elements with more bits need them all. */
static unsigned digits(const struct run *run)
{
	for (uint32_t i = 0; i < run->tensor_count; i++)
		if (run->tensors[i].compare.exceed && common_dtype(run->tensors[i].info.dtype)->bytes > 4)
			return 17;
	return 9;
}

json_t *run_stats_make(struct run *run, ptowsp_status status, const struct ptowsp_error *failure)
{
	const struct ptowsp_device *device = ptowsp_backend_current(run->backend);
	json_t *root = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "schema", "ptowsp.stats/1", "plugin", ptowsp_backend_name(run->backend), "device",
				 device ? device->name : "", "package", ptowsp_package_name(run->package), "entry", ptowsp_plan_entry(run->plan), "engine",
				 run_engine(device), "cycle_model", run_cycle_model(device));

	if (root) {
		json_object_set_new(root, "status", json_string(reg_status_name(status)));
		if (status)
			json_object_set_new(root, "error", json_string(failure->text));
		if (run->program && *ptowsp_program_trust(run->program))
			json_object_set_new(root, "trust", json_string(ptowsp_program_trust(run->program)));
		json_object_set_new(root, "runs", number(run->runs_done));
		json_object_set_new(root, "kernels_run", json_boolean(!run->options->no_kernels));
		figures_add(root, run, ptowsp_stats(run->program));
		if (run->options->profile)
			json_object_set_new(root, "profile", run_profile_json(run));
		json_object_set_new(root, "diagnostics", diagnostics_json(run));
		json_object_set_new(root, "recorded", recorded_json(run));
		json_object_set_new(root, "compare", compare_json(run));
		if (ptowsp_deadlock(run->program))
			json_object_set_new(root, "deadlock", deadlock_json(run, ptowsp_deadlock(run->program)));
	}
	return root;
}

ptowsp_status run_stats_json(struct run *run, ptowsp_status status, const struct ptowsp_error *failure, struct ptowsp_error *error)
{
	return run_json_print_digits(run_stats_make(run, status, failure), digits(run), error);
}
