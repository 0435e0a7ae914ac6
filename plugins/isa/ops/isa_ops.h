/* SPDX-License-Identifier: MIT */
/* isa_ops.h - what the files of operations share: finding operands, and the tables that lower.c takes kernels from.
 *
 * One step function per opcode and type, generated: exactly what pto_ops.def says, element by element in its order. A tile is
 * rows * columns packed elements; two operands are either the same tile or do not overlap. The folder compiles without
 * contraction, so a product is rounded before it is added. */
#ifndef ISA_OPS_H
#define ISA_OPS_H

#include "isa/state.h"

/* run: by the code of the key type; scalars by the class of their operation (type.c). */
struct isa_kernel {
	uint8_t op; /* 0 ends a table */
	isa_step_fn run[ISA_DTYPES];
	isa_step_fn walk;
};
extern const struct isa_kernel isa_ops_element[], isa_ops_compare[], isa_ops_matrix[], isa_ops_reduce[], isa_ops_broadcast[], isa_ops_move[], isa_ops_memory[],
	isa_ops_convert[], isa_ops_special[], isa_ops_scalar[];
/* For numerics=fast: of floats only, instead of those above. */
extern const struct isa_kernel isa_ops_matrix_fast[], isa_ops_fast[];
/* Files whose loops gain by longer vectors are compiled again for processors that have them (isa.ninja), with the same results. A
 * table's name then ends in ISA_LEVEL; elsewhere than on x86-64 the copies are alike and nobody chooses them. */
#ifdef ISA_LEVEL
#define ISA_JOIN(name, level)   name##_##level
#define ISA_JOINED(name, level) ISA_JOIN(name, level)
#define ISA_TABLE(name)         ISA_JOINED(isa_ops_##name, ISA_LEVEL)
#else
#define ISA_TABLE(name) isa_ops_##name
#endif
extern const struct isa_kernel isa_ops_element_avx2[], isa_ops_reduce_avx2[], isa_ops_broadcast_avx2[];
extern const struct isa_kernel isa_ops_element_avx512[]; /* functions of one element */
/* For processors that convert f16 themselves; on x86-64. */
extern const struct isa_kernel isa_ops_convert_f16c[];

