/* SPDX-License-Identifier: MIT */
#include "tools/html_page.h"

#include <string.h>

void html_page_print(FILE *file, const struct isa_text *page, bool (*place)(void *context, const char *line, FILE *file), void *context)
{
	for (const char *const *line = page->lines; *line; line++) {
		if (!strcmp(*line, "@style@\n"))
			html_page_print(file, html_page_style, place, context);
		else if (!place(context, *line, file))
			fputs(*line, file);
	}
}
