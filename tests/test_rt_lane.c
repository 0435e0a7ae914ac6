/* SPDX-License-Identifier: MIT
 * test_rt_lane.c - random programs of long loops over nothing but tasks, whose keys stay or move by constants: a run that tells nobody, which may
 * take the short ways, has the edges, times, high-water marks and memory of one that is told task by task. PTOWSP_SEED=N runs one seed,
 * PTOWSP_SEEDS=N that many. */
#include "check.h"
#include "rt/crew.h"
#include "rt/steady.h"
#include "rt_builder.h"

#include <stdlib.h>
#include <string.h>

enum { TENSORS = 3, ROWS = 160, PARAMS = 4, KERNELS = PARAMS + 1 };

struct random {
	uint64_t state;
	struct builder *b;
	uint32_t loops;
	uint32_t spread; /* how far keys lie apart */
	uint32_t shift;  /* a row of its own for each iteration around */
	bool moving;     /* few keys stay */
	bool races;      /* edges do not order all that touches common elements */
};

static uint32_t pick(struct random *r, uint32_t n)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 7;
	r->state ^= r->state << 17;
	return (uint32_t)(r->state >> 20) % n;
}

static uint32_t number(struct random *r, int64_t n)
{
	return builder_const(r->b, n);
}

static uint32_t loop_value(struct random *r, uint32_t depth)
{
	return builder_expr(r->b, PTOWSP_EXPR_LOOP, depth, 0, 0);
}

static uint32_t op(struct random *r, unsigned code, uint32_t a, uint32_t b)
{
	return builder_expr(r->b, code, a, b, 0);
}

/* 0 .. 125; the innermost loop is below 40, those around it below 12. */
static uint32_t row(struct random *r)
{
	uint32_t inner = loop_value(r, r->loops - 1), outer = loop_value(r, 0), near = number(r, pick(r, r->spread));

	switch (pick(r, r->moving ? 6 : 10)) {
	case 0: return op(r, PTOWSP_EXPR_ADD, inner, near);
	case 1: return op(r, PTOWSP_EXPR_SUB, number(r, 40 + pick(r, r->spread)), inner);
	case 2: return op(r, PTOWSP_EXPR_ADD, op(r, PTOWSP_EXPR_MUL, inner, number(r, 2)), near);
	case 3: return op(r, PTOWSP_EXPR_ADD, r->loops > 1 ? op(r, PTOWSP_EXPR_MUL, outer, number(r, r->shift && pick(r, 2) ? r->shift : pick(r, 7))) : near, inner);
	case 4: return r->loops > 1 ? op(r, PTOWSP_EXPR_ADD, outer, near) : near;
	case 5: return op(r, PTOWSP_EXPR_ADD, number(r, 20), near);
	default: return near;
	}
}

static void task(struct random *r)
{
	uint32_t count = pick(r, PARAMS + 1), regions[PARAMS];
	char access[PARAMS + 1] = "";

	for (uint32_t i = 0; i < count; i++) {
		regions[i] = builder_region(r->b, pick(r, 8) ? 0 : pick(r, TENSORS), row(r), number(r, 0), pick(r, 40) ? 1 : 2, 1);
		access[i] = "rrrwwmm"[pick(r, 7)];
	}
	builder_task_list(r->b, count, number(r, 3 * (int64_t)count), count, access, regions);
}

static void loop(struct random *r, uint32_t low, uint32_t count, uint32_t step, uint32_t levels)
{
	builder_loop(r->b, PTOWSP_OP_PARALLEL_FOR,
		     builder_axis(r->b, r->loops ? "j" : "i", number(r, low), number(r, low + count), number(r, step), levels));
	r->loops++;
}

