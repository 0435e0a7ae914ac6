/* SPDX-License-Identifier: MIT */
#include "opencl/opencl_program.h"

#include "base/error.h"
#include "isa/emit/emit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct isa_emit_target *target(void)
{
	const struct isa_emit_target *t = isa_emit_targets;

	while (strcmp(t->name, "opencl"))
		t++;
	return t;
}

/* ---- source --------------------------------------------------------------------------------------------------------------- */

/* Arguments of a kernel: buffers of its windows, the struct of emit_opencl.c, result, workspace. */
static uint64_t parameter_bytes(const struct opencl_kernel *k)
{
	return (k->windows + 2) * sizeof(void *) + opencl_given_bytes(k);
}

static uint32_t args_of(const struct isa_program *isa)
{
	const struct ptowsp_tile_scalar *scalars = isa_program_scalars(isa);
	uint32_t count = 0;

	for (uint32_t i = 0; i < isa_program_header(isa)->scalar_count; i++)
		count += scalars[i].kind == PTOWSP_SCALAR_ARG;
	return count;
}

static ptowsp_status kernel_emit(struct opencl_program *own, uint32_t row, FILE *const texts[2], struct ptowsp_error *error)
{
	const struct opencl_device *d = opencl_device_of(own->base->device);
	struct base_kernel *from = &own->base->kernels.rows[row];
	struct opencl_kernel *k = &own->kernels[row];
	char symbol[32], *text;
	size_t size;
	ptowsp_status status = isa_emit_workspace(from->isa, target(), &k->workspace, error);

	k->windows = isa_program_header(from->isa)->param_count;
	k->args = args_of(from->isa);
	k->is_global = k->workspace + sizeof(uint32_t) > d->local_bytes;
	if (!status && parameter_bytes(k) > d->parameter_bytes) {
		base_text(from->why, sizeof(from->why), "kernel %.60s takes %u tensors and %u scalars, and %.40s at most %llu bytes of arguments", from->name,
			  k->windows, k->args, d->name, (unsigned long long)d->parameter_bytes);
		return PTOWSP_OK;
	}
	snprintf(symbol, sizeof(symbol), "kernel_%u", row);
	if (!status)
		status = isa_emit(from->isa, target(), symbol, &text, &size, error);
	if (status)
		return status;
	fwrite(text, 1, size, texts[k->is_global]);
	free(text);
	k->isa = from->isa;
	return PTOWSP_OK;
}

/* Kernels that this processor does not call itself; one that cannot run says so when called. */
static ptowsp_status kernels_emit(struct opencl_program *own, FILE *const texts[2], struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t row = 0; row < own->count && !status; row++) {
		const struct base_kernel *kernel = &own->base->kernels.rows[row];

		if (kernel->isa && !kernel->ref.fn && !*kernel->why && !isa_program_unusable(kernel->isa))
			status = kernel_emit(own, row, texts, error);
	}
	return status;
}

/* ---- building ------------------------------------------------------------------------------------------------------------- */

/* The first line of the compiler's log that speaks of an error, else its first. */
static ptowsp_status build_fail(const struct opencl_device *d, cl_handle program, cl_int code, struct ptowsp_error *error)
{
	char log[8192] = "", *line;

	if (code != CL_BUILD_PROGRAM_FAILURE)
		return opencl_fail(error, code, "clBuildProgram");
	d->cl->clGetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL);
	line = strstr(log, "error");
	while (line && line > log && line[-1] != '\n')
		line--;
	line = line ? line : log;
	line[strcspn(line, "\n")] = '\0';
	return base_fail(error, PTOWSP_UNSUPPORTED, "the compiler of %.40s refuses the kernels of this package: %.120s", d->name, line);
}

