/* SPDX-License-Identifier: MIT */
/* print_tile.h - portable kernels while they are printed. */
#ifndef PRINT_TILE_H
#define PRINT_TILE_H

#include "print/parts.h"
#include "ptowsp/tile.h"

/* The payload's tables; they are verified, and copied because a payload need not be aligned in memory. */
struct print_kernel {
	const struct print_job *job;
	struct print_text *text;
	uint32_t entry; /* ENTR row */
	const struct ptowsp_kernel_record *record;
	struct ptowsp_tile_header header;
	struct ptowsp_tile_param *params;
	struct ptowsp_tile_tile *tiles;
	struct ptowsp_tile_scalar *scalars;
	struct ptowsp_tile_inst *insts;
	uint8_t *undeclared; /* by scalar: 1: its FOR declares it */
	uint32_t depth;
};

/* One line; the depth follows loops and branches. */
void print_tile_inst(struct print_kernel *kernel, const struct ptowsp_tile_inst *inst);
/* "!pto.tile<8x8xf32>" */
void print_tile_type(struct print_text *text, const struct ptowsp_tile_tile *tile);

#endif
