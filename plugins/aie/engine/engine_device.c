/* SPDX-License-Identifier: MIT */
#include "aie/engine/engine_device.h"

#include "aie/aie_artifact.h"
#include "aie/engine/aie_hardware.h"
#include "aie/engine/core_program.h"
#include "base/error.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLICE_MS = 20, OPCODE = 3 }; /* between looks at deadline and cancel; what the kernel of an xclbin by mlir-aie takes first */

struct opened {
	struct aie_client client;
	struct aie_piece pieces[AIE_PIECES];
};

/* ---- the device --------------------------------------------------------------------------------------------------------- */

static const struct aie_options *options_of(const struct base_device *device)
{
	return (const void *)device->instance->options;
}

static ptowsp_status pieces_find(struct opened *opened, const struct base_device *device, struct ptowsp_error *error)
{
	static const enum aie_piece_kind kinds[] = {AIE_PIECE_DRIVER, AIE_PIECE_XRT, AIE_PIECE_HEADERS};
	const struct aie_options *options = options_of(device);
	struct aie_places places = aie_places();
	ptowsp_status status;

	places.root = options->root;
	places.xrt = options->xrt;
	places.peano = options->peano;
	places.aiecc = options->aiecc;
	aie_pieces_find(opened->pieces, &places);
	status = aie_pieces_need(opened->pieces, kinds, *options->bridge ? 2 : 3, error);
	for (unsigned p = 0; p < AIE_PIECES; p++) /* but the one that the error names */
		if (!*opened->pieces[p].found && !(p == AIE_PIECE_HEADERS && *options->bridge) &&
		    !(status && error && strstr(error->text, opened->pieces[p].missing)))
			base_log(device->instance, PTOWSP_LOG_WARNING, "engine=device: %s", opened->pieces[p].missing);
	return status;
}

/* Names as XRT and its tools have them: what says nothing of a generation may be any. */
static ptowsp_status generation_check(const struct opened *opened, const struct base_device *device, struct ptowsp_error *error)
{
	static const struct {
		const char *word, *array;
	} rows[] = {{"npu1", "npu1"}, {"Phoenix", "npu1"}, {"Hawk", "npu1"},  {"npu4", "npu2"},
		    {"npu5", "npu2"}, {"npu6", "npu2"},    {"Strix", "npu2"}, {"Krackan", "npu2"}};
	const char *name = opened->client.about.name, *array = device->model->device.name;

	for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++)
		if (strstr(name, rows[r].word) && strcmp(rows[r].array, array))
			return base_fail(error, PTOWSP_NO_DEVICE,
					 "engine=device: this machine has %.60s, an %s, and designs would be for %s; take --opt device=%s", name, rows[r].array,
					 array, rows[r].array);
	return PTOWSP_OK;
}

ptowsp_status aie_device_open(struct base_device *device, struct ptowsp_error *error)
{
	const struct aie_options *options = options_of(device);
	struct opened *opened;
	ptowsp_status status;

	if (!aie_options_own(device->instance->options))
		return base_fail(error, PTOWSP_INVALID, "clock=reference: engine=device has no such clock; leave one of the two out");
	opened = device->own = calloc(1, sizeof(*opened));
	if (!opened)
		return rt_no_memory(error, "a device");
	status = pieces_find(opened, device, error);
	if (!status)
		status = aie_client_open(&opened->client, &(struct aie_client_args){opened->pieces, options->bridge, options->cache}, error);
	if (!status)
		status = generation_check(opened, device, error);
	if (status)
		aie_device_close(device);
	return status;
}

void aie_device_close(struct base_device *device)
{
	struct opened *opened = device->own;

	if (opened)
		aie_client_close(&opened->client);
	free(opened);
	device->own = NULL;
}

/* ---- a run -------------------------------------------------------------------------------------------------------------- */

/* An argument of the sequence. */
struct argument {
	void *data;     /* the host's, NULL: filler, which nobody reads */
	uint64_t bytes; /* of the host's; the device's may have the rest of a last word behind them */
	bool comes;     /* the device writes it */
};
struct device_run {
	struct aie_run *run;
	struct opened *opened;
	struct aie_back back;
	struct aie_kernel_files files;
	struct aie_artifact artifact;
	struct argument *arguments;
	uint64_t *bytes;
	uint64_t *programs; /* per core: bytes, AIE_UNMEASURED */
	void *loaded;
	struct aie_bridge_about about;
	uint64_t ns; /* from the start to the end */
};

