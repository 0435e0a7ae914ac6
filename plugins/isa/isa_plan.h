/* SPDX-License-Identifier: MIT */
/* isa_plan.h - where the tiles of a verified program lie and what can be done row by row: lifetimes over its control flow, offsets that
 * are used again, groups of instructions. Made once per program; immutable afterwards; any thread. For the interpreter, the
 * emitters and inspect. */
#ifndef ISA_PLAN_H
#define ISA_PLAN_H

#include "isa/opcode.h"

struct isa_program;

/* Consecutive row-wise instructions [first, end) of one basic block, as many as possible, at least one: each computes row i of its
 * result from row i of those of its tiles that have `rows` rows. A tile of one row in a group of more is read as a whole
 * (tcolexpand, tmov.fp, tstore.fp) and written by no instruction of the group. One instruction at most stores, and none behind it
 * loads. Doing all instructions on rows 0 ... n-1, then on n ... 2n-1 and so on gives the same bits as one instruction after the
 * other, unless the place in memory where it stores overlaps one where it loads without being exactly the same (rows, distance
 * of rows and of elements): that shows in a run only. Only loads and stores can fail. */
struct isa_group {
	uint32_t first, end;
	uint32_t rows;
	uint32_t behind; /* words of plan->live: the tiles whose values are read behind the group; then those read before */
};

struct isa_plan {
	/* Per tile its offset in bytes, a multiple of 64. Tiles whose lifetimes meet do not overlap; nor do the tiles of one group, if
	 * one of the two has a life outside it (is_behind or is_before): so a group may run row by row in these places. */
	uint32_t *at;
	uint32_t bytes;           /* of tile memory with these offsets */
	uint32_t bytes_without;   /* if every tile had its own */
	struct isa_group *groups; /* ascending */
	uint32_t group_count;
	uint64_t *live; /* sets of tiles, one bit each; NULL: program too large, then every tile lives everywhere */
	uint32_t words; /* of a set */
};

/* Needs the tables of a program that is verified, nothing else. Shapes may still be wrong; the groups then mean nothing. own: every
 * tile keeps a place of its own. NO_MEMORY. */
ptowsp_status isa_plan_make(struct isa_plan *plan, const struct isa_program *program, bool own);
void isa_plan_finish(struct isa_plan *plan);

/* The group that begins at an instruction, or NULL. */
const struct isa_group *isa_plan_group(const struct isa_plan *plan, uint32_t first);

/* Whether the value that the tile has behind (before) the group is read there (in it or later). */
bool isa_plan_is_behind(const struct isa_plan *plan, const struct isa_group *group, uint32_t tile);
bool isa_plan_is_before(const struct isa_plan *plan, const struct isa_group *group, uint32_t tile);

/* Instructions that can be in a group; *rows_out is their number of rows. */
bool isa_plan_row_wise(const struct isa_program *program, const struct ptowsp_tile_inst *inst, uint32_t *rows_out);

#endif
