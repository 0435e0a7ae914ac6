/* SPDX-License-Identifier: MIT */
/* entry.c - entries of a package: those that are one task of a kernel, and all of them through the verifier. */
#include "registry/common/common_grow.h"
#include "rt/grow.h"
#include "rt/program/rt_error.h"
#include "rt/program/rt_program.h"
#include "rt/program/rt_verify.h"
#include <stdlib.h>
#include <string.h>

/* ---- entries that are one task of a kernel ----------------------------------------------------------------------- */

/* Makes room for `more` rows behind `count`; zeroed. Rounded up, so that entry after entry of one table finds the room that is there. */
static bool rows_extend(void **rows, uint64_t count, uint64_t more, size_t size)
{
	if (count + more >= UINT32_MAX || !common_resize(rows, rt_power_above(count + more + 1), size))
		return false;
	memset((char *)*rows + count * size, 0, more * size);
	return true;
}
#define EXTEND(rows, count, more) rows_extend((void **)&(rows), count, more, sizeof(*(rows)))

/* The TENS rows of each entry: first[entry], next[first[entry]] ..., PTOWSP_NONE behind the last. */
struct entry_tensors {
	uint32_t *first, *next; /* owned */
};

/* Words of the task, and rows of EXPR and REGN for them. */
struct job {
	struct rt_tables *tables;
	const struct ptowsp_entry_record *entry;
	const struct ptowsp_kernel_record *kernel;
	struct ptowsp_error *error;
	uint32_t scalars, tensors;
	uint32_t zero; /* EXPR row */
	uint32_t *of;  /* TENS row per tensor argument */
};

static ptowsp_status refuse(const struct job *job, const char *what)
{
	return rt_fail(job->error, PTOWSP_BAD_PACKAGE, "entry %.80s is one task of a kernel, and %s", rt_string(job->tables, job->entry->name), what);
}

static ptowsp_status kernel_find(struct job *job)
{
	const struct rt_tables *t = job->tables;

	if (job->entry->instruction >= t->kernel.count)
		return refuse(job, "that kernel is not there");
	job->kernel = &t->kernel.rows[job->entry->instruction];
	if (job->kernel->param_count > t->param.count || job->kernel->params > t->param.count - job->kernel->param_count)
		return refuse(job, "its kernel names KPRM rows that are not there");
	for (uint32_t p = 0; p < job->kernel->param_count; p++)
		++*(t->param.rows[job->kernel->params + p].kind == PTOWSP_PARAM_SCALAR ? &job->scalars : &job->tensors);
	if (job->scalars > UINT16_MAX || job->tensors > UINT16_MAX)
		return refuse(job, "its kernel has more parameters than a task can have");
	if (job->entry->value_count != job->scalars)
		return refuse(job, "its values are not as many as the kernel's scalars");
	if (job->scalars > t->entry_value.count || job->entry->values > t->entry_value.count - job->scalars)
		return refuse(job, "it names ESYM rows that are not there");
	for (uint32_t k = 0; k < job->scalars; k++)
		if (t->entry_value.rows[job->entry->values + k].slot >= t->slot.count)
			return refuse(job, "one of its values is no row of SLOT");
	return PTOWSP_OK;
}

static ptowsp_status tensors_find(struct job *job, uint32_t entry, const struct entry_tensors *index)
{
	const struct rt_tables *t = job->tables;
	uint32_t found = 0;

	job->of = malloc((job->tensors + (size_t)1) * sizeof(*job->of));
	if (!job->of)
		return rt_no_memory(job->error, "the entry");
	for (uint32_t k = 0; k < job->tensors; k++)
		job->of[k] = PTOWSP_NONE;
	for (uint32_t i = index ? index->first[entry] : 0; i < t->tensor.count; i = index ? index->next[i] : i + 1) {
		const struct ptowsp_tensor_record *tensor = &t->tensor.rows[i];

		if (tensor->entry != entry)
			continue;
		if (tensor->position >= job->tensors || job->of[tensor->position] != PTOWSP_NONE)
			return refuse(job, "two of its tensors are at one place, or there are more than the kernel has");
		job->of[tensor->position] = i;
		found++;
	}
	return found == job->tensors ? PTOWSP_OK : refuse(job, "it has fewer tensors than the kernel");
}

