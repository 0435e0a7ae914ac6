/* SPDX-License-Identifier: MIT */
/* kernel_ascend.h - what emitted Ascend C kernels stand on. Tiles are tensors in the unified buffer, packed; windows are read and written by DataCopyPad; products
 * go through global memory to the cube (L1, L0A, L0B, L0C) and back. Steps that the vector unit does not know read and write single elements. Statements are
 * kept apart by barriers: PIPE_V between vector instructions, PIPE_ALL where a vector instruction meets elements or copies.
 * Vector instructions round and add up as the hardware does: results need not be the bits of pto_ops.def. Needs the CANN toolkit's kernel_operator.h, and
 * for f64 a compiler that has double on the scalar unit. TILE_A5 is defined in kernels for A5.
 *
 * TILE_PTO_RUNTIME: a file becomes kernel_entry(int64_t *args), as a pto-runtime calls kernels. args: the address of a tensor record per parameter, of one more with the workspace, a row per block, where a
 * kernel multiplies, then the scalars; {block, blocks} at the address in TILE_CONTEXT. The kernel has no result: TILE_ENDED(args, status) is told, and may be defined before. */
#ifndef ISA_KERNEL_ASCEND_H
#define ISA_KERNEL_ASCEND_H

#include "kernel_operator.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The functions of these headers run on the scalar unit. */
#define inline __aicore__ inline
#include "isa/convert.h"
#include "isa/element.h"
#include "isa/isa_tile.h"
#undef inline
#define tile_rem_f32 fmodf /* not all cores have double */

#define TILE_CORE    __aicore__ inline

enum { TILE_BLOCK = 32, TILE_FRACTAL = 16, TILE_FLAG_TO_CUBE = 3, TILE_FLAG_TO_VECTOR = 4 }; /* bytes of a data block, side of a cube's fractal, flags */

/* Memory of windows: the core's, or global memory. */
#ifdef TILE_PTO_RUNTIME
#define TILE_GIVEN
#else
#define TILE_GIVEN __gm__
#endif

/* One tensor argument, as ptowsp_tensor_arg says. */
struct tile_window {
	uint64_t data, rows, columns, row_stride, column_stride;
};
struct tile_task {
	TILE_GIVEN struct tile_window *tensors;
	__gm__ uint64_t *args;
	uint32_t block, block_count;
};
struct tile_call {
	AscendC::TPipe pipe;
	AscendC::TBuf<AscendC::TPosition::VECCALC> tiles;
	struct tile_task given;
	const struct tile_task *task;
	__gm__ uint8_t *workspace; /* in global memory, for what goes between vector and cube units */
	uint64_t work_at, work;    /* of the unified buffer: bytes of tiles, and behind them to work in */
	uint64_t jumps;            /* back that are left */
	bool silent; /* writes no window: the cube core of a cluster, and a second vector core, which goes along because flags of a cluster are those of both */
};

TILE_CORE void tile_begin(struct tile_call *call, TILE_GIVEN struct tile_window *tensors, __gm__ uint64_t *args, __gm__ uint8_t *workspace, uint32_t block,
			  uint32_t block_count, uint64_t tiles, uint64_t work)
{
	call->given.tensors = tensors;
	call->given.args = args;
	call->given.block = block;
	call->given.block_count = block_count;
	call->task = &call->given;
	call->workspace = workspace;
	call->work_at = tiles;
	call->work = work;
	call->jumps = UINT64_C(1) << 32;
	call->silent = false;
	if ASCEND_IS_AIC
		call->silent = true;
	call->pipe.InitBuffer(call->tiles, (uint32_t)(tiles + work));
}

#ifdef TILE_PTO_RUNTIME
#ifndef TILE_ENTRY
#define TILE_ENTRY(name) kernel_entry
#endif
#ifndef TILE_ENDED
#define TILE_ENDED(args, status) (void)(status)
#endif
/* Behind the most tensors and scalars of a task, 32 and 16; of the core, whose first word says which vector core of its cluster it is: the runtime's common/intrinsic.h. */
enum { TILE_CONTEXT = 48, TILE_CONTEXT_CORE = 49 };

/* ChipTensor of the runtime: its common/task_interface/tensor.h. */
struct tile_record {
	uint64_t address, bytes, owner, start;
	int32_t version;
	uint32_t dimensions;
	uint8_t dtype, manual, contiguous, space;
	uint32_t shapes[5];
	uint64_t extent;
	uint32_t strides[5];
	uint8_t rest[36];
};
static_assert(sizeof(struct tile_record) == 128, "the runtime's layout");

