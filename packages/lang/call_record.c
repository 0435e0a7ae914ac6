/* SPDX-License-Identifier: MIT */
#include "lang/call_record.h"

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

void lang_call_scalars(struct lang_lower *lower, uint32_t record, const struct lang_function *callee, const uint32_t *values)
{
	uint32_t least = 0, next = 0;

	for (uint32_t done = 0; done < callee->need_count; done++, least = next + 1) {
		struct ptowsp_call_argument_record argument = {.tensor = PTOWSP_NONE, .column = PTOWSP_NONE};

		next = UINT32_MAX;
		for (uint32_t i = 0; i < callee->need_count; i++) {
			uint32_t row = callee->needs[i]->symbol->row;

			if (row >= least && row < next) {
				next = row;
				argument.row = values[i];
			}
		}
		argument.slot = next;
		argument_add(lower, record, &argument);
	}
}

void lang_call_end(struct lang_lower *lower, uint32_t record)
{
	struct ptowsp_call_record *call = record_at(lower, record);

	if (call)
		call->instructions = lower->tables.work_count - call->first;
}
