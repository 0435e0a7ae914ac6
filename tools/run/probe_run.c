/* SPDX-License-Identifier: MIT */
/* probe_run.c - one run of a probe package, and keeping what can be seen of it. */
#include "tools/run/probe_run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "registry/names.h"
#include "registry/text.h"

static const uint64_t deadline_ns = 50000000, cancel_ns = 20000000;

/* ---- the text of a run ----------------------------------------------------------------------------------------- */

static char *after(char *word, const char *prefix)
{
	return strncmp(word, prefix, strlen(prefix)) ? NULL : word + strlen(prefix);
}

/* A value that the number of instances divides belongs to instance 0, and executors are told apart by what is left of it. */
static void one_set(struct probe_spec *spec, uint32_t executors, uint32_t instances)
{
	struct reg_text text;

	spec->one = executors;
	reg_text_init(&text, spec->one_dispatch, sizeof(spec->one_dispatch));
	if (instances > 1)
		reg_text_add(&text, "dispatch=custom(task*%u,%u)", instances, executors * instances);
	else if (executors > 1)
		reg_text_add(&text, "dispatch=round_robin(%u)", executors);
}

static void word_read(struct probe_spec *spec, char *word)
{
	char *rest;

	assert(spec->schedule_count < PROBE_WORDS && spec->set_count < PROBE_WORDS && spec->then_count < PROBE_WORDS);
	if ((rest = after(word, "set:")))
		spec->set[spec->set_count++] = rest;
	else if ((rest = after(word, "then:")))
		spec->then[spec->then_count++] = rest;
	else if ((rest = after(word, "@threads=")))
		spec->threads = (uint32_t)strtoul(rest, NULL, 10);
	else if ((rest = after(word, "@real=")))
		spec->threads = (uint32_t)strtoul(rest, NULL, 10), spec->real = true;
	else if ((rest = after(word, "@one=")))
		one_set(spec, (uint32_t)strtoul(rest, NULL, 10), 1);
	else if ((rest = after(word, "@mate=")))
		spec->mate = rest;
	else if (!strcmp(word, "@instances"))
		spec->instances = true;
	else if (!strcmp(word, "@no_kernels"))
		spec->no_kernels = true;
	else if (!strcmp(word, "@cancel"))
		spec->cancel = true;
	else if (!strcmp(word, "@deadline"))
		spec->deadline = true;
	else
		spec->schedule[spec->schedule_count++] = word;
}

void probe_spec_read(struct probe_spec *spec, const char *text)
{
	char *rest, *word;

	*spec = (struct probe_spec){0};
	assert(strlen(text) < sizeof(spec->memory));
	strcpy(spec->memory, text);
	word = strtok_r(spec->memory, " ", &rest);
	assert(word && strchr(word, ':'));
	spec->package = word;
	spec->entry = strchr(word, ':') + 1;
	*strchr(word, ':') = 0;
	while ((word = strtok_r(NULL, " ", &rest)))
		word_read(spec, word);
}

void probe_phase_tell(const struct probe_spec *spec, enum probe_phase phase)
{
	if (spec->watch.tell)
		spec->watch.tell(spec->watch.context, phase);
}

/* ---- what comes back while it runs ----------------------------------------------------------------------------- */

static void task_keep(void *context, const struct ptowsp_trace_task *tasks, uint32_t count, uint32_t stride)
{
	struct probe_outcome *o = context;

	for (uint32_t i = 0; i < count; i++, o->task_count++)
		if (o->task_count < PROBE_TASKS)
			o->tasks[o->task_count] = *(const struct ptowsp_trace_task *)(const void *)((const char *)tasks + (size_t)i * stride);
}

static void edge_keep(void *context, const struct ptowsp_graph_edge *edges, uint32_t count, uint32_t stride)
{
	struct probe_outcome *o = context;

	for (uint32_t i = 0; i < count; i++, o->edge_count++)
		if (o->edge_count < PROBE_EDGES)
			o->edges[o->edge_count] = *(const struct ptowsp_graph_edge *)(const void *)((const char *)edges + (size_t)i * stride);
}

