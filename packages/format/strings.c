/* SPDX-License-Identifier: MIT */
/* strings.c - interning. */
#include "format/strings.h"

#include "ptowsp/base.h"
#include "registry/common/common_grow.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void pkg_strings_finish(struct pkg_strings *s)
{
	free(s->bytes);
	free(s->index);
	memset(s, 0, sizeof(*s));
}

/* The place of the text, or the free place where it would be. */
static size_t place_of(const struct pkg_strings *s, const char *text)
{
	size_t at = (size_t)ptowsp_id(text, strlen(text)) & s->mask;

	while (s->index[at] && strcmp(s->bytes + s->index[at], text))
		at = (at + 1) & s->mask;
	return at;
}

/* Keeps at least half of the places free. */
static bool index_grow(struct pkg_strings *s)
{
	struct pkg_strings larger = *s;

	if (s->index && s->used * 2 <= s->mask)
		return true;
	larger.mask = s->index ? s->mask * 2 + 1 : 255;
	larger.index = calloc(larger.mask + 1, sizeof(*larger.index));
	if (!larger.index)
		return false;
	for (size_t i = 0; s->index && i <= s->mask; i++)
		if (s->index[i])
			larger.index[place_of(&larger, s->bytes + s->index[i])] = s->index[i];
	free(s->index);
	*s = larger;
	return true;
}

static bool bytes_grow(struct pkg_strings *s, size_t more)
{
	if (!COMMON_RESERVE(s->bytes, s->room, s->size + more))
		return false;
	if (!s->size)
		s->bytes[s->size++] = 0;
	return true;
}

/* A text that is there already may be the pool's own, so it is looked up before the bytes move. */
bool pkg_strings_add(struct pkg_strings *s, const char *text, uint32_t *offset_out)
{
	const size_t length = strlen(text) + 1;
	size_t at;

	*offset_out = 0;
	if (!index_grow(s))
		return false;
	at = place_of(s, text);
	if (*text && s->index[at]) {
		*offset_out = s->index[at];
		return true;
	}
	if (!bytes_grow(s, length + 1))
		return false;
	if (!*text)
		return true;
	if (length > UINT32_MAX - s->size)
		return false;
	*offset_out = s->index[at] = (uint32_t)s->size;
	memcpy(s->bytes + s->size, text, length);
	s->size += length;
	s->used++;
	return true;
}

void pkg_strings_cut(struct pkg_strings *s, size_t size)
{
	if (size >= s->size)
		return;
	s->size = size;
	s->used = 0;
	memset(s->index, 0, (s->mask + 1) * sizeof(*s->index));
	for (size_t at = 1; at < size; at += strlen(s->bytes + at) + 1) {
		s->index[place_of(s, s->bytes + at)] = (uint32_t)at;
		s->used++;
	}
}
