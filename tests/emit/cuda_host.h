/* SPDX-License-Identifier: MIT */
/* cuda_host.h - enough of CUDA to run an emitted kernel on the host: included before it (-include), it makes a block of threads of POSIX ones, with real
 * barriers, so that a step that is shared wrongly among threads shows in the results. */
#ifndef PTOWSP_TESTS_CUDA_HOST_H
#define PTOWSP_TESTS_CUDA_HOST_H

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "ptowsp/task.h"

#define __host__
#define __device__
#define __global__
#define __shared__
#define TILE_SHARED(name) unsigned char *const name = cuda_shared

enum { CUDA_THREADS = 64 };
struct cuda_index {
	unsigned x, y, z;
};
static thread_local struct cuda_index threadIdx;
static const struct cuda_index blockDim = {CUDA_THREADS, 1, 1};
static unsigned char *cuda_shared;
static pthread_barrier_t cuda_barrier;
static pthread_mutex_t cuda_block = PTHREAD_MUTEX_INITIALIZER; /* one at a time */
static int cuda_any;

static inline void __syncthreads(void)
{
	pthread_barrier_wait(&cuda_barrier);
}

static inline int __syncthreads_or(int condition)
{
	int any;

	if (condition)
		__atomic_store_n(&cuda_any, 1, __ATOMIC_RELAXED);
	__syncthreads();
	any = __atomic_load_n(&cuda_any, __ATOMIC_RELAXED);
	__syncthreads();
	__atomic_store_n(&cuda_any, 0, __ATOMIC_RELAXED);
	__syncthreads();
	return any;
}

template <class Task, class Result> struct cuda_thread {
	pthread_t thread;
	unsigned number;
	void (*kernel)(Task, Result *);
	Task task;
	Result *result;
};

template <class Task, class Result> static void *cuda_thread_run(void *context)
{
	const cuda_thread<Task, Result> *t = (const cuda_thread<Task, Result> *)context;

	threadIdx.x = t->number;
	t->kernel(t->task, t->result);
	return NULL;
}

/* In place of the one of kernel_cuda.h. */
template <class Task, class Result>
static ptowsp_status tile_launch(void (*kernel)(Task, Result *), const char *, uint64_t memory, const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	static cuda_thread<Task, Result> threads[CUDA_THREADS];
	Result result;
	Task given;

	pthread_mutex_lock(&cuda_block);
	memset(&result, 0, sizeof(result));
	given.tensors = task->tensors;
	given.args = task->args;
	given.tensor_count = task->tensor_count;
	given.arg_count = task->arg_count;
	given.block = task->block;
	given.block_count = task->block_count;
	cuda_shared = given.workspace = (unsigned char *)aligned_alloc(64, memory / 64 * 64 + 64);
	memset(cuda_shared, 0xA5, memory);
	pthread_barrier_init(&cuda_barrier, NULL, CUDA_THREADS);
	for (unsigned i = 0; i < CUDA_THREADS; i++) {
		threads[i].number = i;
		threads[i].kernel = kernel;
		threads[i].task = given;
		threads[i].result = &result;
		pthread_create(&threads[i].thread, NULL, cuda_thread_run<Task, Result>, &threads[i]);
	}
	for (unsigned i = 0; i < CUDA_THREADS; i++)
		pthread_join(threads[i].thread, NULL);
	pthread_barrier_destroy(&cuda_barrier);
	free(cuda_shared);
	pthread_mutex_unlock(&cuda_block);
	out->cycles = result.cycles;
	return result.status;
}

#endif
