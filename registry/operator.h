/* SPDX-License-Identifier: MIT */
/* operator.h - operators of integer expressions, the same wherever one is written or printed: schedules, sources, graphs. */
#ifndef REGISTRY_OPERATOR_H
#define REGISTRY_OPERATOR_H

#include <stddef.h>
#include <stdint.h>

/* Two operands, left to right. Constant; any thread. */
struct reg_operator {
	char sign[3];
	uint8_t level; /* 1 to 10, C's precedence; a larger one binds closer */
	uint8_t op;    /* enum ptowsp_expr_op */
};

/* The longest operator that the first `length` bytes of text begin with, NULL if there is none. */
const struct reg_operator *reg_operator_find(const char *text, size_t length);
/* Operators written as words: a function with its operands in parentheses, or a value of the run. */
struct reg_function {
	const char *word;
	uint8_t op, operands;
};
/* The one of that word of `length` bytes, NULL if there is none. */
const struct reg_function *reg_function_find(const char *word, size_t length);
/* How close a node of the EXPR table binds; 0 if it is not written with an operator between two operands. */
unsigned reg_operator_level(unsigned op);

#endif
