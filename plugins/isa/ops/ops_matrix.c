/* SPDX-License-Identifier: MIT */
/* ops_matrix.c - the instructions that multiply tiles: operands of product.h found, widened into temporary memory where their type is
 * not what is computed in, and a result of another type made there and narrowed. Compiled again with ISA_FAST for numerics=fast: then
 * products of floats may be fused with their sums (isa.ninja). */
#ifdef ISA_FAST
#define PRODUCT_FAST
#endif
#include "isa/ops/isa_ops.h"
#include "isa/product.h"

/* The conversions of product.h behind one type of function. */
#define CONVERT(type, how)                                                                                                                                     \
	static void widen_##type(void *to, const void *from, size_t count)                                                                                     \
	{                                                                                                                                                      \
		product_widen_##type(to, from, count);                                                                                                         \
	}                                                                                                                                                      \
	static void narrow_##type(void *to, const void *from, size_t count)                                                                                    \
	{                                                                                                                                                      \
		product_narrow_##type(to, from, count);                                                                                                        \
	}
PRODUCT_WIDENED(CONVERT)

typedef void (*convert_fn)(void *to, const void *from, size_t count);
static const convert_fn widen[ISA_DTYPES] = {
#define ENTRY(type, how) [ISA_CODE_##type] = widen_##type,
	PRODUCT_WIDENED(ENTRY)
#undef ENTRY
};
static const convert_fn narrow[ISA_DTYPES] = {
#define ENTRY(type, how) [ISA_CODE_##type] = narrow_##type,
	PRODUCT_WIDENED(ENTRY)
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
	const void *here = isa_factor(state, tile);
	void *wide;

	if (is_computed(tile->dtype))
		return here;
	wide = temp_take(o, isa_count(tile), size);
	widen[tile->dtype](wide, here, isa_count(tile));
	return wide;
}

static struct operands operands_begin(const struct isa_step *s, const struct isa_state *state, const struct isa_operand *a, const struct isa_operand *b,
				      size_t size)
{
	struct operands o = {.temp = isa_temp(state)};

	o.d = s->copy || !is_computed(s->d.dtype) ? temp_take(&o, isa_count(&s->d), size) : isa_tile(state, &s->d);
	o.a = source(&o, state, a, size);
	o.b = source(&o, state, b, size);
	return o;
}

/* status: of the product; there is none to take if it was stopped. */
static ptowsp_status operands_end(const struct isa_step *s, const struct isa_state *state, const struct operands *o, ptowsp_status status)
{
	if (status)
		return status;
	if (!is_computed(s->d.dtype))
		narrow[s->d.dtype](isa_tile(state, &s->d), o->d, isa_count(&s->d));
	else if (s->copy)
		memcpy(isa_tile(state, &s->d), o->d, isa_bytes(&s->d));
	return PTOWSP_OK;
}

/* The accumulator or the bias, which have the result's type, widened into `to`. */
static void start(void *to, const struct isa_state *state, const struct isa_operand *tile)
{
	if (!is_computed(tile->dtype))
		widen[tile->dtype](to, isa_tile(state, tile), isa_count(tile));
	else if (to != isa_tile(state, tile))
		memcpy(to, isa_tile(state, tile), isa_bytes(tile));
}

#ifndef ISA_FAST
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

#endif

enum { PACKET = 16 }; /* the most rows that product.h takes together */

/* Rows of a product between two looks at the guard: whole packets of product.h, so that the bits are those of one call. */
static size_t rows_at_once(size_t k_count, size_t n)
{
	const uint64_t row = (uint64_t)k_count * n, rows = row < ISA_WORK_SLICE ? ISA_WORK_SLICE / (row + 1) : 0;

	return (size_t)rows / PACKET * PACKET + PACKET;
}

