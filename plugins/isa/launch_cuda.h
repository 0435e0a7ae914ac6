/* SPDX-License-Identifier: MIT */
/* launch_cuda.h - calling a kernel from the host. Part of kernel_cuda.h, which includes it. */
#ifndef ISA_LAUNCH_CUDA_H
#define ISA_LAUNCH_CUDA_H

#if !defined(TILE_WITHOUT_LAUNCH) && defined(__CUDACC__)
#include <stdio.h>

/* One call of a kernel, as task.h says it; the memory of its windows is the device's or managed. */
static inline ptowsp_status tile_launch(void (*kernel)(struct tile_task task, struct tile_result *result), const char *name, uint64_t memory,
					const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	const bool fits = memory <= TILE_SHARED_MOST;
	struct tile_task given;
	struct tile_result *result = NULL;
	struct ptowsp_tensor_arg *tensors = NULL;
	uint64_t *args = NULL;
	ptowsp_status status = PTOWSP_KERNEL_FAILED;
	cudaError_t error = cudaMallocManaged(&tensors, (task->tensor_count + 1) * sizeof(*tensors));

	given.workspace = NULL;
	if (!error)
		error = cudaMallocManaged(&args, (task->arg_count + 1) * sizeof(*args));
	if (!error)
		error = cudaMallocManaged(&result, sizeof(*result));
	if (!error && !fits)
		error = cudaMalloc(&given.workspace, memory);
	if (!error && fits)
		error = cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)memory);
	if (!error) {
		for (uint32_t i = 0; i < task->tensor_count; i++)
			memcpy(&tensors[i], (const unsigned char *)task->tensors + (size_t)i * task->tensor_stride, sizeof(*tensors));
		memcpy(args, task->args, task->arg_count * sizeof(*args));
		memset(result, 0, sizeof(*result));
		given.tensors = tensors;
		given.args = args;
		given.tensor_count = task->tensor_count;
		given.arg_count = task->arg_count;
		given.block = task->block;
		given.block_count = task->block_count;
		kernel<<<1, TILE_THREADS, fits ? (size_t)memory : 0>>>(given, result);
		error = cudaDeviceSynchronize();
	}
	if (!error) {
		status = result->status;
		out->cycles = result->cycles;
	}
	if (status && out->error) {
		out->error->code = status;
		snprintf(out->error->text, sizeof(out->error->text), error ? "kernel %.64s: %.80s" : "kernel %.64s %.80s: a check of its arguments failed",
			 name, error ? cudaGetErrorString(error) : result->place);
	}
	cudaFree(tensors);
	cudaFree(args);
	cudaFree(result);
	cudaFree(given.workspace);
	return status;
}
#endif

#endif
