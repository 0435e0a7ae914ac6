/* SPDX-License-Identifier: MIT */
/* lang_rows.c - rows with ids, numbered before anything refers to them: slots, kernels, tensors and entries. */
#include "lang/graph/graph_lower.h"
#include "lang/lang_kernel.h"
#include "lang/lang_process.h"
#include "lang/lang_schedule.h"
#include "lang/lower/lang_lower.h"
#include "lang/number.h"
#include "lang/scalar.h"
#include "registry/common/common_dtype.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct lang_rows *lang_rows_of(struct lang_lower *lower, uint32_t section)
{
	for (uint32_t i = 0; i < lower->rows_count; i++)
		if (lower->rows[i].section == section)
			return &lower->rows[i];
	assert(lower->rows_count < LANG_MAX_SECTIONS);
	lower->rows[lower->rows_count].section = section;
	return &lower->rows[lower->rows_count++];
}

/* The first row of a name counts; a second one is refused when the rows are sorted. */
static void name_put(struct lang_lower *lower, struct lang_rows *rows, uint32_t place)
{
	if (!lang_map_find(&rows->names, rows->rows[place].name))
		lang_map_add(&rows->names, &lower->unit->arena, rows->rows[place].name, (void *)((uintptr_t)place + 1));
}

struct lang_row *lang_row_add(struct lang_lower *lower, struct lang_rows *rows, const char *name)
{
	struct lang_row *row = COMMON_PUSH(&lower->unit->arena, rows->rows, rows->count, rows->capacity);

	*row = (struct lang_row){.id = ptowsp_id(name, strlen(name)), .name = name};
	name_put(lower, rows, rows->count - 1);
	return row;
}

uint32_t lang_row_find(const struct lang_rows *rows, const char *name)
{
	uintptr_t place = (uintptr_t)lang_map_find(&rows->names, name);

	return place ? (uint32_t)(place - 1) : PTOWSP_NONE;
}

static void decls_declare(struct lang_lower *lower)
{
	for (struct lang_decl *decl = lower->module->decls; decl; decl = decl->next) {
		uint32_t section = lang_decl_forms[decl->kind].section;

		if (section)
			lang_row_add(lower, lang_rows_of(lower, section), decl->name)->decl = decl;
	}
}

static int by_id(const void *a, const void *b)
{
	uint64_t x = ((const struct lang_row *)a)->id, y = ((const struct lang_row *)b)->id;

	return x < y ? -1 : x > y;
}

/* The place of the name; line 0: it was made. */
static struct lang_span row_place(const struct lang_row *row)
{
	static const struct lang_span nowhere;

	return row->decl ? row->decl->at : row->var ? row->var->at : row->function ? row->function->at : row->symbol ? row->symbol->var->at : nowhere;
}

/* Told where the later one stands. */
static void equal_ids_refuse(struct lang_lower *lower, const struct lang_row *a, const struct lang_row *b)
{
	struct lang_span first = row_place(a), second = row_place(b);

	if (second.file < first.file ||
	    (second.file == first.file && (second.line < first.line || (second.line == first.line && second.column < first.column)))) {
		equal_ids_refuse(lower, b, a);
		return;
	}
	lang_error(lower->unit, second, "the names \"%s\" and \"%s\" have the same 64-bit id", b->name, a->name);
	if (first.line)
		lang_help(lower->unit, "rename one of them; \"%s\" stands at %s", a->name, lang_place(lower->unit, first));
	else
		lang_help(lower->unit, "rename one of them");
}

/* By id; two names of one id are an error. Declarations learn their rows. */
static void rows_sort(struct lang_lower *lower, struct lang_rows *rows)
{
	if (rows->count)
		qsort(rows->rows, rows->count, sizeof(*rows->rows), by_id);
	rows->names = (struct lang_map){0};
	for (uint32_t i = 0; i < rows->count; i++) {
		name_put(lower, rows, i);
		if (rows->rows[i].decl)
			rows->rows[i].decl->row = i;
		if (rows->rows[i].made)
			rows->rows[i].made->row = i;
	}
	for (uint32_t i = 1; i < rows->count; i++)
		if (rows->rows[i].id == rows->rows[i - 1].id)
			equal_ids_refuse(lower, &rows->rows[i - 1], &rows->rows[i]);
}

