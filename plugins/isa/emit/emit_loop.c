/* SPDX-License-Identifier: MIT */
/* emit_loop.c - a group of row-wise instructions as few loops: stages, each a loop over the elements of rows, in which values stay in
 * variables unless a later stage or somebody behind the group reads them. A row reduction is a stage of its own, and a group with
 * several stages goes through them by blocks of rows, which stay in the nearest memory. */
#include "isa/convert.h"
#include "isa/emit/emit_group.h"
#include "isa/emit/emit_home.h"

#include <stdlib.h>

enum { BLOCK_ROWS = 8 };

/* The element of its window that the loop is at, for one load or store. */
static struct isa_piece window_element(const struct isa_grouping *g, uint32_t i, bool flat)
{
	const bool loads = isa_group_form(g, i) == ISA_FORM_LOAD;
	const struct isa_piece base = isa_window_name(g, i, loads ? "_from" : "_into"), step = isa_window_step(g, i);
	const uint32_t columns = isa_group_result(g, i)->columns;

	if (flat)
		return isa_piece("%s[at]", base.text);
	if (columns == 1)
		return isa_window_packed(g, i) ? isa_piece("%s[row]", base.text) : isa_piece("%s[row * %s]", base.text, step.text);
	return isa_window_packed(g, i) ? isa_piece("%s[row * %lu + column]", base.text, (unsigned long)columns)
				       : isa_piece("%s[row * %s + column]", base.text, step.text);
}

/* The element of a tile's own memory. */
static struct isa_piece tile_element(struct isa_grouping *g, const struct isa_operand *tile, char access, bool flat)
{
	const struct isa_piece memory = isa_tile(g->e, tile->row);

	if (isa_is_home(g, tile->row))
		return window_element(g, g->home - 1, flat);
	if (access == 'r' && g->columns > 1) /* rows_emit */
		return isa_piece("%s", isa_tile_name(g->e, tile->row));
	if (flat)
		return isa_piece("%s[at]", memory.text);
	if (access == 'c')
		return isa_piece(tile->columns == 1 ? "%s[0]" : "%s[column]", memory.text);
	return access == 'r' || tile->columns == 1 ? isa_piece("%s[row]", memory.text)
						   : isa_piece("%s[row * %lu + column]", memory.text, (unsigned long)tile->columns);
}

/* The element of a tile in memory that the loop is at, as instruction i reads it. */
static struct isa_piece in_memory(struct isa_grouping *g, uint32_t i, const struct isa_operand *tile, char access, bool flat)
{
	const uint32_t load = isa_group_window(g, i, tile->row);

	return load ? window_element(g, load - 1, flat) : tile_element(g, tile, access, flat);
}

static void element_texts(struct isa_grouping *g, uint32_t i, bool flat, struct isa_element_texts *texts)
{
	const struct isa_step *s = isa_group_step(g, i);
	const struct isa_operand *const sources[4] = {&s->a, &s->b, &s->c, &s->f};
	const char *access = isa_emit_op(s->op)->access;

	texts->number = flat ? isa_piece("at") : s->d.columns == 1 ? isa_piece("row") : isa_piece("row * %lu + column", (unsigned long)s->d.columns);
	for (unsigned k = 0; access[k]; k++)
		if (access[k] == 's')
			texts->source[k] = isa_scalar_stored(g->e, sources[k]->row, isa_key_type(g->e, i));
		else if (access[k] == 'e' && g->tiles[sources[k]->row].variable)
			texts->source[k] = isa_piece("%s", isa_tile_name(g->e, sources[k]->row));
		else if (access[k] != '-')
			texts->source[k] = in_memory(g, i, sources[k], access[k], flat);
}

