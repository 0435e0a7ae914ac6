/* SPDX-License-Identifier: MIT */
/* rows.h - groups of a program that run block of rows by block of rows, so that what one instruction writes is still in the first
 * cache when the next one reads it. */
#ifndef ISA_ROWS_H
#define ISA_ROWS_H

#include "isa/program.h"

enum { ISA_ROWS_WINDOWS = 16, ISA_ROWS_BYTES = 16 << 10 /* of a block's tiles: half of a first cache of 32 KiB */ };

/* One instruction on one block. */
struct isa_row_step {
	struct isa_step step; /* as for the first block */
	uint32_t move[6];     /* bytes per row by which d, e, a, b, c, f move on */
	bool rows[6];         /* those that have the group's rows; others are scalars, windows, or read as a whole */
	bool is_window;       /* a load or a store */
};
/* A tile without a life outside the group does not move: its blocks come and go in one place. */
struct isa_rows {
	struct isa_row_step *steps;
	uint32_t first, count; /* instructions */
	uint32_t rows, block;  /* of the group; at a time */
	uint64_t cost;         /* of all but the first, saturated */
};

/* Prepares the groups of a decoded program that have more than one block of so many bytes of tiles; the step of their first
 * instruction then does the whole group. NO_MEMORY. */
ptowsp_status isa_rows_make(struct isa_program *p, uint32_t bytes);
void isa_rows_finish(struct isa_program *p);

#endif