TILE_CORE __gm__ uint8_t *tile_record_start(__gm__ int64_t *args, uint32_t i, uint32_t bytes)
{
	const __gm__ struct tile_record *record = (const __gm__ struct tile_record *)args[i];

	return (__gm__ uint8_t *)(record->address + record->start * bytes);
}

/* The window that record i shows, of elements of `bytes`; without an extent it has none. */
TILE_CORE void tile_window_take(struct tile_window *w, __gm__ int64_t *args, uint32_t i, uint32_t bytes)
{
	const __gm__ struct tile_record *record = (const __gm__ struct tile_record *)args[i];
	const bool flat = record->dimensions < 2;

	w->data = (uint64_t)tile_record_start(args, i, bytes);
	w->rows = flat ? 1 : record->shapes[0];
	w->columns = record->extent ? record->shapes[flat ? 0 : 1] : 0;
	w->row_stride = flat ? w->columns : record->strides[0];
	w->column_stride = record->strides[flat ? 0 : 1];
}

TILE_CORE uint32_t tile_context(__gm__ int64_t *args, uint32_t word)
{
	return (uint32_t)((const __gm__ int32_t *)args[TILE_CONTEXT])[word];
}

/* Record i has a row of bytes per block. */
TILE_CORE __gm__ uint8_t *tile_workspace(__gm__ int64_t *args, uint32_t i)
{
	return tile_record_start(args, i, 1) + (uint64_t)tile_context(args, 0) * ((const __gm__ struct tile_record *)args[i])->strides[0];
}

TILE_CORE void tile_lane_take(struct tile_call *call, __gm__ int64_t *args)
{
	call->silent = call->silent || *(const __gm__ int32_t *)args[TILE_CONTEXT_CORE] != 0;
}
#endif

TILE_CORE void tile_end(struct tile_call *call)
{
	(void)call;
	AscendC::PipeBarrier<PIPE_ALL>();
}

#define tile_fail(call, place, ...) PTOWSP_KERNEL_FAILED
#define tile_endless(call, place)   PTOWSP_RUN_FAILED

/* ---- elements: as isa_s_ stores them --------------------------------------------------------------------------------- */

/* Types by the names of element.def: what a tensor has, what an element is stored as, what it is computed in. */
#define TILE_TYPE(name, tensor)                                                                                                                                \
	struct isa_type_##name {                                                                                                                               \
		typedef tensor T;                                                                                                                              \
		typedef isa_s_##name S;                                                                                                                        \
		typedef isa_c_##name C;                                                                                                                        \
		typedef isa_w_##name W;                                                                                                                        \
		static TILE_CORE C get(S stored)                                                                                                               \
		{                                                                                                                                              \
			return isa_get_##name(stored);                                                                                                         \
		}                                                                                                                                              \
		static TILE_CORE S put(W value)                                                                                                                \
		{                                                                                                                                              \
			return isa_put_##name(value);                                                                                                          \
		}                                                                                                                                              \
	};
TILE_TYPE(f32, float)
TILE_TYPE(f16, half)
TILE_TYPE(bf16, bfloat16_t)
TILE_TYPE(f64, double)
TILE_TYPE(i8, int8_t)
TILE_TYPE(i16, int16_t)
TILE_TYPE(i32, int32_t)
TILE_TYPE(i64, int64_t)
TILE_TYPE(u8, uint8_t)
TILE_TYPE(u16, uint16_t)
TILE_TYPE(u32, uint32_t)
TILE_TYPE(u64, uint64_t)
TILE_TYPE(u1, uint8_t)

/* half and bfloat16_t are read and written as their bits. */
template <class T> struct tile_stored {
	typedef T S;
};
template <> struct tile_stored<half> {
	typedef uint16_t S;
};
template <> struct tile_stored<bfloat16_t> {
	typedef uint16_t S;
};

template <class T> TILE_CORE typename tile_stored<T>::S tile_get(const AscendC::LocalTensor<T> &tile, uint32_t at)
{
	return tile.template ReinterpretCast<typename tile_stored<T>::S>().GetValue(at);
}

template <class T> TILE_CORE void tile_set(const AscendC::LocalTensor<T> &tile, uint32_t at, typename tile_stored<T>::S value)
{
	tile.template ReinterpretCast<typename tile_stored<T>::S>().SetValue(at, value);
}

/* A scalar operand of a vector instruction. */
template <class T> TILE_CORE T tile_value(typename tile_stored<T>::S stored)
{
	T value;

	__builtin_memcpy(&value, &stored, sizeof(value));
	return value;
}

