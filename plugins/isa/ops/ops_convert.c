/* SPDX-License-Identifier: MIT */
/* ops_convert.c - tcvt. The conversions that matter for speed are loops of their own; all others go through parts of 64-bit
 * values: doubles of floats, signed and unsigned integers of the others, none of which loses anything. */
#include "isa/convert.h"
#include "isa/ops/isa_ops.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { PART = 128 };

/* A part on its way. */
struct part {
	size_t count;
	union {
		double f[PART];
		int64_t i[PART];
		uint64_t u[PART];
	};
};

#define LOAD(type, field)                                                                                                                                      \
	static void load_##type(struct part *p, const void *from, size_t at)                                                                                   \
	{                                                                                                                                                      \
		const isa_s_##type *x = (const isa_s_##type *)from + at;                                                                                       \
                                                                                                                                                               \
		for (size_t k = 0; k < p->count; k++)                                                                                                          \
			p->field[k] = isa_get_##type(x[k]);                                                                                                    \
	}
ISA_FLOATS(LOAD, f)
ISA_SIGNED(LOAD, i)
ISA_UNSIGNED(LOAD, u)
ISA_BOOLS(LOAD, u)
static void (*const loads[ISA_DTYPES])(struct part *p, const void *from, size_t at) = {ISA_TYPES(ISA_ENTRY, load)};

/* The low bytes of the parts' values. */
#define STORE(size, ...)                                                                                                                                       \
	static void store_##size(const struct part *p, void *to, size_t at)                                                                                    \
	{                                                                                                                                                      \
		isa_bits_##size *d = (isa_bits_##size *)to + at;                                                                                               \
                                                                                                                                                               \
		for (size_t k = 0; k < p->count; k++)                                                                                                          \
			d[k] = (isa_bits_##size)p->u[k];                                                                                                       \
	}
ISA_SIZES(STORE, )
static void (*const stores[9])(const struct part *p, void *to, size_t at) = {[1] = store_1, [2] = store_2, [4] = store_4, [8] = store_8};

static void floats_convert(struct part *p, const struct isa_step *s)
{
	for (size_t k = 0; k < p->count; k++)
		p->u[k] = isa_convert_float(p->f[k], s->a.dtype, s->d.dtype, s->mode);
}

static void signed_convert(struct part *p, const struct isa_step *s)
{
	for (size_t k = 0; k < p->count; k++)
		p->u[k] = isa_convert_signed(p->i[k], s->d.dtype, s->mode);
}

static void unsigned_convert(struct part *p, const struct isa_step *s)
{
	for (size_t k = 0; k < p->count; k++)
		p->u[k] = isa_convert_unsigned(p->u[k], s->d.dtype, s->mode);
}

static ptowsp_status convert_parts(const struct isa_step *s, const struct isa_state *state)
{
	const size_t count = isa_count(&s->d);
	const char class = isa_element(s->a.dtype)->class;
	const void *a = isa_tile(state, &s->a);
	void *d = isa_tile(state, &s->d);
	struct part p;

	for (size_t at = 0; at < count; at += PART) {
		p.count = count - at < PART ? count - at : PART;
		loads[s->a.dtype](&p, a, at);
		if (class == 'f')
			floats_convert(&p, s);
		else if (class == 'i')
			signed_convert(&p, s);
		else
			unsigned_convert(&p, s);
		stores[s->d.bytes](&p, d, at);
	}
	return PTOWSP_OK;
}

/* Loops for what stands inside other loops: between f32 and the narrow floats and i32, to nearest even. */
#define DIRECT(from, to, value)                                                                                                                                \
	static void from##_##to(const struct isa_step *s, const struct isa_state *state)                                                                       \
	{                                                                                                                                                      \
		isa_s_##to *d = isa_tile(state, &s->d);                                                                                                        \
		const isa_s_##from *x = isa_tile(state, &s->a);                                                                                                \
		const size_t count = isa_count(&s->d);                                                                                                         \
                                                                                                                                                               \
		ISA_VECTOR for (size_t i = 0; i < count; i++)                                                                                                  \
		{                                                                                                                                              \
			const isa_c_##from a = isa_get_##from(x[i]);                                                                                           \
                                                                                                                                                               \
			d[i] = isa_put_##to(value);                                                                                                            \
		}                                                                                                                                              \
	}
/* X(from, to, value of a) */
#define DIRECTS(X)                                                                                                                                             \
	X(f32, f16, a)                                                                                                                                         \
	X(f32, bf16, a)                                                                                                                                        \
	X(f16, f32, a)                                                                                                                                         \
	X(bf16, f32, a)                                                                                                                                        \
	X(f16, bf16, a)                                                                                                                                        \
	X(f32, f64, a)                                                                                                                                         \
	X(f64, f32, (float)a)                                                                                                                                  \
	X(i32, f32, (float)a)                                                                                                                                  \
	X(i32, f64, (double)a)                                                                                                                                 \
	X(f32, i32, (uint32_t)isa_saturate_i32(rintf(a)))
DIRECTS(DIRECT)

static const struct direct {
	uint8_t from, to;
	void (*run)(const struct isa_step *s, const struct isa_state *state);
} directs[] = {
#define ROW(from, to, value) {ISA_CODE_##from, ISA_CODE_##to, from##_##to},
	DIRECTS(ROW)
#undef ROW
};

static ptowsp_status tcvt(const struct isa_step *s, struct isa_state *state)
{
	const bool same = s->a.dtype == s->d.dtype && (s->mode == PTOWSP_ROUND_NONE || isa_element(s->d.dtype)->class != 'f');

	if (same && s->d.dtype != PTOWSP_BOOL) {
		memmove(isa_tile(state, &s->d), isa_tile(state, &s->a), isa_bytes(&s->d));
		return PTOWSP_OK;
	}
	for (size_t i = 0; s->mode <= PTOWSP_ROUND_RINT && i < sizeof(directs) / sizeof(*directs); i++)
		if (directs[i].from == s->a.dtype && directs[i].to == s->d.dtype) {
			directs[i].run(s, state);
			return PTOWSP_OK;
		}
	return convert_parts(s, state);
}

/* Between f16 and f32 by the processor, sixteen at a time. It changes bits of NaN that element.h keeps: sixteen with one among them go by that, and so does what is left over. */
#if defined(__x86_64__)
#define F16C __attribute__((target("avx2,f16c")))
enum { SIXTEEN = 16 };

static F16C bool no_number_in(__m256 a, __m256 b)
{
	return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_UNORD_Q));
}

