/* SPDX-License-Identifier: MIT */
#include "rt/arena.h"

#include <stdlib.h>
#include <string.h>
#include "rt/grow.h"

void rt_arena_finish(struct rt_arena *arena)
{
	free(arena->returns);
	memset(arena, 0, sizeof(*arena));
}

bool rt_arena_next(struct rt_arena *arena, uint64_t *tasks_out)
{
	if (!arena->count)
		return false;
	*tasks_out = rt_arena_first(arena)->tasks;
	arena->used -= rt_arena_first(arena)->bytes;
	arena->head++;
	arena->count--;
	return true;
}

void rt_arena_settle(struct rt_arena *arena, uint64_t tasks)
{
	uint64_t ignored;

	while (arena->count && rt_arena_first(arena)->tasks <= tasks)
		rt_arena_next(arena, &ignored);
}

bool rt_arena_fits(const struct rt_arena *arena, uint64_t bytes)
{
	return !arena->capacity || (bytes <= arena->capacity && arena->used <= arena->capacity - bytes);
}

/* Nearly always behind all others: what is freed later was touched later. */
bool rt_arena_return(struct rt_arena *arena, uint64_t tasks, uint64_t bytes)
{
	uint32_t at;

	if (arena->head > arena->count) { /* half of it is over: each row moves once at most */
		memmove(arena->returns, rt_arena_first(arena), arena->count * sizeof(*arena->returns));
		arena->head = 0;
	}
	if (!rt_grow((void **)&arena->returns, &arena->room, arena->head + arena->count, sizeof(*arena->returns)))
		return false;
	for (at = arena->head + arena->count++; at > arena->head && arena->returns[at - 1].tasks > tasks; at--)
		arena->returns[at] = arena->returns[at - 1];
	arena->returns[at] = (struct rt_arena_return){tasks, bytes};
	return true;
}
