/* SPDX-License-Identifier: MIT */
/* explanation.c - an explanation: each device's part is opened, loaded, bound, checked and placed as a run does it, and stops where the first task would begin. */
#include <stdio.h>
#include <stdlib.h>

#include "registry/text.h"
#include "tools/run/explanation.h"

static bool temps_used(const struct ptowsp_plan *plan)
{
	struct ptowsp_tensor_info info;

	for (uint32_t i = 0; ptowsp_plan_tensor(plan, i, &info); i++)
		if (info.role == PTOWSP_ROLE_TEMP && info.flags & PTOWSP_TENSOR_INFO_USED)
			return true;
	return false;
}

static bool renames(const struct explained_part *x)
{
	const struct ptowsp_cap *cap = ptowsp_backend_cap(x->backend, PTOWSP_FEATURE_TEMP_RENAMED);

	return cap && cap->state == PTOWSP_STATE_ENFORCED;
}

/* A package that cannot be loaded is explained all the same. */
static void part_load(struct explanation *x, uint32_t number)
{
	struct explained_part *part = &x->parts[number];
	struct run *run = &x->run;

	if (number) {
		part->status = run_mate_load(run, number - 1, PTOWSP_LOAD_LOOK, &part->refusal);
		part->program = run->mates[number - 1].program;
	} else {
		part->status = run_program_load(&run->program, run->backend, run->plan, run->options, PTOWSP_LOAD_LOOK, &part->refusal);
		part->program = run->program;
	}
}

/* Values that are still to be given are shown, and are no fault of who asks. */
static bool values_wanted(const struct explained_part *x)
{
	struct ptowsp_value_info info;

	for (uint32_t i = 0; ptowsp_plan_value(x->plan, i, &info); i++)
		if (info.flags & PTOWSP_VALUE_NEEDED && !(info.flags & PTOWSP_VALUE_HAS_DEFAULT) && !flag_pairs_find(&x->options->set, info.name))
			return true;
	return false;
}

/* The values of the first run, behind those of all others, which have to be values, too. */
static ptowsp_status values_take(const struct explanation *x, struct explained_part *part)
{
	const uint32_t number = (uint32_t)(part - x->parts);
	ptowsp_status status = PTOWSP_OK;

	if (number)
		return run_mate_values(&x->run.mates[number - 1], &part->refusal);
	for (uint64_t i = run_values_vary(part->options) ? part->options->runs : 1; !status && i-- > 0;)
		status = run_values_set(part->program, part->options, i, &part->refusal);
	return status;
}

/* Asks whether a run of the loaded program could begin. OK also where that takes values or more time. */
static void part_check(struct explanation *x, struct explained_part *part)
{
	ptowsp_status status;

	run_watchdog(part->options, RUN_LOOKING);
	status = values_take(x, part);
	if (!status) {
		status = run_program_check(part->program, part->options, &part->refusal);
		status = status == PTOWSP_DEADLINE || values_wanted(part) ? PTOWSP_OK : status;
	}
	run_watchdog(part->options, RUN_NOTHING);
	part->status = status;
}

/* Asks the backend to place the loaded program. OK also where that takes data or more time. */
static void part_place(struct explained_part *part)
{
	ptowsp_status status;

	run_watchdog(part->options, RUN_LOOKING);
	status = run_program_place(part->program, part->options, &part->refusal);
	run_watchdog(part->options, RUN_NOTHING);
	part->status = status == PTOWSP_DEADLINE || status == PTOWSP_INVALID ? PTOWSP_OK : status;
}

static bool is_known(const struct explanation *x)
{
	bool known = true;

	for (uint32_t i = 0; i < x->part_count; i++)
		known = known && !x->parts[i].status && !x->parts[i].refusal.code && !values_wanted(&x->parts[i]);
	return known;
}

static bool counts(const struct explained_part *x)
{
	const struct ptowsp_cap *cap = ptowsp_backend_cap(x->backend, PTOWSP_FEATURE_NO_KERNELS);

	return cap && cap->state == PTOWSP_STATE_ENFORCED;
}

/* All runs are counted, as far as they differ; what one of several devices has to say is the run's. OK also where its tasks cannot be known. */
static ptowsp_status tasks_count(struct explanation *x, struct ptowsp_error *error)
{
	const struct run_options *o = x->run.options;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < x->part_count; i++)
		if (!counts(&x->parts[i])) {
			reg_fail(error, PTOWSP_UNSUPPORTED, "%s counts no tasks without their kernels", ptowsp_backend_name(x->parts[i].backend));
			return PTOWSP_OK;
		}
	run_watchdog(o, RUN_LOOKING);
	for (uint64_t i = 0; !status && i < (run_values_vary(o) ? o->runs : 1); i++)
		status = run_look(&x->run, i, error);
	run_watchdog(o, RUN_NOTHING);
	return status == PTOWSP_DEADLINE || status == PTOWSP_INVALID ? PTOWSP_OK : status;
}

static void part_temps(struct explained_part *x)
{
	x->temps = temps_used(x->plan);
	if (x->temps && !renames(x))
		snprintf(x->unloaded, sizeof(x->unloaded), "not renamed: this backend does not");
	else if (x->temps && !x->program)
		snprintf(x->unloaded, sizeof(x->unloaded), "not known, as the package is not loaded: %.200s", x->refusal.text);
}

const char *explained_temps(const struct explained_part *x, uint32_t index)
{
	static struct ptowsp_diagnostic row;
	uint32_t told = 0;

	if (!x->temps || *x->unloaded)
		return x->temps && !index ? x->unloaded : NULL;
	for (uint32_t i = 0; ptowsp_diagnostic_row(x->program, i, &row); i++)
		if (row.feature == PTOWSP_FEATURE_TEMP_RENAMED && told++ == index)
			return row.text;
	return !told && !index ? "all are renamed that have no alloc of their own" : NULL;
}

