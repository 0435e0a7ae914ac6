/* SPDX-License-Identifier: MIT
 * test_rt_crew.c - tasks on several threads: deque and ring by themselves; where brief kernels run; which failure is told. */
#include "tests/check_outcome.h"

#include "rt/structure/flow.h"
#include "rt/threads/crew.h"
#include "tests/rt/builder/rt_builder.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- the deque ---------------------------------------------------------------------------------------------------- */

enum { THIEVES = 3, ITEMS = 1000000, ROOM = 256, MOST = 4 /* of a theft */ };

static struct shared {
	struct rt_deque deque;
	_Atomic uint32_t taken[ITEMS];
	_Atomic int32_t left;
} shared;

static void *thief(void *unused)
{
	uint32_t items[MOST];

	while (atomic_load(&shared.left) > 0) {
		const uint32_t count = rt_deque_steal(&shared.deque, items, MOST);

		for (uint32_t i = 0; i < count; i++)
			atomic_fetch_add(&shared.taken[items[i]], 1);
		atomic_fetch_sub(&shared.left, (int32_t)count);
	}
	return unused;
}

static void own_take(void)
{
	uint32_t item;

	if (rt_deque_pop(&shared.deque, &item)) {
		atomic_fetch_add(&shared.taken[item], 1);
		atomic_fetch_sub(&shared.left, 1);
	}
}

TEST(owner_and_thieves_take_each_item_once)
{
	pthread_t threads[THIEVES];
	uint32_t wrong = 0;

	REQUIRE(rt_deque_init(&shared.deque, ROOM));
	atomic_store(&shared.left, ITEMS);
	for (int t = 0; t < THIEVES; t++)
		REQUIRE(!pthread_create(&threads[t], NULL, thief, NULL));
	for (uint32_t i = 0; i < ITEMS; i++) {
		while (rt_deque_count(&shared.deque) >= ROOM - MOST) /* no more are on their way than are not there */
			own_take();
		rt_deque_push(&shared.deque, i);
		if (i % 8) /* mostly the last one, which a thief may want at the same moment */
			own_take();
	}
	while (atomic_load(&shared.left) > 0)
		own_take();
	for (int t = 0; t < THIEVES; t++)
		pthread_join(threads[t], NULL);
	for (uint32_t i = 0; i < ITEMS; i++)
		wrong += atomic_load(&shared.taken[i]) != 1;
	CHECK_UINT(wrong, 0);
	rt_deque_finish(&shared.deque);
}

/* ---- the ring ----------------------------------------------------------------------------------------------------- */

static void made_ready(void *context, uint32_t slot)
{
	*(uint64_t *)context |= UINT64_C(1) << slot;
}

static bool add(struct rt_ring *ring, const uint64_t *producers, uint32_t count)
{
	rt_ring_add(ring);
	return rt_ring_link(ring, producers, count, 0);
}

TEST(a_task_waits_for_the_last_of_its_producers)
{
	struct rt_ring ring;
	uint64_t ready = 0;

	REQUIRE(rt_ring_init(&ring, 8, 1));
	CHECK(add(&ring, NULL, 0));
	CHECK(add(&ring, NULL, 0));
	CHECK(!add(&ring, (const uint64_t[]){0, 1}, 2));
	rt_ring_finished(&ring, 1, false, made_ready, &ready);
	CHECK_UINT(ready, 0);
	CHECK(!rt_ring_advance(&ring)); /* 0 is not over */
	rt_ring_finished(&ring, 0, false, made_ready, &ready);
	CHECK_UINT(ready, 1 << 2);
	CHECK(add(&ring, (const uint64_t[]){0, 1}, 2)); /* both are over */
	CHECK(rt_ring_advance(&ring) && rt_ring_advance(&ring));
	CHECK(!rt_ring_advance(&ring));
	rt_ring_finish(&ring);
}

/* So that no more of them are in use than were in flight. */
TEST(the_slot_that_was_given_back_last_is_used_first)
{
	struct rt_ring ring;
	uint64_t ready = 0;

	REQUIRE(rt_ring_init(&ring, 8, 1));
	for (uint64_t task = 0; task < 3; task++)
		CHECK(add(&ring, NULL, 0));
	rt_ring_finished(&ring, 0, false, made_ready, &ready);
	rt_ring_finished(&ring, 1, false, made_ready, &ready);
	CHECK(rt_ring_advance(&ring) && rt_ring_advance(&ring));
	for (uint64_t task = 3; task < 20; task++) {
		CHECK(add(&ring, NULL, 0));
		CHECK_UINT(rt_ring_note(&ring, task)->slot, task % 2 ? 1 : 2);
		rt_ring_finished(&ring, rt_ring_note(&ring, task - 1)->slot, false, made_ready, &ready);
		CHECK(rt_ring_advance(&ring));
	}
	CHECK_UINT(ring.used, 3);
	rt_ring_finish(&ring);
}

