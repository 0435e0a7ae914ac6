/* SPDX-License-Identifier: MIT */
/* fail.h - one sentence into the caller's error record. */
#ifndef FORMAT_FAIL_H
#define FORMAT_FAIL_H

#include "ptowsp/base.h"

/* Fills error (NULL is allowed) and returns code. Text that is too long is cut at a character; control characters
 * become '?', because parts of the text may come from a file. */
ptowsp_status pkg_fail(struct ptowsp_error *error, ptowsp_status code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* IO, or NO_MEMORY where descriptors or memory are what lacks: "path sentence: what errno says"; of a long path only the end is shown, so that the reason is not cut off. */
ptowsp_status pkg_fail_errno(struct ptowsp_error *error, const char *path, const char *sentence);

/* The advice for bytes that are not those that were packed: the end of such a sentence. */
#define PKG_AGAIN "; copy or pack it again"

/* The table and file that a message is about. */
struct pkg_place {
	const char *file; /* for messages */
	struct ptowsp_error *error;
};

/* BAD_PACKAGE with "file: " before the sentence; of a long file name only the end is shown. */
ptowsp_status pkg_refuse(const struct pkg_place *place, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A condition that does not hold leaves the function: BAD_PACKAGE with the sentence. */
#define PKG_MUST(place, condition, ...)                                                                                                                        \
	do {                                                                                                                                                   \
		if (!(condition))                                                                                                                              \
			return pkg_refuse(place, __VA_ARGS__);                                                                                                 \
	} while (0)

#endif
