/* SPDX-License-Identifier: MIT */
/* tile_cuda.h - operations on tiles in CUDA that are more than a loop over elements: by indices, reductions, sorting, products. Part of kernel_cuda.h, which
 * includes it. */
#ifndef ISA_TILE_CUDA_H
#define ISA_TILE_CUDA_H

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
		tile_element_move((unsigned char *)d + i * bytes, (const unsigned char *)a + (size_t)tile_index(index, is_unsigned, i) / unit * bytes, bytes);
	__syncthreads();
	return PTOWSP_OK;
}
#define tile_gather(call, place, mnemonic, d, a, a_count, index, index_name, is_unsigned, count, bytes, unit, of_unit)                                         \
	tile_gather_by(call, place, d, a, a_count, index, is_unsigned, count, bytes, unit)

/* A thread has a column, and goes down its rows: the last one that names a place wins. */
TILE_DEVICE ptowsp_status tile_scatter_by(struct tile_call *call, const char *place, void *d, uint32_t rows, const void *a, const void *index, int is_unsigned,
					  size_t count, uint32_t columns, size_t bytes)
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
#define tile_scatter(call, place, d, rows, a, index, index_name, is_unsigned, count, columns, bytes)                                                           \
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

TILE_DEVICE ptowsp_status tile_mgather(struct tile_call *call, const char *place, void *d, uint32_t param, const void *index, int is_unsigned, size_t count,
				       size_t bytes)
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

TILE_DEVICE ptowsp_status tile_extract_at(struct tile_call *call, const char *place, void *d, uint32_t rows, uint32_t columns, const void *a, uint32_t a_rows,
					  uint32_t a_columns, int64_t r, int64_t c, size_t bytes)
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
#define tile_extract(call, place, d, rows, columns, a, a_rows, a_columns, a_name, r, c, bytes)                                                                 \
	tile_extract_at(call, place, d, rows, columns, a, a_rows, a_columns, r, c, bytes)

/* ---- reductions, a thread per row or column, strictly in order ------------------------------------------------------ */

#define TILE_LINE_REDUCE(type, name, line, lines, length, first, next)                                                                                         \
	TILE_DEVICE void tile_##name##_##type(isa_s_##type *d, const isa_s_##type *x, size_t rows, size_t columns)                                             \
	{                                                                                                                                                      \
		typedef isa_c_##type C;                                                                                                                        \
		typedef isa_w_##type W;                                                                                                                        \
                                                                                                                                                               \
		for (size_t i = threadIdx.x; i < (lines); i += blockDim.x) {                                                                                   \
			size_t j = 0;                                                                                                                          \
			C v = isa_get_##type(x[line]);                                                                                                         \
			W sum = first;                                                                                                                         \
                                                                                                                                                               \
			for (j = 1; j < (length); j++) {                                                                                                       \
				const C acc = (C)sum;                                                                                                          \
                                                                                                                                                               \
				v = isa_get_##type(x[line]);                                                                                                   \
				sum = next;                                                                                                                    \
			}                                                                                                                                      \
			d[i] = isa_put_##type(sum);                                                                                                            \
		}                                                                                                                                              \
		__syncthreads();                                                                                                                               \
	}
#define TILE_REDUCE(type, ...)                                                                                                                                 \
	TILE_LINE_REDUCE(type, rowsum, i *columns + j, rows, columns, (W)0 + (W)v, (W)acc + (W)v)                                                              \
	TILE_LINE_REDUCE(type, rowmax, i *columns + j, rows, columns, (W)v, (W)(v > acc ? v : acc))                                                            \
	TILE_LINE_REDUCE(type, rowmin, i *columns + j, rows, columns, (W)v, (W)(v < acc ? v : acc))                                                            \
	TILE_LINE_REDUCE(type, colsum, j *columns + i, columns, rows, (W)0 + (W)v, (W)acc + (W)v)                                                              \
	TILE_LINE_REDUCE(type, colmax, j *columns + i, columns, rows, (W)v, (W)(v > acc ? v : acc))                                                            \
	TILE_LINE_REDUCE(type, colmin, j *columns + i, columns, rows, (W)v, (W)(v < acc ? v : acc))
ISA_NUMBERS(TILE_REDUCE, )

#define TILE_TRANSPOSE(type, ...)                                                                                                                              \
	TILE_DEVICE void tile_trans_##type(isa_s_##type *d, const isa_s_##type *x, size_t rows, size_t columns)                                                \
	{                                                                                                                                                      \
		for (size_t at = threadIdx.x; at < rows * columns; at += blockDim.x)                                                                           \
			d[at] = x[at % columns * rows + at / columns];                                                                                         \
		__syncthreads();                                                                                                                               \
	}
ISA_TYPES(TILE_TRANSPOSE, )

/* ---- sorting: descending and stable, a NaN after every number; a thread per 32 elements, and one that merges --------- */

