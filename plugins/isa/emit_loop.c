/* SPDX-License-Identifier: MIT */
/* emit_loop.c - a group of row-wise instructions as few loops: stages, each a loop over the elements of rows, in which values stay in
 * variables unless a later stage or somebody behind the group reads them. A row reduction is a stage of its own, and a group with
 * several stages goes through them by blocks of rows, which stay in the nearest memory. */
#include "isa/emit_state.h"

#include <stdlib.h>
#include <string.h>

/* Tiles with rows shorter than PACKED_COLUMNS and of at most PACKED_BYTES are copied if their window has gaps: one loop over all their
 * elements is worth more than the copy takes. */
enum { BLOCK_ROWS = 8, PACKED_COLUMNS = 64, PACKED_BYTES = 16384 };

/* Instructions [first, end) in one loop over rows of `columns` elements, or one reduction. */
struct stage {
	uint32_t first, end, columns;
	bool reduces;
};
struct grouping {
	struct isa_emitter *e;
	const struct isa_group *group;
	struct stage *stages;
	uint32_t count;
	bool *cut;          /* per instruction of the group: a stage begins here whatever else */
	uint8_t *marks;     /* per tile: see below */
	uint32_t *variable; /* per tile: times it was given a value in this stage; 0: it is in memory */
	uint32_t *window;   /* per tile: the load, plus 1, from whose window later stages read it, too; 0: none */
	bool blocks;
	uint32_t columns;   /* of the stage */
};
enum {
	MARK_READ = 1,    /* from memory in this stage */
	MARK_WRITTEN = 2, /* to memory in this stage */
	MARK_LATER = 4,   /* a later stage reads the value that this one leaves */
	MARK_AGAIN = 8    /* a later stage gives it another value */
};

static const struct isa_step *step_of(const struct grouping *g, uint32_t i)
{
	return &g->e->p->steps[i];
}

static unsigned form_of(const struct grouping *g, uint32_t i)
{
	return isa_emit_op(g->e->p->insts[i].op)->form;
}

/* What one element is made for: the tile that is written, or stored. */
static const struct isa_operand *result(const struct grouping *g, uint32_t i)
{
	return form_of(g, i) == ISA_FORM_STORE ? &step_of(g, i)->a : &step_of(g, i)->d;
}

static uint32_t columns_of(const struct grouping *g, uint32_t i)
{
	return form_of(g, i) == ISA_FORM_REDUCE ? step_of(g, i)->a.columns : result(g, i)->columns;
}

/* Calls back for every tile that element (or row) i of the instruction reads: its operand and access letter. */
typedef void (*source_fn)(struct grouping *g, uint32_t i, const struct isa_operand *tile, char access);
static void sources_walk(struct grouping *g, uint32_t i, source_fn fn)
{
	const struct isa_step *s = step_of(g, i);
	const struct isa_operand *const sources[4] = {&s->a, &s->b, &s->c, &s->f};
	const char *access = isa_emit_op(s->op)->access;

	for (unsigned k = 0; access[k]; k++)
		if (strchr("erc", access[k]))
			fn(g, i, sources[k], access[k]);
}

static bool writes_tile(const struct grouping *g, uint32_t i)
{
	return form_of(g, i) != ISA_FORM_STORE && form_of(g, i) != ISA_FORM_NOTHING;
}

/* --- windows that are read in several stages --- */

static void window_never(struct grouping *g, uint32_t i, const struct isa_operand *tile, char access)
{
	(void)i;
	(void)access;
	g->window[tile->row] = 0;
}

static void window_source(struct grouping *g, uint32_t i, const struct isa_operand *tile, char access)
{
	const uint32_t load = g->window[tile->row];

	if (load && (access != 'e' || i < load))
		g->window[tile->row] = 0;
}

/* Tiles whose elements are what a window has, from one load on to the end of the group, and which nobody else asks for. Behind the
 * group's store the window may have changed. */
