/* SPDX-License-Identifier: MIT */
/* help.c - the help page of ptowsp-run. */
#include <stdio.h>
#include <string.h>

#include "tools/pages/page.h"
#include "tools/plain.h"
#include "tools/run/run_run.h"

static void options_print(void *context, struct ptowsp_backend *backend)
{
	const struct ptowsp_option *option;

	(void)context;
	printf("\nOptions of %s, --opt KEY=VALUE\n", ptowsp_backend_name(backend));
	for (uint32_t i = 0; (option = ptowsp_backend_option(backend, i)); i++)
		plain_line(stdout, "  %-14s %-5s %-16s default %-10s %s", option->name, option->type, option->range ? option->range : "",
			   option->standard ? option->standard : "", option->text ? option->text : "");
}

ptowsp_status run_help(const struct run_options *options, struct ptowsp_error *error)
{
	page_print(&page_run, stdout);
	return options->plugin ? run_each_backend(options, options_print, NULL, error) : PTOWSP_OK;
}
