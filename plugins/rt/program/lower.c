/* SPDX-License-Identifier: MIT */
/* The words of a task instruction: kernel, arguments, regions, schedule expressions; and what is finished once all are known. */
#include "registry/common/common_grow.h"
#include "rt/access/intern.h"
#include "rt/program/rt_verify.h"
#include <stdlib.h>
#include <string.h>

/* ---- kernels --------------------------------------------------------------------------------------------------- */

#define VARIANT_LIMIT 1024u /* bounds the search below; there are at most RT_LEVEL_LIMIT levels */

ptowsp_status rt_kernel_takes(const struct rt_verifier *v, uint32_t kernel, uint32_t counts_out[2])
{
	const struct rt_tables *tables = &v->program->tables;
	const struct ptowsp_kernel_record *record = &tables->kernel.rows[kernel];

	if (record->param_count > tables->param.count || record->params > tables->param.count - record->param_count)
		return RT_REFUSE(v, "kernel %s names KPRM rows that are not there", rt_string(tables, record->name));
	counts_out[0] = counts_out[1] = 0;
	for (uint32_t i = 0; i < record->param_count; i++)
		counts_out[tables->param.rows[record->params + i].kind != PTOWSP_PARAM_SCALAR]++;
	return PTOWSP_OK;
}

static ptowsp_status kernel_check(const struct rt_verifier *v, uint32_t operand, struct rt_site *site)
{
	const struct rt_tables *tables = &v->program->tables;
	uint32_t takes[2];
	ptowsp_status status;

	if (operand >= tables->work.kernel_count || tables->work.kernels[operand] >= tables->kernel.count)
		return RT_REFUSE(v, "there is no kernel %u", operand);
	site->kernels = tables->work.kernels[operand];
	status = rt_kernel_takes(v, site->kernels, takes);
	if (!status && (site->arg_count != takes[0] || site->io_count != takes[1]))
		status = RT_REFUSE(v, "a task gives %u scalars and %u tensors, kernel %s takes %u and %u", site->arg_count, site->io_count,
				   rt_string(tables, tables->kernel.rows[site->kernels].name), takes[0], takes[1]);
	return status;
}

/* Can the variant be called as the kernel is? */
static ptowsp_status variant_fits(const struct rt_verifier *v, uint32_t variant, uint32_t kernel)
{
	const char *name = rt_kernel_name(v->program, kernel);
	uint32_t want[2], have[2];
	ptowsp_status status;

	if (variant >= v->program->tables.kernel.count)
		return RT_REFUSE(v, "a variant of kernel %s names KREG row %u of %u", name, variant, v->program->tables.kernel.count);
	status = rt_kernel_takes(v, kernel, want);
	if (!status)
		status = rt_kernel_takes(v, variant, have);
	if (!status && memcmp(want, have, sizeof(want)))
		status = RT_REFUSE(v, "variant %s does not take the parameters of kernel %s", rt_kernel_name(v->program, variant), name);
	return status;
}

/* The kernel that replaces `kernel` at a level, or itself. */
static ptowsp_status variant_find(const struct rt_verifier *v, uint32_t kernel, uint32_t rows, uint32_t *kernel_out)
{
	const struct rt_tables *tables = &v->program->tables;
	const struct ptowsp_kernel_record *record = &tables->kernel.rows[kernel];
	const char *name = rt_kernel_name(v->program, kernel);

	*kernel_out = kernel;
	if (rows == RT_LEVEL_BASE)
		return PTOWSP_OK;
	if (record->variant_count > VARIANT_LIMIT)
		return RT_REFUSE(v, "kernel %s has %u variants, at most %u make sense", name, record->variant_count, VARIANT_LIMIT);
	if (record->variant_count > tables->variant.count || record->variants > tables->variant.count - record->variant_count)
		return RT_REFUSE(v, "kernel %s names KVAR rows that are not there", name);
	for (uint32_t i = 0; i < record->variant_count; i++)
		if (tables->variant.rows[record->variants + i].rows == rows)
			*kernel_out = tables->variant.rows[record->variants + i].kernel;
	return variant_fits(v, *kernel_out, kernel);
}

/* ---- words of a task ------------------------------------------------------------------------------------------- */

ptowsp_status rt_site_rooms(struct rt_verifier *v, uint32_t args, uint32_t ios)
{
	const struct rt_io none = {.tensor = PTOWSP_NONE};
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; !status && i < args; i++)
		status = RT_APPEND(v, args, arg_count, arg_room, PTOWSP_NONE);
	for (uint32_t i = 0; !status && i < ios; i++)
		status = RT_APPEND(v, ios, io_count, io_room, none);
	return status;
}

