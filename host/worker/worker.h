/* SPDX-License-Identifier: MIT */
/* worker.h - the other process: one plugin, loaded as every host loads it, and its instance. It believes its host, which started it. */
#ifndef HOST_WORKER_H
#define HOST_WORKER_H

#include <pthread.h>
#include <sys/types.h>

#include "host/call/call.h"
#include "host/call/services.h"
#include "host/call/wire.h"
#include "host/find/host_plugin.h"
#include "host/sandbox/limits.h"
#include "host/worker/host_frame.h"

/* A program with what it was loaded from. In the list from its load to its unload. */
struct worker_program {
	struct ptowsp_object *object;
	void *sections; /* mapped file */
	size_t size;
	struct ptowsp_load_args args; /* of its load, as the plugin gets them */
	struct host_findings findings;
	struct worker_program *next;
};
struct worker_buffer {
	uint32_t number;
	unsigned char *bytes; /* mapped */
	size_t size;
	struct worker_buffer *next;
};

enum { WORKER_DEVICES = 16 };

/* One of a process. Threads: main reads down[0] and does everything that has a place in an order; `any` reads down[1]; the plugin's own write to `up` under its lock. */
struct worker {
	struct host_frame_shared *shared;
	struct host_ring down[2], up;
	pthread_mutex_t up_lock;
	_Atomic int stop; /* never set: a worker ends by leaving */
	struct host_plugin *plugin;
	struct host_services services;
	struct host_caller caller;                    /* the way to the plugin and back */
	const struct ptowsp_host *table;              /* given to the plugin */
	_Atomic uint32_t running;                     /* runs that were accepted and are not done */
	_Atomic uint64_t tokens[HOST_RUNS_IN_FLIGHT]; /* theirs, by slot; 0: none */
	/* main */
	struct ptowsp_object *devices[WORKER_DEVICES]; /* that are open, of which it polls each; more are left to threads of the plugin */
	uint32_t device_count;
	struct worker_program *programs;
	struct worker_buffer *buffers;
	struct worker_buffer *sections; /* that came, lent files too, and which no request has named yet */
	const char *name;
	/* of a sandbox */
	bool confined;
	struct host_limits limits;
};
extern struct worker worker;

/* worker.c: of the devices that are polled while runs go on. Main thread. */
void worker_device_add(struct ptowsp_object *device);
void worker_device_remove(const struct ptowsp_object *device);
/* worker.c: a run is counted from before the plugin is given it until its end was told or it was refused. end: a token that is not in flight, or was ended before, changes nothing. */
void worker_run_begin(uint64_t token);
void worker_run_end(uint64_t token);

/* worker_keeper.c: makes this process the keeper of the worker that it starts, and returns in that one alone; false: it cannot be kept. host: the process that started this one. */
bool worker_keep(pid_t host);

/* worker_usage.c, of the keeper: which limit (HOST_LIMIT_x) the process takes more than; shared: bytes that the host shares with it. */
uint32_t worker_usage_over(pid_t process, const struct host_limits *limits, uint64_t shared);

/* worker_said.c: standard error of a sandbox. begin: in the process that becomes its keeper; own: in the worker, which has a pipe there then; keep: in the keeper, the end to poll for
 * reading; hear: passes on what is there, false where nothing more can come; end: the rest, once the worker has ended. */
bool worker_said_begin(void);
bool worker_said_own(void);
int worker_said_keep(void);
bool worker_said_hear(void);
void worker_said_end(void);

/* worker_up.c: messages to the host, from any thread, each begun with its frame. */
void worker_frame(struct host_wire *wire, uint32_t operation);
void worker_send(uint16_t kind, struct host_wire *wire);
void worker_services_begin(void);

/* worker_notify.c: what the devices of a run tell each other. run: before the run is given to the plugin; done: before its end is told; answer: of the host. Any thread. */
void worker_notify_begin(void);
void worker_notify_run(uint64_t token, bool is_joined);
void worker_notify_done(uint64_t token);
void worker_notify_answer(const struct host_frame *frame);
void worker_notify(struct host_call *call); /* one of the extension's */

/* worker_calls.c: does what a request says and answers it. */
void worker_call(const struct host_frame *request, struct host_unwire *wire);

/* worker_files.c: memory that the host handed over. NULL with a sentence. Main thread. */
void *worker_sections(uint32_t number, uint64_t *size_out, struct ptowsp_error *error);
void *worker_place(uint64_t place, struct ptowsp_error *error);
/* A descriptor of the caller's, to be closed; -1 with a sentence. */
int worker_lent(uint32_t number, struct ptowsp_error *error);
/* Takes the files that wait on the socket up to that buffer, if it is not here already: the socket has room for a few hundred. */
void worker_files(uint32_t number);
void worker_forget(uint32_t number);

#endif
