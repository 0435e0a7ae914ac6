/* SPDX-License-Identifier: MIT */
/* entries.c - the entries of a package, one after the other, through the verifier that loads one: tables, shapes and schedule are read once, and behind an entry only what
 * it touched is forgotten, so that all of them together take as long as the package. */
#include <stdlib.h>
#include <string.h>
#include "rt/error.h"
#include "rt/verifier.h"

struct rt_entries {
	struct rt_program *program; /* of no entry */
	struct rt_verifier verifier;
	struct rt_entry_tensors tensors;
	struct rt_exprs before;     /* program->exprs without those of an entry: counts alone */
	struct {
		uint32_t code, kernels, exprs, regions;
	} rows;                     /* of the tables, without those of an entry */
};

/* ---- making ---------------------------------------------------------------------------------------------------- */

/* What an entry that is one task of a kernel may add to each table. */
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
	uint32_t *longer = realloc(*array, (count + more) * sizeof(*longer));

	if (!longer)
		return false;
	memset(longer + count, 0, more * sizeof(*longer));
	*array = longer;
	return true;
}

static ptowsp_status rooms_make(struct rt_program *program, struct ptowsp_error *error)
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
	ptowsp_status st = rt_tables_init(&program->tables, args->sections, args->section_count, args->section_stride, error);

	if (!st)
		st = rt_program_common(program, args, error);
	if (!st)
		st = rt_classes_init(program, error);
	if (!st)
		st = rooms_make(program, error);
	if (!st)
		st = rt_entry_tensors_init(&e->tensors, t, error);
	e->before = program->exprs;
	e->rows.code = t->work.code_count;
	e->rows.kernels = t->work.kernel_count;
	e->rows.exprs = t->expr.count;
	e->rows.regions = t->region.count;
	return st;
}

ptowsp_status rt_entries_create(struct rt_entries **entries_out, const struct rt_program_args *args, struct ptowsp_error *error)
{
	struct rt_entries *e = calloc(1, sizeof(*e));
	ptowsp_status st;

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
	st = common_make(e, args, error);
	if (st)
		rt_entries_destroy(e);
	else
		*entries_out = e;
	return st;
}

void rt_entries_destroy(struct rt_entries *e)
{
	if (!e)
		return;
	rt_verifier_finish(&e->verifier);
	rt_entry_tensors_finish(&e->tensors);
	rt_program_destroy(e->program);
	free(e);
}

/* ---- one of them ----------------------------------------------------------------------------------------------- */

static void tensor_forget(struct rt_program *program, uint32_t tensor)
{
	if (tensor >= program->tables.tensor.count)
		return;
	program->tensor_access[tensor] = program->tensor_loaded[tensor] = program->tensor_indexed[tensor] = 0;
	program->tensor_allocated[tensor] = program->tensor_moved[tensor] = 0;
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
	ptowsp_status st, after;

	if (entry >= t->entry.count)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "there is no entry %u, the package has %u", entry, t->entry.count);
	record = t->entry.rows[entry];
	e->program->entry = entry;
	e->verifier.error = error;
	st = rt_entry_write(t, entry, &e->tensors, error);
	if (!st)
		st = rt_verifier_entry(&e->verifier);
	after = forget(e, &record, error);
	return st ? st : after;
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
			return rt_fail(error, PTOWSP_UNKNOWN_OPCODE, "instruction %u, which no entry reaches: unknown opcode 0x%02x; it needs a newer runtime core", i, t->work.code[i].opcode);
	return PTOWSP_OK;
}

/* As if it were loaded alone, whose sentence says where it stands in the source. */
static ptowsp_status entry_check(struct rt_entries *entries, const struct rt_program_args *args, struct ptowsp_error *error)
{
	struct rt_program *program = NULL;
	ptowsp_status st = rt_entries_verify(entries, args->entry, error);

	if (st && st != PTOWSP_UNSUPPORTED && st != PTOWSP_NO_MEMORY)
		st = rt_program_create(&program, args, error);
	rt_program_destroy(program);
	return st == PTOWSP_UNSUPPORTED ? PTOWSP_OK : st;
}

ptowsp_status rt_entries_check(const struct rt_program_args *args, struct ptowsp_error *error)
{
	struct rt_program_args other = *args;
	struct rt_entries *entries;
	ptowsp_status st;

	other.host = NULL;
	st = rt_entries_create(&entries, &other, error);
	for (other.entry = 0; !st && other.entry < entries->program->tables.entry.count; other.entry++)
		if (other.entry != args->entry)
			st = entry_check(entries, &other, error);
	if (!st)
		st = opcodes_check(&entries->program->tables, error);
	rt_entries_destroy(entries);
	return st;
}