static void windows_find(struct grouping *g)
{
	const struct isa_plan *plan = &g->e->p->plan;
	bool stored = false;

	if (!g->e->target->windows || isa_plan_group(plan, g->group->first) != g->group)
		return;
	for (uint32_t i = g->group->first; i < g->group->end; i++)
		if (form_of(g, i) == ISA_FORM_LOAD)
			g->window[step_of(g, i)->d.row] = isa_plan_is_behind(plan, g->group, step_of(g, i)->d.row) ? 0 : i + 1;
	for (uint32_t i = g->group->first; i < g->group->end; i++) {
		sources_walk(g, i, window_source);
		if (stored)
			sources_walk(g, i, window_never);
		if (writes_tile(g, i) && g->window[step_of(g, i)->d.row] != i + 1)
			g->window[step_of(g, i)->d.row] = 0;
		stored |= form_of(g, i) == ISA_FORM_STORE;
	}
}

/* --- stages --- */

static void stage_add(struct grouping *g, uint32_t first)
{
	g->stages[g->count++] = (struct stage){.first = first, .end = first + 1, .columns = columns_of(g, first),
					       .reduces = form_of(g, first) == ISA_FORM_REDUCE};
}

static void stages_find(struct grouping *g)
{
	g->count = 0;
	for (uint32_t i = g->group->first; i < g->group->end; i++) {
		struct stage *last = g->count ? &g->stages[g->count - 1] : NULL;

		if (last && !g->cut[i - g->group->first] && !last->reduces && form_of(g, i) != ISA_FORM_REDUCE &&
		    columns_of(g, i) == last->columns)
			last->end = i + 1;
		else
			stage_add(g, i);
	}
}

/* Broadcast operands are read from memory: their value must not be made in the same loop. */
static void source_cut(struct grouping *g, uint32_t i, const struct isa_operand *tile, char access)
{
	if (access != 'e' && g->variable[tile->row])
		g->cut[i - g->group->first] = true;
}

static void stage_reset(struct grouping *g)
{
	memset(g->variable, 0, g->e->p->header.tile_count * sizeof(*g->variable));
	for (uint32_t t = 0; t < g->e->p->header.tile_count; t++)
		g->marks[t] &= MARK_LATER | MARK_AGAIN;
}

static void source_mark(struct grouping *g, uint32_t i, const struct isa_operand *tile, char access)
{
	(void)i;
	if ((access != 'e' || !g->variable[tile->row]) && !g->window[tile->row])
		g->marks[tile->row] |= MARK_READ;
}

static void source_later(struct grouping *g, uint32_t i, const struct isa_operand *tile, char access)
{
	(void)i;
	(void)access;
	if (!(g->marks[tile->row] & MARK_AGAIN))
		g->marks[tile->row] |= MARK_LATER;
}

/* Whether a value made in this stage has to be in memory when the stage is done. */
static bool is_kept(const struct grouping *g, uint32_t tile)
{
	if (isa_plan_group(&g->e->p->plan, g->group->first) != g->group) /* not of the plan: nobody knows */
		return true;
	if (g->window[tile])
		return false;
	return g->marks[tile] & MARK_LATER || (!(g->marks[tile] & MARK_AGAIN) && isa_plan_is_behind(&g->e->p->plan, g->group, tile));
}

static void later_find(struct grouping *g, uint32_t stage)
{
	memset(g->marks, 0, g->e->p->header.tile_count * sizeof(*g->marks));
	for (uint32_t i = g->stages[stage].end; i < g->group->end; i++) {
		sources_walk(g, i, source_later);
		if (writes_tile(g, i))
			g->marks[step_of(g, i)->d.row] |= MARK_AGAIN;
	}
}

static uint64_t tile_end(const struct grouping *g, uint32_t tile)
{
	const struct ptowsp_tile_tile *t = &g->e->p->tiles[tile];

	return g->e->p->plan.at[tile] + (uint64_t)t->rows * t->columns * isa_dtype_bytes(t->dtype);
}

static bool overlap(const struct grouping *g, uint32_t x, uint32_t y)
{
	return g->e->p->plan.at[x] < tile_end(g, y) && g->e->p->plan.at[y] < tile_end(g, x);
}

