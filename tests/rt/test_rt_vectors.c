/* SPDX-License-Identifier: MIT
 * test_rt_vectors.c - the vectors of the runtime semantics, each with the window and executors that it states. */
#include "tests/check_outcome.h"

#define DISPATCH(b, policy, n) builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_##policy, "n", (int64_t)(n))
#define WINDOW(b, n)           builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", (int64_t)(n))

/* A builder with one kernel without tensors, row 0. */
static struct builder *plain(void)
{
	struct builder *b = builder_create();

	builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
	return b;
}

static void check_times(const struct outcome *o, uint32_t count, const uint64_t *start, const uint64_t *executor)
{
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_STR(o->error.text, "");
	REQUIRE_UINT(o->task_count, count);
	for (uint32_t i = 0; i < count; i++) {
		CHECK_UINT(o->tasks[i].task, i);
		CHECK_UINT(o->tasks[i].start, start[i]);
		if (executor)
			CHECK_UINT(o->tasks[i].executor, executor[i]);
	}
}

static void check_stall(const struct outcome *o, const char *name, uint64_t count, uint64_t cycles)
{
	CHECK_UINT(outcome_resource(o, name)->stall_count, count);
	CHECK_UINT(outcome_resource(o, name)->stall_cycles, cycles);
}

TEST(vector_independent_tasks_window_2_work_steal_2)
{
	struct builder *b = plain();
	struct outcome *o;

	WINDOW(b, 2);
	DISPATCH(b, WORK_STEAL, 2);
	builder_task(b, 0, 10, "");
	for (int i = 0; i < 3; i++)
		builder_task(b, 0, 1, "");
	o = builder_run(b, NULL);
	check_times(o, 4, (uint64_t[]){0, 0, 10, 10}, (uint64_t[]){0, 1, 1, 0});
	CHECK_UINT(o->stats.total_cycles, 11);
	check_stall(o, "task_ring", 1, 10);
	CHECK_UINT(outcome_resource(o, "task_ring")->high_water, 2);
	CHECK_UINT(o->stats.task_window, 2);
	CHECK_UINT(o->stats.executors, 2);
	outcome_done(b, o);
}

TEST(vector_scope_of_two_then_one_window_2)
{
	struct builder *b = plain();
	struct outcome *o;

	WINDOW(b, 2);
	builder_scope(b);
	builder_task(b, 0, 1, "");
	builder_task(b, 0, 1, "");
	builder_end(b);
	builder_task(b, 0, 1, "");
	o = builder_run(b, NULL);
	check_times(o, 3, (uint64_t[]){0, 1, 2}, NULL);
	CHECK_UINT(o->tasks[2].end, 3);
	check_stall(o, "task_ring", 1, 1);
	outcome_done(b, o);
}

TEST(vector_four_scopes_in_a_scope_window_3)
{
	struct builder *b = plain();
	struct outcome *o;

	WINDOW(b, 3);
	builder_scope(b);
	for (int i = 0; i < 4; i++) {
		builder_scope(b);
		builder_task(b, 0, 1, "");
		builder_end(b);
	}
	builder_end(b);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_UINT(o->stats.total_cycles, 4);
	check_stall(o, "task_ring", 1, 1);
	outcome_done(b, o);
}

TEST(vector_scope_of_three_window_2_is_a_deadlock)
{
	struct builder *b = plain();
	struct outcome *o;

	WINDOW(b, 2);
	builder_scope(b);
	for (int i = 0; i < 3; i++)
		builder_task(b, 0, 1, "");
	builder_end(b);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_DEADLOCK);
	CHECK_UINT(o->deadlock.task, 2);
	CHECK_UINT(o->deadlock.scope_depth, 1);
	CHECK_UINT(o->deadlock.scope_held, 1);
	CHECK_UINT(o->deadlock.resource, PTOWSP_RESOURCE_TASK_RING);
	CHECK_UINT(o->deadlock.proposed, 3);
	CHECK_UINT(o->deadlock.capacity, 2);
	CHECK_UINT(o->deadlock.used, 2);
	CHECK_UINT(o->deadlock.high_water, 2);
	CHECK_STR(o->deadlock.option, "--schedule task_window=3");
	CHECK_CONTAINS(o->deadlock.text, "--schedule task_window=3");
	CHECK_CONTAINS(o->error.text, "deadlock");
	outcome_done(b, o);
}

