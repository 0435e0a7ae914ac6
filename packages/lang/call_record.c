/* SPDX-License-Identifier: MIT */
#include "lang/call_record.h"

#include <stdlib.h>

/* NULL where there was no memory for it, which sealing tells. */
static struct ptowsp_call_record *record_at(struct lang_lower *lower, uint32_t record)
{
	if (record >= pkg_writer_count(lower->writer, PTOWSP_SECTION_CALL))
		return NULL;
	return pkg_writer_at(lower->writer, PTOWSP_SECTION_CALL, record);
}

uint32_t lang_call_begin(struct lang_lower *lower, uint32_t caller, uint32_t callee)
{
	struct ptowsp_call_record record = {.first = lower->tables.work_count,
					    .caller = caller,
					    .callee = callee,
					    .arguments = pkg_writer_count(lower->writer, PTOWSP_SECTION_CARG)};

	return pkg_writer_row(lower->writer, PTOWSP_SECTION_CALL, &record, sizeof(record));
}

static void argument_add(struct lang_lower *lower, uint32_t record, const struct ptowsp_call_argument_record *argument)
{
	struct ptowsp_call_record *call = record_at(lower, record);

	pkg_writer_row(lower->writer, PTOWSP_SECTION_CARG, argument, sizeof(*argument));
	if (call)
		call->argument_count++;
}

void lang_call_tensor(struct lang_lower *lower, uint32_t record, uint32_t tensor, uint32_t row, uint32_t column)
{
	struct ptowsp_call_argument_record argument = {.tensor = tensor, .slot = PTOWSP_NONE, .row = row, .column = column};

	argument_add(lower, record, &argument);
}

static int by_slot(const void *a, const void *b)
{
	const struct ptowsp_call_argument_record *x = a, *y = b;

	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

void lang_call_scalars(struct lang_lower *lower, uint32_t record, const struct lang_function *callee, const uint32_t *values)
{
	struct ptowsp_call_argument_record *arguments = lang_alloc(&lower->unit->arena, ((size_t)callee->need_count + 1) * sizeof(*arguments));

	for (uint32_t i = 0; i < callee->need_count; i++)
		arguments[i] = (struct ptowsp_call_argument_record){
			.tensor = PTOWSP_NONE, .slot = callee->needs[i]->symbol->row, .row = values[i], .column = PTOWSP_NONE};
	qsort(arguments, callee->need_count, sizeof(*arguments), by_slot);
	for (uint32_t i = 0; i < callee->need_count; i++)
		argument_add(lower, record, &arguments[i]);
}

void lang_call_end(struct lang_lower *lower, uint32_t record)
{
	struct ptowsp_call_record *call = record_at(lower, record);

	if (call)
		call->instructions = lower->tables.work_count - call->first;
}
