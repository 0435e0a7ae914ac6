/* SPDX-License-Identifier: MIT */
/* engine_caps.c - what the pto-runtime engine says of features that rt enforces by itself: one table per variant, with what a device adds.
 *
 * Structure is enforced because it becomes edges: dependencies, the order of tasks on an executor whose policy does not ask about time, streams, depths, scopes, tokens
 * (consume k - c before send k, send k before consume k). The runtime decides which core a task really gets, and when it is issued; it has no counters for stalls and
 * high-water marks and tells no times: plan_clock.h does. Temp tensors are renamed in memory of the engine's own. Where a slot is loaded from what a task writes, the task buffer is
 * waited for; of a host graph one run ends and another one begins. The walk is that of one scheduler instance, so no filter chooses
 * among several. */
#include "ascend/engine/engine.h"
#include "base/base_caps.h"
#include "ptowsp/graph.h"
#include "ptowsp/ids.h"
#include "ptowsp/workload.h"

#include <string.h>

#define GRAPH(op)     PTOWSP_FEATURE_GRAPH(PTOWSP_##op)
#define OPCODE(op)    PTOWSP_FEATURE_OPCODE(PTOWSP_OP_##op)
#define FEATURE(name) PTOWSP_FEATURE_##name

#define SHARED                                                                                                                                                 \
	/* when and where */                                                                                                                                   \
	BASE_CAP(BASE_POLICY(DISPATCH, WORK_STEAL), RECORDED), BASE_CAP(BASE_POLICY(DISPATCH, THRESHOLD), RECORDED),                                           \
		BASE_CAP(BASE_POLICY(POOLS, BY_EXEC_UNIT), RECORDED), BASE_CAP(BASE_POLICY(SPATIAL_MAP, GRID), RECORDED),                                      \
		BASE_CAP(BASE_POLICY(DISPATCH, GRID), RECORDED), BASE_CAP(BASE_POLICY(LAYOUT, SHARD), DIAGNOSED),                                              \
		BASE_CAP(BASE_POLICY(TIMING, RATE_LIMIT), RECORDED), BASE_CAP(BASE_POLICY(ISSUE_COST, CYCLES), RECORDED),                                      \
		BASE_CAP(BASE_POLICY(START, THRESHOLD), RECORDED), BASE_CAP(OPCODE(DISPATCH_FILTER), RECORDED), /* resources that nobody counts */             \
		BASE_CAP(BASE_POLICY(TASK_WINDOW, ABORT), DIAGNOSED), BASE_CAP(BASE_POLICY(TASK_WINDOW, BENCHMARK), DIAGNOSED),                                \
		BASE_CAP(BASE_POLICY(READY_QUEUE, CAPACITY), RECORDED), BASE_CAP(BASE_POLICY(TENSOR_MAP, CAPACITY), RECORDED),                                 \
		BASE_CAP(BASE_POLICY(DEP_LIST, CAPACITY), RECORDED), BASE_CAP(BASE_POLICY(HEAP, CAPACITY), RECORDED), BASE_CAP(OPCODE(ALLOC), RECORDED),       \
		BASE_CAP(OPCODE(FREE), RECORDED), BASE_CAP(GRAPH(MC_ALLOC), RECORDED), BASE_CAP(GRAPH(MC_FREE), RECORDED),                                     \
		BASE_CAP(FEATURE(STALL_STATS), UNSUPPORTED),                                                                                                   \
		BASE_CAP(FEATURE(HIGH_WATER), UNSUPPORTED), /* a task runs where its schedule says, so there is nothing to ask for */                          \
		BASE_CAP(GRAPH(CA_AFFINITY), RECORDED),     /* other devices */                                                                                \
		BASE_CAP(OPCODE(NOTIFY), UNSUPPORTED), BASE_CAP(OPCODE(WAIT_NOTIFY), UNSUPPORTED), BASE_CAP(GRAPH(SY_NOTIFY), UNSUPPORTED),                    \
		BASE_CAP(GRAPH(SY_WAIT_NOTIFY), UNSUPPORTED)

