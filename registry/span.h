/* SPDX-License-Identifier: MIT */
/* span.h - a part of a text: trimmed, compared, cut at commas, taken apart as word(inside). Borrowed bytes, any thread. */
#ifndef REGISTRY_SPAN_H
#define REGISTRY_SPAN_H

#include <stdbool.h>

#include "ptowsp/base.h"

struct reg_span {
	const char *at;
	size_t length;
};

/* From at to end, without the blanks at both ends. */
struct reg_span reg_span_trimmed(const char *at, const char *end);
bool reg_span_is(struct reg_span span, const char *text);
bool reg_span_is_word(struct reg_span span); /* letters, digits and underscores, a letter first */
/* For "%.*s": at most 60 bytes of it. */
int reg_span_print(struct reg_span span);
/* True if the text is word(inside), or (inside) if it is to be wordless, and its last character closes the first parenthesis. */
bool reg_span_call(struct reg_span text, struct reg_span *word_out, struct reg_span *inside_out, bool wordless);
/* The inside if parentheses enclose the whole, else the text itself. */
struct reg_span reg_span_unwrapped(struct reg_span text);
/* Appends the parts between commas (or colons) outside parentheses to parts[*count], at most `most` in all.
 * Errors: INVALID for more parts, or parentheses that do not match. */
ptowsp_status reg_span_split(struct reg_span text, struct reg_span *parts, unsigned most, unsigned *count, struct ptowsp_error *error);

#endif
