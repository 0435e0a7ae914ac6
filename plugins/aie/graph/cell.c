/* SPDX-License-Identifier: MIT */
#include "aie/graph/cell.h"

#include "aie/place/aie_place.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

struct maker {
	struct aie_cells *cells;
	const struct aie_executors *executors; /* NULL: none */
	struct aie_acts *acts;
	uint32_t *of_process; /* cell per instance, AIE_HOST */
	uint32_t *made_by;    /* per area: cell + 1 whose call wrote it last, 0: none */
	uint64_t *made_at;    /* per area: when, as act + 1 */
	uint32_t first;       /* cell of the workload */
	uint32_t most, begun; /* cells of the workload, tasks that went to the next one */
	/* Kernels have cells of their own; NULL: they share them. */
	uint32_t *kinds; /* per KREG row: its number among kernels that are called, as they come, + 1; 0: none yet */
	uint32_t *turns; /* per KREG row: its tasks that went to the next cell */
	uint32_t kind_count;
};

/* ---- processes --------------------------------------------------------------------------------------------------------- */

static ptowsp_status processes_take(struct maker *maker, struct ptowsp_error *error)
{
	struct aie_cells *cells = maker->cells;
	uint32_t count = 0;

	for (uint32_t p = 0; p < maker->acts->processes; p++)
		maker->of_process[p] = AIE_HOST;
	for (uint32_t a = 0; a < maker->acts->count; a++) {
		const struct aie_act *act = &maker->acts->rows[a];

		if (act->kind != AIE_ACT_CALL || act->process == PTOWSP_NONE || maker->of_process[act->process] != AIE_HOST)
			continue;
		maker->of_process[act->process] = count++;
		if (count > maker->most)
			return rt_fail(error, PTOWSP_TOO_SMALL,
				       "more than %u process instances call kernels, and each needs a core of its own; allow more with --opt cores or grid, or "
				       "take a larger --opt device",
				       maker->most);
		cells->rows[cells->count++] = (struct aie_cell){.process = act->process, .executor = PTOWSP_NONE, .column = AIE_ANYWHERE, .row = AIE_ANYWHERE};
	}
	maker->first = cells->count;
	if (maker->executors && maker->executors->count > maker->most - maker->first)
		return rt_fail(error, PTOWSP_UNSUPPORTED, "%u executors have tasks, each needs a core of its own, and of %u cores %u are free of processes",
			       maker->executors->count, maker->most, maker->most - maker->first);
	return PTOWSP_OK;
}

/* ---- a workload -------------------------------------------------------------------------------------------------------- */

/* The cell that wrote last what the use begins with, if one call wrote all of it and nothing else lies over it; else AIE_HOST. */
static uint32_t maker_of(const struct maker *maker, const struct aie_use *use)
{
	const struct aie_areas *areas = &maker->acts->areas;

	if (!maker->made_by[use->area])
		return AIE_HOST;
	for (uint32_t m = areas->first[use->area]; m < areas->first[use->area + 1]; m++)
		if (maker->made_at[areas->meets[m]] > maker->made_at[use->area])
			return AIE_HOST;
	return maker->made_by[use->area] - 1;
}

/* Cells are dealt out to kernels by turns, several to one where there are fewer cells. */
static bool may(const struct maker *maker, const struct aie_act *act, uint32_t cell)
{
	const uint32_t room = maker->most - maker->first;

	return !maker->kinds || act->kind != AIE_ACT_CALL || (cell - maker->first) % maker->kind_count == (maker->kinds[act->kernel] - 1) % room;
}

/* The next one of its kernel. */
static uint32_t next_cell(struct maker *maker, const struct aie_act *act)
{
	const uint32_t room = maker->most - maker->first;
	uint32_t kind, cells;

	if (!maker->kinds || act->kind != AIE_ACT_CALL)
		return maker->first + maker->begun++ % room;
	kind = (maker->kinds[act->kernel] - 1) % room;
	cells = maker->kind_count < room ? (room - kind + maker->kind_count - 1) / maker->kind_count : 1;
	return maker->first + kind + maker->turns[act->kernel]++ % cells * maker->kind_count;
}

/* Arguments that it changes weigh more than those that it reads. */
static uint32_t chained(const struct maker *maker, const struct aie_act *act)
{
	for (int changes = 1; changes >= 0; changes--)
		for (uint32_t u = 0; u < act->use_count; u++) {
			const struct aie_use *use = &maker->acts->uses[act->uses + u];
			uint32_t cell = use->writes == changes ? maker_of(maker, use) : AIE_HOST;

			if (cell != AIE_HOST && cell >= maker->first && may(maker, act, cell))
				return cell;
		}
	return AIE_HOST;
}

