/* SPDX-License-Identifier: MIT */
/* lang_arena.h - memory of one compilation: taken piece by piece, given back at once. */
#ifndef LANG_ARENA_H
#define LANG_ARENA_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

/* One thread at a time. When memory runs out, the arena leaves by longjmp to `out`: a compilation holds nothing but its
 * arenas, so that leaving from any depth leaks nothing, and no caller below has a failure to pass on. */
struct lang_arena {
	struct lang_chunk *chunks; /* owned, newest first */
	jmp_buf *out;              /* set by the owner before the first allocation */
	size_t limit;              /* bytes this arena may take in all */
	size_t taken;
	int full;                  /* it left because of the limit; 0: because there was no memory */
};

void lang_arena_init(struct lang_arena *arena, size_t limit, jmp_buf *out);
void lang_arena_finish(struct lang_arena *arena);
/* Zeroed, aligned for any type; never NULL. */
void *lang_alloc(struct lang_arena *arena, size_t size);
/* NUL-terminated copy of length bytes. */
char *lang_copy(struct lang_arena *arena, const char *text, size_t length);
/* The same, with "_" for control characters and for bytes that are no UTF-8: texts of a package are clean. */
char *lang_clean(struct lang_arena *arena, const char *text, size_t length);
/* 1: of the text nothing would be replaced so, but tabs and newlines, which a package may have, too. */
int lang_is_clean(const char *text, size_t length);
char *lang_format(struct lang_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Makes room for one more element of an array of `count` elements (the old one stays in the arena until the end). */
void *lang_room(struct lang_arena *arena, void *array, uint32_t count, uint32_t *capacity, size_t size);
#define LANG_PUSH(arena, array, count, capacity)                                                                       \
	((array) = lang_room((arena), (array), (count), &(capacity), sizeof(*(array))), &(array)[(count)++])

#endif
