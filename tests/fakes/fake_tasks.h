/* SPDX-License-Identifier: MIT */
/* fake_tasks.h - the fake runtime's tasks: what an orchestration submits, within the limits of the variant, run one by one in an order that only the stated
 * dependencies decide: among ready tasks a generator picks, so that a dependency that is missing shows.
 *
 *   task buffer   four rings by scope depth, each with slots, bytes for outputs, entries for dependencies on tasks that have not ended, and as many for those beyond 64 of
 *                 a task. A task that finds one of them full waits until the oldest tasks are over and their scopes are closed: tasks run while the orchestration goes
 *                 on. What can never be is a fault: 1 the innermost scope has all slots, 3 several scopes do, 2 the bytes are held or an output has more than there
 *                 are, 4 so of the entries. A scope more than there is room for ends the process, as an assertion of the runtime does.
 *   host graph    one ring that nothing leaves; the whole graph is there before the first task runs. */
#ifndef FAKE_TASKS_H
#define FAKE_TASKS_H

#include "fake_map.h"

enum {
	FAKE_INLINE_DEPS = 64,
	FAKE_HOST_DEPS = 128,
	FAKE_HOST_READY = 8192,
	FAKE_WINDOW = 16384,
	FAKE_DEP_POOL = 16384,
	FAKE_SCOPES = 64,
	FAKE_LATE = 64,
	FAKE_HEAP = 256 << 20,
	FAKE_HEAP_ALIGN = 64,
	FAKE_CLUSTERS = 24
};
enum { FAKE_CUBE, FAKE_VECTOR, FAKE_MIX, FAKE_DUMMY, FAKE_SHAPES };

struct fake_task {
	int32_t functions[3]; /* -1: none */
	int16_t blocks;
	uint8_t shape, ring;
	bool done;
	uint32_t scope;            /* open while scopes[] says so */
	uint32_t waits;            /* dependencies that are not over */
	uint32_t consumers;        /* that are not over */
	uint32_t entries, spilled; /* places of its ring's pools */
	uint32_t first_edge;       /* list of edges to its consumers, UINT32_MAX ends */
	uint32_t tensor_count, scalar_count;
	struct ascend_tensor *tensors; /* owned copies */
	uint64_t scalars[ASCEND_TASK_SCALARS];
	uint32_t *producers, producer_count;
	uint64_t heap_end; /* of the ring's heap: what stands before it is free when the task has left; 0: it has no outputs */
};
enum fake_resource { FAKE_SLOTS, FAKE_BYTES, FAKE_ENTRIES, FAKE_SPILLED, FAKE_RESOURCES };
struct fake_ring {
	uint64_t window, pool;               /* pool: of entries, and as many that are spilled */
	uint64_t entries, spilled;           /* of these in use */
	uint64_t late_entries, late_spilled; /* of tasks that have left: they come back when FAKE_LATE have */
	uint32_t late;                       /* tasks that have left since */
	uint64_t heap, top, tail;            /* bytes, made when the first output comes; the next free one, the oldest that is held */
	char *memory;
	uint64_t stalls[FAKE_RESOURCES], most[FAKE_RESOURCES]; /* tasks that waited; largest use */
	uint32_t *tasks;                                       /* by local id */
	uint32_t count, room, alive;                           /* the first `alive` have left */
};
struct fake_graph {
	struct fake_runtime head; /* what the orchestration is bound to */
	bool host_graph;
	void (*const *functions)(int64_t *); /* by id, NULL where there is none */
	struct fake_task *tasks;
	uint32_t count, room;
	struct {
		uint32_t consumer, next;
	} * edges;
	uint32_t edge_count, edge_room;
	struct fake_map map;
	struct fake_ring rings[ASCEND_RINGS];
	uint32_t mixed[2];                 /* tasks of a cube core and one vector core, and two */
	uint32_t scopes[FAKE_SCOPES];      /* open ones: their numbers */
	uint32_t scope_tasks[FAKE_SCOPES]; /* and how many tasks each has itself */
	uint32_t depth, scope_count;
	uint32_t *ready; /* tasks that may run */
	uint32_t ready_count, ready_room;
	uint64_t random;
	uint32_t asked; /* times that the orchestration asked whether all is well since it last submitted a task: it waits, and so cores run meanwhile */
	int fatal;      /* code of the first fault, 0: none */
	char detail[200];
	uint32_t most_ready[FAKE_SHAPES];
};
void fake_graph_init(struct fake_graph *graph, bool host_graph, const struct ascend_call_config *config, uint64_t seed);
void fake_graph_finish(struct fake_graph *graph);
/* Everything that is ready, until nothing is. */
void fake_graph_run(struct fake_graph *graph);

#endif
