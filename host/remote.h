/* SPDX-License-Identifier: MIT */
/* remote.h - a plugin in a process of its own, as the host sees it: a worker, and every operation of the plugin as a call to it.
 *
 * Who waits for something reads what the worker says meanwhile, one thread at a time, so that an upcall comes on a thread of the embedding program that is inside of a call
 * anyway. A thread of the library's own watches the process alone: it sees the end of it, kills it when a run is past its deadline, and then says so to everybody who waits. */
#ifndef HOST_REMOTE_H
#define HOST_REMOTE_H

#include <stdbool.h>

#include "ptowsp/ptowsp.h"

struct host_remote;
struct host_remote_start {
	const char *path, *name; /* real path of the plugin's file; what it is called */
	int fd;                  /* the file that was checked; borrowed */
	bool sandbox, lint_off;
	uint32_t load_timeout_ms; /* the most that an operation may take that has no deadline; 0: two minutes */
	bool jit;                /* its note says that it writes code: memory may become executable */
};

/* Starts a worker and has it load the plugin. Errors: PLUGIN_REFUSED (no worker executable, what the worker's loader says), DEVICE_LOST, NO_MEMORY. Ended by stop. */
ptowsp_status host_remote_start(struct host_remote **out, const struct host_remote_start *start, struct ptowsp_error *error);
/* After fini, if there was an init. A worker that does not end by itself is killed. NULL is allowed. */
void host_remote_stop(struct host_remote *remote);
/* Bytes of tensors that were copied into and out of shared memory since the start. [any] */
uint64_t host_remote_copied(const struct host_remote *remote);
/* Process number, for people and tests. [any] */
int host_remote_pid(const struct host_remote *remote);

/* The operations, with the thread tags of plugin.h. All fail with DEVICE_LOST or DEADLINE and how it ended when there is no worker any more. */
ptowsp_status host_remote_init(struct host_remote *remote, const struct ptowsp_host *host, const struct ptowsp_init_args *args, struct ptowsp_object **instance_out,
			       struct ptowsp_error *error);
ptowsp_status host_remote_devices(struct host_remote *remote, struct ptowsp_object *instance, const struct ptowsp_device **devices_out, uint32_t *count,
				  struct ptowsp_error *error);
ptowsp_status host_remote_options(struct host_remote *remote, const struct ptowsp_option **options_out, uint32_t *count, struct ptowsp_error *error);
ptowsp_status host_remote_capabilities(struct host_remote *remote, struct ptowsp_object *instance, const char *device, struct ptowsp_cap *rows_out, uint32_t stride,
				       uint32_t *count, struct ptowsp_error *error);
ptowsp_status host_remote_open(struct host_remote *remote, struct ptowsp_object *instance, const struct ptowsp_open_args *args, struct ptowsp_object **device_out,
			       struct ptowsp_error *error);
ptowsp_status host_remote_load(struct host_remote *remote, struct ptowsp_object *device, const struct ptowsp_load_args *args, struct ptowsp_object **program_out,
			       struct ptowsp_error *error);
ptowsp_status host_remote_submit(struct host_remote *remote, struct ptowsp_object *device, const struct ptowsp_run_args *args, struct ptowsp_error *error);
ptowsp_status host_remote_cancel(struct host_remote *remote, struct ptowsp_object *device, uint64_t token, struct ptowsp_error *error);
/* The worker polls by itself: this waits until some run is done. */
ptowsp_status host_remote_poll(struct host_remote *remote, struct ptowsp_object *device, uint64_t until_ns, struct ptowsp_error *error);
/* Hears what the worker has said so far, without waiting. [any] */
void host_remote_look(struct host_remote *remote);
ptowsp_status host_remote_drain(struct host_remote *remote, struct ptowsp_object *device, uint64_t until_ns, struct ptowsp_error *error);
/* Arrays in *stats_out are valid until the next call for the worker. */
ptowsp_status host_remote_stats(struct host_remote *remote, struct ptowsp_object *program, struct ptowsp_run_stats *stats_out, struct ptowsp_error *error);
ptowsp_status host_remote_fini(struct host_remote *remote, struct ptowsp_object *instance, struct ptowsp_error *error);
ptowsp_status host_remote_close(struct host_remote *remote, struct ptowsp_object *device, struct ptowsp_error *error);
ptowsp_status host_remote_unload(struct host_remote *remote, struct ptowsp_object *program, struct ptowsp_error *error);

/* A table that says which entries the plugin has; they are called by the functions below and not through it. NULL: none, or an extension that the description does not
 * know. */
const void *host_remote_extension(struct host_remote *remote, struct ptowsp_object *instance, const char *id);
typedef void (*host_trace_sink)(void *context, const struct ptowsp_trace_task *tasks, uint32_t count, uint32_t stride);
typedef void (*host_event_sink)(void *context, const struct ptowsp_trace_event *events, uint32_t count, uint32_t stride);
typedef void (*host_edge_sink)(void *context, const struct ptowsp_graph_edge *edges, uint32_t count, uint32_t stride);
typedef ptowsp_status (*host_file_sink)(void *context, const char *path, const void *bytes, uint64_t size);
ptowsp_status host_remote_trace(struct host_remote *remote, struct ptowsp_object *program, host_trace_sink sink, void *context, struct ptowsp_error *error);
ptowsp_status host_remote_events(struct host_remote *remote, struct ptowsp_object *program, host_event_sink sink, void *context, struct ptowsp_error *error);
ptowsp_status host_remote_graph(struct host_remote *remote, struct ptowsp_object *program, host_edge_sink sink, void *context, struct ptowsp_error *error);
ptowsp_status host_remote_measure(struct host_remote *remote, struct ptowsp_object *program, const struct ptowsp_run_args *args, uint64_t *elements_out, uint32_t count,
				  struct ptowsp_error *error);
ptowsp_status host_remote_artifact(struct host_remote *remote, struct ptowsp_object *instance, const char *device, const struct ptowsp_load_args *args, host_file_sink file,
				   void *context, struct ptowsp_error *error);
ptowsp_status host_remote_report(struct host_remote *remote, struct ptowsp_object *program, const struct ptowsp_run_args *args, host_file_sink file, void *context,
				 struct ptowsp_error *error);
/* The rows are valid until the next call for the worker. */
ptowsp_status host_remote_figures(struct host_remote *remote, struct ptowsp_object *program, const struct ptowsp_figure **rows_out, uint32_t *count_out,
				  uint32_t *stride_out, struct ptowsp_error *error);

#endif
