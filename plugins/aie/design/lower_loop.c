/* SPDX-License-Identifier: MIT */
#include "aie/design/lower_own.h"

#include "registry/common/common_grow.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1024 }; /* lines of a round that is looked for */
struct finder {
	struct aie_loops *loops;
	const struct aie_loops_args *args;
	int32_t *held; /* per side: acquired in the round that is looked at */
	bool failed;
};

static uint32_t rounds_of(const struct finder *finder, uint32_t from, uint32_t to, uint32_t length)
{
	const uint32_t *ids = finder->args->ids;
	uint32_t same = 0;

	while (from + length + same < to && ids[from + same] == ids[from + length + same])
		same++;
	return same / length + 1;
}

/* A closed body releases nothing that it did not acquire, and keeps nothing. */
static bool closed(const struct finder *finder, uint32_t from, uint32_t length)
{
	bool ok = true;

	memset(finder->held, 0, finder->args->sides * sizeof(*finder->held));
	for (uint32_t l = from; ok && l < from + length; l++) {
		int32_t open = finder->args->opens[l];

		if (open > 0)
			finder->held[open - 1]++;
		else if (open < 0)
			ok = finder->held[-open - 1]-- > 0;
	}
	for (uint32_t s = 0; ok && s < finder->args->sides; s++)
		ok = !finder->held[s];
	return ok;
}

static uint32_t turn_add(struct finder *finder, uint32_t rounds, uint32_t line)
{
	struct aie_loops *loops = finder->loops;

	if (!COMMON_GROW(loops->turns, loops->room, loops->count)) {
		finder->failed = true;
		return 0;
	}
	loops->turns[loops->count] = (struct aie_turn){rounds, line};
	return loops->count++;
}

/* The round that stands for most lines from here on, the shortest of those; 0: there is none. */
static uint32_t best_round(const struct finder *finder, uint32_t from, uint32_t to, uint32_t *rounds_out)
{
	uint32_t best = 0, most = 0;

	for (uint32_t length = 1; length <= LONGEST && from + 2 * length <= to; length++) {
		uint32_t rounds = finder->args->ids[from] == finder->args->ids[from + length] ? rounds_of(finder, from, to, length) : 1;

		if (rounds < 2 || rounds * length <= most || !closed(finder, from, length))
			continue;
		best = length;
		most = rounds * length;
		*rounds_out = rounds;
	}
	return best;
}

static void part_take(struct finder *finder, uint32_t from, uint32_t to)
{
	while (from < to && !finder->failed) {
		uint32_t rounds = 0, length = best_round(finder, from, to, &rounds), turn;

		if (!length) {
			turn_add(finder, 0, from++);
			continue;
		}
		turn = turn_add(finder, rounds, 0);
		part_take(finder, from, from + length);
		if (!finder->failed)
			finder->loops->turns[turn].line = finder->loops->count - turn - 1;
		from += rounds * length;
	}
}

ptowsp_status aie_loops_find(struct aie_loops *loops, const struct aie_loops_args *args, struct ptowsp_error *error)
{
	struct finder finder = {loops, args, calloc((size_t)args->sides + 1, sizeof(*finder.held)), false};

	aie_loops_finish(loops);
	if (finder.held)
		part_take(&finder, 0, args->count);
	free(finder.held);
	return finder.held && !finder.failed ? PTOWSP_OK : rt_no_memory(error, "the loops of a cell");
}

void aie_loops_finish(struct aie_loops *loops)
{
	free(loops->turns);
	memset(loops, 0, sizeof(*loops));
}
