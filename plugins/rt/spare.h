/* SPDX-License-Identifier: MIT */
/* spare.h - large blocks that outlive a run, one of each kind: the next run of the program begins with them, at the size to which they had grown, and
 * touches no page for the first time. Any thread. */
#ifndef RT_SPARE_H
#define RT_SPARE_H

#include <pthread.h>
#include <stddef.h>

enum rt_spare { RT_SPARE_CELLS, RT_SPARE_READERS, RT_SPARE_ROWS, RT_SPARE_COUNT };
struct rt_spares {
	pthread_mutex_t lock;
	struct {
		void *block;
		size_t size;
	} kept[RT_SPARE_COUNT];
};
void rt_spares_init(struct rt_spares *spares);
void rt_spares_finish(struct rt_spares *spares);
/* A block of malloc's of at least `least` bytes, of *size_out, whose content is anything. NULL: none is kept. */
void *rt_spare_take(struct rt_spares *spares, enum rt_spare kind, size_t least, size_t *size_out);
/* Takes a block of malloc's over, which may be NULL; the smaller of two is freed. */
void rt_spare_give(struct rt_spares *spares, enum rt_spare kind, void *block, size_t size);

#endif
