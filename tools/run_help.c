/* SPDX-License-Identifier: MIT */
/* run_help.c - the help page of ptowsp-run. */
#include <stdio.h>
#include <string.h>

#include "tools/run.h"

static void flag_print(const char *name, char letter, const char *argument, const char *text)
{
	char left[64];

	snprintf(left, sizeof(left), "%s%c%s--%s%s%s", letter ? "-" : "  ", letter ? letter : ' ', letter ? ", " : " ", name,
		 *argument && *argument != '[' ? " " : "", argument);
	printf("  %-34s %s\n", left, text);
}

static void exits_print(void)
{
	static const struct {
		int code;
		const char *text;
	} rows[] = {
		{0, "success"},
		{1, "kernel or run error"},
		{2, "usage"},
		{3, "package refused"},
		{4, "plugin not found or refused"},
		{5, "directive or feature unsupported"},
		{6, "--expect does not match"},
		{7, "deadlock"},
		{8, "device or toolchain not there"},
		{9, "plugin crashed or device lost"},
		{10, "deadline passed, or too many tasks"},
	};

	printf("\nExit status\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		printf("  %-4d %s\n", rows[i].code, rows[i].text);
}

static void help_print(void)
{
	printf("ptowsp-run [options] PACKAGE - run a package on any backend\n");
#define G(title) printf("\n%s\n", title);
#define X(name, letter, sort, field, argument, text) flag_print(name, letter, argument, text);
#include "tools/run_flags.def"
#undef X
#undef G
	printf("\n  --flag=value and --flag value mean the same; --stats takes a value only behind =. SIGUSR1 prints the state of the flow control.\n");
	printf("\nEnvironment\n  PTOWSP_PLUGIN_PATH  folders with plugins, separated by ':'\n");
	printf("  NO_COLOR            no colour on terminals\n");
	exits_print();
}

static void options_print(const struct ptowsp_backend *backend)
{
	const struct ptowsp_option *option;

	printf("\nOptions of %s, --opt KEY=VALUE\n", ptowsp_backend_name(backend));
	for (uint32_t i = 0; (option = ptowsp_backend_option(backend, i)); i++)
		printf("  %-14s %-5s %-16s default %-10s %s\n", option->name, option->type, option->range ? option->range : "",
		       option->standard ? option->standard : "", option->text ? option->text : "");
}

ptowsp_status run_help(const struct run_options *options, struct ptowsp_error *error)
{
	struct ptowsp_backend *backend;
	ptowsp_status st;

	help_print();
	if (!options->plugin)
		return PTOWSP_OK;
	st = run_backend_open(&backend, options, NULL, error);
	if (st)
		return st;
	options_print(backend);
	ptowsp_backend_close(backend);
	return PTOWSP_OK;
}