static ptowsp_status rooms_make(struct job *job)
{
	struct rt_tables *t = job->tables;
	uint32_t words = 2 + job->scalars + job->tensors;

	if (t->work.kernel_count > UINT16_MAX)
		return refuse(job, "WORK has no room for another kernel");
	return EXTEND(t->work.code, t->work.code_count, words) && EXTEND(t->work.kernels, t->work.kernel_count, 1u) &&
			       EXTEND(t->expr.rows, t->expr.count, job->scalars + 1u) && EXTEND(t->region.rows, t->region.count, job->tensors)
		       ? PTOWSP_OK
		       : rt_no_memory(job->error, "the entry");
}

static void word_add(struct job *job, unsigned opcode, uint32_t operand1, uint32_t operand2)
{
	job->tables->work.code[job->tables->work.code_count++] =
		(struct ptowsp_instruction){.opcode = (uint8_t)opcode, .operand1 = (uint16_t)operand1, .operand2 = operand2};
}

static uint32_t node_add(struct job *job, unsigned op, uint32_t a)
{
	job->tables->expr.rows[job->tables->expr.count] = (struct ptowsp_expr_record){.op = (uint16_t)op, .a = a};
	return job->tables->expr.count++;
}

/* The whole tensor from its first element on, as far as the kernel touches it. */
static uint32_t region_add(struct job *job, uint32_t tensor, const struct ptowsp_param_record *param)
{
	uint64_t unit = (uint64_t)param->rows * param->columns;

	job->tables->region.rows[job->tables->region.count] =
		(struct ptowsp_region_record){.tensor = tensor, .row = job->zero, .column = job->zero, .unit = unit && unit <= UINT32_MAX ? (uint32_t)unit : 1};
	return job->tables->region.count++;
}

static void words_write(struct job *job)
{
	static const uint8_t ios[] = {[0] = PTOWSP_OP_IO_BIND,
				      [PTOWSP_READ] = PTOWSP_OP_IO_INPUT,
				      [PTOWSP_WRITE] = PTOWSP_OP_IO_OUTPUT,
				      [PTOWSP_READ | PTOWSP_WRITE] = PTOWSP_OP_IO_INOUT};
	struct rt_tables *t = job->tables;
	uint32_t scalar = 0, tensor = 0;

	job->zero = node_add(job, PTOWSP_EXPR_CONST, 0);
	word_add(job, PTOWSP_OP_TASK, t->work.kernel_count, job->scalars << 16 | job->tensors);
	t->work.kernels[t->work.kernel_count++] = job->entry->instruction;
	for (uint32_t p = 0; p < job->kernel->param_count; p++) {
		const struct ptowsp_param_record *param = &t->param.rows[job->kernel->params + p];

		if (param->kind == PTOWSP_PARAM_SCALAR) {
			word_add(job, PTOWSP_OP_PARAM_EXPR, scalar, node_add(job, PTOWSP_EXPR_VALUE, t->entry_value.rows[job->entry->values + scalar].slot));
			scalar++;
		} else {
			word_add(job, ios[param->access & (PTOWSP_READ | PTOWSP_WRITE)], tensor, region_add(job, job->of[tensor], param));
			tensor++;
		}
	}
	word_add(job, PTOWSP_OP_HALT, 0, 0);
}

/* Messages about the task point at the entry. */
static ptowsp_status position_copy(struct job *job, uint32_t entry, uint32_t instruction)
{
	struct rt_tables *t = job->tables;

	for (uint32_t i = 0; i < t->debug.count; i++) {
		struct ptowsp_debug_record copy = t->debug.rows[i];

		if (copy.kind != 2 || copy.row != entry)
			continue;
		if (!EXTEND(t->debug.rows, t->debug.count, 1u))
			return rt_no_memory(job->error, "the entry");
		copy.kind = 0;
		copy.row = instruction;
		t->debug.rows[t->debug.count++] = copy;
		return PTOWSP_OK;
	}
	return PTOWSP_OK;
}

