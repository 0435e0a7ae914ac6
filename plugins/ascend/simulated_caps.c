/* SPDX-License-Identifier: MIT */
/* simulated_caps.c - what the machine does not do under some of its options. With `order=program` nothing waits for anything but tasks, slots and events: there are no
 * schedulers, queues and capacities. With `model=name` a kernel takes as long whatever it does. */
#include "ascend/arch.h"
#include "ascend/simulated.h"
#include "base/caps.h"
#include "ptowsp/graph.h"
#include "ptowsp/ids.h"
#include "ptowsp/workload.h"

#define GRAPH(op) PTOWSP_FEATURE_GRAPH(PTOWSP_##op)
#define OPCODE(op) PTOWSP_FEATURE_OPCODE(PTOWSP_OP_##op)
#define FEATURE(name) PTOWSP_FEATURE_##name

#define BY_NAME BASE_CAP(FEATURE(TOTAL_CYCLES), RECORDED), BASE_CAP(FEATURE(KERNEL_CYCLES), RECORDED)
#define IN_PROGRAM_ORDER \
	/* whose a task is, and when it is issued */ \
	BASE_CAP(BASE_POLICY(DISPATCH, ROUND_ROBIN), RECORDED), BASE_CAP(BASE_POLICY(DISPATCH, AFFINITY), RECORDED), \
	BASE_CAP(BASE_POLICY(DISPATCH, HASH), RECORDED), BASE_CAP(BASE_POLICY(DISPATCH, THRESHOLD), RECORDED), \
	BASE_CAP(BASE_POLICY(DISPATCH, STATIC_PARTITION), RECORDED), BASE_CAP(BASE_POLICY(DISPATCH, WORK_STEAL), RECORDED), \
	BASE_CAP(BASE_POLICY(DISPATCH, CUSTOM), RECORDED), BASE_CAP(BASE_POLICY(DISPATCH, AUTO), RECORDED), \
	BASE_CAP(BASE_POLICY(SPATIAL_MAP, GRID), RECORDED), BASE_CAP(BASE_POLICY(DISPATCH, GRID), RECORDED), BASE_CAP(OPCODE(DISPATCH_FILTER), RECORDED), \
	BASE_CAP(BASE_POLICY(POOLS, SINGLE), RECORDED), BASE_CAP(BASE_POLICY(POOLS, BY_EXEC_UNIT), RECORDED), BASE_CAP(BASE_POLICY(POOLS, CUSTOM), RECORDED), \
	BASE_CAP(BASE_POLICY(PIPELINE_DEPTH, DEPTH), RECORDED), BASE_CAP(BASE_POLICY(TIMING, RATE_LIMIT), RECORDED), \
	BASE_CAP(BASE_POLICY(ISSUE_COST, CYCLES), RECORDED), BASE_CAP(BASE_POLICY(START, THRESHOLD), RECORDED), \
	BASE_CAP(BASE_POLICY(START, AFTER_ORCHESTRATION), RECORDED), \
	/* resources that nobody counts */ \
	BASE_CAP(BASE_POLICY(TASK_WINDOW, STALL), RECORDED), BASE_CAP(BASE_POLICY(TASK_WINDOW, ABORT), RECORDED), \
	BASE_CAP(BASE_POLICY(TASK_WINDOW, BENCHMARK), RECORDED), BASE_CAP(BASE_POLICY(TENSOR_MAP, CAPACITY), RECORDED), \
	BASE_CAP(BASE_POLICY(DEP_LIST, CAPACITY), RECORDED), BASE_CAP(BASE_POLICY(HEAP, CAPACITY), RECORDED), \
	BASE_CAP(BASE_POLICY(READY_QUEUE, CAPACITY), RECORDED), BASE_CAP(FEATURE(TEMP_RENAMED), RECORDED), \
	BASE_CAP(OPCODE(ALLOC), RECORDED), BASE_CAP(OPCODE(FREE), RECORDED), BASE_CAP(GRAPH(MC_ALLOC), RECORDED), BASE_CAP(GRAPH(MC_FREE), RECORDED), \
	BASE_CAP(OPCODE(SCOPE), RECORDED), BASE_CAP(FEATURE(SCOPE_LIVENESS), RECORDED), BASE_CAP(FEATURE(DEADLOCK_REPORT), RECORDED), \
	BASE_CAP(BASE_POLICY(LAYOUT, SHARD), DIAGNOSED), BASE_CAP(FEATURE(STALL_STATS), UNSUPPORTED), BASE_CAP(FEATURE(HIGH_WATER), UNSUPPORTED), \
	/* processes have an order of their own */ \
	BASE_CAP(BASE_POLICY(CHANNEL_CAPACITY, CAPACITY), RECORDED), BASE_CAP(OPCODE(SEND), UNSUPPORTED), BASE_CAP(OPCODE(CONSUME), UNSUPPORTED), \
	BASE_CAP(OPCODE(CLOSE), UNSUPPORTED), BASE_CAP(FEATURE(CSP_TOKEN), UNSUPPORTED), BASE_CAP(FEATURE(CSP_PAYLOAD), UNSUPPORTED)

/* A task runs where its schedule says, so there is nothing to ask for. */
#define CAPS_A5 BASE_CAP(GRAPH(CA_AFFINITY), RECORDED)

static const struct ptowsp_cap a2[] = {ASCEND_CAPS_ALONE}, a2_name[] = {ASCEND_CAPS_ALONE, BY_NAME}, a2_program[] = {ASCEND_CAPS_ALONE, IN_PROGRAM_ORDER},
			       a2_both[] = {ASCEND_CAPS_ALONE, BY_NAME, IN_PROGRAM_ORDER}, a5[] = {CAPS_A5}, a5_name[] = {CAPS_A5, BY_NAME},
			       a5_program[] = {CAPS_A5, IN_PROGRAM_ORDER}, a5_both[] = {CAPS_A5, BY_NAME, IN_PROGRAM_ORDER};
/* By platform, model, order. */
static const struct {
	const struct ptowsp_cap *rows;
	uint32_t count;
} tables[2][2][2] = {
#define ROWS(list) {list, sizeof(list) / sizeof(*(list))}
	{{ROWS(a2), ROWS(a2_program)}, {ROWS(a2_name), ROWS(a2_both)}},
	{{ROWS(a5), ROWS(a5_program)}, {ROWS(a5_name), ROWS(a5_both)}},
#undef ROWS
};

const struct ptowsp_cap *ascend_simulated_caps(const struct ascend_simulated *own, const struct base_model *model, uint32_t *count_out)
{
	bool name = own && own->model == ASCEND_MODEL_NAME, program = own && own->order == ASCEND_PROGRAM_ORDER;
	bool later = model->platform == RT_PLATFORM_A5;

	*count_out = tables[later][name][program].count;
	return tables[later][name][program].rows;
}
