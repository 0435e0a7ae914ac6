/* SPDX-License-Identifier: MIT */
/* task_moves.c - numbers of the program's tasks among those that carry what goes with tokens. */
#include "registry/common/common_grow.h"
#include "rt/graph/tasks.h"
#include <stdlib.h>
#include <string.h>

enum { ROOM_FIRST = 64 };

/* Room for all so far, or for as many as may be asked for; what is there lies from 0 on while there is less than that. */
static bool grow(struct rt_task_moves *moves)
{
	uint64_t room = moves->room ? moves->room * 2 : ROOM_FIRST;

	if (moves->most && room > moves->most)
		room = moves->most;
	if (!COMMON_RESIZE(moves->before, room))
		return false;
	moves->room = room;
	return true;
}

bool rt_task_moves_add(struct rt_task_moves *moves, uint64_t before, uint64_t most)
{
	moves->most = most;
	if (moves->count >= moves->room && (!most || moves->room < most) && !grow(moves))
		return false;
	moves->before[moves->count++ % moves->room] = before;
	return true;
}

/* Those that come before it are the first ones: their counts rise. */
bool rt_task_moves_find(const struct rt_task_moves *moves, uint64_t producer, uint64_t *number_out)
{
	const uint64_t oldest = moves->count > moves->room ? moves->count - moves->room : 0;
	uint64_t low = oldest, high = moves->count;

	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (moves->before[middle % moves->room] <= producer)
			low = middle + 1;
		else
			high = middle;
	}
	*number_out = producer + low;
	return low > oldest || !oldest;
}

void rt_task_moves_finish(struct rt_task_moves *moves)
{
	free(moves->before);
	*moves = (struct rt_task_moves){0};
}
