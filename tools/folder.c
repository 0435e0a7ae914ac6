/* SPDX-License-Identifier: MIT */
#include "tools/folder.h"

#include "registry/text.h"
#include "tools/apart.h"

#include <errno.h>
#include <fts.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int unreadable(const char *tool, const char *path, int why)
{
	fprintf(stderr, "%s: %s cannot be read: %s\n", tool, path, strerror(why));
	return 2;
}

static bool ends_so(const FTSENT *entry, const char *ending)
{
	const size_t length = strlen(ending);

	return entry->fts_namelen > length && !strcmp(entry->fts_name + entry->fts_namelen - length, ending);
}

int folder_walk(const char *tool, const char *folder, const char *ending, int (*take)(void *context, const char *path, const char *below), void *context)
{
	char *roots[] = {(char *)(uintptr_t)folder, NULL};
	const size_t skip = strlen(folder) + (folder[strlen(folder) - 1] != '/');
	FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
	FTSENT *entry;
	int code = 0;

	if (!walk)
		return unreadable(tool, folder, errno);
	while ((entry = fts_read(walk))) {
		const bool is_file = entry->fts_info == FTS_F || entry->fts_info == FTS_SLNONE;
		int one = 0;

		if (is_file && ends_so(entry, ending))
			one = take(context, entry->fts_path, entry->fts_path + skip);
		else if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS)
			one = unreadable(tool, entry->fts_path, entry->fts_errno);
		code = code ? code : one;
	}
	fts_close(walk);
	return code;
}

/* The real path of a folder, with a slash at the end; to be freed. */
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

/* ---- making them ---- */

/* Folders that this process made, the latest first, so that folders below another come before it. The list is kept as long as the process. */
struct made {
	struct made *before;
	char path[];
};

static struct made *_Atomic latest;

void folder_drop_empty(void)
{
	for (const struct made *made = atomic_load(&latest); made; made = made->before)
		rmdir(made->path);
}

/* A name that does not begin at the root is another one in another folder: none of the tools goes to one. */
static bool note(struct made *made)
{
	made->before = atomic_load(&latest);
	if (mkdir(made->path, 0777))
		return false;
	atomic_store(&latest, made);
	return true;
}

ptowsp_status folder_make(const char *path, struct ptowsp_error *error)
{
	ptowsp_status status = apart_named(path, "the folder", error);
	struct made *made = status ? NULL : malloc(sizeof(*made) + strlen(path) + 1);
	struct stat there;
	sigset_t all, before;
	int why;

	if (status)
		return status;
	if (!made)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory to make the folder %.160s", path);
	strcpy(made->path, path);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	why = note(made) ? 0 : errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (!why)
		return PTOWSP_OK;
	free(made);
	if (why == EEXIST && !stat(path, &there) && S_ISDIR(there.st_mode))
		return PTOWSP_OK;
	return reg_fail(error, PTOWSP_IO, "the folder %.160s cannot be made: %s", path, strerror(why));
}

ptowsp_status folder_make_for(char *path, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (char *at = strchr(path + 1, '/'); at && !status; at = strchr(at + 1, '/')) {
		*at = '\0';
		status = folder_make(path, error);
		*at = '/';
	}
	return status;
}
