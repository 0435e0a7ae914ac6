/* SPDX-License-Identifier: MIT */
/* expr_print.h - rows of EXPR as the source writes expressions. */
#ifndef LANG_EXPR_PRINT_H
#define LANG_EXPR_PRINT_H

#include <stdbool.h>

#include "format/format_package.h"
#include "registry/expression.h"
#include "registry/text.h"

/* The tables that reg_expression_print reads of a package. All is borrowed. */
struct reg_expression_tables lang_expr_tables(const struct pkg_tables *tables, const char *const *loops, uint32_t loop_count);
/* Row `row` with as few parentheses as give the same row again. loops: names of the loops around, without their sign, the outermost first.
 * 0 if the source has no words for it: a loop that has no name here, a name that the source cannot write, text without room. */
bool lang_expr_print(const struct pkg_tables *tables, uint32_t row, const char *const *loops, uint32_t loop_count, struct reg_text *text);
/* The name of a task whose number the packer keeps in a slot of that name; 0: it is none. */
bool lang_task_name(const char *slot, char *name, size_t size);
/* 1 if the source can write the name behind a sign. */
bool lang_name_is_plain(const char *name);

#endif
