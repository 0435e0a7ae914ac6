/* SPDX-License-Identifier: MIT */
#include "aie/ir/ir_ops.h"

#include <string.h>

static const struct aie_op_row rows[] = {
#define X(name, shape, from, to, width) {name, sizeof(name) - 1, AIE_SHAPE_##shape, from, to, width},
#include "aie/ir/ir_ops.def"
#undef X
};
enum { ROWS = sizeof(rows) / sizeof(*rows) };

const struct aie_op_row *aie_op_row(const char *name, size_t length)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].length == length && !memcmp(rows[i].name, name, length))
			return &rows[i];
	return NULL;
}

const char *aie_op_predicate(const struct aie_op_row *row, uint32_t number)
{
	static const char *const ints[] = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
	static const char *const floats[] = {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"};

	if (row->from == 'f')
		return number < 16 ? floats[number] : NULL;
	return number < 10 ? ints[number] : NULL;
}
