/* SPDX-License-Identifier: MIT */
#include "instance.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "device.h"
#include "error.h"

#define ALIGNMENT 64u /* tile scratch wants cache lines */

void *cpu_alloc(const struct cpu_instance *instance, uint64_t size)
{
	return instance->host->alloc(instance->host->context, size, ALIGNMENT);
}

void cpu_release(const struct cpu_instance *instance, void *memory, uint64_t size)
{
	if (memory)
		instance->host->release(instance->host->context, memory, size);
}

void cpu_log(const struct cpu_instance *instance, int32_t level, const char *format, ...)
{
	char line[512];
	va_list ap;
	int length;

	va_start(ap, format);
	length = vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	if (length > 0)
		instance->host->log(instance->host->context, level, line, strlen(line));
}

ptowsp_status cpu_init(const struct ptowsp_host *host, const struct ptowsp_init_args *args,
		       struct ptowsp_object **instance_out, struct ptowsp_error *error)
{
	struct cpu_instance first = {.host = host}, *instance;
	ptowsp_status st;

	*instance_out = NULL;
	if (!host || host->head.size < PTOWSP_HOST_FLOOR_10_0)
		return cpu_fail(error, PTOWSP_INVALID, "cpu_sim needs the host services of v10.0");
	st = cpu_args_check(&args->head, PTOWSP_STRUCT_INIT_ARGS, sizeof(*args), "init", error);
	if (!st)
		st = cpu_options_read(&first.options, args, error);
	if (st)
		return st;
	instance = cpu_alloc(&first, sizeof(*instance));
	if (!instance)
		return cpu_fail(error, PTOWSP_NO_MEMORY, "no memory to start cpu_sim");
	*instance = first;
	*instance_out = (struct ptowsp_object *)instance;
	return PTOWSP_OK;
}

ptowsp_status cpu_fini(struct ptowsp_object *object, struct ptowsp_error *error)
{
	struct cpu_instance *instance = (struct cpu_instance *)object, copy;

	(void)error;
	if (!instance)
		return PTOWSP_OK;
	while (instance->devices)
		cpu_device_destroy(instance->devices);
	copy = *instance;
	cpu_release(&copy, instance, sizeof(*instance));
	return PTOWSP_OK;
}
