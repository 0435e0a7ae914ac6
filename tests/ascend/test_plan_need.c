/* SPDX-License-Identifier: MIT */
/* What rings have to hold, on random plans: counted as plan_need.c does, and task by task with all that is open written down. */
#include "ascend/plan/plan_need.h"

#include "ascend/engine/engine_calls.h"
#include "ascend/plan/plan_build.h"
#include "ascend/plan/plan_check.h"
#include "tests/check.h"
#include <stdlib.h>
#include <string.h>

enum { STEPS = 120, DEPTH = 9 };

static struct ptowsp_error error;
static uint64_t random_state;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(random_state >> 33) % n;
}

static void scope_add(struct ascend_plan_build *build, bool begin)
{
	ascend_plan_step_add(build, &(struct ascend_plan_step){.kind = begin ? ASCEND_STEP_SCOPE_BEGIN : ASCEND_STEP_SCOPE_END});
}

static void task_add(struct ascend_plan_build *build, uint32_t edges)
{
	ascend_plan_step_add(build, &(struct ascend_plan_step){.kind = random_below(4) ? ASCEND_STEP_TASK : ASCEND_STEP_DUMMY, .blocks = 1});
	for (uint32_t e = 0; e < edges; e++)
		ascend_plan_edge_add(build, 0);
}

static struct ascend_plan_head *plan_random(void)
{
	struct ascend_plan_build build = {0};
	struct ascend_plan_head *plan;
	uint32_t depth = 0;

	for (int i = 0; i < STEPS; i++) {
		uint32_t what = random_below(6);

		if (what == 0 && depth < DEPTH) {
			scope_add(&build, true);
			depth++;
		} else if (what == 1 && depth) {
			scope_add(&build, false);
			depth--;
		} else {
			task_add(&build, random_below(5));
		}
	}
	while (depth--)
		scope_add(&build, false);
	REQUIRE_INT(ascend_plan_block_make(&build, &plan, &error), PTOWSP_OK);
	ascend_plan_build_finish(&build);
	return plan;
}

/* ---- the same, task by task ------------------------------------------------------------------------------------------- */

struct slow {
	uint32_t scopes[STEPS], edges[STEPS], count; /* of the ring's tasks: number of their scope */
};
static struct slow rings[ASCEND_RINGS];
static uint32_t open[STEPS], open_count;

static bool is_open(uint32_t scope)
{
	for (uint32_t i = 0; i < open_count; i++)
		if (open[i] == scope)
			return true;
	return false;
}

static uint64_t held(const struct slow *ring)
{
	uint32_t first = 0;

	while (first < ring->count && !is_open(ring->scopes[first]))
		first++;
	return ring->count - first;
}

/* Most slots per ring, and all tasks of it in rings. */
static void slow_find(uint64_t *slots, const struct ascend_plan_head *plan)
{
	const struct ascend_plan_step *steps = ascend_plan_steps(plan);
	uint32_t scopes = 1;

	memset(rings, 0, sizeof(rings));
	memset(slots, 0, ASCEND_RINGS * sizeof(*slots));
	open[0] = 0;
	open_count = 1;
	for (uint32_t i = 0; i < plan->step_count; i++) {
		uint32_t at = open_count - 1 < ASCEND_RINGS ? open_count - 1 : ASCEND_RINGS - 1;

		if (steps[i].kind == ASCEND_STEP_SCOPE_BEGIN) {
			open[open_count++] = scopes++;
		} else if (steps[i].kind == ASCEND_STEP_SCOPE_END) {
			open_count--;
		} else {
			rings[at].scopes[rings[at].count] = open[open_count - 1];
			rings[at].edges[rings[at].count++] = steps[i].edge_count;
			slots[at] = held(&rings[at]) > slots[at] ? held(&rings[at]) : slots[at];
		}
	}
}

static uint64_t slow_edges(const struct slow *ring, uint64_t slots)
{
	uint64_t most = 0;

	for (uint32_t first = 0; first < ring->count; first++) {
		uint64_t edges = 0;

		for (uint32_t i = first; i < ring->count && i < first + slots; i++)
			edges += ring->edges[i];
		most = edges > most ? edges : most;
	}
	return most;
}

static void needs_are_those_of_a_slow_count(void)
{
	struct ascend_plan_need need;
	uint64_t slots[ASCEND_RINGS];

	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct ascend_plan_head *plan;

		random_state = seed;
		plan = plan_random();
		ascend_plan_need_find(&need, plan);
		slow_find(slots, plan);
		for (int ring = 0; ring < ASCEND_RINGS; ring++)
			if (need.slots[ring] != slots[ring])
				CHECK_FAIL("seed %llu, ring %d: %llu slots, counted slowly %llu", (unsigned long long)seed, ring,
					   (unsigned long long)need.slots[ring], (unsigned long long)slots[ring]);
		free(plan);
	}
}

