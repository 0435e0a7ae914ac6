/* SPDX-License-Identifier: MIT */
/* common_grow.h - arrays on the heap that become longer, for all folders. An array is NULL at first, its room 0; new elements are not zeroed. Where memory runs out, the
 * array and its room are as they were. */
#ifndef REGISTRY_COMMON_COMMON_GROW_H
#define REGISTRY_COMMON_COMMON_GROW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Makes the array `count` elements of `size` bytes long, 1 or more: for arrays that say their length alone, and rarely become longer. False: out of memory. */
static inline bool common_resize(void **array, size_t count, size_t size)
{
	void *moved = count <= SIZE_MAX / size ? realloc(*array, count * size) : NULL;

	if (!moved)
		return false;
	*array = moved;
	return true;
}
#define COMMON_RESIZE(array, count) common_resize((void **)&(array), (count), sizeof(*(array)))

/* Makes room for one more element of `size` bytes behind `count` in an array that has room for *room. False: out of memory, or beyond 2^30 elements. */
static inline bool common_grow(void **array, uint32_t *room, uint32_t count, size_t size)
{
	const uint32_t more = *room ? *room * 2 : 16;

	if (count < *room)
		return true;
	if (*room >= UINT32_C(1) << 30 || !common_resize(array, more, size))
		return false;
	*room = more;
	return true;
}
#define COMMON_GROW(array, room, count) common_grow((void **)&(array), &(room), (count), sizeof(*(array)))

/* Makes room for `need` bytes, 1 or more, at least twice what there was. False: out of memory, or a need beyond a quarter of all addresses. */
static inline bool common_reserve(void **bytes, size_t *room, size_t need)
{
	const size_t more = need / 2 < *room ? *room * 2 : need + 256;

	if (need <= *room)
		return true;
	if (need > SIZE_MAX / 4 || !common_resize(bytes, more, 1))
		return false;
	*room = more;
	return true;
}
#define COMMON_RESERVE(bytes, room, need) common_reserve((void **)&(bytes), &(room), (need))

/* Makes a ring of `mask` + 1 elements, NULL or not, twice as long: elements `first` up to before `end` stay at their numbers, all others are zero. False: out of memory. */
static inline bool common_ring_double(void **ring, uint64_t mask, uint64_t first, uint64_t end, size_t size)
{
	const uint64_t wide = 2 * mask + 1;
	char *more = calloc(wide + 1, size);

	if (!more)
		return false;
	for (uint64_t k = first; k < end; k++)
		memcpy(more + (k & wide) * size, (char *)*ring + (k & mask) * size, size);
	free(*ring);
	*ring = more;
	return true;
}
#define COMMON_RING_DOUBLE(ring, mask, first, end) common_ring_double((void **)&(ring), (mask), (first), (end), sizeof(*(ring)))

#endif
