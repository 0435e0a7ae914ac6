/* SPDX-License-Identifier: MIT */
/* simulated_caps.c - what the machine does not do under some of its options. Its executors are scheduler instances: with one of them there is nothing to choose from. With
 * `order=program` nothing waits for anything but tasks, slots and events: there are no schedulers, queues and capacities. With `model=name` a kernel takes as long whatever
 * it does. */
#include "ascend/ascend_arch.h"
#include "ascend/machine/simulated.h"
#include "base/base_caps.h"
#include "ptowsp/graph.h"
#include "ptowsp/ids.h"
#include "ptowsp/workload.h"

#define GRAPH(op)     PTOWSP_FEATURE_GRAPH(PTOWSP_##op)
#define OPCODE(op)    PTOWSP_FEATURE_OPCODE(PTOWSP_OP_##op)
#define FEATURE(name) PTOWSP_FEATURE_##name

/* A single instance has all tasks, so directives that choose an instance have no effect. The mapping of layouts by a grid stays, whichever instance runs the tasks. */
static const uint32_t one_instance[] = {
	BASE_POLICY(DISPATCH, ROUND_ROBIN),      BASE_POLICY(DISPATCH, AFFINITY),   BASE_POLICY(DISPATCH, HASH),   BASE_POLICY(DISPATCH, THRESHOLD),
	BASE_POLICY(DISPATCH, STATIC_PARTITION), BASE_POLICY(DISPATCH, WORK_STEAL), BASE_POLICY(DISPATCH, CUSTOM), BASE_POLICY(DISPATCH, AUTO),
	BASE_POLICY(SPATIAL_MAP, GRID),          BASE_POLICY(DISPATCH, GRID),       OPCODE(DISPATCH_FILTER),
};
/* Ready tasks wait in queues here; to take them from each other needs others. */
static const struct ptowsp_cap queues[] = {BASE_CAP(BASE_POLICY(READY, FIFO), ENFORCED), BASE_CAP(BASE_POLICY(READY, PRIORITY), ENFORCED)};
static const struct ptowsp_cap hinted[] = {BASE_CAP(GRAPH(TG_SET_PRIORITY), ENFORCED), BASE_CAP(GRAPH(CA_REQUEST), ENFORCED),
					   BASE_CAP(GRAPH(CA_PARTITION), RECORDED)};
/* Saves picking a kernel up, where that costs anything. */
static const struct ptowsp_cap residence[] = {BASE_CAP(GRAPH(TG_PERSISTENT), ENFORCED)};
static const struct ptowsp_cap others[] = {BASE_CAP(BASE_POLICY(READY, WORK_STEAL), ENFORCED), BASE_CAP(OPCODE(DISPATCH_FILTER), ENFORCED)};
/* The policies whose last number says how many executors there are: more than there are instances cannot be kept apart. */
static const uint32_t counted[] = {BASE_POLICY(DISPATCH, ROUND_ROBIN), BASE_POLICY(DISPATCH, AFFINITY), BASE_POLICY(DISPATCH, HASH),
				   BASE_POLICY(DISPATCH, WORK_STEAL),  BASE_POLICY(DISPATCH, CUSTOM),   BASE_POLICY(DISPATCH, AUTO)};
