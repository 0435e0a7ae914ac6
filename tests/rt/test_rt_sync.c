/* SPDX-License-Identifier: MIT
 * test_rt_sync.c - events, barriers, fences and copies; memory between alloc and free. */
#include "tests/check_outcome.h"

#include <string.h>

TEST(wait_moves_the_issue_clock_to_the_signal)
{
	struct builder *b = builder_plain();
	uint32_t event = builder_event(b, "e");
	struct outcome *o;

	builder_task(b, 0, 10, "");
	EMIT(b, SIGNAL, 0, event);
	builder_task(b, 0, 30, "");
	EMIT(b, WAIT, 0, event);
	builder_task(b, 0, 1, "");
	o = builder_run(b, NULL);
	check_starts(o, (uint64_t[]){0, 0, 10}, 3);
	CHECK_UINT(o->stats.edges, 0);
	outcome_done(b, o);
}

TEST(an_event_that_is_not_signalled_is_a_deadlock_or_refused)
{
	struct builder *b = builder_plain();
	uint32_t event = builder_event(b, "ready");
	struct outcome *o;

	builder_task(b, 0, 10, "");
	EMIT(b, SIGNAL, 0, event);
	EMIT(b, WAIT, 0, event);
	EMIT(b, WAIT, 0, event);
	builder_task(b, 0, 1, "");
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_DEADLOCK);
	CHECK_CONTAINS(o->error.text, "event never signalled: ready");
	CHECK_UINT(o->deadlock.kind, PTOWSP_DEADLOCK_EVENT);
	CHECK_UINT(o->deadlock.task, 1);
	CHECK_UINT(o->deadlock.waiting[0].instruction, 4);
	CHECK_CONTAINS(o->deadlock.text, "the wait before task 1 takes a signal of event ready, and none is left");
	outcome_done(b, o);
	b = builder_plain();
	event = builder_event(b, "ready");
	builder_task(b, 0, 10, "");
	EMIT(b, WAIT, 0, event);
	check_refused(b, PTOWSP_BAD_PACKAGE, "instruction 2: event ready is waited for, and nothing in the program signals it");
	b = builder_plain();
	EMIT(b, SIGNAL, 0, 0);
	check_refused(b, PTOWSP_BAD_PACKAGE, "there is no event 0");
}

TEST(a_barrier_holds_everything_behind_it)
{
	struct builder *b = builder_plain();
	struct outcome *o;

	builder_task(b, 0, 10, "");
	builder_task(b, 0, 30, "");
	EMIT(b, BARRIER, 0, 0);
	builder_task(b, 0, 1, "");
	builder_task(b, 0, 1, "");
	o = builder_run(b, NULL);
	check_starts(o, (uint64_t[]){0, 0, 30, 30}, 4);
	outcome_done(b, o);
}

/* Tensors a and b of 4 x 4; regions 0 and 1 are their upper left 2 x 4. */
static struct builder *copying(void)
{
	struct builder *b = builder_plain();
	uint32_t zero = builder_const(b, 0);

	builder_region(b, builder_tensor(b, "a", PTOWSP_I64, 4, 4), zero, zero, 2, 4);
	builder_region(b, builder_tensor(b, "b", PTOWSP_I64, 4, 4), zero, zero, 2, 4);
	return b;
}

TEST(a_copy_is_a_task_of_one_cycle_per_element)
{
	for (uint32_t threads = 1; threads < 3; threads++) {
		struct builder *b = copying();
		struct outcome *o;

		builder_copy(b, 0, 1);
		builder_copy(b, 1, 0);
		o = builder_run(b, &(struct outcome_how){.seed = 5, .threads = threads});
		check_starts(o, (uint64_t[]){0, 8}, 2);
		CHECK_UINT(o->stats.edges, 1);
		CHECK_UINT(o->stats.total_cycles, 16);
		CHECK_MEM(o->memory, o->memory + 16, 8 * sizeof(uint64_t));
		CHECK(o->memory[8] != o->memory[24]);
		CHECK_UINT(o->stats.kernel_count, 1);
		CHECK_UINT(o->kernels[0].kernel, 1);
		outcome_done(b, o);
	}
}

/* A copy or a task writes row 0, perhaps a fence, and a task writes it again; nothing else orders them. */
static struct outcome *strict_fence(bool copy, bool fence)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1), zero = builder_const(b, 0), t = builder_tensor(b, "t", PTOWSP_I64, 4, 4);
	uint32_t row = builder_region(b, t, zero, zero, 1, 4);
	struct outcome *o;

	builder_schedule(b, PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_EXPLICIT, "");
	if (copy)
		builder_copy(b, builder_region(b, t, builder_const(b, 1), zero, 1, 4), row);
	else
		builder_task(b, k, 1, "w", row);
	if (fence)
		builder_emit(b, PTOWSP_OP_FENCE, PTOWSP_FENCE_DEVICE, 0);
	builder_task(b, k, 1, "w", row);
	o = builder_run(b, &(struct outcome_how){.flags = PTOWSP_RUN_STRICT | PTOWSP_RUN_NO_KERNELS});
	builder_destroy(b);
	return o;
}

TEST(to_strict_a_fence_orders_copies_only)
{
	for (int k = 0; k < 4; k++) {
		struct outcome *o = strict_fence(k & 1, k & 2);

		CHECK_INT(o->status, k == 3 ? PTOWSP_OK : PTOWSP_UNSUPPORTED);
		CHECK_UINT(o->stats.deterministic, k == 3 ? PTOWSP_DETERMINISTIC_YES : PTOWSP_DETERMINISTIC_NO);
		outcome_destroy(o);
	}
}

