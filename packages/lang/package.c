/* SPDX-License-Identifier: MIT */
/* package.c - the tables of a package: declare and sort what has an id, lower, write. */
#include "format/normal.h"
#include "lang/about.h"
#include "lang/graph_lower.h"
#include "lang/lower.h"
#include "lang/number.h"
#include "lang/place.h"
#include "lang/process.h"
#include "lang/rows.h"
#include "lang/schedule.h"
#include "lang/value.h"
#include "lang/views.h"

#include <stdlib.h>
#include <string.h>

/* The execution unit of a kernel whose source does not say one: whichever pool is free first. */
#define KERNEL_UNIT PTOWSP_UNIT_ANY

void lang_debug_add(struct lang_lower *lower, uint16_t kind, uint32_t row, struct lang_span at)
{
	uint32_t file = 0;
	struct lang_origin origin = kind == 4 ? lang_origin_of_division(lower->unit, at) : lang_origin_of(lower->unit, at);

	if (!origin.line)
		return;
	/* Its string comes last: a position may be dropped with what it is a position of. */
	while (file < lower->file_count && strcmp(lower->files[file], origin.file) != 0)
		file++;
	if (file == lower->file_count)
		*LANG_PUSH(&lower->unit->arena, lower->files, lower->file_count, lower->file_capacity) = origin.file;
	*LANG_PUSH(&lower->unit->arena, lower->tables.debug, lower->tables.debug_count, lower->tables.debug_capacity) = (struct ptowsp_debug_record){
		.file = file,
		.kind = kind,
		.row = row,
		.line = origin.line,
		.column = origin.column};
}

uint32_t lang_binary_at(struct lang_lower *lower, enum ptowsp_expr_op op, uint32_t a, uint32_t b, struct lang_span at)
{
	uint32_t before = lower->tables.exprs.count, row = lang_expr_binary(&lower->tables.exprs, op, a, b);

	if (row >= before && (op == PTOWSP_EXPR_DIV || op == PTOWSP_EXPR_MOD) && lower->tables.exprs.rows[row].op == op)
		lang_debug_add(lower, 4, row, at);
	return row;
}

_Noreturn void lang_too_large(struct lang_lower *lower, struct lang_span at)
{
	lang_error(lower->unit, at, "the calls of this package expand to more than %u instructions", LANG_MAX_INSTRUCTIONS);
	lang_help(lower->unit, "put repeated calls into a loop");
	lower->unit->stopped = 1;
	longjmp(lower->unit->out, 1);
}

/* What the first operand of an instruction counts. */
static const char *named_by(unsigned opcode)
{
	switch (opcode) {
	case PTOWSP_OP_TASK:
		return "kernels that are called";
	case PTOWSP_OP_SLOT_SET:
	case PTOWSP_OP_SLOT_LOAD:
		return "slots and symbols";
	case PTOWSP_OP_SEND:
	case PTOWSP_OP_CONSUME:
	case PTOWSP_OP_CLOSE:
		return "channels";
	default:
		return "axes of loops";
	}
}

void lang_operand_refuse(struct lang_lower *lower, const char *what, const char *help, struct lang_span at)
{
	lang_error(lower->unit, at, "the package has more than %u %s: instructions can name no more", UINT16_MAX + 1u, what);
	lang_help(lower->unit, "%s", help);
	lower->unit->stopped = 1;
	longjmp(lower->unit->out, 1);
}

void lang_operand_check(struct lang_lower *lower, unsigned opcode, uint32_t operand, struct lang_span at)
{
	if (operand > UINT16_MAX)
		lang_operand_refuse(lower, named_by(opcode), "divide it into several packages", at);
}

void lang_expansion_count(struct lang_lower *lower, struct lang_span at)
{
	if (++lower->expansions > LANG_MAX_INSTRUCTIONS)
		lang_too_large(lower, at);
}

/* --- symbols and slots --- */

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

static void slots_declare(struct lang_lower *lower, struct lang_rows *slots)
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

static void slots_write(struct lang_lower *lower, const struct lang_rows *slots)
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

/* NAME=VALUE: the value of a symbol unless a run sets it. */
static void default_set(struct lang_lower *lower, const struct lang_rows *slots, const char *text)
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

