/* SPDX-License-Identifier: MIT */
/* lang_compile.c - the stages of a compilation, and the last of them: the tables of a package. */
#include "format/fail.h"
#include "format/writer.h"
#include "lang/about.h"
#include "lang/check/lang_check.h"
#include "lang/diag.h"
#include "lang/graph/graph_lower.h"
#include "lang/lang.h"
#include "lang/lang_move.h"
#include "lang/lang_process.h"
#include "lang/lang_schedule.h"
#include "lang/lang_work.h"
#include "lang/lower/lang_lower.h"
#include "lang/parse/parse.h"
#include "lang/tensor.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the tables of a package: declare and sort what has an id, lower, write. ---- */

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

/* Words of messages for things that an instruction's first operand counts, and for all instructions: in sources, in graphs. */
static const struct words {
	const char *task, *slot_set, *slot_load, *channel, *other, *operand_help, *all, *of, *all_help;
} words[] = {{"kernels that are called", "slots and symbols", "slots and symbols", "channels", "axes of loops", "divide it into several packages",
	      "the calls of this package expand", "instructions", "put repeated calls into a loop"},
	     {"kernels that differ", "kernels and copies that others wait for, in programs with CF_ instructions", "elements that scalars read", "loops",
	      "loops", "put what repeats itself into CF_LOOP, or into a package of its own", "the launches of this program come", "instructions and edges",
	      "put what repeats itself into CF_LOOP, or into a package of its own"}};

_Noreturn void lang_too_large(struct lang_lower *lower, struct lang_span at)
{
	const struct words *w = &words[lower->graph];

	lang_error(lower->unit, at, "%s to more than %u %s", w->all, LANG_MAX_INSTRUCTIONS, w->of);
	lang_help(lower->unit, "%s", w->all_help);
	lang_stop(lower->unit);
}

static const char *named_by(const struct words *w, unsigned opcode)
{
	switch (opcode) {
	case PTOWSP_OP_TASK: return w->task;
	case PTOWSP_OP_SLOT_SET: return w->slot_set;
	case PTOWSP_OP_SLOT_LOAD: return w->slot_load;
	case PTOWSP_OP_SEND:
	case PTOWSP_OP_CONSUME:
	case PTOWSP_OP_CLOSE: return w->channel;
	default: return w->other;
	}
}

_Noreturn static void operand_refuse(struct lang_lower *lower, unsigned opcode, struct lang_span at)
{
	const struct words *w = &words[lower->graph];

	lang_error(lower->unit, at, "the package has more than %u %s: instructions can name no more", UINT16_MAX + 1u, named_by(w, opcode));
	lang_help(lower->unit, "%s", w->operand_help);
	lang_stop(lower->unit);
}

/* The position of that instruction. */
static void debug_add(struct lang_lower *lower, uint32_t row, struct lang_span at)
{
	build_debug(lower->build, 0, row, place_of(lower, lang_origin_of(lower->unit, at)));
}

uint32_t lang_word_add(struct lang_lower *lower, unsigned opcode, uint32_t operand1, uint32_t operand2, struct lang_span at)
{
	uint32_t row;

	if (operand1 > UINT16_MAX)
		operand_refuse(lower, opcode, at);
	row = lang_work_add(lower->tables, opcode, operand1, operand2);
	if (row == PTOWSP_NONE)
		lang_too_large(lower, at);
	return row;
}

