/* SPDX-License-Identifier: MIT */
/* text_name.c - names that others chose, in text that has rules. */
#include <stdint.h>
#include <string.h>

#include "aie/aie_text.h"

/* Bytes of the character that a text begins with; 0: it is no UTF-8, or beyond Unicode. */
static size_t character(const char *bytes)
{
	const unsigned char *b = (const unsigned char *)bytes;
	const size_t length = b[0] < 0x80 ? 1 : b[0] >= 0xc2 && b[0] < 0xe0 ? 2 : b[0] >= 0xe0 && b[0] < 0xf0 ? 3 : b[0] >= 0xf0 && b[0] < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < length; i++)
		if ((b[i] & 0xc0) != 0x80)
			return 0;
	if ((b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xed && b[1] >= 0xa0) || (b[0] == 0xf0 && b[1] < 0x90) || (b[0] == 0xf4 && b[1] >= 0x90))
		return 0; /* longer than it need be, half of a pair, too large */
	return length;
}

void aie_text_json(struct aie_text *text, const char *name)
{
	aie_text_put(text, "\"");
	while (*name) {
		const size_t length = character(name);

		if (*name == '"' || *name == '\\')
			aie_text_add(text, "\\%c", *name);
		else if (length == 1 && (unsigned char)*name < 0x20)
			aie_text_add(text, "\\u%04x", (unsigned)*name);
		else
			aie_text_bytes(text, length ? name : "?", length ? length : 1);
		name += length ? length : 1;
	}
	aie_text_put(text, "\"");
}

void aie_text_xml_short(struct aie_text *text, const char *name, size_t bytes)
{
	const bool whole = strlen(name) <= bytes;
	size_t at = 0;

	while (name[at]) {
		const size_t length = character(name + at);

		if (!whole && at + length + 3 > bytes) {
			aie_text_put(text, "...");
			return;
		}
		if (name[at] == '&')
			aie_text_put(text, "&amp;");
		else if (name[at] == '<')
			aie_text_put(text, "&lt;");
		else if (name[at] == '>')
			aie_text_put(text, "&gt;");
		else if (name[at] == '"')
			aie_text_put(text, "&quot;");
		else if (length && (length > 1 || (unsigned char)name[at] >= 0x20) && strncmp(name + at, "\xef\xbf\xbe", 3) && strncmp(name + at, "\xef\xbf\xbf", 3))
			aie_text_bytes(text, name + at, length);
		else
			aie_text_put(text, "?");
		at += length ? length : 1;
	}
}

void aie_text_xml(struct aie_text *text, const char *name)
{
	aie_text_xml_short(text, name, SIZE_MAX);
}
