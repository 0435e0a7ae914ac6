/* SPDX-License-Identifier: MIT */
#include "device.h"

#include <sched.h>
#include <signal.h>
#include "arch.h"
#include "error.h"
#include "program.h"
#include "queue.h"

static uint32_t usable_cores(void)
{
	cpu_set_t set;
	int count = sched_getaffinity(0, sizeof(set), &set) ? 0 : CPU_COUNT(&set);

	return count > 0 ? (uint32_t)count : 1;
}

/* The waits of drain and poll are on the monotonic clock. */
static ptowsp_status sync_init(struct cpu_device *device, struct ptowsp_error *error)
{
	pthread_condattr_t attr;
	int bad = pthread_condattr_init(&attr);

	if (!bad) {
		bad = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
		if (!bad)
			bad = pthread_mutex_init(&device->lock, NULL);
		device->have_lock = !bad;
		if (!bad)
			bad = pthread_cond_init(&device->work, NULL);
		device->have_work = !bad && device->have_lock;
		if (!bad)
			bad = pthread_cond_init(&device->idle, &attr);
		device->have_idle = !bad && device->have_work;
		pthread_condattr_destroy(&attr);
	}
	return bad ? cpu_fail(error, PTOWSP_NO_MEMORY, "cpu_sim cannot make its locks: error %d", bad) : PTOWSP_OK;
}

/* Signals stay with the threads of the embedding program. */
static ptowsp_status threads_start(struct cpu_device *device, struct ptowsp_error *error)
{
	sigset_t all, before;
	ptowsp_status st;
	int bad = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	st = rt_pool_create(&device->pool, device->threads, error);
	if (!st)
		bad = pthread_create(&device->runner, NULL, cpu_runner, device);
	device->have_runner = !st && !bad;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (bad)
		st = cpu_fail(error, PTOWSP_NO_MEMORY, "cpu_sim cannot start its runner thread: error %d", bad);
	return st;
}

ptowsp_status cpu_open(struct ptowsp_object *object, const struct ptowsp_open_args *args, struct ptowsp_object **device_out,
		       struct ptowsp_error *error)
{
	struct cpu_instance *instance = (struct cpu_instance *)object;
	struct cpu_device *device;
	ptowsp_status st = cpu_args_check(&args->head, PTOWSP_STRUCT_OPEN_ARGS, sizeof(*args), "open", error);

	*device_out = NULL;
	if (!st)
		st = cpu_device_select(args->selector, error);
	if (st)
		return st;
	device = cpu_alloc(instance, sizeof(*device));
	if (!device)
		return cpu_fail(error, PTOWSP_NO_MEMORY, "no memory to open cpu0");
	device->instance = instance;
	device->memory_limit = args->memory_limit;
	device->threads = args->threads ? args->threads : usable_cores();
	device->next = instance->devices;
	instance->devices = device;
	st = sync_init(device, error);
	if (!st)
		st = threads_start(device, error);
	if (st)
		cpu_device_destroy(device);
	else
		*device_out = (struct ptowsp_object *)device;
	return st;
}

static void runner_join(struct cpu_device *device)
{
	if (!device->have_runner)
		return;
	cpu_cancel_all(device);
	pthread_mutex_lock(&device->lock);
	device->stop = 1;
	pthread_cond_signal(&device->work);
	pthread_mutex_unlock(&device->lock);
	pthread_join(device->runner, NULL);
}

void cpu_device_destroy(struct cpu_device *device)
{
	struct cpu_instance *instance = device->instance;
	struct cpu_device **link = &instance->devices;

	runner_join(device);
	while (device->programs)
		cpu_program_destroy(device->programs);
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
	cpu_release(instance, device, sizeof(*device));
}

ptowsp_status cpu_close(struct ptowsp_object *object, struct ptowsp_error *error)
{
	(void)error;
	if (object)
		cpu_device_destroy((struct cpu_device *)object);
	return PTOWSP_OK;
}
