/* SPDX-License-Identifier: MIT */
#include "rt/access/pieces.h"

#include "ptowsp/task.h"
#include "rt/access/interval.h"
#include <stdlib.h>

struct rt_pieces {
	struct rt_intervals set;
	uint32_t owed; /* nodes to look at for each one inserted: keeps the dead from piling up */
};

struct rt_pieces *rt_pieces_create(uint32_t tensors)
{
	struct rt_pieces *map = calloc(1, sizeof(*map));

	if (map && !rt_intervals_init(&map->set, tensors)) {
		rt_pieces_destroy(map);
		return NULL;
	}
	return map;
}

void rt_pieces_destroy(struct rt_pieces *map)
{
	if (!map)
		return;
	rt_intervals_finish(&map->set);
	free(map);
}

static uint32_t insert(struct rt_pieces *map, struct rt_track *track, uint32_t tensor, int64_t start, int64_t end)
{
	uint32_t node = rt_interval_insert(&map->set, tensor, start, end, rt_cell_new(track));

	map->owed += 2;
	if (node == RT_NO_NODE)
		track->preds->out_of_memory = true;
	return node;
}

static uint32_t cut(struct rt_pieces *map, struct rt_track *track, uint32_t node, int64_t at)
{
	uint32_t right = rt_interval_cut(&map->set, node, at);

	map->owed += 2;
	if (right == RT_NO_NODE)
		track->preds->out_of_memory = true;
	return right;
}

/* Intervals that nobody remembers go before they are looked at; never while a search holds a node. */
static void settle(struct rt_pieces *map, const struct rt_track *track)
{
	rt_intervals_sweep(&map->set, track, map->owed);
	map->owed = 0;
}

/* The interval behind a node, which goes. */
static uint32_t removed(struct rt_pieces *map, uint32_t node)
{
	uint32_t next = rt_interval_next(&map->set, node);

	rt_interval_remove(&map->set, node);
	return next;
}

/* The first live interval from node on, dead ones that begin before end are removed on the way. */
RT_INLINE uint32_t live_from(struct rt_pieces *map, const struct rt_track *track, uint32_t node, int64_t end)
{
	while (node != RT_NO_NODE && map->set.nodes[node].start < end && rt_cell_dead(&map->set.nodes[node].cell, track))
		node = removed(map, node);
	return node;
}

void rt_pieces_peek(const struct rt_pieces *map, struct rt_track *track, uint32_t tensor, int64_t start, int64_t end, unsigned access)
{
	uint32_t node = rt_interval_after(&map->set, tensor, start);

	for (; node != RT_NO_NODE && map->set.nodes[node].start < end; node = rt_interval_next(&map->set, node))
		rt_cell_peek(track, &map->set.nodes[node].cell, access);
}

/* The interval that begins at start and ends at or before end: cut out of `node`, or made where there is none. */
static uint32_t piece(struct rt_pieces *map, struct rt_track *track, uint32_t node, uint32_t tensor, int64_t start, int64_t end)
{
	if (node == RT_NO_NODE || map->set.nodes[node].start >= end)
		return insert(map, track, tensor, start, end);
	if (map->set.nodes[node].start > start)
		return insert(map, track, tensor, start, map->set.nodes[node].start);
	if (map->set.nodes[node].start < start)
		node = cut(map, track, node, start);
	if (node != RT_NO_NODE && map->set.nodes[node].end > end)
		cut(map, track, node, end);
	return node;
}

/* A live interval that begins there and does not go too far. */
RT_INLINE bool is_piece(const struct rt_pieces *map, const struct rt_preds *preds, uint32_t node, int64_t start, int64_t end)
{
	const struct rt_interval *nodes = map->set.nodes;

	return node != RT_NO_NODE && nodes[node].start == start && nodes[node].end <= end && !rt_preds_gone(preds, nodes[node].cell.last);
}

