/* SPDX-License-Identifier: MIT */
/* kernel.h - what emitted C kernels stand on: the task's windows, checks that fail with the interpreter's sentences, and the tile
 * operations that are more than a loop over elements. Written beside the kernels by ptowsp-pack --emit=c; needs nothing but the
 * headers that are written with it and the C library. */
#ifndef ISA_KERNEL_H
#define ISA_KERNEL_H

#include "isa/convert.h"
#include "isa/element.h"
#include "isa/isa_tile.h"
#include "isa/tile_window.h"
#include "ptowsp/task.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#define TILE_COLD static __attribute__((cold, noinline, unused))
/* One for all kernels of a file and all their processors: what each load and store says once would otherwise be most of what a kernel costs to compile. */
#define TILE_APART static __attribute__((noinline, unused))

/* The head of a kernel's body, which is compiled several times; which one runs is decided in each call. With the name of a processor instead of features gcc makes
 * vectors of 256 bits, which take 1.3 times as long where exp is; without avx512bw it does so for elements of 16 bits. In the body tile_fused says whether the processor multiplies and
 * adds in one instruction. */
#define TILE_BODY_ON(machine, attributes, fused, name)                                                                                                         \
	static attributes ptowsp_status tile_##machine##_##name(struct tile_call *call)                                                                        \
	{                                                                                                                                                      \
		return tile_body_##name(call, fused);                                                                                                          \
	}
#define TILE_BODY_OF(name, machines, choice)                                                                                                                   \
	TILE_INLINE ptowsp_status tile_body_##name(struct tile_call *call, int tile_fused __attribute__((unused)));                                            \
	machines static ptowsp_status tile_any_##name(struct tile_call *call)                                                                                  \
	{                                                                                                                                                      \
		choice return tile_base_##name(call);                                                                                                          \
	}                                                                                                                                                      \
	TILE_INLINE ptowsp_status tile_body_##name(struct tile_call *call, int tile_fused __attribute__((unused)))
