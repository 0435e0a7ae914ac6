/* SPDX-License-Identifier: MIT */
#include "rt/program/renamed.h"

#include "rt/program/rt_program.h"
#include <stdio.h>

static bool wide_enough(struct rt_values v, uint32_t shape)
{
	return !v.modulus || v.modulus >= shape;
}

void rt_renaming_see(struct rt_program *program, const struct rt_nest *nest, const struct rt_io *io)
{
	struct rt_renaming *renaming = &program->renamings[io->tensor];
	struct rt_values row, column;

	if (renaming->reason || program->tables.tensor.rows[io->tensor].role != PTOWSP_ROLE_TEMP)
		return;
	if (io->unit) {
		renaming->reason = "a flat window of it is accessed, of which only the kernel knows how far it reaches";
		return;
	}
	if (io->parts) {
		renaming->reason = "a run decides how large its regions are";
		return;
	}
	row = rt_expr_values(&program->exprs, io->row, nest);
	column = rt_expr_values(&program->exprs, io->column, nest);
	if (renaming->rows && (renaming->rows != io->rows || renaming->columns != io->columns)) {
		renaming->reason = "its regions differ in shape";
		return;
	}
	renaming->row = renaming->rows ? rt_values_join(renaming->row, row) : row;
	renaming->column = renaming->rows ? rt_values_join(renaming->column, column) : column;
	renaming->rows = io->rows;
	renaming->columns = io->columns;
	if (!wide_enough(renaming->row, io->rows) || !wide_enough(renaming->column, io->columns))
		renaming->reason = "its regions may overlap in part: no common step of their rows and columns is proved that is at least their size";
}

static bool power(uint64_t n)
{
	return !(n & (n - 1));
}

static const char *reason_of(const struct rt_program *program, uint32_t tensor)
{
	const struct rt_renaming *renaming = &program->renamings[tensor];

	if (program->traits[tensor].allocated)
		return "it lives between alloc and free";
	if (program->traits[tensor].loaded)
		return "a slot is loaded from it";
	if (program->traits[tensor].indexed)
		return "an axis reads it";
	if (program->traits[tensor].moved)
		return "a payload channel moves it";
	if (program->tables.tensor.rows[tensor].flags & PTOWSP_TENSOR_SHAPELESS)
		return "it has no shape";
	return renaming->reason;
}

static void sites_mark(struct rt_program *program)
{
	for (uint32_t s = 0; s < program->site_count; s++)
		for (uint32_t i = 0; i < program->sites[s].io_count; i++)
			if (program->renamings[program->ios[program->sites[s].first_io + i].tensor].renamed)
				program->sites[s].renamed = 1;
}

void rt_renamings_finish(struct rt_program *program)
{
	for (uint32_t i = 0; i < program->io_count; i++) /* nothing says how kernels access a bound tensor */
		if (!program->ios[i].access && program->ios[i].tensor < program->tables.tensor.count)
			program->renamings[program->ios[i].tensor].reason = "it is bound without saying how it is accessed";
	for (uint32_t t = 0; t < program->tables.tensor.count; t++) {
		struct rt_renaming *renaming = &program->renamings[t];

		renaming->reason = reason_of(program, t);
		renaming->renamed = renaming->rows && !renaming->reason && program->tables.tensor.rows[t].role == PTOWSP_ROLE_TEMP && program->renames;
		renaming->odd = !power(renaming->row.modulus) || !power(renaming->column.modulus);
		program->renamed |= renaming->renamed;
	}
	sites_mark(program);
}

void rt_renamings_tell(const struct rt_program *program)
{
	char text[256];

	for (uint32_t t = 0; t < program->tables.tensor.count; t++) {
		if (program->tables.tensor.rows[t].role != PTOWSP_ROLE_TEMP || !(program->traits[t].access | program->traits[t].moved) ||
		    !program->renamings[t].reason || program->traits[t].allocated)
			continue;
		snprintf(text, sizeof(text), "temp tensor %.40s is not renamed but an ordinary one: %s", rt_tensor_name(program, t),
			 program->renamings[t].reason);
		rt_diagnose(program, PTOWSP_FEATURE_TEMP_RENAMED, text);
	}
}