/* Names in a generated function: the types of its element type, and its sign and width. */
#define ISA_LOOP_TYPES(type)                                                                                                                                   \
	typedef isa_s_##type S __attribute__((unused)); /* stored */                                                                                           \
	typedef isa_c_##type C __attribute__((unused)); /* computed */                                                                                         \
	typedef isa_w_##type W __attribute__((unused)); /* wraps */                                                                                            \
	enum { WIDTH = ISA_WIDTH_##type };
/* A row's entries: name##_##type for a key type; one function for all of them. */
#define ISA_ENTRY(type, name)        [ISA_CODE_##type] = name##_##type,
#define ISA_ENTRY_OF(type, function) [ISA_CODE_##type] = function,
/* name_1 ... name_8 by the size of the type. */
#define ISA_ENTRIES_SIZED(name)                                                                                                                                \
	ISA_TYPES_1(ISA_ENTRY_OF, name##_1) ISA_TYPES_2(ISA_ENTRY_OF, name##_2) ISA_TYPES_4(ISA_ENTRY_OF, name##_4) ISA_TYPES_8(ISA_ENTRY_OF, name##_8)
#define ISA_ROW(NAME)              {.op = PTOWSP_PTO_##NAME, .run = {ISA_NUMBERS(ISA_ENTRY, NAME)}},
#define ISA_ROW_FLOATS(NAME)       {.op = PTOWSP_PTO_##NAME, .run = {ISA_FLOATS(ISA_ENTRY, NAME)}},
#define ISA_ROW_SIZED(NAME, name)  {.op = PTOWSP_PTO_##NAME, .run = {ISA_ENTRIES_SIZED(name)}},
#define ISA_ROW_OF(NAME, function) {.op = PTOWSP_PTO_##NAME, .run = {ISA_TYPES(ISA_ENTRY_OF, function)}},

/* How a loop is compiled, by a word in its line: VECTOR; SHORT, four vectors a round, where counting rounds would cost as much as what they do; or
 * PLAIN where there is no vector form. */
#define ISA_LOOP_VECTOR ISA_VECTOR
#define ISA_LOOP_SHORT  ISA_SHORT
#define ISA_LOOP_PLAIN

/* One tile to one tile, element by element: d[i] = value, which sees the element as a; given declares what else it sees. */
#define ISA_MAP(type, NAME, how, given, value)                                                                                                                 \
	static ptowsp_status NAME##_##type(const struct isa_step *s, struct isa_state *state)                                                                  \
	{                                                                                                                                                      \
		ISA_LOOP_TYPES(type)                                                                                                                           \
		S *d = isa_tile(state, &s->d);                                                                                                                 \
		const S *x = isa_tile(state, &s->a);                                                                                                           \
		given const size_t count = isa_count(&s->d);                                                                                                   \
                                                                                                                                                               \
		ISA_LOOP_##how for (size_t i = 0; i < count; i++)                                                                                              \
		{                                                                                                                                              \
			const C a = isa_get_##type(x[i]);                                                                                                      \
                                                                                                                                                               \
			d[i] = isa_put_##type(value);                                                                                                          \
		}                                                                                                                                              \
		return PTOWSP_OK;                                                                                                                              \
	}
/* The same with a scalar b. */
#define ISA_MAP_SCALED(type, NAME, how, value) ISA_MAP(type, NAME, how, const C b = ISA_SCALAR(type, state, &s->b);, value)

/* The next loop touches element i of its tiles and nothing else: in place is no obstacle to vectors. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define ISA_VECTOR _Pragma("clang loop vectorize(assume_safety)")
#define ISA_SHORT  ISA_VECTOR /* it does so by itself */
#elif defined(__GNUC__)
#define ISA_VECTOR _Pragma("GCC ivdep")
#define ISA_SHORT  _Pragma("GCC ivdep") _Pragma("GCC unroll 4")
#else
#define ISA_VECTOR
#define ISA_SHORT
#endif

static inline void *isa_tile(const struct isa_state *state, const struct isa_operand *o)
{
	return state->scratch + o->at;
}

/* Elements of a factor of a product: in its tile, or where they were loaded from (isa_place.h). */
static inline const void *isa_factor(const struct isa_state *state, const struct isa_operand *o)
{
	const size_t *at = state->program->place_at;
	const void *place = isa_tile(state, o);

	if (at && at[o->row])
		memcpy(&place, state->scratch + at[o->row], sizeof(place));
	return place;
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

/* Bytes of all its elements. */
static inline size_t isa_bytes(const struct isa_operand *o)
{
	return isa_count(o) * o->bytes;
}

/* A scalar operand in what the loop computes in. */
#define ISA_SCALAR(type, state, operand) isa_value_##type((state)->scalars[(operand)->at])

/* A tile in a window: `rows` rows `step` bytes apart, of `columns` elements `stride` bytes apart. */
struct isa_window {
	unsigned char *at;
	size_t rows, columns, step, stride;
	unsigned bytes; /* of an element */
};
/* ops_memory.c: where a tload or tstore finds its tile, row by row; the error of its step if that is outside. */
ptowsp_status isa_window_find(const struct isa_step *s, const struct isa_state *state, struct isa_window *window_out);
/* Rows [first, first + rows) of it to a tile's memory (load), or from there. */
void isa_window_move(const struct isa_window *w, size_t first, size_t rows, void *tile, bool load);

/* ops_matrix.c: temporary memory that a product on these tiles needs; copy: its result is also a source. */
size_t isa_matrix_temp(const struct ptowsp_tile_tile *d, const struct ptowsp_tile_tile *const *src, unsigned count, bool copy);

#endif
