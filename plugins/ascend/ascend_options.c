/* SPDX-License-Identifier: MIT */
#include "ascend/ascend_options.h"

#include "base/error.h"

static const struct ascend_options *options_of(const struct base_options *options)
{
	return (const struct ascend_options *)(const void *)options;
}

enum ascend_arch_id ascend_options_arch(const struct base_options *options)
{
	/* The architectures stand in the order of the option's values. */
	static const enum ascend_arch_id archs[] = {ASCEND_910B, ASCEND_910C, ASCEND_950, ASCEND_910B, ASCEND_910C, ASCEND_950, ASCEND_910B, ASCEND_950};

	return options ? archs[options_of(options)->device] : ASCEND_910B;
}

const struct ascend_pto *ascend_options_pto(const struct base_options *options)
{
	return options && options_of(options)->pto.engine == ASCEND_PTO_RUNTIME ? &options_of(options)->pto : NULL;
}

const struct ascend_simulated *ascend_options_own(const struct base_options *options)
{
	static const struct ascend_simulated standard = {
		.model = ASCEND_MODEL_CORE, .order = ASCEND_READY_FIRST, .protocol = ASCEND_PROTOCOL_FITTED, .streams = ASCEND_STREAMS, .orchestrator = 1};

	if (!options)
		return &standard;
	return options->own_clock && !ascend_options_pto(options) ? &options_of(options)->own : NULL;
}

void ascend_options_settle(struct base_options *options)
{
	if (!options->schedulers)
		options->schedulers = ascend_options_own(options) ? ASCEND_SCHEDULERS : 1;
}

ptowsp_status ascend_options_check(struct base_device *device, struct ptowsp_error *error)
{
	const struct base_options *options = device->instance->options;
	const struct ascend_arch *arch = ascend_model_arch(device->model);

	if (ascend_options_pto(options) && options_of(options)->own.streams != ASCEND_STREAMS)
		return base_fail(error, PTOWSP_INVALID, "streams=%u: a pto-runtime makes its own %d, one for AICPUs and one for AICores; leave it out",
				 options_of(options)->own.streams, ASCEND_STREAMS);
	if (ascend_options_pto(options) && !options->own_clock)
		return base_fail(error, PTOWSP_INVALID,
				 "clock=reference: a pto-runtime keeps no clock, its cycles are those of the plan (--stats: cycle model plan); leave it out, "
				 "or use engine=built-in of a2a3sim");
	if (options->schedulers <= arch->aicpus_most)
		return PTOWSP_OK;
	return base_fail(error, PTOWSP_INVALID, "aicpus=%u: %s has %u AICPU threads; use at most these", options->schedulers, device->model->device.name,
			 arch->aicpus_most);
}