cl_int opencl_program_build(const struct opencl_device *d, cl_handle program, bool is_global)
{
	char options[160];

	snprintf(options, sizeof(options), "-w -cl-std=CL1.2 -DTILE_WIDTH=%u%s%s", d->width, is_global ? " -DTILE_MEMORY=__global" : "",
		 d->rounds ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
	return d->cl->clBuildProgram(program, 1, &d->id, options, NULL, NULL);
}

static ptowsp_status program_build(struct opencl_program *own, bool is_global, struct ptowsp_error *error)
{
	const struct opencl_device *d = opencl_device_of(own->base->device);
	char *text;
	size_t size;
	cl_handle program;
	cl_int code;
	ptowsp_status status = isa_emit_flat(own->sources[is_global], &text, &size, error);

	if (status)
		return status;
	program = d->cl->clCreateProgramWithSource(d->context, 1, &(const char *){text}, &size, &code);
	code = program ? opencl_program_build(d, program, is_global) : code;
	status = code ? build_fail(d, program, code, error) : PTOWSP_OK;
	if (!code)
		own->programs[is_global] = program;
	else if (program)
		d->cl->clReleaseProgram(program);
	free(text);
	return status;
}

/* One build for all workers. */
static ptowsp_status program_need(struct opencl_program *own, bool is_global, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	pthread_mutex_lock(&own->lock);
	if (!own->programs[is_global])
		status = program_build(own, is_global, error);
	pthread_mutex_unlock(&own->lock);
	return status;
}

/* ---- bind and unload ------------------------------------------------------------------------------------------------------ */

static ptowsp_status sources_write(struct opencl_program *own, struct ptowsp_error *error)
{
	size_t sizes[2];
	FILE *texts[2] = {open_memstream(&own->sources[0], &sizes[0]), open_memstream(&own->sources[1], &sizes[1])};
	ptowsp_status status = texts[0] && texts[1] ? kernels_emit(own, texts, error) : PTOWSP_NO_MEMORY;

	for (unsigned i = 0; i < 2; i++)
		if (texts[i] && fclose(texts[i]) && !status)
			status = PTOWSP_NO_MEMORY;
	return status == PTOWSP_NO_MEMORY ? base_fail(error, status, "no memory for the kernels of a program") : status;
}

ptowsp_status opencl_bind(struct base_program *program, struct ptowsp_error *error)
{
	const struct base_instance *instance = program->device->instance;
	struct opencl_program *own = base_alloc(instance, sizeof(*own));
	ptowsp_status status;

	if (!own)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for a program");
	own->base = program;
	base_resident_init(&own->resident, program->device);
	own->queues = opencl_queues(own);
	own->compute = (struct base_compute){own, opencl_block, &own->resident.mirror, !own->resident.shares,
					     opencl_options_of(program->device)->depth ? &own->queues : NULL};
	own->count = program->kernels.count;
	pthread_mutex_init(&own->lock, NULL);
	program->own = own;
	own->kernels = base_alloc(instance, (own->count + 1) * sizeof(*own->kernels));
	own->handles = base_alloc(instance, ((uint64_t)own->count * opencl_device_of(program->device)->queue_count + 1) * sizeof(*own->handles));
	if (!own->kernels || !own->handles)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for %u kernels", own->count);
	program->kernels.compute = &own->compute;
	status = sources_write(own, error);
	for (unsigned i = 0; i < 2 && !status; i++)
		opencl_program_restore(own, i);
	return status;
}

void opencl_unload(struct base_program *program)
{
	const struct base_instance *instance = program->device->instance;
	const struct opencl_api *cl = opencl_device_of(program->device)->cl;
	struct opencl_program *own = program->own;

	if (!own)
		return;
	for (uint64_t i = 0; own->handles && i < (uint64_t)own->count * opencl_device_of(program->device)->queue_count; i++)
		if (own->handles[i])
			cl->clReleaseKernel(own->handles[i]);
	for (unsigned i = 0; i < 2; i++) {
		if (own->programs[i])
			cl->clReleaseProgram(own->programs[i]);
		free(own->sources[i]);
	}
	base_release(instance, own->handles, ((uint64_t)own->count * opencl_device_of(program->device)->queue_count + 1) * sizeof(*own->handles));
	base_release(instance, own->kernels, (own->count + 1) * sizeof(*own->kernels));
	base_resident_finish(&own->resident);
	pthread_mutex_destroy(&own->lock);
	base_release(instance, own, sizeof(*own));
	program->own = NULL;
	program->kernels.compute = NULL;
}

ptowsp_status opencl_kernel_handle(struct opencl_program *own, uint32_t row, uint32_t queue, cl_handle *handle_out, struct ptowsp_error *error)
{
	const bool is_global = own->kernels[row].is_global;
	cl_handle *handle = &own->handles[(uint64_t)queue * own->count + row];
	char symbol[48];
	cl_int code = CL_SUCCESS;
	ptowsp_status status = *handle ? PTOWSP_OK : program_need(own, is_global, error);

	snprintf(symbol, sizeof(symbol), "kernel_%u_on_device", row);
	if (!status && !*handle)
		*handle = opencl_device_of(own->base->device)->cl->clCreateKernel(own->programs[is_global], symbol, &code);
	*handle_out = *handle;
	return code ? opencl_fail(error, code, "clCreateKernel of kernel %.60s", own->base->kernels.rows[row].name) : status;
}

/* ---- a run ---------------------------------------------------------------------------------------------------------------- */

static void profile_tell(struct opencl_program *own)
{
	for (uint32_t i = 0; i < own->count; i++) {
		const uint64_t ns = atomic_exchange(&own->kernels[i].device_ns, 0);

		if (ns)
			base_log(own->base->device->instance, PTOWSP_LOG_INFO, "profile: kernel %s: %llu ns on the device", own->base->kernels.rows[i].name,
				 (unsigned long long)ns);
	}
}

ptowsp_status opencl_run(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out,
			 struct ptowsp_error *error)
{
	struct opencl_program *own = program->own;
	const ptowsp_status status = base_resident_run(&own->resident, program, args, stats_out, deadlock_out, error);

	profile_tell(own);
	return status;
}
