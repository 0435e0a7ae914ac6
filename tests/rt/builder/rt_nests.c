/* SPDX-License-Identifier: MIT */
#include "tests/rt/builder/rt_nests.h"

#include "tests/check.h"

enum { ROWS = 640, SMALL = 64, PARAMS = 4, FLAT = PARAMS + 1, KERNELS = FLAT + 1, COLUMNS = 3, COPY_ROWS = 2 };
static const char *const names[RT_NESTS_DEEP] = {"i", "j", "k", "l"};

static uint32_t pick(struct rt_nests *n, uint32_t most)
{
	return rt_loops_pick(&n->r, most);
}

static bool chance(struct rt_nests *n, uint32_t one_in)
{
	return pick(n, one_in) == 0;
}

static uint32_t number(struct rt_nests *n, int64_t value)
{
	return rt_loops_number(&n->r, value);
}

static uint32_t sum(struct rt_nests *n, uint32_t a, uint32_t b)
{
	return rt_loops_op(&n->r, PTOWSP_EXPR_ADD, a, b);
}

/* ---- keys ---------------------------------------------------------------------------------------------------------- */

/* An affine form of the open loops, and between which values it lies. */
struct form {
	int64_t at[RT_NESTS_DEEP], low, high;
};

static void form_bound(const struct rt_nests *n, struct form *form)
{
	form->low = form->high = 0;
	for (uint32_t d = 0; d < n->r.loops; d++) {
		int64_t a = form->at[d] * n->low[d], b = form->at[d] * n->high[d];

		form->low += a < b ? a : b;
		form->high += a < b ? b : a;
	}
}

/* A round goes on where the one before ended, or over its edge, or a little further, or begins again. */
static int64_t outer_step(struct rt_nests *n, int64_t inner)
{
	int64_t span = inner * (n->high[n->r.loops - 1] + 1);

	switch (pick(n, 6)) {
	case 0:
	case 1: return 0;
	case 2: return span;
	case 3: return span + 4 - (int64_t)pick(n, 8);
	default: return (int64_t)pick(n, 8);
	}
}

static struct form form_make(struct rt_nests *n, uint32_t tensor, int64_t rows)
{
	static const int64_t steps[] = {0, 0, 1, 1, 1, 2, 3, -1, -2, 4};
	struct form form = {{0}, 0, 0};
	uint32_t inner = n->r.loops;

	if (!inner--)
		return form;
	form.at[inner] = chance(n, n->pure) ? steps[pick(n, 10)] : n->steps[tensor];
	for (uint32_t d = 0; d < inner; d++)
		form.at[d] = outer_step(n, form.at[inner]);
	form_bound(n, &form);
	for (uint32_t d = 0; d <= inner && form.high - form.low >= rows; d++) {
		form.at[d] = 0;
		form_bound(n, &form);
	}
	return form;
}

/* 0 .. rows - 1; keys of a tensor begin near each other. */
static uint32_t place(struct rt_nests *n, uint32_t tensor, int64_t rows, int64_t tile)
{
	struct form form = form_make(n, tensor, rows / tile - 2 * (int64_t)n->r.spread - 8);
	int64_t first = -form.low + (int64_t)pick(n, n->r.spread);
	uint32_t value = PTOWSP_NONE;

	if (chance(n, 12) && form.high - form.low < 20)
		first += 20;
	if (chance(n, 2000)) /* the latest iterations leave the tensor */
		first = rows / tile - form.high;
	value = number(n, first * tile);
	for (uint32_t d = 0; d < n->r.loops; d++)
		if (form.at[d]) {
			uint32_t term = rt_loops_value(&n->r, d);

			int64_t at = form.at[d] * (d + 1 < n->r.loops && chance(n, 40) ? 1 : tile); /* off the lattice from the second round on */

			value = sum(n, value, at == 1 ? term : rt_loops_op(&n->r, PTOWSP_EXPR_MUL, term, number(n, at)));
		}
	if (n->slots && chance(n, 12))
		value = sum(n, value, rt_loops_op(&n->r, PTOWSP_EXPR_MUL, builder_expr(n->r.b, PTOWSP_EXPR_VALUE, pick(n, 2), 0, 0), number(n, tile)));
	return value;
}

