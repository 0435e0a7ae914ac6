/* SPDX-License-Identifier: MIT */
/* trust.h - whose signatures count: public keys of the trust folders, and what they say about a package or a plugin. */
#ifndef HOST_TRUST_H
#define HOST_TRUST_H

#include <stdbool.h>

#include "format/format_signature.h"

/* Folders with public keys (NAME.pub) and lists of plugins (plugins.list): the system's, those of PTOWSP_TRUST_DIR, given ones. With elevated privileges
 * only the system's. */
struct host_trust_dirs {
	const char *const *dirs; /* --trust-dir; borrowed */
	uint32_t count;
};
/* Calls fn with the path of each such folder that may be used. Stops at the first status that is not 0. */
ptowsp_status host_trust_folders(const struct host_trust_dirs *given,
				 ptowsp_status (*fn)(void *context, const char *folder, bool given, struct ptowsp_error *error), void *context,
				 struct ptowsp_error *error);
/* A small file that only its owner, root and the user could have written (host_check_owner): its bytes, at most room. what: "key", for sentences.
 * Errors: PLUGIN_REFUSED with path and reason, also for one that is larger. */
ptowsp_status host_trust_file(const char *path, const char *what, void *bytes_out, size_t room, size_t *size_out, struct ptowsp_error *error);

#define HOST_KEY_NAME 64u
enum { HOST_KEYS_TOLD = 16 };
struct host_keys {
	struct host_key {
		uint8_t key[PKG_KEY_SIZE];
		char name[HOST_KEY_NAME]; /* of its file, without .pub */
	} * rows;                         /* owned */
	uint32_t count;
	char passed_over[HOST_KEYS_TOLD][216]; /* why a key file is not used, the first ones */
	uint32_t passed_count;                 /* of all of them */
};
/* Every key of the folders. A file that is no key, or that others could have put there, is passed over. Errors: IO (a given folder cannot be read),
 * NO_MEMORY. Finish also after a failure. */
ptowsp_status host_keys_read(struct host_keys *keys, const struct host_trust_dirs *dirs, struct ptowsp_error *error);
void host_keys_finish(struct host_keys *keys);
/* The index-th line about files that are not used; false behind the last. The last one counts those that have no line. */
bool host_keys_line(const struct host_keys *keys, uint32_t index, char *line, size_t room);

#define HOST_TRUST_TEXT 144u
/* The plugin that is to run it, and for which a signature may be. */
struct host_trust_for {
	const char *plugin; /* NULL: nobody yet; whom a signature is for is not asked then */
	uint32_t minor;     /* effective */
};
/* Is one signature by a trusted key over these bytes, for that plugin, and valid now? text: by whom, else why none counts, of that which comes nearest; not a
 * sentence of its own: "signed by NAME (ID)", "the signature of NAME is for aie, not for cpu_sim". what: "package", "plugin". */
bool host_trust_judge(const struct host_keys *keys, const struct pkg_signature *rows, uint32_t count, enum pkg_signed what, const uint8_t *digest,
		      const struct host_trust_for *whom, char text_out[HOST_TRUST_TEXT]);
/* "2030-12-31" of seconds since 1970. */
void host_trust_day(uint64_t seconds, char day_out[16]);

#endif
