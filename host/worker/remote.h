/* SPDX-License-Identifier: MIT */
/* remote.h - a plugin in a process of its own, as the host sees it: a worker, and every operation of the plugin as a call to it.
 *
 * Who waits for something reads what the worker says meanwhile, one thread at a time, so that an upcall comes on a thread of the embedding program that is inside of a call
 * anyway. A thread of the library's own watches the process alone: it sees the end of it, kills it when a run is past its deadline, and then says so to everybody who waits. */
#ifndef HOST_REMOTE_H
#define HOST_REMOTE_H

#include <stdbool.h>

#include "host/sandbox/limits.h"
#include "ptowsp/ptowsp.h"

struct host_remote;
struct host_remote_start {
	const char *path, *name; /* real path of the plugin's file; what it is called */
	int fd;                  /* the file that was checked; borrowed */
	bool sandbox, lint_off;
	uint32_t load_timeout_ms;  /* the most that an operation may take that has no deadline; 0: two minutes */
	struct host_limits limits; /* of a sandbox; complete */
	const char *grants;        /* of its note, for a sandbox (grants.h); "": nothing */
	bool jit;                  /* its note says that it writes code: memory may become executable */
};

/* Starts a worker and has it load the plugin. Errors: PLUGIN_REFUSED (no worker executable, what the worker's loader says), DEVICE_LOST, NO_MEMORY. Ended by stop. */
ptowsp_status host_remote_start(struct host_remote **out, const struct host_remote_start *start, struct ptowsp_error *error);
/* The group of these runs: with it a run on several devices is known. Before init; borrowed until stop. */
struct host_services;
void host_remote_serve(struct host_remote *remote, struct host_services *services);
/* After fini, if there was an init. A worker that does not end by itself is killed. NULL is allowed. */
void host_remote_stop(struct host_remote *remote);
/* Bytes of tensors that were copied into and out of shared memory since the start. [any] */
uint64_t host_remote_copied(const struct host_remote *remote);
/* Process number, for people and tests. [any] */
int host_remote_pid(const struct host_remote *remote);

/* Is its end seen? Every later call says how it was. [any] */
bool host_remote_ended(const struct host_remote *remote);

/* Hears what the worker has said so far, without waiting. [any] */
void host_remote_look(struct host_remote *remote);

#endif
