/* SPDX-License-Identifier: MIT */
/* lang_move.h - what relayout and the collectives share: shapes that symbols decide, layouts in messages. */
#ifndef LANG_MOVE_H
#define LANG_MOVE_H

#include <stdbool.h>

#include "lang/lang_work.h"

/* The extents of a, from a dimension on, are those of b: the same numbers, or made alike of the same symbols. */
bool lang_extents_equal(const struct lang_tensor *a, uint32_t from, const struct lang_tensor *b);
/* ", 0, 0": so many indices, at most 3. */
const char *lang_zeros_text(uint32_t count);
/* The last statement of a made body is a loop: it runs to there. */
void lang_bound_set(struct lang_body *body, struct lang_scalar *extent);

/* The layouts of the two parts are those that a collective goes between; 0 after an error. */
bool lang_collective_check(struct lang_work_check *check, const struct lang_work *work);

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

/* "%a -> %b" */
bool lang_pair_parse(struct lang_parser *parser, struct lang_work *work);

/* After parsing: the functions that reductions add with. They are functions like all others from there on. */
void lang_reductions_prepare(struct lang_module *module);

#endif
