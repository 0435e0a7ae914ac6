/* SPDX-License-Identifier: MIT */
#include "rt/process/history.h"

#include "registry/common/common_grow.h"
#include "rt/grow.h"
#include <stdlib.h>
#include <string.h>

enum { KEPT_LEAST = 1024 };

bool rt_history_init(struct rt_history *trails, uint32_t tensors)
{
	memset(trails, 0, sizeof(*trails));
	trails->kept = KEPT_LEAST;
	return rt_intervals_init(&trails->set, tensors);
}

void rt_history_finish(struct rt_history *trails)
{
	rt_intervals_finish(&trails->set);
	free(trails->trails);
	free(trails->readers);
	memset(trails, 0, sizeof(*trails));
}

/* ---- readers ------------------------------------------------------------------------------------------------------ */

static void readers_drop(struct rt_history *trails, struct rt_history_row *trail)
{
	uint32_t at = trail->readers;

	while (at && !--trails->readers[at].uses) {
		uint32_t next = trails->readers[at].next;

		trails->readers[at].next = trails->reader_spare;
		trails->reader_spare = at;
		at = next;
	}
	trail->readers = trail->reader_count = 0;
}

static uint32_t reader_make(struct rt_history *trails)
{
	uint32_t at = trails->reader_spare;

	if (at) {
		trails->reader_spare = trails->readers[at].next;
		return at;
	}
	trails->reader_count += !trails->reader_count;
	if (!COMMON_GROW(trails->readers, trails->reader_room, trails->reader_count))
		return 0;
	return trails->reader_count++;
}

static bool reader_add(struct rt_history *trails, struct rt_history_row *trail, uint64_t task)
{
	uint32_t at;

	if (trail->reader_count >= RT_HISTORY_READERS || (trail->readers && trails->readers[trail->readers].task == task))
		return true;
	if (trail->reader_count + 1 == RT_HISTORY_READERS) {
		readers_drop(trails, trail);
		trail->reader_count = RT_HISTORY_READERS;
		return true;
	}
	at = reader_make(trails);
	if (!at)
		return false;
	trails->readers[at] = (struct rt_history_reader){task, trail->readers, 1};
	trail->readers = at;
	trail->reader_count++;
	return true;
}

/* ---- intervals ---------------------------------------------------------------------------------------------------- */

/* A trail for every node there is room for. */
static bool trails_grow(struct rt_history *trails)
{
	if (trails->room >= trails->set.room)
		return true;
	if (!COMMON_RESIZE(trails->trails, trails->set.room))
		return false;
	trails->room = trails->set.room;
	return true;
}

static uint32_t insert(struct rt_history *trails, uint32_t tensor, int64_t first, int64_t last)
{
	uint32_t node = rt_interval_insert(&trails->set, tensor, first, last, (struct rt_cell){0});

	if (node == RT_NO_NODE || !trails_grow(trails))
		return RT_NO_NODE;
	trails->trails[node] = (struct rt_history_row){0};
	return node;
}

static uint32_t cut(struct rt_history *trails, uint32_t node, int64_t at)
{
	uint32_t right = rt_interval_cut(&trails->set, node, at);

	if (right == RT_NO_NODE || !trails_grow(trails))
		return RT_NO_NODE;
	trails->trails[right] = trails->trails[node];
	if (trails->trails[right].readers)
		trails->readers[trails->trails[right].readers].uses++;
	return right;
}

/* The interval that begins at first and ends at or before last: cut out of what is there, or made where there is nothing. */
static uint32_t piece(struct rt_history *trails, uint32_t tensor, int64_t first, int64_t last)
{
	const struct rt_intervals *set = &trails->set;
	uint32_t node = rt_interval_after(set, tensor, first);

	if (node == RT_NO_NODE || set->nodes[node].start >= last)
		return insert(trails, tensor, first, last);
	if (set->nodes[node].start > first)
		return insert(trails, tensor, first, set->nodes[node].start);
	if (set->nodes[node].start < first)
		node = cut(trails, node, first);
	if (node != RT_NO_NODE && set->nodes[node].end > last && cut(trails, node, last) == RT_NO_NODE)
		return RT_NO_NODE;
	return node;
}

