/* SPDX-License-Identifier: MIT */
/* print_tile.h - portable kernels while they are printed. */
#ifndef PRINT_TILE_H
#define PRINT_TILE_H

#include "print/parts.h"
#include "ptowsp/tile.h"

struct isa_program;

/* A kernel and its program, whose tables these are. */
struct print_kernel {
	const struct print_job *job;
	struct print_text *text;
	uint32_t entry; /* ENTR row */
	const struct ptowsp_kernel_record *record;
	struct isa_program *program; /* owned */
	struct ptowsp_tile_header header;
	const struct ptowsp_tile_param *params; /* these four of the program */
	const struct ptowsp_tile_tile *tiles;
	const struct ptowsp_tile_scalar *scalars;
	const struct ptowsp_tile_inst *insts;
	uint8_t *undeclared; /* owned, by scalar: 1: its FOR declares it */
	uint32_t depth;
};

/* One line; the depth follows loops and branches. */
void print_tile_inst(struct print_kernel *kernel, const struct ptowsp_tile_inst *inst);
/* "!pto.tile<8x8xf32>" */
void print_tile_type(struct print_text *text, const struct ptowsp_tile_tile *tile);

#endif
