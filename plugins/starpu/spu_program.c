/* SPDX-License-Identifier: MIT */
#include "starpu/spu_program.h"

#include "base/error.h"
#include "rt/program/policy.h"
#include "rt/program/rt_program.h"
#include "starpu/spu_batch.h"
#include "starpu/spu_device.h"
#include "starpu/spu_homes.h"
#include "starpu/spu_same.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tasks and tokens between two points at which data decide what follows, and bytes that their plan may take where nobody stated a limit. */
enum { MOST_TASKS = 1 << 22 };
#define MOST_BYTES (UINT64_C(4) << 30)

/* The planned program's tasks on StarPU's workers. */
static void device_of(void *context, uint32_t kernel, uint64_t *tasks_out, uint64_t *ns_out)
{
	const struct rt_kernels *serve = &((const struct base_planned *)context)->served;

	serve->device(serve->context, kernel, tasks_out, ns_out);
}

/* StarPU takes microseconds of each task for itself. Cycles of the reference model are a nanosecond or less, so kernels that are this short by it are so on any machine; those whose
 * cycles depend on arguments say nothing. */
enum { SHORT_CYCLES = 10000 };
/* False: only arguments or running tell. */
static bool cycles_known(const struct spu_program *own, uint32_t kernel, uint64_t *cycles_out)
{
	uint64_t *args = calloc((size_t)own->base->kernels.rows[kernel].arg_count + 1, sizeof(*args));
	const bool known = args && !own->serve.varies(own->serve.context, kernel) && !own->serve.cycles(own->serve.context, kernel, args, cycles_out);

	free(args);
	return known;
}

static void short_say(const struct spu_program *own, char *text_out, size_t size)
{
	const struct base_kernels *kernels = &own->base->kernels;
	uint64_t most = 0, cycles = 0;
	uint32_t longest = 0;

	for (uint32_t k = 0; k < kernels->count; k++) {
		if (!cycles_known(own, k, &cycles))
			return;
		longest = cycles > most ? k : longest;
		most = cycles > most ? cycles : most;
	}
	if (most && most < SHORT_CYCLES)
		base_text(text_out, size,
			  "they are short: the longest kernel, %.60s, takes %llu cycles, and StarPU is for tasks of 10 us and more; cpu_sim may be faster",
			  kernels->rows[longest].name, (unsigned long long)most);
}

/* Of a run, or of its model. */
static uint32_t ranks_of(const struct spu_program *own)
{
	const struct spu_world *world = &((const struct spu_device *)own->base->device->own)->world;

	return world->count > 1 ? world->count : spu_options_of(own->base->device)->model;
}

/* The line of --explain on tasks that are short, on kernels that only CPU workers run, and on layouts. */
static void tasks_tell(const struct spu_program *own)
{
	const struct ptowsp_host *host = own->base->kernels.instance->host;
	const uint32_t ranks = ranks_of(own);
	char texts[3][280] = {"", "", ""}, text[850] = "";

	short_say(own, texts[0], sizeof(texts[0]));
	spu_opencl_others(own, texts[1], sizeof(texts[1]));
	if (ranks > 1)
		spu_layouts_say(&own->base->shards, own->layout_count, own->base->rt, ranks, texts[2], sizeof(texts[2]));
	for (unsigned i = 0; i < 3; i++)
		if (*texts[i])
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", *text ? "; " : "", texts[i]);
	if (*text && host->diagnose)
		host->diagnose(host->context, PTOWSP_FEATURE_DEVICE_TASKS, PTOWSP_STATE_DIAGNOSED, text, strlen(text));
}

enum { FIGURES = 8 /* of a rank */, WORKER_FIGURES = 4 };

/* Makes what a program of several ranks has beside that of one. */
static ptowsp_status ranks_prepare(struct spu_program *own, struct ptowsp_error *error)
{
	const struct rt_tables *tables = &own->walked->tables;

	own->kept = calloc((size_t)tables->tensor.count + 1, sizeof(*own->kept));
	own->shares = calloc(SPU_RANKS_MOST, sizeof(*own->shares));
	own->figures = calloc((size_t)SPU_RANKS_MOST * FIGURES + WORKER_FIGURES + SPU_MODEL_FIGURES, sizeof(*own->figures));
	if (!own->kept || !own->shares || !own->figures)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory to load a program");
	for (uint32_t t = 0; t < tables->tensor.count; t++)
		own->kept[t] = tables->tensor.rows[t].role != PTOWSP_ROLE_TEMP;
	return PTOWSP_OK;
}

