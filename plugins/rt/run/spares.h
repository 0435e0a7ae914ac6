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
/* What a run leaves, and the next one takes: each part may be missing. */
struct rt_spare {
	bool mapped; /* there is a map */
	struct rt_spare_map map;
	void *rows; /* of a clock, content of any kind, a block of malloc's of rows_size bytes; NULL: none */
	size_t rows_size;
	struct common_arena *arena; /* NULL: none */
	struct rt_answers *answers; /* NULL: none */
};
struct rt_spares {
	pthread_mutex_t lock;
	struct rt_spare spare;
};
void rt_spares_init(struct rt_spares *spares);
void rt_spares_finish(struct rt_spares *spares);
/* All that is kept; the caller's. */
void rt_spares_take(struct rt_spares *spares, struct rt_spare *spare_out);
/* Keeps it, the arena empty; what was kept is freed. */
void rt_spares_give(struct rt_spares *spares, const struct rt_spare *spare);
/* Frees what is kept. */
void rt_spares_empty(struct rt_spares *spares);

#endif
