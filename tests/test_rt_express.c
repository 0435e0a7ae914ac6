/* SPDX-License-Identifier: MIT
 * test_rt_express.c - the short way: a run that nobody listens to goes task after task, block after block, and is the run that it is otherwise. */
#include "check.h"
#include "rt_builder.h"

/* `bodies` iterations of three tasks: one without any edge, one that reads what the third wrote before, one in a chain. */
static struct builder *body(int64_t bodies, unsigned flags)
{
	struct builder *b = builder_create();
	uint32_t k[3], alone = builder_tensor(b, "alone", PTOWSP_I64, 4096, 2), chain = builder_tensor(b, "chain", PTOWSP_I64, 4097, 1);
	uint32_t zero = builder_const(b, 0), one = builder_const(b, 1), loop, own, next;

	for (int i = 0; i < 3; i++)
		k[i] = builder_kernel(b, i == 0 ? "alone" : i == 1 ? "reader" : "chain", PTOWSP_UNIT_AIV, 1, i == 2 ? 2 : 1);
	for (int i = 0; i < 3; i++)
		builder_kernel_flags(b, k[i], BUILDER_STEADY | (i == 1 ? flags : 0));
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", bodies);
	loop = builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0);
	own = builder_region(b, chain, loop, zero, 1, 1);
	next = builder_region(b, chain, builder_expr(b, PTOWSP_EXPR_ADD, loop, one, 0), zero, 1, 1);
	builder_task(b, k[0], 2, "w", builder_region(b, alone, loop, zero, 1, 2));
	builder_task(b, k[1], 1, "r", own);
	builder_task(b, k[2], 3, "rw", own, next);
	builder_end(b);
	return b;
}

static void same(const struct outcome *a, const struct outcome *b)
{
	CHECK_INT(a->status, b->status);
	CHECK_STR(a->error.text, b->error.text);
	CHECK_UINT(a->calls, b->calls);
	CHECK_UINT(a->stats.tasks, b->stats.tasks);
	CHECK_UINT(a->stats.edges, b->stats.edges);
	CHECK_UINT(a->stats.total_cycles, b->stats.total_cycles);
	CHECK_MEM(a->memory, b->memory, a->memory_count * 8);
	REQUIRE_UINT(a->stats.resource_count, b->stats.resource_count);
	for (uint32_t i = 0; i < a->stats.resource_count; i++) {
		CHECK_UINT(a->resources[i].high_water, b->resources[i].high_water);
		CHECK_UINT(a->resources[i].stall_count, b->resources[i].stall_count);
		CHECK_UINT(a->resources[i].stall_cycles, b->resources[i].stall_cycles);
	}
	for (uint32_t k = 0; k < a->stats.kernel_count; k++) {
		CHECK_UINT(a->kernels[k].tasks, b->kernels[k].tasks);
		CHECK_UINT(a->kernels[k].cycles, b->kernels[k].cycles);
	}
}

/* Both ways, told and untold. max_tasks: 0 for none. */
static void both(int64_t bodies, unsigned flags, unsigned run_flags, uint64_t max_tasks, int64_t window)
{
	struct outcome *o[2];

	for (int untold = 0; untold < 2; untold++) {
		struct builder *b = body(bodies, flags);

		builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", window);
		o[untold] = builder_run(b, &(struct outcome_how){.seed = 3, .max_tasks = max_tasks, .flags = run_flags, .untold = untold});
		builder_destroy(b);
	}
	same(o[0], o[1]);
	outcome_destroy(o[0]);
	outcome_destroy(o[1]);
}

static void what_nobody_listens_to_is_the_same_run(void)
{
	for (int64_t bodies = 1; bodies < 200; bodies += bodies < 70 ? 1 : 13)
		both(bodies, 0, 0, 0, 64);
	both(3000, 0, 0, 0, 8192);
	both(3000, 0, 0, 0, 1);
	both(3000, 0, PTOWSP_RUN_NO_KERNELS, 0, 100);
}

static void a_kernel_that_fails_within_a_block_ends_the_run_there(void)
{
	both(2000, BUILDER_FAILS_LATE, 0, 0, 64);
	both(340, BUILDER_FAILS_LATE, 0, 0, 8192);
}

static void a_limit_of_tasks_within_a_block_ends_the_run_there(void)
{
	for (uint64_t most = 60; most < 140; most++)
		both(100, 0, 0, most, 64);
}

/* Nothing can have an edge, so nothing is entered: the reservations are the same. */
static void tasks_without_edges_reserve_what_they_need(void)
{
	struct outcome *o[2];

	for (int untold = 0; untold < 2; untold++) {
		struct builder *b = builder_create();
		uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 2), in = builder_tensor(b, "in", PTOWSP_I64, 5000, 1);
		uint32_t out = builder_tensor(b, "out", PTOWSP_I64, 5000, 1), zero = builder_const(b, 0), loop;

		builder_kernel_flags(b, k, BUILDER_STEADY);
		builder_role(b, in, PTOWSP_ROLE_IN);
		builder_schedule(b, PTOWSP_DIRECTIVE_HAZARDS, PTOWSP_HAZARDS_RAW, "");
		builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 5000);
		loop = builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0);
		builder_task(b, k, 2, "rw", builder_region(b, in, loop, zero, 1, 1), builder_region(b, out, loop, zero, 1, 1));
		builder_end(b);
		o[untold] = builder_run(b, &(struct outcome_how){.seed = 4, .untold = untold});
		builder_destroy(b);
	}
	same(o[0], o[1]);
	CHECK_UINT(o[1]->stats.edges, 0);
	outcome_destroy(o[0]);
	outcome_destroy(o[1]);
}

void suite_rt_express(CU_pSuite s)
{
	TEST(s, what_nobody_listens_to_is_the_same_run);
	TEST(s, a_kernel_that_fails_within_a_block_ends_the_run_there);
	TEST(s, a_limit_of_tasks_within_a_block_ends_the_run_there);
	TEST(s, tasks_without_edges_reserve_what_they_need);
}
