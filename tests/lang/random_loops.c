/* SPDX-License-Identifier: MIT */
#include "tests/lang/random_loops.h"

#include "tests/check.h"
#include "tests/draw.h"
#include <stdlib.h>
#include <string.h>

enum { ROWS = 6, INDICES = 9 };

uint32_t random_pick(struct random_loops *r, uint32_t n)
{
	return (uint32_t)draw(&r->state, n);
}

static uint32_t number(struct random_loops *r, int64_t n)
{
	return builder_const(r->b, n);
}

static uint32_t binary(struct random_loops *r, unsigned op, uint32_t a, uint32_t b)
{
	return builder_expr(r->b, op, a, b, 0);
}

/* A sum of loop values, now and then something that is not. */
static uint32_t some_value(struct random_loops *r)
{
	uint32_t a = r->loops ? builder_expr(r->b, PTOWSP_EXPR_LOOP, random_pick(r, (uint32_t)r->loops), 0, 0) : number(r, random_pick(r, 5));

	switch (random_pick(r, 6)) {
	case 0: return binary(r, PTOWSP_EXPR_ADD, a, builder_expr(r->b, PTOWSP_EXPR_TASK, 0, 0, 0));
	case 1: return binary(r, PTOWSP_EXPR_SUB, binary(r, PTOWSP_EXPR_MUL, a, number(r, 3)), number(r, random_pick(r, 9)));
	case 2: return binary(r, PTOWSP_EXPR_DIV, a, number(r, 2));
	default: return a;
	}
}

/* The value of a loop around, between 0 and ROWS - 1. */
static uint32_t some_row(struct random_loops *r)
{
	return r->loops ? binary(r, PTOWSP_EXPR_MIN, number(r, ROWS - 1), builder_expr(r->b, PTOWSP_EXPR_LOOP, random_pick(r, (uint32_t)r->loops), 0, 0))
			: number(r, random_pick(r, ROWS));
}

static uint32_t axis_make(struct random_loops *r, unsigned *op_out)
{
	static const char *const names[] = {"i", "j", "k"};
	static const int64_t sums[ROWS + 1] = {0, 3, 3, 4, 9, 11, 12}, sparse[ROWS + 1 + INDICES] = {0, 2, 2, 5, 6, 9, 9, 1, 4, 0, 7, 2, 3, 5, 3, 0};
	static const uint32_t levels[2][2] = {{8, 64}, {4, 128}};
	const char *name = names[random_pick(r, 3)];
	uint32_t low = number(r, 0), one = number(r, 1);

	*op_out = random_pick(r, 4) ? PTOWSP_OP_PARALLEL_FOR : PTOWSP_OP_FOR_EACH;
	switch (random_pick(r, 9)) {
	case 0: return builder_axis_values(r->b, name, PTOWSP_AXIS_RAGGED, ROWS, some_row(r), ROWS + 1, sums);
	case 1: /* rows follow each other with the outer loop */
		return builder_axis_values(r->b, name, PTOWSP_AXIS_RAGGED, ROWS,
					   r->loops ? builder_expr(r->b, PTOWSP_EXPR_LOOP, (uint32_t)r->loops - 1, 0, 0) : low, ROWS + 1, sums);
	case 2: *op_out = PTOWSP_OP_SELECT; return builder_axis_values(r->b, name, PTOWSP_AXIS_SPARSE, ROWS, some_row(r), ROWS + 1 + INDICES, sparse);
	case 3: return builder_axis(r->b, name, low, number(r, random_pick(r, 25)), one, builder_levels(r->b, 8, 4, 2, levels));
	case 4: return builder_axis(r->b, name, low, binary(r, PTOWSP_EXPR_MIN, some_value(r), number(r, 7)), one, PTOWSP_NONE);
	case 5:
		return builder_axis(r->b, name, number(r, (int64_t)random_pick(r, 6) - 3), number(r, random_pick(r, 12)), number(r, 1 + random_pick(r, 3)),
				    PTOWSP_NONE);
	default: return builder_axis(r->b, name, low, number(r, 1 + random_pick(r, ROWS)), one, PTOWSP_NONE);
	}
}

static void task_make(struct random_loops *r)
{
	static const char *const shapes[] = {"r", "w", "m", "rw", "rm", "rrw", "ww"};
	const char *access = r->tensors ? shapes[random_pick(r, 7)] : "";
	uint32_t regions[3], count = (uint32_t)strlen(access);

	for (uint32_t k = 0; k < count; k++) {
		uint32_t row =
			r->loops && random_pick(r, 4)
				? binary(r, PTOWSP_EXPR_AND, builder_expr(r->b, PTOWSP_EXPR_LOOP, random_pick(r, (uint32_t)r->loops), 0, 0), number(r, 7))
				: number(r, random_pick(r, 8));

		regions[k] =
			builder_region(r->b, random_pick(r, 4), random_pick(r, 3) ? row : number(r, random_pick(r, 7)), number(r, random_pick(r, 2) * 2), 1, 2);
	}
	builder_task_list(r->b, count, number(r, 1 + random_pick(r, 20)), count, access, regions);
	r->budget--;
}

