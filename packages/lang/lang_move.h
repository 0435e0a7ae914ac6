/* SPDX-License-Identifier: MIT */
/* lang_move.h - what relayout and the collectives share: shapes that symbols decide, layouts in messages. */
#ifndef LANG_MOVE_H
#define LANG_MOVE_H

#include <stdbool.h>

#include "lang/lang_work.h"

/* How a reduction's total is cut into tiles. */
struct lang_cut {
	int64_t rows, columns; /* of a tile */
	int64_t all;           /* rows of the total as a matrix; 0: symbols decide, a tile is one step of its first dimension */
};
/* Cuts a total of these extents, 0: symbols decide. 0: it has no tiles. */
bool lang_cut_find(const int64_t *extents, uint32_t rank, struct lang_cut *cut_out);

/* Reductions of elements. */
enum { LANG_REDUCTIONS = 3 };
extern const struct lang_reduction {
	const char *word, *op; /* as it is written; the tile operation */
} lang_reductions[LANG_REDUCTIONS];
/* The name of the kernel that reduces tiles of that cut; in the arena. */
const char *lang_reduction_name(struct common_arena *arena, const struct lang_reduction *reduction, unsigned dtype, const struct lang_cut *cut);

/* After parsing: the functions that reductions add with. They are functions like all others from there on. */
void lang_reductions_prepare(struct lang_module *module);

#endif
