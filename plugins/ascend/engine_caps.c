/* SPDX-License-Identifier: MIT */
/* engine_caps.c - what the pto-runtime engine says of features that rt enforces by itself.
 *
 * Structure is enforced because it becomes edges: dependencies, orders, streams, depths, tokens, executors that do not depend on time. The runtime has no counters for
 * stalls and high-water marks and tells no times (plan_clock.h does); where tasks really run, and when they are issued, it decides. A slot may be loaded from what no task
 * writes. */
#include "base/caps.h"
#include "engine.h"
#include "ptowsp/graph.h"
#include "ptowsp/ids.h"
#include "ptowsp/workload.h"

#include <string.h>

#define SHARED                                                                                                  \
	BASE_CAP(BASE_POLICY(DISPATCH, WORK_STEAL), RECORDED), BASE_CAP(BASE_POLICY(DISPATCH, THRESHOLD), RECORDED), \
	BASE_CAP(BASE_POLICY(TIMING, RATE_LIMIT), RECORDED), BASE_CAP(BASE_POLICY(ISSUE_COST, CYCLES), RECORDED), \
	BASE_CAP(BASE_POLICY(START, THRESHOLD), RECORDED), BASE_CAP(BASE_POLICY(READY_QUEUE, CAPACITY), RECORDED), \
	BASE_CAP(BASE_POLICY(TENSOR_MAP, CAPACITY), RECORDED), BASE_CAP(BASE_POLICY(DEP_LIST, CAPACITY), RECORDED), \
	BASE_CAP(BASE_POLICY(HEAP, CAPACITY), RECORDED), BASE_CAP(BASE_POLICY(TASK_WINDOW, ABORT), DIAGNOSED), \
	BASE_CAP(BASE_POLICY(TASK_WINDOW, BENCHMARK), DIAGNOSED), BASE_CAP(BASE_POLICY(LAYOUT, SHARD), DIAGNOSED), \
	BASE_CAP(BASE_POLICY(POOLS, BY_EXEC_UNIT), RECORDED), BASE_CAP(PTOWSP_FEATURE_OPCODE(PTOWSP_OP_ALLOC), RECORDED), \
	BASE_CAP(PTOWSP_FEATURE_OPCODE(PTOWSP_OP_FREE), RECORDED), BASE_CAP(PTOWSP_FEATURE_GRAPH(PTOWSP_MC_ALLOC), RECORDED), \
	BASE_CAP(PTOWSP_FEATURE_OPCODE(PTOWSP_OP_SLOT_LOAD), DIAGNOSED), BASE_CAP(PTOWSP_FEATURE_TENSOR_TO_SLOT, DIAGNOSED), \
	BASE_CAP(PTOWSP_FEATURE_STALL_STATS, UNSUPPORTED), BASE_CAP(PTOWSP_FEATURE_HIGH_WATER, UNSUPPORTED), \
	BASE_CAP(PTOWSP_FEATURE_TEMP_RENAMED, DIAGNOSED), BASE_CAP(PTOWSP_FEATURE_CSP_PAYLOAD, UNSUPPORTED), \
	BASE_CAP(PTOWSP_FEATURE_GRAPH(PTOWSP_CF_WHILE), DIAGNOSED), BASE_CAP(PTOWSP_FEATURE_GRAPH(PTOWSP_CF_ENDWHILE), DIAGNOSED), \
	BASE_CAP(PTOWSP_FEATURE_GRAPH(PTOWSP_MC_FREE), RECORDED), BASE_CAP(PTOWSP_FEATURE_OPCODE(PTOWSP_OP_NOTIFY), UNSUPPORTED), \
	BASE_CAP(PTOWSP_FEATURE_OPCODE(PTOWSP_OP_WAIT_NOTIFY), UNSUPPORTED), BASE_CAP(PTOWSP_FEATURE_GRAPH(PTOWSP_SY_NOTIFY), UNSUPPORTED), BASE_CAP(PTOWSP_FEATURE_GRAPH(PTOWSP_SY_WAIT_NOTIFY), UNSUPPORTED)

/* Its rings stall. What is asked of after_orchestration it does not do: tasks run while others are submitted. */
static const struct ptowsp_cap task_buffer[] = {
	SHARED,
	BASE_CAP(BASE_POLICY(TASK_WINDOW, STALL), ENFORCED),
	BASE_CAP(PTOWSP_FEATURE_SCOPE_LIVENESS, ENFORCED),
	BASE_CAP(PTOWSP_FEATURE_DEADLOCK_REPORT, ENFORCED),
	BASE_CAP(BASE_POLICY(START, AFTER_ORCHESTRATION), RECORDED),
};
/* The whole graph is there before the first task runs; nothing is given back, so no window can stall. */
static const struct ptowsp_cap host_graph[] = {
	SHARED,
	BASE_CAP(BASE_POLICY(TASK_WINDOW, STALL), DIAGNOSED),
	BASE_CAP(PTOWSP_FEATURE_SCOPE_LIVENESS, DIAGNOSED),
	BASE_CAP(PTOWSP_FEATURE_DEADLOCK_REPORT, ENFORCED),
	BASE_CAP(BASE_POLICY(START, AFTER_ORCHESTRATION), ENFORCED),
};

const struct ptowsp_cap *ascend_engine_caps(const char *variant, uint32_t *count_out)
{
	bool host = !strcmp(variant, ASCEND_HOST_GRAPH);

	*count_out = host ? sizeof(host_graph) / sizeof(*host_graph) : sizeof(task_buffer) / sizeof(*task_buffer);
	return host ? host_graph : task_buffer;
}