const struct explained_topic explained_topics[EXPLAINED_TOPICS] = {
	{"phases", PTOWSP_FEATURE_TENSOR_TO_SLOT},
	{"divided", PTOWSP_FEATURE_KERNEL_CYCLES},
	{"memory", PTOWSP_FEATURE_HIGH_WATER},
#if PTOWSP_ABI_MINOR >= 1
	{"tasks", PTOWSP_FEATURE_DEVICE_TASKS},
#endif
};
const char *explained_note(const struct explained_part *x, const struct explained_topic *topic, uint32_t index)
{
	static struct ptowsp_diagnostic row;
	uint32_t told = 0;

	for (uint32_t i = 0; x->program && ptowsp_diagnostic_row(x->program, i, &row); i++)
		if (row.feature == topic->feature && row.state == PTOWSP_STATE_DIAGNOSED && told++ == index)
			return row.text;
	return NULL;
}

/* The backend of one device, and for that of the first one what a run asks of it before anything is loaded. */
static ptowsp_status part_open(struct explanation *x, uint32_t number, struct ptowsp_error *error)
{
	struct explained_part *part = &x->parts[number];
	struct run *run = &x->run;
	ptowsp_status status;

	part->refusal = (struct ptowsp_error){.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	if (number) {
		status = run_mate_open(run, number - 1, error);
		part->options = &run->mates[number - 1].options;
		part->plan = run->mates[number - 1].plan;
		part->backend = run->mates[number - 1].backend;
		return status;
	}
	status = run_backend_open(&run->backend, run->options, run->plan, error);
	part->options = run->options;
	part->plan = run->plan;
	part->backend = run->backend;
	if (!status)
		status = run_plugin_apart(ptowsp_backend_path(run->backend), error);
	if (!status && run->options->emit) {
		run_watchdog(run->options, RUN_LOADING);
		status = run_emit_look(run, error);
		run_watchdog(run->options, RUN_NOTHING);
	}
	return status;
}

static ptowsp_status part_make(struct explanation *x, uint32_t number, struct ptowsp_error *error)
{
	struct explained_part *part = &x->parts[number];
	ptowsp_status status = part_open(x, number, error);

	if (!status)
		status = ptowsp_match_create(&part->match, part->backend, part->plan, run_load_flags(part->options), error);
	if (!status)
		part_load(x, number);
	return status;
}

/* A run is refused for the memory of its tensors while it plans, whatever the backend would have said next: a place has no tensors. */
static void memory_look(struct explanation *x)
{
	struct explained_part *first = &x->parts[0];
	struct ptowsp_error theirs = {.head = PTOWSP_HEAD(theirs, ERROR)};

	if (!x->run.options->max_memory || values_wanted(first) || tasks_count(x, &theirs) != PTOWSP_TOO_BIG)
		return;
	first->status = PTOWSP_TOO_BIG;
	first->refusal = theirs;
}

/* Nothing refuses the run before its backend plans it. */
static void parts_place(struct explanation *x)
{
	struct explained_part *first = &x->parts[0];

	for (uint32_t i = 0; !first->status && i < x->part_count; i++)
		if (!x->parts[i].status && !x->parts[i].refusal.code)
			part_place(&x->parts[i]);
	if (is_known(x))
		first->status = tasks_count(x, &first->refusal);
	else
		memory_look(x);
}

/* All are loaded: as the run binds its files, and goes on. */
static void parts_settle(struct explanation *x)
{
	struct explained_part *first = &x->parts[0];

	first->status = run_tensors_bind(&x->run, &first->refusal);
	if (!first->status)
		first->status = run_mates_join(&x->run, &first->refusal);
	for (uint32_t i = 0; !first->status && i < x->part_count; i++)
		part_check(x, &x->parts[i]);
	if (!first->status && !first->refusal.code)
		first->status = run_expect_check(&x->run, &first->refusal);
	if (!first->status)
		parts_place(x);
}

static ptowsp_status parts_make(struct explanation *x, const struct run_options *options, struct ptowsp_error *error)
{
	uint32_t count = run_mates_wanted(options) + 1, loaded = 0;
	ptowsp_status status = run_mates_make(&x->run, error);

	x->parts = calloc(count, sizeof(*x->parts));
	if (!status && !x->parts)
		status = reg_fail(error, PTOWSP_NO_MEMORY, "no memory for %u devices", count);
	while (!status && x->part_count < count)
		status = part_make(x, x->part_count++, error);
	for (uint32_t i = 0; !status && i < count; i++)
		loaded += !x->parts[i].status;
	if (!status && loaded == count)
		parts_settle(x);
	for (uint32_t i = 0; !status && i < count; i++)
		part_temps(&x->parts[i]);
	return status;
}

ptowsp_status explanation_make(struct explanation *x, const struct run_options *options, struct ptowsp_error *error)
{
	struct run_backend_options b;
	ptowsp_status status = run_open(&x->run, options, error);

	if (!status)
		status = run_files_open(&x->run, error);
	if (!status)
		status = run_backend_options(&b, options, error);
	if (status)
		return status;
	status = ptowsp_listing_create(&x->listing, &b.options, error);
	run_backend_options_finish(&b);
	return status ? status : parts_make(x, options, error);
}

void explanation_finish(struct explanation *x)
{
	for (uint32_t i = 0; i < x->part_count; i++)
		ptowsp_match_destroy(x->parts[i].match);
	free(x->parts);
	ptowsp_listing_destroy(x->listing);
	run_finish(&x->run);
}
