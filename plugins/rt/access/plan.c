/* SPDX-License-Identifier: MIT */
#include "rt/access/plan.h"

#include "rt/run/rt_run.h"
#include <stdlib.h>
#include <string.h>

bool rt_plans_init(struct rt_plans *plans, const struct rt_program *program)
{
	plans->levels = program->level_count;
	plans->count = program->site_count * program->level_count;
	plans->rows = calloc((size_t)plans->count + 1, sizeof(*plans->rows));
	plans->plain = calloc((size_t)plans->count + 1, sizeof(*plans->plain));
	plans->met = calloc((size_t)plans->count + 1, sizeof(*plans->met));
	return plans->rows && plans->plain && plans->met;
}

void rt_plans_finish(struct rt_plans *plans)
{
	for (uint32_t i = 0; plans->rows && i < plans->count; i++)
		free(plans->rows[i]);
	free(plans->rows);
	free(plans->plain);
	free(plans->met);
	memset(plans, 0, sizeof(*plans));
}

void rt_plans_count(const struct rt_plans *plans)
{
	for (uint32_t i = 0; i < plans->count; i++) {
		struct rt_plan *plan = plans->rows[i];

		if (!plan || !plan->told)
			continue;
		plan->stats->tasks += plan->told;
		plan->stats->cycles += plan->told * plan->cycles;
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

/* ---- limits ---------------------------------------------------------------------------------------------------- */

/* Accesses of a task whose keys are compared with each other. */
#define COUNTED_MOST 64u

/* Flat windows of a plan begin here at the last. */
#define START_MOST ((INT64_C(1) << RT_PLACE_BITS) - 1)

static const struct rt_limit no_limit = {INT64_MIN, UINT64_MAX};

/* False if no value is allowed. */
static bool limit_set(struct rt_limit *limit, int64_t low, int64_t high)
{
	*limit = (struct rt_limit){low, (uint64_t)high - (uint64_t)low};
	return low <= high;
}

RT_INLINE bool allowed(const struct rt_limit *limit, int64_t value)
{
	return (uint64_t)value - (uint64_t)limit->low <= limit->span;
}

/* Bounds of one access. */
struct limits {
	struct rt_limit row, column, start;
};

/* The rules of block_resolve in access.c. */
static bool block_limits(struct rt_plan_io *plan, const struct rt_io *io, const struct rt_tensor *tensor, struct limits *limits)
{
	plan->pitch = tensor->columns;
	limits->row = limits->column = limits->start = no_limit;
	if (io->view && io->checked)
		return false; /* where it begins is asked of every task */
	return !io->checked ||
	       (limit_set(&limits->row, 0, tensor->rows - (int64_t)io->rows) && limit_set(&limits->column, 0, tensor->columns - (int64_t)io->columns));
}

/* The rules of flat_resolve in access.c. */
static bool flat_limits(struct rt_plan_io *plan, const struct rt_access *access, const struct rt_tensor *tensor, struct limits *limits)
{
	const struct rt_io *io = access->io;
	const struct rt_touched *touched = access->touched;
	int64_t far_row = RT_FAR / io->unit - 1, low = 0, high = RT_FAR - 1, most = touched && touched->most != RT_FAR ? touched->most : rt_io_reach(io);

	if (io->view)
		return false; /* where it begins is asked of every task */
	if (touched)
		low = -touched->least > -high ? -touched->least : -high;
	if (tensor->elements != UINT64_MAX && (int64_t)tensor->elements - (most == RT_FAR ? 0 : most) < high)
		high = (int64_t)tensor->elements - (most == RT_FAR ? 0 : most);
	if (high > START_MOST - (most == RT_FAR ? 0 : most)) /* so that all have a name */
		high = START_MOST - (most == RT_FAR ? 0 : most);
	plan->pitch = (int64_t)io->unit;
	plan->open = most == RT_FAR;
	plan->end = tensor->elements;
	return limit_set(&limits->row, -far_row, far_row) && limit_set(&limits->column, 1 - RT_FAR, RT_FAR - 1) && limit_set(&limits->start, low, high);
}

/* Values of the form differ by multiples of it, also where they wrap: a power of two. 0: there is one value. */
static uint64_t unit_of(const struct rt_form *form)
{
	uint64_t bits = 0;

	for (unsigned k = 0; k < form->terms; k++)
		bits |= (uint64_t)form->step[k];
	return bits & (0 - bits);
}

/* By how much the form moves per 1 of the loop at `depth`, while registers stay. */
static uint64_t step_of(const struct rt_form *form, uint32_t depth)
{
	uint64_t step = 0;

	for (unsigned k = 0; k < form->terms; k++)
		step += form->loop[k] == depth ? (uint64_t)form->step[k] : 0;
	return step;
}

static bool same_sum(const struct rt_form *a, const struct rt_form *b)
{
	bool same = a->base == b->base && a->terms == b->terms;

	for (unsigned k = 0; same && k < a->terms; k++)
		same = a->loop[k] == b->loop[k] && a->step[k] == b->step[k];
	return same;
}

/* False: no value is allowed any more. What does not vary is inside, as it was when the task was resolved. */
static bool check_add(struct rt_plan *plan, const struct rt_form *sum, const struct rt_limit *limit)
{
	struct rt_plan_check *check = plan->checks;
	int64_t high = (int64_t)((uint64_t)limit->low + limit->span), its;

	if (!sum->terms || limit->span == UINT64_MAX)
		return true;
	while (check < plan->checks_end && !same_sum(&check->sum, sum))
		check++;
	if (check == plan->checks_end) {
		*plan->checks_end++ = (struct rt_plan_check){*sum, *limit};
		return true;
	}
	its = (int64_t)((uint64_t)check->limit.low + check->limit.span);
	return limit_set(&check->limit, check->limit.low > limit->low ? check->limit.low : limit->low, its < high ? its : high);
}

/* A window that ends with its tensor changes its length; one that touches nothing may begin anywhere. */
static bool window_loose(const struct rt_plan_io *plan, const struct rt_access *access, const struct rt_tensor *tensor, const struct rt_limit *start)
{
	return plan->open || !tensor->data || (access->io->unit && (start->low < 0 || start->span > tensor->elements - (uint64_t)start->low));
}

static bool io_plan(struct rt_plan *plan, uint32_t number, const struct rt_access *access, const struct rt_tensors *tensors, struct rt_coding *coding)
{
	struct rt_plan_io *to = &plan->ios[number];
	const struct rt_io *io = access->io;
	const struct rt_tensor *tensor = &tensors->rows[io->tensor];
	struct limits limits;

	to->row = rt_coding_add(coding, io->row);
	to->column = rt_coding_add(coding, io->column);
	if (!io->unit ? !block_limits(to, io, tensor, &limits) : !flat_limits(to, access, tensor, &limits))
		return false;
	to->start = rt_coding_line(coding, &to->row, to->pitch, &to->column);
	to->row_unit = unit_of(&to->row);
	to->column_unit = unit_of(&to->column);
	to->row_step = step_of(&to->row, plan->inner);
	to->column_step = step_of(&to->column, plan->inner);
	to->start_step = to->row_step * (uint64_t)to->pitch + to->column_step;
	plan->windows_loose |= window_loose(to, access, tensor, &limits.start);
	return check_add(plan, &to->row, &limits.row) && check_add(plan, &to->column, &limits.column) && check_add(plan, &to->start, &limits.start);
}

/* ---- a plan ---------------------------------------------------------------------------------------------------- */

/* Of the windows that move during a round, or of those that do not. */
static void window_moves_add(struct rt_plan *plan, const struct rt_tensors *tensors, bool moving)
{
	for (uint32_t i = 0; i < plan->io_count; i++) {
		const struct rt_tensor *tensor = &tensors->rows[plan->accesses[i].io->tensor];
		const struct rt_plan_io *io = &plan->ios[i];

		if (io->start.terms && (io->start_step != 0) == moving)
			*plan->moves_end++ = (struct rt_plan_move){io->start_step * tensor->size, &plan->windows[i], &io->start, tensor->place, tensor->size};
	}
}

static bool is_failing(const struct rt_env *env, const struct rt_form *form)
{
	return form->terms == RT_FORM_CODE && (form->base < 0 || !env->codes->rows[form->base].quick);
}

static bool args_fail(const struct rt_program *program, const struct rt_env *env, const struct rt_site *site)
{
	for (uint32_t i = 0; i < site->arg_count; i++)
		if (is_failing(env, &env->forms[program->args[site->first_arg + i]]))
			return true;
	return false;
}

static bool args_vary(const struct rt_program *program, const struct rt_env *env, const struct rt_site *site)
{
	for (uint32_t i = 0; i < site->arg_count; i++)
		if (env->forms[program->args[site->first_arg + i]].terms)
			return true;
	return false;
}

/* Do all accesses move by constants while the innermost loop goes on? Steps of code then fill the same registers all the time. */
static bool is_affine(const struct rt_plan *plan, const struct rt_codes *codes)
{
	const struct rt_code *code = plan->code ? &codes->rows[plan->code - 1] : NULL;

	return plan->site->depth && !(code && (code->moves || code->loops >> plan->inner & 1));
}

/* Forms and limits of all accesses. False: the instruction cannot have a plan. */
static bool ios_plan(struct rt_plan *plan, struct rt_run *run)
{
	struct rt_coding coding;
	bool ok = rt_coding_begin(&coding, &run->program->exprs, run->values, &run->codes);

	for (uint32_t i = 0; ok && i < plan->io_count; i++)
		ok = io_plan(plan, i, &run->accesses[i], &run->tensors, &coding);
	return rt_coding_end(&coding, &plan->code) && ok;
}

/* Pairs of accesses of one class that do the same; counted only where pairs_out is NULL. */
static uint32_t pairs_find(const struct rt_access *accesses, uint32_t count, struct rt_plan_pair *pairs_out)
{
	uint32_t pairs = 0;

	for (uint32_t i = 1; count <= COUNTED_MOST && i < count; i++)
		for (uint32_t k = 0; k < i; k++) {
			uint8_t bits = (uint8_t)(accesses[i].io->access & accesses[k].io->access);

			if (!bits || accesses[i].io->key != accesses[k].io->key)
				continue;
			if (pairs_out)
				pairs_out[pairs] = (struct rt_plan_pair){.later = (uint8_t)i, .earlier = (uint8_t)k, .bits = bits};
			pairs++;
		}
	return pairs;
}

/* The use of a block that has one of its own; use_count: there is none. */
static uint32_t block_use(const struct rt_plan *plan, uint32_t access)
{
	uint32_t use = 0;

	while (use < plan->use_count && (plan->uses[use].argument != access || plan->accesses[access].io->unit))
		use++;
	return use;
}

/* Two blocks of one class have the same name where they have the same key. */
static void pairs_name(struct rt_plan *plan)
{
	plan->pairs_named = true;
	for (struct rt_plan_pair *pair = plan->pairs, *end = pair + plan->pair_count; pair < end; pair++) {
		uint32_t later = block_use(plan, pair->later), earlier = block_use(plan, pair->earlier);

		plan->pairs_named &= later < plan->use_count && earlier < plan->use_count;
		pair->uses[0] = (uint8_t)later;
		pair->uses[1] = (uint8_t)earlier;
	}
}

/* Everything lies in one block; the uses, a cache line each, come first behind the forms. */
static struct rt_plan *plan_alloc(uint32_t ios, uint32_t args, uint32_t pairs)
{
	size_t forms = (sizeof(struct rt_plan) + ios * sizeof(struct rt_plan_io) + 63) / 64 * 64, uses = 2 * ios * sizeof(struct rt_use);
	size_t accesses = ios * sizeof(struct rt_access), windows = ios * sizeof(struct ptowsp_tensor_arg), moves = ios * sizeof(struct rt_plan_move);
	size_t checks = 3 * ios * sizeof(struct rt_plan_check), words = args * sizeof(uint64_t);
	size_t size = forms + uses + checks + accesses + windows + moves + words + pairs * sizeof(struct rt_plan_pair);
	char *block = aligned_alloc(64, (size + 63) / 64 * 64);
	struct rt_plan *plan = (struct rt_plan *)(void *)block;

	if (!plan)
		return NULL;
	memset(block, 0, size);
	plan->uses = (struct rt_use *)(void *)(block + forms);
	plan->checks = plan->checks_end = (struct rt_plan_check *)(void *)(block + forms + uses);
	plan->accesses = (struct rt_access *)(void *)((char *)plan->checks + checks);
	plan->windows = (struct ptowsp_tensor_arg *)(void *)((char *)plan->accesses + accesses);
	plan->moves = plan->moves_end = (struct rt_plan_move *)(void *)((char *)plan->windows + windows);
	plan->args = (uint64_t *)(void *)((char *)plan->moves + moves);
	plan->pairs = (struct rt_plan_pair *)(void *)((char *)plan->args + words);
	return plan;
}

void rt_plan_make(struct rt_run *run, const struct rt_site *site, uint32_t level)
{
	struct rt_plans *plans = &run->plans;
	struct rt_plan **row = rt_plan_at(plans, run->program, site, level), *plan;
	uint8_t *met = &plans->met[row - plans->rows];

	/* Most instructions of a long program without loops are reached once: they shall not cost memory. */
	if (!*met || run->tensors.measuring) {
		*met = 1;
		return;
	}
	plan = plan_alloc(site->io_count, site->arg_count, pairs_find(run->accesses, site->io_count, NULL));
	if (!plan)
		return;
	plan->site = site;
	plan->round = RT_NO_ROUND;
	plan->kernel = run->kernel;
	plan->io_count = site->io_count;
	plan->inner = site->depth ? site->depth - 1u : 0;
	if (!ios_plan(plan, run)) {
		free(plan);
		return;
	}
	plan->failing = args_fail(run->program, &run->env, site);
	plan->affine = is_affine(plan, &run->codes);
	memcpy(plan->accesses, run->accesses, site->io_count * sizeof(*run->accesses));
	memcpy(plan->args, run->task_args, site->arg_count * sizeof(*plan->args));
	window_moves_add(plan, &run->tensors, true);
	plan->rests = plan->moves_end;
	window_moves_add(plan, &run->tensors, false);
	plan->pair_count = pairs_find(run->accesses, site->io_count, plan->pairs);
	plan->counted = !site->distinct && run->program->schedule.deps != PTOWSP_DEPS_EXPLICIT;
	plan->map_most = plan->counted ? site->writes + (run->program->schedule.full ? site->reads : 0u) : rt_infer_map(run, site);
	plan->map_need = plan->map_most;
	plan->plain = !plan->failing && site->io_count <= COUNTED_MOST && rt_issue_plain(run, site, run->kernel);
	plan->asks = ((run->kernels || run->record) && args_vary(run->program, &run->env, site) ? RT_ASK_ARGS : 0u) |
		     (site->read_count && !run->slots_prompt ? RT_ASK_SLOTS : 0u);
	plan->lone = run->places.one && site->dispatch == PTOWSP_NONE && plan->map_most <= run->flow.map_most;
	plan->cycles = run->known[run->kernel].cycles;
	plan->stats = run->kernel_stats ? &run->kernel_stats[run->kernel] : NULL;
	plan->task = (struct ptowsp_task){
		.head = PTOWSP_HEAD(plan->task, TASK),
		.args = plan->args,
		.tensors = plan->windows,
		.arg_count = site->arg_count,
		.tensor_count = site->io_count,
		.tensor_stride = sizeof(*plan->windows),
		.kernel = run->kernel,
		.unit = run->program->tables.kernel.rows[run->kernel].unit,
		.block_count = 1,
	};
	plan->use_count = rt_uses_make(run, site, plan->accesses, plan->uses);
	plan->uses_end = plan->uses + plan->use_count;
	for (uint32_t i = 0; i < plan->use_count; i++) {
		struct rt_use *use = &plan->uses[i];

		use->step = rt_use_step(run, plan->accesses[use->argument].io, &plan->ios[use->argument]);
		use->start = &plan->ios[use->argument].start;
	}
	pairs_name(plan);
	*row = plan;
	if (plan->plain)
		plans->plain[row - plans->rows] = plan;
}

/* ---- a task ---------------------------------------------------------------------------------------------------- */

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
		if (__builtin_mul_overflow((int64_t)step_of(&check->sum, plan->inner), steps, &move) ||
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
	plan->map_need = plan->map_most - less;
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
	plan->map_need = plan->map_most - less;
	asks_set(plan, RT_ASK_KEYS, !known);
}

void rt_plan_accesses_move(struct rt_plan *plan, const struct rt_env *env)
{
	struct rt_access *access = plan->accesses;

	if (!plan->accesses_anew && plan->accesses_at == plan->at)
		return;
	for (const struct rt_plan_io *io = plan->ios, *end = io + plan->io_count; io < end; io++, access++) {
		access->key.row = rt_form_sum(env->loops, &io->row);
		access->key.column = rt_form_sum(env->loops, &io->column);
		access->start = rt_form_sum(env->loops, &io->start);
		if (io->open)
			access->length = io->end - (uint64_t)access->start;
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
		bits |= unit_of(use->start) | (use->base + (uint64_t)use->start->base);
	return bits;
}

static void all_place(struct rt_run *run, struct rt_plan *plan, struct rt_way way)
{
	bool named = run->exact.entries || run->overlap.lattices, sure = true;

	rt_plan_accesses_move(plan, &run->env);
	rt_uses_place(run, plan->uses, plan->use_count, plan->accesses, plan->ios, way);
	for (uint32_t i = 0; i < plan->use_count; i++) {
		named &= rt_use_named(&plan->uses[i], run->overlap.lattices);
		sure &= plan->uses[i].sure;
		plan->uses[i].origin = plan->uses[i].name - plan->uses[i].step * (uint64_t)plan->at;
	}
	plan->settled = named && sure;
	if (plan->settled)
		rt_cells_fit(run->cells, &run->track, names_of(plan));
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
	plan->map_need = plan->map_most;
	asks_set(plan, RT_ASK_KEYS, false);
	return true;
}
