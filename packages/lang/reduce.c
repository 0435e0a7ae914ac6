/* SPDX-License-Identifier: MIT */
/* reduce.c - all_reduce and reduce_scatter: contributions along the first dimension of a tensor are added up, in their order, tile by tile. */
#include "lang/lang_move.h"
#include "lang/lang_process.h"
#include "lang/lang_work.h"
#include "lang/parse/parse.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define TILE_ELEMENTS 4096               /* of the function that adds, where rows can be chosen */
#define TILE_MOST     ((int64_t)1 << 24) /* elements of any tile */

const struct lang_reduction lang_reductions[LANG_REDUCTIONS] = {{"sum", "tadd"}, {"max", "tmax"}, {"min", "tmin"}};

const char *lang_reduction_name(struct common_arena *arena, const struct lang_reduction *reduction, unsigned dtype, const struct lang_cut *cut)
{
	return common_format(arena, "%s.%s.%lldx%lld", reduction->word, common_dtype_text(dtype), (long long)cut->rows, (long long)cut->columns);
}

/* --- parsing --- */

/* "%parts -> %total max"; without a word they are summed. */
bool lang_reduce_parse(struct lang_parser *parser, struct lang_work *work)
{
	if (!lang_pair_parse(parser, work))
		return false;
	for (uint32_t i = 0; i < LANG_REDUCTIONS; i++)
		if (lang_word_take(parser, lang_reductions[i].word)) {
			work->mode = i;
			return true;
		}
	if (lang_peek(parser)->kind == LANG_WORD && !lang_peek(parser)->first && !lang_is_work_word(lang_peek(parser)->text))
		return lang_expected(parser, "sum, max, min or the next statement");
	return true;
}

/* --- tiles --- */

static bool step_cut(const int64_t *extents, uint32_t rank, struct lang_cut *cut)
{
	cut->rows = 1;
	cut->columns = extents[rank - 1];
	for (uint32_t i = 1; i + 1 < rank; i++)
		if (extents[i] < 1 || extents[i] > TILE_MOST / cut->rows)
			return false;
		else
			cut->rows *= extents[i];
	return rank > 1;
}

static bool known_cut(const int64_t *extents, uint32_t rank, struct lang_cut *cut)
{
	int64_t rows = 1;

	cut->columns = extents[rank - 1];
	for (uint32_t i = 0; i + 1 < rank; i++)
		if (extents[i] < 1 || extents[i] > INT32_MAX / rows)
			return false;
		else
			rows *= extents[i];
	cut->rows = cut->columns < TILE_ELEMENTS ? TILE_ELEMENTS / (cut->columns > 0 ? cut->columns : 1) : 1;
	cut->rows = cut->rows < rows ? cut->rows : rows;
	while (rows % cut->rows)
		cut->rows--;
	cut->all = rows;
	return true;
}

bool lang_cut_find(const int64_t *extents, uint32_t rank, struct lang_cut *cut_out)
{
	*cut_out = (struct lang_cut){0};
	return rank && (extents[0] ? known_cut(extents, rank, cut_out) : step_cut(extents, rank, cut_out)) && cut_out->columns > 0 &&
	       cut_out->columns <= TILE_MOST / cut_out->rows;
}

static bool cut_find(const struct lang_tensor *total, struct lang_cut *cut_out)
{
	int64_t extents[LANG_MAX_RANK] = {0};

	for (uint32_t i = 0; i < total->rank; i++)
		lang_scalar_known(total->extents[i], &extents[i]);
	return lang_cut_find(extents, total->rank, cut_out);
}

/* --- the function that adds --- */

static const struct lang_tensor *tensor_named(const struct lang_module *module, const struct lang_part *part)
{
	const struct lang_decl *decl = part->tensor ? lang_decl_find(module, '%', part->tensor) : NULL;

	return decl && decl->kind == LANG_DECL_TENSOR && !decl->broken ? (const struct lang_tensor *)decl : NULL;
}

static const char *function_text(struct common_arena *arena, const char *name, const struct lang_reduction *reduction, const char *type,
				 const struct lang_cut *cut)
{
	const char *tile = common_format(arena, "!pto.tile<%lldx%lldx%s>", (long long)cut->rows, (long long)cut->columns, type);

	return common_format(arena,
			     "func @%s(%%part: !pto.memref<gm,...,%s>, %%total: !pto.memref<gm,...,%s>) {\n"
			     "%%one = alloc_tile : %s\n%%sum = alloc_tile : %s\n%%one = tload %%part[0, 0]\n%%sum = tload %%total[0, 0]\n"
			     "%%sum = %s %%sum, %%one\ntstore %%sum, %%total[0, 0]\nreturn\n}\n",
			     name, type, type, tile, tile, reduction->op);
}

/* made: functions of this file by their names. Errors are told when the body is checked. */
static void work_prepare(struct lang_module *module, struct lang_map *made, struct lang_work *work)
{
	struct common_arena *arena = &module->unit->arena;
	const struct lang_tensor *total = tensor_named(module, &work->parts[1]);
	const struct lang_reduction *reduction = &lang_reductions[work->mode];
	const char *name;
	struct lang_cut cut;

	if (!total || total->dtype == PTOWSP_BOOL || !cut_find(total, &cut))
		return;
	name = lang_reduction_name(arena, reduction, total->dtype, &cut);
	while (!lang_map_find(made, name) && (lang_map_find(&module->functions, name) || lang_decl_find(module, '@', name)))
		name = common_format(arena, "%s.", name);
	if (!lang_map_find(made, name)) {
		lang_made_function(module, function_text(arena, name, reduction, common_dtype_text(total->dtype), &cut), work->at);
		lang_map_add(made, arena, name, work);
	}
	work->callee = name;
}

