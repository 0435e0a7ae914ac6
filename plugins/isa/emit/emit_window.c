/* SPDX-License-Identifier: MIT */
/* emit_window.c - loads and stores of a group before and behind its loops: checks, and where a loop finds the elements. */
#include "isa/emit/emit_group.h"
#include "isa/emit/emit_home.h"

/* Tiles with rows shorter than PACKED_COLUMNS and of at most PACKED_BYTES are copied if their window has gaps: one loop over all their
 * elements is worth more than the copy takes. */
enum { PACKED_COLUMNS = 64, PACKED_BYTES = 16384 };

const char *isa_bytes_text(const struct isa_operand *tile)
{
	static const char *const texts[9] = {[1] = "1", [2] = "2", [4] = "4", [8] = "8"};

	return texts[tile->bytes];
}

/* Whether the tile's memory is its own in the group, and free before its load or behind its store, which is instruction i. */
static bool has_room(struct isa_grouping *g, uint32_t i)
{
	const struct isa_operand *result = isa_group_result(g, i);
	const struct isa_group_tile *tile = &g->tiles[result->row];

	if (isa_group_step(g, i)->op == PTOWSP_PTO_TSTORE_FP) /* it stores other elements */
		return false;
	if (isa_group_form(g, i) == ISA_FORM_LOAD && g->uses[tile->first].inst < i)
		return false;
	for (uint32_t k = tile->count; isa_group_form(g, i) == ISA_FORM_STORE && k-- > 0 && g->uses[tile->first + k].inst > i;)
		if (g->uses[tile->first + k].writes)
			return false;
	return !isa_tile_collides(g, result->row, 0);
}

/* The memory for the tile of a load or store whose window a loop cannot walk: its own memory, unless that has something else. */
static struct isa_piece buffer(struct isa_grouping *g, uint32_t i)
{
	const struct isa_operand *tile = isa_group_result(g, i);
	const uint64_t count = (uint64_t)tile->rows * tile->columns;
	const bool room = has_room(g, i);

	if (g->e->target->copies)
		return isa_piece("%s + %llu", g->e->target->copies,
				 room ? (unsigned long long)g->e->at[tile->row] : (unsigned long long)isa_temp_take(g->e, count, tile->dtype));
	return room ? isa_tile(g->e, tile->row) : isa_temp(g->e, count, tile->dtype);
}

/* A load for a core whose window may share elements with the one that the group stores to, other than one by one. */
static bool is_copied(const struct isa_grouping *g, uint32_t i)
{
	if (isa_group_form(g, i) != ISA_FORM_LOAD)
		return false;
	for (uint32_t k = i + 1; k < g->group->end; k++)
		if (isa_group_form(g, k) == ISA_FORM_STORE && !isa_places_same(g->e, i, k) && !isa_places_apart(g->e, i, k))
			return true;
	return false;
}

/* Whether the rows of the window, or of its copy, lie one behind the other. */
bool isa_window_packed(const struct isa_grouping *g, uint32_t i)
{
	const struct isa_operand *tile = isa_group_result(g, i);
	const uint64_t bytes = (uint64_t)tile->rows * tile->columns * tile->bytes;

	if (g->e->core)
		return isa_place_packed(g->e, i) || is_copied(g, i);
	return g->e->target->windows && (tile->rows == 1 || (tile->columns < PACKED_COLUMNS && bytes <= PACKED_BYTES));
}

/* Names of one load or store of the group; a tile that it loads twice has two of each. */
struct isa_piece isa_window_name(const struct isa_grouping *g, uint32_t i, const char *ending)
{
	const uint32_t before = g->windows[i - g->group->first];

	return before ? isa_piece("%s%s_%lu", isa_tile_name(g->e, isa_group_result(g, i)->row), ending, (unsigned long)before + 1)
		      : isa_piece("%s%s", isa_tile_name(g->e, isa_group_result(g, i)->row), ending);
}