/* A row that is declared or made; 0: it is a function's. */
static bool row_build(struct lang_lower *lower, const struct lang_row *row)
{
	if (row->made)
		row->made->build(lower, row->made, row->name);
	if (!row->decl)
		return row->made != NULL;
	lang_at(lower, row->decl->at);
	lang_decl_forms[row->decl->kind].build(lower, row->decl);
	return true;
}

void lang_rows_build(struct lang_lower *lower, uint32_t section)
{
	const struct lang_rows *rows = lang_rows_of(lower, section);

	for (uint32_t i = 0; i < rows->count; i++)
		row_build(lower, &rows->rows[i]);
}

/* ---- symbols that functions need, the slots of their scalars, and what symbols are unless a run sets them. ---- */

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
			symbol->name = common_format(&lower->unit->arena, "%s.%s", symbol->function->name, symbol->name);
	}
}

static void slots_declare(struct lang_lower *lower)
{
	struct lang_rows *slots = lang_rows_of(lower, PTOWSP_SECTION_SLOT);
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
				lang_row_add(lower, slots, common_format(&lower->unit->arena, "@%s.%s", f->name, var->name))->var = var;
		}
}

void lang_slots_build(struct lang_lower *lower)
{
	const struct lang_rows *slots = lang_rows_of(lower, PTOWSP_SECTION_SLOT);
	struct lang_module *module = lower->module;

	for (uint32_t i = 0; i < slots->count; i++) {
		const struct lang_row *row = &slots->rows[i];

		if (row_build(lower, row))
			continue;
		if (row->var)
			row->var->slot = build_slot_add(lower->build, row->name,
							(struct ptowsp_slot_record){.kind = PTOWSP_SLOT_SLOT,
										    .dtype = row->var->type.dtype,
										    .flags = PTOWSP_SLOT_HAS_DEFAULT | PTOWSP_SLOT_INTERNAL});
		else
			build_slot_add(lower->build, row->name, (struct ptowsp_slot_record){.kind = PTOWSP_SLOT_SYMBOL, .dtype = row->symbol->dtype});
	}
	for (uint32_t i = 0; i < module->symbol_count; i++)
		module->symbols[i]->row = lang_row_find(slots, module->symbols[i]->name);
}

void lang_default_set(struct lang_lower *lower, const char *text)
{
	struct ptowsp_build *b = lower->build;
	const char *sign = strchr(text, '=');
	struct lang_span nowhere = {0};
	struct lang_guess guess;

	lang_guess_start(&guess, common_copy(&lower->unit->arena, text, sign ? (size_t)(sign - text) : strlen(text)));
	for (uint32_t i = 0; i < b->slot_count; i++) {
		struct ptowsp_slot_record *slot = &b->slots[i];

		if (slot->flags & PTOWSP_SLOT_INTERNAL)
			continue;
		lang_guess_try(&guess, build_text(b, slot->name));
		if (strcmp(build_text(b, slot->name), guess.word) != 0)
			continue;
		if (!sign || lang_number_read(sign + 1, slot->dtype, &slot->value) != LANG_NUMBER_OK) {
			lower->unit->misuses++;
			lang_error(lower->unit, nowhere, "\"%s\" gives %s no value of type %s", text, guess.word, common_dtype_text(slot->dtype));
			return;
		}
		slot->flags |= PTOWSP_SLOT_HAS_DEFAULT;
		return;
	}
	lower->unit->misuses++;
	lang_error(lower->unit, nowhere, "there is no symbol \"%s\" that could have a default value", guess.word);
	lang_guess_help(lower->unit, &guess, "");
}

