/* SPDX-License-Identifier: MIT */
/* engine_emit.c - the extension "ptowsp.report/1": what a run would be as files, and figures of the one that was. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aie/aie_artifact.h"
#include "aie/engine/aie_engine.h"
#include "aie/engine/aie_engine_own.h"
#include "base/error.h"
#include "base/queue.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include "rt/program/rt_program.h"
#include "rt/structure/memory_limit.h"

/* Each file may take long to make; those of a phase lie in its folder. */
static ptowsp_status file_give(void *context, const char *path, const void *bytes, uint64_t size)
{
	struct aie_run *run = context;
	char name[200];
	ptowsp_status status = base_patience_check(&run->patience, run->error);

	if (status)
		return status;
	snprintf(name, sizeof(name), "phase_%u/%.180s", run->phase + 1, path);
	return run->file(run->context, run->more || run->phase ? name : path, bytes, size);
}

/* ---- copies of tensors ---------------------------------------------------------------------------------------------------- */

/* The caller's bindings with memory of their own: phases write here to know which tasks follow, unseen by the caller. */
struct copies {
	struct ptowsp_run_args args;
	unsigned char *bindings; /* owned, as binding_stride says, and the memory of each */
};

static struct ptowsp_binding *copy_at(const struct copies *copies, uint32_t binding)
{
	return (void *)(copies->bindings + (size_t)binding * copies->args.binding_stride);
}

static void copies_finish(struct copies *copies)
{
	for (uint32_t b = 0; copies->bindings && b < copies->args.binding_count; b++)
		free(copy_at(copies, b)->data);
	free(copies->bindings);
}

/* Only of a program that may have phases, and where kernels run. */
static ptowsp_status copies_make(struct copies *copies, struct aie_run *run, const struct ptowsp_run_args *args)
{
	const size_t bytes = (size_t)args->binding_count * args->binding_stride;

	copies->args = *args;
	if (args->flags & PTOWSP_RUN_NO_KERNELS || !aie_phases_may(run->loaded->planned) || !bytes)
		return PTOWSP_OK;
	copies->bindings = malloc(bytes);
	if (!copies->bindings)
		return rt_no_memory(run->error, "copies of the tensors");
	memcpy(copies->bindings, args->bindings, bytes);
	copies->args.bindings = (void *)copies->bindings;
	for (uint32_t b = 0; b < args->binding_count; b++)
		copy_at(copies, b)->data = NULL;
	for (uint32_t b = 0; b < args->binding_count; b++) {
		const struct ptowsp_binding *from = base_binding_at(args, b);
		const uint64_t size = from->elements * rt_dtype_bytes(from->dtype);

		if (!from->data)
			continue;
		copy_at(copies, b)->data = malloc(size + 1);
		if (!copy_at(copies, b)->data)
			return rt_no_memory(run->error, "copies of the tensors");
		memcpy(copy_at(copies, b)->data, from->data, size);
	}
	return PTOWSP_OK;
}

/* The README beside the folders of phases. */
static ptowsp_status phases_tell(struct aie_run *run)
{
	char text[400];
	int length = snprintf(text, sizeof(text),
			      "# A run in %u phases\n\nTasks decide which tasks there are: each phase is a design of its own, `phase_1` to `phase_%u`, which "
			      "run one after the other "
			      "and hand each other tensors in memory. They are those of these values and tensors.\n",
			      run->phase, run->phase);

	return run->file(run->context, "README.md", text, (uint64_t)length);
}

/* ---- files ---------------------------------------------------------------------------------------------------------------- */

/* The script that compiles the design. */
static ptowsp_status script_give(struct aie_run *run, const struct aie_kernel_files *files)
{
	struct common_text text = {0};
	ptowsp_status status;

	aie_artifact_script(&text, run->loaded->arch, files, "kernels");
	status = text.failed ? rt_no_memory(run->error, "the files of a design") : file_give(run, "build.sh", text.bytes, text.length);
	common_text_finish(&text);
	return status;
}

