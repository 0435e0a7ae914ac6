/* SPDX-License-Identifier: MIT */
/* common_arena.h - memory that is taken piece by piece and given back at once. */
#ifndef REGISTRY_COMMON_COMMON_ARENA_H
#define REGISTRY_COMMON_COMMON_ARENA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One thread at a time. When memory runs out, an arena with a jmp_buf leaves by longjmp to it: a job that holds nothing but its arenas leaks nothing when it is left from any
 * depth, and no caller below has a failure to pass on. One without gives NULL from then on: the last piece asked for tells of all. */
struct common_arena {
	struct common_chunk *chunks; /* owned, newest first */
	jmp_buf *out;                /* set by the owner before the first allocation; NULL: pieces are NULL when there is no memory */
	size_t limit;                /* bytes this arena may take in all */
	size_t taken;
	bool full;      /* the limit was in the way */
	bool exhausted; /* no piece was there, or will be */
};

/* Does a job that is left by *out, in a frame of its own, so that variables of its caller keep what they have. False: it was left. */
bool common_job(jmp_buf *out, void (*job)(void *context), void *context);

void common_arena_init(struct common_arena *arena, size_t limit, jmp_buf *out);
void common_arena_finish(struct common_arena *arena);
/* All pieces go back; the chunk that still had room stays, so that a job like the last one asks for no memory. */
void common_arena_empty(struct common_arena *arena);
/* On the heap, without a limit and a jmp_buf. NULL: no memory. */
struct common_arena *common_arena_create(void);
void common_arena_destroy(struct common_arena *arena);
/* Zeroed, aligned for any type. NULL only without a jmp_buf. */
void *common_alloc(struct common_arena *arena, size_t size);
/* The same for count elements; more bytes than a size_t holds are more than there are. */
void *common_take(struct common_arena *arena, size_t count, size_t size);
/* The same, from the begin of a cache line of 64 bytes on. */
void *common_take_lines(struct common_arena *arena, size_t count, size_t size);
/* NUL-terminated copy of length bytes. */
char *common_copy(struct common_arena *arena, const char *text, size_t length);
/* Room for row `count` of rows that grew by this alone, one at a time: the rows, moved when count is a power of two. */
void *common_arena_grow(struct common_arena *arena, const void *rows, uint32_t count, size_t size);
/* Puts a value behind the last of `count` such rows. False: no memory, and rows and count are as they were. */
#define COMMON_ARENA_ADD(arena, rows, count, ...)                                                                                                              \
	(common_arena_more((arena), (void **)&(rows), (count), sizeof(*(rows))) && ((rows)[(count)++] = (__VA_ARGS__), true))
static inline bool common_arena_more(struct common_arena *arena, void **rows, uint32_t count, size_t size)
{
	void *more = common_arena_grow(arena, *rows, count, size);

	*rows = more ? more : *rows;
	return more != NULL;
}
/* NUL-terminated text. */
char *common_format(struct common_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Makes room for one more element of an array of `count` elements (the old one stays in the arena until the end). */
void *common_room(struct common_arena *arena, void *array, uint32_t count, uint32_t *capacity, size_t size);
#define COMMON_PUSH(arena, array, count, capacity) ((array) = common_room((arena), (array), (count), &(capacity), sizeof(*(array))), &(array)[(count)++])

#endif
