/* SPDX-License-Identifier: MIT
 * test_rt_process.c - pipelines on the core itself. */
#include "rt/rt.h"
#include "rt/threads/crew.h"
#include "tests/check_outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_placed(const struct outcome *o, uint32_t count, const uint64_t *start, const uint64_t *executor)
{
	CHECK_STR(o->error.text, "");
	REQUIRE_UINT(o->task_count, count);
	for (uint32_t i = 0; i < count; i++) {
		CHECK_UINT(o->tasks[i].task, i);
		CHECK_UINT(o->tasks[i].start, start[i]);
		CHECK_UINT(o->tasks[i].executor, executor[i]);
	}
}

/* ---- the vector ------------------------------------------------------------------------------------------------ */

/* Sends at 1, 10, 10, 11; consumes at 1, 10, 11, 12; the consumer ends at 13. */
TEST(vector_two_producers_capacity_1)
{
	struct builder *b = builder_pipeline();
	struct outcome *o = builder_run(b, NULL);

	check_placed(o, 8, (uint64_t[]){0, 0, 1, 1, 10, 10, 11, 12}, (uint64_t[]){0, 1, 0, 2, 2, 0, 2, 2});
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
	outcome_done(b, o);
}

/* ---- order and time -------------------------------------------------------------------------------------------- */

TEST(processes_start_when_the_workload_is_over)
{
	struct builder *b = builder_one_kernel();
	uint32_t c = builder_channel(b, "c", 1, 3);
	struct outcome *o;

	builder_task(b, 0, 7, "");
	builder_task(b, 0, 2, "");
	builder_producer(b, "p", 1, 1, 4, c);
	builder_consumer(b, "q", 1, c);
	o = builder_run(b, NULL);
	check_placed(o, 4, (uint64_t[]){0, 7, 9, 16}, (uint64_t[]){0, 0, 0, 1});
	CHECK_UINT(o->stats.total_cycles, 17);
	CHECK_UINT(o->stats.executors, 2);
	outcome_done(b, o);
}

/* 2 of 3 tasks at the barrier, then 2 more at the end. */
TEST(batches_are_flushed_at_barriers_of_processes)
{
	struct builder *b = builder_one_kernel();
	struct outcome *o;

	ROW(BATCH_DEPS, COUNT, "n", INT64_C(3));
	builder_process(b, "p", 1);
	for (int i = 0; i < 4; i++) {
		if (i == 2)
			builder_emit(b, PTOWSP_OP_BARRIER, 0, 0);
		builder_task(b, 0, 1, "");
	}
	o = builder_run(b, NULL);
	CHECK_UINT(o->stats.batches, 2);
	CHECK_UINT(o->stats.flushes, 2);
	outcome_done(b, o);
}

TEST(replicas_know_their_number)
{
	struct builder *b = builder_one_kernel();
	struct outcome *o;

	builder_process(b, "r", 3);
	builder_task_list(b, 0, builder_expr(b, PTOWSP_EXPR_ADD, builder_expr(b, PTOWSP_EXPR_INSTANCE, 0, 0, 0), builder_const(b, 5), 0), 0, "", NULL);
	o = builder_run(b, NULL);
	REQUIRE_UINT(o->task_count, 3);
	for (uint64_t i = 0; i < 3; i++) {
		CHECK_UINT(o->tasks[i].executor, i);
		CHECK_UINT(o->tasks[i].end, 5 + i);
	}
	CHECK_UINT(o->stats.total_cycles, 7);
	outcome_done(b, o);
}

TEST(a_process_without_tasks_counts_its_clock)
{
	struct builder *b = builder_one_kernel();
	uint32_t c = builder_channel(b, "c", 1, 100);
	struct outcome *o;

	builder_producer(b, "p", 1, 1, 4, c);
	builder_process(b, "q", 1);
	builder_consume(b, c);
	builder_end(b);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_UINT(o->stats.total_cycles, 104);
	outcome_done(b, o);
}

