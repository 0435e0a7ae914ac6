/* SPDX-License-Identifier: MIT */
/* tool.h - one of the project's tools: its name and page, its flags, and how it refuses a command line. */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include "tools/command_line.h"

struct page;

struct tool {
	const struct page *page; /* has its name */
	const struct flag *flags;
	size_t flag_count;
	const char *also; /* behind its version, NULL: nothing */
};
/* Each tool defines its own, beside its flags. */
extern const struct tool tool;
enum { TOOL_HELP = 'h', TOOL_VERSION = 'v' }; /* fields of its flags of sort PAGE */

/* Reads the command line into the fields of the flags; line: zero, its words and lists are the caller's to free. -1: go on; else the exit status, behind a page on stdout or a sentence
 * on stderr. */
int tool_read(struct command_line *line, void *into, int argc, char **argv);
/* Says on stderr what cannot be asked for, and where all that can be is listed. Returns 2. */
int tool_misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The sentence of an error on stderr. Returns its exit status. */
int tool_complain(const struct ptowsp_error *error);

#endif
