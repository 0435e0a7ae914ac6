/* SPDX-License-Identifier: MIT */
/* rows_ascend.h - what is done with rows and columns of tiles in Ascend C: reductions, broadcasts. Part of kernel_ascend.h, which includes it. */
#ifndef ISA_ROWS_ASCEND_H
#define ISA_ROWS_ASCEND_H

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
#define TILE_ROW_INSTRUCTION(name, plain, call)                                                                                                                \
	template <class T>                                                                                                                                     \
	TILE_CORE void tile_##name(const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &a, const AscendC::LocalTensor<T> &w, uint32_t rows,        \
				   uint32_t columns)                                                                                                           \
	{                                                                                                                                                      \
		const AscendC::LocalTensor<T> rest = w[TILE_BLOCK / sizeof(T)];                                                                                \
                                                                                                                                                               \
		if (!tile_is_aligned<T>(columns)) {                                                                                                            \
			tile_##plain<typename tile_type<T>::Type>(d, a, rows, columns);                                                                        \
			return;                                                                                                                                \
		}                                                                                                                                              \
		for (uint32_t row = 0; row < rows; row++) {                                                                                                    \
			call;                                                                                                                                  \
			AscendC::PipeBarrier<PIPE_ALL>();                                                                                                      \
			tile_set(d, row, tile_get(w, 0));                                                                                                      \
			AscendC::PipeBarrier<PIPE_ALL>();                                                                                                      \
		}                                                                                                                                              \
	}
TILE_ROW_INSTRUCTION(row_sum, rowsum, AscendC::ReduceSum(w, a[row * columns], rest, (int32_t)columns))
TILE_ROW_INSTRUCTION(row_max, rowmax, AscendC::ReduceMax(w, a[row * columns], rest, (int32_t)columns, false))
TILE_ROW_INSTRUCTION(row_min, rowmin, AscendC::ReduceMin(w, a[row * columns], rest, (int32_t)columns, false))

/* Row by row, in order. */
#define TILE_COLUMN_INSTRUCTION(name, plain, instruction)                                                                                                      \
	template <class T> TILE_CORE void tile_##name(const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &a, uint32_t rows, uint32_t columns)     \
	{                                                                                                                                                      \
		if (!tile_is_aligned<T>(columns)) {                                                                                                            \
			tile_##plain<typename tile_type<T>::Type>(d, a, rows, columns);                                                                        \
			return;                                                                                                                                \
		}                                                                                                                                              \
		tile_move(d, a, columns);                                                                                                                      \
		for (uint32_t row = 1; row < rows; row++) {                                                                                                    \
			AscendC::PipeBarrier<PIPE_V>();                                                                                                        \
			AscendC::instruction(d, d, a[row * columns], (int32_t)columns);                                                                        \
		}                                                                                                                                              \
	}
TILE_COLUMN_INSTRUCTION(col_sum, colsum, Add)
TILE_COLUMN_INSTRUCTION(col_max, colmax, Max)
TILE_COLUMN_INSTRUCTION(col_min, colmin, Min)

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
#define TILE_ROW_COMBINE(name, parameter, instruction, plain)                                                                                                  \
	template <class T>                                                                                                                                     \
	TILE_CORE void tile_##name(const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &a, const AscendC::LocalTensor<T> &b parameter,             \
				   uint32_t rows, uint32_t columns)                                                                                            \
	{                                                                                                                                                      \
		typedef typename tile_type<T>::Type Type;                                                                                                      \
                                                                                                                                                               \
		AscendC::PipeBarrier<PIPE_ALL>();                                                                                                              \
		for (uint32_t row = 0; row < rows && tile_is_aligned<T>(columns); row++) {                                                                     \
			const T s = tile_value<T>(tile_get(b, row));                                                                                           \
                                                                                                                                                               \
			instruction;                                                                                                                           \
		}                                                                                                                                              \
		for (uint32_t at = 0; at < rows * columns && !tile_is_aligned<T>(columns); at++) {                                                             \
			const typename Type::C x = Type::get(tile_get(a, at)), y = Type::get(tile_get(b, at / columns));                                       \
                                                                                                                                                               \
			tile_set(d, at, Type::put(plain));                                                                                                     \
		}                                                                                                                                              \
		AscendC::PipeBarrier<PIPE_ALL>();                                                                                                              \
	}
#define TILE_WORK , const AscendC::LocalTensor<T> &w
TILE_ROW_COMBINE(row_mul, , AscendC::Muls(d[row * columns], a[row * columns], s, (int32_t)columns), x *y)
TILE_ROW_COMBINE(row_div, TILE_WORK, tile_divide_by(d[row * columns], a[row * columns], s, w, (int32_t)columns); AscendC::PipeBarrier<PIPE_V>(), x / y)
TILE_ROW_COMBINE(row_sub, TILE_WORK, (void)w; AscendC::Adds(d[row * columns], a[row * columns], tile_negated(s), (int32_t)columns), x - y)
#undef TILE_WORK

#endif
