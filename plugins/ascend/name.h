/* SPDX-License-Identifier: MIT */
/* name.h - names of a package as identifiers of C++: letters, digits and '_', no words of the language, none twice in a set. One thread. */
#ifndef ASCEND_NAME_H
#define ASCEND_NAME_H

#include <stdbool.h>
#include <stdint.h>

enum { ASCEND_NAME = 64 };  /* bytes of an identifier and its NUL */
enum { ASCEND_LOCAL = 'i' }; /* the letter of locals, which begin with a small letter: everything else that functions use begins with a capital one */

/* A set of identifiers. Zeroed: empty. */
struct ascend_names {
	char (*rows)[ASCEND_NAME]; /* owned */
	uint32_t *slots;           /* owned: row + 1, by hash */
	uint32_t count, room, mask;
};
void ascend_names_finish(struct ascend_names *names);
/* The identifier that is like `name` and not in the set yet, which it then is: with _2, _3 ... behind it where others came first. letter: what
 * begins it where the name cannot. NULL: no memory. Borrowed until the next call; the same number is names->count - 1 for good. */
const char *ascend_names_add(struct ascend_names *names, const char *name, char letter);
/* Takes it out of use as it is. */
bool ascend_names_reserve(struct ascend_names *names, const char *identifier);

#endif