static ptowsp_status tensors_init(struct entry_tensors *index, const struct rt_tables *tables, struct ptowsp_error *error)
{
	const uint32_t entries = tables->entry.count, tensors = tables->tensor.count;

	index->first = malloc((entries + (size_t)1) * sizeof(*index->first));
	index->next = malloc((tensors + (size_t)1) * sizeof(*index->next));
	if (!index->first || !index->next)
		return rt_no_memory(error, "the entries");
	for (uint32_t i = 0; i < entries; i++)
		index->first[i] = PTOWSP_NONE;
	for (uint32_t i = tensors; i-- > 0;) {
		uint32_t entry = tables->tensor.rows[i].entry;

		index->next[i] = entry < entries ? index->first[entry] : PTOWSP_NONE;
		if (entry < entries)
			index->first[entry] = i;
	}
	return PTOWSP_OK;
}

static void tensors_finish(struct entry_tensors *index)
{
	free(index->first);
	free(index->next);
}

/* index: NULL, or its tensors are looked up there, and messages about the task name no place. */
static ptowsp_status entry_write(struct rt_tables *tables, uint32_t entry, const struct entry_tensors *index, struct ptowsp_error *error)
{
	struct ptowsp_entry_record *record = &tables->entry.rows[entry];
	struct job job = {.tables = tables, .entry = record, .error = error};
	uint32_t instruction = tables->work.code_count;
	ptowsp_status status;

	if (!(record->flags & PTOWSP_ENTRY_KERNEL))
		return PTOWSP_OK;
	status = kernel_find(&job);
	if (!status)
		status = tensors_find(&job, entry, index);
	if (!status)
		status = rooms_make(&job);
	if (!status) {
		words_write(&job);
		record->instruction = instruction;
		record->flags &= ~(uint32_t)PTOWSP_ENTRY_KERNEL;
		if (!index) /* a caller with an index wants no messages */
			status = position_copy(&job, entry, instruction);
	}
	free(job.of);
	return status;
}

ptowsp_status rt_entry_write(struct rt_tables *tables, uint32_t entry, struct ptowsp_error *error)
{
	return entry_write(tables, entry, NULL, error);
}

/* ---- entry after entry, without loading each --------------------------------------------------------------------- */

struct rt_entries {
	struct rt_program *program; /* of no entry */
	struct rt_verifier verifier;
	struct entry_tensors tensors;
	struct rt_exprs before; /* program->exprs without those of an entry: counts alone */
	struct {
		uint32_t code, kernels, exprs, regions;
	} rows; /* of the tables, without those of an entry */
};

/* ---- making ---------------------------------------------------------------------------------------------------- */

/* Most rows that an entry of one task adds to each table. */
static uint32_t room_of(const struct rt_tables *t)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < t->entry.count; i++) {
		const struct ptowsp_entry_record *entry = &t->entry.rows[i];

		if (entry->flags & PTOWSP_ENTRY_KERNEL && entry->instruction < t->kernel.count && t->kernel.rows[entry->instruction].param_count > most)
			most = t->kernel.rows[entry->instruction].param_count;
	}
	return most + 2;
}

/* `more` zeroed elements behind the array's. */
static bool array_extend(uint32_t **array, size_t count, size_t more)
{
	if (!COMMON_RESIZE(*array, count + more))
		return false;
	memset(*array + count, 0, more * sizeof(**array));
	return true;
}

static ptowsp_status rooms_extend(struct rt_program *program, struct ptowsp_error *error)
{
	const struct rt_tables *t = &program->tables;
	const size_t room = room_of(t);

	program->code = calloc(t->work.code_count + room + 1, sizeof(*program->code));
	return program->code && array_extend(&program->exprs.place, t->expr.count + (size_t)1, room) &&
			       array_extend(&program->exprs.work, 4 * (size_t)t->expr.count + 8, 4 * room) &&
			       array_extend(&program->region_class, t->region.count + (size_t)1, room)
		       ? PTOWSP_OK
		       : rt_no_memory(error, "the entries");
}

