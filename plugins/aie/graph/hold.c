/* SPDX-License-Identifier: MIT */
#include "aie/graph/layout.h"

#include "base/memory/stage.h"
#include "ptowsp/ids.h"
#include "registry/common/common_grow.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

struct maker {
	struct aie_hold *hold;
	const struct aie_hold_args *args;
	uint32_t *latest; /* per area: executor + 1 that has it as it is now, 0: memory has */
	uint8_t *written; /* per tensor */
	bool failed;      /* no memory */
};

/* ---- who holds what ----------------------------------------------------------------------------------------------------- */

static uint32_t number_of(const struct aie_layout *layout, struct aie_layout_tile tile)
{
	return (uint32_t)(tile.row * layout->grid[1] + tile.column);
}

static struct aie_layout_tile tile_of(const struct aie_layout *layout, uint32_t number)
{
	return (struct aie_layout_tile){number / layout->grid[1], number % layout->grid[1]};
}

/* Calls `each` for the runs of an area. */
static void runs_walk(const struct aie_layout *layout, const struct aie_area *area, void (*each)(void *context, struct aie_layout_tile tile, uint64_t bytes),
		      void *context)
{
	uint64_t size = base_dtype_size(area->dtype);

	for (uint64_t r = 0; r < area->rows; r++)
		for (uint64_t c = 0; c < area->columns;) {
			struct aie_layout_tile tile;
			uint64_t run = aie_layout_run(layout, (area->at + r * area->stride) / size + c, &tile);

			run = run < area->columns - c ? run : area->columns - c;
			each(context, tile, run * size);
			c += run;
		}
}

struct holder {
	const struct aie_layout *layout;
	uint32_t number;
	bool there, several;
};

static void holder_take(void *context, struct aie_layout_tile tile, uint64_t bytes)
{
	struct holder *holder = context;

	(void)bytes;
	holder->several |= holder->there && holder->number != number_of(holder->layout, tile);
	holder->number = number_of(holder->layout, tile);
	holder->there = true;
}

/* The executor that holds all of an area; PTOWSP_NONE: there is no layout, or several do. */
static uint32_t area_holder(const struct aie_layout *layouts, const struct aie_area *area)
{
	struct holder holder = {.layout = &layouts[area->tensor]};

	if (holder.layout->rank)
		runs_walk(holder.layout, area, holder_take, &holder);
	return holder.there && !holder.several ? holder.number : PTOWSP_NONE;
}

uint32_t *aie_hold_all(const struct aie_acts *acts, const struct aie_layout *layouts, uint32_t *count_out)
{
	uint32_t *list = calloc((size_t)acts->areas.count + 1, sizeof(*list));

	*count_out = 0;
	for (uint32_t a = 0; list && a < acts->areas.count; a++) {
		list[*count_out] = area_holder(layouts, &acts->areas.rows[a]);
		*count_out += list[*count_out] != PTOWSP_NONE;
	}
	return list;
}

/* The holder of an area that an act writes, or only reads. */
static uint32_t holder_of(const struct aie_acts *acts, const struct aie_layout *layouts, const struct aie_act *act, bool writes)
{
	uint32_t holder = PTOWSP_NONE;

	for (uint32_t u = act->uses; holder == PTOWSP_NONE && u < act->uses + act->use_count; u++)
		if (acts->uses[u].writes == writes)
			holder = area_holder(layouts, &acts->areas.rows[acts->uses[u].area]);
	return holder;
}

uint32_t *aie_hold_executors(const struct aie_acts *acts, const struct aie_layout *layouts, uint64_t task_count)
{
	uint32_t *numbers = calloc((size_t)task_count + 1, sizeof(*numbers)), last = 0;

	for (uint32_t a = 0; numbers && a < acts->count; a++) {
		const struct aie_act *act = &acts->rows[a];
		uint32_t holder;

		if (act->kind != AIE_ACT_CALL || act->process != PTOWSP_NONE)
			continue;
		holder = holder_of(acts, layouts, act, true);
		if (holder == PTOWSP_NONE)
			holder = holder_of(acts, layouts, act, false);
		last = holder == PTOWSP_NONE ? last : holder;
		numbers[act->task] = last;
	}
	return numbers;
}

struct counting {
	const struct aie_layout *layout;
	struct aie_hold_count *count;
	struct aie_layout_tile own;
	bool replicated;
};

