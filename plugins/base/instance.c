/* SPDX-License-Identifier: MIT */
#include "instance.h"

#include "backend.h"
#include "device.h"
#include "error.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ALIGNMENT 64u /* tile scratch wants cache lines */

void *base_alloc(const struct base_instance *instance, uint64_t size)
{
	return instance->host->alloc(instance->host->context, size, ALIGNMENT);
}

void base_release(const struct base_instance *instance, void *memory, uint64_t size)
{
	if (memory)
		instance->host->release(instance->host->context, memory, size);
}

void base_log(const struct base_instance *instance, int32_t level, const char *format, ...)
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

const struct base_options *base_options_of(const struct ptowsp_object *instance)
{
	return instance ? ((const struct base_instance *)(const void *)instance)->options : NULL;
}

uint32_t base_minor_of(const struct ptowsp_object *instance)
{
	return instance ? ((const struct base_instance *)(const void *)instance)->host->minor : 0;
}

static uint64_t instance_bytes(const struct base_backend *backend)
{
	return sizeof(struct base_instance) + base_options_size(backend);
}

ptowsp_status base_init(const struct base_backend *backend, const struct ptowsp_host *host, const struct ptowsp_init_args *args,
			struct ptowsp_object **instance_out, struct ptowsp_error *error)
{
	struct base_instance first = {.backend = backend, .host = host}, *instance;
	ptowsp_status status;

	*instance_out = NULL;
	if (!host || host->head.size < PTOWSP_HOST_FLOOR_10_0)
		return base_fail(error, PTOWSP_INVALID, "%s needs the host services of v10.0", backend->name);
	status = base_args_check(&args->head, PTOWSP_STRUCT_INIT_ARGS, PTOWSP_INIT_ARGS_FLOOR_10_0, "init", error);
	if (status)
		return status;
	instance = base_alloc(&first, instance_bytes(backend));
	if (!instance)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory to start %s", backend->name);
	first.options = (struct base_options *)(instance + 1);
	*instance = first;
	status = base_options_read(backend, (struct base_options *)(instance + 1), args, error);
	if (status)
		base_release(&first, instance, instance_bytes(backend));
	else
		*instance_out = (struct ptowsp_object *)instance;
	return status;
}

ptowsp_status base_fini(struct ptowsp_object *object, struct ptowsp_error *error)
{
	struct base_instance *instance = (struct base_instance *)object, copy;

	(void)error;
	if (!instance)
		return PTOWSP_OK;
	while (instance->devices)
		base_device_destroy(instance->devices);
	copy = *instance;
	base_release(&copy, instance, instance_bytes(copy.backend));
	return PTOWSP_OK;
}
