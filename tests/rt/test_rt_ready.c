/* SPDX-License-Identifier: MIT
 * test_rt_ready.c - the order in which worker threads take ready tasks, where one is stated: by the schedule, by priorities of launches, by homes; with tasks in flight and with a graph
 * that is built first. */
#include <sched.h>
#include <stdatomic.h>

#include "rt/threads/ready.h"
#include "tests/check_outcome.h"

/* ---- the program ---------------------------------------------------------------------------------------------------
 *
 * Task 0 ends when all others are issued; tasks 1 to 9 wait for it. Task 1, which is taken first, holds one of the two threads until the other one has run all that do not
 * wait for task 1, so these run one by one. 10 waits for 4; 11 and 12 wait for 7; 13 to 16 wait for 1. */
enum { TASKS = 17, ALONE_FIRST = 2, ALONE_LAST = 12, ALONE = ALONE_LAST - ALONE_FIRST + 1 };

static struct play {
	struct rt_kernels kernels; /* those that are played */
	_Atomic uint32_t asked, ran;
	_Atomic uint32_t late; /* a wait took too long */
	uint32_t order[TASKS]; /* of the tasks between */
} play;

static ptowsp_status cycles_counted(void *context, uint32_t kernel, const uint64_t *args, uint64_t *cycles_out)
{
	atomic_fetch_add(&play.asked, 1);
	return play.kernels.cycles(context, kernel, args, cycles_out);
}

static void wait_for(_Atomic uint32_t *count, uint32_t wanted)
{
	const uint64_t until = builder_now_ns() + UINT64_C(20000000000);

	while (atomic_load(count) < wanted && builder_now_ns() < until)
		sched_yield();
	if (atomic_load(count) < wanted)
		atomic_store(&play.late, 1);
}

static ptowsp_status run_played(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker)
{
	if (task->number == 0)
		wait_for(&play.asked, TASKS);
	else if (task->number == 1)
		wait_for(&play.ran, ALONE);
	else if (task->number <= ALONE_LAST)
		play.order[atomic_fetch_add(&play.ran, 1)] = (uint32_t)task->number;
	return play.kernels.run(context, task, out, worker);
}

static uint32_t element(struct builder *b, uint32_t tensor, int64_t at)
{
	return builder_region(b, tensor, builder_const(b, 0), builder_const(b, at), 1, 1);
}

static struct builder *program_build(void)
{
	static const uint8_t behind[] = {4, 7, 7, 1, 1, 1, 1};
	struct builder *b = builder_create();
	uint32_t first = builder_kernel(b, "first", PTOWSP_UNIT_AIV, 1, 1), next = builder_kernel(b, "next", PTOWSP_UNIT_AIV, 1, 2),
		 last = builder_kernel(b, "last", PTOWSP_UNIT_AIV, 1, 1), t = builder_tensor(b, "t", PTOWSP_I64, 1, 16);

	builder_task(b, first, 1, "w", element(b, t, 0));
	for (int64_t k = 1; k < 10; k++)
		builder_task(b, next, k, "rw", element(b, t, 0), element(b, t, k)); /* of cycles of its own, so that each is asked for */
	for (size_t k = 0; k < sizeof(behind); k++)
		builder_task(b, last, 1 + (int64_t)k, "r", element(b, t, behind[k]));
	return b;
}

/* Task numbers of this program are places among its task instructions. */
static uint32_t priorities_give(struct builder *b, const uint8_t given[TASKS], struct rt_wish *rows)
{
	uint32_t count, task = 0;
	const struct ptowsp_instruction *code = builder_code(b, &count);

	for (uint32_t i = 0; i < count; i++)
		rows[i] = (struct rt_wish){.priority = code[i].opcode == PTOWSP_OP_TASK ? given[task++] : 0};
	return count;
}

