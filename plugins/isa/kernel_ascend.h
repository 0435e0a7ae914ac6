/* SPDX-License-Identifier: MIT */
/* kernel_ascend.h - what emitted Ascend C kernels stand on. Tiles are tensors in the unified buffer, packed; windows are read and written by DataCopyPad; products
 * go through global memory to the cube (L1, L0A, L0B, L0C) and back. Steps that the vector unit does not know read and write single elements. Statements are
 * kept apart by barriers: PIPE_V between vector instructions, PIPE_ALL where a vector instruction meets elements or copies.
 * Vector instructions round and add up as the hardware does: results need not be the bits of pto_ops.def. Needs the CANN toolkit's kernel_operator.h, and
 * for f64 a compiler that has double on the scalar unit. TILE_A5 is defined in kernels for A5. */
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
#include "isa/tile.h"
#undef inline

#define TILE_CORE __aicore__ inline

enum { TILE_BLOCK = 32, TILE_FRACTAL = 16, TILE_FLAG_TO_CUBE = 3, TILE_FLAG_TO_VECTOR = 4 }; /* bytes of a data block, side of a cube's fractal, flags */

/* One tensor argument, as ptowsp_tensor_arg says, in global memory. */
struct tile_window {
	uint64_t data, rows, columns, row_stride, column_stride;
};
struct tile_task {
	__gm__ struct tile_window *tensors;
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
};

TILE_CORE void tile_begin(struct tile_call *call, GM_ADDR tensors, GM_ADDR args, GM_ADDR workspace, uint32_t block, uint32_t block_count,
			  uint64_t tiles, uint64_t work)
{
	call->given.tensors = (__gm__ struct tile_window *)tensors;
	call->given.args = (__gm__ uint64_t *)args;
	call->given.block = block;
	call->given.block_count = block_count;
	call->task = &call->given;
	call->workspace = (__gm__ uint8_t *)workspace;
	call->work_at = tiles;
	call->work = work;
	call->jumps = UINT64_C(1) << 32;
	call->pipe.InitBuffer(call->tiles, (uint32_t)(tiles + work));
}

TILE_CORE void tile_end(struct tile_call *call)
{
	(void)call;
	AscendC::PipeBarrier<PIPE_ALL>();
}

#define tile_fail(call, place, ...) PTOWSP_KERNEL_FAILED
#define tile_endless(call, place) PTOWSP_RUN_FAILED

TILE_CORE int tile_goes_on(int64_t now, int64_t step, int64_t bound)
{
	return now <= INT64_MAX - step && now + step < bound;
}

