/* SPDX-License-Identifier: MIT */
/* run.h - loading a program, submitting a run, and what comes back. */
#ifndef PTOWSP_RUN_H
#define PTOWSP_RUN_H

#include "base.h"
#include "ids.h"

PTOWSP_BEGIN

/* A verified section of the package (package.h), borrowed while the program is loaded. */
struct ptowsp_section {
	uint32_t type;   /* PTOWSP_SECTION_x */
	uint32_t stride; /* bytes per record, 1 for bytes */
	uint64_t count;  /* records */
	const void *data; /* 64-byte aligned */
};

/* key=value from the command line, NUL-terminated both. */
struct ptowsp_setting {
	const char *key, *value;
};

struct ptowsp_init_args {
	struct ptowsp_head head;
	const struct ptowsp_setting *settings; /* the plugin's own options, unknown ones are INVALID naming the key */
	uint32_t setting_count, setting_stride;
};

struct ptowsp_open_args {
	struct ptowsp_head head;
	const char *selector; /* device name, NULL or "" for the first */
	uint64_t memory_limit; /* bytes the plugin may hold for tensors and tasks, 0 = none */
	uint32_t threads;     /* worker threads, the submitting one included; 0 = all cores this process may use */
	uint32_t reserved;
};

#if PTOWSP_ABI_TARGET >= 1
/* A piece of what a plugin has compiled (compiled.h). */
struct ptowsp_blob {
	const char *name;  /* [a-z0-9._-]{1,64} */
	const void *bytes; /* of any alignment */
	uint64_t size;
};
#define PTOWSP_BLOB_FLOOR_10_1      24u
#define PTOWSP_LOAD_ARGS_FLOOR_10_1 80u
#endif

struct ptowsp_load_args {
	struct ptowsp_head head;
	const struct ptowsp_section *sections;
	uint32_t section_count, section_stride;
	uint32_t entry;       /* row of the ENTR table that runs will start at */
	uint32_t flags;       /* PTOWSP_LOAD_x */
	uint8_t digest[32];   /* of the package */
#if PTOWSP_ABI_TARGET >= 1
	const struct ptowsp_blob *blobs; /* of an earlier load, hints and no more (PL16), borrowed for the call; NULL: none. Only for a plugin with "ptowsp.compiled" */
	uint32_t blob_count, blob_stride;
#endif
};
enum { PTOWSP_LOAD_TRUST_NATIVE = 1, PTOWSP_LOAD_STRICT = 2 };

/* Memory for one tensor of a run; borrowed until done. */
struct ptowsp_binding {
	void *data;          /* NULL only with PTOWSP_RUN_NO_KERNELS, or with a buffer */
	uint64_t elements;
	uint64_t extents[4]; /* rank of them, outermost first; elements = their product */
	uint32_t tensor;     /* row of the TENS table */
	uint16_t dtype;
	uint16_t rank;       /* 0 to 4 */
#if PTOWSP_ABI_TARGET >= 1
	struct ptowsp_object *buffer; /* of the run's device (buffers.h): the tensor lies there, and data is NULL. INVALID: both, elements outside of it, the bytes of one in two tensors of which
				       * one is written. For measuring and emitting it is a tensor without data. NULL: none */
	uint64_t buffer_offset;       /* bytes from its begin, a multiple of those of an element; 0 without a buffer */
#endif
};

#if PTOWSP_ABI_TARGET >= 1
/* A fence (fences.h) of the run's device, and the value that it is to reach. */
struct ptowsp_fence_point {
	struct ptowsp_object *fence;
	uint64_t value;
};
#define PTOWSP_BINDING_FLOOR_10_1     72u
#define PTOWSP_FENCE_POINT_FLOOR_10_1 16u
#define PTOWSP_RUN_ARGS_FLOOR_10_1    104u
#endif

