/* SPDX-License-Identifier: MIT */
/* vector_clock.h - of the check behind --strict: which tasks come before whatever a process instance does next. Tokens, slots and signals order what no edge does. Tasks
 * of one instance follow each other, so of each the latest one is enough; a clock is replaced by the task before which all of it comes. What moves a clock by
 * the rules of semantic time joins clocks, in the same place. One thread; all calls do nothing where nobody looks for races. */
#ifndef RT_VECTOR_CLOCK_H
#define RT_VECTOR_CLOCK_H

#include "rt/process/channel.h"

struct rt_vector_clock {
	struct rt_vector_clock_row {
		uint64_t task;
		uint32_t instance;
	} * rows; /* by instance */
	uint32_t count, room;
};
enum rt_vector_clock_side { RT_VECTOR_CLOCK_PRODUCERS, RT_VECTOR_CLOCK_CONSUMERS };
struct rt_vector_clock_channel {
	struct rt_vector_clock *places; /* of token k at k mod capacity: before its send, then before its consume; a rendezvous has one */
	uint32_t room;
	struct rt_vector_clock latest[2]; /* before the latest send, consume */
	struct rt_vector_clock closed;    /* before all producers had closed it */
	struct rt_vector_clock *ended[2]; /* per end of each side: before it finished */
	uint32_t ends[2];
	uint32_t next[2]; /* the end behind the one that had the latest turn */
};
struct rt_vector_clocks {
	bool on, lost; /* lost: out of memory */
	struct rt_vector_clock *instances, *slots, *events;
	struct rt_vector_clock_channel *channels;
	uint32_t instance_count, slot_count, event_count, channel_count;
};
/* False when out of memory; then it is still finished. channels: with their ends. */
bool rt_vector_clocks_init(struct rt_vector_clocks *fronts, uint32_t instances, uint32_t slots, uint32_t events, const struct rt_channel *channels,
			   uint32_t channel_count);
void rt_vector_clocks_finish(struct rt_vector_clocks *fronts);

/* The instance has issued a task. */
void rt_vector_clock_task(struct rt_vector_clocks *fronts, uint32_t instance, uint64_t task);
/* Its clock is not before what is known of these slots. */
void rt_vector_clock_read(struct rt_vector_clocks *fronts, uint32_t instance, const uint32_t *slots, uint32_t count);
void rt_vector_clock_slot_set(struct rt_vector_clocks *fronts, uint32_t instance, uint32_t slot, const uint32_t *reads, uint32_t count);
/* writer_of: the instance of the task that it waits for, PTOWSP_NONE: none that anybody asks about. */
void rt_vector_clock_slot_load(struct rt_vector_clocks *fronts, uint32_t instance, uint32_t slot, uint32_t writer_of, uint64_t writer);
void rt_vector_clock_signal(struct rt_vector_clocks *fronts, uint32_t instance, uint32_t event);
void rt_vector_clock_wait(struct rt_vector_clocks *fronts, uint32_t instance, uint32_t event);
/* Before the channel moves on. partner: who takes part in a rendezvous, PTOWSP_NONE without one. */
void rt_vector_clock_send(struct rt_vector_clocks *fronts, const struct rt_channel *channel, uint32_t row, uint32_t instance, uint32_t partner);
void rt_vector_clock_take(struct rt_vector_clocks *fronts, const struct rt_channel *channel, uint32_t row, uint32_t instance);
/* It closes its end or ends; the first time counts. */
void rt_vector_clock_end(struct rt_vector_clocks *fronts, const struct rt_channel *channel, uint32_t row, enum rt_vector_clock_side side, uint32_t instance);
/* It finds the channel closed and empty. */
void rt_vector_clock_closed(struct rt_vector_clocks *fronts, uint32_t row, uint32_t instance);

#endif
