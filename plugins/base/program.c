/* SPDX-License-Identifier: MIT */
#include "program.h"

#include "backend.h"
#include "base/memory/base_buffer.h"
#include "base_caps.h"
#include "base_support.h"
#include "error.h"
#include "planned.h"
#include "queue.h"
#include "rt/program/dtype.h"
#include "rt/program/policy.h"
#include "rt/structure/memory_limit.h"
#include <string.h>

static bool in_order(const struct base_program *program)
{
	return base_in_order(program->device->model, program->device->threads);
}

/* The core places tasks on executors even where there is one scheduler instance and nothing to choose from, because shards lie there; so the core gets the rows of at
 * least two instances. base_caps_list decides whether a plugin claims that the places can be seen. */
static ptowsp_status caps_of_core(const struct base_program *program, struct ptowsp_cap rows_out[BASE_CAPS_LIMIT], uint32_t *count_out,
				  struct ptowsp_error *error)
{
	const struct base_instance *instance = program->device->instance;
	const uint32_t size = base_options_size(instance->backend);
	struct ptowsp_cap others[BASE_CAPS_LIMIT];
	struct base_options *many = base_alloc(instance, size);

	if (!many)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory to load a program");
	memcpy(many, instance->options, size);
	many->schedulers = many->schedulers < 2 ? 2 : many->schedulers;
	*count_out = in_order(program) ? base_caps_order(rows_out, 0) : 0;
	*count_out = base_caps_add(rows_out, *count_out, others, base_caps(instance->backend, many, program->device->model, others));
	base_release(instance, many, size);
	return PTOWSP_OK;
}

static ptowsp_status lower(struct base_program *program, const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	const struct base_instance *instance = program->device->instance;
	struct ptowsp_cap caps[BASE_CAPS_LIMIT];
	struct rt_kernels kernels = base_kernels_table(&program->kernels);
	struct rt_program_args lowering = {
		.sections = args->sections,
		.section_count = args->section_count,
		.section_stride = args->section_stride,
		.entry = args->entry,
		.kernels = &kernels,
		.host = instance->host,
		.caps = caps,
		.flags = args->flags,
		.wishes = program->hints ? &program->hints->rows->wish : NULL,
		.wish_count = program->hints && (program->hints->priorities || program->hints->homes) && in_order(program) ? program->hints->count : 0,
		.wish_stride = sizeof(*program->hints->rows),
	};
	ptowsp_status status = caps_of_core(program, caps, &lowering.cap_count, error);

	if (!status && instance->backend->bind) {
		program->hooked = 1;
		status = instance->backend->bind(program, error);
	}
	kernels.mirror = program->kernels.compute ? program->kernels.compute->mirror : NULL;
	kernels.queues = base_kernels_queues(&program->kernels);
	if (!status)
		status = rt_program_create(&program->rt, &lowering, error);
	return status ? status : rt_entries_check(&lowering, error);
}

/* A host of 10.0 has no blobs. */
static uint32_t load_args_known(const struct base_instance *instance, const struct ptowsp_load_args *args)
{
#if PTOWSP_ABI_TARGET >= 1
	if (instance->host->minor >= 1 && args && args->head.size >= PTOWSP_LOAD_ARGS_FLOOR_10_1)
		return PTOWSP_LOAD_ARGS_FLOOR_10_1;
#endif
	(void)instance, (void)args;
	return PTOWSP_LOAD_ARGS_FLOOR_10_0;
}

ptowsp_status base_load_args_check(const struct base_instance *instance, const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	ptowsp_status status = base_args_check(&args->head, PTOWSP_STRUCT_LOAD_ARGS, load_args_known(instance, args), "load", error);

	if (!status && args->section_count && args->section_stride < PTOWSP_SECTION_FLOOR_10_0)
		status = base_fail(error, PTOWSP_INVALID, "load: sections have at least %u bytes, not %u", PTOWSP_SECTION_FLOOR_10_0, args->section_stride);
	return status;
}