static uint32_t region(struct rt_nests *n, uint32_t tensor)
{
	uint32_t tile = chance(n, 300) ? 3 - n->tile : n->tile;

	if (tensor >= RT_NESTS_TENSORS)
		return builder_region(n->r.b, tensor, place(n, 0, SMALL, 1), number(n, 0), 1, 1);
	if (tensor == 3) /* keys move along a row */
		return builder_region(n->r.b, 3, number(n, pick(n, 2)), place(n, 3, ROWS, n->tile), 1, n->tile);
	return builder_region(n->r.b, tensor, place(n, tensor, ROWS, n->tile), number(n, tensor == 2 ? pick(n, COLUMNS) : 0), tile, 1);
}

/* ---- tasks --------------------------------------------------------------------------------------------------------- */

/* Which tensor a task touches next. Seldom one that the task touches already: its keys are then counted anew for each task. */
static uint32_t tensor_pick(struct rt_nests *n, char how, uint32_t *read, uint32_t *written)
{
	for (uint32_t tries = 0; tries < 20; tries++) {
		uint32_t tensor = chance(n, 3) ? pick(n, RT_NESTS_TENSORS) : n->r.shift;

		if (n->extras && chance(n, 4))
			return RT_NESTS_TENSORS + pick(n, n->extras);
		if (!((how != 'w' ? *read : 0) >> tensor & 1) && !((how != 'r' ? *written : 0) >> tensor & 1)) {
			*read |= (how != 'w' ? 1u : 0) << tensor;
			*written |= (how != 'r' ? 1u : 0) << tensor;
			return tensor;
		}
	}
	return pick(n, RT_NESTS_TENSORS);
}

static void task(struct rt_nests *n)
{
	uint32_t count = chance(n, 15) ? 0 : 1 + pick(n, n->heavy || chance(n, 3) ? PARAMS : 2), regions[PARAMS], read = 0, written = 0;
	char access[PARAMS + 1] = "";

	if (chance(n, 60)) {
		regions[0] = builder_window(n->r.b, 0, place(n, 0, ROWS / 4, 1), number(n, 0), 4);
		builder_task_list(n->r.b, FLAT, number(n, 5), 1, "r", regions);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		access[i] = "rrrwwmm"[pick(n, 7)];
		regions[i] = region(n, chance(n, 200) ? pick(n, RT_NESTS_TENSORS) : tensor_pick(n, access[i], &read, &written));
	}
	builder_task_list(n->r.b, count, number(n, 3 * (int64_t)count), count, access, regions);
	if (chance(n, n->after ? 20 : 1000))
		builder_after(n->r.b, pick(n, 4),
			      rt_loops_op(&n->r, PTOWSP_EXPR_SUB, builder_expr(n->r.b, PTOWSP_EXPR_TASK, 0, 0, 0), number(n, 1 + pick(n, 9))));
}

/* ---- loops --------------------------------------------------------------------------------------------------------- */

static void loop_open(struct rt_nests *n, uint32_t op, uint32_t axis, int64_t low, int64_t high)
{
	builder_loop(n->r.b, op, axis);
	n->low[n->r.loops] = low;
	n->high[n->r.loops++] = high;
}

static void loop_close(struct rt_nests *n)
{
	builder_end(n->r.b);
	n->r.loops--;
}

static void dense_open(struct rt_nests *n, uint32_t count, bool levels)
{
	static const uint32_t rows[3][2] = {{16, 64}, {8, 64}, {0, 32}};
	uint32_t low = pick(n, 3) ? 0 : pick(n, 4), step = chance(n, 4) ? 1 + pick(n, 3) : 1, set = PTOWSP_NONE;

	if (levels) {
		set = builder_levels(n->r.b, 16, 8, 3, rows);
		low = 0;
		step = 1;
	}
	loop_open(n, PTOWSP_OP_PARALLEL_FOR,
		  builder_axis(n->r.b, names[n->r.loops], number(n, low), number(n, low + (int64_t)(count - 1) * step + 1), number(n, step), set), low,
		  low + (int64_t)(count - 1) * step);
}

/* A row of a sparse or ragged axis. */
static void row_open(struct rt_nests *n)
{
	static const int64_t ragged[] = {0, 9, 9, 34}, sparse[] = {0, 2, 13, 4, 7, 3, 0, 9, 1, 11, 12, 2, 5, 6, 8, 10};
	bool select = chance(n, 2);
	uint32_t row = number(n, 1 + (int64_t)pick(n, 2) * (select ? 0 : 1));

	if (select)
		loop_open(n, PTOWSP_OP_SELECT, builder_axis_values(n->r.b, names[n->r.loops], PTOWSP_AXIS_SPARSE, 2, row, 16, sparse), 0, 13);
	else
		loop_open(n, PTOWSP_OP_PARALLEL_FOR, builder_axis_values(n->r.b, names[n->r.loops], PTOWSP_AXIS_RAGGED, 3, row, 4, ragged), 0, 24);
}