static ptowsp_status common_make(struct rt_entries *e, const struct rt_program_args *args, struct ptowsp_error *error)
{
	struct rt_program *program = e->program;
	const struct rt_tables *t = &program->tables;
	ptowsp_status status = rt_tables_init(&program->tables, args->sections, args->section_count, args->section_stride, error);

	if (!status)
		status = rt_program_common(program, args, error);
	if (!status)
		status = rt_classes_init(program, error);
	if (!status)
		status = rooms_extend(program, error);
	if (!status)
		status = tensors_init(&e->tensors, t, error);
	e->before = program->exprs;
	e->rows.code = t->work.code_count;
	e->rows.kernels = t->work.kernel_count;
	e->rows.exprs = t->expr.count;
	e->rows.regions = t->region.count;
	return status;
}

ptowsp_status rt_entries_create(struct rt_entries **entries_out, const struct rt_program_args *args, struct ptowsp_error *error)
{
	struct rt_entries *e = calloc(1, sizeof(*e));
	ptowsp_status status;

	*entries_out = NULL;
	if (e)
		e->program = calloc(1, sizeof(*e->program));
	if (!e || !e->program) {
		free(e);
		return rt_no_memory(error, "the entries");
	}
	e->program->kernels = *args->kernels;
	pthread_mutex_init(&e->program->lock, NULL);
	rt_spares_init(&e->program->spares);
	e->verifier.program = e->program;
	status = common_make(e, args, error);
	if (status)
		rt_entries_destroy(e);
	else
		*entries_out = e;
	return status;
}

void rt_entries_destroy(struct rt_entries *e)
{
	if (!e)
		return;
	rt_verifier_finish(&e->verifier);
	tensors_finish(&e->tensors);
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

static ptowsp_status forget(struct rt_entries *e, const struct ptowsp_entry_record *entry, struct ptowsp_error *error)
{
	struct rt_tables *t = &e->program->tables;

	tensors_forget(e);
	lists_forget(e->program);
	e->verifier.noted_count = 0;
	t->entry.rows[e->program->entry] = *entry;
	t->work.code_count = e->rows.code;
	t->work.kernel_count = e->rows.kernels;
	t->expr.count = e->rows.exprs;
	t->region.count = e->rows.regions;
	return rt_exprs_back(&e->program->exprs, &e->before, error);
}

ptowsp_status rt_entries_verify(struct rt_entries *e, uint32_t entry, struct ptowsp_error *error)
{
	struct rt_tables *t = &e->program->tables;
	struct ptowsp_entry_record record;
	ptowsp_status status, after;

	if (entry >= t->entry.count)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "there is no entry %u, the package has %u", entry, t->entry.count);
	record = t->entry.rows[entry];
	e->program->entry = entry;
	e->verifier.error = error;
	status = entry_write(t, entry, &e->tensors, error);
	if (!status)
		status = rt_verifier_entry(&e->verifier);
	after = forget(e, &record, error);
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

/* As if it were loaded alone, whose sentence says where it stands in the source. */
static ptowsp_status entry_check(struct rt_entries *entries, const struct rt_program_args *args, struct ptowsp_error *error)
{
	struct rt_program *program = NULL;
	ptowsp_status status = rt_entries_verify(entries, args->entry, error);

	if (status && status != PTOWSP_UNSUPPORTED && status != PTOWSP_NO_MEMORY)
		status = rt_program_create(&program, args, error);
	rt_program_destroy(program);
	return status == PTOWSP_UNSUPPORTED ? PTOWSP_OK : status;
}

ptowsp_status rt_entries_check(const struct rt_program_args *args, struct ptowsp_error *error)
{
	struct rt_program_args other = *args;
	struct rt_entries *entries;
	ptowsp_status status;

	other.host = NULL;
	status = rt_entries_create(&entries, &other, error);
	for (other.entry = 0; !status && other.entry < entries->program->tables.entry.count; other.entry++)
		if (other.entry != args->entry)
			status = entry_check(entries, &other, error);
	if (!status)
		status = opcodes_check(&entries->program->tables, error);
	rt_entries_destroy(entries);
	return status;
}
