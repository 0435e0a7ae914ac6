/* SPDX-License-Identifier: MIT
 * test_common_decimal.c - numbers in a program whose locale has a decimal comma: what is read, and what is written into sources. */
#include "tests/check.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "host/run/host_program.h"
#include "isa/emit/emit_state.h"
#include "lang/number.h"
#include "print/print_text.h"
#include "registry/common/common_decimal.h"

/* A locale with a comma, made here where the system has none. */
static bool comma_begin(void)
{
	const char *folder;

	if (setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "fr_FR.UTF-8"))
		return true;
	folder = check_tmp();
	if (check_run(check_fmt("localedef -c -i de_DE -f UTF-8 '%s/de_DE.UTF-8'", folder), NULL, NULL))
		return false;
	setenv("LOCPATH", folder, 1);
	return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static void comma_end(void)
{
	setlocale(LC_ALL, "C");
	unsetenv("LOCPATH");
}

#define NEEDS_COMMA()                                                                                                                                          \
	do {                                                                                                                                                   \
		if (!comma_begin())                                                                                                                            \
			CHECK_SKIP("no locale with a decimal comma is installed, nor can one be made with localedef");                                         \
	} while (0)

TEST(numbers_have_a_point)
{
	char text[40], *end;

	NEEDS_COMMA();
	common_decimal_print(text, sizeof(text), 'g', 6, 1.5);
	CHECK_STR(text, "1.5");
	common_decimal_print(text, sizeof(text), 'e', 2, -1234.5);
	CHECK_STR(text, "-1.23e+03");
	CHECK(common_decimal_double("0.25x", &end) == 0.25 && *end == 'x');
	CHECK(common_decimal_float("1.5", &end) == 1.5f && !*end);
	CHECK(common_decimal_double("1,5", &end) == 1 && *end == ',');
	comma_end();
}

TEST(the_program_keeps_its_locale)
{
	char text[40];

	NEEDS_COMMA();
	common_decimal_print(text, sizeof(text), 'g', 6, 1.5);
	CHECK(common_decimal_double("0.5", NULL) == 0.5 && common_decimal_float("0.5", NULL) == 0.5f);
	CHECK_STR(localeconv()->decimal_point, ",");
	comma_end();
}

/* With a comma `v + 0,1f` is two expressions, and compiles. */
TEST(kernels_have_numbers_with_a_point)
{
	char text[40];

	NEEDS_COMMA();
	CHECK_STR(isa_literal(0x3DCCCCCD, PTOWSP_F32).text, "0.1f");
	CHECK_STR(isa_literal(0x3FF8000000000000, PTOWSP_F64).text, "1.5");
	CHECK(print_number(text, 0x3DCCCCCD, PTOWSP_F32));
	CHECK_STR(text, "0.1");
	comma_end();
}

TEST(values_are_read_with_a_point)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	uint64_t bits = 0;

	NEEDS_COMMA();
	CHECK_INT(host_value_parse(PTOWSP_F32, "s", "0.5", &bits, &error), 0);
	CHECK_UINT(bits, 0x3F000000);
	CHECK_INT(host_value_parse(PTOWSP_F32, "s", "0,5", &bits, &error), PTOWSP_INVALID);
	CHECK_INT(lang_number_read("0.5", PTOWSP_F32, &bits), LANG_NUMBER_OK);
	CHECK_UINT(bits, 0x3F000000);
	comma_end();
}
