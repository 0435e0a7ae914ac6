/* SPDX-License-Identifier: MIT */
#include "a2a3sim/backend.h"

#include "ascend/options.h"
#include "base/ops.h"
#include "ptowsp/graph.h"
#include "ptowsp/workload.h"

static const struct base_option options[] = {
	ASCEND_OPTIONS,
	{BASE_OPTION("clock", "word", "reference", "reference", "cycle model: that of the runtime core, the same on every backend"),
	 offsetof(struct base_options, own_clock), 0, {"reference"}, 0, 0},
};

static const struct base_model *models(const struct base_options *chosen, uint32_t *count_out)
{
	*count_out = ASCEND_DEVICE_COUNT;
	return ascend_models(ASCEND_REFERENCE, ascend_options_arch(chosen));
}

static const struct ptowsp_cap *caps(const struct base_options *chosen, const struct base_model *model, uint32_t *count_out)
{
	static const struct ptowsp_cap alone[] = {ASCEND_CAPS_ALONE};
	static const struct ptowsp_cap a5[] = {BASE_CAP(PTOWSP_FEATURE_GRAPH(PTOWSP_CA_AFFINITY), RECORDED)}; /* a task runs where its schedule says */

	(void)chosen;
	*count_out = model->platform == RT_PLATFORM_A5 ? sizeof(a5) / sizeof(*a5) : sizeof(alone) / sizeof(*alone);
	return model->platform == RT_PLATFORM_A5 ? a5 : alone;
}

const struct base_backend a2a3sim_backend = {
	.name = A2A3SIM_NAME,
	.targets = A2A3SIM_TARGETS,
	.models = models,
	.caps = caps,
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.options_size = sizeof(struct ascend_options),
	.open = ascend_options_check,
};
BASE_OPS(a2a3sim_ops, a2a3sim_backend);
