/* SPDX-License-Identifier: MIT */
#include "aie/model.h"

#include "aie/sim/aie_cost.h"
#include "ptowsp/ids.h"

/* A core's memory holds its fifos, buffers and the tiles of its kernels; memory tiles and DDR are the array's. */
static const struct ptowsp_arch_memory memories[] = {
	{.space = PTOWSP_SPACE_GM, .granularity = 4},
	{.space = PTOWSP_SPACE_UB, .capacity = 65536, .per_unit = 1, .granularity = 4},
	{.space = PTOWSP_SPACE_L1, .capacity = 65536, .per_unit = 1, .granularity = 4},
};
static const struct ptowsp_arch_unit units16[] = {{.unit = PTOWSP_UNIT_AIE_CORE, .count = 16, .concurrency = 1}},
				     units32[] = {{.unit = PTOWSP_UNIT_AIE_CORE, .count = 32, .concurrency = 1}};

#define DEVICE(n, t, u, columns, model, time, who)                                                                                                             \
	{                                                                                                                                                      \
		.platform = RT_PLATFORM_CPU, .untested = (who)[0] == 'd', .device = {                                                                          \
			.head = PTOWSP_HEAD(struct ptowsp_device, DEVICE),                                                                                     \
			.name = n,                                                                                                                             \
			.text = t,                                                                                                                             \
			.cycle_model = model,                                                                                                                  \
			.memories = memories,                                                                                                                  \
			.units = u,                                                                                                                            \
			.memory_count = sizeof(memories) / sizeof(*memories),                                                                                  \
			.memory_stride = sizeof(*memories),                                                                                                    \
			.unit_count = 1,                                                                                                                       \
			.unit_stride = sizeof(*u),                                                                                                             \
			.dispatch = PTOWSP_DISPATCH_THREADS,                                                                                                   \
			.sync = PTOWSP_SYNC_BARRIER,                                                                                                           \
			.timing = PTOWSP_TIMING_##time,                                                                                                        \
			.grid_rows = 4,                                                                                                                        \
			.grid_columns = columns,                                                                                                               \
			.engine = who                                                                                                                          \
		}                                                                                                                                              \
	}
#define NPU1(model, time, who, how) DEVICE("npu1", "XDNA1 (Phoenix, Hawk Point): 4 columns, 16 AIE2 cores; " how, units16, 4, model, time, who)
#define NPU2(model, time, who, how) DEVICE("npu2", "XDNA2 (Strix, Krackan): 8 columns, 32 AIE2P cores; " how, units32, 8, model, time, who)
/* All but the last once more behind it, so that from any choice on there are all. */
#define ROWS(...)                                                                                                                                              \
	{                                                                                                                                                      \
		NPU1(__VA_ARGS__), NPU2(__VA_ARGS__), NPU1(__VA_ARGS__)                                                                                        \
	}

static const struct base_model models[][2 * AIE_CHOICES - 1] = {
	[AIE_TIMES_REFERENCE] = ROWS("reference", REFERENCE, "threads", "simulated"),
	[AIE_TIMES_ARRAY] = ROWS(AIE_MODEL, EVENTS, "array", "simulated"),
	[AIE_TIMES_DEVICE] = ROWS(AIE_DEVICE_MODEL, MEASURED, "device", "by way of XRT"),
};

const struct base_model *aie_models(enum aie_choice choice, enum aie_times times, uint32_t *count_out)
{
	*count_out = AIE_CHOICES;
	return models[times] + choice;
}

const struct aie_arch *aie_model_arch(const struct base_model *model)
{
	return aie_arch_named(model->device.name);
}
