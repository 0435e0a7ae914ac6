/* SPDX-License-Identifier: MIT */
/* compare.c - comparison with tolerances. */
#include "tools/run/compare.h"

#include <math.h>
#include <string.h>

#include "ptowsp/ids.h"
#include "tools/run/run_element.h"

/* 64-bit integers are not compared as doubles. */
static double difference(uint16_t dtype, const void *got, const void *expected, uint64_t i, double a, double b)
{
	uint64_t x, y;
	int bigger;

	if (isnan(a) && isnan(b))
		return 0;
	if (isnan(a) || isnan(b))
		return INFINITY;
	if (dtype != PTOWSP_I64 && dtype != PTOWSP_U64)
		return a == b ? 0 : fabs(a - b);
	memcpy(&x, (const char *)got + i * 8, 8);
	memcpy(&y, (const char *)expected + i * 8, 8);
	bigger = dtype == PTOWSP_I64 ? (int64_t)x > (int64_t)y : x > y;
	return (double)(bigger ? x - y : y - x);
}

static int passes(double diff, double expected, double rtol, double atol)
{
	if (diff == 0)
		return 1;
	return !isinf(diff) && !isinf(expected) && diff <= atol + rtol * fabs(expected);
}

static double relative(double diff, double expected)
{
	return diff == 0 || expected == 0 ? 0 : isinf(diff) ? INFINITY : diff / fabs(expected);
}

void compare_run(struct compare *out, uint16_t dtype, const void *got, const void *expected, uint64_t elements, double rtol, double atol)
{
	double sum_abs = 0, sum_rel = 0, worst = -1;

	*out = (struct compare){.elements = elements, .rtol = rtol, .atol = atol};
	for (uint64_t i = 0; i < elements; i++) {
		double a = element_get(dtype, got, i), b = element_get(dtype, expected, i);
		double diff = difference(dtype, got, expected, i, a, b), rel = relative(diff, b);

		sum_abs += diff;
		sum_rel += rel;
		out->max_abs = diff > out->max_abs ? diff : out->max_abs;
		out->max_rel = rel > out->max_rel ? rel : out->max_rel;
		if (passes(diff, b, rtol, atol))
			continue;
		if (!out->exceed++)
			out->first = (struct compare_place){i, a, b};
		if (diff > worst) {
			worst = diff;
			out->worst = (struct compare_place){i, a, b};
		}
	}
	out->mean_abs = elements ? sum_abs / (double)elements : 0;
	out->mean_rel = elements ? sum_rel / (double)elements : 0;
}