static uint32_t length(struct rt_nests *n)
{
	switch (pick(n, 10)) {
	case 0: return 1 + pick(n, 7);
	case 1:
	case 2: return 9 + pick(n, 6);
	case 3: return 92 + pick(n, 9);
	case 4: return 100 + pick(n, 80);
	default: return 12 + pick(n, 36);
	}
}

static uint32_t body_length(struct rt_nests *n)
{
	switch (pick(n, 24)) {
	case 0: return 20 + pick(n, 6);
	case 1:
	case 2: return 5 + pick(n, 8);
	default: return 1 + pick(n, 4);
	}
}

/* A loop over nothing but tasks; now and then not quite. */
static void lane(struct rt_nests *n, uint32_t budget)
{
	uint32_t tasks = body_length(n), count = length(n);

	n->r.shift = pick(n, RT_NESTS_TENSORS); /* the tensor that most keys are of */
	n->heavy = chance(n, 20);
	tasks += n->heavy ? 6 + pick(n, 12) : 0;
	if (tasks > budget)
		tasks = 1;
	if (count * tasks > budget)
		count = budget / tasks + 1;
	if (n->r.loops && chance(n, 25))
		row_open(n);
	else
		dense_open(n, count, chance(n, 10));
	while (tasks--)
		task(n);
	if (n->disturb && chance(n, 30))
		builder_slot_set(n->r.b, 1, number(n, pick(n, 3)));
	loop_close(n);
	n->heavy = false;
}

static void between(struct rt_nests *n)
{
	switch (pick(n, 6)) {
	case 0:
		builder_scope(n->r.b);
		task(n);
		builder_end(n->r.b);
		break;
	case 1:
		builder_scope(n->r.b);
		lane(n, 60 / n->around);
		builder_end(n->r.b);
		break;
	case 2: builder_slot_set(n->r.b, 1, number(n, pick(n, 3))); break;
	case 3:
		builder_copy(n->r.b, builder_region(n->r.b, 0, place(n, 0, ROWS - COPY_ROWS, n->tile), number(n, 0), n->tile, 1),
			     builder_region(n->r.b, 1, place(n, 1, ROWS - COPY_ROWS, n->tile), number(n, 0), n->tile, 1));
		break;
	default: task(n);
	}
}

static void nest(struct rt_nests *n, uint32_t budget)
{
	uint32_t around = n->around, count, parts;

	if (n->r.loops == RT_NESTS_DEEP - 1 || budget < 40 || chance(n, 3)) {
		lane(n, budget);
		return;
	}
	count = chance(n, 3) ? 1 + pick(n, 30) : 2 + pick(n, 6);
	if (count * 14 > budget)
		count = budget / 14 + 1;
	parts = 1 + pick(n, 3);
	dense_open(n, count, chance(n, 12));
	n->around *= count;
	for (uint32_t i = 0; i < parts; i++)
		if (n->disturb && chance(n, 5))
			between(n);
		else if (chance(n, 5))
			nest(n, budget / count / parts);
		else
			lane(n, budget / count / parts);
	n->around = around;
	loop_close(n);
}

/* Many loops, none of which leaves the window. */
static void crowd(struct rt_nests *n)
{
	dense_open(n, 150 + pick(n, 20), false);
	n->around *= 160;
	dense_open(n, 10 + pick(n, 3), false);
	task(n);
	loop_close(n);
	loop_close(n);
	n->around = 1;
}

static void plain_open(struct rt_nests *n, int64_t count)
{
	builder_loop_n(n->r.b, PTOWSP_OP_PARALLEL_FOR, names[n->r.loops++], count);
}

static void piece_task(struct rt_nests *n, const char *access, uint32_t row)
{
	row = rt_loops_op(&n->r, PTOWSP_EXPR_MUL, row, number(n, n->tile));
	builder_task(n->r.b, 1, 3, access, builder_region(n->r.b, 0, row, number(n, 0), n->tile, 1));
}

/* Short loops write pieces of what a long one then touches. */
static void pieces(struct rt_nests *n)
{
	int64_t apart = 10 + (int64_t)pick(n, 4);

	plain_open(n, 6 + pick(n, 8));
	plain_open(n, 9 + pick(n, 5));
	piece_task(n, chance(n, 3) ? "r" : "w",
		   sum(n, rt_loops_op(&n->r, PTOWSP_EXPR_MUL, rt_loops_value(&n->r, 0), number(n, apart)), rt_loops_value(&n->r, 1)));
	loop_close(n);
	loop_close(n);
	plain_open(n, 180);
	piece_task(n, chance(n, 2) ? "r" : "w", sum(n, rt_loops_value(&n->r, 0), number(n, pick(n, 3))));
	loop_close(n);
}

