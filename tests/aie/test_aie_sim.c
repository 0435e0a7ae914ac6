/* SPDX-License-Identifier: MIT
 * test_aie_sim.c - the simulator of AMD's arrays: its queue and its paths against the obvious, nets against a run a cycle at a time. */
#include <stdlib.h>
#include <string.h>

#include "aie/sim/sim_net.h"
#include "tests/aie/aie_world.h"
#include "tests/check.h"
#include "tests/draw.h"

static uint64_t next(uint64_t *state)
{
	return draw(state, 0);
}

TEST(queue_gives_the_earliest_and_of_equals_the_first)
{
	uint64_t times[37], state = 5;
	struct aie_queue queue;

	REQUIRE(aie_queue_init(&queue, 37));
	memset(times, 0xFF, sizeof(times));
	for (int round = 0; round < 20000; round++) {
		const uint32_t agent = (uint32_t)(next(&state) % 37);
		uint32_t first = 0;

		times[agent] = next(&state) % 8 ? next(&state) % 40 : AIE_NEVER;
		aie_queue_set(&queue, agent, times[agent]);
		for (uint32_t i = 1; i < 37; i++)
			first = times[i] < times[first] ? i : first;
		REQUIRE_UINT(queue.tree[1].time, times[first]);
		REQUIRE(times[first] == AIE_NEVER || queue.tree[1].agent == first);
	}
	aie_queue_finish(&queue);
}

/* Index of each element in order, the obvious way. */
static size_t order_of(uint32_t rank, const int64_t *sizes, const int64_t *strides, int64_t *order)
{
	int64_t index[4] = {0};
	size_t count = 0;

	for (;;) {
		uint32_t d = rank;

		order[count] = 0;
		for (uint32_t i = 0; i < rank; i++)
			order[count] += index[i] * strides[i];
		count++;
		while (d && ++index[d - 1] == sizes[d - 1])
			index[--d] = 0;
		if (!d)
			return count;
	}
}

TEST(paths_go_through_memory_as_their_dimensions_say)
{
	static const uint32_t widths[] = {1, 2, 4, 8};
	static uint8_t memory[1 << 16], row[1 << 16], back[1 << 16];
	static int64_t order[1 << 12];

	for (uint64_t seed = 1; seed <= 300; seed++) {
		uint64_t state = seed;
		const uint32_t rank = (uint32_t)(next(&state) % 5), width = widths[next(&state) % 4];
		int64_t sizes[4] = {0}, strides[4] = {0}, reach = 0;
		struct aie_cursor cursor;
		struct aie_path path;
		size_t count, at = 0;

		for (uint32_t d = 0; d < rank; d++) {
			sizes[d] = 1 + (int64_t)(next(&state) % 5);
			strides[d] = d + 1 == rank && next(&state) % 2 ? 1 : (int64_t)(next(&state) % 9);
			reach += strides[d] * (sizes[d] - 1);
		}
		for (size_t i = 0; i < sizeof(memory); i++)
			memory[i] = (uint8_t)next(&state);
		count = order_of(rank, sizes, strides, order);
		aie_path_make(&path, rank, sizes, strides, width);
		REQUIRE_UINT(path.bytes, count * width);
		REQUIRE_INT(path.beyond, (reach + 1) * width);
		aie_cursor_begin(&cursor, memory, 0);
		while (at < path.bytes) {
			const size_t left = path.bytes - at, n = 1 + next(&state) % left;

			aie_cursor_get(&cursor, &path, row + at, NULL, n);
			at += n;
		}
		for (size_t i = 0; i < count; i++)
			if (!CHECK_MEM(row + i * width, memory + order[i] * (int64_t)width, width))
				CHECK_FAIL("seed %llu element %zu", (unsigned long long)seed, i);
		/* And back: what is written last stays. */
		memcpy(back, memory, sizeof(back));
		for (size_t i = 0; i < path.bytes; i++)
			row[i] = (uint8_t)next(&state);
		for (size_t i = 0; i < count; i++)
			memcpy(back + order[i] * (int64_t)width, row + i * width, width);
		aie_cursor_begin(&cursor, memory, 0);
		for (at = 0; at < path.bytes;) {
			const size_t left = path.bytes - at, n = 1 + next(&state) % left;

			aie_cursor_put(&cursor, &path, row + at, NULL, n);
			at += n;
		}
		CHECK_MEM(memory, back, sizeof(back));
	}
}

static uint32_t pace_of(uint32_t rank, const int64_t *sizes, const int64_t *strides, uint32_t width)
{
	struct aie_path path;

	aie_path_make(&path, rank, sizes, strides, width);
	return path.pace;
}

TEST(short_runs_of_small_elements_cost_a_cycle_each)
{
	static const int64_t sizes[] = {8, 16}, apart[] = {32, 1}, crooked[] = {33, 1}, spread[] = {64, 2}, endless[] = {INT64_C(1) << 48, INT64_C(1) << 48};

	CHECK_UINT(pace_of(2, sizes, apart, 1), 1);
	CHECK_UINT(pace_of(2, sizes, crooked, 1), 4);
	CHECK_UINT(pace_of(2, sizes, spread, 1), 4);
	CHECK_UINT(pace_of(2, sizes, spread, 2), 2);
	CHECK_UINT(pace_of(2, sizes, spread, 4), 1);
	CHECK(aie_path_fits(2, sizes, apart, 4));
	CHECK(!aie_path_fits(2, endless, apart, 4));
	CHECK(!aie_path_fits(2, sizes, endless, 4));
}

static bool world_compare(uint64_t seed, bool sound, uint32_t buffering, uint32_t *outcomes)
{
	static uint32_t fast[WORLD_WORDS], slow[WORLD_WORDS];
	static struct world world;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct world_result a, b;
	bool same;

	world_make(&world, seed, sound);
	world_ddr(&world, fast);
	world_ddr(&world, slow);
	world_run(&world, buffering, fast, &a, &error);
	world_run_slow(&world, buffering, slow, &b);
	same = CHECK_INT(a.status, b.status);
	same = CHECK_UINT(a.cycles, b.cycles) && same;
	same = CHECK_MEM(fast, slow, world.ddr_words * sizeof(*fast)) && same;
	same = CHECK_MEM(a.objects, b.objects, sizeof(a.objects)) && same;
	same = CHECK_MEM(a.busy, b.busy, sizeof(a.busy)) && same;
	same = CHECK_MEM(a.blocked, b.blocked, sizeof(a.blocked)) && same;
	if (sound)
		same = CHECK_INT(a.status, PTOWSP_OK) && same;
	if (!same)
		CHECK_FAIL("seed %llu %s buffering %u: %s", (unsigned long long)seed, sound ? "sound" : "any", buffering, a.status ? error.text : "");
	outcomes[a.status == PTOWSP_DEADLOCK]++;
	return same;
}

TEST(random_nets_are_as_a_cycle_at_a_time)
{
	uint32_t outcomes[2] = {0};

	for (uint64_t seed = 1; seed <= 150; seed++)
		for (uint32_t buffering = 0; buffering <= 8; buffering += 4)
			if (!world_compare(seed, false, buffering, outcomes))
				return;
	CHECK(outcomes[0] > 50);
	CHECK(outcomes[1] > 50);
}

TEST(sound_nets_end)
{
	uint32_t outcomes[2] = {0};

	for (uint64_t seed = 1; seed <= 60; seed++)
		for (uint32_t buffering = 0; buffering <= 8; buffering += 8)
			if (!world_compare(seed, true, buffering, outcomes))
				return;
}
