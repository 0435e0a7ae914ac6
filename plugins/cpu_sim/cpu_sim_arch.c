/* SPDX-License-Identifier: MIT */
#include "cpu_sim_arch.h"

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
#define MODEL(n)                                                                                                                                               \
	{                                                                                                                                                      \
		.platform = RT_PLATFORM_CPU, .device = {                                                                                                       \
			.head = PTOWSP_HEAD(struct ptowsp_device, DEVICE),                                                                                     \
			.name = n,                                                                                                                             \
			.text = "this machine's processor: portable kernels interpreted by worker threads, reference cycle model",                             \
			.cycle_model = "reference",                                                                                                            \
			.memories = memories,                                                                                                                  \
			.units = units,                                                                                                                        \
			.memory_count = sizeof(memories) / sizeof(*memories),                                                                                  \
			.memory_stride = sizeof(*memories),                                                                                                    \
			.unit_count = sizeof(units) / sizeof(*units),                                                                                          \
			.unit_stride = sizeof(*units),                                                                                                         \
			.dispatch = PTOWSP_DISPATCH_THREADS,                                                                                                   \
			.sync = PTOWSP_SYNC_BARRIER,                                                                                                           \
			.timing = PTOWSP_TIMING_REFERENCE,                                                                                                     \
			.engine = "threads"                                                                                                                    \
		}                                                                                                                                              \
	}
static const struct base_model models[] = {MODEL("cpu0"), MODEL("cpu1")};
#undef MODEL

const struct base_model *cpu_models(const struct base_options *options, uint32_t *count_out)
{
	(void)options; /* the same clock with all of them */
	*count_out = sizeof(models) / sizeof(*models);
	return models;
}
