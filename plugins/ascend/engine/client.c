/* SPDX-License-Identifier: MIT */
#include "ascend/engine/client.h"

#include "ascend/engine/fault.h"
#include "ascend/engine/filter_object.h"
#include "rt/program/rt_error.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- opening and closing --------------------------------------------------------------------------------------------- */

/* The executors, which the library copies. */
struct executors {
	void *bytes[3];
	size_t sizes[3];
};

static ptowsp_status executors_read(struct executors *executors, const struct ascend_files *files, struct ptowsp_error *error)
{
	const char *const paths[] = {files->aicpu, files->aicore, files->dispatcher};
	ptowsp_status status = PTOWSP_OK;

	*executors = (struct executors){0};
	if (!*files->dispatcher)
		status = ascend_filter_object_make(&executors->bytes[1], &executors->sizes[1], files->aicore, error);
	for (size_t i = 0; !status && i < 3; i++)
		if (*paths[i] && !executors->bytes[i])
			status = ascend_file_read(paths[i], &executors->bytes[i], &executors->sizes[i], error);
	return status;
}

static ptowsp_status context_make(struct ascend_client *client, struct ptowsp_error *error)
{
	const struct ascend_library *library = &client->library;
	size_t size = (library->runtime_size + library->runtime_alignment - 1) / library->runtime_alignment * library->runtime_alignment;

	client->context = library->create_device_context();
	if (!client->context)
		return rt_fail(error, PTOWSP_NO_DEVICE, "create_device_context of %.100s makes none; look for its messages", client->files.host);
	client->storage = aligned_alloc(library->runtime_alignment, size);
	if (!client->storage)
		return rt_no_memory(error, "a run of the pto-runtime");
	memset(client->storage, 0, size);
	return PTOWSP_OK;
}

/* CANN is initialized once in a process, and a second start takes the first one's state away. */
static atomic_bool device_taken;

static ptowsp_status device_take(struct ascend_client *client, struct ptowsp_error *error)
{
	if (atomic_exchange(&device_taken, true))
		return rt_fail(error, PTOWSP_NO_DEVICE,
			       "this process has a device of the pto-runtime open, and may have one; close it first, or take another process");
	client->took = true;
	return PTOWSP_OK;
}

static ptowsp_status context_start(struct ascend_client *client, int device, struct ptowsp_error *error)
{
	struct executors executors;
	ptowsp_status status = executors_read(&executors, &client->files, error);
	int rc;

	if (!status) {
		ascend_capture_begin(&client->capture);
		rc = client->library.simpler_init(client->context, device, executors.bytes[0], executors.sizes[0], executors.bytes[1], executors.sizes[1],
						  executors.bytes[2], executors.sizes[2], NULL);
		ascend_capture_end(&client->capture);
		client->ready = !rc;
		if (rc)
			status = ascend_fault(ASCEND_PHASE_INIT, rc, client->capture.text, error);
	}
	for (size_t i = 0; i < 3; i++)
		free(executors.bytes[i]);
	return status;
}

ptowsp_status ascend_client_open(struct ascend_client **client_out, const struct ascend_which *which, int device, struct ptowsp_error *error)
{
	struct ascend_client *client = calloc(1, sizeof(*client));
	ptowsp_status status;

	*client_out = NULL;
	if (!client)
		return rt_no_memory(error, "a client of the pto-runtime");
	status = which->onboard ? device_take(client, error) : PTOWSP_OK;
	if (!status)
		status = ascend_files_find(&client->files, which, error);
	if (!status)
		status = ascend_library_open(&client->library, &client->files, error);
	if (!status)
		status = context_make(client, error);
	if (!status)
		status = context_start(client, device, error);
	if (status)
		ascend_client_close(client);
	else
		*client_out = client;
	return status;
}

void ascend_client_close(struct ascend_client *client)
{
	if (!client)
		return;
	for (int32_t id = 0; id < ASCEND_CALLABLES; id++)
		ascend_client_unregister(client, id);
	if (client->ready)
		client->library.finalize_device(client->context);
	if (client->context)
		client->library.destroy_device_context(client->context);
	free(client->storage);
	ascend_library_close(&client->library);
	if (client->took)
		atomic_store(&device_taken, false);
	free(client);
}

/* ---- callables and memory -------------------------------------------------------------------------------------------- */

ptowsp_status ascend_client_register(struct ascend_client *client, const void *callable, int32_t *id_out, struct ptowsp_error *error)
{
	int32_t id = 0;
	int rc;

	*id_out = -1;
	while (id < ASCEND_CALLABLES && client->callables >> id & 1)
		id++;
	if (id == ASCEND_CALLABLES)
		return rt_fail(error, PTOWSP_TOO_SMALL, "%d programs are loaded on this device; the pto-runtime has room for %d callables: unload one",
			       ASCEND_CALLABLES, ASCEND_CALLABLES);
	ascend_capture_begin(&client->capture);
	rc = client->library.simpler_register_callable(client->context, id, callable);
	ascend_capture_end(&client->capture);
	if (rc)
		return ascend_fault(ASCEND_PHASE_REGISTER, rc, client->capture.text, error);
	client->callables |= UINT64_C(1) << id;
	*id_out = id;
	return PTOWSP_OK;
}