TEST(the_schedule_can_change_a_capacity)
{
	struct builder *b = builder_one_kernel();
	uint32_t c = builder_channel(b, "c", 1, 0);
	struct outcome *o;

	builder_producer(b, "p", 1, 5, 1, c);
	builder_consumer(b, "q", 10, c);
	builder_schedule(b, PTOWSP_DIRECTIVE_CHANNEL_CAPACITY, PTOWSP_CHANNEL_CAPACITY_CAPACITY, "wn", "c", INT64_C(3));
	o = builder_run(b, NULL);
	CHECK_STR(o->error.text, "");
	CHECK_UINT(o->channels[0].capacity, 3);
	CHECK_UINT(o->channels[0].full_count, 1); /* send 4 at 5, consume 1 at 11 */
	CHECK_UINT(o->channels[0].full_cycles, 6);
	outcome_done(b, o);
}

/* ---- threads --------------------------------------------------------------------------------------------------- */

/* Stages that work on rows of a tensor and hand their numbers on; the third kernel's cycles are known only by running it. */
static struct builder *stages_make(unsigned deps)
{
	struct builder *b = builder_create();
	uint32_t t = builder_tensor(b, "t", PTOWSP_I64, 16, 8), k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 2);
	uint32_t later = builder_kernel(b, "later", PTOWSP_UNIT_AIC, 1, 1), slow = builder_kernel(b, "slow", PTOWSP_UNIT_AIV, 1, 1);
	uint32_t first = builder_channel(b, "first", 2, 1), second = builder_channel(b, "second", 0, 0);
	uint32_t zero = builder_const(b, 0), row = builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0), region = builder_region(b, t, row, zero, 1, 8);
	uint32_t other = builder_region(b, t, builder_const(b, 3), zero, 1, 4);

	builder_kernel_flags(b, later, BUILDER_LATER);
	builder_kernel_flags(b, slow, BUILDER_SLOW);
	builder_schedule(b, PTOWSP_DIRECTIVE_DEPS, deps, "");
	WINDOW(b, 7);
	builder_task(b, slow, 3, "m", other);
	builder_process(b, "reads", 2);
	builder_loop_n(b, PTOWSP_OP_FOR_EACH, "i", 12);
	builder_task(b, k, 4, "rw", other, region);
	builder_send(b, first, row);
	builder_end(b);
	builder_process(b, "works", 3);
	builder_consume(b, first);
	builder_scope(b);
	builder_task(b, later, 6, "m", region);
	builder_end(b);
	builder_send(b, second, row);
	builder_end(b);
	builder_process(b, "writes", 1);
	builder_consume(b, second);
	builder_task(b, slow, 2, "m", region);
	builder_end(b);
	return b;
}

static void check_same(const struct outcome *a, const struct outcome *b)
{
	CHECK_INT(b->status, PTOWSP_OK);
	CHECK_STR(b->error.text, "");
	CHECK_UINT(b->stats.total_cycles, a->stats.total_cycles);
	REQUIRE_UINT(b->task_count, a->task_count);
	CHECK(!memcmp(b->tasks, a->tasks, a->task_count * sizeof(*a->tasks)));
	REQUIRE_UINT(b->edge_count, a->edge_count);
	CHECK(!a->edge_count || !memcmp(b->edges, a->edges, a->edge_count * sizeof(*a->edges)));
	CHECK(!memcmp(b->channels, a->channels, sizeof(a->channels)));
	CHECK(!memcmp(b->memory, a->memory, a->memory_count * sizeof(*a->memory)));
	for (uint32_t i = 0; i < a->stats.resource_count; i++) {
		CHECK_UINT(b->resources[i].high_water, a->resources[i].high_water);
		CHECK_UINT(b->resources[i].stall_count, a->resources[i].stall_count);
		CHECK_UINT(b->resources[i].stall_cycles, a->resources[i].stall_cycles);
	}
}

