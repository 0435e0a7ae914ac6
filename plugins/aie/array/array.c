/* SPDX-License-Identifier: MIT */
/* array.c - a device is found, built as a net, and run. */
#include "aie/array/array_own.h"
#include "aie/sim/aie_cost.h"
#include "aie/sim/sim_net.h"
#include "registry/common/common_arena.h"
#include <stdio.h>

#include "base/error.h"
#include <stdlib.h>
#include <string.h>

/* Devices that arrays are written for, by name. */

/* npu1 and npu2 and their parts are aie_arch.def's. The others have no costs of their own, those of npu1 stand for them: getDeviceName and AIETargetModel.cpp of mlir-aie. */
static const struct array_arch archs[] = {
	{"npu1", "npu1", 4, 6, 1, false},           {"npu1_1col", "npu1_1col", 1, 6, 1, false}, {"npu1_2col", "npu1_2col", 2, 6, 1, false},
	{"npu1_3col", "npu1_3col", 3, 6, 1, false}, {"npu1_4col", "npu1", 4, 6, 1, false},      {"npu2", "npu2", 8, 6, 1, false},
	{"npu4", "npu2", 8, 6, 1, false},           {"npu2_1col", "npu2_1col", 1, 6, 1, false}, {"npu2_2col", "npu2_2col", 2, 6, 1, false},
	{"npu2_3col", "npu2_3col", 3, 6, 1, false}, {"npu2_4col", "npu2_4col", 4, 6, 1, false}, {"npu2_5col", "npu2_5col", 5, 6, 1, false},
	{"npu2_6col", "npu2_6col", 6, 6, 1, false}, {"npu2_7col", "npu2_7col", 7, 6, 1, false}, {"xcvc1902", "npu1", 50, 9, 0, true},
	{"xcve2302", "npu1", 17, 4, 1, false},      {"xcve2802", "npu1", 38, 11, 2, false},
};

const struct array_arch *array_arch_find(const char *name)
{
	for (size_t i = 0; i < sizeof(archs) / sizeof(*archs); i++)
		if (!strcmp(archs[i].name, name))
			return &archs[i];
	return NULL;
}

const char *array_arch_names(char *text, size_t size)
{
	size_t length = 0;

	for (size_t i = 0; i < sizeof(archs) / sizeof(*archs) && length < size; i++)
		if (!strchr(archs[i].name, '_'))
			length += (size_t)snprintf(text + length, size - length, "%s, ", archs[i].name);
	if (length < size)
		snprintf(text + length, size - length, "or a part, as npu2_3col");
	return text;
}

enum aie_kind array_arch_kind(const struct array_arch *arch, int32_t row)
{
	return row == 0 ? AIE_SHIM : row <= arch->memtiles ? AIE_MEMTILE : AIE_CORE;
}

/* ---- devices of a module ------------------------------------------------------------------------------------------- */

static bool is_sequence(const struct aie_op *op)
{
	return aie_op_is(op, "aie.runtime_sequence") || aie_op_is(op, "aiex.runtime_sequence");
}

static void device_fill(struct aie_array_device *device, const struct aie_op *op, const struct aie_op *outside)
{
	*device = (struct aie_array_device){.op = op, .name = array_text(op, "sym_name"), .outside = outside};
	device->name = device->name ? device->name : "";
	for (const struct aie_op *in = op->region_count ? op->regions[0].first : NULL; in; in = in->next)
		if (is_sequence(in)) {
			device->sequence = device->sequence ? device->sequence : in;
			device->sequence_count++;
		}
}

/* *left: devices before the one that is looked for. */
static bool device_search(const struct aie_op *module, uint32_t *left, struct aie_array_device *device_out)
{
	for (const struct aie_op *op = module->regions[0].first; op; op = op->next) {
		if (aie_op_is(op, "builtin.module") && device_search(op, left, device_out))
			return true;
		if (!aie_op_is(op, "aie.device") || (*left)--)
			continue;
		device_fill(device_out, op, module);
		return true;
	}
	return false;
}

bool aie_array_device_find(const struct aie_module *module, uint32_t number, struct aie_array_device *device_out)
{
	return number < AIE_ARRAY_DEVICES && device_search(module->top, &number, device_out);
}

const struct aie_op *aie_array_sequence(const struct aie_array_device *device, const char *name)
{
	if (!name)
		return device->sequence;
	for (const struct aie_op *op = device->sequence; op; op = op->next) {
		const char *own = is_sequence(op) ? array_text(op, "sym_name") : NULL;

		if (own && !strcmp(own, name))
			return op;
	}
	return NULL;
}

/* ---- building ------------------------------------------------------------------------------------------------------- */

/* The device's name, which is stated as a word or as its number in the dialect. */
static const char *device_name(const struct aie_array_args *args)
{
	const struct aie_attr *device = aie_attr_of(args->device->op, "device");
	const struct aie_arch *arch = device && device->kind == AIE_ATTR_INT ? aie_arch_device((int32_t)device->number) : NULL;

	if (args->arch)
		return args->arch;
	return arch ? arch->name : device && device->text ? device->text : "";
}

