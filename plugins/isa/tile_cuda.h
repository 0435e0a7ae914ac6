/* SPDX-License-Identifier: MIT */
/* tile_cuda.h - operations on tiles in CUDA that are more than a loop over elements: by indices, reductions, sorting, products. Part of kernel_cuda.h, which
 * includes it. */
#ifndef ISA_TILE_CUDA_H
#define ISA_TILE_CUDA_H

/* ---- tile_op.h, by all threads --------------------------------------------------------------------------------------- */

#define TILE_BEGIN
#define TILE_END                           __syncthreads()
#define TILE_ALONE                         if (threadIdx.x == 0)
#define TILE_EACH(i, count)                for (size_t i = threadIdx.x; i < (count); i += blockDim.x)
#define TILE_GRID(i, j, rows, columns)     TILE_EACH(i##j, (rows) * (columns)) for (size_t i = i##j / (columns), j = i##j % (columns), once = 1; once; once = 0)
#define TILE_DOWN(i, count, columns)       TILE_EACH(of_##i, columns) for (size_t i = of_##i; i < (count); i += (columns))
#define TILE_BLOCKS(i, first, count, size) for (size_t i = (first) + (size) * (size_t)threadIdx.x; i < (count); i += (size) * (size_t)blockDim.x)
#define TILE_LANES                         1
#define TILE_PART                          1
/* Indices are checked first, by all threads together: all of them go on, or none. */
#define TILE_CHECK(count, limit, unit)                                                                                                                         \
	if (tile_indices_outside(index, is_unsigned, count, limit, unit))                                                                                      \
	return (count) + 1
/* Memory of a window may begin at any byte. */
#define TILE_RUN(d, to, x, from, n)                                                                                                                            \
	for (size_t at = threadIdx.x; at < (n); at += blockDim.x)                                                                                              \
	(d)[(to) + at] = (x)[(from) + at]

TILE_DEVICE int tile_indices_outside(const void *index, int is_unsigned, size_t count, int64_t limit, int64_t unit);
#include "isa/tile_op.h"

TILE_DEVICE int tile_indices_outside(const void *index, int is_unsigned, size_t count, int64_t limit, int64_t unit)
{
	int outside = 0;

	TILE_EACH(i, count)
	{
		const int64_t k = tile_index(index, is_unsigned, i);

		outside |= k < 0 || k >= limit || k % unit != 0;
	}
	return __syncthreads_or(outside);
}

TILE_FUNCTIONS

/* As in kernel_tile.h, without sentences. */
#define tile_indices(call, place, mnemonic, index, is_unsigned, tile, unit, limit, count, done) tile_done(call, place, count, done)
#define tile_elements(call, place, does, param, index, is_unsigned, count, done)                tile_done(call, place, count, done)
#define tile_extract_fail(call, place, ...)                                                     tile_failed(call, place)
TILE_DEVICE ptowsp_status tile_done(struct tile_call *call, const char *place, size_t count, size_t done)
{
	return done == count ? PTOWSP_OK : tile_failed(call, place);
}

/* ---- products: a thread per element, k ascending -------------------------------------------------------------------- */

#define TILE_PRODUCT(how)                                                                                                                                      \
	TILE_DEVICE void product_##how(isa_c_##how *d, const isa_c_##how *c, const isa_c_##how *a, const isa_c_##how *b, size_t m, size_t k_count, size_t n)   \
	{                                                                                                                                                      \
		for (size_t at = threadIdx.x; at < m * n; at += blockDim.x) {                                                                                  \
			const size_t row = at / n, column = at % n;                                                                                            \
			isa_c_##how sum = c ? c[at] : 0;                                                                                                       \
                                                                                                                                                               \
			for (size_t k = 0; k < k_count; k++)                                                                                                   \
				sum += a[row * k_count + k] * b[k * n + column];                                                                               \
			d[at] = sum;                                                                                                                           \
		}                                                                                                                                              \
		__syncthreads();                                                                                                                               \
	}                                                                                                                                                      \
	TILE_DEVICE void product_bias_##how(isa_c_##how *d, const isa_c_##how *bias, size_t m, size_t n)                                                       \
	{                                                                                                                                                      \
		for (size_t at = threadIdx.x; at < m * n; at += blockDim.x)                                                                                    \
			d[at] += bias[at % n];                                                                                                                 \
		__syncthreads();                                                                                                                               \
	}                                                                                                                                                      \
	TILE_DEVICE void product_scaled_##how(isa_c_##how *d, const isa_c_##how *a, const isa_c_##how *a_scale, size_t a_share, const isa_c_##how *b,          \
					      const isa_c_##how *b_scale, size_t b_share, size_t m, size_t k_count, size_t n)                                  \
	{                                                                                                                                                      \
		for (size_t at = threadIdx.x; at < m * n; at += blockDim.x) {                                                                                  \
			const size_t row = at / n, column = at % n;                                                                                            \
			isa_c_##how sum = 0;                                                                                                                   \
                                                                                                                                                               \
			for (size_t k = 0; k < k_count; k++) {                                                                                                 \
				const isa_c_##how v = a[row * k_count + k] * a_scale[row * (k_count / a_share) + k / a_share];                                 \
				const isa_c_##how w = b[k * n + column] * b_scale[k / b_share * n + column];                                                   \
                                                                                                                                                               \
				sum += v * w;                                                                                                                  \
			}                                                                                                                                      \
			d[at] = sum;                                                                                                                           \
		}                                                                                                                                              \
		__syncthreads();                                                                                                                               \
	}
TILE_PRODUCT(f32)
TILE_PRODUCT(f64)
TILE_PRODUCT(u32)
TILE_PRODUCT(u64)

#define TILE_CONVERT(type, how)                                                                                                                                \
	TILE_DEVICE void product_widen_##type(isa_c_##how *to, const isa_s_##type *from, size_t count)                                                         \
	{                                                                                                                                                      \
		for (size_t at = threadIdx.x; at < count; at += blockDim.x)                                                                                    \
			to[at] = (isa_c_##how)isa_get_##type(from[at]);                                                                                        \
		__syncthreads();                                                                                                                               \
	}                                                                                                                                                      \
	TILE_DEVICE void product_narrow_##type(isa_s_##type *to, const isa_c_##how *from, size_t count)                                                        \
	{                                                                                                                                                      \
		for (size_t at = threadIdx.x; at < count; at += blockDim.x)                                                                                    \
			to[at] = isa_put_##type(from[at]);                                                                                                     \
		__syncthreads();                                                                                                                               \
	}
TILE_CONVERT(f16, f32)
TILE_CONVERT(bf16, f32)
TILE_CONVERT(i8, u32)
TILE_CONVERT(i16, u32)
TILE_CONVERT(u8, u32)
TILE_CONVERT(u16, u32)

#endif
