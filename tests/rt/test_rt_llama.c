/* SPDX-License-Identifier: MIT
 * test_rt_llama.c - the llama layer as a workload: the counts that its formulas give, by keys and by elements. */
#include "tests/check_outcome.h"
#include "tests/taskgraph/llama_layer.h"

#include <string.h>

/* Longest path in tasks. */
static uint32_t levels_of(const struct outcome *o)
{
	static uint32_t level[16384];
	uint32_t most = 0;

	memset(level, 0, sizeof(level));
	for (uint32_t e = 0; e < o->edge_count; e++) /* sorted by consumer */
		if (level[o->edges[e].producer] + 1 > level[o->edges[e].consumer])
			level[o->edges[e].consumer] = level[o->edges[e].producer] + 1;
	for (uint32_t i = 0; i < o->task_count; i++)
		most = level[i] > most ? level[i] : most;
	return most + 1;
}

static void counts_check(uint32_t m, bool exact, bool full)
{
	struct builder *b = llama_layer_make(m, NULL);
	const struct outcome_how how = {.flags = PTOWSP_RUN_NO_KERNELS, .bare = true};
	struct outcome *o;

	builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", INT64_C(0));
	if (exact)
		builder_schedule(b, PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_TENSOR_MAP_EXACT, "");
	if (!full)
		builder_schedule(b, PTOWSP_DIRECTIVE_HAZARDS, PTOWSP_HAZARDS_RAW, "");
	o = builder_run(b, &how);
	CHECK_STR(o->error.text, "");
	REQUIRE_INT(o->status, PTOWSP_OK);
	CHECK_UINT(o->stats.task_window, 0);
	CHECK_UINT(o->stats.tasks, 16 * m + 3 * m * m);
	CHECK_UINT(o->stats.edges, full ? 10 * m * m + 19 * m : 7 * m * m + 17 * m);
	CHECK_UINT(levels_of(o), full ? 2 * m + 12 : m + 13);
	outcome_done(b, o);
}

TEST(tasks_edges_and_levels_follow_the_formulas)
{
	for (uint32_t m = 16; m <= 64; m *= 2)
		for (int how = 0; how < 4; how++)
			counts_check(m, how & 1, how & 2);
}

/* The longest path of unit tasks, with an executor each. */
TEST(one_executor_per_task_takes_the_longest_path)
{
	struct builder *b = llama_layer_make(16, NULL);
	struct outcome *o;

	builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_ROUND_ROBIN, "n", INT64_C(4096));
	o = builder_run(b, &(struct outcome_how){.flags = PTOWSP_RUN_NO_KERNELS, .bare = true});
	CHECK_UINT(o->stats.total_cycles, 2 * 16 + 12);
	outcome_done(b, o);
}

TEST(a_window_makes_no_edge_to_tasks_that_left_it)
{
	struct builder *b = llama_layer_make(16, NULL);
	struct outcome *all, *few;

	all = builder_run(b, &(struct outcome_how){.flags = PTOWSP_RUN_NO_KERNELS, .bare = true});
	builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", INT64_C(20));
	few = builder_run(b, &(struct outcome_how){.flags = PTOWSP_RUN_NO_KERNELS, .bare = true});
	REQUIRE_INT(few->status, PTOWSP_OK);
	CHECK(few->edge_count < all->edge_count);
	for (uint32_t e = 0; e < few->edge_count; e++)
		CHECK(few->edges[e].producer + 20 > few->edges[e].consumer);
	for (uint32_t e = 0; e < all->edge_count; e++)
		if (all->edges[e].producer + 20 > all->edges[e].consumer)
			CHECK(outcome_has_edge(few, all->edges[e].producer, all->edges[e].consumer));
	outcome_destroy(all);
	outcome_destroy(few);
	builder_destroy(b);
}