/* Integer rules that C++ leaves open: x / 0 is 0, x rem 0 is x, the smallest / -1 is itself. */
#define TILE_SIGNED_RULES(type, ...)                                                                                           \
	TILE_CORE isa_s_##type tile_div_##type(isa_s_##type a, isa_s_##type b)                                                 \
	{                                                                                                                      \
		return (isa_s_##type)(b == 0 ? 0 : b == -1 ? 0 - (isa_w_##type)a : (isa_w_##type)(a / b));                     \
	}                                                                                                                      \
	TILE_CORE isa_s_##type tile_rem_##type(isa_s_##type a, isa_s_##type b)                                                 \
	{                                                                                                                      \
		return (isa_s_##type)(b == 0 ? a : b == -1 ? 0 : a % b);                                                       \
	}
#define TILE_UNSIGNED_RULES(type, ...)                                                                                         \
	TILE_CORE isa_s_##type tile_div_##type(isa_s_##type a, isa_s_##type b)                                                 \
	{                                                                                                                      \
		return (isa_s_##type)(b == 0 ? 0 : a / b);                                                                     \
	}                                                                                                                      \
	TILE_CORE isa_s_##type tile_rem_##type(isa_s_##type a, isa_s_##type b)                                                 \
	{                                                                                                                      \
		return (isa_s_##type)(b == 0 ? a : a % b);                                                                     \
	}
ISA_SIGNED(TILE_SIGNED_RULES, )
ISA_UNSIGNED(TILE_UNSIGNED_RULES, )

#define TILE_F64(name, expression)                                                                                             \
	TILE_CORE double tile_##name##_f64(double x)                                                                           \
	{                                                                                                                      \
		return expression;                                                                                             \
	}
TILE_F64(exp, exp(x))
TILE_F64(log, log(x))
TILE_F64(tanh, tanh(x))
TILE_F64(sigmoid, 1 / (1 + exp(-x)))
TILE_F64(silu, x / (1 + exp(-x)))

/* ---- elements: as isa_s_ stores them --------------------------------------------------------------------------------- */

/* Types by the names of element.def: what a tensor has, what an element is stored as, what it is computed in. */
#define TILE_TYPE(name, tensor)                                                                                                \
	struct isa_type_##name {                                                                                               \
		typedef tensor T;                                                                                              \
		typedef isa_s_##name S;                                                                                        \
		typedef isa_c_##name C;                                                                                        \
		typedef isa_w_##name W;                                                                                        \
		static TILE_CORE C get(S stored)                                                                               \
		{                                                                                                              \
			return isa_get_##name(stored);                                                                         \
		}                                                                                                              \
		static TILE_CORE S put(W value)                                                                                \
		{                                                                                                              \
			return isa_put_##name(value);                                                                          \
		}                                                                                                              \
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

TILE_CORE int64_t tile_flat_start(int64_t r, int64_t c, uint64_t tile)
{
	const int64_t far_away = INT64_MAX / 4;

	if (r > far_away / (int64_t)tile || c > far_away)
		return far_away;
	if (r < -(far_away / (int64_t)tile) || c < -far_away)
		return -far_away;
	return r * (int64_t)tile + c;
}

/* Where a tile lies in a window: its first element, and elements from row to row and from column to column. */
struct tile_place {
	__gm__ uint8_t *at;
	uint64_t step, stride;
};

TILE_CORE struct tile_place tile_find(struct tile_call *call, uint32_t param, int64_t r, int64_t c, uint32_t rows, uint32_t columns, uint32_t bytes)
{
	const __gm__ struct tile_window *w = &call->task->tensors[param];
	const bool flat = w->rows == 1 && w->column_stride == 1;
	const uint64_t count = (uint64_t)rows * columns;
	const int64_t start = flat ? tile_flat_start(r, c, count) : tile_flat_start(r, 0, rows);
	const bool inside = flat ? start >= 0 && count <= w->columns && (uint64_t)start <= w->columns - count
				 : start >= 0 && c >= 0 && rows <= w->rows && (uint64_t)start <= w->rows - rows && columns <= w->columns &&
					   (uint64_t)c <= w->columns - columns;
	struct tile_place place = {NULL, flat ? columns : w->row_stride, flat ? 1 : w->column_stride};

	if (inside)
		place.at = (__gm__ uint8_t *)w->data +
			   (flat ? (uint64_t)start : (uint64_t)start * w->row_stride + (uint64_t)c * w->column_stride) * bytes;
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

/* Element number `index` of a window, counted row by row; NULL: there is none. */
TILE_CORE __gm__ uint8_t *tile_element(struct tile_call *call, uint32_t param, int64_t index, uint32_t bytes)
{
	const __gm__ struct tile_window *w = &call->task->tensors[param];
	const uint64_t row = w->columns ? (uint64_t)index / w->columns : 0;

	if (index < 0 || w->columns == 0 || row >= w->rows)
		return NULL;
	return (__gm__ uint8_t *)w->data + (row * w->row_stride + (uint64_t)index % w->columns * w->column_stride) * bytes;
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
TILE_CORE void tile_add3(const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &a, const AscendC::LocalTensor<T> &b,
			 const AscendC::LocalTensor<T> &c, const AscendC::LocalTensor<T> &w, int32_t n)
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

/* ---- rows and columns ---------------------------------------------------------------------------------------------------- */

/* By elements, in order, for every type. d may be a where that has one row. */
#define TILE_LINES(name, line, lines, length, first, next)                                                                     \
	template <class Type>                                                                                                  \
	TILE_CORE void tile_##name(const AscendC::LocalTensor<typename Type::T> &d, const AscendC::LocalTensor<typename Type::T> &a, uint32_t rows, \
				   uint32_t columns)                                                                           \
	{                                                                                                                      \
		AscendC::PipeBarrier<PIPE_ALL>();                                                                              \
		for (uint32_t i = 0; i < (lines); i++) {                                                                       \
			uint32_t j = 0;                                                                                        \
			typename Type::C v = Type::get(tile_get(a, line));                                                     \
			typename Type::W sum = first;                                                                          \
                                                                                                                               \
			for (j = 1; j < (length); j++) {                                                                       \
				const typename Type::C acc = (typename Type::C)sum;                                            \
                                                                                                                               \
				v = Type::get(tile_get(a, line));                                                              \
				sum = next;                                                                                    \
			}                                                                                                      \
			tile_set(d, i, Type::put(sum));                                                                        \
		}                                                                                                              \
		AscendC::PipeBarrier<PIPE_ALL>();                                                                              \
	}
#define TILE_W typename Type::W
TILE_LINES(rowsum, i *columns + j, rows, columns, (TILE_W)0 + (TILE_W)v, (TILE_W)acc + (TILE_W)v)
TILE_LINES(rowmax, i *columns + j, rows, columns, (TILE_W)v, (TILE_W)(v > acc ? v : acc))
TILE_LINES(rowmin, i *columns + j, rows, columns, (TILE_W)v, (TILE_W)(v < acc ? v : acc))
TILE_LINES(colsum, j *columns + i, columns, rows, (TILE_W)0 + (TILE_W)v, (TILE_W)acc + (TILE_W)v)
TILE_LINES(colmax, j *columns + i, columns, rows, (TILE_W)v, (TILE_W)(v > acc ? v : acc))
TILE_LINES(colmin, j *columns + i, columns, rows, (TILE_W)v, (TILE_W)(v < acc ? v : acc))
#undef TILE_W

template <class T> struct tile_type;
template <> struct tile_type<float> {
	typedef isa_type_f32 Type;
};
template <> struct tile_type<half> {
	typedef isa_type_f16 Type;
};
template <> struct tile_type<int16_t> {
	typedef isa_type_i16 Type;
};
template <> struct tile_type<int32_t> {
	typedef isa_type_i32 Type;
};

/* By the vector unit where each row begins at a data block. The work tile: the result, then what the instruction works in. */
#define TILE_ROW_REDUCE(name, plain, call)                                                                                     \
	template <class T>                                                                                                     \
	TILE_CORE void tile_##name(const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &a, const AscendC::LocalTensor<T> &w, uint32_t rows, \
				   uint32_t columns)                                                                           \
	{                                                                                                                      \
		const AscendC::LocalTensor<T> rest = w[TILE_BLOCK / sizeof(T)];                                                \
                                                                                                                               \
		if (!tile_is_aligned<T>(columns)) {                                                                            \
			tile_##plain<typename tile_type<T>::Type>(d, a, rows, columns);                                        \
			return;                                                                                                \
		}                                                                                                              \
		for (uint32_t row = 0; row < rows; row++) {                                                                    \
			call;                                                                                                  \
			AscendC::PipeBarrier<PIPE_ALL>();                                                                      \
			tile_set(d, row, tile_get(w, 0));                                                                      \
			AscendC::PipeBarrier<PIPE_ALL>();                                                                      \
		}                                                                                                              \
	}
TILE_ROW_REDUCE(row_sum, rowsum, AscendC::ReduceSum(w, a[row * columns], rest, (int32_t)columns))
TILE_ROW_REDUCE(row_max, rowmax, AscendC::ReduceMax(w, a[row * columns], rest, (int32_t)columns, false))
TILE_ROW_REDUCE(row_min, rowmin, AscendC::ReduceMin(w, a[row * columns], rest, (int32_t)columns, false))

/* Row by row, in order. */
#define TILE_COLUMN_REDUCE(name, plain, instruction)                                                                           \
	template <class T>                                                                                                     \
	TILE_CORE void tile_##name(const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &a, uint32_t rows, uint32_t columns) \
	{                                                                                                                      \
		if (!tile_is_aligned<T>(columns)) {                                                                            \
			tile_##plain<typename tile_type<T>::Type>(d, a, rows, columns);                                        \
			return;                                                                                                \
		}                                                                                                              \
		tile_move(d, a, columns);                                                                                      \
		for (uint32_t row = 1; row < rows; row++) {                                                                    \
			AscendC::PipeBarrier<PIPE_V>();                                                                        \
			AscendC::instruction(d, d, a[row * columns], (int32_t)columns);                                        \
		}                                                                                                              \
	}
TILE_COLUMN_REDUCE(col_sum, colsum, Add)
TILE_COLUMN_REDUCE(col_max, colmax, Max)
TILE_COLUMN_REDUCE(col_min, colmin, Min)

template <class T> TILE_CORE void tile_col_expand(const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &a, uint32_t rows, uint32_t columns)
{
	if (tile_is_aligned<T>(columns)) {
		for (uint32_t row = 0; row < rows; row++)
			tile_move(d[row * columns], a, columns);
		return;
	}
	AscendC::PipeBarrier<PIPE_ALL>();
	for (uint32_t at = 0; at < rows * columns; at++)
		tile_set(d, at, tile_get(a, at % columns));
	AscendC::PipeBarrier<PIPE_ALL>();
}

/* Each row with one element of b: as the scalar of an instruction, or by elements. */
#define TILE_ROW_COMBINE(name, parameter, instruction, plain)                                                                  \
	template <class T>                                                                                                     \
	TILE_CORE void tile_##name(const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &a, const AscendC::LocalTensor<T> &b parameter, \
				   uint32_t rows, uint32_t columns)                                                            \
	{                                                                                                                      \
		typedef typename tile_type<T>::Type Type;                                                                      \
                                                                                                                               \
		AscendC::PipeBarrier<PIPE_ALL>();                                                                              \
		for (uint32_t row = 0; row < rows && tile_is_aligned<T>(columns); row++) {                                     \
			const T s = tile_value<T>(tile_get(b, row));                                                           \
                                                                                                                               \
			instruction;                                                                                           \
		}                                                                                                              \
		for (uint32_t at = 0; at < rows * columns && !tile_is_aligned<T>(columns); at++) {                             \
			const typename Type::C x = Type::get(tile_get(a, at)), y = Type::get(tile_get(b, at / columns));       \
                                                                                                                               \
			tile_set(d, at, Type::put(plain));                                                                     \
		}                                                                                                              \
		AscendC::PipeBarrier<PIPE_ALL>();                                                                              \
	}
#define TILE_WORK , const AscendC::LocalTensor<T> &w
TILE_ROW_COMBINE(row_mul, , AscendC::Muls(d[row * columns], a[row * columns], s, (int32_t)columns), x *y)
TILE_ROW_COMBINE(row_div, TILE_WORK, tile_divide_by(d[row * columns], a[row * columns], s, w, (int32_t)columns); AscendC::PipeBarrier<PIPE_V>(), x / y)
TILE_ROW_COMBINE(row_sub, TILE_WORK, (void)w; AscendC::Adds(d[row * columns], a[row * columns], tile_negated(s), (int32_t)columns), x - y)
#undef TILE_WORK

/* ---- moves by elements ------------------------------------------------------------------------------------------------------ */

/* d may be a: by way of the work tile. */
template <class T>
TILE_CORE void tile_trans(const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &w, const AscendC::LocalTensor<T> &a, uint32_t rows,
			  uint32_t columns)
{
	AscendC::PipeBarrier<PIPE_ALL>();
	for (uint32_t at = 0; at < rows * columns; at++)
		tile_set(w, at, tile_get(a, at % columns * rows + at / columns));
	tile_copy(d, w, rows * columns);
}

template <class T>
TILE_CORE ptowsp_status tile_extract(struct tile_call *call, const AscendC::LocalTensor<T> &d, uint32_t rows, uint32_t columns,
				     const AscendC::LocalTensor<T> &a, uint32_t a_rows, uint32_t a_columns, int64_t r, int64_t c)
{
	(void)call;
	if (r < 0 || c < 0 || r > (int64_t)a_rows - rows || c > (int64_t)a_columns - columns)
		return PTOWSP_KERNEL_FAILED;
	AscendC::PipeBarrier<PIPE_ALL>();
	for (uint32_t at = 0; at < rows * columns; at++)
		tile_set(d, at, tile_get(a, ((uint32_t)r + at / columns) * a_columns + (uint32_t)c + at % columns));
	AscendC::PipeBarrier<PIPE_ALL>();
	return PTOWSP_OK;
}

/* unit: 1 for element indices, the size of an element for byte offsets. By way of the work tile: d may be a source. */
template <class T, class I>
TILE_CORE ptowsp_status tile_gather(struct tile_call *call, const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &a, uint64_t a_count,
				    const AscendC::LocalTensor<I> &index, uint32_t count, uint32_t unit)
{
	const AscendC::LocalTensor<T> w = tile_work<T>(call);

	AscendC::PipeBarrier<PIPE_ALL>();
	for (uint32_t at = 0; at < count; at++) {
		const int64_t k = (int64_t)index.GetValue(at);

		if (k < 0 || k >= (int64_t)(a_count * unit) || k % unit)
			return PTOWSP_KERNEL_FAILED;
		tile_set(w, at, tile_get(a, (uint32_t)k / unit));
	}
	tile_copy(d, w, count);
	return PTOWSP_OK;
}

/* Rows in ascending order: the last one that names a place wins. By way of a copy of d. */
template <class T, class I>
TILE_CORE ptowsp_status tile_scatter(struct tile_call *call, const AscendC::LocalTensor<T> &d, uint32_t rows, const AscendC::LocalTensor<T> &a,
				     const AscendC::LocalTensor<I> &index, uint32_t count, uint32_t columns)
{
	const AscendC::LocalTensor<T> w = tile_work<T>(call);

	tile_copy(w, d, rows * columns);
	for (uint32_t at = 0; at < count; at++) {
		const int64_t k = (int64_t)index.GetValue(at);

		if (k < 0 || k >= (int64_t)rows)
			return PTOWSP_KERNEL_FAILED;
		tile_set(w, (uint32_t)k * columns + at % columns, tile_get(a, at));
	}
	tile_copy(d, w, rows * columns);
	return PTOWSP_OK;
}

template <class T, class I>
TILE_CORE ptowsp_status tile_mgather(struct tile_call *call, const AscendC::LocalTensor<T> &d, uint32_t param, const AscendC::LocalTensor<I> &index,
				     uint32_t count)
{
	AscendC::PipeBarrier<PIPE_ALL>();
	for (uint32_t at = 0; at < count; at++) {
		const __gm__ uint8_t *from = tile_element(call, param, (int64_t)index.GetValue(at), sizeof(T));

		if (!from)
			return PTOWSP_KERNEL_FAILED;
		tile_set(d, at, *(const __gm__ typename tile_stored<T>::S *)from);
	}
	AscendC::PipeBarrier<PIPE_ALL>();
	return PTOWSP_OK;
}

template <class T, class I>
TILE_CORE ptowsp_status tile_mscatter(struct tile_call *call, uint32_t param, const AscendC::LocalTensor<T> &a, const AscendC::LocalTensor<I> &index,
				      uint32_t count)
{
	AscendC::PipeBarrier<PIPE_ALL>();
	for (uint32_t at = 0; at < count; at++) {
		__gm__ uint8_t *to = tile_element(call, param, (int64_t)index.GetValue(at), sizeof(T));

		if (!to)
			return PTOWSP_KERNEL_FAILED;
		*(__gm__ typename tile_stored<T>::S *)to = tile_get(a, at);
	}
	AscendC::PipeBarrier<PIPE_ALL>();
	return PTOWSP_OK;
}

/* ---- sorting: descending and stable, a NaN after every number ----------------------------------------------------------------- */

template <class Type> TILE_CORE bool tile_before(typename Type::S first, typename Type::S second)
{
	const typename Type::C a = Type::get(first), b = Type::get(second);

	return a > b || (a == a && b != b);
}

template <class Type, class I>
TILE_CORE void tile_sort32(const AscendC::LocalTensor<typename Type::T> &d, const AscendC::LocalTensor<I> &e,
			   const AscendC::LocalTensor<typename Type::T> &a, uint32_t count)
{
	AscendC::PipeBarrier<PIPE_ALL>();
	for (uint32_t first = 0; first < count; first += 32) {
		const uint32_t n = count - first < 32 ? count - first : 32;
		typename Type::S value[32];
		uint32_t index[32];

		for (uint32_t i = 0; i < n; i++) {
			const typename Type::S v = tile_get(a, first + i);
			uint32_t at = i;

			for (; at > 0 && tile_before<Type>(v, value[at - 1]); at--) {
				value[at] = value[at - 1];
				index[at] = index[at - 1];
			}
			value[at] = v;
			index[at] = first + i;
		}
		for (uint32_t i = 0; i < n; i++) {
			tile_set(d, first + i, value[i]);
			tile_set(e, first + i, (I)index[i]);
		}
	}
	AscendC::PipeBarrier<PIPE_ALL>();
}

template <class Type>
TILE_CORE void tile_mrgsort(const AscendC::LocalTensor<typename Type::T> &d, const AscendC::LocalTensor<typename Type::T> &w, uint32_t count,
			    const AscendC::LocalTensor<typename Type::T> &a, uint32_t a_count, const AscendC::LocalTensor<typename Type::T> &b,
			    uint32_t b_count)
{
	uint32_t i = 0, j = 0;

	AscendC::PipeBarrier<PIPE_ALL>();
	for (uint32_t k = 0; k < count; k++)
		tile_set(w, k, j == b_count || (i < a_count && !tile_before<Type>(tile_get(b, j), tile_get(a, i))) ? tile_get(a, i++) : tile_get(b, j++));
	tile_copy(d, w, count);
}

/* ---- products ------------------------------------------------------------------------------------------------------------------ */

/* By elements, k ascending, for types that the cube does not take. d may be a source: by way of the work tile. */
template <class D, class A>
TILE_CORE void tile_product_plain(struct tile_call *call, const AscendC::LocalTensor<typename D::T> &d, const AscendC::LocalTensor<typename D::T> *start,
				  const AscendC::LocalTensor<typename A::T> &a, const AscendC::LocalTensor<typename A::T> &b, uint32_t m, uint32_t k_count,
				  uint32_t n)
{
	const AscendC::LocalTensor<typename D::T> w = tile_work<typename D::T>(call);

	AscendC::PipeBarrier<PIPE_ALL>();
	for (uint32_t at = 0; at < m * n; at++) {
		typename D::W sum = start ? (typename D::W)D::get(tile_get(*start, at)) : (typename D::W)0;

		for (uint32_t k = 0; k < k_count; k++)
			sum += (typename D::W)A::get(tile_get(a, at / n * k_count + k)) * (typename D::W)A::get(tile_get(b, k * n + at % n));
		tile_set(w, at, D::put(sum));
	}
	tile_copy(d, w, m * n);
}

/* Does the cube multiply these, into what it adds up in? */
template <class D, class A> struct tile_cube {
	enum { takes = 0 };
};
template <> struct tile_cube<isa_type_f32, isa_type_f32> {
	enum { takes = 1 };
};
template <> struct tile_cube<isa_type_f32, isa_type_f16> {
	enum { takes = 1 };
};
template <> struct tile_cube<isa_type_f32, isa_type_bf16> {
	enum { takes = 1 };
};
template <> struct tile_cube<isa_type_i32, isa_type_i8> {
	enum { takes = 1 };
};

/* Row-major m x k in global memory to fractals in L1. */
template <class T> TILE_CORE void tile_to_l1(const AscendC::LocalTensor<T> &d, const AscendC::GlobalTensor<T> &a, uint32_t rows, uint32_t columns)
{
	AscendC::Nd2NzParams params;

	params.ndNum = 1;
	params.nValue = (uint16_t)rows;
	params.dValue = (uint16_t)columns;
	params.srcNdMatrixStride = 0;
	params.srcDValue = (uint16_t)columns;
	params.dstNzC0Stride = (uint16_t)tile_up(rows, TILE_FRACTAL);
	params.dstNzNStride = 1;
	params.dstNzMatrixStride = 0;
	AscendC::DataCopy(d, a, params);
}

/* The cube's part: a and b lie in the workspace, row by row, and so does the result. */
template <class D, class A>
TILE_CORE void tile_cube_run(struct tile_call *call, const AscendC::GlobalTensor<D> &d, const AscendC::GlobalTensor<A> &a, const AscendC::GlobalTensor<A> &b,
			     uint32_t m, uint32_t k, uint32_t n)
{
	const uint32_t lanes = TILE_BLOCK / sizeof(A), m_up = tile_up(m, TILE_FRACTAL), k_up = tile_up(k, lanes), n_up = tile_up(n, TILE_FRACTAL);
	const uint32_t side = lanes > 16u ? lanes : 16u, k_rows = tile_up(k, side), n_lanes = tile_up(n, lanes);
	AscendC::TBuf<AscendC::TPosition::A1> a1;
	AscendC::TBuf<AscendC::TPosition::B1> b1;
	AscendC::TBuf<AscendC::TPosition::A2> a2;
	AscendC::TBuf<AscendC::TPosition::B2> b2;
	AscendC::TBuf<AscendC::TPosition::CO1> co1;
	AscendC::LoadData2DParams load;
	AscendC::MmadParams product;
	AscendC::FixpipeParamsV220 out;

	call->pipe.InitBuffer(a1, (uint32_t)(m_up * k_up * sizeof(A)));
	call->pipe.InitBuffer(b1, (uint32_t)(k_rows * n_lanes * sizeof(A)));
	call->pipe.InitBuffer(a2, (uint32_t)(m_up * k_up * sizeof(A)));
	call->pipe.InitBuffer(b2, (uint32_t)(k_rows * n_lanes * sizeof(A)));
	call->pipe.InitBuffer(co1, (uint32_t)(m_up * n_up * sizeof(D)));
	const AscendC::LocalTensor<A> a1_t = a1.template Get<A>(), b1_t = b1.template Get<A>(), a2_t = a2.template Get<A>(), b2_t = b2.template Get<A>();
	const AscendC::LocalTensor<D> co1_t = co1.template Get<D>();

	tile_to_l1(a1_t, a, m, k);
	tile_to_l1(b1_t, b, k, n);
	AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE1>(EVENT_ID0);
	AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE1>(EVENT_ID0);
	/* A: the fractals of each row of them; B: transposed within each fractal. */
	load.startIndex = 0;
	load.repeatTimes = (uint8_t)(k_up / lanes);
	load.srcStride = (uint16_t)(m_up / TILE_FRACTAL);
	load.dstGap = 0;
	load.ifTranspose = false;
	for (uint32_t row = 0; row < m_up / TILE_FRACTAL; row++)
		AscendC::LoadData(a2_t[row * k_up * TILE_FRACTAL], a1_t[row * TILE_FRACTAL * lanes], load);
	if (sizeof(A) == 2) {
		load.repeatTimes = (uint8_t)(n_up / TILE_FRACTAL);
		load.srcStride = (uint16_t)(k_rows / TILE_FRACTAL);
		load.ifTranspose = true;
		for (uint32_t row = 0; row < k_rows / TILE_FRACTAL; row++)
			AscendC::LoadData(b2_t[row * n_up * TILE_FRACTAL], b1_t[row * TILE_FRACTAL * lanes], load);
	} else {
		AscendC::LoadData2dTransposeParams turn;

		turn.startIndex = 0;
		turn.repeatTimes = (uint8_t)(n_lanes / lanes);
		turn.srcStride = (uint16_t)(k_rows / side);
		turn.dstGap = 0;
		turn.dstFracGap = 0;
		for (uint32_t row = 0; row < k_rows / side; row++)
			AscendC::LoadDataWithTranspose(b2_t[row * n_lanes * side],
						       b1_t[row * side * lanes], turn);
	}
	AscendC::SetFlag<AscendC::HardEvent::MTE1_M>(EVENT_ID0);
	AscendC::WaitFlag<AscendC::HardEvent::MTE1_M>(EVENT_ID0);
	product.m = (uint16_t)m;
	product.n = (uint16_t)n;
	product.k = (uint16_t)k;
	product.cmatrixInitVal = true;
	AscendC::Mmad(co1_t, a2_t, b2_t, product);
	AscendC::SetFlag<AscendC::HardEvent::M_FIX>(EVENT_ID0);
	AscendC::WaitFlag<AscendC::HardEvent::M_FIX>(EVENT_ID0);
	out.nSize = (uint16_t)n;
	out.mSize = (uint16_t)m;
	out.srcStride = (uint16_t)m_up;
	out.dstStride = n;
	out.ndNum = 1;
	out.srcNdStride = 0;
	out.dstNdStride = 0;
	AscendC::Fixpipe<D, D, AscendC::CFG_ROW_MAJOR>(d, co1_t, out);
	AscendC::PipeBarrier<PIPE_ALL>();
}

template <class T> TILE_CORE void tile_pass(const AscendC::GlobalTensor<T> &d, const AscendC::LocalTensor<T> &a, uint32_t n)
{
	const AscendC::DataCopyExtParams copy{1, (uint32_t)(n * sizeof(T)), 0, 0, 0};

	AscendC::DataCopyPad(d, a, copy);
}

/* The vector unit passes the factors by way of the workspace, and takes the result from there. */
template <class D, class A>
TILE_CORE void tile_product_cube(struct tile_call *call, const AscendC::LocalTensor<typename D::T> &d, const AscendC::LocalTensor<typename A::T> &a,
				 const AscendC::LocalTensor<typename A::T> &b, uint32_t m, uint32_t k, uint32_t n)
{
	typedef typename D::T R;
	typedef typename A::T F;
	__gm__ uint8_t *const right = call->workspace + tile_up((uint64_t)m * k * sizeof(F), 512);
	__gm__ uint8_t *const result = right + tile_up((uint64_t)k * n * sizeof(F), 512);
	AscendC::GlobalTensor<F> a_gm, b_gm;
	AscendC::GlobalTensor<R> d_gm;

	a_gm.SetGlobalBuffer((__gm__ F *)call->workspace);
	b_gm.SetGlobalBuffer((__gm__ F *)right);
	d_gm.SetGlobalBuffer((__gm__ R *)result);
	if ASCEND_IS_AIV {
		AscendC::PipeBarrier<PIPE_ALL>();
		tile_pass(a_gm, a, m * k);
		tile_pass(b_gm, b, k * n);
		AscendC::PipeBarrier<PIPE_ALL>();
		AscendC::CrossCoreSetFlag<2, PIPE_MTE3>(TILE_FLAG_TO_CUBE);
		AscendC::CrossCoreWaitFlag(TILE_FLAG_TO_VECTOR);
		const AscendC::DataCopyExtParams copy{1, (uint32_t)(m * n * sizeof(R)), 0, 0, 0};
		const AscendC::DataCopyPadExtParams<R> pad{false, 0, 0, (R)0};

		AscendC::DataCopyPad(d, d_gm, copy, pad);
		AscendC::PipeBarrier<PIPE_ALL>();
	}
	if ASCEND_IS_AIC {
		AscendC::CrossCoreWaitFlag(TILE_FLAG_TO_CUBE);
		tile_cube_run(call, d_gm, a_gm, b_gm, m, k, n);
		AscendC::CrossCoreSetFlag<2, PIPE_FIX>(TILE_FLAG_TO_VECTOR);
	}
}

template <class D, class A, bool takes> struct tile_multiply {
	static TILE_CORE void run(struct tile_call *call, const AscendC::LocalTensor<typename D::T> &d, const AscendC::LocalTensor<typename A::T> &a,
				  const AscendC::LocalTensor<typename A::T> &b, uint32_t m, uint32_t k, uint32_t n)
	{
		tile_product_plain<D, A>(call, d, NULL, a, b, m, k, n);
	}
};
template <class D, class A> struct tile_multiply<D, A, true> {
	static TILE_CORE void run(struct tile_call *call, const AscendC::LocalTensor<typename D::T> &d, const AscendC::LocalTensor<typename A::T> &a,
				  const AscendC::LocalTensor<typename A::T> &b, uint32_t m, uint32_t k, uint32_t n)
	{
		tile_product_cube<D, A>(call, d, a, b, m, k, n);
	}
};

template <class D, class A>
TILE_CORE void tile_product(struct tile_call *call, const AscendC::LocalTensor<typename D::T> &d, const AscendC::LocalTensor<typename A::T> &a,
			    const AscendC::LocalTensor<typename A::T> &b, uint32_t m, uint32_t k, uint32_t n)
{
	tile_multiply<D, A, tile_cube<D, A>::takes>::run(call, d, a, b, m, k, n);
}

/* By elements: the sum starts from what is added to. */
template <class D, class A>
TILE_CORE void tile_product_add(struct tile_call *call, const AscendC::LocalTensor<typename D::T> &d, const AscendC::LocalTensor<typename D::T> &start,
				const AscendC::LocalTensor<typename A::T> &a, const AscendC::LocalTensor<typename A::T> &b, uint32_t m, uint32_t k, uint32_t n)
{
	tile_product_plain<D, A>(call, d, &start, a, b, m, k, n);
}

template <class D>
TILE_CORE void tile_bias(const AscendC::LocalTensor<typename D::T> &d, const AscendC::LocalTensor<typename D::T> &bias, uint32_t m, uint32_t n)
{
	AscendC::PipeBarrier<PIPE_ALL>();
	for (uint32_t at = 0; at < m * n; at++)
		tile_set(d, at, D::put((typename D::W)D::get(tile_get(d, at)) + (typename D::W)D::get(tile_get(bias, at % n))));
	AscendC::PipeBarrier<PIPE_ALL>();
}

/* Elements times their scales, of which neighbours along k share one. The cube's own scaled form, on A5, takes fp8 and fp4 elements with e8m0 scales, which
 * tiles do not have. */
template <class D, class A>
TILE_CORE void tile_product_scaled(struct tile_call *call, const AscendC::LocalTensor<typename D::T> &d, const AscendC::LocalTensor<typename A::T> &a,
				   const AscendC::LocalTensor<typename A::T> &a_scale, uint32_t a_share, const AscendC::LocalTensor<typename A::T> &b,
				   const AscendC::LocalTensor<typename A::T> &b_scale, uint32_t b_share, uint32_t m, uint32_t k_count, uint32_t n)
{
	typedef typename D::W W;
	const AscendC::LocalTensor<typename D::T> w = tile_work<typename D::T>(call);

	AscendC::PipeBarrier<PIPE_ALL>();
	for (uint32_t at = 0; at < m * n; at++) {
		const uint32_t row = at / n, column = at % n;
		W sum = 0;

		for (uint32_t k = 0; k < k_count; k++) {
			const W x = (W)A::get(tile_get(a, row * k_count + k)) * (W)A::get(tile_get(a_scale, row * (k_count / a_share) + k / a_share));
			const W y = (W)A::get(tile_get(b, k * n + column)) * (W)A::get(tile_get(b_scale, k / b_share * n + column));

			sum += x * y;
		}
		tile_set(w, at, D::put(sum));
	}
	tile_copy(d, w, m * n);
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

#endif
