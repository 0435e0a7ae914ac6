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

void common_arena_init(struct common_arena *arena, size_t limit, jmp_buf *out)
{
	memset(arena, 0, sizeof(*arena));
	arena->limit = limit;
	arena->out = out;
}

void common_arena_finish(struct common_arena *arena)
{
	while (arena->chunks) {
		struct common_chunk *next = arena->chunks->next;

		free(arena->chunks);
		arena->chunks = next;
	}
}

static struct common_chunk *chunk_add(struct common_arena *arena, size_t size)
{
	size_t room = size > CHUNK_BYTES / 4 ? size : CHUNK_BYTES;
	struct common_chunk *chunk = NULL;

	arena->full = room > arena->limit - arena->taken;
	if (!arena->full)
		chunk = calloc(1, sizeof(*chunk) + room);
	if (!chunk)
		longjmp(*arena->out, 1);
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

	if (size > SIZE_MAX / 4) {
		arena->full = 1;
		longjmp(*arena->out, 1);
	}
	size = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	if (!chunk || chunk->size - chunk->used < size)
		chunk = chunk_add(arena, size);
	piece = chunk->bytes + chunk->used;
	chunk->used += size;
	return piece;
}

char *common_copy(struct common_arena *arena, const char *text, size_t length)
{
	char *copy = common_alloc(arena, length + 1);

	memcpy(copy, text, length);
	return copy;
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
	vsnprintf(text, (size_t)length + 1, format, args);
	va_end(args);
	return text;
}

void *common_room(struct common_arena *arena, void *array, uint32_t count, uint32_t *capacity, size_t size)
{
	void *larger;

	if (count < *capacity)
		return array;
	if (*capacity > UINT32_MAX / 2) {
		arena->full = 1;
		longjmp(*arena->out, 1);
	}
	*capacity = *capacity ? *capacity * 2 : 8;
	larger = common_alloc(arena, *capacity * size);
	if (count)
		memcpy(larger, array, count * size);
	return larger;
}
