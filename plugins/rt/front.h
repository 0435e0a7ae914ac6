/* SPDX-License-Identifier: MIT */
/* front.h - to the check behind --strict: which tasks come before whatever a process instance does next. Tokens, slots and signals order what no edge does. Tasks
 * of one instance follow each other, so of each the latest one is enough; a front is replaced by the task before which all of it comes. What moves a clock by
 * the rules of semantic time joins fronts, in the same place. One thread; all calls do nothing where nobody looks for races. */
#ifndef RT_FRONT_H
#define RT_FRONT_H

#include "rt/channel.h"

struct rt_front {
	struct rt_front_row {
		uint64_t task;
		uint32_t instance;
	} *rows; /* by instance */
	uint32_t count, room;
};
enum rt_front_side { RT_FRONT_PRODUCERS, RT_FRONT_CONSUMERS };
struct rt_front_channel {
	struct rt_front *places;         /* of token k at k mod capacity: before its send, then before its consume; a rendezvous has one */
	uint32_t room;
	struct rt_front latest[2];       /* before the latest send, consume */
	struct rt_front closed;          /* before all producers had closed it */
	struct rt_front *ended[2];       /* per end of each side: before it finished */
	uint32_t ends[2];
	uint32_t next[2];                /* the end behind the one that had the latest turn */
};
struct rt_fronts {
	bool on, lost;                   /* lost: out of memory */
	struct rt_front *instances, *slots, *events;
	struct rt_front_channel *channels;
	uint32_t instance_count, slot_count, event_count, channel_count;
};
/* False when out of memory; then it is still finished. channels: with their ends. */
bool rt_fronts_init(struct rt_fronts *fronts, uint32_t instances, uint32_t slots, uint32_t events, const struct rt_channel *channels, uint32_t channel_count);
void rt_fronts_finish(struct rt_fronts *fronts);

/* The instance has issued a task. */
void rt_front_task(struct rt_fronts *fronts, uint32_t instance, uint64_t task);
/* Its clock is not before what is known of these slots. */
void rt_front_read(struct rt_fronts *fronts, uint32_t instance, const uint32_t *slots, uint32_t count);
void rt_front_slot_set(struct rt_fronts *fronts, uint32_t instance, uint32_t slot, const uint32_t *reads, uint32_t count);
/* writer_of: the instance of the task that it waits for, PTOWSP_NONE: none that anybody asks about. */
void rt_front_slot_load(struct rt_fronts *fronts, uint32_t instance, uint32_t slot, uint32_t writer_of, uint64_t writer);
void rt_front_signal(struct rt_fronts *fronts, uint32_t instance, uint32_t event);
void rt_front_wait(struct rt_fronts *fronts, uint32_t instance, uint32_t event);
/* Before the channel moves on. partner: who takes part in a rendezvous, PTOWSP_NONE without one. */
void rt_front_send(struct rt_fronts *fronts, const struct rt_channel *channel, uint32_t row, uint32_t instance, uint32_t partner);
void rt_front_take(struct rt_fronts *fronts, const struct rt_channel *channel, uint32_t row, uint32_t instance);
/* It closes its end or ends; the first time counts. */
void rt_front_end(struct rt_fronts *fronts, const struct rt_channel *channel, uint32_t row, enum rt_front_side side, uint32_t instance);
/* It finds the channel closed and empty. */
void rt_front_closed(struct rt_fronts *fronts, uint32_t row, uint32_t instance);

#endif
