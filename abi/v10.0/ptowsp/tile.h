/* SPDX-License-Identifier: MIT */
/* tile.h - the binary form of a portable kernel (payload kind `pto`): header, then four tables, each a multiple of 8 bytes,
 * without gaps: parameters, tiles, scalars, instructions. Verified by the backend that runs it. */
#ifndef PTOWSP_TILE_H
#define PTOWSP_TILE_H

#include "base.h"
#include "ids.h"

enum ptowsp_pto_op {
#define X(NAME, code, mnemonic, operands, shape, keys, types, cost, effect) PTOWSP_PTO_##NAME = code,
#include "pto_ops.def"
#undef X
};
enum { /* mode of TCMP, TCMPS, CMP */
	PTOWSP_COMPARE_EQ = 0, PTOWSP_COMPARE_NE = 1, PTOWSP_COMPARE_LT = 2,
	PTOWSP_COMPARE_LE = 3, PTOWSP_COMPARE_GT = 4, PTOWSP_COMPARE_GE = 5
};
enum { /* mode of TCVT; NONE is a copy between equal types, else RINT */
	PTOWSP_ROUND_NONE = 0, PTOWSP_ROUND_RINT = 1 /* nearest, ties to even */, PTOWSP_ROUND_AWAY = 2 /* nearest, ties away from 0 */,
	PTOWSP_ROUND_FLOOR = 3, PTOWSP_ROUND_CEIL = 4, PTOWSP_ROUND_TRUNC = 5, PTOWSP_ROUND_ODD = 6 /* inexact: the odd neighbour */
};

#define PTOWSP_TILE_MAGIC 0x544F5450u /* bytes "PTOT" */
#define PTOWSP_TILE_VERSION 1u

struct ptowsp_tile_header {
	uint32_t magic, version;
	uint32_t param_count, tile_count, scalar_count, inst_count;
	uint32_t name;     /* STRS offset of the function's name */
	uint32_t reserved;
};
struct ptowsp_tile_param { /* a memref, in the order of the task's tensor arguments */
	uint32_t name;     /* STRS offset */
	uint16_t dtype;
	uint16_t access;   /* PTOWSP_READ if some tload reads it, PTOWSP_WRITE if some tstore writes it */
	uint32_t rows, columns; /* of the first tile that touches it in program text, 0, 0 if none */
};
struct ptowsp_tile_tile {
	uint32_t rows, columns; /* at least 1 each */
	uint16_t dtype;
	uint16_t space;    /* enum ptowsp_space, UB unless stated */
	uint32_t name;
};
enum { /* kind of a scalar */
	PTOWSP_SCALAR_LOCAL = 0, /* starts as `value` */
	PTOWSP_SCALAR_CONST = 1, /* a literal: `value`, never written */
	PTOWSP_SCALAR_ARG = 2,   /* starts as task argument number `value` */
	PTOWSP_SCALAR_BLOCK = 3, /* the block that runs, 0 first; `value` is 0 */
	PTOWSP_SCALAR_BLOCKS = 4 /* how many blocks the task has, at least 1; `value` is 0 */
};
struct ptowsp_tile_scalar {
	uint32_t name;     /* STRS offset, 0 (the empty string) for literals */
	uint16_t dtype;    /* index types are I64, u1 is BOOL */
	uint16_t kind;
	uint64_t value;    /* as in task.h: sign-extended integer or bit pattern of the float */
};
struct ptowsp_tile_inst { /* what the opcode does not use is 0 */
	uint8_t op;        /* enum ptowsp_pto_op */
	uint8_t mode;
	uint16_t reserved;
	uint16_t d, e;     /* destinations: the operands with upper-case letters, a written memref among them */
	uint16_t a, b, c, f; /* sources, lower-case letters; rows of the tile, scalar or parameter table, as the letters say */
	uint32_t target;   /* control only */
	uint32_t line;     /* source line, 0 unknown */
};
PTOWSP_STATIC_ASSERT(sizeof(struct ptowsp_tile_header) == 32, "layout");
PTOWSP_STATIC_ASSERT(sizeof(struct ptowsp_tile_param) == 16, "layout");
PTOWSP_STATIC_ASSERT(sizeof(struct ptowsp_tile_tile) == 16, "layout");
PTOWSP_STATIC_ASSERT(sizeof(struct ptowsp_tile_scalar) == 16, "layout");
PTOWSP_STATIC_ASSERT(sizeof(struct ptowsp_tile_inst) == 24, "layout");

#endif
