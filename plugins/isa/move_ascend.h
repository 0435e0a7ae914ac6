/* SPDX-License-Identifier: MIT */
/* move_ascend.h - elements that change places in Ascend C: transposing, extracting, gathering, scattering, sorting. Part of kernel_ascend.h, which includes
 * it. */
#ifndef ISA_MOVE_ASCEND_H
#define ISA_MOVE_ASCEND_H

/* ---- by elements -------------------------------------------------------------------------------------------------------- */

/* d may be a: by way of the work tile. */
template <class T>
TILE_CORE void tile_trans(const AscendC::LocalTensor<T> &d, const AscendC::LocalTensor<T> &w, const AscendC::LocalTensor<T> &a, uint32_t rows, uint32_t columns)
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
TILE_CORE void tile_sort32(const AscendC::LocalTensor<typename Type::T> &d, const AscendC::LocalTensor<I> &e, const AscendC::LocalTensor<typename Type::T> &a,
			   uint32_t count)
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

#endif
