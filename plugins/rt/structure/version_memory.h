/* SPDX-License-Identifier: MIT */
/* version_memory.h - the real memory of versions: blocks of few sizes out of one piece that never grows, or, where the heap is unbounded, one allocation each.
 *
 * A block that is given back waits until its tasks have really ended; then it is there for the next version of that size. Where none of a size is left
 * and the piece is used up, what is free may lie in blocks of other sizes: then the caller lets all tasks end and moves the versions together
 * (rt_store_pack). So whether there is room depends on bytes alone, as the semantics say. One thread. */
#ifndef RT_VERSION_MEMORY_H
#define RT_VERSION_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct rt_mirror;

/* A block that waits for the end of tasks before `tasks`. */
struct rt_leaving {
	uint64_t tasks;
	char *block;
	uint32_t size; /* index of its size */
};
struct rt_store_size {
	uint64_t bytes; /* a multiple of 64 */
	char *free;     /* a list through the first word of each block */
};
struct rt_store {
	uint64_t capacity;           /* bytes; 0: unbounded */
	char *memory;                /* bounded: the piece; NULL until the first block */
	uint64_t top;                /* what of it was ever handed out, since it was packed last */
	char **blocks;               /* unbounded: all of them */
	struct rt_leaving *leaving;  /* head .. count, in the order in which they were given back */
	struct rt_store_size *sizes; /* one per index that callers use */
	uint32_t size_count, block_count, block_room, leaving_head, leaving_count, leaving_room;
	const struct rt_mirror *mirror;
};
/* sizes: how many there are. mirror: borrowed; NULL: nobody has to know of the bytes. False when out of memory. */
bool rt_store_init(struct rt_store *store, uint32_t sizes, uint64_t capacity, const struct rt_mirror *mirror);
void rt_store_finish(struct rt_store *store);
/* A block of that size; NULL: none is left, or out of memory (*failed_out). */
char *rt_store_take(struct rt_store *store, uint32_t size, bool *failed_out);
/* The block is free when all tasks before `tasks` have ended. False when out of memory. */
bool rt_store_return(struct rt_store *store, uint32_t size, char *block, uint64_t tasks);
/* So many tasks have ended. */
void rt_store_settle(struct rt_store *store, uint64_t tasks);
/* Bounded, and nothing is leaving: begins anew. The caller then places what is in use with rt_store_place, by ascending address. */
void rt_store_pack(struct rt_store *store);
/* Moves a block down to where the piece is free now. */
char *rt_store_place(struct rt_store *store, uint32_t size, const char *block);

#endif
