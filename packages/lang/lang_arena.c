/* SPDX-License-Identifier: MIT */
#include "lang/lang_arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES 65536u

struct lang_chunk {
	struct lang_chunk *next;
	size_t used, size;
	alignas(max_align_t) unsigned char bytes[];
};

void lang_arena_init(struct lang_arena *arena, size_t limit, jmp_buf *out)
{
	memset(arena, 0, sizeof(*arena));
	arena->limit = limit;
	arena->out = out;
}

void lang_arena_finish(struct lang_arena *arena)
{
	while (arena->chunks) {
		struct lang_chunk *next = arena->chunks->next;

		free(arena->chunks);
		arena->chunks = next;
	}
}

static struct lang_chunk *chunk_add(struct lang_arena *arena, size_t size)
{
	size_t room = size > CHUNK_BYTES / 4 ? size : CHUNK_BYTES;
	struct lang_chunk *chunk = NULL;

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

void *lang_alloc(struct lang_arena *arena, size_t size)
{
	struct lang_chunk *chunk = arena->chunks;
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

char *lang_copy(struct lang_arena *arena, const char *text, size_t length)
{
	char *copy = lang_alloc(arena, length + 1);

	memcpy(copy, text, length);
	return copy;
}

/* Bytes of the character at text if it is one that text may hold, else 0. */
static size_t character_length(const unsigned char *text, size_t length)
{
	size_t size = *text < 0x80 ? 1 : *text >= 0xC2 && *text < 0xE0 ? 2 : *text >= 0xE0 && *text < 0xF0 ? 3
		      : *text >= 0xF0 && *text < 0xF5 ? 4 : 0;

	if (!size || size > length || *text < 32 || *text == 127)
		return 0;
	for (size_t i = 1; i < size; i++)
		if ((text[i] & 0xC0) != 0x80)
			return 0;
	/* Longer than needed, surrogates, beyond U+10FFFF; C1 control characters. */
	if ((*text == 0xE0 && text[1] < 0xA0) || (*text == 0xED && text[1] > 0x9F) || (*text == 0xF0 && text[1] < 0x90) ||
	    (*text == 0xF4 && text[1] > 0x8F) || (*text == 0xC2 && text[1] < 0xA0))
		return 0;
	return size;
}

char *lang_clean(struct lang_arena *arena, const char *text, size_t length)
{
	char *copy = lang_copy(arena, text, length);

	for (size_t at = 0; at < length;) {
		size_t size = character_length((const unsigned char *)text + at, length - at);

		if (!size)
			copy[at] = '_';
		at += size ? size : 1;
	}
	return copy;
}

int lang_is_clean(const char *text, size_t length)
{
	for (size_t at = 0, size; at < length; at += size) {
		size = text[at] == '\t' || text[at] == '\n' ? 1 : character_length((const unsigned char *)text + at, length - at);
		if (!size)
			return 0;
	}
	return 1;
}

char *lang_format(struct lang_arena *arena, const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	assert(length >= 0);
	text = lang_alloc(arena, (size_t)length + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)length + 1, format, args);
	va_end(args);
	return text;
}

void *lang_room(struct lang_arena *arena, void *array, uint32_t count, uint32_t *capacity, size_t size)
{
	void *larger;

	if (count < *capacity)
		return array;
	if (*capacity > UINT32_MAX / 2) {
		arena->full = 1;
		longjmp(*arena->out, 1);
	}
	*capacity = *capacity ? *capacity * 2 : 8;
	larger = lang_alloc(arena, *capacity * size);
	if (count)
		memcpy(larger, array, count * size);
	return larger;
}
