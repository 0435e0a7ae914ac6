/* SPDX-License-Identifier: MIT */
#include "aie/engine/aie_engine.h"

#include "aie/design/kernel_object.h"
#include "aie/engine/aie_engine_own.h"
#include "aie/engine/engine_device.h"
#include "aie/place/aie_place.h"
#include "base/error.h"
#include "base/planned.h"
#include "base/program.h"
#include "base/scope.h"
#include "rt/process/process.h"
#include "rt/program/dtype.h"
#include "rt/program/policy.h"
#include "rt/program/rt_error.h"
#include "rt/program/rt_program.h"
#include "rt/program/rt_schedule.h"
#include "rt/structure/memory_limit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tasks and tokens of a run, and bytes that its planning may take where nobody stated a limit: a design is laid out as a whole, with every task in memory, by way of a text; this is
 * some seconds of work. */
enum { MOST_TASKS = 1 << 17 };
#define MOST_BYTES (UINT64_C(512) << 20)

/* ---- programs ----------------------------------------------------------------------------------------------------------- */

static ptowsp_status planned_make(struct aie_loaded *loaded, const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	struct rt_kernels kernels;

	loaded->kernels = (struct base_planned){base_kernels_table(&loaded->program->kernels), &loaded->walk};
	kernels = base_planned_table(&loaded->kernels);
	return base_planned_create(&loaded->planned, loaded->program, args, &kernels, (struct base_planned_as){.shadowed = true}, error);
}

static ptowsp_status tables_make(struct aie_loaded *loaded, struct ptowsp_error *error)
{
	const struct rt_tables *tables = &loaded->planned->tables;
	size_t tensors = (size_t)tables->tensor.count + 1;

	loaded->bases = calloc(tensors, sizeof(*loaded->bases));
	loaded->tensors = calloc(tensors, sizeof(*loaded->tensors));
	loaded->kept = calloc(tensors, 1);
	loaded->all = malloc(tensors);
	if (!loaded->bases || !loaded->tensors || !loaded->kept || !loaded->all)
		return rt_no_memory(error, "a program of the array");
	for (uint32_t t = 0; t < tables->tensor.count; t++)
		loaded->kept[t] = tables->tensor.rows[t].role != PTOWSP_ROLE_TEMP;
	memset(loaded->all, 1, tensors);
	return PTOWSP_OK;
}

static ptowsp_status objects_make(struct aie_loaded *loaded, const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	const struct aie_kernel_objects_args given = {.text = aie_options_of(loaded->program)->objects,
						      .kernels = &loaded->program->kernels,
						      .sections = &loaded->sections,
						      .arch = loaded->arch,
						      .trusted = args->flags & PTOWSP_LOAD_TRUST_NATIVE};

	base_sections_find(&loaded->sections, args);
	return aie_kernel_objects_make(&loaded->objects, &given, error);
}

ptowsp_status aie_engine_load(struct base_program *program, const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	const struct aie_options *options = (const void *)program->device->instance->options;
	struct aie_loaded *loaded = calloc(1, sizeof(*loaded));
	ptowsp_status status;

	program->own = loaded;
	if (!loaded)
		return rt_no_memory(error, "a program of the array");
	loaded->program = program;
	program->kernels.whole_costs = true;
	loaded->arch = &loaded->part;
	status = aie_part_read(&loaded->part, aie_model_arch(program->device->model), options->grid, error);
	if (!status)
		status = objects_make(loaded, args, error);
	if (!status)
		status = planned_make(loaded, args, error);
	if (!status)
		status = tables_make(loaded, error);
	if (!status)
		aie_phases_say(loaded);
	return status ? status : aie_layouts_load(loaded, error);
}

void aie_engine_unload(struct base_program *program)
{
	struct aie_loaded *loaded = program->own;

	if (!loaded)
		return;
	rt_program_destroy(loaded->planned);
	aie_report_finish(&loaded->report);
	free(loaded->bases);
	free(loaded->tensors);
	free(loaded->kept);
	free(loaded->all);
	free(loaded->layouts);
	free(loaded->stated);
	aie_kernel_objects_free(loaded->objects, &program->kernels);
	free(loaded);
	program->own = NULL;
}