static F16C void f16_f32_sixteen(float *d, const isa_s_f16 *x, size_t count)
{
	for (size_t i = 0; i < count; i += SIXTEEN) {
		const __m256 a = _mm256_cvtph_ps(_mm_loadu_si128((const void *)(x + i))),
			     b = _mm256_cvtph_ps(_mm_loadu_si128((const void *)(x + i + SIXTEEN / 2)));

		_mm256_storeu_ps(d + i, a);
		_mm256_storeu_ps(d + i + SIXTEEN / 2, b);
		for (size_t k = 0; k < SIXTEEN && no_number_in(a, b); k++)
			d[i + k] = isa_get_f16(x[i + k]);
	}
}

static F16C void f32_f16_sixteen(isa_s_f16 *d, const float *x, size_t count)
{
	for (size_t i = 0; i < count; i += SIXTEEN) {
		const __m256 a = _mm256_loadu_ps(x + i), b = _mm256_loadu_ps(x + i + SIXTEEN / 2);

		_mm_storeu_si128((void *)(d + i), _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
		_mm_storeu_si128((void *)(d + i + SIXTEEN / 2), _mm256_cvtps_ph(b, _MM_FROUND_TO_NEAREST_INT));
		for (size_t k = 0; k < SIXTEEN && no_number_in(a, b); k++)
			d[i + k] = isa_put_f16(x[i + k]);
	}
}

static ptowsp_status tcvt_f16c(const struct isa_step *s, struct isa_state *state)
{
	const size_t count = isa_count(&s->d), whole = count / SIXTEEN * SIXTEEN;
	const bool widens = s->a.dtype == PTOWSP_F16 && s->d.dtype == PTOWSP_F32, narrows = s->a.dtype == PTOWSP_F32 && s->d.dtype == PTOWSP_F16;
	const void *a = isa_tile(state, &s->a);
	void *d = isa_tile(state, &s->d);

	if (s->mode > PTOWSP_ROUND_RINT || !(widens || narrows))
		return tcvt(s, state);
	if (widens)
		f16_f32_sixteen(d, a, whole);
	else
		f32_f16_sixteen(d, a, whole);
	for (size_t i = whole; i < count; i++)
		if (widens)
			((float *)d)[i] = isa_get_f16(((const isa_s_f16 *)a)[i]);
		else
			((isa_s_f16 *)d)[i] = isa_put_f16(((const float *)a)[i]);
	return PTOWSP_OK;
}

const struct isa_kernel isa_ops_convert_f16c[] = {
	ISA_ROW_OF(TCVT, tcvt_f16c){.op = 0},
};
#endif

const struct isa_kernel isa_ops_convert[] = {
	ISA_ROW_OF(TCVT, tcvt){.op = 0},
};
