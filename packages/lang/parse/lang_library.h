/* SPDX-License-Identifier: MIT */
/* lang_library.h - the sources of packages/std, which the packer has with it: include "std/softmax.pto" finds them wherever it runs, and whatever it may read. */
#ifndef LANG_LIBRARY_H
#define LANG_LIBRARY_H

#include "isa/emit/emit.h"

/* Made of packages/std by tools/ninja/embed: paths such as "packages/std/softmax.pto", and lines. The last one's path is NULL. */
extern const struct isa_text lang_library[];

#endif
