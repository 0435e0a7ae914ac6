/* SPDX-License-Identifier: MIT */
#include "tests/rt/builder/random_schedule.h"

#include "tests/check.h"
#include "tests/draw.h"
#include <string.h>

const int64_t random_shapes[TENSORS][2] = {{8, 8}, {4, 6}, {32, 0}, {32, 2}};
static const char *const loop_names[] = {"i", "j", "k"};

static uint32_t pick(struct random *r, uint32_t n)
{
	return (uint32_t)draw(&r->state, n);
}

static bool chance(struct random *r, uint32_t one_in)
{
	return pick(r, one_in) == 0;
}

static uint32_t number(struct random *r, int64_t n)
{
	return builder_const(r->b, n);
}

static uint32_t op(struct random *r, unsigned code, uint32_t a, uint32_t b)
{
	return builder_expr(r->b, code, a, b, 0);
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

static uint32_t leaf(struct random *r)
{
	switch (pick(r, 6)) {
	case 0: return builder_expr(r->b, PTOWSP_EXPR_VALUE, pick(r, SLOTS), 0, 0);
	case 1: return builder_expr(r->b, PTOWSP_EXPR_TASK, 0, 0, 0);
	case 2: return builder_axis_value(r->b, loop_names[pick(r, 3)]);
	case 3:
	case 4:
		if (r->loops)
			return builder_expr(r->b, PTOWSP_EXPR_LOOP, pick(r, (uint32_t)r->loops), 0, 0);
		/* fall through */
	default: return number(r, (int64_t)pick(r, 9) - 2);
	}
}

static uint32_t expression(struct random *r, int depth)
{
	static const unsigned ops[] = {PTOWSP_EXPR_ADD, PTOWSP_EXPR_SUB, PTOWSP_EXPR_MUL, PTOWSP_EXPR_MIN, PTOWSP_EXPR_MAX,  PTOWSP_EXPR_AND, PTOWSP_EXPR_OR,
				       PTOWSP_EXPR_XOR, PTOWSP_EXPR_EQ,  PTOWSP_EXPR_LT,  PTOWSP_EXPR_GE,  PTOWSP_EXPR_LAND, PTOWSP_EXPR_SHL, PTOWSP_EXPR_SHR};
	uint32_t a, b, c;

	if (!depth || chance(r, 3))
		return leaf(r);
	a = expression(r, depth - 1);
	if (chance(r, 8))
		return op(r, chance(r, 2) ? PTOWSP_EXPR_NEG : PTOWSP_EXPR_LNOT, a, 0);
	if (chance(r, 6)) /* never by zero, but not always provably so */
		return op(r, chance(r, 2) ? PTOWSP_EXPR_DIV : PTOWSP_EXPR_MOD, a, chance(r, 200) ? leaf(r) : op(r, PTOWSP_EXPR_OR, leaf(r), number(r, 1)));
	b = expression(r, depth - 1);
	if (chance(r, 8)) {
		c = expression(r, depth - 1);
		return builder_expr(r->b, PTOWSP_EXPR_SELECT, a, b, c);
	}
	return op(r, ops[pick(r, sizeof(ops) / sizeof(*ops))], a, b);
}

/* 0 .. n - 1, mostly sums of loop values. */
static uint32_t within(struct random *r, int64_t n)
{
	uint32_t sum;

	if (chance(r, 3) || !r->loops)
		return number(r, pick(r, (uint32_t)n));
	if (n > 20 && !chance(r, 4)) /* loop values are -1 .. 19: what moves on by a constant needs no remainder */
		return op(r, PTOWSP_EXPR_ADD, builder_expr(r->b, PTOWSP_EXPR_LOOP, pick(r, (uint32_t)r->loops), 0, 0), number(r, 1));
	sum = chance(r, 5) ? expression(r, 2) : builder_expr(r->b, PTOWSP_EXPR_LOOP, pick(r, (uint32_t)r->loops), 0, 0);
	if (chance(r, 2))
		sum = op(r, PTOWSP_EXPR_ADD, sum, op(r, PTOWSP_EXPR_MUL, number(r, pick(r, 3)), leaf(r)));
	/* The sign of % is its left side's; and-ing with 63 makes it positive. */
	return op(r, PTOWSP_EXPR_MOD, op(r, PTOWSP_EXPR_AND, sum, number(r, 63)), number(r, n));
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

static uint32_t block_region(struct random *r)
{
	uint32_t t = pick(r, TENSORS), rows, columns, row, column;
	int64_t h = random_shapes[t][1] ? random_shapes[t][0] : 1, w = random_shapes[t][1] ? random_shapes[t][1] : random_shapes[t][0];
	bool coarse = chance(r, 2);

	rows = coarse ? (uint32_t)h / (h > 1 ? 2 : 1) : 1 + pick(r, (uint32_t)h);
	columns = coarse ? (uint32_t)w / 2 : 1 + pick(r, (uint32_t)w);
	if (chance(r, 3))
		columns = (uint32_t)w;
	if (coarse) {
		row = h > 1 ? op(r, PTOWSP_EXPR_MUL, within(r, 2), number(r, rows)) : number(r, 0);
		column = columns == w ? number(r, 0) : op(r, PTOWSP_EXPR_MUL, within(r, 2), number(r, columns));
	} else {
		row = within(r, h - rows + 1);
		column = within(r, w - columns + 1);
	}
	if (chance(r, 2000)) /* may lie outside */
		row = op(r, PTOWSP_EXPR_ADD, builder_expr(r->b, PTOWSP_EXPR_VALUE, pick(r, SLOTS), 0, 0), number(r, (int64_t)pick(r, 6) - 3));
	return builder_region(r->b, t, row, column, rows, columns);
}

/* The kernel touches at most 8 elements behind the start of a window. */
static uint32_t flat_region(struct random *r)
{
	uint32_t t = pick(r, TENSORS), unit = 4u << pick(r, 2);
	int64_t elements = random_shapes[t][0] * (random_shapes[t][1] ? random_shapes[t][1] : 1);

	if (chance(r, 5))
		return builder_window(r->b, t, number(r, 0), number(r, 0), unit);
	return builder_window(r->b, t, within(r, (elements - 16) / unit + 1), number(r, chance(r, 4) ? 4 : 0), unit);
}

static void task(struct random *r)
{
	uint32_t kernel = pick(r, KERNELS), regions[PARAMS], cycles;
	char access[PARAMS + 1] = "";

	for (uint32_t i = 0; i < r->tensor_counts[kernel]; i++) {
		regions[i] = r->flat[kernel] ? flat_region(r) : block_region(r);
		access[i] = "rrrwwmmb"[pick(r, 8)];
	}
	if (r->plain)
		cycles = number(r, 3 * (kernel % (KERNELS - 1))); /* a variant of the first kernel may be asked with its arguments */
	else
		cycles = chance(r, 3) ? op(r, PTOWSP_EXPR_AND, leaf(r), number(r, 15)) : number(r, pick(r, 20));
	builder_task_list(r->b, kernel, cycles, r->tensor_counts[kernel], access, regions);
}

/* ---- structure --------------------------------------------------------------------------------------------------- */

static void body(struct random *r);

static uint32_t axis(struct random *r)
{
	static const uint32_t sets[3][3][2] = {{{8, 64}, {4, 64}, {0, 32}}, {{8, 128}, {4, 32}, {0, 32}}, {{4, 128}, {2, 64}, {0, 32}}};
	static const uint32_t ranges[3][2] = {{8, 4}, {8, 2}, {4, 4}};
	uint32_t low = number(r, 0), high = number(r, pick(r, 4)), step = number(r, 1), levels = PTOWSP_NONE, set;

	if (chance(r, 4)) {
		set = pick(r, 3);
		levels = builder_levels(r->b, ranges[set][0], ranges[set][1], 3, sets[set]);
		high = number(r, pick(r, 20));
	} else if (chance(r, 3)) {
		low = number(r, (int64_t)pick(r, 4) - 1);
		step = number(r, 1 + pick(r, 2));
	} else if (chance(r, 4)) {
		high = within(r, 4);
	}
	return builder_axis(r->b, loop_names[pick(r, 3)], low, high, step, levels);
}

static void loop(struct random *r)
{
	bool ordered = r->orders < 4 && chance(r, 2);

	builder_loop(r->b, ordered ? PTOWSP_OP_FOR_EACH : PTOWSP_OP_PARALLEL_FOR, axis(r));
	r->loops++;
	r->orders += ordered;
	body(r);
	r->orders -= ordered;
	r->loops--;
	builder_end(r->b);
}

static void branches(struct random *r)
{
	static const unsigned ops[] = {PTOWSP_OP_COND, PTOWSP_OP_COMBINE, PTOWSP_OP_SEQUENTIAL};
	unsigned code = ops[pick(r, r->orders < 4 ? 3 : 2)];
	uint32_t n = code == PTOWSP_OP_COND ? 2 : 1 + pick(r, 3), expr = code == PTOWSP_OP_COND ? expression(r, 2) : 0;

	builder_branches(r->b, code, n, expr);
	r->orders += code == PTOWSP_OP_SEQUENTIAL;
	for (uint32_t i = 0; i < n; i++) {
		if (!chance(r, 4))
			body(r);
		builder_next(r->b);
	}
	r->orders -= code == PTOWSP_OP_SEQUENTIAL;
	builder_end(r->b);
}

static void sync(struct random *r)
{
	if (chance(r, 2)) {
		builder_emit(r->b, PTOWSP_OP_BARRIER, 0, 0);
		return;
	}
	builder_emit(r->b, PTOWSP_OP_SIGNAL, 0, r->event);
	if (chance(r, 2))
		body(r);
	builder_emit(r->b, PTOWSP_OP_WAIT, 0, r->event);
}

static void statement(struct random *r)
{
	uint32_t what = pick(r, 20), slot = FIRST_SLOT + pick(r, SLOTS - FIRST_SLOT);

	r->budget--;
	if (r->synced && r->depth < 3 && chance(r, 8)) {
		sync(r);
	} else if (r->depth > 3 || r->budget < 0 || what < 10) {
		task(r);
	} else if (what < 14) {
		loop(r);
	} else if (what < 16) {
		branches(r);
	} else if (what < 18) {
		builder_scope(r->b);
		body(r);
		builder_end(r->b);
	} else if (what < 19) {
		builder_slot_set(r->b, slot, expression(r, 2));
	} else if (r->plain) {
		loop(r);
	} else {
		builder_slot_load(r->b, slot, chance(r, 2) ? block_region(r) : flat_region(r));
		r->loads = true;
	}
}

static void body(struct random *r)
{
	r->depth++;
	for (uint32_t n = 1 + pick(r, 3); n; n--)
		statement(r);
	r->depth--;
}

/* ---- schedule ---------------------------------------------------------------------------------------------------- */

#define ROW(directive, policy, ...) builder_schedule(r->b, PTOWSP_DIRECTIVE_##directive, PTOWSP_##directive##_##policy, __VA_ARGS__)

static void dispatch(struct random *r)
{
	int64_t executors = 1 + pick(r, 4), across;

	switch (pick(r, 8)) {
	case 0: return;
	case 1: ROW(DISPATCH, ROUND_ROBIN, "n", executors); return;
	case 2: ROW(DISPATCH, AFFINITY, "wn", loop_names[pick(r, 3)], executors); return;
	case 3: ROW(DISPATCH, HASH, "en", expression(r, 2), executors); return;
	case 4: ROW(DISPATCH, CUSTOM, "en", expression(r, 2), executors); return;
	case 5:
		executors = pick(r, 5);
		ROW(DISPATCH, STATIC_PARTITION, "nn", executors, (int64_t)(5 + pick(r, 5)));
		return;
	case 6:
		across = 1 + pick(r, 2);
		ROW(SPATIAL_MAP, GRID, "nn", across, (int64_t)(1 + pick(r, 3)));
		return;
	default: ROW(DISPATCH, WORK_STEAL, "n", executors);
	}
}

static void dependencies(struct random *r)
{
	uint32_t deps = pick(r, 8);
	bool full = !chance(r, 4);

	if (deps == 3)
		ROW(DEPS, HYBRID, "w", "bytes_overlap");
	if (deps == 4)
		ROW(DEPS, TENSOR_MAP_EXACT, "");
	if (deps == 5)
		ROW(DEPS, HYBRID, "");
	if (deps > 5)
		ROW(DEPS, EXPLICIT, "");
	if (!full)
		ROW(HAZARDS, RAW, "");
	r->unsafe = deps > 3 || !full;
}

static void window(struct random *r, uint32_t mode)
{
	int64_t tasks = chance(r, 5) ? 0 : 1 + pick(r, chance(r, 2) ? 40 : 6);

	r->window = (uint64_t)tasks;
	r->abort = mode == 0;
	r->benchmark = mode == 1;
	if (mode == 0)
		ROW(TASK_WINDOW, ABORT, "n", tasks);
	else if (mode == 1)
		ROW(TASK_WINDOW, BENCHMARK, "nw", tasks, "tasks");
	else
		ROW(TASK_WINDOW, STALL, "n", tasks);
}

static void resources(struct random *r)
{
	uint32_t mode = pick(r, 10);

	r->window = 8192;
	if (chance(r, 2))
		window(r, mode);
	if (r->plain && chance(r, 2))
		return;
	if (chance(r, 4))
		ROW(TENSOR_MAP, CAPACITY, "n", (int64_t)(2 + pick(r, 10)));
	if (chance(r, 4))
		ROW(DEP_LIST, CAPACITY, "n", (int64_t)(1 + pick(r, 12)));
	if (chance(r, 4))
		ROW(READY_QUEUE, CAPACITY, "n", (int64_t)(1 + pick(r, 4)));
}

static void depths(struct random *r)
{
	static const char *const words[] = {"global", "stream", "pool", "i"};

	for (uint32_t d = 0, count = 0; d < 4 && count < 3; d++)
		if (chance(r, 6)) {
			ROW(PIPELINE_DEPTH, DEPTH, "wn", words[d], (int64_t)(1 + pick(r, 3)));
			count++;
		}
}

static void streams(struct random *r)
{
	uint32_t expr;

	r->streams = 1 + pick(r, 3);
	ROW(STREAMS, COUNT, "n", (int64_t)r->streams);
	r->stream_by = chance(r, 2);
	expr = expression(r, 2);
	if (r->stream_by)
		ROW(STREAM_BY, EXPRESSION, "e", expr);
}

static void others(struct random *r)
{
	r->by_unit = chance(r, 4);
	if (r->by_unit)
		ROW(POOLS, BY_EXEC_UNIT, "");
	else if (chance(r, 6))
		ROW(POOLS, CUSTOM, "e", op(r, PTOWSP_EXPR_AND, expression(r, 1), number(r, 3)));
	if (chance(r, 4))
		streams(r);
	if (chance(r, 4))
		ROW(ISSUE_COST, CYCLES, "n", (int64_t)pick(r, 6));
	else if (chance(r, 6))
		ROW(TIMING, RATE_LIMIT, "n", (int64_t)pick(r, 6));
	if (chance(r, 4) && !r->by_unit)
		ROW(START, THRESHOLD, "n", (int64_t)(1 + pick(r, 12)));
	if (chance(r, 4))
		ROW(BATCH_DEPS, COUNT, "n", (int64_t)(1 + pick(r, 5)));
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

static void kernels(struct random *r, bool variants)
{
	static const uint16_t units[] = {PTOWSP_UNIT_AIV, PTOWSP_UNIT_AIC, PTOWSP_UNIT_ANY, PTOWSP_UNIT_AIC_AIV, PTOWSP_UNIT_HOST};

	for (uint32_t k = 0; k < KERNELS; k++) {
		uint32_t tensors = pick(r, PARAMS + 1);

		r->flat[k] = tensors && chance(r, 3);
		/* The last kernel is the form of the first one at level 64. */
		if (variants && k == KERNELS - 1) {
			tensors = r->tensor_counts[0];
			r->flat[k] = r->flat[0];
		}
		r->tensor_counts[k] = tensors;
		builder_kernel(r->b, check_fmt("kernel%u", k), variants && k == KERNELS - 1 ? units[0] : units[k ? pick(r, 5) : 0], 1, tensors);
		if (r->plain)
			builder_kernel_flags(r->b, k, BUILDER_STEADY);
		if (r->later && chance(r, 3))
			builder_kernel_flags(r->b, k, BUILDER_LATER);
		for (uint32_t a = 0; r->flat[k] && a < tensors; a++)
			for (int t = 0; t < 2; t++) {
				uint32_t offset = pick(r, 5), length = 1 + pick(r, 4);

				builder_touch(r->b, k, a, offset, length, 1 + pick(r, 3));
			}
	}
	if (variants)
		builder_variant(r->b, 0, 64, KERNELS - 1);
}

static void make(struct random *r, uint64_t seed, bool synced)
{
	memset(r, 0, sizeof(*r));
	r->synced = synced;
	r->state = draw_seed(seed);
	for (int i = 0; i < 4; i++)
		pick(r, 2);
	r->b = builder_create();
	r->budget = 40;
	for (uint32_t t = 0; t < TENSORS; t++)
		builder_tensor(r->b, check_fmt("t%u", t), PTOWSP_I64, random_shapes[t][0], random_shapes[t][1]);
	builder_slot(r->b, "n", PTOWSP_SLOT_SYMBOL, pick(r, 5));
	builder_slot(r->b, "s", PTOWSP_SLOT_SLOT, pick(r, 3));
	builder_slot(r->b, "t", PTOWSP_SLOT_SLOT, 1);
	if (synced)
		r->event = builder_event(r->b, "e");
	r->plain = chance(r, 3);
	r->later = !r->plain && chance(r, 2);
	kernels(r, chance(r, 2));
	dependencies(r);
	resources(r);
	if (!r->plain) {
		dispatch(r);
		depths(r);
		others(r);
	}
	for (uint32_t n = 2 + pick(r, 5); n; n--)
		statement(r);
}

void random_schedule_make(struct random *r, uint64_t seed)
{
	make(r, seed, false);
}

void random_schedule_make_synced(struct random *r, uint64_t seed)
{
	make(r, seed, true);
}