static void functions_declare(struct lang_lower *lower, struct lang_rows *kernels, struct lang_rows *entries)
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

static void tensors_write(struct lang_lower *lower)
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

		if (row->decl) {
			lang_decl_forms[row->decl->kind].write(lower, row->decl);
			continue;
		}
		if (lang_row_made(lower, row))
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

static void kernels_write(struct lang_lower *lower, const struct lang_rows *kernels)
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

/* --- entries and what belongs to them --- */

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

/* Code in the order of the source: first that of functions, then that of processes, then that of other declarations. */
static void code_lower(struct lang_lower *lower)
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

static void entries_write(struct lang_lower *lower, const struct lang_rows *entries)
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

/* Rows of declarations whose sections have hooks of their own, and nothing else: channels, processes, graphs. */
static void declarations_write(struct lang_lower *lower)
{
	struct lang_decl *decl;

	for (uint32_t i = 0; i < lower->rows_count; i++)
		switch (lower->rows[i].section) {
		case PTOWSP_SECTION_SLOT:
		case PTOWSP_SECTION_EVNT:
		case PTOWSP_SECTION_TENS:
		case PTOWSP_SECTION_KREG:
		case PTOWSP_SECTION_ENTR:
			break; /* written where others need them */
		default:
			lang_rows_write(lower, &lower->rows[i]);
		}
	for (decl = lower->module->decls; decl; decl = decl->next)
		if ((!lang_decl_forms[decl->kind].section || lang_decl_forms[decl->kind].section == PTOWSP_SECTION_ENTR) &&
		    lang_decl_forms[decl->kind].write)
			lang_decl_forms[decl->kind].write(lower, decl);
}

/* Ids first, then what code refers to, then code, then what only the end knows. */
void lang_lower(struct lang_module *module, struct pkg_writer *writer, const char *name, const struct lang_options *options)
{
	struct lang_lower lower = {.unit = module->unit, .module = module, .writer = writer, .value_first = PTOWSP_NONE};
	struct lang_rows *kernels = lang_rows_of(&lower, PTOWSP_SECTION_KREG), *entries = lang_rows_of(&lower, PTOWSP_SECTION_ENTR);
	struct lang_rows *slots = lang_rows_of(&lower, PTOWSP_SECTION_SLOT), *events = lang_rows_of(&lower, PTOWSP_SECTION_EVNT);

	lang_tables_init(&lower.tables, &module->unit->arena);
	lang_facts_write(&lower, name, options->producer);
	for (uint32_t i = 0; i < module->target_count; i++)
		pkg_writer_target(writer, module->targets[i]);
	lang_rows_declare(&lower);
	lang_graphs_declare(&lower);
	functions_declare(&lower, kernels, entries);
	lower.entries = lang_alloc(&module->unit->arena, (entries->count + 1) * sizeof(*lower.entries));
	slots_declare(&lower, slots);
	for (uint32_t i = 0; i < lower.rows_count; i++)
		switch (lower.rows[i].section) {
		case PTOWSP_SECTION_KREG:
		case PTOWSP_SECTION_ENTR:
		case PTOWSP_SECTION_TENS:
			break; /* sorted where functions join them */
		default:
			lang_rows_sort(&lower, &lower.rows[i]);
		}
	slots_write(&lower, slots);
	for (uint32_t i = 0; i < options->default_count; i++)
		default_set(&lower, slots, options->defaults[i]);
	tensors_write(&lower);
	lang_rows_write(&lower, events);
	code_lower(&lower);
	entries_write(&lower, entries);
	lang_variants_warn(&lower);
	kernels_write(&lower, kernels);
	declarations_write(&lower);
	for (uint32_t i = 0; i < lower.tables.debug_count; i++)
		lower.tables.debug[i].file = pkg_writer_string(writer, lower.files[lower.tables.debug[i].file]);
	lang_tables_write(&lower.tables, writer);
	if (pkg_writer_normalise(writer, NULL))
		longjmp(module->unit->out, 1);
	lang_schedule_lower(&lower); /* its expressions stand behind all others, for its words name their rows */
	lang_graph_schedule(&lower);
}
