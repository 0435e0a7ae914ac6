/* SPDX-License-Identifier: MIT */
/* package.c - the tables of a package: declare and sort what has an id, lower, write. */
#include "format/writer.h"
#include "lang/about.h"
#include "lang/graph_lower.h"
#include "lang/lang_lower.h"
#include "lang/diag.h"
#include "lang/lang_schedule.h"

#include <string.h>

void lang_debug_add(struct lang_lower *lower, uint16_t kind, uint32_t row, struct lang_span at)
{
	uint32_t file = 0;
	struct lang_origin origin = kind == 4 ? lang_origin_of_division(lower->unit, at) : lang_origin_of(lower->unit, at);

	if (!origin.line)
		return;
	/* The string of the file comes last: a position may be dropped with what it is a position of. */
	while (file < lower->file_count && strcmp(lower->files[file], origin.file) != 0)
		file++;
	if (file == lower->file_count)
		*LANG_PUSH(&lower->unit->arena, lower->files, lower->file_count, lower->file_capacity) = origin.file;
	*LANG_PUSH(&lower->unit->arena, lower->tables->debug, lower->tables->debug_count, lower->tables->debug_capacity) = (struct ptowsp_debug_record){
		.file = file,
		.kind = kind,
		.row = row,
		.line = origin.line,
		.column = origin.column};
}

uint32_t lang_binary_at(struct lang_lower *lower, enum ptowsp_expr_op op, uint32_t a, uint32_t b, struct lang_span at)
{
	uint32_t before = lower->tables->exprs.count, row = lang_expr_binary(&lower->tables->exprs, op, a, b);

	if (row >= before && (op == PTOWSP_EXPR_DIV || op == PTOWSP_EXPR_MOD) && lower->tables->exprs.rows[row].op == op)
		lang_debug_add(lower, 4, row, at);
	return row;
}

_Noreturn void lang_too_large(struct lang_lower *lower, struct lang_span at)
{
	lang_error(lower->unit, at, "the calls of this package expand to more than %u instructions", LANG_MAX_INSTRUCTIONS);
	lang_help(lower->unit, "put repeated calls into a loop");
	lang_stop(lower->unit);
}

/* The things that the first operand of an instruction counts. */
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
	lang_stop(lower->unit);
}

uint32_t lang_word_add(struct lang_lower *lower, unsigned opcode, uint32_t operand1, uint32_t operand2, struct lang_span at)
{
	uint32_t row;

	if (operand1 > UINT16_MAX)
		lang_operand_refuse(lower, named_by(opcode), "divide it into several packages", at);
	row = lang_work_add(lower->tables, opcode, operand1, operand2);
	if (row == PTOWSP_NONE)
		lang_too_large(lower, at);
	return row;
}

uint32_t lang_word_add_at(struct lang_lower *lower, unsigned opcode, uint32_t operand1, uint32_t operand2, struct lang_span at)
{
	uint32_t row = lang_word_add(lower, opcode, operand1, operand2, at);

	lang_debug_add(lower, 0, row, at);
	return row;
}

void lang_expansion_count(struct lang_lower *lower, struct lang_span at)
{
	if (++lower->expansions > LANG_MAX_INSTRUCTIONS)
		lang_too_large(lower, at);
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

static void rows_sort(struct lang_lower *lower)
{
	for (uint32_t i = 0; i < lower->rows_count; i++)
		switch (lower->rows[i].section) {
		case PTOWSP_SECTION_KREG:
		case PTOWSP_SECTION_ENTR:
		case PTOWSP_SECTION_TENS:
			break; /* sorted where functions join them */
		default:
			lang_rows_sort(lower, &lower->rows[i]);
		}
}

/* Positions name their files by number until all are known. */
static void files_name(struct lang_lower *lower)
{
	for (uint32_t i = 0; i < lower->tables->debug_count; i++)
		lower->tables->debug[i].file = pkg_writer_string(lower->writer, lower->files[lower->tables->debug[i].file]);
}

/* Ids first, then what code refers to, then code, then what only the end knows. */
static void all_lower(struct lang_lower *lower, const char *name, const struct lang_options *options)
{
	const struct lang_module *module = lower->module;
	struct lang_rows *kernels = lang_rows_of(lower, PTOWSP_SECTION_KREG), *entries = lang_rows_of(lower, PTOWSP_SECTION_ENTR);
	struct lang_rows *slots = lang_rows_of(lower, PTOWSP_SECTION_SLOT), *events = lang_rows_of(lower, PTOWSP_SECTION_EVNT);

	lang_facts_write(lower, name, options->producer);
	for (uint32_t i = 0; i < module->target_count; i++)
		pkg_writer_target(lower->writer, module->targets[i]);
	lang_rows_declare(lower);
	lang_graphs_declare(lower);
	lang_functions_declare(lower, kernels, entries);
	lower->entries = lang_alloc(&module->unit->arena, (entries->count + 1) * sizeof(*lower->entries));
	lang_slots_declare(lower, slots);
	rows_sort(lower);
	lang_slots_write(lower, slots);
	for (uint32_t i = 0; i < options->default_count; i++)
		lang_default_set(lower, slots, options->defaults[i]);
	lang_tensors_write(lower);
	lang_rows_write(lower, events);
	lang_code_lower(lower);
	lang_entries_write(lower, entries);
	lang_variants_warn(lower);
	lang_kernels_write(lower, kernels);
	declarations_write(lower);
	files_name(lower);
	lang_tables_write(lower->tables, lower->writer);
	if (pkg_writer_normalise(lower->writer, NULL))
		longjmp(module->unit->out, 1);
	lang_schedule_lower(lower); /* its expressions stand behind all others, for its words name their rows */
	lang_graph_schedule(lower);
}

/* A sentence of the builder is an error at what was being built; without one, memory ran out. */
void lang_lower(struct lang_module *module, struct pkg_writer *writer, const char *name, const struct lang_options *options)
{
	struct lang_unit *unit = module->unit;
	struct lang_lower *lower = lang_alloc(&unit->arena, sizeof(*lower));

	module->build = build_create(&unit->arena);
	if (!module->build)
		longjmp(unit->out, 1);
	*lower = (struct lang_lower){.unit = unit, .module = module, .writer = writer, .build = module->build, .tables = &module->build->tables,
				     .value_first = PTOWSP_NONE};
	if (!setjmp(module->build->out))
		all_lower(lower, name, options);
	else if (module->build->status)
		lang_error(unit, lower->at, "%s", module->build->error);
	else
		longjmp(unit->out, 1);
}
