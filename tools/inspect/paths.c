/* SPDX-License-Identifier: MIT */
/* paths.c - the packages that a command line names, folders opened. */
#include "registry/common/common_grow.h"
#include "tools/inspect/inspect.h"

#include "tools/folder.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* The paths, and the folder that is walked, seen from the one that holds all of them. */
struct walk {
	struct inspect_paths *paths;
	const char *prefix;
};

static int package_add(void *context, const char *path, const char *below)
{
	struct walk *walk = context;

	path_add(walk->paths, path, walk->prefix, (size_t)(below - path));
	return 0;
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
		return folder_walk("ptowsp-inspect", name, ".pkg.zst", package_add, &(struct walk){paths, prefix});
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
