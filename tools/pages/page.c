/* SPDX-License-Identifier: MIT */
/* page.c - a tool's help text. */
#include "tools/pages/page.h"

#include <string.h>

enum { WIDTH = 118, LEFT = 37 };

/* Words of text between the columns from and WIDTH; the cursor stands at column at. */
static void wrapped_print(const char *text, int at, int from, FILE *to)
{
	while (*text) {
		int length = (int)strcspn(text, " ");

		if (at > from && at + 1 + length > WIDTH) {
			fprintf(to, "\n%*s", from, "");
			at = from;
		} else if (at > from) {
			fputc(' ', to);
			at++;
		}
		fprintf(to, "%.*s", length, text);
		at += length;
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', to);
}

/* A row of two columns; a left one that is too wide stands alone on its line. */
static void pair_print(const char *left, const char *text, int from, FILE *to)
{
	int at = fprintf(to, "  %s", left);

	if (!*text) {
		fputc('\n', to);
		return;
	}
	if (at >= from) {
		fputc('\n', to);
		at = 0;
	}
	fprintf(to, "%*s", from - at, "");
	wrapped_print(text, from, from, to);
}

static void flag_print(const struct page_row *row, FILE *to)
{
	char left[96];

	snprintf(left, sizeof(left), "%s%c%s--%s%s%s", row->letter ? "-" : "  ", row->letter ? row->letter : ' ', row->letter ? ", " : " ", row->name,
		 *row->argument && *row->argument != '[' ? " " : "", row->argument);
	pair_print(left, row->text, LEFT, to);
}

static const char *headline(enum page_kind kind)
{
	switch (kind) {
	case PAGE_VARIABLE: return "\nEnvironment\n";
	case PAGE_EXIT: return "\nExit status\n";
	case PAGE_EXAMPLE: return "\nExamples\n";
	case PAGE_TEXT:
	case PAGE_NOTE: return "\n";
	default: return "";
	}
}

static void row_print(const struct page *page, size_t at, FILE *to)
{
	const struct page_row *row = &page->rows[at];
	char left[160];

	if (!at || row->kind != row[-1].kind)
		fputs(headline(row->kind), to);
	switch (row->kind) {
	case PAGE_USAGE:
		snprintf(left, sizeof(left), "%s %s", page->tool, row->name);
		pair_print(left, row->text, 62, to);
		break;
	case PAGE_TEXT:
	case PAGE_NOTE: wrapped_print(row->text, 0, 0, to); break;
	case PAGE_GROUP: fprintf(to, "\n%s\n", row->name); break;
	case PAGE_FLAG: flag_print(row, to); break;
	case PAGE_EXAMPLE: fprintf(to, "  %s\n", row->name); break;
	case PAGE_EXIT: pair_print(row->name, row->text, 7, to); break;
	default: pair_print(row->name, row->text, 22, to);
	}
}

void page_print(const struct page *page, FILE *to)
{
	fprintf(to, "%s - %s\n\n", page->tool, page->summary);
	for (size_t i = 0; i < page->count; i++)
		row_print(page, i, to);
}