/* Whether the tile's memory is that of another tile whose memory this stage uses, too. */
static bool collides(const struct grouping *g, uint32_t tile)
{
	for (uint32_t t = 0; t < g->e->p->header.tile_count; t++)
		if (t != tile && g->marks[t] & (MARK_READ | MARK_WRITTEN) && overlap(g, t, tile))
			return true;
	return false;
}

/* A stage must not write to memory that other tiles of it still have: then it is cut in two. True if it was. */
static bool stage_cut(struct grouping *g, const struct stage *stage)
{
	stage_reset(g);
	for (uint32_t i = stage->first; i < stage->end; i++) {
		sources_walk(g, i, source_mark);
		sources_walk(g, i, source_cut);
		if (writes_tile(g, i)) {
			const uint32_t tile = step_of(g, i)->d.row;

			if (is_kept(g, tile) && collides(g, tile))
				g->cut[i - g->group->first] |= i > stage->first;
			g->marks[tile] |= is_kept(g, tile) ? MARK_WRITTEN : 0;
			g->variable[tile]++;
		}
		if (g->cut[i - g->group->first] && i > stage->first)
			return true;
	}
	return false;
}

static void stages_make(struct grouping *g)
{
	bool again = true;

	while (again) {
		again = false;
		stages_find(g);
		for (uint32_t k = 0; k < g->count && !again; k++) {
			later_find(g, k);
			again = stage_cut(g, &g->stages[k]);
		}
	}
}

/* --- loads and stores before and behind the loops --- */

static const char *bytes_text(const struct isa_operand *tile)
{
	static const char *const texts[9] = {[1] = "1", [2] = "2", [4] = "4", [8] = "8"};

	return texts[tile->bytes];
}

static void tiles_mark(struct grouping *g, uint32_t first, uint32_t end)
{
	memset(g->marks, 0, g->e->p->header.tile_count * sizeof(*g->marks));
	for (uint32_t i = first; i < end; i++) {
		sources_walk(g, i, source_later);
		if (writes_tile(g, i))
			g->marks[step_of(g, i)->d.row] |= MARK_LATER;
	}
}

/* Whether the tile's memory is its own in the group, and free before its load or behind its store, which is instruction i. */
static bool has_room(struct grouping *g, uint32_t i)
{
	const uint32_t tile = result(g, i)->row;

	if (step_of(g, i)->op == PTOWSP_PTO_TSTORE_FP) /* what is stored is not the tile */
		return false;
	if (form_of(g, i) == ISA_FORM_LOAD) {
		tiles_mark(g, g->group->first, i);
		if (g->marks[tile])
			return false;
	}
	for (uint32_t k = i + 1; form_of(g, i) == ISA_FORM_STORE && k < g->group->end; k++)
		if (writes_tile(g, k) && step_of(g, k)->d.row == tile)
			return false;
	tiles_mark(g, g->group->first, g->group->end);
	for (uint32_t t = 0; t < g->e->p->header.tile_count; t++)
		if (t != tile && g->marks[t] && overlap(g, t, tile))
			return false;
	return true;
}

/* Where the tile of a load or store goes whose window a loop cannot walk: its own memory, unless that has something else. */
static struct isa_piece buffer(struct grouping *g, uint32_t i)
{
	const struct isa_operand *tile = result(g, i);

	return has_room(g, i) ? isa_tile(g->e, tile->row) : isa_temp(g->e, (uint64_t)tile->rows * tile->columns, tile->dtype);
}

/* Whether the rows of the window, or of its copy, lie one behind the other. */
static bool is_packed(const struct grouping *g, uint32_t i)
{
	const struct isa_operand *tile = result(g, i);
	const uint64_t bytes = (uint64_t)tile->rows * tile->columns * tile->bytes;

	return g->e->target->windows && (tile->rows == 1 || (tile->columns < PACKED_COLUMNS && bytes <= PACKED_BYTES));
}

/* Names of one load or store of the group; a tile that it loads twice has two of each. */
static struct isa_piece numbered(const struct grouping *g, uint32_t i, const char *ending)
{
	uint32_t before = 0;