struct ptowsp_run_args {
	struct ptowsp_head head;
	struct ptowsp_object *program;
	uint64_t token;      /* made by the host, given back in done */
	const struct ptowsp_binding *bindings;
	uint32_t binding_count, binding_stride;
	const uint64_t *values; /* one per row of the SLOT table: symbols and initial slots */
	uint32_t value_count;
	uint32_t flags;      /* PTOWSP_RUN_x */
	uint64_t deadline_ns; /* on the clock of host->now_ns, 0 = none */
	uint64_t max_tasks;  /* LIMIT beyond, 0 = 2^32 */
#if PTOWSP_ABI_TARGET >= 1
	const struct ptowsp_fence_point *waits;   /* all are reached before the run begins; lent for the call, the fences until done. Only for a plugin with "ptowsp.fences", and for submit alone */
	const struct ptowsp_fence_point *signals; /* the run makes them reach their values when it has ended well, before done; else they fail with its status. A value that is reached already stays */
	uint32_t wait_count, wait_stride;         /* INVALID: a fence that is none of this device */
	uint32_t signal_count, signal_stride;
#endif
};
/* Bytes of 10.0. Argument structs below these sizes, or beyond PTOWSP_SIZE_LIMIT, are INVALID; nothing else of them is read. */
#define PTOWSP_INIT_ARGS_FLOOR_10_0 24u
#define PTOWSP_OPEN_ARGS_FLOOR_10_0 32u
#define PTOWSP_LOAD_ARGS_FLOOR_10_0 64u
#define PTOWSP_RUN_ARGS_FLOOR_10_0 72u
/* Rows of the host: smaller strides are INVALID, and no more than the stride of a row is read. */
#define PTOWSP_SECTION_FLOOR_10_0 24u
#define PTOWSP_SETTING_FLOOR_10_0 16u
#define PTOWSP_BINDING_FLOOR_10_0 56u
enum {
	PTOWSP_RUN_NO_KERNELS = 1, /* expand, schedule and count, run no kernel body */
	PTOWSP_RUN_STRICT = 2      /* a race found is an error */
};

/* One bounded resource after a run. Stall time in semantic cycles; stall_ns is wall time and the only figure here
 * that may differ between runs. */
struct ptowsp_resource_stats {
	uint32_t resource; /* enum ptowsp_resource */
	uint32_t pool;     /* which ready queue: pool number; else 0 */
	char name[24];     /* "task_ring", "ready_vector", ... NUL-terminated */
	uint64_t capacity; /* 0 = unbounded */
	uint64_t high_water, stall_count, stall_cycles, stall_ns;
	uint64_t used;     /* at the issue clock: what is reserved and not given back */
};

struct ptowsp_kernel_stats {
	uint32_t kernel; /* row of the KREG table */
	uint32_t flags;  /* PTOWSP_KERNEL_x */
	uint64_t tasks, cycles;
#if PTOWSP_ABI_TARGET >= 1
	uint64_t device_tasks; /* of tasks: those that the device executed; with PTOWSP_FEATURE_DEVICE_TASKS, else 0 */
	uint64_t device_ns;    /* wall time from their begin to their end there, 0: not measured. Never semantic */
#endif
};
/* One channel after a run; what producers and consumers waited for it, in semantic cycles. Its row among the resources carries both waits together. */
struct ptowsp_channel_stats {
	uint32_t channel; /* row of the CSPC table */
	uint32_t flags;   /* PTOWSP_CHANNEL_CLOSED */
	uint64_t capacity, latency; /* in force; capacity 0: a rendezvous */
	uint64_t sends, consumes, high_water;
	uint64_t full_count, full_cycles;   /* CHANNEL_FULL_WAIT */
	uint64_t empty_count, empty_cycles; /* CHANNEL_EMPTY_WAIT */
	uint64_t payload_bytes; /* that came out of it, counted without kernels too; 0: a channel of tokens */
};
enum { PTOWSP_CHANNEL_CLOSED = 1 };