bool rt_history_enter(struct rt_history *trails, uint32_t tensor, int64_t first, int64_t last, uint64_t task, uint64_t end, bool writes)
{
	while (first < last) {
		uint32_t node = piece(trails, tensor, first, last);
		struct rt_history_row *trail;

		if (node == RT_NO_NODE)
			return false;
		trail = &trails->trails[node];
		trail->touched = task + 1;
		trail->touched_end = rt_later(trail->touched_end, end);
		if (writes) {
			trail->wrote = task + 1;
			trail->wrote_end = end;
			readers_drop(trails, trail);
			trail->awaiter = 0;
		} else if (trails->named && !reader_add(trails, trail, task)) {
			return false;
		}
		first = trails->set.nodes[node].end;
	}
	return true;
}

void rt_history_join(const struct rt_history *trails, uint32_t tensor, int64_t first, int64_t last, struct rt_history_row *trail)
{
	uint32_t node = rt_interval_after(&trails->set, tensor, first);

	for (; node != RT_NO_NODE && trails->set.nodes[node].start < last; node = rt_interval_next(&trails->set, node)) {
		const struct rt_history_row *other = &trails->trails[node];

		trail->wrote = rt_later(trail->wrote, other->wrote);
		trail->touched = rt_later(trail->touched, other->touched);
		trail->wrote_end = rt_later(trail->wrote_end, other->wrote_end);
		trail->touched_end = rt_later(trail->touched_end, other->touched_end);
	}
}

void rt_history_writers(const struct rt_history *trails, uint32_t tensor, int64_t first, int64_t last, void (*tell)(void *context, uint64_t writer),
			void *context)
{
	uint32_t node = rt_interval_after(&trails->set, tensor, first);

	for (; node != RT_NO_NODE && trails->set.nodes[node].start < last; node = rt_interval_next(&trails->set, node))
		if (trails->trails[node].wrote)
			tell(context, trails->trails[node].wrote);
}

/* Tells the trail's tasks from the number on. */
static void readers_tell(const struct rt_history *trails, const struct rt_history_row *trail, uint64_t from, void (*tell)(void *context, uint64_t task),
			 void *context)
{
	for (uint32_t at = trail->readers; at && trails->readers[at].task >= from; at = trails->readers[at].next)
		tell(context, trails->readers[at].task + 1);
	if (trail->wrote > from)
		tell(context, trail->wrote);
}

bool rt_history_touchers(struct rt_history *trails, uint32_t tensor, int64_t first, int64_t last, uint32_t process, void (*tell)(void *context, uint64_t task),
			 void *context)
{
	uint32_t node = rt_interval_after(&trails->set, tensor, first);
	bool all = true;

	for (; node != RT_NO_NODE && trails->set.nodes[node].start < last; node = rt_interval_next(&trails->set, node)) {
		struct rt_history_row *trail = &trails->trails[node];

		if (trail->reader_count == RT_HISTORY_READERS || (trail->awaiter && trail->awaiter != process + 1))
			all = false;
		else
			readers_tell(trails, trail, trail->awaiter ? trail->awaited : 0, tell, context);
		if (trails->set.nodes[node].start < first || trails->set.nodes[node].end > last)
			continue;
		readers_drop(trails, trail);
		trail->awaiter = process + 1;
		trail->awaited = trail->touched;
	}
	return all;
}

static uint32_t count_of(const struct rt_history *trails)
{
	return trails->set.room - trails->set.spare_count;
}

bool rt_history_full(const struct rt_history *trails)
{
	return !trails->named && count_of(trails) / 2 >= trails->kept;
}

void rt_history_forget(struct rt_history *trails, uint64_t tasks, uint64_t time)
{
	for (uint32_t node = 0; node < trails->set.room; node++)
		if (trails->set.nodes[node].used && trails->trails[node].touched <= tasks && trails->trails[node].touched_end <= time)
			rt_interval_remove(&trails->set, node);
	trails->kept = count_of(trails) > KEPT_LEAST ? count_of(trails) : KEPT_LEAST;
}
