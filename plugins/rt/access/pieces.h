/* SPDX-License-Identifier: MIT */
/* pieces.h - who touched which elements: disjoint intervals per tensor, each with a cell. An access that falls on an interval is O(1); any other cuts
 * intervals at its ends, so that inside each all elements have one history; a write joins what it covers into one. One thread. */
#ifndef RT_PIECES_H
#define RT_PIECES_H

#include "rt/access/track.h"
#include <stddef.h>

/* Elements [start, end) of a tensor, start < end. */
struct rt_pieces;
struct rt_pieces *rt_pieces_create(uint32_t tensors);
void rt_pieces_destroy(struct rt_pieces *map);
void rt_pieces_read(struct rt_pieces *map, struct rt_track *track, uint32_t tensor, int64_t start, int64_t end);
void rt_pieces_write(struct rt_pieces *map, struct rt_track *track, uint32_t tensor, int64_t start, int64_t end);
/* As rt_cell_peek, of all that is there. */
void rt_pieces_peek(const struct rt_pieces *map, struct rt_track *track, uint32_t tensor, int64_t start, int64_t end, unsigned access);
/* Puts a cell with a history where there is nothing yet. */
void rt_pieces_put(struct rt_pieces *map, struct rt_track *track, uint32_t tensor, int64_t start, int64_t end, struct rt_cell cell);
/* Latest task that wrote any of it, + 1; 0: nobody that is remembered. */
uint64_t rt_pieces_writer(const struct rt_pieces *map, const struct rt_track *track, uint32_t tensor, int64_t start, int64_t end);
void rt_pieces_freshen(struct rt_pieces *map, const struct rt_track *track);

#endif
