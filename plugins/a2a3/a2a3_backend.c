/* SPDX-License-Identifier: MIT */
#include "a2a3/a2a3_backend.h"

#include "ascend/hardware.h"
#include "ascend/hooks.h"
#include "base/ops.h"
#include <string.h>

static const struct base_option options[] = {
	BASE_OPTION(offsetof(struct base_options, opt_level), "opt_level", "int", "2", "2",
		    "no other one is taken: a device runs kernels as they were compiled"),
	BASE_OPTION(offsetof(struct base_options, fast), "numerics", "word", "device", "device",
		    "no other one is taken: the cores round, add up and compute exp and others as they do"),
	ASCEND_OPTIONS,
	ASCEND_ROOT_OPTION,
	ASCEND_PTO_ENGINE_ALONE(struct ascend_options, pto),
	BASE_OPTION(offsetof(struct base_options, own_clock), "clock", "word", "own", "reference|own",
		    "cycle model: a pto-runtime tells no times, own is what the order of the plan makes of the cycles of kernels; reference is refused"),
	ASCEND_PTO_OPTIONS(struct ascend_options, pto),
};

static const struct base_model *models(const struct base_options *chosen, uint32_t *count_out)
{
	return ascend_hook_models(chosen, true, count_out);
}

static uint32_t caps(const struct base_options *chosen, const struct base_model *model, struct ptowsp_cap *rows_out)
{
	(void)model;
	return ascend_hook_caps(chosen, true, rows_out);
}

/* The hardware first, then the runtime that drives it. */
static ptowsp_status device_open(struct base_device *device, struct ptowsp_error *error)
{
	int number = device->model->device.name[strlen(device->model->device.name) - 1] - '0';
	struct ascend_places places = ascend_places();
	struct ascend_hardware found;
	ptowsp_status status = ascend_options_check(device, error);

	places.root = ((const struct ascend_options *)(const void *)device->instance->options)->root;
	if (!status)
		status = ascend_hardware_find(&found, &places, (unsigned)number, error);
	return status ? status : ascend_hook_open_onboard(device, number, error);
}

const struct base_backend a2a3_backend = {
	.name = A2A3_NAME,
	.targets = A2A3_TARGETS,
	.models = models,
	.caps = caps,
	.untested = 1,
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.extension = ascend_artifact_extension,
	.settle = ascend_options_settle,
	.options_size = sizeof(struct ascend_options),
	.open = device_open,
	.close = ascend_hook_close,
	.load = ascend_hook_load,
	.unload = ascend_hook_unload,
	.run = ascend_hook_run,
};
BASE_OPS(a2a3_ops, a2a3_backend);
