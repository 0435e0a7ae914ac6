/* SPDX-License-Identifier: MIT */
/* fail.c - filling the error record. */
#include "format/fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FILE_SHOWN 72
#define PATH_SHOWN 120 /* of 216 bytes: the rest is for the reason */

/* Text that was cut in the middle of a UTF-8 character loses that character. */
static void tail_trim(char *text, size_t length)
{
	size_t start = length;

	while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
		start--;
	if (start > 0 && (unsigned char)text[start - 1] >= 0xC0)
		text[start - 1] = 0;
}

static ptowsp_status text_fill(struct ptowsp_error *error, ptowsp_status code, const char *format, va_list arguments)
{
	int length;

	if (!error)
		return code;
	error->code = code;
	error->native = 0;
	error->domain = PTOWSP_DOMAIN_HOST;
	error->flags = 0;
	error->where[0] = error->where[1] = UINT64_MAX;
	length = vsnprintf(error->text, sizeof(error->text), format, arguments);
	if (length >= (int)sizeof(error->text))
		tail_trim(error->text, sizeof(error->text) - 1);
	for (char *c = error->text; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7F)
			*c = '?';
	return code;
}

ptowsp_status pkg_fail(struct ptowsp_error *error, ptowsp_status code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	text_fill(error, code, format, arguments);
	va_end(arguments);
	return code;
}

ptowsp_status pkg_fail_errno(struct ptowsp_error *error, const char *path, const char *sentence)
{
	const ptowsp_status status = errno == EMFILE || errno == ENFILE || errno == ENOMEM ? PTOWSP_NO_MEMORY : PTOWSP_IO; /* nothing is wrong with the file */
	const char *why = strerror(errno);
	size_t length = strlen(path);

	if (length <= PATH_SHOWN)
		return pkg_fail(error, status, "%s %s: %s", path, sentence, why);
	return pkg_fail(error, status, "...%s %s: %s", path + length - PATH_SHOWN, sentence, why);
}

ptowsp_status pkg_refuse(const struct pkg_place *place, const char *format, ...)
{
	char sentence[256];
	size_t length = strlen(place->file);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	if (length <= FILE_SHOWN)
		return pkg_fail(place->error, PTOWSP_BAD_PACKAGE, "%s: %s", place->file, sentence);
	return pkg_fail(place->error, PTOWSP_BAD_PACKAGE, "...%s: %s", place->file + length - FILE_SHOWN, sentence);
}
