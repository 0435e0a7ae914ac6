/* SPDX-License-Identifier: MIT */
#include "base/opencl/opencl_kernels.h"

#include "base/error.h"
#include "base/opencl/opencl_call.h"
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

static uint32_t args_of(const struct isa_program *isa)
{
	const struct ptowsp_tile_scalar *scalars = isa_program_scalars(isa);
	uint32_t count = 0;

	for (uint32_t i = 0; i < isa_program_header(isa)->scalar_count; i++)
		count += scalars[i].kind == PTOWSP_SCALAR_ARG;
	return count;
}

static ptowsp_status kernel_emit(struct opencl_kernels *kernels, uint32_t row, FILE *const texts[2], struct ptowsp_error *error)
{
	const struct opencl_device *d = kernels->d;
	const struct base_kernel *from = &kernels->base->rows[row];
	struct opencl_kernel *k = &kernels->rows[row];
	char symbol[32], *text;
	size_t size;
	ptowsp_status status = isa_emit_workspace(from->isa, target(), &k->workspace, error);

	k->windows = isa_program_header(from->isa)->param_count;
	k->args = args_of(from->isa);
	k->is_global = k->workspace - isa_emit_parts(from->isa, target()) + sizeof(uint32_t) > d->local_bytes; /* copies of parts are global anyway */
	if (!status && opencl_parameter_bytes(k) > d->parameter_bytes)
		return PTOWSP_OK;
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
static ptowsp_status kernels_emit(struct opencl_kernels *kernels, FILE *const texts[2], struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t row = 0; row < kernels->count && !status; row++) {
		const struct base_kernel *kernel = &kernels->base->rows[row];

		if (kernel->isa && !kernel->ref.fn && !*kernel->why && !isa_program_unusable(kernel->isa))
			status = kernel_emit(kernels, row, texts, error);
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

static ptowsp_status program_build(struct opencl_kernels *kernels, bool is_global, struct ptowsp_error *error)
{
	const struct opencl_device *d = kernels->d;
	char *text;
	size_t size;
	cl_handle program;
	cl_int code;
	ptowsp_status status = isa_emit_flat(kernels->sources[is_global], &text, &size, error);

	if (status)
		return status;
	program = d->cl->clCreateProgramWithSource(d->context, 1, &(const char *){text}, &size, &code);
	code = program ? opencl_program_build(d, program, is_global) : code;
	status = code ? build_fail(d, program, code, error) : PTOWSP_OK;
	if (!code)
		kernels->programs[is_global] = program;
	else if (program)
		d->cl->clReleaseProgram(program);
	free(text);
	return status;
}

/* One build for all workers. */
static ptowsp_status program_need(struct opencl_kernels *kernels, bool is_global, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	pthread_mutex_lock(&kernels->lock);
	if (!kernels->programs[is_global])
		status = program_build(kernels, is_global, error);
	pthread_mutex_unlock(&kernels->lock);
	return status;
}

/* ---- all of a package ------------------------------------------------------------------------------------------------------- */

static ptowsp_status sources_write(struct opencl_kernels *kernels, struct ptowsp_error *error)
{
	size_t sizes[2];
	FILE *texts[2] = {open_memstream(&kernels->sources[0], &sizes[0]), open_memstream(&kernels->sources[1], &sizes[1])};
	ptowsp_status status = texts[0] && texts[1] ? kernels_emit(kernels, texts, error) : PTOWSP_NO_MEMORY;

	for (unsigned i = 0; i < 2; i++)
		if (texts[i] && fclose(texts[i]) && !status)
			status = PTOWSP_NO_MEMORY;
	return status == PTOWSP_NO_MEMORY ? base_fail(error, status, "no memory for the kernels of a program") : status;
}

ptowsp_status opencl_kernels_init(struct opencl_kernels *kernels, const struct base_kernels *base, const struct opencl_device *d, struct ptowsp_error *error)
{
	*kernels = (struct opencl_kernels){.base = base, .d = d, .count = base->count};
	pthread_mutex_init(&kernels->lock, NULL);
	kernels->rows = calloc((size_t)base->count + 1, sizeof(*kernels->rows));
	kernels->handles = calloc((size_t)base->count * d->queue_count + 1, sizeof(*kernels->handles));
	if (!kernels->rows || !kernels->handles)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for %u kernels", base->count);
	return sources_write(kernels, error);
}

void opencl_kernels_finish(struct opencl_kernels *kernels)
{
	if (!kernels->base)
		return;
	for (size_t i = 0; kernels->handles && i < (size_t)kernels->count * kernels->d->queue_count; i++)
		if (kernels->handles[i])
			kernels->d->cl->clReleaseKernel(kernels->handles[i]);
	for (unsigned i = 0; i < 2; i++) {
		if (kernels->programs[i])
			kernels->d->cl->clReleaseProgram(kernels->programs[i]);
		free(kernels->sources[i]);
	}
	free(kernels->handles);
	free(kernels->rows);
	pthread_mutex_destroy(&kernels->lock);
	kernels->base = NULL;
}

ptowsp_status opencl_kernel_handle(struct opencl_kernels *kernels, uint32_t row, uint32_t queue, cl_handle *handle_out, struct ptowsp_error *error)
{
	const bool is_global = kernels->rows[row].is_global;
	cl_handle *handle = &kernels->handles[(uint64_t)queue * kernels->count + row];
	char symbol[48];
	cl_int code = CL_SUCCESS;
	ptowsp_status status = *handle ? PTOWSP_OK : program_need(kernels, is_global, error);

	snprintf(symbol, sizeof(symbol), "kernel_%u_on_device", row);
	if (!status && !*handle)
		*handle = kernels->d->cl->clCreateKernel(kernels->programs[is_global], symbol, &code);
	*handle_out = *handle;
	return code ? opencl_fail(error, code, "clCreateKernel of kernel %.60s", kernels->base->rows[row].name) : status;
}