/* One tensor that lies in shards over the executors of spatial_map. Bytes are those of elements that tasks read and write. */
struct ptowsp_layout_stats {
	uint32_t tensor; /* row of the TENS table */
	uint32_t shards;
	uint64_t bytes_local, bytes_moved; /* between a task and the shard of its own executor, of another one */
	uint64_t bytes_placed;             /* cut into shards before, put together after the run */
	char layout[16]; /* a word per dimension, NUL-terminated: "S0,R": over mesh axis 0, whole */
};
enum { /* where an instance of a process stands */
	PTOWSP_STANDING_GOING = 0,
	PTOWSP_STANDING_SENDING = 1,   /* no room in the channel, or not its turn */
	PTOWSP_STANDING_CONSUMING = 2, /* no token in the channel, or not its turn */
	PTOWSP_STANDING_ISSUING = 3,   /* an open scope holds what its task needs */
	PTOWSP_STANDING_EVENT = 4,
	PTOWSP_STANDING_ENDED = 5
};
/* One instance of a process, in declaration order. */
struct ptowsp_process_stats {
	uint32_t process, replica; /* row of the PROC table */
	uint32_t standing;         /* PTOWSP_STANDING_x */
	uint32_t channel;          /* SENDING, CONSUMING: row of CSPC; else PTOWSP_NONE */
	uint32_t resource;         /* ISSUING: enum ptowsp_resource; else 0 */
	uint32_t reserved;
	uint64_t clock;            /* its t */
	uint64_t tasks;            /* issued by it */
};

/* One scheduler instance of several. */
struct ptowsp_scheduler_stats {
	uint64_t tasks;   /* its own */
	uint64_t skipped; /* of others: passed over as a number; 0 after a failure */
	uint64_t walked;  /* of others: looked at one by one; 0 after a failure */
};

/* Cores of a kind, all together, by the model of a backend that has one. */
struct ptowsp_pipe_stats {
	char name[24];   /* of a pipe; "": the row of the cores themselves, in front of those of their pipes */
	uint32_t unit;   /* enum ptowsp_unit: the kind */
	uint32_t cores;  /* how many there are */
	uint64_t cycles; /* in which it worked; of cores: in which a task ran */
};

enum {
	PTOWSP_KERNEL_COUNTED_ONE = 1, /* cycles not known without running: counted 1 per task */
	/* What its tasks run, if the backend says so: at most one of these. */
	PTOWSP_KERNEL_PORTABLE = 2, /* the portable payload */
	PTOWSP_KERNEL_NATIVE = 4,   /* native code of the package */
	PTOWSP_KERNEL_C = 8         /* a C function of the embedding program or of the backend */
};

enum { PTOWSP_DETERMINISTIC_NO = 0, PTOWSP_DETERMINISTIC_YES = 1, PTOWSP_DETERMINISTIC_UNKNOWN = 2 };

/* Result of stats and part of done. Pointers are the plugin's: valid for the call of done, or until the next call
 * for the program. */
struct ptowsp_run_stats {
	struct ptowsp_head head;
	uint64_t total_cycles; /* semantic; the only canonical time */
	uint64_t tasks, edges; /* edges: unique live pairs */
	uint64_t task_window;  /* in force, 0 = unbounded */
	uint64_t executors, streams;
	uint64_t batches, flushes;
	uint64_t execute_ns;   /* wall time */
	uint32_t deterministic; /* PTOWSP_DETERMINISTIC_x */
	uint32_t stall;        /* current stall: enum ptowsp_resource + 1, 0 = none */
	const struct ptowsp_resource_stats *resources;
	const struct ptowsp_kernel_stats *kernels;
	uint32_t resource_count, resource_stride;
	uint32_t kernel_count, kernel_stride;
	const struct ptowsp_channel_stats *channels;
	uint32_t channel_count, channel_stride;
	const struct ptowsp_process_stats *processes;
	uint32_t process_count, process_stride;
	const struct ptowsp_layout_stats *layouts;
	uint32_t layout_count, layout_stride;
	const struct ptowsp_scheduler_stats *schedulers; /* none where one instance generates all tasks */
	uint32_t scheduler_count, scheduler_stride;
	uint64_t cross_edges;   /* edges between tasks of different instances */
	uint64_t notifications; /* ends of a task that another instance has to hear of, once per task and instance */
	/* What `dispatch auto` took: a loop by name, cut to what fits, empty where no loop has tasks. auto_executors 0: the schedule says no auto, or
	 * nothing was decided yet. */
	char auto_axis[64];
	uint64_t auto_executors;
	uint64_t auto_edges, auto_cross; /* of the look ahead: edges, those of them that go from one executor to another */
	uint64_t replayed; /* tasks whose edges followed from those of earlier iterations, without looking up any of their keys */
	const struct ptowsp_pipe_stats *pipes; /* none where kernels have no such model */
	uint32_t pipe_count, pipe_stride;
};

