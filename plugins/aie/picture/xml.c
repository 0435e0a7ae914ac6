/* SPDX-License-Identifier: MIT */
#include "aie/picture/xml.h"

#include <stdint.h>
#include <string.h>

void aie_xml_add_short(struct common_text *text, const char *name, size_t bytes)
{
	const bool whole = strlen(name) <= bytes;
	size_t at = 0;

	while (name[at]) {
		const size_t length = common_text_character(name + at);

		if (!whole && at + length + 3 > bytes) {
			common_text_put(text, "...");
			return;
		}
		if (name[at] == '&')
			common_text_put(text, "&amp;");
		else if (name[at] == '<')
			common_text_put(text, "&lt;");
		else if (name[at] == '>')
			common_text_put(text, "&gt;");
		else if (name[at] == '"')
			common_text_put(text, "&quot;");
		else if (length && (length > 1 || (unsigned char)name[at] >= 0x20) && strncmp(name + at, "\xef\xbf\xbe", 3) &&
			 strncmp(name + at, "\xef\xbf\xbf", 3))
			common_text_bytes(text, name + at, length);
		else
			common_text_put(text, "?");
		at += length ? length : 1;
	}
}

void aie_xml_add(struct common_text *text, const char *name)
{
	aie_xml_add_short(text, name, SIZE_MAX);
}
