/* SPDX-License-Identifier: MIT */
/* common_hash.h - hashes of keys, and random numbers that are the same everywhere, for all folders. */
#ifndef REGISTRY_COMMON_COMMON_HASH_H
#define REGISTRY_COMMON_COMMON_HASH_H

#include <stdint.h>

#define COMMON_GOLDEN UINT64_C(0x9E3779B97F4A7C15) /* 2^64 divided by the golden ratio, made odd */

/* A hash that so far is `hash`, 0 at first, of one more number. The high bits are mixed best. */
static inline uint64_t common_hash(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * COMMON_GOLDEN;
	return hash ^ hash >> 29;
}

/* Result of splitmix64 for a state: every bit of the result depends on every bit of it. */
static inline uint64_t common_mix(uint64_t state)
{
	state = (state ^ state >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	state = (state ^ state >> 27) * UINT64_C(0x94D049BB133111EB);
	return state ^ state >> 31;
}

/* The next number of splitmix64; any state begins a sequence of 2^64. */
static inline uint64_t common_random(uint64_t *state)
{
	return common_mix(*state += COMMON_GOLDEN);
}

#endif
