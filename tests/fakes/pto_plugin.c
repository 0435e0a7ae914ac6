/* SPDX-License-Identifier: MIT */
/* pto_plugin.c - a backend that has nothing but the pto-runtime engine, for tests: --opt runtime=DIR, variant=NAME, cache=DIR. */
#include "ascend/engine.h"
#include "base/backend.h"
#include "base/caps.h"
#include "base/error.h"
#include "base/ops.h"
#include "ptowsp/ids.h"
#include "ptowsp/note.h"

#define NAME "pto_engine"

PTOWSP_NOTE(0, NAME, "tests", "0.1.0", NAME);

struct options {
	struct base_options base;
	char runtime[BASE_TEXT], cache[BASE_TEXT];
	unsigned variant;
};
static const char *const variants[] = {ASCEND_TASK_BUFFER, ASCEND_HOST_GRAPH};
static const struct base_option rows[] = {
	{BASE_OPTION("runtime", "path", "", "", "folder of a pto-runtime that was built in place"), offsetof(struct options, runtime), 0, {NULL}, 0, 0},
	{BASE_OPTION("cache", "path", "", "", "where what is compiled is kept"), offsetof(struct options, cache), 0, {NULL}, 0, 0},
	{BASE_OPTION("variant", "word", ASCEND_TASK_BUFFER, ASCEND_TASK_BUFFER "|" ASCEND_HOST_GRAPH, "of the runtime"), offsetof(struct options, variant), 0,
	 {ASCEND_TASK_BUFFER, ASCEND_HOST_GRAPH}, 0, 0},
};

static const struct ptowsp_arch_memory memories[] = {{.space = PTOWSP_SPACE_GM, .granularity = 1}, {.space = PTOWSP_SPACE_UB, .per_unit = 1, .granularity = 1}};
static const struct ptowsp_arch_unit units[] = {
#define X(name, code, text, pool) {.unit = PTOWSP_UNIT_##name, .concurrency = 1},
#include "ptowsp/unit.def"
#undef X
};
static const struct base_model *models(const struct base_options *options, uint32_t *count_out)
{
	static const struct base_model model = {.platform = RT_PLATFORM_A2,
						.device = {.head = PTOWSP_HEAD(struct ptowsp_device, DEVICE), .name = "pto0", .text = "a pto-runtime",
							   .cycle_model = "none", .memories = memories, .units = units,
							   .memory_count = sizeof(memories) / sizeof(*memories), .memory_stride = sizeof(*memories),
							   .unit_count = sizeof(units) / sizeof(*units), .unit_stride = sizeof(*units)}};

	(void)options;
	*count_out = 1;
	return &model;
}

static const struct ptowsp_cap *caps(const struct base_options *options, const struct base_model *model, uint32_t *count_out)
{
	(void)model;
	return ascend_engine_caps(variants[options ? ((const struct options *)(const void *)options)->variant : 0], count_out);
}

static ptowsp_status open_device(struct base_device *device, struct ptowsp_error *error)
{
	const struct options *options = (const void *)device->instance->options;
	const struct ascend_which which = {options->runtime, "a2a3", variants[options->variant], false};
	struct ascend_engine *engine;
	ptowsp_status st = ascend_engine_open(&engine, &which, options->cache, error);

	device->own = engine;
	return st;
}

static void close_device(struct base_device *device)
{
	ascend_engine_close(device->own);
}

static ptowsp_status load(struct base_program *program, const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	struct ascend_loaded *loaded;
	ptowsp_status st = ascend_engine_load(program->device->own, &loaded, program, args, error);

	program->own = loaded;
	return st;
}

static void unload(struct base_program *program)
{
	ascend_engine_unload(program->own);
}

static ptowsp_status run(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out,
			 struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error)
{
	return ascend_engine_run(program->own, args, stats_out, deadlock_out, error);
}

static const struct base_backend backend = {.name = NAME, .targets = NAME, .models = models, .caps = caps, .options = rows,
					    .option_count = sizeof(rows) / sizeof(*rows), .options_size = sizeof(struct options), .open = open_device,
					    .close = close_device, .load = load, .unload = unload, .run = run};
BASE_OPS(ops, backend);

static const struct ptowsp_plugin plugin = {.head = PTOWSP_HEAD(plugin, PLUGIN), .major = PTOWSP_ABI_MAJOR, .minor = PTOWSP_ABI_TARGET, .name = NAME,
					    .vendor = "tests", .version = "0.1.0", .targets = NAME, .ops = &ops};

const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor)
{
	(void)host_minor;
	return &plugin;
}