/* Edges times 20,000, so that the runtime's own pool is too small. */
static void pools_hold_what_is_in_flight(void)
{
	struct ascend_plan_need need;
	struct ascend_call_config config;
	uint64_t slots[ASCEND_RINGS];

	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct ascend_plan_head *plan;
		struct ascend_plan_step *steps;

		random_state = seed;
		plan = plan_random();
		steps = (struct ascend_plan_step *)(uintptr_t)ascend_plan_steps(plan);
		for (uint32_t i = 0; i < plan->step_count; i++)
			steps[i].edge_count *= 20000;
		slow_find(slots, plan);
		ascend_plan_need_find(&need, plan);
		REQUIRE_INT(ascend_plan_need_rings(&need, plan, 16, &config, &error), PTOWSP_OK);
		for (int ring = 0; ring < ASCEND_RINGS; ring++) {
			uint64_t edges = slow_edges(&rings[ring], config.task_window[ring]);

			CHECK(config.task_window[ring] > slots[ring]);
			CHECK_UINT(config.dep_pool[ring], edges ? edges + 64 * 64 : 0);
		}
		free(plan);
	}
}

static struct ascend_plan_head *scope_of(uint32_t tasks)
{
	struct ascend_plan_build build = {0};
	struct ascend_plan_head *plan;

	scope_add(&build, true);
	for (uint32_t i = 0; i < tasks; i++)
		task_add(&build, 0);
	scope_add(&build, false);
	REQUIRE_INT(ascend_plan_block_make(&build, &plan, &error), PTOWSP_OK);
	ascend_plan_build_finish(&build);
	return plan;
}

/* Zero is the runtime's own. */
static void rings_are_as_large_as_they_have_to_be(void)
{
	static const struct {
		uint32_t tasks;
		uint64_t window, ring;
		bool crowds;
	} rows[] = {{63, 64, 64, false}, {64, 64, 256, true}, {3, 100, 64, false},    {3, 3, 4, true},
		    {4, 4, 16, true},    {16383, 0, 0, true}, {16384, 0, 65536, true}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ascend_plan_head *plan = scope_of(rows[i].tasks);
		struct ascend_call_config config = {0};
		struct ascend_plan_need need;

		ascend_plan_need_find(&need, plan);
		CHECK_UINT(need.slots[1], rows[i].tasks);
		if (rows[i].window)
			CHECK_INT(ascend_plan_need_crowds(&need, rows[i].window), rows[i].crowds);
		CHECK_INT(ascend_plan_need_rings(&need, plan, rows[i].window, &config, &error), PTOWSP_OK);
		CHECK_UINT(config.task_window[1], rows[i].ring);
		free(plan);
	}
}

static void what_no_ring_holds_is_refused(void)
{
	struct ascend_plan_head *plan = scope_of(1);
	struct ascend_plan_need need = {.slots = {0, UINT64_C(1) << 40}};
	struct ascend_call_config config = {0};

	CHECK_INT(ascend_plan_need_rings(&need, plan, 0, &config, &error), PTOWSP_TOO_SMALL);
	CHECK_CONTAINS(error.text, "open scopes hold 1099511627776 tasks");
	need = (struct ascend_plan_need){.depth = ASCEND_SCOPE_DEPTH + 1};
	CHECK_INT(ascend_plan_need_rings(&need, plan, 0, &config, &error), PTOWSP_TOO_SMALL);
	CHECK_STR(error.text, "scopes lie 64 deep inside each other; tensormap_and_ringbuffer takes 63: use variant=host_build_graph, or fewer");
	free(plan);
}

/* The plan is a tensor of bytes, and so are its calls. */
static void plans_of_more_bytes_than_a_tensor_has_are_refused(void)
{
	const struct ascend_plan_head plan = {.bytes = UINT64_C(1) << 32, .step_count = 0};
	const struct base_walk walk = {.task_count = UINT32_MAX / sizeof(struct ascend_called) + 1};
	struct ascend_calls calls = {.walk = &walk};

	CHECK_INT(ascend_plan_check(&plan, false, 0, &error), PTOWSP_TOO_SMALL);
	CHECK_STR(error.text, "the plan of 0 steps has 4294967296 bytes; the pto-runtime takes 2^32 - 1 per tensor: divide the run");
	CHECK_INT(ascend_calls_record(&calls, &error), PTOWSP_TOO_SMALL);
	CHECK_CONTAINS(error.text, " tasks; the pto-runtime takes ");
}

void suite_plan_need(CU_pSuite s)
{
	TEST(s, needs_are_those_of_a_slow_count);
	TEST(s, pools_hold_what_is_in_flight);
	TEST(s, rings_are_as_large_as_they_have_to_be);
	TEST(s, what_no_ring_holds_is_refused);
	TEST(s, plans_of_more_bytes_than_a_tensor_has_are_refused);
}