uint32_t lang_word_add_at(struct lang_lower *lower, unsigned opcode, uint32_t operand1, uint32_t operand2, struct lang_span at)
{
	uint32_t row = lang_word_add(lower, opcode, operand1, operand2, at);

	debug_add(lower, row, at);
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

#define SOURCE_BYTES ((size_t)16 << 20)
#define ARENA_BYTES  ((size_t)896 << 20)

struct compilation {
	struct lang_unit unit;
	struct lang_module module;
	const struct lang_options *options;
	struct pkg_writer *writer;
};

static void sizes_check(struct lang_unit *unit)
{
	for (uint32_t i = 0; i < unit->source_count; i++)
		if (unit->sources[i].size > SOURCE_BYTES)
			lang_error(unit, (struct lang_span){.file = i}, "the source is larger than 16 MiB");
}

static const char *name_of(struct compilation *c)
{
	const char *path = c->unit.sources[0].name, *base = strrchr(path, '/'), *dot;

	if (c->options->name)
		return lang_clean(&c->unit.arena, c->options->name, strlen(c->options->name));
	if (c->module.module_name)
		return c->module.module_name;
	if (c->module.name)
		return c->module.name;
	base = base ? base + 1 : path;
	dot = strrchr(base, '.');
	return lang_clean(&c->unit.arena, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static bool has_errors(const struct compilation *c)
{
	return c->unit.list->head.errors > 0;
}

/* Checking goes on behind errors of parsing, so that all of them are told at once; lowering needs a sound module. */
static void stages_run(struct compilation *c)
{
	sizes_check(&c->unit);
	if (has_errors(c))
		return;
	lang_parse(&c->module);
	if (!has_errors(c) && !c->module.first && !c->module.decls) {
		lang_error(&c->unit, c->module.end, "there is no function here");
		lang_help(&c->unit, "a function begins with: func @name(%%x: !pto.memref<gm,...,f32>) {");
	}
	lang_pipeline_complete(&c->module);
	lang_reductions_prepare(&c->module);
	lang_link(&c->module, c->options->entry);
	lang_parts_note(&c->module);
	lang_check(&c->module);
	lang_extents_note(&c->module);
	lang_decls_check(&c->module);
	lang_tensors_finish(&c->module);
	if (!has_errors(c))
		lang_lower(&c->module, c->writer, name_of(c), c->options);
}

static ptowsp_status no_memory(const struct lang_source *sources, struct ptowsp_error *error)
{
	return pkg_fail(error, PTOWSP_NO_MEMORY, "no memory to compile %.120s", sources[0].name);
}

/* More than one compilation may take is no lack of memory: more memory would not help. */
static ptowsp_status too_big(const struct compilation *c, struct ptowsp_error *error)
{
	return pkg_fail(error, PTOWSP_TOO_BIG, "%.120s takes more than %zu MiB to compile, which is the limit; pack it as several packages",
			c->unit.sources[0].name, c->unit.arena.limit >> 20);
}

static ptowsp_status verdict(const struct compilation *c, int left, struct ptowsp_error *error)
{
	const struct lang_diagnostics *list = &c->unit.list->head;
	ptowsp_status status = !has_errors(c) ? PTOWSP_OK : c->unit.misuses == list->errors ? PTOWSP_INVALID : PTOWSP_BAD_PACKAGE;

	if (!status && left)
		return c->unit.arena.full ? too_big(c, error) : no_memory(c->unit.sources, error);
	if (!status)
		return status;
	return pkg_fail(error, status, "%.120s: %u error%s", c->unit.source_count == 1 ? c->unit.sources[0].name : "these sources", list->errors,
			list->errors == 1 ? "" : "s");
}

ptowsp_status lang_compile(struct pkg_writer *writer, const struct lang_source *sources, uint32_t source_count, const struct lang_options *options,
			   struct lang_diagnostics **diagnostics_out, struct ptowsp_error *error)
{
	static const struct lang_options none;
	struct compilation *c = calloc(1, sizeof(*c));
	ptowsp_status status;
	volatile int left = 0; /* set behind setjmp */

	*diagnostics_out = NULL;
	if (!c)
		return no_memory(sources, error);
	c->options = options ? options : &none;
	c->writer = writer;
	c->unit.sources = sources;
	c->unit.source_count = c->unit.own_count = source_count;
	c->unit.list = lang_list_create(&c->unit.out);
	if (!c->unit.list) {
		free(c);
		return no_memory(sources, error);
	}
	common_arena_init(&c->unit.arena, c->options->memory ? c->options->memory : ARENA_BYTES, &c->unit.out);
	c->module.unit = &c->unit;
	c->module.last = &c->module.first;
	c->module.options = c->options;
	c->module.last_decl = &c->module.decls;
	c->module.entry_chosen = c->options->entry != NULL;
	if (setjmp(c->unit.out) == 0)
		stages_run(c);
	else
		left = 1;
	lang_list_sort(c->unit.list);
	status = verdict(c, left, error);
	*diagnostics_out = &c->unit.list->head;
	ptowsp_build_destroy(c->module.build);
	common_arena_finish(&c->unit.arena);
	free(c);
	return status;
}