static void kernels_support(struct base_program *program, struct base_sections *sections)
{
	const struct base_instance *instance = program->device->instance;
	struct base_support support;

	base_support_init(&support, instance->backend, instance->options, program->device->model);
	for (uint32_t k = 0; k < program->kernels.count; k++)
		base_support_apply(&support, &program->kernels.rows[k], sections, k);
}

ptowsp_status base_load(struct ptowsp_object *object, const struct ptowsp_load_args *args, struct ptowsp_object **program_out, struct ptowsp_error *error)
{
	struct base_device *device = (struct base_device *)object;
	const struct base_backend *backend = device->instance->backend;
	struct base_program *program;
	struct base_sections sections;
	ptowsp_status status = base_load_args_check(device->instance, args, error);

	*program_out = NULL;
	if (status)
		return status;
	program = base_alloc(device->instance, sizeof(*program));
	if (!program)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory to load a program");
	program->device = device;
	program->loading = args;
	program->next = device->programs;
	device->programs = program;
	base_sections_find(&sections, args);
	status = base_kernels_init(&program->kernels, device->instance, &sections, args->flags, device->threads, device->memory_limit, error);
	if (!status)
		kernels_support(program, &sections);
	if (!status && device->instance->options->real_time)
		status = base_timeline_init(&program->kernels.timeline, device->instance, program->kernels.workers, error);
	if (!status && device->instance->options->profiling)
		status = base_profile_init(&program->kernels.profile, &program->kernels, error);
	if (!status)
		status = base_hints_make(&program->hints, args, error);
	if (!status)
		status = lower(program, args, error);
	if (!status)
		status = base_kernels_tensors(&program->kernels, program->rt, error);
	if (!status)
		status = base_shards_init(&program->shards, device->instance, program->rt, error);
	if (!status && program->shards.count)
		program->kernels.shards = &program->shards;
	if (!status && backend->load) {
		program->hooked = 1;
		status = backend->load(program, args, error);
	}
	base_kernels_settle(&program->kernels);
	program->loading = NULL;
	if (status)
		base_program_destroy(program);
	else
		*program_out = (struct ptowsp_object *)program;
	return status;
}

void base_program_destroy(struct base_program *program)
{
	struct base_device *device = program->device;
	struct base_program **link = &device->programs;

	if (program->hooked && device->instance->backend->unload)
		device->instance->backend->unload(program);
	rt_program_destroy(program->rt);
	base_hints_destroy(program->hints);
	base_timeline_finish(&program->kernels.timeline);
	base_kernels_finish(&program->kernels);
	base_shards_finish(&program->shards);
	while (*link != program)
		link = &(*link)->next;
	*link = program->next;
	base_release(device->instance, program, sizeof(*program));
}

ptowsp_status base_unload(struct ptowsp_object *object, struct ptowsp_error *error)
{
	struct base_program *program = (struct base_program *)object;

	if (!program)
		return PTOWSP_OK;
	if (base_in_flight(program->device, program))
		return base_fail(error, PTOWSP_INVALID, "unload: a run of this program is going on; drain or cancel first");
	base_program_destroy(program);
	return PTOWSP_OK;
}

ptowsp_status base_stats(struct ptowsp_object *object, struct ptowsp_run_stats *stats_out, struct ptowsp_error *error)
{
	struct base_program *program = (struct base_program *)object;
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};

	if (stats_out->head.size < sizeof(struct ptowsp_head))
		return base_fail(error, PTOWSP_INVALID, "stats: the result has no room, its size is %u", stats_out->head.size);
	rt_stats(program->rt, &stats);
	base_result_copy(&stats_out->head, &stats.head);
	return PTOWSP_OK;
}

/* The table that connects a run with those on other devices: the host's table, for this run's token. */
struct connection {
	const struct ptowsp_host *host;
	const struct ptowsp_notify_extension *table;
	uint64_t token;
};

