/* SPDX-License-Identifier: MIT */
/* slots.c - symbols that functions need, the slots of their scalars, and what symbols are unless a run sets them. */
#include "lang/lang_lower.h"
#include "lang/number.h"
#include "lang/lang_rows.h"
#include "lang/value.h"

#include <string.h>

/* The declared symbol or slot of that name, NULL without one. */
static struct lang_value *value_find(const struct lang_module *module, const char *name)
{
	struct lang_decl *decl = lang_decl_find(module, '%', name);

	return decl && (decl->kind == LANG_DECL_SYMBOL || decl->kind == LANG_DECL_SLOT) ? (struct lang_value *)decl : NULL;
}

/* Functions with one name for scalars of different types: each gets a symbol of its own. */
static void symbol_names(struct lang_lower *lower)
{
	struct lang_module *module = lower->module;
	struct lang_map first = {0}, mixed = {0};
	const struct lang_value *value;

	for (uint32_t i = 0; i < module->symbol_count; i++) {
		struct lang_symbol *symbol = module->symbols[i], *other = lang_map_find(&first, symbol->name);

		if (!other)
			lang_map_add(&first, &lower->unit->arena, symbol->name, symbol);
		else if (other->dtype != symbol->dtype && !lang_map_find(&mixed, symbol->name))
			lang_map_add(&mixed, &lower->unit->arena, symbol->name, symbol);
		value = value_find(module, symbol->name);
		if (value && value->dtype != symbol->dtype && !lang_map_find(&mixed, symbol->name))
			lang_map_add(&mixed, &lower->unit->arena, symbol->name, symbol);
	}
	for (uint32_t i = 0; i < module->symbol_count; i++) {
		struct lang_symbol *symbol = module->symbols[i];

		if (lang_map_find(&mixed, symbol->name))
			symbol->name = lang_format(&lower->unit->arena, "%s.%s", symbol->function->name, symbol->name);
	}
}

void lang_slots_declare(struct lang_lower *lower, struct lang_rows *slots)
{
	struct lang_module *module = lower->module;
	struct lang_map seen = {0};

	symbol_names(lower);
	for (uint32_t i = 0; i < module->symbol_count; i++)
		if (!value_find(module, module->symbols[i]->name) && !lang_map_find(&seen, module->symbols[i]->name)) {
			lang_map_add(&seen, &lower->unit->arena, module->symbols[i]->name, module->symbols[i]);
			lang_row_add(lower, slots, module->symbols[i]->name)->symbol = module->symbols[i];
		}
	for (struct lang_function *f = module->first; f; f = f->next)
		for (uint32_t i = 0; i < f->var_count && f->kind == LANG_ORCHESTRATION; i++) {
			struct lang_var *var = f->vars[i];

			/* Never read and never set: needs no row. */
			if (var->kind == LANG_SCALAR && !var->pure && var->writes)
				lang_row_add(lower, slots, lang_format(&lower->unit->arena, "@%s.%s", f->name, var->name))->var = var;
		}
}

void lang_slots_write(struct lang_lower *lower, const struct lang_rows *slots)
{
	struct lang_module *module = lower->module;
	struct lang_map rows = {0};

	for (uint32_t i = 0; i < slots->count; i++) {
		const struct lang_row *row = &slots->rows[i];
		struct ptowsp_slot_record record = {.id = row->id};

		if (row->decl) {
			lang_decl_forms[row->decl->kind].write(lower, row->decl);
			continue;
		}
		if (lang_row_made(lower, row))
			continue;
		record.name = pkg_writer_string(lower->writer, row->name);
		record.kind = row->var ? PTOWSP_SLOT_SLOT : PTOWSP_SLOT_SYMBOL;
		record.dtype = row->var ? row->var->type.dtype : row->symbol->dtype;
		record.flags = row->var ? PTOWSP_SLOT_HAS_DEFAULT | PTOWSP_SLOT_INTERNAL : 0;
		pkg_writer_row(lower->writer, PTOWSP_SECTION_SLOT, &record, sizeof(record));
		if (row->var)
			row->var->slot = i;
		else
			row->symbol->row = i;
		if (row->symbol)
			lang_map_add(&rows, &lower->unit->arena, row->symbol->name, row->symbol);
	}
	for (uint32_t i = 0; i < module->symbol_count; i++) {
		struct lang_symbol *symbol = module->symbols[i];
		const struct lang_value *value = value_find(module, symbol->name);

		symbol->row = value ? value->head.row : ((struct lang_symbol *)lang_map_find(&rows, symbol->name))->row;
	}
}

void lang_default_set(struct lang_lower *lower, const struct lang_rows *slots, const char *text)
{
	const char *sign = strchr(text, '=');
	size_t length = sign ? (size_t)(sign - text) : strlen(text);
	struct lang_span nowhere = {0};
	struct lang_guess guess;

	lang_guess_start(&guess, lang_copy(&lower->unit->arena, text, length));
	for (uint32_t i = 0; i < slots->count; i++) {
		struct ptowsp_slot_record *record = pkg_writer_at(lower->writer, PTOWSP_SECTION_SLOT, i);

		if (!record || record->flags & PTOWSP_SLOT_INTERNAL)
			continue;
		lang_guess_try(&guess, slots->rows[i].name);
		if (strcmp(slots->rows[i].name, guess.word) != 0)
			continue;
		if (!sign || lang_number_read(sign + 1, record->dtype, &record->value) != LANG_NUMBER_OK) {
			lower->unit->misuses++;
			lang_error(lower->unit, nowhere, "\"%s\" gives %s no value of type %s", text, guess.word,
				   lang_dtype_text(record->dtype));
			return;
		}
		record->flags |= PTOWSP_SLOT_HAS_DEFAULT;
		return;
	}
	lower->unit->misuses++;
	lang_error(lower->unit, nowhere, "there is no symbol \"%s\" that could have a default value", guess.word);
	lang_guess_help(lower->unit, &guess, "");
}
