/* SPDX-License-Identifier: MIT */
/* schedule_print.h - rows of SCHD as the source writes them. */
#ifndef LANG_SCHEDULE_PRINT_H
#define LANG_SCHEDULE_PRINT_H

#include "format/format_package.h"
#include "registry/text.h"

/* One directive, without a line end: "task_window 8192 tasks stall". 0 if the source has no words for the row. */
int lang_directive_print(const struct pkg_tables *tables, uint32_t row, struct reg_text *text);
/* The whole block, with its line ends; nothing where there is no row. 0 if some row cannot be written: *row_out is the first. */
int lang_schedule_print(const struct pkg_tables *tables, struct reg_text *text, uint32_t *row_out);

#endif
