/* SPDX-License-Identifier: MIT */
/* aie_caps.c - on the array structure is what streams and the host's order say: a task runs when its objects are there. Nobody issues tasks one after the other, so what a
 * schedule says of issuing, rings and queues has nothing to act on; a program is walked before it runs, in phases where what tasks compute decides which tasks there are. */
#include "aie/aie_caps.h"

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
