/* SPDX-License-Identifier: MIT */
/* print_text.h - source text that grows line by line. */
#ifndef PRINT_TEXT_H
#define PRINT_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "format/format_package.h"
#include "lang/expr_print.h"
#include "registry/common/common_text.h"

struct print_text {
	struct common_text out;
	size_t line;            /* where the line at hand begins */
	uint32_t inexpressible; /* comment lines about what the language cannot say */
};
void print_text_finish(struct print_text *text);

void print_add(struct print_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void print_add_list(struct print_text *text, const char *format, va_list list);
/* Two blanks per level. */
void print_indent(struct print_text *text, uint32_t depth);
/* Ends the line. */
void print_end(struct print_text *text);
/* A place in a source; line 0: none, column 0: only the line is known. */
struct print_place {
	uint32_t line, column;
};
/* Ends it with the position it came from and those of its divisions. file NULL: that of the whole text. */
void print_end_at(struct print_text *text, struct print_place place, const struct print_place *divisions, uint32_t division_count, const char *file);
/* A line of its own: "// cannot be said: ...". */
void print_inexpressible(struct print_text *text, uint32_t depth, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* All of another text. */
void print_append(struct print_text *text, const struct print_text *more);

/* A value of type dtype (as in task.h) in the shortest text that reads back as the same bits, without sign %; 0: there is none. */
bool print_number(char text[40], uint64_t value, unsigned dtype);
/* Is it spelled with letters (inf, nan)? */
bool print_is_spelled(const char *number);
/* "f32", "u1"; index: i64 is "idx". */
const char *print_dtype(unsigned dtype);
const char *print_annotation(unsigned dtype);
const char *print_space(unsigned space);

/* --- integers that a program makes floats, known by what the packer makes of them (lang_expr_float). --- */

/* The row of the integer whose bits as a float of that type an EXPR row gives; PTOWSP_NONE: it is no such conversion. */
uint32_t print_float_of(const struct pkg_tables *tables, uint32_t row, unsigned dtype);
/* Bits of mantissa and exponent of a float type. */
unsigned print_float_mantissa(unsigned dtype);
unsigned print_float_exponent(unsigned dtype);

#endif
