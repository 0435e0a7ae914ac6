/* SPDX-License-Identifier: MIT */
/* aie_caps.c - on the array structure is what streams and the host's order say: a task runs when its objects are there. Nobody issues tasks one after the other, so what a
 * schedule says of issuing, rings and queues has nothing to act on; a program is walked before it runs, in phases where what tasks compute decides which tasks there are. */
#include "aie/aie_backend.h"
#include "aie/engine/engine_device.h"

#include "ptowsp/graph.h"
#include "ptowsp/ids.h"
#include "ptowsp/workload.h"

#define GRAPH(op) PTOWSP_FEATURE_GRAPH(PTOWSP_##op)

static const struct ptowsp_cap own_rows[] = {
	BASE_CAP(PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_IMAGE), RECORDED), /* written with the design; what runs is the kernel's portable code */
	BASE_CAP(PTOWSP_FEATURE_TEMP_RENAMED, RECORDED),
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
	return base_caps_unissued(rows, BASE_CAPS_ADD(rows, there, own_rows));
}

/* Rows of engine=device: those of the array, and what is otherwise on one. All are claims: nothing here has run on one.
 *
 * A core gets what was compiled from portable kernels, or objects that a user has. The host sees one time for a whole run and cannot look into one: no task has a time of its own, and a
 * run that stands still ends by the deadline, without a report. A window that stalls is in the design's own sequence; what it took in a run, and whether it would have aborted,
 * only times say. A run that was started ends early only if the driver stops it. */

#define GRAPH(op)     PTOWSP_FEATURE_GRAPH(PTOWSP_##op)
#define OPCODE(op)    PTOWSP_FEATURE_OPCODE(PTOWSP_OP_##op)
#define FEATURE(name) PTOWSP_FEATURE_##name

static const struct ptowsp_cap device_rows[] = {
	BASE_CAP(PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_ELF), UNSUPPORTED),
	BASE_CAP(PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_IMAGE), ENFORCED),
	BASE_CAP(OPCODE(COPY), UNSUPPORTED),
	BASE_CAP(GRAPH(MC_COPY), UNSUPPORTED),
	BASE_CAP(GRAPH(TG_CHECKPOINT), UNSUPPORTED),
	BASE_CAP(GRAPH(TG_RESTORE), UNSUPPORTED),
	BASE_CAP(FEATURE(TOTAL_CYCLES), RECORDED),
	BASE_CAP(FEATURE(KERNEL_CYCLES), UNSUPPORTED),
	BASE_CAP(FEATURE(TASK_TRACE), RECORDED),
	BASE_CAP(BASE_POLICY(TASK_WINDOW, ABORT), DIAGNOSED),
	BASE_CAP(BASE_POLICY(TASK_WINDOW, BENCHMARK), DIAGNOSED),
	BASE_CAP(FEATURE(STALL_STATS), UNSUPPORTED),
	BASE_CAP(FEATURE(HIGH_WATER), UNSUPPORTED),
	BASE_CAP(FEATURE(DEADLOCK_REPORT), UNSUPPORTED),
	BASE_CAP(FEATURE(CANCEL), DIAGNOSED),
	BASE_CAP(FEATURE(DEADLINE), DIAGNOSED),
};

uint32_t aie_device_caps(struct ptowsp_cap *rows_out)
{
	return aie_caps(rows_out, BASE_CAPS_ADD(rows_out, 0, device_rows));
}
