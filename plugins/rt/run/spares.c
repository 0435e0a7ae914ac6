/* SPDX-License-Identifier: MIT */
#include "rt/run/spares.h"

#include <stdlib.h>
#include <string.h>

void rt_spares_init(struct rt_spares *spares)
{
	memset(spares, 0, sizeof(*spares));
	pthread_mutex_init(&spares->lock, NULL);
}

static void spare_free(struct rt_spare *spare)
{
	if (spare->mapped) {
		rt_cells_finish(&spare->map.cells);
		rt_track_finish(&spare->map.track);
	}
	free(spare->rows);
	common_arena_destroy(spare->arena);
	rt_answers_free(spare->answers);
}

/* What is kept and the other one change places. */
static void change(struct rt_spares *spares, struct rt_spare *spare)
{
	struct rt_spare kept;

	pthread_mutex_lock(&spares->lock);
	kept = spares->spare;
	spares->spare = *spare;
	pthread_mutex_unlock(&spares->lock);
	*spare = kept;
}

void rt_spares_take(struct rt_spares *spares, struct rt_spare *spare)
{
	memset(spare, 0, sizeof(*spare));
	change(spares, spare);
}

void rt_spares_give(struct rt_spares *spares, const struct rt_spare *spare)
{
	struct rt_spare before = *spare;

	if (spare->arena)
		common_arena_empty(spare->arena);
	change(spares, &before);
	spare_free(&before);
}

void rt_spares_empty(struct rt_spares *spares)
{
	rt_spares_give(spares, &(struct rt_spare){0});
}

void rt_spares_finish(struct rt_spares *spares)
{
	rt_spares_empty(spares);
	pthread_mutex_destroy(&spares->lock);
}
