/* SPDX-License-Identifier: MIT */
#include "a2a3sim/a2a3sim_backend.h"

#include "ascend/hooks.h"
#include "base/ops.h"

static const struct base_option options[] = {
	ASCEND_OPTIONS,
	ASCEND_PTO_ENGINE(struct ascend_options, pto),
	ASCEND_PTO_OPTIONS(struct ascend_options, pto),
	ASCEND_SIMULATED_OPTIONS(struct ascend_options, own),
	BASE_OPTION(offsetof(struct base_options, own_clock), "clock", "word", "own", "reference|own",
		    "who runs tasks and when: the machine, or threads by the clock of the runtime core, the same on every backend"),
};

static const struct base_model *models(const struct base_options *chosen, uint32_t *count_out)
{
	return ascend_hook_models(chosen, false, count_out);
}

static uint32_t caps(const struct base_options *chosen, const struct base_model *model, struct ptowsp_cap *rows_out)
{
	if (ascend_options_pto(chosen))
		return ascend_hook_caps(chosen, false, rows_out);
	return ascend_simulated_caps(ascend_options_own(chosen), model, chosen ? chosen->schedulers : ASCEND_SCHEDULERS, rows_out);
}

const struct base_backend a2a3sim_backend = {
	.name = A2A3SIM_NAME,
	.targets = A2A3SIM_TARGETS,
	.models = models,
	.caps = caps,
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.settle = ascend_options_settle,
	.options_size = sizeof(struct ascend_options),
	.open = ascend_hook_open,
	.close = ascend_hook_close,
	.bind = ascend_hook_bind,
	.load = ascend_hook_load,
	.unload = ascend_hook_unload,
	.run = ascend_hook_run,
	.extension = ascend_artifact_extension,
};
BASE_OPS(a2a3sim_ops, a2a3sim_backend);
