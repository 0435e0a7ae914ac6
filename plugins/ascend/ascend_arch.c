/* SPDX-License-Identifier: MIT */
/* ascend_arch.c - ascend_arch.def as tables. */
#include "ascend/ascend_arch.h"

static const struct ascend_arch archs[ASCEND_ARCH_COUNT] = {
#define X(id, text_name, platform, words) [ASCEND_##id].name = text_name, [ASCEND_##id].text = words,
	ASCEND_ARCHS(X)
#undef X
#define X(arch, number, value, source) [ASCEND_##arch].number = value,
#include "ascend/ascend_arch.def"
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
#define X(id, name, platform, text)                                                                                                                            \
	static const struct ptowsp_arch_memory memories_##id[] = {                                                                                             \
		{.space = PTOWSP_SPACE_GM, .granularity = ASCEND_##id##_block, .capacity = ASCEND_##id##_hbm_mib * MIB},                                       \
		{.space = PTOWSP_SPACE_L2, .granularity = ASCEND_##id##_block, .capacity = ASCEND_##id##_l2_mib * MIB},                                        \
		{.space = PTOWSP_SPACE_UB, .per_unit = 1, .granularity = ASCEND_##id##_block, .capacity = ASCEND_##id##_ub},                                   \
		{.space = PTOWSP_SPACE_L1, .per_unit = 1, .granularity = ASCEND_##id##_block, .capacity = ASCEND_##id##_l1},                                   \
	};                                                                                                                                                     \
	static const struct ptowsp_arch_unit units_##id[] = {                                                                                                  \
		{.unit = PTOWSP_UNIT_AIC, .concurrency = 1, .count = ASCEND_##id##_clusters},                                                                  \
		{.unit = PTOWSP_UNIT_AIV, .concurrency = 1, .count = ASCEND_##id##_clusters * ASCEND_##id##_vectors_each},                                     \
		{.unit = PTOWSP_UNIT_AIC_AIV, .concurrency = 1, .count = ASCEND_##id##_clusters},                                                              \
		{.unit = PTOWSP_UNIT_AICPU, .concurrency = 1, .count = ASCEND_##id##_aicpus},                                                                  \
	};
ASCEND_ARCHS(X)
#undef X

#define DEVICE(id, device_name, platform_id, words, model, who, time)                                                                                          \
	{.platform = RT_PLATFORM_##platform_id,                                                                                                                \
	 .device = {.head = PTOWSP_HEAD(struct ptowsp_device, DEVICE),                                                                                         \
		    .name = device_name,                                                                                                                       \
		    .text = words,                                                                                                                             \
		    .cycle_model = model,                                                                                                                      \
		    .memories = memories_##id,                                                                                                                 \
		    .units = units_##id,                                                                                                                       \
		    .memory_count = sizeof(memories_##id) / sizeof(*memories_##id),                                                                            \
		    .memory_stride = sizeof(*memories_##id),                                                                                                   \
		    .unit_count = sizeof(units_##id) / sizeof(*units_##id),                                                                                    \
		    .unit_stride = sizeof(*units_##id),                                                                                                        \
		    .dispatch = PTOWSP_DISPATCH_CORE_GRID | PTOWSP_DISPATCH_QUEUES,                                                                            \
		    .sync = PTOWSP_SYNC_BARRIER | PTOWSP_SYNC_FLAG | PTOWSP_SYNC_CROSS_DEVICE,                                                                 \
		    .timing = PTOWSP_TIMING_##time,                                                                                                            \
		    .engine = who}},
#define TWO(id, name, platform, words, model, who, time)                                                                                                       \
	DEVICE(id, name "-0", platform, words, model, who, time)                                                                                               \
	DEVICE(id, name "-1", platform, words, model, who, time)
#define CORE(id, name, platform, text)       TWO(id, name, platform, text "; simulated", "core", "machine", EVENTS)
#define OP_SUM(id, name, platform, text)     TWO(id, name, platform, text "; simulated", "op-sum", "machine", EVENTS)
#define NAME(id, name, platform, text)       TWO(id, name, platform, text "; simulated", "name", "machine", EVENTS)
#define REFERENCE(id, name, platform, text)  TWO(id, name, platform, text "; simulated", "reference", "threads", REFERENCE)
#define SIM_BUFFER(id, name, platform, text) TWO(id, name, platform, text "; simulated", "plan", "pto-runtime tensormap_and_ringbuffer", EVENTS)
#define SIM_GRAPH(id, name, platform, text)  TWO(id, name, platform, text "; simulated", "plan", "pto-runtime host_build_graph", EVENTS)
#define BUFFER(id, name, platform, text)     TWO(id, name, platform, text, "plan", "pto-runtime tensormap_and_ringbuffer", EVENTS)
#define GRAPH(id, name, platform, text)      TWO(id, name, platform, text, "plan", "pto-runtime host_build_graph", EVENTS)
#define TWICE(KIND)                          ASCEND_ARCHS(KIND) ASCEND_ARCHS(KIND)

/* Devices of each kind, in the order of the enum, twice: from any architecture on there are as many as a backend has. */
static const struct base_model models[ASCEND_KIND_COUNT * 2 * ASCEND_DEVICE_COUNT] = {TWICE(CORE) TWICE(OP_SUM) TWICE(NAME) TWICE(REFERENCE) TWICE(SIM_BUFFER)
											      TWICE(SIM_GRAPH) TWICE(BUFFER) TWICE(GRAPH)};

const struct base_model *ascend_models(enum ascend_kind kind, enum ascend_arch_id first)
{
	return &models[kind * 2 * ASCEND_DEVICE_COUNT + first * ASCEND_DEVICES_EACH];
}

enum ascend_arch_id ascend_model_id(const struct base_model *model)
{
	return (enum ascend_arch_id)((model - models) % ASCEND_DEVICE_COUNT / ASCEND_DEVICES_EACH);
}
