/* SPDX-License-Identifier: MIT */
/* chains.c - sinh by its series, silu, softmax and rmsnorm. The loops by hand keep every intermediate value in a register
 * where that is possible. They exist with the element functions of the tile ISA, which compare how elements move, and with those of
 * the C library, as one would write them without knowing the ISA. */
#include "tools/bench/chains.h"

#include <math.h>
#include <string.h>
#include "isa/isa_tile.h"
#include "ptowsp/task.h"

/* As the kernels of a native payload are compiled. */
#if defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif

enum { TERMS = 6 };

static uint16_t constant(struct bench_tile *t, float value)
{
	const uint16_t row = bench_tile_const(t, 0);
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	t->scalars[row].dtype = PTOWSP_F32;
	t->scalars[row].value = bits;
	return row;
}

/* The tile that parameter 0 was loaded into. */
static uint16_t begin(struct bench_tile *t, uint32_t rows, uint32_t columns)
{
	const uint16_t x = bench_tile_tile(t, rows, columns), zero = bench_tile_const(t, 0);

	bench_tile_param(t, PTOWSP_READ, rows, columns);
	bench_tile_param(t, PTOWSP_WRITE, rows, columns);
	bench_tile_inst(t, PTOWSP_PTO_TLOAD, x, 0, zero, zero);
	return x;
}

static void end(struct bench_tile *t, uint16_t y)
{
	const uint16_t zero = bench_tile_const(t, 0);

	bench_tile_inst(t, PTOWSP_PTO_TSTORE, 1, y, zero, zero);
}

static void sinh_build(struct bench_tile *t, uint32_t rows, uint32_t columns)
{
	const uint16_t x = begin(t, rows, columns), square = bench_tile_tile(t, rows, columns);
	const uint16_t term = bench_tile_tile(t, rows, columns), sum = bench_tile_tile(t, rows, columns);

	bench_tile_inst(t, PTOWSP_PTO_TMUL, square, x, x, 0);
	bench_tile_inst(t, PTOWSP_PTO_TMOV, term, x, 0, 0);
	bench_tile_inst(t, PTOWSP_PTO_TMOV, sum, x, 0, 0);
	for (int k = 1; k <= TERMS; k++) {
		bench_tile_inst(t, PTOWSP_PTO_TMUL, term, term, square, 0);
		bench_tile_inst(t, PTOWSP_PTO_TDIVS, term, term, constant(t, (float)(2 * k * (2 * k + 1))), 0);
		bench_tile_inst(t, PTOWSP_PTO_TADD, sum, sum, term, 0);
	}
	end(t, sum);
}

CLONES static void sinh_loops(float *out, const float *in, size_t rows, size_t columns)
{
	for (size_t i = 0; i < rows * columns; i++) {
		const float x = in[i], square = x * x;
		float term = x, sum = x;

		for (int k = 1; k <= TERMS; k++) {
			term = term * square / (float)(2 * k * (2 * k + 1));
			sum += term;
		}
		out[i] = sum;
	}
}

static void silu_build(struct bench_tile *t, uint32_t rows, uint32_t columns)
{
	const uint16_t x = begin(t, rows, columns), y = bench_tile_tile(t, rows, columns);

	bench_tile_inst(t, PTOWSP_PTO_TNEG, y, x, 0, 0);
	bench_tile_inst(t, PTOWSP_PTO_TEXP, y, y, 0, 0);
	bench_tile_inst(t, PTOWSP_PTO_TADDS, y, y, constant(t, 1), 0);
	bench_tile_inst(t, PTOWSP_PTO_TDIV, y, x, y, 0);
	end(t, y);
}

#define SILU(name, exp)                                                                                                        \
	CLONES static void name(float *out, const float *in, size_t rows, size_t columns)                                      \
	{                                                                                                                      \
		for (size_t i = 0; i < rows * columns; i++)                                                                    \
			out[i] = in[i] / (exp(-in[i]) + 1);                                                                    \
	}
SILU(silu_loops, tile_exp_f32)
SILU(silu_library, expf)

static void softmax_build(struct bench_tile *t, uint32_t rows, uint32_t columns)
{
	const uint16_t x = begin(t, rows, columns), y = bench_tile_tile(t, rows, columns), row = bench_tile_tile(t, rows, 1);

	bench_tile_inst(t, PTOWSP_PTO_TROWMAX, row, x, 0, 0);
	bench_tile_inst(t, PTOWSP_PTO_TROWEXPANDSUB, y, x, row, 0);
	bench_tile_inst(t, PTOWSP_PTO_TEXP, y, y, 0, 0);
	bench_tile_inst(t, PTOWSP_PTO_TROWSUM, row, y, 0, 0);
	bench_tile_inst(t, PTOWSP_PTO_TROWEXPANDDIV, y, y, row, 0);
	end(t, y);
}

#define SOFTMAX(name, exp)                                                                                                     \
	CLONES static void name(float *out, const float *in, size_t rows, size_t columns)                                      \
	{                                                                                                                      \
		for (size_t i = 0; i < rows; i++, in += columns, out += columns) {                                             \
			float most = in[0], sum = 0;                                                                           \
                                                                                                                               \
			for (size_t j = 1; j < columns; j++)                                                                   \
				most = in[j] > most ? in[j] : most;                                                            \
			for (size_t j = 0; j < columns; j++)                                                                   \
				out[j] = exp(in[j] - most);                                                                    \
			for (size_t j = 0; j < columns; j++)                                                                   \
				sum += out[j];                                                                                 \
			for (size_t j = 0; j < columns; j++)                                                                   \
				out[j] /= sum;                                                                                 \
		}                                                                                                              \
	}
SOFTMAX(softmax_loops, tile_exp_f32)
SOFTMAX(softmax_library, expf)

static void rmsnorm_build(struct bench_tile *t, uint32_t rows, uint32_t columns)
{
	const uint16_t x = begin(t, rows, columns), y = bench_tile_tile(t, rows, columns), row = bench_tile_tile(t, rows, 1);

	bench_tile_inst(t, PTOWSP_PTO_TMUL, y, x, x, 0);
	bench_tile_inst(t, PTOWSP_PTO_TROWSUM, row, y, 0, 0);
	bench_tile_inst(t, PTOWSP_PTO_TMULS, row, row, constant(t, 1 / (float)columns), 0);
	bench_tile_inst(t, PTOWSP_PTO_TADDS, row, row, constant(t, 1e-5f), 0);
	bench_tile_inst(t, PTOWSP_PTO_TSQRT, row, row, 0, 0);
	bench_tile_inst(t, PTOWSP_PTO_TROWEXPANDDIV, y, x, row, 0);
	end(t, y);
}

CLONES static void rmsnorm_loops(float *out, const float *in, size_t rows, size_t columns)
{
	for (size_t i = 0; i < rows; i++, in += columns, out += columns) {
		float sum = 0;

		for (size_t j = 0; j < columns; j++)
			sum += in[j] * in[j];
		sum = sqrtf(sum * (1 / (float)columns) + 1e-5f);
		for (size_t j = 0; j < columns; j++)
			out[j] = in[j] / sum;
	}
}

const struct bench_chain bench_chains[] = {
	{"sinh", sinh_build, sinh_loops, NULL},
	{"silu", silu_build, silu_loops, silu_library},
	{"softmax", softmax_build, softmax_loops, softmax_library},
	{"rmsnorm", rmsnorm_build, rmsnorm_loops, NULL},
};
const unsigned bench_chains_count = sizeof(bench_chains) / sizeof(*bench_chains);
