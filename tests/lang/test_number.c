/* SPDX-License-Identifier: MIT
 * test_number.c - literals to bits. */
#include "lang/number.h"
#include "ptowsp/ids.h"
#include "tests/check.h"

#include <math.h>
#include <string.h>

static uint64_t value(const char *text, unsigned dtype)
{
	uint64_t bits = 0;

	if (lang_number_read(text, dtype, &bits) != LANG_NUMBER_OK)
		CHECK_FAIL("%s is refused", text);
	return bits;
}

static enum lang_number verdict(const char *text, unsigned dtype)
{
	uint64_t bits;

	return lang_number_read(text, dtype, &bits);
}

static float single(const char *text)
{
	uint32_t bits = (uint32_t)value(text, PTOWSP_F32);
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

TEST(integers_are_sign_extended_and_bounded_by_their_type)
{
	CHECK_INT((int64_t)value("-7", PTOWSP_I32), -7);
	CHECK_INT((int64_t)value("2147483647", PTOWSP_I32), INT32_MAX);
	CHECK_INT((int64_t)value("-2147483648", PTOWSP_I32), INT32_MIN);
	CHECK_INT(verdict("2147483648", PTOWSP_I32), LANG_NUMBER_RANGE);
	CHECK_INT(verdict("-129", PTOWSP_I8), LANG_NUMBER_RANGE);
	CHECK_INT(verdict("256", PTOWSP_U8), LANG_NUMBER_RANGE);
	CHECK_INT(verdict("-1", PTOWSP_U64), LANG_NUMBER_RANGE);
	CHECK_INT(verdict("2", PTOWSP_BOOL), LANG_NUMBER_RANGE);
	CHECK_INT((int64_t)value("-9223372036854775808", PTOWSP_I64), INT64_MIN);
	CHECK_INT(verdict("9223372036854775808", PTOWSP_I64), LANG_NUMBER_RANGE);
	CHECK_UINT(value("18446744073709551615", PTOWSP_U64), UINT64_MAX);
	CHECK_INT(verdict("18446744073709551616", PTOWSP_U64), LANG_NUMBER_RANGE);
	CHECK_INT(verdict("99999999999999999999999", PTOWSP_I64), LANG_NUMBER_RANGE);
}

TEST(a_fraction_is_no_integer)
{
	CHECK_INT(verdict("1.0", PTOWSP_I32), LANG_NUMBER_FRACTION);
	CHECK_INT(verdict("1e3", PTOWSP_I64), LANG_NUMBER_FRACTION);
	CHECK_INT(verdict("12z", PTOWSP_I32), LANG_NUMBER_BAD);
	CHECK_INT(verdict("", PTOWSP_I32), LANG_NUMBER_BAD);
	CHECK_INT(verdict("-", PTOWSP_I32), LANG_NUMBER_FRACTION);
	CHECK_INT(verdict("32x128xf32", PTOWSP_I32), LANG_NUMBER_BAD);
}

TEST(floats_are_rounded_once_to_f32)
{
	CHECK(single("0.1") == 0.1f);
	CHECK(single("-1.0") == -1.0f);
	CHECK(single("1e-05") == 1e-05f);
	CHECK(single("1.5707963267948966") == 1.5707963267948966f);
	/* halfway between two f32 by a hair: two roundings would give the even neighbour below */
	CHECK(single("1.00000005960464477539062500000001") == 1.0000001192092896f);
	CHECK(isinf(single("-inf")) && single("-inf") < 0);
	CHECK(isnan(single("nan")));
	CHECK_INT(verdict("1e39", PTOWSP_F32), LANG_NUMBER_RANGE);
	CHECK_INT(verdict("0x10", PTOWSP_F32), LANG_NUMBER_BAD);
	CHECK_INT(verdict("1.0f", PTOWSP_F32), LANG_NUMBER_BAD);
	CHECK_INT(verdict("...", PTOWSP_F32), LANG_NUMBER_BAD);
}

TEST(the_narrow_types_round_and_overflow_as_they_should)
{
	CHECK_UINT(value("1.0", PTOWSP_F16), 0x3C00);
	CHECK_UINT(value("-2.0", PTOWSP_F16), 0xC000);
	CHECK_UINT(value("65504", PTOWSP_F16), 0x7BFF);
	CHECK_INT(verdict("65520", PTOWSP_F16), LANG_NUMBER_RANGE);
	CHECK_UINT(value("5.960464477539063e-08", PTOWSP_F16), 0x0001);
	CHECK_UINT(value("6.103515625e-05", PTOWSP_F16), 0x0400);
	CHECK_UINT(value("2.98e-08", PTOWSP_F16), 0x0000);
	CHECK_UINT(value("0.0", PTOWSP_F16), 0);
	CHECK_UINT(value("inf", PTOWSP_F16), 0x7C00);
	CHECK_UINT(value("1.0", PTOWSP_BF16), 0x3F80);
	CHECK_UINT(value("3.140625", PTOWSP_BF16), 0x4049);
	CHECK_UINT(value("1.00390625", PTOWSP_BF16), 0x3F80); /* a tie goes to even */
	CHECK_UINT(value("1.01171875", PTOWSP_BF16), 0x3F82);
	CHECK_UINT(value("0.5", PTOWSP_F64), UINT64_C(0x3FE0000000000000));
}
