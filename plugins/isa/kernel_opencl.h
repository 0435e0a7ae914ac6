/* SPDX-License-Identifier: MIT */
/* kernel_opencl.h - what emitted OpenCL C kernels stand on: a call, and the words that kernel_threads.h has for any target of its kind. A kernel runs in one work-group of TILE_WIDTH
 * work-items; its tiles lie in local memory, or with -DTILE_MEMORY=__global in its workspace. It does what pto_ops.def says, in its order, where quotients and roots are rounded correctly
 * (-cl-fp32-correctly-rounded-divide-sqrt), but for functions of f64 that OpenCL's library has (exp, log, tanh, erfc).
 * Needs nothing but the headers that are written with it, OpenCL C 1.2, and cl_khr_fp64. */
#ifndef ISA_KERNEL_OPENCL_H
#define ISA_KERNEL_OPENCL_H

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

/* ---- the words of C that the other headers are written in ------------------------------------------------------- */

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef uint uint32_t;
typedef ulong uint64_t;
#define INT32_MAX   0x7FFFFFFF
#define INT32_MIN   (-INT32_MAX - 1)
#define INT64_MAX   0x7FFFFFFFFFFFFFFFL
#define INT64_MIN   (-INT64_MAX - 1L)
#define UINT64_MAX  0xFFFFFFFFFFFFFFFFUL
#define INT64_C(n)  n##L
#define UINT64_C(n) n##UL
#ifndef NULL
#define NULL 0
#endif
#define __builtin_clzll(n) clz((uint64_t)(n))

/* Functions of floats, which have one name for all types here. */
#define fabsf fabs
#define sqrtf sqrt
#define fmodf fmod
#define rintf rint

/* Words of base.h, without the headers of a C library. */
#define PTOWSP_BASE_H
#define PTOWSP_STATIC_ASSERT(condition, text)
typedef int32_t ptowsp_status;
enum {
#define X(name, value, exit_code, text) PTOWSP_##name = value,
#include "ptowsp/status.def"
#undef X
};

#include "isa/convert.h"
#include "isa/element.h"
#include "isa/isa_tile.h"

/* ---- a call ------------------------------------------------------------------------------------------------------- */

/* Work-items of a group, a power of two. */
#ifndef TILE_WIDTH
#define TILE_WIDTH 64
#endif
#ifndef TILE_MEMORY
#define TILE_MEMORY __local
#define TILE_IS_LOCAL
#endif
#define TILE_DEVICE  static inline
#define TILE_GLOBAL  __global
#define TILE_LITERAL __constant

/* A window as it is given: where it begins in its buffer, in bytes, and as in ptowsp_tensor_arg. */
struct tile_shape {
	uint64_t offset, rows, columns, row_stride, column_stride;
};
struct tile_window {
	TILE_GLOBAL uchar *data;
	uint64_t rows, columns, row_stride, column_stride;
	uint32_t dtype, access, tensor; /* for parts alone: of the parameter; all windows are taken for those of one tensor, as their places tell them apart */
};
struct tile_task {
	const struct tile_window *tensors;
	const uint64_t *args;
	uint32_t block, block_count;
};
/* Jumps back of one call, as many as the interpreter allows. */
#define TILE_JUMPS (UINT64_C(1) << 32)
/* Outcome of a kernel. stop: the host's, not 0 while the kernel runs asks it to end. */
struct tile_result {
	uint64_t cycles;
	int32_t status;
	uint32_t stop;
};
/* One call; each work-item has its own, and all are alike. */
struct tile_call {
	const struct tile_task *task;
	TILE_MEMORY uchar *memory; /* of its tiles */
	TILE_GLOBAL uchar *copies; /* of windows, placed like the tiles */
	uint64_t cycles;
	uint64_t jumps; /* back that are left */
	volatile TILE_GLOBAL struct tile_result *result;
	TILE_MEMORY int *said; /* stop, as one tells others */
	uint32_t turns;        /* of loops */
};

TILE_DEVICE struct tile_window tile_window_make(TILE_GLOBAL uchar *buffer, const struct tile_shape *shape)
{
	return (struct tile_window){buffer + shape->offset, shape->rows, shape->columns, shape->row_stride, shape->column_stride, 0, 0, 0};
}

