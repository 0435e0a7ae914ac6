/* SPDX-License-Identifier: MIT
 * test_rt_issue.c - ordinary tasks, of which nobody but the clock hears: a run that nobody listens to is the run that it is otherwise. */
#include "tests/check.h"
#include "tests/rt/builder/rt_builder.h"

#include <string.h>

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

/* Told and untold. max_tasks: 0 for none. */
static void both(int64_t bodies, unsigned flags, unsigned run_flags, uint64_t max_tasks, int64_t window)
{
	struct outcome *o[2];

	for (int no_sinks = 0; no_sinks < 2; no_sinks++) {
		struct builder *b = body(bodies, flags);

		builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", window);
		o[no_sinks] = builder_run(b, &(struct outcome_how){.seed = 3, .max_tasks = max_tasks, .flags = run_flags, .no_sinks = no_sinks});
		builder_destroy(b);
	}
	same(o[0], o[1]);
	outcome_destroy(o[0]);
	outcome_destroy(o[1]);
}

TEST(what_nobody_listens_to_is_the_same_run)
{
	for (int64_t bodies = 1; bodies < 200; bodies += bodies < 70 ? 1 : 13)
		both(bodies, 0, 0, 0, 64);
	both(3000, 0, 0, 0, 8192);
	both(3000, 0, 0, 0, 1);
	both(3000, 0, PTOWSP_RUN_NO_KERNELS, 0, 100);
}

TEST(a_kernel_that_fails_among_ordinary_tasks_ends_the_run_there)
{
	both(2000, BUILDER_FAILS_LATE, 0, 0, 64);
	both(340, BUILDER_FAILS_LATE, 0, 0, 8192);
}

TEST(a_limit_of_tasks_among_ordinary_tasks_ends_the_run_there)
{
	for (uint64_t most = 60; most < 140; most++)
		both(100, 0, 0, most, 64);
}

/* Nothing can have an edge, so nothing is entered: the reservations are the same. */
TEST(tasks_without_edges_reserve_what_they_need)
{
	struct outcome *o[2];

	for (int no_sinks = 0; no_sinks < 2; no_sinks++) {
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
		o[no_sinks] = builder_run(b, &(struct outcome_how){.seed = 4, .no_sinks = no_sinks});
		builder_destroy(b);
	}
	same(o[0], o[1]);
	CHECK_UINT(o[1]->stats.edges, 0);
	outcome_destroy(o[0]);
	outcome_destroy(o[1]);
}

/* Loops of one task each, of other cycles and needs, one after the other. */
static struct builder *loops_of_one(int64_t window, int64_t issue_cost, int64_t ready, int64_t map)
{
	static const struct {
		int64_t n, cycles;
		const char *access;
	} loops[] = {{700, 3, "w"}, {1, 1, "w"}, {900, 3, "w"}, {500, 3, "ww"}, {200, 0, "w"}, {300, 2, ""}, {2000, 2, "w"}, {65, 9, "w"}};
	struct builder *b = builder_create();
	uint32_t zero = builder_const(b, 0), one = builder_const(b, 1), loop, t[8], k[8];

	for (unsigned i = 0; i < 8; i++) {
		char name[8] = {'t', (char)('0' + i)};

		t[i] = builder_tensor(b, name, PTOWSP_I64, 2000, 2);
		name[0] = 'k';
		k[i] = builder_kernel(b, name, PTOWSP_UNIT_AIV, 1, (uint32_t)strlen(loops[i].access));
		builder_kernel_flags(b, k[i], BUILDER_STEADY);
	}
	builder_schedule(b, PTOWSP_DIRECTIVE_HAZARDS, PTOWSP_HAZARDS_RAW, ""); /* so nothing can have an edge */
	builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", window);
	if (issue_cost)
		builder_schedule(b, PTOWSP_DIRECTIVE_ISSUE_COST, PTOWSP_ISSUE_COST_CYCLES, "n", issue_cost);
	if (ready)
		builder_schedule(b, PTOWSP_DIRECTIVE_READY_QUEUE, PTOWSP_READY_QUEUE_CAPACITY, "n", ready);
	if (map)
		builder_schedule(b, PTOWSP_DIRECTIVE_TENSOR_MAP, PTOWSP_TENSOR_MAP_CAPACITY, "n", map);
	for (unsigned i = 0; i < 8; i++) {
		builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", loops[i].n);
		loop = builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0);
		builder_task(b, k[i], loops[i].cycles, loops[i].access, builder_region(b, t[i], loop, zero, 1, 1), builder_region(b, t[i], loop, one, 1, 1));
		builder_end(b);
	}
	return b;
}

TEST(equal_tasks_move_by_constants_where_the_ring_is_full_of_them)
{
	static const int64_t windows[] = {1, 2, 3, 63, 64, 65, 128, 500};

	for (unsigned w = 0; w < sizeof(windows) / sizeof(*windows); w++)
		for (unsigned how = 0; how < 4; how++) {
			struct outcome *o[2];

			for (int no_sinks = 0; no_sinks < 2; no_sinks++) {
				struct builder *b = loops_of_one(windows[w], how == 1 ? 2 : 0, how == 2 ? 2 : 0, how == 3 ? 40 : 0);

				o[no_sinks] = builder_run(b, &(struct outcome_how){.seed = 5, .no_sinks = no_sinks});
				CHECK_INT(o[no_sinks]->status, PTOWSP_OK);
				builder_destroy(b);
			}
			same(o[0], o[1]);
			outcome_destroy(o[0]);
			outcome_destroy(o[1]);
		}
}
