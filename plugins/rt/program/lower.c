/* SPDX-License-Identifier: MIT */
/* The words of a task instruction: kernel, arguments, regions, schedule expressions; and what is finished once all are known. */
#include "registry/common/common_grow.h"
#include "rt/access/intern.h"
#include "rt/program/rt_error.h"
#include "rt/program/rt_program.h"
#include <stdlib.h>
#include <string.h>

/* ---- kernels --------------------------------------------------------------------------------------------------- */

#define VARIANT_LIMIT 1024u /* bounds the search below; there are at most RT_LEVEL_LIMIT levels */

static ptowsp_status kernel_params(const struct rt_tables *tables, uint32_t kernel, uint32_t *scalars_out, uint32_t *tensors_out, struct ptowsp_error *error)
{
	const struct ptowsp_kernel_record *record = &tables->kernel.rows[kernel];

	if (record->param_count > tables->param.count || record->params > tables->param.count - record->param_count)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "kernel %s names KPRM rows that are not there", rt_string(tables, record->name));
	*scalars_out = *tensors_out = 0;
	for (uint32_t i = 0; i < record->param_count; i++)
		++*(tables->param.rows[record->params + i].kind == PTOWSP_PARAM_SCALAR ? scalars_out : tensors_out);
	return PTOWSP_OK;
}

static ptowsp_status kernel_check(const struct rt_tables *tables, const struct ptowsp_instruction *task, uint32_t *kernel_out, struct ptowsp_error *error)
{
	uint32_t args = task->operand2 >> 16, tensors = task->operand2 & 0xFFFF, scalars, memrefs;
	ptowsp_status status;

	if (task->operand1 >= tables->work.kernel_count || tables->work.kernels[task->operand1] >= tables->kernel.count)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "there is no kernel %u", task->operand1);
	*kernel_out = tables->work.kernels[task->operand1];
	status = kernel_params(tables, *kernel_out, &scalars, &memrefs, error);
	if (!status && (args != scalars || tensors != memrefs))
		status = rt_fail(error, PTOWSP_BAD_PACKAGE, "a task gives %u scalars and %u tensors, kernel %s takes %u and %u", args, tensors,
				 rt_string(tables, tables->kernel.rows[*kernel_out].name), scalars, memrefs);
	return status;
}

static ptowsp_status variants_check(const struct rt_program *program, uint32_t kernel, struct ptowsp_error *error)
{
	const struct rt_tables *tables = &program->tables;
	const struct ptowsp_kernel_record *record = &tables->kernel.rows[kernel];

	if (record->variant_count > VARIANT_LIMIT)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "kernel %s has %u variants, at most %u make sense", rt_kernel_name(program, kernel),
			       record->variant_count, VARIANT_LIMIT);
	if (record->variant_count > tables->variant.count || record->variants > tables->variant.count - record->variant_count)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "kernel %s names KVAR rows that are not there", rt_kernel_name(program, kernel));
	return PTOWSP_OK;
}

/* Can the variant be called as the kernel is? */
static ptowsp_status variant_fits(const struct rt_program *program, uint32_t variant, uint32_t kernel, struct ptowsp_error *error)
{
	uint32_t want[2], have[2];
	ptowsp_status status;

	if (variant >= program->tables.kernel.count)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "a variant of kernel %s names KREG row %u of %u", rt_kernel_name(program, kernel), variant,
			       program->tables.kernel.count);
	status = kernel_params(&program->tables, kernel, &want[0], &want[1], error);
	if (!status)
		status = kernel_params(&program->tables, variant, &have[0], &have[1], error);
	if (!status && memcmp(want, have, sizeof(want)))
		status = rt_fail(error, PTOWSP_BAD_PACKAGE, "variant %s does not take the parameters of kernel %s", rt_kernel_name(program, variant),
				 rt_kernel_name(program, kernel));
	return status;
}

