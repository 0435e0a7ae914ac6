/* SPDX-License-Identifier: MIT
 * test_rt_history.c - who wrote and who touched elements that payload channels move, against an array with a row per element. */
#include "rt/process/history.h"
#include "tests/check.h"
#include "tests/draw.h"

#include <stdlib.h>
#include <string.h>

enum { TENSORS = 2, ELEMENTS = 400 };

static struct rt_history_row of[TENSORS][ELEMENTS];
static uint64_t state;

static uint64_t pick(uint64_t limit)
{
	return draw(&state, limit);
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void plain_enter(uint32_t tensor, int64_t first, int64_t last, uint64_t task, uint64_t end, bool writes)
{
	for (int64_t e = first; e < last; e++) {
		struct rt_history_row *trail = &of[tensor][e];

		trail->touched = task + 1;
		trail->touched_end = later(trail->touched_end, end);
		if (writes) {
			trail->wrote = task + 1;
			trail->wrote_end = end;
		}
	}
}

/* forgotten: what is asked only about later tasks and times may be less. */
static void check_join(const struct rt_history *trails, uint64_t forgotten_tasks, uint64_t forgotten_time)
{
	uint32_t tensor = (uint32_t)pick(TENSORS);
	int64_t first = (int64_t)pick(ELEMENTS), last = first + 1 + (int64_t)pick((uint64_t)(ELEMENTS - first));
	struct rt_history_row got = {0}, want = {0};

	rt_history_join(trails, tensor, first, last, &got);
	for (int64_t e = first; e < last; e++) {
		want.wrote = later(want.wrote, of[tensor][e].wrote);
		want.touched = later(want.touched, of[tensor][e].touched);
		want.wrote_end = later(want.wrote_end, of[tensor][e].wrote_end);
		want.touched_end = later(want.touched_end, of[tensor][e].touched_end);
	}
	CHECK_UINT(later(got.wrote, forgotten_tasks), later(want.wrote, forgotten_tasks));
	CHECK_UINT(later(got.touched, forgotten_tasks), later(want.touched, forgotten_tasks));
	CHECK_UINT(later(got.wrote_end, forgotten_time), later(want.wrote_end, forgotten_time));
	CHECK_UINT(later(got.touched_end, forgotten_time), later(want.touched_end, forgotten_time));
}

static unsigned char told[ELEMENTS * 4];

static void writer_told(void *context, uint64_t writer)
{
	(void)context;
	told[writer] |= 2;
}

/* Each latest writer is told, and nobody else. */
static void check_writers(const struct rt_history *trails, uint64_t forgotten_tasks)
{
	uint32_t tensor = (uint32_t)pick(TENSORS);
	int64_t first = (int64_t)pick(ELEMENTS), last = first + 1 + (int64_t)pick((uint64_t)(ELEMENTS - first));

	memset(told, 0, sizeof(told));
	for (int64_t e = first; e < last; e++)
		told[of[tensor][e].wrote] |= 1;
	told[0] = 0;
	rt_history_writers(trails, tensor, first, last, writer_told, NULL);
	for (uint64_t writer = 0; writer < sizeof(told); writer++)
		CHECK(told[writer] == 0 || told[writer] == 3 || (told[writer] == 1 && writer <= forgotten_tasks));
}

/* Ends are in no order, as clocks of instances stand apart. */
TEST(an_array_says_the_same)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct rt_history trails;
		uint64_t tasks = 0, time = 0;

		state = draw_seed(seed);
		memset(of, 0, sizeof(of));
		REQUIRE(rt_history_init(&trails, TENSORS));
		for (uint64_t task = 0; task < 1000; task++) {
			uint32_t tensor = (uint32_t)pick(TENSORS);
			int64_t first = (int64_t)pick(ELEMENTS), last = first + 1 + (int64_t)pick(later(1, (uint64_t)(ELEMENTS - first) / 8));
			uint64_t end = task * 3 + pick(200);
			bool writes = pick(2);

			CHECK(rt_history_enter(&trails, tensor, first, last, task, end, writes));
			plain_enter(tensor, first, last, task, end, writes);
			if (task % 50 == 49) {
				tasks = task - pick(40);
				time = task * 3 - pick(100);
				rt_history_forget(&trails, tasks, time);
			}
			check_join(&trails, tasks, time);
			check_writers(&trails, tasks);
		}
		rt_history_finish(&trails);
	}
}

/* ---- by name ------------------------------------------------------------------------------------------------------ */

enum { FEW = 60, SOME = 300 };
static bool touches[FEW][SOME];    /* since the latest writer, itself included */
static bool awaited[2][FEW][SOME]; /* of these: by either process */
static bool asked[2][FEW];         /* since the latest writer */
static bool named[SOME];

static void name_told(void *context, uint64_t task)
{
	(void)context;
	named[task - 1] = true;
}

static void few_enter(int64_t first, int64_t last, uint64_t task, bool writes)
{
	for (int64_t e = first; e < last; e++) {
		if (writes) {
			memset(touches[e], 0, sizeof(touches[e]));
			asked[0][e] = asked[1][e] = false;
		}
		touches[e][task] = true;
	}
}