static ptowsp_status arg_lower(struct rt_verifier *v, const struct rt_site *site, const struct ptowsp_instruction *in)
{
	struct rt_program *program = v->program;
	uint32_t *arg;

	if (in->operand1 >= site->arg_count || program->args[site->first_arg + in->operand1] != PTOWSP_NONE)
		return RT_REFUSE(v, "argument %u of %u is given twice or too much", in->operand1, site->arg_count);
	arg = &program->args[site->first_arg + in->operand1];
	if (in->opcode == PTOWSP_OP_PARAM_CONST)
		return rt_expr_constant(&program->exprs, (int32_t)in->operand2, arg, v->error);
	if (in->opcode == PTOWSP_OP_PARAM_EXPR)
		return rt_verifier_value(v, in->operand2, arg);
	if (in->operand2 >= v->nest.depth)
		return RT_REFUSE(v, "argument %u reads loop %u of %u", in->operand1, in->operand2, v->nest.depth);
	return rt_expr_loop(&program->exprs, in->operand2, arg, v->error);
}

static ptowsp_status word_lower(struct rt_verifier *v, const struct rt_site *site, const struct ptowsp_instruction *in)
{
	struct rt_io io = {0};
	ptowsp_status status;

	if (in->flags)
		return RT_REFUSE(v, "a word of a task has flags %u", in->flags);
	switch (in->opcode) {
	case PTOWSP_OP_PARAM_CONST:
	case PTOWSP_OP_PARAM_LOOPVAR:
	case PTOWSP_OP_PARAM_EXPR: return arg_lower(v, site, in);
	case PTOWSP_OP_IO_INPUT: io.access = PTOWSP_READ; break;
	case PTOWSP_OP_IO_OUTPUT: io.access = PTOWSP_WRITE; break;
	case PTOWSP_OP_IO_INOUT: io.access = PTOWSP_READ | PTOWSP_WRITE; break;
	case PTOWSP_OP_IO_BIND: break;
	default: return RT_REFUSE(v, "a task promises %u arguments and %u tensors, opcode 0x%02x comes instead", site->arg_count, site->io_count, in->opcode);
	}
	if (in->operand1 >= site->io_count || v->program->ios[site->first_io + in->operand1].tensor != PTOWSP_NONE)
		return RT_REFUSE(v, "tensor argument %u of %u is given twice or too much", in->operand1, site->io_count);
	io.parts = v->program->ios[site->first_io + in->operand1].parts;
	io.part_rows = v->program->ios[site->first_io + in->operand1].part_rows;
	io.part_columns = v->program->ios[site->first_io + in->operand1].part_columns;
	status = rt_io_lower(v, in->operand2, &io);
	v->program->ios[site->first_io + in->operand1] = io;
	return status;
}

/* ---- schedule expressions, seen from the task ------------------------------------------------------------------ */

static ptowsp_status schedule_expr(struct rt_verifier *v, uint32_t row, uint32_t *id_out)
{
	*id_out = PTOWSP_NONE;
	return row == PTOWSP_NONE ? PTOWSP_OK : rt_expr_compile(&v->program->exprs, &v->program->tables, row, &v->nest, true, id_out, v->error);
}

/* Depth of the innermost loop of that name, -1: there is none. length 0: the name ends in NUL. */
static int32_t loop_find(const struct rt_verifier *v, uint32_t name, uint32_t length)
{
	const struct rt_tables *tables = &v->program->tables;
	const char *wanted = rt_string(tables, name);
	uint32_t d = v->nest.depth;

	length = length ? length : (uint32_t)strlen(wanted);
	while (d-- > 0) {
		const char *loop = rt_string(tables, v->nest.names[d]);

		if (strlen(loop) == length && !memcmp(loop, wanted, length))
			break;
	}
	return (int32_t)d;
}

/* A policy's operands. dispatch means nothing to processes: its expression moves no clock there. */
static ptowsp_status part_lower(struct rt_verifier *v, const struct rt_dispatch *dispatch, struct rt_site_part *part)
{
	part->affinity = dispatch->policy == PTOWSP_DISPATCH_AFFINITY && !v->nest.process ? loop_find(v, dispatch->axis, dispatch->axis_length) : -1;
	return schedule_expr(v, v->nest.process ? PTOWSP_NONE : dispatch->expr, &part->value);
}