ptowsp_status spu_load(struct base_program *program, const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	struct spu_program *own = calloc(1, sizeof(*own));
	struct rt_kernels table;
	ptowsp_status status;

	program->own = own;
	if (!own)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory to load a program");
	program->kernels.shards = NULL; /* tensors stay whole: the row of layouts says so */
	program->shards.own = true;
	own->layout_count = spu_layouts_find(&program->shards);
	own->base = program;
	own->entry = args->entry;
	base_digest_init(&own->package);
	for (uint32_t s = 0; s < args->section_count; s++) {
		const struct ptowsp_section *section = (const void *)((const char *)args->sections + (size_t)s * args->section_stride);

		base_digest_add(&own->package, section->data, section->count * section->stride);
	}
	program->shards.count = ((const struct spu_device *)program->device->own)->world.count > 1 ? own->layout_count : 0;
	own->serve = base_kernels_table(&program->kernels);
	own->planned = (struct base_planned){own->serve, &own->walk};
	table = base_planned_table(&own->planned);
	table.device = device_of;
	status = spu_opencl_load(own, error);
	if (status)
		return status;
	tasks_tell(own);
	status = base_planned_create(&own->walked, program, args, &table, (struct base_planned_as){0}, error);
	return status ? status : ranks_prepare(own, error);
}

void spu_unload(struct base_program *program)
{
	struct spu_program *own = program->own;

	if (!own)
		return;
	rt_program_destroy(own->walked);
	base_walk_finish(&own->walk);
	spu_opencl_unload(own);
	free(own->kept);
	free(own->shares);
	free(own->figures);
	spu_model_finish(&own->model);
	spu_part_finish(&own->part);
	free(own);
	program->own = NULL;
}

void spu_forget(struct base_program *program)
{
	rt_program_forget(((struct spu_program *)program->own)->walked);
}

/* A threshold among policies that do not ask which executor is free first places tasks as one of them does. */
static ptowsp_status batch_run(const struct spu_batch_args *batch, struct rt_feed *feed, struct ptowsp_error *error)
{
	const struct rt_schedule *schedule = &batch->program->walked->schedule;
	struct rt_limits *limits = &batch->program->walk.limits;
	bool timed = false;

	for (uint32_t k = 0; k < schedule->part_count; k++)
		timed |= rt_policies[schedule->parts[k].policy].timed;
	if (limits->policy == PTOWSP_DISPATCH_THRESHOLD && !timed)
		limits->policy = schedule->parts[0].policy;
	return spu_batch_run(batch, feed, error);
}

static ptowsp_status walked(void *context, struct rt_feed *feed, struct ptowsp_error *error)
{
	struct spu_batch_args last = *(const struct spu_batch_args *)context;

	last.last = true;
	return batch_run(&last, feed, error);
}

static ptowsp_status broken(void *context, struct rt_feed *feed, struct ptowsp_error *error)
{
	struct spu_batch_args last = *(const struct spu_batch_args *)context;

	last.last = last.broken = true;
	return batch_run(&last, feed, error);
}

/* The loaded value is there when all tasks so far have ended. */
static ptowsp_status phase(void *context, struct rt_feed *feed, const struct base_walk_phase *at, struct ptowsp_error *error)
{
	(void)at;
	return batch_run(context, feed, error);
}

/* ---- ranks that pass over what is not theirs --------------------------------------------------------------------------- */

static bool is_parted(const struct spu_program *own, const struct spu_options *options, const struct spu_world *world, uint32_t flags)
{
	return world->count > 1 && !world->all && !options->whole && !(flags & (PTOWSP_RUN_NO_KERNELS | PTOWSP_RUN_STRICT)) &&
	       rt_program_divisible(own->walked);
}

