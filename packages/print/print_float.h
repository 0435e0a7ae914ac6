/* SPDX-License-Identifier: MIT */
/* print_float.h - integers that a program makes floats, known by what the packer makes of them (lang_expr_float). */
#ifndef PRINT_FLOAT_H
#define PRINT_FLOAT_H

#include <stdint.h>

#include "format/format_package.h"

/* The row of the integer whose bits as a float of that type an EXPR row gives; PTOWSP_NONE: it is no such conversion. */
uint32_t print_float_of(const struct pkg_tables *tables, uint32_t row, unsigned dtype);
/* Bits of mantissa and exponent of a float type. */
unsigned print_float_mantissa(unsigned dtype);
unsigned print_float_exponent(unsigned dtype);

#endif
