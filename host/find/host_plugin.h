/* SPDX-License-Identifier: MIT */
/* host_plugin.h - find, check and load a plugin: search path, owner and mode, ELF lint, note, dlopen, normalise. */
#ifndef HOST_PLUGIN_H
#define HOST_PLUGIN_H

#include "host/sandbox/grants.h"
#include "host/sandbox/limits.h"
#include "ptowsp/plugin.h"
#include <pthread.h>
#include <stdbool.h>

#define PTOWSP_HOST_MINOR PTOWSP_ABI_MINOR /* newest minor that this host speaks */
_Static_assert(PTOWSP_ABI_TARGET == PTOWSP_HOST_MINOR, "a host knows all of its headers: -DPTOWSP_ABI_TARGET in tools/ninja");
#define HOST_TEST_MINOR 9999 /* of tests/abi/minor, which nobody releases */

/* The facts of the ELF note; read without running the plugin. */
struct host_note {
	uint32_t major, minor, flags, sanitizer;
	char name[33], vendor[64], version[32], targets[256];
	uint32_t driver;               /* PTOWSP_DRIVER_x: breaches that it declares of its driver */
	char driver_option[33];        /* without that option, or where it is 0, there is no driver; "": there always is */
	char grants[HOST_GRANTS_TEXT]; /* what it asks of a sandbox (grants.h), "" for nothing */
};

/* The folders of plugins, in the order of the search. */
struct host_search {
	const char *const *dirs; /* --plugin-dir, first wins; borrowed */
	uint32_t dir_count;
	bool user_plugins;                /* also the user's own folder */
	bool lint_off;                    /* tests only: load in spite of the ELF lint, and what is of the test minor */
	const int *sealed_fd;             /* of a worker: the sealed copy that its host has checked, instead of the file of that path; NULL: none */
	const struct host_policy *policy; /* which may load; NULL: any, but under elevated privileges none. Borrowed */
	const char *const *order;         /* --plugin-order, decides between aliases; NULL: the built-in one (registry); borrowed */
	uint32_t order_count;
	uint32_t isolate;                      /* PTOWSP_ISOLATE_x, or HOST_ISOLATE_RULE; 0: none */
	bool grants;                           /* a sandbox gives what the note asks for, whoever made the file */
	bool apart;                            /* by that rule a worker for every plugin */
	const struct ptowsp_setting *settings; /* with which it will begin; borrowed */
	uint32_t setting_count;
	uint32_t load_timeout_ms;  /* of struct host_remote_start */
	struct host_limits limits; /* likewise */
	void (*entering)(void);    /* told before the entry is called; NULL: nobody */
};

/* One file that was looked at. */
struct host_candidate {
	char *path;    /* real path; for a folder that was skipped, the folder as given */
	char name[33]; /* by its file name; "" if that is none */
	bool usable;
	bool shadowed;         /* an earlier row has the same name, and that one is meant by it, usable or not */
	uint32_t shadowed_by;  /* that row */
	struct host_note note; /* zeros if it could not be read */
	char reason[256];      /* why it was skipped; "" if usable */
	char warning[128];     /* usable, but; "" if nothing */
};
struct host_listing {
	struct host_candidate *rows; /* owned */
	uint32_t count;
	char **folders; /* owned: every folder looked into, in order */
	uint32_t folder_count;
};
/* Lists every libptowsp_*.so of the search path, and each folder that was skipped; runs no plugin code. [main] */
ptowsp_status host_list(const struct host_search *search, struct host_listing *listing_out, struct ptowsp_error *error);
void host_listing_finish(struct host_listing *listing);
/* The plugin that an alias (a target of its note) means: NULL if none claims it; *rival_out is set if another claims it
 * too and the preference list has neither. Borrowed from the listing. */
const struct host_candidate *host_listing_alias(const struct host_listing *listing, const struct host_search *search, const char *alias,
						const struct host_candidate **rival_out);

struct host_remote;
/* A loaded plugin; never unmapped. Its ops are the host's own full-size copy with every hole filled. One that is isolated has no descriptor and no ops here, and is its
 * backend's alone. */
struct host_plugin {
	char *path; /* real path */
	struct host_note note;
	char trust[144]; /* why it may load: "signed by NAME (KEY)", "in a list", "" where any may */
	uint32_t minor;  /* effective: min(host, plugin) */
	const struct ptowsp_plugin *descriptor;
	struct ptowsp_ops ops;      /* normalised */
	struct host_remote *remote; /* owned; NULL: it is in this process */
	pthread_mutex_t *main_lock; /* held during [main] operations: all instances share one object. NULL: in a worker, which has one instance */
	uint32_t isolate;           /* PTOWSP_ISOLATE_x: where it is */
	bool withheld;              /* it is in a sandbox, which does not give what its note asks for */
};
/* name: [a-z0-9_]{1,32} is searched by file name, then by target alias; anything with a '/' is a path. search may be NULL.
 * Errors: PLUGIN_REFUSED with path and reason, or with the folders that were searched. Loading the same file twice
 * gives the same object. [any] */
ptowsp_status host_plugin_load(const struct host_search *search, const char *name, struct host_plugin **plugin_out, struct ptowsp_error *error);
/* An isolated one ends with its worker; others stay. NULL is allowed. [main] */
void host_plugin_release(struct host_plugin *plugin);

/* Steps, public for tests and tools. fd: an open file. */
ptowsp_status host_note_read(int fd, const char *path, struct host_note *note_out, struct ptowsp_error *error);
ptowsp_status host_note_parse(const void *elf, size_t size, const char *path, struct host_note *note_out, struct ptowsp_error *error);
ptowsp_status host_lint(const void *elf, size_t size, const char *path, struct ptowsp_error *error);
/* A warning about something allowed: static thread-local storage. "" if nothing. */
void host_lint_warn(const void *elf, size_t size, char *text_out, size_t room);
/* PTOWSP_DRIVER_x that it declares of its driver, with these settings. */
uint32_t host_note_driver(const struct host_note *note, const struct ptowsp_setting *settings, uint32_t count);
/* Owner and mode of the file and of every folder above it. what: "plugin", for the sentence. */
ptowsp_status host_check_owner(const char *real_path, const char *what, struct ptowsp_error *error);

#endif
