/* SPDX-License-Identifier: MIT */
#include "fake_log.h"

#include <stdio.h>
#include <stdlib.h>

void fake_log(const char *format, ...)
{
	const char *path = getenv(fake_log_variable);
	FILE *file = path ? fopen(path, "a") : NULL;
	va_list list;

	if (!file)
		return;
	va_start(list, format);
	vfprintf(file, format, list);
	va_end(list);
	fputc('\n', file);
	fclose(file);
}

void fake_log_wrong(char *text, size_t size, const char *format, va_list list)
{
	vsnprintf(text, size, format, list);
	fake_log("WRONG %s", text);
}
