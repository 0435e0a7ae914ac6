/* SPDX-License-Identifier: MIT */
/* spares.h - what outlives a run: the next run of the program begins with it, at the size to which it had grown, and clears nothing. Any thread. */
#ifndef RT_SPARES_H
#define RT_SPARES_H

#include "registry/common/common_arena.h"
#include "rt/access/cells.h"
#include "rt/run/answers.h"
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* A tensor map of a bounded window. Its taker goes on with stamps behind `stamp`, so that all tasks in it have left the window. */
struct rt_spare_map {
	struct rt_cells cells;
	struct rt_track track; /* readers; the cells' lists lead into it */
	uint32_t stamp;        /* the latest that is in it */
	uint64_t stamped;      /* tasks since stamps were freshened */
};
struct rt_spares {
	pthread_mutex_t lock;
	bool mapped; /* there is a map */
	struct rt_spare_map map;
	void *rows; /* of a clock, content of any kind; NULL: none */
	size_t rows_size;
	struct common_arena *arena; /* empty; NULL: none */
	struct rt_answers *answers; /* NULL: none */
};
void rt_spares_init(struct rt_spares *spares);
void rt_spares_finish(struct rt_spares *spares);
/* Frees what is kept. */
void rt_spares_empty(struct rt_spares *spares);
/* False: there is none. Else the taker owns it. */
bool rt_spares_map_take(struct rt_spares *spares, struct rt_spare_map *map_out);
/* Takes a map over; the smaller of two is freed. */
void rt_spares_map_give(struct rt_spares *spares, const struct rt_spare_map *map);
/* A block of malloc's of at least `least` bytes, of *size_out. NULL: none is kept. */
void *rt_spares_rows_take(struct rt_spares *spares, size_t least, size_t *size_out);
/* Takes a block of malloc's over, which may be NULL; the smaller of two is freed. */
void rt_spares_rows_give(struct rt_spares *spares, void *rows, size_t size);
/* Takes answers over, which may be NULL; those that were kept are the caller's. */
struct rt_answers *rt_spares_answers_change(struct rt_spares *spares, struct rt_answers *answers);
/* An empty arena, that of an earlier run if one is kept. NULL: no memory. */
struct common_arena *rt_spares_arena_take(struct rt_spares *spares);
/* Takes an arena over, which may be NULL, with all its pieces. */
void rt_spares_arena_give(struct rt_spares *spares, struct common_arena *arena);

#endif