/* Three wait for one: the first of them needs no record, and each becomes ready once. */
TEST(all_that_wait_for_a_task_become_ready)
{
	struct rt_ring ring;
	uint64_t ready = 0;

	REQUIRE(rt_ring_init(&ring, 8, 1));
	CHECK(add(&ring, NULL, 0));
	for (uint32_t waiting = 1; waiting <= 3; waiting++) {
		CHECK(!add(&ring, (const uint64_t[]){0}, 1));
		CHECK_UINT(ring.rest_head, waiting - 1);
		CHECK_UINT(rt_ring_awaited(&ring, 0), waiting);
	}
	rt_ring_finished(&ring, 0, false, made_ready, &ready);
	CHECK_UINT(ready, 1 << 1 | 1 << 2 | 1 << 3);
	CHECK_UINT(rt_ring_awaited(&ring, 0), 0);
	rt_ring_finish(&ring);
}

TEST(behind_a_failure_nothing_becomes_ready)
{
	struct rt_ring ring;
	uint64_t ready = 0;

	REQUIRE(rt_ring_init(&ring, 8, 1));
	CHECK(add(&ring, NULL, 0));
	CHECK(!add(&ring, (const uint64_t[]){0}, 1));
	rt_ring_finished(&ring, 0, true, made_ready, &ready);
	CHECK_UINT(ready, 0);
	CHECK(!add(&ring, (const uint64_t[]){0}, 1));
	CHECK(!rt_ring_advance(&ring));
	rt_ring_finish(&ring);
}

/* ---- what has to have ended ------------------------------------------------------------------------------------------ */

/* A task waits for those before its window, and for what others have to give back first: not for all before it. */
TEST(a_task_waits_for_its_window_and_what_has_to_come_back)
{
	enum ptowsp_resource reason;
	struct rt_block block;
	struct rt_flow flow;

	REQUIRE(!rt_flow_init(&flow, 8, 4, 0));
	for (int i = 0; i < 20; i++)
		REQUIRE(!rt_flow_reserve(&flow, (struct rt_need){0, 0}, &reason, &block));
	CHECK_UINT(rt_flow_ended(&flow, 20), 13);
	REQUIRE(!rt_flow_reserve(&flow, (struct rt_need){3, 0}, &reason, &block));
	CHECK_UINT(rt_flow_ended(&flow, 20), 13);
	REQUIRE(!rt_flow_reserve(&flow, (struct rt_need){3, 0}, &reason, &block)); /* in the place in the map that task 20 had */
	CHECK_UINT(rt_flow_ended(&flow, 21), 21);
	rt_flow_finish(&flow);
}

/* ---- alone or sharing --------------------------------------------------------------------------------------------- */

static struct watch {
	ptowsp_status (*run)(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker);
	pthread_t caller;
	_Atomic uint32_t elsewhere; /* calls on other threads */
} watch;

static ptowsp_status run_watched(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker)
{
	if (!pthread_equal(pthread_self(), watch.caller))
		atomic_fetch_add(&watch.elsewhere, 1);
	return watch.run(context, task, out, worker);
}

static void run_once(struct builder *b, struct rt_program *program, uint32_t tasks)
{
	struct outcome *o = builder_run_program(b, program, &(struct outcome_how){.threads = 4});

	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_UINT(o->stats.tasks, tasks);
	outcome_destroy(o);
}

