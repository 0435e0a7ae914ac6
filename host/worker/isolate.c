/* SPDX-License-Identifier: MIT */
/* isolate.c - which plugins run in a worker when nobody says so. */
#include "host/worker/isolate.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "host/find/search.h"
#include "host/ptowsp_host.h"

/* The owner of the file that holds this code: the library, or a program that is linked statically. */
static bool owner_find(uid_t *owner_out)
{
	static const char here;
	struct stat file;
	Dl_info info;

	if (!dladdr(&here, &info) || !info.dli_fname || stat(info.dli_fname, &file))
		return false;
	*owner_out = file.st_uid;
	return true;
}

/* Root's, or whose this code is. */
static bool is_of_owner(const char *real_path)
{
	struct stat file;
	uid_t owner = 0;

	return !stat(real_path, &file) && (!file.st_uid || (owner_find(&owner) && file.st_uid == owner));
}

bool host_isolate_grants(const char *real_path, uint32_t policy)
{
	return policy != PTOWSP_PLUGINS_ANY || is_of_owner(real_path);
}

uint32_t host_isolate_rule(const char *real_path, uint32_t driver, uint32_t policy)
{
	if (driver)
		return PTOWSP_ISOLATE_PROCESS;
	if (policy == PTOWSP_PLUGINS_SIGNED) /* or it is refused */
		return PTOWSP_ISOLATE_NONE;
	return host_is_own(real_path) && is_of_owner(real_path) ? PTOWSP_ISOLATE_NONE : PTOWSP_ISOLATE_PROCESS;
}

static bool ends_with(const char *name, const char *end)
{
	const size_t length = strlen(name), short_one = strlen(end);

	return length > short_one && !strcmp(name + length - short_one, end);
}

bool host_folder_holds_more(const char *path, char *name_out, size_t room)
{
	const char *end = strrchr(path, '/');
	char folder[PATH_MAX];
	struct dirent *entry;
	bool more = false;
	DIR *at;

	snprintf(folder, sizeof(folder), "%.*s", end && end > path ? (int)(end - path) : 1, path);
	at = opendir(folder);
	while (at && !more && (entry = readdir(at))) {
		const char *name = entry->d_name;

		more = strcmp(name, ".") && strcmp(name, "..") && !ends_with(name, ".so") && !strstr(name, ".so.") && strcmp(name, "plugins.list") != 0;
		if (more)
			snprintf(name_out, room, "%s", name);
	}
	if (at)
		closedir(at);
	return more;
}
