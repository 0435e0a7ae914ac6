/* SPDX-License-Identifier: MIT */
/* print_work.h - bodies of workloads and processes while they are printed. */
#ifndef PRINT_WORK_H
#define PRINT_WORK_H

#include <stdbool.h>

#include "print/parts.h"

struct print_work {
	struct print_job *job;
	struct print_text *text;
	uint32_t depth;
	const char *loops[PTOWSP_NESTING_LIMIT]; /* open ones, outermost first */
	uint32_t loop_count;
	uint32_t next_call; /* CALL row */
	const char *task;   /* the next task has this name; NULL: none */
	char task_name[256];
	struct print_divisions divisions; /* of the line at hand */
};

/* The bodies of instruction `at`, and "}". */
void print_bodies(struct print_work *work, uint32_t at);
/* "parallel_for %i in X {", its body, "}"; where the next instruction is. */
uint32_t print_loop(struct print_work *work, uint32_t at, const struct ptowsp_instruction *instruction);
/* A statement without a body: one line; where the next instruction is. */
uint32_t print_statement(struct print_work *work, uint32_t at, const struct ptowsp_instruction *instruction);
/* call @f(...) of a task; where the next instruction is. */
uint32_t print_task(struct print_work *work, uint32_t at, const struct ptowsp_instruction *instruction);
/* The name of an axis that is declared at the top: one with a list, or whose extent some entry says. AXES row. */
void print_axis_name(const struct print_job *job, struct print_text *text, uint32_t row);
/* The same axis as its declaration says it, without a list: "dense(0, %n, 1)". */
void print_axis(struct print_work *work, uint32_t row);

/* --- pieces of a line --- */
void print_line(struct print_work *work);                  /* begins it */
void print_line_end(struct print_work *work, uint32_t at); /* with the position of instruction `at`, PTOWSP_NONE: none */
void print_expr(struct print_work *work, uint32_t row);
/* %T */
void print_tensor(struct print_work *work, uint32_t tensor);
/* "[row, column", EXPR rows: the bracket is open. */
void print_place_at(struct print_work *work, uint32_t tensor, uint32_t row, uint32_t column);
/* " as f32" where a region is read as another type. */
void print_view(struct print_work *work, const struct ptowsp_region_record *region);
/* %T[row, column : rows, columns]; the size is left out where it is what the reader expects. */
void print_part(struct print_work *work, uint32_t region, uint32_t rows, uint32_t columns);
/* The same where a run may decide how many of its rows and columns are there: EXPR rows, PTOWSP_NONE where all are. */
void print_part_open(struct print_work *work, uint32_t region, uint32_t rows, uint32_t columns, const uint32_t extents[2]);
/* An argument of that type. */
void print_argument(struct print_work *work, uint32_t row, unsigned dtype);
/* Is the expression that number? */
bool print_is_number(const struct print_job *job, uint32_t row, int64_t value);

/* The instruction that a TARGET names, or a word's row. */
uint32_t print_target(const struct print_work *work, uint32_t at);
/* Row of the kernel that an operand names. */
uint32_t print_kernel_row(const struct print_job *job, uint32_t index);

#endif