#define MATMUL(how)                                                                                                                                            \
	static ptowsp_status rows_##how(const struct isa_state *state, isa_c_##how *d, const isa_c_##how *c, const isa_c_##how *a, const isa_c_##how *b,       \
					size_t m, size_t k_count, size_t n)                                                                                    \
	{                                                                                                                                                      \
		const size_t most = rows_at_once(k_count, n);                                                                                                  \
                                                                                                                                                               \
		for (size_t i = 0; i < m; i += most) {                                                                                                         \
			if (i && isa_state_over(state))                                                                                                        \
				return isa_state_stopped(state);                                                                                               \
			product_##how(d + i * n, c ? c + i * n : NULL, a + i * k_count, b, m - i < most ? m - i : most, k_count, n);                           \
		}                                                                                                                                              \
		return PTOWSP_OK;                                                                                                                              \
	}                                                                                                                                                      \
	static ptowsp_status tmatmul_##how(const struct isa_step *s, struct isa_state *state)                                                                  \
	{                                                                                                                                                      \
		const size_t size = sizeof(isa_c_##how);                                                                                                       \
		struct operands o = operands_begin(s, state, &s->a, &s->b, size);                                                                              \
                                                                                                                                                               \
		return operands_end(s, state, &o, rows_##how(state, o.d, NULL, o.a, o.b, s->a.rows, s->a.columns, s->b.columns));                              \
	}                                                                                                                                                      \
	/* The sum starts from the accumulator. */                                                                                                             \
	static ptowsp_status tmatmul_acc_##how(const struct isa_step *s, struct isa_state *state)                                                              \
	{                                                                                                                                                      \
		struct operands o = operands_begin(s, state, &s->b, &s->c, sizeof(isa_c_##how));                                                               \
                                                                                                                                                               \
		start(o.d, state, &s->a);                                                                                                                      \
		return operands_end(s, state, &o, rows_##how(state, o.d, o.d, o.a, o.b, s->b.rows, s->b.columns, s->c.columns));                               \
	}                                                                                                                                                      \
	/* The bias is added to the finished sum. */                                                                                                           \
	static ptowsp_status tmatmul_bias_##how(const struct isa_step *s, struct isa_state *state)                                                             \
	{                                                                                                                                                      \
		const size_t size = sizeof(isa_c_##how), n = s->d.columns;                                                                                     \
		struct operands o = operands_begin(s, state, &s->a, &s->b, size);                                                                              \
		const isa_c_##how *bias = source(&o, state, &s->c, size);                                                                                      \
		const ptowsp_status status = rows_##how(state, o.d, NULL, o.a, o.b, s->a.rows, s->a.columns, n);                                               \
                                                                                                                                                               \
		if (!status)                                                                                                                                   \
			product_bias_##how(o.d, bias, s->d.rows, n);                                                                                           \
		return operands_end(s, state, &o, status);                                                                                                     \
	}                                                                                                                                                      \
	/* Scales are applied, and rounded, before the product. */                                                                                             \
	static ptowsp_status tmatmul_mx_##how(const struct isa_step *s, struct isa_state *state)                                                               \
	{                                                                                                                                                      \
		const size_t size = sizeof(isa_c_##how), k_count = s->a.columns;                                                                               \
		struct operands o = operands_begin(s, state, &s->a, &s->c, size);                                                                              \
		const isa_c_##how *a_scale = source(&o, state, &s->b, size), *b_scale = source(&o, state, &s->f, size);                                        \
		const size_t m = s->a.rows, n = s->c.columns, shares = s->b.columns, most = rows_at_once(k_count, n);                                          \
		isa_c_##how *d = o.d;                                                                                                                          \
		const isa_c_##how *a = o.a;                                                                                                                    \
		ptowsp_status status = PTOWSP_OK;                                                                                                              \
                                                                                                                                                               \
		for (size_t i = 0; i < m && !status; i += most)                                                                                                \
			if (i && isa_state_over(state))                                                                                                        \
				status = isa_state_stopped(state);                                                                                             \
			else                                                                                                                                   \
				product_scaled_##how(d + i * n, a + i * k_count, a_scale + i * shares, k_count / shares, o.b, b_scale, k_count / s->f.rows,    \
						     m - i < most ? m - i : most, k_count, n);                                                                 \
		return operands_end(s, state, &o, status);                                                                                                     \
	}
MATMUL(f32)
MATMUL(f64)
#ifdef ISA_FAST
#define TABLE isa_ops_matrix_fast
#define TYPES(X)                                                                                                                                               \
	X(f32, f32)                                                                                                                                            \
	X(f64, f64)                                                                                                                                            \
	X(f16, f32)                                                                                                                                            \
	X(bf16, f32)
#else
#define TABLE isa_ops_matrix
#define TYPES PRODUCT_TYPES
MATMUL(u32)
MATMUL(u64)
#endif

const struct isa_kernel TABLE[] = {
#define ENTRY_PLAIN(type, how) [ISA_CODE_##type] = tmatmul_##how,
#define ENTRY_ACC(type, how)   [ISA_CODE_##type] = tmatmul_acc_##how,
#define ENTRY_BIAS(type, how)  [ISA_CODE_##type] = tmatmul_bias_##how,
#define ENTRY_MX(type, how)    [ISA_CODE_##type] = tmatmul_mx_##how,
	{.op = PTOWSP_PTO_TMATMUL, .run = {TYPES(ENTRY_PLAIN)}},
	{.op = PTOWSP_PTO_TMATMUL_ACC, .run = {TYPES(ENTRY_ACC)}},
	{.op = PTOWSP_PTO_TMATMUL_BIAS, .run = {TYPES(ENTRY_BIAS)}},
	{.op = PTOWSP_PTO_TMATMUL_MX, .run = {TYPES(ENTRY_MX)}},
	{.op = 0},
};