/* Whoever has not been waited for is named; nobody is who did not touch it. */
static void few_check(struct rt_history *trails, int64_t first, int64_t last, int process)
{
	bool foreign = false, all;

	memset(named, 0, sizeof(named));
	all = rt_history_touchers(trails, 0, first, last, (uint32_t)process, name_told, NULL);
	for (int64_t e = first; e < last; e++)
		foreign |= asked[!process][e];
	CHECK(all || foreign);
	for (uint64_t task = 0; task < SOME; task++) {
		bool needed = false, touched = false;

		for (int64_t e = first; e < last; e++) {
			needed |= touches[e][task] && !awaited[process][e][task];
			touched |= touches[e][task];
		}
		CHECK(!all || !needed || named[task]);
		CHECK(!named[task] || touched);
	}
	for (int64_t e = first; e < last; e++) {
		asked[process][e] = true;
		for (uint64_t task = 0; task < SOME; task++)
			awaited[process][e][task] |= touches[e][task];
	}
}

TEST(who_touched_is_known_by_name)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct rt_history trails;

		state = draw_seed(seed);
		memset(touches, 0, sizeof(touches));
		memset(awaited, 0, sizeof(awaited));
		memset(asked, 0, sizeof(asked));
		REQUIRE(rt_history_init(&trails, 1));
		trails.named = true;
		for (uint64_t task = 0; task < SOME; task++) {
			int64_t first = (int64_t)pick(FEW), last = first + 1 + (int64_t)pick((uint64_t)(FEW - first) < 12 ? (uint64_t)(FEW - first) : 12);
			bool writes = pick(4) == 0;

			CHECK(rt_history_enter(&trails, 0, first, last, task, 0, writes));
			few_enter(first, last, task, writes);
			first = (int64_t)pick(FEW);
			last = first + 1 + (int64_t)pick((uint64_t)(FEW - first));
			if (pick(3) == 0)
				few_check(&trails, first, last, seed % 2 ? (int)pick(2) : 0);
		}
		CHECK(!rt_history_full(&trails));
		rt_history_finish(&trails);
	}
}

/* Only so many readers of an element are kept; then it takes all before the latest of them, once. */
TEST(too_many_are_not_named)
{
	struct rt_history trails;

	memset(named, 0, sizeof(named));
	REQUIRE(rt_history_init(&trails, 1));
	trails.named = true;
	for (uint64_t task = 0; task < RT_HISTORY_READERS + 3; task++)
		CHECK(rt_history_enter(&trails, 0, 0, 4, task, 0, false));
	CHECK(!rt_history_touchers(&trails, 0, 0, 4, 0, name_told, NULL));
	CHECK(rt_history_enter(&trails, 0, 0, 4, SOME - 1, 0, false));
	CHECK(rt_history_touchers(&trails, 0, 0, 4, 0, name_told, NULL));
	CHECK(named[SOME - 1] && !named[0]);
	rt_history_finish(&trails);
}

/* Only what is over for both: the task, and its end on every clock. */
TEST(what_somebody_may_ask_about_is_kept)
{
	struct rt_history trails;
	struct rt_history_row trail = {0};

	REQUIRE(rt_history_init(&trails, 1));
	CHECK(rt_history_enter(&trails, 0, 0, 4, 6, 50, true));
	rt_history_forget(&trails, 6, 50); /* task 6 is the seventh */
	rt_history_join(&trails, 0, 3, 9, &trail);
	CHECK_UINT(trail.wrote, 7);
	rt_history_forget(&trails, 7, 49);
	trail = (struct rt_history_row){0};
	rt_history_join(&trails, 0, 3, 9, &trail);
	CHECK_UINT(trail.touched_end, 50);
	rt_history_forget(&trails, 7, 50);
	trail = (struct rt_history_row){0};
	rt_history_join(&trails, 0, 0, 4, &trail);
	CHECK_UINT(trail.touched, 0);
	CHECK_UINT(trail.touched_end, 0);
	rt_history_finish(&trails);
}

/* It asks to be looked through when it has doubled; what stays moves the mark up. */
TEST(it_is_full_when_it_has_doubled)
{
	struct rt_history trails;
	uint32_t count = 0;

	REQUIRE(rt_history_init(&trails, 1));
	for (; !rt_history_full(&trails); count++)
		CHECK(rt_history_enter(&trails, 0, 2 * (int64_t)count, 2 * (int64_t)count + 1, count, count + 1, false));
	CHECK_UINT(count, 2048);
	rt_history_forget(&trails, 100, 100);
	for (; !rt_history_full(&trails); count++)
		CHECK(rt_history_enter(&trails, 0, 2 * (int64_t)count, 2 * (int64_t)count + 1, count, count + 1, false));
	CHECK_UINT(count, 2 * 1948 + 100);
	rt_history_forget(&trails, count, count);
	CHECK(!rt_history_full(&trails));
	rt_history_finish(&trails);
}