static void element_emit(struct isa_grouping *g, uint32_t i, bool flat)
{
	struct isa_emitter *e = g->e;
	const struct isa_step *s = isa_group_step(g, i);
	struct isa_element_texts texts;
	struct isa_piece value;

	if (isa_group_form(g, i) == ISA_FORM_LOAD) {
		value = window_element(g, i, flat);
	} else {
		element_texts(g, i, flat, &texts);
		value = isa_expression(e, i, &texts);
	}
	if (isa_group_form(g, i) == ISA_FORM_STORE) {
		isa_line(e, "%s = %s;", window_element(g, i, flat).text, value.text);
		return;
	}
	if (g->tiles[s->d.row].variable++)
		isa_line(e, "%s = %s; %s", isa_tile_name(e, s->d.row), value.text, isa_comment_text(e, i).text);
	else
		isa_line(e, "%s%s %s = %s; %s", g->tiles[s->d.row].values == 1 ? "const " : "", isa_stored_type(s->d.dtype), isa_tile_name(e, s->d.row),
			 value.text, isa_comment_text(e, i).text);
}

/* Values that are read later go to their tiles. */
static void kept_emit(struct isa_grouping *g, const struct isa_stage *stage, bool flat)
{
	for (uint32_t i = stage->first; i < stage->end; i++) {
		const uint32_t tile = isa_group_step(g, i)->d.row;

		if (!isa_group_writes(g, i) || !g->tiles[tile].variable || !isa_stage_keeps(g, i))
			continue;
		isa_line(g->e, "%s = %s;", tile_element(g, &isa_group_step(g, i)->d, 'e', flat).text, isa_tile_name(g->e, tile));
		g->tiles[tile].variable = 0;
	}
}

/* Loads, stores, and what is read from a window that has gaps. */
static bool has_gaps(const struct isa_grouping *g, uint32_t i)
{
	const struct isa_step *s = isa_group_step(g, i);
	const struct isa_operand *const sources[4] = {&s->a, &s->b, &s->c, &s->f};
	const char *access = isa_emit_op(s->op)->access;

	if ((isa_group_form(g, i) == ISA_FORM_LOAD || isa_group_form(g, i) == ISA_FORM_STORE) && !isa_window_packed(g, i))
		return true;
	if (isa_group_writes(g, i) && isa_is_home(g, s->d.row) && !isa_window_packed(g, g->home - 1))
		return true;
	for (unsigned k = 0; access[k]; k++)
		if (access[k] == 'e' && isa_is_home(g, sources[k]->row) && !isa_window_packed(g, g->home - 1))
			return true;
		else if (access[k] == 'e' && isa_group_window(g, i, sources[k]->row) && !isa_window_packed(g, isa_group_window(g, i, sources[k]->row) - 1))
			return true;
	return false;
}

static bool needs_rows(const struct isa_grouping *g, const struct isa_stage *stage)
{
	for (uint32_t i = stage->first; i < stage->end; i++)
		if (has_gaps(g, i) || strpbrk(isa_emit_op(g->e->p->insts[i].op)->access, "rc"))
			return true;
	return false;
}

/* Whether it leaves nothing: loads whose windows later stages read themselves. */
static bool is_empty(const struct isa_grouping *g, const struct isa_stage *stage)
{
	for (uint32_t i = stage->first; i < stage->end; i++)
		if (isa_group_form(g, i) != ISA_FORM_NOTHING && !(isa_group_form(g, i) == ISA_FORM_LOAD && g->tiles[isa_group_step(g, i)->d.row].window))
			return false;
	return true;
}

/* of: the target's format, NULL: that of any loop. */
static void loop_open(struct isa_grouping *g, const char *of, const char *name, const char *from, const char *to, bool innermost)
{
	const struct isa_emit_target *t = g->e->target;

	if (innermost && t->loop_note[0] && !g->e->core)
		isa_line(g->e, "%s", t->loop_note);
	isa_open(g->e, of ? of : t->loop, name, from, name, to, name);
}

