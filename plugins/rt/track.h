/* SPDX-License-Identifier: MIT */
/* track.h - who wrote and who read a piece of a tensor since: the part that all tensor maps share.
 *
 * A cell is the state of one key or interval. Readers form a list that is only ever added to at its head, so two halves of a split
 * interval share it. Reader records lie in one ring in task order and die with the window, without being unlinked: a link that points behind the
 * ring's tail, or to a task that has left, is the end of the list. */
#ifndef RT_TRACK_H
#define RT_TRACK_H

#include "rt/preds.h"

struct rt_cell {
	uint32_t writer;  /* stamp of the latest task that wrote */
	uint32_t last;    /* stamp of the latest task that wrote or read; readers are valid while it differs from writer */
	uint32_t readers; /* serial of the newest reader */
};
struct rt_reader {
	uint32_t task; /* stamp */
	uint32_t next; /* serial of the next older one; its own serial: the end */
};
struct rt_track {
	struct rt_preds *preds;
	bool full; /* hazards: WAR and WAW too */
	struct rt_reader *readers;
	uint32_t mask, head, tail; /* free-running serials */
};
bool rt_track_init(struct rt_track *track, struct rt_preds *preds, bool full);
void rt_track_finish(struct rt_track *track);
/* Makes room for a record: drops those that left the window, else twice the room. */
void rt_track_room(struct rt_track *track);
/* The readers among those whom a writer must wait for. */
void rt_cell_readers(struct rt_track *track, const struct rt_cell *cell);

/* No task of the window is in it. */
static inline bool rt_cell_dead(const struct rt_cell *cell, const struct rt_track *track)
{
	return rt_preds_gone(track->preds, cell->last);
}

/* A cell that nobody has touched. */
static inline struct rt_cell rt_cell_new(const struct rt_track *track)
{
	return (struct rt_cell){track->preds->stale, track->preds->stale, 0};
}

/* Serial of a new reader record of the current task in front of `next`. */
static inline uint32_t rt_reader_add(struct rt_track *track, bool linked, uint32_t next)
{
	uint32_t serial;

	if (track->head - track->tail > track->mask)
		rt_track_room(track);
	serial = track->head++;
	track->readers[serial & track->mask] = (struct rt_reader){track->preds->stamp, linked ? next : serial};
	return serial;
}

/* The task reads: RAW. */
static inline void rt_cell_read(struct rt_track *track, struct rt_cell *cell)
{
	uint32_t stamp = track->preds->stamp;

	rt_preds_add(track->preds, cell->writer);
	if (!track->full || cell->last == stamp)
		return;
	cell->readers = rt_reader_add(track, cell->last != cell->writer && !rt_cell_dead(cell, track), cell->readers);
	cell->last = stamp;
}

/* The task writes: WAR and WAW. reads: it reads the same first. */
static inline void rt_cell_write(struct rt_track *track, struct rt_cell *cell, bool reads)
{
	if (track->full || reads)
		rt_preds_add(track->preds, cell->writer);
	if (track->full && cell->last != cell->writer && !rt_cell_dead(cell, track))
		rt_cell_readers(track, cell);
	cell->writer = cell->last = track->preds->stamp;
}

#endif