/* 100; 10 after task 0; 5; the last two in one domain, depth 1. */
TEST(vector_pipeline_depth_of_a_loop)
{
	struct builder *b = builder_create();
	uint32_t w = builder_kernel(b, "w", PTOWSP_UNIT_AIV, 1, 1), k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
	uint32_t t = builder_tensor(b, "R", PTOWSP_I64, 4, 0), zero = builder_const(b, 0), r = builder_region(b, t, zero, zero, 1, 4);
	struct outcome *o;

	DISPATCH(b, ROUND_ROBIN, 3);
	builder_schedule(b, PTOWSP_DIRECTIVE_PIPELINE_DEPTH, PTOWSP_PIPELINE_DEPTH_DEPTH, "wn", "i", INT64_C(1));
	builder_task(b, w, 100, "w", r);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 1);
	builder_task(b, w, 10, "r", r);
	builder_task(b, k, 5, "");
	builder_end(b);
	o = builder_run(b, NULL);
	check_times(o, 3, (uint64_t[]){0, 100, 110}, (uint64_t[]){0, 1, 2});
	CHECK_UINT(o->tasks[0].end, 100);
	CHECK_UINT(o->tasks[1].end, 110);
	CHECK_UINT(o->tasks[2].end, 115);
	CHECK_UINT(o->stats.edges, 1);
	outcome_done(b, o);
}

/* 100 writes R; slot_load; if: 1. */
TEST(vector_slot_load_waits_for_its_writer)
{
	struct builder *b = builder_create();
	uint32_t w = builder_kernel(b, "w", PTOWSP_UNIT_AIV, 1, 1), k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
	uint32_t t = builder_tensor(b, "R", PTOWSP_I64, 4, 0), zero = builder_const(b, 0), r = builder_region(b, t, zero, zero, 1, 4);
	uint32_t s = builder_slot(b, "s", PTOWSP_SLOT_SLOT, 0);
	struct outcome *o;

	DISPATCH(b, ROUND_ROBIN, 2);
	builder_task(b, w, 100, "w", r);
	builder_slot_load(b, s, r);
	builder_branches(b, PTOWSP_OP_COND, 2, builder_expr(b, PTOWSP_EXPR_VALUE, s, 0, 0));
	builder_task(b, k, 1, "");
	builder_end(b);
	o = builder_run(b, NULL);
	check_times(o, 2, (uint64_t[]){0, 100}, (uint64_t[]){0, 1});
	CHECK_UINT(o->stats.total_cycles, 101);
	outcome_done(b, o);
}

TEST(vector_pipeline_depth_global_1_window_2)
{
	struct builder *b = plain();
	struct outcome *o;

	WINDOW(b, 2);
	DISPATCH(b, ROUND_ROBIN, 2);
	builder_schedule(b, PTOWSP_DIRECTIVE_PIPELINE_DEPTH, PTOWSP_PIPELINE_DEPTH_DEPTH, "wn", "global", INT64_C(1));
	builder_task(b, 0, 10, "");
	for (int i = 0; i < 3; i++)
		builder_task(b, 0, 1, "");
	o = builder_run(b, NULL);
	check_times(o, 4, (uint64_t[]){0, 10, 11, 12}, NULL);
	CHECK_UINT(o->stats.total_cycles, 13);
	check_stall(o, "task_ring", 2, 11);
	outcome_done(b, o);
}

TEST(vector_tensor_map_pool_2)
{
	struct builder *b = builder_create();
	uint32_t one = builder_kernel(b, "w", PTOWSP_UNIT_AIV, 1, 1), two = builder_kernel(b, "rw", PTOWSP_UNIT_AIV, 1, 2);
	uint32_t zero = builder_const(b, 0), r[3];
	struct outcome *o;

	for (int i = 0; i < 3; i++)
		r[i] = builder_region(b, builder_tensor(b, check_fmt("%c", "ABC"[i]), PTOWSP_I64, 4, 0), zero, zero, 1, 4);
	builder_schedule(b, PTOWSP_DIRECTIVE_TENSOR_MAP, PTOWSP_TENSOR_MAP_CAPACITY, "n", INT64_C(2));
	builder_task(b, one, 1, "w", r[0]);
	builder_task(b, two, 1, "rw", r[0], r[1]);
	builder_task(b, two, 1, "rw", r[1], r[2]);
	o = builder_run(b, NULL);
	check_times(o, 3, (uint64_t[]){0, 1, 2}, NULL);
	CHECK_UINT(o->stats.total_cycles, 3);
	check_stall(o, "tensor_map", 2, 2);
	CHECK_UINT(o->stats.edges, 2);
	outcome_done(b, o);
}

