/* SPDX-License-Identifier: MIT */
/* plugin.h - the plugin side: one exported function, a descriptor, a table of operations. */
#ifndef PTOWSP_PLUGIN_H
#define PTOWSP_PLUGIN_H

#include "arch.h"
#include "caps.h"
#include "host.h"
#include "run.h"

PTOWSP_BEGIN

/* An option that the plugin declares; shown by --help --plugin=NAME and checked before init. Borrowed, static. */
struct ptowsp_option {
	struct ptowsp_head head;
	const char *name;
	const char *type;    /* "int", "bool", "word", "path" */
	const char *standard; /* default value as text */
	const char *range;   /* "0..3", "reference|own", "" */
	const char *text;    /* one line */
};
#define PTOWSP_OPTION_FLOOR_10_0 48u

/* Operations; a NULL one answers UNIMPLEMENTED (the host fills the holes). All return 0 or a negative status and
 * fill *error then. `instance` is what init made, `device` what open made, `program` what load made. */
struct ptowsp_ops {
	struct ptowsp_head head;
	/* Start: no device is touched. *instance_out is destroyed by fini. [main] */
	ptowsp_status (*init)(const struct ptowsp_host *host, const struct ptowsp_init_args *args,
			      struct ptowsp_object **instance_out, struct ptowsp_error *error);
	/* Joins every thread of the plugin; nothing is called afterwards. [main] */
	ptowsp_status (*fini)(struct ptowsp_object *instance, struct ptowsp_error *error);
	/* Extension table of the plugin by string id ("ptowsp.trace/1"), NULL if unknown; instance may be NULL. [any] */
	const void *(*extension)(struct ptowsp_object *instance, const char *id);
	/* Devices as an array of pointers; *count in: room, out: how many. MORE if there is too little room.
	 * instance may be NULL: devices that need no probing. [main] */
	ptowsp_status (*devices)(struct ptowsp_object *instance, const struct ptowsp_device **devices_out,
				 uint32_t *count, struct ptowsp_error *error);
	/* Options, as devices. [main] */
	ptowsp_status (*options)(const struct ptowsp_option **options_out, uint32_t *count, struct ptowsp_error *error);
	/* Capability rows of a device (NULL: the first), as devices; rows of stride bytes. [main] */
	ptowsp_status (*capabilities)(struct ptowsp_object *instance, const char *device, struct ptowsp_cap *rows_out,
				      uint32_t stride, uint32_t *count, struct ptowsp_error *error);
	ptowsp_status (*open)(struct ptowsp_object *instance, const struct ptowsp_open_args *args,
			      struct ptowsp_object **device_out, struct ptowsp_error *error); /* [main] */
	ptowsp_status (*close)(struct ptowsp_object *device, struct ptowsp_error *error);     /* [main] */
	/* Verifies bytecode and tile programs, then lowers them. The sections stay valid until unload. [device] */
	ptowsp_status (*load)(struct ptowsp_object *device, const struct ptowsp_load_args *args,
			      struct ptowsp_object **program_out, struct ptowsp_error *error);
	ptowsp_status (*unload)(struct ptowsp_object *program, struct ptowsp_error *error);   /* [device] */
	/* Accepts a run and returns before it is complete; host->done follows exactly once if and only if 0 was
	 * returned. Everything in args is borrowed for the call, what bindings point to until done. [device] */
	ptowsp_status (*submit)(struct ptowsp_object *device, const struct ptowsp_run_args *args, struct ptowsp_error *error);
	/* Has an accepted run end soon: its done says CANCELLED, or how it had ended before. Errors: NOT_FOUND: no such run, or it is done; 0 is as good, as either may have come in between. [any] */
	ptowsp_status (*cancel)(struct ptowsp_object *device, uint64_t token, struct ptowsp_error *error);
	/* For plugins without threads: work on what was submitted until something is done or until_ns. [device] */
	ptowsp_status (*poll)(struct ptowsp_object *device, uint64_t until_ns, struct ptowsp_error *error);
	/* Returns 0 when every accepted run is done. Errors: DEADLINE, AGAIN: some are left at until_ns, and go on. [device] */
	ptowsp_status (*drain)(struct ptowsp_object *device, uint64_t until_ns, struct ptowsp_error *error);
	/* Copies the live counters; works while a run is going on. [any] */
	ptowsp_status (*stats)(struct ptowsp_object *program, struct ptowsp_run_stats *stats_out, struct ptowsp_error *error);
};
#define PTOWSP_OPS_FLOOR_10_0 128u
PTOWSP_STATIC_ASSERT(offsetof(struct ptowsp_ops, stats) + sizeof(void *) == PTOWSP_OPS_FLOOR_10_0, "10.0 operations");

