/* SPDX-License-Identifier: MIT */
#include "device.h"

#include "backend.h"
#include "base/memory/base_buffer.h"
#include "base/memory/base_fence.h"
#include "error.h"
#include "program.h"
#include "queue.h"
#include <sched.h>
#include <signal.h>

uint32_t base_threads(uint32_t wanted, const struct base_options *options)
{
	cpu_set_t set;
	int count;

	wanted = wanted || !options ? wanted : options->threads;
	if (wanted)
		return wanted;
	count = sched_getaffinity(0, sizeof(set), &set) ? 0 : CPU_COUNT(&set);
	return count > 0 ? (uint32_t)count : 1;
}

/* The waits of drain, poll and the runner are on the monotonic clock. */
static ptowsp_status sync_init(struct base_device *device, struct ptowsp_error *error)
{
	pthread_condattr_t attr;
	int bad = pthread_condattr_init(&attr);

	if (!bad) {
		bad = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
		if (!bad)
			bad = pthread_mutex_init(&device->lock, NULL);
		device->have_lock = !bad;
		if (!bad)
			bad = pthread_cond_init(&device->work, &attr);
		device->have_work = !bad && device->have_lock;
		if (!bad)
			bad = pthread_cond_init(&device->idle, &attr);
		device->have_idle = !bad && device->have_work;
		pthread_condattr_destroy(&attr);
	}
	return bad ? base_fail(error, PTOWSP_NO_MEMORY, "%s cannot make its locks: error %d", device->instance->backend->name, bad) : PTOWSP_OK;
}

/* Signals stay with the threads of the embedding program. */
static ptowsp_status threads_start(struct base_device *device, struct ptowsp_error *error)
{
	sigset_t all, before;
	ptowsp_status status;
	int bad = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	status = rt_pool_create(&device->pool, device->threads, error);
	if (!status)
		bad = pthread_create(&device->runner, NULL, base_runner, device);
	device->have_runner = !status && !bad;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (bad)
		status = base_fail(error, PTOWSP_NO_MEMORY, "%s cannot start its runner thread: error %d", device->instance->backend->name, bad);
	return status;
}

ptowsp_status base_open(struct ptowsp_object *object, const struct ptowsp_open_args *args, struct ptowsp_object **device_out, struct ptowsp_error *error)
{
	struct base_instance *instance = (struct base_instance *)object;
	const struct base_backend *backend = instance->backend;
	const struct base_model *model = NULL;
	struct base_device *device;
	ptowsp_status status = base_args_check(&args->head, PTOWSP_STRUCT_OPEN_ARGS, PTOWSP_OPEN_ARGS_FLOOR_10_0, "open", error);

	*device_out = NULL;
	if (!status)
		status = base_model_find(backend, instance->options, args->selector, &model, error);
	if (status)
		return status;
	device = base_alloc(instance, sizeof(*device));
	if (!device)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory to open %s", model->device.name);
	device->instance = instance;
	device->model = model;
	device->memory_limit = args->memory_limit;
	device->threads = base_threads(args->threads, instance->options);
	device->several = base_threads(0, NULL) > 1;
	device->next = instance->devices;
	instance->devices = device;
	status = sync_init(device, error);
	if (!status)
		status = threads_start(device, error);
	if (!status && backend->open)
		status = backend->open(device, error);
	device->opened = !status;
	if (status)
		base_device_destroy(device);
	else
		*device_out = (struct ptowsp_object *)device;
	return status;
}

static void runner_join(struct base_device *device)
{
	if (!device->have_runner)
		return;
	base_cancel_all(device);
	pthread_mutex_lock(&device->lock);
	device->stop = 1;
	pthread_cond_signal(&device->work);
	pthread_mutex_unlock(&device->lock);
	pthread_join(device->runner, NULL);
}

void base_device_destroy(struct base_device *device)
{
	struct base_instance *instance = device->instance;
	struct base_device **link = &instance->devices;

	runner_join(device);
	while (device->programs)
		base_program_destroy(device->programs);
	base_buffers_finish(device);
	base_fences_finish(device);
	if (device->opened && instance->backend->close)
		instance->backend->close(device);
	rt_pool_destroy(device->pool);
	if (device->have_idle)
		pthread_cond_destroy(&device->idle);
	if (device->have_work)
		pthread_cond_destroy(&device->work);
	if (device->have_lock)
		pthread_mutex_destroy(&device->lock);
	while (*link != device)
		link = &(*link)->next;
	*link = device->next;
	base_release(instance, device, sizeof(*device));
}

ptowsp_status base_close(struct ptowsp_object *object, struct ptowsp_error *error)
{
	(void)error;
	if (object)
		base_device_destroy((struct base_device *)object);
	return PTOWSP_OK;
}
