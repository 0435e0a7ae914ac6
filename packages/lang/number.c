/* SPDX-License-Identifier: MIT */
#include "lang/number.h"

#include "ptowsp/ids.h"
#include "registry/common/common_decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_whole(const char *text)
{
	text += *text == '-' || *text == '+';
	return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* Smallest and largest value of the integer types; u64 is apart. */
static const struct range {
	uint16_t dtype;
	int64_t low, high;
} ranges[] = {
	{PTOWSP_I8, INT8_MIN, INT8_MAX},
	{PTOWSP_I16, INT16_MIN, INT16_MAX},
	{PTOWSP_I32, INT32_MIN, INT32_MAX},
	{PTOWSP_U8, 0, UINT8_MAX},
	{PTOWSP_U16, 0, UINT16_MAX},
	{PTOWSP_U32, 0, UINT32_MAX},
	{PTOWSP_BOOL, 0, 1},
	{PTOWSP_I64, INT64_MIN, INT64_MAX},
};

static enum lang_number integer_read(const char *text, unsigned dtype, uint64_t *value_out)
{
	int negative = *text == '-';
	uint64_t size = 0;

	text += *text == '-' || *text == '+';
	for (; *text; text++) {
		unsigned digit = (unsigned)(*text - '0');

		if (size > (UINT64_MAX - digit) / 10)
			return LANG_NUMBER_RANGE;
		size = size * 10 + digit;
	}
	*value_out = negative ? 0 - size : size;
	if (dtype == PTOWSP_U64)
		return negative && size ? LANG_NUMBER_RANGE : LANG_NUMBER_OK;
	if (size > (uint64_t)INT64_MAX + (uint64_t)negative)
		return LANG_NUMBER_RANGE;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
		if (ranges[i].dtype == dtype && ((int64_t)*value_out < ranges[i].low || (int64_t)*value_out > ranges[i].high))
			return LANG_NUMBER_RANGE;
	return LANG_NUMBER_OK;
}

static bool decimal_read(const char *text, float *single_out, double *double_out)
{
	char *end, *end_double;

	*single_out = common_decimal_float(text, &end);
	*double_out = common_decimal_double(text, &end_double);
	return end != text && *end == '\0';
}

/* Significant bits and exponents of the narrow types. */
static uint64_t narrow(double value, int bits, int least, int most, int bias, int stored)
{
	uint64_t sign = signbit(value) ? 1u : 0u, rest = 0;
	int exponent;
	double scaled;

	value = fabs(value);
	if (isnan(value)) {
		rest = ((uint64_t)(most + bias + 1) << stored) | (uint64_t)1 << (stored - 1);
	} else if (value > 0) {
		frexp(value, &exponent);
		exponent = isinf(value) ? most + 2 : exponent < least + 1 ? least + 1 : exponent;
		/* A carry out of the fraction moves on into the exponent, as it should. */
		scaled = isinf(value) ? 0 : nearbyint(ldexp(value, bits - exponent));
		rest = isinf(value) || exponent > most + 1 ? (uint64_t)(most + bias + 1) << stored
							   : (uint64_t)scaled + ((uint64_t)(exponent - 1 - least) << stored);
	}
	return sign << 15 | rest;
}

static enum lang_number float_read(const char *text, unsigned dtype, uint64_t *value_out)
{
	int spelled = strpbrk(text, "nN") != NULL; /* inf and nan may be what they are */
	float single;
	double wide;
	uint32_t bits;

	if (!decimal_read(text, &single, &wide))
		return LANG_NUMBER_BAD;
	if (dtype == PTOWSP_F64) {
		memcpy(value_out, &wide, sizeof(wide));
		return isinf(wide) && !spelled ? LANG_NUMBER_RANGE : LANG_NUMBER_OK;
	}
	memcpy(&bits, &single, sizeof(bits));
	*value_out = bits;
	if (dtype == PTOWSP_F16)
		*value_out = narrow(wide, 11, -14, 15, 15, 10);
	else if (dtype == PTOWSP_BF16)
		*value_out = narrow(wide, 8, -126, 127, 127, 7);
	if (isinf(single) && !spelled)
		return LANG_NUMBER_RANGE;
	return dtype == PTOWSP_F16 && fabs(wide) >= 65520 && !spelled ? LANG_NUMBER_RANGE : LANG_NUMBER_OK;
}

bool lang_number_is_word(const char *text)
{
	text += *text == '-' || *text == '+';
	return !strcmp(text, "inf") || !strcmp(text, "nan");
}

enum lang_number lang_number_read(const char *text, unsigned dtype, uint64_t *value_out)
{
	switch (dtype) {
	case PTOWSP_F32:
	case PTOWSP_F16:
	case PTOWSP_BF16:
	case PTOWSP_F64:
		/* strtod would take hexadecimal floats, too. */
		return strpbrk(text, "xXpP_") ? LANG_NUMBER_BAD : float_read(text, dtype, value_out);
	default:
		if (is_whole(text))
			return integer_read(text, dtype, value_out);
		return *text && strspn(text, "+-0123456789.eE") == strlen(text) ? LANG_NUMBER_FRACTION : LANG_NUMBER_BAD;
	}
}