static void count_take(void *context, struct aie_layout_tile tile, uint64_t bytes)
{
	struct counting *counting = context;
	bool own = counting->replicated ? aie_layout_replicates(counting->layout, tile, counting->own)
					: tile.row == counting->own.row && tile.column == counting->own.column;

	*(own ? &counting->count->local : &counting->count->moved) += bytes;
}

static void use_count(struct maker *maker, const struct aie_use *use, uint32_t executor)
{
	const struct aie_area *area = &maker->args->acts->areas.rows[use->area];
	const struct aie_layout *layout = &maker->args->layouts[area->tensor];
	struct counting counting = {layout, &maker->hold->counts[area->tensor], {0, 0}, !maker->written[area->tensor]};

	if (!layout->rank)
		return;
	counting.own = tile_of(layout, executor);
	for (int n = use->reads + use->writes; n > 0; n--)
		runs_walk(layout, area, count_take, &counting);
}

/* ---- acts --------------------------------------------------------------------------------------------------------------- */

static void act_add(struct maker *maker, const struct aie_act *act, const struct aie_use *uses)
{
	struct aie_hold *hold = maker->hold;

	if (!COMMON_GROW(hold->rows, hold->room, hold->count)) {
		maker->failed = true;
		return;
	}
	hold->rows[hold->count] = *act;
	hold->rows[hold->count++].uses = hold->use_count;
	for (uint32_t u = 0; u < act->use_count && !maker->failed; u++)
		if (COMMON_GROW(hold->uses, hold->use_room, hold->use_count))
			hold->uses[hold->use_count++] = uses[u];
		else
			maker->failed = true;
}

static void hold_add(struct maker *maker, uint32_t area, uint32_t holder)
{
	const struct aie_executors *executors = maker->args->executors;
	const struct aie_use use = {.area = area, .reads = true, .writes = true};
	uint32_t row = 0;

	while (executors->rows[row].number != holder)
		row++;
	act_add(maker,
		&(struct aie_act){.kind = AIE_ACT_HOLD, .process = PTOWSP_NONE, .task = row, .kernel = UINT32_MAX, .channel = UINT32_MAX, .use_count = 1},
		&use);
	maker->latest[area] = holder + 1;
}

/* A read of another executor's elements goes by way of their holder. An executor that goes on with what it wrote itself needs nobody. */
static void before(struct maker *maker, const struct aie_use *use, uint32_t executor)
{
	const struct aie_area *area = &maker->args->acts->areas.rows[use->area];
	const struct aie_layout *layout = &maker->args->layouts[area->tensor];
	uint32_t holder = area_holder(maker->args->layouts, area);

	if (holder == PTOWSP_NONE || holder == executor || maker->latest[use->area] == holder + 1 || maker->latest[use->area] == executor + 1)
		return;
	if (maker->written[area->tensor] || !aie_layout_replicates(layout, tile_of(layout, holder), tile_of(layout, executor)))
		hold_add(maker, use->area, holder);
}

/* executor PTOWSP_NONE: a process has written it. */
static void after(struct maker *maker, const struct aie_use *use, uint32_t executor)
{
	const struct aie_areas *areas = &maker->args->acts->areas;

	for (uint32_t m = areas->first[use->area]; m < areas->first[use->area + 1]; m++)
		maker->latest[areas->meets[m]] = 0;
	maker->latest[use->area] = executor == PTOWSP_NONE ? 0 : executor + 1;
}

static void act_take(struct maker *maker, const struct aie_act *act)
{
	const struct aie_executors *executors = maker->args->executors;
	const struct aie_use *uses = maker->args->acts->uses + act->uses;
	bool call = act->kind == AIE_ACT_CALL && act->process == PTOWSP_NONE;
	uint32_t executor = call ? executors->rows[executors->of_task[act->task]].number : PTOWSP_NONE;

	for (uint32_t u = 0; call && u < act->use_count; u++) {
		use_count(maker, &uses[u], executor);
		if (uses[u].reads)
			before(maker, &uses[u], executor);
	}
	act_add(maker, act, uses);
	for (uint32_t u = 0; u < act->use_count; u++)
		if (uses[u].writes)
			after(maker, &uses[u], executor);
}

