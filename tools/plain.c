/* SPDX-License-Identifier: MIT */
/* plain.c - text of others without what a reader would stumble over. */
#include "tools/plain.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

void plain_line(FILE *to, const char *format, ...)
{
	char *line = NULL;
	va_list list;

	va_start(list, format);
	if (vasprintf(&line, format, list) < 0)
		line = NULL;
	va_end(list);
	for (char *at = line; at && *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7F)
			*at = '?';
	fprintf(to, "%s\n", line ? line : "no memory for a line");
	free(line);
}
