/* SPDX-License-Identifier: MIT
 * tile_cell.c - elements of the reference: what a type holds, and conversions by the book: a value is compared with the two
 * neighbours that the type has. */
#include "tests/isa/tile_reference.h"

#include <math.h>
#include <string.h>

static const struct kind {
	char class;    /* f i u b */
	int bits;      /* of the whole */
	int precision; /* floats: significant bits */
	int most;      /* floats: the largest power of two */
} kinds[] = {
	[PTOWSP_F32] = {'f', 32, 24, 127}, [PTOWSP_F16] = {'f', 16, 11, 15}, [PTOWSP_BF16] = {'f', 16, 8, 127}, [PTOWSP_F64] = {'f', 64, 53, 1023},
	[PTOWSP_I8] = {'i', 8, 0, 0},      [PTOWSP_I16] = {'i', 16, 0, 0},   [PTOWSP_I32] = {'i', 32, 0, 0},    [PTOWSP_I64] = {'i', 64, 0, 0},
	[PTOWSP_U8] = {'u', 8, 0, 0},      [PTOWSP_U16] = {'u', 16, 0, 0},   [PTOWSP_U32] = {'u', 32, 0, 0},    [PTOWSP_U64] = {'u', 64, 0, 0},
	[PTOWSP_BOOL] = {'b', 8, 0, 0},
};

bool cell_is_float(unsigned dtype)
{
	return kinds[dtype].class == 'f';
}

unsigned cell_bytes(unsigned dtype)
{
	return (unsigned)kinds[dtype].bits / 8;
}

wide cell_wrap(unsigned dtype, wide value)
{
	const wide one = 1, span = one << kinds[dtype].bits;
	wide low = value % span;

	if (kinds[dtype].class == 'b')
		return value != 0;
	low += low < 0 ? span : 0;
	return kinds[dtype].class == 'i' && low >= span / 2 ? low - span : low;
}

/* Distance of the type's neighbours around |a|. */
static double spacing(unsigned dtype, double a)
{
	const struct kind *k = &kinds[dtype];
	int exponent;

	frexp(a, &exponent); /* a is in [2^(exponent - 1), 2^exponent) */
	if (a == 0 || exponent - 1 < 1 - k->most)
		exponent = 2 - k->most;
	return ldexp(1, exponent - k->precision);
}

static double largest(unsigned dtype)
{
	return ldexp(2 - ldexp(1, 1 - kinds[dtype].precision), kinds[dtype].most);
}

/* rest: how far the value is above `low`, in units of the spacing: 0 exact, 1 below half, 2 half, 3 above. odd: low's last bit. */
static bool goes_up(unsigned mode, bool negative, int rest, bool odd)
{
	switch (mode) {
	case PTOWSP_ROUND_AWAY: return rest >= 2;
	case PTOWSP_ROUND_FLOOR: return rest && negative;
	case PTOWSP_ROUND_CEIL: return rest && !negative;
	case PTOWSP_ROUND_TRUNC: return false;
	case PTOWSP_ROUND_ODD: return rest && !odd;
	default: return rest == 3 || (rest == 2 && odd);
	}
}

/* Beyond the largest value. */
static double outside(unsigned dtype, unsigned mode, bool negative)
{
	const bool stays =
		mode == PTOWSP_ROUND_TRUNC || mode == PTOWSP_ROUND_ODD || (mode == PTOWSP_ROUND_FLOOR && !negative) || (mode == PTOWSP_ROUND_CEIL && negative);

	return stays ? largest(dtype) : INFINITY;
}

static double float_round(unsigned dtype, unsigned mode, double value)
{
	const double a = fabs(value), step = spacing(dtype, a), low = floor(a / step) * step, lost = a - low;
	const int rest = lost == 0 ? 0 : lost < step / 2 ? 1 : lost > step / 2 ? 3 : 2;
	double result;

	if (dtype == PTOWSP_F64 || !isfinite(value))
		return value;
	result = low + (goes_up(mode, signbit(value), rest, fmod(low / step, 2) != 0) ? step : 0);
	if (result > largest(dtype))
		result = outside(dtype, mode, signbit(value));
	return copysign(result, value);
}

double cell_round(unsigned dtype, double value)
{
	return float_round(dtype, PTOWSP_ROUND_RINT, value);
}

static double integral(double a, unsigned mode)
{
	const double size = fabs(a), low = floor(size), lost = size - low;
	const int rest = lost == 0 ? 0 : lost < 0.5 ? 1 : lost > 0.5 ? 3 : 2;

	if (!isfinite(a))
		return a;
	return copysign(low + goes_up(mode, signbit(a), rest, fmod(low, 2) != 0), a);
}

