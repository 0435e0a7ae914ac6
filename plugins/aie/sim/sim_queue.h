/* SPDX-License-Identifier: MIT */
/* sim_queue.h - when each agent of a simulation goes on: a tournament over all of them, the earliest wins, of equals the one with the lower number. */
#ifndef AIE_SIM_QUEUE_H
#define AIE_SIM_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#define AIE_NEVER UINT64_MAX

struct aie_match {
	uint64_t time;
	uint32_t agent;
};
struct aie_queue {
	struct aie_match *tree; /* owned: [1] the winner, [leaves + i] agent i */
	uint32_t leaves;        /* a power of two */
};
/* All never. false: no memory. */
bool aie_queue_init(struct aie_queue *queue, uint32_t agents);
void aie_queue_finish(struct aie_queue *queue);

static inline void aie_queue_set(struct aie_queue *queue, uint32_t agent, uint64_t time)
{
	struct aie_match *tree = queue->tree;
	uint32_t at = queue->leaves + agent;

	tree[at].time = time;
	while (at /= 2)
		tree[at] = tree[2 * at + 1].time < tree[2 * at].time ? tree[2 * at + 1] : tree[2 * at];
}

static inline uint64_t aie_queue_time(const struct aie_queue *queue, uint32_t agent)
{
	return queue->tree[queue->leaves + agent].time;
}

#endif