/* ---- the program --------------------------------------------------------------------------------------------------- */

static uint32_t window(struct rt_nests *n)
{
	switch (pick(n, 16)) {
	case 0: return 1 + pick(n, 8);
	case 1:
	case 2: return 1 + pick(n, 40);
	case 3:
	case 4: return 12 * (1 + pick(n, 10)) + pick(n, 3);
	case 5: return 96 * (1 + pick(n, 3)) + pick(n, 3);
	case 6: return chance(n, 2) ? 4096 : 8192;
	default: return 20 + pick(n, 200);
	}
}

static void schedule(struct rt_nests *n)
{
	struct builder *b = n->r.b;
	uint32_t deps = pick(n, 14);
	bool full = !chance(n, 4), overlap = deps < 5 || deps == 9 || deps > 11;

	builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", (int64_t)window(n));
	if (deps >= 5 && deps < 9)
		builder_schedule(b, PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_TENSOR_MAP_EXACT, "");
	else if (deps == 9)
		builder_schedule(b, PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_HYBRID, "w", "bytes_overlap");
	else if (deps == 10)
		builder_schedule(b, PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_HYBRID, "");
	else if (deps == 11)
		builder_schedule(b, PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_EXPLICIT, "");
	n->after = deps >= 9 && deps < 12;
	if (!full)
		builder_schedule(b, PTOWSP_DIRECTIVE_HAZARDS, PTOWSP_HAZARDS_RAW, "");
	n->r.races = !overlap || !full;
}

static void tensors(struct rt_nests *n)
{
	builder_tensor(n->r.b, "t0", PTOWSP_I64, ROWS, 1);
	builder_tensor(n->r.b, "t1", PTOWSP_I64, ROWS, 1);
	builder_tensor(n->r.b, "t2", PTOWSP_I64, ROWS, COLUMNS);
	builder_tensor(n->r.b, "t3", PTOWSP_I64, 2, ROWS);
	builder_tensor(n->r.b, "t4", PTOWSP_I64, ROWS, 1);
	if (n->temp)
		builder_role(n->r.b, 4, PTOWSP_ROLE_TEMP);
	for (uint32_t t = 0; t < n->extras; t++)
		builder_tensor(n->r.b, check_fmt("u%u", t), PTOWSP_I64, SMALL, 1);
}

static void kernels(struct rt_nests *n)
{
	for (uint32_t k = 0; k < KERNELS; k++)
		builder_kernel_flags(n->r.b, builder_kernel(n->r.b, check_fmt("k%u", k), PTOWSP_UNIT_AIV, 1, k == FLAT ? 1 : k),
				     BUILDER_STEADY | (chance(n, 80) ? BUILDER_FAILS_LATE : 0));
	builder_touch(n->r.b, FLAT, 0, 0, 1, PTOWSP_READ);
}

void rt_nests_make(struct rt_nests *n, uint64_t seed, uint32_t budget)
{
	static const int64_t steps[] = {1, 1, 1, 2, 3, -1, -2, 0};

	*n = (struct rt_nests){.around = 1};
	rt_loops_begin(&n->r, seed);
	n->r.spread = 1 + pick(n, chance(n, 3) ? 12 : 4);
	n->pure = chance(n, 5) ? 4 : 60 + pick(n, 200);
	n->tile = chance(n, 5) ? 2 : 1;
	n->extras = chance(n, 40) ? 300 : 0;
	n->temp = chance(n, 24);
	n->slots = chance(n, 16);
	n->disturb = chance(n, 2);
	for (uint32_t t = 0; t < RT_NESTS_TENSORS; t++)
		n->steps[t] = steps[pick(n, 8)];
	tensors(n);
	kernels(n);
	builder_slot(n->r.b, "n", PTOWSP_SLOT_SYMBOL, 1);
	builder_slot(n->r.b, "s", PTOWSP_SLOT_SLOT, 2);
	schedule(n);
	if (chance(n, 30))
		crowd(n);
	if (chance(n, 12))
		pieces(n);
	for (uint32_t parts = 1 + pick(n, 4), i = 0; i < parts; i++) {
		nest(n, budget / parts);
		if (n->disturb && chance(n, 2))
			between(n);
	}
}
