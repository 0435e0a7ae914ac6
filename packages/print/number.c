/* SPDX-License-Identifier: MIT */
/* number.c - values as the decimal text that the packer reads as the same bits. */
#include "print/print_text.h"

#include "lang/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int reads_back(const char *text, unsigned dtype, uint64_t value)
{
	uint64_t again;

	return lang_number_read(text, dtype, &again) == LANG_NUMBER_OK && again == value;
}

/* A narrow float by the widths of its fields. */
static double narrow(uint64_t value, int exponent_bits, int fraction_bits)
{
	int bias = (1 << (exponent_bits - 1)) - 1;
	int exponent = (int)(value >> fraction_bits) & ((1 << exponent_bits) - 1);
	double fraction = (double)(value & ((UINT64_C(1) << fraction_bits) - 1)) / (double)(UINT64_C(1) << fraction_bits);
	double size = exponent ? ldexp(1 + fraction, exponent - bias) : ldexp(fraction, 1 - bias);

	if (exponent == (1 << exponent_bits) - 1)
		size = fraction > 0 ? (double)NAN : (double)INFINITY;
	return value >> (exponent_bits + fraction_bits) & 1 ? -size : size;
}

static double double_of(uint64_t value, unsigned dtype)
{
	uint32_t bits = (uint32_t)value;
	float single;
	double wide;

	switch (dtype) {
	case PTOWSP_F16:
		return narrow(value, 5, 10);
	case PTOWSP_BF16:
		return narrow(value, 8, 7);
	case PTOWSP_F32:
		memcpy(&single, &bits, sizeof(single));
		return (double)single;
	default:
		memcpy(&wide, &value, sizeof(wide));
		return wide;
	}
}

static int float_print(char text[40], uint64_t value, unsigned dtype)
{
	double number = double_of(value, dtype);

	if (isnan(number) || isinf(number)) {
		snprintf(text, 40, "%s%s", signbit(number) ? "-" : "", isnan(number) ? "nan" : "inf");
		return reads_back(text, dtype, value);
	}
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, 36, "%.*g", digits, number);
		if (!strpbrk(text, ".e"))
			strcat(text, ".0");
		if (reads_back(text, dtype, value))
			return 1;
	}
	return 0;
}

int print_number(char text[40], uint64_t value, unsigned dtype)
{
	switch (dtype) {
	case PTOWSP_F16:
	case PTOWSP_BF16:
	case PTOWSP_F32:
	case PTOWSP_F64:
		return float_print(text, value, dtype);
	case PTOWSP_U64:
		snprintf(text, 40, "%" PRIu64, value);
		break;
	default:
		snprintf(text, 40, "%" PRId64, (int64_t)value);
	}
	return reads_back(text, dtype, value);
}

int print_is_spelled(const char *number)
{
	return strpbrk(number, "n") != NULL; /* inf, -inf, nan */
}