/* ---- before ---------------------------------------------------------------------------------------------------- */

static bool takes(const struct ptowsp_backend *backend, uint32_t payload)
{
	const struct ptowsp_cap *cap = ptowsp_backend_cap(backend, PTOWSP_FEATURE_PAYLOAD(payload));

	return cap && cap->state > PTOWSP_STATE_UNSUPPORTED;
}

static bool needs_native(const struct ptowsp_backend *backend)
{
	return takes(backend, PTOWSP_PAYLOAD_ELF) && !takes(backend, PTOWSP_PAYLOAD_PTO);
}

/* Native code of the probes, which come with this program, runs where it is what is probed, and on backends that run no portable kernels. */
static uint32_t load_flags(const struct ptowsp_backend *backend, uint32_t feature)
{
	return needs_native(backend) || feature == PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_ELF) ? PTOWSP_LOAD_TRUST_NATIVE : 0;
}

static bool places_tasks(uint32_t feature)
{
	return feature >> 4 == PTOWSP_FEATURE_POLICY(PTOWSP_DIRECTIVE_DISPATCH, 0) >> 4 ||
	       feature >> 4 == PTOWSP_FEATURE_POLICY(PTOWSP_DIRECTIVE_SPATIAL_MAP, 0) >> 4;
}

static void unmet_keep(char *text, size_t room, const struct ptowsp_verdict *verdict)
{
	struct reg_text out;

	if (*text)
		return;
	reg_text_init(&out, text, room);
	reg_text_add(&out, "the probe needs %s: %s", verdict->what, verdict->reason);
}

/* One verdict of the match. declared: of the probed feature, its row's state. */
static void need_meet(struct probe_outcome *o, const struct ptowsp_verdict *verdict, uint32_t feature, unsigned declared)
{
	bool own = verdict->feature == feature, less = verdict->directive && verdict->state < PTOWSP_STATE_ENFORCED;

	if (own && verdict->refused) {
		o->refused = true;
		reg_fail(&o->error, PTOWSP_UNSUPPORTED, "%s: %s", verdict->what, verdict->reason);
	} else if (verdict->refused) {
		unmet_keep(o->missing, sizeof(o->missing), verdict);
	} else if (less && !own && places_tasks(verdict->feature)) {
		unmet_keep(o->unplaced, sizeof(o->unplaced), verdict);
	} else if (less && (!own || declared == PTOWSP_STATE_ENFORCED)) {
		unmet_keep(o->unmet, sizeof(o->unmet), verdict);
	}
}

/* Directives that a backend does not claim would leave the run as it is without them. It runs all the same: a difference that is there is one, but where there
 * is none nothing can be told. */
static bool needs_met(struct probe_outcome *o, const struct ptowsp_backend *backend, const struct ptowsp_plan *plan, uint32_t feature)
{
	const struct ptowsp_cap *cap = ptowsp_backend_cap(backend, feature);
	struct ptowsp_match *match;
	struct ptowsp_verdict verdict;

	o->status = ptowsp_match_create(&match, backend, plan, load_flags(backend, feature), &o->error);
	for (uint32_t i = 0; !o->status && !*o->missing && !o->refused && ptowsp_match_row(match, i, &verdict); i++)
		need_meet(o, &verdict, feature, cap ? cap->state : PTOWSP_STATE_UNSUPPORTED);
	ptowsp_match_destroy(match);
	return !o->status && !*o->missing && !o->refused;
}

static ptowsp_status values_set(struct ptowsp_program *program, char *const *pairs, uint32_t count, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < count && !status; i++) {
		char name[64];
		size_t length = strcspn(pairs[i], "=");

		assert(length < sizeof(name) && pairs[i][length] == '=');
		memcpy(name, pairs[i], length);
		name[length] = 0;
		status = ptowsp_value_set(program, name, pairs[i] + length + 1, error);
	}
	return status;
}

