/* SPDX-License-Identifier: MIT */
/* lang_move.c - relayout and the collectives: elements of a tensor into another one of another layout; contributions along the first dimension are added up. */
#include "lang/lang_move.h"
#include "lang/lang_process.h"
#include "lang/lang_work.h"
#include "lang/parse/parse.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ---- relayout, all_gather and broadcast: copies between tensors of layouts that do not join. ---- */

/* --- parsing --- */

/* "%a -> %b" */
static bool pair_parse(struct lang_parser *parser, struct lang_work *work)
{
	if (!lang_part_parse(parser, &work->parts[0]))
		return false;
	if (lang_peek(parser)->kind != LANG_ARROW)
		return lang_expected(parser, "\"->\" and the target");
	lang_take(parser);
	return lang_part_parse(parser, &work->parts[1]);
}

bool lang_move_parse(struct lang_parser *parser, struct lang_work *work)
{
	return pair_parse(parser, work) && lang_afters_parse(parser, work);
}

/* "%A -> layout(S(0), R) mem(nz(16, 16))", "%A[...] -> %B[...]" */
bool lang_relayout_parse(struct lang_parser *parser, struct lang_work *work)
{
	struct lang_layout *layout;

	if (!lang_part_parse(parser, &work->parts[0]))
		return false;
	if (lang_peek(parser)->kind != LANG_ARROW)
		return lang_expected(parser, "\"->\" and a layout or a tensor");
	lang_take(parser);
	if (lang_peek(parser)->kind == LANG_NAME)
		return lang_part_parse(parser, &work->parts[1]) && lang_afters_parse(parser, work);
	if (!lang_at_word(parser, "layout") && !lang_at_word(parser, "mem"))
		return lang_expected(parser, "layout(...), mem(...) or a tensor");
	layout = common_alloc(&parser->unit->arena, sizeof(*layout));
	work->more = layout;
	return lang_layout_parse(parser, layout);
}

/* --- all of a tensor, whatever its size --- */

static bool scalars_equal(const struct lang_scalar *a, const struct lang_scalar *b)
{
	int64_t x, y;

	if (lang_scalar_known(a, &x) || lang_scalar_known(b, &y))
		return lang_scalar_known(a, &x) && lang_scalar_known(b, &y) && x == y;
	if (a->kind != b->kind || a->kind == LANG_SCALAR_NAME)
		return a->kind == b->kind && a->decl == b->decl;
	for (int i = 0; i < 3; i++)
		if (!a->operands[i] != !b->operands[i] || (a->operands[i] && !scalars_equal(a->operands[i], b->operands[i])))
			return false;
	return a->op == b->op;
}

/* The extents of a, from a dimension on, are those of b: the same numbers, or made alike of the same symbols. */
static bool extents_equal(const struct lang_tensor *a, uint32_t from, const struct lang_tensor *b)
{
	if (a->rank - from != b->rank)
		return false;
	for (uint32_t i = 0; i < b->rank; i++)
		if (!scalars_equal(a->extents[from + i], b->extents[i]))
			return false;
	return true;
}

/* Rows and columns of one step of the first dimension; 0: it has only one, or the others are not known. */
static bool inner_shape(const struct lang_tensor *tensor, int64_t *rows_out, int64_t *columns_out)
{
	*rows_out = 1;
	for (uint32_t i = 1; i < tensor->rank; i++) {
		int64_t extent;

		if (!lang_scalar_known(tensor->extents[i], &extent) || *rows_out > INT32_MAX)
			return false;
		if (i + 1 < tensor->rank)
			*rows_out *= extent;
		else
			*columns_out = extent;
	}
	return tensor->rank > 1 && *rows_out <= INT32_MAX;
}

/* ", 0, 0": so many indices, at most 3. */
static const char *zeros_text(uint32_t count)
{
	static const char *const texts[] = {"", ", 0", ", 0, 0", ", 0, 0, 0"};

	return texts[count];
}

