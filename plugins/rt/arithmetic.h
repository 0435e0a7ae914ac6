/* SPDX-License-Identifier: MIT */
/* arithmetic.h - the operations of expr_ops.def on signed 64-bit numbers that wrap; the largest common divisor. */
#ifndef RT_ARITHMETIC_H
#define RT_ARITHMETIC_H

#include <stdint.h>

/* How many operands an operation has, 0 for leaves; UINT32_MAX: there is no such operation. */
unsigned rt_operands(unsigned op);
/* The value of one that has operands; those that it has not are passed over. *failed becomes 1 for a division by zero, and the value is 0. */
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

/* Keeps the sign; by the low six bits of b. */
static inline int64_t rt_shift_right(int64_t a, int64_t b)
{
	unsigned by = (unsigned)b & 63;
	uint64_t u = (uint64_t)a >> by;

	return (int64_t)(a < 0 && by ? u | ~(UINT64_MAX >> by) : u);
}

#endif
