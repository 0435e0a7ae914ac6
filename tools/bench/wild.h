/* SPDX-License-Identifier: MIT */
/* wild.h - random nests of loops, by seed: as source text, and as something to walk. */
#ifndef TOOLS_BENCH_WILD_H
#define TOOLS_BENCH_WILD_H

#include <stddef.h>
#include "tools/bench/nest.h"

struct bench_wild;
/* The same seed gives the same nest. NULL without memory. Freed by bench_wild_free. */
struct bench_wild *bench_wild_make(uint64_t seed);
void bench_wild_free(struct bench_wild *wild); /* NULL is allowed */
/* A workload on the kernels of shapes/step.pto; borrowed. */
const char *bench_wild_source(const struct bench_wild *wild, size_t *size_out);
/* The shape of it, borrowed; its size is the number of rounds of the outermost loop. */
const struct bench_shape *bench_wild_shape(const struct bench_wild *wild);

#endif
