/* SPDX-License-Identifier: MIT */
/* track.h - who wrote and who read a piece of a tensor since: the part that both tensor maps share.
 *
 * A cell is the state of one key or interval. Readers form a list that is only ever added to at its head, so two halves of a split
 * interval share it. Reader records lie in one ring in task order and die with the window, without being unlinked: a link that points behind the
 * ring's tail is the end of the list. */
#ifndef RT_TRACK_H
#define RT_TRACK_H

#include "rt/preds.h"

struct rt_cell {
	uint64_t writer;  /* latest task that wrote, + 1; 0: none */
	uint64_t last;    /* latest task that wrote or read, + 1; readers are valid while it differs from writer */
	uint32_t readers; /* serial of the newest reader */
};
struct rt_reader {
	uint32_t task; /* low half of the number */
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
/* Twice the room for reader records. */
void rt_track_grow(struct rt_track *track);

/* No task of the window is in it. */
static inline bool rt_cell_dead(const struct rt_cell *cell, const struct rt_track *track)
{
	return cell->last <= track->preds->oldest;
}

/* How many tasks ago: exact for the 2^32 tasks before the current one, and no reader is older. */
static inline uint32_t rt_reader_age(const struct rt_track *track, const struct rt_reader *reader)
{
	return (uint32_t)track->preds->task - reader->task;
}

/* The next task: drops records that left the window. */
static inline void rt_track_next(struct rt_track *track)
{
	uint64_t window = track->preds->task - track->preds->oldest;

	while (track->tail != track->head && rt_reader_age(track, &track->readers[track->tail & track->mask]) > window)
		track->tail++;
}

/* Serial of a new reader record of the current task in front of `next`. */
static inline uint32_t rt_reader_add(struct rt_track *track, bool linked, uint32_t next)
{
	uint32_t serial;

	if (track->head - track->tail > track->mask)
		rt_track_grow(track);
	serial = track->head++;
	track->readers[serial & track->mask] = (struct rt_reader){(uint32_t)track->preds->task, linked ? next : serial};
	return serial;
}

/* The task reads: RAW. */
static inline void rt_cell_read(struct rt_track *track, struct rt_cell *cell)
{
	uint64_t stamp = track->preds->task + 1;

	if (cell->writer)
		rt_preds_add(track->preds, cell->writer - 1);
	if (!track->full || cell->last == stamp)
		return;
	cell->readers = rt_reader_add(track, cell->last != cell->writer && !rt_cell_dead(cell, track), cell->readers);
	cell->last = stamp;
}

/* Enters everybody whom a writer must wait for: WAR and WAW. */
void rt_cell_hazards(struct rt_track *track, const struct rt_cell *cell);

static inline void rt_cell_write(struct rt_track *track, struct rt_cell *cell)
{
	if (track->full)
		rt_cell_hazards(track, cell);
	cell->writer = cell->last = track->preds->task + 1;
}

#endif
