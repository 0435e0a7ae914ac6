/* SPDX-License-Identifier: MIT */
/* kernel_tile.h - what emitted C kernels call for tile operations that are more than a loop over elements: reductions, gathers,
 * sorting. Products are in product.h. Exactly what pto_ops.def says, element by element in its order. */
#ifndef ISA_KERNEL_TILE_H
#define ISA_KERNEL_TILE_H

#include "isa/kernel.h"

TILE_COLD ptowsp_status tile_index_fail(const struct tile_call *call, const char *place, const char *mnemonic, int64_t index, size_t i, const char *tile,
					const char *unit, uint64_t limit)
{
	return tile_fail(call, place, "%s index %lld at element %llu of %%%.48s; %s 0 to %llu are there", mnemonic, (long long)index, (unsigned long long)i,
			 tile, unit, (unsigned long long)(limit - 1));
}

/* unit: 1 for element indices, the size of an element for byte offsets. index_name, of_unit: for the sentence. d is none of the
 * sources. */
TILE_INLINE ptowsp_status tile_gather(const struct tile_call *call, const char *place, const char *mnemonic, void *d, const void *a, uint64_t a_count,
				      const void *index, const char *index_name, int is_unsigned, size_t count, size_t bytes, size_t unit, const char *of_unit)
{
	const int64_t limit = (int64_t)(a_count * unit);

	for (size_t i = 0; i < count; i++) {
		const int64_t k = tile_index(index, is_unsigned, i);

		if (k < 0 || k >= limit || k % (int64_t)unit)
			return tile_index_fail(call, place, mnemonic, k, i, index_name, of_unit, (uint64_t)limit);
		memcpy((unsigned char *)d + i * bytes, (const unsigned char *)a + (size_t)k / unit * bytes, bytes);
	}
	return PTOWSP_OK;
}

/* Rows in ascending order: the last one that names a place wins. What no index names keeps its value. */
TILE_INLINE ptowsp_status tile_scatter(const struct tile_call *call, const char *place, void *d, uint32_t rows, const void *a, const void *index,
				       const char *index_name, int is_unsigned, size_t count, uint32_t columns, size_t bytes)
{
	for (size_t i = 0; i < count; i++) {
		const int64_t k = tile_index(index, is_unsigned, i);

		if (k < 0 || k >= (int64_t)rows)
			return tile_index_fail(call, place, "tscatter", k, i, index_name, "rows", rows);
		memcpy((unsigned char *)d + ((size_t)k * columns + i % columns) * bytes, (const unsigned char *)a + i * bytes, bytes);
	}
	return PTOWSP_OK;
}

/* Rows x columns of d out of a at [r, c]; d may be a. */
TILE_INLINE ptowsp_status tile_extract(const struct tile_call *call, const char *place, void *d, uint32_t rows, uint32_t columns, const void *a,
				       uint32_t a_rows, uint32_t a_columns, const char *a_name, int64_t r, int64_t c, size_t bytes)
{
	if (r < 0 || c < 0 || r > (int64_t)a_rows - rows || c > (int64_t)a_columns - columns)
		return tile_fail(call, place, "textract takes %lux%lu at [%lld, %lld] of %%%.48s, which is %lux%lu", (unsigned long)rows,
				 (unsigned long)columns, (long long)r, (long long)c, a_name, (unsigned long)a_rows, (unsigned long)a_columns);
	for (size_t i = 0; i < rows; i++)
		memmove((unsigned char *)d + i * columns * bytes, (const unsigned char *)a + (((size_t)r + i) * a_columns + (size_t)c) * bytes,
			columns * bytes);
	return PTOWSP_OK;
}

/* Reductions strictly in order; rows in flight and parts of columns only decide what is done at the same time. */
enum { TILE_LANES = 8, TILE_PART = 128, TILE_SORTED = 32 };

/* name(d, x, rows, columns): d[i] of each row of x; name_apart(d, x, step, rows, columns): rows that are `step` elements apart. first: what
 * the first element v makes the result; next: made of acc and v. */
