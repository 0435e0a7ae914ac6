/* SPDX-License-Identifier: MIT */
/* convert.h - a value of one element type as one of another. */
#ifndef ISA_CONVERT_H
#define ISA_CONVERT_H

#include "isa/element.h"

#include <stdbool.h>

/* The float of type dtype nearest to mantissa * 2^exponent by mode (PTOWSP_ROUND_x, NONE is RINT), as its bits: exact for every
 * mantissa and exponent. Overflow as pto_ops.def says. */
uint64_t isa_float_pack(bool negative, uint64_t mantissa, int exponent, unsigned dtype, unsigned mode);
/* The same of a double, NaN and infinities included. */
uint64_t isa_float_round(double value, unsigned dtype, unsigned mode);
/* MOV and LI: a scalar register of type `from` as one of type `to`. */
uint64_t isa_convert_scalar(uint64_t bits, unsigned from, unsigned to);

#endif
