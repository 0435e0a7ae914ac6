/* SPDX-License-Identifier: MIT */
/* copy.c - the kernel of COPY: a row behind those of the package, which this core runs itself wherever there is a place, and of which no
 * backend is asked. It costs one cycle per element, its only scalar. */
#include "registry/common/common_grow.h"
#include "rt/access/mirror.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include "rt/program/rt_program.h"
#include <stdlib.h>
#include <string.h>

/* Row by row; from the last one where the target lies behind the source, so that they may overlap. */
static void block_copy(const struct rt_mirror *mirror, const struct ptowsp_tensor_arg *from, const struct ptowsp_tensor_arg *to)
{
	size_t size = rt_dtype_bytes(from->dtype), row = (size_t)from->columns * size;

	for (uint64_t k = 0; k < from->rows; k++) {
		uint64_t r = (const char *)to->data > (const char *)from->data ? from->rows - 1 - k : k;
		char *there = (char *)to->data + r * to->row_stride * size;
		const char *here = (const char *)from->data + r * from->row_stride * size;

		rt_mirror_fetch(mirror, here, row);
		memmove(there, here, row);
		rt_mirror_push(mirror, there, row);
	}
}

void rt_block_copy(const struct ptowsp_tensor_arg *from, const struct ptowsp_tensor_arg *to)
{
	block_copy(NULL, from, to);
}

static ptowsp_status run(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker)
{
	const struct rt_program *program = context;

	if (task->kernel != program->copy_kernel)
		return program->kernel_run(program->kernels.context, task, out, worker);
	block_copy(program->kernels.mirror, &task->tensors[0], &task->tensors[1]);
	return PTOWSP_OK;
}

static bool has_copy(const struct rt_tables *tables)
{
	for (uint32_t i = 0; i < tables->work.code_count; i++)
		if (tables->work.code[i].opcode == PTOWSP_OP_COPY)
			return true;
	return false;
}

/* Rows behind the package's, and "copy" behind its strings. */
static ptowsp_status kernel_add(struct rt_tables *t, uint32_t *row_out, struct ptowsp_error *error)
{
	static const char name[] = "copy";
	struct ptowsp_param_record *params;

	if (!COMMON_RESIZE(t->kernel.rows, t->kernel.count + (size_t)2) || !COMMON_RESIZE(t->param.rows, t->param.count + (size_t)4) ||
	    !COMMON_RESIZE(t->strings, (size_t)t->strings_size + sizeof(name) + 1))
		return rt_no_memory(error, "the kernel of copies");
	memcpy(t->strings + t->strings_size, name, sizeof(name));
	t->kernel.rows[t->kernel.count] =
		(struct ptowsp_kernel_record){.name = t->strings_size, .unit = PTOWSP_UNIT_ANY, .params = t->param.count, .param_count = 3};
	t->strings_size += sizeof(name);
	t->strings[t->strings_size] = 0;
	params = t->param.rows + t->param.count;
	params[0] = (struct ptowsp_param_record){.kind = PTOWSP_PARAM_SCALAR, .dtype = PTOWSP_I64};
	params[1] = (struct ptowsp_param_record){.kind = PTOWSP_PARAM_TENSOR, .access = PTOWSP_READ};
	params[2] = (struct ptowsp_param_record){.kind = PTOWSP_PARAM_TENSOR, .access = PTOWSP_WRITE};
	t->param.count += 3;
	*row_out = t->kernel.count++;
	return PTOWSP_OK;
}

ptowsp_status rt_copy_init(struct rt_program *program, struct ptowsp_error *error)
{
	ptowsp_status status;

	program->copy_kernel = PTOWSP_NONE;
	if (!has_copy(&program->tables))
		return PTOWSP_OK;
	status = kernel_add(&program->tables, &program->copy_kernel, error);
	if (program->planned)
		return status;
	program->kernel_run = program->kernels.run;
	program->kernels.run = run;
	program->kernels.runner = program;
	return status;
}
