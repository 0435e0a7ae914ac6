/* SPDX-License-Identifier: MIT */
/* tile_op.h - operations on whole tiles that are more than a loop over elements: reductions, moves, sorting. One text for the interpreter, emitted C, CUDA and Ascend C;
 * each element of a result is made in the order of pto_ops.def, so all have the same bits.
 *
 * A target says before it includes this how C is written there; what is left out is as for C on one thread, whose tiles are arrays. Functions are made for a type at a time
 * (ISA_NUMBERS(TILE_REDUCE, )), whose names are those of element.def, or where there are templates the parameter of one. */
#ifndef ISA_TILE_OP_H
#define ISA_TILE_OP_H

#include "isa/element.h"
#include "isa/tile_window.h"

/* ---- types, and names of functions ---------------------------------------------------------------------------------- */

#ifndef TILE_NAME
#define TILE_TEMPLATE(type)
#define TILE_NAME(name, type)    tile_##name##_##type
#define TILE_CALL(name, type)    tile_##name##_##type
#define TILE_S(type)             isa_s_##type /* as it is stored */
#define TILE_C(type)             isa_c_##type /* as it is computed with */
#define TILE_W(type)             isa_w_##type /* as sums wrap */
#define TILE_VALUE(type, stored) isa_get_##type(stored)
#define TILE_STORED(type, value) isa_put_##type(value)
#define TILE_SIZE                size_t
#endif

/* ---- tiles: parameters, and elements ----------------------------------------------------------------------------------- */

#ifndef TILE_MEMORY
#define TILE_MEMORY /* their address space */
#endif
#ifndef TILE_GET
#define TILE_IN(type)          const TILE_MEMORY isa_s_##type *
#define TILE_OUT(type)         TILE_MEMORY isa_s_##type *
#define TILE_GET(x, at)        (x)[at]
#define TILE_SET(d, at, value) (d)[at] = (value)
/* Tiles of indices, i32 or u32. */
#define TILE_INDEXED(type) TILE_TEMPLATE(type)
#define TILE_INDICES       const TILE_MEMORY void *index, int is_unsigned
#define TILE_INDEX(at)     tile_index(index, is_unsigned, at)
#define TILE_ORDER         TILE_MEMORY int32_t *
#define TILE_RANK          int32_t
#ifndef TILE_RUN
/* n elements that lie one behind the other. */
#define TILE_RUN(d, to, x, from, n) memmove((d) + (to), (x) + (from), (n) * sizeof(*(d)))
/* Between a tile and an element of a window, which begins at any byte. */
#define TILE_FETCH(type, d, at, from) memcpy((d) + (at), from, sizeof(*(d)))
#define TILE_DROP(type, to, x, at)    memcpy(to, (x) + (at), sizeof(*(x)))
#endif

TILE_OP int64_t tile_index(const TILE_MEMORY void *tile, int is_unsigned, size_t i)
{
	return is_unsigned ? (int64_t)((const TILE_MEMORY uint32_t *)tile)[i] : (int64_t)((const TILE_MEMORY int32_t *)tile)[i];
}
#endif

/* ---- threads that share the elements of a step ------------------------------------------------------------------------- */

#ifndef TILE_BEGIN
#define TILE_BEGIN                         /* all have got here */
#define TILE_END                           /* all are done */
#define TILE_ALONE                         /* one of them does what follows */
#define TILE_CHECK(count, limit, unit)     /* returns something else than count where an index is none; one thread finds that out on its way */
#define TILE_EACH(i, count)                for (TILE_SIZE i = 0; i < (count); i++)
#define TILE_GRID(i, j, rows, columns)     TILE_EACH(i, rows) TILE_EACH(j, columns)
#define TILE_DOWN(i, count, columns)       TILE_EACH(i, count) /* elements of a column by one thread, in order */
#define TILE_BLOCKS(i, first, count, size) for (TILE_SIZE i = (first); i < (count); i += (size))
#endif
/* Lines of a reduction that one thread has in flight: rows, columns. */
#ifndef TILE_LANES
#define TILE_LANES 8
#define TILE_PART  128
#endif
/* How many rows the target has done already, in vectors of its own. */
#ifndef TILE_TURNED
#define TILE_TURNED(name, type, d, x, step, rows, columns) 0
#endif

/* ---- reductions, strictly in order: what is done at once are neighbours ---------------------------------------------- */

