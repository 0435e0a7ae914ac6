/* SPDX-License-Identifier: MIT */
/* template.h - texts with holes, filled. Two things are special in a template, everything else is copied as it is:
 *
 *   ${name}            the text of that field; what is put in is not looked at again. $${ stands for ${ itself
 *   //%each name       the lines up to //%end once per row of that list, whose fields come before those around it
 *   //%if name         the lines up to //%else or //%end if the field is not empty, or the list has rows; those from //%else on if not
 *
 * A line with //%word, or #%word in files where that begins a comment, with blanks before it at most, is taken out itself. Blocks nest 16 deep. The values are
 * untrusted, the template is ours: a name that is not there or a block without end is INVALID and names the line. One thread. */
#ifndef ASCEND_TEMPLATE_H
#define ASCEND_TEMPLATE_H

#include "ptowsp/run.h"
#include "registry/common/common_text.h"
#include <stdint.h>

enum { ASCEND_TEMPLATE_DEPTH = 16 };

struct ascend_scope;
struct ascend_field {
	const char *name, *text; /* borrowed; text not NULL */
};
struct ascend_list {
	const char *name;
	const struct ascend_scope *rows; /* borrowed */
	uint32_t count;
};
/* Values of names; of equal names the first one. */
struct ascend_scope {
	const struct ascend_field *fields;
	const struct ascend_list *lists;
	uint32_t field_count, list_count;
};
/* Adds the filled template to *out. file: for messages. Errors: INVALID, NO_MEMORY; *out then has what came before. */
ptowsp_status ascend_template_fill(const char *template, const char *file, const struct ascend_scope *scope, struct common_text *out,
				   struct ptowsp_error *error);

/* Rows of a list that a template repeats a part for: fields by name, their texts owned. One thread. */
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
