/* SPDX-License-Identifier: MIT
 * test_rt_skip.c - whose each task is among several scheduler instances: passed over, walked and counted. Random programs
 * name their seed in a failure. */
#include "rt/instances/skip.h"
#include "rt/program/policy.h"
#include "rt/run/rt_run.h"
#include "tests/check.h"
#include "tests/lang/random_loops.h"

#include <stdlib.h>
#include <string.h>

struct told {
	uint64_t task;
	uint32_t site, level;
	int64_t loops[8];
};
struct list {
	struct told *rows;
	uint64_t count, total;
	bool failed;
};

static void told_add(struct list *list, const struct rt_program *program, const struct rt_expand *expand, uint64_t task)
{
	struct told *row;

	if (!(list->count & (list->count - 1)))
		list->rows = realloc(list->rows, (list->count ? 2 * list->count : 1) * sizeof(*list->rows));
	row = &list->rows[list->count++];
	memset(row, 0, sizeof(*row));
	row->task = task;
	row->site = expand->site;
	row->level = expand->level;
	for (uint32_t d = 0; d < program->sites[expand->site].depth && d < 8; d++)
		row->loops[d] = expand->loops[d];
}

/* A run as far as expressions need it. */
static struct rt_run *run_make(struct rt_program *program, struct ptowsp_error *error)
{
	static const struct ptowsp_run_args none = {PTOWSP_HEAD(none, RUN_ARGS), .flags = PTOWSP_RUN_NO_KERNELS};
	struct rt_run_args args = {.args = &none};
	struct rt_run *run = calloc(1, sizeof(*run));

	run->quiet = true;
	REQUIRE_INT(rt_run_init(run, program, &args, error), PTOWSP_OK);
	return run;
}

static void run_free(struct rt_run *run)
{
	rt_run_finish(run);
	free(run);
}

/* own: NULL, or the numbers that are given, whatever the policy. */
static struct list own_tasks(struct rt_program *program, uint32_t me, uint32_t n, const struct rt_own *own)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_run *run = run_make(program, &error);
	struct rt_skip *skip = calloc(1, sizeof(*skip));
	struct list list = {0};
	enum rt_event event;

	REQUIRE_INT(rt_skip_init(skip, &run->expand, program, &run->env, me, n, &error), PTOWSP_OK);
	if (own)
		rt_owner_own(&skip->owner, own);
	while ((event = rt_skip_next(skip)) != RT_EVENT_END && event != RT_EVENT_FAILED)
		if (event == RT_EVENT_TASK)
			told_add(&list, program, &run->expand, skip->task);
	list.total = skip->number;
	list.failed = event == RT_EVENT_FAILED;
	CHECK_UINT(skip->given + skip->walked + skip->skipped, skip->number);
	CHECK_UINT(skip->given, list.count);
	rt_skip_finish(skip);
	free(skip);
	run_free(run);
	return list;
}

/* All tasks, and whose each is. Filters have no say: rt_owner_find does not know them. */
static struct list all_tasks(struct rt_program *program, uint32_t n, uint32_t *owners, uint64_t room)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_run *run = run_make(program, &error);
	struct rt_skip *skip = calloc(1, sizeof(*skip));
	struct list list = {0};
	enum rt_event event = RT_EVENT_NONE;

	REQUIRE_INT(rt_skip_init(skip, &run->expand, program, &run->env, 0, n, &error), PTOWSP_OK);
	while (list.count < room && (event = rt_expand_next(&run->expand)) != RT_EVENT_END && event != RT_EVENT_FAILED) {
		if (event != RT_EVENT_TASK)
			continue;
		if (list.count < room)
			owners[list.count] = rt_owner_find(&skip->owner, &program->sites[run->expand.site], list.count);
		told_add(&list, program, &run->expand, list.count);
		run->env.task = list.count;
	}
	list.total = list.count;
	list.failed = event == RT_EVENT_FAILED;
	rt_skip_finish(skip);
	free(skip);
	run_free(run);
	return list;
}

enum { MOST = 60000 };

