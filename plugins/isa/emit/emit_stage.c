/* SPDX-License-Identifier: MIT */
/* emit_stage.c - a group as stages: as many instructions as can be one loop, or one reduction. */
#include "isa/emit/emit_group.h"
#include "isa/emit/emit_home.h"

/* --- uses --- */

static void source_count(struct isa_grouping *g, uint32_t i, const struct isa_operand *tile, char access)
{
	(void)i;
	(void)access;
	if (!g->tiles[tile->row].count++)
		g->used[g->used_count++] = tile->row;
}

static void source_add(struct isa_grouping *g, uint32_t i, const struct isa_operand *tile, char access)
{
	struct isa_group_tile *t = &g->tiles[tile->row];

	(void)access;
	g->uses[t->first + t->count++] = (struct isa_use){.inst = i};
}

void isa_uses_find(struct isa_grouping *g)
{
	uint32_t first = 0;

	for (uint32_t i = g->group->first; i < g->group->end; i++) {
		isa_group_sources(g, i, source_count);
		if (isa_group_writes(g, i))
			source_count(g, i, &isa_group_step(g, i)->d, 'e');
		if (isa_group_form(g, i) == ISA_FORM_LOAD || isa_group_form(g, i) == ISA_FORM_STORE)
			g->windows[i - g->group->first] = g->tiles[isa_group_result(g, i)->row].windows++;
	}
	for (uint32_t k = 0; k < g->used_count; k++) {
		struct isa_group_tile *t = &g->tiles[g->used[k]];

		t->first = first;
		first += t->count;
		t->count = 0;
	}
	for (uint32_t i = g->group->first; i < g->group->end; i++) {
		isa_group_sources(g, i, source_add);
		if (isa_group_writes(g, i)) {
			struct isa_group_tile *t = &g->tiles[isa_group_step(g, i)->d.row];

			g->uses[t->first + t->count++] = (struct isa_use){.inst = i, .writes = true};
		}
	}
}

void isa_uses_clear(struct isa_grouping *g)
{
	for (uint32_t k = 0; k < g->used_count; k++)
		g->tiles[g->used[k]] = (struct isa_group_tile){.count = 0};
}

const struct isa_use *isa_use_from(const struct isa_grouping *g, uint32_t tile, uint32_t inst)
{
	const struct isa_group_tile *t = &g->tiles[tile];
	uint32_t low = 0, high = t->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (g->uses[t->first + middle].inst < inst)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->count ? &g->uses[t->first + low] : NULL;
}

/* --- windows that are read in several stages --- */

static void window_never(struct isa_grouping *g, uint32_t i, const struct isa_operand *tile, char access)
{
	(void)access;
	if (i <= g->tiles[tile->row].until)
		g->tiles[tile->row].window = 0;
}

static void window_source(struct isa_grouping *g, uint32_t i, const struct isa_operand *tile, char access)
{
	const uint32_t load = isa_group_window(g, i, tile->row);

	if (load && (access != 'e' || i < load))
		g->tiles[tile->row].window = 0;
}

/* Another value behind the load ends what its window is read for. A tile that is used behind the group has to have one. */
static void window_end(struct isa_grouping *g, uint32_t i)
{
	struct isa_group_tile *t = &g->tiles[isa_group_step(g, i)->d.row];

	if (t->window == i + 1)
		return;
	if (t->window > i)
		t->window = 0;
	else if (i < t->until)
		t->until = i;
}

/* Tiles whose elements are what a window has, from one load on until they have another value, and which nobody else asks for. Behind the
 * group's store the window may have changed. */
void isa_stage_windows(struct isa_grouping *g)
{
	const struct isa_plan *plan = &g->e->p->plan;
	bool stored = false;

	if (!g->e->target->windows || isa_plan_group(plan, g->group->first) != g->group)
		return;
	for (uint32_t i = g->group->first; i < g->group->end; i++)
		if (isa_group_form(g, i) == ISA_FORM_LOAD) {
			g->tiles[isa_group_step(g, i)->d.row].window = i + 1;
			g->tiles[isa_group_step(g, i)->d.row].until = g->group->end;
		}
	for (uint32_t i = g->group->first; i < g->group->end; i++)
		if (isa_group_writes(g, i))
			window_end(g, i);
	for (uint32_t i = g->group->first; i < g->group->end; i++) {
		isa_group_sources(g, i, window_source);
		if (stored)
			isa_group_sources(g, i, window_never);
		if (isa_group_form(g, i) == ISA_FORM_LOAD && g->tiles[isa_group_step(g, i)->d.row].until == g->group->end &&
		    isa_plan_is_behind(plan, g->group, isa_group_step(g, i)->d.row))
			g->tiles[isa_group_step(g, i)->d.row].window = 0;
		stored |= isa_group_form(g, i) == ISA_FORM_STORE;
	}
}

