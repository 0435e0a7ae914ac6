/* SPDX-License-Identifier: MIT */
#include "tools/tool.h"

#include "registry/names.h"
#include "tools/pages/page.h"

#include <stdarg.h>
#include <stdio.h>

int tool_misuse(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: ", tool.page->tool);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fprintf(stderr, "; %s --help shows what there is\n", tool.page->tool);
	return 2;
}

int tool_complain(const struct ptowsp_error *error)
{
	fprintf(stderr, "%s: %s\n", tool.page->tool, error->text[0] ? error->text : reg_status_text(error->code));
	return reg_status_exit(error->code);
}

static int page_show(size_t page)
{
	if (page == TOOL_HELP)
		page_print(tool.page, stdout);
	else
		printf("%s %d.%d.0, ABI v%d.0 minor %d%s\n", tool.page->tool, PTOWSP_ABI_MAJOR, PTOWSP_ABI_MINOR, PTOWSP_ABI_MAJOR, PTOWSP_ABI_MINOR,
		       tool.also ? tool.also : "");
	return 0;
}

int tool_read(struct command_line *line, void *into, int argc, char **argv)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	line->flags = tool.flags;
	line->count = tool.flag_count;
	line->into = into;
	if (command_line_read(line, argc, argv, &error))
		return tool_misuse("%s", error.text);
	return line->mode && line->mode->sort == FLAG_PAGE ? page_show(line->mode->field) : -1;
}
