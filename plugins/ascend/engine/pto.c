/* SPDX-License-Identifier: MIT */
#include "ascend/engine/pto.h"

const char *const ascend_pto_variants[2] = {ASCEND_TASK_BUFFER, ASCEND_HOST_GRAPH};

ptowsp_status ascend_pto_open(struct base_device *device, const struct ascend_pto *pto, const char *arch, bool onboard, int number, struct ptowsp_error *error)
{
	const struct ascend_which which = {pto->runtime, arch, ascend_pto_variants[pto->variant], onboard};
	struct ascend_engine *engine;
	const struct ascend_engine_how how = {pto->cache, pto->records, pto->edges == ASCEND_EDGES_MAPPED};
	ptowsp_status status = ascend_engine_open(&engine, &which, &how, number, error);

	device->own = engine;
	return status;
}

void ascend_pto_close(struct base_device *device)
{
	ascend_engine_close(device->own);
}

ptowsp_status ascend_pto_load(struct base_program *program, const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	struct ascend_loaded *loaded;
	ptowsp_status status = ascend_engine_load(program->device->own, &loaded, program, args, error);

	program->own = loaded;
	return status;
}

void ascend_pto_unload(struct base_program *program)
{
	ascend_engine_unload(program->own);
}

ptowsp_status ascend_pto_run(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out,
			     struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error)
{
	return ascend_engine_run(program->own, args, stats_out, deadlock_out, error);
}
