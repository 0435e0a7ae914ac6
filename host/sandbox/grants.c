/* SPDX-License-Identifier: MIT */
/* grants.c - words of a note, and which of them mean something that a sandbox can give. */
#include "host/sandbox/grants.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

static const char *const keys[] = {"device=", "read=", "memory=", "call="}; /* by kind */

/* Calls that reach nothing but the process itself, and what it has open; timers send signals to threads of their own process. */
static const struct {
	enum host_grant_kind kind;
	const char *value; /* NULL: any */
	int number;
} calls[] = {{HOST_GRANT_DEVICE, NULL, SYS_ioctl},
	     {HOST_GRANT_MEMORY, "locked", SYS_mlock},
	     {HOST_GRANT_MEMORY, "locked", SYS_mlock2},
	     {HOST_GRANT_MEMORY, "locked", SYS_munlock},
	     {HOST_GRANT_CALL, "fadvise64", SYS_fadvise64},
	     {HOST_GRANT_CALL, "fallocate", SYS_fallocate},
	     {HOST_GRANT_CALL, "flock", SYS_flock},
	     {HOST_GRANT_CALL, "kcmp", SYS_kcmp},
	     {HOST_GRANT_CALL, "mbind", SYS_mbind},
	     {HOST_GRANT_CALL, "set_mempolicy", SYS_set_mempolicy},
	     {HOST_GRANT_CALL, "timer_create", SYS_timer_create},
	     {HOST_GRANT_CALL, "timer_settime", SYS_timer_settime},
	     {HOST_GRANT_CALL, "timer_delete", SYS_timer_delete}};
enum { CALLS = sizeof(calls) / sizeof(*calls) };
_Static_assert((int)CALLS <= (int)HOST_GRANTS_CALLS, "room for all of them");

bool host_grants_next(const char **at, struct host_grant *grant_out)
{
	const size_t length = strcspn(*at, ";");

	for (unsigned kind = 0; kind < sizeof(keys) / sizeof(*keys); kind++) {
		const size_t key = strlen(keys[kind]);

		if (length <= key || length - key >= sizeof(grant_out->value) || strncmp(*at, keys[kind], key))
			continue;
		*grant_out = (struct host_grant){.kind = kind};
		memcpy(grant_out->value, *at + key, length - key);
		*at += length + ((*at)[length] == ';');
		return true;
	}
	return false;
}

static bool asks(const char *text, enum host_grant_kind kind, const char *value)
{
	struct host_grant grant;

	while (host_grants_next(&text, &grant))
		if (grant.kind == kind && (!value || !strcmp(grant.value, value)))
			return true;
	return false;
}

bool host_grants_lock(const char *text)
{
	return asks(text, HOST_GRANT_MEMORY, "locked");
}

unsigned host_grants_calls(const char *text, int numbers_out[HOST_GRANTS_CALLS])
{
	unsigned count = 0;

	for (unsigned i = 0; i < CALLS; i++)
		if (asks(text, calls[i].kind, calls[i].value))
			numbers_out[count++] = calls[i].number;
	return count;
}

/* ---- which can be given ------------------------------------------------------------------------------------------ */

/* Below one of the folders of this kind, by whole names. */
static bool is_below(enum host_grant_kind kind, const char *path)
{
	static const char *const devices[] = {"/dev/", NULL}, *const files[] = {"/etc/", "/sys/", "/usr/", "/opt/", "/var/lib/", "/proc/driver/", NULL};
	const char *const *folder = kind == HOST_GRANT_DEVICE ? devices : files;

	while (*folder && (strncmp(path, *folder, strlen(*folder)) || !path[strlen(*folder)]))
		folder++;
	return *folder;
}

static bool is_plain(const char *path)
{
	const char *name = strrchr(path, '/');

	return !strstr(path, "//") && !strstr(path, "/../") && !strstr(path, "/./") && strcmp(name, "/..") && strcmp(name, "/.");
}

static bool is_known(const struct host_grant *g)
{
	for (unsigned i = 0; i < CALLS; i++)
		if (calls[i].kind == g->kind && calls[i].value && !strcmp(calls[i].value, g->value))
			return true;
	return false;
}

static const char *fault_of(const struct host_grant *g)
{
	const char *star = strchr(g->value, '*');

	switch (g->kind) {
	case HOST_GRANT_DEVICE:
		return is_below(g->kind, g->value) && is_plain(g->value) && (!star || (!star[1] && star[-1] != '/')) && !strpbrk(g->value, "?[\\")
			       ? NULL
			       : "device= is a path below /dev, with one * at the end of its last name or none";
	case HOST_GRANT_READ:
		return is_below(g->kind, g->value) && is_plain(g->value) ? NULL : "read= is a path below /etc, /sys, /usr, /opt, /var/lib or /proc/driver";
	case HOST_GRANT_MEMORY: return is_known(g) ? NULL : "memory= is locked";
	case HOST_GRANT_CALL: break;
	}
	return is_known(g) ? NULL : "call= is one of fadvise64, fallocate, flock, kcmp, mbind, set_mempolicy, timer_create, timer_settime, timer_delete";
}

const char *host_grants_fault(const char *text, const char **word_out)
{
	struct host_grant grant;
	const char *fault = NULL;

	while (!fault && *text) {
		*word_out = text;
		fault = host_grants_next(&text, &grant) ? fault_of(&grant) : "words are device=, read=, memory=, call=, driver=";
	}
	return fault;
}

/* Majors and minors of the kernel's list of devices (Documentation/admin-guide/devices.txt): of memory, those are free that are a source or a sink. */
static bool is_of_a_driver(const struct stat *file)
{
	enum { MEMORY = 1, NULL_MINOR = 3, FIRST_FREE = 5, LAST_FREE = 9, TERMINAL = 4, CONSOLE = 5, PSEUDO_FIRST = 136, PSEUDO_LAST = 143 };
	const unsigned kind = major(file->st_rdev), number = minor(file->st_rdev);

	if (!S_ISCHR(file->st_mode))
		return false;
	if (kind == MEMORY)
		return number == NULL_MINOR || (number >= FIRST_FREE && number <= LAST_FREE);
	return kind != TERMINAL && kind != CONSOLE && (kind < PSEUDO_FIRST || kind > PSEUDO_LAST);
}

bool host_grants_path(enum host_grant_kind kind, const char *real_path)
{
	struct stat file;

	return is_below(kind, real_path) && (kind != HOST_GRANT_DEVICE || (!stat(real_path, &file) && is_of_a_driver(&file)));
}
