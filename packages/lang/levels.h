/* SPDX-License-Identifier: MIT */
/* levels.h - adaptive tile levels of a loop: max_range, min_range, tile_levels. */
#ifndef LANG_LEVELS_H
#define LANG_LEVELS_H

#include <stdbool.h>

#include "lang/check/lang_check.h"

#define LANG_LEVEL_ROWS 32u /* rows of level 0: what a loop steps by where nothing else is said */
#define LANG_MAX_LEVELS 33u /* block sizes that are powers of two, and the residual iterations */

struct lang_parser;
/* "max_range=256 min_range=64 tile_levels={256:64, 0:32}" at the next tokens, in any order; *levels is made where there is one of them. 0 after an error. */
bool lang_levels_parse(struct lang_parser *parser, struct lang_levels **levels);
/* Refuses what the rules of LANGUAGE.md, "Tile levels", do not allow, at the place where it stands. */
void lang_levels_check(struct lang_unit *unit, const struct lang_levels *levels);
/* The same of a FOR, with its bounds. */
void lang_levels_loop_check(struct lang_check *check, const struct lang_stmt *loop);

/* The levels that may be in force at a place: what the loops around may run at. */
struct lang_level_set {
	uint32_t rows[LANG_MAX_LEVELS], count; /* 0: there is no loop with levels around */
	uint8_t stated;                        /* inside a loop with tile_levels */
};
/* Inside one more loop: the outer level wins unless it is the base level. */
void lang_levels_enter(struct lang_level_set *set, const struct lang_levels *levels);

#endif