/* Tensors of .pto sources have no shape: each gets the same zeroed memory of its own. */
static ptowsp_status tensors_bind(struct ptowsp_program *program, const struct ptowsp_plan *plan, uint64_t *memory, uint32_t room, struct ptowsp_error *error)
{
	struct ptowsp_tensor_info info;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; ptowsp_plan_tensor(plan, i, &info) && !status; i++)
		if (i < room && (info.flags & PTOWSP_TENSOR_INFO_USED) && (info.flags & PTOWSP_TENSOR_INFO_SHAPELESS))
			status = ptowsp_tensor_bind(program, info.name, memory + (size_t)i * PROBE_ELEMENTS, PROBE_ELEMENTS, error);
	return status;
}

/* ---- the run --------------------------------------------------------------------------------------------------- */

static void sleep_ns(uint64_t ns)
{
	struct timespec nap = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

	nanosleep(&nap, NULL);
}

static ptowsp_status run_once(struct probe_outcome *o, struct ptowsp_program *program, struct ptowsp_program *mate, const struct probe_spec *spec)
{
	struct ptowsp_execute_options options = {.flags = spec->no_kernels ? PTOWSP_RUN_NO_KERNELS : 0,
						 .timeout_ns = spec->deadline ? deadline_ns : spec->watch.limit_ms * 1000000};
	struct ptowsp_program *both[2] = {program, mate};
	ptowsp_status status = PTOWSP_OK, other = PTOWSP_OK;

	o->task_count = o->edge_count = 0;
	probe_phase_tell(spec, PROBE_RUNS);
	if (mate)
		status = ptowsp_programs_join(both, 2, &o->error);
	if (!status && mate)
		status = ptowsp_execute_async(mate, &options, &o->error);
	if (!status)
		status = ptowsp_execute_async(program, &options, &o->error);
	if (!status && spec->cancel) {
		sleep_ns(cancel_ns);
		status = ptowsp_cancel(program, &o->error);
	}
	if (!status)
		status = ptowsp_synchronize(program, UINT64_MAX, &o->error);
	if (mate && !ptowsp_is_complete(mate))
		other = ptowsp_synchronize(mate, UINT64_MAX, status ? NULL : &o->error);
	probe_phase_tell(spec, PROBE_LOADS);
	return status ? status : other;
}

static void stats_keep(struct probe_outcome *o, const struct ptowsp_program *program)
{
	const struct ptowsp_run_stats *stats = ptowsp_stats(program);
	const struct ptowsp_deadlock *deadlock = ptowsp_deadlock(program);

	o->stats = *stats;
	o->resource_count = stats->resource_count < PROBE_RESOURCES ? stats->resource_count : PROBE_RESOURCES;
	for (uint32_t i = 0; i < o->resource_count; i++)
		o->resources[i] = *(const struct ptowsp_resource_stats *)(const void *)((const char *)stats->resources + (size_t)i * stats->resource_stride);
	o->scheduler_count = stats->scheduler_count < PROBE_SCHEDULERS ? stats->scheduler_count : PROBE_SCHEDULERS;
	for (uint32_t i = 0; i < o->scheduler_count; i++)
		o->scheduler_tasks[i] =
			((const struct ptowsp_scheduler_stats *)(const void *)((const char *)stats->schedulers + (size_t)i * stats->scheduler_stride))->tasks;
	for (uint32_t i = 0; i < stats->kernel_count; i++) {
		const struct ptowsp_kernel_stats *row = (const void *)((const char *)stats->kernels + (size_t)i * stats->kernel_stride);

		o->kernel_cycles += row->cycles;
#if PTOWSP_ABI_MINOR >= 1
		o->device_tasks += row->device_tasks;
		o->device_ns += row->device_ns;
#endif
	}
	if (stats->layout_count)
		o->layout = *stats->layouts;
	o->stats.resources = NULL;
	o->stats.kernels = NULL;
	o->stats.schedulers = NULL;
	o->deadlocked = deadlock != NULL;
	if (deadlock)
		o->deadlock = *deadlock;
}