#define TILE_ROWS(type, lanes, first, next)                                                                                                                    \
	do {                                                                                                                                                   \
		W sum[lanes];                                                                                                                                  \
                                                                                                                                                               \
		for (size_t k = 0; k < (lanes); k++) {                                                                                                         \
			const C v = isa_get_##type(x[(i + k) * step]);                                                                                         \
                                                                                                                                                               \
			sum[k] = first;                                                                                                                        \
		}                                                                                                                                              \
		for (size_t j = 1; j < columns; j++)                                                                                                           \
			for (size_t k = 0; k < (lanes); k++) {                                                                                                 \
				const C acc = (C)sum[k], v = isa_get_##type(x[(i + k) * step + j]);                                                            \
                                                                                                                                                               \
				sum[k] = next;                                                                                                                 \
			}                                                                                                                                      \
		for (size_t k = 0; k < (lanes); k++)                                                                                                           \
			d[i + k] = isa_put_##type(sum[k]);                                                                                                     \
	} while (0)
/* Rows of f32, eight at a time: their elements are turned into columns, so that one sum of vectors goes on in all of them. Returns how
 * many rows are done; rows of other types, none. */
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define TILE_TURNS
#endif
#endif
#define TILE_UNTURNED(type, ...)                                                                                                                               \
	TILE_UNTURNED_OF(type, sum)                                                                                                                            \
	TILE_UNTURNED_OF(type, max)                                                                                                                            \
	TILE_UNTURNED_OF(type, min)
#define TILE_UNTURNED_OF(type, name)                                                                                                                           \
	TILE_INLINE size_t tile_turned_##name##_##type(isa_s_##type *d, const isa_s_##type *x, size_t step, size_t rows, size_t columns)                       \
	{                                                                                                                                                      \
		(void)d, (void)x, (void)step, (void)rows, (void)columns;                                                                                       \
		return 0;                                                                                                                                      \
	}
TILE_UNTURNED(f16, )
TILE_UNTURNED(bf16, )
TILE_UNTURNED(f64, )
TILE_UNTURNED(i8, )
TILE_UNTURNED(i16, )
TILE_UNTURNED(i32, )
TILE_UNTURNED(i64, )
TILE_UNTURNED(u8, )
TILE_UNTURNED(u16, )
TILE_UNTURNED(u32, )
TILE_UNTURNED(u64, )
#ifdef TILE_TURNS
typedef float tile_floats __attribute__((vector_size(32)));
typedef int32_t tile_masks __attribute__((vector_size(32)));

