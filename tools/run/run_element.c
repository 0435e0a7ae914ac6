/* SPDX-License-Identifier: MIT */
/* run_element.c - conversion between element types and double. */
#include "tools/run/run_element.h"

#include <string.h>

#include "ptowsp/ids.h"

/* IEEE binary16 to binary32, exact. */
static float half_widen(uint16_t half)
{
	uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 1023, bits;
	float value;

	if (exponent == 31)
		bits = sign | 0x7F800000 | fraction << 13;
	else if (exponent)
		bits = sign | (exponent + 112) << 23 | fraction << 13;
	else {
		value = (float)fraction * 0x1p-24f;
		memcpy(&bits, &value, sizeof(bits));
		bits |= sign;
	}
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Nearest even; overflow gives infinity. */
static uint16_t half_narrow(float value)
{
	uint32_t bits, rest, half;
	uint16_t sign;
	int exponent;

	memcpy(&bits, &value, sizeof(bits));
	sign = (uint16_t)(bits >> 16 & 0x8000);
	bits &= 0x7FFFFFFF;
	exponent = (int)(bits >> 23) - 112;
	if (bits > 0x7F800000)
		return (uint16_t)(sign | 0x7E00);
	if (exponent >= 31)
		return (uint16_t)(sign | 0x7C00);
	if (exponent < -10)
		return sign;
	if (exponent <= 0) {
		uint32_t fraction = (bits & 0x7FFFFF) | 0x800000;
		int shift = 14 - exponent;

		half = fraction >> shift;
		rest = fraction << (32 - shift);
	} else {
		half = (uint32_t)exponent << 10 | (bits >> 13 & 1023);
		rest = bits << 19;
	}
	half += rest > 0x80000000 || (rest == 0x80000000 && (half & 1));
	return (uint16_t)(sign | half);
}

static float bfloat_widen(uint16_t bfloat)
{
	uint32_t bits = (uint32_t)bfloat << 16;
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static uint16_t bfloat_narrow(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	if ((bits & 0x7FFFFFFF) > 0x7F800000)
		return (uint16_t)(bits >> 16 | 0x40);
	return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

#define GET(CODE, type)                                                                                                                                        \
	case PTOWSP_##CODE: {                                                                                                                                  \
		type value;                                                                                                                                    \
		memcpy(&value, (const char *)data + i * sizeof(value), sizeof(value));                                                                         \
		return (double)value;                                                                                                                          \
	}
#define GET16(CODE, widen)                                                                                                                                     \
	case PTOWSP_##CODE: {                                                                                                                                  \
		uint16_t value;                                                                                                                                \
		memcpy(&value, (const char *)data + i * sizeof(value), sizeof(value));                                                                         \
		return widen(value);                                                                                                                           \
	}

double element_get(uint16_t dtype, const void *data, uint64_t i)
{
	switch (dtype) {
		GET(F32, float)
		GET(F64, double)
		GET(I8, int8_t)
		GET(I16, int16_t)
		GET(I32, int32_t)
		GET(I64, int64_t)
		GET(U8, uint8_t)
		GET(U16, uint16_t)
		GET(U32, uint32_t)
		GET(U64, uint64_t)
		GET(BOOL, uint8_t)
		GET16(F16, half_widen)
		GET16(BF16, bfloat_widen)
	}
	return 0;
}

#define SET(CODE, type, expression)                                                                                                                            \
	case PTOWSP_##CODE: {                                                                                                                                  \
		type made = (type)(expression);                                                                                                                \
		memcpy((char *)data + i * sizeof(made), &made, sizeof(made));                                                                                  \
		return;                                                                                                                                        \
	}

void element_set(uint16_t dtype, void *data, uint64_t i, double value)
{
	int64_t whole = value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : 0;

	switch (dtype) {
		SET(F32, float, value)
		SET(F64, double, value)
		SET(F16, uint16_t, half_narrow((float)value))
		SET(BF16, uint16_t, bfloat_narrow((float)value))
		SET(I8, int8_t, whole)
		SET(I16, int16_t, whole)
		SET(I32, int32_t, whole)
		SET(I64, int64_t, whole)
		SET(U8, uint8_t, whole)
		SET(U16, uint16_t, whole)
		SET(U32, uint32_t, whole)
		SET(U64, uint64_t, whole)
		SET(BOOL, uint8_t, value != 0)
	}
}
