/* SPDX-License-Identifier: MIT */
/* copy.c - the kernel of COPY: a row behind those of the package, which this core runs itself wherever there is a place, and of which no
 * backend is asked. It costs one cycle per element, its only scalar. */
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
	struct ptowsp_kernel_record *kernels = realloc(t->kernel.rows, (t->kernel.count + (size_t)2) * sizeof(*kernels));
	struct ptowsp_param_record *params = realloc(t->param.rows, (t->param.count + (size_t)4) * sizeof(*params));
	char *strings = realloc(t->strings, (size_t)t->strings_size + sizeof(name) + 1);

	t->kernel.rows = kernels ? kernels : t->kernel.rows;
	t->param.rows = params ? params : t->param.rows;
	t->strings = strings ? strings : t->strings;
	if (!kernels || !params || !strings)
		return rt_no_memory(error, "the kernel of copies");
	memcpy(strings + t->strings_size, name, sizeof(name));
	kernels[t->kernel.count] = (struct ptowsp_kernel_record){.name = t->strings_size, .unit = PTOWSP_UNIT_ANY, .params = t->param.count, .param_count = 3};
	t->strings_size += sizeof(name);
	t->strings[t->strings_size] = 0;
	params[t->param.count++] = (struct ptowsp_param_record){.kind = PTOWSP_PARAM_SCALAR, .dtype = PTOWSP_I64};
	params[t->param.count++] = (struct ptowsp_param_record){.kind = PTOWSP_PARAM_TENSOR, .access = PTOWSP_READ};
	params[t->param.count++] = (struct ptowsp_param_record){.kind = PTOWSP_PARAM_TENSOR, .access = PTOWSP_WRITE};
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
