/* SPDX-License-Identifier: MIT */
#include "tests/rt/builder/rt_device.h"

#include "tests/rt/builder/rt_builder_rows.h"

static uint32_t draw(struct rt_device *device, uint32_t below)
{
	device->seed = device->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(device->seed >> 33) % below;
}

static bool is_there(const struct rt_device *device, uint64_t number)
{
	for (uint32_t i = 0; i < device->count; i++)
		if (device->tasks[i].task.number == number)
			return true;
	return false;
}

static void *copy(const void *from, size_t size)
{
	return memcpy(need(malloc(size + 1)), size ? from : "", size);
}

/* One kernel in four runs on the processor. */
static bool takes(void *context, uint32_t kernel)
{
	const struct rt_device *device = context;

	return (kernel + device->depth) % 4 != 0;
}

static ptowsp_status start(void *context, const struct ptowsp_task *task, const uint64_t *after, uint32_t after_count, uint64_t *mark_out,
			   struct ptowsp_error *error)
{
	struct rt_device *device = context;
	struct rt_device_task *kept = &device->tasks[device->count];

	(void)error;
	for (uint32_t i = 0; i < after_count; i++)
		device->wrong += !is_there(device, after[i]);
	device->wrong += is_there(device, task->number) || !takes(device, task->kernel);
	if (device->count == device->depth || (device->count && !draw(device, 16)))
		return PTOWSP_AGAIN;
	if (!draw(device, 16))
		return PTOWSP_UNSUPPORTED;
	*kept = (struct rt_device_task){.task = *task, .after_count = after_count};
	kept->task.args = copy(task->args, task->arg_count * sizeof(*task->args));
	kept->task.tensors = copy(task->tensors, (size_t)task->tensor_count * task->tensor_stride);
	kept->after = copy(after, after_count * sizeof(*after));
	device->started++;
	*mark_out = task->number;
	device->most = ++device->count > device->most ? device->count : device->most;
	return PTOWSP_OK;
}

static bool may_run(const struct rt_device *device, const struct rt_device_task *task)
{
	for (uint32_t i = 0; i < task->after_count; i++)
		if (is_there(device, task->after[i]))
			return false;
	return true;
}

static struct rt_task_end run(struct rt_device *device, uint32_t at)
{
	struct rt_device_task kept = device->tasks[at];
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_kernel_out out = {PTOWSP_HEAD(out, KERNEL_OUT), 0, &error};
	struct rt_task_end end = {.task = kept.task.number, .kernel = kept.task.kernel};

	end.status = device->kernels->run(device->kernels->context, &kept.task, &out, 0);
	end.cycles = out.cycles;
	device->tasks[at] = device->tasks[--device->count];
	free((void *)(uintptr_t)kept.task.args);
	free((void *)(uintptr_t)kept.task.tensors);
	free(kept.after);
	return end;
}

static uint32_t reap(void *context, uint64_t until_ns, struct rt_task_end *ends_out, uint32_t room)
{
	struct rt_device *device = context;
	uint32_t count = 0, wanted = draw(device, 4);

	device->wrong += !device->count;
	wanted = wanted < room ? wanted : room;
	while (device->count && count < (until_ns && !wanted ? 1 : wanted)) {
		uint32_t at = draw(device, device->count);

		while (!may_run(device, &device->tasks[at]))
			at = (at + 1) % device->count;
		ends_out[count++] = run(device, at);
	}
	return count;
}

static void abandon(void *context)
{
	(void)context;
}

void rt_device_init(struct rt_device *device, const struct rt_kernels *kernels, uint64_t seed)
{
	*device = (struct rt_device){.kernels = kernels, .seed = seed, .depth = 1 + (uint32_t)(seed % RT_DEVICE_MOST)};
	device->queues = (struct rt_queues){device, takes, start, reap, abandon};
}
