/* SPDX-License-Identifier: MIT */
#include "aie/aie_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void aie_text_finish(struct aie_text *text)
{
	free(text->bytes);
	*text = (struct aie_text){0};
}

void aie_text_bytes(struct aie_text *text, const char *bytes, size_t length)
{
	const size_t need = text->length + length + 1;

	if (text->failed)
		return;
	if (need > text->room) {
		const size_t room = need > 2 * text->room ? need + 256 : 2 * text->room;
		char *more = realloc(text->bytes, room);

		if (!more) {
			text->failed = true;
			return;
		}
		text->bytes = more;
		text->room = room;
	}
	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
	text->bytes[text->length] = '\0';
}

void aie_text_put(struct aie_text *text, const char *string)
{
	aie_text_bytes(text, string, strlen(string));
}

void aie_text_add(struct aie_text *text, const char *format, ...)
{
	char line[512];
	va_list list;
	int length;

	va_start(list, format);
	length = vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	if (length >= 0 && (size_t)length < sizeof(line)) {
		aie_text_bytes(text, line, (size_t)length);
	} else if (length > 0) {
		char *longer = malloc((size_t)length + 1);

		va_start(list, format);
		if (longer)
			vsnprintf(longer, (size_t)length + 1, format, list);
		va_end(list);
		if (longer)
			aie_text_bytes(text, longer, (size_t)length);
		else
			text->failed = true;
		free(longer);
	}
}