static void check_threads(unsigned deps)
{
	struct builder *b = stages_make(deps);
	struct outcome_how how = {.seed = 3};
	struct outcome *one = builder_run(b, &how), *more;
	uint32_t brief_ns = rt_crew_rules.brief_ns;

	rt_crew_rules.brief_ns = 0; /* every task goes to the workers */
	CHECK_INT(one->status, PTOWSP_OK);
	CHECK_UINT(one->task_count, 73);
	for (how.threads = 2; how.threads <= 8; how.threads *= 2) {
		more = builder_run(b, &how);
		check_same(one, more);
		outcome_destroy(more);
	}
	rt_crew_rules.brief_ns = brief_ns;
	outcome_done(b, one);
}

TEST(threads_change_nothing)
{
	check_threads(PTOWSP_DEPS_BYTES_OVERLAP);
}

/* Tokens order what no edge does. */
TEST(threads_change_nothing_where_only_tokens_order)
{
	check_threads(PTOWSP_DEPS_EXPLICIT);
}

TEST(a_run_that_is_cancelled_or_late_ends)
{
	struct builder *b = builder_one_kernel();
	uint32_t cancel = 1, c = builder_channel(b, "c", 1, 0);
	struct outcome_how how = {.cancel = &cancel};
	struct outcome *o;

	/* Two processes that hand one token to and fro for ever. */
	for (int i = 0; i < 2; i++) {
		uint32_t d = i ? c : builder_channel(b, "d", 1, 0);

		builder_process(b, i ? "ping" : "pong", 1);
		if (!i)
			builder_send(b, c, builder_const(b, 1));
		builder_consume(b, i ? 0 : 1);
		builder_send(b, i ? 1 : 0, builder_const(b, 1));
		builder_end(b);
		(void)d;
	}
	o = builder_run(b, &how);
	CHECK_INT(o->status, PTOWSP_CANCELLED);
	outcome_destroy(o);
	how = (struct outcome_how){.deadline_ns = builder_now_ns() + 20000000};
	o = builder_run(b, &how);
	CHECK_INT(o->status, PTOWSP_DEADLINE);
	outcome_done(b, o);
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

/* Kernel 1 writes region 0 or 1, of tensors of 128 bytes. */
static struct builder *heap_of(int64_t bytes)
{
	struct builder *b = builder_one_kernel();
	uint32_t zero = builder_const(b, 0);

	builder_kernel(b, "w", PTOWSP_UNIT_AIV, 1, 1);
	for (unsigned i = 0; i < 2; i++)
		builder_region(b, builder_tensor(b, i ? "b" : "a", PTOWSP_I64, 1, 16), zero, zero, 1, 16);
	builder_schedule(b, PTOWSP_DIRECTIVE_HEAP, PTOWSP_HEAP_CAPACITY, "n", bytes);
	return b;
}

static void heap_user(struct builder *b, const char *name, uint32_t tensor, int64_t cycles)
{
	builder_process(b, name, 1);
	builder_life(b, tensor, cycles);
}

/* q passes until p has freed, and its clock then goes to the end of p's task. */
TEST(processes_share_the_heap)
{
	struct builder *b = heap_of(128);
	struct outcome *o;

	heap_user(b, "p", 0, 10);
	heap_user(b, "q", 1, 1);
	o = builder_run(b, NULL);
	check_placed(o, 2, (uint64_t[]){0, 10}, (uint64_t[]){0, 1});
	check_resource(o, "heap", 128, 1, 10);
	outcome_done(b, o);
	b = heap_of(256);
	heap_user(b, "p", 0, 10);
	heap_user(b, "q", 1, 1);
	o = builder_run(b, NULL);
	check_placed(o, 2, (uint64_t[]){0, 0}, (uint64_t[]){0, 1});
	CHECK_UINT(outcome_resource(o, "heap")->high_water, 256);
	outcome_done(b, o);
}

TEST(heap_that_no_process_gives_back_is_proposed)
{
	struct builder *b = heap_of(128);
	struct outcome *o;

	builder_process(b, "p", 1);
	builder_emit(b, PTOWSP_OP_ALLOC, 0, 0);
	builder_emit(b, PTOWSP_OP_ALLOC, 0, 1);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_DEADLOCK);
	CHECK_UINT(o->deadlock.resource, PTOWSP_RESOURCE_HEAP);
	CHECK_UINT(o->deadlock.used, 128);
	CHECK_STR(o->deadlock.option, "--schedule heap=256");
	CHECK_CONTAINS(o->deadlock.text,
		       "p waits at instruction 2 to allocate, which needs 128 of 128 bytes of heap; 128 are held by versions that no other follows or "
		       "tensors that are not freed; high water 128, counted over all processes; use at least");
	CHECK_UINT(o->deadlock.scope_held, 0);
	outcome_destroy(o);
	builder_schedule(b, PTOWSP_DIRECTIVE_HEAP, PTOWSP_HEAP_CAPACITY, "n", (int64_t)256);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	outcome_done(b, o);
}

