/* SPDX-License-Identifier: MIT
 * test_rt_start.c - deadlocks of workloads, and the least setting with which the blocked task proceeds. */
#include "tests/check_outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A scope of n tasks that each read and write two keys of their own and, from the second one, depend on the one before. */
static struct builder *held(int64_t n)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 2), t = builder_tensor(b, "t", PTOWSP_I64, 64, 2);
	uint32_t zero = builder_const(b, 0), one = builder_const(b, 1), i;

	builder_scope(b);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", n);
	i = builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0);
	builder_task(b, k, 1, "rw", builder_region(b, t, i, zero, 1, 2), builder_region(b, t, builder_expr(b, PTOWSP_EXPR_ADD, i, one, 0), zero, 1, 2));
	builder_end(b);
	builder_end(b);
	return b;
}

TEST(with_the_proposed_setting_the_blocked_task_proceeds)
{
	static const struct {
		uint16_t directive, policy, resource;
		const char *option;
	} rows[] = {
		{PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, PTOWSP_RESOURCE_TASK_RING, "--schedule task_window=3"},
		{PTOWSP_DIRECTIVE_TENSOR_MAP, PTOWSP_TENSOR_MAP_CAPACITY, PTOWSP_RESOURCE_TENSOR_MAP, "--schedule tensor_map=4"},
		{PTOWSP_DIRECTIVE_DEP_LIST, PTOWSP_DEP_LIST_CAPACITY, PTOWSP_RESOURCE_DEP_LIST, "--schedule dep_list=3"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (uint32_t threads = 1; threads <= 2; threads++) {
			struct builder *b = held(6);
			struct outcome *o;
			uint64_t blocked, proposed;

			builder_schedule(b, rows[i].directive, rows[i].policy, "n", INT64_C(2));
			o = builder_run(b, &(struct outcome_how){.threads = threads});
			CHECK_INT(o->status, PTOWSP_DEADLOCK);
			CHECK_UINT(o->deadlock.resource, rows[i].resource);
			CHECK_STR(o->deadlock.option, rows[i].option);
			CHECK_CONTAINS(o->deadlock.text, rows[i].option);
			CHECK_UINT(o->stats.tasks, o->deadlock.task);
			for (int round = 0; round < 6 && o->status == PTOWSP_DEADLOCK; round++) {
				blocked = o->deadlock.task;
				proposed = o->deadlock.proposed;
				outcome_destroy(o);
				builder_schedule(b, rows[i].directive, rows[i].policy, "n", (int64_t)proposed - 1);
				o = builder_run(b, NULL); /* one less: the same task is blocked */
				CHECK_UINT(o->deadlock.task, blocked);
				outcome_destroy(o);
				builder_schedule(b, rows[i].directive, rows[i].policy, "n", (int64_t)proposed);
				o = builder_run(b, &(struct outcome_how){.threads = threads});
				CHECK(o->status == PTOWSP_OK || (o->status == PTOWSP_DEADLOCK && o->deadlock.task > blocked));
			}
			CHECK_INT(o->status, PTOWSP_OK);
			outcome_done(b, o);
		}
}

TEST(a_task_larger_than_a_resource_names_need_and_capacity)
{
	struct builder *b = held(2);

	ROW(TENSOR_MAP, CAPACITY, "n", INT64_C(1));
	check_refused(b, PTOWSP_TOO_SMALL, "needs 2 entries of tensor_map, which has 1; raise it with --schedule tensor_map=2");
}
