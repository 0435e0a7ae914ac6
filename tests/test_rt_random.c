/* SPDX-License-Identifier: MIT
 * test_rt_random.c - random programs by the runtime core and by the plain model of model/rt_model.h: the same tasks, edges, executors, times,
 * stalls, high-water marks and memory, with one thread and with several. A failure names its seed: PTOWSP_SEED=N runs one seed,
 * PTOWSP_SEEDS=N that many. */
#include "check.h"
#include "model/rt_model.h"
#include "rt/crew.h"
#include "rt_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS = 6, TENSORS = 4, SLOTS = 3, PARAMS = 3, FIRST_SLOT = 1 };
static const int64_t shapes[TENSORS][2] = {{8, 8}, {4, 6}, {32, 0}, {32, 2}};
static const char *const loop_names[] = {"i", "j", "k"};

struct random {
	uint64_t state;
	struct builder *b;
	struct model_schedule schedule;
	struct model_kernel kernels[KERNELS];
	uint32_t tensor_counts[KERNELS];
	bool flat[KERNELS];
	int loops, depth, orders, budget;
	bool loads, unsafe, later;
	bool plain; /* one executor, a window that stalls, no loads: what most programs are, and runs have a short way for */
};

static uint32_t pick(struct random *r, uint32_t n)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 7;
	r->state ^= r->state << 17;
	return (uint32_t)(r->state >> 20) % n;
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
	static const unsigned ops[] = {PTOWSP_EXPR_ADD, PTOWSP_EXPR_SUB, PTOWSP_EXPR_MUL, PTOWSP_EXPR_MIN, PTOWSP_EXPR_MAX, PTOWSP_EXPR_AND,
				       PTOWSP_EXPR_OR,	PTOWSP_EXPR_XOR, PTOWSP_EXPR_EQ,  PTOWSP_EXPR_LT,  PTOWSP_EXPR_GE,  PTOWSP_EXPR_LAND,
				       PTOWSP_EXPR_SHL, PTOWSP_EXPR_SHR};
	uint32_t a, b, c;

	if (!depth || chance(r, 3))
		return leaf(r);
	a = expression(r, depth - 1);
	if (chance(r, 8))
		return op(r, chance(r, 2) ? PTOWSP_EXPR_NEG : PTOWSP_EXPR_LNOT, a, 0);
	if (chance(r, 6)) /* never by zero, but not always provably so */
		return op(r, chance(r, 2) ? PTOWSP_EXPR_DIV : PTOWSP_EXPR_MOD, a,
			  chance(r, 200) ? leaf(r) : op(r, PTOWSP_EXPR_OR, leaf(r), number(r, 1)));
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
	int64_t h = shapes[t][1] ? shapes[t][0] : 1, w = shapes[t][1] ? shapes[t][1] : shapes[t][0];
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
	int64_t elements = shapes[t][0] * (shapes[t][1] ? shapes[t][1] : 1);

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

