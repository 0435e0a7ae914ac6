/* SPDX-License-Identifier: MIT */
/* bench_product.h - the part of `ptowsp-bench kernels` that multiplies tiles. */
#ifndef TOOLS_BENCH_PRODUCT_H
#define TOOLS_BENCH_PRODUCT_H

#include "tools/bench/bench.h"

/* Rows of products of 64 x 64 and 128 x 128. */
int bench_products(const struct bench_options *options);

#endif