/* The versions of two temp tensors: no scope holds the first one, or one does. */
TEST(versions_that_nobody_follows_are_told_from_an_open_scope)
{
	for (unsigned scope = 0; scope < 2; scope++) {
		struct builder *b = heap_of(128);
		struct outcome *o;

		builder_role(b, 0, PTOWSP_ROLE_TEMP);
		builder_role(b, 1, PTOWSP_ROLE_TEMP);
		builder_process(b, "p", 1);
		if (scope)
			builder_scope(b);
		builder_task(b, 1, 1, "w", 0);
		builder_task(b, 1, 1, "w", 1);
		if (scope)
			builder_end(b);
		o = builder_run(b, NULL);
		CHECK_INT(o->status, PTOWSP_DEADLOCK);
		CHECK_CONTAINS(o->deadlock.text,
			       scope ? "to issue a task, which needs 128 of 128 bytes of heap; 128 are held by versions that no other follows or tensors that "
				       "are not freed, or by an open scope of its own; high water"
				     : "or tensors that are not freed; high water");
		CHECK_UINT(o->deadlock.scope_held, scope);
		CHECK_STR(o->deadlock.option, "--schedule heap=256");
		outcome_done(b, o);
	}
}

TEST(a_process_uses_memory_between_alloc_and_free_only)
{
	struct builder *b = heap_of(256);

	builder_emit(b, PTOWSP_OP_ALLOC, 0, 0);
	builder_emit(b, PTOWSP_OP_FREE, 0, 0);
	builder_process(b, "p", 1);
	builder_task(b, 1, 1, "w", 0);
	check_refused(b, PTOWSP_RUN_FAILED, "task 0, kernel w: tensor a is used outside its alloc and free");
}

/* A tensor without a shape gets the extent that the processes touch, too. */
TEST(extents_follow_the_processes)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1), t = builder_tensor(b, "t", PTOWSP_I64, 0, 0), c = builder_channel(b, "c", 1, 0);
	uint32_t zero = builder_const(b, 0), row = builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0);
	struct ptowsp_run_args args = {.head = PTOWSP_HEAD(args, RUN_ARGS)};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_program *program = NULL;
	uint64_t elements = 0;

	builder_touch(b, k, 0, 0, 8, PTOWSP_READ | PTOWSP_WRITE);
	builder_process(b, "p", 1);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 5);
	builder_send(b, c, row);
	builder_end(b);
	builder_process(b, "q", 1);
	builder_consume(b, c);
	builder_task(b, k, 1, "m", builder_window(b, t, row, zero, 8));
	builder_end(b);
	REQUIRE_INT(builder_program(b, &program, &error), PTOWSP_OK);
	CHECK_INT(rt_extents(program, &args, &elements, 1, &error), PTOWSP_OK);
	CHECK_UINT(elements, 40);
	rt_program_destroy(program);
	builder_destroy(b);
}
