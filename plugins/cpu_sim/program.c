/* SPDX-License-Identifier: MIT */
#include "program.h"

#include "caps.h"
#include "error.h"
#include "queue.h"

static ptowsp_status lower(struct cpu_program *program, const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	struct ptowsp_cap caps[CPU_CAPS_LIMIT];
	struct rt_kernels kernels = cpu_kernels_table(&program->kernels);
	struct rt_program_args lowering = {
		.sections = args->sections,
		.section_count = args->section_count,
		.section_stride = args->section_stride,
		.entry = args->entry,
		.kernels = &kernels,
		.host = program->device->instance->host,
		.caps = caps,
		.cap_count = cpu_caps(caps, CPU_CAPS_LIMIT),
		.flags = args->flags,
	};

	return rt_program_create(&program->rt, &lowering, error);
}

static ptowsp_status args_check(const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	ptowsp_status st = cpu_args_check(&args->head, PTOWSP_STRUCT_LOAD_ARGS, sizeof(*args), "load", error);

	if (!st && args->section_count && args->section_stride < sizeof(struct ptowsp_section))
		st = cpu_fail(error, PTOWSP_INVALID, "load: sections have at least %u bytes, not %u",
			      (unsigned)sizeof(struct ptowsp_section), args->section_stride);
	return st;
}

ptowsp_status cpu_load(struct ptowsp_object *object, const struct ptowsp_load_args *args, struct ptowsp_object **program_out,
		       struct ptowsp_error *error)
{
	struct cpu_device *device = (struct cpu_device *)object;
	struct cpu_program *program;
	struct cpu_sections sections;
	ptowsp_status st = args_check(args, error);

	*program_out = NULL;
	if (st)
		return st;
	program = cpu_alloc(device->instance, sizeof(*program));
	if (!program)
		return cpu_fail(error, PTOWSP_NO_MEMORY, "no memory to load a program");
	program->device = device;
	program->next = device->programs;
	device->programs = program;
	cpu_sections_find(&sections, args);
	st = cpu_kernels_init(&program->kernels, device->instance, &sections, args->flags, rt_pool_threads(device->pool),
			      device->memory_limit, error);
	if (!st)
		st = cpu_shards_init(&program->shards, device->instance, &sections, args->entry, error);
	if (!st)
		st = lower(program, args, error);
	if (!st && program->shards.count)
		program->kernels.shards = &program->shards;
	if (st)
		cpu_program_destroy(program);
	else
		*program_out = (struct ptowsp_object *)program;
	return st;
}

void cpu_program_destroy(struct cpu_program *program)
{
	struct cpu_device *device = program->device;
	struct cpu_program **link = &device->programs;

	rt_program_destroy(program->rt);
	cpu_kernels_finish(&program->kernels);
	cpu_shards_finish(&program->shards);
	while (*link != program)
		link = &(*link)->next;
	*link = program->next;
	cpu_release(device->instance, program, sizeof(*program));
}

ptowsp_status cpu_unload(struct ptowsp_object *object, struct ptowsp_error *error)
{
	struct cpu_program *program = (struct cpu_program *)object;

	if (!program)
		return PTOWSP_OK;
	if (cpu_in_flight(program->device, program))
		return cpu_fail(error, PTOWSP_INVALID, "unload: a run of this program is going on; drain or cancel first");
	cpu_program_destroy(program);
	return PTOWSP_OK;
}

ptowsp_status cpu_stats(struct ptowsp_object *object, struct ptowsp_run_stats *stats_out, struct ptowsp_error *error)
{
	struct cpu_program *program = (struct cpu_program *)object;
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};

	if (stats_out->head.size < sizeof(struct ptowsp_head))
		return cpu_fail(error, PTOWSP_INVALID, "stats: the result has no room, its size is %u", stats_out->head.size);
	rt_stats(program->rt, &stats);
	cpu_result_copy(&stats_out->head, &stats.head);
	return PTOWSP_OK;
}

/* What connects a run with those on other devices: the host's table, for this run's token. */
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

static ptowsp_status notify_take(void *context, uint32_t device, uint32_t notification, uint64_t until_ns, uint64_t *cycles_out,
				 struct ptowsp_error *error)
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

ptowsp_status cpu_program_run(struct cpu_program *program, const struct cpu_run *run, struct ptowsp_run_stats *stats_out,
			      struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error)
{
	struct rt_sinks sinks = cpu_trace_sinks(&program->trace);
	struct connection connection = {.host = program->device->instance->host, .token = run->args.token};
	struct rt_notify notify;
	struct rt_run_args args = {
		.args = &run->args,
		.pool = program->device->pool,
		.sinks = &sinks,
		.cancel = (const volatile uint32_t *)&run->cancel,
		.fixed_map = program->device->instance->options.fixed_map,
		.replay = (enum rt_replay_when)program->device->instance->options.replay,
		.memory = program->device->memory_limit,
		.schedulers = program->device->instance->options.schedulers,
	};
	ptowsp_status st;

	args.notify = connect(&connection, &notify, error) ? &notify : NULL;
	cpu_kernels_watch(&program->kernels, &run->cancel, run->args.deadline_ns);
	st = cpu_shards_begin(&program->shards, &run->args, error);
	if (!st) {
		st = rt_run(program->rt, &args, stats_out, deadlock_out, error);
		cpu_shards_end(&program->shards);
		cpu_shards_stats(&program->shards, stats_out);
	}
	st = cpu_kernels_watched(&program->kernels, st, error);
	cpu_kernels_watch(&program->kernels, NULL, 0);
	cpu_trace_flush(&program->trace);
	if (program->device->instance->options.profiling)
		cpu_kernels_profile(&program->kernels);
	return st;
}
