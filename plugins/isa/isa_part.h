/* SPDX-License-Identifier: MIT */
/* isa_part.h - a straight program on a part of its dimensions: what it then touches of its windows, and the program that computes it. Each access has a window of its own, which is that of the part and
 * nothing else. Results of all parts together have the bits of the whole. One thread. */
#ifndef ISA_PART_H
#define ISA_PART_H

#include "isa/isa_dims.h"

/* A parameter's window: as in tile_window.h, with the elements of a row one behind the other. */
struct isa_grid {
	uint64_t rows, columns, stride; /* elements */
};
/* Elements [from, from + count) of a dimension. */
struct isa_cut {
	uint32_t dim;
	uint32_t from, count;
};
/* One parameter of the part: a window in that of a parameter of the whole. */
struct isa_slice {
	uint32_t param;       /* of the whole */
	uint64_t at;          /* elements from the first of its window */
	struct isa_grid grid; /* its own window */
	bool reads, writes;
};
struct isa_part {
	const struct isa_program *straight; /* by isa_straight or isa_stretch */
	const struct isa_dims *dims;
	const struct isa_grid *grids; /* per parameter */
	const struct isa_cut *cuts;
	uint32_t cut_count;
};
/* Slices of the part, count of them, in the order in which it touches them first, none twice; slices_out has room for one per instruction. Errors: UNSUPPORTED where a tile lies outside of its window. */
ptowsp_status isa_part_slices(const struct isa_part *part, struct isa_slice *slices_out, uint32_t *count_out, struct ptowsp_error *error);
/* The program, with a parameter per slice. The caller destroys it. Errors: those of isa_part_slices, NO_MEMORY. */
ptowsp_status isa_part_program(struct isa_program **program_out, const struct isa_part *part, struct ptowsp_error *error);
/* Have both the same instructions, tiles, scalars and parameters? Then they do the same. */
bool isa_program_same(const struct isa_program *a, const struct isa_program *b);

#endif
