/* SPDX-License-Identifier: MIT */
#include "opencl/opencl_program.h"

#include "base/error.h"

/* A kernel that the device cannot take fails the runs that reach it. */
static void unusable_say(const struct opencl_kernels *kernels, struct base_kernels *base)
{
	for (uint32_t row = 0; row < kernels->count; row++) {
		const struct opencl_kernel *k = &kernels->rows[row];
		struct base_kernel *kernel = &base->rows[row];

		if (opencl_parameter_bytes(k) > kernels->d->parameter_bytes)
			base_text(kernel->why, sizeof(kernel->why), "kernel %.60s takes %u tensors and %u scalars, and %.40s at most %llu bytes of arguments",
				  kernel->name, k->windows, k->args, kernels->d->name, (unsigned long long)kernels->d->parameter_bytes);
	}
}

ptowsp_status opencl_bind(struct base_program *program, struct ptowsp_error *error)
{
	const struct base_instance *instance = program->device->instance;
	struct opencl_program *own = base_alloc(instance, sizeof(*own));
	ptowsp_status status;

	if (!own)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for a program");
	own->base = program;
	base_resident_init(&own->resident, program->device);
	own->queues = opencl_queues(own);
	own->compute = (struct base_compute){.context = own,
					     .block = opencl_block,
					     .block_ns = opencl_block_ns,
					     .mirror = &own->resident.mirror,
					     .apart = !own->resident.shares,
					     .parts = true,
					     .queues = opencl_options_of(program->device)->depth ? &own->queues : NULL};
	program->own = own;
	program->kernels.compute = &own->compute;
	status = opencl_kernels_init(&own->kernels, &program->kernels, opencl_device_of(program->device), error);
	if (!status)
		unusable_say(&own->kernels, &program->kernels);
	for (unsigned i = 0; i < 2 && !status; i++)
		opencl_program_restore(own, i);
	return status;
}

void opencl_unload(struct base_program *program)
{
	const struct base_instance *instance = program->device->instance;
	struct opencl_program *own = program->own;

	if (!own)
		return;
	opencl_kernels_finish(&own->kernels);
	base_resident_finish(&own->resident);
	base_release(instance, own, sizeof(*own));
	program->own = NULL;
	program->kernels.compute = NULL;
}

/* ---- a run ---------------------------------------------------------------------------------------------------------------- */

ptowsp_status opencl_run(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out,
			 struct ptowsp_error *error)
{
	return base_resident_run(&((struct opencl_program *)program->own)->resident, program, args, stats_out, deadlock_out, error);
}
