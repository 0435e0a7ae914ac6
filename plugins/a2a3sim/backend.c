/* SPDX-License-Identifier: MIT */
#include "a2a3sim/backend.h"

#include "ascend/artifact.h"
#include "ascend/options.h"
#include "ascend/pto.h"
#include "ascend/simulated.h"
#include "base/ops.h"
#include "ptowsp/graph.h"
#include "ptowsp/workload.h"

struct sim_options {
	struct ascend_options ascend;
	struct ascend_pto pto;
	struct ascend_simulated own;
};

static const struct ascend_pto *pto_of(const struct base_options *chosen)
{
	return chosen && ((const struct sim_options *)(const void *)chosen)->pto.engine == ASCEND_PTO_RUNTIME ? &((const struct sim_options *)(const void *)chosen)->pto : NULL;
}

/* NULL: the reference clock. */
static const struct ascend_simulated *own_of(const struct base_options *chosen)
{
	return chosen && chosen->own_clock && !pto_of(chosen) ? &((const struct sim_options *)(const void *)chosen)->own : NULL;
}

static const struct base_option options[] = {
	ASCEND_OPTIONS,
	ASCEND_PTO_ENGINE(struct sim_options, pto),
	ASCEND_PTO_OPTIONS(struct sim_options, pto),
	ASCEND_SIMULATED_OPTIONS(struct sim_options, own),
	{BASE_OPTION("clock", "word", "reference", "reference|own", "cycle model: that of the runtime core, the same on every backend, or that of the machine"),
	 offsetof(struct base_options, own_clock), 0, {"reference", "own"}, 0, 0},
};

static const struct base_model *models(const struct base_options *chosen, uint32_t *count_out)
{
	*count_out = ASCEND_DEVICE_COUNT;
	return ascend_models(own_of(chosen) ? ASCEND_SIMULATED : ASCEND_REFERENCE, ascend_options_arch(chosen));
}

static const struct ptowsp_cap *caps(const struct base_options *chosen, const struct base_model *model, uint32_t *count_out)
{
	static const struct ptowsp_cap alone[] = {ASCEND_CAPS_ALONE};
	static const struct ptowsp_cap a5[] = {BASE_CAP(PTOWSP_FEATURE_GRAPH(PTOWSP_CA_AFFINITY), RECORDED)}; /* a task runs where its schedule says */

	if (pto_of(chosen))
		return ascend_engine_caps(ascend_pto_variants[pto_of(chosen)->variant], count_out);
	*count_out = model->platform == RT_PLATFORM_A5 ? sizeof(a5) / sizeof(*a5) : sizeof(alone) / sizeof(*alone);
	return model->platform == RT_PLATFORM_A5 ? a5 : alone;
}

static ptowsp_status open_device(struct base_device *device, struct ptowsp_error *error)
{
	const struct ascend_pto *pto = pto_of(device->instance->options);
	ptowsp_status st = ascend_options_check(device, error);

	return st || !pto ? st : ascend_pto_open(device, pto, ascend_model_id(device->model) == ASCEND_950 ? "a5" : "a2a3", false, 0, error);
}

static void close_device(struct base_device *device)
{
	if (pto_of(device->instance->options))
		ascend_pto_close(device);
}

static ptowsp_status bind(struct base_program *program, struct ptowsp_error *error)
{
	const struct ascend_simulated *own = own_of(program->device->instance->options);

	return own ? ascend_simulated_bind(program, own, error) : PTOWSP_OK;
}

static ptowsp_status load(struct base_program *program, const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	return pto_of(program->device->instance->options) ? ascend_pto_load(program, args, error) : PTOWSP_OK;
}

static void unload(struct base_program *program)
{
	if (pto_of(program->device->instance->options))
		ascend_pto_unload(program);
	else if (own_of(program->device->instance->options))
		ascend_simulated_unload(program);
}

static ptowsp_status run(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out,
			 struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error)
{
	const struct base_options *chosen = program->device->instance->options;

	if (pto_of(chosen))
		return ascend_pto_run(program, args, stats_out, deadlock_out, error);
	return own_of(chosen) ? ascend_simulated_run(program, own_of(chosen), args, stats_out, deadlock_out, error)
			      : rt_run(program->rt, args, stats_out, deadlock_out, error);
}

const struct base_backend a2a3sim_backend = {
	.name = A2A3SIM_NAME,
	.targets = A2A3SIM_TARGETS,
	.models = models,
	.caps = caps,
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.options_size = sizeof(struct sim_options),
	.open = open_device,
	.close = close_device,
	.bind = bind,
	.load = load,
	.unload = unload,
	.run = run,
	.extension = ascend_artifact_extension,
};
BASE_OPS(a2a3sim_ops, a2a3sim_backend);
