/* SPDX-License-Identifier: MIT */
/* error.h - one sentence into the caller's error record, and the rule for structs that grow. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "ptowsp/base.h"

/* Fills *error (NULL is allowed) and returns code. Text longer than the record is cut. */
ptowsp_status base_fail(struct ptowsp_error *error, ptowsp_status code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A sentence into text; the end is cut if it does not fit. */
void base_text(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* An argument struct from the host: at least `known` bytes, and zeros beyond them. known: what is read of it, which is the 10.0 floor; not sizeof,
 * which is more in a build for a later minor. Errors: INVALID, UNKNOWN_FIELD. */
ptowsp_status base_args_check(const struct ptowsp_head *head, uint16_t type, uint32_t known, const char *what, struct ptowsp_error *error);

/* A result struct for the host: copies min(room of *result, head.size of *value) bytes, zeroes the rest of the room, and
 * leaves the caller's size in place. */
void base_result_copy(struct ptowsp_head *result, const struct ptowsp_head *value);

#endif