/* The policies of dispatch threshold, seen from the task. */
static ptowsp_status parts_lower(struct rt_verifier *v, struct rt_site *site)
{
	const struct rt_schedule *schedule = &v->program->schedule;
	ptowsp_status status = PTOWSP_OK;

	site->first_part = v->program->part_count;
	for (uint32_t k = 0; !status && k < schedule->part_count; k++) {
		struct rt_site_part part;

		status = part_lower(v, &schedule->parts[k], &part);
		if (!status)
			status = RT_APPEND(v, parts, part_count, part_room, part);
	}
	return status;
}

/* The loops around the task: one of them becomes its affinity when the first run begins. */
static ptowsp_status names_lower(struct rt_verifier *v, struct rt_site *site)
{
	bool wanted = v->program->schedule.dispatch.policy == PTOWSP_DISPATCH_AUTO && !v->nest.process;
	ptowsp_status status = PTOWSP_OK;

	site->first_name = v->nest.process ? PTOWSP_NONE : v->program->name_count;
	for (uint32_t d = 0; !status && wanted && d < v->nest.depth; d++)
		status = RT_APPEND(v, names, name_count, name_room, v->nest.names[d]);
	return status;
}

static ptowsp_status schedule_lower(struct rt_verifier *v, struct rt_site *site)
{
	const struct rt_schedule *schedule = &v->program->schedule;
	const struct rt_nest *nest = &v->nest;
	struct rt_site_part dispatch;
	ptowsp_status status = part_lower(v, &schedule->dispatch, &dispatch);

	site->dispatch = dispatch.value;
	site->affinity = dispatch.affinity;
	if (!status)
		status = schedule_expr(v, schedule->pool_expr, &site->pool);
	if (!status)
		status = schedule_expr(v, schedule->stream_expr, &site->stream);
	if (!status)
		status = parts_lower(v, site);
	if (!status)
		status = names_lower(v, site);
	for (uint32_t k = 0; k < schedule->depth_count; k++)
		if (schedule->depths[k].domain == RT_DOMAIN_LOOP && loop_find(v, schedule->depths[k].loop, 0) >= 0)
			site->depth_loops |= UINT32_C(1) << k;
	site->grid[0] = nest->parallel > 0 ? (int32_t)nest->parallels[0] : -1;
	site->grid[1] = nest->parallel > 1 ? (int32_t)nest->parallels[1] : -1;
	return status;
}

static ptowsp_status reads_lower(struct rt_verifier *v, struct rt_site *site)
{
	struct rt_program *program = v->program;
	uint32_t count = site->arg_count + 4u * site->io_count + site->after_count + program->schedule.part_count + 3, *ids = malloc(count * sizeof(*ids)),
		 n = 0;
	ptowsp_status status;

	if (!ids)
		return rt_no_memory(v->error, "arguments");
	for (uint32_t i = 0; i < site->arg_count; i++)
		ids[n++] = program->args[site->first_arg + i];
	for (uint32_t i = 0; i < site->io_count; i++) {
		ids[n++] = program->ios[site->first_io + i].row;
		ids[n++] = program->ios[site->first_io + i].column;
		if (program->ios[site->first_io + i].parts & RT_PART_ROWS)
			ids[n++] = program->ios[site->first_io + i].part_rows;
		if (program->ios[site->first_io + i].parts & RT_PART_COLUMNS)
			ids[n++] = program->ios[site->first_io + i].part_columns;
	}
	for (uint32_t i = 0; i < site->after_count; i++)
		ids[n++] = program->afters[site->first_after + i].task;
	for (uint32_t k = 0; k < program->schedule.part_count; k++)
		ids[n++] = program->parts[site->first_part + k].value;
	ids[n++] = site->dispatch;
	ids[n++] = site->pool;
	ids[n++] = site->stream;
	status = rt_exprs_reads(&program->exprs, ids, n, &site->read, &site->read_count, v->error);
	free(ids);
	return status;
}

ptowsp_status rt_site_close(struct rt_verifier *v, struct rt_site *site, struct rt_ins *out)
{
	struct rt_program *program = v->program;
	ptowsp_status status = rt_site_after(v, site);

	site->instruction = v->at;
	site->depth = (uint8_t)v->nest.depth;
	*out = (struct rt_ins){.op = PTOWSP_OP_TASK, .end = v->next, .row = program->site_count, .flags = site->after_count ? PTOWSP_CHECKED : 0};
	for (uint32_t i = 0; i < site->io_count; i++) {
		const struct rt_io *io = &program->ios[site->first_io + i];

		program->traits[io->tensor].access |= (uint8_t)io->access;
		out->flags |= io->checked ? PTOWSP_CHECKED : 0;
	}
	if (!status)
		status = schedule_lower(v, site);
	if (!status)
		status = reads_lower(v, site);
	program->most_args = site->arg_count > program->most_args ? site->arg_count : program->most_args;
	program->most_ios = site->io_count > program->most_ios ? site->io_count : program->most_ios;
	return status ? status : RT_APPEND(v, sites, site_count, site_room, *site);
}