static ptowsp_status arguments_make(struct device_run *going)
{
	const struct aie_loaded *loaded = going->run->loaded;
	const struct aie_lowered *lowered = &loaded->map.lowered;
	const struct aie_design *design = &going->back.design;

	if (lowered->argument_count > AIE_BRIDGE_BUFFERS)
		return rt_fail(going->run->error, PTOWSP_UNSUPPORTED,
			       "the design moves %u tensors, engine=device gives a run at most %u buffers; use engine=array", lowered->argument_count,
			       AIE_BRIDGE_BUFFERS);
	going->arguments = calloc((size_t)lowered->argument_count + 1, sizeof(*going->arguments));
	going->bytes = calloc((size_t)lowered->argument_count + 1, sizeof(*going->bytes));
	if (!going->arguments || !going->bytes)
		return rt_no_memory(going->run->error, "buffers of a run");
	for (uint32_t a = 0; a < lowered->argument_count; a++) {
		uint32_t tensor = lowered->arguments[a];

		going->arguments[a].data = tensor == AIE_NOTHING ? NULL : loaded->map.bases[tensor];
		going->arguments[a].bytes = tensor == AIE_NOTHING ? lowered->filler_bytes
								  : loaded->map.tensors[tensor].elements * rt_dtype_bytes(loaded->map.tensors[tensor].dtype);
		going->bytes[a] = aie_type_bytes(design->arguments[a]);
	}
	for (uint32_t s = 0; s < design->step_count; s++)
		if (!design->steps[s].waits && design->tiles[design->fifos[design->steps[s].fifo].producer].kind != AIE_SHIM)
			going->arguments[design->steps[s].argument].comes = true;
	return PTOWSP_OK;
}

/* Sizes are read whether the tools took the design or not: an older linker lets a program be too large, and the loader tells nobody. */
static ptowsp_status programs_measure(struct device_run *going, ptowsp_status made)
{
	const struct aie_design *design = &going->back.design;
	struct aie_loaded *loaded = going->run->loaded;
	ptowsp_status status;

	going->programs = calloc((size_t)design->core_count + 1, sizeof(*going->programs));
	if (!going->programs)
		return rt_no_memory(going->run->error, "programs of cores");
	aie_core_programs_read(design, going->artifact.cores, going->programs);
	status = aie_report_design(&loaded->report, design, &going->back.channels, &going->back.drawn.picture, going->programs, going->run->error);
	if (!status && (!made || made == PTOWSP_NO_DEVICE))
		status = aie_core_programs_check(design, going->programs, going->run->error);
	return status ? status : made;
}

static ptowsp_status compile(struct device_run *going)
{
	struct aie_loaded *loaded = going->run->loaded;
	const struct base_device *device = loaded->program->device;
	const struct aie_kernel_files_args kernels = {
		&going->back.design, &loaded->map.lowered, loaded->map.walk, loaded->map.kernels, loaded->objects, loaded->program->kernels.count, true};
	struct aie_artifact_args args = {
		.arch = loaded->arch, .text = loaded->map.text, .files = &going->files, .pieces = going->opened->pieces, .cache = options_of(device)->cache};
	ptowsp_status status = aie_kernel_files_make(&going->files, &kernels, going->run->error);

	if (!status)
		status = aie_artifact_make(&going->artifact, &args, going->run->error);
	if (*going->artifact.folder)
		base_log(device->instance, status ? PTOWSP_LOG_WARNING : PTOWSP_LOG_INFO, "engine=device: the design %s in %s",
			 status                     ? "stands"
			 : going->artifact.compiled ? "was compiled"
						    : "is",
			 going->artifact.folder);
	return *going->artifact.folder ? programs_measure(going, status) : status;
}

static ptowsp_status failed(struct device_run *going, int32_t code, const char *step)
{
	return aie_client_fail(&going->opened->client, code, &going->about, step, going->run->error);
}

static ptowsp_status load(struct device_run *going)
{
	const struct aie_bridge_artifact artifact = {.xclbin = going->artifact.xclbin,
						     .kernel = "MLIR_AIE",
						     .words = going->artifact.words,
						     .word_count = going->artifact.word_count,
						     .bytes = going->bytes,
						     .buffer_count = going->run->loaded->map.lowered.argument_count,
						     .opcode = OPCODE};
	int32_t code = going->opened->client.bridge->load(going->opened->client.device, &artifact, &going->loaded, &going->about);

	if (code)
		going->loaded = NULL;
	return code ? failed(going, code, "load") : PTOWSP_OK;
}

/* All that the host has goes there: what the device writes in part keeps the rest. */
static ptowsp_status give(struct device_run *going)
{
	const struct aie_bridge *bridge = going->opened->client.bridge;

	for (uint32_t a = 0; a < going->run->loaded->map.lowered.argument_count; a++) {
		const struct argument *argument = &going->arguments[a];
		void *data = NULL;
		int32_t code = bridge->map(going->loaded, a, &data, &going->about);

		if (!code)
			memset(data, 0, (size_t)going->bytes[a]);
		if (!code && argument->data)
			memcpy(data, argument->data, (size_t)argument->bytes);
		if (!code)
			code = bridge->give(going->loaded, a, &going->about);
		if (code)
			return failed(going, code, "buffer to the device");
	}
	return PTOWSP_OK;
}

static ptowsp_status take(struct device_run *going)
{
	const struct aie_bridge *bridge = going->opened->client.bridge;

	for (uint32_t a = 0; a < going->run->loaded->map.lowered.argument_count; a++) {
		const struct argument *argument = &going->arguments[a];
		void *data = NULL;
		int32_t code;

		if (!argument->comes || !argument->data)
			continue;
		code = bridge->take(going->loaded, a, &going->about);
		if (!code)
			code = bridge->map(going->loaded, a, &data, &going->about);
		if (code)
			return failed(going, code, "buffer from the device");
		memcpy(argument->data, data, (size_t)argument->bytes);
	}
	return PTOWSP_OK;
}

