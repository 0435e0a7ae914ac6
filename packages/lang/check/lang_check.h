/* SPDX-License-Identifier: MIT */
/* lang_check.h - from parsed functions to functions that can be lowered: names, kinds, types, calls, scalar facts. */
#ifndef LANG_CHECK_H
#define LANG_CHECK_H

#include <stdbool.h>

#include "lang/ast.h"

/* Finds what each CALL calls, refuses recursion, puts callees before callers, finds the default entry (its name if the
 * caller chose one, else NULL). Without errors in the list afterwards every statement has its target. */
void lang_link(struct lang_module *module, const char *chosen);
/* Checks every function in that order and fills in the facts of struct lang_var and lang_function. */
void lang_check(struct lang_module *module);

/* Before that: functions to which calls pass parts of a size that a run decides get scalars that say it. */
void lang_parts_note(struct lang_module *module);

/* --- shared by lang_check.c, check_call.c, operand.c, declare_help.c, facts.c --- */

/* The walk over one function. */
struct lang_check {
	struct lang_unit *unit;
	struct lang_module *module;
	struct lang_function *function;
	const struct lang_stmt *stmt; /* the one being checked */
	uint32_t order;               /* statements so far, in program text */
	uint32_t depth, loops;        /* of blocks; of loops around */
	uint32_t branches;            /* branches of IF around */
	uint32_t broken;              /* of broken statements around: what is told of blocks is not to be trusted */
	struct lang_write *writes;    /* open assignments whose block has not ended */
	uint32_t write_count, write_capacity;
};

/* The demands on a name. */
enum lang_want { LANG_WANT_TILE, LANG_WANT_MEMREF, LANG_WANT_SCALAR, LANG_WANT_TARGET /* a scalar that can be set */ };
/* Finds the variable of a name operand; NULL after an error. */
struct lang_var *lang_operand_find(struct lang_check *check, struct lang_operand *operand, enum lang_want want);
/* %inf and %nan look like names; they are numbers unless something has the name. */
void lang_number_word_read(const struct lang_check *check, struct lang_operand *operand);
/* A scalar source: finds and counts the name, or reads the number in type dtype (or in the one written behind it). */
bool lang_scalar_read(struct lang_check *check, struct lang_operand *operand, unsigned dtype);
/* The element type that a number has at an operand of the statement; letter: its kind, see pto_ops.def. */
unsigned lang_number_dtype(const struct lang_stmt *stmt, char letter);
/* The written type must be that of the operand. */
bool lang_annotation_check(struct lang_check *check, const struct lang_operand *operand);

/* Facts about scalars: the walk tells every read and every assignment, in program text. */
void lang_fact_read(struct lang_check *check, struct lang_var *var);

/* ": T, T -> T" against the declared types. */
void lang_tail_check(struct lang_check *check, const struct lang_stmt *stmt, const char *operands);
/* The arguments of a CALL, and the scalars that the callee needs. */
void lang_call_check(struct lang_check *check, struct lang_stmt *stmt);
/* Warns of tiles of a checked InCore function that are read before anything can have written them. */
void lang_unwritten_tell(struct lang_unit *unit, const struct lang_function *function);
/* A memref is read or written by a tile of that shape (0, 0: by a scalar). */
void lang_memref_touch(struct lang_var *memref, unsigned access, uint32_t rows, uint32_t columns);

#endif
