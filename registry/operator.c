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

static const struct reg_function functions[] = {
	{"min", PTOWSP_EXPR_MIN, 2},   {"max", PTOWSP_EXPR_MAX, 2},           {"select", PTOWSP_EXPR_SELECT, 3},
	{"task", PTOWSP_EXPR_TASK, 0}, {"instance", PTOWSP_EXPR_INSTANCE, 0},
};

const struct reg_function *reg_function_find(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (strlen(functions[i].word) == length && !memcmp(functions[i].word, word, length))
			return &functions[i];
	return NULL;
}

unsigned reg_operator_level(unsigned op)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (operators[i].op == op)
			return operators[i].level;
	return 0;
}
