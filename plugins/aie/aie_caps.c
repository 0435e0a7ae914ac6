/* SPDX-License-Identifier: MIT */
/* aie_caps.c - on the array structure is what streams and the host's order say: a task runs when its objects are there. Nobody issues tasks one after the other, so what a
 * schedule says of issuing, rings and queues has nothing to act on; a program is walked before it runs, in phases where what tasks compute decides which tasks there are. */
#include "aie/aie_caps.h"

#include "ptowsp/graph.h"
#include "ptowsp/ids.h"
#include "ptowsp/workload.h"

#define GRAPH(op)     PTOWSP_FEATURE_GRAPH(PTOWSP_##op)
#define OPCODE(op)    PTOWSP_FEATURE_OPCODE(PTOWSP_OP_##op)
#define FEATURE(name) PTOWSP_FEATURE_##name

static const struct ptowsp_cap own_rows[] = {
	/* written with the design; what runs is the kernel's portable code */
	BASE_CAP(PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_IMAGE), RECORDED),
	/* where: executors are cores. Who is free first is known only when cores run, and their programs are fixed before; by one walk, so that there are no instances to filter */
	BASE_CAP(BASE_POLICY(DISPATCH, WORK_STEAL), RECORDED),
	BASE_CAP(OPCODE(DISPATCH_FILTER), RECORDED),
	/* of times that only issuing makes */
	BASE_CAP(BASE_POLICY(POOLS, BY_EXEC_UNIT), RECORDED),
	BASE_CAP(BASE_POLICY(TIMING, RATE_LIMIT), RECORDED),
	BASE_CAP(BASE_POLICY(ISSUE_COST, CYCLES), RECORDED),
	BASE_CAP(BASE_POLICY(START, THRESHOLD), RECORDED), /* issues that take no time leave nothing to hold back */
	BASE_CAP(BASE_POLICY(START, AFTER_ORCHESTRATION), RECORDED),
	/* resources that are not there */
	BASE_CAP(BASE_POLICY(TENSOR_MAP, CAPACITY), RECORDED),
	BASE_CAP(BASE_POLICY(DEP_LIST, CAPACITY), RECORDED),
	BASE_CAP(BASE_POLICY(HEAP, CAPACITY), RECORDED),
	BASE_CAP(BASE_POLICY(READY_QUEUE, CAPACITY), RECORDED),
	/* more than its platform does: a fence is an order of tasks */
	BASE_CAP(GRAPH(MC_FENCE), ENFORCED),
	BASE_CAP(FEATURE(TEMP_RENAMED), RECORDED),
	BASE_CAP(OPCODE(ALLOC), RECORDED),
	BASE_CAP(OPCODE(FREE), RECORDED),
	BASE_CAP(GRAPH(MC_ALLOC), RECORDED),
	BASE_CAP(GRAPH(MC_FREE), RECORDED),
	/* other devices */
	BASE_CAP(OPCODE(NOTIFY), UNSUPPORTED),
	BASE_CAP(OPCODE(WAIT_NOTIFY), UNSUPPORTED),
	BASE_CAP(GRAPH(SY_NOTIFY), UNSUPPORTED),
	BASE_CAP(GRAPH(SY_WAIT_NOTIFY), UNSUPPORTED),
};

/* Devices of one run tell each other their notifications by the reference clock, as on the processor. */
static const struct ptowsp_cap reference_rows[] = {
	BASE_CAP(GRAPH(MC_FENCE), ENFORCED),
	BASE_CAP(GRAPH(SY_NOTIFY), ENFORCED),
	BASE_CAP(GRAPH(SY_WAIT_NOTIFY), ENFORCED),
};

uint32_t aie_reference_caps(struct ptowsp_cap *rows_out)
{
	return BASE_CAPS_ADD(rows_out, 0, reference_rows);
}

uint32_t aie_caps(struct ptowsp_cap *rows, uint32_t there)
{
	return BASE_CAPS_ADD(rows, there, own_rows);
}
