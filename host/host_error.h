/* SPDX-License-Identifier: MIT */
/* host_error.h - one sentence into a caller-owned error record. */
#ifndef HOST_ERROR_H
#define HOST_ERROR_H

#include "registry/text.h"

/* Fills *error (NULL allowed) and returns status, so that a caller can write `return host_fail(error, ...)`. */
#define host_fail reg_fail

/* Edges of the embedding API: enter gives a record to write into where the caller passed none, leave keeps the
 * sentence of a failure for ptowsp_last_error and makes one line of it, whoever wrote it. Any thread. */
struct ptowsp_error *host_error_enter(struct ptowsp_error *error);
ptowsp_status host_error_leave(ptowsp_status status, struct ptowsp_error *error);

/* Text that a plugin wrote, as one line: with an end in its `room` bytes, and blanks for what is more than text (reg_text_plain). Blanks alone say
 * nothing and are an empty line. */
void host_line(char *text, size_t room);

#endif