/* --- stages --- */

/* Columns of the stage that an instruction begins: what does nothing is in that of what follows. */
static uint32_t columns_from(const struct isa_grouping *g, uint32_t first)
{
	uint32_t i = first;

	while (i + 1 < g->group->end && isa_group_form(g, i) == ISA_FORM_NOTHING)
		i++;
	return isa_group_columns(g, i);
}

static void stage_add(struct isa_grouping *g, uint32_t first)
{
	g->stages[g->count++] =
		(struct isa_stage){.first = first, .end = first + 1, .columns = columns_from(g, first), .reduces = isa_group_form(g, first) == ISA_FORM_REDUCE};
}

/* The end of the instructions in the stage's columns. */
static uint32_t run_end(const struct isa_grouping *g, const struct isa_stage *stage)
{
	uint32_t i = stage->end;

	while (!stage->reduces && i < g->group->end && isa_group_form(g, i) != ISA_FORM_REDUCE &&
	       (isa_group_form(g, i) == ISA_FORM_NOTHING || isa_group_columns(g, i) == stage->columns))
		i++;
	return i;
}

static void source_reset(struct isa_grouping *g, uint32_t i, const struct isa_operand *tile, char access)
{
	struct isa_group_tile *t = &g->tiles[tile->row];

	(void)i;
	(void)access;
	t->marks = 0;
	t->variable = t->values = 0;
}

void isa_stage_reset(struct isa_grouping *g, const struct isa_stage *stage)
{
	for (uint32_t i = stage->first; i < stage->end; i++) {
		isa_group_sources(g, i, source_reset);
		if (isa_group_writes(g, i))
			source_reset(g, i, &isa_group_step(g, i)->d, 'e');
	}
}

static void source_mark(struct isa_grouping *g, uint32_t i, const struct isa_operand *tile, char access)
{
	struct isa_group_tile *t = &g->tiles[tile->row];

	if ((access != 'e' || !t->variable) && !isa_group_window(g, i, tile->row))
		t->marks |= MARK_READ;
}

bool isa_stage_keeps(const struct isa_grouping *g, uint32_t i)
{
	const uint32_t tile = isa_group_step(g, i)->d.row;
	const struct isa_use *later;

	if (isa_plan_group(&g->e->p->plan, g->group->first) != g->group) /* not of the plan: nobody knows */
		return true;
	if (g->e->core && g->e->homes[tile].inst) /* its window holds the result */
		return true;
	if (g->tiles[tile].window == i + 1)
		return false;
	later = isa_use_from(g, tile, g->end);
	return later ? !later->writes : isa_plan_is_behind(&g->e->p->plan, g->group, tile);
}

static uint64_t tile_end(const struct isa_grouping *g, uint32_t tile)
{
	const struct ptowsp_tile_tile *t = &g->e->p->tiles[tile];

	return g->e->at[tile] + (uint64_t)t->rows * t->columns * isa_dtype_bytes(t->dtype);
}

/* A tile that lies in a window shares memory only with others that do. */
static bool lie_apart(const struct isa_emitter *e, uint32_t a, uint32_t b)
{
	if (e->core && (e->homes[a].inst || e->homes[b].inst))
		return !e->homes[a].inst || !e->homes[b].inst || isa_places_apart(e, e->homes[a].inst - 1, e->homes[b].inst - 1);
	return false;
}

/* Without lifetimes (isa_plan.h) each tile has a place of its own. */
bool isa_tile_collides(const struct isa_grouping *g, uint32_t tile, unsigned marks)
{
	const uint32_t *at = g->e->at;

	for (uint32_t k = 0; g->e->p->plan.live && k < g->used_count; k++) {
		const uint32_t t = g->used[k];

		if (t == tile || (marks && !(g->tiles[t].marks & marks)) || lie_apart(g->e, t, tile))
			continue;
		if ((g->e->core && g->e->homes[t].inst) || (at[t] < tile_end(g, tile) && at[tile] < tile_end(g, t)))
			return true;
	}
	return false;
}

/* Broadcast operands are read from memory: their value must not be made in the same loop. */
static void source_cut(struct isa_grouping *g, uint32_t i, const struct isa_operand *tile, char access)
{
	if (access != 'e' && g->tiles[tile->row].variable && i < g->end)
		g->end = i;
}