static void body_prepare(struct lang_module *module, struct lang_map *made, const struct lang_body *body)
{
	for (struct lang_work *work = body->first; work; work = work->next) {
		if (work->form->check == lang_reduce_check)
			work_prepare(module, made, work);
		for (uint32_t i = 0; i < work->body_count; i++)
			body_prepare(module, made, &work->bodies[i]);
	}
}

void lang_reductions_prepare(struct lang_module *module)
{
	struct lang_map made = {0};

	for (struct lang_decl *decl = module->decls; decl; decl = decl->next)
		if (decl->kind == LANG_DECL_WORKLOAD)
			body_prepare(module, &made, &((struct lang_workload *)decl)->body);
		else if (decl->kind == LANG_DECL_PROCESS)
			body_prepare(module, &made, &((struct lang_process *)decl)->body);
}

/* --- checking --- */

/* All of both; the first dimension of the one counts the contributions, the others are those of the total. */
static bool shapes_fit(struct lang_work_check *check, const struct lang_work *work)
{
	const struct lang_part *from = &work->parts[0], *to = &work->parts[1];

	for (int i = 0; i < 2; i++)
		if (work->parts[i].index_count) {
			lang_error(check->unit, work->parts[i].all, "%s takes all of %%%s: write its name alone", work->form->word, work->parts[i].tensor);
			return false;
		}
	if (from->decl->dtype != to->decl->dtype) {
		lang_error(check->unit, to->at, "%s from %%%s of type %s to %%%s of type %s", work->form->word, from->tensor,
			   common_dtype_text(from->decl->dtype), to->tensor, common_dtype_text(to->decl->dtype));
		return false;
	}
	if (to->decl->dtype == PTOWSP_BOOL) {
		lang_error(check->unit, to->at, "elements of type bool have no %s", lang_reductions[work->mode].word);
		return false;
	}
	if (!lang_extents_equal(from->decl, 1, to->decl)) {
		lang_error(check->unit, to->at, "%%%s does not have the dimensions of %%%s behind its first one, along which the contributions lie", to->tensor,
			   from->tensor);
		return false;
	}
	if (work->callee)
		return true;
	lang_error(check->unit, to->at,
		   "%%%s has no tiles to add: its last dimension is a number, of the others symbols decide only the first, and a row has at most 2^24 elements",
		   to->tensor);
	return false;
}

/* --- tasks --- */

/* Rows from %row on, in every contribution: of known size. */
static const char *known_text(struct common_arena *arena, const struct lang_work *work, const struct lang_cut *cut, const char *parts)
{
	const char *from = work->parts[0].tensor, *to = work->parts[1].tensor;
	const char *row = cut->all > cut->rows ? common_format(arena, "%%row * %lld", (long long)cut->rows) : "0";
	const char *body =
		common_format(arena,
			      "relayout %%%s[%s, 0 : %lld, %lld] -> %%%s[%s, 0]\n"
			      "parallel_for %%part in 1 to %s {\ncall @%s(%%part -> %%%s[%%part * %lld + %s, 0], %%total -> %%%s[%s, 0])\n}\n",
			      from, row, (long long)cut->rows, (long long)cut->columns, to, row, parts, work->callee, from, (long long)cut->all, row, to, row);

	if (cut->all == cut->rows)
		return body;
	return common_format(arena, "parallel_for %%row in 0 to %lld {\n%s}\n", (long long)(cut->all / cut->rows), body);
}

/* A step of the first dimension of the total at a time. */
static const char *unknown_text(struct common_arena *arena, const struct lang_work *work, const struct lang_cut *cut, const char *parts)
{
	const char *from = work->parts[0].tensor, *to = work->parts[1].tensor, *zeros = lang_zeros_text(work->parts[1].decl->rank - 1u);

	return common_format(arena,
			     "parallel_for %%row in 0 to 1 {\nrelayout %%%s[0, %%row%s : %lld, %lld] -> %%%s[%%row%s]\n"
			     "parallel_for %%part in 1 to %s {\ncall @%s(%%part -> %%%s[%%part, %%row%s], %%total -> %%%s[%%row%s])\n}\n}\n",
			     from, zeros, (long long)cut->rows, (long long)cut->columns, to, zeros, parts, work->callee, from, zeros, to, zeros);
}

static void tasks_make(struct lang_work_check *check, struct lang_work *work)
{
	struct common_arena *arena = &check->unit->arena;
	struct lang_scalar *count = work->parts[0].decl->extents[0];
	struct lang_body *inner;
	int64_t parts = 2;
	struct lang_cut cut;
	const char *text;

	cut_find(work->parts[1].decl, &cut);
	lang_scalar_known(count, &parts);
	text = common_format(arena, "%lld", (long long)parts);
	lang_made_body(check->scope.module, work, cut.all ? known_text(arena, work, &cut, text) : unknown_text(arena, work, &cut, text));
	if (!cut.all)
		lang_bound_set(&work->bodies[0], work->parts[1].decl->extents[0]);
	inner = cut.all == cut.rows ? &work->bodies[0] : &work->bodies[0].first->bodies[0];
	if (!lang_scalar_known(count, &parts))
		lang_bound_set(inner, count);
	lang_body_check(check, &work->bodies[0]);
}

void lang_reduce_check(struct lang_work_check *check, struct lang_work *work)
{
	if (lang_pair_check(check, work) && shapes_fit(check, work) && lang_collective_check(check, work))
		tasks_make(check, work);
}