	for (uint32_t k = g->group->first; k < i; k++)
		before += (form_of(g, k) == ISA_FORM_LOAD || form_of(g, k) == ISA_FORM_STORE) && result(g, k)->row == result(g, i)->row;
	return before ? isa_piece("%s%s_%lu", isa_tile_name(g->e, result(g, i)->row), ending, (unsigned long)before + 1)
		      : isa_piece("%s%s", isa_tile_name(g->e, result(g, i)->row), ending);
}

static void load_begin(struct grouping *g, uint32_t i)
{
	struct isa_emitter *e = g->e;
	const struct isa_step *s = step_of(g, i);
	const struct isa_piece at = numbered(g, i, "_at"), memory = buffer(g, i);

	isa_line(e, "struct tile_place %s = tile_find(call, %s, \"tload reads\", %s, %s, %s, %lu, %lu, %s);", at.text,
		 isa_place_text(e, i).text, isa_param_name(e, s->a.row), isa_scalar_i64(e, s->b.row).text, isa_scalar_i64(e, s->c.row).text,
		 (unsigned long)s->d.rows, (unsigned long)s->d.columns, bytes_text(&s->d));
	isa_line(e, "if (!%s.at)", at.text);
	isa_line(e, "\treturn PTOWSP_KERNEL_FAILED;");
	isa_line(e, "tile_read_%s(&%s, %s, %lu, %lu, %s);", is_packed(g, i) ? "packed" : "begin", at.text, memory.text, (unsigned long)s->d.rows, (unsigned long)s->d.columns,
		 bytes_text(&s->d));
}

/* Behind its check: whatever overlaps the place is read from copies. */
static void store_begin(struct grouping *g, uint32_t i)
{
	struct isa_emitter *e = g->e;
	const struct isa_step *s = step_of(g, i);
	const bool scaled = s->op == PTOWSP_PTO_TSTORE_FP;
	const uint32_t r = scaled ? s->c.row : s->b.row, c = scaled ? s->f.row : s->c.row;
	const struct isa_piece place = numbered(g, i, "_place"), to = numbered(g, i, "_to"), memory = buffer(g, i);

	isa_line(e, "const struct tile_place %s = tile_find(call, %s, \"%s writes\", %s, %s, %s, %lu, %lu, %s);", place.text,
		 isa_place_text(e, i).text, isa_op(s->op)->mnemonic, isa_param_name(e, s->d.row), isa_scalar_i64(e, r).text,
		 isa_scalar_i64(e, c).text, (unsigned long)s->a.rows, (unsigned long)s->a.columns, bytes_text(&s->a));
	isa_line(e, "if (!%s.at)", place.text);
	isa_line(e, "\treturn PTOWSP_KERNEL_FAILED;");
	if (is_packed(g, i))
		isa_line(e, "const struct tile_place %s = tile_write_packed(&%s, %s, %lu, %lu, %s);", to.text, place.text, memory.text,
			 (unsigned long)s->a.rows, (unsigned long)s->a.columns, bytes_text(&s->a));
	else
		isa_line(e, "const struct tile_place %s = tile_write_begin(&%s, %s, %lu, %s);", to.text, place.text, memory.text,
			 (unsigned long)s->a.columns, bytes_text(&s->a));
	for (uint32_t k = g->group->first; k < i; k++)
		if (form_of(g, k) == ISA_FORM_LOAD)
			isa_line(e, "tile_part(&%s, &%s, %s, %lu, %lu, %s, %lu, %lu, %s);", numbered(g, k, "_at").text, to.text,
				 buffer(g, k).text, (unsigned long)result(g, k)->rows, (unsigned long)result(g, k)->columns,
				 bytes_text(result(g, k)), (unsigned long)s->a.rows, (unsigned long)s->a.columns, bytes_text(&s->a));
}

