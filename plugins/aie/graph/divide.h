/* SPDX-License-Identifier: MIT */
/* divide.h - a call that takes more of a core's memory than there is, as several that take less: its program as it runs, cut into pieces that follow each other where one does not do, and each piece into
 * parts along dimensions that no result mixes (isa/isa_dims.h). Results have the same bits. One thread. */
#ifndef AIE_DIVIDE_H
#define AIE_DIVIDE_H

#include "isa/isa_part.h"

struct aie_division_args {
	const struct isa_program *program;
	const uint64_t *scalars;
	uint32_t scalar_count, blocks;
	const struct isa_grid *grids; /* per parameter of the program */
	const uint32_t *same;         /* per parameter: the first one that has the same window; no others of which one is written have elements in common */
	uint64_t bytes;               /* of a core, for all that a part takes */
	uint32_t times;               /* each of its arguments has room so many times */
};
/* A part of a piece: a call of a program. */
struct aie_division_part {
	uint32_t program;
	uint32_t slices, count; /* places: its arguments. Parameters behind those of the whole are its tiles, each a row of elements */
};
struct aie_division {
	struct isa_program **programs; /* owned */
	struct aie_division_part *parts;
	struct isa_slice *slices;
	uint32_t program_count, program_room, part_count, part_room, slice_count, slice_room;
	uint32_t pieces;
	char text[160]; /* how: "4 parts, 32x128 of 128x128" */
};
/* Fills a zeroed division. Parts are in an order in which they can be done one after the other. Errors: UNSUPPORTED with the rest of a sentence, behind "it cannot be divided: "; NO_MEMORY. */
ptowsp_status aie_division_make(struct aie_division *division, const struct aie_division_args *args, struct ptowsp_error *error);
void aie_division_finish(struct aie_division *division);

#endif
