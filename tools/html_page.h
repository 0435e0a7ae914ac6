/* SPDX-License-Identifier: MIT */
/* html_page.h - pages for a browser, each one file that needs nothing else: a template of lines, of which one such as "@tasks@" is a place for data, and one form for all. */
#ifndef TOOLS_HTML_PAGE_H
#define TOOLS_HTML_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "isa/emit/emit.h"

/* The form of all pages, html_page.css: what stands at "@style@". Made by the build. */
extern const struct isa_text html_page_style[];
/* A page; at each line of place() that it answers with true it has written the data instead. */
void html_page_print(FILE *file, const struct isa_text *page, bool (*place)(void *context, const char *line, FILE *file), void *context);

#endif
