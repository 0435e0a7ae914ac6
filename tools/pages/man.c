/* SPDX-License-Identifier: MIT */
/* man.c - a tool's manual page, in the man macros that groff and mandoc read. */
#include "tools/pages/page.h"

#include <ctype.h>

/* Text as roff takes it: a hyphen stays one that can be copied, and no line begins with a request. */
static void text_print(const char *text, FILE *to)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", to);
	for (; *text; text++)
		if (*text == '\\')
			fputs("\\e", to);
		else if (*text == '-')
			fputs("\\-", to);
		else if (*text == '"')
			fputs("\\(dq", to);
		else
			fputc(*text, to);
}

static void line_print(const char *before, const char *text, FILE *to)
{
	fputs(before, to);
	text_print(text, to);
	fputc('\n', to);
}

static void upper_print(const char *text, FILE *to)
{
	for (; *text; text++)
		if (*text == '-')
			fputs("\\-", to);
		else
			fputc(toupper((unsigned char)*text), to);
}

static void flag_print(const struct page_row *row, FILE *to)
{
	fputs(".TP\n\\fB", to);
	if (row->letter)
		fprintf(to, "\\-%c\\fR, \\fB", row->letter);
	text_print("--", to);
	text_print(row->name, to);
	fputs("\\fR", to);
	if (*row->argument) {
		fputs(*row->argument == '[' ? "\\fI" : " \\fI", to);
		text_print(row->argument, to);
		fputs("\\fR", to);
	}
	line_print("\n", row->text, to);
}

static void pair_print(const struct page_row *row, FILE *to)
{
	line_print(".TP\n.B ", row->name, to);
	line_print("", row->text, to);
}

/* The rows of a kind below a headline, nothing where there is none. */
static void section_print(const struct page *page, const char *title, enum page_kind kind, void (*print)(const struct page_row *row, FILE *to), FILE *to)
{
	size_t count = 0;

	for (size_t i = 0; i < page->count; i++) {
		if (page->rows[i].kind != kind)
			continue;
		if (!count++)
			fprintf(to, ".SH %s\n", title);
		print(&page->rows[i], to);
	}
}

static void usage_print(const struct page *page, FILE *to)
{
	fputs(".SH SYNOPSIS\n.nf\n", to);
	for (size_t i = 0; i < page->count; i++)
		if (page->rows[i].kind == PAGE_USAGE) {
			fputs("\\fB", to);
			text_print(page->tool, to);
			line_print("\\fR ", page->rows[i].name, to);
		}
	fputs(".fi\n", to);
}

static void description_print(const struct page *page, FILE *to)
{
	unsigned paragraphs = 0;

	fputs(".SH DESCRIPTION\n", to);
	if (!page->internal && !page->script)
		line_print("", "This page says what --help says; both are made of one table.", to);
	for (size_t i = 0; i < page->count; i++) {
		const struct page_row *row = &page->rows[i];

		if (row->kind == PAGE_TEXT)
			line_print((page->internal || page->script) && !paragraphs++ ? "" : ".PP\n", row->text, to);
		else if (row->kind == PAGE_USAGE && *row->text)
			pair_print(row, to);
	}
}

static void options_print(const struct page *page, FILE *to)
{
	fputs(".SH OPTIONS\n", to);
	for (size_t i = 0; i < page->count; i++) {
		const struct page_row *row = &page->rows[i];

		if (row->kind == PAGE_GROUP)
			line_print(".SS ", row->name, to);
		else if (row->kind == PAGE_FLAG)
			flag_print(row, to);
		else if (row->kind == PAGE_WORD)
			pair_print(row, to);
		else if (row->kind == PAGE_NOTE)
			line_print(".PP\n", row->text, to);
	}
}

void page_man(const struct page *page, const char *version, FILE *to)
{
	fputs(".\\\" SPDX-License-Identifier: MIT\n.\\\" Made of the table behind --help.\n.TH ", to);
	upper_print(page->tool, to);
	fprintf(to, " %s \"\" \"ptowsp %s\" \"%s\"\n.SH NAME\n", page->internal ? "8" : "1", version, page->internal ? "Internals" : "User Commands");
	text_print(page->tool, to);
	line_print(" \\- ", page->summary, to);
	usage_print(page, to);
	description_print(page, to);
	if (!page->internal)
		options_print(page, to);
	section_print(page, "EXIT STATUS", PAGE_EXIT, pair_print, to);
	section_print(page, "ENVIRONMENT", PAGE_VARIABLE, pair_print, to);
	section_print(page, "EXAMPLES", PAGE_EXAMPLE, pair_print, to);
}
