/* SPDX-License-Identifier: MIT */
/* package.c - the tables of a package: declare and sort what has an id, lower, write. */
#include "format/writer.h"
#include "lang/about.h"
#include "lang/diag.h"
#include "lang/graph/graph_lower.h"
#include "lang/lang_schedule.h"
#include "lang/lower/lang_lower.h"

#include <stdbool.h>
#include <string.h>

/* Positions come by the thousand from one file. */
static struct build_place place_of(struct lang_lower *lower, struct lang_origin origin)
{
	if (!origin.line)
		return (struct build_place){0};
	if (!lower->file || strcmp(lower->file, origin.file) != 0) {
		lower->file = origin.file;
		lower->file_string = build_string(lower->build, origin.file);
	}
	return (struct build_place){lower->file_string, origin.line, origin.column};
}

void lang_at(struct lang_lower *lower, struct lang_span at)
{
	lower->at = at;
	lower->build->place = place_of(lower, lang_origin_of(lower->unit, at));
}

uint32_t lang_binary_at(struct lang_lower *lower, enum ptowsp_expr_op op, uint32_t a, uint32_t b, struct lang_span at)
{
	uint32_t before = lower->tables->exprs.count, row = lang_expr_binary(&lower->tables->exprs, op, a, b);

	if (row >= before && (op == PTOWSP_EXPR_DIV || op == PTOWSP_EXPR_MOD) && lower->tables->exprs.rows[row].op == op)
		build_debug(lower->build, 4, row, place_of(lower, lang_origin_of_division(lower->unit, at)));
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
	case PTOWSP_OP_TASK: return "kernels that are called";
	case PTOWSP_OP_SLOT_SET:
	case PTOWSP_OP_SLOT_LOAD: return "slots and symbols";
	case PTOWSP_OP_SEND:
	case PTOWSP_OP_CONSUME:
	case PTOWSP_OP_CLOSE: return "channels";
	default: return "axes of loops";
	}
}

void lang_operand_refuse(struct lang_lower *lower, const char *what, const char *help, struct lang_span at)
{
	lang_error(lower->unit, at, "the package has more than %u %s: instructions can name no more", UINT16_MAX + 1u, what);
	lang_help(lower->unit, "%s", help);
	lang_stop(lower->unit);
}

void lang_debug_add(struct lang_lower *lower, uint32_t row, struct lang_span at)
{
	build_debug(lower->build, 0, row, place_of(lower, lang_origin_of(lower->unit, at)));
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

	lang_debug_add(lower, row, at);
	return row;
}

void lang_expansion_count(struct lang_lower *lower, struct lang_span at)
{
	if (++lower->expansions > LANG_MAX_INSTRUCTIONS)
		lang_too_large(lower, at);
}

/* Writes what has no row with an id, or none that anything refers to. */
static void abouts_build(struct lang_lower *lower)
{
	for (struct lang_decl *decl = lower->module->decls; decl; decl = decl->next)
		if ((!lang_decl_forms[decl->kind].section || lang_decl_forms[decl->kind].section == PTOWSP_SECTION_ENTR) && lang_decl_forms[decl->kind].build)
			lang_decl_forms[decl->kind].build(lower, decl);
}

/* Ids first, then what code refers to, then code, then what only the end knows. */
static void all_build(struct lang_lower *lower, const char *name, const struct lang_options *options)
{
	const struct lang_module *module = lower->module;

	lang_facts_build(lower, name, options->producer);
	for (uint32_t i = 0; i < module->target_count; i++)
		build_target(lower->build, module->targets[i]);
	lang_rows_declare(lower);
	lang_slots_build(lower);
	for (uint32_t i = 0; i < options->default_count; i++)
		lang_default_set(lower, options->defaults[i]);
	lang_kernels_build(lower);
	lang_tensors_build(lower);
	lang_rows_build(lower, PTOWSP_SECTION_EVNT);
	lang_rows_build(lower, PTOWSP_SECTION_CSPC);
	lang_rows_build(lower, PTOWSP_SECTION_PROC);
	lang_code_lower(lower);
	lang_variants_warn(lower);
	lang_variants_build(lower);
	abouts_build(lower);
}

/* A sentence of the builder is an error at what was being built; without one, memory ran out. */
static bool is_built(struct lang_lower *lower, const char *name, const struct lang_options *options)
{
	struct ptowsp_build *build = lower->build;

	if (!setjmp(build->out)) {
		all_build(lower, name, options);
		build_write(build, lower->writer);
		return true;
	}
	if (!build->status)
		longjmp(lower->unit->out, 1);
	lang_error(lower->unit, lower->at, "%s", build->error);
	return false;
}

void lang_lower(struct lang_module *module, struct pkg_writer *writer, const char *name, const struct lang_options *options)
{
	struct lang_unit *unit = module->unit;
	struct lang_lower *lower = common_alloc(&unit->arena, sizeof(*lower));

	module->build = build_create(&unit->arena);
	if (!module->build)
		longjmp(unit->out, 1);
	*lower = (struct lang_lower){.unit = unit, .module = module, .writer = writer, .build = module->build, .tables = &module->build->tables};
	if (!is_built(lower, name, options))
		return;
	if (pkg_writer_sort(writer, NULL) || pkg_writer_normalise(writer, NULL))
		longjmp(unit->out, 1);
	lang_schedule_lower(lower); /* its expressions stand behind all others, for its words name their rows */
	lang_graph_schedule(lower);
}
