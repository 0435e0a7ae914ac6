/* SPDX-License-Identifier: MIT
 * test_rt_rounds.c - random programs of long loops over nothing but tasks, whose keys stay or move by constants: a run that tells nobody
 * has the edges, times, high-water marks and memory of one that is told task by task. PTOWSP_SEED=N runs one seed,
 * PTOWSP_SEEDS=N that many. */
#include "rt/threads/crew.h"
#include "tests/check_outcome.h"
#include "tests/rt/builder/rt_loops.h"

#include <stdlib.h>

static bool one(uint64_t seed, struct rt_pool *pool)
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
	how.no_sinks = true;
	for (uint32_t k = check_only_threads(); ok && k < 2; k++) {
		how.pool = k ? pool : NULL;
		how.idle = how.pool && r.races;
		o = builder_run(r.b, &how);
		ok = outcome_same(seed, k ? "2 threads" : "1 thread", told, o, !how.idle);
		outcome_destroy(o);
	}
	outcome_destroy(told);
	builder_destroy(r.b);
	return ok;
}

/* With two threads every task is handed over. */
TEST(rounds_are_the_same_told_and_untold)
{
	const char *only = getenv("PTOWSP_SEED");
	uint64_t count, first = check_seeds(&count, 2000);
	const struct rt_crew_rules usual = rt_crew_rules;
	struct rt_pool *pool;

	REQUIRE(!rt_pool_create(&pool, 2, NULL));
	rt_crew_rules = (struct rt_crew_rules){.brief_ns = 0, .brief_run = 1, .sample_every = 64};
	for (uint64_t seed = first; seed < first + count; seed++)
		if ((only || check_seed_wanted(seed)) && !one(seed, pool))
			break;
	rt_crew_rules = usual;
	rt_pool_destroy(pool);
}
