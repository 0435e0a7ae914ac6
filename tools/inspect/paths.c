/* SPDX-License-Identifier: MIT */
/* paths.c - the packages that a command line names, folders opened. */
#include "registry/common/common_grow.h"
#include "tools/inspect/inspect.h"

#include "tools/folder.h"

#include <errno.h>
#include <fts.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char ending[] = ".pkg.zst";

/* skip: bytes of the path that are the folder which was named; prefix: that folder, seen from the one that holds all of them. */
static void path_add(struct inspect_paths *paths, const char *name, const char *prefix, size_t skip)
{
	struct inspect_path path = {.path = strdup(name)};

	const bool room = COMMON_GROW(paths->items, paths->room, paths->count);

	if (asprintf(&path.relative, "%s%s", prefix, name + skip) < 0)
		path.relative = NULL;
	if (!path.path || !path.relative || !room) {
		paths->failed = 1;
		free(path.path);
		free(path.relative);
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
static int entry_add(struct inspect_paths *paths, const FTSENT *entry, const char *prefix, size_t skip)
{
	switch (entry->fts_info) {
	case FTS_F:
	case FTS_SLNONE:
		if (is_package(entry))
			path_add(paths, entry->fts_path, prefix, skip);
		return 0;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS: return unreadable(entry->fts_path, entry->fts_errno);
	default: return 0;
	}
}

static int folder_add(struct inspect_paths *paths, const char *folder, const char *prefix)
{
	char *roots[] = {(char *)(uintptr_t)folder, NULL};
	size_t skip = strlen(folder) + (folder[strlen(folder) - 1] != '/');
	FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
	FTSENT *entry;
	int status = 0;

	if (!walk)
		return unreadable(folder, errno);
	while ((entry = fts_read(walk)))
		status = inspect_worse(status, entry_add(paths, entry, prefix, skip));
	fts_close(walk);
	return status;
}

bool inspect_is_folder(const char *path)
{
	struct stat facts;

	return !stat(path, &facts) && S_ISDIR(facts.st_mode);
}

/* The folder that is named, or the one in which the file is that is named; to be freed. */
static char *folder_of(const char *name)
{
	const char *slash = strrchr(name, '/');

	return inspect_is_folder(name) ? strdup(name) : slash ? strndup(name, (size_t)(slash - name) + 1) : strdup(".");
}

static char **prefixes_make(char *const *names, size_t count)
{
	char **folders = calloc(count + 1, sizeof(*folders)), **prefixes;
	size_t made = 0;

	while (folders && made < count && (folders[made] = folder_of(names[made])))
		made++;
	prefixes = folders && made == count ? folder_prefixes(folders, count) : NULL;
	folder_prefixes_free(folders, made);
	return prefixes;
}

static int name_add(struct inspect_paths *paths, const char *name, const char *prefix)
{
	const char *slash = strrchr(name, '/');

	if (inspect_is_folder(name))
		return folder_add(paths, name, prefix);
	path_add(paths, name, prefix, slash ? (size_t)(slash - name) + 1 : 0);
	return 0;
}

int inspect_paths_collect(struct inspect_paths *paths, char *const *names, int count)
{
	char **prefixes = prefixes_make(names, (size_t)count);
	int status = 0;

	for (int i = 0; prefixes && i < count; i++)
		status = inspect_worse(status, name_add(paths, names[i], prefixes[i]));
	paths->failed |= !prefixes;
	folder_prefixes_free(prefixes, (size_t)count);
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
	for (size_t i = 0; i < paths->count; i++) {
		free(paths->items[i].path);
		free(paths->items[i].relative);
	}
	free(paths->items);
}
