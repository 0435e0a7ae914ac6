/* SPDX-License-Identifier: MIT */
/* search.c - where plugins are looked for: given folders, the running tool's own, PTOWSP_PLUGIN_PATH, the user's. */
#include "host/find/search.h"
#include "host/host_error.h"
#include "registry/backends.h"
#include "registry/common/common_grow.h"
#include "registry/variable.h"

#include <dlfcn.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
#define TRIPLE "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define TRIPLE "aarch64-linux-gnu"
#endif
/* The folder of installed plugins when nothing that runs may say it: that of tools/ninja/install, its standard PREFIX, the Debian packages of tools/deb. */
static const char *const system_folders[] = {
	host_system_folder,
	"/usr/local/lib/ptowsp/v10/plugins",
#ifdef TRIPLE
	"/usr/lib/" TRIPLE "/ptowsp/v10/plugins",
#endif
};
enum { SYSTEM_FOLDERS = sizeof(system_folders) / sizeof(*system_folders) };

uint32_t host_preference_rank(const struct host_search *search, const char *name)
{
	uint32_t count = 0;
	const char *const *order = search && search->order ? search->order : reg_backends(&count);

	if (search && search->order)
		count = search->order_count;
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(order[i], name))
			return i;
	return UINT32_MAX;
}

static bool is_known(const struct host_folders *folders, const struct stat *folder)
{
	struct stat other;

	for (uint32_t i = 0; i < folders->count; i++)
		if (!stat(folders->rows[i].path, &other) && other.st_dev == folder->st_dev && other.st_ino == folder->st_ino)
			return true;
	return false;
}

/* A folder that was added before under any name is not added again. */
static ptowsp_status folder_add(struct host_folders *folders, const char *path, const char *reason, struct ptowsp_error *error)
{
	struct stat folder;
	bool looked = !reason, there = looked && !stat(path, &folder);
	char *kept;

	if (there && is_known(folders, &folder))
		return PTOWSP_OK;
	if (!reason && !there)
		reason = "no such folder";
	else if (!reason && !S_ISDIR(folder.st_mode))
		reason = "not a folder";
	kept = reason ? strdup(path) : realpath(path, NULL);
	if (!kept || !COMMON_RESIZE(folders->rows, folders->count + 1)) {
		free(kept);
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory for the list of plugin folders");
	}
	folders->rows[folders->count++] = (struct host_folder){.path = kept, .reason = reason, .looked = looked};
	return PTOWSP_OK;
}

/* The folder that a file lies in, without its name; "" if unknown. */
static void folder_of(char *path)
{
	char *slash = strrchr(path, '/');

	*(slash ? slash : path) = 0;
}

static bool is_folder(const char *path)
{
	struct stat stat_of;

	return !stat(path, &stat_of) && S_ISDIR(stat_of.st_mode);
}

/* Beside the running program, else beside the library that holds this code (an embedding program lies elsewhere), else
 * the first compiled in that is there. With elevated privileges only that: a hard link could move the program. */
static void own_folder_find(char *out, size_t room)
{
	static const char *const beside[] = {
		"ptowsp/plugins", "ptowsp/v10/plugins",
#ifdef TRIPLE
		TRIPLE "/ptowsp/v10/plugins" /* of Debian packages that were unpacked elsewhere */
#endif
	};
	enum { BESIDE = sizeof(beside) / sizeof(*beside) };
	static const char here; /* any address in this library */
	char program[PATH_MAX] = "", library[PATH_MAX] = "";
	Dl_info info;
	bool found = false;

	if (!getauxval(AT_SECURE)) {
		if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
			program[0] = 0;
		if (!dladdr(&here, &info) || !info.dli_fname || !realpath(info.dli_fname, library))
			library[0] = 0;
		folder_of(program);
		folder_of(program);
		folder_of(library);
		for (int i = 0; i < 2 * BESIDE && !found; i++) {
			int length =
				i < BESIDE ? snprintf(out, room, "%s/lib/%s", program, beside[i]) : snprintf(out, room, "%s/%s", library, beside[i - BESIDE]);

			found = length > 0 && (size_t)length < room && is_folder(out);
		}
	}
	for (int i = 0; i < SYSTEM_FOLDERS && !found; i++) {
		snprintf(out, room, "%s", system_folders[i]);
		found = is_folder(out);
	}
	if (!found)
		snprintf(out, room, "%s", system_folders[0]);
}

bool host_beside_find(const char *name, char *path_out, size_t room)
{
	char folder[PATH_MAX];
	int length;

	own_folder_find(folder, sizeof(folder));
	folder_of(folder);
	length = snprintf(path_out, room, "%s/%s", folder, name);
	return length > 0 && (size_t)length < room && !access(path_out, X_OK);
}

bool host_is_own(const char *real_path)
{
	char folder[PATH_MAX], real[PATH_MAX];
	size_t length;

	own_folder_find(folder, sizeof(folder));
	if (!realpath(folder, real))
		return false;
	length = strlen(real);
	return !strncmp(real_path, real, length) && real_path[length] == '/' && !strchr(real_path + length + 1, '/');
}

static ptowsp_status variable_add(struct host_folders *folders, struct ptowsp_error *error)
{
	const char *value = reg_variable("PTOWSP_PLUGIN_PATH");
	ptowsp_status status = PTOWSP_OK;
	char folder[PATH_MAX];
	size_t length;

	for (; value && *value && !status; value += length + (value[length] == ':')) {
		length = strcspn(value, ":");
		snprintf(folder, sizeof(folder), "%.*s", (int)(length < PATH_MAX ? length : PATH_MAX), value);
		if (!length)
			continue;
		status = folder_add(folders, folder, folder[0] == '/' ? NULL : "PTOWSP_PLUGIN_PATH takes absolute folders only", error);
	}
	return status;
}

/* From the password file, not from HOME: variables that are read are listed in the command line's contract. */
static ptowsp_status user_add(struct host_folders *folders, struct ptowsp_error *error)
{
	const struct passwd *user = getpwuid(geteuid());
	char folder[PATH_MAX];

	if (!user || !user->pw_dir || user->pw_dir[0] != '/')
		return PTOWSP_OK;
	snprintf(folder, sizeof(folder), "%s/.local/share/ptowsp/plugins", user->pw_dir);
	return folder_add(folders, folder, NULL, error);
}

ptowsp_status host_folders_init(struct host_folders *folders, const struct host_search *search, struct ptowsp_error *error)
{
	bool elevated = getauxval(AT_SECURE) != 0;
	ptowsp_status status = PTOWSP_OK;
	char own[PATH_MAX];

	*folders = (struct host_folders){0};
	for (uint32_t i = 0; search && i < search->dir_count && !status; i++)
		status = folder_add(folders, search->dirs[i], elevated ? "not used under elevated privileges" : NULL, error);
	own_folder_find(own, sizeof(own));
	if (!status)
		status = folder_add(folders, own, NULL, error);
	if (!status)
		status = variable_add(folders, error);
	if (!status && search && search->user_plugins && !elevated)
		status = user_add(folders, error);
	return status;
}

void host_folders_finish(struct host_folders *folders)
{
	for (uint32_t i = 0; i < folders->count; i++)
		free(folders->rows[i].path);
	free(folders->rows);
	*folders = (struct host_folders){0};
}