static void arch_find(struct aie_array *array)
{
	const char *name = device_name(array->args);
	const struct array_arch *own;
	char known[ARRAY_ARCH_NAMES];

	array->arch = array_arch_find(name);
	own = array_arch_find(device_name(&(struct aie_array_args){.device = array->args->device}));
	own = own ? own : array->arch; /* of one that is not known, --arch says what it is */
	if (!array->arch && array->args->arch)
		array_expect(array, base_fail(array->error, PTOWSP_INVALID, "--arch %.32s: there is no such device; say %s", name,
					      array_arch_names(known, sizeof(known))));
	if (!array->arch)
		array_fail(array, array->device, PTOWSP_UNSUPPORTED, "device '%.32s' is not known; by --arch it runs as %s", name,
			   array_arch_names(known, sizeof(known)));
	if (array->args->arch && array->arch->memtiles != own->memtiles)
		array_fail(array, array->device, PTOWSP_INVALID, "it is written for %s, and the rows of %s are of other kinds; say a device like its own",
			   own->name, name);
	array->costs = aie_arch_named(array->arch->costs);
	array->report->mhz = array->costs->clock_hz / 1000000;
	array->report->borrowed = array->arch->binary || array->arch->rows != AIE_ROWS ? array->arch->costs : NULL;
}

static void begin(struct aie_array *array)
{
	array->value_count = array->args->module->value_count;
	array->places = common_take(array->arena, (size_t)array->value_count + 1, sizeof(*array->places));
	array->values = common_take(array->arena, (size_t)array->value_count + 1, sizeof(*array->values));
	memset(array->places, 0xFF, ((size_t)array->value_count + 1) * sizeof(*array->places));
	if (array->device->region_count != 1)
		array_fail(array, array->device, PTOWSP_INVALID, "a device has one region");
	arch_find(array);
}

static void make(struct aie_array *array)
{
	begin(array);
	array_read(array);
	array_attrs(array, array->device);
	array_fifos(array);
	array_switches(array);
	array_streams(array);
	array_dmas(array);
	array_fifo_chains(array);
	array_cores(array);
	array_host(array);
}

static void counts_report(const struct aie_array *array)
{
	struct aie_array_report *report = array->report;

	report->tiles = array->tile_count;
	report->cores = array->core_count;
	report->buffers = array->buffer_count;
	report->locks = array->lock_count;
	report->host = array->net->host.count != 0;
}

static void finish(struct aie_array *array)
{
	array_cores_finish(array);
	common_names_finish(&array->functions.function_names);
	common_names_finish(&array->said);
	common_arena_finish(array->arena);
}

const char *aie_array_outcome(ptowsp_status status, const struct aie_array_report *report, const struct aie_sim_stats *stats)
{
	switch (status) {
	case PTOWSP_OK: return report->host ? "ended" : report->cores || report->steps || report->descriptors ? "cores ended" : "nothing moves";
	case PTOWSP_DEADLOCK: return report->host || stats->ring_count ? "deadlock" : "waits";
	case PTOWSP_LIMIT: return "not over";
	case PTOWSP_KERNEL_FAILED: return "failed";
	default: return "refused";
	}
}

/* ---- running -------------------------------------------------------------------------------------------------------- */

static ptowsp_status memories_tell(const struct aie_array *array, bool ran, struct ptowsp_error *error)
{
	const struct aie_array_args *args = array->args;

	return args->memories ? args->memories(args->memories_context, array->memories, array->memory_count, ran, error) : PTOWSP_OK;
}

static void work(void *context)
{
	struct aie_array *array = context;
	const struct aie_array_args *args = array->args;
	const struct aie_sim_args run = {.buffering = args->buffering,
					 .host_cycles = args->host_cycles,
					 .max_events = args->max_events,
					 .cancel = args->cancel,
					 .told = args->told,
					 .told_context = args->told_context};

	make(array);
	aie_net_set(array->net, array->costs, &run);
	counts_report(array);
	array_expect(array, memories_tell(array, false, array->error));
	array->ran = true;
	array_expect(array, aie_net_run(array->net, &run, array->error));
}

ptowsp_status aie_array_run(const struct aie_array_args *args, struct aie_array_report *report, struct aie_sim_stats *stats, struct ptowsp_error *error)
{
	struct common_arena arena;
	struct aie_net net = {.error = error};
	struct aie_array array = {
		.args = args, .net = &net, .report = report, .error = error, .device = args->device->op, .arena = &arena, .functions = {.arena = &arena}};
	ptowsp_status status, told = PTOWSP_OK, taken;

	*report = (struct aie_array_report){0};
	common_arena_init(&arena, SIZE_MAX, &array.out);
	net.out = &array.out;
	if (!common_job(&array.out, work, &array) && !array.status)
		array.status = base_fail(error, PTOWSP_NO_MEMORY, "no memory to simulate this device");
	status = array.status;
	taken = aie_sim_stats_take(&net, status, stats, status ? NULL : error);
	if (array.ran && (!status || status == PTOWSP_DEADLOCK))
		told = memories_tell(&array, true, status ? NULL : error);
	finish(&array);
	aie_net_finish(&net);
	return status ? status : taken ? taken : told;
}
