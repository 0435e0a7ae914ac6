/* SPDX-License-Identifier: MIT */
/* parts.c - blocks of which only a part is there: what a task says of it, which kernels get such windows. */
#include "registry/common/common_part.h"
#include "rt/program/rt_error.h"
#include "rt/program/rt_verify.h"
#include <stdlib.h>

enum { MOST = 64 }; /* tensor arguments of a kernel that gets any: bits of a mask */

static ptowsp_status word_lower(struct rt_verifier *v, const struct rt_site *site, const struct ptowsp_instruction *in)
{
	const uint16_t bit = common_is_columns(in->opcode) ? RT_PART_COLUMNS : RT_PART_ROWS;
	struct rt_io *io;

	if (in->flags)
		return RT_REFUSE(v, "a word of a task has flags %u", in->flags);
	if (in->operand1 >= site->io_count || in->operand1 >= MOST)
		return RT_REFUSE(v, "how much of tensor argument %u is there is said of a task with %u; the first %d may be partly there", in->operand1,
				 site->io_count, MOST);
	io = &v->program->ios[site->first_io + in->operand1];
	if (io->parts & bit)
		return RT_REFUSE(v, "how much of tensor argument %u is there is said twice", in->operand1);
	io->parts |= bit;
	return rt_verifier_expr(v, in->operand2, bit == RT_PART_ROWS ? &io->part_rows : &io->part_columns);
}

ptowsp_status rt_site_parts(struct rt_verifier *v, const struct rt_site *site)
{
	const struct rt_tables *tables = &v->program->tables;
	ptowsp_status status = PTOWSP_OK;

	for (; !status && v->next < tables->work.code_count && common_is_part(tables->work.code[v->next].opcode); v->next++)
		status = word_lower(v, site, rt_verifier_word(v, v->next));
	return status;
}

/* The tensor parameter of that number, whose rows and columns are those of the whole block. */
static const struct ptowsp_param_record *param_of(const struct rt_tables *tables, uint32_t kernel, uint32_t number)
{
	const struct ptowsp_param_record *param = &tables->param.rows[tables->kernel.rows[kernel].params];

	for (;; param++)
		if (param->kind == PTOWSP_PARAM_TENSOR && !number--)
			return param;
}

static ptowsp_status parts_note(struct rt_verifier *v, const struct rt_site *site, uint32_t kernel)
{
	struct rt_program *program = v->program;

	for (uint32_t i = 0; i < site->io_count && i < MOST; i++) {
		const struct rt_io *io = &program->ios[site->first_io + i];
		const struct ptowsp_param_record *param = io->parts ? param_of(&program->tables, kernel, i) : NULL;

		if (!io->parts)
			continue;
		if (param->rows != io->rows || param->columns != io->columns)
			return RT_REFUSE(v, "tensor argument %u of kernel %s is a part of %u x %u elements, its tile has %u x %u", i,
					 rt_kernel_name(program, kernel), io->rows, io->columns, param->rows, param->columns);
		program->parts_of[kernel] |= UINT64_C(1) << i;
		program->parted = true;
	}
	return PTOWSP_OK;
}

/* A kernel tells flat memory from a block by its window, and one row of a part looks like flat memory. */
static ptowsp_status flats_check(struct rt_verifier *v, const struct rt_site *site, uint32_t kernel)
{
	const struct rt_program *program = v->program;

	for (uint32_t i = 0; i < site->io_count && i < MOST; i++)
		if (program->ios[site->first_io + i].unit && program->parts_of[kernel] >> i & 1)
			return RT_REFUSE(v, "tensor argument %u of kernel %s is flat memory at one task and a part of a block at another", i,
					 rt_kernel_name(program, kernel));
	return PTOWSP_OK;
}

ptowsp_status rt_parts_finish(struct rt_verifier *v)
{
	struct rt_program *program = v->program;
	const size_t count = (size_t)program->site_count * program->level_count;
	ptowsp_status status = PTOWSP_OK;

	free(program->parts_of); /* of the entry before */
	program->parts_of = calloc((size_t)program->tables.kernel.count + 1, sizeof(*program->parts_of));
	if (!program->parts_of)
		return rt_no_memory(v->error, "kernels");
	for (size_t row = 0; !status && row < count; row++)
		status = parts_note(v, &program->sites[row / program->level_count], program->site_kernels[row]);
	for (size_t row = 0; !status && program->parted && row < count; row++)
		status = flats_check(v, &program->sites[row / program->level_count], program->site_kernels[row]);
	return status;
}
