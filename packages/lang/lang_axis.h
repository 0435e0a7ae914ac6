/* SPDX-License-Identifier: MIT */
/* lang_axis.h - what loops of workloads run over: named axes, ranges, and axes written where they are used. */
#ifndef LANG_AXIS_H
#define LANG_AXIS_H

#include <stdbool.h>

#include "lang/check/lang_check.h"
#include "lang/tensor.h"

/* --- adaptive tile levels of a loop: max_range, min_range, tile_levels. --- */

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

/* A list of numbers, or a tensor that holds them when the run begins. */
struct lang_list_source {
	struct lang_span at;
	const char *tensor; /* NULL: the values */
	int64_t *values;
	uint32_t count, capacity;
	struct lang_tensor *decl; /* found by checking */
};
/* LANG_DECL_AXIS. AXES rows are made where loops use it: they hold the loop's name and the row it runs over. */
struct lang_axis {
	struct lang_decl head;
	uint8_t kind; /* PTOWSP_AXIS_x */
	struct lang_span kind_at;
	struct lang_scalar *low, *high, *step;           /* dense, dense_dyn; ragged: high rows. low, step NULL: 0 and 1 */
	struct lang_list_source lengths, indices;        /* ragged: lengths; sparse: beginnings of rows, indices */
	uint8_t overridden;                              /* some entry gives it another extent */
	uint32_t values, value_count;                    /* AXVL rows once written; value_count 0: none */
	struct lang_levels *levels;                      /* tile levels, dense axes only; NULL: none */
	const void *stated_in;                           /* body of the workload or process that says its extent, the latest one */
	uint32_t *stated, stated_count, stated_capacity; /* AXES rows of the loops there */
};

void lang_axis_parse(struct lang_parser *parser);
/* "dense(...)", "dense_dyn(...)", "ragged(...)" or "sparse(...)" at the next token; 0 after an error. */
bool lang_axis_read(struct lang_parser *parser, struct lang_axis *axis);
/* Checks the axis for the demands of its tile levels; 0 after an error. */
bool lang_axis_levels_check(struct lang_unit *unit, const struct lang_axis *axis);
void lang_axis_check(struct lang_module *module, struct lang_decl *decl);
/* The same of one that is written where it is used: the scope of that place. */
void lang_axis_check_in(const struct lang_scope *scope, struct lang_axis *axis);
/* The row of a loop over it: name of the loop's value, EXPR row of the row (PTOWSP_NONE without one). */
uint32_t lang_axis_lower(struct lang_lower *lower, struct lang_axis *axis, const char *name, uint32_t row);
/* Another row with the same values: of the other dense kind, which no run tells apart, or one more of its kind. */
uint32_t lang_axis_twin(struct lang_lower *lower, uint32_t row);
/* The same as lang_axis_lower for a loop that is lowered later: the row is noted among axis->stated, once. */
void lang_axis_state(struct lang_lower *lower, struct lang_axis *axis, const char *name, uint32_t row);

#endif
