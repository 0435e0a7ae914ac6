/* SPDX-License-Identifier: MIT */
/* grants.h - what a plugin's note asks for beyond what a sandbox allows: devices of its driver, files that it reads, memory that stays where it is, system calls (ptowsp/note.h). Any thread. */
#ifndef HOST_GRANTS_H
#define HOST_GRANTS_H

#include <stdbool.h>
#include <stddef.h>

enum host_grant_kind { HOST_GRANT_DEVICE, HOST_GRANT_READ, HOST_GRANT_MEMORY, HOST_GRANT_CALL };
struct host_grant {
	enum host_grant_kind kind;
	char value[256]; /* a path, of DEVICE with a '*' as its last character or without one; of MEMORY and CALL a word */
};
enum {
	HOST_GRANTS_TEXT = 1025, /* of the fifth string of a note, its end included */
	HOST_GRANTS_CALLS = 16   /* system calls that there are to ask for, at most */
};

/* The fault of the first word of "device=PATH;read=PATH;memory=locked;call=NAME" that can be granted to nobody; NULL: each can. *word_out: where it begins. */
const char *host_grants_fault(const char *text, const char **word_out);
/* The next of them, of a text without fault; false: there is none. *at begins at the text. */
bool host_grants_next(const char **at, struct host_grant *grant_out);
/* Whether the text asks for pages that stay where they are. */
bool host_grants_lock(const char *text);
/* Numbers of the system calls that the text brings, each once; returns how many. */
unsigned host_grants_calls(const char *text, int numbers_out[HOST_GRANTS_CALLS]);
/* Whether the real path that a word leads to may be given for it: no link leads out of the folders of its kind; a device is of characters, and neither memory of the machine nor a terminal. */
bool host_grants_path(enum host_grant_kind kind, const char *real_path);

#endif
