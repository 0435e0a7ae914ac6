/* SPDX-License-Identifier: MIT */
/* track.h - who wrote and who read a piece of a tensor since: the part that all tensor maps share.
 *
 * A cell is the state of one key or interval. Readers form a list that is only ever added to at its head, so two halves of a split
 * interval share it. Reader records lie in one ring in task order and die with the window, without being unlinked: a link that points behind the
 * ring's tail, or to a task that has left, is the end of the list. */
#ifndef RT_TRACK_H
#define RT_TRACK_H

#include "rt/access/preds.h"
#include <stddef.h>

struct rt_cell {
	uint32_t writer;  /* stamp of the latest task that wrote */
	uint32_t last;    /* stamp of the latest task that wrote or read */
	uint32_t readers; /* serial of the newest reader since then; 0: none */
};
struct rt_reader {
	uint32_t task; /* stamp */
	uint32_t next; /* serial of the next older one; 0: none */
};
struct rt_track {
	struct rt_preds *preds;
	bool full; /* hazards: WAR and WAW too */
	struct rt_reader *readers;
	uint32_t mask, head, tail; /* free-running serials; 0 is none */
	uint32_t limit;            /* head for which room has to be made */
};
bool rt_track_init(struct rt_track *track, struct rt_preds *preds, bool full);
void rt_track_finish(struct rt_track *track);
/* Makes room for records at `limit`: drops those that left the window, else twice the room. Returns the serial of the next one. */
uint32_t rt_track_room(struct rt_track *track);
/* The readers among those whom a writer must wait for. */
void rt_cell_readers(struct rt_track *track, const struct rt_cell *cell);

/* Whom a task that reads or writes it (PTOWSP_READ, PTOWSP_WRITE) would come behind; the cell stays as it is. */
void rt_cell_peek(struct rt_track *track, const struct rt_cell *cell, unsigned access);

/* No task of the window is in it. */
static inline bool rt_cell_dead(const struct rt_cell *cell, const struct rt_track *track)
{
	return rt_preds_gone(track->preds, cell->last);
}

/* A cell that nobody has touched. */
static inline struct rt_cell rt_cell_new(const struct rt_track *track)
{
	uint32_t stale = rt_preds_stale(track->preds);

	return (struct rt_cell){stale, stale, 0};
}

/* The task has read. */
RT_INLINE void rt_cell_reader(struct rt_track *track, const struct rt_preds *preds, struct rt_cell *cell)
{
	uint32_t serial = track->head;

	if (serial == track->limit)
		serial = rt_track_room(track);
	track->readers[serial & track->mask] = (struct rt_reader){preds->stamp, cell->readers};
	track->head = serial + 1;
	cell->readers = serial;
	cell->last = preds->stamp;
}

/* The task reads: RAW. full: track->full. */
RT_INLINE void rt_cell_read(struct rt_track *track, struct rt_preds *preds, struct rt_cell *cell, bool full)
{
	rt_preds_add(preds, cell->writer);
	if (full && cell->last != preds->stamp)
		rt_cell_reader(track, preds, cell);
}

/* The task writes: WAR and WAW. reads: it reads the same first. */
RT_INLINE void rt_cell_write(struct rt_track *track, struct rt_preds *preds, struct rt_cell *cell, bool reads, bool full)
{
	if (full || reads)
		rt_preds_add(preds, cell->writer);
	if (full && cell->readers)
		rt_cell_readers(track, cell);
	cell->readers = 0;
	cell->writer = cell->last = preds->stamp;
}

#endif
