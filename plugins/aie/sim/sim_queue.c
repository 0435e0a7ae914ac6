/* SPDX-License-Identifier: MIT */
/* sim_queue.c - the tournament's beginning and end. */
#include "aie/sim/sim_queue.h"

#include <stdlib.h>

bool aie_queue_init(struct aie_queue *queue, uint32_t agents)
{
	queue->leaves = 2;
	while (queue->leaves < agents)
		queue->leaves *= 2;
	queue->tree = calloc(2 * (size_t)queue->leaves, sizeof(*queue->tree));
	if (!queue->tree)
		return false;
	for (uint32_t i = 0; i < queue->leaves; i++)
		queue->tree[queue->leaves + i] = (struct aie_match){AIE_NEVER, i};
	for (uint32_t i = queue->leaves - 1; i; i--)
		queue->tree[i] = queue->tree[2 * i];
	return true;
}

void aie_queue_finish(struct aie_queue *queue)
{
	free(queue->tree);
	*queue = (struct aie_queue){0};
}
