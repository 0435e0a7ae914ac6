/* SPDX-License-Identifier: MIT */
/* draw.h - numbers of one mutant: the same for the same seed, whatever ran before. */
#ifndef MUTANTS_DRAW_H
#define MUTANTS_DRAW_H

#include <stdint.h>

struct draw {
	uint64_t state;
};

/* splitmix64; below 0: any. */
static inline uint64_t draw(struct draw *d, uint64_t below)
{
	uint64_t z = d->state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	z ^= z >> 31;
	return below ? z % below : z;
}

#endif