/* The end of a stage that has to end because what follows reads what it makes, or writes to memory that other tiles of it still have. */
static uint32_t stage_cut(struct isa_grouping *g, const struct isa_stage *stage)
{
	for (uint32_t i = stage->first; i < stage->end; i++) {
		isa_group_sources(g, i, source_mark);
		g->end = stage->end;
		isa_group_sources(g, i, source_cut);
		if (g->end == i && i > stage->first)
			return i;
		g->end = stage->end;
		if (isa_group_writes(g, i)) {
			const uint32_t tile = isa_group_step(g, i)->d.row;
			const bool keeps = isa_stage_keeps(g, i);

			if (keeps && i > stage->first && isa_tile_collides(g, tile, MARK_READ | MARK_WRITTEN))
				return i;
			g->tiles[tile].marks |= keeps ? MARK_WRITTEN : 0;
			g->tiles[tile].variable++;
		}
	}
	return stage->end;
}

/* A stage that was cut has more behind it that may read its values, so it is looked at again. */
static void stage_shorten(struct isa_grouping *g, struct isa_stage *stage)
{
	uint32_t end;

	do {
		end = stage->end;
		stage->end = stage_cut(g, stage);
		isa_stage_reset(g, &(struct isa_stage){.first = stage->first, .end = stage->end < end ? stage->end + 1 : end});
	} while (stage->end < end);
}

void isa_stages_make(struct isa_grouping *g)
{
	uint32_t run = 0;

	for (uint32_t i = g->group->first; i < g->group->end; i = g->stages[g->count - 1].end) {
		struct isa_stage *stage = &g->stages[g->count];

		stage_add(g, i);
		if (i >= run)
			run = run_end(g, stage);
		stage->end = run;
		stage_shorten(g, stage);
	}
}

/* --- the tile that is stored --- */

bool isa_is_home(const struct isa_grouping *g, uint32_t tile)
{
	return g->home && isa_group_result(g, g->home - 1)->row == tile;
}

static void home_source(struct isa_grouping *g, uint32_t i, const struct isa_operand *tile, char access)
{
	(void)i;
	if (access != 'e' && isa_is_home(g, tile->row))
		g->home = 0;
}

/* The end of the first stage that may write the tile to memory. */
static uint32_t written_end(const struct isa_grouping *g, uint32_t tile)
{
	for (uint32_t k = 0; k < g->count; k++)
		for (uint32_t i = g->stages[k].first; i < g->stages[k].end; i++)
			if (isa_group_writes(g, i) && isa_group_step(g, i)->d.row == tile && g->tiles[tile].window != i + 1)
				return g->stages[k].end;
	return g->group->end;
}

/* Is nothing loaded, nor read from where it is loaded, from an instruction on? */
static bool are_loads_over(const struct isa_grouping *g, uint32_t from)
{
	for (uint32_t i = from; i < g->group->end; i++)
		if (isa_group_form(g, i) == ISA_FORM_LOAD)
			return false;
	for (uint32_t k = 0; k < g->used_count; k++) {
		const struct isa_use *use = isa_use_from(g, g->used[k], from);

		if (use && !use->writes && isa_group_window(g, use->inst, g->used[k]))
			return false;
	}
	return true;
}

/* The one tile that the group stores, and nobody else asks for: what stages leave in memory of it is in the caches for the store, and takes no room beside. The window may be
 * that of a load, element by element, which is over by then. */
void isa_home_find(struct isa_grouping *g)
{
	const struct isa_plan *plan = &g->e->p->plan;
	uint32_t tile, stores = 0;
	const struct isa_group_tile *t;

	if (!g->e->target->windows || g->e->target->loop_rows || g->e->core || isa_plan_group(plan, g->group->first) != g->group)
		return;
	for (uint32_t i = g->group->first; i < g->group->end; i++)
		if (isa_group_form(g, i) == ISA_FORM_STORE) {
			g->home = i + 1;
			stores++;
		}
	if (stores != 1 || isa_group_step(g, g->home - 1)->op != PTOWSP_PTO_TSTORE) {
		g->home = 0;
		return;
	}
	tile = isa_group_result(g, g->home - 1)->row;
	t = &g->tiles[tile];
	if (isa_group_result(g, g->home - 1)->columns == 1 || g->uses[t->first + t->count - 1].inst != g->home - 1 ||
	    isa_plan_is_before(plan, g->group, tile) || isa_plan_is_behind(plan, g->group, tile) || !are_loads_over(g, written_end(g, tile)))
		g->home = 0;
	for (uint32_t i = g->group->first; i < g->group->end; i++)
		isa_group_sources(g, i, home_source);
}
