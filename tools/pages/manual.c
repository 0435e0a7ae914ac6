/* SPDX-License-Identifier: MIT */
/* manual.c - the pages of all tools as files, for the build; not installed.
 *	manual man TOOL     its manual page
 *	manual bash         completion for bash
 *	manual examples     the commands of the pages' examples, one per line
 *	manual flags TOOL   its flags, one per line */
#include "tools/pages/page.h"

#include <string.h>

#include "ptowsp/base.h"

#define TEXT(number)    TEXT_OF(number)
#define TEXT_OF(number) #number
static const char version[] = TEXT(PTOWSP_ABI_MAJOR) "." TEXT(PTOWSP_ABI_MINOR) ".0";

static const struct page *const pages[] = {&page_run, &page_pack, &page_inspect, &page_conform, &page_bench, &page_aie, &page_aie_device};
enum { PAGES = sizeof(pages) / sizeof(*pages) };

static const struct page *page_find(const char *tool)
{
	for (size_t i = 0; i < PAGES; i++)
		if (!strcmp(pages[i]->tool, tool))
			return pages[i];
	return strcmp(page_worker.tool, tool) ? NULL : &page_worker;
}

static void names_print(const struct page *page, enum page_kind kind, const char *before)
{
	for (size_t i = 0; i < page->count; i++)
		if (page->rows[i].kind == kind)
			printf("%s%s\n", before, page->rows[i].name);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const struct page *page = argc == 3 ? page_find(argv[2]) : NULL;

	if (page && !strcmp(what, "man"))
		page_man(page, version, stdout);
	else if (page && !strcmp(what, "flags"))
		names_print(page, PAGE_FLAG, "--");
	else if (argc == 2 && !strcmp(what, "bash"))
		page_bash(pages, PAGES, stdout);
	else if (argc == 2 && !strcmp(what, "examples"))
		for (size_t i = 0; i < PAGES; i++)
			names_print(pages[i], PAGE_EXAMPLE, "");
	else
		return fprintf(stderr, "usage: manual man TOOL | manual flags TOOL | manual bash | manual examples\n"), 2;
	return fflush(stdout) || ferror(stdout);
}
