/* SPDX-License-Identifier: MIT */
#include "registry/common/common_decimal.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

/* Gives this thread the plain locale, returns the one before. All of the plain locale is a constant of the C library: nobody has to free it, and there is always one. */
static locale_t plain_begin(void)
{
	return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void common_decimal_print(char *text, size_t room, char form, int digits, double value)
{
	const locale_t before = plain_begin();

	snprintf(text, room, form == 'e' ? "%.*e" : "%.*g", digits, value);
	uselocale(before);
}

double common_decimal_double(const char *text, char **end_out)
{
	const locale_t before = plain_begin();
	const double value = strtod(text, end_out);

	uselocale(before);
	return value;
}

float common_decimal_float(const char *text, char **end_out)
{
	const locale_t before = plain_begin();
	const float value = strtof(text, end_out);

	uselocale(before);
	return value;
}
