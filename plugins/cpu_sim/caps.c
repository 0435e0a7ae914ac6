/* SPDX-License-Identifier: MIT */
#include "caps.h"

#include <assert.h>
#include <string.h>
#include "arch.h"
#include "error.h"
#include "ptowsp/graph.h"
#include "ptowsp/ids.h"
#include "rt/platform.h"
#include "rt/rt.h"

#define ROW(f, s) {.feature = (f), .state = PTOWSP_STATE_##s, .evidence = PTOWSP_EVIDENCE_SELF_TESTED}
#define POLICY(directive, policy) PTOWSP_FEATURE_POLICY(PTOWSP_DIRECTIVE_##directive, PTOWSP_##directive##_##policy)

/* What the core cannot know: payloads, and the services of this backend's ops and extensions. */
static const struct ptowsp_cap own[] = {
	ROW(PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_PTO), ENFORCED),
	ROW(PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_ELF), ENFORCED),
	ROW(PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_IMAGE), UNSUPPORTED),
	ROW(PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_SOURCE), UNSUPPORTED),
	ROW(PTOWSP_FEATURE_TOTAL_CYCLES, ENFORCED),
	ROW(PTOWSP_FEATURE_KERNEL_CYCLES, ENFORCED),
	ROW(PTOWSP_FEATURE_STALL_STATS, ENFORCED),
	ROW(PTOWSP_FEATURE_HIGH_WATER, ENFORCED),
	ROW(PTOWSP_FEATURE_DEADLOCK_REPORT, ENFORCED),
	ROW(PTOWSP_FEATURE_DETERMINISTIC, ENFORCED),
	ROW(PTOWSP_FEATURE_CANCEL, ENFORCED),
	ROW(PTOWSP_FEATURE_DEADLINE, ENFORCED),
	ROW(PTOWSP_FEATURE_NO_KERNELS, ENFORCED),
	ROW(PTOWSP_FEATURE_TASK_TRACE, ENFORCED),
	ROW(PTOWSP_FEATURE_TASK_GRAPH, ENFORCED),
	ROW(PTOWSP_FEATURE_SET_VALUES, ENFORCED),
	ROW(PTOWSP_FEATURE_GRAPH(PTOWSP_SY_NOTIFY), ENFORCED), /* more than its platform: there are two devices */
	ROW(PTOWSP_FEATURE_GRAPH(PTOWSP_SY_WAIT_NOTIFY), ENFORCED),
	ROW(POLICY(LAYOUT, SHARD), ENFORCED),
	ROW(PTOWSP_FEATURE_MEMORY_ORDER, RECORDED), /* elements lie in row_major order here */
	ROW(POLICY(TRACE, TASKS), RECORDED), /* the host asks for records, or not: the directive changes nothing */
};
#define OWN (sizeof(own) / sizeof(*own))

static int known(const struct ptowsp_cap *rows, uint32_t count, uint32_t feature)
{
	for (uint32_t i = 0; i < count; i++)
		if (rows[i].feature == feature)
			return 1;
	return 0;
}

/* What this backend says of a feature goes before what its core and its platform say. */
uint32_t cpu_caps(struct ptowsp_cap *rows_out, uint32_t room)
{
	struct ptowsp_cap others[CPU_CAPS_LIMIT - OWN];
	uint32_t count = 0, core = rt_capabilities(others, CPU_CAPS_LIMIT - OWN);
	uint32_t there = core + rt_platform_capabilities(RT_PLATFORM_CPU, others + core, CPU_CAPS_LIMIT - OWN - core);

	assert(there <= CPU_CAPS_LIMIT - OWN);
	for (size_t i = 0; i < OWN; i++)
		if (count++ < room)
			rows_out[count - 1] = own[i];
	for (uint32_t i = 0; i < there; i++)
		if (!known(own, OWN, others[i].feature) && count++ < room)
			rows_out[count - 1] = others[i];
	return count;
}

ptowsp_status cpu_caps_list(struct ptowsp_object *instance, const char *device, struct ptowsp_cap *rows_out, uint32_t stride,
			    uint32_t *count, struct ptowsp_error *error)
{
	struct ptowsp_cap rows[CPU_CAPS_LIMIT];
	uint32_t room = *count, there = cpu_caps(rows, CPU_CAPS_LIMIT);
	ptowsp_status st = cpu_device_select(device, error);

	(void)instance;
	if (st)
		return st;
	*count = there;
	if (room < there)
		return cpu_fail(error, PTOWSP_MORE, "cpu_sim has %u capability rows, there is room for %u", there, room);
	if (stride < sizeof(*rows))
		return cpu_fail(error, PTOWSP_INVALID, "capability rows have at least %u bytes, not %u", (unsigned)sizeof(*rows),
				stride);
	for (uint32_t i = 0; i < there; i++) {
		char *to = (char *)rows_out + (size_t)i * stride;

		memcpy(to, &rows[i], sizeof(*rows));
		memset(to + sizeof(*rows), 0, stride - sizeof(*rows));
	}
	return PTOWSP_OK;
}
