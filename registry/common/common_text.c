/* SPDX-License-Identifier: MIT */
#include "registry/common/common_text.h"

#include "registry/common/common_grow.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMENT_SHOWN = 200 }; /* bytes of a name */

void common_text_finish(struct common_text *text)
{
	free(text->bytes);
	*text = (struct common_text){0};
}

/* Room for so many more bytes and a 0. */
static bool room_make(struct common_text *text, size_t more)
{
	text->failed = text->failed || more >= SIZE_MAX / 4 || !COMMON_RESERVE(text->bytes, text->room, text->length + more + 1);
	return !text->failed;
}

void common_text_bytes(struct common_text *text, const char *bytes, size_t length)
{
	if (!room_make(text, length))
		return;
	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
	text->bytes[text->length] = '\0';
}

void common_text_put(struct common_text *text, const char *string)
{
	common_text_bytes(text, string, strlen(string));
}

void common_text_add_list(struct common_text *text, const char *format, va_list list)
{
	va_list again;
	int length;

	if (!room_make(text, 128))
		return;
	va_copy(again, list);
	length = vsnprintf(text->bytes + text->length, text->room - text->length, format, again);
	va_end(again);
	if (length > 0 && (size_t)length >= text->room - text->length) {
		text->bytes[text->length] = '\0';
		if (!room_make(text, (size_t)length))
			return;
		vsnprintf(text->bytes + text->length, (size_t)length + 1, format, list);
	}
	text->length += length > 0 ? (size_t)length : 0;
}

void common_text_add(struct common_text *text, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	common_text_add_list(text, format, list);
	va_end(list);
}

const char *common_text_view(const struct common_text *text)
{
	return text->bytes ? text->bytes : "";
}

size_t common_text_character(const char *string)
{
	const unsigned char *b = (const unsigned char *)string;
	const size_t length = b[0] < 0x80 ? 1 : b[0] >= 0xc2 && b[0] < 0xe0 ? 2 : b[0] >= 0xe0 && b[0] < 0xf0 ? 3 : b[0] >= 0xf0 && b[0] < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < length; i++)
		if ((b[i] & 0xc0) != 0x80)
			return 0;
	if ((b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xed && b[1] >= 0xa0) || (b[0] == 0xf0 && b[1] < 0x90) || (b[0] == 0xf4 && b[1] >= 0x90))
		return 0; /* longer than it need be, half of a pair, too large */
	return length;
}

void common_text_comment(struct common_text *text, const char *name)
{
	for (unsigned n = 0; *name && n < COMMENT_SHOWN; name++, n++) {
		const unsigned char c = (unsigned char)*name;

		/* No end or begin of a comment, no line that goes on, no trigraph. */
		common_text_add(text, "%c", c < ' ' || c > '~' || c == '*' || c == '/' || c == '\\' || c == '?' ? '_' : c);
	}
}

void common_text_json(struct common_text *text, const char *name)
{
	common_text_put(text, "\"");
	while (*name) {
		const size_t length = common_text_character(name);

		if (*name == '"' || *name == '\\')
			common_text_add(text, "\\%c", *name);
		else if (length == 1 && (unsigned char)*name < 0x20)
			common_text_add(text, "\\u%04x", (unsigned)*name);
		else
			common_text_bytes(text, length ? name : "?", length ? length : 1);
		name += length ? length : 1;
	}
	common_text_put(text, "\"");
}
