/* SPDX-License-Identifier: MIT */
/* kernel_cuda.h - what emitted CUDA kernels stand on: windows, checks, and tile operations that are more than a loop over elements. A kernel runs in one
 * block of threads, a multiple of 32 of them; its tiles lie in shared memory, or in global memory where they are too large. All threads go the same way
 * through it, and share the elements of each step; a step ends with a barrier. It does what pto_ops.def says, in its order, if it is compiled without
 * contraction (nvcc -fmad=false, clang -ffp-contract=off), but for functions that CUDA's library has (erfc, and exp, log, tanh of f64).
 * Needs nothing but the headers that are written with it, and a CUDA compiler; clang without the CUDA headers takes it with -nocudainc. */
#ifndef ISA_KERNEL_CUDA_H
#define ISA_KERNEL_CUDA_H

#if defined(__clang__) && defined(__CUDA__) && !defined(__CUDA_RUNTIME_H__) && !defined(CUDA_VERSION)
/* The words of CUDA. */
#define __host__   __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#include <__clang_cuda_builtin_vars.h>
#define __syncthreads_or(condition) __nvvm_bar0_or(condition)
#define TILE_WITHOUT_LAUNCH
#pragma clang force_cuda_host_device begin
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#pragma clang force_cuda_host_device end
#else
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#endif

/* The functions of these headers are for both sides. */
#define inline inline __host__ __device__
#include "isa/convert.h"
#include "isa/element.h"
#include "isa/isa_tile.h"
#include "ptowsp/task.h"
#undef inline

#define TILE_DEVICE static inline __device__
#ifndef TILE_SHARED
#define TILE_SHARED(name) extern __shared__ __attribute__((aligned(64))) unsigned char name[]
#endif
enum { TILE_SHARED_MOST = 232448, TILE_THREADS = 256, TILE_PLACE = 48 };

struct tile_param {
	const char *name;
	uint16_t dtype, access;
};
struct tile_kernel {
	const char *name;
	const struct tile_param *params;
	uint32_t param_count, arg_count;
	uint64_t workspace; /* bytes of tiles */
};
/* What a kernel is given, in memory that the device reads. */
struct tile_task {
	const struct ptowsp_tensor_arg *tensors; /* their data, too, is memory that the device reaches */
	const uint64_t *args;
	uint32_t tensor_count, arg_count, block, block_count;
	unsigned char *workspace; /* if the tiles do not fit in shared memory */
};
/* What it leaves behind. */
struct tile_result {
	uint64_t cycles;
	int32_t status;
	char place[TILE_PLACE]; /* of the check that failed, "line 12" */
};
/* One call; each thread has its own, and all are alike. */
struct tile_call {
	const struct tile_kernel *kernel;
	const struct tile_task *task;
	struct tile_result *result;
	unsigned char *memory; /* of its tiles */
	uint64_t cycles;
	uint64_t jumps; /* back that are left */
};

/* A check failed: where is kept, the sentence is the host's. */
TILE_DEVICE ptowsp_status tile_failed(struct tile_call *call, const char *place)
{
	if (threadIdx.x == 0)
		for (size_t i = 0; i + 1 < TILE_PLACE && place && place[i]; i++)
			call->result->place[i] = place[i];
	return PTOWSP_KERNEL_FAILED;
}
#define tile_fail(call, place, ...) tile_failed(call, place)

TILE_DEVICE ptowsp_status tile_endless(struct tile_call *call, const char *place)
{
	tile_failed(call, place);
	return PTOWSP_RUN_FAILED;
}

TILE_DEVICE const struct ptowsp_tensor_arg *tile_window(const struct tile_call *call, uint32_t param)
{
	return &call->task->tensors[param];
}

/* A call from beginning to end, by every thread. */
TILE_DEVICE void tile_run(const struct tile_kernel *kernel, const struct tile_task *task, struct tile_result *result, unsigned char *memory,
			  ptowsp_status (*body)(struct tile_call *call))
{
	struct tile_call call;
	ptowsp_status status = PTOWSP_OK;

	call.kernel = kernel;
	call.task = task;
	call.result = result;
	call.memory = memory;
	call.cycles = 0;
	call.jumps = UINT64_C(1) << 32;
	if (task->tensor_count < kernel->param_count || task->arg_count < kernel->arg_count)
		status = tile_failed(&call, "arguments");
	for (uint32_t i = 0; !status && i < kernel->param_count; i++)
		if (tile_window(&call, i)->dtype != kernel->params[i].dtype || kernel->params[i].access & ~tile_window(&call, i)->access)
			status = tile_failed(&call, "windows");
	if (!status)
		status = body(&call);
	if (threadIdx.x == 0) {
		result->cycles = call.cycles;
		result->status = status;
	}
}

/* ---- bytes, by all threads; a barrier behind ---------------------------------------------------------------------- */

TILE_DEVICE void tile_zero(void *to, size_t size)
{
	for (size_t at = threadIdx.x; at < size; at += blockDim.x)
		((unsigned char *)to)[at] = 0;
	__syncthreads();
}

/* The two may overlap. */
TILE_DEVICE void tile_move(void *to, const void *from, size_t size)
{
	unsigned char *d = (unsigned char *)to;
	const unsigned char *a = (const unsigned char *)from;
	const bool apart = d + size <= a || a + size <= d;

	if (apart)
		for (size_t at = threadIdx.x; at < size; at += blockDim.x)
			d[at] = a[at];
	else if (d != a && threadIdx.x == 0)
		memmove(d, a, size);
	__syncthreads();
}

