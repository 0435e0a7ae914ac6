/* SPDX-License-Identifier: MIT */
/* ir_float.h - bits of floats of a type, and floats of bits; to nearest, ties to even. */
#ifndef AIE_IR_FLOAT_H
#define AIE_IR_FLOAT_H

#include "aie/ir/ir.h"

static inline bool aie_type_is_float(const struct aie_type *type)
{
	return type->kind >= AIE_TYPE_BF16 && type->kind <= AIE_TYPE_F64;
}
uint64_t aie_float_bits(const struct aie_type *type, double value);
double aie_float_of(const struct aie_type *type, uint64_t bits);

#endif
