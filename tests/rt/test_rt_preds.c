/* SPDX-License-Identifier: MIT
 * test_rt_preds.c - the predecessors of a task, each once, from cells that know their writer and readers, against lists of all of them. */
#include "ptowsp/task.h"
#include "rt/access/track.h"
#include "tests/check.h"
#include "tests/draw.h"

#include <stdlib.h>
#include <string.h>

/* Cells, and how many one task touches at most: more than a short list has. */
enum { CELLS = 90, TOUCHED = 60 };

/* Who has touched a cell since its latest writer, that one first; number + 1. */
struct trail {
	uint64_t tasks[4000];
	uint32_t count; /* of them, more were forgotten */
	bool written;
};
static struct trail trails[CELLS];
static struct rt_cell cells[CELLS];
static uint64_t state;

struct rules {
	uint64_t tasks, window; /* 0: unbounded */
	uint64_t touched;       /* cells at most, by one task in 20 */
	uint32_t base;          /* of stamps */
	uint32_t serial;        /* of the first reader record */
};

static uint64_t expected[CELLS * 4000];
static uint64_t expected_count;

static int number_order(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void expect(uint64_t task, uint64_t touched, uint64_t window)
{
	if (touched != task + 1 && (!window || task - (touched - 1) < window))
		expected[expected_count++] = touched;
}

static void plain_touch(struct trail *trail, uint64_t task, unsigned access, uint64_t window)
{
	uint32_t first = trail->written ? 0 : 1;

	if (access & PTOWSP_WRITE) {
		for (uint32_t i = first; i < trail->count; i++)
			expect(task, trail->tasks[i], window);
		*trail = (struct trail){.tasks = {task + 1}, .count = 1, .written = true};
		return;
	}
	if (trail->written)
		expect(task, trail->tasks[0], window);
	if (!trail->count)
		trail->count = 1; /* the place of a writer */
	if (trail->tasks[trail->count - 1] != task + 1)
		trail->tasks[trail->count++] = task + 1;
}

/* expected: sorted, each once. */
static void expected_settle(void)
{
	uint64_t count = 0;

	qsort(expected, expected_count, sizeof(*expected), number_order);
	for (uint64_t i = 0; i < expected_count; i++)
		if (!count || expected[count - 1] != expected[i])
			expected[count++] = expected[i];
	expected_count = count;
}

static bool same_list(const struct rt_preds *preds)
{
	uint64_t *sorted = malloc((preds->count + 1) * sizeof(*sorted));
	bool same = sorted && preds->count == expected_count;

	for (uint32_t i = 0; same && i < preds->count; i++)
		sorted[i] = preds->list[i] + 1;
	if (same)
		qsort(sorted, preds->count, sizeof(*sorted), number_order);
	same = same && !memcmp(sorted, expected, expected_count * sizeof(*sorted));
	free(sorted);
	return same;
}

static void task_enter(struct rt_track *track, uint64_t task, const struct rules *rules)
{
	uint64_t count = 1 + draw(&state, draw(&state, 20) ? 4 : rules->touched);

	expected_count = 0;
	for (uint64_t i = 0; i < count; i++) {
		uint32_t at = (uint32_t)draw(&state, CELLS);
		bool writes = !draw(&state, 3) || trails[at].count > 3000;

		if (writes)
			rt_cell_write(track, track->preds, &cells[at], false, true);
		else
			rt_cell_read(track, track->preds, &cells[at], true);
		plain_touch(&trails[at], task, writes ? PTOWSP_WRITE : PTOWSP_READ, rules->window);
	}
	expected_settle();
}

/* A task that is begun, cannot be issued, and is begun anew has the same predecessors. */
static void begin_anew(struct rt_preds *preds, uint64_t window)
{
	uint64_t list[256];
	uint32_t count = preds->count < 256 ? preds->count : 0;

	memcpy(list, preds->list, count * sizeof(*list));
	rt_preds_next(preds, preds->task, window);
	CHECK_UINT(preds->count, 0);
	for (uint32_t i = 0; i < count; i++)
		rt_preds_add(preds, rt_preds_stamp(preds, list[i]));
	CHECK_UINT(preds->count, count);
}

static void run(uint64_t seed, const struct rules *rules)
{
	struct rt_preds preds;
	struct rt_track track;
	uint32_t most = rules->window ? (uint32_t)rules->window - 1 : UINT32_MAX;

	state = draw_seed(seed);
	memset(trails, 0, sizeof(trails));
	REQUIRE(rt_preds_init(&preds));
	preds.base = rules->base;
	rt_preds_next(&preds, 0, rules->window);
	REQUIRE(rt_track_init(&track, &preds, true));
	track.head = track.tail = rules->serial;
	rt_track_room(&track);
	for (uint32_t i = 0; i < CELLS; i++)
		cells[i] = rt_cell_new(&track);
	for (uint64_t task = 0; task < rules->tasks; task++) {
		task_enter(&track, task, rules);
		if (!same_list(&preds)) {
			CHECK_FAIL("seed %llu, window %llu, base %u: task %llu has %u predecessors, %llu are expected", (unsigned long long)seed,
				   (unsigned long long)rules->window, rules->base, (unsigned long long)task, preds.count, (unsigned long long)expected_count);
			break;
		}
		if (!draw(&state, 30))
			begin_anew(&preds, rules->window);
		rt_preds_step(&preds, most);
	}
	CHECK(!preds.out_of_memory);
	rt_track_finish(&track);
	rt_preds_finish(&preds);
}

TEST(lists_of_all_say_the_same)
{
	static const struct rules rules[] = {
		{3000, 1, TOUCHED, 0, 1},
		{3000, 7, TOUCHED, 0, 1},
		{3000, 300, TOUCHED, 0u - 1000, 1},
		{6000, 5000, TOUCHED, 0u - 3000, 1},
		{4000, 0, TOUCHED, 0, 1},
		{4000, 900, TOUCHED, 77, 0u - 2000},
		{4000, 900, TOUCHED, 0u - 1, 0u - 1},
	};

	for (uint64_t seed = 1; seed <= 6; seed++)
		for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
			run(seed, &rules[i]);
}

/* Marks grow with the tasks that are live. */
TEST(so_they_do_where_a_window_is_long)
{
	run(1, &(struct rules){.tasks = 150000, .touched = 4, .serial = 1});
	run(2, &(struct rules){.tasks = 150000, .window = 120000, .touched = 8, .base = 0u - 90000, .serial = 1});
	run(3, &(struct rules){.tasks = 90000, .touched = TOUCHED, .serial = 1});
}