void aie_engine_forget(struct base_program *program)
{
	struct aie_loaded *loaded = program->own;

	aie_report_finish(&loaded->report);
	rt_program_forget(loaded->planned);
}

static void plan_finish(struct aie_loaded *loaded)
{
	base_walk_finish(&loaded->walk);
	aie_map_finish(&loaded->map);
	aie_bounds_finish(&loaded->bounds);
}

/* ---- a run: the map ----------------------------------------------------------------------------------------------------- */

static void bindings_find(struct aie_run *run)
{
	const struct ptowsp_run_args *args = run->args->args;
	struct aie_loaded *loaded = run->loaded;

	for (uint32_t t = 0; run->counted && t < loaded->planned->tables.tensor.count; t++) {
		loaded->bases[t] = RT_NOWHERE;
		loaded->tensors[t] = (struct aie_tensor){0, loaded->planned->tables.tensor.rows[t].dtype};
	}
	for (uint32_t b = 0; b < args->binding_count; b++) {
		const struct ptowsp_binding *binding = base_binding_at(args, b);

		loaded->bases[binding->tensor] = binding->data ? (char *)binding->data : RT_NOWHERE;
		loaded->tensors[binding->tensor] = (struct aie_tensor){binding->elements, binding->dtype};
	}
}

/* Nothing says how large a tensor is that has no memory: as far as tasks reach. */
static void reach_find(struct aie_run *run, const struct ptowsp_tensor_arg *window)
{
	struct aie_tensor *tensor = &run->loaded->tensors[window->tensor];
	uint64_t size = rt_dtype_bytes(window->dtype), at = (uint64_t)((const char *)window->data - (const char *)run->loaded->bases[window->tensor]);
	uint64_t end = at + ((window->rows - 1) * window->row_stride + (window->columns - 1) * window->column_stride + 1) * size,
		 own = rt_dtype_bytes(tensor->dtype);

	if (run->loaded->bases[window->tensor] == RT_NOWHERE && window->rows && window->columns && tensor->elements < end / own)
		tensor->elements = end / own;
}

static void reaches_find(struct aie_run *run)
{
	const struct base_walk *walk = &run->loaded->walk;

	for (uint32_t t = 0; run->counted && t < walk->tensor_count; t++)
		reach_find(run, &walk->tensors[t]);
}

/* ---- names */

static const char *kernel_name(const void *context, uint32_t kernel)
{
	const struct aie_loaded *loaded = context;

	return rt_kernel_name(loaded->planned, kernel);
}

static const char *channel_name(const void *context, uint32_t channel)
{
	const struct aie_loaded *loaded = context;

	return rt_channel_name(loaded->planned, channel);
}

static const char *tensor_name(const void *context, uint32_t tensor)
{
	const struct aie_loaded *loaded = context;

	return rt_tensor_name(loaded->planned, tensor);
}

static const char *kernel_place(const void *context, uint32_t kernel, char *text, size_t size)
{
	const struct aie_loaded *loaded = context;
	struct base_sections sections = loaded->sections; /* each finder has its own cursor */
	const size_t room = size - sizeof(" (...)");
	char place[256];
	size_t length;

	base_sections_place(&sections, kernel, place, sizeof(place));
	length = strlen(place);
	*text = 0;
	if (length)
		snprintf(text, size, length > room ? " (...%s)" : " (%s)", length > room ? place + length - room : place);
	return text;
}

/* Does the schedule say whose tasks are, in a way that is known before they run? */
static bool is_scheduled(const struct rt_schedule *schedule)
{
	for (uint32_t p = 0; p < schedule->part_count; p++)
		if (schedule->parts[p].policy == PTOWSP_DISPATCH_WORK_STEAL)
			return false;
	return schedule->dispatch.policy || schedule->pools == PTOWSP_POOLS_CUSTOM;
}

