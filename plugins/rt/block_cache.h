/* SPDX-License-Identifier: MIT */
/* block_cache.h - large blocks that outlive a run, one of each kind: the next run of the program begins with them, at the size to which they had grown, and
 * touches no page for the first time. Any thread. */
#ifndef RT_BLOCK_CACHE_H
#define RT_BLOCK_CACHE_H

#include <pthread.h>
#include <stddef.h>

enum rt_block_kind { RT_BLOCK_CELLS, RT_BLOCK_READERS, RT_BLOCK_ROWS, RT_BLOCK_COUNT };
struct rt_block_cache {
	pthread_mutex_t lock;
	struct {
		void *block;
		size_t size;
	} kept[RT_BLOCK_COUNT];
};
void rt_block_cache_init(struct rt_block_cache *spares);
void rt_block_cache_finish(struct rt_block_cache *spares);
/* Gives back what is kept. */
void rt_block_cache_empty(struct rt_block_cache *spares);
/* A block of malloc's of at least `least` bytes, of *size_out, whose content is anything. NULL: none is kept. */
void *rt_block_cache_take(struct rt_block_cache *spares, enum rt_block_kind kind, size_t least, size_t *size_out);
/* Takes a block of malloc's over, which may be NULL; the smaller of two is freed. */
void rt_block_cache_give(struct rt_block_cache *spares, enum rt_block_kind kind, void *block, size_t size);

#endif
