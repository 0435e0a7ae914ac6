/* SPDX-License-Identifier: MIT */
#include "tests/rt/builder/random_memory.h"

#include "tests/check.h"
#include "tests/draw.h"

/* Tensors: two that stay, two temp ones whose keys lie on a grid, two that are allocated. */
enum { STAYS, TEMP = 2, ALLOCATED = 4, TENSORS = 6, ROWS = 8, COLUMNS = 4, KERNELS = 5 };

static uint32_t pick(struct random_memory *m, uint32_t n)
{
	return random_pick(&m->r, n);
}

static bool chance(struct random_memory *m, uint32_t one_in)
{
	return !pick(m, one_in);
}

static uint32_t number(struct random_memory *m, int64_t n)
{
	return builder_const(m->r.b, n);
}

static uint32_t op(struct random_memory *m, unsigned code, uint32_t a, uint32_t b)
{
	return builder_expr(m->r.b, code, a, b, 0);
}

/* 0 .. n - 1, n a power of two. */
static uint32_t below(struct random_memory *m, int64_t n)
{
	uint32_t value;

	switch (pick(m, 4)) {
	case 0: return number(m, pick(m, (uint32_t)n));
	case 1: value = builder_expr(m->r.b, PTOWSP_EXPR_VALUE, 0, 0, 0); break;
	default:
		value = m->r.loops ? builder_expr(m->r.b, PTOWSP_EXPR_LOOP, pick(m, (uint32_t)m->r.loops), 0, 0)
				   : builder_expr(m->r.b, PTOWSP_EXPR_TASK, 0, 0, 0);
	}
	return op(m, PTOWSP_EXPR_AND, value, number(m, n - 1));
}

static uint32_t some_value(struct random_memory *m)
{
	return op(m, PTOWSP_EXPR_ADD, below(m, 8), number(m, pick(m, 5)));
}

/* Temp tensors in blocks of 2 x 4, one of them as a whole. */
static uint32_t region_of(struct random_memory *m, uint32_t tensor)
{
	if (tensor == TEMP)
		return builder_region(m->r.b, tensor, op(m, PTOWSP_EXPR_MUL, below(m, 4), number(m, 2)), number(m, 0), 2, COLUMNS);
	if (tensor == TEMP + 1)
		return builder_region(m->r.b, tensor, number(m, 0), number(m, 0), ROWS, COLUMNS);
	return builder_region(m->r.b, tensor, below(m, ROWS / 2), number(m, 0), 1 + pick(m, 4), COLUMNS);
}

static uint32_t tensor_pick(struct random_memory *m)
{
	uint32_t tensor = pick(m, TENSORS);

	return tensor >= ALLOCATED && !m->alive[tensor - ALLOCATED] ? pick(m, ALLOCATED) : tensor;
}

static void task(struct random_memory *m)
{
	static const char *const shapes[] = {"r", "w", "m", "rw", "wr", "mw"};
	const char *access = shapes[pick(m, 6)];
	uint32_t regions[2], count = access[1] ? 2 : 1;

	for (uint32_t k = 0; k < count; k++)
		regions[k] = region_of(m, tensor_pick(m));
	builder_task_list(m->r.b, count == 1 ? pick(m, 2) : 2 + pick(m, KERNELS - 2), chance(m, 4) ? below(m, 16) : number(m, pick(m, 30)), count, access,
			  regions);
	m->r.budget--;
}

static void body(struct random_memory *m);

static void loop(struct random_memory *m)
{
	static const char *const names[] = {"i", "j", "k"};

	builder_loop_n(m->r.b, chance(m, 2) ? PTOWSP_OP_FOR_EACH : PTOWSP_OP_PARALLEL_FOR, names[pick(m, 3)], 1 + pick(m, 4));
	m->r.loops++;
	body(m);
	m->r.loops--;
	builder_end(m->r.b);
}

