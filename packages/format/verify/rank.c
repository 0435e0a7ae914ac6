/* SPDX-License-Identifier: MIT */
#include "format/verify/rank.h"

#include <stdbool.h>
#include <stdlib.h>

bool pkg_ranks_init(struct pkg_ranks *ranks, uint32_t most)
{
	*ranks = (struct pkg_ranks){.rows = malloc(((size_t)most + 1) * sizeof(*ranks->rows))};
	return ranks->rows != NULL;
}

void pkg_ranks_finish(struct pkg_ranks *ranks)
{
	free(ranks->rows);
	*ranks = (struct pkg_ranks){0};
}

static int compare(const void *x, const void *y)
{
	const struct pkg_rank *a = x, *b = y;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

void pkg_ranks_sort(struct pkg_ranks *ranks)
{
	qsort(ranks->rows, ranks->count, sizeof(*ranks->rows), compare);
}

uint32_t pkg_ranks_from(const struct pkg_ranks *ranks, uint64_t key)
{
	uint32_t low = 0, high = ranks->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (ranks->rows[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* FNV-1a. */
uint64_t pkg_rank_text(const char *text, size_t length)
{
	uint64_t key = UINT64_C(0xCBF29CE484222325);

	for (size_t i = 0; i < length; i++)
		key = (key ^ (unsigned char)text[i]) * UINT64_C(0x100000001B3);
	return key;
}
