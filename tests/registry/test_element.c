/* SPDX-License-Identifier: MIT
 * test_element.c - elements of every type as numbers and back, and made content: each against its definition, computed another way. */
#include "tests/check.h"
#include "tests/draw.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "ptowsp/ids.h"
#include "tools/run/fill.h"
#include "tools/run/run_element.h"

/* A float of 16 bits by its parts. */
static double narrow_value(uint32_t bits, int fraction_bits)
{
	const double sign = bits & 0x8000 ? -1 : 1, fraction = bits & ((1u << fraction_bits) - 1);
	const int most = (1 << (15 - fraction_bits)) - 1, exponent = (int)(bits >> fraction_bits) & most, least = 1 - most / 2 - fraction_bits;

	if (exponent == most)
		return fraction > 0 ? NAN : sign * INFINITY;
	return sign * (exponent ? ldexp((1 << fraction_bits) + fraction, exponent - 1 + least) : ldexp(fraction, least));
}

static double half_value(uint32_t half)
{
	return narrow_value(half, 10);
}

static double bfloat_value(uint32_t bfloat)
{
	return narrow_value(bfloat, 7);
}

static void check_wide(uint16_t dtype, double (*value)(uint32_t), uint32_t bits)
{
	const uint16_t element = (uint16_t)bits;
	uint16_t again = 0;
	const double want = value(bits), got = element_get(dtype, &element, 0);

	CHECK(isnan(want) ? isnan(got) : got == want && signbit(got) == signbit(want));
	element_set(dtype, &again, 0, got);
	CHECK(isnan(want) ? isnan(value(again)) : again == element);
}

/* Between two neighbours: the nearer one, and of the middle that which is even. */
static void check_between(uint16_t dtype, double low, double high, uint16_t at)
{
	const double middle = (low + high) / 2, quarter = (high - low) / 4;
	const struct {
		double value;
		unsigned up;
	} rows[] = {{middle - quarter, 0}, {middle + quarter, 1}, {middle, at & 1}};
	uint16_t got;

	for (int negative = 0; negative < 2; negative++)
		for (size_t i = 0; i < 3; i++) {
			element_set(dtype, &got, 0, negative ? -rows[i].value : rows[i].value);
			CHECK_UINT(got, (uint16_t)(at + rows[i].up) | (negative ? 0x8000u : 0));
		}
}

TEST(all_halves_are_exact_and_the_rest_is_rounded_to_even)
{
	uint16_t got;

	for (uint32_t bits = 0; bits < 65536; bits++)
		check_wide(PTOWSP_F16, half_value, bits);
	for (uint32_t bits = 0; bits < 0x7BFF; bits += bits < 1100 ? 1 : 61)
		check_between(PTOWSP_F16, half_value(bits), half_value(bits + 1), (uint16_t)bits);
	check_between(PTOWSP_F16, 65504, 65536, 0x7BFF); /* what is too large is infinite */
	element_set(PTOWSP_F16, &got, 0, 1e30);
	CHECK_UINT(got, 0x7C00);
	element_set(PTOWSP_F16, &got, 0, -0x1p-26);
	CHECK_UINT(got, 0x8000);
	element_set(PTOWSP_F16, &got, 0, -NAN);
	CHECK(isnan(half_value(got)));
}

TEST(all_bfloats_are_exact_and_the_rest_is_rounded_to_even)
{
	static const uint32_t quiet = 0x7F800001; /* a NaN whose upper half alone would be infinite */
	uint16_t got;
	float odd;

	for (uint32_t bits = 0; bits < 65536; bits++)
		check_wide(PTOWSP_BF16, bfloat_value, bits);
	for (uint32_t bits = 1; bits < 0x7F7F; bits += 61)
		check_between(PTOWSP_BF16, bfloat_value(bits), bfloat_value(bits + 1), (uint16_t)bits);
	memcpy(&odd, &quiet, sizeof(odd));
	element_set(PTOWSP_BF16, &got, 0, (double)odd);
	CHECK(isnan(bfloat_value(got)));
}