static uint32_t task_cell(struct maker *maker, const struct aie_act *act)
{
	uint32_t cell;

	if (act->kind == AIE_ACT_HOLD)
		return maker->first + (uint32_t)act->task;
	if (maker->executors)
		return maker->first + maker->executors->of_task[act->task];
	cell = chained(maker, act);
	return cell != AIE_HOST ? cell : next_cell(maker, act);
}

static void written(struct maker *maker, const struct aie_act *act, uint32_t number)
{
	for (uint32_t u = 0; u < act->use_count; u++) {
		const struct aie_use *use = &maker->acts->uses[act->uses + u];

		if (!use->writes)
			continue;
		maker->made_by[use->area] = act->cell == AIE_HOST ? 0 : act->cell + 1;
		maker->made_at[use->area] = (uint64_t)number + 1;
	}
}

static struct aie_cell workload_cell(const struct maker *maker, uint32_t cell)
{
	const struct aie_executor *executor = maker->executors ? &maker->executors->rows[cell - maker->first] : NULL;

	return (struct aie_cell){.process = PTOWSP_NONE,
				 .executor = executor ? executor->number : PTOWSP_NONE,
				 .column = executor ? executor->column : AIE_ANYWHERE,
				 .row = executor ? executor->row : AIE_ANYWHERE};
}

static ptowsp_status acts_take(struct maker *maker, struct ptowsp_error *error)
{
	struct aie_cells *cells = maker->cells;

	for (uint32_t a = 0; a < maker->acts->count; a++) {
		struct aie_act *act = &maker->acts->rows[a];

		act->cell = AIE_HOST;
		if (base_patience_over(maker->acts->patience, 1))
			return PTOWSP_NO_MEMORY;
		if (act->kind > AIE_ACT_HOLD)
			continue;
		if (act->process == PTOWSP_NONE && maker->first == maker->most)
			return rt_fail(error, PTOWSP_UNSUPPORTED,
				       "the processes take all %u cores, and the workload before them needs one; allow more with --opt cores or grid, or take "
				       "a larger --opt device",
				       maker->most);
		act->cell = act->process == PTOWSP_NONE ? task_cell(maker, act) : maker->of_process[act->process];
		written(maker, act, a);
		if (act->cell == AIE_HOST)
			continue;
		for (; cells->count <= act->cell; cells->count++)
			cells->rows[cells->count] = workload_cell(maker, cells->count);
		cells->rows[act->cell].acts++;
	}
	return PTOWSP_OK;
}

/* False: no memory. */
static bool kinds_find(struct maker *maker)
{
	uint32_t rows = 0;

	for (uint32_t a = 0; a < maker->acts->count; a++)
		if (maker->acts->rows[a].kind == AIE_ACT_CALL && maker->acts->rows[a].kernel >= rows)
			rows = maker->acts->rows[a].kernel + 1;
	maker->kinds = calloc((size_t)rows + 1, sizeof(*maker->kinds));
	maker->turns = calloc((size_t)rows + 1, sizeof(*maker->turns));
	for (uint32_t a = 0; maker->kinds && maker->turns && a < maker->acts->count; a++) {
		const struct aie_act *act = &maker->acts->rows[a];

		if (act->kind == AIE_ACT_CALL && act->process == PTOWSP_NONE && !maker->kinds[act->kernel])
			maker->kinds[act->kernel] = ++maker->kind_count;
	}
	return maker->kinds && maker->turns;
}

ptowsp_status aie_cells_make(struct aie_cells *cells, struct aie_acts *acts, const struct aie_executors *executors, uint32_t most, bool by_kernel,
			     struct ptowsp_error *error)
{
	struct maker maker = {.cells = cells, .executors = executors, .acts = acts, .most = most};
	ptowsp_status status = PTOWSP_OK;

	aie_cells_finish(cells);
	cells->rows = calloc(most, sizeof(*cells->rows));
	maker.of_process = calloc((size_t)acts->processes + 1, sizeof(*maker.of_process));
	maker.made_by = calloc((size_t)acts->areas.count + 1, sizeof(*maker.made_by));
	maker.made_at = calloc((size_t)acts->areas.count + 1, sizeof(*maker.made_at));
	if (!cells->rows || !maker.of_process || !maker.made_by || !maker.made_at || (by_kernel && !kinds_find(&maker)))
		status = rt_no_memory(error, "the cells of a plan");
	if (!status)
		status = processes_take(&maker, error);
	if (!status)
		status = acts_take(&maker, error);
	free(maker.of_process);
	free(maker.made_by);
	free(maker.made_at);
	free(maker.kinds);
	free(maker.turns);
	return status;
}

void aie_cells_finish(struct aie_cells *cells)
{
	free(cells->rows);
	memset(cells, 0, sizeof(*cells));
}
