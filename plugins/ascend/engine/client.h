/* SPDX-License-Identifier: MIT */
/* client.h - one device of a pto-runtime: its library, a context, callables, runs. In the order in which the runtime's own client makes its calls:
 *
 *   open        context library ▸ library ▸ log ▸ functions ▸ create_device_context ▸ simpler_init
 *   register    simpler_register_callable, not while a run is prepared
 *   run         simpler_prepare_run ▸ launch ▸ poll or wait ▸ finalize, always, once it was prepared
 *   close       unregister what is left ▸ finalize_device ▸ destroy_device_context ▸ dlclose
 *
 * One thread at a time. */
#ifndef ASCEND_CLIENT_H
#define ASCEND_CLIENT_H

#include "ascend/engine/capture.h"
#include "ascend/engine/library.h"

/* Wall time of the latest run that was prepared. */
struct ascend_client_times {
	uint64_t prepare_ns;
	uint64_t run_ns; /* from the launch until the wait is over */
	uint64_t finalize_ns;
};
struct ascend_client {
	struct ascend_library library;
	struct ascend_files files;
	void *context;
	void *storage;      /* of the one run at a time: its size and alignment are the library's */
	bool took;          /* the device of this process is this client's */
	bool ready;         /* simpler_init was called and succeeded */
	uint64_t callables; /* bit per id in use */
	uint64_t runs;
	struct ascend_client_times times;
	struct ascend_capture capture;
};
/* Causes that end a run early. Kernels cannot be taken back: the run itself goes on to its end, so that `stop` is what they ask. */
struct ascend_patience {
	const volatile uint32_t *cancel; /* atomic; NULL: nobody cancels */
	uint64_t deadline_ns;            /* 0: none */
	uint64_t (*now_ns)(void *context);
	void *context;
	void (*stop)(void *context); /* called once, from the thread of ascend_client_run; with `context` */
};

/* Errors: of ascend_files_find and ascend_library_open; of ascend_fault; NO_DEVICE where there is no context; NO_MEMORY. Destroyed by close. */
ptowsp_status ascend_client_open(struct ascend_client **client_out, const struct ascend_which *which, int device, struct ptowsp_error *error);
void ascend_client_close(struct ascend_client *client); /* NULL is allowed */

/* callable: a record of pod.h with what stands behind it; its bytes are copied. *id_out: the lowest that is free. Errors: TOO_SMALL when all ids are in use; of
 * ascend_fault. */
ptowsp_status ascend_client_register(struct ascend_client *client, const void *callable, int32_t *id_out, struct ptowsp_error *error);
void ascend_client_unregister(struct ascend_client *client, int32_t id);

/* args: every buffer that it names lives until this returns. patience may be NULL. Errors: of ascend_fault; DEADLINE, CANCELLED. */
ptowsp_status ascend_client_run(struct ascend_client *client, int32_t id, const struct ascend_entry_args *args, const struct ascend_call_config *config,
				const struct ascend_patience *patience, struct ptowsp_error *error);

#endif
