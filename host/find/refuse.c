/* SPDX-License-Identifier: MIT */
/* refuse.c - sentences about a plugin's file. */
#include "host/find/refuse.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PATH_ROOM 88 /* of the record's 216 bytes: the rest is for the sentence */

/* The end of a long path, from a whole component on if one is short enough. */
static const char *tail_find(const char *path)
{
	size_t length = strlen(path);
	const char *tail = length > PATH_ROOM ? strchr(path + length - PATH_ROOM, '/') : path;

	return tail ? tail : path + length - PATH_ROOM;
}

ptowsp_status host_refuse(struct ptowsp_error *error, const char *path, const char *format, ...)
{
	const char *tail = tail_find(path);
	char sentence[sizeof(error->text)];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	return host_fail(error, PTOWSP_PLUGIN_REFUSED, "%s%s: %s", tail == path ? "" : "...", tail, sentence);
}

ptowsp_status host_refuse_status(int native)
{
	return native == EMFILE || native == ENFILE || native == ENOMEM || native == EAGAIN ? PTOWSP_NO_MEMORY : PTOWSP_PLUGIN_REFUSED;
}

ptowsp_status host_refuse_errno(struct ptowsp_error *error, const char *path, int native, const char *sentence)
{
	host_refuse(error, path, "%s: %s", sentence, strerror(native));
	if (error) {
		error->code = host_refuse_status(native);
		error->native = native;
	}
	return host_refuse_status(native);
}

const char *host_refuse_sentence(const char *text, const char *path)
{
	const char *tail = tail_find(path);
	size_t dots = tail == path ? 0 : 3, length = strlen(tail);

	if (!strncmp(text, "...", dots) && !strncmp(text + dots, tail, length) && !strncmp(text + dots + length, ": ", 2))
		return text + dots + length + 2;
	return text;
}
