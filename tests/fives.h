/* SPDX-License-Identifier: MIT */
/* fives.h - the beginning of a source whose kernel's portable payload writes fives, so that it can be told from native code that does something else. */
#ifndef TEST_FIVES_H
#define TEST_FIVES_H

/* Module m with tensors %x (in, four samples from 1) and %y (out); rows are more tensors. */
#define FIVES_TENSORS(rows)                                                                                                                                    \
	"module @m\n"                                                                                                                                          \
	"tensor %x : f32[4] in\n"                                                                                                                              \
	"tensor %y : f32[4] out\n" rows "sample %x input [4] = [1, 2, 3, 4]\n"

/* The payload: %y becomes 5 in %n turns. */
#define FIVES_FUNC                                                                                                                                             \
	"func @fives(%x: !pto.memref<gm,...,f32>, %y: !pto.memref<gm,...,f32>, %n: i64) {\n"                                                                   \
	"  %t = alloc_tile : !pto.tile<1x4xf32>\n"                                                                                                             \
	"  %t = tload %x[0, 0]\n"                                                                                                                              \
	"  FOR %k:idx, 0:idx, %n:idx, 1:idx\n"                                                                                                                 \
	"    %t = texpands 5.0\n"                                                                                                                              \
	"  ENDFOR\n"                                                                                                                                           \
	"  tstore %t, %y[0, 0]\n"                                                                                                                              \
	"  return\n"                                                                                                                                           \
	"}\n"

#endif