/* All checks come first, in the order of the instructions, and with the cycles of those before. */
static void places_find(struct grouping *g)
{
	struct isa_emitter *e = g->e;

	for (uint32_t i = g->group->first; i < g->group->end; i++) {
		const unsigned form = form_of(g, i);

		if (form == ISA_FORM_LOAD || form == ISA_FORM_STORE) {
			isa_comment(e, i);
			isa_cycles_put(e);
		}
		if (form == ISA_FORM_LOAD)
			load_begin(g, i);
		else if (form == ISA_FORM_STORE)
			store_begin(g, i);
		e->cycles += step_of(g, i)->cost;
	}
	for (uint32_t i = g->group->first; i < g->group->end; i++) {
		const bool loads = form_of(g, i) == ISA_FORM_LOAD;
		const char *type = isa_stored_type(result(g, i)->dtype);
		const struct isa_piece end = numbered(g, i, loads ? "_from" : "_into"), at = numbered(g, i, loads ? "_at" : "_to");

		if (!loads && form_of(g, i) != ISA_FORM_STORE)
			continue;
		isa_line(e, "%s%s *const %s = (%s%s *)(void *)%s.at;", loads ? "const " : "", type, end.text, loads ? "const " : "", type, at.text);
		if (!is_packed(g, i))
			isa_line(e, "const size_t %s = %s.step / %s;", numbered(g, i, loads ? "_from_step" : "_into_step").text, at.text,
				 bytes_text(result(g, i)));
	}
}

static void places_finish(struct grouping *g)
{
	for (uint32_t i = g->group->first; i < g->group->end; i++)
		if (form_of(g, i) == ISA_FORM_STORE)
			isa_line(g->e, "tile_write_end(&%s, %s.at, %lu, %lu, %s);", numbered(g, i, "_place").text, numbered(g, i, "_to").text,
				 (unsigned long)result(g, i)->rows, (unsigned long)result(g, i)->columns, bytes_text(result(g, i)));
}

/* --- loops --- */

/* The element of its window that the loop is at, for one load or store. */
static struct isa_piece window_element(const struct grouping *g, uint32_t i, bool flat)
{
	const bool loads = form_of(g, i) == ISA_FORM_LOAD;
	const struct isa_piece base = numbered(g, i, loads ? "_from" : "_into"), step = numbered(g, i, loads ? "_from_step" : "_into_step");
	const uint32_t columns = result(g, i)->columns;

	if (flat)
		return isa_piece("%s[at]", base.text);
	if (columns == 1)
		return is_packed(g, i) ? isa_piece("%s[row]", base.text) : isa_piece("%s[row * %s]", base.text, step.text);
	return is_packed(g, i) ? isa_piece("%s[row * %lu + column]", base.text, (unsigned long)columns)
			       : isa_piece("%s[row * %s + column]", base.text, step.text);
}

/* The element of a tile's own memory. */
static struct isa_piece tile_element(struct grouping *g, const struct isa_operand *tile, char access, bool flat)
{
	const struct isa_piece memory = isa_tile(g->e, tile->row);

	if (access == 'r' && g->columns > 1) /* rows_emit */
		return isa_piece("%s", isa_tile_name(g->e, tile->row));
	if (flat)
		return isa_piece("%s[at]", memory.text);
	if (access == 'c')
		return isa_piece(tile->columns == 1 ? "%s[0]" : "%s[column]", memory.text);
	return access == 'r' || tile->columns == 1 ? isa_piece("%s[row]", memory.text)
				  : isa_piece("%s[row * %lu + column]", memory.text, (unsigned long)tile->columns);
}

/* The element of a tile in memory that the loop is at. */
static struct isa_piece in_memory(struct grouping *g, const struct isa_operand *tile, char access, bool flat)
{
	if (g->window[tile->row])
		return window_element(g, g->window[tile->row] - 1, flat);
	return tile_element(g, tile, access, flat);
}