struct isa_piece isa_window_step(const struct isa_grouping *g, uint32_t i)
{
	if (g->e->core)
		return isa_piece("%lu", (unsigned long)isa_place_step(g->e, i));
	return isa_window_name(g, i, isa_group_form(g, i) == ISA_FORM_LOAD ? "_from_step" : "_into_step");
}

/* For a core: where a loop finds the elements, nothing else. */
static void core_begin(struct isa_grouping *g, uint32_t i)
{
	struct isa_emitter *e = g->e;
	const bool loads = isa_group_form(g, i) == ISA_FORM_LOAD, copied = is_copied(g, i);
	const struct isa_operand *tile = isa_group_result(g, i);
	const unsigned long width = (unsigned long)tile->columns * tile->bytes;
	const struct isa_piece at = isa_place_pointer(e, i), name = isa_window_name(g, i, loads ? "_from" : "_into");
	const char *type = isa_stored_type(tile->dtype);

	if (e->done[i] && e->homes[tile->row].moves && e->p->insts[i].op == PTOWSP_PTO_TLOAD)
		isa_line(e, "%s = %s;", isa_tile(e, tile->row).text, at.text);
	if (e->done[i])
		return;
	isa_line(e, "%s%s *const %s = %s;", loads ? "const " : "", type, name.text,
		 copied ? isa_temp(e, (uint64_t)tile->rows * tile->columns, tile->dtype).text : at.text);
	if (copied)
		isa_line(e, "tile_copy((void *)%s, %lu, %s, %lu, %lu, %lu);", name.text, width, at.text, isa_place_step(e, i) * tile->bytes,
			 (unsigned long)tile->rows, width);
}

static void core_windows_begin(struct isa_grouping *g)
{
	for (uint32_t i = g->group->first; i < g->group->end; i++) {
		const unsigned op = g->e->p->insts[i].op;

		if (op != PTOWSP_PTO_TLOAD && op != PTOWSP_PTO_TSTORE && op != PTOWSP_PTO_TSTORE_FP)
			continue;
		isa_comment(g->e, i);
		core_begin(g, i);
	}
}

static void load_begin(struct isa_grouping *g, uint32_t i)
{
	struct isa_emitter *e = g->e;
	const struct isa_step *s = isa_group_step(g, i);
	const struct isa_piece at = isa_window_name(g, i, "_at"), memory = buffer(g, i);

	isa_line(e, "struct tile_place %s = tile_find(call, %s, \"tload reads\", %s, %s, %s, %lu, %lu, %s);", at.text, isa_place_text(e, i).text,
		 isa_param_name(e, s->a.row), isa_scalar_i64(e, s->b.row).text, isa_scalar_i64(e, s->c.row).text, (unsigned long)s->d.rows,
		 (unsigned long)s->d.columns, isa_bytes_text(&s->d));
	isa_line(e, "if (!%s.at)", at.text);
	isa_line(e, "\treturn PTOWSP_KERNEL_FAILED;");
	isa_line(e, "tile_read_%s(&%s, %s, %lu, %lu, %s);", isa_window_packed(g, i) ? "packed" : "begin", at.text, memory.text, (unsigned long)s->d.rows,
		 (unsigned long)s->d.columns, isa_bytes_text(&s->d));
}

