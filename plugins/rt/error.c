/* SPDX-License-Identifier: MIT */
#include "rt/error.h"

#include <stdarg.h>
#include <stdio.h>

static void fill(struct ptowsp_error *error, ptowsp_status code, uint64_t task, uint64_t kernel, const char *text, va_list list)
{
	if (!error)
		return;
	error->code = code;
	error->native = 0;
	error->domain = PTOWSP_DOMAIN_PLUGIN;
	error->flags = 0;
	error->where[0] = task;
	error->where[1] = kernel;
	vsnprintf(error->text, sizeof(error->text), text, list);
	for (char *c = error->text; *c; c++) /* names are the package's, the sentence is one line */
		if ((unsigned char)*c < ' ')
			*c = ' ';
}

ptowsp_status rt_fail(struct ptowsp_error *error, ptowsp_status code, const char *text, ...)
{
	va_list list;

	va_start(list, text);
	fill(error, code, UINT64_MAX, UINT64_MAX, text, list);
	va_end(list);
	return code;
}

ptowsp_status rt_fail_at(struct ptowsp_error *error, ptowsp_status code, uint64_t task, uint64_t kernel, const char *text, ...)
{
	va_list list;

	va_start(list, text);
	fill(error, code, task, kernel, text, list);
	va_end(list);
	return code;
}

ptowsp_status rt_no_memory(struct ptowsp_error *error, const char *what)
{
	return rt_fail(error, PTOWSP_NO_MEMORY, "no memory for %s", what);
}