static ptowsp_status notify_send(void *context, uint32_t device, uint32_t notification, uint64_t cycles, struct ptowsp_error *error)
{
	const struct connection *c = context;

	return c->table->send(c->host->context, c->token, device, notification, cycles, error);
}

static ptowsp_status notify_take(void *context, uint32_t device, uint32_t notification, uint64_t until_ns, uint64_t *cycles_out, struct ptowsp_error *error)
{
	const struct connection *c = context;

	return c->table->take(c->host->context, c->token, device, notification, until_ns, cycles_out, error);
}

/* False: the run has one device. */
static bool connect(struct connection *c, struct rt_notify *notify_out, struct ptowsp_error *error)
{
	uint32_t count = 1;

	c->table = c->host->extension(c->host->context, PTOWSP_EXTENSION_NOTIFY);
	*notify_out = (struct rt_notify){c, 0, notify_send, notify_take};
	return c->table && !c->table->place(c->host->context, c->token, &notify_out->device, &count, error) && count > 1;
}

uint64_t base_given_bytes(const struct base_program *program, const struct ptowsp_run_args *args)
{
	uint64_t bytes = program->kernels.scratch_bytes * program->kernels.workers + program->device->buffer_bytes;

	for (uint32_t b = 0; b < args->binding_count; b++) {
		const struct ptowsp_binding *binding = base_binding_at(args, b);

		bytes += binding->data && !base_buffer_of(binding) ? binding->elements * rt_dtype_bytes(binding->dtype) : 0;
	}
	return bytes;
}

ptowsp_status base_program_run(struct base_program *program, const struct base_run *run, struct ptowsp_run_stats *stats_out,
			       struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error)
{
	const struct base_instance *instance = program->device->instance;
	struct rt_sinks sinks = base_trace_sinks(&program->trace, instance->options->real_time);
	struct connection connection = {.host = instance->host, .token = run->args.token};
	struct rt_notify notify;
	struct rt_memory_limit held;
	struct rt_run_args args = {
		.args = &run->args,
		.pool = program->device->pool,
		.sinks = &sinks,
		.cancel = (const volatile uint32_t *)&run->cancel,
		.fixed_map = instance->options->fixed_map,
		.memory = program->device->memory_limit,
		.held = &held,
		.schedulers = instance->options->schedulers,
	};
	ptowsp_status status;

	if (program->device->memory_limit)
		rt_program_forget(program->rt);
	if (instance->backend->forget)
		instance->backend->forget(program);
	rt_memory_limit_begin(&held, program->device->memory_limit, base_given_bytes(program, &run->args));
	args.notify = connect(&connection, &notify, error) ? &notify : NULL;
	base_kernels_begin(&program->kernels);
	base_profile_begin(&program->kernels.profile);
	base_kernels_watch(&program->kernels, &run->cancel, run->args.deadline_ns);
	base_timeline_begin(&program->kernels.timeline, &program->trace);
	status = program->shards.chosen ? rt_grid_find(program->rt, &run->args, program->shards.grid, error) : PTOWSP_OK;
	if (!status)
		status = base_buffers_settle(program, &run->args, false, error);
	if (!status)
		status = base_shards_begin(&program->shards, &run->args, error);
	if (!status) {
		status = instance->backend->run ? instance->backend->run(program, &args, stats_out, deadlock_out, error)
						: rt_run(program->rt, &args, stats_out, deadlock_out, error);
		base_shards_end(&program->shards);
		if (!status)
			status = base_buffers_settle(program, &run->args, true, error);
		base_shards_stats(&program->shards, stats_out);
	}
	status = base_kernels_watched(&program->kernels, status, error);
	base_kernels_watch(&program->kernels, NULL, 0);
	base_timeline_tell(&program->kernels.timeline, instance->options->real_time);
	base_trace_flush(&program->trace);
	base_profile_tell(&program->kernels.profile, &program->kernels);
	return status;
}
