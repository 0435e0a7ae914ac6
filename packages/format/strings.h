/* SPDX-License-Identifier: MIT */
/* strings.h - the STRS section while it grows: every string once. */
#ifndef FORMAT_STRINGS_H
#define FORMAT_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offset 0 is "". A zeroed struct is an empty one. */
struct pkg_strings {
	char *bytes; /* owned, size of room in use; NULL until the first string */
	size_t size, room;
	uint32_t *index; /* owned, open addressing: offset of a string, 0 for a free place */
	size_t mask, used;
};

void pkg_strings_finish(struct pkg_strings *strings);

/* Offset of text, added if it is new. 1, or 0 without memory or beyond 4 GiB; *offset_out is then 0. */
bool pkg_strings_add(struct pkg_strings *strings, const char *text, uint32_t *offset_out);
/* Leaves out all strings from that size on; it is where one begins. */
void pkg_strings_cut(struct pkg_strings *strings, size_t size);

#endif
