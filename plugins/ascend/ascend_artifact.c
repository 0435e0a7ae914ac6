/* SPDX-License-Identifier: MIT */
#include "ascend/hooks.h"

#include "ascend/ascend_arch.h"
#include "ascend/emit/ascend_emit.h"
#include "base/backend.h"
#include "base/base_caps.h"
#include "base/error.h"
#include "base/instance.h"
#include "base/kernels.h"
#include "base/sections.h"
#include <string.h>

/* The emitter's context. */
struct job {
	struct base_instance *instance;
	struct base_kernels kernels;
	ptowsp_status (*file)(void *context, const char *path, const void *bytes, uint64_t size);
	void *context;
};

static const struct isa_program *portable(void *context, uint32_t kernel)
{
	const struct job *job = context;

	return kernel < job->kernels.count ? job->kernels.rows[kernel].isa : NULL;
}

static ptowsp_status file(void *context, const char *path, const void *bytes, uint64_t size)
{
	const struct job *job = context;

	return job->file(job->context, path, bytes, size);
}

static void tell(void *context, const char *sentence)
{
	base_log(((const struct job *)context)->instance, PTOWSP_LOG_WARNING, "emit: %s", sentence);
}

/* Claims of the core, without the engine's: the emitted code does what they say, or emit_plan.c says why not. */
static uint32_t caps_of_code(const struct job *job, const struct base_model *model, struct ptowsp_cap rows_out[BASE_CAPS_LIMIT])
{
	struct base_backend core = *job->instance->backend;

	core.caps = NULL;
	return base_caps(&core, job->instance->options, model, rows_out);
}

static ptowsp_status job_run(struct job *job, const struct base_model *model, const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	const struct ascend_emit_sink sink = {job, file, tell};
	const struct rt_kernels kernels = base_kernels_table(&job->kernels);
	struct ptowsp_cap caps[BASE_CAPS_LIMIT];
	const uint32_t cap_count = caps_of_code(job, model, caps);
	const struct ascend_emit_args emitting = {.sections = args->sections,
						  .section_count = args->section_count,
						  .section_stride = args->section_stride,
						  .entry = args->entry,
						  .kernels = &kernels,
						  .portable = portable,
						  .context = job,
						  .caps = caps,
						  .cap_count = cap_count,
						  .flags = args->flags,
						  .target = ascend_model_id(model) == ASCEND_950 ? "ascend-a5" : "ascend-a2a3",
						  .device = model->device.name};

	return ascend_emit(&emitting, &sink, error);
}

static ptowsp_status args_check(const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	ptowsp_status status = base_args_check(&args->head, PTOWSP_STRUCT_LOAD_ARGS, PTOWSP_LOAD_ARGS_FLOOR_10_0, "artifact", error);

	if (status || !args->section_count || args->section_stride >= PTOWSP_SECTION_FLOOR_10_0)
		return status;
	return base_fail(error, PTOWSP_INVALID, "artifact: sections have at least %u bytes, not %u", PTOWSP_SECTION_FLOOR_10_0, args->section_stride);
}

/* Nothing runs: native payloads stay closed, scratch is for one worker. */
static ptowsp_status emit(struct ptowsp_object *object, const char *device, const struct ptowsp_load_args *args,
			  ptowsp_status (*give)(void *context, const char *path, const void *bytes, uint64_t size), void *context, struct ptowsp_error *error)
{
	struct job job = {.instance = (struct base_instance *)object, .file = give, .context = context};
	const struct base_model *model = NULL;
	struct base_sections sections;
	ptowsp_status status = args_check(args, error);

	if (!status)
		status = base_model_find(job.instance->backend, job.instance->options, device, &model, error);
	if (status)
		return status;
	base_sections_find(&sections, args);
	status = base_kernels_init(&job.kernels, job.instance, &sections, args->flags & ~(uint32_t)PTOWSP_LOAD_TRUST_NATIVE, 1, 0, error);
	if (!status)
		status = job_run(&job, model, args, error);
	base_kernels_finish(&job.kernels);
	return status;
}

static const struct ptowsp_artifact_extension table = {.head = PTOWSP_HEAD(table, EXTENSION), .emit = emit};

const void *ascend_artifact_extension(struct ptowsp_object *instance, const char *id)
{
	(void)instance;
	return strcmp(id, PTOWSP_EXTENSION_ARTIFACT) ? NULL : &table;
}
