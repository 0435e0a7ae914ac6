/* SPDX-License-Identifier: MIT */
/* file.h - a plugin's file: opened and checked, not yet loaded. */
#ifndef HOST_FILE_H
#define HOST_FILE_H

#include "host/find/host_note.h"
#include "host/trust/sealed.h"
#include <sys/stat.h>

struct host_file {
	char *path; /* real path; owned */
	int fd;     /* -1: not open */
	struct stat stat;
	unsigned char *bytes;      /* the part that host_bytes_read reads, as it was checked; owned, or of sealed */
	struct host_sealed sealed; /* after host_file_seal: all of the file, and what is loaded */
	size_t size;               /* of the file */
	struct host_note note;
	struct host_note_place place; /* in bytes */
};

/* Opens a regular file by its real path, refuses it by owner and mode, reads it. Finish it also after a failure, when
 * path may be known already. Errors: PLUGIN_REFUSED, NO_MEMORY. */
ptowsp_status host_file_open(struct host_file *file, const char *path, struct ptowsp_error *error);
/* Copies all of an open file into a sealed memory file: from here on that is what is checked and loaded, whatever becomes of the file. Errors: PLUGIN_REFUSED,
 * NO_MEMORY. */
ptowsp_status host_file_seal(struct host_file *file, struct ptowsp_error *error);
/* The same as after open and seal: from such a copy, whose descriptor is duplicated; path is what it is called. Errors: as host_file_open. */
ptowsp_status host_file_take(struct host_file *file, int fd, const char *path, struct ptowsp_error *error);
/* Lint unless off, note, sanitizer. Errors: PLUGIN_REFUSED. */
ptowsp_status host_file_check(struct host_file *file, bool lint_off, struct ptowsp_error *error);
void host_file_finish(struct host_file *file);

/* "libptowsp_NAME.so", with or without folders before it: NAME (its length in *length_out), else NULL. */
const char *host_file_name(const char *path, size_t *length_out);
/* A file called libptowsp_NAME.so must be the plugin NAME; one with another kind of name may be any. */
ptowsp_status host_file_name_check(const char *path, const struct host_note *note, struct ptowsp_error *error);

#endif
