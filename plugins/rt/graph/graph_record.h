/* SPDX-License-Identifier: MIT */
/* graph_record.h - start(after_orchestration) and packages that are host graph builds: the tasks of a workload become a graph in memory first, and
 * it runs when the program is at its end. The semantic clock is told as ever. The thread of rt_run owns it. */
#ifndef RT_GRAPH_RECORD_H
#define RT_GRAPH_RECORD_H

#include "rt/graph/graph_build.h"
#include "rt/run/rt_run.h"

struct rt_record {
	struct rt_graph_build build;
	uint64_t *cycles; /* while it runs: per task, what its kernel said */
	struct rt_run *run;
	uint64_t *words; /* per worker: starts and lengths of the windows of its task */
	uint32_t stride;
	uint64_t *places; /* per tensor argument of the graph, where there are versions: lengths as in struct rt_access */
	uint32_t place_count, place_room;
};
/* run->record, if the schedule builds first, and kernels run or somebody wants the graph. memory: bytes of the graph at most, 0 for any. Errors: NO_MEMORY. */
ptowsp_status rt_record_init(struct rt_run *run, uint64_t memory);
void rt_record_finish(struct rt_run *run);
/* Nothing can be given back before the whole graph is there: a task that would have to wait for that is refused. Errors: TOO_SMALL naming resource and capacity;
 * UNSUPPORTED: its place depends on cycles that only running tells. */
ptowsp_status rt_record_gates(struct rt_run *run);
/* The same for the heap: the versions of the task have no room. TOO_SMALL. */
ptowsp_status rt_record_heap(struct rt_run *run);
/* A slot is to be loaded from an element that task writer - 1 fills. UNSUPPORTED naming slot, tensor and task. */
ptowsp_status rt_record_load(struct rt_run *run, uint32_t slot, uint32_t tensor, uint64_t writer);
/* The task being issued, in place of running it. Errors: of rt_graph_task_add. */
ptowsp_status rt_record_task(struct rt_run *run, const struct rt_site *site, uint32_t level, struct rt_clock_task *task);
/* All tasks are there: makes the graph and runs it. Errors: of the kernels, of rt_look, NO_MEMORY. */
ptowsp_status rt_record_run(struct rt_run *run, struct rt_pool *pool);

#endif