static void element_texts(struct grouping *g, uint32_t i, bool flat, struct isa_element_texts *texts)
{
	const struct isa_step *s = step_of(g, i);
	const struct isa_operand *const sources[4] = {&s->a, &s->b, &s->c, &s->f};
	const char *access = isa_emit_op(s->op)->access;

	texts->number = flat ? isa_piece("at") : s->d.columns == 1 ? isa_piece("row") : isa_piece("row * %lu + column", (unsigned long)s->d.columns);
	for (unsigned k = 0; access[k]; k++)
		if (access[k] == 's')
			texts->source[k] = isa_scalar_stored(g->e, sources[k]->row, isa_key_type(g->e, i));
		else if (access[k] == 'e' && g->variable[sources[k]->row])
			texts->source[k] = isa_piece("%s", isa_tile_name(g->e, sources[k]->row));
		else if (access[k] != '-')
			texts->source[k] = in_memory(g, sources[k], access[k], flat);
}

/* How often the stage gives the tile a value. */
static uint32_t values_of(const struct grouping *g, const struct stage *stage, uint32_t tile)
{
	uint32_t count = 0;

	for (uint32_t i = stage->first; i < stage->end; i++)
		count += writes_tile(g, i) && step_of(g, i)->d.row == tile;
	return count;
}

static void element_emit(struct grouping *g, const struct stage *stage, uint32_t i, bool flat)
{
	struct isa_emitter *e = g->e;
	const struct isa_step *s = step_of(g, i);
	struct isa_element_texts texts;
	struct isa_piece value;

	if (form_of(g, i) == ISA_FORM_LOAD) {
		value = window_element(g, i, flat);
	} else {
		element_texts(g, i, flat, &texts);
		value = isa_expression(e, i, &texts);
	}
	if (form_of(g, i) == ISA_FORM_STORE) {
		isa_line(e, "%s = %s;", window_element(g, i, flat).text, value.text);
		return;
	}
	if (g->variable[s->d.row]++)
		isa_line(e, "%s = %s; %s", isa_tile_name(e, s->d.row), value.text, isa_comment_text(e, i).text);
	else
		isa_line(e, "%s%s %s = %s; %s", values_of(g, stage, s->d.row) == 1 ? "const " : "", isa_stored_type(s->d.dtype),
			 isa_tile_name(e, s->d.row), value.text, isa_comment_text(e, i).text);
}

/* Values that are read later go to their tiles. */
static void kept_emit(struct grouping *g, const struct stage *stage, bool flat)
{
	for (uint32_t i = stage->first; i < stage->end; i++) {
		const uint32_t tile = step_of(g, i)->d.row;

		if (!writes_tile(g, i) || !g->variable[tile] || !is_kept(g, tile))
			continue;
		isa_line(g->e, "%s = %s;", in_memory(g, &step_of(g, i)->d, 'e', flat).text, isa_tile_name(g->e, tile));
		g->variable[tile] = 0;
	}
}

/* Loads, stores, and what is read from a window that has gaps. */
static bool has_gaps(const struct grouping *g, uint32_t i)
{
	const struct isa_step *s = step_of(g, i);
	const struct isa_operand *const sources[4] = {&s->a, &s->b, &s->c, &s->f};
	const char *access = isa_emit_op(s->op)->access;

	if ((form_of(g, i) == ISA_FORM_LOAD || form_of(g, i) == ISA_FORM_STORE) && !is_packed(g, i))
		return true;
	for (unsigned k = 0; access[k]; k++)
		if (access[k] == 'e' && g->window[sources[k]->row] && !is_packed(g, g->window[sources[k]->row] - 1))
			return true;
	return false;
}

static bool needs_rows(const struct grouping *g, const struct stage *stage)
{
	for (uint32_t i = stage->first; i < stage->end; i++)
		if (has_gaps(g, i) || strpbrk(isa_emit_op(g->e->p->insts[i].op)->access, "rc"))
			return true;
	return false;
}

/* Whether it leaves nothing: loads whose windows later stages read themselves. */
static bool is_empty(const struct grouping *g, const struct stage *stage)
{
	for (uint32_t i = stage->first; i < stage->end; i++)
		if (form_of(g, i) != ISA_FORM_NOTHING && !(form_of(g, i) == ISA_FORM_LOAD && g->window[step_of(g, i)->d.row]))
			return false;
	return true;
}

