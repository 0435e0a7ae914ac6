/* SPDX-License-Identifier: MIT */
/* print_scope.h - the scalars of an Orchestration function while it is printed: loops, slots, symbols, and helpers for what is no single name. */
#ifndef PRINT_SCOPE_H
#define PRINT_SCOPE_H

#include <stdbool.h>

#include "print/parts.h"

struct print_scope {
	struct print_job *job;
	uint32_t entry;         /* ENTR row */
	const char *function;   /* its name */
	struct print_text body; /* the statements; declarations are known when they are */
	uint32_t depth;
	const char *loops[PTOWSP_NESTING_LIMIT]; /* open ones, outermost first */
	uint32_t loop_count;
	int in_leveled_loop;       /* inside a loop with tile levels */
	uint32_t next_call;        /* among the calls: print_call_at */
	uint32_t start;            /* first instruction that is no start of a slot */
	uint8_t *symbols;          /* owned, by SLOT row: 1 mentioned, 2 and has to be a parameter */
	uint32_t *slots;           /* owned, by SLOT row: 0, 1: declared here, else 2 + the instruction that gives it what comes from outside */
	struct print_text helpers; /* declarations of helper scalars */
	uint32_t helper_count;
	uint32_t known[64]; /* EXPR rows that helpers stand for, in the blocks that are open */
	uint32_t known_number[64], known_count;
};

/* A value as it stands in a statement: with sign % if it is a name. */
struct print_value {
	char text[264];
	int name; /* 0: a number */
};

void print_scope_init(struct print_scope *scope); /* no memory: body.failed */
void print_scope_finish(struct print_scope *scope);
/* The scalars of the signature behind `memrefs` other parameters, ") {" and its position, then the declarations. */
void print_scope_head(struct print_scope *scope, struct print_text *text, uint32_t memrefs);

/* An expression (EXPR row) as one value; statements that compute it come first. An integer. */
struct print_value print_value_of(struct print_scope *scope, uint32_t row);
/* The same as an argument of that type. */
struct print_value print_scalar_of(struct print_scope *scope, uint32_t row, unsigned dtype);
struct print_value print_constant_of(struct print_scope *scope, uint64_t value, unsigned dtype);
struct print_value print_loop_of(struct print_scope *scope, uint32_t depth);
/* The condition of an IF; bit < 64: IF_BIT. With ":type" behind it. */
struct print_value print_condition_of(struct print_scope *scope, uint32_t row, uint32_t *bit_out);
/* Without the sign, for tuples and brackets. */
const char *print_bare(const struct print_value *value);

/* "%name = expression" as one statement, after those for its operands. at: instruction. */
void print_assignment(struct print_scope *scope, const char *name, unsigned dtype, uint32_t row, uint32_t at);
/* A statement that needs the symbol and does nothing with it. */
void print_unread(struct print_scope *scope, uint32_t slot);

/* Name of an internal slot of this function; NULL if it is none. Declares it. */
const char *print_slot_of(struct print_scope *scope, uint32_t slot);
/* Is the expression what the slot has from outside anyway? Then instruction `at` needs no statement. */
bool print_is_own_start(struct print_scope *scope, uint32_t slot, uint32_t row, uint32_t at);
/* Is the expression what the callee takes over as `name` without being passed it? */
bool print_is_taken_over(struct print_scope *scope, uint32_t row, const char *callee, const char *name);

const char *print_opcode(unsigned opcode);

#endif
