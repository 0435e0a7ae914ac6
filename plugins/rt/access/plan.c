/* SPDX-License-Identifier: MIT */
#include "rt/access/plan.h"

#include "rt/run/rt_run.h"
#include <string.h>

void rt_plans_init(struct rt_plans *plans, const struct rt_program *program, struct common_arena *arena)
{
	plans->levels = program->level_count;
	plans->count = program->site_count * program->level_count;
	plans->rows = common_take(arena, (size_t)plans->count + 1, sizeof(*plans->rows));
	plans->plain = common_take(arena, (size_t)plans->count + 1, sizeof(*plans->plain));
	plans->met = common_take(arena, (size_t)plans->count + 1, sizeof(*plans->met));
}

void rt_plans_count(const struct rt_plans *plans)
{
	for (uint32_t i = 0; i < plans->count; i++) {
		struct rt_plan *plan = plans->rows[i];

		if (!plan || !plan->told)
			continue;
		plan->stats->tasks += plan->told;
		plan->stats->cycles += plan->told * plan->timed.cycles;
		plan->told = 0;
	}
}

void rt_plans_forget(struct rt_plans *plans)
{
	for (uint32_t i = 0; i < plans->count; i++)
		if (plans->rows[i]) {
			plans->rows[i]->round = RT_NO_ROUND;
			plans->rows[i]->settled = false;
		}
}

/* ---- a task ---------------------------------------------------------------------------------------------------- */

RT_INLINE bool allowed(const struct rt_limit *limit, int64_t value)
{
	return (uint64_t)value - (uint64_t)limit->low <= limit->span;
}

/* Do all accesses lie inside their tensors? Registers are filled. */
RT_INLINE bool is_inside(const struct rt_plan *plan, const int64_t *places)
{
	bool inside = true;

	for (const struct rt_plan_check *check = plan->checks; check < plan->checks_end; check++)
		inside &= allowed(&check->limit, rt_form_sum(places, &check->sum));
	return inside;
}

/* Will they still after so many steps of the innermost loop? What lies between does then, too. */
static bool rest_inside(const struct rt_plan *plan, const int64_t *places, int64_t steps)
{
	int64_t move, end;

	for (const struct rt_plan_check *check = plan->checks; check < plan->checks_end; check++)
		if (__builtin_mul_overflow((int64_t)rt_form_step(&check->sum, plan->inner), steps, &move) ||
		    __builtin_add_overflow(rt_form_sum(places, &check->sum), move, &end) || !allowed(&check->limit, end))
			return false;
	return true;
}

/* ---- equal keys ------------------------------------------------------------------------------------------------- */

enum meeting { NEVER, ALWAYS, SOMETIMES };

/* A difference that grows by `step` per 1 of the loop: is it 0 at a value from now on until `left` further? *at: where, if it moves. */
static enum meeting zero_of(int64_t difference, int64_t step, int64_t left, int64_t *at)
{
	if (!step || !left)
		return difference ? NEVER : ALWAYS;
	if (step == -1 && difference == INT64_MIN)
		return SOMETIMES;
	if (difference % step)
		return NEVER;
	*at = -(difference / step);
	return (left < 0 ? *at < left || *at > 0 : *at < 0 || *at > left) ? NEVER : SOMETIMES;
}

/* Are the keys of two accesses of one class equal while the loop goes on? */
static enum meeting keys_meet(const struct rt_plan *plan, uint32_t a, uint32_t b, int64_t left)
{
	const struct rt_access *x = &plan->accesses[a], *y = &plan->accesses[b];
	int64_t row, column, row_at = 0, column_at = 0;
	enum meeting rows, columns;

	if (__builtin_sub_overflow(x->key.row, y->key.row, &row) || __builtin_sub_overflow(x->key.column, y->key.column, &column))
		return SOMETIMES;
	rows = zero_of(row, (int64_t)(plan->ios[a].row_step - plan->ios[b].row_step), left, &row_at);
	columns = zero_of(column, (int64_t)(plan->ios[a].column_step - plan->ios[b].column_step), left, &column_at);
	if (rows == NEVER || columns == NEVER || (rows == SOMETIMES && columns == SOMETIMES && row_at != column_at))
		return NEVER;
	return rows == ALWAYS && columns == ALWAYS ? ALWAYS : SOMETIMES;
}

