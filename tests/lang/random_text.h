/* SPDX-License-Identifier: MIT */
/* random_text.h - a text that grows, and choices by a seed: what the makers of random sources write with. */
#ifndef TESTS_RANDOM_TEXT_H
#define TESTS_RANDOM_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text of nothing with a seed is {.seed = SEED}; what is written belongs to its user. */
struct random_text {
	uint64_t seed;
	char *text;
	size_t size, room;
	int failed; /* no memory: something was left out */
};
/* Up to 4,095 bytes at once. */
void random_text_add(struct random_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* 0 to limit - 1; the next numbers of the seed. */
unsigned random_text_below(struct random_text *text, unsigned limit);
bool random_text_chance(struct random_text *text, unsigned percent);

#endif
