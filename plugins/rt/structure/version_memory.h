/* SPDX-License-Identifier: MIT */
/* version_memory.h - the real memory of versions: a block each. One that is given back waits until its tasks have really ended; then it is there for the next version of
 * its size, or goes back where versions of other sizes want its bytes. So what is held, in use or not, never exceeds the heap, and whether there is room depends on bytes alone, as
 * the semantics say. One thread. */
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
	uint64_t held;               /* by all blocks */
	struct rt_leaving *leaving;  /* head .. count, in the order in which they were given back */
	struct rt_store_size *sizes; /* one per index that callers use */
	uint32_t size_count, leaving_head, leaving_count, leaving_room;
	const struct rt_mirror *mirror;
};
/* sizes: how many there are. mirror: borrowed; NULL: nobody has to know of the bytes. False when out of memory. */
bool rt_store_init(struct rt_store *store, uint32_t sizes, uint64_t capacity, const struct rt_mirror *mirror);
/* Blocks in use are dropped before. */
void rt_store_finish(struct rt_store *store);
/* A block of that size; NULL: there is no room, or out of memory (*failed_out). */
char *rt_store_take(struct rt_store *store, uint32_t size, bool *failed_out);
/* The block is free when all tasks before `tasks` have ended. False when out of memory. */
bool rt_store_return(struct rt_store *store, uint32_t size, char *block, uint64_t tasks);
/* So many tasks have ended. */
void rt_store_settle(struct rt_store *store, uint64_t tasks);
/* Nobody uses the block any more. */
void rt_store_drop(struct rt_store *store, uint32_t size, char *block);

#endif
