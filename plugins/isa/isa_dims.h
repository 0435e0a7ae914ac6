/* SPDX-License-Identifier: MIT */
/* isa_dims.h - dimensions of the tiles of a straight program: rows and columns that one instruction has in common are one, and it can be cut where no element of a result needs elements of both
 * sides. Dimensions are as exact as the rules of pto_ops.def: element [i, j] of a result needs elements of its operands by their rule, and nothing else. Pure; one thread. */
#ifndef ISA_DIMS_H
#define ISA_DIMS_H

#include "isa/isa.h"

#define ISA_DIM_NONE UINT32_MAX

struct isa_dims {
	uint32_t *up;   /* per tile its rows and its columns: 2 of them, as a forest whose roots are the dimensions */
	bool *whole;    /* per root: it cannot be cut */
	uint32_t *cuts; /* dimensions that can be cut: more than one element long, and of every tile that is stored */
	uint32_t cut_count;
};
/* Fills zeroed dims. Errors: NO_MEMORY; they are finished all the same. */
ptowsp_status isa_dims_find(struct isa_dims *dims, const struct isa_program *straight, struct ptowsp_error *error);
/* Dimension of a tile's rows, or of its columns. */
uint32_t isa_dims_of(const struct isa_dims *dims, uint32_t tile, bool columns);
/* Elements. */
uint32_t isa_dims_extent(const struct isa_program *straight, uint32_t dim);
void isa_dims_finish(struct isa_dims *dims);

#endif
