/* SPDX-License-Identifier: MIT */
/* load.c - from a name to a plugin whose operations can be called. A loaded one stays mapped: threads, thread-local
 * destructors and handlers of a plugin outlive any dlclose. */
#include "host/find/entry.h"
#include "host/find/refuse.h"
#include "host/find/search.h"
#include "host/ptowsp_host.h"
#include "host/trust/host_policy.h"
#include "host/worker/isolate.h"
#include "registry/text.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

/* A plugin with the file that it came from. Never freed. */
struct loaded {
	struct host_plugin plugin;
	dev_t device;
	ino_t inode;
	uint32_t kind; /* PTOWSP_PLUGINS_x that it was held against */
	pthread_mutex_t main_lock;
	int fd; /* of the sealed copy, open for ever; -1: the file itself was loaded */
	struct loaded *next;
};
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER; /* of everything below, and held while a plugin's constructors and its entry run */
static struct loaded *all;

/* An earlier load of this file, or of another one by this path: glibc would give that one again. */
static struct loaded *known_find(const struct host_file *file, bool *replaced_out)
{
	*replaced_out = false;
	for (struct loaded *at = all; at; at = at->next) {
		if (at->device == file->stat.st_dev && at->inode == file->stat.st_ino)
			return at;
		*replaced_out = *replaced_out || !strcmp(at->plugin.path, file->path);
	}
	return NULL;
}

/* A callback of one operation may lead to another one. */
static void main_lock_init(pthread_mutex_t *lock)
{
	pthread_mutexattr_t recursive;

	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(lock, &recursive);
	pthread_mutexattr_destroy(&recursive);
}

/* link: the file name that was searched for and must agree with the note; NULL if a path was given. */
static ptowsp_status fresh_load(struct host_file *file, const char *link, const struct host_search *search, struct loaded **out, struct ptowsp_error *error)
{
	const struct host_policy *policy = search ? search->policy : NULL;
	const bool asked = search && search->sealed_fd; /* by who sealed it */
	struct loaded *fresh = calloc(1, sizeof(*fresh));
	ptowsp_status status;

	if (!fresh)
		return host_fail(error, PTOWSP_NO_MEMORY, "%s: no memory to load it", file->path);
	status = asked ? PTOWSP_OK : host_policy_seal(policy, file, error);
	if (!status)
		status = host_file_check(file, search && search->lint_off, error);
	if (!status && link)
		status = host_file_name_check(link, &file->note, error);
	if (!status && !asked)
		status = host_policy_check(policy, file, fresh->plugin.trust, error);
	if (!status)
		status = host_entry_call(file, search ? search->entering : NULL, &fresh->plugin, error);
	if (status) {
		free(fresh);
		return status;
	}
	fresh->plugin.path = file->path;
	file->path = NULL;
	fresh->plugin.note = file->note;
	fresh->plugin.isolate = PTOWSP_ISOLATE_NONE;
	fresh->device = file->stat.st_dev;
	fresh->inode = file->stat.st_ino;
	fresh->kind = host_policy_kind(policy);
	fresh->fd = file->sealed.fd;
	if (file->sealed.fd >= 0)
		file->bytes = NULL;
	host_sealed_finish(&file->sealed, true);
	main_lock_init(&fresh->main_lock);
	fresh->plugin.main_lock = &fresh->main_lock;
	fresh->next = all;
	*out = all = fresh;
	return PTOWSP_OK;
}

/* The same checks as for one that is loaded here; the worker repeats them and loads. */
static ptowsp_status isolated_load(struct host_file *file, const char *link, const struct host_search *search, uint32_t isolate,
				   struct host_plugin **plugin_out, struct ptowsp_error *error)
{
	struct host_remote_start start = {.path = file->path,
					  .sandbox = isolate == PTOWSP_ISOLATE_SANDBOX,
					  .lint_off = search->lint_off,
					  .load_timeout_ms = search->load_timeout_ms,
					  .limits = search->limits};
	ptowsp_status status = host_policy_seal(search->policy, file, error);
	struct host_plugin *plugin = calloc(1, sizeof(*plugin));