/* The kernel that replaces `kernel` at a level, or itself. */
static ptowsp_status variant_find(const struct rt_program *program, uint32_t kernel, uint32_t rows, uint32_t *kernel_out, struct ptowsp_error *error)
{
	const struct ptowsp_kernel_record *record = &program->tables.kernel.rows[kernel];
	ptowsp_status status;

	*kernel_out = kernel;
	if (rows == RT_LEVEL_BASE)
		return PTOWSP_OK;
	status = variants_check(program, kernel, error);
	for (uint32_t i = 0; !status && i < record->variant_count; i++)
		if (program->tables.variant.rows[record->variants + i].rows == rows)
			*kernel_out = program->tables.variant.rows[record->variants + i].kernel;
	return status ? status : variant_fits(program, *kernel_out, kernel, error);
}

/* ---- words of a task ------------------------------------------------------------------------------------------- */

ptowsp_status rt_site_rooms(struct rt_program *program, uint32_t args, uint32_t ios, struct ptowsp_error *error)
{
	for (uint32_t i = 0; i < args; i++) {
		if (!COMMON_GROW(program->args, program->arg_room, program->arg_count))
			return rt_no_memory(error, "arguments");
		program->args[program->arg_count++] = PTOWSP_NONE;
	}
	for (uint32_t i = 0; i < ios; i++) {
		if (!COMMON_GROW(program->ios, program->io_room, program->io_count))
			return rt_no_memory(error, "regions");
		program->ios[program->io_count++] = (struct rt_io){.tensor = PTOWSP_NONE};
	}
	return PTOWSP_OK;
}

static ptowsp_status arg_lower(struct rt_program *program, const struct rt_nest *nest, const struct rt_site *site, const struct ptowsp_instruction *in,
			       struct ptowsp_error *error)
{
	uint32_t *arg;

	if (in->operand1 >= site->arg_count || program->args[site->first_arg + in->operand1] != PTOWSP_NONE)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "argument %u of %u is given twice or too much", in->operand1, site->arg_count);
	arg = &program->args[site->first_arg + in->operand1];
	if (in->opcode == PTOWSP_OP_PARAM_CONST)
		return rt_expr_constant(&program->exprs, (int32_t)in->operand2, arg, error);
	if (in->opcode == PTOWSP_OP_PARAM_EXPR)
		return rt_expr_compile(&program->exprs, &program->tables, in->operand2, nest, false, arg, error);
	if (in->operand2 >= nest->depth)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "argument %u reads loop %u of %u", in->operand1, in->operand2, nest->depth);
	return rt_expr_loop(&program->exprs, in->operand2, arg, error);
}

static ptowsp_status word_lower(struct rt_program *program, const struct rt_nest *nest, const struct rt_site *site, const struct ptowsp_instruction *in,
				struct ptowsp_error *error)
{
	struct rt_io io = {0};
	ptowsp_status status;

	switch (in->opcode) {
	case PTOWSP_OP_PARAM_CONST:
	case PTOWSP_OP_PARAM_LOOPVAR:
	case PTOWSP_OP_PARAM_EXPR: return arg_lower(program, nest, site, in, error);
	case PTOWSP_OP_IO_INPUT: io.access = PTOWSP_READ; break;
	case PTOWSP_OP_IO_OUTPUT: io.access = PTOWSP_WRITE; break;
	case PTOWSP_OP_IO_INOUT: io.access = PTOWSP_READ | PTOWSP_WRITE; break;
	case PTOWSP_OP_IO_BIND: break;
	default:
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "a task promises %u arguments and %u tensors, opcode 0x%02x comes instead", site->arg_count,
			       site->io_count, in->opcode);
	}
	if (in->operand1 >= site->io_count || program->ios[site->first_io + in->operand1].tensor != PTOWSP_NONE)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "tensor argument %u of %u is given twice or too much", in->operand1, site->io_count);
	status = rt_io_lower(program, nest, in->operand2, &io, error);
	program->ios[site->first_io + in->operand1] = io;
	if (!status)
		program->traits[io.tensor].access |= (uint8_t)io.access;
	return status;
}

