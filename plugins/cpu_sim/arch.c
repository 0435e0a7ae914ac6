/* SPDX-License-Identifier: MIT */
#include "arch.h"

#include <string.h>
#include "error.h"

/* Tensors of every space lie in ordinary memory; a tile lives in the scratch memory of the thread that runs it. */
static const struct ptowsp_arch_memory memories[] = {
	{.space = PTOWSP_SPACE_GM, .granularity = 1},
	{.space = PTOWSP_SPACE_UB, .per_unit = 1, .granularity = 1},
};
/* Executors are bookkeeping of the semantic clock: as many of each type as the schedule asks for. */
static const struct ptowsp_arch_unit units[] = {
#define X(name, code, text, pool) {.unit = PTOWSP_UNIT_##name, .concurrency = 1},
#include "ptowsp/unit.def"
#undef X
};

/* Two that are alike: what one tells the other needs a second one. */
#define MODEL(n) \
	{.head = PTOWSP_HEAD(struct ptowsp_device, DEVICE), \
	.name = n, \
	.text = "this machine's processor: portable kernels interpreted by worker threads, reference cycle model", \
	.cycle_model = "reference", \
	.memories = memories, \
	.units = units, \
	.memory_count = sizeof(memories) / sizeof(*memories), \
	.memory_stride = sizeof(*memories), \
	.unit_count = sizeof(units) / sizeof(*units), \
	.unit_stride = sizeof(*units), \
	.dispatch = PTOWSP_DISPATCH_THREADS, \
	.sync = PTOWSP_SYNC_BARRIER, \
	.timing = PTOWSP_TIMING_REFERENCE}
static const struct ptowsp_device devices[] = {MODEL("cpu0"), MODEL("cpu1")};
#undef MODEL
#define DEVICES (sizeof(devices) / sizeof(*devices))

ptowsp_status cpu_devices_list(struct ptowsp_object *instance, const struct ptowsp_device **devices_out, uint32_t *count,
			       struct ptowsp_error *error)
{
	uint32_t room = *count;

	(void)instance;
	*count = DEVICES;
	for (uint32_t i = 0; i < room && i < DEVICES; i++)
		devices_out[i] = &devices[i];
	if (room < DEVICES)
		return cpu_fail(error, PTOWSP_MORE, "cpu_sim has %u devices, there is room for %u", (unsigned)DEVICES, room);
	return PTOWSP_OK;
}

ptowsp_status cpu_device_select(const char *selector, struct ptowsp_error *error)
{
	if (!selector || !*selector)
		return PTOWSP_OK;
	for (size_t i = 0; i < DEVICES; i++)
		if (!strcmp(selector, devices[i].name))
			return PTOWSP_OK;
	return cpu_fail(error, PTOWSP_NO_DEVICE, "cpu_sim has no device \"%.60s\"; it has %s, %s", selector, devices[0].name, devices[1].name);
}
