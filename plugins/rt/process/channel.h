/* SPDX-License-Identifier: MIT */
/* channel.h - one channel of a pipeline: whose turn it is, which tokens are under way, and when all that happens.
 *
 * Two sides in one place, because one number tells both. Logical order counts sends and consumes and decides what is possible; semantic time,
 * S(k) of send k and C(k) of consume k, is computed from it and decides nothing. A token's place in the ring holds S(k) until token k is consumed, then
 * C(k) until token k + capacity takes the place: just what both rules ask for. One thread. */
#ifndef RT_CHANNEL_H
#define RT_CHANNEL_H

#include "ptowsp/base.h"
#include <stdbool.h>

/* An instance at one end of the channel. */
struct rt_end {
	uint32_t instance;
	bool finished;        /* closed it or ended */
	uint64_t finished_at; /* its clock then */
	uint32_t finish;      /* how many had finished before it */
};
/* All instances at one end, in their order. They take turns; finished ones are passed over. */
struct rt_side {
	struct rt_end *ends;
	uint32_t count, room;
	uint32_t open;   /* not finished */
	uint32_t next;   /* the instance in turn, or a finished one before it */
	uint32_t *skips; /* `finish` of those passed over since the latest turn */
	uint32_t skip_count;
	uint64_t passed; /* largest finished_at of those passed over since the latest turn */
	uint64_t closed; /* largest finished_at */
};
struct rt_token {
	uint64_t value, time;
};
struct rt_wait_meter {
	uint64_t count, cycles;
};
struct rt_channel {
	uint64_t capacity; /* 0: a rendezvous */
	uint64_t latency;
	uint64_t bytes; /* that go with each token */
	struct rt_side producers, consumers;
	uint64_t sends, consumes;
	uint64_t sent, consumed; /* S and C of the latest ones, 0 before */
	struct rt_token *tokens; /* token k at k mod capacity; a rendezvous has one place */
	uint32_t room;
	uint64_t high_water; /* unconsumed tokens right after a send */
	struct rt_wait_meter full, empty;
	struct rt_wait_meter told_full, told_empty; /* the same by an engine's clock */
};

void rt_channel_finish(struct rt_channel *channel);
/* Adds the next instance to a side. False when out of memory. */
bool rt_side_add(struct rt_side *side, uint32_t instance);
/* The instance closes its end or ends at time `at`; the first time counts. */
void rt_side_finish(struct rt_side *side, uint32_t instance, uint64_t at);
bool rt_side_finished(const struct rt_side *side, uint32_t instance);
/* The end whose turn it is, NULL if all have finished. */
const struct rt_end *rt_side_turn(struct rt_side *side);

/* May this producer send now? waits: the consumer whose turn it is stands at its consume; asked of a rendezvous only. */
bool rt_channel_sends(struct rt_channel *channel, uint32_t instance, bool waits);
/* May this consumer take a token now? */
bool rt_channel_gives(struct rt_channel *channel, uint32_t instance);
/* No token is left and none will come. */
bool rt_channel_over(const struct rt_channel *channel);
/* Only when possible; moves the sender's clock. partner: clock of the one who takes part in a rendezvous: the send is possible whatever there is room
 * for, the caller gives the token on with rt_channel_take. Else NULL. Errors: NO_MEMORY. */
ptowsp_status rt_channel_send(struct rt_channel *channel, uint64_t value, uint64_t *producer, const uint64_t *partner);
/* Only when possible. The token; moves the consumer's clock. */
uint64_t rt_channel_take(struct rt_channel *channel, uint64_t *consumer);

#endif