	start.fd = file->sealed.fd >= 0 ? file->sealed.fd : file->fd;
	if (!status)
		status = host_file_check(file, search->lint_off, error);
	if (!status && link)
		status = host_file_name_check(link, &file->note, error);
	if (!status && (file->note.flags & PTOWSP_PLUGIN_ISOLATION_UNSAFE))
		status = host_refuse(error, file->path,
				     "its note says that it cannot be isolated (PTOWSP_PLUGIN_ISOLATION_UNSAFE); --isolate=none runs it in this process");
	if (!status && !plugin)
		status = host_fail(error, PTOWSP_NO_MEMORY, "%s: no memory to load it", file->path);
	if (!status)
		status = host_policy_check(search->policy, file, plugin->trust, error);
	start.name = file->note.name;
	start.grants = search->grants || host_isolate_grants(file->path, host_policy_kind(search->policy)) ? file->note.grants : "";
	start.jit = file->note.flags & PTOWSP_PLUGIN_NEEDS_JIT;
	if (!status)
		status = host_remote_start(&plugin->remote, &start, error);
	if (status) {
		free(plugin);
		return status;
	}
	plugin->path = file->path;
	file->path = NULL;
	plugin->note = file->note;
	plugin->minor = host_minor_of(file->note.minor);
	plugin->isolate = isolate;
	plugin->withheld = start.sandbox && *file->note.grants && !*start.grants;
	*plugin_out = plugin;
	return PTOWSP_OK;
}

void host_plugin_release(struct host_plugin *plugin)
{
	if (!plugin || !plugin->remote)
		return;
	host_remote_stop(plugin->remote);
	free(plugin->path);
	free(plugin);
}

/* The note is only asked here where to run what it is of: what is loaded is checked later. */
static uint32_t isolate_of(const struct host_search *search, const struct host_file *file)
{
	struct ptowsp_error ignored = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct host_note note;

	if (!search || search->isolate != HOST_ISOLATE_RULE)
		return search && search->isolate ? search->isolate : PTOWSP_ISOLATE_NONE;
	if (search->apart)
		return PTOWSP_ISOLATE_PROCESS;
	host_note_read(file->fd, file->path, &note, &ignored);
	return host_isolate_rule(file->path, host_note_driver(&note, search->settings, search->setting_count), host_policy_kind(search->policy));
}

static ptowsp_status path_load(const struct host_search *search, const char *path, const char *link, struct host_plugin **plugin_out,
			       struct ptowsp_error *error)
{
	const uint32_t kind = host_policy_kind(search ? search->policy : NULL);
	uint32_t isolate;
	struct loaded *found = NULL;
	struct host_file file;
	bool replaced = false;
	ptowsp_status status = search && search->sealed_fd ? host_file_take(&file, *search->sealed_fd, path, error) : host_file_open(&file, path, error);

	isolate = status ? PTOWSP_ISOLATE_NONE : isolate_of(search, &file);
	if (isolate != PTOWSP_ISOLATE_NONE) {
		status = isolated_load(&file, link, search, isolate, plugin_out, error);
		host_file_finish(&file);
		return status;
	}
	pthread_mutex_lock(&loading);
	if (!status)
		found = known_find(&file, &replaced);
	if (!status && !found && replaced)
		status = host_refuse(error, file.path,
				     "was replaced since this program loaded it; start the "
				     "program again");
	if (!status && found && kind != PTOWSP_PLUGINS_ANY && found->kind != kind)
		status = host_refuse(error, file.path, "this program has loaded it without asking whether it is listed or signed; start the program again");
	if (!status && !found)
		status = fresh_load(&file, link, search, &found, error);
	pthread_mutex_unlock(&loading);
	if (!status)
		*plugin_out = &found->plugin;
	host_file_finish(&file);
	return status;
}

