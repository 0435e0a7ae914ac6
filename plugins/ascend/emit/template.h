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

#endif