static void content_keep(struct probe_outcome *o, const struct ptowsp_program *program, const struct ptowsp_plan *plan)
{
	struct ptowsp_tensor_view view;
	uint32_t at;

	if (ptowsp_plan_tensor_find(plan, "out", &at, NULL))
		return;
	ptowsp_tensor_view(program, at, &view);
	o->has_content = view.data && view.dtype == PTOWSP_I32 && view.elements >= PROBE_CONTENT;
	if (o->has_content)
		memcpy(o->content, view.data, sizeof(o->content));
}

static void names_keep(struct probe_outcome *o, const struct ptowsp_plan *plan)
{
	for (uint64_t i = 0; i < o->task_count && i < PROBE_TASKS; i++) {
		struct reg_text text;

		reg_text_init(&text, o->names[i], sizeof(o->names[i]));
		reg_text_add(&text, "%s", ptowsp_plan_kernel(plan, o->tasks[i].kernel));
	}
}

/* Words on a claimed directive: the host tells of the others, and of numbers beyond limits. */
static void unheeded_keep(struct probe_outcome *o, const struct ptowsp_backend *backend, const struct ptowsp_program *program)
{
	const struct ptowsp_cap *cap;
	struct ptowsp_diagnostic row;
	struct reg_text text;

	reg_text_init(&text, o->unenforced, sizeof(o->unenforced));
	for (uint32_t i = 0; !*o->unenforced && ptowsp_diagnostic_row(program, i, &row); i++)
		if (row.feature >> 12 == PTOWSP_FEATURE_POLICY(0, 0) >> 12 && row.state == PTOWSP_STATE_RECORDED &&
		    (cap = ptowsp_backend_cap(backend, row.feature)) && cap->state == PTOWSP_STATE_ENFORCED)
			reg_text_add(&text, "%s", row.text);
}

static void program_run(struct probe_outcome *o, struct ptowsp_program *program, const struct ptowsp_plan *plan, struct ptowsp_program *mate,
			const struct probe_spec *spec, uint64_t *memory, uint32_t tensors)
{
	o->loaded = true;
	o->traced = !ptowsp_trace_attach(program, task_keep, o, NULL);
	o->graphed = !ptowsp_graph_attach(program, edge_keep, o, NULL);
	o->status = values_set(program, spec->set, spec->set_count, &o->error);
	if (!o->status && !spec->no_kernels)
		o->status = tensors_bind(program, plan, memory, tensors, &o->error);
	if (!o->status)
		o->status = run_once(o, program, mate, spec);
	if (!o->status && spec->then_count) {
		o->status = values_set(program, spec->then, spec->then_count, &o->error);
		if (!o->status)
			o->status = run_once(o, program, mate, spec);
	}
	stats_keep(o, program);
	content_keep(o, program, plan);
	names_keep(o, plan);
}

/* Needs are those of the feature that is probed; all else is the run's. */
static void known_take(struct probe_outcome *o, const struct probe_outcome *known)
{
	char unmet[sizeof(o->unmet)], unplaced[sizeof(o->unplaced)];

	memcpy(unmet, o->unmet, sizeof(unmet));
	memcpy(unplaced, o->unplaced, sizeof(unplaced));
	*o = *known;
	memcpy(o->unmet, unmet, sizeof(unmet));
	memcpy(o->unplaced, unplaced, sizeof(unplaced));
}

enum { TENSORS = 8 };

/* The program of device 1; its tensors are its own. */
static ptowsp_status mate_load(struct probe_outcome *o, struct ptowsp_package *package, struct ptowsp_backend *backend, const struct probe_spec *spec,
			       uint32_t flags, struct ptowsp_plan **plan_out, struct ptowsp_program **program_out, uint64_t *memory)
{
	struct ptowsp_plan_options options = {.entry = spec->mate, .schedule = spec->schedule, .schedule_count = spec->schedule_count};
	ptowsp_status status = ptowsp_plan_create(plan_out, package, &options, &o->error);

	if (!status)
		status = ptowsp_program_load(program_out, backend, *plan_out, flags, &o->error);
	return status ? status : tensors_bind(*program_out, *plan_out, memory, TENSORS, &o->error);
}

