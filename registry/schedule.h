/* SPDX-License-Identifier: MIT */
/* schedule.h - schedule directives as people type them, KEY=VALUE, turned into rows of the SCHD table.
 *
 * VALUE is a number, a word, or word(argument, ...): dispatch=round_robin(4), task_window=64, task_window=abort(64),
 * pipeline_depth=stream(2), dispatch=hash(i * 4 + j, 8), spatial_map=4,4. Which words and arguments a directive takes
 * is policy.def and arguments.def. */
#ifndef REGISTRY_SCHEDULE_H
#define REGISTRY_SCHEDULE_H

#include "registry/expression.h"
#include "registry/names.h"

/* Directives with the strings and expressions that they refer to; at most one row per directive (and domain of
 * pipeline_depth), the latest.
 * Init gives the places where the extra rows and strings will be appended to the package's. One thread at a time. */
struct reg_schedule {
	struct ptowsp_directive_record rows[32];
	uint32_t count;
	struct reg_rows expressions;
	char *strings; /* owned, NUL-terminated texts one after the other */
	size_t string_room;
	uint32_t string_bytes, string_base;
};

void reg_schedule_init(struct reg_schedule *schedule, uint32_t string_base, uint32_t expression_base);
void reg_schedule_finish(struct reg_schedule *schedule);
/* Parses one KEY=VALUE. Errors: INVALID for an unknown key or word (lists the known ones, the nearest first), a wrong
 * number of arguments, 0 for a depth or an executor count; NO_MEMORY. The schedule is unchanged after an error. */
ptowsp_status reg_schedule_add(struct reg_schedule *schedule, const char *text, const struct reg_scope *scope, struct ptowsp_error *error);

/* Depths of different domains, capacities of different channels and layouts of different tensors stand side by side: the STRS offset of the domain,
 * channel or tensor, 0 for what is about everything. */
int64_t reg_directive_subject(const struct ptowsp_directive_record *row);
/* The later of two such rows rules: the same directive on the same subject, or both say where tasks go. Equal words have one offset. */
bool reg_directive_replaces(const struct ptowsp_directive_record *a, const struct ptowsp_directive_record *b);
/* i-th argument and its kind of a row. */
int64_t reg_directive_argument(const struct ptowsp_directive_record *row, unsigned i);
unsigned reg_directive_argument_kind(const struct ptowsp_directive_record *row, unsigned i);
/* Writes a row the way it is typed. tables: what the row refers to. Rows from a package: any directive, policy and count is fine. */
void reg_directive_print(const struct ptowsp_directive_record *row, const struct reg_expression_tables *tables, struct reg_text *text);

#endif