void ascend_client_unregister(struct ascend_client *client, int32_t id)
{
	if (id < 0 || id >= ASCEND_CALLABLES || !(client->callables >> id & 1))
		return;
	client->library.simpler_unregister_callable(client->context, id);
	client->callables &= ~(UINT64_C(1) << id);
}

/* ---- runs ------------------------------------------------------------------------------------------------------------ */

/* Epochs of all clients of the process. */
static uint64_t next_epoch(void)
{
	static _Atomic uint64_t epoch;

	return atomic_fetch_add(&epoch, 1) + 1;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static ptowsp_status impatient(const struct ascend_patience *patience, struct ptowsp_error *error)
{
	if (patience->cancel && atomic_load_explicit((const volatile _Atomic uint32_t *)patience->cancel, memory_order_relaxed))
		return rt_fail(error, PTOWSP_CANCELLED, "the run was cancelled while the pto-runtime had it");
	if (patience->deadline_ns && patience->now_ns(patience->context) >= patience->deadline_ns)
		return rt_fail(error, PTOWSP_DEADLINE, "the deadline passed while the pto-runtime had the run; allow more time with --timeout-ms");
	return PTOWSP_OK;
}

/* A long run is looked at less often, as each look takes a core from threads that wait for one. */
enum { NAP_MOST = 3200000 /* ns */ };

/* Until it is over. A run that somebody wants to end gets no further kernels, but it has to come to its end. */
static int run_wait(struct ascend_client *client, const struct ascend_patience *patience, ptowsp_status *early_out, struct ptowsp_error *error)
{
	struct timespec nap = {0, 50000};
	int rc = ASCEND_POLL_NOT_READY;

	if (patience && (patience->cancel || patience->deadline_ns))
		while (!*early_out && (rc = client->library.simpler_poll_run(client->context, client->storage)) == ASCEND_POLL_NOT_READY) {
			*early_out = impatient(patience, error);
			if (!*early_out)
				nanosleep(&nap, NULL);
			nap.tv_nsec = nap.tv_nsec < NAP_MOST ? nap.tv_nsec * 2 : NAP_MOST;
		}
	if (*early_out && patience->stop)
		patience->stop(patience->context);
	return client->library.simpler_wait_run(client->context, client->storage);
}

/* The first call that fails tells what went wrong; finalize is due in any case. */
struct outcome {
	enum ascend_phase phase;
	int rc;
	ptowsp_status early;
};
static void outcome_set(struct outcome *outcome, enum ascend_phase phase, int rc)
{
	if (!outcome->rc && rc)
		*outcome = (struct outcome){phase, rc, outcome->early};
}

static void run_go(struct ascend_client *client, const struct ascend_patience *patience, struct outcome *outcome, struct ptowsp_error *error)
{
	uint64_t began = now_ns(), over;

	outcome_set(outcome, ASCEND_PHASE_LAUNCH, client->library.simpler_launch_run(client->context, client->storage));
	if (!outcome->rc)
		outcome_set(outcome, ASCEND_PHASE_WAIT, run_wait(client, patience, &outcome->early, error));
	over = now_ns();
	outcome_set(outcome, ASCEND_PHASE_FINALIZE, client->library.simpler_finalize_run(client->context, client->storage));
	client->times.run_ns = over - began;
	client->times.finalize_ns = now_ns() - over;
}

ptowsp_status ascend_client_run(struct ascend_client *client, int32_t id, const struct ascend_entry_args *args, const struct ascend_call_config *config,
				const struct ascend_patience *patience, struct ptowsp_error *error)
{
	const uint64_t number = ++client->runs;
	struct ascend_run_descriptor descriptor = {.run_id = number, .generation = number, .dispatch_id = number, .run_epoch = next_epoch()};
	struct outcome outcome = {0};
	uint64_t began;

	/* A device's driver has logs of its own, and nothing of a process may change while a run goes on (PL8). */
	if (client->took)
		*client->capture.text = 0;
	else
		ascend_capture_begin(&client->capture);
	began = now_ns();
	outcome_set(&outcome, ASCEND_PHASE_PREPARE, client->library.simpler_prepare_run(client->context, client->storage, id, args, config, &descriptor));
	client->times = (struct ascend_client_times){.prepare_ns = now_ns() - began};
	if (!outcome.rc)
		run_go(client, patience, &outcome, error);
	if (!client->took)
		ascend_capture_end(&client->capture);
	if (outcome.early)
		return outcome.early;
	return outcome.rc ? ascend_fault(outcome.phase, outcome.rc, client->capture.text, error) : PTOWSP_OK;
}
