/* SPDX-License-Identifier: MIT */
/* random_source.h - random source texts of functions on tiles and functions that call them. */
#ifndef TESTS_RANDOM_SOURCE_H
#define TESTS_RANDOM_SOURCE_H

#include <stdint.h>

/* A file of a few functions; the same seed gives the same text. To be freed, NULL without memory. Most of them pack: the generator follows the
 * rules of the language but for accidents of names. */
char *random_source(uint64_t seed);

#endif