template <class T> TILE_CORE T tile_negated(T value);
template <> TILE_CORE float tile_negated(float value)
{
	return -value;
}
template <> TILE_CORE half tile_negated(half value)
{
	uint16_t bits;

	__builtin_memcpy(&bits, &value, sizeof(bits));
	return tile_value<half>((uint16_t)(bits ^ 0x8000u));
}

/* 1 and other small numbers as elements. */
template <class T> TILE_CORE T tile_number(float value)
{
	return (T)value;
}

/* The tile that a statement works in, behind all others. */
template <class T> TILE_CORE AscendC::LocalTensor<T> tile_work(struct tile_call *call)
{
	return call->tiles.template GetWithOffset<T>((uint32_t)(call->work / sizeof(T)), (uint32_t)call->work_at);
}

TILE_CORE uint32_t tile_up(uint64_t n, uint32_t to)
{
	return (uint32_t)((n + to - 1) / to * to);
}

/* Is a row of tiles a whole number of data blocks, so that vector instructions may begin at each? */
template <class T> TILE_CORE bool tile_is_aligned(uint32_t columns)
{
	return columns * sizeof(T) % TILE_BLOCK == 0;
}

/* ---- windows ----------------------------------------------------------------------------------------------------------- */

#define TILE_OP     TILE_CORE
#define TILE_WINDOW const TILE_GIVEN struct tile_window
#define TILE_BYTE   __gm__ uint8_t
#include "isa/tile_window.h"

/* Place of a tile in a window: its first element, and elements from row to row and from column to column. */
struct tile_place {
	__gm__ uint8_t *at;
	uint64_t step, stride;
};

TILE_CORE struct tile_place tile_find(struct tile_call *call, uint32_t param, int64_t r, int64_t c, uint32_t rows, uint32_t columns, uint32_t bytes)
{
	TILE_WINDOW *w = &call->task->tensors[param];
	const uint64_t count = (uint64_t)rows * columns;
	const bool flat = tile_window_is_flat(w);
	const int64_t start = flat ? tile_flat_start(r, c, count) : tile_flat_start(r, 0, rows);
	struct tile_place place = {NULL, flat ? columns : w->row_stride, flat ? 1 : w->column_stride};

	if (flat && tile_flat_holds(w, start, count))
		place.at = (__gm__ uint8_t *)w->data + (uint64_t)start * bytes;
	if (!flat && tile_grid_holds(w, start, c, rows, columns))
		place.at = tile_grid_at(w, (uint64_t)start, (uint64_t)c, bytes);
	return place;
}

/* One copy for a tile that lies in one piece; one of rows that are whole data blocks; else element by element. */
template <class T>
TILE_CORE ptowsp_status tile_load(struct tile_call *call, const AscendC::LocalTensor<T> &tile, uint32_t param, int64_t r, int64_t c, uint32_t rows,
				  uint32_t columns)
{
	typedef typename tile_stored<T>::S S;
	const struct tile_place place = tile_find(call, param, r, c, rows, columns, sizeof(T));
	const bool packed = place.stride == 1 && (place.step == columns || rows == 1);
	AscendC::GlobalTensor<S> from;

	if (!place.at)
		return PTOWSP_KERNEL_FAILED;
	from.SetGlobalBuffer((__gm__ S *)place.at);
	AscendC::PipeBarrier<PIPE_ALL>();
	if (packed || (place.stride == 1 && place.step >= columns && rows <= 4095 && tile_is_aligned<T>(columns))) {
		const uint32_t blocks = packed ? 1 : rows, bytes = (uint32_t)((packed ? (uint64_t)rows * columns : columns) * sizeof(T));
		const AscendC::DataCopyExtParams copy{(uint16_t)blocks, bytes, packed ? 0u : (uint32_t)((place.step - columns) * sizeof(T)), 0, 0};
		const AscendC::DataCopyPadExtParams<S> pad{false, 0, 0, (S)0};

		AscendC::DataCopyPad(tile.template ReinterpretCast<S>(), from, copy, pad);
	} else {
		for (uint32_t at = 0; at < rows * columns; at++)
			tile_set(tile, at, from.GetValue(at / columns * place.step + at % columns * place.stride));
	}
	AscendC::PipeBarrier<PIPE_ALL>();
	return PTOWSP_OK;
}

