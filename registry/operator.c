/* SPDX-License-Identifier: MIT */
#include "registry/operator.h"

#include <string.h>

#include "ptowsp/workload.h"

static const struct reg_operator operators[] = {
#define X(NAME, sign, level) {sign, level, PTOWSP_EXPR_##NAME},
#include "registry/operators.def"
#undef X
};

const struct reg_operator *reg_operator_find(const char *text, size_t length)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		size_t own = strlen(operators[i].sign);

		if (length >= own && !memcmp(text, operators[i].sign, own))
			return &operators[i];
	}
	return NULL;
}

unsigned reg_operator_level(unsigned op)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (operators[i].op == op)
			return operators[i].level;
	return 0;
}
