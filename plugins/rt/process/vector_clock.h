/* SPDX-License-Identifier: MIT */
/* vector_clock.h - which steps come before whatever a process instance does next, for the check behind --strict and for engines that are told orders: tokens, places that come
 * back, turns, closing, slots and signals order what no edge does. A step is what the caller has for a task. Steps of one instance follow each other, so of each the
 * latest one is enough; a clock is replaced by the step before which all of it comes. Moves of clocks by the rules of semantic time join clocks, in the same
 * place. One thread; all calls do nothing where it is not on. */
#ifndef RT_VECTOR_CLOCK_H
#define RT_VECTOR_CLOCK_H

#include "ptowsp/base.h"
#include <stdbool.h>

struct rt_vector_clock {
	struct rt_vector_clock_row {
		uint64_t step;
		uint32_t instance;
	} * rows; /* by instance */
	uint32_t count, room;
};
/* One end of a channel. */
struct rt_vector_clock_side {
	struct rt_vector_clock latest; /* before its latest send or take */
	struct rt_vector_clock *ended; /* before each of its instances finished, in the order in which they did */
	uint32_t ended_count, ended_room;
};
struct rt_vector_clock_channel {
	uint64_t capacity; /* 0: a rendezvous */
	uint64_t sends, takes;
	struct rt_vector_clock *places; /* of token k at k mod capacity: before its send, then before it was taken; a rendezvous has one */
	uint32_t room;
	uint32_t sender;               /* instance of the latest token */
	struct rt_vector_clock closed; /* before all producers had closed it */
	struct rt_vector_clock_side producers, consumers;
};
struct rt_vector_clocks {
	bool on, lost; /* lost: out of memory */
	struct rt_vector_clock *instances, *slots, *events;
	struct rt_vector_clock_channel *channels;
	uint32_t instance_count, slot_count, event_count, channel_count;
};
/* False when out of memory; then it is still finished. The caller sets the capacities of channels. */
bool rt_vector_clocks_init(struct rt_vector_clocks *clocks, uint32_t instances, uint32_t slots, uint32_t events, uint32_t channels);
void rt_vector_clocks_finish(struct rt_vector_clocks *clocks);
/* The step of that instance in a clock; UINT64_MAX: none. */
uint64_t rt_vector_clock_step(const struct rt_vector_clock *clock, uint32_t instance);

/* The instance has issued a task, behind its whole clock. */
void rt_vector_clock_task(struct rt_vector_clocks *clocks, uint32_t instance, uint64_t step);
/* The instance goes on behind a step of instance `other`, which may be one past the last: of nobody. */
void rt_vector_clock_follow(struct rt_vector_clocks *clocks, uint32_t instance, uint32_t other, uint64_t step);
/* The clock is not before what is known of these slots. */
void rt_vector_clock_read(struct rt_vector_clocks *clocks, uint32_t instance, const uint32_t *slots, uint32_t count);
void rt_vector_clock_slot_set(struct rt_vector_clocks *clocks, uint32_t instance, uint32_t slot, const uint32_t *reads, uint32_t count);
/* Follow the writer first. */
void rt_vector_clock_slot_load(struct rt_vector_clocks *clocks, uint32_t instance, uint32_t slot);
void rt_vector_clock_signal(struct rt_vector_clocks *clocks, uint32_t instance, uint32_t event);
void rt_vector_clock_wait(struct rt_vector_clocks *clocks, uint32_t instance, uint32_t event);
/* The next token of channel `row`. skips: of the finished instances that were passed over for this one, how many had finished before each. A rendezvous is a send and the take right behind
 * it. */
void rt_vector_clock_send(struct rt_vector_clocks *clocks, uint32_t row, uint32_t instance, const uint32_t *skips, uint32_t skip_count);
void rt_vector_clock_take(struct rt_vector_clocks *clocks, uint32_t row, uint32_t instance, const uint32_t *skips, uint32_t skip_count);
/* The instance first closes its end, or ends. */
void rt_vector_clock_end(struct rt_vector_clocks *clocks, uint32_t row, bool consumes, uint32_t instance);
/* The instance finds the channel closed and empty. */
void rt_vector_clock_closed(struct rt_vector_clocks *clocks, uint32_t row, uint32_t instance);

#endif
