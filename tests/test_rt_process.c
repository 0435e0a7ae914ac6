/* SPDX-License-Identifier: MIT
 * test_rt_process.c - pipelines on the core itself. */
#include "check.h"
#include "rt_builder.h"
#include "rt/rt.h"

#include <string.h>

#define WINDOW(b, n) builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", (int64_t)(n))

static struct builder *plain(void)
{
	struct builder *b = builder_create();

	builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
	return b;
}

static void done(struct builder *b, struct outcome *o)
{
	outcome_destroy(o);
	builder_destroy(b);
}

static void check_starts(const struct outcome *o, uint32_t count, const uint64_t *start, const uint64_t *executor)
{
	CHECK_STR(o->error.text, "");
	REQUIRE_UINT(o->task_count, count);
	for (uint32_t i = 0; i < count; i++) {
		CHECK_UINT(o->tasks[i].task, i);
		CHECK_UINT(o->tasks[i].start, start[i]);
		CHECK_UINT(o->tasks[i].executor, executor[i]);
	}
}

/* n x {a task of so many cycles; send}. */
static void producer(struct builder *b, const char *name, uint32_t replicas, int64_t n, int64_t cycles, uint32_t channel)
{
	builder_process(b, name, replicas);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", n);
	builder_task(b, 0, cycles, "");
	builder_send(b, channel, builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0));
	builder_end(b);
}

static void consumer(struct builder *b, const char *name, int64_t cycles, uint32_t channel)
{
	builder_process(b, name, 1);
	builder_consume(b, channel);
	builder_task(b, 0, cycles, "");
	builder_end(b);
}

/* ---- the vector ------------------------------------------------------------------------------------------------ */

static struct builder *vector_make(void)
{
	struct builder *b = plain();
	uint32_t c = builder_channel(b, "c", 1, 0);

	producer(b, "P0", 1, 3, 1, c);
	producer(b, "P1", 1, 1, 10, c);
	consumer(b, "C", 1, c);
	return b;
}

/* Sends at 1, 10, 10, 11; consumes at 1, 10, 11, 12; the consumer ends at 13. */
static void vector_two_producers_capacity_1(void)
{
	struct builder *b = vector_make();
	struct outcome *o = builder_run(b, NULL);

	check_starts(o, 8, (uint64_t[]){0, 0, 1, 1, 10, 10, 11, 12}, (uint64_t[]){0, 1, 0, 2, 2, 0, 2, 2});
	CHECK_UINT(o->stats.total_cycles, 13);
	CHECK_UINT(o->stats.executors, 3);
	REQUIRE_UINT(o->stats.channel_count, 1);
	CHECK_UINT(o->channels[0].sends, 4);
	CHECK_UINT(o->channels[0].consumes, 4);
	CHECK_UINT(o->channels[0].empty_count, 2);
	CHECK_UINT(o->channels[0].empty_cycles, 9);
	CHECK_UINT(o->channels[0].full_count, 0);
	CHECK_UINT(o->channels[0].flags, PTOWSP_CHANNEL_CLOSED);
	CHECK_UINT(outcome_resource(o, "channel:c")->stall_count, 2);
	CHECK_UINT(outcome_resource(o, "channel:c")->stall_cycles, 9);
	CHECK_UINT(outcome_resource(o, "channel:c")->capacity, 1);
	done(b, o);
}

void suite_rt_process(CU_pSuite s)
{
	TEST(s, vector_two_producers_capacity_1);
}
