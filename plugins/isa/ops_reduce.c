/* SPDX-License-Identifier: MIT */
/* ops_reduce.c - rows or columns of a tile to one element each, strictly in order: speed comes from doing neighbours at once,
 * never from another order. A destination that is the source has one column (one row): each element is read before it is
 * written. */
#include "isa/isa_level.h"
#include "isa/isa_ops.h"

enum { LANES = 8 /* rows in flight */, PART = 128 /* columns in flight */ };

/* first: what the first element v makes the result; then `value`, made of acc and v. */
#define ROWS_ONE(type, lanes, first, value)                                                                                                                    \
	do {                                                                                                                                                   \
		W sum[lanes];                                                                                                                                  \
                                                                                                                                                               \
		for (size_t k = 0; k < (lanes); k++) {                                                                                                         \
			const C v = isa_get_##type(x[(i + k) * columns]);                                                                                      \
                                                                                                                                                               \
			sum[k] = first;                                                                                                                        \
		}                                                                                                                                              \
		for (size_t j = 1; j < columns; j++)                                                                                                           \
			for (size_t k = 0; k < (lanes); k++) {                                                                                                 \
				const C acc = (C)sum[k], v = isa_get_##type(x[(i + k) * columns + j]);                                                         \
                                                                                                                                                               \
				sum[k] = value;                                                                                                                \
			}                                                                                                                                      \
		for (size_t k = 0; k < (lanes); k++)                                                                                                           \
			d[i + k] = isa_put_##type(sum[k]);                                                                                                     \
	} while (0)
#define ROW_REDUCE(type, NAME, first, value)                                                                                                                   \
	static ptowsp_status NAME##_##type(const struct isa_step *s, struct isa_state *state)                                                                  \
	{                                                                                                                                                      \
		ISA_LOOP_TYPES(type)                                                                                                                           \
		S *d = isa_tile(state, &s->d);                                                                                                                 \
		const S *x = isa_tile(state, &s->a);                                                                                                           \
		const size_t rows = s->a.rows, columns = s->a.columns;                                                                                         \
		size_t i = 0;                                                                                                                                  \
                                                                                                                                                               \
		for (; i + LANES <= rows; i += LANES)                                                                                                          \
			ROWS_ONE(type, LANES, first, value);                                                                                                   \
		for (; i < rows; i++)                                                                                                                          \
			ROWS_ONE(type, 1, first, value);                                                                                                       \
		return PTOWSP_OK;                                                                                                                              \
	}
/* A part of the columns through all rows, so that its results stay in what is computed in. */
#define COL_REDUCE(type, NAME, first, value)                                                                                                                   \
	static ptowsp_status NAME##_##type(const struct isa_step *s, struct isa_state *state)                                                                  \
	{                                                                                                                                                      \
		ISA_LOOP_TYPES(type)                                                                                                                           \
		S *d = isa_tile(state, &s->d);                                                                                                                 \
		const S *x = isa_tile(state, &s->a);                                                                                                           \
		const size_t rows = s->a.rows, columns = s->a.columns;                                                                                         \
		W sum[PART];                                                                                                                                   \
                                                                                                                                                               \
		for (size_t at = 0; at < columns; at += PART) {                                                                                                \
			const size_t n = columns - at < PART ? columns - at : PART;                                                                            \
                                                                                                                                                               \
			for (size_t j = 0; j < n; j++) {                                                                                                       \
				const C v = isa_get_##type(x[at + j]);                                                                                         \
                                                                                                                                                               \
				sum[j] = first;                                                                                                                \
			}                                                                                                                                      \
			for (size_t i = 1; i < rows; i++)                                                                                                      \
				for (size_t j = 0; j < n; j++) {                                                                                               \
					const C acc = (C)sum[j], v = isa_get_##type(x[i * columns + at + j]);                                                  \
                                                                                                                                                               \
					sum[j] = value;                                                                                                        \
				}                                                                                                                              \
			for (size_t j = 0; j < n; j++)                                                                                                         \
				d[at + j] = isa_put_##type(sum[j]);                                                                                            \
		}                                                                                                                                              \
		return PTOWSP_OK;                                                                                                                              \
	}

/* A sum starts from 0: 0 + -0 is 0. */
#define SUM     (W) acc + (W)v
#define LARGER  v > acc ? v : acc
#define SMALLER v < acc ? v : acc
ISA_NUMBERS(ROW_REDUCE, TROWSUM, (W)0 + (W)v, SUM)
ISA_NUMBERS(ROW_REDUCE, TROWMAX, (W)v, LARGER)
ISA_NUMBERS(ROW_REDUCE, TROWMIN, (W)v, SMALLER)
ISA_NUMBERS(COL_REDUCE, TCOLSUM, (W)0 + (W)v, SUM)
ISA_NUMBERS(COL_REDUCE, TCOLMAX, (W)v, LARGER)
ISA_NUMBERS(COL_REDUCE, TCOLMIN, (W)v, SMALLER)

const struct isa_kernel ISA_TABLE(reduce)[] = {
	ISA_ROW(TROWSUM) ISA_ROW(TROWMAX) ISA_ROW(TROWMIN) ISA_ROW(TCOLSUM) ISA_ROW(TCOLMAX) ISA_ROW(TCOLMIN){.op = 0},
};
#ifdef ISA_LEVEL_PUSHED
#pragma clang attribute pop
#endif
