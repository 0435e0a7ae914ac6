/* SPDX-License-Identifier: MIT */
/* bench_product.h - the part of `ptowsp-bench kernels` that multiplies tiles. */
#ifndef TOOLS_BENCH_PRODUCT_H
#define TOOLS_BENCH_PRODUCT_H

#include "tools/bench.h"

/* *rate_out: GFLOP/s of exact products of f32 tiles of 128 x 128. */
int bench_products(const struct bench_options *options, double *rate_out);

#endif
