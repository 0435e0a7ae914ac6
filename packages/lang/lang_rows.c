/* SPDX-License-Identifier: MIT */
/* lang_rows.c - rows with ids, numbered before anything refers to them: slots, kernels, tensors and entries. */
#include "lang/lang_lower.h"
#include "lang/number.h"
#include "lang/scalar.h"
#include "lang/lang_process.h"
#include "lang/lang_schedule.h"

#include <assert.h>
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
	struct lang_row *row = LANG_PUSH(&lower->unit->arena, rows->rows, rows->count, rows->capacity);

	*row = (struct lang_row){.id = ptowsp_id(name, strlen(name)), .name = name};
	name_put(lower, rows, rows->count - 1);
	return row;
}

uint32_t lang_row_find(const struct lang_rows *rows, const char *name)
{
	uintptr_t place = (uintptr_t)lang_map_find(&rows->names, name);

	return place ? (uint32_t)(place - 1) : PTOWSP_NONE;
}

void lang_rows_declare(struct lang_lower *lower)
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

	return row->decl       ? row->decl->at
	       : row->var      ? row->var->at
	       : row->function ? row->function->at
	       : row->symbol   ? row->symbol->var->at
			       : nowhere;
}

/* Told where the later one stands. */
static void equal_ids_refuse(struct lang_lower *lower, const struct lang_row *a, const struct lang_row *b)
{
	struct lang_span first = row_place(a), second = row_place(b);

	if (second.file < first.file || (second.file == first.file && (second.line < first.line || (second.line == first.line && second.column < first.column)))) {
		equal_ids_refuse(lower, b, a);
		return;
	}
	lang_error(lower->unit, second, "the names \"%s\" and \"%s\" have the same 64-bit id", b->name, a->name);
	if (first.line)
		lang_help(lower->unit, "rename one of them; \"%s\" stands at %s", a->name, lang_place(lower->unit, first));
	else
		lang_help(lower->unit, "rename one of them");
}

void lang_rows_sort(struct lang_lower *lower, struct lang_rows *rows)
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

int lang_row_made(struct lang_lower *lower, const struct lang_row *row)
{
	if (row->made)
		row->made->write(lower, row->made, row->id, pkg_writer_string(lower->writer, row->name));
	return row->made != NULL;
}

/* Writes a row that is declared or made; 0: it is a function's. */
static int row_written(struct lang_lower *lower, const struct lang_row *row)
{
	if (row->decl)
		lang_decl_forms[row->decl->kind].write(lower, row->decl);
	return row->decl || lang_row_made(lower, row);
}

