/* SPDX-License-Identifier: MIT */
/* machine_tree.h - when each of a fixed number of parties does its next thing, and who is first: a tournament. Of equal times the lowest number wins. */
#ifndef ASCEND_MACHINE_TREE_H
#define ASCEND_MACHINE_TREE_H

#include <stdint.h>

#define ASCEND_NEVER UINT64_MAX
enum { ASCEND_PARTIES = 64 };
struct ascend_tree {
	uint32_t size;                       /* a power of two */
	uint64_t times[ASCEND_PARTIES];
	uint16_t winners[ASCEND_PARTIES];    /* of node k: the earlier of those of 2k and 2k + 1; leaves follow behind */
};

static inline void ascend_tree_init(struct ascend_tree *tree, uint32_t parties)
{
	tree->size = 2;
	while (tree->size < parties)
		tree->size *= 2;
	for (uint32_t i = 0; i < tree->size; i++)
		tree->times[i] = ASCEND_NEVER;
	for (uint32_t node = tree->size - 1; node; node--)
		tree->winners[node] = (uint16_t)(2 * node >= tree->size ? 2 * node - tree->size : tree->winners[2 * node]);
}

static inline void ascend_tree_set(struct ascend_tree *tree, uint32_t party, uint64_t time)
{
	uint32_t node = (party + tree->size) / 2, left, right;

	if (tree->times[party] == time)
		return;
	tree->times[party] = time;
	left = party & ~1u;
	right = left | 1;
	for (;;) {
		uint32_t winner = tree->times[right] < tree->times[left] ? right : left, was = tree->winners[node];

		tree->winners[node] = (uint16_t)winner;
		if (node == 1 || (winner == was && winner != party)) /* above it nothing has changed */
			return;
		left = node & 1 ? tree->winners[node - 1] : winner;
		right = node & 1 ? winner : tree->winners[node + 1];
		node /= 2;
	}
}

static inline uint32_t ascend_tree_first(const struct ascend_tree *tree)
{
	return tree->winners[1];
}

#endif