TEST(vector_pools_by_exec_unit_round_robin_2)
{
	struct builder *b = builder_create();
	uint32_t v = builder_kernel(b, "v", PTOWSP_UNIT_AIV, 1, 0), c = builder_kernel(b, "c", PTOWSP_UNIT_AIC, 1, 0);
	uint32_t any = builder_kernel(b, "any", PTOWSP_UNIT_ANY, 1, 0);
	struct outcome *o;

	builder_schedule(b, PTOWSP_DIRECTIVE_POOLS, PTOWSP_POOLS_BY_EXEC_UNIT, "");
	DISPATCH(b, ROUND_ROBIN, 2);
	builder_task(b, v, 10, "");
	builder_task(b, c, 5, "");
	builder_task(b, v, 10, "");
	builder_task(b, c, 5, "");
	builder_task(b, v, 1, "");
	builder_task(b, any, 1, "");
	o = builder_run(b, NULL);
	/* v0 c0 v1 c1 v0 c0, counted on through the pools */
	check_times(o, 6, (uint64_t[]){0, 0, 0, 0, 10, 5}, (uint64_t[]){0, 2, 1, 3, 0, 2});
	CHECK_UINT(o->stats.total_cycles, 11);
	CHECK_UINT(o->stats.edges, 0);
	CHECK_UINT(o->stats.executors, 4);
	CHECK_STR(outcome_resource(o, "ready_vector")->name, "ready_vector");
	CHECK_UINT(outcome_resource(o, "ready_cube")->pool, 1);
	outcome_done(b, o);
}

TEST(vector_for_each_of_two_pairs)
{
	struct builder *b = plain();
	uint32_t c = builder_slot(b, "unused", PTOWSP_SLOT_SYMBOL, 0);
	uint32_t loop = builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0), ten = builder_const(b, 10), one = builder_const(b, 1);
	struct outcome *o;

	(void)c;
	DISPATCH(b, ROUND_ROBIN, 2);
	builder_loop_n(b, PTOWSP_OP_FOR_EACH, "i", 2);
	builder_task_list(b, 0, builder_expr(b, PTOWSP_EXPR_SELECT, loop, one, ten), 0, "", NULL);
	builder_task(b, 0, 1, "");
	builder_end(b);
	o = builder_run(b, NULL);
	check_times(o, 4, (uint64_t[]){0, 0, 10, 10}, NULL);
	CHECK_UINT(o->stats.total_cycles, 11);
	CHECK_UINT(o->stats.edges, 0);
	outcome_done(b, o);
}

TEST(vector_overlap_full)
{
	static const uint64_t want[6][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 4}};
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1), zero = builder_const(b, 0), half = builder_const(b, 32);
	uint32_t t = builder_tensor(b, "A", PTOWSP_I64, 64, 0), all = builder_region(b, t, zero, zero, 1, 64);
	uint32_t low = builder_region(b, t, zero, zero, 1, 32), high = builder_region(b, t, zero, half, 1, 32);
	struct outcome *o;

	builder_task(b, k, 1, "w", all);
	builder_task(b, k, 1, "r", all);
	builder_task(b, k, 1, "w", low);
	builder_task(b, k, 1, "w", high);
	builder_task(b, k, 1, "w", low);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	REQUIRE_UINT(o->edge_count, 6);
	for (int i = 0; i < 6; i++)
		CHECK(outcome_has_edge(o, want[i][0], want[i][1]));
	CHECK_UINT(o->stats.edges, 6);
	CHECK_UINT(o->stats.deterministic, PTOWSP_DETERMINISTIC_YES);
	outcome_done(b, o);
}
