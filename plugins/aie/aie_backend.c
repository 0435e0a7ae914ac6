/* SPDX-License-Identifier: MIT */
#include "aie/aie_backend.h"
#include "aie/sim/aie_cost.h"
#include "ptowsp/ids.h"

#include "aie/engine/aie_engine.h"
#include "aie/engine/engine_device.h"
#include "base/ops.h"
#include <string.h>

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

static const struct base_model model_rows[][2 * AIE_CHOICES - 1] = {
	[AIE_TIMES_REFERENCE] = ROWS("reference", REFERENCE, "threads", "simulated"),
	[AIE_TIMES_ARRAY] = ROWS(AIE_MODEL, EVENTS, "array", "simulated"),
	[AIE_TIMES_DEVICE] = ROWS(AIE_DEVICE_MODEL, MEASURED, "device", "by way of XRT"),
};

const struct base_model *aie_models(enum aie_choice choice, enum aie_times times, uint32_t *count_out)
{
	*count_out = AIE_CHOICES;
	return model_rows[times] + choice;
}

const struct aie_arch *aie_model_arch(const struct base_model *model)
{
	return aie_arch_named(model->device.name);
}

/* Values of `device` behind the names of arrays: the targets that mean one. */
enum { AIE_XDNA1 = AIE_CHOICES, AIE_XDNA2 };

static const struct base_option options[] = {
	BASE_OPTION(offsetof(struct base_options, opt_level), "opt_level", "int", "2", "0..3",
		    "effort of the placement: 0 as constructed, 1 to 3 improved once, up to four times, sixteen times; with clock=reference as on the other "
		    "backends"),
	BASE_OPTION(offsetof(struct aie_options, device), "device", "word", "npu1", "npu1|npu2|xdna1|xdna2",
		    "whose array comes first, also by its target: without --device the first one is taken"),
	BASE_OPTION(offsetof(struct aie_options, grid), "grid", "word", "", "RxC",
		    "part of the array that is used: rows of cores x columns, the first ones; all without it"),
	BASE_OPTION(offsetof(struct aie_options, pins), "pins", "word", "", "NAME@COLUMN,ROW;...",
		    "tiles of processes (load[1]@2,3) and of executors of the schedule (0@0,2)"),
	BASE_OPTION(
		offsetof(struct aie_options, objects), "objects", "word", "", "KERNEL=FILE;...",
		"object files of your own that cores are linked with, in place of the C that is written for these kernels, or of their images in the package"),
	BASE_OPTION(offsetof(struct aie_options, cores), "cores", "int", "0", "0..32", "most cores that a design uses, 0: as many as the array has"),
	BASE_OPTION(offsetof(struct aie_options, depth), "depth", "int", "2", "1..8", "objects of a fifo at each of its ends"),
	BASE_OPTION(offsetof(struct aie_options, buffering), "buffering", "word", "both", "0|8|both",
		    "words that a stream holds at each of its ends; both: the run is that with 8, and one with 0 says whether the design depends on it"),
	BASE_OPTION(offsetof(struct aie_options, host_cycles), "host_cycles", "int", "0", "0..1000000",
		    "cycles that the host takes to hand over a task, 0: the model's 3000"),
	BASE_OPTION(offsetof(struct aie_options, seed), "seed", "int", "1", "1..65535", "of the placement: the same seed gives the same places"),
	BASE_OPTION(offsetof(struct aie_options, epoch), "epoch", "word", "B", "A|B",
		    "syntax of design.custom.mlir below --emit: of the dialect before August 2026, or since then"),
	BASE_OPTION(offsetof(struct aie_options, cost), "cost", "word", "emitted", "emitted|published",
		    "cycles of a kernel: of the C that is emitted, which a core runs on its scalar unit; or of kernels by hand, as others published them"),
	BASE_OPTION(offsetof(struct base_options, own_clock), "clock", "word", "own", "reference|own",
		    "who runs tasks and when: the array, or threads by the clock of the runtime core, the same on every backend"),
	BASE_OPTION(offsetof(struct aie_options, engine), "engine", "word", "array", "array|device",
		    "what runs designs: a model of the array, or a device by way of XRT (plugins/aie/DEVICE.md)"),
	BASE_OPTION(offsetof(struct aie_options, xrt), "xrt", "path", "", "", "engine=device: folder of XRT; else that of XILINX_XRT, /opt/xilinx/xrt, /usr"),
	BASE_OPTION(offsetof(struct aie_options, peano), "peano", "path", "", "", "engine=device: folder of Peano; else that of PEANO_INSTALL_DIR"),
	BASE_OPTION(offsetof(struct aie_options, aiecc), "aiecc", "path", "", "", "engine=device: aiecc of mlir-aie; else the one in PATH"),
	BASE_OPTION(offsetof(struct aie_options, bridge), "bridge", "path", "", "", "engine=device: bridge to XRT; else it is compiled"),
	BASE_OPTION(offsetof(struct aie_options, cache), "cache", "path", "", "",
		    "engine=device: folder for what is compiled; else that of XDG_CACHE_HOME, HOME"),
	BASE_OPTION(offsetof(struct aie_options, root), "root", "path", "", "",
		    "engine=device: stands before /dev, /opt and /usr where a device and XRT are looked for"),
};