/* Rank 0 walks the whole, because statistics and edges are of the whole; others hear from it what is theirs, or that it failed before it could tell. */
static ptowsp_status parts_run(struct spu_program *own, const struct spu_world *world, const struct rt_run_args *args, const struct base_walk_then *then,
			       struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error)
{
	const struct ptowsp_host *host = own->base->device->instance->host;
	struct rt_run_args with = *args;
	struct rt_own tasks;
	ptowsp_status status;

	own->told = false;
	if (!world->rank) {
		status = base_walk_fill(&own->walk, own->walked, args, then, stats_out, deadlock_out, error);
		if (!own->told || own->part.broken)
			spu_parts_fail(world->count, status, error);
		own->part.broken = false;
		return status;
	}
	status = spu_part_receive(&own->part, error);
	if (!status) {
		own->began_ns = host->now_ns(host->context);
		tasks = (struct rt_own){own->part.ranges, own->part.range_count};
		with.own = &tasks;
		status = base_walk_fill(&own->walk, own->walked, &with, then, stats_out, deadlock_out, error);
		if (own->part.broken)
			status = spu_part_end(error);
	}
	spu_part_finish(&own->part);
	return status;
}

static void bindings_add(const struct spu_program *own, const struct ptowsp_run_args *args, struct spu_next *next)
{
	for (uint32_t b = 0; b < args->binding_count; b++) {
		const struct ptowsp_binding *binding = (const void *)((const char *)args->bindings + (size_t)b * args->binding_stride);
		const struct rt_tables *tables = &own->walked->tables;
		const uint32_t role = binding->tensor < tables->tensor.count ? tables->tensor.rows[binding->tensor].role : PTOWSP_ROLE_TEMP;

		base_digest_add(&next->shapes, binding->extents, sizeof(binding->extents));
		base_digest_add(&next->shapes, &binding->dtype, sizeof(binding->dtype));
		if (binding->data && !(args->flags & PTOWSP_RUN_NO_KERNELS) &&
		    (role == PTOWSP_ROLE_IN || role == PTOWSP_ROLE_INOUT || role == PTOWSP_ROLE_CONST))
			spu_same_content(&next->inputs, binding->data, binding->elements * spu_dtype_bytes(binding->dtype));
	}
}

/* All ranks are about to do the same. */
static ptowsp_status same_check(const struct spu_program *own, const struct spu_world *world, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	const struct spu_options *options = spu_options_of(own->base->device);
	struct spu_next next;

	if (world->count < 2)
		return PTOWSP_OK;
	memset(&next, 0, sizeof(next));
	next.package = own->package;
	next.entry = own->entry;
	next.flags = args->flags;
	next.whole = options->whole;
	next.opencl = options->nopencl * 2 + options->where;
	next.all = world->all;
	next.deadline = args->deadline_ns != 0;
	next.tasks = args->max_tasks;
	base_digest_init(&next.values);
	base_digest_init(&next.shapes);
	base_digest_init(&next.inputs);
	base_digest_add(&next.values, args->values, args->value_count * sizeof(*args->values));
	bindings_add(own, args, &next);
	return spu_same_check(world, &next, error);
}

ptowsp_status spu_run(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out,
		      struct ptowsp_error *error)
{
	const struct ptowsp_host *host = program->device->instance->host;
	struct spu_program *own = program->own;
	struct base_patience patience = base_patience_of(host, args, MOST_BYTES), walking = patience;
	struct ptowsp_run_args stated = *args->args;
	struct rt_run_args walked_args = *args;
	uint64_t now = 0;
	const struct spu_world *world = &((const struct spu_device *)program->device->own)->world;
	const struct spu_options *options = spu_options_of(program->device);
	const struct spu_batch_args batch = {own, args, deadlock_out, &patience, &now, &own->model, false, false};
	const struct base_walk_then then = {
		.context = (void *)&batch, .walked = walked, .phase = phase, .most = MOST_TASKS, .patience = &walking, .broken = broken};
	ptowsp_status status;

