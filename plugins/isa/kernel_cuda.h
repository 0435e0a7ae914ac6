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
#define __host__ __attribute__((host))
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
#include "isa/tile.h"
#include "ptowsp/task.h"
#undef inline

#define TILE_DEVICE static inline __device__
#ifndef TILE_SHARED
#define TILE_SHARED(name) extern __shared__ __attribute__((aligned(64))) unsigned char name[]
#endif
enum { TILE_SHARED_MOST = 232448, TILE_THREADS = 256, TILE_SORTED = 32, TILE_PLACE = 48 };

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
	uint64_t jumps;        /* back that are left */
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

TILE_DEVICE int tile_goes_on(int64_t now, int64_t step, int64_t bound)
{
	return now <= INT64_MAX - step && now + step < bound;
}

TILE_DEVICE double tile_exp_f64(double x)
{
	return exp(x);
}

TILE_DEVICE double tile_log_f64(double x)
{
	return log(x);
}

TILE_DEVICE double tile_tanh_f64(double x)
{
	return tanh(x);
}

TILE_DEVICE double tile_sigmoid_f64(double x)
{
	return 1 / (1 + exp(-x));
}

TILE_DEVICE double tile_silu_f64(double x)
{
	return x / (1 + exp(-x));
}

/* Integer rules that C++ leaves open: x / 0 is 0, x rem 0 is x, the smallest / -1 is itself. */
#define TILE_SIGNED_RULES(type, ...)                                                                                           \
	TILE_DEVICE isa_s_##type tile_div_##type(isa_s_##type a, isa_s_##type b)                                               \
	{                                                                                                                      \
		return (isa_s_##type)(b == 0 ? 0 : b == -1 ? 0 - (isa_w_##type)a : (isa_w_##type)(a / b));                     \
	}                                                                                                                      \
	TILE_DEVICE isa_s_##type tile_rem_##type(isa_s_##type a, isa_s_##type b)                                               \
	{                                                                                                                      \
		return (isa_s_##type)(b == 0 ? a : b == -1 ? 0 : a % b);                                                       \
	}
#define TILE_UNSIGNED_RULES(type, ...)                                                                                         \
	TILE_DEVICE isa_s_##type tile_div_##type(isa_s_##type a, isa_s_##type b)                                               \
	{                                                                                                                      \
		return (isa_s_##type)(b == 0 ? 0 : a / b);                                                                     \
	}                                                                                                                      \
	TILE_DEVICE isa_s_##type tile_rem_##type(isa_s_##type a, isa_s_##type b)                                               \
	{                                                                                                                      \
		return (isa_s_##type)(b == 0 ? a : a % b);                                                                     \
	}
ISA_SIGNED(TILE_SIGNED_RULES, )
ISA_UNSIGNED(TILE_UNSIGNED_RULES, )

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

TILE_DEVICE int64_t tile_flat_start(int64_t r, int64_t c, uint64_t tile)
{
	const int64_t far_away = INT64_MAX / 4;

	if (r > far_away / (int64_t)tile || c > far_away)
		return far_away;
	if (r < -(far_away / (int64_t)tile) || c < -far_away)
		return -far_away;
	return r * (int64_t)tile + c;
}

TILE_DEVICE struct tile_place tile_find_at(struct tile_call *call, const char *place, uint32_t param, int64_t r, int64_t c, uint32_t rows,
					   uint32_t columns, size_t bytes)
{
	const struct ptowsp_tensor_arg *w = tile_window(call, param);
	const bool flat = w->rows == 1 && w->column_stride == 1;
	const uint64_t count = (uint64_t)rows * columns;
	const int64_t start = flat ? tile_flat_start(r, c, count) : tile_flat_start(r, 0, rows);
	const bool inside = flat ? start >= 0 && count <= w->columns && (uint64_t)start <= w->columns - count
				 : start >= 0 && c >= 0 && rows <= w->rows && (uint64_t)start <= w->rows - rows && columns <= w->columns &&
					   (uint64_t)c <= w->columns - columns;

	if (!inside) {
		tile_failed(call, place);
		return tile_place_make(NULL, 0, 0);
	}
	if (flat)
		return tile_place_make((unsigned char *)w->data + (size_t)start * bytes, columns * bytes, bytes);
	return tile_place_make((unsigned char *)w->data + ((uint64_t)start * w->row_stride + (uint64_t)c * w->column_stride) * bytes,
			       (size_t)(w->row_stride * bytes), (size_t)(w->column_stride * bytes));
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
TILE_DEVICE void tile_part(struct tile_place *from, const struct tile_place *to, void *buffer, uint32_t rows, uint32_t columns, size_t bytes,
			   uint32_t to_rows, uint32_t to_columns, size_t to_bytes)
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
	const struct ptowsp_tensor_arg *w = tile_window(call, param);
	const uint64_t row = w->columns ? (uint64_t)index / w->columns : 0;

	if (index < 0 || w->columns == 0 || row >= w->rows) {
		tile_failed(call, place);
		return NULL;
	}
	return (unsigned char *)w->data + (row * w->row_stride + (uint64_t)index % w->columns * w->column_stride) * bytes;
}
#define tile_element(call, place, does, param, index, bytes) tile_element_of(call, place, param, index, bytes)

TILE_DEVICE ptowsp_status tile_offset_check(struct tile_call *call, const char *place, int64_t offset, uint64_t count)
{
	return offset >= 0 && (uint64_t)offset < count ? PTOWSP_OK : tile_failed(call, place);
}
#define tile_offset(call, place, mnemonic, tile, offset, count) tile_offset_check(call, place, offset, count)

/* ---- indices: checked first, by all threads together --------------------------------------------------------------- */

TILE_DEVICE int64_t tile_index(const void *tile, int is_unsigned, size_t i)
{
	return is_unsigned ? (int64_t)((const uint32_t *)tile)[i] : (int64_t)((const int32_t *)tile)[i];
}

TILE_DEVICE ptowsp_status tile_indices_check(struct tile_call *call, const char *place, const void *index, int is_unsigned, size_t count, int64_t limit,
					     int64_t unit)
{
	int outside = 0;

	for (size_t i = threadIdx.x; i < count; i += blockDim.x) {
		const int64_t k = tile_index(index, is_unsigned, i);

		outside |= k < 0 || k >= limit || k % unit != 0;
	}
	return __syncthreads_or(outside) ? tile_failed(call, place) : PTOWSP_OK;
}

TILE_DEVICE ptowsp_status tile_gather_by(struct tile_call *call, const char *place, void *d, const void *a, uint64_t a_count, const void *index,
					 int is_unsigned, size_t count, size_t bytes, size_t unit)
{
	if (tile_indices_check(call, place, index, is_unsigned, count, (int64_t)(a_count * unit), (int64_t)unit))
		return PTOWSP_KERNEL_FAILED;
	for (size_t i = threadIdx.x; i < count; i += blockDim.x)
		tile_element_move((unsigned char *)d + i * bytes,
				  (const unsigned char *)a + (size_t)tile_index(index, is_unsigned, i) / unit * bytes, bytes);
	__syncthreads();
	return PTOWSP_OK;
}
#define tile_gather(call, place, mnemonic, d, a, a_count, index, index_name, is_unsigned, count, bytes, unit, of_unit) \
	tile_gather_by(call, place, d, a, a_count, index, is_unsigned, count, bytes, unit)

/* A thread has a column, and goes down its rows: the last one that names a place wins. */
TILE_DEVICE ptowsp_status tile_scatter_by(struct tile_call *call, const char *place, void *d, uint32_t rows, const void *a, const void *index,
					  int is_unsigned, size_t count, uint32_t columns, size_t bytes)
{
	if (tile_indices_check(call, place, index, is_unsigned, count, rows, 1))
		return PTOWSP_KERNEL_FAILED;
	for (size_t column = threadIdx.x; column < columns; column += blockDim.x)
		for (size_t i = column; i < count; i += columns)
			tile_element_move((unsigned char *)d + ((size_t)tile_index(index, is_unsigned, i) * columns + column) * bytes,
					  (const unsigned char *)a + i * bytes, bytes);
	__syncthreads();
	return PTOWSP_OK;
}
#define tile_scatter(call, place, d, rows, a, index, index_name, is_unsigned, count, columns, bytes) \
	tile_scatter_by(call, place, d, rows, a, index, is_unsigned, count, columns, bytes)

TILE_DEVICE size_t tile_element_at(const struct ptowsp_tensor_arg *w, int64_t index)
{
	const uint64_t n = (uint64_t)index;

	return (size_t)(w->rows == 1 && w->column_stride == 1 ? n : n / w->columns * w->row_stride + n % w->columns * w->column_stride);
}

TILE_DEVICE int64_t tile_window_count(const struct ptowsp_tensor_arg *w)
{
	return w->columns && w->rows > (uint64_t)INT64_MAX / w->columns ? INT64_MAX : (int64_t)(w->rows * w->columns);
}

TILE_DEVICE ptowsp_status tile_mgather(struct tile_call *call, const char *place, void *d, uint32_t param, const void *index, int is_unsigned,
				       size_t count, size_t bytes)
{
	const struct ptowsp_tensor_arg *w = tile_window(call, param);

	if (tile_indices_check(call, place, index, is_unsigned, count, tile_window_count(w), 1))
		return PTOWSP_KERNEL_FAILED;
	for (size_t i = threadIdx.x; i < count; i += blockDim.x)
		tile_element_move((unsigned char *)d + i * bytes,
				  (const unsigned char *)w->data + tile_element_at(w, tile_index(index, is_unsigned, i)) * bytes, bytes);
	__syncthreads();
	return PTOWSP_OK;
}

/* One thread: of elements for one place the last one stays. */
TILE_DEVICE ptowsp_status tile_mscatter(struct tile_call *call, const char *place, uint32_t param, const void *a, const void *index, int is_unsigned,
					size_t count, size_t bytes)
{
	const struct ptowsp_tensor_arg *w = tile_window(call, param);

	if (tile_indices_check(call, place, index, is_unsigned, count, tile_window_count(w), 1))
		return PTOWSP_KERNEL_FAILED;
	for (size_t i = 0; threadIdx.x == 0 && i < count; i++)
		tile_element_move((unsigned char *)w->data + tile_element_at(w, tile_index(index, is_unsigned, i)) * bytes,
				  (const unsigned char *)a + i * bytes, bytes);
	__syncthreads();
	return PTOWSP_OK;
}

TILE_DEVICE ptowsp_status tile_extract_at(struct tile_call *call, const char *place, void *d, uint32_t rows, uint32_t columns, const void *a,
					  uint32_t a_rows, uint32_t a_columns, int64_t r, int64_t c, size_t bytes)
{
	const size_t first = d == a ? 0 : threadIdx.x, step = d == a ? 1 : blockDim.x; /* in place: by one thread, in order */

	if (r < 0 || c < 0 || r > (int64_t)a_rows - rows || c > (int64_t)a_columns - columns)
		return tile_failed(call, place);
	if (d != a || threadIdx.x == 0)
		for (size_t at = first; at < (size_t)rows * columns; at += step)
			tile_element_move((unsigned char *)d + at * bytes,
					  (const unsigned char *)a + (((size_t)r + at / columns) * a_columns + (size_t)c + at % columns) * bytes, bytes);
	__syncthreads();
	return PTOWSP_OK;
}
#define tile_extract(call, place, d, rows, columns, a, a_rows, a_columns, a_name, r, c, bytes) \
	tile_extract_at(call, place, d, rows, columns, a, a_rows, a_columns, r, c, bytes)

/* ---- reductions, a thread per row or column, strictly in order ------------------------------------------------------ */

#define TILE_LINE_REDUCE(type, name, line, lines, length, first, next)                                                         \
	TILE_DEVICE void tile_##name##_##type(isa_s_##type *d, const isa_s_##type *x, size_t rows, size_t columns)             \
	{                                                                                                                      \
		typedef isa_c_##type C;                                                                                        \
		typedef isa_w_##type W;                                                                                        \
                                                                                                                               \
		for (size_t i = threadIdx.x; i < (lines); i += blockDim.x) {                                                   \
			size_t j = 0;                                                                                          \
			C v = isa_get_##type(x[line]);                                                                         \
			W sum = first;                                                                                         \
                                                                                                                               \
			for (j = 1; j < (length); j++) {                                                                       \
				const C acc = (C)sum;                                                                          \
                                                                                                                               \
				v = isa_get_##type(x[line]);                                                                   \
				sum = next;                                                                                    \
			}                                                                                                      \
			d[i] = isa_put_##type(sum);                                                                            \
		}                                                                                                              \
		__syncthreads();                                                                                               \
	}
#define TILE_REDUCE(type, ...)                                                                                                 \
	TILE_LINE_REDUCE(type, rowsum, i *columns + j, rows, columns, (W)0 + (W)v, (W)acc + (W)v)                              \
	TILE_LINE_REDUCE(type, rowmax, i *columns + j, rows, columns, (W)v, (W)(v > acc ? v : acc))                            \
	TILE_LINE_REDUCE(type, rowmin, i *columns + j, rows, columns, (W)v, (W)(v < acc ? v : acc))                            \
	TILE_LINE_REDUCE(type, colsum, j *columns + i, columns, rows, (W)0 + (W)v, (W)acc + (W)v)                              \
	TILE_LINE_REDUCE(type, colmax, j *columns + i, columns, rows, (W)v, (W)(v > acc ? v : acc))                            \
	TILE_LINE_REDUCE(type, colmin, j *columns + i, columns, rows, (W)v, (W)(v < acc ? v : acc))
ISA_NUMBERS(TILE_REDUCE, )

#define TILE_TRANSPOSE(type, ...)                                                                                              \
	TILE_DEVICE void tile_trans_##type(isa_s_##type *d, const isa_s_##type *x, size_t rows, size_t columns)                \
	{                                                                                                                      \
		for (size_t at = threadIdx.x; at < rows * columns; at += blockDim.x)                                           \
			d[at] = x[at % columns * rows + at / columns];                                                         \
		__syncthreads();                                                                                               \
	}
ISA_TYPES(TILE_TRANSPOSE, )

/* ---- sorting: descending and stable, a NaN after every number; a thread per 32 elements, and one that merges --------- */

#define TILE_SORT(type, before)                                                                                                \
	TILE_DEVICE int tile_before_##type(isa_s_##type first, isa_s_##type second)                                            \
	{                                                                                                                      \
		const isa_c_##type a = isa_get_##type(first), b = isa_get_##type(second);                                      \
                                                                                                                               \
		return before;                                                                                                 \
	}                                                                                                                      \
	TILE_DEVICE void tile_sort32_##type(isa_s_##type *d, int32_t *e, const isa_s_##type *x, size_t count)                  \
	{                                                                                                                      \
		for (size_t first = TILE_SORTED * (size_t)threadIdx.x; first < count; first += TILE_SORTED * (size_t)blockDim.x) { \
			const size_t n = count - first < TILE_SORTED ? count - first : TILE_SORTED;                            \
			isa_s_##type value[TILE_SORTED];                                                                       \
			int32_t index[TILE_SORTED];                                                                            \
                                                                                                                               \
			for (size_t i = 0; i < n; i++) {                                                                       \
				const isa_s_##type v = x[first + i];                                                           \
				size_t at = i;                                                                                 \
                                                                                                                               \
				for (; at > 0 && tile_before_##type(v, value[at - 1]); at--) {                                 \
					value[at] = value[at - 1];                                                             \
					index[at] = index[at - 1];                                                             \
				}                                                                                              \
				value[at] = v;                                                                                 \
				index[at] = (int32_t)(first + i);                                                              \
			}                                                                                                      \
			for (size_t i = 0; i < n; i++) {                                                                       \
				d[first + i] = value[i];                                                                       \
				e[first + i] = index[i];                                                                       \
			}                                                                                                      \
		}                                                                                                              \
		__syncthreads();                                                                                               \
	}                                                                                                                      \
	TILE_DEVICE void tile_mrgsort_##type(isa_s_##type *d, size_t count, const isa_s_##type *a, size_t a_count,             \
					     const isa_s_##type *b, size_t b_count)                                            \
	{                                                                                                                      \
		size_t i = 0, j = 0;                                                                                           \
                                                                                                                               \
		for (size_t k = 0; threadIdx.x == 0 && k < count; k++)                                                         \
			d[k] = j == b_count || (i < a_count && !tile_before_##type(b[j], a[i])) ? a[i++] : b[j++];             \
		__syncthreads();                                                                                               \
	}
ISA_FLOATS(TILE_SORT, a > b || (a == a && b != b))
ISA_INTEGERS(TILE_SORT, a > b)

/* ---- products: a thread per element, k ascending -------------------------------------------------------------------- */

#define TILE_PRODUCT(how)                                                                                                      \
	TILE_DEVICE void product_##how(isa_c_##how *d, const isa_c_##how *c, const isa_c_##how *a, const isa_c_##how *b, size_t m, size_t k_count, \
				       size_t n)                                                                               \
	{                                                                                                                      \
		for (size_t at = threadIdx.x; at < m * n; at += blockDim.x) {                                                  \
			const size_t row = at / n, column = at % n;                                                            \
			isa_c_##how sum = c ? c[at] : 0;                                                                       \
                                                                                                                               \
			for (size_t k = 0; k < k_count; k++)                                                                   \
				sum += a[row * k_count + k] * b[k * n + column];                                               \
			d[at] = sum;                                                                                           \
		}                                                                                                              \
		__syncthreads();                                                                                               \
	}                                                                                                                      \
	TILE_DEVICE void product_bias_##how(isa_c_##how *d, const isa_c_##how *bias, size_t m, size_t n)                       \
	{                                                                                                                      \
		for (size_t at = threadIdx.x; at < m * n; at += blockDim.x)                                                    \
			d[at] += bias[at % n];                                                                                 \
		__syncthreads();                                                                                               \
	}                                                                                                                      \
	TILE_DEVICE void product_scaled_##how(isa_c_##how *d, const isa_c_##how *a, const isa_c_##how *a_scale, size_t a_share, const isa_c_##how *b, \
					      const isa_c_##how *b_scale, size_t b_share, size_t m, size_t k_count, size_t n)  \
	{                                                                                                                      \
		for (size_t at = threadIdx.x; at < m * n; at += blockDim.x) {                                                  \
			const size_t row = at / n, column = at % n;                                                            \
			isa_c_##how sum = 0;                                                                                   \
                                                                                                                               \
			for (size_t k = 0; k < k_count; k++) {                                                                 \
				const isa_c_##how v = a[row * k_count + k] * a_scale[row * (k_count / a_share) + k / a_share]; \
				const isa_c_##how w = b[k * n + column] * b_scale[k / b_share * n + column];                   \
                                                                                                                               \
				sum += v * w;                                                                                  \
			}                                                                                                      \
			d[at] = sum;                                                                                           \
		}                                                                                                              \
		__syncthreads();                                                                                               \
	}
TILE_PRODUCT(f32)
TILE_PRODUCT(f64)
TILE_PRODUCT(u32)
TILE_PRODUCT(u64)

#define TILE_CONVERT(type, how)                                                                                                \
	TILE_DEVICE void product_widen_##type(isa_c_##how *to, const isa_s_##type *from, size_t count)                         \
	{                                                                                                                      \
		for (size_t at = threadIdx.x; at < count; at += blockDim.x)                                                    \
			to[at] = (isa_c_##how)isa_get_##type(from[at]);                                                        \
		__syncthreads();                                                                                               \
	}                                                                                                                      \
	TILE_DEVICE void product_narrow_##type(isa_s_##type *to, const isa_c_##how *from, size_t count)                        \
	{                                                                                                                      \
		for (size_t at = threadIdx.x; at < count; at += blockDim.x)                                                    \
			to[at] = isa_put_##type(from[at]);                                                                     \
		__syncthreads();                                                                                               \
	}
TILE_CONVERT(f16, f32)
TILE_CONVERT(bf16, f32)
TILE_CONVERT(i8, u32)
TILE_CONVERT(i16, u32)
TILE_CONVERT(u8, u32)
TILE_CONVERT(u16, u32)

/* ---- calling one from the host --------------------------------------------------------------------------------------- */

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
		snprintf(out->error->text, sizeof(out->error->text), error ? "kernel %.64s: %.80s" : "kernel %.64s %.80s: a check of its arguments failed", name,
			 error ? cudaGetErrorString(error) : result->place);
	}
	cudaFree(tensors);
	cudaFree(args);
	cudaFree(result);
	cudaFree(given.workspace);
	return status;
}
#endif

#endif
