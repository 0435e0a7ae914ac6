/* SPDX-License-Identifier: MIT */
/* entry.c - entries of a package: those that are one task of a kernel, and all of them through the verifier. */
#include "rt/program/rt_error.h"
#include "rt/program/rt_program.h"
#include "rt/program/rt_verify.h"
#include <stdlib.h>
#include <string.h>

/* ---- entries that are one task of a kernel ----------------------------------------------------------------------- */

static ptowsp_status refuse(const struct rt_verifier *v, const char *what)
{
	const struct rt_tables *t = &v->program->tables;

	return RT_REFUSE(v, "entry %.80s is one task of a kernel, and %s", rt_string(t, t->entry.rows[v->program->entry].name), what);
}

static ptowsp_status kernel_find(const struct rt_verifier *v, const struct ptowsp_entry_record *entry, struct rt_site *site)
{
	const struct rt_tables *t = &v->program->tables;
	uint32_t takes[2];
	ptowsp_status status = PTOWSP_OK;

	if (entry->instruction >= t->kernel.count)
		return refuse(v, "that kernel is not there");
	status = rt_kernel_takes(v, entry->instruction, takes);
	if (status)
		return status;
	if (takes[0] > UINT16_MAX || takes[1] > UINT16_MAX)
		return refuse(v, "its kernel has more parameters than a task can have");
	if (entry->value_count != takes[0])
		return refuse(v, "its values are not as many as the kernel's scalars");
	if (takes[0] > t->entry_value.count || entry->values > t->entry_value.count - takes[0])
		return refuse(v, "it names ESYM rows that are not there");
	site->kernels = entry->instruction;
	site->arg_count = (uint16_t)takes[0];
	site->io_count = (uint16_t)takes[1];
	return PTOWSP_OK;
}

static ptowsp_status args_lower(struct rt_verifier *v, const struct ptowsp_entry_record *entry, const struct rt_site *site)
{
	struct rt_program *program = v->program;
	const struct rt_tables *t = &program->tables;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t k = 0; !status && k < site->arg_count; k++) {
		uint32_t slot = t->entry_value.rows[entry->values + k].slot;

		status = slot < t->slot.count ? rt_expr_slot(&program->exprs, slot, &program->args[site->first_arg + k], v->error)
					      : refuse(v, "one of its values is no row of SLOT");
	}
	return status;
}

static ptowsp_status tensors_index(struct rt_verifier *v)
{
	const struct rt_tables *t = &v->program->tables;

	v->first_tensors = malloc((t->entry.count + (size_t)1) * sizeof(*v->first_tensors));
	v->next_tensors = malloc((t->tensor.count + (size_t)1) * sizeof(*v->next_tensors));
	if (!v->first_tensors || !v->next_tensors)
		return rt_no_memory(v->error, "the entries");
	for (uint32_t i = 0; i < t->entry.count; i++)
		v->first_tensors[i] = PTOWSP_NONE;
	for (uint32_t i = t->tensor.count; i-- > 0;) {
		uint32_t entry = t->tensor.rows[i].entry;

		if (entry >= t->entry.count)
			continue;
		v->next_tensors[i] = v->first_tensors[entry];
		v->first_tensors[entry] = i;
	}
	return PTOWSP_OK;
}

static ptowsp_status tensors_find(struct rt_verifier *v, const struct rt_site *site)
{
	struct rt_io *ios = &v->program->ios[site->first_io];
	ptowsp_status status = v->next_tensors ? PTOWSP_OK : tensors_index(v);
	uint32_t found = 0;

	if (status)
		return status;
	for (uint32_t i = v->first_tensors[v->program->entry]; i != PTOWSP_NONE; i = v->next_tensors[i], found++) {
		uint32_t position = v->program->tables.tensor.rows[i].position;

		if (position >= site->io_count || ios[position].tensor != PTOWSP_NONE)
			return refuse(v, "two of its tensors are at one place, or there are more than the kernel has");
		ios[position].tensor = i;
	}
	return found == site->io_count ? PTOWSP_OK : refuse(v, "it has fewer tensors than the kernel");
}

/* Whole tensors from their first element on, as far as the kernel touches them. */
static ptowsp_status windows_lower(struct rt_verifier *v, const struct rt_site *site)
{
	struct rt_program *program = v->program;
	const struct ptowsp_param_record *param = &program->tables.param.rows[program->tables.kernel.rows[site->kernels].params];
	uint32_t zero = 0;
	ptowsp_status status = rt_expr_constant(&program->exprs, 0, &zero, v->error);

	for (uint32_t i = 0; !status && i < site->io_count; param++) {
		uint64_t unit = (uint64_t)param->rows * param->columns;
		struct rt_io *io = &program->ios[site->first_io + i];

		if (param->kind == PTOWSP_PARAM_SCALAR)
			continue;
		*io = (struct rt_io){.tensor = io->tensor,
				     .row = zero,
				     .column = zero,
				     .unit = unit && unit <= UINT32_MAX ? (uint32_t)unit : 1,
				     .access = param->access & (PTOWSP_READ | PTOWSP_WRITE),
				     .checked = 1};
		rt_renaming_see(program, &v->nest, io);
		i++;
	}
	return status;
}

