/* SPDX-License-Identifier: MIT */
#include "rt/access/track.h"

#include "ptowsp/task.h"
#include <stdlib.h>
#include <string.h>

/* Records end at the limit: behind the ring's last place, or where the serial would be 0. */
static void limit_set(struct rt_track *track)
{
	uint32_t room = track->tail + track->mask + 1 - track->head, serials = 0 - track->head;

	track->limit = track->head + (room < serials ? room : serials);
}

bool rt_track_init(struct rt_track *track, struct rt_preds *preds, bool full)
{
	memset(track, 0, sizeof(*track));
	track->preds = preds;
	track->head = track->tail = 1;
	track->full = full;
	track->mask = 1023;
	track->readers = malloc(((size_t)track->mask + 1) * sizeof(*track->readers));
	limit_set(track);
	return track->readers != NULL;
}

void rt_track_finish(struct rt_track *track)
{
	free(track->readers);
	memset(track, 0, sizeof(*track));
}

/* Records from serial `from` up to before `end`, to where they are in a ring twice as long: in runs that go on in both. */
static void records_move(const struct rt_track *track, struct rt_reader *to, uint32_t from, uint32_t end)
{
	const uint32_t wide = track->mask * 2 + 1;

	while (from != end) {
		uint32_t left = track->mask + 1 - (from & track->mask), count = end - from < left ? end - from : left;

		memcpy(&to[from & wide], &track->readers[from & track->mask], count * sizeof(*to));
		from += count;
	}
}

static void grow(struct rt_track *track)
{
	uint32_t mask = track->mask * 2 + 1;
	struct rt_reader *more = mask < UINT32_MAX / 2 ? malloc(((size_t)mask + 1) * sizeof(*more)) : NULL;

	if (!more) {
		track->preds->out_of_memory = true;
		track->tail = track->head; /* forgets the readers: the run ends before that matters */
		return;
	}
	records_move(track, more, track->tail, track->head);
	free(track->readers);
	track->readers = more;
	track->mask = mask;
}

/* Half empty afterwards, or twice as large: either way the next call is far away. */
uint32_t rt_track_room(struct rt_track *track)
{
	while (track->tail != track->head && rt_preds_gone(track->preds, track->readers[track->tail & track->mask].task))
		track->tail++;
	if (track->head - track->tail > track->mask / 2)
		grow(track);
	if (!track->head) /* a link that is none leads to a record that has left */
		track->readers[track->head++ & track->mask] = (struct rt_reader){rt_preds_stale(track->preds), 0};
	limit_set(track);
	return track->head;
}

void rt_cell_readers(struct rt_track *track, const struct rt_cell *cell)
{
	struct rt_preds *preds = track->preds;
	const uint32_t tail = track->tail, listed = track->head - tail;

	for (uint32_t serial = cell->readers; serial - tail < listed;) {
		const struct rt_reader reader = track->readers[serial & track->mask];
		const uint32_t age = preds->stamp - reader.task;

		if (age > preds->span)
			return;
		if (age) /* not the task itself */
			rt_preds_put(preds, reader.task);
		serial = reader.next;
	}
}

void rt_cell_peek(struct rt_track *track, const struct rt_cell *cell, unsigned access)
{
	if (track->full || access & PTOWSP_READ)
		rt_preds_add(track->preds, cell->writer);
	if (track->full && access & PTOWSP_WRITE)
		rt_cell_readers(track, cell);
}