TEST(a_fence_waits_for_copies_only)
{
	struct builder *b = copying();
	struct outcome *o;

	builder_copy(b, 0, 1);
	builder_task(b, 0, 30, "");
	EMIT(b, FENCE, PTOWSP_FENCE_DEVICE, 0);
	builder_task(b, 0, 1, "");
	o = builder_run(b, NULL);
	check_starts(o, (uint64_t[]){0, 0, 8}, 3);
	outcome_done(b, o);
	b = copying();
	EMIT(b, FENCE, 3, 0);
	check_refused(b, PTOWSP_BAD_PACKAGE, "fence has the unknown scope 3");
}

TEST(copies_that_do_not_fit_are_refused)
{
	struct builder *b = copying();
	uint32_t zero;

	EMIT(b, COPY, 0, 0);
	builder_task(b, 0, 1, "");
	check_refused(b, PTOWSP_BAD_PACKAGE, "behind copy stands one io_output word");
	b = copying();
	zero = builder_const(b, 0);
	builder_copy(b, 0, builder_region(b, 1, zero, zero, 4, 2));
	check_refused(b, PTOWSP_BAD_PACKAGE, "copy from 2 x 4 to 4 x 2 elements");
	b = copying();
	zero = builder_const(b, 0);
	builder_copy(b, 0, builder_region(b, builder_tensor(b, "f", PTOWSP_F32, 4, 4), zero, zero, 2, 4));
	check_refused(b, PTOWSP_BAD_PACKAGE, "copy between the tensors a and f, which differ in type");
}

/* Kernel 1 writes; tensors a and b of 128 bytes each, regions 0 and 1. */
static struct builder *heap_of(int64_t bytes)
{
	struct builder *b = copying();

	builder_kernel(b, "w", PTOWSP_UNIT_AIV, 1, 1);
	if (bytes)
		builder_schedule(b, PTOWSP_DIRECTIVE_HEAP, PTOWSP_HEAP_CAPACITY, "n", bytes);
	return b;
}

/* Runs it, and gives it back: tasks start then, and the heap fills and is in the way like that. */
static void heap_is(struct builder *b, const uint64_t *starts, uint32_t count, uint64_t high_water, uint64_t stalls, uint64_t stalled)
{
	struct outcome *o = builder_run(b, NULL);

	check_starts(o, starts, count);
	check_resource(o, "heap", high_water, stalls, stalled);
	outcome_done(b, o);
}

TEST(memory_comes_back_when_its_last_task_has_left)
{
	struct builder *b = heap_of(128);

	builder_life(b, 0, 10);
	builder_life(b, 1, 1);
	heap_is(b, (uint64_t[]){0, 10}, 2, 128, 1, 10);
	b = heap_of(256);
	builder_life(b, 0, 10);
	builder_life(b, 1, 1);
	heap_is(b, (uint64_t[]){0, 0}, 2, 256, 0, 0);
}

/* A life of its own from each alloc on: the second one is not held by the task of the first. */
TEST(memory_that_nobody_touched_comes_back_at_once)
{
	struct builder *b = heap_of(256);

	builder_life(b, 0, 10);
	for (int i = 0; i < 3; i++) {
		EMIT(b, ALLOC, 0, 0);
		EMIT(b, FREE, 0, 0);
	}
	builder_task(b, 0, 1, "");
	heap_is(b, (uint64_t[]){0, 0}, 2, 256, 0, 0);
}

TEST(memory_that_nothing_gives_back_is_a_deadlock_with_a_cure)
{
	struct builder *b = heap_of(128);
	struct outcome *o;

	EMIT(b, ALLOC, 0, 0);
	EMIT(b, ALLOC, 0, 1);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_DEADLOCK);
	CHECK_UINT(o->deadlock.resource, PTOWSP_RESOURCE_HEAP);
	CHECK_STR(o->deadlock.option, "--schedule heap=256");
	outcome_destroy(o);
	builder_schedule(b, PTOWSP_DIRECTIVE_HEAP, PTOWSP_HEAP_CAPACITY, "n", (int64_t)256);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	outcome_done(b, o);
	b = heap_of(64);
	EMIT(b, ALLOC, 0, 0);
	check_refused(b, PTOWSP_TOO_SMALL, "the alloc before task 0 needs 128 bytes of heap, which has 64");
}

TEST(an_alloc_larger_than_the_heap_is_known_before_any_run)
{
	for (int64_t heap = 64; heap <= 128; heap += 64) {
		struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
		struct builder *b = heap_of(heap);
		struct rt_program *program;

		builder_emit(b, PTOWSP_OP_NOP, 0, 0);
		EMIT(b, ALLOC, 0, 0);
		REQUIRE_INT(builder_program(b, &program, &error), PTOWSP_OK);
		CHECK_INT(rt_needs_check(program, &error), heap < 128 ? PTOWSP_TOO_SMALL : PTOWSP_OK);
		CHECK_STR(error.text,
			  heap < 128 ? "instruction 1: the alloc before task 0 needs 128 of heap, and the schedule states 64; state heap=128 or more" : "");
		rt_program_destroy(program);
		builder_destroy(b);
	}
}

TEST(memory_is_used_between_alloc_and_free_only)
{
	struct builder *b = heap_of(0);

	builder_task(b, 1, 1, "w", 0);
	EMIT(b, ALLOC, 0, 0);
	check_refused(b, PTOWSP_RUN_FAILED, "task 0, kernel w: tensor a is used outside its alloc and free");
	b = heap_of(0);
	EMIT(b, ALLOC, 0, 0);
	EMIT(b, ALLOC, 0, 0);
	check_refused(b, PTOWSP_RUN_FAILED, "tensor a is allocated already");
	b = heap_of(0);
	EMIT(b, FREE, 0, 0);
	check_refused(b, PTOWSP_RUN_FAILED, "tensor a is freed and was not allocated");
}
