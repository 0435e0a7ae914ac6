/* SPDX-License-Identifier: MIT */
/* levels.h - adaptive tile levels of a loop: max_range, min_range, tile_levels. */
#ifndef LANG_LEVELS_H
#define LANG_LEVELS_H

#include "lang/check.h"

#define LANG_LEVEL_ROWS 32u /* rows of level 0: what a loop steps by where nothing else is said */
#define LANG_MAX_LEVELS 33u /* block sizes that are powers of two, and the residual iterations */

/* Refuses what the rules of LANGUAGE.md do not allow, at the place where it stands. */
void lang_levels_check(struct lang_check *check, const struct lang_stmt *loop);

/* The tile levels that a loop can run at, 32 included where it can, each once, as the blocks fall. Returns how many. */
uint32_t lang_levels_possible(const struct lang_levels *levels, uint32_t rows_out[LANG_MAX_LEVELS]);

#endif