/* A loop over nothing but tasks. */
static void inner(struct random *r)
{
	static const uint32_t levels[3][2] = {{16, 64}, {8, 64}, {0, 32}};

	if (pick(r, 4))
		loop(r, pick(r, 2), 4 + pick(r, 35), 1 + (pick(r, 4) == 0), PTOWSP_NONE);
	else
		loop(r, 0, 4 + pick(r, 35), 1, builder_levels(r->b, 16, 8, 3, levels));
	for (uint32_t n = 1 + pick(r, 5); n; n--)
		task(r);
	builder_end(r->b);
	r->loops--;
}

/* The level of a loop around wins over those of the loops in it, whose steps stay. */
static void nest(struct random *r)
{
	static const uint32_t levels[2][2] = {{8, 64}, {0, 32}};

	if (!pick(r, 3)) {
		inner(r);
		return;
	}
	if (pick(r, 6))
		loop(r, 0, 1 + pick(r, pick(r, 2) ? 4 : 12), 1, PTOWSP_NONE);
	else
		loop(r, 0, 1 + pick(r, 12), 1, builder_levels(r->b, 8, 8, 2, levels));
	for (uint32_t n = 1 + pick(r, 3); n; n--)
		if (pick(r, 4))
			inner(r);
		else
			task(r);
	builder_end(r->b);
	r->loops--;
}

