/* SPDX-License-Identifier: MIT */
/* sealed.h - bytes in a memory file that nobody changes any more, this process included, and that the dynamic linker can load by a name of its own. */
#ifndef HOST_SEALED_H
#define HOST_SEALED_H

#include <stdbool.h>

#include "ptowsp/base.h"

struct host_sealed {
	int fd;            /* -1: none */
	const void *bytes; /* of the file, mapped: what is checked and compared is what is loaded */
	size_t size;
};

/* Made, filled in pieces, sealed. NULL, or what went wrong, behind "NAME: "; then *status_out says what sort and errno why (0: the sentence says it all).
 * Finish in any case. One thread at a time. */
const char *host_sealed_begin(struct host_sealed *sealed, const char *name, ptowsp_status *status_out);
const char *host_sealed_append(struct host_sealed *sealed, const void *bytes, size_t size, ptowsp_status *status_out);
/* At least one byte. The seals hold for who keeps or gets the descriptor, too. */
const char *host_sealed_end(struct host_sealed *sealed, ptowsp_status *status_out);
/* Is the descriptor one of a file that was sealed so? */
bool host_sealed_is(int fd);
/* Another's sealed file, by a duplicate of its descriptor. false: it is none, or there is no memory. Finish in any case. */
bool host_sealed_take(struct host_sealed *sealed, int fd);
/* Unmaps and closes. An object that the dynamic linker keeps loaded from it needs the file open for ever: keep_open. */
void host_sealed_finish(struct host_sealed *sealed, bool keep_open);

#define HOST_SEALED_NAME 32u
/* The path that the dynamic linker is given, which knows objects by name: a file whose number once belonged to a loaded object would be taken for that one. */
void host_sealed_name(int fd, char name_out[HOST_SEALED_NAME]);
/* Is an object loaded by that name? */
bool host_sealed_loaded(int fd);
/* Gives the file a number whose name no loaded object has. false: there is none. */
bool host_sealed_number(struct host_sealed *sealed);

#endif
