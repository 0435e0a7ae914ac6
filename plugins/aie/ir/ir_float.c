/* SPDX-License-Identifier: MIT */
#include "aie/ir/ir_float.h"

#include "isa/convert.h"
#include "ptowsp/ids.h"

static unsigned dtype_of(const struct aie_type *type)
{
	switch (type->kind) {
	case AIE_TYPE_BF16: return PTOWSP_BF16;
	case AIE_TYPE_F16: return PTOWSP_F16;
	case AIE_TYPE_F32: return PTOWSP_F32;
	default: return PTOWSP_F64;
	}
}

uint64_t aie_float_bits(const struct aie_type *type, double value)
{
	return isa_convert_scalar(isa_bits_of_double(value), PTOWSP_F64, dtype_of(type));
}

double aie_float_of(const struct aie_type *type, uint64_t bits)
{
	return isa_double_of(isa_convert_scalar(bits, dtype_of(type), PTOWSP_F64));
}
