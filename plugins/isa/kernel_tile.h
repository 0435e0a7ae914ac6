/* SPDX-License-Identifier: MIT */
/* kernel_tile.h - what emitted C kernels call for tile operations that are more than a loop over elements: tile_op.h, with sentences, and rows of f32 in vectors.
 * Products are in product.h. */
#ifndef ISA_KERNEL_TILE_H
#define ISA_KERNEL_TILE_H

#include "isa/kernel.h"

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define TILE_TURNED(name, type, d, x, step, rows, columns)                                                                                                     \
	(__builtin_types_compatible_p(isa_s_##type, float) ? tile_turned_##name((float *)(void *)(d), (const float *)(const void *)(x), step, rows, columns)   \
							   : 0)
#endif
#endif
#include "isa/tile_op.h"

TILE_COLD ptowsp_status tile_index_fail(const struct tile_call *call, const char *place, const char *mnemonic, int64_t index, size_t i, const char *tile,
					const char *unit, uint64_t limit)
{
	return tile_fail(call, place, "%s index %lld at element %llu of %%%.48s; %s 0 to %llu are there", mnemonic, (long long)index, (unsigned long long)i,
			 tile, unit, (unsigned long long)(limit - 1));
}

/* A move by indices did `done` of `count` elements. tile, unit, limit: for the sentence. */
TILE_INLINE ptowsp_status tile_indices(const struct tile_call *call, const char *place, const char *mnemonic, const void *index, int is_unsigned,
				       const char *tile, const char *unit, uint64_t limit, size_t count, size_t done)
{
	return done == count ? PTOWSP_OK : tile_index_fail(call, place, mnemonic, tile_index(index, is_unsigned, done), done, tile, unit, limit);
}

/* The same in the window of a parameter. does: "mgather reads". */
TILE_INLINE ptowsp_status tile_elements(const struct tile_call *call, const char *place, const char *does, uint32_t param, const void *index, int is_unsigned,
					size_t count, size_t done)
{
	if (done == count)
		return PTOWSP_OK;
	tile_element_fail(call, place, does, param, tile_index(index, is_unsigned, done));
	return PTOWSP_KERNEL_FAILED;
}

TILE_COLD ptowsp_status tile_extract_fail(const struct tile_call *call, const char *place, uint32_t rows, uint32_t columns, uint32_t a_rows, uint32_t a_columns,
					  const char *a_name, int64_t r, int64_t c)
{
	return tile_fail(call, place, "textract takes %lux%lu at [%lld, %lld] of %%%.48s, which is %lux%lu", (unsigned long)rows, (unsigned long)columns,
			 (long long)r, (long long)c, a_name, (unsigned long)a_rows, (unsigned long)a_columns);
}

/* Rows of f32, eight at a time: their elements are turned into columns, so that one sum of vectors goes on in all of them. Returns how many rows are done. */
#ifdef TILE_TURNED
typedef float tile_floats __attribute__((vector_size(32)));
typedef int32_t tile_masks __attribute__((vector_size(32)));

/* Eight rows become eight columns. */
TILE_INLINE void tile_turn(tile_floats t[TILE_LANES])
{
	tile_floats a[TILE_LANES], b[TILE_LANES];

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

/* t[j]: element j of eight rows. */
TILE_INLINE void tile_columns(tile_floats t[TILE_LANES], const float *x, size_t step)
{
	for (size_t n = 0; n < TILE_LANES; n++)
		memcpy(&t[n], x + n * step, sizeof(t[n]));
	tile_turn(t);
}

/* Of rows whose largest or smallest element is a zero the first one, which may be of the other sign. */
TILE_APART void tile_first_zeros(float *d, const float *x, size_t step)
{
	for (size_t n = 0; n < TILE_LANES; n++)
		for (const float *at = x + n * step; d[n] == 0; at++)
			if (*at == 0) {
				d[n] = *at;
				break;
			}
}

#define TILE_PICK(mask, yes, no) ((tile_floats)(((tile_masks)(yes) & (mask)) | ((tile_masks)(no) & ~(mask))))
#define TILE_TURNED_ROWS(name, first, next)                                                                                                                    \
	TILE_INLINE size_t tile_turned_##name(float *d, const float *x, size_t step, size_t rows, size_t columns)                                              \
	{                                                                                                                                                      \
		size_t i = 0;                                                                                                                                  \
                                                                                                                                                               \
		for (; i + TILE_LANES <= rows && columns >= TILE_LANES; i += TILE_LANES) {                                                                     \
			tile_floats t[TILE_LANES], v, acc;                                                                                                     \
			size_t j = TILE_LANES;                                                                                                                 \
                                                                                                                                                               \
			tile_columns(t, x + i * step, step);                                                                                                   \
			v = t[0];                                                                                                                              \
			acc = first;                                                                                                                           \
			for (size_t k = 1; k < TILE_LANES; k++) {                                                                                              \
				v = t[k];                                                                                                                      \
				acc = next;                                                                                                                    \
			}                                                                                                                                      \
			for (; j + TILE_LANES <= columns; j += TILE_LANES) {                                                                                   \
				tile_columns(t, x + i * step + j, step);                                                                                       \
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
/* The largest and the smallest are the same in any order, where each part of a row begins with its first element (a NaN there stays) and of zeros the first is looked for: rows are turned
 * once, when eight parts of each are done. */
#define TILE_TURNED_MOST(name, next)                                                                                                                           \
	TILE_INLINE size_t tile_turned_##name(float *d, const float *x, size_t step, size_t rows, size_t columns)                                              \
	{                                                                                                                                                      \
		size_t i = 0;                                                                                                                                  \
                                                                                                                                                               \
		for (; i + TILE_LANES <= rows && columns >= TILE_LANES; i += TILE_LANES) {                                                                     \
			tile_floats t[TILE_LANES], v, acc;                                                                                                     \
			size_t j = 0;                                                                                                                          \
                                                                                                                                                               \
			for (size_t k = 0; k < TILE_LANES; k++)                                                                                                \
				t[k] = (tile_floats){0} + x[(i + k) * step];                                                                                   \
			for (; j + TILE_LANES <= columns; j += TILE_LANES)                                                                                     \
				for (size_t k = 0; k < TILE_LANES; k++) {                                                                                      \
					memcpy(&v, x + (i + k) * step + j, sizeof(v));                                                                         \
					acc = t[k];                                                                                                            \
					t[k] = next;                                                                                                           \
				}                                                                                                                              \
			tile_turn(t);                                                                                                                          \
			acc = t[0];                                                                                                                            \
			for (size_t k = 1; k < TILE_LANES; k++) {                                                                                              \
				v = t[k];                                                                                                                      \
				acc = next;                                                                                                                    \
			}                                                                                                                                      \
			for (; j < columns; j++) {                                                                                                             \
				for (size_t k = 0; k < TILE_LANES; k++)                                                                                        \
					v[k] = x[(i + k) * step + j];                                                                                          \
				acc = next;                                                                                                                    \
			}                                                                                                                                      \
			memcpy(d + i, &acc, sizeof(acc));                                                                                                      \
			tile_first_zeros(d + i, x + i * step, step);                                                                                           \
		}                                                                                                                                              \
		return i;                                                                                                                                      \
	}
TILE_TURNED_ROWS(sum, (tile_floats){0} + v, acc + v)
TILE_TURNED_MOST(max, TILE_PICK(v > acc, v, acc))
TILE_TURNED_MOST(min, TILE_PICK(v < acc, v, acc))
#endif
TILE_FUNCTIONS

#endif
