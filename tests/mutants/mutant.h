/* SPDX-License-Identifier: MIT */
/* mutant.h - mutant N of a seed: always the same, of the same subjects. */
#ifndef MUTANTS_MUTANT_H
#define MUTANTS_MUTANT_H

#include <stdbool.h>

#include "mutate.h"

/* Bytes of a package, or text in the JSON form. */
struct mutant {
	void *bytes; /* owned */
	size_t size;
	bool is_text;
	const struct subject *subject; /* borrowed */
};

/* The draw gives all numbers of mutant `number` of a seed. */
static inline uint64_t mutant_draw(uint64_t seed, uint64_t number)
{
	uint64_t d = seed * UINT64_C(0x9E3779B97F4A7C15) ^ number << 20;

	draw(&d, 0);
	return d;
}

/* The next mutant of the draw; bytes are freed by the caller. False: no memory. */
bool mutant_make(struct mutant *out, const struct subject *subjects, uint32_t count, uint64_t *d);

#endif