void lang_rows_write(struct lang_lower *lower, struct lang_rows *rows)
{
	for (uint32_t i = 0; i < rows->count; i++) {
		struct lang_decl *decl = rows->rows[i].decl;

		if (decl && lang_decl_forms[decl->kind].write)
			lang_decl_forms[decl->kind].write(lower, decl);
		lang_row_made(lower, &rows->rows[i]);
	}
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

		if (row_written(lower, row))
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

/* ---- functions as kernels and entries, and their memrefs as tensors. ---- */

/* The execution unit of a kernel whose source does not say one: whichever pool is free first. */
#define KERNEL_UNIT PTOWSP_UNIT_ANY

void lang_functions_declare(struct lang_lower *lower, struct lang_rows *kernels, struct lang_rows *entries)
{
	for (struct lang_function *f = lower->module->first; f; f = f->next) {
		lang_row_add(lower, entries, f->name)->function = f;
		if (f->kind == LANG_INCORE)
			lang_row_add(lower, kernels, f->name)->function = f;
	}
	lang_rows_sort(lower, kernels);
	lang_rows_sort(lower, entries);
	for (uint32_t i = 0; i < entries->count; i++)
		if (entries->rows[i].function)
			entries->rows[i].function->entry = i;
	for (uint32_t i = 0; i < kernels->count; i++)
		if (kernels->rows[i].function)
			kernels->rows[i].function->kernel = i;
}

void lang_tensors_write(struct lang_lower *lower)
{
	static const uint8_t roles[] = {[0] = PTOWSP_ROLE_IN,
					[PTOWSP_READ] = PTOWSP_ROLE_IN,
					[PTOWSP_WRITE] = PTOWSP_ROLE_OUT,
					[PTOWSP_READ | PTOWSP_WRITE] = PTOWSP_ROLE_INOUT};
	struct lang_rows *tensors = lang_rows_of(lower, PTOWSP_SECTION_TENS);

	for (struct lang_function *f = lower->module->first; f; f = f->next)
		for (uint32_t i = 0; i < f->memref_count; i++) {
			struct lang_row *row =
				lang_row_add(lower, tensors, lang_format(&lower->unit->arena, "%s.%s", f->name, f->memrefs[i]->name));

			row->function = f;
			row->var = f->memrefs[i];
		}
	lang_rows_sort(lower, tensors);
	for (uint32_t i = 0; i < tensors->count; i++) {
		const struct lang_row *row = &tensors->rows[i];
		struct ptowsp_tensor_record record = {.id = row->id, .flags = PTOWSP_TENSOR_SHAPELESS};

		if (row_written(lower, row))
			continue;
		record.name = pkg_writer_string(lower->writer, row->name);
		record.dtype = row->var->type.dtype;
		record.role = roles[row->var->access];
		record.location = row->var->type.space;
		record.entry = row->function->entry;
		record.position = row->var->number;
		pkg_writer_row(lower->writer, PTOWSP_SECTION_TENS, &record, sizeof(record));
		row->function->tensors[row->var->number] = i;
	}
}

static uint32_t params_write(struct lang_lower *lower, const struct lang_function *f)
{
	uint32_t first = pkg_writer_count(lower->writer, PTOWSP_SECTION_KPRM);

	for (uint32_t i = 0; i < f->memref_count; i++) {
		const struct lang_var *memref = f->memrefs[i];
		struct ptowsp_param_record record = {.name = pkg_writer_string(lower->writer, memref->name),
						     .kind = PTOWSP_PARAM_TENSOR,
						     .dtype = memref->type.dtype,
						     .access = memref->access,
						     .rows = memref->rows,
						     .columns = memref->columns};

		pkg_writer_row(lower->writer, PTOWSP_SECTION_KPRM, &record, sizeof(record));
	}
	for (uint32_t i = 0; i < f->need_count; i++) {
		struct ptowsp_param_record record = {.name = pkg_writer_string(lower->writer, f->needs[i]->name),
						     .kind = PTOWSP_PARAM_SCALAR,
						     .dtype = f->needs[i]->type.dtype};

		pkg_writer_row(lower->writer, PTOWSP_SECTION_KPRM, &record, sizeof(record));
	}
	return first;
}

static uint32_t payload_write(struct lang_lower *lower, struct lang_function *f)
{
	struct ptowsp_payload_record record = {.kind = PTOWSP_PAYLOAD_PTO, .unit = KERNEL_UNIT};
	size_t size;
	const void *payload;

	if (f->payload) /* of another kernel with the same body */
		return f->payload - 1;
	payload = lang_kernel_encode(lower, f, &size);

	record.offset = pkg_writer_bytes(lower->writer, PTOWSP_SECTION_CODE, payload, size, 64);
	record.size = size;
	f->payload = pkg_writer_row(lower->writer, PTOWSP_SECTION_KPAY, &record, sizeof(record)) + 1;
	return f->payload - 1;
}

static uint32_t variants_write(struct lang_lower *lower, const struct lang_function *f, uint32_t *count_out)
{
	uint32_t first = pkg_writer_count(lower->writer, PTOWSP_SECTION_KVAR);

	*count_out = 0;
	for (uint32_t i = 0; i < f->variant_count; i++) {
		struct ptowsp_variant_record record = {.rows = f->variants[i].rows};

		if (!f->variants[i].function)
			continue;
		record.kernel = f->variants[i].function->kernel;
		pkg_writer_row(lower->writer, PTOWSP_SECTION_KVAR, &record, sizeof(record));
		++*count_out;
	}
	return first;
}

void lang_kernel_rows(struct lang_lower *lower, struct lang_function *f, struct ptowsp_kernel_record *record)
{
	record->params = params_write(lower, f);
	record->param_count = f->memref_count + f->need_count;
	record->payloads = payload_write(lower, f);
	record->payload_count = 1;
}

static void kernel_write(struct lang_lower *lower, struct lang_function *f, uint64_t id)
{
	struct ptowsp_kernel_record record = {.id = id, .name = pkg_writer_string(lower->writer, f->name), .unit = KERNEL_UNIT};

	lang_kernel_rows(lower, f, &record);
	record.variants = variants_write(lower, f, &record.variant_count);
	pkg_writer_row(lower->writer, PTOWSP_SECTION_KREG, &record, sizeof(record));
}

void lang_kernels_write(struct lang_lower *lower, const struct lang_rows *kernels)
{
	for (uint32_t i = 0; i < kernels->count; i++) {
		if (lang_row_made(lower, &kernels->rows[i])) {
			continue;
		} else if (kernels->rows[i].decl) {
			lang_decl_forms[kernels->rows[i].decl->kind].write(lower, kernels->rows[i].decl);
			lang_debug_add(lower, 1, i, kernels->rows[i].decl->at);
		} else {
			kernel_write(lower, kernels->rows[i].function, kernels->rows[i].id);
			lang_debug_add(lower, 1, i, kernels->rows[i].function->at);
		}
	}
}

/* ---- entries: their code, the values that it needs, their rows. ---- */

void lang_entry_begin(struct lang_lower *lower, uint32_t row)
{
	lower->view_scope = ++lower->view_scopes;
	lower->value_first = lower->entries[row].values = lower->tables->value_count;
	lower->entries[row].instruction = lower->tables->work_count;
}

/* The values that an entry with code needs are a set: in what order its code reads them is not said. */
static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void values_sort(struct lang_lower *lower, uint32_t first)
{
	if (lower->tables->value_count > first)
		qsort(lower->tables->values + first, lower->tables->value_count - first, sizeof(*lower->tables->values), by_number);
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
	lower->entries[row].value_count = lower->tables->value_count - lower->value_first;
	lower->value_first = PTOWSP_NONE;
}

void lang_value_use(struct lang_lower *lower, uint32_t slot)
{
	if (lower->value_first != PTOWSP_NONE)
		lang_value_add(lower->tables, lower->value_first, slot);
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
	lang_values_write(lower->tables, lower->writer);
}
