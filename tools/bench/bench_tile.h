/* SPDX-License-Identifier: MIT */
/* bench_tile.h - writes a portable kernel (bench_tile.h) directly: for measuring and for tests. */
#ifndef TOOLS_BENCH_TILE_H
#define TOOLS_BENCH_TILE_H

#include "ptowsp/tile.h"

#define BENCH_TILE_ROWS 32u /* most parameters, tiles, scalars; twice as many instructions */

/* Zero it, add rows, pack. All tensors and tiles are f32, all scalars 64-bit integers. */
struct bench_tile {
	struct ptowsp_tile_header header;
	struct ptowsp_tile_param params[BENCH_TILE_ROWS];
	struct ptowsp_tile_tile tiles[BENCH_TILE_ROWS];
	struct ptowsp_tile_scalar scalars[BENCH_TILE_ROWS];
	struct ptowsp_tile_inst insts[2 * BENCH_TILE_ROWS];
	/* The packed form, as long as this struct lives. */
	uint64_t bytes[(sizeof(struct ptowsp_tile_header) + 48 * BENCH_TILE_ROWS + 48 * BENCH_TILE_ROWS) / 8];
};

/* access: PTOWSP_READ | PTOWSP_WRITE; rows x columns of the tile that touches it. All return the row. */
uint16_t bench_tile_param(struct bench_tile *tile, unsigned access, uint32_t rows, uint32_t columns);
uint16_t bench_tile_tile(struct bench_tile *tile, uint32_t rows, uint32_t columns);
uint16_t bench_tile_const(struct bench_tile *tile, int64_t value);
uint16_t bench_tile_scalar(struct bench_tile *tile); /* a local, starts as 0 */
/* d: destination, a, b, c: sources, as the operand column of pto_ops.def says. */
uint32_t bench_tile_inst(struct bench_tile *tile, unsigned op, uint16_t d, uint16_t a, uint16_t b, uint16_t c);
/* FOR from 0 to count; end takes what begin gave. */
uint32_t bench_tile_loop(struct bench_tile *tile, int64_t count);
void bench_tile_end(struct bench_tile *tile, uint32_t loop);
/* Adds `return`; the bytes are borrowed from the struct. */
const void *bench_tile_pack(struct bench_tile *tile, uint64_t *size_out);

#endif