static void play_run(struct builder *b, const uint8_t *priorities)
{
	struct rt_wish rows[256];
	struct ptowsp_cap caps[512];
	struct rt_kernels kernels = *builder_kernels(b);
	struct rt_program_args args = {.kernels = &kernels, .caps = caps, .section_stride = sizeof(struct ptowsp_section), .wish_stride = sizeof(*rows)};
	struct rt_program *program = NULL;
	struct outcome *o;

	play.kernels = kernels;
	kernels.run = run_played;
	kernels.cycles = cycles_counted;
	atomic_store(&play.asked, 0);
	atomic_store(&play.ran, 0);
	args.cap_count = builder_caps(caps, COUNT(caps));
	args.sections = builder_sections(b, &args.section_count);
	args.wishes = rows;
	args.wish_count = priorities ? priorities_give(b, priorities, rows) : 0;
	REQUIRE_INT(rt_program_create(&program, &args, NULL), PTOWSP_OK);
	o = builder_run_program(b, program, &(struct outcome_how){.threads = 2});
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_UINT(o->stats.tasks, TASKS);
	CHECK_UINT(atomic_load(&play.late), 0);
	outcome_destroy(o);
	rt_program_destroy(program);
}

/* policy: PTOWSP_READY_x, 0 for none. */
static void order_check(unsigned policy, const uint8_t *priorities, const uint32_t expected[ALONE])
{
	for (int built = 0; built < 2; built++) {
		struct builder *b = program_build();

		if (policy)
			builder_schedule(b, PTOWSP_DIRECTIVE_READY, policy, "");
		if (built)
			builder_schedule(b, PTOWSP_DIRECTIVE_START, PTOWSP_START_AFTER_ORCHESTRATION, "");
		play_run(b, priorities);
		for (uint32_t i = 0; i < ALONE; i++)
			CHECK_UINT(play.order[i], expected[i]);
		builder_destroy(b);
	}
}

