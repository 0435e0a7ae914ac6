/* SPDX-License-Identifier: MIT */
/* build_squares.c - a package by calls of libptowsp-pack.so, without source text: y = x * x over n blocks of 64 elements, each block one
 * task on a vector unit. It carries four blocks of x and the squares, so that a run compares.
 *
 *	cc build_squares.c -lptowsp-pack && ./a.out squares.pkg.zst && ptowsp-run squares.pkg.zst
 *
 * build_squares.py makes the same package, with the same digest. */
#ifdef PTOWSP_TREE
#include "lang/builder.h"
#else
#include <ptowsp_builder.h>
#endif

#include <stdio.h>

enum { BLOCKS = 4, BLOCK = 64 };

/* The kernel in the tile ISA: load a tile, multiply it by itself, store it. */
static uint32_t square_build(struct ptowsp_build *b)
{
	uint32_t kernel = ptowsp_build_kernel(b, "square", "aiv");
	uint32_t x = ptowsp_build_param(b, kernel, "x", "f32", "in"), y = ptowsp_build_param(b, kernel, "y", "f32", "out");
	uint32_t tile, zero;

	ptowsp_build_body(b, kernel);
	tile = ptowsp_build_tile(b, "t", "f32", 1, BLOCK);
	zero = ptowsp_build_literal(b, "i64", "0");
	ptowsp_build_op(b, "tload", 0, (const uint32_t[]){tile, x, zero, zero}, 4);
	ptowsp_build_op(b, "tmul", 0, (const uint32_t[]){tile, tile, tile}, 3);
	ptowsp_build_op(b, "tstore", 0, (const uint32_t[]){tile, y, zero, zero}, 4);
	ptowsp_build_body_end(b);
	return kernel;
}

static void samples_build(struct ptowsp_build *b, uint32_t x, uint32_t y)
{
	const uint64_t extents[] = {BLOCKS, BLOCK};
	float in[BLOCKS * BLOCK], out[BLOCKS * BLOCK];

	for (int i = 0; i < BLOCKS * BLOCK; i++) {
		in[i] = (float)i / 16;
		out[i] = in[i] * in[i];
	}
	ptowsp_build_sample(b, x, "input", extents, 2, in, sizeof(in));
	ptowsp_build_sample(b, y, "expected", extents, 2, out, sizeof(out));
}

int main(int argc, char **argv)
{
	struct ptowsp_build *b = ptowsp_build_create("squares");
	uint32_t n, x, y, kernel, zero, one, width, i;
	int failed;

	if (argc != 2) {
		fprintf(stderr, "usage: %s PACKAGE\n", argv[0]);
		return 2;
	}
	n = ptowsp_build_symbol(b, "n", "u64"); /* set between runs */
	ptowsp_build_default(b, n, "4");
	width = ptowsp_build_number(b, BLOCK);
	x = ptowsp_build_tensor(b, "x", "f32", "in");
	y = ptowsp_build_tensor(b, "y", "f32", "out");
	ptowsp_build_tensor_dim(b, x, n);
	ptowsp_build_tensor_dim(b, x, width);
	ptowsp_build_tensor_dim(b, y, n);
	ptowsp_build_tensor_dim(b, y, width);
	kernel = square_build(b);

	ptowsp_build_entry_default(b, ptowsp_build_entry(b, "main"));
	zero = ptowsp_build_number(b, 0);
	one = ptowsp_build_number(b, 1);
	i = ptowsp_build_parallel_for(b, ptowsp_build_axis(b, "i", "dense_dyn", zero, n, one, 0));
	ptowsp_build_task(b, kernel);
	ptowsp_build_use(b, ptowsp_build_region(b, x, i, zero, 1, BLOCK));
	ptowsp_build_use(b, ptowsp_build_region(b, y, i, zero, 1, BLOCK));
	ptowsp_build_end(b); /* of the loop */
	ptowsp_build_end(b); /* of the entry */

	ptowsp_build_directive_number(b, ptowsp_build_directive(b, "dispatch", "round_robin"), 2);
	samples_build(b, x, y);

	/* Nothing was asked in between: the first refusal is kept. */
	failed = ptowsp_build_save(b, argv[1]) != 0;
	if (failed)
		fprintf(stderr, "%s\n", ptowsp_build_error(b));
	else
		printf("%s\n", ptowsp_build_digest(b));
	ptowsp_build_destroy(b);
	return failed;
}