/* first: what the first element v makes the result; next: made of acc and v. kept: the type of both, C or W, and never one of them by way of the other: gcc 12.2 loses elements
 * where lanes of a sum are read on both sides of a conversion (its PR 107212). */
#define TILE_ROWS(type, i, lanes, kept, first, next)                                                                                                           \
	{                                                                                                                                                      \
		kept sum[lanes];                                                                                                                               \
                                                                                                                                                               \
		for (TILE_SIZE k = 0; k < (lanes); k++) {                                                                                                      \
			const C v = TILE_VALUE(type, TILE_GET(x, (i + k) * step));                                                                             \
                                                                                                                                                               \
			sum[k] = first;                                                                                                                        \
		}                                                                                                                                              \
		for (TILE_SIZE j = 1; j < columns; j++)                                                                                                        \
			for (TILE_SIZE k = 0; k < (lanes); k++) {                                                                                              \
				const C acc = (C)sum[k], v = TILE_VALUE(type, TILE_GET(x, (i + k) * step + j));                                                \
                                                                                                                                                               \
				sum[k] = next;                                                                                                                 \
			}                                                                                                                                      \
		for (TILE_SIZE k = 0; k < (lanes); k++)                                                                                                        \
			TILE_SET(d, i + k, TILE_STORED(type, (W)sum[k]));                                                                                      \
	}