/* Accesses of that kind whose key an earlier one of the kind has, too. *known: as long as the round lasts. */
static uint32_t repeated(const struct rt_plan *plan, unsigned bit, int64_t left, bool *known)
{
	uint32_t count = 0, counted = 0;

	for (const struct rt_plan_pair *pair = plan->pairs, *end = pair + plan->pair_count; pair < end; pair++) {
		enum meeting met = !(pair->bits & bit) || pair->later == counted ? NEVER : keys_meet(plan, pair->later, pair->earlier, left);

		count += met == ALWAYS;
		counted = met == ALWAYS ? pair->later : counted;
		*known &= met != SOMETIMES;
	}
	return count;
}

/* Registers are filled. Two blocks that begin at one place are one; rows of flat windows may differ in length. */
static bool keys_equal(const struct rt_plan *plan, const struct rt_plan_pair *pair, const int64_t *places)
{
	const struct rt_plan_io *a = &plan->ios[pair->later], *b = &plan->ios[pair->earlier];

	if (!plan->accesses[pair->later].io->unit)
		return rt_form_sum(places, &a->start) == rt_form_sum(places, &b->start);
	return rt_form_sum(places, &a->row) == rt_form_sum(places, &b->row) && rt_form_sum(places, &a->column) == rt_form_sum(places, &b->column);
}

/* The same of one task alone, of all kinds. */
void rt_plan_recount(struct rt_plan *plan, const int64_t *places, bool full)
{
	uint32_t kinds = full ? PTOWSP_READ | PTOWSP_WRITE : PTOWSP_WRITE, less = 0, counted = 0;
	uint8_t bits = 0; /* of the access that was counted last */

	for (const struct rt_plan_pair *pair = plan->pairs, *end = pair + plan->pair_count; pair < end; pair++) {
		uint32_t more = pair->bits & kinds & ~(pair->later == counted ? bits : 0u);

		if (!more || !keys_equal(plan, pair, places))
			continue;
		less += (more & PTOWSP_READ ? 1u : 0u) + (more & PTOWSP_WRITE ? 1u : 0u);
		bits = (uint8_t)(more | (pair->later == counted ? bits : 0u));
		counted = pair->later;
	}
	plan->timed.need.map = plan->map_most - less;
}

static void asks_set(struct rt_plan *plan, uint32_t bit, bool on)
{
	plan->asks = on ? plan->asks | bit : plan->asks & ~bit;
}

static void lone_count(const struct rt_run *run, struct rt_plan *plan)
{
	asks_set(plan, RT_ASK_KEYS, false);
	rt_plan_recount(plan, run->env.loops, run->track.full);
}

/* left: how far the round goes on, 0 without one. */
static void map_count(const struct rt_run *run, struct rt_plan *plan, int64_t left)
{
	bool full = run->track.full, known = true;
	uint32_t less;

	if (!left) {
		lone_count(run, plan);
		return;
	}
	rt_plan_accesses_move(plan, &run->env);
	less = repeated(plan, PTOWSP_WRITE, left, &known);
	if (full)
		less += repeated(plan, PTOWSP_READ, left, &known);
	plan->timed.need.map = plan->map_most - less;
	asks_set(plan, RT_ASK_KEYS, !known);
}

void rt_plan_accesses_move(struct rt_plan *plan, const struct rt_env *env)
{
	struct rt_access *access = plan->accesses;

	if (!plan->accesses_anew && plan->accesses_at == plan->at)
		return;
	if (plan->part_code)
		rt_code_fill(env, &env->codes->rows[plan->part_code - 1]);
	for (const struct rt_plan_io *io = plan->ios, *end = io + plan->io_count; io < end; io++, access++) {
		access->key.row = rt_form_sum(env->loops, &io->row);
		access->key.column = rt_form_sum(env->loops, &io->column);
		access->start = rt_form_sum(env->loops, &io->start);
		if (io->open)
			access->length = io->end - (uint64_t)access->start;
		if (io->varies)
			access->length = rt_part_length(access->io, rt_form_sum(env->loops, &io->rows), rt_form_sum(env->loops, &io->columns));
	}
	plan->accesses_at = plan->at;
	plan->accesses_anew = false;
}

static void windows_make(struct rt_plan *plan, const struct rt_tensors *tensors)
{
	for (uint32_t i = 0; i < plan->io_count; i++) {
		const struct rt_access *access = &plan->accesses[i];

		rt_access_window(access->io, &tensors->rows[access->io->tensor], access->start, access->length, &plan->windows[i]);
	}
}

