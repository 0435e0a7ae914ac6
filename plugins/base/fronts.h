/* SPDX-License-Identifier: MIT */
/* fronts.h - what comes before whatever a process instance does next: of every instance its latest step, as an instance's steps follow each other, and the latest
 * step that gathers tasks of all. A token carries the front of who sends it to who consumes it, a place of its channel that of the consumer back. One thread. */
#ifndef BASE_FRONTS_H
#define BASE_FRONTS_H

#include "walk.h"
#include <stdbool.h>

#define BASE_FRONT_NONE UINT32_MAX /* no step */

/* The fronts of a channel, of width steps each, by token. */
struct base_front_channel {
	uint32_t *sent, *taken, *closed;
	uint8_t *over;                                           /* per instance: it has closed its end */
	uint32_t sent_count, sent_room, taken_count, taken_room; /* tokens */
	uint32_t sender;                                         /* instance of the latest one */
	uint64_t capacity;
};
struct base_fronts {
	uint32_t *rows; /* instances, width steps each; BASE_FRONT_NONE: nothing */
	struct base_front_channel *channels;
	uint32_t instances, width, channel_count;
	bool failed;
};
bool base_fronts_init(struct base_fronts *fronts, const struct base_walk *walk);
void base_fronts_finish(struct base_fronts *fronts);
static inline uint32_t *base_front(const struct base_fronts *fronts, uint32_t instance)
{
	return fronts->rows + (size_t)instance * fronts->width;
}
/* All begin, behind this step. */
void base_fronts_begin(struct base_fronts *fronts, uint32_t step);
/* The instance had a task, behind its whole front. */
void base_front_task(struct base_fronts *fronts, uint32_t instance, uint32_t step);
void base_front_gate(struct base_fronts *fronts, uint32_t instance, uint32_t step);
/* SEND, TAKE, CLOSED and FINISH; others change nothing. */
void base_fronts_take(struct base_fronts *fronts, const struct base_walk_event *event);

#endif
