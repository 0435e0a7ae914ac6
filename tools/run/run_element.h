/* SPDX-License-Identifier: MIT */
/* run_element.h - single elements of any type as double, for filling and comparing. */
#ifndef TOOLS_ELEMENT_H
#define TOOLS_ELEMENT_H

#include <stdint.h>

/* dtype: a code of dtype.def. data may have any alignment. 64-bit integers lose bits beyond 2^53. */
double element_get(uint16_t dtype, const void *data, uint64_t i);
/* Rounds to nearest even for floats, truncates and wraps for integers, non-zero is true. */
void element_set(uint16_t dtype, void *data, uint64_t i, double value);

#endif
