/* SPDX-License-Identifier: MIT */
/* common_arena.h - memory of one compilation: taken piece by piece, given back at once. */
#ifndef REGISTRY_COMMON_COMMON_ARENA_H
#define REGISTRY_COMMON_COMMON_ARENA_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

/* One thread at a time. When memory runs out, the arena leaves by longjmp to `out`: a job that holds nothing but its
 * arenas leaks nothing when it is left from any depth, and no caller below has a failure to pass on. */
struct common_arena {
	struct common_chunk *chunks; /* owned, newest first */
	jmp_buf *out;                /* set by the owner before the first allocation */
	size_t limit;                /* bytes this arena may take in all */
	size_t taken;
	int full; /* it left because of the limit; 0: because there was no memory */
};

void common_arena_init(struct common_arena *arena, size_t limit, jmp_buf *out);
void common_arena_finish(struct common_arena *arena);
/* Zeroed, aligned for any type; never NULL. */
void *common_alloc(struct common_arena *arena, size_t size);
/* NUL-terminated copy of length bytes. */
char *common_copy(struct common_arena *arena, const char *text, size_t length);
/* NUL-terminated text. */
char *common_format(struct common_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Makes room for one more element of an array of `count` elements (the old one stays in the arena until the end). */
void *common_room(struct common_arena *arena, void *array, uint32_t count, uint32_t *capacity, size_t size);
#define COMMON_PUSH(arena, array, count, capacity) ((array) = common_room((arena), (array), (count), &(capacity), sizeof(*(array))), &(array)[(count)++])

#endif
