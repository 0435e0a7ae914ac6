/* SPDX-License-Identifier: MIT */
/* opencl_compiled.c - programs as what the driver made of them: given to the host, and taken back without compiling. */
#include "opencl/opencl_program.h"

#include "base/base_compiled.h"
#include "base/error.h"
#include "isa/emit/emit.h"
#include <stdio.h>
#include <stdlib.h>

static const char *const names[2] = {"local", "global"};

static void key(const struct base_device *device, char *text_out, size_t room)
{
	const struct opencl_device *d = opencl_device_of(device);

	snprintf(text_out, room, "%s, driver %s, groups of %u%s", d->name, d->driver, d->width, d->rounds ? ", rounding" : "");
}

void opencl_program_restore(struct opencl_program *own, bool is_global)
{
	const struct opencl_device *d = opencl_device_of(own->base->device);
	struct ptowsp_error ignored = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	const unsigned char *bytes = NULL;
	cl_handle program = NULL;
	uint64_t size = 0;
	size_t length;
	cl_int code, one = CL_SUCCESS;
	char *text;

	if (!base_blobs_given(own->base) || isa_emit_flat(own->kernels.sources[is_global], &text, &length, &ignored))
		return;
	bytes = base_blob_find(own->base, names[is_global], text, &size);
	length = (size_t)size;
	if (bytes)
		program = d->cl->clCreateProgramWithBinary(d->context, 1, &d->id, &length, &bytes, &one, &code);
	if (program && !one && !opencl_program_build(d, program, is_global))
		own->kernels.programs[is_global] = program;
	else if (program) /* the source is there, too */
		d->cl->clReleaseProgram(program);
	free(text);
}

static ptowsp_status program_give(struct opencl_program *own, bool is_global, const struct base_blobs *blobs, struct ptowsp_error *error)
{
	const struct opencl_device *d = opencl_device_of(own->base->device);
	unsigned char *bytes = NULL;
	char *text = NULL;
	size_t size = 0, length;
	cl_int code = d->cl->clGetProgramInfo(own->kernels.programs[is_global], CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL);
	ptowsp_status status = PTOWSP_OK;

	if (!code && size)
		bytes = malloc(size);
	if (bytes)
		code = d->cl->clGetProgramInfo(own->kernels.programs[is_global], CL_PROGRAM_BINARIES, sizeof(bytes), &bytes, NULL);
	if (bytes && !code)
		status = isa_emit_flat(own->kernels.sources[is_global], &text, &length, error);
	if (bytes && !code && !status)
		status = base_blob_give(blobs, names[is_global], text, bytes, size, error);
	free(text);
	free(bytes);
	return code ? opencl_fail(error, code, "clGetProgramInfo") : status;
}

/* PoCL keeps what it builds, and makes a binary for groups of any size: it compiles once more for that, as long as for a build and with several work-items for minutes. */
static bool binaries_wanted(const struct base_device *device)
{
	const struct opencl_device *d = opencl_device_of(device);
	uint64_t kind = 0;

	d->cl->clGetDeviceInfo(d->id, CL_DEVICE_TYPE, sizeof(kind), &kind, NULL);
	return opencl_options_of(device)->binaries == OPENCL_BINARIES_ON ||
	       (opencl_options_of(device)->binaries == OPENCL_BINARIES_AUTO && !(kind & CL_DEVICE_TYPE_CPU));
}

static ptowsp_status save(struct base_program *program, const struct base_blobs *blobs, struct ptowsp_error *error)
{
	struct opencl_program *own = program->own;
	ptowsp_status status = PTOWSP_OK;

	for (unsigned i = 0; i < 2 && !status && binaries_wanted(program->device); i++)
		if (own->kernels.programs[i])
			status = program_give(own, i, blobs, error);
	return status;
}

const struct base_compiled opencl_compiled = {key, save};
