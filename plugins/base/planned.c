/* SPDX-License-Identifier: MIT */
#include "planned.h"
#include "base_caps.h"

static ptowsp_status cycles(void *context, uint32_t kernel, const uint64_t *args, uint64_t *cycles_out)
{
	const struct base_planned *planned = context;

	return planned->served.cycles(planned->served.context, kernel, args, cycles_out);
}

static ptowsp_status footprint(void *context, uint32_t kernel, const uint64_t *args, rt_touch_fn touch, void *sink)
{
	const struct base_planned *planned = context;

	return planned->served.footprint(planned->served.context, kernel, args, touch, sink);
}

static int varies(void *context, uint32_t kernel)
{
	const struct base_planned *planned = context;

	return planned->served.varies(planned->served.context, kernel);
}

static ptowsp_status run(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker)
{
	return base_walk_task_run(((const struct base_planned *)context)->walk, task, out, worker);
}

static const char *unusable(void *context, uint32_t kernel)
{
	const struct base_planned *planned = context;

	return planned->served.unusable(planned->served.context, kernel);
}

static void explain(void *context, uint32_t kernel, const uint64_t *args, struct ptowsp_error *error)
{
	const struct base_planned *planned = context;

	planned->served.explain(planned->served.context, kernel, args, error);
}

static uint32_t code(void *context, uint32_t kernel)
{
	const struct base_planned *planned = context;

	return planned->served.code(planned->served.context, kernel);
}

static void device(void *context, uint32_t kernel, uint64_t *tasks_out, uint64_t *ns_out)
{
	const struct base_planned *planned = context;

	planned->served.device(planned->served.context, kernel, tasks_out, ns_out);
}

static ptowsp_status moved(void *context, const struct rt_moved *moved, struct ptowsp_error *error)
{
	return base_walk_moved(((const struct base_planned *)context)->walk, moved, error);
}

struct rt_kernels base_planned_table(struct base_planned *planned)
{
	return (struct rt_kernels){.context = planned,
				   .cycles = cycles,
				   .footprint = footprint,
				   .varies = varies,
				   .run = run,
				   .unusable = unusable,
				   .explain = explain,
				   .code = code,
				   .device = device,
				   .moved = moved};
}

ptowsp_status base_planned_create(struct rt_program **planned_out, const struct base_program *program, const struct ptowsp_load_args *args,
				  const struct rt_kernels *kernels, struct base_planned_as as, struct ptowsp_error *error)
{
	const struct base_instance *instance = program->device->instance;
	struct ptowsp_cap caps[BASE_CAPS_LIMIT];
	const struct rt_program_args lowering = {.sections = args->sections,
						 .section_count = args->section_count,
						 .section_stride = args->section_stride,
						 .entry = args->entry,
						 .kernels = kernels,
						 .host = instance->host,
						 .caps = caps,
						 .cap_count = base_caps(instance->backend, instance->options, program->device->model, caps),
						 .flags = args->flags,
						 .planned = true,
						 .shadowed = as.shadowed,
						 .windowed = as.windowed,
						 .renames = as.renames};

	return rt_program_create(planned_out, &lowering, error);
}