/* of: the target's format, NULL: that of any loop. */
static void loop_open(struct grouping *g, const char *of, const char *name, const char *from, const char *to, bool innermost)
{
	const struct isa_emit_target *t = g->e->target;

	if (innermost && t->loop_note[0])
		isa_line(g->e, "%s", t->loop_note);
	isa_open(g->e, of ? of : t->loop, name, from, name, to, name);
}

/* What a whole row has one of stands before the loop over its elements. */
static void row_source(struct grouping *g, uint32_t i, const struct isa_operand *tile, char access)
{
	(void)i;
	if (access != 'r' || g->marks[tile->row] & MARK_READ)
		return;
	g->marks[tile->row] |= MARK_READ;
	isa_line(g->e, "const %s %s = %s[row];", isa_stored_type(tile->dtype), isa_tile_name(g->e, tile->row), isa_tile(g->e, tile->row).text);
}

static void rows_emit(struct grouping *g, const struct stage *stage)
{
	for (uint32_t i = stage->first; i < stage->end; i++)
		sources_walk(g, i, row_source);
}

/* A loop over all elements of the rows at once where nothing asks for their row, else over rows and columns. */
static void stage_loop(struct grouping *g, const struct stage *stage)
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
	if (!flat && columns > 1)
		rows_emit(g, stage);
	if (!flat && columns > 1)
		loop_open(g, g->e->target->loop_columns, "column", "0", isa_piece("%lu", columns).text, true);
	for (uint32_t i = stage->first; i < stage->end; i++)
		if (form_of(g, i) != ISA_FORM_NOTHING)
			element_emit(g, stage, i, flat);
	kept_emit(g, stage, flat);
	if (!flat && columns > 1)
		isa_close(g->e);
	isa_close(g->e);
}

/* Of a tile whose elements are read from a window. */
static void window_reduce(struct grouping *g, uint32_t i, const char *name, const char *type)
{
	struct isa_emitter *e = g->e;
	const struct isa_step *s = step_of(g, i);
	const uint32_t load = g->window[s->a.row] - 1;
	const struct isa_piece d = isa_tile(e, s->d.row), from = numbered(g, load, "_from");
	const struct isa_piece step = is_packed(g, load) ? isa_piece("%lu", (unsigned long)s->a.columns) : numbered(g, load, "_from_step");

	if (!g->blocks)
		isa_line(e, "tile_%s_apart_%s(%s, %s, %s, %lu, %lu); %s", name, type, d.text, from.text, step.text, (unsigned long)s->a.rows,
			 (unsigned long)s->a.columns, isa_comment_text(e, i).text);
	else
		isa_line(e, "tile_%s_apart_%s(%s + top, %s + top * %s, %s, rows, %lu); %s", name, type, d.text, from.text, step.text, step.text,
			 (unsigned long)s->a.columns, isa_comment_text(e, i).text);
}

