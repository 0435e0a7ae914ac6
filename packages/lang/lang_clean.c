/* SPDX-License-Identifier: MIT */
#include "lang/lang_clean.h"

#include <stdbool.h>

#include "registry/common/common_text.h"

/* Bytes of the character at text, 0: it is none, or a control character (C0, DEL, C1). */
static size_t character_length(const char *text)
{
	const unsigned char *b = (const unsigned char *)text;

	return b[0] < 32 || b[0] == 127 || (b[0] == 0xC2 && b[1] < 0xA0) ? 0 : common_text_character(text);
}

char *lang_clean(struct common_arena *arena, const char *text, size_t length)
{
	char *copy = common_copy(arena, text, length);

	for (size_t at = 0; at < length;) {
		size_t size = character_length(copy + at);

		if (!size)
			copy[at] = '_';
		at += size ? size : 1;
	}
	return copy;
}

bool lang_is_clean(const char *text)
{
	while (*text) {
		size_t size = *text == '\t' || *text == '\n' ? 1 : character_length(text);

		if (!size)
			return false;
		text += size;
	}
	return true;
}
