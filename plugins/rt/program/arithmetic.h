/* SPDX-License-Identifier: MIT */
/* arithmetic.h - how many operands operations have, and their values; the largest common divisor. */
#ifndef RT_ARITHMETIC_H
#define RT_ARITHMETIC_H

#include <stdint.h>

/* How many operands an operation has, 0 for leaves; UINT32_MAX: there is no such operation. */
unsigned rt_operands(unsigned op);
/* The value of one that has operands: common_operation, out of line. */
int64_t rt_operation(uint32_t op, int64_t a, int64_t b, int64_t c, uint32_t *failed);

/* The largest number that divides both; with 0 the other one. */
static inline uint64_t rt_common(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

#endif
