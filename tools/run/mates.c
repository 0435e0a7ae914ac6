/* SPDX-License-Identifier: MIT */
/* mates.c - further devices of a run: --device=A,B runs the program of device 0 on A and that of device 1 on B, at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "registry/text.h"
#include "tools/run/run_run.h"

uint32_t run_mates_wanted(const struct run_options *options)
{
	uint32_t count = 0;

	for (const char *at = options->device; at && (at = strchr(at, ',')); at++)
		count++;
	return count;
}

static uint32_t entry_device(const struct run *run, const char *entry)
{
	const char *name;

	for (uint32_t i = 0; (name = ptowsp_package_entry(run->package, i)); i++)
		if (!strcmp(name, entry))
			return ptowsp_package_entry_device(run->package, i);
	return PTOWSP_NONE; /* the plan says that there is none */
}

/* The entry that belongs to the device; only one can be meant. */
static ptowsp_status entry_find(const struct run *run, uint32_t device, const char **entry_out, struct ptowsp_error *error)
{
	uint32_t found = 0, graphs = 0;
	const char *name;

	*entry_out = NULL;
	for (uint32_t i = 0; (name = ptowsp_package_entry(run->package, i)); i++) {
		graphs += ptowsp_package_entry_device(run->package, i) != PTOWSP_NONE;
		if (ptowsp_package_entry_device(run->package, i) == device) {
			*entry_out = name;
			found++;
		}
	}
	if (found == 1)
		return PTOWSP_OK;
	if (!graphs)
		return reg_fail(error, PTOWSP_INVALID, "--device=%.60s: the package has no graphs, so it runs on one device; name one of them",
				run->options->device);
	return reg_fail(error, PTOWSP_INVALID, "--device=%.60s: %s for device %u; graph @name on device %u { ... } is its program", run->options->device,
			found ? "the package has several programs" : "the package has no program", device, device);
}

ptowsp_status run_mates_entry(const struct run *run, const char **entry_out, struct ptowsp_error *error)
{
	const struct run_options *o = run->options;
	uint32_t count = run_mates_wanted(o) + 1, device = o->entry ? entry_device(run, o->entry) : 0;

	*entry_out = o->entry;
	if (count > 1 && !o->entry)
		return entry_find(run, 0, entry_out, error);
	if (!device || device == PTOWSP_NONE)
		return PTOWSP_OK;
	return reg_fail(error, PTOWSP_INVALID,
			"--entry %.60s is the program of device %u, and a run begins with that of device 0, of %u device%s here; "
			"name that one, or leave --entry out",
			o->entry, device, count, count > 1 ? "s" : "");
}

static ptowsp_status mate_plan(const struct run *run, uint32_t device, struct run_options *options_out, struct ptowsp_plan **plan_out,
			       struct ptowsp_error *error)
{
	struct ptowsp_plan_options plan = {.schedule = run->options->schedule.at, .schedule_count = run->options->schedule.count};
	ptowsp_status status = entry_find(run, device, &plan.entry, error);

	*options_out = *run->options;
	for (uint32_t i = 0; i < device; i++)
		options_out->device = strchr(options_out->device, ',') + 1;
	return status ? status : ptowsp_plan_create(plan_out, run->package, &plan, error);
}

/* Tensors that no device in front uses are its own: files, fills and results are those of this program. */
static void mate_claim(struct run *run, uint32_t number)
{
	const struct ptowsp_plan *plan = run->mates[number].plan;
	struct ptowsp_tensor_info info;
	uint32_t index;

	for (uint32_t i = 0; ptowsp_plan_tensor(plan, i, &info); i++) {
		if (!(info.flags & PTOWSP_TENSOR_INFO_USED) || ptowsp_plan_tensor_find(run->plan, info.name, &index, NULL) ||
		    run->tensors[index].info.flags & PTOWSP_TENSOR_INFO_USED)
			continue;
		run->tensors[index].info.flags |= PTOWSP_TENSOR_INFO_USED;
		run->tensors[index].device = number + 1;
		run->tensors[index].place = i;
	}
}

ptowsp_status run_mate_open(struct run *run, uint32_t number, struct ptowsp_error *error)
{
	struct run_mate *mate = &run->mates[number];
	ptowsp_status status = mate_plan(run, number + 1, &mate->options, &mate->plan, error);

	return status ? status : run_backend_open(&mate->backend, &mate->options, mate->plan, error);
}

ptowsp_status run_mate_load(struct run *run, uint32_t number, uint32_t flags, struct ptowsp_error *error)
{
	struct run_mate *mate = &run->mates[number];
	ptowsp_status status = run_program_load(&mate->program, mate->backend, mate->plan, run->options, flags, error);

	if (!status)
		mate_claim(run, number);
	return status;
}

struct ptowsp_program *run_tensor_program(const struct run *run, uint32_t index, uint32_t *place_out)
{
	const struct run_tensor *tensor = &run->tensors[index];

	*place_out = tensor->device ? tensor->place : index;
	return tensor->device ? run->mates[tensor->device - 1].program : run->program;
}

void run_tensor_view(const struct run *run, uint32_t index, struct ptowsp_tensor_view *view_out)
{
	uint32_t place;
	const struct ptowsp_program *program = run_tensor_program(run, index, &place);

	ptowsp_tensor_view(program, place, view_out);
	if (run->tensors[index].left) {
		view_out->data = run->tensors[index].left;
		view_out->origin = run->tensors[index].origin;
	}
}

ptowsp_status run_mates_make(struct run *run, struct ptowsp_error *error)
{
	uint32_t count = run_mates_wanted(run->options);

	run->mates = count ? calloc(count, sizeof(*run->mates)) : NULL;
	if (count && !run->mates)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for %u devices", count + 1);
	run->mate_count = count;
	return PTOWSP_OK;
}