/* ---- functions as kernels and entries, and their memrefs as tensors. ---- */

/* The execution unit of a kernel whose source does not say one: whichever pool is free first. */
#define KERNEL_UNIT PTOWSP_UNIT_ANY

static void functions_declare(struct lang_lower *lower)
{
	struct lang_rows *kernels = lang_rows_of(lower, PTOWSP_SECTION_KREG), *entries = lang_rows_of(lower, PTOWSP_SECTION_ENTR);
	struct lang_rows *tensors = lang_rows_of(lower, PTOWSP_SECTION_TENS);

	for (struct lang_function *f = lower->module->first; f; f = f->next) {
		lang_row_add(lower, entries, f->name)->function = f;
		if (f->kind == LANG_INCORE)
			lang_row_add(lower, kernels, f->name)->function = f;
		for (uint32_t i = 0; i < f->memref_count; i++) {
			struct lang_row *row = lang_row_add(lower, tensors, common_format(&lower->unit->arena, "%s.%s", f->name, f->memrefs[i]->name));

			row->function = f;
			row->var = f->memrefs[i];
		}
	}
}

static uint32_t entry_add(struct lang_lower *lower, const char *name, struct lang_span at, uint32_t flags)
{
	uint32_t row;

	lang_at(lower, at);
	row = build_entry_add(lower->build, name, flags, 0);
	lower->build->entries[row].stated = 1; /* its values come from the expressions as they are written, not as they are folded */
	return row;
}

/* In the order of their code. */
static void entries_declare(struct lang_lower *lower)
{
	const struct lang_module *module = lower->module;

	for (struct lang_function *f = module->first; f; f = f->next)
		f->entry = entry_add(lower, f->name, f->at,
				     (f == module->default_entry ? PTOWSP_ENTRY_DEFAULT : 0u) | (f->kind == LANG_INCORE ? PTOWSP_ENTRY_KERNEL : 0u));
	for (struct lang_decl *decl = module->decls; decl; decl = decl->next)
		if (lang_decl_forms[decl->kind].section == PTOWSP_SECTION_ENTR)
			decl->row = entry_add(lower, decl->name, decl->at,
					      (decl == module->default_decl ? PTOWSP_ENTRY_DEFAULT : 0u) |
						      (decl->kind == LANG_DECL_WORKLOAD && lang_has_pipeline(module) ? PTOWSP_ENTRY_PIPELINE : 0u));
}

void lang_rows_declare(struct lang_lower *lower)
{
	const struct lang_rows *kernels = lang_rows_of(lower, PTOWSP_SECTION_KREG);

	decls_declare(lower);
	lang_graphs_declare(lower);
	functions_declare(lower);
	slots_declare(lower);
	for (uint32_t i = 0; i < lower->rows_count; i++)
		rows_sort(lower, &lower->rows[i]);
	for (uint32_t i = 0; i < kernels->count; i++)
		if (kernels->rows[i].function)
			kernels->rows[i].function->kernel = i;
	entries_declare(lower);
}

void lang_tensors_build(struct lang_lower *lower)
{
	static const uint8_t roles[] = {
		[0] = PTOWSP_ROLE_IN, [PTOWSP_READ] = PTOWSP_ROLE_IN, [PTOWSP_WRITE] = PTOWSP_ROLE_OUT, [PTOWSP_READ | PTOWSP_WRITE] = PTOWSP_ROLE_INOUT};
	const struct lang_rows *tensors = lang_rows_of(lower, PTOWSP_SECTION_TENS);

	for (uint32_t i = 0; i < tensors->count; i++) {
		const struct lang_row *row = &tensors->rows[i];
		struct build_tensor tensor = {.record = {.flags = PTOWSP_TENSOR_SHAPELESS}};

		if (row_build(lower, row))
			continue;
		tensor.record.dtype = row->var->type.dtype;
		tensor.record.role = roles[row->var->access];
		tensor.record.location = row->var->type.space;
		tensor.record.entry = row->function->entry;
		tensor.record.position = row->var->number;
		row->function->tensors[row->var->number] = build_tensor_add(lower->build, row->name, &tensor);
	}
}

