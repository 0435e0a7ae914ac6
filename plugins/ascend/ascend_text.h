/* SPDX-License-Identifier: MIT */
/* ascend_text.h - text that grows. A failed allocation is remembered; what is added behind it is lost. One thread. */
#ifndef ASCEND_TEXT_H
#define ASCEND_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct ascend_text {
	char *bytes;         /* owned, NUL-terminated; NULL: nothing was added */
	size_t length, room;
	bool failed;         /* memory ran out */
};
void ascend_text_finish(struct ascend_text *text);
void ascend_text_add(struct ascend_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ascend_text_add_list(struct ascend_text *text, const char *format, va_list list);
void ascend_text_add_bytes(struct ascend_text *text, const char *bytes, size_t length);
/* What was added so far, "" if nothing was. Borrowed until the next call. */
const char *ascend_text_view(const struct ascend_text *text);

/* A name of a package as part of a comment: nothing in it ends the comment or the line; and between quotes of C, quotes included. At most 200 bytes of it. */
void ascend_text_comment(struct ascend_text *text, const char *name);
void ascend_text_quote(struct ascend_text *text, const char *name);
/* All of it as a string of JSON, quotes included; bytes that are no UTF-8 become '?'. */
void ascend_text_json(struct ascend_text *text, const char *name);

#endif
