/* SPDX-License-Identifier: MIT */
/* output.h - files that appear whole or not at all: written beside their place, renamed at the end. */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include <stdio.h>

#include "ptowsp/base.h"

/* One thread at a time, except output_abort_all. */
struct output {
	char *path, *temporary; /* owned */
	FILE *file;             /* write here */
	int slot;               /* in the table of files to remove on a signal, -1 if it is full */
};

/* Opens a temporary file in the folder of path. Errors: IO naming path. */
ptowsp_status output_open(struct output *output, const char *path, struct ptowsp_error *error);
/* Flushes and closes; the file is complete but not yet in its place. Errors: IO (disk full). */
ptowsp_status output_finish(struct output *output, struct ptowsp_error *error);
/* Renames a finished one. Errors: IO. */
ptowsp_status output_publish(struct output *output, struct ptowsp_error *error);
/* All at once: a file of head and, behind it, bytes; either may be NULL with size 0. Errors: IO, NO_MEMORY. */
ptowsp_status output_save(const char *path, const void *head, size_t head_size, const void *bytes, size_t size, struct ptowsp_error *error);
/* Removes the temporary file if it was not published; zeroed and finished ones are fine. */
void output_drop(struct output *output);
/* Removes all temporary files; async-signal-safe. */
void output_abort_all(void);
/* What output_abort_all does first, async-signal-safe too; one function, NULL: nothing. */
void output_abort_hook(void (*also)(void));
/* For a tool that has nothing else to do on a signal: one that ends the process removes the temporary files first, and a file
 * that grows beyond the limit of its user is an error of writing. */
void output_abort_on_signals(void);

#endif
