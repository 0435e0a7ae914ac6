/* SPDX-License-Identifier: MIT */
/* arena.h - bytes of the heap arena: taken ones, and ones that come back when a task has left. It counts; the memory itself is the tensors'. */
#ifndef RT_ARENA_H
#define RT_ARENA_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes that come back when all tasks before `tasks` have left; the least first. */
struct rt_arena_return {
	uint64_t tasks, bytes;
};
struct rt_arena {
	uint64_t capacity;               /* 0: unbounded */
	uint64_t used;                   /* returns included */
	struct rt_arena_return *returns; /* from `head` on, `count` of them */
	uint32_t head, count, room;
};
/* The next return, and the others behind it. */
static inline const struct rt_arena_return *rt_arena_first(const struct rt_arena *arena)
{
	return arena->returns + arena->head;
}
void rt_arena_finish(struct rt_arena *arena);
/* Gives back everything that waits for no more than `tasks`. */
void rt_arena_settle(struct rt_arena *arena, uint64_t tasks);
/* Gives back the bytes that come next; false: none are awaited. *tasks_out: what they waited for. */
bool rt_arena_next(struct rt_arena *arena, uint64_t *tasks_out);
bool rt_arena_fits(const struct rt_arena *arena, uint64_t bytes);
/* False when out of memory. */
bool rt_arena_return(struct rt_arena *arena, uint64_t tasks, uint64_t bytes);

#endif