static void schedule(struct random *r, bool full)
{
	uint32_t window = pick(r, 3) ? 1 + pick(r, pick(r, 2) ? 12 : 90) : 4096;
	bool exact = pick(r, 3) != 0;

	builder_schedule(r->b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", (int64_t)window);
	r->races = exact || !full;
	if (exact)
		builder_schedule(r->b, PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_TENSOR_MAP_EXACT, "");
	if (!full)
		builder_schedule(r->b, PTOWSP_DIRECTIVE_HAZARDS, PTOWSP_HAZARDS_RAW, "");
}

static void program_make(struct random *r, uint64_t seed, bool full)
{
	*r = (struct random){.state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1, .b = builder_create()};
	for (int i = 0; i < 4; i++)
		pick(r, 2);
	r->spread = 1 + pick(r, 6);
	r->shift = pick(r, 2) ? 1 + pick(r, 7) : 0;
	r->moving = pick(r, 2);
	for (uint32_t t = 0; t < TENSORS; t++)
		builder_tensor(r->b, check_fmt("t%u", t), PTOWSP_I64, ROWS, 1);
	for (uint32_t k = 0; k < KERNELS; k++)
		builder_kernel_flags(r->b, builder_kernel(r->b, check_fmt("k%u", k), PTOWSP_UNIT_AIV, 1, k), BUILDER_STEADY);
	schedule(r, full);
	for (uint32_t n = 1 + pick(r, 4); n; n--)
		nest(r);
}

/* memory: do tasks run in an order that their edges fix? */
static bool same(uint64_t seed, const char *who, const struct outcome *told, const struct outcome *o, bool memory)
{
	bool ok = o->status == told->status && o->stats.tasks == told->stats.tasks && o->stats.edges == told->stats.edges &&
		  o->stats.total_cycles == told->stats.total_cycles && o->stats.resource_count == told->stats.resource_count;

	for (uint32_t i = 0; ok && i < told->stats.resource_count; i++)
		ok = o->resources[i].high_water == told->resources[i].high_water && o->resources[i].stall_count == told->resources[i].stall_count &&
		     o->resources[i].stall_cycles == told->resources[i].stall_cycles;
	if (ok && memory)
		ok = o->memory_count == told->memory_count && !memcmp(o->memory, told->memory, told->memory_count * sizeof(*told->memory));
	if (!ok)
		CHECK_FAIL("seed %ju, %s: status %d (%d), %ju tasks (%ju), %ju edges (%ju), %ju cycles (%ju), or a high-water mark, or memory", (uintmax_t)seed, who,
			   o->status, told->status, (uintmax_t)o->stats.tasks, (uintmax_t)told->stats.tasks, (uintmax_t)o->stats.edges,
			   (uintmax_t)told->stats.edges, (uintmax_t)o->stats.total_cycles, (uintmax_t)told->stats.total_cycles);
	return ok;
}

static bool one(uint64_t seed, struct rt_pool *pool, uint64_t counts[2])
{
	bool ok;
	struct outcome_how how = {.seed = seed | 1, .fixed_map = seed & 1};
	struct outcome *told, *o;
	struct random r;

	program_make(&r, seed, seed % 4 != 0);
	told = builder_run(r.b, &how);
	ok = !told->status;
	if (!ok)
		CHECK_FAIL("seed %ju: %s", (uintmax_t)seed, told->error.text);
	how.untold = true;
	rt_replay_rules = (struct rt_replay_rules){.least_iterations = 1 + (uint32_t)seed % 5, .least_tasks = 1, .blame = seed % 3 ? UINT32_MAX : 8, .room = 20 + (uint32_t)seed % 90};
	for (uint32_t k = 0; ok && k < 3; k++) {
		how.replay = !k ? RT_REPLAY_OFF : seed % 2 ? RT_REPLAY_ALWAYS : RT_REPLAY_WHERE_IT_PAYS;
		how.pool = k == 2 ? pool : NULL;
		how.idle = how.pool && r.races;
		o = builder_run(r.b, &how);
		ok = same(seed, how.pool ? "2 threads" : k ? "1 thread" : "1 thread, no replay", told, o, !how.idle);
		counts[0] += k == 1 ? o->stats.tasks : 0;
		counts[1] += k == 1 ? o->stats.replayed : 0;
		if (!k)
			CHECK_UINT(o->stats.replayed, 0);
		outcome_destroy(o);
	}
	outcome_destroy(told);
	builder_destroy(r.b);
	return ok;
}

/* With two threads every task is handed over. */
static void lanes_are_as_their_tasks_one_by_one(void)
{
	const char *only = getenv("PTOWSP_SEED"), *many = getenv("PTOWSP_SEEDS");
	uint64_t first = only ? strtoull(only, NULL, 10) : 1, count = only ? 1 : many ? strtoull(many, NULL, 10) : 2000;
	const struct rt_crew_rules usual = rt_crew_rules;
	const struct rt_replay_rules pays = rt_replay_rules;
	uint64_t counts[2] = {0, 0}; /* tasks, replayed ones */
	struct rt_pool *pool;

	REQUIRE(!rt_pool_create(&pool, 2, NULL));
	rt_crew_rules = (struct rt_crew_rules){.brief_ns = 0, .brief_run = 1, .sample_every = 64};
	for (uint64_t seed = first; seed < first + count; seed++)
		if (!one(seed, pool, counts))
			break;
	CHECK(only || counts[1] > counts[0] / 100); /* or there is nothing to compare */
	rt_crew_rules = usual;
	rt_replay_rules = pays;
	rt_pool_destroy(pool);
}

static void a_steady_task_has_the_predecessors_that_it_was_given(void)
{
	const struct rt_steady_task task = {.age_count = 2, .ages = {2, 5}, .known_count = 3, .known = {60 + 1, 95 + 1, 40 + 1}};
	struct rt_track track;
	struct rt_preds preds;

	REQUIRE(rt_preds_init(&preds) && rt_track_init(&track, &preds, true));
	rt_preds_next(&preds, 100, 50);
	rt_steady_enter(&preds, &track, &task, NULL, 1, true);
	REQUIRE_UINT(preds.count, 3); /* 95 is one of the two, 40 has left the window */
	CHECK_UINT(preds.list[0], 98);
	CHECK_UINT(preds.list[1], 95);
	CHECK_UINT(preds.list[2], 60);
	rt_track_finish(&track);
	rt_preds_finish(&preds);
}

void suite_rt_lane(CU_pSuite s)
{
	TEST(s, a_steady_task_has_the_predecessors_that_it_was_given);
	TEST(s, lanes_are_as_their_tasks_one_by_one);
}
