/* SPDX-License-Identifier: MIT */
#include "registry/common/common_arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES 65536u

struct common_chunk {
	struct common_chunk *next;
	size_t used, size;
	alignas(max_align_t) unsigned char bytes[];
};

bool common_job(jmp_buf *out, void (*job)(void *context), void *context)
{
	if (setjmp(*out))
		return false;
	job(context);
	return true;
}

void common_arena_init(struct common_arena *arena, size_t limit, jmp_buf *out)
{
	memset(arena, 0, sizeof(*arena));
	arena->limit = limit;
	arena->out = out;
}

struct common_arena *common_arena_create(void)
{
	struct common_arena *arena = malloc(sizeof(*arena));

	if (arena)
		common_arena_init(arena, SIZE_MAX, NULL);
	return arena;
}

void common_arena_destroy(struct common_arena *arena)
{
	if (arena)
		common_arena_finish(arena);
	free(arena);
}

void common_arena_finish(struct common_arena *arena)
{
	while (arena->chunks) {
		struct common_chunk *next = arena->chunks->next;

		free(arena->chunks);
		arena->chunks = next;
	}
}

void common_arena_empty(struct common_arena *arena)
{
	struct common_chunk *kept = arena->chunks;

	if (!kept)
		return;
	arena->chunks = kept->next;
	common_arena_finish(arena);
	memset(kept->bytes, 0, kept->used);
	kept->used = 0;
	kept->next = NULL;
	arena->chunks = kept;
	arena->taken = kept->size;
	arena->full = arena->exhausted = false;
}

static void *leave(struct common_arena *arena, bool full)
{
	arena->full |= full;
	arena->exhausted = !arena->out;
	if (arena->out)
		longjmp(*arena->out, 1);
	return NULL;
}

static struct common_chunk *chunk_add(struct common_arena *arena, size_t size)
{
	size_t room = size > CHUNK_BYTES / 4 ? size : CHUNK_BYTES;
	const bool full = room > arena->limit - arena->taken;
	struct common_chunk *chunk = full ? NULL : calloc(1, sizeof(*chunk) + room);

	if (!chunk)
		return leave(arena, full);
	arena->taken += room;
	chunk->size = room;
	/* A large piece has a chunk of its own, behind the one that still has room. */
	if (room == size && arena->chunks) {
		chunk->next = arena->chunks->next;
		arena->chunks->next = chunk;
	} else {
		chunk->next = arena->chunks;
		arena->chunks = chunk;
	}
	return chunk;
}

void *common_alloc(struct common_arena *arena, size_t size)
{
	struct common_chunk *chunk = arena->chunks;
	void *piece;

	if (arena->exhausted || size > SIZE_MAX / 4)
		return leave(arena, size > SIZE_MAX / 4);
	size = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	if (!chunk || chunk->size - chunk->used < size)
		chunk = chunk_add(arena, size);
	if (!chunk)
		return NULL;
	piece = chunk->bytes + chunk->used;
	chunk->used += size;
	return piece;
}

void *common_take(struct common_arena *arena, size_t count, size_t size)
{
	return size && count > SIZE_MAX / size ? leave(arena, true) : common_alloc(arena, count * size);
}

void *common_take_lines(struct common_arena *arena, size_t count, size_t size)
{
	const size_t line = 64;
	char *piece = size && count > (SIZE_MAX - line) / size ? leave(arena, true) : common_alloc(arena, count * size + line - 1);

	return piece ? piece + (0 - (uintptr_t)piece) % line : NULL;
}

char *common_copy(struct common_arena *arena, const char *text, size_t length)
{
	char *copy = common_alloc(arena, length + 1);

	if (copy && length)
		memcpy(copy, text, length);
	return copy;
}

void *common_arena_grow(struct common_arena *arena, const void *rows, uint32_t count, size_t size)
{
	void *more;

	if (count & (count - 1))
		return (void *)(uintptr_t)rows;
	more = common_take(arena, count ? 2 * (size_t)count : 1, size);
	if (more && count)
		memcpy(more, rows, count * size);
	return more;
}

char *common_format(struct common_arena *arena, const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	assert(length >= 0);
	text = common_alloc(arena, (size_t)length + 1);
	va_start(args, format);
	if (text)
		vsnprintf(text, (size_t)length + 1, format, args);
	va_end(args);
	return text;
}

void *common_room(struct common_arena *arena, void *array, uint32_t count, uint32_t *capacity, size_t size)
{
	void *larger;

	if (count < *capacity)
		return array;
	if (*capacity > UINT32_MAX / 2)
		return leave(arena, true);
	*capacity = *capacity ? *capacity * 2 : 8;
	larger = common_take(arena, *capacity, size);
	if (larger && count)
		memcpy(larger, array, count * size);
	return larger;
}
