/* SPDX-License-Identifier: MIT */
/* help.c - the help page of ptowsp-run. */
#include <stdio.h>
#include <string.h>

#include "tools/pages/page.h"
#include "tools/run/run.h"

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

	page_print(&page_run, stdout);
	if (!options->plugin)
		return PTOWSP_OK;
	st = run_backend_open(&backend, options, NULL, error);
	if (st)
		return st;
	options_print(backend);
	ptowsp_backend_close(backend);
	return PTOWSP_OK;
}
