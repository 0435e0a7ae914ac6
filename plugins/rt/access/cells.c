/* SPDX-License-Identifier: MIT */
#include "rt/access/cells.h"
#include "registry/common/common_hash.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_BITS = 11, ROOM_BITS_MOST = 40, REACH_MOST = 64, LOW_MOST = 16 };

/* Names are multiples of 2 ^ low. */
static void low_set(struct rt_cells *cells, unsigned low)
{
	cells->low = low;
	cells->factor = COMMON_GOLDEN >> low | 1;
}

static void entries_set(struct rt_cells *cells, struct rt_entry *entries, unsigned bits, uint32_t stale)
{
	uint64_t count = UINT64_C(1) << bits;

	cells->entries = entries;
	for (uint64_t i = 0; i < count; i++)
		entries[i] = (struct rt_entry){RT_NO_NAME, {stale, stale, 0}, 0};
	cells->mask = count - 1;
	cells->shift = 64 - bits;
	cells->entered = 0;
}

static bool entries_make(struct rt_cells *cells, unsigned bits, uint32_t stale)
{
	struct rt_entry *entries = bits <= ROOM_BITS_MOST ? malloc((UINT64_C(1) << bits) * sizeof(*entries)) : NULL;

	if (entries)
		entries_set(cells, entries, bits, stale);
	return entries != NULL;
}

/* A fixed pool is never more than half full, so there is always a dead place. */
bool rt_cells_init(struct rt_cells *cells, uint64_t most)
{
	unsigned bits = ROOM_BITS;

	memset(cells, 0, sizeof(*cells));
	cells->fixed = most != 0;
	low_set(cells, LOW_MOST);
	while (bits <= ROOM_BITS_MOST && most > UINT64_C(1) << (bits - 1))
		bits++;
	return entries_make(cells, bits, 0);
}

void rt_cells_finish(struct rt_cells *cells)
{
	free(cells->entries);
	memset(cells, 0, sizeof(*cells));
}

struct rt_cell *rt_cells_find_on(const struct rt_cells *cells, uint64_t name, uint64_t at)
{
	for (uint32_t reach = cells->entries[at].reach; reach; reach--) {
		at = (at + 1) & cells->mask;
		if (cells->entries[at].name == name)
			return &cells->entries[at].cell;
	}
	return NULL;
}

/* How far the live names of a place really lie: those that died may have been the farthest. */
static void reach_shorten(struct rt_cells *cells, const struct rt_track *track, uint64_t home)
{
	uint32_t reach = cells->entries[home].reach;

	for (; reach; reach--) {
		const struct rt_entry *entry = &cells->entries[(home + reach) & cells->mask];

		if (!rt_cell_dead(&entry->cell, track) && rt_cells_place(cells, entry->name) == home)
			break;
	}
	cells->entries[home].reach = reach;
}

/* The first dead place from the name's own on becomes the name's. NULL: there is none near. */
static struct rt_entry *dead_take(struct rt_cells *cells, const struct rt_track *track, uint64_t name)
{
	uint64_t home = rt_cells_place(cells, name);
	uint32_t far = 0;
	struct rt_entry *entry = &cells->entries[home];

	while (!rt_cell_dead(&entry->cell, track)) {
		if (far == REACH_MOST && !cells->fixed)
			return NULL;
		entry = &cells->entries[(home + ++far) & cells->mask];
	}
	entry->name = name;
	if (far > cells->entries[home].reach)
		cells->entries[home].reach = far;
	return entry;
}

static bool entries_move(const struct rt_cells *from, struct rt_cells *to, const struct rt_track *track)
{
	for (uint64_t i = 0; i <= from->mask; i++) {
		struct rt_entry *entry;

		if (rt_cell_dead(&from->entries[i].cell, track))
			continue;
		entry = dead_take(to, track, from->entries[i].name);
		if (!entry)
			return false;
		entry->cell = from->entries[i].cell;
	}
	return true;
}