struct ptowsp_plugin {
	struct ptowsp_head head;
	uint16_t major, minor; /* PTOWSP_ABI_MAJOR, PTOWSP_ABI_TARGET */
	uint32_t flags;        /* PTOWSP_PLUGIN_x, as in the note */
	const char *name;      /* "cpu_sim": [a-z0-9_]{1,32}, as in the note */
	const char *vendor;
	const char *version;
	const char *targets;   /* comma-separated aliases, as in the note */
	const struct ptowsp_ops *ops;
	const char *needs;     /* comma-separated ids of host extensions without which it does nothing useful: a host that lacks one refuses it with that reason.
				* NULL or "": none. An extension that it can do without is asked for with host->extension only */
};
#define PTOWSP_PLUGIN_FLOOR_10_0 64u
PTOWSP_STATIC_ASSERT(offsetof(struct ptowsp_plugin, needs) + sizeof(void *) == PTOWSP_PLUGIN_FLOOR_10_0, "10.0 descriptor");
enum { PTOWSP_PLUGIN_FORK_SAFE = 1, PTOWSP_PLUGIN_NEEDS_JIT = 2, PTOWSP_PLUGIN_ISOLATION_UNSAFE = 4 };

#define PTOWSP_ENTRY_NAME "ptowsp_plugin_v10"
#if defined(__GNUC__)
#define PTOWSP_EXPORT __attribute__((visibility("default")))
#else
#define PTOWSP_EXPORT
#endif

/* The only export of a plugin. Pure: no threads, no allocation, no I/O; static memory is returned. NULL: this host
 * is too old. [any] */
PTOWSP_EXPORT const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor);

/* ---- extensions a plugin may offer -------------------------------------------------------------------------- */

/* One executed task, in semantic time where its flags do not say otherwise. */
struct ptowsp_trace_task {
	uint64_t task, start, end; /* cycles */
	uint32_t kernel;           /* row of the KREG table */
	uint32_t executor;         /* counted on through the pools */
	uint32_t stream;
	uint32_t flags;            /* of 10.1: PTOWSP_TRACE_TASK_REAL, else 0 */
};
#if PTOWSP_ABI_TARGET >= 1
/* Start and end are nanoseconds since the run began, and the executor is the worker thread on which the kernel ran. A task may be told once so and once in semantic time. */
#define PTOWSP_TRACE_TASK_REAL 1u
#endif
enum { /* what an event tells */
	PTOWSP_TRACE_STALL = 0,   /* an issue clock waited for a bounded resource: a channel's CHANNEL_FULL and CHANNEL_EMPTY too */
	PTOWSP_TRACE_SEND = 1,    /* a token went into a channel */
	PTOWSP_TRACE_CONSUME = 2, /* and came out */
	PTOWSP_TRACE_PROCESS = 3, /* an instance of a process: from its first instruction to its end, told when it ends */
	PTOWSP_TRACE_WORK = 4,    /* a scheduler, which is an executor, was busy */
	PTOWSP_TRACE_EXECUTOR = 5 /* what an executor is; before everything else */
};
enum { /* what a scheduler was busy with: a task's generation; handing it to a core; hearing of its end; telling other schedulers of that; and hearing from them */
	PTOWSP_WORK_ISSUE = 0,
	PTOWSP_WORK_DISPATCH = 1,
	PTOWSP_WORK_COMPLETE = 2,
	PTOWSP_WORK_NOTIFY = 3,
	PTOWSP_WORK_HEAR = 4
};
/* Something that happened besides tasks, in semantic time. */
struct ptowsp_trace_event {
	uint64_t begin, end; /* cycles; equal: a moment */
	uint64_t number;     /* STALL: of the task that could not be issued; of a channel and SEND, CONSUME: of the token, from 0; WORK: of the task, HEAR: 0 */
	uint64_t value;      /* SEND, CONSUME: the token; PROCESS: replica; WORK: PTOWSP_WORK_x; EXECUTOR: its number on the machine */
	uint32_t instance;   /* whose clock it is: the executor of its tasks, or, where executors are told, the instance of a process; PTOWSP_NONE: the workload's;
			      * WORK, EXECUTOR: executor as tasks name it */
	uint32_t row;        /* a ready queue: its pool; a channel: of CSPC; PROCESS: of PROC; EXECUTOR: enum ptowsp_unit; else 0 */
	uint16_t kind;       /* PTOWSP_TRACE_x */
	uint16_t resource;   /* STALL: enum ptowsp_resource */
	uint32_t reserved;   /* 0 */
	uint64_t bytes;      /* SEND, CONSUME: of the payload; 0 without one */
};
/* "ptowsp.trace/1" and "ptowsp.graph/1": sinks for one program, called in batches in task order while a run goes on, on
 * one thread at a time. A NULL sink detaches. Not while a run is going on. [device] */