#if defined(__x86_64__) && !defined(TILE_ONE_MACHINE) && !defined(TILE_MACHINE)
#define TILE_HAS_AVX512                                                                                                                                        \
	(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&                                      \
	 __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"))
#define TILE_BODY(name)                                                                                                                                        \
	TILE_BODY_OF(name,                                                                                                                                     \
		     TILE_BODY_ON(avx512, __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma"))), 1, name)                                          \
			     TILE_BODY_ON(avx2, __attribute__((target("avx2,fma"))), 1, name) TILE_BODY_ON(base, , 0, name),                                   \
		     if (TILE_HAS_AVX512) return tile_avx512_##name(call);                                                                                     \
		     if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return tile_avx2_##name(call);)
#define TILE_BODY_PLAIN(name)                                                                                                                                  \
	TILE_BODY_OF(name, TILE_BODY_ON(avx2, __attribute__((target("avx2"))), 0, name) TILE_BODY_ON(base, , 0, name),                                         \
		     if (__builtin_cpu_supports("avx2")) return tile_avx2_##name(call);)
#else
/* TILE_MACHINE: attributes of the one that a program knows it runs on. */
#ifndef TILE_MACHINE
#define TILE_MACHINE
#endif
#define TILE_BODY(name) TILE_BODY_OF(name, TILE_BODY_ON(base, TILE_MACHINE, 0, name), )
#endif
/* For kernels without functions, conversions and sums of rows, which wait for memory. */
#ifndef TILE_BODY_PLAIN
#define TILE_BODY_PLAIN TILE_BODY
#endif
#define tile_exp_f32(x)     tile_exp_with(tile_fused, x)
#define tile_sigmoid_f32(x) tile_sigmoid_with(tile_fused, x)
#define tile_silu_f32(x)    tile_silu_with(tile_fused, x)

/* Loops over elements, rows of f32 and products follow it: gcc compiles them to code as fast in half of the time when it leaves out most passes of -O3. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#define TILE_SIMPLE _Pragma("GCC optimize(\"O1\", \"expensive-optimizations\", \"tree-loop-vectorize\", \"vect-cost-model=dynamic\", \"peel-loops\")")
#else
#define TILE_SIMPLE
#endif

/* The next loop touches element i of its tiles and windows and nothing else. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define TILE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define TILE_LOOP _Pragma("GCC ivdep")
#else
#define TILE_LOOP
#endif

/* Jumps back of one call, as many as the interpreter allows; tests set fewer. */
#ifndef TILE_JUMPS
#define TILE_JUMPS (UINT64_C(1) << 32)
#endif

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
/* One call of a kernel. */
struct tile_call {
	const struct tile_kernel *kernel;
	const struct ptowsp_task *task;
	struct ptowsp_kernel_out *out;
	unsigned char *memory; /* of its tiles */
	uint64_t cycles;
	uint64_t jumps; /* back that are left */
};

/* "kernel rowmax line 12: " and the sentence; place NULL: none. Returns KERNEL_FAILED. */
static __attribute__((cold, noinline, unused, format(printf, 3, 4))) ptowsp_status tile_fail(const struct tile_call *call, const char *place,
											     const char *format, ...)
{
	struct ptowsp_error *error = call->out->error;
	va_list list;
	int length;

	if (!error)
		return PTOWSP_KERNEL_FAILED;
	error->code = PTOWSP_KERNEL_FAILED;
	error->native = 0;
	error->domain = PTOWSP_DOMAIN_KERNEL;
	error->flags = 0;
	length = snprintf(error->text, sizeof(error->text), "kernel %.64s%s%s: ", call->kernel->name, place ? " " : "", place ? place : "");
	va_start(list, format);
	vsnprintf(error->text + length, sizeof(error->text) - (size_t)length, format, list);
	va_end(list);
	error->where[0] = call->task->number;
	error->where[1] = call->task->kernel;
	return PTOWSP_KERNEL_FAILED;
}

TILE_COLD const char *tile_type_text(unsigned dtype)
{
	switch (dtype) {
#define X(name, code, size, cls, word, descr)                                                                                                                  \
	case code:                                                                                                                                             \
		return word;
#include "ptowsp/dtype.def"
#undef X
	default: return "?";
	}
}

TILE_INLINE const struct ptowsp_tensor_arg *tile_window(const struct tile_call *call, uint32_t param)
{
	return (const struct ptowsp_tensor_arg *)(const void *)((const unsigned char *)call->task->tensors + (size_t)param * call->task->tensor_stride);
}

static __attribute__((unused)) ptowsp_status tile_check(const struct tile_call *call)
{
	const struct tile_kernel *k = call->kernel;
	const struct ptowsp_task *task = call->task;

	if (task->tensor_count < k->param_count || task->arg_count < k->arg_count)
		return tile_fail(call, NULL, "takes %lu tensors and %lu scalars, the task has %lu and %lu", (unsigned long)k->param_count,
				 (unsigned long)k->arg_count, (unsigned long)task->tensor_count, (unsigned long)task->arg_count);
	for (uint32_t i = 0; i < k->param_count; i++) {
		const struct ptowsp_tensor_arg *w = tile_window(call, i);
		const unsigned lacking = k->params[i].access & ~(unsigned)w->access;

		if (w->dtype != k->params[i].dtype)
			return tile_fail(call, NULL, "%%%.64s is %s, the task's tensor is %s", k->params[i].name, tile_type_text(k->params[i].dtype),
					 tile_type_text(w->dtype));
		if (lacking)
			return tile_fail(call, NULL, "%s %%%.64s, which the task does not allow", lacking & PTOWSP_WRITE ? "writes" : "reads",
					 k->params[i].name);
	}
	if (!k->workspace)
		return PTOWSP_OK;
	if (!PTOWSP_HAS(task, struct ptowsp_task, workspace_size) || task->workspace_size < k->workspace)
		return tile_fail(call, NULL, "needs a workspace of %llu bytes for its tiles, which the task does not have", (unsigned long long)k->workspace);
	return PTOWSP_OK;
}

/* A call from beginning to end; what every emitted function does. */
static __attribute__((unused)) ptowsp_status tile_run(const struct tile_kernel *kernel, const struct ptowsp_task *task, struct ptowsp_kernel_out *out,
						      ptowsp_status (*body)(struct tile_call *call))
{
	struct tile_call call = {.kernel = kernel, .task = task, .out = out, .jumps = TILE_JUMPS};
	ptowsp_status status = tile_check(&call);

	if (!status) {
		call.memory = kernel->workspace ? task->workspace : NULL;
		status = body(&call);
	}
	out->cycles = call.cycles;
	return status;
}

#define TILE_PARTS static __attribute__((unused))
#define TILE_SYNC  ((void)0)
#include "isa/kernel_parts.h"

/* tile_run of a kernel that works on whole tiles where the task has parts of them. parts: room for one per parameter. */
static __attribute__((unused)) ptowsp_status tile_run_parts(const struct tile_kernel *kernel, const struct tile_whole *wholes, struct tile_part *parts,
							    const struct ptowsp_task *task, struct ptowsp_kernel_out *out,
							    ptowsp_status (*body)(struct tile_call *call))
{
	struct tile_call call = {.kernel = kernel, .task = task, .out = out};
	struct ptowsp_task whole = {.head = {0, 0, 0}};
	ptowsp_status status = tile_check(&call);

	if (!status)
		status = tile_parts_open(&call, wholes, parts, kernel->param_count, task->workspace, NULL);
	if (status)
		return status;
	memcpy(&whole, task, task->head.size < sizeof(whole) ? task->head.size : sizeof(whole));
	whole.tensors = &parts->window;
	whole.tensor_stride = sizeof(*parts);
	status = tile_run(kernel, &whole, out, body);
	tile_parts_close(parts, kernel->param_count);
	return status;
}

static __attribute__((cold, noinline, unused)) ptowsp_status tile_endless(const struct tile_call *call, const char *place)
{
	tile_fail(call, place, "jumped back %llu times; the loop seems to have no end", 1ull << 32);
	if (call->out->error)
		call->out->error->code = PTOWSP_RUN_FAILED;
	return PTOWSP_RUN_FAILED;
}

/* --- windows --- */

/* A tile in a window: rows `step` bytes apart, of elements `stride` bytes apart. at NULL: it does not lie there, and the sentence
 * is written. */
struct tile_place {
	unsigned char *at;
	size_t step, stride;
};

TILE_COLD struct tile_place tile_flat_fail(const struct tile_call *call, const char *place, const char *does, uint32_t param, int64_t start, uint64_t count)
{
	tile_fail(call, place, "%s elements [%lld, %lld) of %%%.48s, which has %llu", does, (long long)start, (long long)(start + (int64_t)count),
		  call->kernel->params[param].name, (unsigned long long)tile_window(call, param)->columns);
	return (struct tile_place){NULL, 0, 0};
}

TILE_COLD struct tile_place tile_grid_fail(const struct tile_call *call, const char *place, const char *does, uint32_t param, int64_t row, int64_t column,
					   uint32_t rows, uint32_t columns)
{
	const struct ptowsp_tensor_arg *w = tile_window(call, param);

	tile_fail(call, place, "%s %lux%lu at row %lld, column %lld of %%%.48s, which is %llux%llu", does, (unsigned long)rows, (unsigned long)columns,
		  (long long)row, (long long)column, call->kernel->params[param].name, (unsigned long long)w->rows, (unsigned long long)w->columns);
	return (struct tile_place){NULL, 0, 0};
}

/* A tile of rows x columns elements of `bytes` at [r, c] of a parameter's window. does: "tload reads", for the sentence. */
TILE_APART struct tile_place tile_find(const struct tile_call *call, const char *place, const char *does, uint32_t param, int64_t r, int64_t c, uint32_t rows,
				       uint32_t columns, size_t bytes)
{
	const struct ptowsp_tensor_arg *w = tile_window(call, param);
	const uint64_t count = (uint64_t)rows * columns;
	int64_t start;

	if (tile_window_is_flat(w)) {
		start = tile_flat_start(r, c, count);
		if (!tile_flat_holds(w, start, count))
			return tile_flat_fail(call, place, does, param, start, count);
		return (struct tile_place){(unsigned char *)w->data + (size_t)start * bytes, columns * bytes, bytes};
	}
	start = tile_flat_start(r, 0, rows);
	if (!tile_grid_holds(w, start, c, rows, columns))
		return tile_grid_fail(call, place, does, param, start, c, rows, columns);
	return (struct tile_place){tile_grid_at(w, (uint64_t)start, (uint64_t)c, bytes), (size_t)(w->row_stride * bytes), (size_t)(w->column_stride * bytes)};
}

/* Rows of elements that a loop can walk as they are: one behind the other, each at a multiple of its size. */
TILE_INLINE int tile_is_plain(const struct tile_place *p, size_t bytes)
{
	return p->stride == bytes && ((uintptr_t)p->at | p->step) % bytes == 0;
}

/* Between a place and packed elements. */
TILE_INLINE void tile_copy_in(void *to, const struct tile_place *p, uint32_t rows, uint32_t columns, size_t bytes)
{
	unsigned char *d = to;

	if (p->stride == bytes && p->step == columns * bytes) {
		memcpy(d, p->at, rows * (size_t)columns * bytes);
		return;
	}
	for (size_t i = 0; i < rows; i++)
		if (p->stride == bytes)
			memcpy(d + i * columns * bytes, p->at + i * p->step, columns * bytes);
		else
			for (size_t j = 0; j < columns; j++)
				memcpy(d + (i * columns + j) * bytes, p->at + i * p->step + j * p->stride, bytes);
}

TILE_INLINE void tile_copy_out(const struct tile_place *p, const void *from, uint32_t rows, uint32_t columns, size_t bytes)
{
	const unsigned char *a = from;

	if (p->stride == bytes && p->step == columns * bytes) {
		memcpy(p->at, a, rows * (size_t)columns * bytes);
		return;
	}
	for (size_t i = 0; i < rows; i++)
		if (p->stride == bytes)
			memcpy(p->at + i * p->step, a + i * columns * bytes, columns * bytes);
		else
			for (size_t j = 0; j < columns; j++)
				memcpy(p->at + i * p->step + j * p->stride, a + (i * columns + j) * bytes, bytes);
}

/* tile_copy_in, and where the copy is, for loops that rarely need one. */
TILE_APART void tile_copy_apart(struct tile_place *p, void *buffer, uint32_t rows, uint32_t columns, size_t bytes)
{
	tile_copy_in(buffer, p, rows, columns, bytes);
	*p = (struct tile_place){(unsigned char *)buffer, columns * bytes, bytes};
}

/* The place that a loop reads a tile from: the window, or a copy in `buffer`, if elements do not lie plainly there. */
TILE_INLINE void tile_read_begin(struct tile_place *p, void *buffer, uint32_t rows, uint32_t columns, size_t bytes)
{
	if (!tile_is_plain(p, bytes))
		tile_copy_apart(p, buffer, rows, columns, bytes);
}

/* The place that it writes, a buffer too if rows share elements; tile_write_end brings it to its window. */
TILE_INLINE struct tile_place tile_write_begin(const struct tile_place *p, void *buffer, uint32_t columns, size_t bytes)
{
	return tile_is_plain(p, bytes) && p->step >= columns * bytes ? *p : (struct tile_place){(unsigned char *)buffer, columns * bytes, bytes};
}

/* The same where the loop wants rows one behind the other. */
TILE_INLINE int tile_is_packed(const struct tile_place *p, uint32_t rows, uint32_t columns, size_t bytes)
{
	return tile_is_plain(p, bytes) && (rows == 1 || p->step == columns * bytes);
}

TILE_INLINE void tile_read_packed(struct tile_place *p, void *buffer, uint32_t rows, uint32_t columns, size_t bytes)
{
	if (tile_is_packed(p, rows, columns, bytes))
		return;
	tile_copy_in(buffer, p, rows, columns, bytes);
	*p = (struct tile_place){(unsigned char *)buffer, columns * bytes, bytes};
}

TILE_INLINE struct tile_place tile_write_packed(const struct tile_place *p, void *buffer, uint32_t rows, uint32_t columns, size_t bytes)
{
	return tile_is_packed(p, rows, columns, bytes) ? *p : (struct tile_place){(unsigned char *)buffer, columns * bytes, bytes};
}

/* written: where the loop wrote it. */
TILE_INLINE void tile_write_end(const struct tile_place *p, const void *written, uint32_t rows, uint32_t columns, size_t bytes)
{
	if (written != p->at)
		tile_copy_out(p, written, rows, columns, bytes);
}

/* A loop that reads rows of `width` bytes at `from` and writes others at `to` as it goes: if the two overlap other than element by
 * element, it reads a copy. Rows of one distance that lie beside each other do not overlap. */
TILE_INLINE int tile_are_apart(const struct tile_place *from, size_t rows, size_t width, const struct tile_place *to, size_t to_rows, size_t to_width)
{
	const uintptr_t a = (uintptr_t)from->at, b = (uintptr_t)to->at, step = from->step;
	const uintptr_t a_end = a + (rows - 1) * step + width, b_end = b + (to_rows - 1) * to->step + to_width;
	uintptr_t between;

	if (a >= b_end || b >= a_end)
		return 1;
	if (step != to->step || step < width || step < to_width)
		return 0;
	between = a < b ? (b - a) % step : (step - (a - b) % step) % step; /* from a row of a to the next of b */
	return between >= width && between + to_width <= step;
}

TILE_APART void tile_part(struct tile_place *from, const struct tile_place *to, void *buffer, uint32_t rows, uint32_t columns, size_t bytes, uint32_t to_rows,
			  uint32_t to_columns, size_t to_bytes)
{
	const size_t width = columns * bytes, to_width = to_columns * to_bytes;

	if (tile_are_apart(from, rows, width, to, to_rows, to_width) ||
	    (from->at == to->at && from->step == to->step && bytes == to_bytes && (rows == 1 || from->step >= width)))
		return;
	tile_copy_apart(from, buffer, rows, columns, bytes);
}

/* --- single elements of windows and tiles --- */

TILE_COLD unsigned char *tile_element_fail(const struct tile_call *call, const char *place, const char *does, uint32_t param, int64_t index)
{
	const struct ptowsp_tensor_arg *w = tile_window(call, param);

	tile_fail(call, place, "%s element %lld of %%%.48s, which has %llu", does, (long long)index, call->kernel->params[param].name,
		  (unsigned long long)(w->rows * w->columns));
	return NULL;
}

/* Element number `index` of a window, counted row by row; NULL: there is none, and the sentence is written. */
TILE_INLINE unsigned char *tile_element(const struct tile_call *call, const char *place, const char *does, uint32_t param, int64_t index, size_t bytes)
{
	unsigned char *at = tile_window_element(tile_window(call, param), index, bytes);

	return at ? at : tile_element_fail(call, place, does, param, index);
}

/* Element `offset` of a tile with `count`. */
TILE_INLINE ptowsp_status tile_offset(const struct tile_call *call, const char *place, const char *mnemonic, const char *tile, int64_t offset, uint64_t count)
{
	if (offset >= 0 && (uint64_t)offset < count)
		return PTOWSP_OK;
	return tile_fail(call, place, "%s of element %lld of %%%.48s, which has %llu", mnemonic, (long long)offset, tile, (unsigned long long)count);
}

#endif
