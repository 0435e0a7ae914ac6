/* SPDX-License-Identifier: MIT */
/* cells.h - a table of cells by 64-bit name: open addressing, entries in the table.
 *
 * An entry whose tasks have all left the window is dead. Nothing takes dead entries out: a new name takes the first dead place from its own on,
 * and each place knows how far from it a search has to go. So a hit costs nothing for those that die, and the table is as large as the
 * window needs: it grows with what is live, or is a fixed pool made for the most that can be. One thread. */
#ifndef RT_CELLS_H
#define RT_CELLS_H

#include "ptowsp/task.h"
#include "rt/access/intern.h"
#include "rt/access/track.h"
#include <stddef.h>

struct rt_entry {
	uint64_t name;
	struct rt_cell cell;
	uint32_t reach; /* how far from this place the names lie whose place it is */
};
struct rt_cells {
	struct rt_entry *entries;
	uint64_t mask;    /* mask + 1 places */
	unsigned shift;   /* mask + 1 is 2 ^ (64 - shift) */
	unsigned low;     /* low bits that no name has; rt_cells_fit */
	uint64_t factor;  /* names go to the places that the high bits of name * factor say */
	uint64_t entered; /* names since the places were last counted */
	bool fixed;       /* never grows */
};
/* most: 0, or a fixed pool for so many live names. False when out of memory. */
bool rt_cells_init(struct rt_cells *cells, uint64_t most);
void rt_cells_finish(struct rt_cells *cells);
/* The rest of rt_cells_find: the name is not where it is looked for first. Then: makes one that is not there; NULL when out of memory, which preds
 * remember. */
struct rt_cell *rt_cells_find_on(const struct rt_cells *cells, uint64_t name, uint64_t at);
struct rt_cell *rt_cells_enter_on(struct rt_cells *cells, struct rt_track *track, uint64_t name);
/* Calls visit for each live name in [first, last] and forgets them. */
void rt_cells_take(struct rt_cells *cells, const struct rt_track *track, uint64_t first, uint64_t last,
		   void (*visit)(void *context, const struct rt_entry *entry), void *context);
/* Stamps that are gone are set to stale: every 2^30 tasks. */
void rt_cells_freshen(struct rt_cells *cells, const struct rt_track *track);

/* Multiples of the golden ratio lie as far apart as can be, so names that follow each other, as those of a loop do, do not meet before the table is full. */
RT_INLINE uint64_t rt_cells_place(const struct rt_cells *cells, uint64_t name)
{
	return name * cells->factor >> cells->shift;
}

/* Names will come of which bits are set that no name had so far: they are often multiples of a tile's size, and what follows each other are these multiples.
 * A name that was not announced is only found less well. */
void rt_cells_fit_on(struct rt_cells *cells, const struct rt_track *track, uint64_t bits);
static inline void rt_cells_fit(struct rt_cells *cells, const struct rt_track *track, uint64_t bits)
{
	if (bits & ((UINT64_C(1) << cells->low) - 1))
		rt_cells_fit_on(cells, track, bits);
}

/* NULL if there is none of that name. */
RT_INLINE struct rt_cell *rt_cells_find(const struct rt_cells *cells, uint64_t name)
{
	uint64_t at = rt_cells_place(cells, name);
	struct rt_entry *entry = &cells->entries[at];

	if (entry->name == name)
		return &entry->cell;
	return entry->reach ? rt_cells_find_on(cells, name, at) : NULL;
}

/* The task being issued accesses what has that name: PTOWSP_READ, PTOWSP_WRITE or both. preds: track->preds; full: track->full. */
RT_INLINE void rt_cells_enter(struct rt_cells *cells, struct rt_track *track, struct rt_preds *preds, uint64_t name, unsigned access, bool full)
{
	struct rt_cell *cell = rt_cells_find(cells, name);

	/* A read alone leaves no trace when only RAW matters. */
	if (!cell && (full || access != PTOWSP_READ))
		cell = rt_cells_enter_on(cells, track, name);
	if (!cell)
		return;
	if (access == PTOWSP_READ)
		rt_cell_read(track, preds, cell, full);
	else
		rt_cell_write(track, preds, cell, access & PTOWSP_READ, full);
}

static inline void rt_cells_access(struct rt_cells *cells, struct rt_track *track, uint64_t name, unsigned access)
{
	rt_cells_enter(cells, track, track->preds, name, access, track->full);
}

#endif