/* Calls on other threads in a second run of the same program: the first one has found out how long the kernel takes. */
static uint32_t elsewhere(struct rt_crew_rules rules, unsigned flags, uint32_t tasks)
{
	struct rt_crew_rules usual = rt_crew_rules;
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
	struct rt_kernels kernels = *builder_kernels(b);
	struct ptowsp_cap caps[512];
	struct rt_program_args args = {.kernels = &kernels, .caps = caps, .section_stride = sizeof(struct ptowsp_section)};
	struct rt_program *program = NULL;

	builder_kernel_flags(b, k, flags);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", tasks);
	builder_task(b, k, 1, "");
	builder_end(b);
	watch.run = kernels.run;
	watch.caller = pthread_self();
	kernels.run = run_watched;
	kernels.varies = NULL; /* each task takes as long as the others */
	args.cap_count = rt_capabilities(caps, sizeof(caps) / sizeof(*caps));
	args.sections = builder_sections(b, &args.section_count);
	rt_crew_rules = rules;
	CHECK_INT(rt_program_create(&program, &args, NULL), PTOWSP_OK);
	run_once(b, program, tasks);
	atomic_store(&watch.elsewhere, 0);
	run_once(b, program, tasks);
	rt_crew_rules = usual;
	rt_program_destroy(program);
	builder_destroy(b);
	return atomic_load(&watch.elsewhere);
}

/* A kernel that was preempted, or called for the first time, is not taken for a long one. */
TEST(a_sample_far_from_what_is_known_has_to_be_confirmed)
{
	uint32_t known = rt_crew_blend(UINT32_MAX, 5000);

	for (int i = 0; i < 6; i++) { /* each of these is timed */
		CHECK(known & RT_CREW_DOUBTED);
		known = rt_crew_blend(known, 40);
	}
	CHECK(known < 160);
	CHECK_UINT(rt_crew_blend(known, 20), (3 * known + 20) / 4); /* short ones differ */
	CHECK_UINT(rt_crew_blend(known, 1000000), known | RT_CREW_DOUBTED);
	CHECK_UINT(rt_crew_blend(rt_crew_blend(known, 1000000), 40), rt_crew_blend(known, 40));
	for (int i = 0; i < 40; i++)
		known = rt_crew_blend(known, 1000);
	CHECK(known > 900 && known <= 1000);
	CHECK_UINT(rt_crew_blend(UINT32_MAX, UINT64_MAX), UINT32_MAX - 1);
}

TEST(brief_kernels_run_on_the_calling_thread)
{
	CHECK_UINT(elsewhere((struct rt_crew_rules){UINT32_MAX, 16, 64}, 0, 20000), 0);
}

TEST(other_kernels_run_on_all_threads)
{
	CHECK(elsewhere((struct rt_crew_rules){120, 16, 64}, BUILDER_SLOW, 20) > 0);
}

/* ---- failures ----------------------------------------------------------------------------------------------------- */

/* Task 0 is slow, task 1 waits for it and fails; the others fail at once. */
TEST(the_earliest_failure_is_told_though_a_later_one_is_faster)
{
	for (uint32_t threads = 1; threads <= 4; threads *= 2)
		for (unsigned k = 0; k < 10; k++) {
			struct builder *b = builder_create();
			uint32_t slow = builder_kernel(b, "slow", PTOWSP_UNIT_AIV, 1, 1), last = builder_kernel(b, "last", PTOWSP_UNIT_AIV, 1, 1),
				 bad = builder_kernel(b, "bad", PTOWSP_UNIT_AIV, 1, 0);
			uint32_t t = builder_tensor(b, "t", PTOWSP_I64, 1, 8), zero = builder_const(b, 0), all = builder_region(b, t, zero, zero, 1, 8);

			builder_kernel_flags(b, slow, BUILDER_SLOW);
			builder_kernel_flags(b, last, BUILDER_FAILS);
			builder_kernel_flags(b, bad, BUILDER_FAILS);
			builder_task(b, slow, 1, "m", all);
			builder_task(b, last, 1, "m", all);
			for (unsigned i = 0; i < 10 + k; i++)
				builder_task(b, bad, 1, "");
			outcome_done(b, check_planted(b, &(struct outcome_how){.threads = threads}, "task 1, kernel last: planted failure"));
		}
}

/* The expander meets a kernel that cannot run while a task before it is still to fail. */
TEST(a_failure_comes_before_a_kernel_that_cannot_run)
{
	for (uint32_t threads = 1; threads <= 4; threads *= 2) {
		struct builder *b = builder_create();
		uint32_t slow = builder_kernel(b, "slow", PTOWSP_UNIT_AIV, 1, 0), none = builder_kernel(b, "none", PTOWSP_UNIT_AIV, 1, 0);

		builder_kernel_flags(b, slow, BUILDER_FAILS | BUILDER_SLOW);
		builder_kernel_flags(b, none, BUILDER_UNUSABLE);
		builder_task(b, slow, 1, "");
		builder_task(b, none, 1, "");
		outcome_done(b, check_planted(b, &(struct outcome_how){.threads = threads}, "task 0, kernel slow: planted failure"));
	}
}

