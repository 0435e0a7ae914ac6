/* SPDX-License-Identifier: MIT */
/* adds.h - a package whose runs can follow each other on the same tensors: y += x, and z is y of before. */
#ifndef TESTS_ADDS_H
#define TESTS_ADDS_H

#include "tests/contract/cli.h"

enum { N = 64, RUNS = 100, BYTES = N * 16 * 4 };

#define ADDS                                                                                                                                                   \
	"tensor %x : f32[64, 16] in\ntensor %y : f32[64, 16] inout\ntensor %z : f32[64, 16] out\n"                                                             \
	"func @add(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>, %c: !pto.memref<gm,...,f32>) {\n"                                                 \
	"  %s = alloc_tile : !pto.tile<8x16xf32>\n  %t = alloc_tile : !pto.tile<8x16xf32>\n  %s = tload %a[0, 0]\n  %t = tload %b[0, 0]\n"                     \
	"  tstore %t, %c[0, 0]\n  %t = tadd %s, %t\n  tstore %t, %b[0, 0]\n  return\n}\n"                                                                      \
	"workload @main { parallel_for %i in 0 to 8 { call @add(%a -> %x[%i * 8, 0], %b -> %y[%i * 8, 0], %c -> %z[%i * 8, 0]) } }\n"

/* adds.pkg.zst in the folder of the test. */
static inline void adds_make(void)
{
	cli_begin();
	check_put("adds.pto", ADDS);
	REQUIRE_INT(cli("$B/ptowsp-pack adds.pto -o adds.pkg.zst"), 0);
}

#endif
