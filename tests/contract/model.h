/* SPDX-License-Identifier: MIT
 * model.h - a second, slow and plain reading of the runtime's rules for programs of the corpus dialect: tasks, edges, bounded resources,
 * the semantic clock, and what is in memory at the end. It shares no line with the product; random programs are run by both. */
#ifndef TESTS_CONTRACT_MODEL_H
#define TESTS_CONTRACT_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum { MODEL_TENSORS = 4, MODEL_ELEMENTS = 1 << 16, MODEL_TASKS = 4096, MODEL_ACCESSES = 4, MODEL_LOOPS = 4 };
enum { MODEL_READ = 1, MODEL_WRITE = 2 };

/* What one task does with one tensor. */
struct model_access {
	int tensor, mode;
	int64_t row, column; /* as written in the CALL */
	int level;           /* tile level in force, 32 without one */
	int64_t first, count; /* elements touched */
};
struct model_task {
	int kernel, access_count;
	struct model_access accesses[MODEL_ACCESSES];
	int64_t cycles;
	int64_t loops[MODEL_LOOPS]; /* value of loop 0.. around it; -1 outside */
	/* result */
	int64_t issue, start, end, retire; /* retire: F(i) */
	int executor, places;              /* tensor map entries */
	int edge_count;
};

enum model_dispatch { MODEL_NONE, MODEL_ROUND_ROBIN, MODEL_WORK_STEAL, MODEL_AFFINITY, MODEL_HASH };
struct model_schedule {
	bool exact, raw;
	int64_t window; /* 0: unbounded */
	int64_t tensor_map, dep_list, ready_queue; /* 0: default */
	int depth;       /* 0: none */
	int64_t issue_cost;
	enum model_dispatch dispatch;
	int executors, loop; /* of affinity and hash */
};

struct model_resource {
	int64_t capacity, high_water, stall_count, stall_cycles;
};
struct model_edge {
	int producer, consumer;
};
struct model_run {
	struct model_task *tasks; /* borrowed */
	int task_count;
	struct model_edge *edges; /* owned, sorted by consumer, then producer */
	int edge_count;
	struct model_resource ring, map, deps, ready;
	int64_t total;
	bool too_small; /* one task needs more than a whole resource */
};

/* Fills results of tasks and *run. Nothing is kept but run->edges, to be freed. */
void model_run(struct model_run *run, struct model_task *tasks, int count, const struct model_schedule *schedule);

#endif
