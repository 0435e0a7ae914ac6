/* SPDX-License-Identifier: MIT */
/* entry.c - entries that are one task of a kernel: written as bytecode behind the package's own when they are loaded, so that everything else
 * sees a program like any other. Their tensors are those of the entry by position, their scalars the entry's values in order. */
#include <stdlib.h>
#include <string.h>
#include "rt/error.h"
#include "rt/grow.h"
#include "rt/program.h"

/* Makes room for `more` rows behind `count`; zeroed. Rounded up, so that entry after entry of one table finds the room that is there. */
static void *rows_extend(void *rows, uint64_t count, uint64_t more, size_t size)
{
	char *longer = count + more < UINT32_MAX ? realloc(rows, rt_power_above(count + more + 1) * size) : NULL;

	if (longer)
		memset(longer + count * size, 0, more * size);
	return longer;
}
#define EXTEND(rows, count, more) (extended = rows_extend(rows, count, more, sizeof(*(rows))), extended ? (rows = extended, true) : false)

/* What the task needs: words, and rows of EXPR and REGN for them. */
struct job {
	struct rt_tables *tables;
	const struct ptowsp_entry_record *entry;
	const struct ptowsp_kernel_record *kernel;
	struct ptowsp_error *error;
	uint32_t scalars, tensors;
	uint32_t zero;    /* EXPR row */
	uint32_t *of;     /* TENS row per tensor argument */
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

static ptowsp_status tensors_find(struct job *job, uint32_t entry, const struct rt_entry_tensors *index)
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
	void *extended;

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

	job->tables->region.rows[job->tables->region.count] = (struct ptowsp_region_record){
		.tensor = tensor, .row = job->zero, .column = job->zero, .unit = unit && unit <= UINT32_MAX ? (uint32_t)unit : 1};
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
			word_add(job, PTOWSP_OP_PARAM_EXPR, scalar,
				 node_add(job, PTOWSP_EXPR_VALUE, t->entry_value.rows[job->entry->values + scalar].slot));
			scalar++;
		} else {
			word_add(job, ios[param->access & (PTOWSP_READ | PTOWSP_WRITE)], tensor, region_add(job, job->of[tensor], param));
			tensor++;
		}
	}
	word_add(job, PTOWSP_OP_HALT, 0, 0);
}

/* Where messages about the task point: at the entry. */
static ptowsp_status position_copy(struct job *job, uint32_t entry, uint32_t instruction)
{
	struct rt_tables *t = job->tables;
	void *extended;

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

ptowsp_status rt_entry_tensors_init(struct rt_entry_tensors *index, const struct rt_tables *tables, struct ptowsp_error *error)
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

void rt_entry_tensors_finish(struct rt_entry_tensors *index)
{
	free(index->first);
	free(index->next);
}

ptowsp_status rt_entry_write(struct rt_tables *tables, uint32_t entry, const struct rt_entry_tensors *index, struct ptowsp_error *error)
{
	struct ptowsp_entry_record *record = &tables->entry.rows[entry];
	struct job job = {.tables = tables, .entry = record, .error = error};
	uint32_t instruction = tables->work.code_count;
	ptowsp_status st;

	if (!(record->flags & PTOWSP_ENTRY_KERNEL))
		return PTOWSP_OK;
	st = kernel_find(&job);
	if (!st)
		st = tensors_find(&job, entry, index);
	if (!st)
		st = rooms_make(&job);
	if (!st) {
		words_write(&job);
		record->instruction = instruction;
		record->flags &= ~(uint32_t)PTOWSP_ENTRY_KERNEL;
		if (!index) /* who has one wants no messages */
			st = position_copy(&job, entry, instruction);
	}
	free(job.of);
	return st;
}
