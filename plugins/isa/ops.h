/* SPDX-License-Identifier: MIT */
/* ops.h - what the files of operations share: finding operands, and the tables that lower.c takes kernels from.
 *
 * One step function per opcode and type, generated: exactly what pto_ops.def says, element by element in its order. A tile is
 * rows * columns packed elements; two operands are either the same tile or do not overlap. The folder compiles without
 * contraction, so a product is rounded before it is added. */
#ifndef ISA_OPS_H
#define ISA_OPS_H

#include "isa/state.h"

/* run: by variant, bit 0 key type is i32 (scalars: integers), bit 1 mask type is i32. */
struct isa_kernel {
	uint8_t op; /* 0 ends a table */
	isa_step_fn run[4];
	isa_step_fn walk;
};
extern const struct isa_kernel isa_ops_unary[], isa_ops_binary[], isa_ops_compare[], isa_ops_matrix[], isa_ops_reduce[],
	isa_ops_broadcast[], isa_ops_move[], isa_ops_memory[], isa_ops_special[], isa_ops_scalar[];

/* The next loop touches element i of its tiles and nothing else: in place is no obstacle to vectors. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define ISA_VECTOR _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define ISA_VECTOR _Pragma("GCC ivdep")
#else
#define ISA_VECTOR
#endif

static inline void *isa_tile(const struct isa_state *state, const struct isa_operand *o)
{
	return state->scratch + o->at;
}

/* Tile memory for a result that must not land on its own source yet; see isa_step.copy. */
static inline void *isa_temp(const struct isa_state *state)
{
	return state->scratch + state->program->temp_at;
}

static inline size_t isa_count(const struct isa_operand *o)
{
	return (size_t)o->rows * o->columns;
}

static inline float isa_value_f32(const struct isa_state *state, const struct isa_operand *o)
{
	return isa_float_of(state->scalars[o->at]);
}

static inline int32_t isa_value_i32(const struct isa_state *state, const struct isa_operand *o)
{
	return (int32_t)(uint32_t)state->scalars[o->at];
}

/* Integers wrap. */
#define ISA_WRAP(a, op, b) ((int32_t)((uint32_t)(a)op(uint32_t)(b)))

static inline int32_t isa_div_i32(int32_t a, int32_t b)
{
	return b == 0 ? 0 : b == -1 ? ISA_WRAP(0, -, a) : a / b;
}

static inline int32_t isa_rem_i32(int32_t a, int32_t b)
{
	return b == 0 ? a : b == -1 ? 0 : a % b;
}

#endif
