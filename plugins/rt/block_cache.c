/* SPDX-License-Identifier: MIT */
#include "rt/block_cache.h"

#include <stdlib.h>
#include <string.h>

void rt_block_cache_init(struct rt_block_cache *spares)
{
	memset(spares, 0, sizeof(*spares));
	pthread_mutex_init(&spares->lock, NULL);
}

void *rt_block_cache_take(struct rt_block_cache *spares, enum rt_block_kind kind, size_t least, size_t *size_out)
{
	void *block = NULL;

	pthread_mutex_lock(&spares->lock);
	if (spares->kept[kind].block && spares->kept[kind].size >= least) {
		block = spares->kept[kind].block;
		*size_out = spares->kept[kind].size;
		spares->kept[kind].block = NULL;
	}
	pthread_mutex_unlock(&spares->lock);
	return block;
}

void rt_block_cache_empty(struct rt_block_cache *spares)
{
	size_t size;

	for (unsigned k = 0; k < RT_BLOCK_COUNT; k++)
		free(rt_block_cache_take(spares, k, 0, &size));
}

void rt_block_cache_finish(struct rt_block_cache *spares)
{
	rt_block_cache_empty(spares);
	pthread_mutex_destroy(&spares->lock);
}

void rt_block_cache_give(struct rt_block_cache *spares, enum rt_block_kind kind, void *block, size_t size)
{
	void *worse = block;

	pthread_mutex_lock(&spares->lock);
	if (block && (!spares->kept[kind].block || spares->kept[kind].size < size)) {
		worse = spares->kept[kind].block;
		spares->kept[kind].block = block;
		spares->kept[kind].size = size;
	}
	pthread_mutex_unlock(&spares->lock);
	free(worse);
}