template <class T>
TILE_CORE ptowsp_status tile_store(struct tile_call *call, const AscendC::LocalTensor<T> &tile, uint32_t param, int64_t r, int64_t c, uint32_t rows,
				   uint32_t columns)
{
	typedef typename tile_stored<T>::S S;
	const struct tile_place place = tile_find(call, param, r, c, rows, columns, sizeof(T));
	const bool packed = place.stride == 1 && (place.step == columns || rows == 1);
	AscendC::GlobalTensor<S> to;

	if (!place.at)
		return PTOWSP_KERNEL_FAILED;
	if (call->silent)
		return PTOWSP_OK;
	to.SetGlobalBuffer((__gm__ S *)place.at);
	AscendC::PipeBarrier<PIPE_ALL>();
	if (packed || (place.stride == 1 && place.step >= columns && rows <= 4095 && tile_is_aligned<T>(columns))) {
		const uint32_t blocks = packed ? 1 : rows, bytes = (uint32_t)((packed ? (uint64_t)rows * columns : columns) * sizeof(T));
		const AscendC::DataCopyExtParams copy{(uint16_t)blocks, bytes, 0, packed ? 0u : (uint32_t)((place.step - columns) * sizeof(T)), 0};

		AscendC::DataCopyPad(to, tile.template ReinterpretCast<S>(), copy);
	} else {
		for (uint32_t at = 0; at < rows * columns; at++)
			to.SetValue(at / columns * place.step + at % columns * place.stride, tile_get(tile, at));
	}
	AscendC::PipeBarrier<PIPE_ALL>();
	return PTOWSP_OK;
}

/* Does the window have only a part of a tile of rows x columns, which begins where the tile does? */
TILE_CORE bool tile_is_part(const struct tile_call *call, uint32_t param, int64_t r, int64_t c, uint32_t rows, uint32_t columns)
{
	TILE_WINDOW *w = &call->task->tensors[param];

	return !r && !c && (w->rows < rows || w->columns < columns);
}

/* Of a tile in a window that may have only a part of it: what is there goes element by element, the rest is 0. */
template <class T>
TILE_CORE ptowsp_status tile_load_part(struct tile_call *call, const AscendC::LocalTensor<T> &tile, uint32_t param, int64_t r, int64_t c, uint32_t rows,
				       uint32_t columns)
{
	typedef typename tile_stored<T>::S S;
	TILE_WINDOW *w = &call->task->tensors[param];
	AscendC::GlobalTensor<S> from;

	if (!tile_is_part(call, param, r, c, rows, columns))
		return tile_load(call, tile, param, r, c, rows, columns);
	from.SetGlobalBuffer((__gm__ S *)w->data);
	AscendC::PipeBarrier<PIPE_ALL>();
	for (uint32_t at = 0; at < rows * columns; at++)
		tile_set(tile, at, at / columns < w->rows && at % columns < w->columns ? from.GetValue(at / columns * w->row_stride + at % columns) : (S)0);
	AscendC::PipeBarrier<PIPE_ALL>();
	return PTOWSP_OK;
}

template <class T>
TILE_CORE ptowsp_status tile_store_part(struct tile_call *call, const AscendC::LocalTensor<T> &tile, uint32_t param, int64_t r, int64_t c, uint32_t rows,
					uint32_t columns)
{
	TILE_WINDOW *w = &call->task->tensors[param];
	AscendC::GlobalTensor<typename tile_stored<T>::S> to;

	if (!tile_is_part(call, param, r, c, rows, columns))
		return tile_store(call, tile, param, r, c, rows, columns);
	if (call->silent)
		return PTOWSP_OK;
	to.SetGlobalBuffer((__gm__ typename tile_stored<T>::S *)w->data);
	AscendC::PipeBarrier<PIPE_ALL>();
	for (uint32_t at = 0; at < rows * columns; at++)
		if (at / columns < w->rows && at % columns < w->columns)
			to.SetValue(at / columns * w->row_stride + at % columns, tile_get(tile, at));
	AscendC::PipeBarrier<PIPE_ALL>();
	return PTOWSP_OK;
}

/* ---- vector instructions that are several ------------------------------------------------------------------------------- */

template <class T> TILE_CORE void tile_zero(const AscendC::LocalTensor<T> &d, uint32_t bytes)
{
	AscendC::Duplicate(d.template ReinterpretCast<int16_t>(), (int16_t)0, (int32_t)tile_up(bytes, TILE_BLOCK) / 2);
	AscendC::PipeBarrier<PIPE_ALL>();
}

/* Tiles begin at multiples of 64 bytes: the rest of the last data block is nobody's. */
template <class T> TILE_CORE void tile_move(const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &a, uint32_t n)
{
	AscendC::DataCopy(d, a, tile_up(n, (uint32_t)(TILE_BLOCK / sizeof(T))));
}

template <class T> TILE_CORE void tile_copy(const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &a, uint32_t n)
{
	AscendC::PipeBarrier<PIPE_ALL>();
	for (uint32_t at = 0; at < n; at++)
		tile_set(d, at, tile_get(a, at));
	AscendC::PipeBarrier<PIPE_ALL>();
}

