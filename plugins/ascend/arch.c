/* SPDX-License-Identifier: MIT */
/* arch.c - arch.def as tables. */
#include "ascend/arch.h"

#include <string.h>

static const struct ascend_arch archs[ASCEND_ARCH_COUNT] = {
#define X(id, text_name, words) [ASCEND_##id].name = text_name, [ASCEND_##id].text = words,
	ASCEND_ARCHS(X)
#undef X
#define X(arch, number, value, source) [ASCEND_##arch].number = value,
#include "ascend/arch.def"
#undef X
};

const struct ascend_arch *ascend_arch(enum ascend_arch_id id)
{
	return &archs[id];
}

uint64_t ascend_arch_cycles(const struct ascend_arch *arch, uint64_t ns)
{
	const uint64_t cycles = (ns * arch->clock_mhz + 500) / 1000;

	return ns && !cycles ? 1 : cycles;
}

#define MIB (UINT64_C(1) << 20)
/* Cores reach global memory and their own in blocks. */
#define X(id, name, text) \
	static const struct ptowsp_arch_memory memories_##id[] = { \
		{.space = PTOWSP_SPACE_GM, .granularity = ASCEND_##id##_block, .capacity = ASCEND_##id##_hbm_mib * MIB}, \
		{.space = PTOWSP_SPACE_L2, .granularity = ASCEND_##id##_block, .capacity = ASCEND_##id##_l2_mib * MIB}, \
		{.space = PTOWSP_SPACE_UB, .per_unit = 1, .granularity = ASCEND_##id##_block, .capacity = ASCEND_##id##_ub}, \
		{.space = PTOWSP_SPACE_L1, .per_unit = 1, .granularity = ASCEND_##id##_block, .capacity = ASCEND_##id##_l1}, \
	}; \
	static const struct ptowsp_arch_unit units_##id[] = { \
		{.unit = PTOWSP_UNIT_AIC, .concurrency = 1, .count = ASCEND_##id##_clusters}, \
		{.unit = PTOWSP_UNIT_AIV, .concurrency = 1, .count = ASCEND_##id##_clusters * ASCEND_##id##_vectors_each}, \
		{.unit = PTOWSP_UNIT_AIC_AIV, .concurrency = 1, .count = ASCEND_##id##_clusters}, \
		{.unit = PTOWSP_UNIT_AICPU, .concurrency = 1, .count = ASCEND_##id##_aicpus}, \
	};
ASCEND_ARCHS(X)
#undef X

#define DEVICE(id, device_name, words, model, time) \
	{.head = PTOWSP_HEAD(struct ptowsp_device, DEVICE), \
	 .name = device_name, \
	 .text = words, \
	 .cycle_model = model, \
	 .memories = memories_##id, \
	 .units = units_##id, \
	 .memory_count = sizeof(memories_##id) / sizeof(*memories_##id), \
	 .memory_stride = sizeof(*memories_##id), \
	 .unit_count = sizeof(units_##id) / sizeof(*units_##id), \
	 .unit_stride = sizeof(*units_##id), \
	 .dispatch = PTOWSP_DISPATCH_CORE_GRID | PTOWSP_DISPATCH_QUEUES, \
	 .sync = PTOWSP_SYNC_BARRIER | PTOWSP_SYNC_FLAG | PTOWSP_SYNC_CROSS_DEVICE, \
	 .timing = time}

static const struct ptowsp_device simulated[ASCEND_DEVICE_COUNT] = {
#define X(id, name, text) \
	DEVICE(id, name "-0", text "; simulated", "core", PTOWSP_TIMING_EVENTS), \
	DEVICE(id, name "-1", text "; simulated", "core", PTOWSP_TIMING_EVENTS),
	ASCEND_ARCHS(X)
#undef X
};
static const struct ptowsp_device onboard[ASCEND_DEVICE_COUNT] = {
#define X(id, name, text) \
	DEVICE(id, name "-0", text, "measured", PTOWSP_TIMING_MEASURED), \
	DEVICE(id, name "-1", text, "measured", PTOWSP_TIMING_MEASURED),
	ASCEND_ARCHS(X)
#undef X
};

const struct ptowsp_device *ascend_devices(enum ascend_kind kind)
{
	return kind == ASCEND_ONBOARD ? onboard : simulated;
}

int ascend_device_find(const char *selector)
{
	if (!selector || !*selector)
		return 0;
	for (int i = 0; i < ASCEND_DEVICE_COUNT; i++)
		if (!strcmp(selector, simulated[i].name))
			return i;
	for (int i = 0; i < ASCEND_ARCH_COUNT; i++)
		if (!strcmp(selector, archs[i].name))
			return i * ASCEND_DEVICES_EACH;
	return -1;
}
