/* SPDX-License-Identifier: MIT */
/* value.c - rows of symbols, slots and events. */
#include "lang/value.h"

#include "lang/lang_lower.h"

#include <string.h>

void lang_symbol_write(struct lang_lower *lower, struct lang_decl *decl)
{
	const struct lang_value *value = (const struct lang_value *)decl;
	struct ptowsp_slot_record record = {.id = ptowsp_id(decl->name, strlen(decl->name)),
					    .name = pkg_writer_string(lower->writer, decl->name),
					    .kind = decl->kind == LANG_DECL_SYMBOL ? PTOWSP_SLOT_SYMBOL : PTOWSP_SLOT_SLOT,
					    .dtype = value->dtype,
					    .value = value->value};

	record.flags = (value->has_default ? PTOWSP_SLOT_HAS_DEFAULT : 0u) | (value->internal ? PTOWSP_SLOT_INTERNAL : 0u);
	pkg_writer_row(lower->writer, PTOWSP_SECTION_SLOT, &record, sizeof(record));
}

void lang_event_write(struct lang_lower *lower, struct lang_decl *decl)
{
	struct ptowsp_event_record record = {.id = ptowsp_id(decl->name, strlen(decl->name)),
					     .name = pkg_writer_string(lower->writer, decl->name)};

	pkg_writer_row(lower->writer, PTOWSP_SECTION_EVNT, &record, sizeof(record));
}
