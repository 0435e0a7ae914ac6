/* SPDX-License-Identifier: MIT */
#include "opencl/opencl_backend.h"

#include "base/ops.h"
#include "opencl/opencl_program.h"
#include <string.h>

/* A task is a work-group. */
#define MODEL(name, which) BASE_MODEL(name, which " OpenCL device: portable kernels as OpenCL C, a work-group per task", "opencl", THREADS, REFERENCE)
static const struct base_model all[] = {MODEL("opencl0", "the first"), MODEL("opencl1", "the next")};

static const struct base_model *models(const struct base_options *options, uint32_t *count_out)
{
	(void)options;
	*count_out = sizeof(all) / sizeof(*all);
	return all;
}

static const struct ptowsp_cap own[] = {BASE_DEVICE_TASKS, BASE_TILE(0, ENFORCED, 0), BASE_NOTIFIES};

static uint32_t caps(const struct base_options *options, const struct base_model *model, struct ptowsp_cap *rows_out)
{
	(void)options, (void)model;
	return BASE_CAPS_ADD(rows_out, 0, own);
}

#define OPTION(name) offsetof(struct opencl_options, name)
static const struct base_option options[] = {
	BASE_OPTION(OPTION(device), "device", "word", "", "", "which one is opencl0: its number in clinfo's order, or a part of its name or its platform's"),
	BASE_OPTION(OPTION(memory), "memory", "word", "auto", "auto|shared|copied",
		    "tensors: used where they lie, or copied when a run first touches them and when it ends; auto: shared where the device shares memory with "
		    "the host"),
	BASE_OPTION(OPTION(width), "width", "word", "0", "0|1|2|4|8|16|32|64|128|256|512|1024|2048|4096",
		    "work-items of a work-group, 0: one on processors, 256 on others"),
	BASE_OPTION(OPTION(depth), "depth", "int", "32", "0..64",
		    "tasks on their way in each queue of the device, 0: a thread waits for each before it goes on"),
	BASE_OPTION(OPTION(binaries), "binaries", "word", "auto", "auto|on|off",
		    "what the driver builds is given to the host for the next load; auto: not on a processor, whose driver keeps it itself and takes as long "
		    "again to give it"),
	BASE_OPTION(OPTION(tiles), "tiles", "word", "local", "local|global", "tiles: in local memory where they fit, or never"),
};

static const void *extension(struct ptowsp_object *instance, const char *id)
{
	(void)instance;
	return strcmp(id, PTOWSP_EXTENSION_REPORT) ? NULL : &base_resident_report;
}

static const struct base_backend opencl_backend = {
	.name = OPENCL_NAME,
	.targets = OPENCL_NAME,
	.models = models,
	.caps = caps,
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.options_size = sizeof(struct opencl_options),
	.open = opencl_open,
	.close = opencl_close,
	.bind = opencl_bind,
	.unload = opencl_unload,
	.run = opencl_run,
	.buffers = &opencl_buffers,
	.fences = true,
	.events = &opencl_events,
	.compiled = &opencl_compiled,
	.extension = extension,
};
BASE_OPS(opencl_ops, opencl_backend);
