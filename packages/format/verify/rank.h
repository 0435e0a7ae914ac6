/* SPDX-License-Identifier: MIT */
/* rank.h - rows of a table in the order of a number that each has, to be found by it. */
#ifndef FORMAT_RANK_H
#define FORMAT_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pkg_rank {
	uint64_t key;
	uint32_t row;
};
struct pkg_ranks {
	struct pkg_rank *rows; /* owned, malloc'd */
	uint32_t count;
};

/* Room for `most` rows, none of them there; 0 without memory. finish accepts zeros and what is finished. */
bool pkg_ranks_init(struct pkg_ranks *ranks, uint32_t most);
void pkg_ranks_finish(struct pkg_ranks *ranks);
/* There is room for it. */
static inline void pkg_ranks_add(struct pkg_ranks *ranks, uint64_t key, uint32_t row)
{
	ranks->rows[ranks->count++] = (struct pkg_rank){key, row};
}
/* Sorts by key, rows of one key by row. */
void pkg_ranks_sort(struct pkg_ranks *ranks);
/* The number of the first of sorted ranks whose key is at least that; count: none is. */
uint32_t pkg_ranks_from(const struct pkg_ranks *ranks, uint64_t key);
/* A key for text: equal text, equal keys; whoever finds a row by it compares the text. */
uint64_t pkg_rank_text(const char *text, size_t length);

/* --- rows of a table that rise by one of their fields. --- */

/* Number of the first of `count` rows of `size` bytes whose field at `offset`, a uint32_t by which they rise, is at least `key`; count: none is. */
static inline uint32_t pkg_row_from(const void *rows, size_t size, size_t offset, uint32_t count, uint32_t key)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (*(const uint32_t *)(const void *)((const char *)rows + middle * size + offset) < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
