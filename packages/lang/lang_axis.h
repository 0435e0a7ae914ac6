/* SPDX-License-Identifier: MIT */
/* lang_axis.h - what loops of workloads run over: named axes, ranges, and axes written where they are used. */
#ifndef LANG_AXIS_H
#define LANG_AXIS_H

#include <stdbool.h>

#include "lang/levels.h"
#include "lang/tensor.h"

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
