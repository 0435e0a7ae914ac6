/* SPDX-License-Identifier: MIT */
/* level.h - adaptive tile levels: how n iterations fall into blocks, and what each block steps by. n/max full blocks, then one
 * block per set bit of the rest from max/2 down to min, then the residual one by one. A block of b units at level R runs b/(R/32)
 * iterations, R/32 units apart. */
#ifndef RT_LEVEL_H
#define RT_LEVEL_H

#include <stdbool.h>
#include "rt/table.h"

enum { RT_LEVEL_BASE = 32, RT_LEVEL_LIMIT = 250 };

/* A TLVL row, checked. */
struct rt_level_set {
	uint32_t max_range, min_range;
	uint32_t rows[32];  /* tile rows for a block of 2^k */
	uint8_t level[32];  /* the same as index of rt_program.levels */
};
/* Errors: BAD_PACKAGE with the rule. level[] is left for the caller. */
ptowsp_status rt_level_set_read(struct rt_level_set *set, const struct rt_tables *tables, uint32_t row, struct ptowsp_error *error);

/* One walk over an axis. */
struct rt_level_walk {
	const struct rt_level_set *set;
	uint64_t full, rest;  /* blocks of max_range left; what lies behind them */
	uint64_t base, left;  /* of the current block: next value, iterations left */
	uint32_t step;
	uint32_t next;        /* next block size to look at, 0: residual, then the end */
	uint8_t level;        /* of the current block */
	bool residual;
};
void rt_level_start(struct rt_level_walk *walk, const struct rt_level_set *set, uint64_t count);
/* The next value; false when there is none. walk->level is its level. */
bool rt_level_next(struct rt_level_walk *walk, int64_t *value_out);

#endif