static bool is_where(const struct ptowsp_directive_record *row)
{
	return row->directive == PTOWSP_DIRECTIVE_DISPATCH || row->directive == PTOWSP_DIRECTIVE_SPATIAL_MAP || row->directive == PTOWSP_DIRECTIVE_POOLS ||
	       row->directive == PTOWSP_DIRECTIVE_LAYOUT;
}

/* Must the run fail where the array cannot do as the schedule says? */
static bool is_must(const struct aie_run *run)
{
	const struct rt_program *planned = run->loaded->planned;

	for (uint32_t d = 0; d < planned->tables.directive.count; d++)
		if (is_where(&planned->tables.directive.rows[d]) && planned->tables.directive.rows[d].flags & PTOWSP_DIRECTIVE_MUST)
			return true;
	return planned->schedule.strict; /* PTOWSP_RUN_STRICT is about races alone */
}

/* The array cannot do as the schedule says: results are the same, so the run goes on, and that is said. */
static void disobeyed(const struct aie_run *run, const char *why)
{
	const struct rt_program *planned = run->loaded->planned;
	bool told = false;
	char text[640];

	for (uint32_t d = 0; planned->host && planned->host->diagnose && d < planned->tables.directive.count; d++) {
		const struct ptowsp_directive_record *row = &planned->tables.directive.rows[d];
		int length;

		if (!is_where(row) || (run->loaded->map.obeyed && row->directive != PTOWSP_DIRECTIVE_LAYOUT))
			continue;
		length = snprintf(text, sizeof(text), "schedule directive %s is recorded, not enforced, in this run: %s", rt_directive_name(row->directive),
				  why);
		planned->host->diagnose(planned->host->context, PTOWSP_FEATURE_POLICY(row->directive, row->policy), PTOWSP_STATE_RECORDED, text,
					length < (int)sizeof(text) ? (uint64_t)length : sizeof(text) - 1);
		told = true;
	}
	if (!told) /* declarations of tensors say so */
		base_log(run->loaded->program->device->instance, PTOWSP_LOG_WARNING,
			 "parts of tensors lie in memory, not in the cores that their layouts say: %s", why);
}

static ptowsp_status bounds_make(struct aie_run *run)
{
	const struct rt_schedule *schedule = &run->loaded->planned->schedule;
	const struct aie_bounds_args args = {.walk = &run->loaded->walk,
					     .window = schedule->window_stated && schedule->window_mode != RT_WINDOW_BENCHMARK ? schedule->window : 0,
					     .depths = schedule->depths,
					     .depth_count = schedule->depth_count,
					     .streams = schedule->streams,
					     .batch = schedule->batch};

	return aie_bounds_make(&run->loaded->bounds, &args, run->error);
}

/* Depth of fifos: the schedule's of all tasks, else its least of some; 0: none is stated. */
static uint32_t depth_of(const struct rt_schedule *schedule)
{
	uint64_t least = 0;

	for (uint32_t d = 0; d < schedule->depth_count; d++) {
		if (schedule->depths[d].domain == RT_DOMAIN_GLOBAL)
			return schedule->depths[d].depth < UINT32_MAX ? (uint32_t)schedule->depths[d].depth : UINT32_MAX;
		if (!least || schedule->depths[d].depth < least)
			least = schedule->depths[d].depth;
	}
	return least < UINT32_MAX ? (uint32_t)least : UINT32_MAX;
}

/* Instances are numbered in the order in which processes are declared. */
static const char *process_name(const void *context, uint32_t instance, uint32_t *replica_out)
{
	const struct rt_program *program = context;

	*replica_out = instance;
	for (uint32_t order = 0; order < program->tables.process.count; order++)
		for (uint32_t p = 0; p < program->tables.process.count; p++) {
			const struct ptowsp_process_record *row = &program->tables.process.rows[p];

			if (row->order != order)
				continue;
			if (*replica_out < row->replicas)
				return rt_process_name(program, p);
			*replica_out -= row->replicas;
		}
	return "";
}