/* The first folder with libptowsp_NAME.so: other files there are not opened. */
static bool file_find(const struct host_folders *folders, const char *name, char *path_out, size_t room)
{
	struct stat stat_of;

	for (uint32_t i = 0; i < folders->count; i++) {
		int length = snprintf(path_out, room, "%s/libptowsp_%s.so", folders->rows[i].path, name);

		if (!folders->rows[i].reason && length > 0 && (size_t)length < room && !lstat(path_out, &stat_of))
			return true;
	}
	return false;
}

/* The names of the listing, nearest first. */
static void names_say(const struct host_listing *listing, const char *wanted, char *text, size_t room)
{
	const char **names = calloc(listing->count + 1u, sizeof(*names));
	struct reg_text out;
	uint32_t count = 0;

	reg_text_init(&out, text, room);
	for (uint32_t i = 0; names && i < listing->count; i++)
		if (listing->rows[i].usable && !listing->rows[i].shadowed)
			names[count++] = listing->rows[i].name;
	reg_text_add_nearest(&out, wanted, names, count);
	free(names);
}

static ptowsp_status nothing_found(const struct host_folders *folders, const struct host_listing *listing, const char *name, struct ptowsp_error *error)
{
	char text[256] = "", known[128];
	size_t used = 0;

	names_say(listing, name, known, sizeof(known));

	for (uint32_t i = 0; i < folders->count && used < sizeof(text); i++)
		if (folders->rows[i].looked)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used ? ", " : "", folders->rows[i].path);
	return host_fail(error, PTOWSP_PLUGIN_REFUSED, "no plugin \"%s\" (see --list-plugins); known: %s; looked in %s", name, known, text);
}

static ptowsp_status alias_find(const struct host_search *search, const struct host_folders *folders, const char *name, char *path_out, size_t room,
				struct ptowsp_error *error)
{
	const struct host_candidate *row, *rival;
	struct host_listing listing;
	ptowsp_status status = host_list(search, &listing, error);

	if (status)
		return status;
	row = host_listing_alias(&listing, search, name, &rival);
	if (!row)
		status = nothing_found(folders, &listing, name, error);
	else if (rival)
		status = host_fail(error, PTOWSP_PLUGIN_REFUSED,
				   "\"%s\" is a target of both %s and %s; name one of them, or give "
				   "an order with --plugin-order",
				   name, row->note.name, rival->note.name);
	else
		snprintf(path_out, room, "%s", row->path);
	host_listing_finish(&listing);
	return status;
}

static ptowsp_status name_load(const struct host_search *search, const char *name, struct host_plugin **plugin_out, struct ptowsp_error *error)
{
	struct host_folders folders;
	char path[PATH_MAX];
	ptowsp_status status = host_folders_init(&folders, search, error);

	if (!status && !file_find(&folders, name, path, sizeof(path)))
		status = alias_find(search, &folders, name, path, sizeof(path), error);
	if (!status)
		status = path_load(search, path, path, plugin_out, error);
	host_folders_finish(&folders);
	return status;
}

ptowsp_status host_plugin_load(const struct host_search *search, const char *name, struct host_plugin **plugin_out, struct ptowsp_error *error)
{
	*plugin_out = NULL;
	if (strchr(name, '/') && getauxval(AT_SECURE))
		return host_refuse(error, name, "not under elevated privileges; only the system's plugins by name");
	if (strchr(name, '/'))
		return path_load(search, name, NULL, plugin_out, error);
	if (!host_name_valid(name, strlen(name)))
		return host_fail(error, PTOWSP_PLUGIN_REFUSED,
				 "\"%.64s\" is no plugin name: 1 to 32 of a-z 0-9 _, or a path with "
				 "a '/' in it",
				 name);
	return name_load(search, name, plugin_out, error);
}
