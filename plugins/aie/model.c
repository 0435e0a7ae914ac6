/* SPDX-License-Identifier: MIT */
#include "model.h"

#include "cost.h"
#include "ptowsp/ids.h"

/* A core's memory holds its fifos, buffers and the tiles of its kernels; memory tiles and DDR are the array's. */
static const struct ptowsp_arch_memory memories[] = {
	{.space = PTOWSP_SPACE_GM, .granularity = 4},
	{.space = PTOWSP_SPACE_UB, .capacity = 65536, .per_unit = 1, .granularity = 4},
	{.space = PTOWSP_SPACE_L1, .capacity = 65536, .per_unit = 1, .granularity = 4},
};
static const struct ptowsp_arch_unit units16[] = {{.unit = PTOWSP_UNIT_AIE_CORE, .count = 16, .concurrency = 1}},
				     units32[] = {{.unit = PTOWSP_UNIT_AIE_CORE, .count = 32, .concurrency = 1}};

#define DEVICE(n, t, u, columns, model, time, who) \
	{.platform = RT_PLATFORM_CPU, \
	 .device = {.head = PTOWSP_HEAD(struct ptowsp_device, DEVICE), .name = n, .text = t, .cycle_model = model, .memories = memories, .units = u, \
		    .memory_count = sizeof(memories) / sizeof(*memories), .memory_stride = sizeof(*memories), .unit_count = 1, .unit_stride = sizeof(*u), \
		    .dispatch = PTOWSP_DISPATCH_THREADS, .sync = PTOWSP_SYNC_BARRIER, .timing = PTOWSP_TIMING_##time, .grid_rows = 4, .grid_columns = columns, .engine = who}}
#define NPU1(model, time, who) DEVICE("npu1", "XDNA1 (Phoenix, Hawk Point): 4 columns, 16 AIE2 cores; simulated", units16, 4, model, time, who)
#define NPU2(model, time, who) DEVICE("npu2", "XDNA2 (Strix, Krackan): 8 columns, 32 AIE2P cores; simulated", units32, 8, model, time, who)

/* Once more behind the last one, so that from any choice on there are two. */
static const struct base_model own[] = {NPU1(AIE_MODEL, EVENTS, "array"), NPU2(AIE_MODEL, EVENTS, "array"), NPU1(AIE_MODEL, EVENTS, "array")},
			       reference[] = {NPU1("reference", REFERENCE, "threads"), NPU2("reference", REFERENCE, "threads"), NPU1("reference", REFERENCE, "threads")};

const struct base_model *aie_models(enum aie_choice choice, bool with_own, uint32_t *count_out)
{
	*count_out = AIE_CHOICES;
	return (with_own ? own : reference) + choice;
}

const struct aie_arch *aie_model_arch(const struct base_model *model)
{
	return aie_arch_named(model->device.name);
}
