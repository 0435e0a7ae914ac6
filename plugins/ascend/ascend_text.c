/* SPDX-License-Identifier: MIT */
#include "ascend/ascend_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SHOWN = 200 };

void ascend_text_finish(struct ascend_text *text)
{
	free(text->bytes);
	*text = (struct ascend_text){0};
}

static bool room_make(struct ascend_text *text, size_t more)
{
	size_t room = text->room;
	char *bytes;

	if (more > ((size_t)1 << 40))
		return !(text->failed = true);
	while (room < text->length + more + 1)
		room = room * 2 + 1024;
	if (room == text->room)
		return true;
	bytes = realloc(text->bytes, room);
	if (!bytes)
		return !(text->failed = true);
	text->bytes = bytes;
	text->room = room;
	return true;
}

void ascend_text_add_bytes(struct ascend_text *text, const char *bytes, size_t length)
{
	if (text->failed || !room_make(text, length))
		return;
	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
	text->bytes[text->length] = '\0';
}

void ascend_text_add_list(struct ascend_text *text, const char *format, va_list list)
{
	va_list again;
	int length;

	va_copy(again, list);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0 || text->failed || !room_make(text, (size_t)length))
		return;
	vsnprintf(text->bytes + text->length, (size_t)length + 1, format, list);
	text->length += (size_t)length;
}

void ascend_text_add(struct ascend_text *text, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	ascend_text_add_list(text, format, list);
	va_end(list);
}

const char *ascend_text_view(const struct ascend_text *text)
{
	return text->bytes ? text->bytes : "";
}

void ascend_text_comment(struct ascend_text *text, const char *name)
{
	for (unsigned n = 0; *name && n < NAME_SHOWN; name++, n++) {
		const unsigned char c = (unsigned char)*name;

		/* No end or begin of a comment, no line that goes on, no trigraph. */
		ascend_text_add(text, "%c", c < ' ' || c > '~' || c == '*' || c == '/' || c == '\\' || c == '?' ? '_' : c);
	}
}

void ascend_text_quote(struct ascend_text *text, const char *name)
{
	ascend_text_add(text, "\"");
	for (unsigned n = 0; *name && n < NAME_SHOWN; name++, n++) {
		const unsigned char c = (unsigned char)*name;

		if (c < ' ' || c > '~' || c == '"' || c == '\\' || c == '?')
			ascend_text_add(text, "\\%03o", c);
		else
			ascend_text_add(text, "%c", c);
	}
	ascend_text_add(text, "\"");
}

/* Bytes of the UTF-8 character there, 0: it is none. */
static unsigned character(const unsigned char *at)
{
	const unsigned bytes = *at < 0x80 ? 1 : *at >= 0xC2 && *at < 0xE0 ? 2 : *at >= 0xE0 && *at < 0xF0 ? 3 : *at >= 0xF0 && *at < 0xF5 ? 4 : 0;

	for (unsigned i = 1; i < bytes; i++)
		if ((at[i] & 0xC0) != 0x80)
			return 0;
	return bytes;
}

void ascend_text_json(struct ascend_text *text, const char *name)
{
	ascend_text_add(text, "\"");
	while (*name) {
		const unsigned bytes = character((const unsigned char *)name);

		if (!bytes)
			ascend_text_add(text, "?");
		else if ((unsigned char)*name < ' ' || *name == '"' || *name == '\\')
			ascend_text_add(text, "\\u%04x", (unsigned)(unsigned char)*name);
		else
			ascend_text_add_bytes(text, name, bytes);
		name += bytes ? bytes : 1;
	}
	ascend_text_add(text, "\"");
}