/* The grid that executors stand on: the schedule's for this run, or the array where tensors say who holds them. */
static ptowsp_status grid_find(struct aie_run *run)
{
	const struct aie_loaded *loaded = run->loaded;

	if (!loaded->by_holder)
		return rt_grid_find(loaded->planned, run->args->args, run->grid, run->error);
	run->grid[0] = loaded->arch->rows - AIE_FIRST_CORE;
	run->grid[1] = loaded->arch->columns;
	return PTOWSP_OK;
}

/* Kernels that take more than a core has, and what became of them, for --explain, --stats and -v: a feature is told once, so all of them in one line. */
static ptowsp_status divided_tell(struct aie_run *run)
{
	const struct aie_divided *divided = &run->loaded->map.divided;
	const struct rt_program *planned = run->loaded->planned;
	ptowsp_status status = PTOWSP_OK;
	char text[2000] = "";

	for (uint32_t r = 0; !status && r < divided->row_count; r++) {
		const struct aie_divided_row *row = &divided->rows[r];
		const size_t length = strlen(text);

		base_text(text + length, sizeof(text) - length, "%skernel %.60s takes %llu of a core's %llu bytes, so each of %llu calls is %.160s",
			  length ? "; " : "", rt_kernel_name(planned, row->kernel), (unsigned long long)row->need,
			  (unsigned long long)aie_arch_core_bytes(run->loaded->arch), (unsigned long long)row->calls, row->division.text);
		status = aie_report_divided(&run->loaded->report, rt_kernel_name(planned, row->kernel), row, run->error);
	}
	if (*text && planned->host && planned->host->diagnose)
		planned->host->diagnose(planned->host->context, PTOWSP_FEATURE_KERNEL_CYCLES, PTOWSP_STATE_DIAGNOSED, text, strlen(text));
	return status;
}

static ptowsp_status map_make(struct aie_run *run)
{
	struct aie_loaded *loaded = run->loaded;
	ptowsp_status status;
	const struct aie_options *options = run->options;
	const struct rt_schedule *schedule = &loaded->planned->schedule;
	const uint32_t depth = depth_of(schedule);
	const struct aie_map_args args = {.arch = loaded->arch,
					  .walk = &loaded->walk,
					  .patience = &run->patience,
					  .kernels = &loaded->planned->kernels,
					  .bases = loaded->bases,
					  .tensors = loaded->tensors,
					  .kept = run->more ? loaded->all : loaded->kept,
					  .served = &loaded->program->kernels,
					  .objects = loaded->objects,
					  .object_count = loaded->program->kernels.count,
					  .tensor_count = loaded->planned->tables.tensor.count,
					  .kernel_count = loaded->planned->tables.kernel.count,
					  .cells = options->cores,
					  .scheduled = is_scheduled(schedule) || loaded->by_holder,
					  .must = is_must(run) || *options->pins,
					  .by_holder = loaded->by_holder,
					  .pool = loaded->by_holder ? (uint32_t)(run->grid[0] * run->grid[1]) : schedule->dispatch.executors,
					  .grid_rows = (uint32_t)run->grid[0],
					  .grid_columns = (uint32_t)run->grid[1],
					  .pins = {options->pins, process_name, loaded->planned},
					  .layouts = aie_layouts_of(loaded),
					  .stated = loaded->stated,
					  .depth = depth ? depth : options->depth,
					  .exact = depth != 0,
					  .bounds = loaded->bounds.row_count ? &loaded->bounds : NULL,
					  .whole = loaded->bounds.row_count || schedule->window_stated,
					  .queue = (uint32_t)aie_arch_tile(loaded->arch, 0)->limits[AIE_DMA_QUEUE],
					  .seed = options->seed,
					  .effort = (enum aie_effort)options->base.opt_level,
					  .names = {kernel_name, channel_name, tensor_name, kernel_place, loaded}};

	status = aie_map_make(&loaded->map, &args, run->error);
	if (!status && args.scheduled && (!loaded->map.obeyed || (args.layouts && !loaded->map.held)))
		disobeyed(run, loaded->map.why);
	if (!status)
		aie_layouts_tell(run);
	return status ? status : divided_tell(run);
}

