/* SPDX-License-Identifier: MIT */
/* probe_run.h - inside of the probes: one run as a text, what it left behind, and ways to look at that. */
#ifndef TOOLS_PROBE_RUN_H
#define TOOLS_PROBE_RUN_H

#include "host/ptowsp_host.h"
#include "tools/run/probe.h"
#include <stdbool.h>

/* Options of the second configuration, where a backend has them. */
#define PROBE_INSTANCES "4"
enum { PROBE_WORDS = 8, PROBE_TASKS = 256, PROBE_EDGES = 256, PROBE_RESOURCES = 64, PROBE_SCHEDULERS = 64, PROBE_CONTENT = 8, PROBE_ELEMENTS = 1024 };

/* probe_watch */
struct probe_watch {
	uint64_t limit_ms;
	void (*tell)(void *context, enum probe_phase phase);
	void *context;
};

/* "package:entry word ..."; a word is a directive as for --schedule, or
 *	set:NAME=VALUE    a value before the run
 *	then:NAME=VALUE   another one; the same program runs again with it, and the last run counts
 *	@no_kernels       without kernel bodies
 *	@cancel           is cancelled 20 ms after its start
 *	@deadline         has 50 ms
 *	@threads=N        on a backend of its own with so many worker threads
 *	@real=N           the same, with N or as many as are asked for if these are fewer; the trace shows when kernels really began, and executors are threads
 *	@instances        what the row says can be seen where there are PROBE_INSTANCES scheduler instances, if not with the options as they are
 *	@one=N            all tasks are those of one scheduler instance, on N executors: round_robin(N) where there is one, else the dispatch that says so to as many as the run
 *	                  turns out to have
 *	@mate=ENTRY       one run on two devices: that entry is the program of device 1
 * All texts point into `memory`. */
struct probe_spec {
	char memory[256];
	const char *package, *entry;
	const char *schedule[PROBE_WORDS];
	char *set[PROBE_WORDS], *then[PROBE_WORDS]; /* NAME=VALUE */
	uint32_t schedule_count, set_count, then_count, threads, one;
	char one_dispatch[48]; /* the directive of @one, for the instances at hand; "" for one executor of one instance */
	const char *mate;      /* NULL: one device */
	bool real, instances, no_kernels, cancel, deadline;
	struct probe_watch watch; /* zeroed by probe_spec_read */
	const struct probe_outcome
		*known; /* NULL, or what the same run left that another feature was probed with: it is not repeated, only what this one needs is asked */
};
void probe_phase_tell(const struct probe_spec *spec, enum probe_phase phase);
/* The text is one of probe.def: what does not fit ends the program. */
void probe_spec_read(struct probe_spec *spec_out, const char *text);

/* The outcome of a run. */
struct probe_outcome {
	ptowsp_status status;
	struct ptowsp_error error;
	bool loaded, traced, graphed;  /* got that far; the backend offers it */
	struct ptowsp_run_stats stats; /* without its arrays */
	struct ptowsp_resource_stats resources[PROBE_RESOURCES];
	uint32_t resource_count;
	uint64_t scheduler_tasks[PROBE_SCHEDULERS];
	uint32_t scheduler_count;
	uint64_t kernel_cycles;            /* of all kernels */
	uint64_t device_tasks, device_ns;  /* likewise */
	struct ptowsp_layout_stats layout; /* of the first tensor that lies in shards */
	struct ptowsp_trace_task tasks[PROBE_TASKS];
	char names[PROBE_TASKS][16]; /* of their kernels */
	uint64_t task_count;         /* also those beyond the array */
	struct ptowsp_graph_edge edges[PROBE_EDGES];
	uint64_t edge_count;
	int32_t content[PROBE_CONTENT]; /* first elements of the tensor "out" */
	bool has_content, deadlocked;
	struct ptowsp_deadlock deadlock;
	char missing[240];    /* a feature that the run needs and the backend refuses; "" */
	char unmet[240];      /* a directive that the run needs and the backend does not enforce, or the probed one with a number beyond its limits; "" */
	char unplaced[240];   /* the same of those that say which executor runs a task: a backend may have several by itself; "" */
	char unenforced[240]; /* said in the run of a directive that the backend claims, and that this run does not enforce; "" */
	bool gone;            /* the backend: it crashed or did not come back; status and error say how */
	bool native;          /* native kernels stood in for portable ones, which the backend does not run */
	bool refused;         /* by the match of needs and capabilities, because of the probed feature; error has the reason */
};
/* feature: the probed one; of others that the plan needs `missing` says which is refused, and then nothing runs, and `unmet` and `unplaced` which is less than enforced. mate: a backend of device 1, where
 * the spec has a mate. */
void probe_run(struct probe_outcome *outcome_out, struct ptowsp_package *package, struct ptowsp_backend *backend, struct ptowsp_backend *mate,
	       const struct probe_spec *spec, uint32_t feature);

/* A look at an outcome: a list of numbers, and as text. */
struct probe_view {
	char text[320];
	uint64_t numbers[PROBE_EDGES];
	uint32_t count;
	const char *missing; /* NULL, or what the backend does not offer for this look */
	bool any_status;     /* also of runs that failed */
	bool nothing;        /* the memory is as it was before the run: equal views would say nothing */
};
/* what: "executors", "stalls task_ring", ...; one of probe_look.c. */
void probe_look(struct probe_view *view_out, const struct probe_outcome *outcome, const char *what);

#endif
