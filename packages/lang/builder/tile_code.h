/* SPDX-License-Identifier: MIT */
/* tile_code.h - a portable kernel (tile.h) while it grows: tiles, scalars, instructions; then its bytes. */
#ifndef LANG_TILE_CODE_H
#define LANG_TILE_CODE_H

#include "ptowsp/task.h"
#include "ptowsp/tile.h"
#include "ptowsp/workload.h"
#include "registry/common/common_arena.h"

#define LANG_MAX_ROWS         UINT16_MAX /* of each table: rows are 16 bits */
#define LANG_MAX_INSTRUCTIONS (1u << 20) /* per kernel, and of the whole workload: calls are expanded */

/* Open loop or branch. */
struct lang_tile_turn {
	uint8_t op;                 /* FOR, WHILE, IF */
	uint8_t turned;             /* its DO or ELSE was there */
	uint32_t head, turn;        /* that opcode's instruction; that of DO or ELSE */
	uint32_t breaks, continues; /* instruction + 1, linked by their targets until the loop ends, 0 ends the chain */
};
/* Zeroed but for turns and the arena, in which everything lies. Names are offsets wherever the caller keeps strings. */
struct lang_tile_code {
	struct common_arena *arena;
	struct ptowsp_tile_tile *tiles;
	struct ptowsp_tile_scalar *scalars;
	struct ptowsp_tile_inst *insts;
	uint32_t tile_count, scalar_count, inst_count;
	uint32_t tile_capacity, scalar_capacity, inst_capacity;
	struct lang_tile_turn *turns; /* outermost first; room for PTOWSP_NESTING_LIMIT, which all codes of one owner share */
	uint32_t depth;
};

/* The next row, or LANG_MAX_ROWS where the table is full. */
uint32_t lang_tile_add(struct lang_tile_code *code, const struct ptowsp_tile_tile *tile);
uint32_t lang_tile_scalar_add(struct lang_tile_code *code, uint32_t name, uint16_t dtype, uint16_t kind, uint64_t value);
/* A literal: equal ones share a row. */
uint32_t lang_tile_literal_add(struct lang_tile_code *code, uint16_t dtype, uint64_t value);

/* NULL where there are LANG_MAX_INSTRUCTIONS already. Valid until the next one. */
struct ptowsp_tile_inst *lang_tile_inst_add(struct lang_tile_code *code, unsigned op, uint32_t line);
/* The operands' rows, in the order of the opcode's letters (pto_ops.def). */
void lang_tile_operands_set(struct ptowsp_tile_inst *inst, const char *letters, const uint16_t *rows, uint32_t count);
/* Applies the latest instruction to the loops and branches around: it opens or ends one, leaves a loop, or nothing. Targets are set as soon as
 * they are known. NULL, or why it cannot stand there, in the arena. */
const char *lang_tile_control(struct lang_tile_code *code);

/* Scalars by kind: arguments, what the kernel declares, literals, each in the order in which they were added. Instructions follow. Where a
 * literal or a function expanded in place came first is then no longer to be seen. */
void lang_tile_order(struct lang_tile_code *code);

/* Literals in the order in which instructions name them first, as if they had been added with those; those that none names go. */
void lang_tile_literals_order(struct lang_tile_code *code);

/* The payload in the arena, *size_out a multiple of 8. name: of the function, as the other names. */
void *lang_tile_encode(const struct lang_tile_code *code, uint32_t name, const struct ptowsp_tile_param *params, uint32_t param_count, size_t *size_out);

#endif
