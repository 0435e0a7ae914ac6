/* SPDX-License-Identifier: MIT */
#include "ascend/hooks.h"

#include "ascend/engine/pto.h"
#include "ascend/machine/simulated.h"
#include "base/error.h"

static const char *const variants[] = {ASCEND_TASK_BUFFER, ASCEND_HOST_GRAPH};

static const struct base_options *options_of(const struct base_program *program)
{
	return program->device->instance->options;
}

/* The names of init are not known yet where options are NULL; a device has its runtime in any case. */
const struct base_model *ascend_hook_models(const struct base_options *options, bool onboard, uint32_t *count_out)
{
	const struct ascend_pto *pto = ascend_options_pto(options);
	const struct ascend_simulated *own = ascend_options_own(options);
	enum ascend_kind kind = onboard || pto ? (enum ascend_kind)((onboard ? ASCEND_PTO_ONBOARD : ASCEND_PTO_SIMULATED) + (pto ? pto->variant : 0))
				: own          ? (enum ascend_kind)(ASCEND_MACHINE + own->model)
					       : ASCEND_REFERENCE;

	*count_out = ASCEND_DEVICE_COUNT;
	return ascend_models(kind, ascend_options_arch(options));
}

uint32_t ascend_hook_caps(const struct base_options *options, bool onboard, struct ptowsp_cap *rows_out)
{
	const struct ascend_pto *pto = ascend_options_pto(options);

	return ascend_engine_caps(variants[pto ? pto->variant : 0], onboard, pto && pto->edges == ASCEND_EDGES_MAPPED, pto && *pto->records, rows_out);
}

/* ---- devices --------------------------------------------------------------------------------------------------------- */

static const char *folder_of(const struct base_device *device)
{
	return ascend_model_id(device->model) == ASCEND_950 ? "a5" : "a2a3";
}

static ptowsp_status engine_open(struct base_device *device, const struct ascend_pto *pto, bool onboard, int number, struct ptowsp_error *error)
{
	const struct ascend_which which = {pto->runtime, folder_of(device), variants[pto->variant], onboard};
	const struct ascend_engine_how how = {pto->cache, pto->records, pto->edges == ASCEND_EDGES_MAPPED};
	struct ascend_engine *engine;
	ptowsp_status status = ascend_engine_open(&engine, &which, &how, number, error);

	device->own = engine;
	return status;
}

ptowsp_status ascend_hook_open(struct base_device *device, struct ptowsp_error *error)
{
	const struct ascend_pto *pto = ascend_options_pto(device->instance->options);
	ptowsp_status status = ascend_options_check(device, error);

	return status || !pto ? status : engine_open(device, pto, false, 0, error);
}

ptowsp_status ascend_hook_open_onboard(struct base_device *device, int number, struct ptowsp_error *error)
{
	const struct ascend_pto *pto = ascend_options_pto(device->instance->options);

	if (!*pto->runtime)
		return base_fail(error, PTOWSP_NO_DEVICE, "%s: runtime=DIR is not given: name the root of a pto-runtime that was built for the device",
				 device->model->device.name);
	return engine_open(device, pto, true, number, error);
}

void ascend_hook_close(struct base_device *device)
{
	if (ascend_options_pto(device->instance->options))
		ascend_engine_close(device->own);
}

/* ---- programs -------------------------------------------------------------------------------------------------------- */

ptowsp_status ascend_hook_bind(struct base_program *program, struct ptowsp_error *error)
{
	const struct ascend_simulated *own = ascend_options_own(options_of(program));

	return own ? ascend_simulated_bind(program, own, error) : PTOWSP_OK;
}

ptowsp_status ascend_hook_load(struct base_program *program, const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	struct ascend_loaded *loaded;
	ptowsp_status status;

	if (!ascend_options_pto(options_of(program)))
		return PTOWSP_OK;
	status = ascend_engine_load(program->device->own, &loaded, program, args, error);
	program->own = loaded;
	return status;
}

void ascend_hook_unload(struct base_program *program)
{
	if (ascend_options_pto(options_of(program)))
		ascend_engine_unload(program->own);
	else if (ascend_options_own(options_of(program)))
		ascend_simulated_unload(program);
}

ptowsp_status ascend_hook_run(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out,
			      struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error)
{
	const struct ascend_simulated *own = ascend_options_own(options_of(program));

	if (ascend_options_pto(options_of(program)))
		return ascend_engine_run(program->own, args, stats_out, deadlock_out, error);
	return own ? ascend_simulated_run(program, own, args, stats_out, deadlock_out, error) : rt_run(program->rt, args, stats_out, deadlock_out, error);
}
