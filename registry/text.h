/* SPDX-License-Identifier: MIT */
/* text.h - sentences of bounded length: errors, and lists of known names with the nearest first. */
#ifndef REGISTRY_TEXT_H
#define REGISTRY_TEXT_H

#include <stdbool.h>

#include "ptowsp/base.h"

/* Text being written into someone else's memory: always NUL-terminated, cut instead of overflowing.
 * Invariant: length < room. One thread at a time. */
struct reg_text {
	char *at;
	size_t room, length;
};

/* memory: room bytes, room >= 1. */
void reg_text_init(struct reg_text *text, char *memory, size_t room);
void reg_text_add(struct reg_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds the names, nearest to `wanted` (by edit distance) first, separated by ", "; "and N more" for those that no
 * longer fit. Says "none" for an empty list. Source order decides ties. */
void reg_text_add_nearest(struct reg_text *text, const char *wanted, const char *const *names, uint32_t count);

/* "[32, 16]", cut at the room; returns memory, at least 1 byte of room. */
const char *reg_shape_text(const uint64_t *extents, uint32_t rank, char *memory, size_t room);

/* Text of packages, plugins and files where a terminal or a source gets it: puts `with` in place of every character of C0 (line ends and tabs too), DEL and C1, every one that
 * ends a line or turns the direction of writing, and every byte that is no UTF-8. In place; the text gets no longer. Any thread. */
void reg_text_plain(char *text, char with);
/* Has the text none of them? */
bool reg_text_is_plain(const char *text);

/* Writes the sentence into *error (NULL allowed) and returns status. Sets every field of the record. Any thread. */
ptowsp_status reg_fail(struct ptowsp_error *error, ptowsp_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* reg_fail for an unknown name: "<what> is unknown; known: ..." with the nearest first. */
ptowsp_status reg_fail_unknown(struct ptowsp_error *error, ptowsp_status status, const char *what, const char *wanted, const char *const *names,
			       uint32_t count);

#endif