static void statement(struct random *r)
{
	uint32_t what = pick(r, 20), slot = FIRST_SLOT + pick(r, SLOTS - FIRST_SLOT);

	r->budget--;
	if (r->depth > 3 || r->budget < 0 || what < 10) {
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
	struct model_schedule *s = &r->schedule;

	s->executors = 1 + pick(r, 4);
	switch (pick(r, 8)) {
	case 0: s->executors = 1; return;
	case 1: s->dispatch = MODEL_ROUND_ROBIN; ROW(DISPATCH, ROUND_ROBIN, "n", s->executors); return;
	case 2:
		s->dispatch = MODEL_AFFINITY;
		s->axis = loop_names[pick(r, 3)];
		ROW(DISPATCH, AFFINITY, "wn", s->axis, s->executors);
		return;
	case 3:
		s->dispatch = MODEL_HASH;
		s->dispatch_expr = expression(r, 2);
		ROW(DISPATCH, HASH, "en", s->dispatch_expr, s->executors);
		return;
	case 4:
		s->dispatch = MODEL_CUSTOM;
		s->dispatch_expr = expression(r, 2);
		ROW(DISPATCH, CUSTOM, "en", s->dispatch_expr, s->executors);
		return;
	case 5:
		s->dispatch = MODEL_PARTITION;
		s->bounds[0] = pick(r, 5), s->bounds[1] = 5 + pick(r, 5), s->bound_count = 2;
		s->executors = 3;
		ROW(DISPATCH, STATIC_PARTITION, "nn", s->bounds[0], s->bounds[1]);
		return;
	case 6:
		s->dispatch = MODEL_GRID;
		s->grid[0] = 1 + pick(r, 2), s->grid[1] = 1 + pick(r, 3);
		s->executors = s->grid[0] * s->grid[1];
		ROW(SPATIAL_MAP, GRID, "nn", s->grid[0], s->grid[1]);
		return;
	default: s->dispatch = MODEL_STEAL; ROW(DISPATCH, WORK_STEAL, "n", s->executors);
	}
}

static void dependencies(struct random *r)
{
	struct model_schedule *s = &r->schedule;
	uint32_t deps = pick(r, 8);

	s->overlap = deps < 4;
	s->exact = deps == 4 || deps == 5;
	s->full = !chance(r, 4);
	if (deps == 3)
		ROW(DEPS, HYBRID, "w", "bytes_overlap");
	if (deps == 4)
		ROW(DEPS, TENSOR_MAP_EXACT, "");
	if (deps == 5)
		ROW(DEPS, HYBRID, "");
	if (deps > 5)
		ROW(DEPS, EXPLICIT, "");
	if (!s->full)
		ROW(HAZARDS, RAW, "");
	r->unsafe = !s->overlap || !s->full;
}

static void resources(struct random *r)
{
	struct model_schedule *s = &r->schedule;
	uint32_t mode = pick(r, 10);

	s->window = 8192;
	s->map = s->deps = 65536;
	if (chance(r, 2)) {
		s->window = chance(r, 5) ? 0 : 1 + pick(r, chance(r, 2) ? 40 : 6);
		s->abort = mode == 0;
		s->benchmark = mode == 1;
		if (mode == 0)
			ROW(TASK_WINDOW, ABORT, "n", (int64_t)s->window);
		else if (mode == 1)
			ROW(TASK_WINDOW, BENCHMARK, "nw", (int64_t)s->window, "tasks");
		else
			ROW(TASK_WINDOW, STALL, "n", (int64_t)s->window);
	}
	s->ready = s->window;
	if (!s->window)
		s->map = s->deps = 0;
	if (r->plain && chance(r, 2))
		return;
	if (chance(r, 4))
		ROW(TENSOR_MAP, CAPACITY, "n", (int64_t)(s->map = 2 + pick(r, 10)));
	if (chance(r, 4))
		ROW(DEP_LIST, CAPACITY, "n", (int64_t)(s->deps = 1 + pick(r, 12)));
	if (chance(r, 4))
		ROW(READY_QUEUE, CAPACITY, "n", (int64_t)(s->ready = 1 + pick(r, 4)));
}

static void depths(struct random *r)
{
	static const char *const words[] = {"global", "stream", "pool", "i"};
	struct model_schedule *s = &r->schedule;

	for (uint32_t d = 0; d < 4 && s->depth_count < 3; d++) {
		if (!chance(r, 6))
			continue;
		s->depths[s->depth_count].domain = (enum model_domain)d;
		s->depths[s->depth_count].loop = "i";
		s->depths[s->depth_count].depth = 1 + pick(r, 3);
		ROW(PIPELINE_DEPTH, DEPTH, "wn", words[d], (int64_t)s->depths[s->depth_count].depth);
		s->depth_count++;
	}
}

static void others(struct random *r)
{
	struct model_schedule *s = &r->schedule;

	if (chance(r, 4)) {
		s->pools = MODEL_BY_UNIT;
		ROW(POOLS, BY_EXEC_UNIT, "");
	} else if (chance(r, 6)) {
		s->pools = MODEL_BY_EXPR;
		s->pool_expr = op(r, PTOWSP_EXPR_AND, expression(r, 1), number(r, 3));
		ROW(POOLS, CUSTOM, "e", s->pool_expr);
	}
	if (chance(r, 4)) {
		s->streams = 1 + pick(r, 3);
		ROW(STREAMS, COUNT, "n", (int64_t)s->streams);
		s->stream_by = chance(r, 2);
		s->stream_expr = expression(r, 2);
		if (s->stream_by)
			ROW(STREAM_BY, EXPRESSION, "e", s->stream_expr);
	}
	if (chance(r, 4))
		ROW(ISSUE_COST, CYCLES, "n", (int64_t)(s->spacing = pick(r, 6)));
	else if (chance(r, 6))
		ROW(TIMING, RATE_LIMIT, "n", (int64_t)(s->spacing = pick(r, 6)));
	if (chance(r, 4) && s->pools != MODEL_BY_UNIT)
		ROW(START, THRESHOLD, "n", (int64_t)(s->start = 1 + pick(r, 12)));
	if (chance(r, 4))
		ROW(BATCH_DEPS, COUNT, "n", (int64_t)(s->batch = 1 + pick(r, 5)));
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
				struct model_touch touch = {a, pick(r, 5), 1 + pick(r, 4), 1 + pick(r, 3)};

				r->kernels[k].touches[r->kernels[k].touch_count++] = touch;
				builder_touch(r->b, k, a, touch.offset, (uint64_t)touch.length, touch.access);
			}
	}
	if (variants)
		builder_variant(r->b, 0, 64, KERNELS - 1);
}

