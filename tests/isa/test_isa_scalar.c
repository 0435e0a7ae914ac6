/* SPDX-License-Identifier: MIT
 * test_isa_scalar.c - scalars of tile programs: integers that wrap, floats, conversions, comparisons. */
#include "tests/isa/tile_probe.h"

#include <math.h>

static int64_t scalar_op(unsigned op, unsigned dtype, int64_t x, int64_t y)
{
	unsigned d;
	int32_t got[2] = {0, 0};

	tile_begin(&b, "probe");
	tile_param(&b, "out", PTOWSP_I32);
	tile_task_begin(&task);
	tile_window(&task, 0, got, PTOWSP_I32, 2);
	d = tile_local(&b, "d", dtype, 0);
	tile_op(&b, op, d, tile_int(&b, x), tile_int(&b, y));
	tile_op(&b, PTOWSP_PTO_STORE, d, 0, tile_int(&b, 0));
	tile_op(&b, PTOWSP_PTO_DIV, d, d, tile_int(&b, INT64_C(1) << 32));
	tile_op(&b, PTOWSP_PTO_STORE, d, 0, tile_int(&b, 1));
	CHECK_INT(run(), PTOWSP_OK);
	return dtype == PTOWSP_I64 ? (int64_t)got[1] * (INT64_C(1) << 32) + (uint32_t)got[0] : got[0];
}

TEST(scalars_wrap_at_their_own_width)
{
	CHECK_INT(scalar_op(PTOWSP_PTO_ADD, PTOWSP_I32, INT32_MAX, 1), INT32_MIN);
	CHECK_INT(scalar_op(PTOWSP_PTO_ADD, PTOWSP_I64, INT32_MAX, 1), 2147483648);
	CHECK_INT(scalar_op(PTOWSP_PTO_ADD, PTOWSP_BOOL, 1, 1), 1);
	CHECK_INT(scalar_op(PTOWSP_PTO_SUB, PTOWSP_BOOL, 1, 1), 0);
	CHECK_INT(scalar_op(PTOWSP_PTO_SUB, PTOWSP_I32, INT32_MIN, 1), INT32_MAX);
	CHECK_INT(scalar_op(PTOWSP_PTO_MUL, PTOWSP_I32, 65536, 65536), 0);
	CHECK_INT(scalar_op(PTOWSP_PTO_MUL, PTOWSP_I64, 65536, 65537), 4295032832);
	CHECK_INT(scalar_op(PTOWSP_PTO_DIV, PTOWSP_I32, -7, 2), -3);
	CHECK_INT(scalar_op(PTOWSP_PTO_DIV, PTOWSP_I32, INT32_MIN, -1), INT32_MIN);
	CHECK_INT(scalar_op(PTOWSP_PTO_DIV, PTOWSP_I64, INT64_MIN, -1), INT64_MIN);
}

TEST(dividing_a_scalar_by_zero_is_an_error)
{
	begin();
	tile_op(&b, PTOWSP_PTO_DIV, tile_local(&b, "d", PTOWSP_I32, 0), tile_int(&b, 5), tile_local(&b, "zero", PTOWSP_I32, 0));
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 1: DIV of 5 by 0 (%zero)");
}

static float float_op(unsigned op, float x, float y)
{
	unsigned d;

	begin();
	d = tile_local(&b, "d", PTOWSP_F32, 0);
	tile_op(&b, op, d, tile_float(&b, x), tile_float(&b, y));
	tile_op(&b, PTOWSP_PTO_STORE, d, 1, tile_int(&b, 0));
	CHECK_INT(run(), PTOWSP_OK);
	return memory[1][0];
}

TEST(float_scalars_follow_ieee)
{
	CHECK(float_op(PTOWSP_PTO_ADD, 16777216.0f, 1.0f) == 16777216.0f);
	CHECK(float_op(PTOWSP_PTO_SUB, 0.5f, 0.75f) == -0.25f);
	CHECK(float_op(PTOWSP_PTO_MUL, 1e30f, 1e30f) == INFINITY);
	CHECK(float_op(PTOWSP_PTO_DIV, -1.0f, 0.0f) == -INFINITY);
}

static int32_t converted(unsigned dtype, float x)
{
	unsigned d;

	begin();
	d = tile_local(&b, "d", dtype, 77);
	tile_op(&b, PTOWSP_PTO_LI, d, tile_float(&b, x));
	put(d, 0);
	CHECK_INT(run(), PTOWSP_OK);
	return memory[1][0] >= 2147483648.0f ? INT32_MAX : (int32_t)memory[1][0];
}

TEST(li_converts_toward_zero_and_saturates)
{
	CHECK_INT(converted(PTOWSP_I32, 2.9f), 2);
	CHECK_INT(converted(PTOWSP_I32, -2.9f), -2);
	CHECK_INT(converted(PTOWSP_I32, 3e9f), INT32_MAX);
	CHECK_INT(converted(PTOWSP_I32, -3e9f), INT32_MIN);
	CHECK_INT(converted(PTOWSP_I32, NAN), 0);
	CHECK_INT(converted(PTOWSP_BOOL, 0.5f), 0);
	CHECK_INT(converted(PTOWSP_BOOL, -8.0f), 1);
	CHECK_INT(converted(PTOWSP_F32, -2.0f), -2);
}

TEST(comparisons_cover_six_modes_of_both_classes)
{
	static const char want[6][4] = {"010", "101", "100", "110", "001", "011"}; /* of 1, 2, 3 with 2 */

	for (unsigned mode = 0; mode < 6; mode++) {
		begin();
		for (unsigned i = 0; i < 3; i++) {
			const unsigned c = tile_local(&b, "c", PTOWSP_BOOL, 0), f = tile_local(&b, "g", PTOWSP_I32, 0);

			tile_op(&b, PTOWSP_PTO_CMP, c, tile_int(&b, i + 1), tile_int(&b, 2));
			tile_mode(&b, mode);
			put(c, i);
			tile_op(&b, PTOWSP_PTO_CMP, f, tile_float(&b, (float)i + 1.0f), tile_float(&b, 2.0f));
			tile_mode(&b, mode);
			put(f, 3 + i);
		}
		CHECK_INT(run(), PTOWSP_OK);
		for (unsigned i = 0; i < 6; i++)
			CHECK_NEAR(memory[1][i], want[mode][i % 3] - '0', 0);
	}
}
