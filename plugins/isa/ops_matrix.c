/* SPDX-License-Identifier: MIT */
/* ops_matrix.c - products of tiles. Each element of the result adds its products in ascending k, every product rounded first;
 * blocks only decide which elements are worked on at the same time. There are four ways to compute: f32, f64, and unsigned
 * integers of 32 and 64 bits, which wrap like signed ones. Elements of other types are widened into temporary memory first,
 * and a result of another type is made there and narrowed. */
#include "isa/ops.h"

/* Vectors by name, because compilers do not find by themselves how to keep a block of accumulators in registers. */
typedef float f32x4 __attribute__((vector_size(16)));
typedef double f64x2 __attribute__((vector_size(16)));
typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef uint64_t u64x2 __attribute__((vector_size(16)));

enum { BLOCK_ROWS = 4 };

/* d[rows x 2 vectors] += a[rows x k_count] x b[k_count x 2 vectors], rows of n, k_count and n elements; for 4 rows and for one.
 * The accumulators have names of their own: an array of them would live in memory. */
#define BLOCKS(T, V, suffix)                                                                                           \
	static inline V load_##suffix(const T *from)                                                                   \
	{                                                                                                              \
		V v;                                                                                                   \
                                                                                                                       \
		memcpy(&v, from, sizeof(v));                                                                           \
		return v;                                                                                              \
	}                                                                                                              \
	static inline void store_##suffix(T *to, V v)                                                                  \
	{                                                                                                              \
		memcpy(to, &v, sizeof(v));                                                                             \
	}                                                                                                              \
	static void block_##suffix(T *d, const T *a, const T *b, size_t k_count, size_t n)                             \
	{                                                                                                              \
		T *const d1 = d + n, *const d2 = d1 + n, *const d3 = d2 + n;                                           \
		const T *const a1 = a + k_count, *const a2 = a1 + k_count, *const a3 = a2 + k_count;                   \
		V p0 = load_##suffix(d), q0 = load_##suffix(d + (sizeof(V) / sizeof(T)));                                                \
		V p1 = load_##suffix(d1), q1 = load_##suffix(d1 + (sizeof(V) / sizeof(T)));                                              \
		V p2 = load_##suffix(d2), q2 = load_##suffix(d2 + (sizeof(V) / sizeof(T)));                                              \
		V p3 = load_##suffix(d3), q3 = load_##suffix(d3 + (sizeof(V) / sizeof(T)));                                              \
                                                                                                                       \
		for (size_t k = 0; k < k_count; k++, b += n) {                                                         \
			const V left = load_##suffix(b), right = load_##suffix(b + (sizeof(V) / sizeof(T)));                             \
                                                                                                                       \
			p0 += a[k] * left;                                                                             \
			q0 += a[k] * right;                                                                            \
			p1 += a1[k] * left;                                                                            \
			q1 += a1[k] * right;                                                                           \
			p2 += a2[k] * left;                                                                            \
			q2 += a2[k] * right;                                                                           \
			p3 += a3[k] * left;                                                                            \
			q3 += a3[k] * right;                                                                           \
		}                                                                                                      \
		store_##suffix(d, p0);                                                                                 \
		store_##suffix(d + (sizeof(V) / sizeof(T)), q0);                                                                         \
		store_##suffix(d1, p1);                                                                                \
		store_##suffix(d1 + (sizeof(V) / sizeof(T)), q1);                                                                        \
		store_##suffix(d2, p2);                                                                                \
		store_##suffix(d2 + (sizeof(V) / sizeof(T)), q2);                                                                        \
		store_##suffix(d3, p3);                                                                                \
		store_##suffix(d3 + (sizeof(V) / sizeof(T)), q3);                                                                        \
	}                                                                                                              \
	static void row_##suffix(T *d, const T *a, const T *b, size_t k_count, size_t n)                               \
	{                                                                                                              \
		V p = load_##suffix(d), q = load_##suffix(d + (sizeof(V) / sizeof(T)));                                                  \
                                                                                                                       \
		for (size_t k = 0; k < k_count; k++, b += n) {                                                         \
			p += a[k] * load_##suffix(b);                                                                  \
			q += a[k] * load_##suffix(b + (sizeof(V) / sizeof(T)));                                                          \
		}                                                                                                      \
		store_##suffix(d, p);                                                                                  \
		store_##suffix(d + (sizeof(V) / sizeof(T)), q);                                                                          \
	}