struct ptowsp_trace_extension {
	struct ptowsp_head head;
	ptowsp_status (*attach)(struct ptowsp_object *program,
				void (*sink)(void *context, const struct ptowsp_trace_task *tasks, uint32_t count, uint32_t stride),
				void *context, struct ptowsp_error *error);
	/* The same for events: in the order in which the clock met them, which for one instance is that of their times; not in order with the
	 * tasks. A table without this entry offers tasks only. */
	ptowsp_status (*attach_events)(struct ptowsp_object *program,
				       void (*sink)(void *context, const struct ptowsp_trace_event *events, uint32_t count, uint32_t stride),
				       void *context, struct ptowsp_error *error);
};
struct ptowsp_graph_edge {
	uint64_t producer, consumer;
};
struct ptowsp_graph_extension {
	struct ptowsp_head head;
	ptowsp_status (*attach)(struct ptowsp_object *program,
				void (*sink)(void *context, const struct ptowsp_graph_edge *edges, uint32_t count, uint32_t stride),
				void *context, struct ptowsp_error *error);
};
/* "ptowsp.extents/1": how many elements of each tensor a run would touch, for tensors without a shape.
 * args as for submit (bindings may be absent); elements_out has one u64 per row of the TENS table: 0 untouched,
 * UINT64_MAX cannot be told without running. [device] */
struct ptowsp_extents_extension {
	struct ptowsp_head head;
	ptowsp_status (*measure)(struct ptowsp_object *program, const struct ptowsp_run_args *args,
				 uint64_t *elements_out, uint32_t count, struct ptowsp_error *error);
};
/* "ptowsp.artifact/1": what the backend makes of a program, as files for people: sources, a plan. No device is opened for it, and none need be there. */
struct ptowsp_artifact_extension {
	struct ptowsp_head head;
	/* args: as for load, borrowed for the call. device: name of the one it is made for, NULL or "" for the first. file is called once per file with its
	 * path below a folder of the host's choice: parts of [A-Za-z0-9_.-] joined by '/', none of them "." or ".."; bytes are borrowed for that call, and
	 * a status other than 0 ends the whole. What is not expressed is logged as warnings. Errors: those of load. [main] */
	ptowsp_status (*emit)(struct ptowsp_object *instance, const char *device, const struct ptowsp_load_args *args,
			      ptowsp_status (*file)(void *context, const char *path, const void *bytes, uint64_t size), void *context,
			      struct ptowsp_error *error);
};
#define PTOWSP_EXTENSION_TRACE "ptowsp.trace/1"
#define PTOWSP_EXTENSION_GRAPH "ptowsp.graph/1"
#define PTOWSP_EXTENSION_EXTENTS "ptowsp.extents/1"
#define PTOWSP_EXTENSION_ARTIFACT "ptowsp.artifact/1"

PTOWSP_END
#endif