/* A worker that ends its run for its deadline or cancel is killed when it does not heed that, and the run ends all the same: the next load tells. */
static void gone_check(struct probe_outcome *o, struct ptowsp_backend *backend, const struct ptowsp_plan *plan, const struct probe_spec *spec, uint32_t flags)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_program *again = NULL;

	o->gone = o->status == PTOWSP_DEVICE_LOST || (o->status == PTOWSP_DEADLINE && !(o->loaded && spec->deadline));
	if (o->gone || !o->loaded || !(spec->deadline || spec->cancel))
		return;
	o->gone = ptowsp_program_load(&again, backend, plan, flags, &error) && (error.code == PTOWSP_DEVICE_LOST || error.code == PTOWSP_DEADLINE);
	ptowsp_program_unload(again);
	if (o->gone) {
		o->status = error.code;
		o->error = error;
	}
}

static void run_as_said(struct probe_outcome *o, struct ptowsp_package *package, struct ptowsp_backend *backend, struct ptowsp_backend *mate,
			const struct probe_spec *spec, uint32_t feature)
{
	const char *schedule[PROBE_WORDS + 1] = {spec->one_dispatch}; /* first: what is said later of the same directive counts */
	const uint32_t first = *spec->one_dispatch ? 1 : 0;
	struct ptowsp_plan_options options = {.entry = spec->entry, .schedule = schedule, .schedule_count = spec->schedule_count + first};
	struct ptowsp_plan *plan = NULL, *mate_plan = NULL;
	struct ptowsp_program *program = NULL, *mate_program = NULL;
	uint64_t *memory = calloc((size_t)2 * TENSORS * PROBE_ELEMENTS, sizeof(*memory));
	bool met;

	memcpy(schedule + first, spec->schedule, spec->schedule_count * sizeof(*schedule));
	*o = (struct probe_outcome){.error = {.head = PTOWSP_HEAD(o->error, ERROR)},
				    .native = needs_native(backend) && feature != PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_ELF)};
	o->status = memory ? ptowsp_plan_create(&plan, package, &options, &o->error)
			   : reg_fail(&o->error, PTOWSP_NO_MEMORY, "no memory for the tensors of a probe");
	met = !o->status && needs_met(o, backend, plan, feature);
	if (met && spec->known) {
		known_take(o, spec->known);
	} else if (met) {
		o->status = ptowsp_program_load(&program, backend, plan, load_flags(backend, feature), &o->error);
		if (!o->status && mate)
			o->status = mate_load(o, package, mate, spec, load_flags(mate, feature), &mate_plan, &mate_program,
					      memory + (size_t)TENSORS * PROBE_ELEMENTS);
		if (!o->status)
			program_run(o, program, plan, mate_program, spec, memory, TENSORS);
		if (o->loaded)
			unheeded_keep(o, backend, program);
		gone_check(o, backend, plan, spec, load_flags(backend, feature));
	}
	ptowsp_program_unload(program);
	ptowsp_program_unload(mate_program);
	ptowsp_plan_destroy(plan);
	ptowsp_plan_destroy(mate_plan);
	free(memory);
}

void probe_run(struct probe_outcome *o, struct ptowsp_package *package, struct ptowsp_backend *backend, struct ptowsp_backend *mate,
	       const struct probe_spec *spec, uint32_t feature)
{
	struct probe_spec again = *spec; /* its texts are those of *spec */

	run_as_said(o, package, backend, mate, spec, feature);
	if (!spec->one || o->scheduler_count < 2 || o->gone || spec->known)
		return;
	one_set(&again, spec->one, o->scheduler_count);
	run_as_said(o, package, backend, mate, &again, feature);
}
