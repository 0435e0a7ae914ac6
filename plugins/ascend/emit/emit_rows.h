/* SPDX-License-Identifier: MIT */
/* emit_rows.h - rows of a list that a template repeats a part for: fields by name, their texts owned. One thread. */
#ifndef ASCEND_EMIT_ROWS_H
#define ASCEND_EMIT_ROWS_H

#include "ascend/emit/template.h"

enum { ASCEND_ROW_FIELDS = 14, ASCEND_ROW_LISTS = 2 }; /* of a row, at most; more are left out */
struct ascend_rows {
	struct ascend_scope *scopes; /* owned */
	struct ascend_field *fields; /* owned, ASCEND_ROW_FIELDS per row */
	struct ascend_list *lists;   /* owned, ASCEND_ROW_LISTS per row, for lists inside of it */
	uint32_t count, room;
	bool failed; /* no memory: the rows are not all there */
};
void ascend_rows_init(struct ascend_rows *rows, uint32_t room);
void ascend_rows_finish(struct ascend_rows *rows); /* of zeroed ones, too */
/* A new row; no more than room. Fields go to the latest one; name: borrowed. */
void ascend_row_add(struct ascend_rows *rows);
void ascend_row_field(struct ascend_rows *rows, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* `before`, then text that cannot leave the comment that it stands in. */
void ascend_row_comment(struct ascend_rows *rows, const char *name, const char *before, const char *text);
/* A list inside of the latest row; borrows `inner`. */
void ascend_row_list(struct ascend_rows *rows, const char *name, const struct ascend_rows *inner);
/* As a list of that name for templates; borrows the rows. */
struct ascend_list ascend_rows_list(const char *name, const struct ascend_rows *rows);

#endif