/* d (m x n) += a (m x k_count) x b (k_count x n); d does not overlap a or b. */
#define PRODUCT(T, V, suffix)                                                                                          \
	BLOCKS(T, V, suffix)                                                                                           \
	static void product_##suffix(T *d, const T *a, const T *b, size_t m, size_t k_count, size_t n)                 \
	{                                                                                                              \
		const size_t columns = 2 * sizeof(V) / sizeof(T), full = n - n % columns;                             \
		size_t i = 0;                                                                                          \
                                                                                                                       \
		for (; i + BLOCK_ROWS <= m; i += BLOCK_ROWS)                                                           \
			for (size_t j = 0; j < full; j += columns)                                               \
				block_##suffix(d + i * n + j, a + i * k_count, b + j, k_count, n);                     \
		for (; i < m; i++)                                                                                     \
			for (size_t j = 0; j < full; j += columns)                                               \
				row_##suffix(d + i * n + j, a + i * k_count, b + j, k_count, n);                       \
		for (i = 0; i < m; i++)                                                                                \
			for (size_t j = full; j < n; j++) {                                                            \
				T acc = d[i * n + j];                                                                  \
                                                                                                                       \
				for (size_t k = 0; k < k_count; k++)                                                   \
					acc += a[i * k_count + k] * b[k * n + j];                                      \
				d[i * n + j] = acc;                                                                    \
			}                                                                                              \
	}
PRODUCT(float, f32x4, f32)
PRODUCT(double, f64x2, f64)
PRODUCT(uint32_t, u32x4, u32)
PRODUCT(uint64_t, u64x2, u64)

/* X(type, how it is computed) */
#define COMPUTED(X) \
	X(f32, f32) X(f16, f32) X(bf16, f32) X(f64, f64) X(i8, u32) X(i16, u32) X(i32, u32) X(i64, u64) X(u8, u32) X(u16, u32) \
	X(u32, u32) X(u64, u64)

