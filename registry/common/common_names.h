/* SPDX-License-Identifier: MIT */
/* common_names.h - names that are taken, for all folders that write sources: a set, and numbers behind names that came before. Any name is found
 * and numbered in the same time, however many there are. A set belongs to one thread. */
#ifndef REGISTRY_COMMON_COMMON_NAMES_H
#define REGISTRY_COMMON_COMMON_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero is an empty set; any_case is set before the first name comes. */
struct common_names {
	struct common_name {
		char *text;      /* owned */
		uint32_t number; /* the latest that was put behind it, 0: none yet */
	} * rows;                /* owned, in the order in which they came */
	uint32_t *slots;         /* owned, by hash: row + 1, 0: free; at most half full */
	uint32_t count, room, mask;
	bool any_case; /* letters that differ only in their case are the same letter */
};
/* Frees the names; the set is empty then. */
void common_names_finish(struct common_names *names);
/* The row of a name, + 1; 0: it is not taken. */
uint32_t common_names_find(const struct common_names *names, const char *name);
/* Takes the name, as row count - 1 if it is new. False: no memory. */
bool common_names_add(struct common_names *names, const char *name);
/* Takes the name, where it is taken already with `between` and 2, 3 ... behind it, the first one that is free. size: bytes of `name`, which have to be enough. False: no
 * memory. */
bool common_names_choose(struct common_names *names, char *name, size_t size, const char *between);

#endif
