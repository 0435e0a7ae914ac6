/* SPDX-License-Identifier: MIT */
/* kernel_tile.h - what emitted C kernels call for tile operations that are more than a loop over elements: tile_op.h, with sentences, and rows of f32 in vectors.
 * Products are in product.h. */
#ifndef ISA_KERNEL_TILE_H
#define ISA_KERNEL_TILE_H

#include "isa/kernel.h"

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define TILE_TURNED(name, type, d, x, step, rows, columns)                                                                                                     \
	(__builtin_types_compatible_p(isa_c_##type, float) ? tile_turned_##name(d, x, ISA_CODE_##type, step, rows, columns) : 0)
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

/* Rows of floats of at most 32 bits, eight at a time: their elements are turned into columns, so that one sum of vectors goes on in all of them. Returns how many rows are done. */
#ifdef TILE_TURNED
typedef float tile_floats __attribute__((vector_size(32)));
typedef int32_t tile_masks __attribute__((vector_size(32)));
typedef uint32_t tile_words __attribute__((vector_size(32)));
typedef uint16_t tile_halves __attribute__((vector_size(16)));

/* Element `at` of x as it is computed with, of type dtype, a constant. */
TILE_INLINE float tile_float(const void *x, size_t at, unsigned dtype)
{
	if (dtype == PTOWSP_F32)
		return ((const float *)x)[at];
	return dtype == PTOWSP_F16 ? isa_get_f16(((const uint16_t *)x)[at]) : isa_get_bf16(((const uint16_t *)x)[at]);
}

/* The eight from there on: isa_get_f16 and isa_get_bf16 in vectors. */
TILE_INLINE void tile_eight_get(tile_floats *v, const void *x, size_t at, unsigned dtype)
{
	tile_halves halves;
	tile_words words, large;

	if (dtype == PTOWSP_F32) {
		memcpy(v, (const float *)x + at, sizeof(*v));
		return;
	}
	memcpy(&halves, (const uint16_t *)x + at, sizeof(halves));
	words = __builtin_convertvector(halves, tile_words);
	if (dtype == PTOWSP_BF16) {
		*v = (tile_floats)(words << 16);
		return;
	}
	large = (tile_words)((words & 0x7C00u) == 0x7C00u);
	*v = (tile_floats)((words & 0x7FFFu) << 13);
	*v = (tile_floats)((words & 0x8000u) << 16 | ((tile_words)(*v * 0x1p112f) & ~large) | (((tile_words)*v | 0x7F800000u) & large));
}

TILE_INLINE void tile_eight_put(void *d, size_t at, unsigned dtype, const tile_floats *v)
{
	if (dtype == PTOWSP_F32)
		memcpy((float *)d + at, v, sizeof(*v));
	else
		for (size_t n = 0; n < TILE_LANES; n++)
			((uint16_t *)d)[at + n] = dtype == PTOWSP_F16 ? isa_put_f16((*v)[n]) : isa_put_bf16((*v)[n]);
}

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

/* t[j]: element j, from `at` on, of eight rows. */
TILE_INLINE void tile_columns(tile_floats t[TILE_LANES], const void *x, size_t at, size_t step, unsigned dtype)
{
	for (size_t n = 0; n < TILE_LANES; n++)
		tile_eight_get(&t[n], x, at + n * step, dtype);
	tile_turn(t);
}

/* Of rows whose largest or smallest element is a zero the first one, which may be of the other sign. */
TILE_APART void tile_first_zeros(tile_floats *most, const void *x, size_t at, size_t step, unsigned dtype)
{
	for (size_t n = 0; n < TILE_LANES; n++)
		for (size_t j = at + n * step; (*most)[n] == 0; j++)
			if (tile_float(x, j, dtype) == 0) {
				(*most)[n] = tile_float(x, j, dtype);
				break;
			}
}

#define TILE_PICK(mask, yes, no) ((tile_floats)(((tile_masks)(yes) & (mask)) | ((tile_masks)(no) & ~(mask))))
#define TILE_TURNED_ROWS(name, first, next)                                                                                                                    \
	TILE_INLINE size_t tile_turned_##name(void *d, const void *x, unsigned dtype, size_t step, size_t rows, size_t columns)                                \
	{                                                                                                                                                      \
		size_t i = 0;                                                                                                                                  \
                                                                                                                                                               \
		for (; i + TILE_LANES <= rows && columns >= TILE_LANES; i += TILE_LANES) {                                                                     \
			tile_floats t[TILE_LANES], v, acc;                                                                                                     \
			size_t j = TILE_LANES;                                                                                                                 \
                                                                                                                                                               \
			tile_columns(t, x, i *step, step, dtype);                                                                                              \
			v = t[0];                                                                                                                              \
			acc = first;                                                                                                                           \
			for (size_t k = 1; k < TILE_LANES; k++) {                                                                                              \
				v = t[k];                                                                                                                      \
				acc = next;                                                                                                                    \
			}                                                                                                                                      \
			for (; j + TILE_LANES <= columns; j += TILE_LANES) {                                                                                   \
				tile_columns(t, x, i *step + j, step, dtype);                                                                                  \
				for (size_t k = 0; k < TILE_LANES; k++) {                                                                                      \
					v = t[k];                                                                                                              \
					acc = next;                                                                                                            \
				}                                                                                                                              \
			}                                                                                                                                      \
			for (; j < columns; j++) {                                                                                                             \
				for (size_t k = 0; k < TILE_LANES; k++)                                                                                        \
					v[k] = tile_float(x, (i + k) * step + j, dtype);                                                                       \
				acc = next;                                                                                                                    \
			}                                                                                                                                      \
			tile_eight_put(d, i, dtype, &acc);                                                                                                     \
		}                                                                                                                                              \
		return i;                                                                                                                                      \
	}
/* The largest and the smallest are the same in any order, where each part of a row begins with its first element (a NaN there stays) and of zeros the first is looked for: rows are turned
 * once, when eight parts of each are done. */
#define TILE_TURNED_MOST(name, next)                                                                                                                           \
	TILE_INLINE size_t tile_turned_##name(void *d, const void *x, unsigned dtype, size_t step, size_t rows, size_t columns)                                \
	{                                                                                                                                                      \
		size_t i = 0;                                                                                                                                  \
                                                                                                                                                               \
		for (; i + TILE_LANES <= rows && columns >= TILE_LANES; i += TILE_LANES) {                                                                     \
			tile_floats t[TILE_LANES], v, acc, most;                                                                                               \
			size_t j = 0;                                                                                                                          \
                                                                                                                                                               \
			for (size_t k = 0; k < TILE_LANES; k++)                                                                                                \
				t[k] = (tile_floats){0} + tile_float(x, (i + k) * step, dtype);                                                                \
			for (; j + TILE_LANES <= columns; j += TILE_LANES)                                                                                     \
				for (size_t k = 0; k < TILE_LANES; k++) {                                                                                      \
					tile_eight_get(&v, x, (i + k) * step + j, dtype);                                                                      \
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
					v[k] = tile_float(x, (i + k) * step + j, dtype);                                                                       \
				acc = next;                                                                                                                    \
			}                                                                                                                                      \
			most = acc;                                                                                                                            \
			tile_first_zeros(&most, x, i *step, step, dtype);                                                                                      \
			tile_eight_put(d, i, dtype, &most);                                                                                                    \
		}                                                                                                                                              \
		return i;                                                                                                                                      \
	}
TILE_TURNED_ROWS(sum, (tile_floats){0} + v, acc + v)
TILE_TURNED_MOST(max, TILE_PICK(v > acc, v, acc))
TILE_TURNED_MOST(min, TILE_PICK(v < acc, v, acc))
#endif
TILE_FUNCTIONS

#endif