/* Reads piece by piece: gaps become intervals without a writer. Of full hazards. */
static void pieces_read(struct rt_pieces *map, struct rt_track *track, uint32_t tensor, int64_t start, int64_t end)
{
	struct rt_preds *preds = track->preds;
	uint32_t node = rt_interval_after(&map->set, tensor, start);

	while (start < end) {
		struct rt_interval *n;

		if (!is_piece(map, preds, node, start, end))
			node = piece(map, track, live_from(map, track, node, end), tensor, start, end);
		if (node == RT_NO_NODE)
			return;
		n = &map->set.nodes[node];
		__builtin_prefetch(n + 1); /* mostly the next row of the access that made it */
		rt_cell_read(track, preds, &n->cell, true);
		start = n->end;
		node = n->behind;
	}
}

/* Enters the hazards of everything in the interval and clears it. */
static void pieces_clear(struct rt_pieces *map, struct rt_track *track, uint32_t tensor, int64_t start, int64_t end)
{
	uint32_t node = rt_interval_after(&map->set, tensor, start);

	for (;;) {
		node = live_from(map, track, node, end);
		if (node == RT_NO_NODE || map->set.nodes[node].start >= end || track->preds->out_of_memory)
			return;
		if (map->set.nodes[node].start < start)
			node = cut(map, track, node, start);
		if (node != RT_NO_NODE && map->set.nodes[node].end > end)
			cut(map, track, node, end);
		if (node == RT_NO_NODE)
			return;
		if (track->full)
			rt_cell_write(track, track->preds, &map->set.nodes[node].cell, false, track->full);
		node = removed(map, node);
	}
}

void rt_pieces_read(struct rt_pieces *map, struct rt_track *track, uint32_t tensor, int64_t start, int64_t end)
{
	uint32_t node = rt_interval_exact(&map->set, tensor, start, end);

	if (node != RT_NO_NODE) {
		rt_cell_read(track, track->preds, &map->set.nodes[node].cell, track->full);
		return;
	}
	settle(map, track);
	if (track->full)
		pieces_read(map, track, tensor, start, end);
	else
		rt_pieces_peek(map, track, tensor, start, end, PTOWSP_READ); /* RAW alone: nothing is left behind */
}

void rt_pieces_write(struct rt_pieces *map, struct rt_track *track, uint32_t tensor, int64_t start, int64_t end)
{
	uint32_t node = rt_interval_exact(&map->set, tensor, start, end);

	if (node == RT_NO_NODE) {
		settle(map, track);
		pieces_clear(map, track, tensor, start, end);
		node = insert(map, track, tensor, start, end);
	}
	if (node != RT_NO_NODE)
		rt_cell_write(track, track->preds, &map->set.nodes[node].cell, false, track->full);
}

void rt_pieces_put(struct rt_pieces *map, struct rt_track *track, uint32_t tensor, int64_t start, int64_t end, struct rt_cell cell)
{
	uint32_t node = insert(map, track, tensor, start, end);

	if (node != RT_NO_NODE)
		map->set.nodes[node].cell = cell;
}

void rt_pieces_freshen(struct rt_pieces *map, const struct rt_track *track)
{
	for (uint32_t i = 0; i < map->set.room; i++) {
		struct rt_cell *cell = &map->set.nodes[i].cell;

		if (rt_preds_gone(track->preds, cell->last))
			cell->last = rt_preds_stale(track->preds);
		if (rt_preds_gone(track->preds, cell->writer))
			cell->writer = rt_preds_stale(track->preds);
	}
}

uint64_t rt_pieces_writer(const struct rt_pieces *map, const struct rt_track *track, uint32_t tensor, int64_t start, int64_t end)
{
	uint32_t node = rt_interval_after(&map->set, tensor, start);
	uint64_t latest = 0;

	for (; node != RT_NO_NODE && map->set.nodes[node].start < end; node = rt_interval_next(&map->set, node)) {
		uint32_t writer = map->set.nodes[node].cell.writer;
		uint64_t task = track->preds->task + 1 - (uint32_t)(track->preds->stamp - writer);

		if (!rt_preds_gone(track->preds, writer) && task > latest)
			latest = task;
	}
	return latest;
}
