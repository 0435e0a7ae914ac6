/* SPDX-License-Identifier: MIT */
/* columns.c - see columns.h. */
#include "tools/columns.h"
#include "registry/common/common_grow.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "registry/text.h"

#define COLUMN_LIMIT 16
#define WIDTH_LIMIT  44 /* wider cells push what follows to the right */

/* A cell may hold any name: each is plain text, and the tabs between stay. */
static void cells_plain(char *line)
{
	char *to = line;

	for (char *cell = line, *end; cell; cell = end) {
		size_t length;

		end = strchr(cell, '\t');
		if (end)
			*end++ = '\0';
		reg_text_plain(cell, '?');
		length = strlen(cell);
		memmove(to, cell, length);
		to += length;
		if (end)
			*to++ = '\t';
	}
	*to = '\0';
}

void columns_add(struct columns *c, const char *format, ...)
{
	char line[1024], *copy;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	cells_plain(line);
	copy = COMMON_GROW(c->lines, c->room, c->count) ? strdup(line) : NULL;
	if (copy)
		c->lines[c->count++] = copy;
}

static int line_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void columns_sort(struct columns *c, size_t skip)
{
	if (c->count > skip)
		qsort(c->lines + skip, c->count - skip, sizeof(*c->lines), line_compare);
}

/* Characters, not bytes, of a cell. */
static size_t cell_width(const char *text, size_t bytes)
{
	size_t width = 0;

	for (size_t i = 0; i < bytes; i++)
		width += ((unsigned char)text[i] & 0xC0) != 0x80;
	return width;
}

static void widths_find(const struct columns *c, size_t widths[COLUMN_LIMIT])
{
	memset(widths, 0, COLUMN_LIMIT * sizeof(*widths));
	for (size_t i = 0; i < c->count; i++) {
		const char *at = c->lines[i];

		for (size_t k = 0; k < COLUMN_LIMIT; k++) {
			size_t bytes = strcspn(at, "\t"), width = cell_width(at, bytes);

			if (width > widths[k] && width <= WIDTH_LIMIT)
				widths[k] = width;
			if (!at[bytes])
				break;
			at += bytes + 1;
		}
	}
}

/* Padding is written before the next cell only, so that lines do not end in spaces. */
static void line_print(const char *line, const size_t widths[COLUMN_LIMIT], FILE *to)
{
	size_t missing = 0;

	for (size_t k = 0;; k++) {
		size_t bytes = strcspn(line, "\t"), width = cell_width(line, bytes);

		if (bytes)
			fprintf(to, "%*s%.*s", (int)missing, "", (int)bytes, line);
		missing = (bytes ? 0 : missing) + (k < COLUMN_LIMIT && widths[k] > width ? widths[k] - width : 0) + 2;
		if (!line[bytes])
			break;
		line += bytes + 1;
	}
	fputc('\n', to);
}

void columns_print(struct columns *c, FILE *to, unsigned indent)
{
	size_t widths[COLUMN_LIMIT];

	widths_find(c, widths);
	for (size_t i = 0; i < c->count; i++) {
		if (to) {
			fprintf(to, "%*s", (int)indent, "");
			line_print(c->lines[i], widths, to);
		}
		free(c->lines[i]);
	}
	free(c->lines);
	memset(c, 0, sizeof(*c));
}