/* ---- schedule expressions, seen from the task ------------------------------------------------------------------ */

static ptowsp_status schedule_expr(struct rt_program *program, const struct rt_nest *nest, uint32_t row, uint32_t *id_out, struct ptowsp_error *error)
{
	*id_out = PTOWSP_NONE;
	return row == PTOWSP_NONE ? PTOWSP_OK : rt_expr_compile(&program->exprs, &program->tables, row, nest, true, id_out, error);
}

/* length 0: the name ends in NUL. */
static int32_t loop_find_part(const struct rt_program *program, const struct rt_nest *nest, uint32_t name, uint32_t length)
{
	const char *wanted = rt_string(&program->tables, name);
	int32_t depth = -1;

	length = length ? length : (uint32_t)strlen(wanted);
	for (uint32_t d = 0; d < nest->depth; d++) {
		const char *loop = rt_string(&program->tables, nest->names[d]);

		if (strlen(loop) == length && !memcmp(loop, wanted, length))
			depth = (int32_t)d;
	}
	return depth;
}

static int32_t loop_find(const struct rt_program *program, const struct rt_nest *nest, uint32_t name)
{
	return loop_find_part(program, nest, name, 0);
}

/* The policies of dispatch threshold, seen from the task. Like dispatch itself they mean nothing to processes: what they read does not move a clock there. */
static ptowsp_status parts_lower(struct rt_program *program, const struct rt_nest *nest, struct rt_site *site, struct ptowsp_error *error)
{
	const struct rt_schedule *schedule = &program->schedule;
	ptowsp_status status = PTOWSP_OK;

	site->first_part = program->part_count;
	for (uint32_t k = 0; !status && k < schedule->part_count; k++) {
		const struct rt_dispatch *dispatch = &schedule->parts[k];
		struct rt_site_part part = {.affinity = -1};

		if (dispatch->policy == PTOWSP_DISPATCH_AFFINITY && !nest->process)
			part.affinity = loop_find_part(program, nest, dispatch->axis, dispatch->axis_length);
		status = schedule_expr(program, nest, nest->process ? PTOWSP_NONE : dispatch->expr, &part.value, error);
		if (!status && !COMMON_GROW(program->parts, program->part_room, program->part_count))
			status = rt_no_memory(error, "tasks");
		if (!status)
			program->parts[program->part_count++] = part;
	}
	return status;
}

/* The loops around the task: one of them becomes its affinity when the first run begins. */
static ptowsp_status names_lower(struct rt_program *program, const struct rt_nest *nest, struct rt_site *site, struct ptowsp_error *error)
{
	site->first_name = nest->process ? PTOWSP_NONE : program->name_count;
	for (uint32_t d = 0; !nest->process && program->schedule.dispatch.policy == PTOWSP_DISPATCH_AUTO && d < nest->depth; d++) {
		if (!COMMON_GROW(program->names, program->name_room, program->name_count))
			return rt_no_memory(error, "tasks");
		program->names[program->name_count++] = nest->names[d];
	}
	return PTOWSP_OK;
}

static ptowsp_status schedule_lower(struct rt_program *program, const struct rt_nest *nest, struct rt_site *site, struct ptowsp_error *error)
{
	const struct rt_schedule *schedule = &program->schedule;
	ptowsp_status status = schedule_expr(program, nest, nest->process ? PTOWSP_NONE : schedule->dispatch.expr, &site->dispatch, error);

	if (!status)
		status = schedule_expr(program, nest, schedule->pool_expr, &site->pool, error);
	if (!status)
		status = schedule_expr(program, nest, schedule->stream_expr, &site->stream, error);
	if (!status)
		status = parts_lower(program, nest, site, error);
	if (!status)
		status = names_lower(program, nest, site, error);
	site->affinity = schedule->dispatch.policy == PTOWSP_DISPATCH_AFFINITY && !nest->process ? loop_find(program, nest, schedule->dispatch.axis) : -1;
	for (uint32_t k = 0; k < schedule->depth_count; k++)
		if (schedule->depths[k].domain == RT_DOMAIN_LOOP && loop_find(program, nest, schedule->depths[k].loop) >= 0)
			site->depth_loops |= UINT32_C(1) << k;
	site->grid[0] = nest->parallel > 0 ? (int32_t)nest->parallels[0] : -1;
	site->grid[1] = nest->parallel > 1 ? (int32_t)nest->parallels[1] : -1;
	return status;
}

