/* SPDX-License-Identifier: MIT */
#include "tests/rt/builder/rt_loops.h"

#include "tests/check.h"
#include "tests/draw.h"

enum { TENSORS = 3, ROWS = 160, PARAMS = 4, KERNELS = PARAMS + 1 };

uint32_t rt_loops_pick(struct rt_loops *r, uint32_t n)
{
	return (uint32_t)draw(&r->state, n);
}

uint32_t rt_loops_number(struct rt_loops *r, int64_t n)
{
	return builder_const(r->b, n);
}

uint32_t rt_loops_value(struct rt_loops *r, uint32_t depth)
{
	return builder_expr(r->b, PTOWSP_EXPR_LOOP, depth, 0, 0);
}

uint32_t rt_loops_op(struct rt_loops *r, unsigned code, uint32_t a, uint32_t b)
{
	return builder_expr(r->b, code, a, b, 0);
}

/* 0 .. 125; the innermost loop is below 40, those around it below 12. */
static uint32_t row(struct rt_loops *r)
{
	uint32_t inner = rt_loops_value(r, r->loops - 1), outer = rt_loops_value(r, 0), near = rt_loops_number(r, rt_loops_pick(r, r->spread));

	switch (rt_loops_pick(r, r->moving ? 6 : 10)) {
	case 0: return rt_loops_op(r, PTOWSP_EXPR_ADD, inner, near);
	case 1: return rt_loops_op(r, PTOWSP_EXPR_SUB, rt_loops_number(r, 40 + rt_loops_pick(r, r->spread)), inner);
	case 2: return rt_loops_op(r, PTOWSP_EXPR_ADD, rt_loops_op(r, PTOWSP_EXPR_MUL, inner, rt_loops_number(r, 2)), near);
	case 3:
		return rt_loops_op(r, PTOWSP_EXPR_ADD,
				   r->loops > 1 ? rt_loops_op(r, PTOWSP_EXPR_MUL, outer,
							      rt_loops_number(r, r->shift && rt_loops_pick(r, 2) ? r->shift : rt_loops_pick(r, 7)))
						: near,
				   inner);
	case 4: return r->loops > 1 ? rt_loops_op(r, PTOWSP_EXPR_ADD, outer, near) : near;
	case 5: return rt_loops_op(r, PTOWSP_EXPR_ADD, rt_loops_number(r, 20), near);
	default: return near;
	}
}

static void task(struct rt_loops *r)
{
	uint32_t count = rt_loops_pick(r, PARAMS + 1), regions[PARAMS];
	char access[PARAMS + 1] = "";

	for (uint32_t i = 0; i < count; i++) {
		regions[i] = builder_region(r->b, rt_loops_pick(r, 8) ? 0 : rt_loops_pick(r, TENSORS), row(r), rt_loops_number(r, 0),
					    rt_loops_pick(r, 40) ? 1 : 2, 1);
		access[i] = "rrrwwmm"[rt_loops_pick(r, 7)];
	}
	builder_task_list(r->b, count, rt_loops_number(r, 3 * (int64_t)count), count, access, regions);
}

static void loop(struct rt_loops *r, uint32_t low, uint32_t count, uint32_t step, uint32_t levels)
{
	builder_loop(r->b, PTOWSP_OP_PARALLEL_FOR,
		     builder_axis(r->b, r->loops ? "j" : "i", rt_loops_number(r, low), rt_loops_number(r, low + count), rt_loops_number(r, step), levels));
	r->loops++;
}

/* A loop over nothing but tasks. */
static void inner(struct rt_loops *r)
{
	static const uint32_t levels[3][2] = {{16, 64}, {8, 64}, {0, 32}};

	if (rt_loops_pick(r, 4))
		loop(r, rt_loops_pick(r, 2), 4 + rt_loops_pick(r, 35), 1 + (rt_loops_pick(r, 4) == 0), PTOWSP_NONE);
	else
		loop(r, 0, 4 + rt_loops_pick(r, 35), 1, builder_levels(r->b, 16, 8, 3, levels));
	for (uint32_t n = 1 + rt_loops_pick(r, 5); n; n--)
		task(r);
	builder_end(r->b);
	r->loops--;
}

/* The level of a loop around wins over those of the loops in it, whose steps stay. */
static void nest(struct rt_loops *r)
{
	static const uint32_t levels[2][2] = {{8, 64}, {0, 32}};

	if (!rt_loops_pick(r, 3)) {
		inner(r);
		return;
	}
	if (rt_loops_pick(r, 6))
		loop(r, 0, 1 + rt_loops_pick(r, rt_loops_pick(r, 2) ? 4 : 12), 1, PTOWSP_NONE);
	else
		loop(r, 0, 1 + rt_loops_pick(r, 12), 1, builder_levels(r->b, 8, 8, 2, levels));
	for (uint32_t n = 1 + rt_loops_pick(r, 3); n; n--)
		if (rt_loops_pick(r, 4))
			inner(r);
		else
			task(r);
	builder_end(r->b);
	r->loops--;
}

static void schedule(struct rt_loops *r, bool full)
{
	uint32_t window = rt_loops_pick(r, 3) ? 1 + rt_loops_pick(r, rt_loops_pick(r, 2) ? 12 : 90) : 4096;
	bool exact = rt_loops_pick(r, 3) != 0;

	builder_schedule(r->b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", (int64_t)window);
	r->races = exact || !full;
	if (exact)
		builder_schedule(r->b, PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_TENSOR_MAP_EXACT, "");
	if (!full)
		builder_schedule(r->b, PTOWSP_DIRECTIVE_HAZARDS, PTOWSP_HAZARDS_RAW, "");
}

void rt_loops_begin(struct rt_loops *r, uint64_t seed)
{
	*r = (struct rt_loops){.state = draw_seed(seed), .b = builder_create()};
	for (int i = 0; i < 4; i++)
		rt_loops_pick(r, 2);
}

void rt_loops_make(struct rt_loops *r, uint64_t seed, bool full)
{
	rt_loops_begin(r, seed);
	r->spread = 1 + rt_loops_pick(r, 6);
	r->shift = rt_loops_pick(r, 2) ? 1 + rt_loops_pick(r, 7) : 0;
	r->moving = rt_loops_pick(r, 2);
	for (uint32_t t = 0; t < TENSORS; t++)
		builder_tensor(r->b, check_fmt("t%u", t), PTOWSP_I64, ROWS, 1);
	for (uint32_t k = 0; k < KERNELS; k++)
		builder_kernel_flags(r->b, builder_kernel(r->b, check_fmt("k%u", k), PTOWSP_UNIT_AIV, 1, k), BUILDER_STEADY);
	schedule(r, full);
	for (uint32_t n = 1 + rt_loops_pick(r, 4); n; n--)
		nest(r);
}