/* Values of which a row has one stand before the loop over its elements. */
static void row_source(struct isa_grouping *g, uint32_t i, const struct isa_operand *tile, char access)
{
	(void)i;
	if (access != 'r' || g->tiles[tile->row].marks & MARK_READ)
		return;
	g->tiles[tile->row].marks |= MARK_READ;
	isa_line(g->e, "const %s %s = %s[row];", isa_stored_type(tile->dtype), isa_tile_name(g->e, tile->row), isa_tile(g->e, tile->row).text);
}

static void rows_emit(struct isa_grouping *g, const struct isa_stage *stage)
{
	for (uint32_t i = stage->first; i < stage->end; i++)
		isa_group_sources(g, i, row_source);
}

/* A loop over all elements of the rows at once where nothing asks for their row, else over rows and columns. */
static void stage_loop(struct isa_grouping *g, const struct isa_stage *stage)
{
	const unsigned long rows = g->group->rows, columns = stage->columns;
	const bool flat = columns > 1 && !needs_rows(g, stage);
	const unsigned long each = flat ? columns : 1;

	const char *name = flat ? "at" : "row", *of = flat || columns == 1 ? NULL : g->e->target->loop_rows;

	if (!g->blocks)
		loop_open(g, of, name, "0", isa_piece("%lu", rows * each).text, flat || columns == 1);
	else
		loop_open(g, of, name, each > 1 ? isa_piece("top * %lu", each).text : "top",
			  each > 1 ? isa_piece("(top + rows) * %lu", each).text : "top + rows", flat || columns == 1);
	g->columns = stage->columns;
	for (uint32_t i = stage->first; i < stage->end; i++)
		if (isa_group_writes(g, i))
			g->tiles[isa_group_step(g, i)->d.row].values++;
	if (!flat && columns > 1)
		rows_emit(g, stage);
	if (!flat && columns > 1)
		loop_open(g, g->e->target->loop_columns, "column", "0", isa_piece("%lu", columns).text, true);
	for (uint32_t i = stage->first; i < stage->end; i++)
		if (isa_group_form(g, i) != ISA_FORM_NOTHING)
			element_emit(g, i, flat);
	kept_emit(g, stage, flat);
	if (!flat && columns > 1)
		isa_close(g->e);
	isa_close(g->e);
}

/* Reduces a tile whose elements are in a window. */
static void window_reduce(struct isa_grouping *g, uint32_t i, const char *name, const char *type)
{
	struct isa_emitter *e = g->e;
	const struct isa_step *s = isa_group_step(g, i);
	const uint32_t load = isa_group_window(g, i, s->a.row), at = (load ? load : g->home) - 1;
	const struct isa_piece d = isa_tile(e, s->d.row), from = isa_window_name(g, at, load ? "_from" : "_into");
	const struct isa_piece step = isa_window_packed(g, at) ? isa_piece("%lu", (unsigned long)s->a.columns) : isa_window_step(g, at);

	if (!g->blocks)
		isa_line(e, "tile_%s_apart_%s(%s, %s, %s, %lu, %lu); %s", name, type, d.text, from.text, step.text, (unsigned long)s->a.rows,
			 (unsigned long)s->a.columns, isa_comment_text(e, i).text);
	else
		isa_line(e, "tile_%s_apart_%s(%s + top, %s + top * %s, %s, rows, %lu); %s", name, type, d.text, from.text, step.text, step.text,
			 (unsigned long)s->a.columns, isa_comment_text(e, i).text);
}