static void make(struct random *r, uint64_t seed)
{
	memset(r, 0, sizeof(*r));
	r->state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
	for (int i = 0; i < 4; i++)
		pick(r, 2);
	r->b = builder_create();
	r->budget = 40;
	r->schedule.executors = 1;
	for (uint32_t t = 0; t < TENSORS; t++)
		builder_tensor(r->b, check_fmt("t%u", t), PTOWSP_I64, shapes[t][0], shapes[t][1]);
	builder_slot(r->b, "n", PTOWSP_SLOT_SYMBOL, pick(r, 5));
	builder_slot(r->b, "s", PTOWSP_SLOT_SLOT, pick(r, 3));
	builder_slot(r->b, "t", PTOWSP_SLOT_SLOT, 1);
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

/* ---- comparison -------------------------------------------------------------------------------------------------- */

static bool meter_same(const struct outcome *o, const char *name, const struct model_meter *want, const char *who)
{
	const struct ptowsp_resource_stats *got = outcome_resource(o, name);

	if (got->high_water == want->high_water && got->stall_count == want->stalls && got->stall_cycles == want->cycles)
		return true;
	CHECK_FAIL("%s: %s: high water %ju stalls %ju cycles %ju, not %ju %ju %ju", who, name, (uintmax_t)got->high_water,
		   (uintmax_t)got->stall_count, (uintmax_t)got->stall_cycles, (uintmax_t)want->high_water, (uintmax_t)want->stalls,
		   (uintmax_t)want->cycles);
	return false;
}

static const char *pool_name(const struct random *r, const struct outcome *o, int pool)
{
	(void)r;
	return 4u + (unsigned)pool < o->stats.resource_count ? o->resources[4 + pool].name : "";
}

static bool tasks_same(const struct outcome *o, const struct model *m, const char *who)
{
	bool same = o->task_count == (uint32_t)m->count;

	for (int i = 0; same && i < m->count; i++) {
		const struct ptowsp_trace_task *got = &o->tasks[i];
		const struct model_task *want = &m->tasks[i];

		same = got->task == (uint64_t)i && got->kernel == want->kernel && got->executor == want->executor && got->start == want->start &&
		       got->end == want->end && got->stream == want->stream;
		if (!same)
			CHECK_FAIL("%s: task %d: kernel %u executor %u stream %u %ju..%ju, not kernel %u executor %ju stream %ju %ju..%ju", who, i,
				   got->kernel, got->executor, got->stream, (uintmax_t)got->start, (uintmax_t)got->end, want->kernel,
				   (uintmax_t)want->executor, (uintmax_t)want->stream, (uintmax_t)want->start, (uintmax_t)want->end);
	}
	if (o->task_count != (uint32_t)m->count)
		CHECK_FAIL("%s: %u tasks, not %d", who, o->task_count, m->count);
	return same;
}

static bool edges_same(const struct outcome *o, const struct model *m, const char *who)
{
	uint32_t at = 0;

	for (int i = 0; i < m->count; i++)
		for (int p = 0; p < i; p++) {
			bool have = at < o->edge_count && o->edges[at].producer == (uint64_t)p && o->edges[at].consumer == (uint64_t)i;

			if (have != m->tasks[i].preds[p]) {
				CHECK_FAIL("%s: edge %d -> %d is %s", who, p, i, have ? "there" : "missing");
				return false;
			}
			at += have;
		}
	CHECK_UINT(o->stats.edges, m->edges);
	return at == o->edge_count;
}

static bool stats_same(const struct random *r, const struct outcome *o, const struct model *m, const char *who)
{
	bool same = o->stats.total_cycles == m->total && o->stats.executors == (uint64_t)m->pools * (uint64_t)r->schedule.executors &&
		    o->stats.batches == m->batches && o->stats.flushes == m->flushes && o->stats.tasks == (uint64_t)m->count;

	if (!same)
		CHECK_FAIL("%s: cycles %ju executors %ju batches %ju flushes %ju, not %ju %ju %ju %ju", who, (uintmax_t)o->stats.total_cycles,
			   (uintmax_t)o->stats.executors, (uintmax_t)o->stats.batches, (uintmax_t)o->stats.flushes, (uintmax_t)m->total,
			   (uintmax_t)m->pools * (uintmax_t)r->schedule.executors, (uintmax_t)m->batches, (uintmax_t)m->flushes);
	same = meter_same(o, "task_ring", &m->ring, who) && same;
	same = meter_same(o, "tensor_map", &m->map, who) && same;
	same = meter_same(o, "dep_list", &m->deps, who) && same;
	for (int p = 0; p < m->pools; p++)
		same = meter_same(o, pool_name(r, o, p), &m->ready[p], who) && same;
	return same;
}

static bool same(const struct random *r, const struct outcome *o, const struct model *m, const char *who, bool memory)
{
	uint64_t elements = 0;

	if (o->status != m->status || (m->status && o->error.where[0] != (uint64_t)m->stopped_at)) {
		CHECK_FAIL("%s: status %d at task %ju (%s), not %d at task %d", who, o->status, (uintmax_t)o->error.where[0], o->error.text,
			   m->status, m->stopped_at);
		return false;
	}
	if (m->status == PTOWSP_DEADLOCK &&
	    (o->deadlock.resource != m->resource || o->deadlock.proposed < m->proposed || o->deadlock.task != (uint64_t)m->stopped_at)) {
		CHECK_FAIL("%s: deadlock of %u proposes %ju, not of %u proposes %ju", who, o->deadlock.resource, (uintmax_t)o->deadlock.proposed,
			   m->resource, (uintmax_t)m->proposed);
		return false;
	}
	if (m->status)
		return true;
	if (!tasks_same(o, m, who) || !edges_same(o, m, who) || !stats_same(r, o, m, who))
		return false;
	for (uint32_t t = 0; t < TENSORS; t++)
		elements += m->tensor_rows[t] * m->tensor_columns[t];
	if (memory && memcmp(o->memory, m->memory, elements * sizeof(*m->memory))) {
		CHECK_FAIL("%s: memory differs", who);
		return false;
	}
	return true;
}

static void model_prepare(struct random *r, struct model *m, uint64_t seed, const uint64_t *values)
{
	struct ptowsp_binding bindings[TENSORS];
	uint64_t count;

	m->sections = builder_sections(r->b, &m->section_count);
	m->schedule = &r->schedule;
	m->kernels = r->kernels;
	m->values = values;
	m->max_tasks = 300;
	m->memory = builder_memory(r->b, seed, bindings, &count);
	for (uint32_t t = 0; t < TENSORS; t++) {
		m->tensor_data[t] = bindings[t].data;
		m->tensor_rows[t] = shapes[t][1] ? (uint64_t)shapes[t][0] : 1;
		m->tensor_columns[t] = (uint64_t)(shapes[t][1] ? shapes[t][1] : shapes[t][0]);
	}
}

/* Counted without kernels it is the same program only if no slot depends on them; its default window is
 * unbounded; and cycles that only a run tells count 1. */
static bool countable(const struct random *r)
{
	return !r->loads && !r->later && r->schedule.window != 8192;
}

/* With the capacity that a deadlock report proposes the program does not stop there again, and with one less it does not end either. */
static bool cure_same(struct random *r, struct model *m, const struct outcome *o)
{
	const struct model_schedule was = r->schedule;
	unsigned resource = m->resource;
	uint64_t *capacity = resource == PTOWSP_RESOURCE_TASK_RING    ? &r->schedule.window
			     : resource == PTOWSP_RESOURCE_TENSOR_MAP ? &r->schedule.map
								      : &r->schedule.deps;
	bool ok;

	*capacity = o->deadlock.proposed;
	rt_model_run(m);
	ok = m->status != PTOWSP_DEADLOCK || m->resource != resource;
	*capacity = o->deadlock.proposed - 1;
	rt_model_run(m);
	ok = ok && m->status != PTOWSP_OK;
	if (!ok)
		CHECK_FAIL("resource %u: %ju is proposed", resource, (uintmax_t)o->deadlock.proposed);
	r->schedule = was;
	return ok;
}

/* A strict run of a schedule that is a promise ends at the first task that races. */
static bool strict_same(struct random *r, const struct model *m, const struct outcome_how *how)
{
	struct outcome_how strict = *how;
	struct outcome *o;
	bool ok;

	strict.flags = PTOWSP_RUN_STRICT;
	o = builder_run(r->b, &strict);
	ok = m->race < 0 ? o->status == PTOWSP_OK && o->stats.deterministic == PTOWSP_DETERMINISTIC_YES
			 : o->status == PTOWSP_UNSUPPORTED && o->error.where[0] == (uint64_t)m->race &&
				   o->stats.deterministic == PTOWSP_DETERMINISTIC_NO;
	if (!ok)
		CHECK_FAIL("seed %ju, strict: status %d at task %ju (%s), the race is at %d", (uintmax_t)how->seed, o->status,
			   (uintmax_t)o->error.where[0], o->error.text, m->race);
	outcome_destroy(o);
	return ok;
}

static bool resources_same(const struct ptowsp_run_stats *a, const struct ptowsp_run_stats *b)
{
	bool ok = a->resource_count == b->resource_count;

	for (uint32_t i = 0; ok && i < a->resource_count; i++)
		ok = a->resources[i].high_water == b->resources[i].high_water && a->resources[i].stall_count == b->resources[i].stall_count &&
		     a->resources[i].stall_cycles == b->resources[i].stall_cycles;
	return ok;
}

/* A run that tells nobody of its tasks may take shorter ways; all that it counts and leaves behind is as if it had told. */
static bool untold_same(struct random *r, const struct outcome *told, const struct outcome_how *how, enum rt_replay_when replay)
{
	struct outcome_how quiet = *how;
	struct outcome *o;
	bool ok;

	quiet.untold = true;
	quiet.replay = replay;
	o = builder_run(r->b, &quiet);
	ok = o->status == told->status && o->stats.tasks == told->stats.tasks && o->stats.edges == told->stats.edges &&
	     o->stats.total_cycles == told->stats.total_cycles && resources_same(&o->stats, &told->stats) && o->memory_count == told->memory_count &&
	     !memcmp(o->memory, told->memory, told->memory_count * sizeof(*told->memory));
	if (!ok)
		CHECK_FAIL("seed %ju, untold: status %d (%d), %ju tasks (%ju), %ju edges (%ju), %ju cycles (%ju)", (uintmax_t)how->seed, o->status,
			   told->status, (uintmax_t)o->stats.tasks, (uintmax_t)told->stats.tasks, (uintmax_t)o->stats.edges,
			   (uintmax_t)told->stats.edges, (uintmax_t)o->stats.total_cycles, (uintmax_t)told->stats.total_cycles);
	outcome_destroy(o);
	return ok;
}

/* With several threads a run shares its tasks, or goes alone while kernels are brief: the seed says whether never, or as soon as it can, or as usual. */
static void rules_set(uint64_t seed)
{
	static const struct rt_crew_rules never = {.brief_ns = 0, .brief_run = 1, .sample_every = 64};
	static const struct rt_crew_rules often = {.brief_ns = UINT32_MAX, .brief_run = 2, .sample_every = 3};
	static struct rt_crew_rules usual;

	if (!usual.sample_every)
		usual = rt_crew_rules;
	rt_crew_rules = seed % 4 == 0 ? usual : seed % 4 == 1 ? often : never;
}

static bool one(uint64_t seed, struct model *m, struct rt_pool *const *pools, uint64_t *tasks)
{
	const uint64_t values[SLOTS] = {seed % 5, seed % 3, 1};
	struct random r;
	struct outcome_how how = {.seed = seed | 1, .max_tasks = 300, .values = values, .value_count = SLOTS, .fixed_map = seed & 1};
	struct outcome *o;
	bool ok = true;

	rules_set(seed);
	make(&r, seed);
	model_prepare(&r, m, how.seed, values);
	rt_model_run(m);
	*tasks += (uint64_t)m->count;
	for (uint32_t k = 0; ok && k < 3; k++) {
		how.pool = k ? pools[k - 1] : NULL;
		how.idle = k && r.unsafe;
		if (k && r.unsafe && r.loads)
			continue; /* a race may decide what is loaded, and with that the program */
		o = builder_run(r.b, &how);
		ok = same(&r, o, m, check_fmt("seed %ju, %s", (uintmax_t)seed, k == 0 ? "1 thread" : k == 1 ? "2 threads" : "8 threads"),
			  k == 0 || !r.unsafe);
		if (ok && !k)
			ok = untold_same(&r, o, &how, RT_REPLAY_ALWAYS) && untold_same(&r, o, &how, RT_REPLAY_OFF);
		if (ok && !k && m->status == PTOWSP_DEADLOCK && !r.loads) {
			ok = cure_same(&r, m, o);
			rt_model_run(m);
		}
		outcome_destroy(o);
	}
	how.pool = NULL;
	how.idle = false;
	if (ok && r.unsafe && !m->status)
		ok = strict_same(&r, m, &how);
	how.flags = PTOWSP_RUN_NO_KERNELS;
	if (ok && countable(&r)) {
		o = builder_run(r.b, &how);
		ok = same(&r, o, m, check_fmt("seed %ju, no kernels", (uintmax_t)seed), false);
		outcome_destroy(o);
	}
	free(m->memory);
	builder_destroy(r.b);
	return ok;
}

static void random_programs_agree_with_the_model(void)
{
	const char *only = getenv("PTOWSP_SEED"), *many = getenv("PTOWSP_SEEDS");
	uint64_t first = only ? strtoull(only, NULL, 10) : 1, count = only ? 1 : many ? strtoull(many, NULL, 10) : 2000, tasks = 0;
	struct model *m = calloc(1, sizeof(*m));
	struct rt_pool *pools[2];

	REQUIRE(m && !rt_pool_create(&pools[0], 2, NULL) && !rt_pool_create(&pools[1], 8, NULL));
	for (uint64_t seed = first; seed < first + count; seed++)
		if (!one(seed, m, pools, &tasks))
			break;
	CHECK(only || tasks > count * 5); /* the programs are not empty */
	rules_set(4);
	rt_pool_destroy(pools[0]);
	rt_pool_destroy(pools[1]);
	free(m);
}

void suite_rt_random(CU_pSuite s)
{
	TEST(s, random_programs_agree_with_the_model);
}
