/* SPDX-License-Identifier: MIT */
/* expression.h - integer expressions in schedule texts, compiled to rows of the EXPR table. */
#ifndef REGISTRY_EXPRESSION_H
#define REGISTRY_EXPRESSION_H

#include <stdbool.h>

#include "ptowsp/package.h"
#include "ptowsp/workload.h"

/* Names that an expression may use besides `task`; all borrowed. A leading % is allowed in the text and in the tables. */
struct reg_scope {
	const char *const *loops;     /* names of loop axes */
	const uint32_t *loop_strings; /* their STRS offsets */
	const char *const *values;    /* names of symbols and slots, NULL entries cannot be used */
	const uint32_t *value_rows;   /* their SLOT rows */
	uint32_t loop_count, value_count;
};

/* Rows that grow; `base` is the row that the first one will get. Init with zeros and a base, finish frees. */
struct reg_rows {
	struct ptowsp_expr_record *at; /* owned */
	uint32_t count, room, base;
};
void reg_rows_finish(struct reg_rows *rows);

/* Grammar: || && | ^ & == != < <= > >= << >> + - * / % with the precedence of C, unary - ~ !, parentheses, min(a, b),
 * max(a, b), select(a, b, c), decimal and 0x numbers, names of the scope, `task`, `instance`. length bytes of text, all of it.
 * Appends rows and gives the one of the result. Errors: INVALID with the place in the text, which is where[0] as a byte offset, too; NO_MEMORY;
 * rows appended before an error stay and are unused. */
ptowsp_status reg_expression_compile(const char *text, size_t length, const struct reg_scope *scope, struct reg_rows *rows, uint32_t *row_out,
				     struct ptowsp_error *error);

/* Values of SLOT rows for reg_expression_value; borrowed. */
struct reg_values {
	const uint64_t *at;
	const uint8_t *known; /* 0: nobody gave it a value; NULL: all have one */
	uint32_t count;
};
/* The value of row `row` of `count` rows before a run: constants and symbols; signed 64-bit, wrapping, / and % toward zero.
 * Errors: NOT_FOUND a value that is not known; INVALID a division by zero; UNSUPPORTED a row that only a task gives a value; BAD_PACKAGE a row outside the table
 * or more than 4096 rows to visit. Writes no sentence. Any thread. */
ptowsp_status reg_expression_value(const struct ptowsp_expr_record *rows, uint32_t count, uint32_t row, const struct reg_values *values, int64_t *value_out);
/* The same, and TOO_BIG where a result has more than 64 bits, which wraps there. */
ptowsp_status reg_expression_exact(const struct ptowsp_expr_record *rows, uint32_t count, uint32_t row, const struct reg_values *values, int64_t *value_out);

struct reg_text;
/* Rows and names of a printed expression; all borrowed. Rows and offsets outside are fine. */
struct reg_expression_tables {
	const struct ptowsp_expr_record *expr;
	const struct ptowsp_slot_record *slot;
	const char *strings; /* STRS, which ends in NUL */
	uint64_t strings_size;
	uint32_t expr_count, slot_count;
	const char *const *loops; /* names of the loops around, outermost first; others are loop(N) */
	uint32_t loop_count;
	/* How a source writes the name of a loop or value (op LOOP or VALUE), or a loop that is named (AXIS); false: it cannot. NULL: the name alone. */
	bool (*name)(const struct reg_expression_tables *tables, unsigned op, const char *name, struct reg_text *text);
};
/* Writes row `row` the way it is typed; what is deeper than 64 nodes is "...", row 7 outside the table "EXPR[7]?". An operator of a level (operator.h) below `least` stands in
 * parentheses; 0: none does. False: it is cut, or not there, or no text of a source (`name`), for which 2048 nodes are deep. Any thread. */
bool reg_expression_print(const struct reg_expression_tables *tables, uint32_t row, unsigned least, struct reg_text *text);

/* Index of a loop name in the scope, -1 if there is none. */
int reg_scope_loop(const struct reg_scope *scope, const char *name, size_t length);

#endif