/* Elements as they are computed with, and back. */
#define WIDEN(type, how)                                                                                                       \
	static void widen_##type(void *to, const void *from, size_t count)                                                     \
	{                                                                                                                      \
		isa_c_##how *d = to;                                                                                           \
		const isa_s_##type *x = from;                                                                                  \
                                                                                                                               \
		for (size_t i = 0; i < count; i++)                                                                             \
			d[i] = (isa_c_##how)isa_get_##type(x[i]);                                                              \
	}                                                                                                                      \
	static void narrow_##type(void *to, const void *from, size_t count)                                                    \
	{                                                                                                                      \
		isa_s_##type *d = to;                                                                                          \
		const isa_c_##how *x = from;                                                                                   \
                                                                                                                               \
		for (size_t i = 0; i < count; i++)                                                                             \
			d[i] = isa_put_##type(x[i]);                                                                           \
	}
COMPUTED(WIDEN)
typedef void (*convert_fn)(void *to, const void *from, size_t count);
static const convert_fn widen[ISA_DTYPES] = {
#define ENTRY(type, how) [ISA_CODE_##type] = widen_##type,
	COMPUTED(ENTRY)
#undef ENTRY
};
static const convert_fn narrow[ISA_DTYPES] = {
#define ENTRY(type, how) [ISA_CODE_##type] = narrow_##type,
	COMPUTED(ENTRY)
#undef ENTRY
};

/* The tiles of one product in what it is computed in. */
struct operands {
	void *d;
	const void *a, *b;
	unsigned char *temp; /* free from here */
};

static bool is_computed(unsigned dtype)
{
	const struct isa_element *e = isa_element(dtype);

	return e->computed == dtype;
}

static void *temp_take(struct operands *o, size_t count, size_t size)
{
	void *taken = o->temp;

	o->temp += (count * size + ISA_ALIGN - 1) / ISA_ALIGN * ISA_ALIGN;
	return taken;
}

/* isa_matrix_temp says how much of this there is. */
static const void *source(struct operands *o, const struct isa_state *state, const struct isa_operand *tile, size_t size)
{
	const void *here = isa_tile(state, tile);
	void *wide;

	if (is_computed(tile->dtype))
		return here;
	wide = temp_take(o, isa_count(tile), size);
	widen[tile->dtype](wide, here, isa_count(tile));
	return wide;
}

static struct operands operands_begin(const struct isa_step *s, const struct isa_state *state, const struct isa_operand *a,
				      const struct isa_operand *b, size_t size)
{
	struct operands o = {.temp = isa_temp(state)};

	o.d = s->copy || !is_computed(s->d.dtype) ? temp_take(&o, isa_count(&s->d), size) : isa_tile(state, &s->d);
	o.a = source(&o, state, a, size);
	o.b = source(&o, state, b, size);
	return o;
}

static ptowsp_status operands_end(const struct isa_step *s, const struct isa_state *state, const struct operands *o)
{
	if (!is_computed(s->d.dtype))
		narrow[s->d.dtype](isa_tile(state, &s->d), o->d, isa_count(&s->d));
	else if (s->copy)
		memcpy(isa_tile(state, &s->d), o->d, isa_bytes(&s->d));
	return PTOWSP_OK;
}

/* The accumulator or the bias, which have the result's type, widened into `to`. */
static void start(void *to, const struct isa_state *state, const struct isa_operand *tile)
{
	if (is_computed(tile->dtype))
		memmove(to, isa_tile(state, tile), isa_bytes(tile));
	else
		widen[tile->dtype](to, isa_tile(state, tile), isa_count(tile));
}

static size_t aligned(size_t bytes)
{
	return (bytes + ISA_ALIGN - 1) / ISA_ALIGN * ISA_ALIGN;
}

static size_t wide_bytes(const struct ptowsp_tile_tile *t, bool always)
{
	const struct isa_element *e = isa_element(t->dtype);

	if (e->computed == t->dtype && !always)
		return 0;
	return aligned((size_t)t->rows * t->columns * isa_element(e->computed)->bytes);
}

size_t isa_matrix_temp(const struct ptowsp_tile_tile *d, const struct ptowsp_tile_tile *const *src, unsigned count, bool copy)
{
	size_t bytes = wide_bytes(d, copy);

	for (unsigned i = 0; i < count; i++)
		bytes += wide_bytes(src[i], false);
	return bytes;
}

#define MATMUL(how)                                                                                                            \
	static ptowsp_status tmatmul_##how(const struct isa_step *s, struct isa_state *state)                                  \
	{                                                                                                                      \
		const size_t size = sizeof(isa_c_##how);                                                                       \
		struct operands o = operands_begin(s, state, &s->a, &s->b, size);                                              \
                                                                                                                               \
		memset(o.d, 0, isa_count(&s->d) * size);                                                                       \
		product_##how(o.d, o.a, o.b, s->a.rows, s->a.columns, s->b.columns);                                           \
		return operands_end(s, state, &o);                                                                             \
	}                                                                                                                      \
	/* The sum starts from the accumulator. */                                                                             \
	static ptowsp_status tmatmul_acc_##how(const struct isa_step *s, struct isa_state *state)                              \
	{                                                                                                                      \
		struct operands o = operands_begin(s, state, &s->b, &s->c, sizeof(isa_c_##how));                               \
                                                                                                                               \
		start(o.d, state, &s->a);                                                                                      \
		product_##how(o.d, o.a, o.b, s->b.rows, s->b.columns, s->c.columns);                                           \
		return operands_end(s, state, &o);                                                                             \
	}                                                                                                                      \
	/* The bias is added to the finished sum. */                                                                           \
	static ptowsp_status tmatmul_bias_##how(const struct isa_step *s, struct isa_state *state)                             \
	{                                                                                                                      \
		const size_t size = sizeof(isa_c_##how), n = s->d.columns;                                                     \
		struct operands o = operands_begin(s, state, &s->a, &s->b, size);                                              \
		const isa_c_##how *bias = source(&o, state, &s->c, size);                                                      \
		isa_c_##how *d = o.d;                                                                                          \
                                                                                                                               \
		memset(d, 0, isa_count(&s->d) * size);                                                                         \
		product_##how(d, o.a, o.b, s->a.rows, s->a.columns, n);                                                        \
		for (size_t i = 0; i < s->d.rows; i++)                                                                         \
			ISA_VECTOR for (size_t j = 0; j < n; j++)                                                              \
			{                                                                                                      \
				d[i * n + j] += bias[j];                                                                       \
			}                                                                                                      \
		return operands_end(s, state, &o);                                                                             \
	}                                                                                                                      \
	/* Scales are applied, and rounded, before the product. */                                                             \
	static ptowsp_status tmatmul_mx_##how(const struct isa_step *s, struct isa_state *state)                               \
	{                                                                                                                      \
		const size_t size = sizeof(isa_c_##how), n = s->c.columns, k_count = s->a.columns;                             \
		const size_t a_share = k_count / s->b.columns, b_share = k_count / s->f.rows;                                  \
		struct operands o = operands_begin(s, state, &s->a, &s->c, size);                                              \
		const isa_c_##how *a_scale = source(&o, state, &s->b, size), *b_scale = source(&o, state, &s->f, size);        \
		const isa_c_##how *a = o.a, *b = o.b;                                                                          \
		isa_c_##how *d = o.d;                                                                                          \
                                                                                                                               \
		memset(d, 0, isa_count(&s->d) * size);                                                                         \
		for (size_t i = 0; i < s->a.rows; i++)                                                                         \
			for (size_t k = 0; k < k_count; k++) {                                                                 \
				const isa_c_##how v = a[i * k_count + k] * a_scale[i * s->b.columns + k / a_share];            \
				const isa_c_##how *row = b + k * n, *scale = b_scale + k / b_share * n;                        \
				isa_c_##how *to = d + i * n;                                                                   \
                                                                                                                               \
				ISA_VECTOR for (size_t j = 0; j < n; j++)                                                      \
				{                                                                                              \
					const isa_c_##how w = row[j] * scale[j];                                               \
                                                                                                                               \
					to[j] += v * w;                                                                        \
				}                                                                                              \
			}                                                                                                      \
		return operands_end(s, state, &o);                                                                             \
	}
MATMUL(f32)
MATMUL(f64)
MATMUL(u32)
MATMUL(u64)

const struct isa_kernel isa_ops_matrix[] = {
#define ENTRY_PLAIN(type, how) [ISA_CODE_##type] = tmatmul_##how,
#define ENTRY_ACC(type, how) [ISA_CODE_##type] = tmatmul_acc_##how,
#define ENTRY_BIAS(type, how) [ISA_CODE_##type] = tmatmul_bias_##how,
#define ENTRY_MX(type, how) [ISA_CODE_##type] = tmatmul_mx_##how,
	{.op = PTOWSP_PTO_TMATMUL, .run = {COMPUTED(ENTRY_PLAIN)}},
	{.op = PTOWSP_PTO_TMATMUL_ACC, .run = {COMPUTED(ENTRY_ACC)}},
	{.op = PTOWSP_PTO_TMATMUL_BIAS, .run = {COMPUTED(ENTRY_BIAS)}},
	{.op = PTOWSP_PTO_TMATMUL_MX, .run = {COMPUTED(ENTRY_MX)}},
	{.op = 0},
};
