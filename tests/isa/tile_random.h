/* SPDX-License-Identifier: MIT
 * tile_random.h - random elements for trials against tile_reference.h, from a seed that a failing trial prints: PTOWSP_SEED=n
 * repeats it. Among the values are those at which arithmetic goes wrong. */
#ifndef PTOWSP_TESTS_TILE_RANDOM_H
#define PTOWSP_TESTS_TILE_RANDOM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/draw.h"
#include "tests/isa/tile_reference.h"

/* Sides of tiles by the letters of pto_ops.def that every set of them has. */
#define TILE_SIDE(sides, letter)                                                                                                                               \
	((letter) == 'R'   ? (sides)->R                                                                                                                        \
	 : (letter) == 'C' ? (sides)->C                                                                                                                        \
	 : (letter) == 'K' ? (sides)->K                                                                                                                        \
	 : (letter) == 'G' ? (sides)->G                                                                                                                        \
	 : (letter) == 'H' ? (sides)->H                                                                                                                        \
			   : 1)

static const unsigned tile_dtypes[] = {PTOWSP_F32, PTOWSP_F16, PTOWSP_BF16, PTOWSP_F64, PTOWSP_I8,  PTOWSP_I16, PTOWSP_I32,
				       PTOWSP_I64, PTOWSP_U8,  PTOWSP_U16,  PTOWSP_U32, PTOWSP_U64, PTOWSP_BOOL};
enum { TILE_TYPES = sizeof(tile_dtypes) / sizeof(*tile_dtypes) };

static uint64_t random_seed;
static bool random_few; /* only values at which comparisons and signs go wrong */

static inline uint64_t random_start(void)
{
	const char *text = getenv("PTOWSP_SEED");

	return text ? strtoull(text, NULL, 0) : 20261120;
}

static inline uint64_t random_next(void)
{
	return draw(&random_seed, 0);
}

static inline uint32_t random_below(uint32_t limit)
{
	return (uint32_t)(random_next() % limit);
}

static inline double random_float(unsigned dtype)
{
	static const double delicate[] = {0.0, -0.0, 0.0, -0.0, 1.0, -1.0, NAN};
	static const double special[] = {0.0,           -0.0,  1.0,   -1.0, INFINITY, -INFINITY, NAN,        1e-42, -3e38,  3e38, 2147483648.0,
					 -2147483904.0, 0.5,   -0.5,  1.5,  2.5,      -2.5,      16777217.0, 65504, -65504, 6e-8, -6e-5,
					 1e-39,         255.5, 128.5, 2049, 9.3e18,   -9.3e18,   1.9e19,     1e300, -1e-310};
	const double unit = (double)(random_next() >> 11) * 0x1p-53 * 2 - 1;

	if (random_few)
		return delicate[random_below(6 + (random_below(4) == 0))];
	if (!random_below(12))
		return cell_round(dtype, special[random_below(sizeof(special) / sizeof(*special))]);
	return cell_round(dtype, unit * (random_below(4) ? 4.0 : 5000.0));
}

static inline wide random_integer(unsigned dtype)
{
	const int width = 8 * (int)cell_bytes(dtype);
	const wide top = (wide)1 << (width - 1);
	const wide special[] = {0, 1, -1, width - 1, width, -width - 1, top - 1, top, 2 * top - 1};

	if (!random_below(6))
		return cell_wrap(dtype, special[random_below(sizeof(special) / sizeof(*special))]);
	return cell_wrap(dtype, random_below(3) ? (wide)random_below(200) - 100 : (wide)random_next());
}

static inline struct cell random_cell(unsigned dtype)
{
	struct cell value = {0, 0};

	if (cell_is_float(dtype))
		value.f = random_float(dtype);
	else
		value.n = random_integer(dtype);
	return value;
}

/* A scalar register that holds the value. */
static inline uint64_t cell_bits(unsigned dtype, struct cell value)
{
	uint64_t bits = (uint64_t)value.n;

	if (cell_is_float(dtype))
		bits = 0, cell_pack(dtype, value, &bits);
	return bits;
}

/* Bit for bit; one NaN is as good as another. */
static inline bool cell_same(unsigned dtype, struct cell one, struct cell other)
{
	if (!cell_is_float(dtype))
		return one.n == other.n;
	return isnan(one.f) ? isnan(other.f) : one.f == other.f && signbit(one.f) == signbit(other.f);
}

/* Which operations of pto_ops.def were compared with their reference, on which type. A suite marks what it compares, and its
 * last test asks for what is missing. */
static uint16_t pairs_compared[256];

static inline void pair_mark(unsigned op, unsigned dtype)
{
	pairs_compared[op] |= (uint16_t)(1u << dtype);
}

/* Where products of a type may add up besides in itself. */
static inline unsigned tile_wider(unsigned key)
{
	switch (key) {
	case PTOWSP_F16:
	case PTOWSP_BF16: return PTOWSP_F32;
	case PTOWSP_I8:
	case PTOWSP_U8:
	case PTOWSP_I16: return PTOWSP_I32;
	default: return key == PTOWSP_U16 ? PTOWSP_U32 : key;
	}
}

#endif