void rt_plan_windows_anew(struct rt_plan *plan, const struct rt_env *env)
{
	if (plan->windows_made && !plan->windows_loose) {
		for (const struct rt_plan_move *move = plan->moves, *end = plan->moves_end; move < end; move++)
			move->window->data = move->place + rt_form_sum(env->loops, move->start) * move->size;
	} else {
		rt_plan_accesses_move(plan, env);
		windows_make(plan, env->tensors);
	}
	plan->windows_made = true;
	plan->windows_at = plan->at;
	plan->windows_anew = plan->windows_loose || plan->round == RT_NO_ROUND;
}

/* Uses that are cells whatever the task, and stay so: their names follow from where the accesses start. */
RT_INLINE void settled_place(struct rt_plan *plan, const int64_t *places)
{
	for (struct rt_use *use = plan->uses; use < plan->uses_end; use++)
		use->origin = use->base + (uint64_t)rt_form_sum(places, use->start) - use->step * (uint64_t)plan->at;
}

/* Bits that names of settled uses can have. */
static uint64_t names_of(const struct rt_plan *plan)
{
	uint64_t bits = 0;

	for (const struct rt_use *use = plan->uses; use < plan->uses_end; use++)
		bits |= rt_form_unit(use->start) | (use->base + (uint64_t)use->start->base);
	return bits;
}

static void all_place(struct rt_run *run, struct rt_plan *plan, struct rt_way way)
{
	bool named = run->cells.entries != NULL, sure = true;

	rt_plan_accesses_move(plan, &run->env);
	rt_uses_place(run, plan->uses, plan->use_count, plan->accesses, plan->ios, way);
	for (uint32_t i = 0; i < plan->use_count; i++) {
		named &= rt_use_named(&plan->uses[i], run->overlap.lattices);
		sure &= plan->uses[i].sure;
		plan->uses[i].origin = plan->uses[i].name - plan->uses[i].step * (uint64_t)plan->at;
	}
	plan->settled = named && sure;
	if (plan->settled)
		rt_cells_fit(&run->cells, &run->track, names_of(plan));
	asks_set(plan, RT_ASK_USES, !named);
}

/* Does the rest of the round lie inside? Then it is known. */
static void round_begin(struct rt_run *run, struct rt_plan *plan, struct rt_way *way_out)
{
	const struct rt_round *round = &run->expand.rounds[plan->inner];
	int64_t left;

	if (!round->number || __builtin_sub_overflow(round->last, plan->at, &left) || !rest_inside(plan, run->env.loops, left))
		return;
	plan->round = round->number;
	*way_out = (struct rt_way){round->stride, left};
}

/* The loop goes on, so that its next tasks need not be found, or uses have no cells yet. */
static __attribute__((noinline)) void find_on(struct rt_run *run, struct rt_plan *plan, bool goes_on)
{
	struct rt_way way = {0, 0};

	if (goes_on)
		round_begin(run, plan, &way);
	if (plan->round == RT_NO_ROUND)
		plan->at = 0;
	if (plan->counted && plan->plain)
		map_count(run, plan, way.left);
	if (plan->settled)
		settled_place(plan, run->env.loops);
	else
		all_place(run, plan, way);
}

/* A task without a round stands where the loop is 0. */
static void lone_place(struct rt_plan *plan, const int64_t *places)
{
	plan->at = 0;
	for (struct rt_use *use = plan->uses; use < plan->uses_end; use++)
		use->origin = use->base + (uint64_t)rt_form_sum(places, use->start);
}

static bool names_differ(const struct rt_plan *plan)
{
	bool differ = plan->pairs_named;

	for (const struct rt_plan_pair *pair = plan->pairs, *end = pair + plan->pair_count; differ && pair < end; pair++)
		differ = plan->uses[pair->uses[0]].origin != plan->uses[pair->uses[1]].origin;
	return differ;
}

bool rt_plan_find(struct rt_run *run, struct rt_plan *plan)
{
	bool goes_on = plan->affine && run->expand.rounds[plan->inner].last != plan->at;

	plan->round = RT_NO_ROUND;
	if ((plan->code && !rt_code_fill(&run->env, &run->codes.rows[plan->code - 1])) || !is_inside(plan, run->env.loops))
		return false;
	plan->accesses_anew = plan->windows_anew = true;
	if (goes_on || !plan->settled) {
		find_on(run, plan, goes_on);
		return true;
	}
	lone_place(plan, run->env.loops);
	if (!plan->counted || !plan->plain)
		return true;
	if (!names_differ(plan)) {
		lone_count(run, plan);
		return true;
	}
	plan->timed.need.map = plan->map_most;
	asks_set(plan, RT_ASK_KEYS, false);
	return true;
}