/* An integer of 64 bits has at most 64 significant ones: cut to the precision by integer arithmetic. */
static double integer_round(unsigned dtype, unsigned mode, wide value)
{
	const wide size = value < 0 ? -value : value, one = 1;
	int shift = 0;
	wide low, lost;
	int rest;
	double result;

	while (size >> shift >= one << kinds[dtype].precision)
		shift++;
	low = size >> shift;
	lost = size - (low << shift);
	rest = lost == 0 ? 0 : lost * 2 < one << shift ? 1 : lost * 2 > one << shift ? 3 : 2;
	result = ldexp((double)(low + goes_up(mode, value < 0, rest, low & 1)), shift);
	if (result > largest(dtype))
		result = outside(dtype, mode, value < 0);
	return value < 0 ? -result : result;
}

static wide clamp(unsigned dtype, wide value)
{
	const wide one = 1, most = (one << (kinds[dtype].bits - (kinds[dtype].class == 'i'))) - 1;
	const wide least = kinds[dtype].class == 'i' ? -most - 1 : 0;

	return value > most ? most : value < least ? least : value;
}

static wide integer_of(unsigned dtype, double value)
{
	if (isnan(value))
		return 0;
	return clamp(dtype, fabs(value) > 1e30 ? (wide)copysign(1e30, value) : (wide)value);
}

struct cell cell_convert(unsigned to, unsigned from, unsigned mode, struct cell value)
{
	struct cell result = {0, 0};

	if (kinds[to].class == 'b')
		result.n = cell_is_float(from) ? value.f != 0 : value.n != 0;
	else if (to == from && cell_is_float(to))
		result.f = mode == PTOWSP_ROUND_NONE ? value.f : integral(value.f, mode);
	else if (cell_is_float(from) && cell_is_float(to))
		result.f = float_round(to, mode, value.f);
	else if (cell_is_float(from))
		result.n = integer_of(to, integral(value.f, mode));
	else if (cell_is_float(to))
		result.f = integer_round(to, mode, value.n);
	else
		result.n = clamp(to, value.n);
	return result;
}

/* The two narrow formats, written down from their definition. */
static uint16_t narrow_bits(unsigned dtype, double value)
{
	const struct kind *k = &kinds[dtype];
	const int fraction = k->precision - 1, bias = k->most;
	const uint16_t sign = (uint16_t)(signbit(value) ? 0x8000 : 0), special = (uint16_t)((2 * k->most + 1) << fraction);
	int exponent;

	if (isnan(value))
		return (uint16_t)(special | 1u << (fraction - 1));
	if (isinf(value))
		return sign | special;
	frexp(value, &exponent);
	exponent--;
	if (value == 0 || exponent < 1 - bias)
		return (uint16_t)(sign | (uint16_t)ldexp(fabs(value), bias - 1 + fraction));
	return (uint16_t)(sign | (exponent + bias) << fraction | ((uint16_t)ldexp(fabs(value), fraction - exponent) & ((1 << fraction) - 1)));
}

static double narrow_value(unsigned dtype, uint16_t bits)
{
	const struct kind *k = &kinds[dtype];
	const int fraction = k->precision - 1, rest = bits & ((1 << fraction) - 1), field = (bits & 0x7FFF) >> fraction;
	const double sign = bits & 0x8000 ? -1 : 1;

	if (field == 2 * k->most + 1)
		return rest ? NAN : sign * INFINITY;
	return sign * (field ? ldexp(rest + (1 << fraction), field - k->most - fraction) : ldexp(rest, 1 - k->most - fraction));
}

void cell_pack(unsigned dtype, struct cell value, void *memory)
{
	const float single = (float)value.f;
	uint64_t bits = (uint64_t)value.n;

	if (dtype == PTOWSP_F32)
		memcpy(&bits, &single, 4);
	else if (dtype == PTOWSP_F64)
		memcpy(&bits, &value.f, 8);
	else if (cell_is_float(dtype))
		bits = narrow_bits(dtype, value.f);
	memcpy(memory, &bits, cell_bytes(dtype));
}

struct cell cell_unpack(unsigned dtype, const void *memory)
{
	struct cell value = {0, 0};
	uint64_t bits = 0;
	float single;

	memcpy(&bits, memory, cell_bytes(dtype));
	memcpy(&single, &bits, 4);
	if (dtype == PTOWSP_F32)
		value.f = (double)single;
	else if (dtype == PTOWSP_F64)
		memcpy(&value.f, &bits, 8);
	else if (cell_is_float(dtype))
		value.f = narrow_value(dtype, (uint16_t)bits);
	else
		value.n = cell_wrap(dtype, (wide)bits);
	return value;
}