/* Elements that others wrote last go to their holders. */
static void ends_take(struct maker *maker)
{
	const struct aie_areas *areas = &maker->args->acts->areas;

	for (uint32_t a = 0; a < areas->count && !maker->failed; a++) {
		uint32_t holder = maker->latest[a] ? area_holder(maker->args->layouts, &areas->rows[a]) : PTOWSP_NONE;

		if (holder != PTOWSP_NONE && maker->latest[a] != holder + 1)
			hold_add(maker, a, holder);
	}
}

/* ---- what does not fit -------------------------------------------------------------------------------------------------- */

static ptowsp_status misfit(const struct aie_hold_args *args, const struct aie_act *act, uint32_t a, uint32_t b, struct ptowsp_error *error)
{
	char first[AIE_LAYOUT_TEXT], second[AIE_LAYOUT_TEXT];

	aie_layout_text(&args->layouts[a], first);
	aie_layout_text(&args->layouts[b], second);
	return rt_fail_at(error, PTOWSP_INVALID, args->acts->first + act->task, act->kernel,
			  "kernel %.60s takes parts of %.60s with layout %s and of %.60s with layout %s: one dimension is cut over different axes of the grid; "
			  "relayout one of them, or state equal layouts",
			  aie_kernel_name(&args->names, act->kernel), aie_tensor_name(&args->names, a), first, aie_tensor_name(&args->names, b), second);
}

/* Operands of one shape are taken element by element, so they have to be cut alike. */
static ptowsp_status call_check(const struct aie_hold_args *args, const struct aie_act *act, struct ptowsp_error *error)
{
	const struct aie_area *areas = args->acts->areas.rows;
	const struct aie_use *uses = args->acts->uses + act->uses;

	for (uint32_t u = 0; u < act->use_count; u++)
		for (uint32_t v = 0; v < u; v++) {
			const struct aie_area *a = &areas[uses[v].area], *b = &areas[uses[u].area];

			if (a->rows == b->rows && a->columns == b->columns && !aie_layout_fits(&args->layouts[a->tensor], &args->layouts[b->tensor]))
				return misfit(args, act, a->tensor, b->tensor, error);
		}
	return PTOWSP_OK;
}

/* ---- all ---------------------------------------------------------------------------------------------------------------- */

static void written_find(struct maker *maker)
{
	const struct aie_acts *acts = maker->args->acts;

	for (uint32_t u = 0; u < acts->use_count; u++)
		maker->written[acts->areas.rows[acts->uses[u].area].tensor] |= acts->uses[u].writes;
}

ptowsp_status aie_hold_make(struct aie_hold *hold, const struct aie_hold_args *args, struct ptowsp_error *error)
{
	struct maker maker = {hold, args, calloc((size_t)args->acts->areas.count + 1, sizeof(uint32_t)), calloc((size_t)args->tensor_count + 1, 1), false};
	ptowsp_status status = PTOWSP_OK;

	aie_hold_finish(hold);
	hold->counts = calloc((size_t)args->tensor_count + 1, sizeof(*hold->counts));
	maker.failed = !maker.latest || !maker.written || !hold->counts;
	if (!maker.failed)
		written_find(&maker);
	for (uint32_t a = 0; !status && !maker.failed && a < args->acts->count; a++) {
		maker.failed = base_patience_over(args->acts->patience, 1);
		if (args->acts->rows[a].kind == AIE_ACT_CALL && !args->stated[args->acts->rows[a].kernel])
			status = call_check(args, &args->acts->rows[a], error);
		act_take(&maker, &args->acts->rows[a]);
	}
	if (!status && !maker.failed)
		ends_take(&maker);
	free(maker.latest);
	free(maker.written);
	return status || !maker.failed ? status : rt_no_memory(error, "the parts that cores hold");
}

void aie_hold_swap(struct aie_hold *hold, struct aie_acts *acts)
{
	const struct aie_hold was = *hold;

	hold->rows = acts->rows;
	hold->uses = acts->uses;
	hold->count = acts->count;
	hold->room = acts->room;
	hold->use_count = acts->use_count;
	hold->use_room = acts->use_room;
	acts->rows = was.rows;
	acts->uses = was.uses;
	acts->count = was.count;
	acts->room = was.room;
	acts->use_count = was.use_count;
	acts->use_room = was.use_room;
}

void aie_hold_finish(struct aie_hold *hold)
{
	free(hold->rows);
	free(hold->uses);
	free(hold->counts);
	memset(hold, 0, sizeof(*hold));
}