/* The last statement of a made body is a loop: it runs to there. */
static void bound_set(struct lang_body *body, struct lang_scalar *extent)
{
	struct lang_work *loop = body->first;

	while (loop->next)
		loop = loop->next;
	loop->axis->high = extent;
}

/* One copy per step of the first dimension, which symbols decide. */
static void copies_make(struct lang_work_check *check, struct lang_work *work)
{
	struct common_arena *arena = &check->unit->arena;
	const struct lang_part *from = &work->parts[0], *to = &work->parts[1];
	int64_t rows, columns;
	const char *zeros;

	if (!extents_equal(from->decl, 0, to->decl)) {
		lang_error(check->unit, to->all, "%%%s does not have the size of %%%s", to->tensor, from->tensor);
		return;
	}
	if (!inner_shape(from->decl, &rows, &columns)) {
		lang_error(check->unit, from->all, "symbols decide more of the size of %%%s than the first of several dimensions", from->tensor);
		lang_help(check->unit, "say which part: %%%s[row, column : rows, columns]", from->tensor);
		return;
	}
	zeros = zeros_text(from->decl->rank - 1u);
	lang_made_body(check->scope.module, work,
		       common_format(arena, "parallel_for %%row in 0 to 1 {\nrelayout %%%s[%%row%s : %lld, %lld] -> %%%s[%%row%s]\n}\n", from->tensor, zeros,
				     (long long)rows, (long long)columns, to->tensor, zeros));
	bound_set(&work->bodies[0], from->decl->extents[0]);
	lang_body_check(check, &work->bodies[0]);
}

/* The parts are found, and no error was told of them. */
static void copy_make(struct lang_work_check *check, struct lang_work *work)
{
	int64_t rows, columns;

	if (work->parts[0].index_count || work->parts[1].index_count || lang_tensor_shape(work->parts[0].decl, &rows, &columns)) {
		lang_copy_size(check, work);
		return;
	}
	if (work->local || work->after_count)
		lang_error(check->unit, work->local ? work->local->at : work->afters[0].task->all,
			   "the size of %%%s is decided by symbols: this is a task per row, which have no common name and no stated edges",
			   work->parts[0].tensor);
	copies_make(check, work);
}

void lang_move_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	if (work->body_count)
		lang_body_lower(walk, &work->bodies[0]);
	else if (work->parts[1].decl)
		lang_copy_lower(walk, work);
}

/* --- relayout --- */

/* Is b all that a is, in distribution and in memory? */
static bool layouts_equal(const struct lang_layout *a, const struct lang_layout *b)
{
	for (uint32_t i = 0; i < b->rank; i++)
		if (a->dims[i].sharded != b->dims[i].sharded || a->dims[i].mesh_axis != b->dims[i].mesh_axis)
			return false;
	return a->stated == b->stated && lang_memory_equal(&a->memory, &b->memory);
}

/* The name means that tensor from here to the end of the body. */
static void name_move(struct lang_work_check *check, const char *name, struct lang_tensor *tensor)
{
	struct lang_relayout *relayouts = common_alloc(&check->unit->arena, sizeof(*relayouts));

	*relayouts = (struct lang_relayout){.outer = check->relayouts, .name = name, .tensor = tensor};
	check->relayouts = relayouts;
}

/* A temp tensor like the other one, called like it. */
static struct lang_tensor *tensor_make(struct lang_work_check *check, const struct lang_tensor *like, const struct lang_layout *layout, struct lang_span at)
{
	struct lang_module *module = check->scope.module;
	struct lang_tensor *tensor = common_alloc(&check->unit->arena, sizeof(*tensor));
	const struct lang_tensor *origin = like->origin ? like->origin : like;
	uint32_t number = 1;