static ptowsp_status reads_lower(struct rt_program *program, struct rt_site *site, struct ptowsp_error *error)
{
	uint32_t count = site->arg_count + 2u * site->io_count + site->after_count + program->schedule.part_count + 3, *ids = malloc(count * sizeof(*ids)),
		 n = 0;
	ptowsp_status status;

	if (!ids)
		return rt_no_memory(error, "arguments");
	for (uint32_t i = 0; i < site->arg_count; i++)
		ids[n++] = program->args[site->first_arg + i];
	for (uint32_t i = 0; i < site->io_count; i++) {
		ids[n++] = program->ios[site->first_io + i].row;
		ids[n++] = program->ios[site->first_io + i].column;
	}
	for (uint32_t i = 0; i < site->after_count; i++)
		ids[n++] = program->afters[site->first_after + i].task;
	for (uint32_t k = 0; k < program->schedule.part_count; k++)
		ids[n++] = program->parts[site->first_part + k].value;
	ids[n++] = site->dispatch;
	ids[n++] = site->pool;
	ids[n++] = site->stream;
	status = rt_exprs_reads(&program->exprs, ids, n, &site->read, &site->read_count, error);
	free(ids);
	return status;
}

ptowsp_status rt_site_close(struct rt_program *program, const struct rt_nest *nest, struct rt_site *site, struct ptowsp_error *error)
{
	ptowsp_status status = schedule_lower(program, nest, site, error);

	if (!status)
		status = reads_lower(program, site, error);
	if (!status && !COMMON_GROW(program->sites, program->site_room, program->site_count))
		status = rt_no_memory(error, "tasks");
	if (status)
		return status;
	program->sites[program->site_count++] = *site;
	program->most_args = site->arg_count > program->most_args ? site->arg_count : program->most_args;
	program->most_ios = site->io_count > program->most_ios ? site->io_count : program->most_ios;
	return PTOWSP_OK;
}

ptowsp_status rt_site_lower(struct rt_program *program, const struct rt_nest *nest, uint32_t at, uint32_t *next_out, struct ptowsp_error *error)
{
	const struct rt_tables *tables = &program->tables;
	const struct ptowsp_instruction *code = tables->work.code, *in = &code[at];
	struct rt_site site = {.instruction = at, .first_arg = program->arg_count, .first_io = program->io_count, .depth = (uint8_t)nest->depth};
	uint32_t words;
	ptowsp_status status;

	site.arg_count = (uint16_t)(in->operand2 >> 16);
	site.io_count = (uint16_t)in->operand2;
	words = (uint32_t)site.arg_count + site.io_count;
	if (words > tables->work.code_count - at - 1)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "a task promises %u words, %u are left", words, tables->work.code_count - at - 1);
	status = kernel_check(tables, in, &site.kernels, error);
	if (!status)
		status = rt_site_rooms(program, site.arg_count, site.io_count, error);
	for (uint32_t i = 1; !status && i <= words; i++)
		status = code[at + i].flags ? rt_fail(error, PTOWSP_BAD_PACKAGE, "a word of a task has flags %u", code[at + i].flags)
					    : word_lower(program, nest, &site, &code[at + i], error);
	*next_out = at + 1 + words;
	if (!status)
		status = rt_site_after(program, nest, &site, next_out, error);
	return status ? status : rt_site_close(program, nest, &site, error);
}

/* Most tasks touch each tensor once; then how many keys they reserve is known now. */
#define DISTINCT_LIMIT 64u

