/* SPDX-License-Identifier: MIT */
/* draw.h - random numbers of tests: the same for the same seed, whatever ran before. */
#ifndef PTOWSP_TESTS_DRAW_H
#define PTOWSP_TESTS_DRAW_H

#include <stdint.h>

/* What splitmix64 gives after the state. */
static inline uint64_t draw_mix(uint64_t state)
{
	state += UINT64_C(0x9E3779B97F4A7C15);
	state = (state ^ state >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	state = (state ^ state >> 27) * UINT64_C(0x94D049BB133111EB);
	return state ^ state >> 31;
}

/* The next number, 0 to below - 1; below 0: any. */
static inline uint64_t draw(uint64_t *state, uint64_t below)
{
	const uint64_t z = draw_mix(*state);

	*state += UINT64_C(0x9E3779B97F4A7C15);
	return below ? z % below : z;
}

/* Where the numbers of a seed begin; those of neighbours have nothing in common. */
static inline uint64_t draw_seed(uint64_t seed)
{
	return draw_mix(~seed);
}

#endif
