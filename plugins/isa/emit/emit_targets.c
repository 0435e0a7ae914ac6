/* SPDX-License-Identifier: MIT */
/* emit_targets.c - the table of targets that kernels are written for. */
#include "isa/emit/emit_state.h"

#define ASCEND                                                                                                                                                 \
	.extension = "cpp", .barrier = "AscendC::PipeBarrier<PIPE_ALL>();", .zero = "tile_zero(%s, %lu);", .statement = isa_ascend_statement,                  \
	.head = isa_ascend_head, .tail = isa_ascend_tail

const struct isa_emit_target isa_emit_targets[] = {
	{.name = "c",
	 .extension = "c",
	 .barrier = "",
	 .loop = "for (size_t %s = %s; %s < %s; %s++) ",
	 .windows = true,
	 .loop_note = "TILE_LOOP",
	 .zero = "memset(%s, 0, %lu);",
	 .move = "memcpy(%s, %s, %lu);",
	 .move_over = "memmove(%s, %s, %lu);",
	 .head = isa_c_head,
	 .tail = isa_c_tail},
	/* All loops begin at 0. A loop over all elements has all threads; one over rows has a warp per row, whose threads take its columns. */
	{.name = "cuda",
	 .extension = "cu",
	 .barrier = "__syncthreads();",
	 .loop = "for (size_t %s = %.0sthreadIdx.x; %s < %s; %s += blockDim.x) ",
	 .loop_rows = "for (size_t %s = %.0sthreadIdx.x / 32; %s < %s; %s += blockDim.x / 32) ",
	 .loop_columns = "for (size_t %s = %.0sthreadIdx.x %% 32; %s < %s; %s += 32) ",
	 .loop_note = "",
	 .zero = "tile_zero(%s, %lu);",
	 .move = "tile_move(%s, %s, %lu);",
	 .move_over = "tile_move(%s, %s, %lu);",
	 .head = isa_cuda_head,
	 .tail = isa_cuda_tail},
	{.name = "ascend-a2a3", ASCEND},
	{.name = "ascend-a5", .registers = true, ASCEND},
	{.name = NULL},
};