static uint64_t now(const struct device_run *going)
{
	const struct ptowsp_host *host = going->run->loaded->program->device->instance->host;

	return host->now_ns(host->context);
}

/* A cancel or the deadline ends a run early. */
static ptowsp_status over(struct device_run *going)
{
	const struct rt_run_args *args = going->run->args;

	if (args->cancel && __atomic_load_n(args->cancel, __ATOMIC_RELAXED))
		return rt_fail(going->run->error, PTOWSP_CANCELLED, "the run was cancelled");
	if (args->args->deadline_ns && now(going) >= args->args->deadline_ns)
		return rt_fail(
			going->run->error, PTOWSP_DEADLINE,
			"the deadline passed on %.60s; allow more time with --timeout-ms, or see with engine=array whether the design comes to an end, and "
			"which kernel refuses its data if one does",
			going->opened->client.about.name);
	return PTOWSP_OK;
}

static ptowsp_status go(struct device_run *going)
{
	const struct aie_bridge *bridge = going->opened->client.bridge;
	uint64_t begin = now(going);
	int32_t code = bridge->start(going->loaded, &going->about);
	ptowsp_status status = PTOWSP_OK;

	if (code)
		return failed(going, code, "start");
	do {
		code = bridge->wait(going->loaded, SLICE_MS, &going->about);
		if (code == AIE_BRIDGE_BUSY)
			status = over(going);
	} while (code == AIE_BRIDGE_BUSY && !status);
	going->ns = now(going) - begin;
	if (status && bridge->stop(going->loaded, &going->about))
		base_log(going->run->loaded->program->device->instance, PTOWSP_LOG_WARNING, "%.60s could not end the run: %s", going->opened->client.about.name,
			 going->about.text);
	return status || !code ? status : failed(going, code, "wait");
}

/* Nobody tells when single tasks ran: the host saw all of them end together. */
static void times_tell(const struct device_run *going, struct rt_feed *feed)
{
	const struct base_walk *walk = &going->run->loaded->walk;
	const struct aie_map *map = &going->run->loaded->map;

	rt_feed_executors(feed, going->back.design.core_count);
	for (uint32_t c = 0; c < map->graph.cell_count; c++)
		for (uint32_t l = 0; l < map->graph.cells[c].count; l++) {
			const struct aie_line *line = &map->graph.cells[c].lines[l];
			uint64_t task = line->kind == AIE_LINE_CALL ? map->acts.rows[line->act].task : UINT64_MAX;

			task = task < map->walk->task_count ? aie_divided_task(&map->divided, task) : task;
			if (task < walk->task_count)
				rt_feed_tell(feed, &(struct ptowsp_trace_task){.task = walk->first + task,
									       .start = going->run->cycles + going->ns,
									       .end = going->run->cycles + going->ns,
									       .kernel = walk->tasks[task].kernel,
									       .executor = c,
									       .stream = walk->tasks[task].stream});
		}
}

/* A core whose kernel refuses what it gets stands still, and the device says no more than that the command did not end. The tensors are still as they were given: run once
 * more by the simulator, such a kernel says what it refuses. */
static ptowsp_status refusal_find(const struct device_run *going, ptowsp_status status, struct rt_feed *feed)
{
	struct ptowsp_error *error = going->run->error, told = *error, theirs = {.head = PTOWSP_HEAD(theirs, ERROR)};
	struct aie_run run = *going->run;

	run.error = &theirs;
	if (aie_engine_go(&run, feed) != PTOWSP_KERNEL_FAILED)
		return status;
	*error = theirs;
	snprintf(error->text, sizeof(error->text), "%.150s (on the device: %.40s)", theirs.text, told.text);
	return theirs.code;
}

static ptowsp_status design_run(struct device_run *going)
{
	ptowsp_status status = aie_back_read(&going->back, going->run->loaded, going->run->error);

	if (!status)
		status = arguments_make(going);
	if (!status)
		status = compile(going);
	if (!status)
		status = over(going);
	if (!status)
		status = load(going);
	if (!status)
		status = give(going);
	if (!status)
		status = go(going);
	return status ? status : take(going);
}

static void finish(struct device_run *going)
{
	if (going->loaded)
		going->opened->client.bridge->unload(going->loaded);
	aie_artifact_finish(&going->artifact);
	aie_kernel_files_finish(&going->files);
	aie_back_finish(&going->back);
	free(going->arguments);
	free(going->bytes);
	free(going->programs);
}

ptowsp_status aie_device_go(struct aie_run *run, struct rt_feed *feed)
{
	struct device_run going = {.run = run, .opened = run->loaded->program->device->own};
	ptowsp_status status = design_run(&going);

	if (!status) {
		times_tell(&going, feed);
		run->cycles += going.ns;
	} else if (status == PTOWSP_RUN_FAILED && going.ns) {
		status = refusal_find(&going, status, feed);
	}
	finish(&going);
	return status;
}
