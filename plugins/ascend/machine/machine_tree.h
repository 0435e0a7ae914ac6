/* SPDX-License-Identifier: MIT */
/* machine_tree.h - when each of a fixed number of parties does its next thing, and who is first: a tournament, or a look at all if they are few. Of equal
 * times the lowest number wins. */
#ifndef ASCEND_MACHINE_TREE_H
#define ASCEND_MACHINE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#define ASCEND_NEVER UINT64_MAX
enum { ASCEND_PARTIES = 64, ASCEND_FEW = 4 };
struct ascend_tree {
	uint32_t size; /* a power of two; 0: they are few */
	uint64_t times[ASCEND_PARTIES];
	uint16_t winners[ASCEND_PARTIES]; /* of node k: the earlier of those of 2k and 2k + 1; leaves follow behind */
};

static inline void ascend_tree_init(struct ascend_tree *tree, uint32_t parties)
{
	tree->size = parties > ASCEND_FEW ? 2 : 0;
	while (tree->size && tree->size < parties)
		tree->size *= 2;
	for (uint32_t i = 0; i < ASCEND_PARTIES; i++)
		tree->times[i] = ASCEND_NEVER;
	for (uint32_t node = tree->size ? tree->size - 1 : 0; node; node--)
		tree->winners[node] = (uint16_t)(2 * node >= tree->size ? 2 * node - tree->size : tree->winners[2 * node]);
}

static inline void ascend_tree_raise(struct ascend_tree *tree, uint32_t party)
{
	uint32_t node = (party + tree->size) / 2, left = party & ~1u, right = left | 1;

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

static inline void ascend_tree_set(struct ascend_tree *tree, uint32_t party, uint64_t time)
{
	bool other = tree->times[party] != time;

	tree->times[party] = time;
	if (tree->size && other)
		ascend_tree_raise(tree, party);
}

static inline uint32_t ascend_tree_earlier(const struct ascend_tree *tree, uint32_t a, uint32_t b)
{
	return tree->times[b] < tree->times[a] ? b : a;
}

/* *time_out: when that is. */
static inline uint32_t ascend_tree_first(const struct ascend_tree *tree, uint64_t *time_out)
{
	uint32_t first = tree->size ? tree->winners[1] : ascend_tree_earlier(tree, ascend_tree_earlier(tree, 0, 1), ascend_tree_earlier(tree, 2, 3));

	*time_out = tree->times[first];
	return first;
}

#endif
