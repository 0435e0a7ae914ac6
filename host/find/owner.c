/* SPDX-License-Identifier: MIT */
/* owner.c - who could have put this file here: owner and mode of a plugin, or of a key that is trusted, and of every folder above it. */
#include "host/find/host_plugin.h"
#include "host/find/refuse.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

/* Calls fn for "/", "/a", "/a/b", ... of an absolute path; stops when it answers true. */
typedef bool (*visit_fn)(void *context, const char *path, bool last);
static bool path_visit(const char *path, visit_fn fn, void *context)
{
	char part[PATH_MAX];
	size_t length = strlen(path);

	if (length >= sizeof(part))
		return false;
	if (fn(context, "/", false))
		return true;
	for (size_t end = 1; end <= length; end++) {
		if (path[end] != '/' && path[end])
			continue;
		memcpy(part, path, end);
		part[end] = 0;
		if (fn(context, part, end == length))
			return true;
	}
	return false;
}

static bool owns(void *context, const char *path, bool last)
{
	const uid_t *uid = context;
	struct stat stat;

	(void)last;
	return !lstat(path, &stat) && stat.st_uid == *uid;
}

/* Owns the running program or a folder above it: could have replaced the program itself, so gains nothing here. Containers that
 * build as root in somebody's folder need it. Not with elevated privileges. */
static bool owns_program(uid_t uid)
{
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (length <= 0 || getauxval(AT_SECURE))
		return false;
	program[length] = 0;
	return path_visit(program, owns, &uid);
}

static bool uid_trusted(uid_t uid)
{
	return uid == 0 || uid == geteuid() || owns_program(uid);
}

/* Nobody but the user (and root) is in the group, and it is the user's primary one: as good as the user. */
static bool group_is_own(gid_t gid)
{
	const struct passwd *user = getpwuid(geteuid()), *other;
	gid_t primary = user ? user->pw_gid : getegid();
	char name[256] = "";
	const struct group *group;
	bool own = gid == primary;

	if (user)
		snprintf(name, sizeof(name), "%s", user->pw_name);
	group = own ? getgrgid(gid) : NULL;
	for (char **member = group ? group->gr_mem : NULL; own && member && *member; member++)
		own = !strcmp(*member, name) || !strcmp(*member, "root");
	if (!own)
		return false;
	setpwent();
	while (own && (other = getpwent()))
		own = other->pw_gid != gid || other->pw_uid == geteuid() || other->pw_uid == 0;
	endpwent();
	return own;
}

struct checking {
	const char *what; /* the file is, in sentences */
	struct ptowsp_error *error;
	ptowsp_status status;
};

/* Rules by number, each for a folder and for the file: what stands before and behind what the file is. */
enum rule { OWNER, ANYBODY, GROUP };
static const struct words {
	const char *before, *behind;
} words[][2] = {
	[OWNER] = {{"folder above the ", " belongs to another user"}, {"", " file belongs to another user"}},
	[ANYBODY] = {{"anybody may write a folder above the ", ""}, {"anybody may write the ", " file"}},
	[GROUP] = {{"a group may write a folder above the ", ""}, {"a group may write the ", " file"}},
};

/* The path stands once, in the command, so that it fits. */
static ptowsp_status refuse(const struct checking *c, const char *path, const struct stat *stat, enum rule rule, bool last)
{
	const struct passwd *owner = getpwuid(stat->st_uid);
	const struct words *w = &words[rule][last];
	char number[16], command[96];

	snprintf(number, sizeof(number), "uid %u", (unsigned)stat->st_uid);
	snprintf(command, sizeof(command), "%s", rule == ANYBODY ? "chmod o-w" : rule == GROUP ? "chmod g-w" : "chown root");
	if (rule == OWNER && geteuid())
		snprintf(command, sizeof(command), "copy the %s into a folder of yours, or: sudo chown root", c->what);
	return host_fail(c->error, PTOWSP_PLUGIN_REFUSED, "%s%s%s (owner %s, mode %04o); cure: %s '%s'", w->before, c->what, w->behind,
			 owner ? owner->pw_name : number, (unsigned)stat->st_mode & 07777u, command, path);
}

static bool component_check(void *context, const char *path, bool last)
{
	struct checking *checking = context;
	struct stat stat;
	bool sticky;

	if (lstat(path, &stat)) {
		checking->status = host_refuse_errno(checking->error, path, errno, "cannot be looked at");
		return true;
	}
	/* In a sticky folder only a file's owner can replace it, and the owner of what follows is checked next. */
	sticky = !last && (stat.st_mode & S_ISVTX);
	if (!uid_trusted(stat.st_uid))
		checking->status = refuse(checking, path, &stat, OWNER, last);
	else if ((stat.st_mode & S_IWOTH) && !sticky)
		checking->status = refuse(checking, path, &stat, ANYBODY, last);
	else if ((stat.st_mode & S_IWGRP) && !sticky && !group_is_own(stat.st_gid))
		checking->status = refuse(checking, path, &stat, GROUP, last);
	return checking->status != PTOWSP_OK;
}

ptowsp_status host_check_owner(const char *real_path, const char *what, struct ptowsp_error *error)
{
	struct checking checking = {what, error, PTOWSP_OK};

	if (real_path[0] != '/' || strlen(real_path) >= PATH_MAX)
		return host_refuse(error, real_path, "not a real path");
	path_visit(real_path, component_check, &checking);
	return checking.status;
}
