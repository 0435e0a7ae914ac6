/* SPDX-License-Identifier: MIT */
#include "rt/run/spares.h"

#include <stdlib.h>
#include <string.h>

void rt_spares_init(struct rt_spares *spares)
{
	memset(spares, 0, sizeof(*spares));
	pthread_mutex_init(&spares->lock, NULL);
}

static void map_free(struct rt_spare_map *map)
{
	rt_cells_finish(&map->cells);
	rt_track_finish(&map->track);
}

/* The arena that was kept, in whose place the other one is. */
static struct common_arena *arena_change(struct rt_spares *spares, struct common_arena *arena)
{
	struct common_arena *kept;

	pthread_mutex_lock(&spares->lock);
	kept = spares->arena;
	spares->arena = arena;
	pthread_mutex_unlock(&spares->lock);
	return kept;
}

struct rt_answers *rt_spares_answers_change(struct rt_spares *spares, struct rt_answers *answers)
{
	struct rt_answers *kept;

	pthread_mutex_lock(&spares->lock);
	kept = spares->answers;
	spares->answers = answers;
	pthread_mutex_unlock(&spares->lock);
	return kept;
}

void rt_spares_empty(struct rt_spares *spares)
{
	struct rt_spare_map map;
	size_t size;

	if (rt_spares_map_take(spares, &map))
		map_free(&map);
	free(rt_spares_rows_take(spares, 0, &size));
	common_arena_destroy(arena_change(spares, NULL));
	rt_answers_free(rt_spares_answers_change(spares, NULL));
}

void rt_spares_finish(struct rt_spares *spares)
{
	rt_spares_empty(spares);
	pthread_mutex_destroy(&spares->lock);
}

bool rt_spares_map_take(struct rt_spares *spares, struct rt_spare_map *map_out)
{
	bool there;

	pthread_mutex_lock(&spares->lock);
	there = spares->mapped;
	*map_out = spares->map;
	spares->mapped = false;
	pthread_mutex_unlock(&spares->lock);
	return there;
}

void rt_spares_map_give(struct rt_spares *spares, const struct rt_spare_map *map)
{
	struct rt_spare_map worse = *map;
	bool kept;

	pthread_mutex_lock(&spares->lock);
	kept = !spares->mapped || spares->map.cells.mask < map->cells.mask;
	if (kept) {
		worse = spares->map;
		spares->map = *map;
	}
	kept = spares->mapped || !kept;
	spares->mapped = true;
	pthread_mutex_unlock(&spares->lock);
	if (kept)
		map_free(&worse);
}

void *rt_spares_rows_take(struct rt_spares *spares, size_t least, size_t *size_out)
{
	void *rows = NULL;

	pthread_mutex_lock(&spares->lock);
	if (spares->rows && spares->rows_size >= least) {
		rows = spares->rows;
		*size_out = spares->rows_size;
		spares->rows = NULL;
	}
	pthread_mutex_unlock(&spares->lock);
	return rows;
}

void rt_spares_rows_give(struct rt_spares *spares, void *rows, size_t size)
{
	void *worse = rows;

	pthread_mutex_lock(&spares->lock);
	if (rows && (!spares->rows || spares->rows_size < size)) {
		worse = spares->rows;
		spares->rows = rows;
		spares->rows_size = size;
	}
	pthread_mutex_unlock(&spares->lock);
	free(worse);
}

struct common_arena *rt_spares_arena_take(struct rt_spares *spares)
{
	struct common_arena *arena = arena_change(spares, NULL);

	return arena ? arena : common_arena_create();
}

void rt_spares_arena_give(struct rt_spares *spares, struct common_arena *arena)
{
	if (!arena)
		return;
	common_arena_empty(arena);
	common_arena_destroy(arena_change(spares, arena));
}