static const struct ptowsp_cap by_name[] = {BASE_CAP(FEATURE(TOTAL_CYCLES), RECORDED), BASE_CAP(FEATURE(KERNEL_CYCLES), RECORDED)};
/* Nothing decides when a task is issued, nobody counts resources, and processes have an order of their own. */
static const uint32_t program_order[] = {
	BASE_POLICY(POOLS, SINGLE),
	BASE_POLICY(POOLS, BY_EXEC_UNIT),
	BASE_POLICY(POOLS, CUSTOM),
	BASE_POLICY(PIPELINE_DEPTH, DEPTH),
	BASE_POLICY(TIMING, RATE_LIMIT),
	BASE_POLICY(ISSUE_COST, CYCLES),
	BASE_POLICY(START, THRESHOLD),
	BASE_POLICY(START, AFTER_ORCHESTRATION),
	BASE_POLICY(TASK_WINDOW, STALL),
	BASE_POLICY(TASK_WINDOW, ABORT),
	BASE_POLICY(TASK_WINDOW, BENCHMARK),
	BASE_POLICY(TENSOR_MAP, CAPACITY),
	BASE_POLICY(DEP_LIST, CAPACITY),
	BASE_POLICY(HEAP, CAPACITY),
	BASE_POLICY(READY_QUEUE, CAPACITY),
	FEATURE(TEMP_RENAMED),
	OPCODE(ALLOC),
	OPCODE(FREE),
	GRAPH(MC_ALLOC),
	GRAPH(MC_FREE),
	OPCODE(SCOPE),
	FEATURE(SCOPE_LIVENESS),
	FEATURE(DEADLOCK_REPORT),
	BASE_POLICY(CHANNEL_CAPACITY, CAPACITY),
};
static const uint32_t program_order_without[] = {FEATURE(STALL_STATS), FEATURE(HIGH_WATER)};
static const uint32_t processes[] = {OPCODE(SEND), OPCODE(CONSUME), OPCODE(CLOSE), FEATURE(CSP_TOKEN), FEATURE(CSP_PAYLOAD)};
/* Rings hold tasks of a workload; those of a pto-runtime have so many places, one of which stays free. */
enum { RING_LEAST = 4, RING_MOST = 1 << 30 };
static const uint32_t ringed_without[] = {BASE_POLICY(TASK_WINDOW, BENCHMARK)};
static const uint32_t program_order_ignored[] = {BASE_POLICY(LAYOUT, SHARD)};
static const struct ptowsp_cap alone[] = {ASCEND_CAPS_ALONE};
/* A task runs where its schedule says, so there is nothing to ask for. */
static const struct ptowsp_cap together[] = {BASE_CAP(GRAPH(CA_AFFINITY), RECORDED)};

static uint32_t limited_add(struct ptowsp_cap *rows, uint32_t there, uint32_t feature, uint32_t least, uint32_t most)
{
	const struct ptowsp_cap row = {.feature = feature, .state = PTOWSP_STATE_ENFORCED, .evidence = PTOWSP_EVIDENCE_SELF_TESTED, .low = least, .high = most};

	return base_caps_add(rows, there, &row, 1);
}

/* Rows of a machine that has queues and events. */
static uint32_t machine_caps(const struct ascend_simulated *own, uint32_t instances, struct ptowsp_cap *rows, uint32_t there)
{
	there = BASE_CAPS_ADD(rows, there, queues);
	there = BASE_CAPS_ADD(rows, there, hinted);
	if (own->protocol != ASCEND_PROTOCOL_NONE)
		there = BASE_CAPS_ADD(rows, there, residence);
	there = instances < 2 ? BASE_CAPS_STATE(rows, there, one_instance, RECORDED) : BASE_CAPS_ADD(rows, there, others);
	for (size_t k = 0; k < sizeof(counted) / sizeof(*counted); k++)
		there = limited_add(rows, there, counted[k], 1, instances);
	return limited_add(rows, there, BASE_POLICY(STREAMS, COUNT), 1, own->streams);
}

uint32_t ascend_simulated_caps(const struct ascend_simulated *own, const struct base_model *model, uint32_t instances, struct ptowsp_cap *rows_out)
{
	uint32_t there = model->platform == RT_PLATFORM_A5 ? BASE_CAPS_ADD(rows_out, 0, together) : BASE_CAPS_ADD(rows_out, 0, alone);

	if (own && own->model == ASCEND_MODEL_NAME)
		there = BASE_CAPS_ADD(rows_out, there, by_name);
	if (own && own->order == ASCEND_PROGRAM_ORDER) {
		there = BASE_CAPS_STATE(rows_out, there, program_order, RECORDED);
		there = BASE_CAPS_STATE(rows_out, there, program_order_ignored, DIAGNOSED);
		there = BASE_CAPS_STATE(rows_out, there, program_order_without, UNSUPPORTED);
		there = BASE_CAPS_STATE(rows_out, there, processes, UNSUPPORTED);
		return BASE_CAPS_STATE(rows_out, there, one_instance, RECORDED);
	}
	if (own && own->rings == ASCEND_RINGS_RUNTIME) {
		there = limited_add(rows_out, there, BASE_POLICY(TASK_WINDOW, STALL), RING_LEAST, RING_MOST);
		there = limited_add(rows_out, there, BASE_POLICY(TASK_WINDOW, ABORT), RING_LEAST, RING_MOST);
		there = BASE_CAPS_STATE(rows_out, there, ringed_without, UNSUPPORTED);
		there = BASE_CAPS_STATE(rows_out, there, processes, UNSUPPORTED);
	}
	return own ? machine_caps(own, instances, rows_out, there) : there;
}