/* w is none of the others; d may be a. */
template <class T> TILE_CORE void tile_recip(const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &a, const AscendC::LocalTensor<T> &w, int32_t n)
{
	AscendC::Duplicate(w, tile_number<T>(1), n);
	AscendC::PipeBarrier<PIPE_V>();
	AscendC::Div(d, w, a, n);
}

template <class T> TILE_CORE void tile_rsqrt(const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &a, const AscendC::LocalTensor<T> &w, int32_t n)
{
	AscendC::Sqrt(d, a, n);
	AscendC::PipeBarrier<PIPE_V>();
	tile_recip(d, d, w, n);
}

/* w = 1 + exp(-a) */
template <class T> TILE_CORE void tile_one_plus_exp(const AscendC::LocalTensor<T> &w, const AscendC::LocalTensor<T> &a, int32_t n)
{
	AscendC::Muls(w, a, tile_number<T>(-1), n);
	AscendC::PipeBarrier<PIPE_V>();
	AscendC::Exp(w, w, n);
	AscendC::PipeBarrier<PIPE_V>();
	AscendC::Adds(w, w, tile_number<T>(1), n);
	AscendC::PipeBarrier<PIPE_V>();
}

template <class T> TILE_CORE void tile_silu(const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &a, const AscendC::LocalTensor<T> &w, int32_t n)
{
	tile_one_plus_exp(w, a, n);
	AscendC::Div(d, a, w, n);
}

template <class T> TILE_CORE void tile_sigmoid(const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &a, const AscendC::LocalTensor<T> &w, int32_t n)
{
	tile_one_plus_exp(w, a, n);
	AscendC::Duplicate(d, tile_number<T>(1), n);
	AscendC::PipeBarrier<PIPE_V>();
	AscendC::Div(d, d, w, n);
}

template <class T> TILE_CORE void tile_tanh(const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &a, const AscendC::LocalTensor<T> &w, int32_t n)
{
	AscendC::Tanh(w, a, (uint32_t)n);
	AscendC::PipeBarrier<PIPE_V>();
	tile_move(d, w, (uint32_t)n);
}

template <class T> TILE_CORE void tile_gelu(const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &a, const AscendC::LocalTensor<T> &w, int32_t n)
{
	const AscendC::LocalTensor<T> tail = w[tile_up((uint64_t)n, TILE_BLOCK)];

	AscendC::Muls(w, a, tile_number<T>(-0.70710678118654752440f), n);
	AscendC::PipeBarrier<PIPE_V>();
	AscendC::Erfc(tail, w, (uint32_t)n);
	AscendC::PipeBarrier<PIPE_V>();
	AscendC::Muls(w, a, tile_number<T>(0.5f), n);
	AscendC::PipeBarrier<PIPE_V>();
	AscendC::Mul(d, w, tail, n);
}

template <class T>
TILE_CORE void tile_divide_by(const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &a, T s, const AscendC::LocalTensor<T> &w, int32_t n)
{
	AscendC::Duplicate(w, s, n);
	AscendC::PipeBarrier<PIPE_V>();
	AscendC::Div(d, a, w, n);
}

template <class T>
TILE_CORE void tile_add3(const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &a, const AscendC::LocalTensor<T> &b, const AscendC::LocalTensor<T> &c,
			 const AscendC::LocalTensor<T> &w, int32_t n)
{
	AscendC::Add(w, a, b, n);
	AscendC::PipeBarrier<PIPE_V>();
	AscendC::Add(d, w, c, n);
}

template <class T>
TILE_CORE void tile_sub_add(const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &a, const AscendC::LocalTensor<T> &b,
			    const AscendC::LocalTensor<T> &c, const AscendC::LocalTensor<T> &w, int32_t n)
{
	AscendC::Sub(w, a, b, n);
	AscendC::PipeBarrier<PIPE_V>();
	AscendC::Add(d, w, c, n);
}

/* ---- A5: vector registers ---------------------------------------------------------------------------------------------------------- */

#ifdef TILE_A5
/* Elements of a register, and registers that so many elements take. */
template <class T> TILE_CORE constexpr uint32_t tile_lanes()
{
	return AscendC::GetVecLen() / sizeof(T);
}

template <class T> TILE_CORE constexpr uint16_t tile_steps(uint32_t count)
{
	return (uint16_t)((count + tile_lanes<T>() - 1) / tile_lanes<T>());
}
#endif

/* The rest, by what it works on. */
#include "isa/move_ascend.h"
#include "isa/product_ascend.h"
#include "isa/rows_ascend.h"

#endif