/* Behind its check: whatever overlaps the place is read from copies. */
static void store_begin(struct isa_grouping *g, uint32_t i)
{
	struct isa_emitter *e = g->e;
	const struct isa_step *s = isa_group_step(g, i);
	const bool scaled = s->op == PTOWSP_PTO_TSTORE_FP;
	const uint32_t r = scaled ? s->c.row : s->b.row, c = scaled ? s->f.row : s->c.row;
	const struct isa_piece place = isa_window_name(g, i, "_place"), to = isa_window_name(g, i, "_to"), memory = buffer(g, i);

	isa_line(e, "const struct tile_place %s = tile_find(call, %s, \"%s writes\", %s, %s, %s, %lu, %lu, %s);", place.text, isa_place_text(e, i).text,
		 isa_op(s->op)->mnemonic, isa_param_name(e, s->d.row), isa_scalar_i64(e, r).text, isa_scalar_i64(e, c).text, (unsigned long)s->a.rows,
		 (unsigned long)s->a.columns, isa_bytes_text(&s->a));
	isa_line(e, "if (!%s.at)", place.text);
	isa_line(e, "\treturn PTOWSP_KERNEL_FAILED;");
	if (isa_window_packed(g, i))
		isa_line(e, "const struct tile_place %s = tile_write_packed(&%s, %s, %lu, %lu, %s);", to.text, place.text, memory.text,
			 (unsigned long)s->a.rows, (unsigned long)s->a.columns, isa_bytes_text(&s->a));
	else
		isa_line(e, "const struct tile_place %s = tile_write_begin(&%s, %s, %lu, %s);", to.text, place.text, memory.text, (unsigned long)s->a.columns,
			 isa_bytes_text(&s->a));
	for (uint32_t k = g->group->first; k < i; k++)
		if (isa_group_form(g, k) == ISA_FORM_LOAD)
			isa_line(e, "tile_part(&%s, &%s, %s, %lu, %lu, %s, %lu, %lu, %s);", isa_window_name(g, k, "_at").text, to.text, buffer(g, k).text,
				 (unsigned long)isa_group_result(g, k)->rows, (unsigned long)isa_group_result(g, k)->columns,
				 isa_bytes_text(isa_group_result(g, k)), (unsigned long)s->a.rows, (unsigned long)s->a.columns, isa_bytes_text(&s->a));
}

/* All checks come first, in the order of the instructions, and with the cycles of those before. */
void isa_windows_begin(struct isa_grouping *g)
{
	struct isa_emitter *e = g->e;

	if (e->core) {
		core_windows_begin(g);
		return;
	}
	for (uint32_t i = g->group->first; i < g->group->end; i++) {
		const unsigned form = isa_group_form(g, i);

		if (form == ISA_FORM_LOAD || form == ISA_FORM_STORE) {
			isa_comment(e, i);
			isa_cycles_put(e);
		}
		if (form == ISA_FORM_LOAD)
			load_begin(g, i);
		else if (form == ISA_FORM_STORE)
			store_begin(g, i);
		e->cycles += isa_group_step(g, i)->cost;
	}
	for (uint32_t i = g->group->first; i < g->group->end; i++) {
		const bool loads = isa_group_form(g, i) == ISA_FORM_LOAD;
		const char *type, *constant = loads ? "const " : "", *space = e->target->global;
		struct isa_piece end, at;

		if (!loads && isa_group_form(g, i) != ISA_FORM_STORE)
			continue;
		type = isa_stored_type(isa_group_result(g, i)->dtype);
		end = isa_window_name(g, i, loads ? "_from" : "_into");
		at = isa_window_name(g, i, loads ? "_at" : "_to");
		isa_line(e, "%s%s%s *const %s = (%s%s%s *)(%svoid *)%s.at;", constant, space, type, end.text, constant, space, type, space, at.text);
		if (!isa_window_packed(g, i))
			isa_line(e, "const size_t %s = %s.step / %s;", isa_window_name(g, i, loads ? "_from_step" : "_into_step").text, at.text,
				 isa_bytes_text(isa_group_result(g, i)));
	}
}

void isa_windows_end(struct isa_grouping *g)
{
	if (g->e->core)
		return;
	for (uint32_t i = g->group->first; i < g->group->end; i++)
		if (isa_group_form(g, i) == ISA_FORM_STORE)
			isa_line(g->e, "tile_write_end(&%s, %s.at, %lu, %lu, %s);", isa_window_name(g, i, "_place").text, isa_window_name(g, i, "_to").text,
				 (unsigned long)isa_group_result(g, i)->rows, (unsigned long)isa_group_result(g, i)->columns,
				 isa_bytes_text(isa_group_result(g, i)));
}
