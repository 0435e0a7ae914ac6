/* SPDX-License-Identifier: MIT */
/* emitted.h - files that a tool makes below a folder of the caller's choice (--emit): all of them or, where something fails, not even the folder. */
#ifndef TOOLS_EMITTED_H
#define TOOLS_EMITTED_H

#include <stddef.h>

#include "ptowsp/base.h"

/* A file in the folder lists what was made there: its names are replaced by a later call, and what else lies there is never. */
#define EMITTED_RECORD ".ptowsp-emit"

struct emitted_file;
/* Files are kept until all are known, because whoever makes them may fail behind the tenth. Filled by emitted_init; one thread. */
struct emitted {
	const char *folder; /* borrowed; not there yet, or anybody's */
	struct emitted_file *first, **end;
	char *record; /* owned: the list that was there, NULL for none */
	char **names; /* owned: which lie in it, sorted */
	size_t name_count;
};

void emitted_init(struct emitted *e, const char *folder);
void emitted_finish(struct emitted *e);
/* Keeps a copy of the bytes. name: relative, parts joined by '/', none of them "..", without line ends. Errors: NO_MEMORY; INVALID where another file of the call has that place. */
ptowsp_status emitted_add(struct emitted *e, const char *name, const void *bytes, size_t size, struct ptowsp_error *error);
/* Could all be written? Without any: could a file? The caller drops folders that were made for it (folder.h). Errors: as emitted_write. */
ptowsp_status emitted_look(struct emitted *e, struct ptowsp_error *error);
/* Makes the folders and writes all, while signals wait; programs, which begin with "#!", may be executed by whoever may read them. Errors: INVALID naming a file that is there and that no earlier call made, IO, NO_MEMORY;
 * what was written is removed again then, but for files that replaced earlier ones. */
ptowsp_status emitted_write(struct emitted *e, struct ptowsp_error *error);
/* How many files there are, and their bytes. */
void emitted_count(const struct emitted *e, unsigned *files_out, unsigned long long *bytes_out);

#endif