static void branches(struct random_memory *m)
{
	static const unsigned ops[] = {PTOWSP_OP_COND, PTOWSP_OP_SEQUENTIAL, PTOWSP_OP_COMBINE};
	unsigned code = ops[pick(m, 3)];

	builder_branches(m->r.b, code, 2, code == PTOWSP_OP_COND ? below(m, 2) : 0);
	for (int k = 0; k < 2; k++) {
		builder_next(m->r.b);
		body(m);
	}
	builder_end(m->r.b);
}

static void alloc(struct random_memory *m)
{
	uint32_t which = pick(m, 2);

	if (m->alive[which]) {
		task(m);
		return;
	}
	builder_emit(m->r.b, PTOWSP_OP_ALLOC, 0, ALLOCATED + which);
	m->alive[which] = true;
	body(m);
	m->alive[which] = false;
	builder_emit(m->r.b, PTOWSP_OP_FREE, 0, ALLOCATED + which);
}

static void sync(struct random_memory *m)
{
	switch (pick(m, 4)) {
	case 0: builder_emit(m->r.b, PTOWSP_OP_BARRIER, 0, 0); return;
	case 1:
		builder_emit(m->r.b, PTOWSP_OP_SIGNAL, 0, m->event);
		body(m);
		builder_emit(m->r.b, PTOWSP_OP_WAIT, 0, m->event);
		return;
	default: builder_emit(m->r.b, PTOWSP_OP_FENCE, pick(m, 3), 0);
	}
}

static void copy(struct random_memory *m)
{
	uint32_t rows = 1 + pick(m, 4);

	builder_copy(m->r.b, builder_region(m->r.b, STAYS, below(m, 4), number(m, 0), rows, COLUMNS),
		     builder_region(m->r.b, STAYS + 1, below(m, 4), number(m, 0), rows, COLUMNS));
	m->r.budget--;
}

static void nested(struct random_memory *m, uint32_t what)
{
	switch (what) {
	case 0:
		builder_scope(m->r.b);
		body(m);
		builder_end(m->r.b);
		return;
	case 1: branches(m); return;
	case 2: alloc(m); return;
	case 3: sync(m); return;
	default: loop(m);
	}
}

static void statement(struct random_memory *m)
{
	uint32_t what = pick(m, 16);

	if (what < 7 && m->r.budget > 0 && m->r.depth < 5)
		nested(m, what);
	else if (what == 7)
		builder_slot_load(m->r.b, 0, builder_region(m->r.b, STAYS, below(m, 8), number(m, 0), 1, 1));
	else if (what == 8)
		builder_slot_set(m->r.b, 0, some_value(m));
	else if (what == 9 && m->filters)
		builder_emit(m->r.b, PTOWSP_OP_DISPATCH_FILTER, PTOWSP_DISPATCH_CUSTOM, some_value(m));
	else if (what < 12)
		copy(m);
	else
		task(m);
}

static void body(struct random_memory *m)
{
	m->r.depth++;
	for (uint32_t n = 1 + pick(m, 3); n; n--)
		statement(m);
	m->r.depth--;
}

/* ---- schedule ----------------------------------------------------------------------------------------------------- */

#define ROW(directive, policy, ...) builder_schedule(m->r.b, PTOWSP_DIRECTIVE_##directive, PTOWSP_##directive##_##policy, __VA_ARGS__)

static void dispatch(struct random_memory *m)
{
	int64_t n = 1 + pick(m, 5);

	switch (pick(m, 9)) {
	case 0: ROW(DISPATCH, ROUND_ROBIN, "n", n); return;
	case 1: ROW(DISPATCH, AFFINITY, "wn", "i", n); return;
	case 2: ROW(DISPATCH, HASH, "en", some_value(m), n); return;
	case 3: ROW(DISPATCH, CUSTOM, "en", some_value(m), n); return;
	case 4: ROW(DISPATCH, WORK_STEAL, "n", n); return;
	case 5: ROW(DISPATCH, THRESHOLD, "ewnw", some_value(m), "round_robin(2)", (int64_t)4, "affinity(k, 3)"); return;
	case 6: ROW(SPATIAL_MAP, GRID, "nn", (int64_t)2, n); return;
	case 7: ROW(DISPATCH, STATIC_PARTITION, "nn", (int64_t)pick(m, 9), (int64_t)20); return;
	default: m->filters = chance(m, 2);
	}
}