	*tensor = (struct lang_tensor){.head = {.kind = LANG_DECL_TENSOR, .at = at, .used = 1},
				       .dtype = like->dtype,
				       .role = PTOWSP_ROLE_TEMP,
				       .space = like->space,
				       .alignment = like->alignment,
				       .rank = like->rank,
				       .layout = *layout,
				       .type_at = like->type_at,
				       .origin = origin};
	memcpy(tensor->extents, like->extents, sizeof(tensor->extents));
	do
		tensor->head.name = common_format(&check->unit->arena, "%s.%u", origin->head.name, number++);
	while (lang_decl_find(module, '%', tensor->head.name));
	lang_map_add(&module->values, &check->unit->arena, tensor->head.name, tensor);
	tensor->head.position = module->decl_counts[LANG_DECL_TENSOR]++;
	*module->last_decl = &tensor->head;
	module->last_decl = &tensor->head.next;
	return tensor;
}

/* Parts of a layout that are not said stay as they are. */
static struct lang_layout layout_wanted(const struct lang_layout *now, const struct lang_layout *said)
{
	struct lang_layout wanted = said->stated ? *said : *now;

	wanted.memory = said->memory.stated ? said->memory : now->memory;
	return wanted;
}

static void same_warn(struct lang_work_check *check, const struct lang_work *work, const struct lang_layout *said)
{
	char layout[LANG_LAYOUT_TEXT], memory[LANG_MEMORY_TEXT];

	lang_layout_print(said, layout);
	lang_memory_print(&said->memory, memory);
	lang_warn(check->unit, work->at, "%%%s has %s%s%s already", work->parts[0].tensor, said->stated ? layout : "",
		  said->stated && said->memory.stated ? " " : "", said->memory.stated ? memory : "");
}

static void layout_move(struct lang_work_check *check, struct lang_work *work, const struct lang_layout *said)
{
	struct lang_part *from = &work->parts[0];
	struct lang_layout wanted;
	struct lang_tensor *tensor;

	if (work->local)
		lang_error(check->unit, work->local->at, "%%%s can name a copy between two parts: relayout %%%s[...] -> %%tensor[...]", work->local->name,
			   from->tensor);
	if (from->index_count) {
		lang_error(check->unit, from->all, "all of %%%s gets another layout: write its name alone", from->tensor);
		return;
	}
	if (!lang_part_check(check, from, PTOWSP_READ, "relayout") || !lang_layout_check(check->unit, said, from->tensor, from->decl->rank) ||
	    !lang_tensor_memory_check(check->unit, from->decl, &said->memory, from->tensor))
		return;
	wanted = layout_wanted(&from->decl->layout, said);
	if (layouts_equal(&from->decl->layout, &wanted)) {
		same_warn(check, work, said);
	} else if (from->decl->origin && layouts_equal(&from->decl->origin->layout, &wanted)) {
		name_move(check, from->tensor, (struct lang_tensor *)(uintptr_t)from->decl->origin);
	} else {
		tensor = tensor_make(check, from->decl, &wanted, work->at);
		work->parts[1] = (struct lang_part){.tensor = tensor->head.name, .at = from->at, .all = from->all};
		if (lang_copy_find(check, work))
			copy_make(check, work);
		name_move(check, from->tensor, tensor);
	}
}

void lang_relayout_check(struct lang_work_check *check, struct lang_work *work)
{
	if (work->more)
		layout_move(check, work, work->more);
	else if (lang_copy_find(check, work))
		copy_make(check, work);
}

/* --- collectives that copy --- */

static bool layout_needed(struct lang_work_check *check, const struct lang_work *work, const struct lang_part *part)
{
	if (part->decl->layout.stated)
		return true;
	lang_error(check->unit, part->at, "%s goes by layouts, and %%%s states none", work->form->word, part->tensor);
	lang_help(check->unit, "declare one at %s, such as layout(S(0)%s)", lang_place(check->unit, part->decl->head.at), part->decl->rank > 1 ? ", R" : "");
	return false;
}

