/* SPDX-License-Identifier: MIT */
/* emit_targets.c - the table of targets that kernels are written for. */
#include "isa/emit/emit_state.h"

/* One address space, and C's way to move bytes. */
#define FLAT .memory = "", .global = "", .fetch = "memcpy(&value, at, sizeof(value));", .drop = "memcpy(at, &value, sizeof(value));"
#define ASCEND                                                                                                                                                 \
	.extension = "cpp", .barrier = "AscendC::PipeBarrier<PIPE_ALL>();", FLAT, .zero = "tile_zero(%s, %lu);", .statement = isa_ascend_statement,            \
	.head = isa_ascend_head, .tail = isa_ascend_tail

const struct isa_emit_target isa_emit_targets[] = {
	{.name = "c",
	 .extension = "c",
	 .barrier = "",
	 FLAT,
	 .loop = "for (size_t %s = %s; %s < %s; %s++) ",
	 .windows = true,
	 .loop_note = "TILE_LOOP",
	 .zero = "memset(%s, 0, %lu);",
	 .move = "memcpy(%s, %s, %lu);",
	 .move_over = "memmove(%s, %s, %lu);",
	 .parts = true,
	 .head = isa_c_head,
	 .tail = isa_c_tail},
	/* All loops begin at 0. A loop over all elements has all threads; one over rows has a warp per row, whose threads take its columns. */
	{.name = "cuda",
	 .extension = "cu",
	 .barrier = "__syncthreads();",
	 FLAT,
	 .loop = "for (size_t %s = %.0sthreadIdx.x; %s < %s; %s += blockDim.x) ",
	 .loop_rows = "for (size_t %s = %.0sthreadIdx.x / 32; %s < %s; %s += blockDim.x / 32) ",
	 .loop_columns = "for (size_t %s = %.0sthreadIdx.x %% 32; %s < %s; %s += 32) ",
	 .loop_note = "",
	 .zero = "tile_zero(%s, %lu);",
	 .move = "tile_move(%s, %s, %lu);",
	 .move_over = "tile_move(%s, %s, %lu);",
	 .parts = true,
	 .head = isa_cuda_head,
	 .tail = isa_cuda_tail},
	/* The same with a work-group. */
	{.name = "opencl",
	 .extension = "cl",
	 .barrier = "TILE_SYNC;",
	 .memory = "TILE_MEMORY ",
	 .global = "TILE_GLOBAL ",
	 .copies = "call->copies",
	 .fetch = "tile_fetch(value, at);",
	 .drop = "tile_drop(at, value);",
	 .loop = "for (size_t %s = %.0sTILE_THREAD; %s < %s; %s += TILE_WIDTH) ",
	 .loop_rows = "for (size_t %s = %.0sTILE_THREAD / TILE_ROW; %s < %s; %s += TILE_WIDTH / TILE_ROW) ",
	 .loop_columns = "for (size_t %s = %.0sTILE_THREAD %% TILE_ROW; %s < %s; %s += TILE_ROW) ",
	 .loop_note = "",
	 .turn = "TILE_TURN;",
	 .zero = "tile_zero(%s, %lu);",
	 .move = "tile_move(%s, %s, %lu);",
	 .move_over = "tile_move(%s, %s, %lu);",
	 .parts = true,
	 .head = isa_opencl_head,
	 .tail = isa_opencl_tail},
	{.name = "ascend-a2a3", ASCEND},
	{.name = "ascend-a5", .registers = true, ASCEND},
	{.name = NULL},
};