TILE_DEVICE void tile_element_move(void *to, const void *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
}

/* ---- windows ------------------------------------------------------------------------------------------------------- */

#define TILE_OP TILE_DEVICE
#include "isa/tile_window.h"

/* As in kernel.h. */
struct tile_place {
	unsigned char *at;
	size_t step, stride;
};

TILE_DEVICE struct tile_place tile_place_make(unsigned char *at, size_t step, size_t stride)
{
	struct tile_place place;

	place.at = at;
	place.step = step;
	place.stride = stride;
	return place;
}

TILE_DEVICE struct tile_place tile_find_at(struct tile_call *call, const char *place, uint32_t param, int64_t r, int64_t c, uint32_t rows, uint32_t columns,
					   size_t bytes)
{
	const struct ptowsp_tensor_arg *w = tile_window(call, param);
	const uint64_t count = (uint64_t)rows * columns;
	const bool flat = tile_window_is_flat(w);
	const int64_t start = flat ? tile_flat_start(r, c, count) : tile_flat_start(r, 0, rows);

	if (flat ? !tile_flat_holds(w, start, count) : !tile_grid_holds(w, start, c, rows, columns)) {
		tile_failed(call, place);
		return tile_place_make(NULL, 0, 0);
	}
	if (flat)
		return tile_place_make((unsigned char *)w->data + (size_t)start * bytes, columns * bytes, bytes);
	return tile_place_make(tile_grid_at(w, (uint64_t)start, (uint64_t)c, bytes), (size_t)(w->row_stride * bytes), (size_t)(w->column_stride * bytes));
}
#define tile_find(call, place, does, param, r, c, rows, columns, bytes) tile_find_at(call, place, param, r, c, rows, columns, bytes)

TILE_DEVICE int tile_is_plain(const struct tile_place *p, size_t bytes)
{
	return p->stride == bytes && ((uintptr_t)p->at | p->step) % bytes == 0;
}

TILE_DEVICE void tile_copy_in(void *to, const struct tile_place *p, uint32_t rows, uint32_t columns, size_t bytes)
{
	for (size_t at = threadIdx.x; at < (size_t)rows * columns; at += blockDim.x)
		tile_element_move((unsigned char *)to + at * bytes, p->at + at / columns * p->step + at % columns * p->stride, bytes);
	__syncthreads();
}

TILE_DEVICE void tile_copy_out(const struct tile_place *p, const void *from, uint32_t rows, uint32_t columns, size_t bytes)
{
	for (size_t at = threadIdx.x; at < (size_t)rows * columns; at += blockDim.x)
		tile_element_move(p->at + at / columns * p->step + at % columns * p->stride, (const unsigned char *)from + at * bytes, bytes);
	__syncthreads();
}

TILE_DEVICE void tile_read_begin(struct tile_place *p, void *buffer, uint32_t rows, uint32_t columns, size_t bytes)
{
	if (tile_is_plain(p, bytes))
		return;
	tile_copy_in(buffer, p, rows, columns, bytes);
	*p = tile_place_make((unsigned char *)buffer, columns * bytes, bytes);
}

TILE_DEVICE struct tile_place tile_write_begin(const struct tile_place *p, void *buffer, uint32_t columns, size_t bytes)
{
	return tile_is_plain(p, bytes) ? *p : tile_place_make((unsigned char *)buffer, columns * bytes, bytes);
}

TILE_DEVICE void tile_write_end(const struct tile_place *p, const void *buffer, uint32_t rows, uint32_t columns, size_t bytes)
{
	if (!tile_is_plain(p, bytes))
		tile_copy_out(p, buffer, rows, columns, bytes);
}

/* As in kernel.h, but more cautious: what may overlap is copied unless it is the same place. */
TILE_DEVICE void tile_part(struct tile_place *from, const struct tile_place *to, void *buffer, uint32_t rows, uint32_t columns, size_t bytes, uint32_t to_rows,
			   uint32_t to_columns, size_t to_bytes)
{
	const uintptr_t a = (uintptr_t)from->at, a_end = a + (rows - 1) * from->step + columns * bytes;
	const uintptr_t b = (uintptr_t)to->at, b_end = b + (to_rows - 1) * to->step + to_columns * to_bytes;

	if (a >= b_end || b >= a_end || (a == b && from->step == to->step && bytes == to_bytes && (rows == 1 || from->step >= columns * bytes)))
		return;
	tile_copy_in(buffer, from, rows, columns, bytes);
	*from = tile_place_make((unsigned char *)buffer, columns * bytes, bytes);
}

TILE_DEVICE unsigned char *tile_element_of(struct tile_call *call, const char *place, uint32_t param, int64_t index, size_t bytes)
{
	unsigned char *at = tile_window_element(tile_window(call, param), index, bytes);

	if (!at)
		tile_failed(call, place);
	return at;
}
#define tile_element(call, place, does, param, index, bytes) tile_element_of(call, place, param, index, bytes)

TILE_DEVICE ptowsp_status tile_offset_check(struct tile_call *call, const char *place, int64_t offset, uint64_t count)
{
	return offset >= 0 && (uint64_t)offset < count ? PTOWSP_OK : tile_failed(call, place);
}
#define tile_offset(call, place, mnemonic, tile, offset, count) tile_offset_check(call, place, offset, count)

/* The rest, by what it works on. */
#include "isa/launch_cuda.h"
#include "isa/tile_cuda.h"

#endif
