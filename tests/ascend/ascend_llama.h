/* SPDX-License-Identifier: MIT
 * ascend_llama.h - the ten kernels of one layer of LLaMA at tiles of 64 rows as pto-isa has them (examples/llama/pto_llama7B_dynamic.py),
 * instruction by instruction, so that cycle models can be compared with its own. The scores' second factor is not transposed there, so
 * that kernel cannot run; walking it does not mind. Constants are scalars here and not instructions. */
#ifndef PTOWSP_TESTS_ASCEND_LLAMA_H
#define PTOWSP_TESTS_ASCEND_LLAMA_H

#include "tests/isa/tile_builder.h"

static inline unsigned llama_tile(struct tile_builder *b, uint32_t rows, uint32_t columns)
{
	return tile_tile(b, "t", rows, columns, PTOWSP_F32);
}

static inline unsigned llama_load(struct tile_builder *b, uint32_t rows, uint32_t columns)
{
	const unsigned t = llama_tile(b, rows, columns), from = tile_param(b, "in", PTOWSP_F32), zero = tile_int(b, 0);

	tile_op(b, PTOWSP_PTO_TLOAD, t, from, zero, zero);
	return t;
}

static inline void llama_store(struct tile_builder *b, unsigned tile)
{
	const unsigned zero = tile_int(b, 0);

	tile_op(b, PTOWSP_PTO_TSTORE, tile, tile_param(b, "out", PTOWSP_F32), zero, zero);
}

static inline unsigned llama_one(struct tile_builder *b, unsigned opcode, uint32_t rows, uint32_t columns, unsigned x)
{
	const unsigned t = llama_tile(b, rows, columns);

	tile_op(b, opcode, t, x);
	return t;
}

/* y: a tile, or a scalar for tadds and the like */
static inline unsigned llama_two(struct tile_builder *b, unsigned opcode, uint32_t rows, uint32_t columns, unsigned x, unsigned y)
{
	const unsigned t = llama_tile(b, rows, columns);

	tile_op(b, opcode, t, x, y);
	return t;
}

static inline void llama_rmsnorm(struct tile_builder *b)
{
	const unsigned x = llama_load(b, 64, 128), gamma = llama_load(b, 64, 128);
	unsigned t = llama_two(b, PTOWSP_PTO_TMUL, 64, 128, x, x);

	t = llama_one(b, PTOWSP_PTO_TROWSUM, 64, 1, t);
	t = llama_two(b, PTOWSP_PTO_TMULS, 64, 1, t, tile_float(b, 0.0078125f));
	t = llama_two(b, PTOWSP_PTO_TADDS, 64, 1, t, tile_float(b, 1e-5f));
	t = llama_one(b, PTOWSP_PTO_TRSQRT, 64, 1, t);
	t = llama_two(b, PTOWSP_PTO_TROWEXPANDMUL, 64, 128, x, t);
	llama_store(b, llama_two(b, PTOWSP_PTO_TMUL, 64, 128, t, gamma));
}

static inline void llama_matmul(struct tile_builder *b)
{
	const unsigned x = llama_load(b, 64, 128), w = llama_load(b, 128, 128);

	llama_store(b, llama_two(b, PTOWSP_PTO_TMATMUL, 64, 128, x, w));
}

static inline void llama_rope(struct tile_builder *b)
{
	const unsigned x = llama_load(b, 64, 128), c = llama_load(b, 64, 128), s = llama_load(b, 64, 128);
	const unsigned xc = llama_two(b, PTOWSP_PTO_TMUL, 64, 128, x, c), xs = llama_two(b, PTOWSP_PTO_TMUL, 64, 128, x, s);

	llama_store(b, llama_two(b, PTOWSP_PTO_TADD, 64, 128, xc, xs));
}

static inline void llama_init_state(struct tile_builder *b)
{
	const unsigned o = llama_load(b, 64, 128), l = llama_load(b, 64, 1), m = llama_load(b, 64, 1);

	llama_store(b, o);
	llama_store(b, l);
	llama_store(b, m);
}

static inline void llama_score_block(struct tile_builder *b)
{
	const unsigned q = llama_load(b, 64, 128), k = llama_load(b, 64, 128), s = llama_two(b, PTOWSP_PTO_TMATMUL, 64, 64, q, k);

	llama_store(b, llama_two(b, PTOWSP_PTO_TMULS, 64, 64, s, tile_float(b, 0.088388f)));
}