ptowsp_status rt_site_lower(struct rt_verifier *v)
{
	const struct ptowsp_instruction *in = rt_verifier_word(v, v->at);
	struct rt_site site = {.first_arg = v->program->arg_count,
			       .first_io = v->program->io_count,
			       .arg_count = (uint16_t)(in->operand2 >> 16),
			       .io_count = (uint16_t)in->operand2};
	uint32_t words = (uint32_t)site.arg_count + site.io_count, left = v->program->tables.work.code_count - v->at - 1;
	ptowsp_status status = words > left ? RT_REFUSE(v, "a task promises %u words, %u are left", words, left) : kernel_check(v, in->operand1, &site);

	if (!status)
		status = rt_site_rooms(v, site.arg_count, site.io_count);
	v->next = v->at + 1 + words;
	if (!status)
		status = rt_site_parts(v, &site);
	for (uint32_t i = 1; !status && i <= words; i++)
		status = word_lower(v, &site, &in[i]);
	return status ? status : rt_site_close(v, &site, &v->program->code[v->at]);
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

/* A kernel's footprint is asked once for all its sites, so they see each argument alike. */
static ptowsp_status views_agree(const struct rt_verifier *v, uint32_t *first)
{
	const struct rt_program *program = v->program;

	for (size_t row = 0; row < (size_t)program->site_count * program->level_count; row++) {
		const struct rt_site *site = &program->sites[row / program->level_count];
		uint32_t kernel = program->site_kernels[row];

		if (!first[kernel])
			first[kernel] = (uint32_t)(row / program->level_count) + 1;
		for (uint32_t i = 0; i < site->io_count; i++)
			if (program->ios[site->first_io + i].unit &&
			    program->ios[site->first_io + i].view != program->ios[program->sites[first[kernel] - 1].first_io + i].view)
				return RT_REFUSE(v, "tensor argument %u of kernel %s is a view of bytes at one task and none, or another one, at the next", i,
						 rt_kernel_name(program, kernel));
	}
	return PTOWSP_OK;
}

static ptowsp_status views_finish(struct rt_verifier *v)
{
	struct rt_program *program = v->program;
	uint32_t *first;
	bool some = false;
	ptowsp_status status;

	program->io_views = calloc((size_t)program->io_count + 1, 1);
	if (!program->io_views)
		return rt_no_memory(v->error, "regions");
	for (uint32_t i = 0; i < program->io_count; i++)
		some |= (program->io_views[i] = program->ios[i].view) != 0;
	if (!some)
		return PTOWSP_OK;
	first = calloc((size_t)program->tables.kernel.count + 1, sizeof(*first));
	status = first ? views_agree(v, first) : rt_no_memory(v->error, "regions");
	free(first);
	return status;
}

ptowsp_status rt_sites_finish(struct rt_verifier *v)
{
	struct rt_program *program = v->program;
	uint32_t levels = program->level_count, flat = program->tables.tensor.count * levels, *row;
	ptowsp_status status = PTOWSP_OK;

	if ((uint64_t)program->tables.tensor.count * levels + program->class_count >= RT_CLASS_LIMIT - 1)
		return RT_REFUSE(v, "%u tensors at %u tile levels are too many", program->tables.tensor.count, levels);
	program->site_kernels = calloc((size_t)program->site_count * levels + 1, sizeof(*program->site_kernels));
	if (!program->site_kernels)
		return rt_no_memory(v->error, "tasks");
	for (uint32_t s = 0; s < program->site_count; s++) {
		uint32_t kernel = program->sites[s].kernels;

		program->sites[s].kernels = s * levels;
		for (uint32_t k = 0; !status && k < levels; k++) {
			row = &program->site_kernels[(size_t)s * levels + k];
			status = variant_find(v, kernel, program->levels[k], row);
			if (!status)
				program->kernel_used[*row] = 1;
		}
	}
	for (uint32_t i = 0; !status && i < program->io_count; i++)
		program->ios[i].key = program->ios[i].unit ? program->ios[i].tensor * levels : flat + program->ios[i].key;
	for (uint32_t s = 0; !status && s < program->site_count; s++)
		keys_count(program, &program->sites[s]);
	if (!status)
		status = views_finish(v);
	return status ? status : rt_parts_finish(v);
}