/* t[j]: element j of eight rows. */
TILE_INLINE void tile_turn(tile_floats t[TILE_LANES], const float *x, size_t step)
{
	tile_floats a[TILE_LANES], b[TILE_LANES];

	for (size_t n = 0; n < TILE_LANES; n++)
		memcpy(&t[n], x + n * step, sizeof(t[n]));
	for (size_t n = 0; n < TILE_LANES; n += 2) {
		a[n] = __builtin_shufflevector(t[n], t[n + 1], 0, 8, 1, 9, 4, 12, 5, 13);
		a[n + 1] = __builtin_shufflevector(t[n], t[n + 1], 2, 10, 3, 11, 6, 14, 7, 15);
	}
	for (size_t n = 0; n < TILE_LANES; n += 4)
		for (size_t k = 0; k < 2; k++) {
			b[n + 2 * k] = __builtin_shufflevector(a[n + k], a[n + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
			b[n + 2 * k + 1] = __builtin_shufflevector(a[n + k], a[n + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
		}
	for (size_t n = 0; n < TILE_LANES / 2; n++) {
		t[n] = __builtin_shufflevector(b[n], b[n + 4], 0, 1, 2, 3, 8, 9, 10, 11);
		t[n + 4] = __builtin_shufflevector(b[n], b[n + 4], 4, 5, 6, 7, 12, 13, 14, 15);
	}
}

#define TILE_PICK(mask, yes, no) ((tile_floats)(((tile_masks)(yes) & (mask)) | ((tile_masks)(no) & ~(mask))))
#define TILE_TURNED(name, first, next)                                                                                                                         \
	TILE_INLINE size_t tile_turned_##name##_f32(float *d, const float *x, size_t step, size_t rows, size_t columns)                                        \
	{                                                                                                                                                      \
		size_t i = 0;                                                                                                                                  \
                                                                                                                                                               \
		for (; i + TILE_LANES <= rows && columns >= TILE_LANES; i += TILE_LANES) {                                                                     \
			tile_floats t[TILE_LANES], v, acc;                                                                                                     \
			size_t j = TILE_LANES;                                                                                                                 \
                                                                                                                                                               \
			tile_turn(t, x + i * step, step);                                                                                                      \
			v = t[0];                                                                                                                              \
			acc = first;                                                                                                                           \
			for (size_t k = 1; k < TILE_LANES; k++) {                                                                                              \
				v = t[k];                                                                                                                      \
				acc = next;                                                                                                                    \
			}                                                                                                                                      \
			for (; j + TILE_LANES <= columns; j += TILE_LANES) {                                                                                   \
				tile_turn(t, x + i * step + j, step);                                                                                          \
				for (size_t k = 0; k < TILE_LANES; k++) {                                                                                      \
					v = t[k];                                                                                                              \
					acc = next;                                                                                                            \
				}                                                                                                                              \
			}                                                                                                                                      \
			for (; j < columns; j++) {                                                                                                             \
				for (size_t k = 0; k < TILE_LANES; k++)                                                                                        \
					v[k] = x[(i + k) * step + j];                                                                                          \
				acc = next;                                                                                                                    \
			}                                                                                                                                      \
			memcpy(d + i, &acc, sizeof(acc));                                                                                                      \
		}                                                                                                                                              \
		return i;                                                                                                                                      \
	}
TILE_TURNED(sum, (tile_floats){0} + v, acc + v)
TILE_TURNED(max, v, TILE_PICK(v > acc, v, acc))
TILE_TURNED(min, v, TILE_PICK(v < acc, v, acc))
#else
TILE_UNTURNED(f32, )
#endif
#define TILE_ROW_REDUCE(type, name, first, next)                                                                                                               \
	TILE_INLINE void tile_row##name##_apart_##type(isa_s_##type *d, const isa_s_##type *x, size_t step, size_t rows, size_t columns)                       \
	{                                                                                                                                                      \
		typedef isa_c_##type C;                                                                                                                        \
		typedef isa_w_##type W;                                                                                                                        \
		size_t i = tile_turned_##name##_##type(d, x, step, rows, columns);                                                                             \
                                                                                                                                                               \
		for (; i + TILE_LANES <= rows; i += TILE_LANES)                                                                                                \
			TILE_ROWS(type, TILE_LANES, first, next);                                                                                              \
		for (; i < rows; i++)                                                                                                                          \
			TILE_ROWS(type, 1, first, next);                                                                                                       \
	}                                                                                                                                                      \
	TILE_INLINE void tile_row##name##_##type(isa_s_##type *d, const isa_s_##type *x, size_t rows, size_t columns)                                          \
	{                                                                                                                                                      \
		tile_row##name##_apart_##type(d, x, columns, rows, columns);                                                                                   \
	}
/* Of each column; d may be x when that has one row. */
#define TILE_COL_REDUCE(type, name, first, next)                                                                                                               \
	TILE_INLINE void tile_col##name##_##type(isa_s_##type *d, const isa_s_##type *x, size_t rows, size_t columns)                                          \
	{                                                                                                                                                      \
		typedef isa_c_##type C;                                                                                                                        \
		typedef isa_w_##type W;                                                                                                                        \
		W sum[TILE_PART];                                                                                                                              \
                                                                                                                                                               \
		for (size_t at = 0; at < columns; at += TILE_PART) {                                                                                           \
			const size_t n = columns - at < TILE_PART ? columns - at : TILE_PART;                                                                  \
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
					sum[j] = next;                                                                                                         \
				}                                                                                                                              \
			for (size_t j = 0; j < n; j++)                                                                                                         \
				d[at + j] = isa_put_##type(sum[j]);                                                                                            \
		}                                                                                                                                              \
	}
#define TILE_REDUCE(type, ...)                                                                                                                                 \
	TILE_ROW_REDUCE(type, sum, (W)0 + (W)v, (W)acc + (W)v) /* 0 + -0 is 0 */                                                                               \
	TILE_ROW_REDUCE(type, max, (W)v, v > acc ? v : acc)                                                                                                    \
	TILE_ROW_REDUCE(type, min, (W)v, v < acc ? v : acc)                                                                                                    \
	TILE_COL_REDUCE(type, sum, (W)0 + (W)v, (W)acc + (W)v)                                                                                                 \
	TILE_COL_REDUCE(type, max, (W)v, v > acc ? v : acc)                                                                                                    \
	TILE_COL_REDUCE(type, min, (W)v, v < acc ? v : acc)
ISA_NUMBERS(TILE_REDUCE, )

/* d[i,j] = x[j,i]; d is not x. */
#define TILE_TRANSPOSE(type, ...)                                                                                                                              \
	TILE_INLINE void tile_trans_##type(isa_s_##type *d, const isa_s_##type *x, size_t rows, size_t columns)                                                \
	{                                                                                                                                                      \
		for (size_t i = 0; i < rows; i++)                                                                                                              \
			for (size_t j = 0; j < columns; j++)                                                                                                   \
				d[i * columns + j] = x[j * rows + i];                                                                                          \
	}
ISA_TYPES(TILE_TRANSPOSE, )

/* Sorting is descending and stable; a NaN comes after every number. d or e may be x; tile_mrgsort writes to neither source. */
#define TILE_SORT(type, before)                                                                                                                                \
	TILE_INLINE int tile_before_##type(isa_s_##type first, isa_s_##type second)                                                                            \
	{                                                                                                                                                      \
		const isa_c_##type a = isa_get_##type(first), b = isa_get_##type(second);                                                                      \
                                                                                                                                                               \
		return before;                                                                                                                                 \
	}                                                                                                                                                      \
	TILE_INLINE void tile_sort32_##type(isa_s_##type *d, int32_t *e, const isa_s_##type *x, size_t count)                                                  \
	{                                                                                                                                                      \
		for (size_t first = 0; first < count; first += TILE_SORTED) {                                                                                  \
			const size_t n = count - first < TILE_SORTED ? count - first : TILE_SORTED;                                                            \
			isa_s_##type value[TILE_SORTED];                                                                                                       \
			int32_t index[TILE_SORTED];                                                                                                            \
                                                                                                                                                               \
			for (size_t i = 0; i < n; i++) {                                                                                                       \
				const isa_s_##type v = x[first + i];                                                                                           \
				size_t at = i;                                                                                                                 \
                                                                                                                                                               \
				for (; at > 0 && tile_before_##type(v, value[at - 1]); at--) {                                                                 \
					value[at] = value[at - 1];                                                                                             \
					index[at] = index[at - 1];                                                                                             \
				}                                                                                                                              \
				value[at] = v;                                                                                                                 \
				index[at] = (int32_t)(first + i);                                                                                              \
			}                                                                                                                                      \
			memcpy(d + first, value, n * sizeof(*d));                                                                                              \
			memcpy(e + first, index, n * sizeof(*e));                                                                                              \
		}                                                                                                                                              \
	}                                                                                                                                                      \
	TILE_INLINE void tile_mrgsort_##type(isa_s_##type *d, size_t count, const isa_s_##type *a, size_t a_count, const isa_s_##type *b, size_t b_count)      \
	{                                                                                                                                                      \
		size_t i = 0, j = 0;                                                                                                                           \
                                                                                                                                                               \
		for (size_t k = 0; k < count; k++)                                                                                                             \
			d[k] = j == b_count || (i < a_count && !tile_before_##type(b[j], a[i])) ? a[i++] : b[j++];                                             \
	}
ISA_FLOATS(TILE_SORT, a > b || (a == a && b != b))
ISA_INTEGERS(TILE_SORT, a > b)

#endif
