/* SPDX-License-Identifier: MIT */
/* rows.h - groups of a program that run block of rows by block of rows, so that what one instruction writes is still in the first
 * cache when the next one reads it. */
#ifndef ISA_ROWS_H
#define ISA_ROWS_H

#include "isa/isa_program.h"

enum { ISA_ROWS_STEPS = 4096, ISA_ROWS_WINDOWS = 16, ISA_ROWS_BYTES = 16 << 10 /* of a block's tiles: half of a first cache of 32 KiB */ };

/* A field of a copied step, as its distance in bytes from the first one, and what is added to it from block to block. */
struct isa_row_field {
	uint32_t at, more;
};
/* A group. Its steps are copied into scratch, where they go from block to block; loads and stores have no function there. A tile
 * without a life outside the group does not move: its blocks come and go in one place. */
struct isa_rows {
	struct isa_step *steps;        /* as for the first block */
	struct isa_row_field *places;  /* of tiles that move */
	struct isa_row_field *heights; /* rows of tiles that have the group's */
	uint32_t places_count, heights_count;
	isa_step_fn first_run; /* of the first instruction alone */
	uint32_t first, count; /* instructions */
	uint32_t rows, block;  /* of the group; at a time */
	uint64_t cost;         /* of all but the first, saturated */
	uint64_t row_cost;     /* of a row, all of them */
};

/* Prepares the groups of a decoded program that have more than one block of so many bytes of tiles; the step of their first
 * instruction then does the whole group. NO_MEMORY. */
ptowsp_status isa_rows_make(struct isa_program *p, uint32_t bytes);
void isa_rows_finish(struct isa_program *p);

#endif