void lang_function_payload(struct lang_lower *lower, uint32_t kernel, struct lang_function *f)
{
	lower->build->kernels[kernel].like = f->payload; /* of another kernel with the same body */
	if (f->payload)
		return;
	f->payload = kernel + 1;
	lang_kernel_encode(lower, f, kernel, (struct ptowsp_payload_record){.unit = KERNEL_UNIT});
}

void lang_kernels_build(struct lang_lower *lower)
{
	const struct lang_rows *kernels = lang_rows_of(lower, PTOWSP_SECTION_KREG);

	for (uint32_t i = 0; i < kernels->count; i++) {
		const struct lang_row *row = &kernels->rows[i];

		if (row_build(lower, row))
			continue;
		lang_at(lower, row->function->at);
		build_kernel_add(lower->build, row->name, (struct ptowsp_kernel_record){.unit = KERNEL_UNIT});
		lang_params_build(lower, i, row->function, NULL);
		lang_function_payload(lower, i, row->function);
	}
}

void lang_variants_build(struct lang_lower *lower)
{
	for (const struct lang_function *f = lower->module->first; f; f = f->next)
		for (uint32_t i = 0; i < f->variant_count; i++)
			if (f->variants[i].function)
				build_variant_add(lower->build, f->kernel, f->variants[i].rows, f->variants[i].function->kernel);
}

/* ---- entries: their code and the values that it needs. ---- */

void lang_entry_begin(struct lang_lower *lower, uint32_t row)
{
	lower->view_scope = ++lower->view_scopes;
	lower->entry = &lower->build->entries[row];
	lower->entry->record.instruction = lower->tables->work_count;
	lower->tables->region_first = lower->tables->region_count;
}

void lang_entry_end(struct lang_lower *lower, int is_function)
{
	lang_schedule_values(lower);
	for (uint32_t i = 0; !is_function && i < lower->pipeline.record.value_count; i++)
		lang_value_use(lower, lower->pipeline.values[i]);
	lower->entry = NULL;
}

void lang_value_use(struct lang_lower *lower, uint32_t slot)
{
	struct build_entry *entry = lower->entry;

	for (uint32_t i = 0; entry && i < entry->record.value_count; i++)
		if (entry->values[i] == slot)
			return;
	if (entry)
		*COMMON_PUSH(&lower->unit->arena, entry->values, entry->record.value_count, entry->value_capacity) = slot;
}

/* One task on its own tensors: the entry says all, its values are the scalars of the kernel in their order, and nothing else. */
static void kernel_entry(struct lang_lower *lower, const struct lang_function *f)
{
	lower->entry = &lower->build->entries[f->entry];
	lower->entry->record.instruction = f->kernel;
	for (uint32_t i = 0; i < f->need_count; i++)
		lang_value_use(lower, f->needs[i]->symbol->row);
	lower->entry = NULL;
}

void lang_code_lower(struct lang_lower *lower)
{
	lower->view_scopes = LANG_VIEW_PROCESSES;
	for (struct lang_function *f = lower->module->first; f; f = f->next) {
		if (f->kind == LANG_INCORE) {
			kernel_entry(lower, f);
			continue;
		}
		lang_entry_begin(lower, f->entry);
		lang_entry_lower(lower, f);
		lang_entry_end(lower, 1);
	}
	lower->view_scope = LANG_VIEW_PROCESSES;
	lang_pipeline_lower(lower);
	for (struct lang_decl *decl = lower->module->decls; decl; decl = decl->next)
		if (lang_decl_forms[decl->kind].code)
			lang_decl_forms[decl->kind].code(lower, decl);
}
