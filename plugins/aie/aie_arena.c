/* SPDX-License-Identifier: MIT */
#include "aie/aie_arena.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 32768, ALIGN = 16 };

struct chunk {
	struct chunk *next;
	size_t used, room;
};
struct aie_arena {
	struct chunk *chunks;
	bool exhausted;
};
enum { HEAD = (sizeof(struct chunk) + ALIGN - 1) / ALIGN * ALIGN };

struct aie_arena *aie_arena_create(void)
{
	return calloc(1, sizeof(struct aie_arena));
}

void aie_arena_destroy(struct aie_arena *arena)
{
	struct chunk *next;

	if (!arena)
		return;
	for (struct chunk *chunk = arena->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	free(arena);
}

static struct chunk *chunk_add(struct aie_arena *arena, size_t bytes)
{
	const size_t room = bytes > CHUNK ? bytes : CHUNK;
	struct chunk *chunk = calloc(1, HEAD + room);

	if (!chunk)
		return NULL;
	chunk->room = room;
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	return chunk;
}

void *aie_arena_take(struct aie_arena *arena, size_t count, size_t size)
{
	struct chunk *chunk = arena->chunks;
	size_t bytes;
	void *result;

	arena->exhausted |= size && count > (SIZE_MAX - HEAD - ALIGN) / size;
	if (arena->exhausted)
		return NULL;
	bytes = (count * size + ALIGN - 1) / ALIGN * ALIGN;
	if (!bytes)
		bytes = ALIGN;
	if (!chunk || chunk->room - chunk->used < bytes)
		chunk = chunk_add(arena, bytes);
	arena->exhausted = !chunk;
	if (!chunk)
		return NULL;
	result = (char *)chunk + HEAD + chunk->used;
	chunk->used += bytes;
	return result;
}

char *aie_arena_copy(struct aie_arena *arena, const char *bytes, size_t length)
{
	char *copy = aie_arena_take(arena, length + 1, 1);

	if (copy && length)
		memcpy(copy, bytes, length);
	return copy;
}

void *aie_arena_grow(struct aie_arena *arena, const void *rows, uint32_t count, size_t size)
{
	void *more;

	if (count & (count - 1))
		return (void *)(uintptr_t)rows;
	more = aie_arena_take(arena, count ? 2 * (size_t)count : 1, size);
	if (more && count)
		memcpy(more, rows, count * size);
	return more;
}