static void stage_reduce(struct isa_grouping *g, const struct isa_stage *stage)
{
	struct isa_emitter *e = g->e;
	const struct isa_step *s = isa_group_step(g, stage->first);
	const char *name = isa_emit_op(s->op)->floats, *type = isa_type_suffix(s->a.dtype);
	struct isa_piece d, a;

	e->functions = true;
	e->shuffles |= isa_class(s->a.dtype) != 'f' || s->a.dtype == PTOWSP_F64; /* rows of these are vectors in the source */
	if (isa_group_window(g, stage->first, s->a.row) || isa_is_home(g, s->a.row)) {
		window_reduce(g, stage->first, name, type);
		return;
	}
	d = isa_tile(e, s->d.row);
	a = isa_tile(e, s->a.row);
	if (!g->blocks)
		isa_line(e, "tile_%s_%s(%s, %s, %lu, %lu); %s", name, type, d.text, a.text, (unsigned long)s->a.rows, (unsigned long)s->a.columns,
			 isa_comment_text(e, stage->first).text);
	else
		isa_line(e, "tile_%s_%s(%s + top, %s + top * %lu, rows, %lu); %s", name, type, d.text, a.text, (unsigned long)s->a.columns,
			 (unsigned long)s->a.columns, isa_comment_text(e, stage->first).text);
}

static void stages_emit(struct isa_grouping *g)
{
	const unsigned long rows = g->group->rows;

	g->blocks = g->count > 1 && rows > BLOCK_ROWS && !g->e->target->loop_rows && !g->e->core;
	if (g->blocks) {
		isa_open(g->e, "for (size_t top = 0; top < %lu; top += %d) ", rows, BLOCK_ROWS);
		if (rows % BLOCK_ROWS)
			isa_line(g->e, "const size_t rows = top + %d <= %lu ? %d : %lu;", BLOCK_ROWS, rows, BLOCK_ROWS, rows % BLOCK_ROWS);
		else
			isa_line(g->e, "const size_t rows = %d;", BLOCK_ROWS);
		isa_put(g->e, "\n");
	}
	for (uint32_t k = 0; k < g->count; k++) {
		g->end = g->stages[k].end;
		isa_stage_reset(g, &g->stages[k]);
		if (g->stages[k].reduces) {
			stage_reduce(g, &g->stages[k]); /* it has a barrier of its own */
		} else if (!is_empty(g, &g->stages[k])) {
			stage_loop(g, &g->stages[k]);
			isa_barrier_put(g->e);
		}
	}
	if (g->blocks)
		isa_close(g->e);
}

/* The same for a core: tiles in windows are where the load says, others are copied. */
static void core_move_emit(struct isa_grouping *g, uint32_t i)
{
	struct isa_emitter *e = g->e;
	const bool loads = e->p->insts[i].op == PTOWSP_PTO_TLOAD;
	const struct isa_operand *tile = isa_group_result(g, i);
	const unsigned long width = (unsigned long)tile->columns * tile->bytes, step = isa_place_step(e, i) * tile->bytes;
	struct isa_piece memory;

	if (e->done[i]) {
		if (loads && e->homes[tile->row].moves)
			isa_line(e, "%s = %s;", isa_tile(e, tile->row).text, isa_place_pointer(e, i).text);
		return;
	}
	memory = isa_tile(e, tile->row);
	if (isa_place_packed(e, i) && loads)
		isa_line(e, e->target->move, memory.text, isa_place_pointer(e, i).text, tile->rows * width);
	else if (isa_place_packed(e, i))
		isa_line(e, e->target->move, isa_place_pointer(e, i).text, memory.text, tile->rows * width);
	else if (loads)
		isa_line(e, "tile_copy(%s, %lu, %s, %lu, %lu, %lu);", memory.text, width, isa_place_pointer(e, i).text, step, (unsigned long)tile->rows, width);
	else
		isa_line(e, "tile_copy(%s, %lu, %s, %lu, %lu, %lu);", isa_place_pointer(e, i).text, step, memory.text, width, (unsigned long)tile->rows, width);
}

