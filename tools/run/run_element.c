/* SPDX-License-Identifier: MIT */
/* run_element.c - conversion between element types and double. */
#include "tools/run/run_element.h"

#include "isa/element.h"

#include <string.h>

#define GET(type, ...)                                                                                                                                         \
	case ISA_CODE_##type: {                                                                                                                                \
		isa_s_##type stored;                                                                                                                           \
		memcpy(&stored, (const char *)data + i * sizeof(stored), sizeof(stored));                                                                      \
		return (double)isa_get_##type(stored);                                                                                                         \
	}

double element_get(uint16_t dtype, const void *data, uint64_t i)
{
	switch (dtype) {
		ISA_TYPES(GET, )
	}
	return 0;
}

#define SET(type, from)                                                                                                                                        \
	case ISA_CODE_##type: {                                                                                                                                \
		const isa_s_##type stored = isa_put_##type((isa_w_##type)(from));                                                                              \
		memcpy((char *)data + i * sizeof(stored), &stored, sizeof(stored));                                                                            \
		return;                                                                                                                                        \
	}

void element_set(uint16_t dtype, void *data, uint64_t i, double value)
{
	int64_t whole = value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : 0;

	switch (dtype) {
		ISA_FLOATS(SET, value)
		ISA_INTEGERS(SET, whole)
		ISA_BOOLS(SET, value != 0)
	}
}
