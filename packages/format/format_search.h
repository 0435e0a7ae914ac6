/* SPDX-License-Identifier: MIT */
/* format_search.h - rows of a table that rise by one of their fields. */
#ifndef FORMAT_SEARCH_H
#define FORMAT_SEARCH_H

#include <stddef.h>
#include <stdint.h>

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
