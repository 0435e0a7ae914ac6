/* SPDX-License-Identifier: MIT */
/* emit_stage.c - a group as stages: as many instructions as can be one loop, or one reduction. */
#include "isa/emit_group.h"

/* --- windows that are read in several stages --- */

static void window_never(struct isa_grouping *g, uint32_t i, const struct isa_operand *tile, char access)
{
	(void)i;
	(void)access;
	g->window[tile->row] = 0;
}

static void window_source(struct isa_grouping *g, uint32_t i, const struct isa_operand *tile, char access)
{
	const uint32_t load = g->window[tile->row];

	if (load && (access != 'e' || i < load))
		g->window[tile->row] = 0;
}

/* Tiles whose elements are what a window has, from one load on to the end of the group, and which nobody else asks for. Behind the
 * group's store the window may have changed. */
void isa_stage_windows(struct isa_grouping *g)
{
	const struct isa_plan *plan = &g->e->p->plan;
	bool stored = false;

	if (!g->e->target->windows || isa_plan_group(plan, g->group->first) != g->group)
		return;
	for (uint32_t i = g->group->first; i < g->group->end; i++)
		if (isa_group_form(g, i) == ISA_FORM_LOAD)
			g->window[isa_group_step(g, i)->d.row] = isa_plan_is_behind(plan, g->group, isa_group_step(g, i)->d.row) ? 0 : i + 1;
	for (uint32_t i = g->group->first; i < g->group->end; i++) {
		isa_group_sources(g, i, window_source);
		if (stored)
			isa_group_sources(g, i, window_never);
		if (isa_group_writes(g, i) && g->window[isa_group_step(g, i)->d.row] != i + 1)
			g->window[isa_group_step(g, i)->d.row] = 0;
		stored |= isa_group_form(g, i) == ISA_FORM_STORE;
	}
}

/* --- stages --- */

static void stage_add(struct isa_grouping *g, uint32_t first)
{
	g->stages[g->count++] = (struct isa_stage){.first = first, .end = first + 1, .columns = isa_group_columns(g, first),
					       .reduces = isa_group_form(g, first) == ISA_FORM_REDUCE};
}

static void stages_find(struct isa_grouping *g)
{
	g->count = 0;
	for (uint32_t i = g->group->first; i < g->group->end; i++) {
		struct isa_stage *last = g->count ? &g->stages[g->count - 1] : NULL;

		if (last && !g->cut[i - g->group->first] && !last->reduces && isa_group_form(g, i) != ISA_FORM_REDUCE &&
		    isa_group_columns(g, i) == last->columns)
			last->end = i + 1;
		else
			stage_add(g, i);
	}
}

/* Broadcast operands are read from memory: their value must not be made in the same loop. */
static void source_cut(struct isa_grouping *g, uint32_t i, const struct isa_operand *tile, char access)
{
	if (access != 'e' && g->variable[tile->row])
		g->cut[i - g->group->first] = true;
}

void isa_stage_reset(struct isa_grouping *g)
{
	memset(g->variable, 0, g->e->p->header.tile_count * sizeof(*g->variable));
	for (uint32_t t = 0; t < g->e->p->header.tile_count; t++)
		g->marks[t] &= MARK_LATER | MARK_AGAIN;
}

static void source_mark(struct isa_grouping *g, uint32_t i, const struct isa_operand *tile, char access)
{
	(void)i;
	if ((access != 'e' || !g->variable[tile->row]) && !g->window[tile->row])
		g->marks[tile->row] |= MARK_READ;
}

void isa_source_later(struct isa_grouping *g, uint32_t i, const struct isa_operand *tile, char access)
{
	(void)i;
	(void)access;
	if (!(g->marks[tile->row] & MARK_AGAIN))
		g->marks[tile->row] |= MARK_LATER;
}

/* Whether a value made in this stage has to be in memory when the stage is done. */
bool isa_stage_keeps(const struct isa_grouping *g, uint32_t tile)
{
	if (isa_plan_group(&g->e->p->plan, g->group->first) != g->group) /* not of the plan: nobody knows */
		return true;
	if (g->window[tile])
		return false;
	return g->marks[tile] & MARK_LATER || (!(g->marks[tile] & MARK_AGAIN) && isa_plan_is_behind(&g->e->p->plan, g->group, tile));
}

void isa_stage_later(struct isa_grouping *g, uint32_t stage)
{
	memset(g->marks, 0, g->e->p->header.tile_count * sizeof(*g->marks));
	for (uint32_t i = g->stages[stage].end; i < g->group->end; i++) {
		isa_group_sources(g, i, isa_source_later);
		if (isa_group_writes(g, i))
			g->marks[isa_group_step(g, i)->d.row] |= MARK_AGAIN;
	}
}

static uint64_t tile_end(const struct isa_grouping *g, uint32_t tile)
{
	const struct ptowsp_tile_tile *t = &g->e->p->tiles[tile];

	return g->e->p->plan.at[tile] + (uint64_t)t->rows * t->columns * isa_dtype_bytes(t->dtype);
}

bool isa_tiles_overlap(const struct isa_grouping *g, uint32_t x, uint32_t y)
{
	return g->e->p->plan.at[x] < tile_end(g, y) && g->e->p->plan.at[y] < tile_end(g, x);
}

/* Whether the tile's memory is that of another tile whose memory this stage uses, too. */
static bool collides(const struct isa_grouping *g, uint32_t tile)
{
	for (uint32_t t = 0; t < g->e->p->header.tile_count; t++)
		if (t != tile && g->marks[t] & (MARK_READ | MARK_WRITTEN) && isa_tiles_overlap(g, t, tile))
			return true;
	return false;
}

/* A stage must not write to memory that other tiles of it still have: then it is cut in two. True if it was. */
static bool stage_cut(struct isa_grouping *g, const struct isa_stage *stage)
{
	isa_stage_reset(g);
	for (uint32_t i = stage->first; i < stage->end; i++) {
		isa_group_sources(g, i, source_mark);
		isa_group_sources(g, i, source_cut);
		if (isa_group_writes(g, i)) {
			const uint32_t tile = isa_group_step(g, i)->d.row;

			if (isa_stage_keeps(g, tile) && collides(g, tile))
				g->cut[i - g->group->first] |= i > stage->first;
			g->marks[tile] |= isa_stage_keeps(g, tile) ? MARK_WRITTEN : 0;
			g->variable[tile]++;
		}
		if (g->cut[i - g->group->first] && i > stage->first)
			return true;
	}
	return false;
}

void isa_stages_make(struct isa_grouping *g)
{
	bool again = true;

	while (again) {
		again = false;
		stages_find(g);
		for (uint32_t k = 0; k < g->count && !again; k++) {
			isa_stage_later(g, k);
			again = stage_cut(g, &g->stages[k]);
		}
	}
}