/* ---- tasks that the expander runs itself ---------------------------------------------------------------------------- */

/* Far more ready tasks than workers want, so that some run here; each pair of tasks is of a row of its own. bad: what the second one does. */
static struct outcome *pairs_run(uint32_t threads, unsigned bad)
{
	struct rt_crew_rules usual = rt_crew_rules;
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1), second = builder_kernel(b, "second", PTOWSP_UNIT_AIV, 1, 1);
	uint32_t u = builder_tensor(b, "u", PTOWSP_I64, 3000, 8), zero = builder_const(b, 0);
	struct outcome *o;

	builder_kernel_flags(b, k, BUILDER_STEADY); /* so that they are issued by a plan */
	builder_kernel_flags(b, second, BUILDER_STEADY | bad);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "j", 3000);
	builder_task(b, k, 1, "m", builder_region(b, u, builder_axis_value(b, "j"), zero, 1, 8));
	builder_task(b, second, 1, "m", builder_region(b, u, builder_axis_value(b, "j"), zero, 1, 8));
	builder_end(b);
	rt_crew_rules.brief_ns = 0;
	o = builder_run(b, &(struct outcome_how){.threads = threads, .seed = 5, .no_sinks = true});
	rt_crew_rules = usual;
	builder_destroy(b);
	return o;
}

TEST(with_plenty_to_do_memory_comes_out_the_same)
{
	struct outcome *want = pairs_run(1, 0);

	for (uint32_t threads = 2; threads <= 4; threads++) {
		struct outcome *o = pairs_run(threads, 0);

		CHECK_INT(o->status, PTOWSP_OK);
		CHECK_UINT(o->calls, 6000);
		CHECK_MEM(o->memory, want->memory, want->memory_count * 8);
		outcome_destroy(o);
	}
	outcome_destroy(want);
}

TEST(with_plenty_to_do_the_earliest_failure_is_told)
{
	for (uint32_t threads = 1; threads <= 4; threads++) {
		struct outcome *o = pairs_run(threads, BUILDER_FAILS_LATE);

		CHECK_INT(o->status, PTOWSP_KERNEL_FAILED);
		CHECK_STR(o->error.text, "task 1001, kernel second: planted failure");
		outcome_destroy(o);
	}
}

/* ---- barriers ----------------------------------------------------------------------------------------------------- */

/* Many barriers, steps of several tasks, every number of threads: the order shows in the memory. */
TEST(steps_stay_in_order_whoever_runs_them)
{
	struct rt_crew_rules usual = rt_crew_rules;
	uint64_t *want = NULL;

	rt_crew_rules.brief_ns = 0;
	for (uint32_t threads = 1; threads <= 8; threads *= 2) {
		struct builder *b = builder_create();
		uint32_t k = builder_kernel(b, "step", PTOWSP_UNIT_AIV, 1, 1), t = builder_tensor(b, "t", PTOWSP_I64, 8, 8);
		uint32_t u = builder_tensor(b, "u", PTOWSP_I64, 8, 8), zero = builder_const(b, 0), all = builder_region(b, t, zero, zero, 8, 8);
		uint32_t slow = builder_kernel(b, "slow", PTOWSP_UNIT_AIV, 1, 1);
		struct outcome *o;

		builder_kernel_flags(b, slow, BUILDER_SLOW);
		builder_schedule(b, PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_EXPLICIT, "");
		builder_loop_n(b, PTOWSP_OP_FOR_EACH, "i", 100);
		builder_task(b, slow, 1, "m", all);
		builder_end(b);
		builder_loop_n(b, PTOWSP_OP_FOR_EACH, "i", 50);
		builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "j", 8);
		builder_task(b, k, 1, "m", builder_region(b, u, builder_axis_value(b, "j"), zero, 1, 8));
		builder_end(b);
		builder_end(b);
		o = builder_run(b, &(struct outcome_how){.threads = threads, .seed = 3});
		CHECK_INT(o->status, PTOWSP_OK);
		CHECK_UINT(o->calls, 500);
		if (!want)
			want = memcpy(malloc(o->memory_count * 8), o->memory, o->memory_count * 8);
		CHECK_MEM(o->memory, want, o->memory_count * 8);
		outcome_done(b, o);
	}
	rt_crew_rules = usual;
	free(want);
}
