/* SPDX-License-Identifier: MIT */
/* plan_fronts.h - what comes before whatever a process instance does next: of every instance its latest step, as an instance's steps follow each other, and the latest
 * step that gathers tasks of all. A token carries the front of who sends it to who consumes it, a place of its channel that of the consumer back. One thread. */
#ifndef ASCEND_PLAN_FRONTS_H
#define ASCEND_PLAN_FRONTS_H

#include "base/walk.h"
#include <stdbool.h>

/* The fronts of a channel, of width steps each, by token. */
struct ascend_front_channel {
	uint32_t *sent, *taken, *closed;
	uint8_t *over;                                           /* per instance: it has closed its end */
	uint32_t sent_count, sent_room, taken_count, taken_room; /* tokens */
	uint32_t sender;                                         /* instance of the latest one */
	uint64_t capacity;
};
struct ascend_fronts {
	uint32_t *rows; /* instances, width steps each; ASCEND_STEP_NONE: nothing */
	struct ascend_front_channel *channels;
	uint32_t instances, width, channel_count;
	bool failed;
};
bool ascend_fronts_init(struct ascend_fronts *fronts, const struct base_walk *walk);
void ascend_fronts_finish(struct ascend_fronts *fronts);
static inline uint32_t *ascend_front(const struct ascend_fronts *fronts, uint32_t instance)
{
	return fronts->rows + (size_t)instance * fronts->width;
}
/* All begin, behind this step. */
void ascend_fronts_begin(struct ascend_fronts *fronts, uint32_t step);
/* The instance had a task, behind its whole front. */
void ascend_front_task(struct ascend_fronts *fronts, uint32_t instance, uint32_t step);
void ascend_front_gate(struct ascend_fronts *fronts, uint32_t instance, uint32_t step);
/* SEND, TAKE, CLOSED and FINISH; others change nothing. */
void ascend_fronts_take(struct ascend_fronts *fronts, const struct base_walk_event *event);

#endif
