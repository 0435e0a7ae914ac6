/* SPDX-License-Identifier: MIT */
#include "a2a3/backend.h"

#include <string.h>
#include "ascend/files.h"
#include "ascend/artifact.h"
#include "ascend/hardware.h"
#include "ascend/options.h"
#include "ascend/pto.h"
#include "base/error.h"
#include "base/ops.h"
#include "ptowsp/ids.h"
#include "ptowsp/workload.h"

struct a2a3_options {
	struct ascend_options ascend;
	struct ascend_pto pto; /* always the pto-runtime */
};

static const struct base_option options[] = {
	ASCEND_OPTIONS,
	{BASE_OPTION("clock", "word", "own", "reference|own", "cycle model: that of the runtime core, or what the device measured"),
	 offsetof(struct base_options, own_clock), 1, {"reference", "own"}, 0, 0},
	ASCEND_PTO_OPTIONS(struct a2a3_options, pto),
};

static const struct base_model *models(const struct base_options *chosen, uint32_t *count_out)
{
	*count_out = ASCEND_DEVICE_COUNT;
	return ascend_models(ASCEND_ONBOARD, ascend_options_arch(chosen));
}

/* What depends on time, which is the device's: it is measured, differs from run to run, and nobody can hold a task back by cycles. The runtime chooses
 * the core of a task, counts no stalls and takes no kernel back. */
static const struct ptowsp_cap rows[] = {
	BASE_CAP(PTOWSP_FEATURE_TOTAL_CYCLES, RECORDED),
	BASE_CAP(PTOWSP_FEATURE_KERNEL_CYCLES, RECORDED),
	BASE_CAP(PTOWSP_FEATURE_STALL_STATS, DIAGNOSED),
	BASE_CAP(PTOWSP_FEATURE_HIGH_WATER, DIAGNOSED),
	BASE_CAP(PTOWSP_FEATURE_DETERMINISTIC, DIAGNOSED),
	BASE_CAP(PTOWSP_FEATURE_CANCEL, DIAGNOSED),
	BASE_CAP(BASE_POLICY(DISPATCH, WORK_STEAL), RECORDED),
	BASE_CAP(BASE_POLICY(TASK_WINDOW, ABORT), RECORDED),
	BASE_CAP(BASE_POLICY(TASK_WINDOW, BENCHMARK), RECORDED),
	BASE_CAP(BASE_POLICY(PIPELINE_DEPTH, DEPTH), RECORDED),
	BASE_CAP(BASE_POLICY(TIMING, RATE_LIMIT), RECORDED),
	BASE_CAP(BASE_POLICY(START, THRESHOLD), RECORDED),
	BASE_CAP(BASE_POLICY(ISSUE_COST, CYCLES), RECORDED),
	BASE_CAP(BASE_POLICY(READY_QUEUE, CAPACITY), RECORDED),
	BASE_CAP(BASE_POLICY(SPATIAL_MAP, GRID), RECORDED),
	BASE_CAP(BASE_POLICY(LAYOUT, SHARD), RECORDED),
	ASCEND_CAPS_ALONE, /* last: not of A5 */
};

static const struct ptowsp_cap *caps(const struct base_options *chosen, const struct base_model *model, uint32_t *count_out)
{
	(void)chosen;
	*count_out = sizeof(rows) / sizeof(*rows) - (model->platform == RT_PLATFORM_A5 ? ASCEND_CAPS_ALONE_COUNT : 0);
	return rows;
}

/* The hardware first, then the runtime that drives it. */
static ptowsp_status device_open(struct base_device *device, struct ptowsp_error *error)
{
	const struct ascend_pto *pto = &((const struct a2a3_options *)(const void *)device->instance->options)->pto;
	int number = device->model->device.name[strlen(device->model->device.name) - 1] - '0';
	const struct ascend_places places = ascend_places();
	struct ascend_hardware found;
	ptowsp_status st = ascend_options_check(device, error);

	if (!st)
		st = ascend_hardware_find(&found, &places, (unsigned)number, error);
	if (!st && !*pto->runtime)
		st = base_fail(error, PTOWSP_NO_DEVICE, "%s: runtime=DIR is not given: name the root of a pto-runtime that was built for the device",
			       device->model->device.name);
	return st ? st : ascend_pto_open(device, pto, ascend_model_id(device->model) == ASCEND_950 ? "a5" : "a2a3", true, number, error);
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
	.options_size = sizeof(struct a2a3_options),
	.open = device_open,
	.close = ascend_pto_close,
	.load = ascend_pto_load,
	.unload = ascend_pto_unload,
	.run = ascend_pto_run,
};
BASE_OPS(a2a3_ops, a2a3_backend);