/* "%A has layout(...), %B has layout(...): " */
static const char *layouts_text(struct lang_work_check *check, const struct lang_work *work)
{
	char from[LANG_LAYOUT_TEXT], to[LANG_LAYOUT_TEXT];

	lang_layout_print(&work->parts[0].decl->layout, from);
	lang_layout_print(&work->parts[1].decl->layout, to);
	return common_format(&check->unit->arena, "%%%s has %s, %%%s has %s", work->parts[0].tensor, from, work->parts[1].tensor, to);
}

/* The layouts of the two parts are those that a collective goes between; 0 after an error. */
static bool collective_check(struct lang_work_check *check, const struct lang_work *work)
{
	static const char *const helps[] = {[LANG_COLLECTIVE_RELAYOUT] = "relayout %%%s -> %%%s goes from any layout to any other",
					    [LANG_COLLECTIVE_OTHERS] = "relayout one of them, before or behind it",
					    [LANG_COLLECTIVE_COPY] = "copy %%%s -> %%%s",
					    [LANG_COLLECTIVE_REDUCE] = "all_reduce leaves all of it everywhere"};
	const struct lang_part *from = &work->parts[0], *to = &work->parts[1];
	char why[LANG_COLLECTIVE_TEXT];
	enum lang_collective fits;

	if ((work->form->check != lang_broadcast_check && !layout_needed(check, work, from)) || !layout_needed(check, work, to))
		return false;
	fits = lang_layout_collective(work->form->word, &from->decl->layout, &to->decl->layout, why);
	if (!fits)
		return true;
	lang_error(check->unit, fits == LANG_COLLECTIVE_SOURCE ? from->at : to->at, "%s: %s", layouts_text(check, work), why);
	if (helps[fits])
		lang_help(check->unit, helps[fits], from->tensor, to->tensor);
	return false;
}

void lang_gather_check(struct lang_work_check *check, struct lang_work *work)
{
	if (lang_copy_find(check, work) && collective_check(check, work))
		copy_make(check, work);
}

/* A broadcast brings the content of one place to all: it does not lie there yet. */
static bool is_everywhere(struct lang_work_check *check, const struct lang_work *work)
{
	const struct lang_layout *from = &work->parts[0].decl->layout;
	uint32_t sharded = !from->stated;

	for (uint32_t i = 0; i < from->rank; i++)
		sharded |= from->dims[i].sharded;
	if (sharded)
		return false;
	lang_error(check->unit, work->parts[0].at, "%s: what is replicated is everywhere already", layouts_text(check, work));
	lang_help(check->unit, "copy %%%s -> %%%s", work->parts[0].tensor, work->parts[1].tensor);
	return true;
}

void lang_broadcast_check(struct lang_work_check *check, struct lang_work *work)
{
	if (lang_copy_find(check, work) && collective_check(check, work) && !is_everywhere(check, work))
		copy_make(check, work);
}

/* ---- all_reduce and reduce_scatter: contributions along the first dimension of a tensor are added up, in their order, tile by tile. ---- */

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
	if (!pair_parse(parser, work))
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
	if (!extents_equal(from->decl, 1, to->decl)) {
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
	const char *from = work->parts[0].tensor, *to = work->parts[1].tensor, *zeros = zeros_text(work->parts[1].decl->rank - 1u);

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
		bound_set(&work->bodies[0], work->parts[1].decl->extents[0]);
	inner = cut.all == cut.rows ? &work->bodies[0] : &work->bodies[0].first->bodies[0];
	if (!lang_scalar_known(count, &parts))
		bound_set(inner, count);
	lang_body_check(check, &work->bodies[0]);
}

void lang_reduce_check(struct lang_work_check *check, struct lang_work *work)
{
	if (lang_pair_check(check, work) && shapes_fit(check, work) && collective_check(check, work))
		tasks_make(check, work);
}