static void keys_count(const struct rt_program *program, struct rt_site *site)
{
	const struct rt_io *ios = &program->ios[site->first_io];

	site->distinct = site->io_count <= DISTINCT_LIMIT;
	for (uint32_t i = 0; i < site->io_count; i++) {
		site->allocated |= program->traits[ios[i].tensor].allocated;
		site->reads += ios[i].access & PTOWSP_READ ? 1 : 0;
		site->writes += ios[i].access & PTOWSP_WRITE ? 1 : 0;
		for (uint32_t k = 0; site->distinct && k < i; k++)
			if (ios[i].key == ios[k].key && ios[i].access & ios[k].access)
				site->distinct = 0;
	}
}

/* ---- once all sites are there ---------------------------------------------------------------------------------- */

/* What a kernel touches is asked once for all its sites, so they see each argument alike. */
static ptowsp_status views_agree(const struct rt_program *program, uint32_t *first, struct ptowsp_error *error)
{
	for (size_t row = 0; row < (size_t)program->site_count * program->level_count; row++) {
		const struct rt_site *site = &program->sites[row / program->level_count];
		uint32_t kernel = program->site_kernels[row];

		if (!first[kernel])
			first[kernel] = (uint32_t)(row / program->level_count) + 1;
		for (uint32_t i = 0; i < site->io_count; i++)
			if (program->ios[site->first_io + i].unit &&
			    program->ios[site->first_io + i].view != program->ios[program->sites[first[kernel] - 1].first_io + i].view)
				return rt_fail(error, PTOWSP_BAD_PACKAGE,
					       "tensor argument %u of kernel %s is a view of bytes at one task and none, or another one, at the next", i,
					       rt_kernel_name(program, kernel));
	}
	return PTOWSP_OK;
}

static ptowsp_status views_finish(struct rt_program *program, struct ptowsp_error *error)
{
	uint32_t *first;
	bool some = false;
	ptowsp_status status;

	program->io_views = calloc((size_t)program->io_count + 1, 1);
	if (!program->io_views)
		return rt_no_memory(error, "regions");
	for (uint32_t i = 0; i < program->io_count; i++)
		some |= (program->io_views[i] = program->ios[i].view) != 0;
	if (!some)
		return PTOWSP_OK;
	first = calloc((size_t)program->tables.kernel.count + 1, sizeof(*first));
	status = first ? views_agree(program, first, error) : rt_no_memory(error, "regions");
	free(first);
	return status;
}

ptowsp_status rt_sites_finish(struct rt_program *program, struct ptowsp_error *error)
{
	uint32_t levels = program->level_count, flat = program->tables.tensor.count * levels, *row;
	ptowsp_status status = PTOWSP_OK;

	if ((uint64_t)program->tables.tensor.count * levels + program->class_count >= RT_CLASS_LIMIT - 1)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "%u tensors at %u tile levels are too many", program->tables.tensor.count, levels);
	program->site_kernels = calloc((size_t)program->site_count * levels + 1, sizeof(*program->site_kernels));
	if (!program->site_kernels)
		return rt_no_memory(error, "tasks");
	for (uint32_t s = 0; s < program->site_count; s++) {
		uint32_t kernel = program->sites[s].kernels;

		program->sites[s].kernels = s * levels;
		for (uint32_t k = 0; !status && k < levels; k++) {
			row = &program->site_kernels[(size_t)s * levels + k];
			status = variant_find(program, kernel, program->levels[k], row, error);
			if (!status)
				program->kernel_used[*row] = 1;
		}
	}
	for (uint32_t i = 0; !status && i < program->io_count; i++)
		program->ios[i].key = program->ios[i].unit ? program->ios[i].tensor * levels : flat + program->ios[i].key;
	for (uint32_t s = 0; !status && s < program->site_count; s++)
		keys_count(program, &program->sites[s]);
	if (!status)
		status = views_finish(program, error);
	return status;
}
