/* SPDX-License-Identifier: MIT */
/* number.h - literals: decimal text to the 64-bit value of a scalar. */
#ifndef LANG_NUMBER_H
#define LANG_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

enum lang_number { LANG_NUMBER_OK, LANG_NUMBER_BAD, LANG_NUMBER_FRACTION, LANG_NUMBER_RANGE };

/* value_out as in task.h: integers sign-extended, floats as their bit pattern, rounded once to nearest even.
 * BAD: no number; FRACTION: a fraction or exponent for an integer type; RANGE: does not fit the type. */
enum lang_number lang_number_read(const char *text, unsigned dtype, uint64_t *value_out);

/* 1 if it is inf or nan, with a sign or without: what float types have beside numbers. */
bool lang_number_is_word(const char *text);

#endif
