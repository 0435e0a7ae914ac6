/* SPDX-License-Identifier: MIT */
#include "rt/track.h"

#include <stdlib.h>
#include <string.h>

bool rt_track_init(struct rt_track *track, struct rt_preds *preds, bool full)
{
	memset(track, 0, sizeof(*track));
	track->preds = preds;
	track->full = full;
	track->mask = 1023;
	track->readers = malloc(((size_t)track->mask + 1) * sizeof(*track->readers));
	return track->readers != NULL;
}

void rt_track_finish(struct rt_track *track)
{
	free(track->readers);
	memset(track, 0, sizeof(*track));
}

/* Whole number of a task of which only the low half was kept: within 2^32 before the current one. */
static uint64_t whole(const struct rt_track *track, uint32_t low)
{
	return track->preds->task - (uint32_t)((uint32_t)track->preds->task - low);
}

static bool listed(const struct rt_track *track, uint32_t serial)
{
	return serial - track->tail < track->head - track->tail;
}

static void ring_grow(struct rt_track *track)
{
	uint32_t mask = track->mask * 2 + 1;
	struct rt_reader *more;

	more = mask < UINT32_MAX / 2 ? malloc(((size_t)mask + 1) * sizeof(*more)) : NULL;
	if (!more) {
		track->preds->out_of_memory = true;
		track->tail = track->head; /* forgets the readers: the run ends before that matters */
		return;
	}
	for (uint32_t s = track->tail; s != track->head; s++)
		more[s & mask] = track->readers[s & track->mask];
	free(track->readers);
	track->readers = more;
	track->mask = mask;
}

uint32_t rt_reader_add(struct rt_track *track, bool linked, uint32_t next)
{
	uint32_t serial;

	for (unsigned k = 0; k < 2 && track->tail != track->head; k++) {
		if (whole(track, track->readers[track->tail & track->mask].task) >= track->preds->oldest)
			break;
		track->tail++;
	}
	if (track->head - track->tail > track->mask)
		ring_grow(track);
	serial = track->head++;
	track->readers[serial & track->mask] = (struct rt_reader){(uint32_t)track->preds->task, linked ? next : serial};
	return serial;
}

void rt_cell_hazards(struct rt_track *track, const struct rt_cell *cell)
{
	uint32_t serial = cell->readers, next;

	if (cell->writer)
		rt_preds_add(track->preds, cell->writer - 1);
	if (cell->last == cell->writer || rt_cell_dead(cell, track))
		return;
	while (listed(track, serial)) {
		const struct rt_reader *reader = &track->readers[serial & track->mask];

		rt_preds_add(track->preds, whole(track, reader->task));
		next = reader->next;
		if (next == serial)
			break;
		serial = next;
	}
}