/* One of which a task may have only a part. */
TILE_DEVICE struct tile_window tile_window_of(TILE_GLOBAL uchar *buffer, const struct tile_shape *shape, uint32_t dtype, uint32_t access)
{
	struct tile_window window = tile_window_make(buffer, shape);

	window.dtype = dtype;
	window.access = access;
	return window;
}

TILE_DEVICE const struct tile_window *tile_window(const struct tile_call *call, uint32_t param)
{
	return &call->task->tensors[param];
}

/* The host finds out where and why, from the interpreter. */
#define tile_failed(call, place) PTOWSP_KERNEL_FAILED

/* Work-items of one go through loops as a processor does: rows of a tile as vectors. */
#if TILE_WIDTH == 1
#define TILE_THREAD   0
#define TILE_ROW      1
#define TILE_LANES    8
#define TILE_PART     64
#define TILE_SUM_ROWS 4
#define TILE_SUMS     16
#define TILE_SYNC     (void)0
#else
#define TILE_THREAD get_local_id(0)
#define TILE_ROW    (TILE_WIDTH < 32 ? TILE_WIDTH : 32)
#define TILE_SYNC   barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif
#define TILE_ANY(condition) (condition)
#define TILE_LOOK(i, count) for (size_t i = 0; i < (count); i++) /* each looks at all of them: 1.2 has nothing by which they tell each other */
#define TILE_WINDOW         const struct tile_window
#include "isa/kernel_threads.h"

/* Whether the host wants an end, which all of them hear at once. */
TILE_DEVICE int tile_is_stopped(const struct tile_call *call)
{
	int stop;

	if (TILE_WIDTH == 1)
		return call->result->stop != 0;
	TILE_SYNC;
	if (TILE_THREAD == 0)
		*call->said = call->result->stop != 0;
	TILE_SYNC;
	stop = *call->said;
	TILE_SYNC;
	return stop;
}
#define TILE_TURNS 256 /* between two questions */
#define TILE_TURN                                                                                                                                              \
	if (++call->turns % TILE_TURNS == 0 && tile_is_stopped(call))                                                                                          \
	return PTOWSP_CANCELLED

/* Memory of a kernel's tiles, and a word behind them. */
#ifdef TILE_IS_LOCAL
#define TILE_TILES(name, bytes, workspace) __local uchar name[(bytes) + 4] __attribute__((aligned(64)))
#else
#define TILE_TILES(name, bytes, workspace) TILE_GLOBAL uchar *const name = workspace
#endif

/* Single elements of windows, which begin at any byte. */
#define tile_fetch(value, at)                                                                                                                                  \
	for (size_t part = 0; part < sizeof(value); part++)                                                                                                    \
	((uchar *)&(value))[part] = (at)[part]
#define tile_drop(at, value)                                                                                                                                   \
	for (size_t part = 0; part < sizeof(value); part++)                                                                                                    \
	(at)[part] = ((const uchar *)&(value))[part]

/* Parts of tiles: work-items share the rows. Copies lie in the workspace. */
enum { PTOWSP_READ = 1, PTOWSP_WRITE = 2 };
#define TILE_PARTS               TILE_DEVICE
#define TILE_PART_WINDOW         struct tile_window
#define TILE_PART_ROWS(r, count) for (uint64_t r = TILE_THREAD; r < (count); r += TILE_WIDTH)
#define TILE_PART_COPY(to, from, bytes)                                                                                                                        \
	for (size_t k = 0; k < (bytes); k++)                                                                                                                   \
	(to)[k] = (from)[k]
#define TILE_PART_ZERO(to, bytes)                                                                                                                              \
	for (size_t k = 0; k < (bytes); k++)                                                                                                                   \
	(to)[k] = 0
#include "isa/kernel_parts.h"

/* Whole windows in place of those that are parts. */
TILE_DEVICE ptowsp_status tile_parts_begin(struct tile_call *call, struct tile_window *windows, const struct tile_whole *wholes, struct tile_part *parts,
					   uint32_t count, TILE_GLOBAL uchar *memory)
{
	const ptowsp_status status = tile_parts_open(call, wholes, parts, count, memory, NULL);

	for (uint32_t i = 0; i < count && !status; i++)
		windows[i] = parts[i].window;
	return status;
}

/* The end of a kernel. */
TILE_DEVICE void tile_leave(TILE_GLOBAL struct tile_result *result, ptowsp_status status, uint64_t cycles)
{
	if (TILE_THREAD == 0) {
		result->cycles = cycles;
		result->status = status;
	}
}

#endif
