/* SPDX-License-Identifier: MIT */
/* fake_tile.h - writes a portable kernel directly. */
#ifndef TESTS_FAKE_TILE_H
#define TESTS_FAKE_TILE_H

#include "ptowsp/tile.h"

#define FAKE_TILE_ROWS 32u /* most parameters, tiles, scalars; twice as many instructions */

/* Zero it, add rows, pack. All tensors and tiles are f32, all scalars 64-bit integers. */
struct fake_tile {
	struct ptowsp_tile_header header;
	struct ptowsp_tile_param params[FAKE_TILE_ROWS];
	struct ptowsp_tile_tile tiles[FAKE_TILE_ROWS];
	struct ptowsp_tile_scalar scalars[FAKE_TILE_ROWS];
	struct ptowsp_tile_inst insts[2 * FAKE_TILE_ROWS];
	/* The packed form, as long as this struct lives. */
	uint64_t bytes[(sizeof(struct ptowsp_tile_header) + 48 * FAKE_TILE_ROWS + 48 * FAKE_TILE_ROWS) / 8];
};

/* access: PTOWSP_READ | PTOWSP_WRITE; rows x columns of the tile that touches it. All return the row. */
uint16_t fake_tile_param(struct fake_tile *tile, unsigned access, uint32_t rows, uint32_t columns);
uint16_t fake_tile_tile(struct fake_tile *tile, uint32_t rows, uint32_t columns);
uint16_t fake_tile_const(struct fake_tile *tile, int64_t value);
uint16_t fake_tile_scalar(struct fake_tile *tile); /* a local, starts as 0 */
/* d: destination, a, b, c: sources, as the operand column of pto_ops.def says. */
uint32_t fake_tile_inst(struct fake_tile *tile, unsigned op, uint16_t d, uint16_t a, uint16_t b, uint16_t c);
/* FOR from 0 to count; end takes what begin gave. */
uint32_t fake_tile_loop(struct fake_tile *tile, int64_t count);
void fake_tile_end(struct fake_tile *tile, uint32_t loop);
/* Adds `return`; the bytes are borrowed from the struct. */
const void *fake_tile_pack(struct fake_tile *tile, uint64_t *size_out);

#endif
