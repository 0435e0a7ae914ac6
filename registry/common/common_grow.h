/* SPDX-License-Identifier: MIT */
/* common_grow.h - arrays that double, for all folders. */
#ifndef REGISTRY_COMMON_COMMON_GROW_H
#define REGISTRY_COMMON_COMMON_GROW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Makes room for one more element of `size` bytes behind `count` in an array on the heap that has room for *room, NULL and 0 at first. The new room is not zeroed.
 * False: out of memory, or beyond 2^30 elements; array and room are as they were then. */
static inline bool common_grow(void **array, uint32_t *room, uint32_t count, size_t size)
{
	const uint32_t more = *room ? *room * 2 : 16;
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
#define COMMON_GROW(array, room, count) common_grow((void **)&(array), &(room), (count), sizeof(*(array)))

#endif
