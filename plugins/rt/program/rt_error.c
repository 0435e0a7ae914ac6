/* SPDX-License-Identifier: MIT */
#include "rt/program/rt_error.h"

#include "rt/rt.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

enum { NAME = 64 }; /* bytes of a kernel's name that a tile program's sentence has */

const char *rt_error_behind(const char *text, const char *kernel)
{
	static const char kind[] = "kernel ";
	size_t length = strnlen(kernel, NAME);

	if (strncmp(text, kind, sizeof(kind) - 1) != 0 || strncmp(text + sizeof(kind) - 1, kernel, length) != 0)
		return NULL;
	text += sizeof(kind) - 1 + length;
	return *text == ' ' || *text == ':' ? text : NULL;
}

ptowsp_status rt_kernel_fail(struct ptowsp_error *error, uint64_t task, uint64_t kernel, const char *name, ptowsp_status status)
{
	const ptowsp_status failed = status == PTOWSP_NO_MEMORY ? status : PTOWSP_KERNEL_FAILED; /* memory is nothing that the kernel has done wrong */
	const char *behind;
	char what[160];

	if (!error)
		return failed;
	memcpy(what, error->text, sizeof(what));
	what[sizeof(what) - 1] = 0;
	if (!*what)
		return rt_fail_at(error, failed, task, kernel, "task %llu, kernel %.40s failed with status %d", (unsigned long long)task, name, (int)status);
	behind = rt_error_behind(what, name);
	return rt_fail_at(error, failed, task, kernel, "task %llu, kernel %.40s%s%s", (unsigned long long)task, name, behind ? "" : ": ",
			  behind ? behind : what);
}

ptowsp_status rt_no_memory(struct ptowsp_error *error, const char *what)
{
	return rt_fail(error, PTOWSP_NO_MEMORY, "no memory for %s", what);
}