TEST(fifo_takes_what_became_ready_first)
{
	order_check(PTOWSP_READY_FIFO, NULL, (const uint32_t[ALONE]){2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
}

TEST(priority_takes_what_most_wait_for)
{
	order_check(PTOWSP_READY_PRIORITY, NULL, (const uint32_t[ALONE]){7, 4, 2, 3, 5, 6, 8, 9, 10, 11, 12});
}

TEST(launches_of_higher_priority_go_first_whatever_the_policy)
{
	static const uint8_t given[TASKS] = {[1] = 9, [6] = 5, [9] = 7, [12] = 1};

	order_check(0, given, (const uint32_t[ALONE]){9, 6, 2, 3, 4, 5, 7, 12, 8, 10, 11});
	order_check(PTOWSP_READY_FIFO, given, (const uint32_t[ALONE]){9, 6, 2, 3, 4, 5, 7, 12, 8, 10, 11});
	order_check(PTOWSP_READY_PRIORITY, given, (const uint32_t[ALONE]){9, 6, 7, 12, 4, 2, 3, 5, 8, 10, 11});
}

/* ---- queues -------------------------------------------------------------------------------------------------------- */

static void by_slot(void *context, uint32_t slot, struct rt_rank *rank)
{
	*rank = (struct rt_rank){.priority = slot % 10 == 0, .awaited = *(const uint32_t *)context, .home = slot / 100, .number = slot};
}

static void taken(struct rt_ready *ready, uint32_t worker, uint32_t expected)
{
	uint32_t slot = UINT32_MAX;

	CHECK(rt_ready_take(ready, worker, &slot));
	CHECK_UINT(slot, expected);
}

/* All that is ready: worker and slot, in this order. */
static void all_taken(struct rt_ready *ready, uint32_t order[][2], size_t count)
{
	uint32_t slot;

	for (size_t i = 0; i < count; i++)
		taken(ready, order[i][0], order[i][1]);
	CHECK(!rt_ready_take(ready, order[count - 1][0], &slot));
}

/* With priorities, which go first whichever thread has them; without them the deques are what it states. */
TEST(work_steal_takes_from_others_when_its_own_are_gone)
{
	uint32_t awaited = 0;
	const struct rt_ready_order order = {rt_ready_policy_find(PTOWSP_READY_WORK_STEAL, true), by_slot, &awaited, false};
	struct rt_ready ready;

	CHECK(!rt_ready_policy_find(PTOWSP_READY_WORK_STEAL, false));
	CHECK(!rt_ready_policy_find(0, false));
	REQUIRE(rt_ready_init(&ready, 64, 2, &order));
	for (uint32_t k = 1; k < 4; k++)
		rt_ready_push(&ready, 0, k), rt_ready_push(&ready, 1, 10 * k), rt_ready_push(&ready, 1, 10 * k + 1);
	all_taken(&ready, (uint32_t[][2]){{0, 30}, {0, 20}, {1, 10}, {0, 3}, {0, 2}, {1, 31}, {0, 1}, {0, 21}, {1, 11}}, 9); /* 21 is the other one's */
	rt_ready_finish(&ready);
}

/* Homes 1 to 3 on two threads: the third is the first thread's again. */
TEST(tasks_are_taken_at_home_first)
{
	static const uint32_t slots[] = {101, 201, 1, 301, 2, 102, 203, 3};
	uint32_t awaited = 0;
	const struct rt_ready_order order = {rt_ready_policy_find(0, true), by_slot, &awaited, true};
	struct rt_ready ready;

	REQUIRE(rt_ready_init(&ready, 512, 2, &order));
	for (size_t k = 0; k < COUNT(slots); k++)
		rt_ready_push(&ready, 0, slots[k]);
	all_taken(&ready, (uint32_t[][2]){{1, 201}, {1, 203}, {1, 1}, {0, 101}, {0, 301}, {1, 2}, {1, 3}, {1, 102}}, 8); /* nothing else is left */
	rt_ready_finish(&ready);
}

/* What a task makes ready is seen when it is shown, and then all of it. */
TEST(what_is_kept_is_shown_at_once)
{
	uint32_t awaited = 0, slot;
	const struct rt_ready_order order = {rt_ready_policy_find(PTOWSP_READY_FIFO, false), by_slot, &awaited, false};
	struct rt_ready ready;

	REQUIRE(rt_ready_init(&ready, 64, 3, &order));
	for (uint32_t k = 3; k; k--)
		rt_ready_keep(&ready, 2, k);
	CHECK(!rt_ready_take(&ready, 0, &slot));
	rt_ready_share(&ready, 2);
	CHECK_UINT(rt_ready_own(&ready), 3);
	taken(&ready, 0, 1);
	taken(&ready, 1, 2);
	taken(&ready, 2, 3);
	rt_ready_share(&ready, 2);
	CHECK(!rt_ready_take(&ready, 2, &slot));
	rt_ready_finish(&ready);
}

TEST(a_queue_gives_back_what_it_took_in_the_order_of_its_policy)
{
	enum { MANY = 500 };
	uint32_t awaited = 0, slot;
	const struct rt_ready_order order = {rt_ready_policy_find(PTOWSP_READY_PRIORITY, false), by_slot, &awaited, false};
	struct rt_ready ready;

	REQUIRE(rt_ready_init(&ready, 512, 1, &order));
	for (uint32_t k = 0; k < MANY; k++) {
		slot = k * 173 % MANY; /* homes are not asked for */
		awaited = slot % 3;
		rt_ready_push(&ready, 0, slot);
	}
	for (int pass = 0; pass < 6; pass++)
		for (uint32_t k = 0; k < MANY; k++)
			if ((k % 10 != 0) == (pass > 2) && k % 3 == 2u - (unsigned)pass % 3)
				taken(&ready, 0, k);
	CHECK(!rt_ready_take(&ready, 0, &slot));
	rt_ready_finish(&ready);
}