/* Open scopes hold their part of the window for ever, whether tasks would wait for it or only count. */
static ptowsp_status scopes_look(const struct aie_run *run, struct rt_feed *feed)
{
	const struct rt_schedule *schedule = &run->loaded->planned->schedule;
	struct ptowsp_deadlock report = {.head = PTOWSP_HEAD(report, DEADLOCK)};
	struct ptowsp_error unsaid = {.head = PTOWSP_HEAD(unsaid, ERROR)};
	bool aborts = schedule->window_mode == RT_WINDOW_ABORT;
	ptowsp_status status;

	if (!schedule->window_stated)
		return PTOWSP_OK;
	status = base_scope_check(&run->loaded->walk, schedule->window, aborts ? &report : run->deadlock, aborts ? &unsaid : run->error);
	return aborts && status == PTOWSP_DEADLOCK ? rt_feed_full(feed, report.task) : status;
}

/* rt has looked at bindings and values, and said which tasks there are. */
ptowsp_status aie_engine_planned(struct aie_run *run, struct rt_feed *feed, struct ptowsp_error *error)
{
	ptowsp_status status;

	run->error = error;
	run->patience.tasks = run->loaded->walk.task_count;
	bindings_find(run);
	reaches_find(run);
	status = scopes_look(run, feed);
	if (!status)
		status = bounds_make(run);
	if (!status)
		status = grid_find(run);
	if (!status)
		status = aie_layouts_bind(run);
	if (!status)
		status = map_make(run);
	if (!status)
		status = rt_memory_limit_check(run->args->held, run->loaded->walk.first + run->loaded->walk.task_count, error);
	return base_patience_told(&run->patience, status ? status : run->then(run, feed), error);
}

/* ---- a run -------------------------------------------------------------------------------------------------------------- */

static ptowsp_status walked(void *context, struct rt_feed *feed, struct ptowsp_error *error)
{
	return aie_phase_last(context, feed, error);
}

static ptowsp_status phase(void *context, struct rt_feed *feed, const struct base_walk_phase *at, struct ptowsp_error *error)
{
	return aie_phase_run(context, feed, at, error);
}

ptowsp_status aie_engine_walk(struct aie_run *run, struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out)
{
	const struct base_walk_then then = {.context = run, .walked = walked, .phase = phase, .most = MOST_TASKS, .patience = &run->patience};
	ptowsp_status status;

	run->counted = run->args->args->flags & PTOWSP_RUN_NO_KERNELS;
	run->deadlock = deadlock_out;
	run->patience = base_patience_of(run->loaded->program->device->instance->host, run->args, MOST_BYTES);
	status = base_walk_fill(&run->loaded->walk, run->loaded->planned, run->args, &then, stats_out, deadlock_out, run->error);
	plan_finish(run->loaded); /* a plan kept would hide as much of the next run's memory */
	return status;
}

ptowsp_status aie_engine_run(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out,
			     struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error)
{
	struct ptowsp_error own = {.head = PTOWSP_HEAD(own, ERROR)};
	struct aie_run run = {.loaded = program->own,
			      .args = args,
			      .error = error ? error : &own,
			      .options = aie_options_of(program),
			      .then = aie_options_on_device(&aie_options_of(program)->base) && !(args->args->flags & PTOWSP_RUN_NO_KERNELS) ? aie_device_go
																	    : aie_engine_go};
	ptowsp_status status;

	status = aie_engine_walk(&run, stats_out, deadlock_out);
	if (run.stuck.wait_count && deadlock_out) /* else it is the walk's, with a report of its own */
		aie_report_stuck(&run.stuck, run.error->text, deadlock_out);
	aie_sim_finish(&run.stuck);
	return status;
}
