/* SPDX-License-Identifier: MIT */
/* search.h - the folders where plugins are looked for, in order, and the file that a name means. */
#ifndef HOST_SEARCH_H
#define HOST_SEARCH_H

#include "host/find/host_plugin.h"

struct host_folder {
	char *path;         /* owned; as given, real where it exists */
	const char *reason; /* why nothing is found in it; NULL if something may be. Static. */
	bool looked;        /* false: not looked into, by a rule */
};
struct host_folders {
	struct host_folder *rows; /* owned */
	uint32_t count;
};
/* Errors: NO_MEMORY. Finish also after a failure. */
ptowsp_status host_folders_init(struct host_folders *folders, const struct host_search *search, struct ptowsp_error *error);
void host_folders_finish(struct host_folders *folders);

/* The folder into which plugins are installed, for a process that may not, or cannot, look beside its own file. */
extern const char host_system_folder[];
/* A file of this build that is no plugin, beside the folder that belongs to the running tool or library: "ptowsp-worker". false: it is not there. */
bool host_beside_find(const char *name, char *path_out, size_t room);
/* Does the file of that real path lie in the folder that belongs to the running tool or library? */
bool host_is_own(const char *real_path);

/* Position in the preference list (--plugin-order, else the built-in one), UINT32_MAX if it is not in it. */
uint32_t host_preference_rank(const struct host_search *search, const char *name);

#endif
