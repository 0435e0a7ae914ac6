/* SPDX-License-Identifier: MIT */
/* compare.h - how far an output is from its expectation. */
#ifndef TOOLS_COMPARE_H
#define TOOLS_COMPARE_H

#include <stdint.h>

struct compare_place {
	uint64_t index; /* flat element */
	double got, expected;
};
/* An element passes if |got - expected| <= atol + rtol * |expected|; NaN equals NaN, infinities only themselves.
 * Differences are over all elements; infinite where a NaN or an infinity meets something else. */
struct compare {
	uint64_t elements, exceed;
	double rtol, atol;
	double max_abs, mean_abs, max_rel, mean_rel; /* relative to |expected|, counted as 0 where that is 0 */
	struct compare_place first, worst;           /* first and largest (by abs) that exceed; valid if exceed > 0 */
};
void compare_run(struct compare *out, uint16_t dtype, const void *got, const void *expected, uint64_t elements, double rtol, double atol);

#endif