	for (uint32_t k = 0; k < program->kernels.count; k++) {
		atomic_store(&program->kernels.rows[k].device_tasks, 0);
		atomic_store(&program->kernels.rows[k].device_ns, 0);
	}
	memset(own->ran, 0, sizeof(own->ran));
	for (uint32_t r = 0; r < program->shards.count; r++)
		program->shards.stats[r] = (struct ptowsp_layout_stats){.tensor = program->shards.rows[r].tensor};
	memset(own->shares, 0, SPU_RANKS_MOST * sizeof(*own->shares));
	spu_model_finish(&own->model);
	status = spu_model_begin(&own->model, options->model, options->model_us * UINT64_C(1000), options->network, error);
	if (!status)
		status = spu_world_needed(world, program->device->instance, error);
	if (status)
		return status;
	status = same_check(own, world, args->args, error);
	if (status) {
		spu_world_needed(world, NULL, NULL);
		return status;
	}
	own->began_ns = host->now_ns(host->context);
	own->parted = is_parted(own, options, world, args->args->flags);
	/* What ends a run from outside ends its tasks, and all ranks agree on that behind them; a rank that gave up its walk alone would leave the others waiting for its blocks. */
	if (world->count > 1 && (world->rank || !own->parted)) {
		stated.deadline_ns = walking.deadline_ns = 0;
		walked_args.cancel = walking.cancel = NULL;
		walked_args.args = &stated;
	}
	status = own->parted ? parts_run(own, world, &walked_args, &then, stats_out, deadlock_out, error)
			     : base_walk_fill(&own->walk, own->walked, &walked_args, &then, stats_out, deadlock_out, error);
	spu_world_needed(world, NULL, NULL);
	base_walk_finish(&own->walk); /* the rest would hide as much of the next run's memory */
	return status;
}

/* ---- figures ------------------------------------------------------------------------------------------------------------- */

static void rank_tell(struct ptowsp_figure *rows, const struct spu_world *world, uint32_t rank, const struct spu_share *share)
{
	const struct {
		const char *name, *unit;
		uint64_t value;
	} columns[FIGURES] = {{"tasks", "", share->tasks},
			      {"tasks looked at", "", share->walked},
			      {"walk", "ns", share->walk_ns},
			      {"messages sent", "", share->sent},
			      {"messages received", "", share->received},
			      {"sent", "bytes", share->bytes_sent},
			      {"received", "bytes", share->bytes_received},
			      {"workers idle", "ns", share->idle_ns}};

	for (unsigned c = 0; c < FIGURES; c++) {
		rows[c].value = columns[c].value;
		base_text(rows[c].group, sizeof(rows->group), "rank %u of %u", rank, world->count);
		base_text(rows[c].name, sizeof(rows->name), "%s", columns[c].name);
		base_text(rows[c].unit, sizeof(rows->unit), "%s", columns[c].unit);
	}
}

/* Kinds of workers, where there are two. */
static uint32_t workers_tell(struct spu_program *own, struct ptowsp_figure *rows)
{
	static const char *const kinds[] = {"CPU workers", "OpenCL workers"}, *const names[] = {"tasks", "time"}, *const units[] = {"", "ns"};

	for (unsigned i = 0; own->opencl && i < WORKER_FIGURES; i++) {
		rows[i].value = atomic_load(&own->ran[i / 2][i % 2]);
		base_text(rows[i].group, sizeof(rows->group), "%s", kinds[i / 2]);
		base_text(rows[i].name, sizeof(rows->name), "%s", names[i % 2]);
		base_text(rows[i].unit, sizeof(rows->unit), "%s", units[i % 2]);
	}
	return own->opencl ? WORKER_FIGURES : 0;
}

static ptowsp_status figures(struct ptowsp_object *object, const struct ptowsp_figure **rows_out, uint32_t *count_out, uint32_t *stride_out,
			     struct ptowsp_error *error)
{
	const struct base_program *program = (const struct base_program *)object;
	const struct spu_world *world = &((const struct spu_device *)program->device->own)->world;
	struct spu_program *own = program->own;
	uint32_t count = world->count > 1 && !world->rank ? world->count : 0;

	(void)error;
	for (uint32_t r = 0; r < count; r++)
		rank_tell(&own->figures[r * FIGURES], world, r, &own->shares[r]);
	count *= FIGURES;
	count += workers_tell(own, &own->figures[count]);
	if (own->model.count) {
		spu_model_tell(&own->model, &own->figures[count]);
		count += SPU_MODEL_FIGURES;
	}
	*rows_out = own->figures;
	*count_out = count;
	*stride_out = sizeof(*own->figures);
	return PTOWSP_OK;
}

const struct ptowsp_report_extension spu_report = {.head = PTOWSP_HEAD(spu_report, EXTENSION), .figures = figures};
