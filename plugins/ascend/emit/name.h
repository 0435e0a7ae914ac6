/* SPDX-License-Identifier: MIT */
/* name.h - names of a package as identifiers of C++: letters, digits and '_', no words of the language, none twice in a set. One thread. */
#ifndef ASCEND_NAME_H
#define ASCEND_NAME_H

#include "registry/common/common_names.h"

enum { ASCEND_NAME = 64 };   /* bytes of an identifier and its NUL */
enum { ASCEND_LOCAL = 'i' }; /* the letter of locals, which begin with a small letter: everything else that functions use begins with a capital one */

/* The identifier that is like `name` and not in the set yet, which it then is: with _2, _3 ... behind it where others came first. letter: what
 * begins it where the name cannot. NULL: no memory. Borrowed; the same number is names->count - 1 for good. */
const char *ascend_names_add(struct common_names *names, const char *name, char letter);

#endif
