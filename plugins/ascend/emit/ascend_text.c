/* SPDX-License-Identifier: MIT */
#include "ascend/emit/ascend_text.h"

enum { NAME_SHOWN = 200 };

void ascend_text_quote(struct common_text *text, const char *name)
{
	common_text_add(text, "\"");
	for (unsigned n = 0; *name && n < NAME_SHOWN; name++, n++) {
		const unsigned char c = (unsigned char)*name;

		if (c < ' ' || c > '~' || c == '"' || c == '\\' || c == '?')
			common_text_add(text, "\\%03o", c);
		else
			common_text_add(text, "%c", c);
	}
	common_text_add(text, "\"");
}
