/* SPDX-License-Identifier: MIT */
/* lang_clean.h - texts of a package are UTF-8 without control characters, but for tabs and newlines. */
#ifndef LANG_CLEAN_H
#define LANG_CLEAN_H

#include <stdbool.h>

#include "registry/common/common_arena.h"

/* A copy with "_" for control characters, tabs and newlines among them, and for bytes that are no UTF-8. */
char *lang_clean(struct common_arena *arena, const char *text, size_t length);
/* 1: a package may hold the text. */
bool lang_is_clean(const char *text);

#endif