enum { /* what a deadlock is about */
	PTOWSP_DEADLOCK_HELD = 0,          /* places of a bounded resource held by open scopes */
	PTOWSP_DEADLOCK_CHANNEL_CYCLE = 1, /* processes wait for each other's channels, one of them full */
	PTOWSP_DEADLOCK_WINDOW_CHANNEL = 2,/* one process waits for a channel, another for a place that the first one's scope holds */
	PTOWSP_DEADLOCK_CHANNEL_EMPTY = 3, /* a token that nobody sends, or a rendezvous that nobody keeps: no cure */
	PTOWSP_DEADLOCK_EVENT = 4          /* an event that nobody signals: no cure */
};
/* A process that waits. Stands in place, so that it never grows. */
struct ptowsp_waiting {
	uint32_t process, replica; /* row of PROC; PTOWSP_NONE: the workload */
	uint32_t instruction;      /* of WORK, where it stands */
	uint32_t resource;         /* enum ptowsp_resource: what it waits for; PTOWSP_NONE: an event */
	uint32_t channel;          /* row of CSPC, PTOWSP_NONE if it waits for none */
	uint32_t scope_depth;
};
#define PTOWSP_WAITING_LIMIT 8u

/* Why nothing can go on; semantic, the same on every machine. */
struct ptowsp_deadlock {
	struct ptowsp_head head;
	uint32_t resource;     /* enum ptowsp_resource */
	uint32_t scope_depth;  /* open scopes around the waiting task */
	uint32_t scope_held;   /* 1: places are held by open scopes */
	uint32_t kind;         /* PTOWSP_DEADLOCK_x */
	uint64_t task;         /* number of the task that cannot be issued, or of the next one */
	uint64_t capacity, used, high_water;
	uint64_t proposed;     /* a capacity with which the blocked task, alloc or send could proceed, the least where the backend knows it; 0: no capacity would help */
	char option[512];      /* the exact option, e.g. "--schedule task_window=3", or several; empty without a cure */
	char text[1280];       /* the whole report as one paragraph */
	uint32_t channel;      /* row of CSPC that the report is about, PTOWSP_NONE without one */
	uint32_t waiting_count;/* processes that wait, the first ones in waiting[] */
	struct ptowsp_waiting waiting[PTOWSP_WAITING_LIMIT];
};

/* Completion of a run. */
struct ptowsp_done {
	struct ptowsp_head head;
	uint64_t token;
	ptowsp_status status;
	uint32_t flags;
	const struct ptowsp_run_stats *stats;      /* never NULL; partial after a failure */
	const struct ptowsp_error *error;          /* NULL when status is OK */
	const struct ptowsp_deadlock *deadlock;    /* only with DEADLOCK */
};
#define PTOWSP_RUN_STATS_FLOOR_10_0 312u
#define PTOWSP_DEADLOCK_FLOOR_10_0 2056u
#define PTOWSP_DONE_FLOOR_10_0 48u

PTOWSP_END
#endif
