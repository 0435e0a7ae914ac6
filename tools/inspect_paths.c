/* SPDX-License-Identifier: MIT */
/* inspect_paths.c - the packages that a command line names, folders opened. */
#include "tools/inspect.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char ending[] = ".pkg.zst";

static void path_add(struct inspect_paths *paths, const char *name)
{
	char *path = strdup(name);

	if (paths->count == paths->room) {
		size_t room = paths->room ? paths->room * 2 : 32;
		char **items = realloc(paths->items, room * sizeof(*items));

		if (items) {
			paths->items = items;
			paths->room = room;
		}
	}
	if (!path || paths->count == paths->room) {
		paths->failed = 1;
		free(path);
		return;
	}
	paths->items[paths->count++] = path;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int is_package(const FTSENT *entry)
{
	size_t length = strlen(ending);

	return entry->fts_namelen > length && !strcmp(entry->fts_name + entry->fts_namelen - length, ending);
}

static int unreadable(const char *path, int why)
{
	fprintf(stderr, "ptowsp-inspect: %s cannot be read: %s\n", path, strerror(why));
	return 2;
}

/* One step of the walk; 0 or 2. A package that is a link to nowhere is told when it is opened. */
static int entry_add(struct inspect_paths *paths, const FTSENT *entry)
{
	switch (entry->fts_info) {
	case FTS_F:
	case FTS_SLNONE:
		if (is_package(entry))
			path_add(paths, entry->fts_path);
		return 0;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		return unreadable(entry->fts_path, entry->fts_errno);
	default:
		return 0;
	}
}

static int folder_add(struct inspect_paths *paths, const char *folder)
{
	char *roots[] = {(char *)(uintptr_t)folder, NULL};
	FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
	FTSENT *entry;
	int status = 0;

	if (!walk)
		return unreadable(folder, errno);
	while ((entry = fts_read(walk)))
		status = inspect_worse(status, entry_add(paths, entry));
	fts_close(walk);
	return status;
}

int inspect_is_folder(const char *path)
{
	struct stat facts;

	return !stat(path, &facts) && S_ISDIR(facts.st_mode);
}

int inspect_paths_collect(struct inspect_paths *paths, char *const *names, int count)
{
	int status = 0;

	for (int i = 0; i < count; i++)
		if (inspect_is_folder(names[i]))
			status = inspect_worse(status, folder_add(paths, names[i]));
		else
			path_add(paths, names[i]);
	if (paths->failed) {
		fputs("ptowsp-inspect: no memory for the names of the packages\n", stderr);
		return 1;
	}
	if (!paths->count && !status) {
		fprintf(stderr, "ptowsp-inspect: there is no *.pkg.zst below %s\n", names[0]);
		status = 2;
	}
	return status;
}

void inspect_paths_finish(struct inspect_paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		free(paths->items[i]);
	free(paths->items);
}
