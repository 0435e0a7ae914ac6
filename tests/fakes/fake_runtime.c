/* SPDX-License-Identifier: MIT */
/* fake_runtime.c - a libhost_runtime.so for tests: the C interface of generation 4, which minds the order of calls, sizes, alignments and lifetimes, runs the tasks that
 * the orchestration submits, and fails where it is told to. No code of the real one is in it.
 *
 *   FAKE_LOG=FILE     a line per call; "WRONG ..." for what a client must not do, which the call then refuses; per run and ring what was used and waited for
 *
 * fake_faults.h and fake_run.h have further variables. */
#include "fake_faults.h"
#include "fake_log.h"
#include "fake_run.h"
#include <stdlib.h>
#include <string.h>

const char *const fake_log_variable = "FAKE_LOG";

struct context {
	bool started, finalized;
	int blocks; /* of device memory */
	struct fake_run *active;
	struct fake_program programs[ASCEND_CALLABLES];
	uint64_t latest_epoch;
};

/* ---- life ------------------------------------------------------------------------------------------------------------ */

int simpler_host_log_bind_state(struct ascend_log_state *state)
{
	fake_log("simpler_host_log_bind_state");
	if (!state || state->abi_version != ASCEND_LOG_VERSION || state->size < sizeof(*state) || state->threshold < 10 || state->threshold > 60)
		return -1;
	fake_bound = state;
	return 0;
}

const struct ascend_contract *get_pipeline_contract(void)
{
	static const struct ascend_contract contract = {.abi_version = ASCEND_CONTRACT_VERSION, .depth = 1};

	fake_log("get_pipeline_contract");
	return &contract;
}

size_t get_runtime_size(void)
{
	return sizeof(struct fake_run);
}

size_t get_runtime_alignment(void)
{
	return 64;
}

void *create_device_context(void)
{
	fake_log("create_device_context");
	if (!fake_bound) {
		fake_wrong("create_device_context before simpler_host_log_bind_state");
		return NULL;
	}
	return calloc(1, sizeof(struct context));
}

int simpler_init(struct context *context, int device, const uint8_t *aicpu, size_t aicpu_size, const uint8_t *aicore, size_t aicore_size,
		 const uint8_t *dispatcher, size_t dispatcher_size, const struct ascend_call_config *prewarm)
{
	int rc = fake_fault_of("init");

	(void)prewarm;
	fake_log("simpler_init device %d, %zu, %zu, %zu bytes", device, aicpu_size, aicore_size, dispatcher_size);
	if (rc)
		return rc;
	if (context->started || device < 0 || !aicpu || !aicpu_size || !aicore || !aicore_size || (!dispatcher && dispatcher_size))
		return fake_wrong("simpler_init: a second time, or without executors");
	rc = fake_device_start(device, aicore, aicore_size, dispatcher, dispatcher_size);
	context->started = !rc;
	return rc;
}

int finalize_device(struct context *context)
{
	fake_log("finalize_device");
	if (!context->started || context->active)
		return fake_wrong("finalize_device: not started, or a run is prepared");
	if (context->blocks)
		return fake_wrong("finalize_device: %d blocks of device memory are left", context->blocks);
	for (int id = 0; id < ASCEND_CALLABLES; id++)
		if (context->programs[id].there)
			return fake_wrong("finalize_device: callable %d is registered", id);
	context->finalized = true;
	fake_device_stop();
	return 0;
}

void destroy_device_context(struct context *context)
{
	fake_log("destroy_device_context");
	if (context->active || (context->started && !context->finalized))
		fake_wrong("destroy_device_context: a run is prepared, or finalize_device is due");
	free(context);
}

/* ---- callables ------------------------------------------------------------------------------------------------------- */

int simpler_register_callable(struct context *context, int32_t id, const void *callable)
{
	int rc = fake_fault_of("register");

	fake_log("simpler_register_callable %d", id);
	if (rc)
		return rc;
	if (!context->started || context->active || id < 0 || id >= ASCEND_CALLABLES || context->programs[id].there || (uintptr_t)callable % 64)
		return fake_wrong("simpler_register_callable %d: not started, or a run is prepared, or the id is taken or out of range", id);
	return fake_program_open(&context->programs[id], callable);
}

