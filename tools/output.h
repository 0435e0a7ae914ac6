/* SPDX-License-Identifier: MIT */
/* output.h - files that appear whole or not at all, whatever ends the process: written without a name where the file system knows such files, and given
 * one at the end. */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "ptowsp/base.h"

/* Files that a killed process can leave in a folder have names that begin so. A writer keeps its file locked; the next output that goes into the folder removes files without
 * a lock, if they belong to the same user. */
#define OUTPUT_TEMPORARY ".ptowsp-output-"

/* One thread at a time, except output_abort_all. */
struct output {
	char *path, *temporary; /* owned; temporary: NULL while the file has no name */
	FILE *file;             /* write here until output_finish, then it only holds the file */
	int slot;               /* in the table of files to remove on a signal, -1 if it is full */
};

/* Opens a file for path, which stays as it is. Errors: IO naming path, INVALID if it is an input of the call (apart.h), NO_MEMORY. */
ptowsp_status output_open(struct output *output, const char *path, struct ptowsp_error *error);
/* Flushes; the file is complete but not yet in its place. Errors: IO (disk full). */
ptowsp_status output_finish(struct output *output, struct ptowsp_error *error);
/* Puts a finished one in its place, once. Errors: IO. */
ptowsp_status output_publish(struct output *output, struct ptowsp_error *error);
/* All at once: a file of head and, behind it, bytes; either may be NULL with size 0. Errors: as output_open, IO. */
ptowsp_status output_save(const char *path, const void *head, size_t head_size, const void *bytes, size_t size, struct ptowsp_error *error);
/* Forgets the file if it was not published; zeroed and finished ones are fine. */
void output_drop(struct output *output);
/* Removes all temporary files, and folders that were made and are empty (folder.h); async-signal-safe. */
void output_abort_all(void);
/* Sets the function that output_abort_all calls first, async-signal-safe too; one function, NULL: nothing. */
void output_abort_hook(void (*also)(void));
/* For a tool that has nothing else to do on a signal: one that ends the process first removes the temporary files, and files that this call put where none was. */
void output_abort_on_signals(void);
/* Signals of this thread wait between the two, for files that are put in place together: what is published meanwhile stays. Not nested. */
void output_hold(void);
void output_release(void);
/* The next file that is put in its place is all that the tool is for: a signal that comes behind it is too late to end the process. */
void output_last(void);
/* output_named(true) gives files names from the beginning, as a file system does that has no nameless files, for tests. */
void output_named(bool always);

#endif