static void resources(struct random_memory *m)
{
	if (chance(m, 2))
		ROW(HEAP, CAPACITY, "n", (int64_t)(64 * (4 + pick(m, 20))));
	switch (pick(m, 6)) {
	case 0: ROW(TASK_WINDOW, ABORT, "n", (int64_t)(4 + pick(m, 30))); break;
	case 1: ROW(TASK_WINDOW, BENCHMARK, "nw", (int64_t)(1 + pick(m, 12)), "tasks"); break;
	case 2:
	case 3: ROW(TASK_WINDOW, STALL, "n", (int64_t)(3 + pick(m, 20))); break;
	}
	if (chance(m, 5))
		ROW(TENSOR_MAP, CAPACITY, "n", (int64_t)(3 + pick(m, 10)));
	if (chance(m, 5))
		ROW(DEP_LIST, CAPACITY, "n", (int64_t)(4 + pick(m, 12)));
	if (chance(m, 5))
		ROW(READY_QUEUE, CAPACITY, "n", (int64_t)(1 + pick(m, 4)));
}

static void times(struct random_memory *m)
{
	static const char *const domains[] = {"global", "stream", "pool", "i"};

	if (chance(m, 4))
		ROW(PIPELINE_DEPTH, DEPTH, "wn", domains[pick(m, 4)], (int64_t)(1 + pick(m, 3)));
	if (chance(m, 4))
		ROW(STREAMS, COUNT, "n", (int64_t)(1 + pick(m, 3)));
	if (chance(m, 4))
		ROW(BATCH_DEPS, COUNT, "n", (int64_t)(1 + pick(m, 6)));
	if (chance(m, 5))
		ROW(ISSUE_COST, CYCLES, "n", (int64_t)pick(m, 8));
	if (chance(m, 6))
		ROW(START, THRESHOLD, "n", (int64_t)(1 + pick(m, 12)));
	else if (chance(m, 8))
		ROW(START, AFTER_ORCHESTRATION, "");
	if (chance(m, 5))
		ROW(POOLS, BY_EXEC_UNIT, "");
	if (chance(m, 8) && !m->filters)
		ROW(TIMING, INTERLEAVED, "");
	if (chance(m, 4))
		ROW(DEPS, HYBRID, "w", "bytes_overlap");
}

static void tables(struct random_memory *m)
{
	static const unsigned units[] = {PTOWSP_UNIT_AIV, PTOWSP_UNIT_AIC, PTOWSP_UNIT_AIC_AIV, PTOWSP_UNIT_ANY, PTOWSP_UNIT_AICPU};

	for (uint32_t k = 0; k < KERNELS; k++)
		builder_kernel(m->r.b, check_fmt("k%u", k), units[pick(m, chance(m, 2) ? 2 : 5)], 1, k < 2 ? 1 : 2);
	for (uint32_t t = 0; t < TENSORS; t++)
		builder_tensor(m->r.b, check_fmt("t%u", t), PTOWSP_I64, ROWS, COLUMNS);
	builder_role(m->r.b, TEMP, PTOWSP_ROLE_TEMP);
	builder_role(m->r.b, TEMP + 1, PTOWSP_ROLE_TEMP);
	builder_slot(m->r.b, "s", PTOWSP_SLOT_SLOT, 1);
	m->event = builder_event(m->r.b, "e");
}

struct random_memory random_memory_make(uint64_t seed)
{
	struct random_memory m = {.r = {.state = draw_seed(seed), .b = builder_create(), .budget = 40}};

	for (int i = 0; i < 4; i++)
		pick(&m, 2);
	tables(&m);
	dispatch(&m);
	resources(&m);
	times(&m);
	for (uint32_t n = 2 + pick(&m, 4); n; n--)
		statement(&m);
	builder_emit(m.r.b, PTOWSP_OP_SIGNAL, 0, m.event); /* every wait has one in the program */
	return m;
}
