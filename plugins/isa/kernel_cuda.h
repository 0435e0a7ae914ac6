/* SPDX-License-Identifier: MIT */
/* kernel_cuda.h - what emitted CUDA kernels stand on: a call, and the words that kernel_threads.h has for any target of its kind. A kernel runs in one
 * block of threads, a multiple of 32 of them; its tiles lie in shared memory, or in global memory where they are too large. It does what pto_ops.def says, in its order, if it is compiled without
 * contraction (nvcc -fmad=false, clang -ffp-contract=off), but for functions of f64 that CUDA's library has (exp, log, tanh, erfc).
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
	uint64_t workspace; /* bytes of tiles, and of copies of parts */
};
/* Arguments of a kernel, in memory that the device reads. */
struct tile_task {
	const struct ptowsp_tensor_arg *tensors; /* their data, too, is memory that the device reaches */
	const uint64_t *args;
	uint32_t tensor_count, arg_count, block, block_count;
	unsigned char *workspace; /* if the tiles do not fit in shared memory */
};
/* Outcome of a kernel. */
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
	const unsigned char *windows; /* `step` bytes apart: the task's, or whole ones in the place of parts */
	size_t step;
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

TILE_DEVICE const struct ptowsp_tensor_arg *tile_window(const struct tile_call *call, uint32_t param)
{
	return (const struct ptowsp_tensor_arg *)(const void *)(call->windows + param * call->step);
}

/* A call from beginning to end, by every thread. */
TILE_DEVICE ptowsp_status tile_begin(struct tile_call *call, const struct tile_kernel *kernel, const struct tile_task *task, struct tile_result *result,
				     unsigned char *memory)
{
	call->kernel = kernel;
	call->task = task;
	call->result = result;
	call->windows = (const unsigned char *)task->tensors;
	call->step = sizeof(*task->tensors);
	call->memory = memory;
	call->cycles = 0;
	call->jumps = UINT64_C(1) << 32;
	if (task->tensor_count < kernel->param_count || task->arg_count < kernel->arg_count)
		return tile_failed(call, "arguments");
	for (uint32_t i = 0; i < kernel->param_count; i++)
		if (tile_window(call, i)->dtype != kernel->params[i].dtype || kernel->params[i].access & ~tile_window(call, i)->access)
			return tile_failed(call, "windows");
	return PTOWSP_OK;
}

TILE_DEVICE void tile_end(const struct tile_call *call, ptowsp_status status)
{
	if (threadIdx.x == 0) {
		call->result->cycles = call->cycles;
		call->result->status = status;
	}
}

TILE_DEVICE void tile_run(const struct tile_kernel *kernel, const struct tile_task *task, struct tile_result *result, unsigned char *memory,
			  ptowsp_status (*body)(struct tile_call *call))
{
	struct tile_call call;
	ptowsp_status status = tile_begin(&call, kernel, task, result, memory);

	if (!status)
		status = body(&call);
	tile_end(&call, status);
}

/* The words of kernel_threads.h. */
#define TILE_THREAD         threadIdx.x
#define TILE_WIDTH          blockDim.x
#define TILE_ROW            32
#define TILE_SYNC           __syncthreads()
#define TILE_ANY(condition) __syncthreads_or(condition)
#define TILE_LOOK(i, count) TILE_EACH(i, count)
#define TILE_MEMORY
#define TILE_GLOBAL
#define TILE_LITERAL
#define TILE_WINDOW const struct ptowsp_tensor_arg
#include "isa/kernel_threads.h"

/* Functions of parts are for the device: its threads share the rows. */
#define TILE_PARTS               static __device__
#define TILE_PART_ROWS(r, count) for (uint64_t r = threadIdx.x; r < (count); r += blockDim.x)
#define inline inline __device__
#include "isa/kernel_parts.h"
#undef inline

/* tile_run of a kernel that works on whole tiles where the task has parts of them. parts: room for one per parameter. */
TILE_DEVICE void tile_run_parts(const struct tile_kernel *kernel, const struct tile_whole *wholes, struct tile_part *parts, const struct tile_task *task,
				struct tile_result *result, unsigned char *memory, ptowsp_status (*body)(struct tile_call *call))
{
	struct tile_call call;
	ptowsp_status status = tile_begin(&call, kernel, task, result, memory);

	if (!status)
		status = tile_parts_open(&call, wholes, parts, kernel->param_count, memory, "parts that meet");
	if (!status) {
		call.windows = (const unsigned char *)&parts->window;
		call.step = sizeof(*parts);
		status = body(&call);
		tile_parts_close(parts, kernel->param_count);
	}
	tile_end(&call, status);
}

#include "isa/launch_cuda.h"

#endif