#define TILE_SORT(type, before)                                                                                                                                \
	TILE_DEVICE int tile_before_##type(isa_s_##type first, isa_s_##type second)                                                                            \
	{                                                                                                                                                      \
		const isa_c_##type a = isa_get_##type(first), b = isa_get_##type(second);                                                                      \
                                                                                                                                                               \
		return before;                                                                                                                                 \
	}                                                                                                                                                      \
	TILE_DEVICE void tile_sort32_##type(isa_s_##type *d, int32_t *e, const isa_s_##type *x, size_t count)                                                  \
	{                                                                                                                                                      \
		for (size_t first = TILE_SORTED * (size_t)threadIdx.x; first < count; first += TILE_SORTED * (size_t)blockDim.x) {                             \
			const size_t n = count - first < TILE_SORTED ? count - first : TILE_SORTED;                                                            \
			isa_s_##type value[TILE_SORTED];                                                                                                       \
			int32_t index[TILE_SORTED];                                                                                                            \
                                                                                                                                                               \
			for (size_t i = 0; i < n; i++) {                                                                                                       \
				const isa_s_##type v = x[first + i];                                                                                           \
				size_t at = i;                                                                                                                 \
                                                                                                                                                               \
				for (; at > 0 && tile_before_##type(v, value[at - 1]); at--) {                                                                 \
					value[at] = value[at - 1];                                                                                             \
					index[at] = index[at - 1];                                                                                             \
				}                                                                                                                              \
				value[at] = v;                                                                                                                 \
				index[at] = (int32_t)(first + i);                                                                                              \
			}                                                                                                                                      \
			for (size_t i = 0; i < n; i++) {                                                                                                       \
				d[first + i] = value[i];                                                                                                       \
				e[first + i] = index[i];                                                                                                       \
			}                                                                                                                                      \
		}                                                                                                                                              \
		__syncthreads();                                                                                                                               \
	}                                                                                                                                                      \
	TILE_DEVICE void tile_mrgsort_##type(isa_s_##type *d, size_t count, const isa_s_##type *a, size_t a_count, const isa_s_##type *b, size_t b_count)      \
	{                                                                                                                                                      \
		size_t i = 0, j = 0;                                                                                                                           \
                                                                                                                                                               \
		for (size_t k = 0; threadIdx.x == 0 && k < count; k++)                                                                                         \
			d[k] = j == b_count || (i < a_count && !tile_before_##type(b[j], a[i])) ? a[i++] : b[j++];                                             \
		__syncthreads();                                                                                                                               \
	}
ISA_FLOATS(TILE_SORT, a > b || (a == a && b != b))
ISA_INTEGERS(TILE_SORT, a > b)

/* ---- products: a thread per element, k ascending -------------------------------------------------------------------- */

#define TILE_PRODUCT(how)                                                                                                                                      \
	TILE_DEVICE void product_##how(isa_c_##how *d, const isa_c_##how *c, const isa_c_##how *a, const isa_c_##how *b, size_t m, size_t k_count, size_t n)   \
	{                                                                                                                                                      \
		for (size_t at = threadIdx.x; at < m * n; at += blockDim.x) {                                                                                  \
			const size_t row = at / n, column = at % n;                                                                                            \
			isa_c_##how sum = c ? c[at] : 0;                                                                                                       \
                                                                                                                                                               \
			for (size_t k = 0; k < k_count; k++)                                                                                                   \
				sum += a[row * k_count + k] * b[k * n + column];                                                                               \
			d[at] = sum;                                                                                                                           \
		}                                                                                                                                              \
		__syncthreads();                                                                                                                               \
	}                                                                                                                                                      \
	TILE_DEVICE void product_bias_##how(isa_c_##how *d, const isa_c_##how *bias, size_t m, size_t n)                                                       \
	{                                                                                                                                                      \
		for (size_t at = threadIdx.x; at < m * n; at += blockDim.x)                                                                                    \
			d[at] += bias[at % n];                                                                                                                 \
		__syncthreads();                                                                                                                               \
	}                                                                                                                                                      \
	TILE_DEVICE void product_scaled_##how(isa_c_##how *d, const isa_c_##how *a, const isa_c_##how *a_scale, size_t a_share, const isa_c_##how *b,          \
					      const isa_c_##how *b_scale, size_t b_share, size_t m, size_t k_count, size_t n)                                  \
	{                                                                                                                                                      \
		for (size_t at = threadIdx.x; at < m * n; at += blockDim.x) {                                                                                  \
			const size_t row = at / n, column = at % n;                                                                                            \
			isa_c_##how sum = 0;                                                                                                                   \
                                                                                                                                                               \
			for (size_t k = 0; k < k_count; k++) {                                                                                                 \
				const isa_c_##how v = a[row * k_count + k] * a_scale[row * (k_count / a_share) + k / a_share];                                 \
				const isa_c_##how w = b[k * n + column] * b_scale[k / b_share * n + column];                                                   \
                                                                                                                                                               \
				sum += v * w;                                                                                                                  \
			}                                                                                                                                      \
			d[at] = sum;                                                                                                                           \
		}                                                                                                                                              \
		__syncthreads();                                                                                                                               \
	}
TILE_PRODUCT(f32)
TILE_PRODUCT(f64)
TILE_PRODUCT(u32)
TILE_PRODUCT(u64)

#define TILE_CONVERT(type, how)                                                                                                                                \
	TILE_DEVICE void product_widen_##type(isa_c_##how *to, const isa_s_##type *from, size_t count)                                                         \
	{                                                                                                                                                      \
		for (size_t at = threadIdx.x; at < count; at += blockDim.x)                                                                                    \
			to[at] = (isa_c_##how)isa_get_##type(from[at]);                                                                                        \
		__syncthreads();                                                                                                                               \
	}                                                                                                                                                      \
	TILE_DEVICE void product_narrow_##type(isa_s_##type *to, const isa_c_##how *from, size_t count)                                                        \
	{                                                                                                                                                      \
		for (size_t at = threadIdx.x; at < count; at += blockDim.x)                                                                                    \
			to[at] = isa_put_##type(from[at]);                                                                                                     \
		__syncthreads();                                                                                                                               \
	}
TILE_CONVERT(f16, f32)
TILE_CONVERT(bf16, f32)
TILE_CONVERT(i8, u32)
TILE_CONVERT(i16, u32)
TILE_CONVERT(u8, u32)
TILE_CONVERT(u16, u32)

#endif