/* One load or store on its own is a copy. */
static void move_emit(struct isa_grouping *g, uint32_t i)
{
	struct isa_emitter *e = g->e;
	const struct isa_step *s = isa_group_step(g, i);
	const bool loads = s->op == PTOWSP_PTO_TLOAD;
	const struct isa_operand *tile = isa_group_result(g, i), *window = loads ? &s->a : &s->d;
	const bool placed = loads && isa_tile_is_placed(e, tile->row);
	const struct isa_piece memory = isa_tile(e, tile->row), at = isa_window_name(g, i, "_at");

	isa_open(e, "%s", "");
	isa_line(e, "%sstruct tile_place %s = tile_find(call, %s, \"%s %s\", %s, %s, %s, %lu, %lu, %s);", placed ? "" : "const ", at.text,
		 isa_place_text(e, i).text, isa_op(s->op)->mnemonic, loads ? "reads" : "writes", isa_param_name(e, window->row),
		 isa_scalar_i64(e, s->b.row).text, isa_scalar_i64(e, s->c.row).text, (unsigned long)tile->rows, (unsigned long)tile->columns,
		 isa_bytes_text(tile));
	isa_line(e, "if (!%s.at)", at.text);
	isa_line(e, "\treturn PTOWSP_KERNEL_FAILED;");
	if (placed) {
		isa_line(e, "tile_read_packed(&%s, %s, %lu, %lu, %s);", at.text, memory.text, (unsigned long)tile->rows, (unsigned long)tile->columns,
			 isa_bytes_text(tile));
		isa_line(e, "%s_place = (const %s *)(const void *)%s.at;", isa_tile_name(e, tile->row), isa_stored_type(tile->dtype), at.text);
	} else if (loads)
		isa_line(e, "tile_copy_in(%s, &%s, %lu, %lu, %s);", memory.text, at.text, (unsigned long)tile->rows, (unsigned long)tile->columns,
			 isa_bytes_text(tile));
	else
		isa_line(e, "tile_copy_out(&%s, %s, %lu, %lu, %s);", at.text, memory.text, (unsigned long)tile->rows, (unsigned long)tile->columns,
			 isa_bytes_text(tile));
	isa_close(e);
}

static bool has_places(const struct isa_grouping *g)
{
	for (uint32_t i = g->group->first; i < g->group->end; i++)
		if (isa_group_form(g, i) == ISA_FORM_LOAD || isa_group_form(g, i) == ISA_FORM_STORE)
			return true;
	return false;
}

static void group_emit(struct isa_grouping *g)
{
	struct isa_emitter *e = g->e;
	const uint32_t first = g->group->first;

	e->temp_now = 0;
	isa_uses_find(g);
	if (g->group->end == first + 1 && (e->p->insts[first].op == PTOWSP_PTO_TLOAD || e->p->insts[first].op == PTOWSP_PTO_TSTORE)) {
		isa_comment(e, first);
		isa_cycles_put(e);
		if (e->core)
			core_move_emit(g, first);
		else
			move_emit(g, first);
		e->cycles += isa_group_step(g, first)->cost;
		return;
	}
	isa_stage_windows(g);
	isa_stages_make(g);
	isa_home_find(g);
	if (has_places(g))
		isa_open(e, "%s", "");
	isa_windows_begin(g);
	stages_emit(g);
	if (has_places(g)) {
		isa_windows_end(g);
		isa_close(e);
	}
}

void isa_group_emit(struct isa_emitter *e, const struct isa_group *group)
{
	const size_t count = group->end - group->first, most = count * 5 /* operands */;
	struct isa_grouping g = {.e = e, .group = group, .tiles = e->group_tiles};

	g.stages = calloc(count, sizeof(*g.stages));
	g.uses = calloc(most, sizeof(*g.uses));
	g.used = calloc(most, sizeof(*g.used));
	g.windows = calloc(count, sizeof(*g.windows));
	if (g.stages && g.uses && g.used && g.windows)
		group_emit(&g);
	else
		e->out.text.failed = true;
	isa_uses_clear(&g);
	free(g.stages);
	free(g.uses);
	free(g.used);
	free(g.windows);
}