ptowsp_status aie_engine_files(struct aie_run *run, const struct aie_back *back)
{
	const struct aie_lowered *lowered = &run->loaded->map.lowered;
	const char **names = calloc((size_t)lowered->argument_count + 1, sizeof(*names));
	const struct aie_kernel_files_args kernels = {
		&back->design, lowered, run->loaded->map.walk, run->loaded->map.kernels, run->loaded->objects, run->loaded->program->kernels.count, false};
	struct aie_kernel_files files = {0};
	const struct aie_emit_args args = {.text = run->loaded->map.text,
					   .module = &back->module,
					   .design = &back->design,
					   .files = &files,
					   .channels = &back->channels,
					   .picture = &back->drawn.picture,
					   .ring = back->ring,
					   .epoch_b = run->options->epoch == AIE_EPOCH_B,
					   .arguments = names,
					   .file = file_give,
					   .context = run};
	ptowsp_status status = names ? PTOWSP_OK : rt_no_memory(run->error, "the files of a design");

	for (uint32_t i = 0; names && i < lowered->argument_count; i++)
		names[i] = lowered->arguments[i] == AIE_NOTHING                                ? NULL
			   : lowered->arguments[i] < run->loaded->planned->tables.tensor.count ? rt_tensor_name(run->loaded->planned, lowered->arguments[i])
											       : "(what parts of divided tasks hand each other)";
	if (!status)
		status = aie_kernel_files_make(&files, &kernels, run->error);
	if (!status)
		status = aie_emit(&args, run->error);
	if (!status)
		status = script_give(run, &files);
	aie_kernel_files_finish(&files);
	free(names);
	return status;
}

static ptowsp_status emit(struct ptowsp_object *object, const struct ptowsp_run_args *args,
			  ptowsp_status (*file)(void *context, const char *path, const void *bytes, uint64_t size), void *context, struct ptowsp_error *error)
{
	struct base_program *program = (struct base_program *)object;
	struct ptowsp_error own = {.head = PTOWSP_HEAD(own, ERROR)};
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
	struct ptowsp_deadlock deadlock = {.head = PTOWSP_HEAD(deadlock, DEADLOCK)}; /* its sentence is in the error, too */
	struct rt_sinks sinks = {0};
	struct rt_memory_limit held;
	struct copies copies = {0};
	const struct rt_run_args walking = {
		.args = &copies.args, .sinks = &sinks, .schedulers = 1, .memory = program->device->memory_limit, .held = &held, .designed = true};
	struct aie_run run = {.loaded = program->own,
			      .args = &walking,
			      .error = error ? error : &own,
			      .options = aie_options_of(program),
			      .then = aie_engine_go,
			      .file = file,
			      .context = context};
	ptowsp_status status = base_args_check(&args->head, PTOWSP_STRUCT_RUN_ARGS, PTOWSP_RUN_ARGS_FLOOR_10_0, "emit", run.error);

	if (!status && base_in_flight(program->device, program))
		status = rt_fail(run.error, PTOWSP_INVALID, "emit: a run of this program is going on");
	if (status)
		return status;
	rt_memory_limit_begin(&held, program->device->memory_limit, base_given_bytes(program, args));
	base_kernels_watch(&program->kernels, NULL, args->deadline_ns);
	status = copies_make(&copies, &run, args);
	if (!status)
		status = base_kernels_watched(&program->kernels, aie_engine_walk(&run, &stats, &deadlock), run.error);
	if (!status && run.phase > 1)
		status = phases_tell(&run);
	base_kernels_watch(&program->kernels, NULL, 0);
	copies_finish(&copies);
	return status;
}

static ptowsp_status figures(struct ptowsp_object *object, const struct ptowsp_figure **rows_out, uint32_t *count_out, uint32_t *stride_out,
			     struct ptowsp_error *error)
{
	const struct base_program *program = (const struct base_program *)object;
	struct aie_loaded *loaded = program->own;

	(void)error;
	aie_report_look(&loaded->report);
	*rows_out = loaded->report.rows;
	*count_out = loaded->report.count;
	*stride_out = sizeof(*loaded->report.rows);
	return PTOWSP_OK;
}

const struct ptowsp_report_extension aie_report_table = {.head = PTOWSP_HEAD(aie_report_table, EXTENSION), .emit = emit, .figures = figures};
