/* SPDX-License-Identifier: MIT */
/* bench_loop.c - a product of square f32 matrices as one would write it for one's own processor: blocks of sums that the compiler
 * can keep in registers, compiled with -march=native and without contraction. */
#include "tools/bench/bench_loop.h"

/* What the compiler was told that there is; bench/bench_product.c asks the processor. */
const unsigned bench_loop_needs = 0
#ifdef __AVX2__
				  | BENCH_LOOP_AVX2
#endif
#ifdef __AVX512F__
				  | BENCH_LOOP_AVX512
#endif
	;

/* ROWS x COLUMNS sums at a time, as the compiler makes vectors of them. */
#define LOOP(name, ROWS, COLUMNS)                                                                                              \
	void name(float *restrict d, const float *restrict a, const float *restrict b, size_t n)                               \
	{                                                                                                                      \
		for (size_t i = 0; i < n; i += ROWS)                                                                           \
			for (size_t j = 0; j < n; j += COLUMNS) {                                                              \
				float sum[ROWS][COLUMNS] = {{0}};                                                              \
                                                                                                                               \
				for (size_t k = 0; k < n; k++)                                                                 \
					for (size_t r = 0; r < ROWS; r++)                                                      \
						for (size_t c = 0; c < COLUMNS; c++)                                           \
							sum[r][c] += a[(i + r) * n + k] * b[k * n + j + c];                    \
				for (size_t r = 0; r < ROWS; r++)                                                              \
					for (size_t c = 0; c < COLUMNS; c++)                                                   \
						d[(i + r) * n + j + c] = sum[r][c];                                            \
			}                                                                                                      \
	}
LOOP(bench_loop_wide, 4, 64)

/* The loop of isa/product.h, which compilers make no vectors of by themselves: 16 rows of 16 columns. */
typedef float lanes __attribute__((vector_size(64)));
typedef float lanes_anywhere __attribute__((vector_size(64), aligned(4), may_alias));
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

void bench_loop_high(float *restrict d, const float *restrict a, const float *restrict b, size_t n)
{
	for (size_t i = 0; i < n; i += 16)
		for (size_t j = 0; j < n; j += 16) {
			lanes sum[16] = {{0}};

			for (size_t k = 0; k < n; k++)
				UNROLL for (size_t r = 0; r < 16; r++)
					sum[r] += a[(i + r) * n + k] * *(const lanes_anywhere *)(b + k * n + j);
			UNROLL for (size_t r = 0; r < 16; r++)
				*(lanes_anywhere *)(d + (i + r) * n + j) = sum[r];
		}
}