int simpler_unregister_callable(struct context *context, int32_t id)
{
	fake_log("simpler_unregister_callable %d", id);
	if (context->active || id < 0 || id >= ASCEND_CALLABLES)
		return fake_wrong("simpler_unregister_callable %d: a run is prepared, or there is no such id", id);
	fake_program_close(&context->programs[id]);
	return 0;
}

/* ---- runs ------------------------------------------------------------------------------------------------------------ */

static int prepare_check(const struct context *context, void *storage, int32_t id, const struct ascend_call_config *config,
			 const struct ascend_run_descriptor *descriptor)
{
	if (!context->started || context->active || (uintptr_t)storage % get_runtime_alignment() || ((struct fake_run *)storage)->magic)
		return fake_wrong("simpler_prepare_run: not started, a run is prepared, or the storage is not aligned or not zeroed");
	if (id < 0 || id >= ASCEND_CALLABLES || !context->programs[id].there)
		return fake_wrong("simpler_prepare_run: callable %d is not registered", id);
	if (!config || !fake_run_config_valid(config))
		return fake_wrong("simpler_prepare_run: a config with impossible sizes");
	if (!descriptor || descriptor->slot || descriptor->arena_bank || !descriptor->generation || descriptor->run_epoch <= context->latest_epoch)
		return fake_wrong("simpler_prepare_run: a descriptor with another slot, or an epoch that was there before");
	return 0;
}

int simpler_prepare_run(struct context *context, void *storage, int32_t id, const struct ascend_entry_args *args, const struct ascend_call_config *config,
			const struct ascend_run_descriptor *descriptor)
{
	int rc = fake_fault_of("prepare");

	fake_log("simpler_prepare_run %d, %d tensors, %d scalars, window %llu", id, args->tensor_count, args->scalar_count,
		 (unsigned long long)config->task_window[0]);
	if (!rc && (uintptr_t)args % _Alignof(struct ascend_entry_args))
		rc = fake_wrong("simpler_prepare_run: the arguments are not aligned");
	if (!rc)
		rc = prepare_check(context, storage, id, config, descriptor);
	if (rc)
		return rc;
	context->latest_epoch = descriptor->run_epoch;
	rc = fake_run_prepare(storage, &context->programs[id], &context->blocks, args, config);
	context->active = rc ? NULL : storage;
	return rc;
}

/* NULL: that is no run of the context. */
static struct fake_run *run_of(const struct context *context, void *storage, const char *what)
{
	struct fake_run *run = storage;

	if (run->magic == FAKE_RUN_MAGIC && run == context->active)
		return run;
	fake_wrong("%s: no run is in that state there", what);
	return NULL;
}

int simpler_launch_run(struct context *context, void *storage)
{
	struct fake_run *run = run_of(context, storage, "simpler_launch_run");
	int rc = fake_fault_of("launch");

	fake_log("simpler_launch_run");
	if (!run || rc)
		return run ? rc : FAKE_WRONG;
	return run->state == FAKE_RUN_PREPARED ? fake_run_launch(run) : fake_wrong("simpler_launch_run: no run is in that state there");
}

int simpler_poll_run(struct context *context, void *storage)
{
	struct fake_run *run = run_of(context, storage, "simpler_poll_run");

	if (!run || run->state == FAKE_RUN_PREPARED)
		return run ? fake_wrong("simpler_poll_run: the run was not launched") : FAKE_WRONG;
	return fake_run_ready(run) ? ASCEND_POLL_COMPLETE : ASCEND_POLL_NOT_READY;
}

int simpler_wait_run(struct context *context, void *storage)
{
	struct fake_run *run = run_of(context, storage, "simpler_wait_run");
	int rc = fake_fault_of("wait");

	fake_log("simpler_wait_run");
	if (!run || run->state == FAKE_RUN_PREPARED)
		return run ? fake_wrong("simpler_wait_run: the run was not launched") : FAKE_WRONG;
	fake_run_join(run);
	if (!rc)
		rc = fake_device_wait();
	return rc ? rc : -run->graph.fatal;
}

int simpler_finalize_run(struct context *context, void *storage)
{
	struct fake_run *run = run_of(context, storage, "simpler_finalize_run");
	int rc = fake_fault_of("finalize");

	fake_log("simpler_finalize_run");
	if (!run)
		return FAKE_WRONG;
	context->active = NULL;
	return fake_run_finalize(run, rc);
}