static void stage_reduce(struct grouping *g, const struct stage *stage)
{
	struct isa_emitter *e = g->e;
	const struct isa_step *s = step_of(g, stage->first);
	const char *name = isa_emit_op(s->op)->floats, *type = isa_type_suffix(s->a.dtype);
	struct isa_piece d, a;

	if (g->window[s->a.row]) {
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

static void stages_emit(struct grouping *g)
{
	const unsigned long rows = g->group->rows;

	g->blocks = g->count > 1 && rows > BLOCK_ROWS && !g->e->target->loop_rows;
	if (g->blocks) {
		isa_open(g->e, "for (size_t top = 0; top < %lu; top += %d) ", rows, BLOCK_ROWS);
		if (rows % BLOCK_ROWS)
			isa_line(g->e, "const size_t rows = top + %d <= %lu ? %d : %lu;", BLOCK_ROWS, rows, BLOCK_ROWS, rows % BLOCK_ROWS);
		else
			isa_line(g->e, "const size_t rows = %d;", BLOCK_ROWS);
		isa_put(g->e, "\n");
	}
	for (uint32_t k = 0; k < g->count; k++) {
		later_find(g, k);
		stage_reset(g);
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

/* One load or store on its own is a copy. */
static void move_emit(struct grouping *g, uint32_t i)
{
	struct isa_emitter *e = g->e;
	const struct isa_step *s = step_of(g, i);
	const bool loads = s->op == PTOWSP_PTO_TLOAD;
	const struct isa_operand *tile = result(g, i), *window = loads ? &s->a : &s->d;
	const bool placed = loads && isa_tile_is_placed(e, tile->row);
	const struct isa_piece memory = isa_tile(e, tile->row), at = numbered(g, i, "_at");

	isa_open(e, "%s", "");
	isa_line(e, "%sstruct tile_place %s = tile_find(call, %s, \"%s %s\", %s, %s, %s, %lu, %lu, %s);", placed ? "" : "const ", at.text, isa_place_text(e, i).text,
		 isa_op(s->op)->mnemonic, loads ? "reads" : "writes", isa_param_name(e, window->row), isa_scalar_i64(e, s->b.row).text,
		 isa_scalar_i64(e, s->c.row).text, (unsigned long)tile->rows, (unsigned long)tile->columns, bytes_text(tile));
	isa_line(e, "if (!%s.at)", at.text);
	isa_line(e, "\treturn PTOWSP_KERNEL_FAILED;");
	if (placed) {
		isa_line(e, "tile_read_packed(&%s, %s, %lu, %lu, %s);", at.text, memory.text, (unsigned long)tile->rows, (unsigned long)tile->columns,
			 bytes_text(tile));
		isa_line(e, "%s_place = (const %s *)(const void *)%s.at;", isa_tile_name(e, tile->row), isa_stored_type(tile->dtype), at.text);
	} else if (loads)
		isa_line(e, "tile_copy_in(%s, &%s, %lu, %lu, %s);", memory.text, at.text, (unsigned long)tile->rows, (unsigned long)tile->columns,
			 bytes_text(tile));
	else
		isa_line(e, "tile_copy_out(&%s, %s, %lu, %lu, %s);", at.text, memory.text, (unsigned long)tile->rows,
			 (unsigned long)tile->columns, bytes_text(tile));
	isa_close(e);
}

static bool has_places(const struct grouping *g)
{
	for (uint32_t i = g->group->first; i < g->group->end; i++)
		if (form_of(g, i) == ISA_FORM_LOAD || form_of(g, i) == ISA_FORM_STORE)
			return true;
	return false;
}

static void group_emit(struct grouping *g)
{
	struct isa_emitter *e = g->e;
	const uint32_t first = g->group->first;

	e->temp_now = 0;
	if (g->group->end == first + 1 && (e->p->insts[first].op == PTOWSP_PTO_TLOAD || e->p->insts[first].op == PTOWSP_PTO_TSTORE)) {
		isa_comment(e, first);
		isa_cycles_put(e);
		move_emit(g, first);
		e->cycles += step_of(g, first)->cost;
		return;
	}
	windows_find(g);
	stages_make(g);
	if (has_places(g))
		isa_open(e, "%s", "");
	places_find(g);
	stages_emit(g);
	if (has_places(g)) {
		places_finish(g);
		isa_close(e);
	}
}

void isa_group_emit(struct isa_emitter *e, const struct isa_group *group)
{
	const uint32_t tiles = e->p->header.tile_count, count = group->end - group->first;
	struct grouping g = {.e = e, .group = group};

	g.stages = calloc(count, sizeof(*g.stages));
	g.cut = calloc(count, sizeof(*g.cut));
	g.marks = calloc(tiles + 1u, sizeof(*g.marks));
	g.variable = calloc(tiles + 1u, sizeof(*g.variable));
	g.window = calloc(tiles + 1u, sizeof(*g.window));
	if (g.stages && g.cut && g.marks && g.variable && g.window)
		group_emit(&g);
	else
		e->out.failed = true;
	free(g.stages);
	free(g.cut);
	free(g.marks);
	free(g.variable);
	free(g.window);
}
