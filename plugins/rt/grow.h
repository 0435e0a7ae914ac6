/* SPDX-License-Identifier: MIT */
/* grow.h - numbers that say how large what grows becomes. */
#ifndef RT_GROW_H
#define RT_GROW_H

#include <stdint.h>

/* The larger one of two numbers, which mostly are times. */
static inline uint64_t rt_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Smallest power of two >= n, n in 1..2^63. */
static inline uint64_t rt_power_above(uint64_t n)
{
	uint64_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

/* First size of rings over the tasks of a window; those of a larger window grow when so many tasks are there. */
static inline uint64_t rt_window_room(uint64_t window)
{
	return rt_power_above(window && window < 8192 ? window : 8192);
}

#endif
