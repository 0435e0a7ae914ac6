/* SPDX-License-Identifier: MIT */
/* entries.c - entries: their code, the values that it needs, their rows. */
#include "lang/lang_lower.h"
#include "lang/lang_process.h"
#include "lang/lang_rows.h"
#include "lang/lang_schedule.h"
#include "lang/views.h"

#include <stdlib.h>

void lang_entry_begin(struct lang_lower *lower, uint32_t row)
{
	lower->view_scope = ++lower->view_scopes;
	lower->value_first = lower->entries[row].values = lower->tables.value_count;
	lower->entries[row].instruction = lower->tables.work_count;
}

/* What an entry with code needs is a set: in what order its code reads them is not said. */
static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void values_sort(struct lang_lower *lower, uint32_t first)
{
	if (lower->tables.value_count > first)
		qsort(lower->tables.values + first, lower->tables.value_count - first, sizeof(*lower->tables.values), by_number);
}

void lang_entry_end(struct lang_lower *lower, uint32_t row)
{
	const struct lang_function *f = lang_rows_of(lower, PTOWSP_SECTION_ENTR)->rows[row].function;

	if (!f || f->kind != LANG_INCORE) /* the values of a kernel's entry are its scalars, in their order, and nothing else */
		lang_schedule_values(lower);
	for (uint32_t i = 0; !f && i < lower->pipeline_value_count; i++)
		lang_value_use(lower, lower->pipeline_values[i]);
	if (!f || f->kind != LANG_INCORE)
		values_sort(lower, lower->value_first);
	lower->entries[row].value_count = lower->tables.value_count - lower->value_first;
	lower->value_first = PTOWSP_NONE;
}

void lang_value_use(struct lang_lower *lower, uint32_t slot)
{
	if (lower->value_first != PTOWSP_NONE)
		lang_value_add(&lower->tables, lower->value_first, slot);
}

void lang_code_lower(struct lang_lower *lower)
{
	lower->view_scopes = LANG_VIEW_PROCESSES;
	for (struct lang_function *f = lower->module->first; f; f = f->next) {
		uint32_t instruction;

		lang_entry_begin(lower, f->entry);
		lang_entry_lower(lower, f, &instruction);
		lower->entries[f->entry].instruction = instruction;
		lang_entry_end(lower, f->entry);
	}
	lower->view_scope = LANG_VIEW_PROCESSES;
	lang_pipeline_lower(lower);
	for (struct lang_decl *decl = lower->module->decls; decl; decl = decl->next)
		if (lang_decl_forms[decl->kind].code)
			lang_decl_forms[decl->kind].code(lower, decl);
}

void lang_entries_write(struct lang_lower *lower, const struct lang_rows *entries)
{
	for (uint32_t i = 0; i < entries->count; i++) {
		const struct lang_row *row = &entries->rows[i];
		const struct lang_module *module = lower->module;
		struct ptowsp_entry_record *record = &lower->entries[i];

		record->id = row->id;
		record->name = pkg_writer_string(lower->writer, row->name);
		if (row->decl ? row->decl == module->default_decl : row->function == module->default_entry)
			record->flags |= PTOWSP_ENTRY_DEFAULT;
		if (row->decl && row->decl->kind == LANG_DECL_WORKLOAD && lang_has_pipeline(module))
			record->flags |= PTOWSP_ENTRY_PIPELINE;
		record->flags |= row->function && row->function->kind == LANG_INCORE ? PTOWSP_ENTRY_KERNEL : 0;
		pkg_writer_row(lower->writer, PTOWSP_SECTION_ENTR, record, sizeof(*record));
		lang_debug_add(lower, 2, i, row->decl ? row->decl->at : row->function->at);
	}
	lang_values_write(&lower->tables, lower->writer);
}