TEST(whole_numbers_wrap_and_truth_is_not_zero)
{
	static const uint16_t types[] = {PTOWSP_I8,  PTOWSP_I16, PTOWSP_I32,  PTOWSP_I64, PTOWSP_U8, PTOWSP_U16,
					 PTOWSP_U32, PTOWSP_U64, PTOWSP_BOOL, PTOWSP_F32, PTOWSP_F64};
	static const double want[] = {-44, 300, 300, 300, 212, 300, 300, 300, 1, 300.75, 300.75},
			    minus[] = {-3, -3, -3, -3, 253, 65533, 4294967293., 0x1p64, 1, -3, -3};
	uint8_t bytes[24];

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		memset(bytes, 0xA5, sizeof(bytes));
		element_set(types[i], bytes + 1, 1, types[i] == PTOWSP_I8 ? 212.75 : types[i] == PTOWSP_U8 ? 212.75 : 300.75);
		CHECK_NEAR(element_get(types[i], bytes + 1, 1), want[i], 0);
		element_set(types[i], bytes + 1, 1, -3);
		CHECK_NEAR(element_get(types[i], bytes + 1, 1), minus[i], 0);
		CHECK_UINT(bytes[0], 0xA5);
		element_set(types[i], bytes + 1, 0, 0x1p70); /* no whole number of 64 bits */
		CHECK_NEAR(element_get(types[i], bytes + 1, 0), types[i] == PTOWSP_BOOL ? 1 : types[i] == PTOWSP_F32 || types[i] == PTOWSP_F64 ? 0x1p70 : 0, 0);
	}
}

/* ---- content that is made ----------------------------------------------------------------------------------------- */

static void fill(const char *text, uint16_t dtype, void *data, uint64_t elements)
{
	struct fill how;

	REQUIRE_INT(fill_parse(&how, text, NULL), PTOWSP_OK);
	fill_write(&how, dtype, 3, data, elements);
}

/* The first outputs of the generator, as its author publishes them for the seed 1234567. */
static const uint64_t published[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973), UINT64_C(9817491932198370423)};

TEST(random_content_is_that_of_the_generator)
{
	enum { COUNT = 300 };
	float floats[COUNT];
	int8_t small[COUNT];
	int32_t whole[COUNT];
	uint16_t positive[COUNT];
	uint8_t truth[COUNT];

	for (uint64_t i = 0; i < 3; i++)
		CHECK_UINT(draw_mix(1234567 + i * UINT64_C(0x9E3779B97F4A7C15)), published[i]);
	fill("random:9", PTOWSP_F32, floats, COUNT);
	fill("random:9", PTOWSP_I8, small, COUNT);
	fill("random:9", PTOWSP_I32, whole, COUNT);
	fill("random:9", PTOWSP_U16, positive, COUNT);
	fill("random:9", PTOWSP_BOOL, truth, COUNT);
	for (uint64_t i = 0; i < COUNT; i++) {
		const uint64_t bits = draw_mix(UINT64_C(9) << 40 | UINT64_C(3) << 32 | i);

		CHECK_NEAR(floats[i], (double)(int64_t)(bits >> 40) / (1 << 23) - 1, 0);
		CHECK_INT(small[i], (int8_t)(bits >> 56));
		CHECK_INT(whole[i], (int8_t)(bits >> 56));
		CHECK_UINT(positive[i], bits >> 56);
		CHECK_UINT(truth[i], bits >> 63);
	}
}

TEST(words_of_content_are_taken_and_others_refused)
{
	static const char *const wrong[] = {
		"", "zero", "zeros ", "random:", "random:x", "random:1x", "random:-1", "random: 1", "random:18446744073709551616", "Random"};
	struct ptowsp_error error;
	struct fill how;
	int16_t data[4];

	fill("iota", PTOWSP_I16, data, 4);
	CHECK_INT(data[3], 3);
	fill("ones", PTOWSP_I16, data, 4);
	CHECK_INT(data[3], 1);
	fill("zeros", PTOWSP_I16, data, 3);
	CHECK(data[0] == 0 && data[2] == 0 && data[3] == 1);
	REQUIRE_INT(fill_parse(&how, "random:0x10", NULL), PTOWSP_OK);
	CHECK_UINT(how.seed, 16);
	REQUIRE_INT(fill_parse(&how, "random:18446744073709551615", NULL), PTOWSP_OK);
	REQUIRE_INT(fill_parse(&how, "random", NULL), PTOWSP_OK);
	CHECK_UINT(how.seed, 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		CHECK_INT(fill_parse(&how, wrong[i], &error), PTOWSP_INVALID);
		CHECK_CONTAINS(error.text, "is none of zeros, ones, iota, random[:SEED]");
	}
}
