/* SPDX-License-Identifier: MIT */
/* plain.c - text of others without what a reader would stumble over. */
#include "tools/plain.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "registry/text.h"

struct json_t *plain_json(const char *text)
{
	json_t *value = json_string(text);
	char *clean;

	if (value || !(clean = strdup(text)))
		return value;
	for (char *at = clean; *at; at++)
		if (*at & 0x80)
			*at = '?';
	value = json_string(clean);
	free(clean);
	return value;
}

/* Line ends at both ends of the format are the caller's; those between are of an argument. */
static void print(FILE *to, const char *format, va_list list)
{
	const size_t first = strspn(format, "\n");
	size_t length = strlen(format), last = length;
	char *text = NULL;

	while (last > first && format[last - 1] == '\n')
		last--;
	if (vasprintf(&text, format, list) < 0)
		text = NULL;
	fprintf(to, "%.*s", (int)first, format);
	if (text) {
		text[strlen(text) - (length - last)] = '\0';
		reg_text_plain(text + first, '?');
	}
	fprintf(to, "%s%s", text ? text + first : "no memory for a line", format + last);
	free(text);
}

void plain_print(FILE *to, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	print(to, format, list);
	va_end(list);
}

void plain_line(FILE *to, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	print(to, format, list);
	va_end(list);
	fputc('\n', to);
}
