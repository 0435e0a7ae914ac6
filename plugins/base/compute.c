/* SPDX-License-Identifier: MIT */
/* compute.c - tasks that end later on a device, between the core and the backend: which go there, and how many have ended well. */
#include "kernels.h"

bool base_kernels_part(const struct base_kernels *kernels, const struct base_kernel *kernel)
{
	return kernels->compute && kernels->compute->parts && kernel->isa && !kernel->ref.fn && !kernel->processor && kernel->blocks == 1;
}

static bool takes(void *context, uint32_t row)
{
	const struct base_kernels *kernels = context;
	const struct base_kernel *kernel = &kernels->rows[row];
	const struct rt_queues *queues = kernels->compute->queues;

	return kernel->isa && !kernel->ref.fn && !kernel->processor && !*kernel->why && kernel->blocks == 1 &&
	       (!kernel->parts || base_kernels_part(kernels, kernel)) && !kernels->shards && queues->takes(queues->context, row);
}

static ptowsp_status start(void *context, const struct ptowsp_task *task, const uint64_t *after, uint32_t after_count, uint64_t *mark_out,
			   struct ptowsp_error *error)
{
	const struct rt_queues *queues = ((const struct base_kernels *)context)->compute->queues;

	return queues->start(queues->context, task, after, after_count, mark_out, error);
}

static uint32_t reap(void *context, uint64_t until_ns, struct rt_task_end *ends_out, uint32_t room)
{
	const struct base_kernels *kernels = context;
	const struct rt_queues *queues = kernels->compute->queues;
	const uint32_t count = queues->reap(queues->context, until_ns, ends_out, room);

	for (uint32_t i = 0; i < count; i++) {
		struct base_kernel *kernel = &kernels->rows[ends_out[i].kernel];

		atomic_fetch_add_explicit(&kernel->device_ns, ends_out[i].ns, memory_order_relaxed);
		atomic_fetch_add_explicit(&kernel->device_tasks, !ends_out[i].status, memory_order_relaxed);
	}
	return count;
}

static void abandon(void *context)
{
	const struct rt_queues *queues = ((const struct base_kernels *)context)->compute->queues;

	queues->abandon(queues->context);
}

const struct rt_queues *base_kernels_queues(struct base_kernels *kernels)
{
	kernels->queues = (struct rt_queues){kernels, takes, start, reap, abandon};
	return kernels->compute && kernels->compute->queues && !kernels->timeline.lanes && !kernels->profile.times ? &kernels->queues : NULL;
}
