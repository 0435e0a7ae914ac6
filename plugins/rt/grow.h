/* SPDX-License-Identifier: MIT */
/* grow.h - arrays that double, only for what is O(program), or O(tasks) under an unbounded window; and numbers that say how large. */
#ifndef RT_GROW_H
#define RT_GROW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Makes room for one more element of size bytes; false when out of memory or beyond 2^31 elements. */
static inline bool rt_grow(void **array, uint32_t *room, uint32_t count, size_t size)
{
	uint32_t more = *room ? *room * 2 : 16;
	void *moved;

	if (count < *room)
		return true;
	if (*room >= UINT32_C(1) << 30 || more > SIZE_MAX / size)
		return false;
	moved = realloc(*array, more * size);
	if (!moved)
		return false;
	*array = moved;
	*room = more;
	return true;
}

/* The larger one of two numbers, which mostly are times. */
static inline uint64_t rt_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Smallest power of two >= n, n in 1..2^63. */
static inline uint64_t rt_power_above(uint64_t n)
{
	uint64_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

/* Where rings over the tasks of a window begin; those of a larger window grow when so many tasks are there. */
static inline uint64_t rt_window_room(uint64_t window)
{
	return rt_power_above(window && window < 8192 ? window : 8192);
}

#endif