ptowsp_status run_mates_open(struct run *run, struct ptowsp_error *error)
{
	ptowsp_status status = run_mates_make(run, error);

	for (uint32_t i = 0; !status && i < run->mate_count; i++) {
		status = run_mate_open(run, i, error);
		if (!status)
			status = run_mate_load(run, i, 0, error);
	}
	return status;
}

/* Others belong to programs of other devices. */
ptowsp_status run_mate_values(const struct run_mate *mate, struct ptowsp_error *error)
{
	const struct flag_pairs *set = &mate->options.set;
	struct ptowsp_error mine = {.head = PTOWSP_HEAD(mine, ERROR)};

	for (uint32_t i = 0; i < set->count; i++)
		if (ptowsp_value_set(mate->program, set->rows[i].name, set->rows[i].value, &mine) == PTOWSP_INVALID) {
			*error = mine;
			return PTOWSP_INVALID;
		}
	return PTOWSP_OK;
}

/* Tensors that a device in front has, too, lie in its memory; all values are those of the run. */
static ptowsp_status mate_prepare(struct run *run, uint32_t number, struct ptowsp_error *error)
{
	struct run_mate *mate = &run->mates[number];
	struct ptowsp_tensor_info info;
	struct ptowsp_tensor_view view;
	ptowsp_status status = PTOWSP_OK;
	uint32_t index;

	for (uint32_t i = 0; !status && ptowsp_plan_tensor(mate->plan, i, &info); i++) {
		if (info.role == PTOWSP_ROLE_TEMP || ptowsp_plan_tensor_find(run->plan, info.name, &index, NULL) || run->tensors[index].device == number + 1)
			continue;
		run_tensor_view(run, index, &view);
		if (view.data)
			status = ptowsp_tensor_shape(mate->program, i, view.rank, view.extents,
						     run->tensors[index].device ? "a device in front" : "the first device", error);
		if (!status && view.data)
			status = ptowsp_tensor_bind(mate->program, info.name, view.data, view.elements, error);
	}
	if (!status)
		status = run_mate_values(mate, error);
	return status ? status : ptowsp_prepare(mate->program, &run->execute, error);
}

ptowsp_status run_mates_join(struct run *run, struct ptowsp_error *error)
{
	struct ptowsp_program **programs;
	ptowsp_status status;

	if (!run->mate_count || run->joined)
		return PTOWSP_OK;
	programs = calloc(run->mate_count + 1u, sizeof(*programs));
	if (!programs)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for several devices");
	programs[0] = run->program;
	for (uint32_t i = 0; i < run->mate_count; i++)
		programs[i + 1] = run->mates[i].program;
	status = ptowsp_programs_join(programs, run->mate_count + 1, error);
	run->joined = !status;
	free(programs);
	return status;
}

ptowsp_status run_mates_prepare(struct run *run, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; !status && i < run->mate_count; i++)
		status = mate_prepare(run, i, error);
	return status ? status : run_mates_join(run, error);
}

ptowsp_status run_mates_start(struct run *run, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	run->mates_failed = run->joined = false;
	for (uint32_t i = 0; !status && i < run->mate_count; i++)
		status = ptowsp_execute_async(run->mates[i].program, &run->execute, error);
	return status;
}

static void mate_print(const struct run_mate *mate)
{
	const struct ptowsp_run_stats *s = ptowsp_stats(mate->program);
	const struct ptowsp_device *device = ptowsp_backend_current(mate->backend);

	printf("%s %s: %llu task%s, %llu cycles\n", ptowsp_backend_name(mate->backend), device ? device->name : "?", (unsigned long long)s->tasks,
	       s->tasks == 1 ? "" : "s", (unsigned long long)s->total_cycles);
}

/* A deadlock may be one of all devices: the first one finds its own end then, and tells of it. */
bool run_mates_failed(struct run *run)
{
	for (uint32_t i = 0; i < run->mate_count && !run->mates_failed; i++) {
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		ptowsp_status status = ptowsp_synchronize(run->mates[i].program, 0, &error);

		run->mates_failed = status && status != PTOWSP_AGAIN && status != PTOWSP_DEADLOCK;
	}
	return run->mates_failed;
}

ptowsp_status run_mates_wait(struct run *run, ptowsp_status status, struct ptowsp_error *error)
{
	bool stops = status != PTOWSP_OK;

	if (run->mates_failed && status == PTOWSP_CANCELLED)
		status = PTOWSP_OK; /* because of who failed, which is told below */
	for (uint32_t i = 0; i < run->mate_count; i++) {
		struct ptowsp_error mine = {.head = PTOWSP_HEAD(mine, ERROR)};
		struct ptowsp_program *program = run->mates[i].program;
		ptowsp_status one;

		if (!program)
			continue;
		if (stops)
			ptowsp_cancel(program, &mine);
		one = ptowsp_synchronize(program, UINT64_MAX, &mine);
		if (one && !status && !(stops && one == PTOWSP_CANCELLED))
			status = reg_fail(error, one, "device %u: %s", i + 1, mine.text);
	}
	return status;
}

void run_mates_print(const struct run *run)
{
	const struct run_options *o = run->options;

	for (uint32_t i = 0; !o->quiet && !(o->stats && !strcmp(o->stats, "json")) && i < run->mate_count; i++)
		mate_print(&run->mates[i]);
}

void run_mates_finish(struct run *run)
{
	for (uint32_t i = 0; run->mates && i < run_mates_wanted(run->options); i++) {
		ptowsp_program_unload(run->mates[i].program);
		ptowsp_backend_close(run->mates[i].backend);
		ptowsp_plan_destroy(run->mates[i].plan);
	}
	free(run->mates);
	run->mates = NULL;
}
