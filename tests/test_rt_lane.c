/* SPDX-License-Identifier: MIT
 * test_rt_lane.c - random programs of long loops over nothing but tasks, whose keys stay or move by constants: a run that tells nobody, which may
 * take the short ways, has the edges, times, high-water marks and memory of one that is told task by task. PTOWSP_SEED=N runs one seed,
 * PTOWSP_SEEDS=N that many. */
#include "check_outcome.h"
#include "rt/crew.h"
#include "rt/steady.h"
#include "rt_loops.h"

#include <stdlib.h>

static bool one(uint64_t seed, struct rt_pool *pool, uint64_t counts[2])
{
	bool ok;
	struct outcome_how how = {.seed = seed | 1, .fixed_map = seed & 1};
	struct outcome *told, *o;
	struct rt_loops r;

	rt_loops_make(&r, seed, seed % 4 != 0);
	told = builder_run(r.b, &how);
	ok = !told->status;
	if (!ok)
		CHECK_FAIL("seed %ju: %s", (uintmax_t)seed, told->error.text);
	how.untold = true;
	rt_replay_rules = (struct rt_replay_rules){.least_iterations = 1 + (uint32_t)seed % 5, .least_tasks = 1, .blame = seed % 3 ? UINT32_MAX : 8, .room = 20 + (uint32_t)seed % 90};
	for (uint32_t k = check_only_threads() ? 2 : 0; ok && k < 3; k++) {
		how.replay = !k ? RT_REPLAY_OFF : seed % 2 ? RT_REPLAY_ALWAYS : RT_REPLAY_WHERE_IT_PAYS;
		how.pool = k == 2 ? pool : NULL;
		how.idle = how.pool && r.races;
		o = builder_run(r.b, &how);
		ok = outcome_same(seed, how.pool ? "2 threads" : k ? "1 thread" : "1 thread, no replay", told, o, !how.idle);
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
		if ((only || check_seed_wanted(seed)) && !one(seed, pool, counts))
			break;
	CHECK(only || check_only_threads() || counts[1] > counts[0] / 100); /* or there is nothing to compare */
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
