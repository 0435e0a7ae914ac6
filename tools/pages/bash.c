/* SPDX-License-Identifier: MIT */
/* bash.c - completion of command lines in bash. A flag's values are read from its argument as --help shows it: FILE, DIR, a choice
 * of words in small letters with | between, the name of a plugin. */
#include "tools/pages/page.h"

#include <stdbool.h>
#include <string.h>

/* The part that all tools use. It needs nothing but bash. */
static const char common[] =
	"# SPDX-License-Identifier: MIT\n"
	"# Made of the tables behind --help.\n"
	"\n"
	"# Where the cursor stands: cur, the word so far; flag, the one whose value it is, or the word before; prefix, what of cur is not offered again.\n"
	"# bash cuts words at \"=\" unless COMP_WORDBREAKS says otherwise.\n"
	"_ptowsp_place() {\n"
	"\tlocal at=$COMP_CWORD\n"
	"\tcur=${COMP_WORDS[at]} prefix= equals=\n"
	"\tif [[ $cur == = ]]; then cur= equals=1; ((at--))\n"
	"\telif ((at > 1)) && [[ ${COMP_WORDS[at - 1]} == = ]]; then equals=1; ((at -= 2))\n"
	"\telif [[ $cur == --*=* ]]; then flag=${cur%%=*} prefix=${cur%%=*}= cur=${cur#*=} equals=1; return\n"
	"\telse ((at--)); fi\n"
	"\tflag=${COMP_WORDS[at]}\n"
	"}\n"
	"_ptowsp_words() { mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -P \"$prefix\" -W \"$1\" -- \"$cur\"); }\n"
	"_ptowsp_files() { # [PATTERN]: files that look so, and folders\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"\tmapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(\n"
	"\t\tcompgen -P \"$prefix\" -f -X \"${1:+!$1}\" -- \"$cur\"\n"
	"\t\t[[ -z ${1-} ]] || compgen -P \"$prefix\" -d -- \"$cur\")\n"
	"}\n"
	"_ptowsp_folders() {\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"\tmapfile -t COMPREPLY < <(compgen -P \"$prefix\" -d -- \"$cur\")\n"
	"}\n"
	"# Plugins that can be used, as the ptowsp-run beside the tool (or on the path) lists them; that runs none of them.\n"
	"_ptowsp_plugins() {\n"
	"\tlocal run=${1/#\\~/$HOME}\n"
	"\trun=${run%ptowsp-*}ptowsp-run\n"
	"\t\"$run\" --list-plugins 2>/dev/null | sed -n 's/^\\([a-z0-9_][a-z0-9_]*\\) .* usable .*/\\1/p'\n"
	"}\n";

static void name_print(const char *tool, FILE *to)
{
	for (; *tool; tool++)
		fputc(*tool == '-' ? '_' : *tool, to);
}

/* The words of "none|process|sandbox" or "[=text|json]"; nothing where one of them stands for something. */
static bool is_choice(const char *argument)
{
	return *argument && strspn(argument, "abcdefghijklmnopqrstuvwxyz0123456789-|[]=") == strlen(argument);
}

static void choice_print(const char *argument, FILE *to)
{
	for (argument += strspn(argument, "[="); *argument; argument++)
		if (*argument != ']')
			fputc(*argument == '|' ? ' ' : *argument, to);
}

static void value_print(const struct page_row *row, FILE *to)
{
	const char *argument = row->argument;

	fprintf(to, "\t--%s)\n", row->name);
	if (*argument == '[')
		fputs("\t\tif [[ -n $equals ]]; then\n\t", to);
	fputs("\t\t", to);
	if (is_choice(argument)) {
		fputs("_ptowsp_words '", to);
		choice_print(argument, to);
		fputs("'\n", to);
	} else if (!strncmp(argument, "NAME|PATH", 9)) {
		fputs("_ptowsp_words \"$(_ptowsp_plugins \"$1\") auto\"\n\t\t_ptowsp_files '*.so'\n", to);
	} else if (!strcmp(argument, "DIR") || !strcmp(argument, "FOLDER")) {
		fputs("_ptowsp_folders\n", to);
	} else if (!strncmp(argument, "FILE", 4) || !strcmp(argument, "PATH")) {
		fputs("_ptowsp_files\n", to);
	} else {
		fputs("true\n", to);
	}
	fputs(*argument == '[' ? "\t\t\treturn\n\t\tfi ;;\n" : "\t\treturn ;;\n", to);
}

/* Everything that may stand by itself: a letter's flag counts as its name. */
static void words_print(const struct page *page, FILE *to)
{
	const char *gap = "";

	fputs("\tif [[ $cur == -* ]]; then _ptowsp_words '", to);
	for (size_t i = 0; i < page->count; i++)
		if (page->rows[i].kind == PAGE_FLAG) {
			fprintf(to, "%s--%s", gap, page->rows[i].name);
			gap = " ";
		}
	fputs("'; return; fi\n\t_ptowsp_words '", to);
	gap = "";
	for (size_t i = 0; i < page->count; i++)
		if (page->rows[i].kind == PAGE_WORD) {
			fprintf(to, "%s%s", gap, page->rows[i].name);
			gap = " ";
		}
	fputs("'\n", to);
}

static void tool_print(const struct page *page, FILE *to)
{
	fputs("\n_", to);
	name_print(page->tool, to);
	fputs("() {\n\tlocal cur flag prefix equals\n\tCOMPREPLY=()\n\t_ptowsp_place\n\tcase $flag in\n", to);
	for (size_t i = 0; i < page->count; i++) {
		const struct page_row *row = &page->rows[i];

		if (row->kind == PAGE_FLAG && row->letter && *row->argument && *row->argument != '[')
			fprintf(to, "\t-%c) flag=--%s ;;\n", row->letter, row->name);
	}
	fputs("\tesac\n\tcase $flag in\n", to);
	for (size_t i = 0; i < page->count; i++)
		if (page->rows[i].kind == PAGE_FLAG && *page->rows[i].argument)
			value_print(&page->rows[i], to);
	fputs("\tesac\n\tif [[ -n $equals ]]; then _ptowsp_files; return; fi # NAME=FILE\n", to);
	words_print(page, to);
	if (*page->files)
		fprintf(to, "\t_ptowsp_files '%s'\n", page->files);
	fputs("}\ncomplete -F _", to);
	name_print(page->tool, to);
	fprintf(to, " %s\n", page->tool);
}

void page_bash(const struct page *const *pages, size_t count, FILE *to)
{
	fputs(common, to);
	for (size_t i = 0; i < count; i++)
		tool_print(pages[i], to);
}
