/* SPDX-License-Identifier: MIT */
#include "tools/folder.h"

#include "registry/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Where it really is, with a slash at the end; to be freed. */
static char *place_of(const char *folder)
{
	char *real = realpath(folder, NULL), *place = malloc(strlen(real ? real : folder) + 2);

	if (place) {
		size_t length = strlen(strcpy(place, real ? real : folder));

		if (!length || place[length - 1] != '/')
			strcpy(place + length, "/");
	}
	free(real);
	return place;
}

/* Bytes of whole folders that both begin with. */
static size_t shared(const char *a, const char *b, size_t most)
{
	size_t length = 0;

	for (size_t i = 0; i < most && a[i] && a[i] == b[i]; i++)
		if (a[i] == '/')
			length = i + 1;
	return length;
}

void folder_prefixes_free(char **prefixes, size_t count)
{
	for (size_t i = 0; prefixes && i < count; i++)
		free(prefixes[i]);
	free(prefixes);
}

char **folder_prefixes(char *const *folders, size_t count)
{
	char **prefixes = calloc(count + 1, sizeof(*prefixes));
	size_t common = SIZE_MAX, made = 0;

	for (; prefixes && made < count && (prefixes[made] = place_of(folders[made])); made++)
		common = shared(prefixes[0], prefixes[made], common);
	if (!prefixes || made < count) {
		folder_prefixes_free(prefixes, made);
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		memmove(prefixes[i], prefixes[i] + common, strlen(prefixes[i] + common) + 1);
	return prefixes;
}

ptowsp_status folder_make_for(char *path, struct ptowsp_error *error)
{
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		int made;

		*at = '\0';
		made = mkdir(path, 0777) == 0 || errno == EEXIST;
		if (!made)
			reg_fail(error, PTOWSP_IO, "the folder %.160s cannot be made: %s", path, strerror(errno));
		*at = '/';
		if (!made)
			return PTOWSP_IO;
	}
	return PTOWSP_OK;
}