/* d[i] of each row of x, whose rows lie `step` elements apart; d may be x where it has one column. */
#define TILE_ROW_REDUCE(type, name, kept, first, next)                                                                                                         \
	TILE_TEMPLATE(type)                                                                                                                                    \
	TILE_OP void TILE_NAME(row##name##_apart, type)(TILE_OUT(type) d, TILE_IN(type) x, TILE_SIZE step, TILE_SIZE rows, TILE_SIZE columns)                  \
	{                                                                                                                                                      \
		typedef TILE_C(type) C;                                                                                                                        \
		typedef TILE_W(type) W;                                                                                                                        \
		const TILE_SIZE turned = TILE_TURNED(name, type, d, x, step, rows, columns), whole = turned + (rows - turned) / TILE_LANES * TILE_LANES;       \
                                                                                                                                                               \
		TILE_BEGIN;                                                                                                                                    \
		TILE_BLOCKS(i, turned, whole, TILE_LANES)                                                                                                      \
		TILE_ROWS(type, i, TILE_LANES, kept, first, next)                                                                                              \
		TILE_BLOCKS(i, whole, rows, 1)                                                                                                                 \
		TILE_ROWS(type, i, 1, kept, first, next)                                                                                                       \
		TILE_END;                                                                                                                                      \
	}                                                                                                                                                      \
	TILE_TEMPLATE(type) TILE_OP void TILE_NAME(row##name, type)(TILE_OUT(type) d, TILE_IN(type) x, TILE_SIZE rows, TILE_SIZE columns)                      \
	{                                                                                                                                                      \
		TILE_CALL(row##name##_apart, type)(d, x, columns, rows, columns);                                                                              \
	}
/* Each column is reduced, a part of them through all rows, so that its results stay in what is computed in; d may be x where it has one row. */
#define TILE_COL_REDUCE(type, name, kept, first, next)                                                                                                         \
	TILE_TEMPLATE(type) TILE_OP void TILE_NAME(col##name, type)(TILE_OUT(type) d, TILE_IN(type) x, TILE_SIZE rows, TILE_SIZE columns)                      \
	{                                                                                                                                                      \
		typedef TILE_C(type) C;                                                                                                                        \
		typedef TILE_W(type) W;                                                                                                                        \
                                                                                                                                                               \
		TILE_BEGIN;                                                                                                                                    \
		TILE_BLOCKS(at, 0, columns, TILE_PART)                                                                                                         \
		{                                                                                                                                              \
			const TILE_SIZE n = columns - at < TILE_PART ? columns - at : TILE_PART;                                                               \
			kept sum[TILE_PART];                                                                                                                   \
                                                                                                                                                               \
			for (TILE_SIZE j = 0; j < n; j++) {                                                                                                    \
				const C v = TILE_VALUE(type, TILE_GET(x, at + j));                                                                             \
                                                                                                                                                               \
				sum[j] = first;                                                                                                                \
			}                                                                                                                                      \
			for (TILE_SIZE i = 1; i < rows; i++)                                                                                                   \
				for (TILE_SIZE j = 0; j < n; j++) {                                                                                            \
					const C acc = (C)sum[j], v = TILE_VALUE(type, TILE_GET(x, i * columns + at + j));                                      \
                                                                                                                                                               \
					sum[j] = next;                                                                                                         \
				}                                                                                                                              \
			for (TILE_SIZE j = 0; j < n; j++)                                                                                                      \
				TILE_SET(d, at + j, TILE_STORED(type, (W)sum[j]));                                                                             \
		}                                                                                                                                              \
		TILE_END;                                                                                                                                      \
	}
/* rowsum, rowmax, rowmin, colsum, colmax, colmin. A sum starts from 0: 0 + -0 is 0. */
#define TILE_REDUCE(type, ...)                                                                                                                                 \
	TILE_ROW_REDUCE(type, sum, W, (W)0 + (W)v, (W)acc + (W)v)                                                                                              \
	TILE_ROW_REDUCE(type, max, C, v, v > acc ? v : acc)                                                                                                    \
	TILE_ROW_REDUCE(type, min, C, v, v < acc ? v : acc)                                                                                                    \
	TILE_COL_REDUCE(type, sum, W, (W)0 + (W)v, (W)acc + (W)v)                                                                                              \
	TILE_COL_REDUCE(type, max, C, v, v > acc ? v : acc)                                                                                                    \
	TILE_COL_REDUCE(type, min, C, v, v < acc ? v : acc)

/* ---- moves ----------------------------------------------------------------------------------------------------------- */

/* trans: d[i,j] = x[j,i]; d is not x. extract: d is rows x columns of x from element `from` on; d may be x, which then has no more. */
#define TILE_TRANSPOSE(type, ...)                                                                                                                              \
	TILE_TEMPLATE(type) TILE_OP void TILE_NAME(trans, type)(TILE_OUT(type) d, TILE_IN(type) x, TILE_SIZE rows, TILE_SIZE columns)                          \
	{                                                                                                                                                      \
		TILE_BEGIN;                                                                                                                                    \
		TILE_GRID(i, j, rows, columns)                                                                                                                 \
		TILE_SET(d, i *columns + j, TILE_GET(x, j * rows + i));                                                                                        \
		TILE_END;                                                                                                                                      \
	}
#define TILE_EXTRACT(type, ...)                                                                                                                                \
	TILE_TEMPLATE(type)                                                                                                                                    \
	TILE_OP void TILE_NAME(extract, type)(TILE_OUT(type) d, TILE_SIZE rows, TILE_SIZE columns, TILE_IN(type) x, TILE_SIZE from, TILE_SIZE x_columns)       \
	{                                                                                                                                                      \
		TILE_BEGIN;                                                                                                                                    \
		for (TILE_SIZE i = 0; i < rows; i++)                                                                                                           \
			TILE_RUN(d, i *columns, x, from + i * x_columns, columns);                                                                             \
		TILE_END;                                                                                                                                      \
	}
/* Whether rows x columns at [r, c] are in a tile. */
TILE_OP bool tile_holds(uint32_t x_rows, uint32_t x_columns, int64_t r, int64_t c, uint32_t rows, uint32_t columns)
{
	return r >= 0 && c >= 0 && r <= (int64_t)x_rows - rows && c <= (int64_t)x_columns - columns;
}

/* Moves by indices return the number of the first one that is none, and count if there is none such. Where several threads share the elements, the indices are checked
 * before. gather: d[i] = x[index[i] / unit]; unit: 1 for indices of elements, the size of one for bytes; limit: indices below it. scatter: d[index[i,j], j] = x[i,j], the
 * last row that names a place wins, and places without an index keep their value. d is none of the sources. */
#define TILE_GATHER(type, ...)                                                                                                                                 \
	TILE_INDEXED(type)                                                                                                                                     \
	TILE_OP TILE_SIZE TILE_NAME(gather, type)(TILE_OUT(type) d, TILE_IN(type) x, TILE_INDICES, TILE_SIZE count, int64_t limit, int64_t unit)               \
	{                                                                                                                                                      \
		TILE_BEGIN;                                                                                                                                    \
		TILE_CHECK(count, limit, unit);                                                                                                                \
		TILE_EACH(i, count)                                                                                                                            \
		{                                                                                                                                              \
			const int64_t k = TILE_INDEX(i);                                                                                                       \
                                                                                                                                                               \
			if (k < 0 || k >= limit || k % unit)                                                                                                   \
				return i;                                                                                                                      \
			TILE_SET(d, i, TILE_GET(x, (TILE_SIZE)(k / unit)));                                                                                    \
		}                                                                                                                                              \
		TILE_END;                                                                                                                                      \
		return count;                                                                                                                                  \
	}
#define TILE_SCATTER(type, ...)                                                                                                                                \
	TILE_INDEXED(type)                                                                                                                                     \
	TILE_OP TILE_SIZE TILE_NAME(scatter, type)(TILE_OUT(type) d, TILE_IN(type) x, TILE_INDICES, TILE_SIZE count, int64_t limit, TILE_SIZE columns)         \
	{                                                                                                                                                      \
		TILE_BEGIN;                                                                                                                                    \
		TILE_CHECK(count, limit, 1);                                                                                                                   \
		TILE_DOWN(i, count, columns)                                                                                                                   \
		{                                                                                                                                              \
			const int64_t k = TILE_INDEX(i);                                                                                                       \
                                                                                                                                                               \
			if (k < 0 || k >= limit)                                                                                                               \
				return i;                                                                                                                      \
			TILE_SET(d, (TILE_SIZE)k *columns + i % columns, TILE_GET(x, i));                                                                      \
		}                                                                                                                                              \
		TILE_END;                                                                                                                                      \
		return count;                                                                                                                                  \
	}
/* The same in a window. mgather: d may be the indices, each is read before it is overwritten. mscatter: of elements for one place the last one stays. */
#define TILE_WINDOW_INDEXED(type, ...)                                                                                                                         \
	TILE_INDEXED(type) TILE_OP TILE_SIZE TILE_NAME(mgather, type)(TILE_OUT(type) d, TILE_WINDOW * w, TILE_INDICES, TILE_SIZE count)                        \
	{                                                                                                                                                      \
		const int64_t limit = tile_window_count(w);                                                                                                    \
		const bool flat = tile_window_is_flat(w);                                                                                                      \
                                                                                                                                                               \
		TILE_BEGIN;                                                                                                                                    \
		TILE_CHECK(count, limit, 1);                                                                                                                   \
		TILE_EACH(i, count)                                                                                                                            \
		{                                                                                                                                              \
			const int64_t k = TILE_INDEX(i);                                                                                                       \
                                                                                                                                                               \
			if (k < 0 || k >= limit)                                                                                                               \
				return i;                                                                                                                      \
			TILE_FETCH(type, d, i, (TILE_BYTE *)w->data + tile_element_at(w, flat, k) * sizeof(TILE_S(type)));                                     \
		}                                                                                                                                              \
		TILE_END;                                                                                                                                      \
		return count;                                                                                                                                  \
	}                                                                                                                                                      \
	TILE_INDEXED(type) TILE_OP TILE_SIZE TILE_NAME(mscatter, type)(TILE_WINDOW * w, TILE_IN(type) x, TILE_INDICES, TILE_SIZE count)                        \
	{                                                                                                                                                      \
		const int64_t limit = tile_window_count(w);                                                                                                    \
		const bool flat = tile_window_is_flat(w);                                                                                                      \
                                                                                                                                                               \
		TILE_BEGIN;                                                                                                                                    \
		TILE_CHECK(count, limit, 1);                                                                                                                   \
		TILE_ALONE for (TILE_SIZE i = 0; i < count; i++)                                                                                               \
		{                                                                                                                                              \
			const int64_t k = TILE_INDEX(i);                                                                                                       \
                                                                                                                                                               \
			if (k < 0 || k >= limit)                                                                                                               \
				return i;                                                                                                                      \
			TILE_DROP(type, (TILE_BYTE *)w->data + tile_element_at(w, flat, k) * sizeof(TILE_S(type)), x, i);                                      \
		}                                                                                                                                              \
		TILE_END;                                                                                                                                      \
		return count;                                                                                                                                  \
	}

/* ---- sorting: descending and stable, a NaN after every number -------------------------------------------------------- */

#define TILE_SORTED 32 /* elements of a group */

/* rule: element a comes before b. sort32: each group by insertion, d its values, e their numbers; d or e may be x: a group is read first. mrgsort: the first elements of the
 * merged order, as many as d holds, which is none of the sources; of equals those of a first. */
#define TILE_SORT(type, rule)                                                                                                                                  \
	TILE_TEMPLATE(type) TILE_OP bool TILE_NAME(before, type)(TILE_S(type) first, TILE_S(type) second)                                                      \
	{                                                                                                                                                      \
		const TILE_C(type) a = TILE_VALUE(type, first), b = TILE_VALUE(type, second);                                                                  \
                                                                                                                                                               \
		return rule;                                                                                                                                   \
	}                                                                                                                                                      \
	TILE_INDEXED(type) TILE_OP void TILE_NAME(sort32, type)(TILE_OUT(type) d, TILE_ORDER e, TILE_IN(type) x, TILE_SIZE count)                              \
	{                                                                                                                                                      \
		TILE_BEGIN;                                                                                                                                    \
		TILE_BLOCKS(first, 0, count, TILE_SORTED)                                                                                                      \
		{                                                                                                                                              \
			const TILE_SIZE n = count - first < TILE_SORTED ? count - first : TILE_SORTED;                                                         \
			TILE_S(type) value[TILE_SORTED];                                                                                                       \
			TILE_RANK rank[TILE_SORTED];                                                                                                           \
                                                                                                                                                               \
			for (TILE_SIZE i = 0; i < n; i++) {                                                                                                    \
				const TILE_S(type) v = TILE_GET(x, first + i);                                                                                 \
				TILE_SIZE at = i;                                                                                                              \
                                                                                                                                                               \
				for (; at > 0 && TILE_CALL(before, type)(v, value[at - 1]); at--) {                                                            \
					value[at] = value[at - 1];                                                                                             \
					rank[at] = rank[at - 1];                                                                                               \
				}                                                                                                                              \
				value[at] = v;                                                                                                                 \
				rank[at] = (TILE_RANK)(first + i);                                                                                             \
			}                                                                                                                                      \
			for (TILE_SIZE i = 0; i < n; i++)                                                                                                      \
				TILE_SET(d, first + i, value[i]);                                                                                              \
			for (TILE_SIZE i = 0; i < n; i++)                                                                                                      \
				TILE_SET(e, first + i, rank[i]);                                                                                               \
		}                                                                                                                                              \
		TILE_END;                                                                                                                                      \
	}                                                                                                                                                      \
	TILE_TEMPLATE(type)                                                                                                                                    \
	TILE_OP void TILE_NAME(mrgsort, type)(TILE_OUT(type) d, TILE_SIZE count, TILE_IN(type) a, TILE_SIZE a_count, TILE_IN(type) b, TILE_SIZE b_count)       \
	{                                                                                                                                                      \
		TILE_SIZE i = 0, j = 0;                                                                                                                        \
                                                                                                                                                               \
		TILE_BEGIN;                                                                                                                                    \
		TILE_ALONE for (TILE_SIZE k = 0; k < count; k++)                                                                                               \
		{                                                                                                                                              \
			const bool of_a = j == b_count || (i < a_count && !TILE_CALL(before, type)(TILE_GET(b, j), TILE_GET(a, i)));                           \
                                                                                                                                                               \
			TILE_SET(d, k, of_a ? TILE_GET(a, i) : TILE_GET(b, j));                                                                                \
			i += of_a;                                                                                                                             \
			j += !of_a;                                                                                                                            \
		}                                                                                                                                              \
		TILE_END;                                                                                                                                      \
	}
#define TILE_BEFORE_FLOAT   a > b || (a == a && b != b)
#define TILE_BEFORE_INTEGER a > b

/* The functions of this file for every element type that each is on. */
#define TILE_FUNCTIONS                                                                                                                                         \
	ISA_NUMBERS(TILE_REDUCE, )                                                                                                                             \
	ISA_TYPES(TILE_TRANSPOSE, )                                                                                                                            \
	ISA_TYPES(TILE_EXTRACT, )                                                                                                                              \
	ISA_TYPES(TILE_GATHER, )                                                                                                                               \
	ISA_TYPES(TILE_SCATTER, )                                                                                                                              \
	ISA_TYPES(TILE_WINDOW_INDEXED, )                                                                                                                       \
	ISA_FLOATS(TILE_SORT, TILE_BEFORE_FLOAT)                                                                                                               \
	ISA_INTEGERS(TILE_SORT, TILE_BEFORE_INTEGER)

#endif