/* Twice the room, or as much as lets everybody find a place; the dead stay behind. */
static bool grow(struct rt_cells *cells, const struct rt_track *track)
{
	for (unsigned bits = 65 - cells->shift;; bits++) {
		struct rt_cells more = {.low = cells->low, .factor = cells->factor};

		if (!entries_make(&more, bits, rt_preds_stale(track->preds)))
			return false;
		if (entries_move(cells, &more, track)) {
			free(cells->entries);
			*cells = more;
			return true;
		}
		free(more.entries);
	}
}

/* The live ones move; a fixed pool has room for all that there can be. Without memory for it names stay where they are. */
void rt_cells_fit_on(struct rt_cells *cells, const struct rt_track *track, uint64_t bits)
{
	struct rt_cells more = {.fixed = cells->fixed};

	low_set(&more, (unsigned)__builtin_ctzll(bits));
	if (!entries_make(&more, 64 - cells->shift, rt_preds_stale(track->preds)))
		return;
	if (!entries_move(cells, &more, track)) {
		free(more.entries);
		return;
	}
	free(cells->entries);
	*cells = more;
}

/* Counted once per so many names that a table could have filled up, in an eighth of the places, as names are spread evenly: if three eighths of them
 * are live, names are found farther and farther from home. */
static bool crowded(struct rt_cells *cells, const struct rt_track *track)
{
	uint64_t live = 0;

	if (cells->entered <= cells->mask / 4 || cells->fixed)
		return false;
	cells->entered = 0;
	for (uint64_t i = 0; i <= cells->mask / 8; i++)
		live += !rt_cell_dead(&cells->entries[i].cell, track);
	return live > cells->mask / 64 * 3;
}

/* Enters a name whose own place is taken, or counts. A function of its own, so that the common way saves no registers. */
static __attribute__((noinline)) struct rt_cell *enter_slowly(struct rt_cells *cells, struct rt_track *track, uint64_t name, uint64_t home)
{
	struct rt_entry *entry;

	if (cells->entries[home].reach)
		reach_shorten(cells, track, home);
	entry = crowded(cells, track) ? NULL : dead_take(cells, track, name);
	while (!entry) {
		if (!grow(cells, track)) {
			track->preds->out_of_memory = true;
			return NULL;
		}
		entry = dead_take(cells, track, name);
	}
	entry->cell = rt_cell_new(track);
	return &entry->cell;
}

struct rt_cell *rt_cells_enter_on(struct rt_cells *cells, struct rt_track *track, uint64_t name)
{
	uint64_t home = rt_cells_place(cells, name);
	struct rt_entry *entry = &cells->entries[home];

	if ((++cells->entered > cells->mask / 4 && !cells->fixed) || entry->reach || !rt_cell_dead(&entry->cell, track))
		return enter_slowly(cells, track, name, home);
	entry->name = name;
	entry->cell = rt_cell_new(track);
	return &entry->cell;
}

void rt_cells_take(struct rt_cells *cells, const struct rt_track *track, uint64_t first, uint64_t last,
		   void (*visit)(void *context, const struct rt_entry *entry), void *context)
{
	for (uint64_t i = 0; i <= cells->mask; i++) {
		struct rt_entry *entry = &cells->entries[i];

		if (entry->name - first > last - first)
			continue;
		if (!rt_cell_dead(&entry->cell, track))
			visit(context, entry);
		entry->name = RT_NO_NAME;
		entry->cell = rt_cell_new(track);
	}
}

void rt_cells_freshen(struct rt_cells *cells, const struct rt_track *track)
{
	for (uint64_t i = 0; i <= cells->mask; i++) {
		struct rt_cell *cell = &cells->entries[i].cell;

		if (rt_preds_gone(track->preds, cell->last))
			cell->last = rt_preds_stale(track->preds);
		if (rt_preds_gone(track->preds, cell->writer))
			cell->writer = rt_preds_stale(track->preds);
	}
}
