/* SPDX-License-Identifier: MIT */
/* package.c - the tables of a package: declare and sort what has an id, lower, write. */
#include "lang/lower.h"
#include "lang/number.h"

#include <stdlib.h>
#include <string.h>

/* The execution unit of a kernel whose source does not say one: whichever pool is free first. */
#define KERNEL_UNIT PTOWSP_UNIT_ANY

/* Something with an id, before the rows are numbered. */
struct declared {
	uint64_t id;
	const char *name;
	struct lang_function *function;
	struct lang_var *var;
	struct lang_symbol *symbol;
};
struct declarations {
	struct declared *rows;
	uint32_t count, capacity;
};

static struct declared *declare(struct lang_lower *lower, struct declarations *declarations, const char *name)
{
	struct declared *row = LANG_PUSH(&lower->unit->arena, declarations->rows, declarations->count, declarations->capacity);

	*row = (struct declared){.id = ptowsp_id(name, strlen(name)), .name = name};
	return row;
}

static int by_id(const void *a, const void *b)
{
	uint64_t x = ((const struct declared *)a)->id, y = ((const struct declared *)b)->id;

	return x < y ? -1 : x > y;
}

static void declarations_sort(struct lang_lower *lower, struct declarations *declarations)
{
	struct lang_span nowhere = {0};

	if (declarations->count)
		qsort(declarations->rows, declarations->count, sizeof(*declarations->rows), by_id);
	for (uint32_t i = 1; i < declarations->count; i++)
		if (declarations->rows[i].id == declarations->rows[i - 1].id) {
			lang_error(lower->unit, nowhere, "the names \"%s\" and \"%s\" have the same 64-bit id",
				   declarations->rows[i - 1].name, declarations->rows[i].name);
			lang_help(lower->unit, "rename one of them");
		}
}

/* Packages hold no folders. */
static const char *file_name(struct lang_lower *lower, const char *path)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	return lang_clean(&lower->unit->arena, base, strlen(base));
}

void lang_debug_add(struct lang_lower *lower, uint16_t kind, uint32_t row, struct lang_span at)
{
	*LANG_PUSH(&lower->unit->arena, lower->tables.debug, lower->tables.debug_count, lower->tables.debug_capacity) = (struct ptowsp_debug_record){
		.file = pkg_writer_string(lower->writer, file_name(lower, lower->unit->sources[at.file].name)),
		.kind = kind,
		.row = row,
		.line = at.line,
		.column = at.column};
}

_Noreturn void lang_too_large(struct lang_lower *lower, struct lang_span at)
{
	lang_error(lower->unit, at, "the calls of this package expand to more than %u instructions", LANG_MAX_INSTRUCTIONS);
	lang_help(lower->unit, "put repeated calls into a loop");
	lower->unit->stopped = 1;
	longjmp(lower->unit->out, 1);
}

void lang_expansion_count(struct lang_lower *lower, const struct lang_stmt *call)
{
	if (++lower->expansions > LANG_MAX_INSTRUCTIONS)
		lang_too_large(lower, call->at);
}

/* --- symbols and slots --- */

/* Functions with one name for scalars of different types: each gets a symbol of its own. */
static void symbol_names(struct lang_lower *lower)
{
	struct lang_module *module = lower->module;
	struct lang_map first = {0}, mixed = {0};

	for (uint32_t i = 0; i < module->symbol_count; i++) {
		struct lang_symbol *symbol = module->symbols[i], *other = lang_map_find(&first, symbol->name);

		if (!other)
			lang_map_add(&first, &lower->unit->arena, symbol->name, symbol);
		else if (other->dtype != symbol->dtype && !lang_map_find(&mixed, symbol->name))
			lang_map_add(&mixed, &lower->unit->arena, symbol->name, symbol);
	}
	for (uint32_t i = 0; i < module->symbol_count; i++) {
		struct lang_symbol *symbol = module->symbols[i];

		if (lang_map_find(&mixed, symbol->name))
			symbol->name = lang_format(&lower->unit->arena, "%s.%s", symbol->function->name, symbol->name);
	}
}