/* Every task is given to one instance, with its number, place and loop values; without filters, to the owner. */
static bool shares_agree(struct rt_program *program, uint32_t n, bool filters, uint64_t seed)
{
	uint32_t *owners = calloc(MOST, sizeof(*owners));
	uint8_t *seen = calloc(MOST, 1);
	struct list all = all_tasks(program, n, owners, MOST);
	uint64_t given = 0, wrong = 0;

	for (uint32_t me = 0; me < n && all.count < MOST; me++) {
		struct list own = own_tasks(program, me, n, NULL);

		wrong += own.failed != all.failed || (!all.failed && own.total != all.total);
		for (uint64_t i = 0; i < own.count; i++) {
			uint64_t task = own.rows[i].task;

			given++;
			wrong += task >= all.count || memcmp(&own.rows[i], &all.rows[task], sizeof(own.rows[i])) != 0;
			if (task >= all.count)
				continue;
			wrong += seen[task]++ != 0 || (!filters && owners[task] != me);
		}
		free(own.rows);
	}
	if (all.count < MOST)
		wrong += given != all.count;
	if (wrong)
		CHECK_FAIL("seed %llu, %u instances: %llu differences", (unsigned long long)seed, n, (unsigned long long)wrong);
	free(all.rows);
	free(owners);
	free(seen);
	return !wrong;
}

static void shares_of_random(bool filters)
{
	uint64_t count, seed = check_seeds(&count, 400);
	bool ok = true;

	for (; ok && count--; seed++) {
		struct random_loops r = random_loops_make(seed, filters, false);
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		struct rt_program *program = NULL;

		if (!builder_program(r.b, &program, &error))
			for (uint32_t k = 0; ok && k < 4; k++)
				ok = shares_agree(program, (uint32_t[]){1, 2, 3, 5}[k], filters, seed);
		else
			CHECK_FAIL("seed %llu: %s", (unsigned long long)seed, error.text);
		rt_program_destroy(program);
		builder_destroy(r.b);
	}
}

TEST(instances_share_the_tasks_of_random_programs)
{
	shares_of_random(false);
}

enum { RANGES = 64 };

/* A short length, or now and then any up to `most`. */
static uint64_t length_draw(uint64_t *state, uint64_t most)
{
	const uint64_t drawn = rt_mix64(++*state);

	return drawn % 4 ? drawn / 4 % 6 + 1 : drawn / 4 % most + 1;
}

/* Up to RANGES ranges, near each other and far apart, within `count` tasks and behind them. */
static struct rt_own ranges_draw(struct rt_range *ranges, uint64_t count, uint64_t *state)
{
	uint64_t at = rt_mix64(++*state) % 3;
	uint32_t r = 0;

	for (; r < RANGES && at < count + 4; r++) {
		ranges[r].begin = at;
		ranges[r].end = at + length_draw(state, count + 1);
		at = ranges[r].end + length_draw(state, count + 1);
	}
	return (struct rt_own){ranges, r};
}

/* The given tasks are those in the ranges, each with its number, place and loop values. */
static bool ranges_agree(struct rt_program *program, uint64_t seed)
{
	uint32_t *owners = calloc(MOST, sizeof(*owners));
	struct list all = all_tasks(program, 1, owners, MOST), given;
	struct rt_range ranges[RANGES];
	uint64_t state = seed, at = 0, wrong = 0;
	const struct rt_own own = ranges_draw(ranges, all.count, &state);

	given = own_tasks(program, 0, 2, &own);
	for (uint32_t r = 0; r < own.count && !all.failed && all.count < MOST; r++)
		for (uint64_t task = ranges[r].begin; task < ranges[r].end && task < all.count; task++, at++)
			wrong += at >= given.count || memcmp(&given.rows[at], &all.rows[task], sizeof(*all.rows)) != 0;
	if (!all.failed && all.count < MOST)
		wrong += at != given.count || given.failed || given.total != all.total;
	if (wrong)
		CHECK_FAIL("seed %llu: %llu differences", (unsigned long long)seed, (unsigned long long)wrong);
	free(given.rows);
	free(all.rows);
	free(owners);
	return !wrong;
}

TEST(ranges_of_random_programs_are_given_and_no_others)
{
	uint64_t count, seed = check_seeds(&count, 400);
	bool ok = true;

	for (; ok && count--; seed++) {
		struct random_loops r = random_loops_make(seed, seed % 2, false);
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		struct rt_program *program = NULL;

		REQUIRE_INT(builder_program(r.b, &program, &error), PTOWSP_OK);
		ok = ranges_agree(program, seed);
		rt_program_destroy(program);
		builder_destroy(r.b);
	}
}

TEST(filters_give_every_task_to_one_instance)
{
	shares_of_random(true);
}
