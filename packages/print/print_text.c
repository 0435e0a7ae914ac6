/* SPDX-License-Identifier: MIT */
/* print_text.c - source text that grows line by line, and values as the decimal text that the packer reads as the same bits. */
#include "print/print_text.h"
#include "format/format_names.h"
#include "lang/number.h"
#include "ptowsp/task.h"
#include "ptowsp/workload.h"
#include "registry/common/common_decimal.h"
#include "registry/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POSITION_COLUMN 72u

void print_text_finish(struct print_text *text)
{
	common_text_finish(&text->out);
	*text = (struct print_text){0};
}

void print_add_list(struct print_text *text, const char *format, va_list list)
{
	common_text_add_list(&text->out, format, list);
}

void print_add(struct print_text *text, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	print_add_list(text, format, list);
	va_end(list);
}

void print_indent(struct print_text *text, uint32_t depth)
{
	print_add(text, "%*s", (int)(2 * depth), "");
}

/* A line holds names of a package, none of which may end it. */
void print_end(struct print_text *text)
{
	if (text->out.length > text->line) {
		reg_text_plain(text->out.bytes + text->line, '?');
		text->out.length = text->line + strlen(text->out.bytes + text->line);
	}
	common_text_put(&text->out, "\n");
	text->line = text->out.length;
}

static void place_add(struct print_text *text, const char *before, struct print_place place)
{
	print_add(text, "%s%lu", before, (unsigned long)place.line);
	if (place.column)
		print_add(text, ":%lu", (unsigned long)place.column);
}

void print_end_at(struct print_text *text, struct print_place place, const struct print_place *divisions, uint32_t division_count, const char *file)
{
	size_t used = text->out.length - text->line;

	while (division_count && !divisions[division_count - 1].line)
		division_count--;
	if (place.line || division_count) {
		print_add(text, "%*s", used + 2 < POSITION_COLUMN ? (int)(POSITION_COLUMN - used) : 2, "");
		place_add(text, "// @", place);
		for (uint32_t i = 0; i < division_count; i++)
			place_add(text, " /", divisions[i]);
		if (file)
			print_add(text, " %s", file);
	}
	print_end(text);
}

void print_inexpressible(struct print_text *text, uint32_t depth, const char *format, ...)
{
	va_list list;

	print_indent(text, depth);
	print_add(text, "// cannot be said: ");
	va_start(list, format);
	print_add_list(text, format, list);
	va_end(list);
	print_end(text);
	text->inexpressible++;
}

void print_append(struct print_text *text, const struct print_text *more)
{
	common_text_bytes(&text->out, common_text_view(&more->out), more->out.length);
	text->inexpressible += more->inexpressible;
	text->out.failed |= more->out.failed;
	text->line = text->out.length;
}

const char *print_dtype(unsigned dtype)
{
	const char *word = pkg_word(PKG_WORDS_dtype, dtype);

	return dtype == PTOWSP_BOOL ? "u1" : word ? word : "?";
}

const char *print_annotation(unsigned dtype)
{
	return dtype == PTOWSP_I64 ? "idx" : print_dtype(dtype);
}

const char *print_space(unsigned space)
{
	const char *word = pkg_word(PKG_WORDS_space, space);

	return word ? word : "?";
}

/* ---- values as the decimal text that the packer reads as the same bits. ---- */

static bool reads_back(const char *text, unsigned dtype, uint64_t value)
{
	uint64_t again;

	return lang_number_read(text, dtype, &again) == LANG_NUMBER_OK && again == value;
}

/* A narrow float by the widths of its fields. */
static double narrow(uint64_t value, int exponent_bits, int fraction_bits)
{
	int bias = (1 << (exponent_bits - 1)) - 1;
	int exponent = (int)(value >> fraction_bits) & ((1 << exponent_bits) - 1);
	double fraction = (double)(value & ((UINT64_C(1) << fraction_bits) - 1)) / (double)(UINT64_C(1) << fraction_bits);
	double size = exponent ? ldexp(1 + fraction, exponent - bias) : ldexp(fraction, 1 - bias);

	if (exponent == (1 << exponent_bits) - 1)
		size = fraction > 0 ? (double)NAN : (double)INFINITY;
	return value >> (exponent_bits + fraction_bits) & 1 ? -size : size;
}

static double double_of(uint64_t value, unsigned dtype)
{
	uint32_t bits = (uint32_t)value;
	float single;
	double wide;

	switch (dtype) {
	case PTOWSP_F16: return narrow(value, 5, 10);
	case PTOWSP_BF16: return narrow(value, 8, 7);
	case PTOWSP_F32: memcpy(&single, &bits, sizeof(single)); return (double)single;
	default: memcpy(&wide, &value, sizeof(wide)); return wide;
	}
}

static bool float_print(char text[40], uint64_t value, unsigned dtype)
{
	double number = double_of(value, dtype);

	if (isnan(number) || isinf(number)) {
		snprintf(text, 40, "%s%s", signbit(number) ? "-" : "", isnan(number) ? "nan" : "inf");
		return reads_back(text, dtype, value);
	}
	for (int digits = 1; digits <= 17; digits++) {
		common_decimal_print(text, 36, 'g', digits, number);
		if (!strpbrk(text, ".e"))
			strcat(text, ".0");
		if (reads_back(text, dtype, value))
			return true;
	}
	return false;
}

bool print_number(char text[40], uint64_t value, unsigned dtype)
{
	switch (dtype) {
	case PTOWSP_F16:
	case PTOWSP_BF16:
	case PTOWSP_F32:
	case PTOWSP_F64: return float_print(text, value, dtype);
	case PTOWSP_U64: snprintf(text, 40, "%" PRIu64, value); break;
	default: snprintf(text, 40, "%" PRId64, (int64_t)value);
	}
	return reads_back(text, dtype, value);
}

bool print_is_spelled(const char *number)
{
	return strpbrk(number, "n") != NULL; /* inf, -inf, nan */
}

unsigned print_float_mantissa(unsigned dtype)
{
	return dtype == PTOWSP_F16 ? 10 : dtype == PTOWSP_BF16 ? 7 : dtype == PTOWSP_F64 ? 52 : 23;
}

unsigned print_float_exponent(unsigned dtype)
{
	return dtype == PTOWSP_F16 ? 5 : dtype == PTOWSP_F64 ? 11 : 8;
}

static bool is_number(const struct pkg_tables *t, uint32_t row, uint64_t value)
{
	return t->expr[row].op == PTOWSP_EXPR_CONST && ((uint64_t)t->expr[row].c << 32 | t->expr[row].b) == value;
}

/* SELECT(x, bits | (x < 0) << place of the sign, 0) */
uint32_t print_float_of(const struct pkg_tables *tables, uint32_t row, unsigned dtype)
{
	const struct ptowsp_expr_record *root = &tables->expr[row], *whole, *sign, *negative;

	if (dtype > PTOWSP_F64 || root->op != PTOWSP_EXPR_SELECT || !is_number(tables, root->c, 0))
		return PTOWSP_NONE;
	whole = &tables->expr[root->b];
	sign = &tables->expr[whole->b];
	if (whole->op != PTOWSP_EXPR_OR || tables->expr[whole->a].op != PTOWSP_EXPR_MIN || sign->op != PTOWSP_EXPR_SHL ||
	    !is_number(tables, sign->b, print_float_mantissa(dtype) + print_float_exponent(dtype)))
		return PTOWSP_NONE;
	negative = &tables->expr[sign->a];
	return negative->op == PTOWSP_EXPR_LT && negative->a == root->a && is_number(tables, negative->b, 0) ? root->a : PTOWSP_NONE;
}