ptowsp_status rt_verify_own_task(struct rt_verifier *v)
{
	struct rt_program *program = v->program;
	const struct ptowsp_entry_record *entry = &program->tables.entry.rows[program->entry];
	struct rt_site site = {.first_arg = program->arg_count, .first_io = program->io_count};
	ptowsp_status status = kernel_find(v, entry, &site);

	v->nest = (struct rt_nest){.key = PTOWSP_NONE};
	v->process = PTOWSP_NONE;
	v->at = program->tables.work.code_count;
	v->next = v->at + 1;
	program->tables.work.entry = program->entry;
	if (!status)
		status = rt_site_rooms(v, site.arg_count, site.io_count);
	if (!status)
		status = args_lower(v, entry, &site);
	if (!status)
		status = tensors_find(v, &site);
	if (!status)
		status = windows_lower(v, &site);
	return status ? status : rt_site_close(v, &site, &program->code[v->at]);
}

/* ---- entry after entry, without loading each --------------------------------------------------------------------- */

struct rt_entries {
	struct rt_program *program; /* of no entry */
	struct rt_verifier verifier;
	struct rt_exprs before; /* program->exprs without those of an entry: counts alone */
};

ptowsp_status rt_entries_create(struct rt_entries **entries_out, const struct rt_program_args *args, struct ptowsp_error *error)
{
	struct rt_entries *e = calloc(1, sizeof(*e));
	ptowsp_status status = e ? rt_program_begin(&e->program, args, error) : rt_no_memory(error, "the entries");

	*entries_out = NULL;
	if (status) {
		free(e);
		return status;
	}
	e->verifier.program = e->program;
	e->before = e->program->exprs;
	*entries_out = e;
	return PTOWSP_OK;
}

void rt_entries_destroy(struct rt_entries *e)
{
	if (!e)
		return;
	rt_verifier_finish(&e->verifier);
	rt_program_destroy(e->program);
	free(e);
}

/* ---- one of them ----------------------------------------------------------------------------------------------- */

static void tensor_forget(struct rt_program *program, uint32_t tensor)
{
	if (tensor >= program->tables.tensor.count)
		return;
	program->traits[tensor] = (struct rt_tensor_traits){0};
	program->renamings[tensor] = (struct rt_renaming){0};
}

static void tensors_forget(struct rt_entries *e)
{
	struct rt_program *program = e->program;

	for (uint32_t i = 0; i < program->io_count; i++)
		tensor_forget(program, program->ios[i].tensor);
	for (uint32_t i = 0; i < program->loop_count; i++) {
		tensor_forget(program, program->loops[i].lengths);
		tensor_forget(program, program->loops[i].indices);
	}
	for (uint32_t i = 0; i < e->verifier.noted_count; i++) /* ALLOC; of an event nothing is forgotten that counts */
		tensor_forget(program, program->tables.work.code[e->verifier.noted[i]].operand2);
	for (uint32_t i = 0; i < program->move_count; i++)
		program->payloads[program->moves[i].channel] = (struct rt_payload){0};
}

static void lists_forget(struct rt_program *program)
{
	free(program->site_kernels);
	free(program->io_views);
	program->site_kernels = NULL;
	program->io_views = NULL;
	program->loop_count = program->site_count = program->arg_count = program->io_count = 0;
	program->move_count = program->after_count = program->part_count = program->name_count = 0;
	program->level_count = program->level_set_count = 0;
}

static ptowsp_status forget(struct rt_entries *e, struct ptowsp_error *error)
{
	tensors_forget(e);
	lists_forget(e->program);
	e->verifier.noted_count = 0;
	return rt_exprs_back(&e->program->exprs, &e->before, error);
}

ptowsp_status rt_entries_verify(struct rt_entries *e, uint32_t entry, struct ptowsp_error *error)
{
	ptowsp_status status, after;

	e->program->entry = entry;
	e->verifier.error = error;
	status = rt_verifier_entry(&e->verifier);
	after = forget(e, error);
	return status ? status : after;
}

/* ---- all of them ----------------------------------------------------------------------------------------------- */

static const uint8_t known[256] = {
#define X(name, code, ...) [code] = 1,
#include "ptowsp/workload_ops.def"
#undef X
};

static ptowsp_status opcodes_check(const struct rt_tables *t, struct ptowsp_error *error)
{
	for (uint32_t i = 0; i < t->work.code_count; i++)
		if (!known[t->work.code[i].opcode])
			return rt_fail(error, PTOWSP_UNKNOWN_OPCODE,
				       "instruction %u, which no entry reaches: unknown opcode 0x%02x; it needs a newer runtime core", i,
				       t->work.code[i].opcode);
	return PTOWSP_OK;
}

ptowsp_status rt_entries_check(const struct rt_program_args *args, struct ptowsp_error *error)
{
	struct rt_program_args other = *args;
	struct rt_entries *entries;
	ptowsp_status status;

	other.host = NULL;
	status = rt_entries_create(&entries, &other, error);
	for (uint32_t i = 0; !status && i < entries->program->tables.entry.count; i++) {
		status = i == args->entry ? PTOWSP_OK : rt_entries_verify(entries, i, error);
		status = status == PTOWSP_UNSUPPORTED ? PTOWSP_OK : status;
	}
	if (!status)
		status = opcodes_check(&entries->program->tables, error);
	rt_entries_destroy(entries);
	return status;
}
