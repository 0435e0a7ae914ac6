/* SPDX-License-Identifier: MIT */
#include "rt/error.h"

#include <stdarg.h>
#include <stdio.h>

void rt_error_line(struct ptowsp_error *error)
{
	for (char *c = error->text; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
}

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
	rt_error_line(error);
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