static void slots_declare(struct lang_lower *lower, struct declarations *slots)
{
	struct lang_module *module = lower->module;
	struct lang_map seen = {0};

	symbol_names(lower);
	for (uint32_t i = 0; i < module->symbol_count; i++)
		if (!lang_map_find(&seen, module->symbols[i]->name)) {
			lang_map_add(&seen, &lower->unit->arena, module->symbols[i]->name, module->symbols[i]);
			declare(lower, slots, module->symbols[i]->name)->symbol = module->symbols[i];
		}
	for (struct lang_function *f = module->first; f; f = f->next)
		for (uint32_t i = 0; i < f->var_count && f->kind == LANG_ORCHESTRATION; i++) {
			struct lang_var *var = f->vars[i];

			/* Never read and never set: needs no row. */
			if (var->kind == LANG_SCALAR && !var->pure && var->writes)
				declare(lower, slots, lang_format(&lower->unit->arena, "@%s.%s", f->name, var->name))->var = var;
		}
	declarations_sort(lower, slots);
}

static void slots_write(struct lang_lower *lower, const struct declarations *slots)
{
	struct lang_module *module = lower->module;
	struct lang_map rows = {0};

	for (uint32_t i = 0; i < slots->count; i++) {
		const struct declared *row = &slots->rows[i];
		struct ptowsp_slot_record record = {.id = row->id, .name = pkg_writer_string(lower->writer, row->name)};

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
	for (uint32_t i = 0; i < module->symbol_count; i++)
		module->symbols[i]->row = ((struct lang_symbol *)lang_map_find(&rows, module->symbols[i]->name))->row;
}

/* NAME=VALUE: the value of a symbol unless a run sets it. */
static void default_set(struct lang_lower *lower, const struct declarations *slots, const char *text)
{
	const char *sign = strchr(text, '=');
	size_t length = sign ? (size_t)(sign - text) : strlen(text);
	struct lang_span nowhere = {0};
	struct lang_guess guess;

	lang_guess_start(&guess, lang_copy(&lower->unit->arena, text, length));
	for (uint32_t i = 0; i < slots->count; i++) {
		struct ptowsp_slot_record *record = pkg_writer_at(lower->writer, PTOWSP_SECTION_SLOT, i);

		if (slots->rows[i].var)
			continue;
		lang_guess_try(&guess, slots->rows[i].name);
		if (strcmp(slots->rows[i].name, guess.word) != 0 || !record)
			continue;
		if (!sign || lang_number_read(sign + 1, record->dtype, &record->value) != LANG_NUMBER_OK) {
			lang_error(lower->unit, nowhere, "\"%s\" gives %s no value of type %s", text, guess.word,
				   lang_dtype_text(record->dtype));
			return;
		}
		record->flags |= PTOWSP_SLOT_HAS_DEFAULT;
		return;
	}
	lang_error(lower->unit, nowhere, "there is no symbol \"%s\" that could have a default value", guess.word);
	lang_guess_help(lower->unit, &guess, "");
}

/* --- functions and tensors --- */

static void functions_declare(struct lang_lower *lower, struct declarations *kernels, struct declarations *entries)
{
	for (struct lang_function *f = lower->module->first; f; f = f->next) {
		declare(lower, entries, f->name)->function = f;
		if (f->kind == LANG_INCORE)
			declare(lower, kernels, f->name)->function = f;
	}
	declarations_sort(lower, kernels);
	declarations_sort(lower, entries);
	for (uint32_t i = 0; i < entries->count; i++)
		entries->rows[i].function->entry = i;
	for (uint32_t i = 0; i < kernels->count; i++)
		kernels->rows[i].function->kernel = i;
}

static void tensors_write(struct lang_lower *lower)
{
	static const uint8_t roles[] = {[0] = PTOWSP_ROLE_IN,
					[PTOWSP_READ] = PTOWSP_ROLE_IN,
					[PTOWSP_WRITE] = PTOWSP_ROLE_OUT,
					[PTOWSP_READ | PTOWSP_WRITE] = PTOWSP_ROLE_INOUT};
	struct declarations tensors = {0};

	for (struct lang_function *f = lower->module->first; f; f = f->next)
		for (uint32_t i = 0; i < f->memref_count; i++) {
			struct declared *row =
				declare(lower, &tensors, lang_format(&lower->unit->arena, "%s.%s", f->name, f->memrefs[i]->name));

			row->function = f;
			row->var = f->memrefs[i];
		}
	declarations_sort(lower, &tensors);
	for (uint32_t i = 0; i < tensors.count; i++) {
		const struct declared *row = &tensors.rows[i];
		struct ptowsp_tensor_record record = {.id = row->id,
						      .name = pkg_writer_string(lower->writer, row->name),
						      .dtype = row->var->type.dtype,
						      .role = roles[row->var->access],
						      .location = row->var->type.space,
						      .flags = PTOWSP_TENSOR_SHAPELESS,
						      .entry = row->function->entry,
						      .position = row->var->number};

		pkg_writer_row(lower->writer, PTOWSP_SECTION_TENS, &record, sizeof(record));
		row->function->tensors[row->var->number] = i;
	}
}

/* --- kernels --- */

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
	const void *payload = lang_kernel_encode(lower, f, &size);

	record.offset = pkg_writer_bytes(lower->writer, PTOWSP_SECTION_CODE, payload, size, 64);
	record.size = size;
	return pkg_writer_row(lower->writer, PTOWSP_SECTION_KPAY, &record, sizeof(record));
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

static void kernels_write(struct lang_lower *lower, const struct declarations *kernels)
{
	for (uint32_t i = 0; i < kernels->count; i++) {
		struct lang_function *f = kernels->rows[i].function;
		struct ptowsp_kernel_record record = {.id = kernels->rows[i].id,
						      .name = pkg_writer_string(lower->writer, f->name),
						      .unit = KERNEL_UNIT,
						      .params = params_write(lower, f),
						      .param_count = f->memref_count + f->need_count,
						      .payloads = payload_write(lower, f),
						      .payload_count = 1};

		record.variants = variants_write(lower, f, &record.variant_count);
		pkg_writer_row(lower->writer, PTOWSP_SECTION_KREG, &record, sizeof(record));
		lang_debug_add(lower, 1, i, f->at);
	}
}

/* --- entries and what belongs to them --- */

static void entries_write(struct lang_lower *lower, const struct declarations *entries)
{
	struct ptowsp_entry_record *records = lang_alloc(&lower->unit->arena, (entries->count + 1) * sizeof(*records));

	/* Code in the order of the source, rows in the order of the ids. */
	for (struct lang_function *f = lower->module->first; f; f = f->next) {
		struct ptowsp_entry_record *record = &records[f->entry];

		record->values = lower->tables.value_count;
		lang_entry_lower(lower, f, &record->instruction);
		record->value_count = lower->tables.value_count - record->values;
	}
	for (uint32_t i = 0; i < entries->count; i++) {
		const struct lang_function *f = entries->rows[i].function;

		records[i].id = entries->rows[i].id;
		records[i].name = pkg_writer_string(lower->writer, f->name);
		records[i].flags = f == lower->module->default_entry ? PTOWSP_ENTRY_DEFAULT : 0;
		records[i].flags |= f->kind == LANG_INCORE ? PTOWSP_ENTRY_KERNEL : 0;
		pkg_writer_row(lower->writer, PTOWSP_SECTION_ENTR, &records[i], sizeof(*records));
		lang_debug_add(lower, 2, i, f->at);
	}
	lang_values_write(&lower->tables, lower->writer);
}

void lang_lower(struct lang_module *module, struct pkg_writer *writer, const char *name, const struct lang_options *options)
{
	struct lang_lower lower = {.unit = module->unit, .module = module, .writer = writer};
	struct declarations kernels = {0}, entries = {0}, slots = {0};

	lang_tables_init(&lower.tables, &module->unit->arena);
	lang_meta_write(writer, name, options->producer);
	functions_declare(&lower, &kernels, &entries);
	slots_declare(&lower, &slots);
	slots_write(&lower, &slots);
	for (uint32_t i = 0; i < options->default_count; i++)
		default_set(&lower, &slots, options->defaults[i]);
	tensors_write(&lower);
	entries_write(&lower, &entries);
	lang_variants_warn(&lower);
	kernels_write(&lower, &kernels);
	/* Regions name their tensors themselves, so the list of tensors stays empty. */
	lang_tables_write(&lower.tables, writer, NULL, 0);
}
