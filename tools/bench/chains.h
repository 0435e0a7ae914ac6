/* SPDX-License-Identifier: MIT */
/* chains.h - chains of element-wise and row-wise operations: as tile programs, and as the loops that one would write by hand. */
#ifndef TOOLS_BENCH_CHAINS_H
#define TOOLS_BENCH_CHAINS_H

#include <stddef.h>
#include "tools/bench/bench_tile.h"

/* in, out: rows x columns packed f32 elements. */
struct bench_chain {
	const char *name;
	/* Writes the program: parameter 0 is read, parameter 1 written, both flat. */
	void (*build)(struct bench_tile *tile, uint32_t rows, uint32_t columns);
	void (*loops)(float *out, const float *in, size_t rows, size_t columns);
	/* The same with exp of the C library; NULL: the chain has no such function. */
	void (*library)(float *out, const float *in, size_t rows, size_t columns);
};
extern const struct bench_chain bench_chains[];
extern const unsigned bench_chains_count;

#endif
