/* SPDX-License-Identifier: MIT */
/* page.h - what a tool says about itself, once: --help, the manual page and the completion of shells are made of the same rows, so that
 * they cannot disagree. The flags are those of TOOL_flags.def, which the tool's own parser is made of. */
#ifndef TOOLS_PAGE_H
#define TOOLS_PAGE_H

#include <stddef.h>
#include <stdio.h>

enum page_kind {
	PAGE_USAGE,    /* name: the words behind the tool's; text: what such a call does, or empty */
	PAGE_TEXT,     /* a paragraph */
	PAGE_GROUP,    /* headline of the rows that follow */
	PAGE_FLAG,     /* argument: empty: takes none; begins with "[": only behind "=" */
	PAGE_WORD,     /* a word of the command line that is no flag, and what it means */
	PAGE_NOTE,     /* a paragraph behind the flags */
	PAGE_VARIABLE, /* of the environment */
	PAGE_EXIT,     /* an exit status */
	PAGE_EXAMPLE   /* name: a command that runs beside softmax.pkg.zst and softmax.pto of the examples */
};

/* All texts static; none is NULL. */
struct page_row {
	enum page_kind kind;
	char letter; /* of a flag, 0: it has none */
	const char *name, *argument, *text;
};

struct page {
	const char *tool, *summary; /* "ptowsp-run", and what that is in half a sentence */
	const char *files;          /* pattern of the names of its files, "*.pkg.zst"; empty: it takes none */
	const struct page_row *rows;
	size_t count;
	int internal; /* nobody calls it: it has a manual page in section 8, no flags, and is not completed */
	int script;   /* its --help is not made of the rows */
};

extern const struct page page_run, page_pack, page_inspect, page_conform, page_bench, page_aie, page_aie_device, page_worker;

/* The help text, in columns. */
void page_print(const struct page *page, FILE *to);

/* The manual page, in the man macros of roff. version: of the project. */
void page_man(const struct page *page, const char *version, FILE *to);

/* One script for bash that completes the command lines of all pages. Names of plugins come from ptowsp-run --list-plugins. */
void page_bash(const struct page *const *pages, size_t count, FILE *to);

/* Rows of a page. */
#define PAGE_U(words, what)                               {PAGE_USAGE, 0, words, "", what},
#define PAGE_P(what)                                      {PAGE_TEXT, 0, "", "", what},
#define PAGE_N(what)                                      {PAGE_NOTE, 0, "", "", what},
#define PAGE_W(word, what)                                {PAGE_WORD, 0, word, "", what},
#define PAGE_V(variable, what)                            {PAGE_VARIABLE, 0, variable, "", what},
#define PAGE_E(code, what)                                {PAGE_EXIT, 0, code, "", what},
#define PAGE_SHOW(command, what)                          {PAGE_EXAMPLE, 0, command, "", what},
#define PAGE_G(title)                                     {PAGE_GROUP, 0, title, "", ""},
#define PAGE_X(name, letter, sort, field, argument, text) {PAGE_FLAG, letter, name, argument, text},

#endif
