/* SPDX-License-Identifier: MIT */
/* lang_move.c - relayout, all_gather and broadcast: copies between tensors of layouts that do not join. */
#include "lang/lang_move.h"
#include "lang/lang_work.h"
#include "lang/parse/parse.h"

#include <stdbool.h>
#include <string.h>

/* --- parsing --- */

bool lang_pair_parse(struct lang_parser *parser, struct lang_work *work)
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
	return lang_pair_parse(parser, work) && lang_afters_parse(parser, work);
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

bool lang_extents_equal(const struct lang_tensor *a, uint32_t from, const struct lang_tensor *b)
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

const char *lang_zeros_text(uint32_t count)
{
	static const char *const texts[] = {"", ", 0", ", 0, 0", ", 0, 0, 0"};

	return texts[count];
}

void lang_bound_set(struct lang_body *body, struct lang_scalar *extent)
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

	if (!lang_extents_equal(from->decl, 0, to->decl)) {
		lang_error(check->unit, to->all, "%%%s does not have the size of %%%s", to->tensor, from->tensor);
		return;
	}
	if (!inner_shape(from->decl, &rows, &columns)) {
		lang_error(check->unit, from->all, "symbols decide more of the size of %%%s than the first of several dimensions", from->tensor);
		lang_help(check->unit, "say which part: %%%s[row, column : rows, columns]", from->tensor);
		return;
	}
	zeros = lang_zeros_text(from->decl->rank - 1u);
	lang_made_body(check->scope.module, work,
		       common_format(arena, "parallel_for %%row in 0 to 1 {\nrelayout %%%s[%%row%s : %lld, %lld] -> %%%s[%%row%s]\n}\n", from->tensor, zeros,
				     (long long)rows, (long long)columns, to->tensor, zeros));
	lang_bound_set(&work->bodies[0], from->decl->extents[0]);
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

bool lang_collective_check(struct lang_work_check *check, const struct lang_work *work)
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
	if (lang_copy_find(check, work) && lang_collective_check(check, work))
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
	if (lang_copy_find(check, work) && lang_collective_check(check, work) && !is_everywhere(check, work))
		copy_make(check, work);
}