bool aie_options_own(const struct base_options *chosen)
{
	return !chosen || chosen->own_clock;
}

bool aie_options_on_device(const struct base_options *chosen)
{
	return chosen && ((const struct aie_options *)(const void *)chosen)->engine == AIE_ENGINE_DEVICE;
}

static enum aie_choice options_device(const struct base_options *chosen)
{
	static const enum aie_choice arrays[] = {[AIE_NPU1] = AIE_NPU1, [AIE_NPU2] = AIE_NPU2, [AIE_XDNA1] = AIE_NPU1, [AIE_XDNA2] = AIE_NPU2};

	return chosen ? arrays[((const struct aie_options *)(const void *)chosen)->device] : AIE_NPU1;
}

static const struct base_model *models(const struct base_options *chosen, uint32_t *count_out)
{
	return aie_models(options_device(chosen),
			  aie_options_on_device(chosen) ? AIE_TIMES_DEVICE
			  : aie_options_own(chosen)     ? AIE_TIMES_ARRAY
							: AIE_TIMES_REFERENCE,
			  count_out);
}

static uint32_t caps(const struct base_options *chosen, const struct base_model *model, struct ptowsp_cap *rows_out)
{
	(void)model;
	if (aie_options_on_device(chosen))
		return aie_device_caps(rows_out);
	return aie_options_own(chosen) ? aie_caps(rows_out, 0) : aie_reference_caps(rows_out);
}

static bool own_of(const struct base_program *program)
{
	return aie_options_own(program->device->instance->options);
}

static ptowsp_status device_open(struct base_device *device, struct ptowsp_error *error)
{
	return aie_options_on_device(device->instance->options) ? aie_device_open(device, error) : PTOWSP_OK;
}

static ptowsp_status load(struct base_program *program, const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	return own_of(program) ? aie_engine_load(program, args, error) : PTOWSP_OK;
}

static void unload(struct base_program *program)
{
	if (own_of(program))
		aie_engine_unload(program);
}

static void forget(struct base_program *program)
{
	if (own_of(program))
		aie_engine_forget(program);
}

static ptowsp_status run(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out,
			 struct ptowsp_error *error)
{
	return own_of(program) ? aie_engine_run(program, args, stats_out, deadlock_out, error) : rt_run(program->rt, args, stats_out, deadlock_out, error);
}

static const void *extension(struct ptowsp_object *instance, const char *id)
{
	return strcmp(id, PTOWSP_EXTENSION_REPORT) || (instance && !aie_options_own(base_options_of(instance))) ? NULL : &aie_report_table;
}

static const struct base_backend backend = {
	.name = AIE_BACKEND_NAME,
	.targets = AIE_TARGETS,
	.models = models,
	.caps = caps,
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.options_size = sizeof(struct aie_options),
	.open = device_open,
	.close = aie_device_close,
	.load = load,
	.unload = unload,
	.forget = forget,
	.run = run,
	.extension = extension,
};
BASE_OPS(aie_ops, backend);