static inline void llama_softmax_update(struct tile_builder *b)
{
	const unsigned s = llama_load(b, 64, 64), m = llama_load(b, 64, 1), l = llama_load(b, 64, 1);
	const unsigned cur = llama_one(b, PTOWSP_PTO_TROWMAX, 64, 1, s), fresh = llama_two(b, PTOWSP_PTO_TMAX, 64, 1, m, cur);
	const unsigned shifted = llama_two(b, PTOWSP_PTO_TROWEXPANDSUB, 64, 64, s, fresh);
	const unsigned p = llama_one(b, PTOWSP_PTO_TEXP, 64, 64, shifted), diff = llama_two(b, PTOWSP_PTO_TSUB, 64, 1, m, fresh);
	const unsigned scale = llama_one(b, PTOWSP_PTO_TEXP, 64, 1, diff), old = llama_two(b, PTOWSP_PTO_TMUL, 64, 1, scale, l);
	const unsigned sum = llama_one(b, PTOWSP_PTO_TROWSUM, 64, 1, p), all = llama_two(b, PTOWSP_PTO_TADD, 64, 1, old, sum);

	llama_store(b, fresh);
	llama_store(b, all);
	llama_store(b, p);
	llama_store(b, scale);
}

static inline void llama_output_update(struct tile_builder *b)
{
	const unsigned o = llama_load(b, 64, 128), p = llama_load(b, 64, 64), v = llama_load(b, 64, 128), scale = llama_load(b, 64, 1);
	const unsigned scaled = llama_two(b, PTOWSP_PTO_TROWEXPANDMUL, 64, 128, o, scale);
	const unsigned pv = llama_two(b, PTOWSP_PTO_TMATMUL, 64, 128, p, v);

	llama_store(b, llama_two(b, PTOWSP_PTO_TADD, 64, 128, scaled, pv));
}

static inline void llama_normalize(struct tile_builder *b)
{
	const unsigned o = llama_load(b, 64, 128), l = llama_load(b, 64, 1);

	llama_store(b, llama_two(b, PTOWSP_PTO_TROWEXPANDDIV, 64, 128, o, l));
}

static inline void llama_residual_add(struct tile_builder *b)
{
	const unsigned x = llama_load(b, 64, 128), r = llama_load(b, 64, 128);

	llama_store(b, llama_two(b, PTOWSP_PTO_TADD, 64, 128, x, r));
}

static inline void llama_swiglu(struct tile_builder *b)
{
	const unsigned gate = llama_load(b, 64, 128), up = llama_load(b, 64, 128);
	unsigned t = llama_one(b, PTOWSP_PTO_TNEG, 64, 128, gate);

	t = llama_one(b, PTOWSP_PTO_TEXP, 64, 128, t);
	t = llama_two(b, PTOWSP_PTO_TADDS, 64, 128, t, tile_float(b, 1));
	t = llama_one(b, PTOWSP_PTO_TRECIP, 64, 128, t);
	t = llama_two(b, PTOWSP_PTO_TMUL, 64, 128, gate, t);
	llama_store(b, llama_two(b, PTOWSP_PTO_TMUL, 64, 128, t, up));
}

/* A kernel and what the models of pto-isa say of it. */
struct llama_kernel {
	const char *name; /* as its tasks are named */
	void (*build)(struct tile_builder *b);
	unsigned op_sum, by_name; /* its table of instructions; its words */
	unsigned slowest;         /* its core simulator, which overlaps all that no barrier separates: the slowest instruction */
	unsigned latencies;       /* the sum of latencies in the text that its core simulator reads (Ascend C, fused) */
	/* The lines of that text by what they count: copies as of 32 x 128, vector instructions, reductions, products (the name of
	 * tile_matmul is one more), and as scalars what is none of them: declared tiles, head and tail, an instruction whose operands have
	 * "if" in their names. Lines of instructions that it leaves out count nothing. */
	struct {
		unsigned copies, vectors, reductions, products, scalars;
	} lines;
	bool on_cube; /* for its core simulator */
};
static const struct llama_kernel llama_kernels[] = {
	{"rmsnorm_tile_64", llama_rmsnorm, 716, 30, 208, 513, {3, 5, 1, 0, 11}, false},
	{"tile_matmul_64", llama_matmul, 900, 50, 276, 537, {3, 0, 0, 2, 5}, true},
	{"rope_tile_64", llama_rope, 848, 40, 208, 615, {4, 3, 0, 0, 9}, false},
	{"flash_attn_init_state", llama_init_state, 800, 10, 208, 870, {6, 0, 0, 0, 6}, false},
	{"flash_attn_score_block", llama_score_block, 558, 60, 148, 499, {3, 1, 0, 1, 7}, true},
	{"flash_attn_softmax_update", llama_softmax_update, 838, 24, 144, 1087, {7, 2, 2, 0, 19}, false},
	{"flash_attn_output_update", llama_output_update, 948, 10, 148, 790, {5, 1, 0, 1, 10}, true},
	{"flash_attn_normalize", llama_normalize, 540, 30, 208, 438, {3, 0, 0, 0, 6}, false},
	{"residual_add_tile_64", llama_residual_add, 616, 8, 208, 448, {3, 1, 0, 0, 6}, false},
	{"swiglu_tile_64", llama_swiglu, 724, 10, 208, 485, {3, 4, 0, 0, 13}, false},
};
enum { LLAMA_KERNELS = sizeof(llama_kernels) / sizeof(*llama_kernels) };

#endif