/* The runtime's rings stall. It does not obey after_orchestration: tasks run while others are submitted. */
#define BUFFER                                                                                                                                                 \
	BASE_CAP(BASE_POLICY(TASK_WINDOW, STALL), ENFORCED), BASE_CAP(FEATURE(SCOPE_LIVENESS), ENFORCED),                                                      \
		BASE_CAP(BASE_POLICY(START, AFTER_ORCHESTRATION), RECORDED)
/* The whole graph is there before the first task runs, which no figure of a run shows; nothing is given back, so no window can stall. */
#define GRAPH_FIRST                                                                                                                                            \
	BASE_CAP(BASE_POLICY(TASK_WINDOW, STALL), DIAGNOSED), BASE_CAP(FEATURE(SCOPE_LIVENESS), DIAGNOSED), BASE_CAP(OPCODE(SCOPE), RECORDED),                 \
	{                                                                                                                                                      \
		.feature = BASE_POLICY(START, AFTER_ORCHESTRATION), .state = PTOWSP_STATE_ENFORCED, .evidence = PTOWSP_EVIDENCE_CLAIMED                        \
	}
/* Kernels are what the package has for the device's cores, or portable ones, compiled. Nothing there can be held back once it was given away, and nothing is measured: cycles are those that the
 * package says. Nobody copies there: the package has no kernel for it. */
#define DEVICE                                                                                                                                                 \
	BASE_CAP(PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_IMAGE), ENFORCED), BASE_CAP(PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_PTO), ENFORCED),                      \
		BASE_CAP(PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_ELF), UNSUPPORTED), BASE_CAP(FEATURE(CSP_PAYLOAD), UNSUPPORTED),                                \
		BASE_CAP(FEATURE(TOTAL_CYCLES), RECORDED), BASE_CAP(FEATURE(KERNEL_CYCLES), RECORDED), BASE_CAP(OPCODE(COPY), UNSUPPORTED),                    \
		BASE_CAP(FEATURE(TEMP_RENAMED), DIAGNOSED), BASE_CAP(GRAPH(MC_COPY), UNSUPPORTED), BASE_CAP(GRAPH(TG_CHECKPOINT), UNSUPPORTED),                \
		BASE_CAP(GRAPH(TG_RESTORE), UNSUPPORTED), BASE_CAP(FEATURE(CANCEL), DIAGNOSED), BASE_CAP(FEATURE(DEADLINE), DIAGNOSED),                        \
		/* cycles are the plan's, whatever the device takes */ BASE_CAP(FEATURE(DETERMINISTIC), RECORDED)

/* The runtime's own map finds edges: a read comes behind the writes that it overlaps, a write that reads nothing behind none. The clock of the plan does not know them. */
#define MAPPED                                                                                                                                                 \
	BASE_CAP(BASE_POLICY(DEPS, BYTES_OVERLAP), RECORDED), BASE_CAP(BASE_POLICY(DEPS, TENSOR_MAP_EXACT), RECORDED),                                         \
		BASE_CAP(BASE_POLICY(DEPS, HYBRID), RECORDED), BASE_CAP(BASE_POLICY(HAZARDS, FULL), RECORDED), BASE_CAP(BASE_POLICY(HAZARDS, RAW), RECORDED),  \
		BASE_CAP(FEATURE(TOTAL_CYCLES), RECORDED)

static const struct ptowsp_cap shared[] = {SHARED}, buffer[] = {BUFFER}, graph[] = {GRAPH_FIRST}, device[] = {DEVICE}, by_map[] = {MAPPED};

uint32_t ascend_engine_caps(const char *variant, bool onboard, bool mapped, bool recorded, struct ptowsp_cap *rows_out)
{
	static const struct ptowsp_cap timed[] = {BASE_DEVICE_TASKS};
	uint32_t there = BASE_CAPS_ADD(rows_out, 0, shared);

	if (recorded)
		there = BASE_CAPS_ADD(rows_out, there, timed);
	if (mapped)
		there = BASE_CAPS_ADD(rows_out, there, by_map);
	there = strcmp(variant, ASCEND_HOST_GRAPH) ? BASE_CAPS_ADD(rows_out, there, buffer) : BASE_CAPS_ADD(rows_out, there, graph);
	return onboard ? BASE_CAPS_ADD(rows_out, there, device) : there;
}
