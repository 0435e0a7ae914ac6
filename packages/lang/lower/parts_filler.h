/* SPDX-License-Identifier: MIT */
/* parts_filler.h - the instructions of a kernel that gets parts of tiles, so that it works on whole ones: masks of what is there are made once, before their first use, and a tsel stands
 * wherever an operation would bring elements together with what is not there. Which operations these are says the walk of parts_flow.c. All memory is the unit's arena; one thread. */
#ifndef PARTS_FILLER_H
#define PARTS_FILLER_H

#include "lang/lower/lang_lower.h"

/* Values in place of elements that are not there: the neutral ones of sums, of sums that start from a tile, of maxima and of minima. */
enum filling { FILL_ZERO, FILL_MINUS_ZERO, FILL_LEAST, FILL_GREATEST, FILLINGS };

struct filler_insts {
	struct ptowsp_tile_inst *rows;
	uint32_t count, capacity;
};
struct filler {
	struct lang_lower *lower;
	const struct lang_parts *parts;
	struct filler_made *made; /* tiles that are made once */
	uint32_t made_count, made_capacity;
	struct filler_insts head, body; /* instructions that make them, where there are ways around their first use; all others */
	bool straight;                  /* there are none */
	uint32_t *starts;               /* per instruction as it was: its place in `body`, with what stands before it */
	uint32_t at, copied;            /* the instruction at hand; so many are in `body` */
};

struct filler filler_begin(struct lang_lower *lower, const struct lang_parts *parts);
/* Instruction `inst` is at hand: all before it are in `body`, fillings that it wants follow. */
void filler_arrive(struct filler *filler, uint32_t inst);
/* Before the instruction at hand the tile gets its columns (or rows) filled as far as each of the extents, a bit each, leaves them out. */
void filler_fill(struct filler *filler, uint16_t tile, bool columns, uint64_t extents, enum filling filling);
/* The instruction at hand reads a factor with columns (or rows) filled that are there, but not in the other one: in a tile apart, because the tile keeps them. */
void filler_factor_fill(struct filler *filler, uint16_t tile, bool left, uint64_t extents, enum filling filling);
/* An error: the instruction at hand works on no parts. why: "touches single elements". */
void filler_refuse(const struct filler *filler, const char *why);
/* The function's instructions are those of the filler, if it filled anything. */
void filler_end(struct filler *filler);

#endif