static void body_make(struct random_loops *r);

static void loop_make(struct random_loops *r)
{
	unsigned op;
	uint32_t axis = axis_make(r, &op);

	builder_loop(r->b, op, axis);
	r->loops++;
	body_make(r);
	r->loops--;
	builder_end(r->b);
}

static void branches_make(struct random_loops *r)
{
	static const unsigned ops[] = {PTOWSP_OP_COND, PTOWSP_OP_SEQUENTIAL, PTOWSP_OP_COMBINE};
	unsigned op = ops[random_pick(r, 3)];

	builder_branches(r->b, op, 2, op == PTOWSP_OP_COND ? binary(r, PTOWSP_EXPR_AND, some_value(r), number(r, 1)) : 0);
	builder_next(r->b);
	body_make(r);
	builder_next(r->b);
	body_make(r);
	builder_end(r->b);
}

static void filter_make(struct random_loops *r)
{
	static const unsigned kinds[] = {PTOWSP_DISPATCH_ROUND_ROBIN, PTOWSP_DISPATCH_AFFINITY,         PTOWSP_DISPATCH_HASH,
					 PTOWSP_DISPATCH_CUSTOM,      PTOWSP_DISPATCH_STATIC_PARTITION, PTOWSP_DISPATCH_THRESHOLD};

	builder_emit(r->b, PTOWSP_OP_DISPATCH_FILTER, kinds[random_pick(r, 6)], some_value(r));
}

static void statement_make(struct random_loops *r)
{
	switch (random_pick(r, 10)) {
	case 0:
		builder_scope(r->b);
		body_make(r);
		builder_end(r->b);
		return;
	case 1:
	case 2: branches_make(r); return;
	case 3:
		if (r->filters)
			filter_make(r);
		/* fall through */
	case 4:
	case 5: task_make(r); return;
	default: loop_make(r); return;
	}
}

static void body_make(struct random_loops *r)
{
	int count = 1 + (int)random_pick(r, 3);

	r->depth++;
	for (int k = 0; k < count; k++) {
		if (r->budget > 0 && r->depth < 5)
			statement_make(r);
		else
			task_make(r);
	}
	r->depth--;
}

static void schedule_make(struct random_loops *r)
{
	struct builder *b = r->b;
	uint32_t value = builder_axis_value(b, "j");

	switch (random_pick(r, 9)) {
	case 0: break;
	case 1: builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_ROUND_ROBIN, "n", (int64_t)3); break;
	case 2: builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_AFFINITY, "wn", "i", (int64_t)4); break;
	case 3: builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_HASH, "en", value, (int64_t)2); break;
	case 4:
		builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_CUSTOM, "en", binary(r, PTOWSP_EXPR_SUB, number(r, 2), value), (int64_t)5);
		break;
	case 5:
		builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_STATIC_PARTITION, "nnn", (int64_t)random_pick(r, 9), (int64_t)20, (int64_t)13);
		break;
	case 6:
		builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_THRESHOLD, "ewnw", builder_axis_value(b, "i"), "round_robin(2)", (int64_t)2,
				 random_pick(r, 2) ? "affinity(k, 3)" : "spatial_map(2, 3)");
		break;
	case 7: builder_schedule(b, PTOWSP_DIRECTIVE_SPATIAL_MAP, PTOWSP_SPATIAL_MAP_GRID, "nn", (int64_t)2, (int64_t)3); break;
	case 8:
		builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_CUSTOM, "en",
				 binary(r, PTOWSP_EXPR_MOD, builder_expr(b, PTOWSP_EXPR_TASK, 0, 0, 0), number(r, 7)), (int64_t)5);
		break;
	}
}

struct random_loops random_loops_make(uint64_t seed, bool filters, bool tensors)
{
	struct random_loops r = {.state = draw_seed(seed), .b = builder_create(), .budget = 12, .filters = filters, .tensors = tensors};
	static const unsigned units[] = {PTOWSP_UNIT_AIV, PTOWSP_UNIT_AIC, PTOWSP_UNIT_AIV, PTOWSP_UNIT_AIC};

	for (uint32_t k = 0; k < 4; k++)
		builder_kernel(r.b, check_fmt("k%u", k), units[k], 1, k);
	for (uint32_t t = 0; t < 4; t++)
		builder_tensor(r.b, check_fmt("t%u", t), PTOWSP_I64, 8, 4);
	schedule_make(&r);
	body_make(&r);
	return r;
}
