/* SPDX-License-Identifier: MIT */
/* range.h - where an index lies while the loops around it run. Only sums of constant multiples of the values of loops with constant bounds
 * are known, as their ends are reached whatever the run; everything else is left to the run, which checks each access. */
#ifndef LANG_RANGE_H
#define LANG_RANGE_H

#include <stdbool.h>

#include "lang/lang_work.h"

#define LANG_RANGE_TERMS 8u

/* constant + factor * value of a loop + ... */
struct lang_range {
	int64_t constant;
	uint32_t count;
	struct lang_range_term {
		const struct lang_local *local;
		int64_t factor;
	} terms[LANG_RANGE_TERMS];
};

/* Before bodies are checked: axes that entries give other extents. */
void lang_extents_note(struct lang_module *module);
/* The values of a loop, kept in its local, before its body is checked: none where a run decides, or where it may end early. */
void lang_range_set(struct lang_work_check *check, const struct lang_work *work);
/* Adds factor times a checked expression. 0: not known; so it is where a condition stands between the loop and here. */
bool lang_range_add(const struct lang_work_check *check, struct lang_range *range, const struct lang_scalar *scalar, int64_t factor);
/* The least or greatest value of the scalar; 0: it does not fit 64 bits. */
bool lang_range_end(const struct lang_range *range, int greatest, int64_t *value_out);
/* " where %i is 8 and %j is 0": the iteration that has it; "" of a constant. */
const char *lang_range_text(struct lang_unit *unit, const struct lang_range *range, int greatest);

#endif
