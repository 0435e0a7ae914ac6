/* SPDX-License-Identifier: MIT
 * test_isa_tile.c - exp, ln and tanh of f32 against the C library's in long double: all arguments with PTOWSP_TEST_LONG, every
 * 4999th otherwise. Standard rounding of the long double is the correctly rounded float. */
#include "check.h"
#include "isa/tile.h"

#include <stdio.h>
#include <stdlib.h>

static float exp_here(float x)
{
	return tile_exp_f32(x);
}

static float log_here(float x)
{
	return tile_log_f32(x);
}

static float tanh_here(float x)
{
	return tile_tanh_f32(x);
}

static const struct function {
	const char *name;
	float (*here)(float x);
	long double (*there)(long double x);
} functions[] = { { "exp", exp_here, expl }, { "log", log_here, logl }, { "tanh", tanh_here, tanhl } };

static float float_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static long double unit(float value)
{
	int exponent;

	if (fabsf(value) < 0x1p-126f)
		return 0x1p-149L;
	frexpf(value, &exponent);
	return ldexpl(1, exponent - 24);
}

/* Units in the last place between both; a large number where one is NaN, infinite, or a zero of the other sign. */
static double difference(float got, long double want)
{
	const float rounded = (float)want;

	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got) ? 0 : 1e9;
	if (isinf(rounded) || isinf(got) || want == 0)
		return got == rounded && !signbit(got) == !signbit(rounded) ? 0 : 1e9;
	return (double)(fabsl((long double)got - want) / unit(rounded));
}

static void function_check(const struct function *f)
{
	const uint64_t step = getenv("PTOWSP_TEST_LONG") ? 1 : 4999;
	uint64_t others = 0;
	double worst = 0;
	float worst_at = 0;

	for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += step) {
		const float x = float_of((uint32_t)bits), got = f->here(x);
		const long double want = f->there(x);
		const double off = difference(got, want);

		others += got != (float)want && !isnan(want);
		if (off > worst) {
			worst = off;
			worst_at = x;
		}
	}
	printf("# isa_tile: %s is off by at most %.7f units, at %a; %llu arguments not correctly rounded\n", f->name, worst,
	       (double)worst_at, (unsigned long long)others);
	CHECK(worst <= 0.50001);
}

static void functions_are_rounded_as_well_as_correctly(void)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		function_check(&functions[i]);
}

/* Where exp begins to round to a subnormal number, to 0 and to infinity; where ln meets its ends; small tanh. */
static void ends_of_functions_are_right(void)
{
	CHECK(tile_exp_f32(0) == 1 && tile_exp_f32(-0.0f) == 1);
	CHECK(tile_exp_f32(INFINITY) == INFINITY && tile_exp_f32(-INFINITY) == 0);
	CHECK(tile_exp_f32(0x1.62e42ep+6f) < INFINITY && tile_exp_f32(0x1.62e430p+6f) == INFINITY);
	CHECK(tile_exp_f32(-0x1.9fe368p+6f) == 0x1p-149f && tile_exp_f32(-0x1.9fe36ap+6f) == 0);
	CHECK(tile_exp_f32(-87.5f) == expf(-87.5f) && isnan(tile_exp_f32(NAN)));
	CHECK(tile_log_f32(1) == 0 && !signbit(tile_log_f32(1)));
	CHECK(tile_log_f32(0) == -INFINITY && tile_log_f32(-0.0f) == -INFINITY && tile_log_f32(INFINITY) == INFINITY);
	CHECK(isnan(tile_log_f32(-1)) && isnan(tile_log_f32(-INFINITY)) && isnan(tile_log_f32(NAN)));
	CHECK(tile_log_f32(0x1p-149f) == (float)logl(0x1p-149L));
	CHECK(tile_tanh_f32(INFINITY) == 1 && tile_tanh_f32(-INFINITY) == -1 && isnan(tile_tanh_f32(NAN)));
	CHECK(tile_tanh_f32(0x1p-149f) == 0x1p-149f && signbit(tile_tanh_f32(-0.0f)));
	CHECK(tile_sigmoid_f32(-INFINITY) == 0 && tile_sigmoid_f32(INFINITY) == 1 && tile_sigmoid_f32(0) == 0.5f);
	CHECK(isnan(tile_silu_f32(-INFINITY)) && tile_silu_f32(INFINITY) == INFINITY && tile_silu_f32(2) == 2 / (1 + tile_exp_f32(-2)));
}

void suite_isa_tile(CU_pSuite s)
{
	TEST(s, functions_are_rounded_as_well_as_correctly);
	TEST(s, ends_of_functions_are_right);
}
