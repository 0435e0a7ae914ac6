/* SPDX-License-Identifier: MIT */
#include "rt/spare.h"

#include <stdlib.h>
#include <string.h>

void rt_spares_init(struct rt_spares *spares)
{
	memset(spares, 0, sizeof(*spares));
	pthread_mutex_init(&spares->lock, NULL);
}

void rt_spares_finish(struct rt_spares *spares)
{
	for (unsigned k = 0; k < RT_SPARE_COUNT; k++)
		free(spares->kept[k].block);
	pthread_mutex_destroy(&spares->lock);
}

void *rt_spare_take(struct rt_spares *spares, enum rt_spare kind, size_t least, size_t *size_out)
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

void rt_spare_give(struct rt_spares *spares, enum rt_spare kind, void *block, size_t size)
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
