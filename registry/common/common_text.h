/* SPDX-License-Identifier: MIT */
/* common_text.h - text that grows, for all folders: pieces by format, and names that others chose as strings of JSON.
 * A failed allocation is remembered, and what is added behind it is lost; so a text is looked at once, at its end. A text belongs to one thread. */
#ifndef REGISTRY_COMMON_COMMON_TEXT_H
#define REGISTRY_COMMON_COMMON_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Zero is an empty text. */
struct common_text {
	char *bytes;         /* owned, malloc'd, ends with a 0; NULL: nothing was added */
	size_t length, room; /* bytes without the 0, and allocated */
	bool failed;         /* memory ran out */
};
/* Frees the bytes; the text is empty then. */
void common_text_finish(struct common_text *text);
void common_text_add(struct common_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void common_text_add_list(struct common_text *text, const char *format, va_list list);
void common_text_put(struct common_text *text, const char *string);
void common_text_bytes(struct common_text *text, const char *bytes, size_t length);
/* The text so far, "" for an empty one. Borrowed until the next call. */
const char *common_text_view(const struct common_text *text);

/* A name as part of a comment of C: at most 200 bytes of it, and nothing that ends the comment or its line. */
void common_text_comment(struct common_text *text, const char *name);
/* A name as a string of JSON, quotes included (RFC 8259); bytes that are no UTF-8 become '?'. */
void common_text_json(struct common_text *text, const char *name);
/* Bytes of the UTF-8 character that a string begins with, 1 to 4 (0 ends a string, and is 1); 0: it is none, or half of a surrogate pair, or beyond U+10FFFF (RFC 3629). */
size_t common_text_character(const char *string);

#endif
