/* SPDX-License-Identifier: MIT */
/* ops_convert.c - tcvt. The conversions that matter for speed are loops of their own; all others go through parts of 64-bit
 * values: doubles of floats, signed and unsigned integers of the others, none of which loses anything. */
#include "isa/convert.h"
#include "isa/ops/isa_ops.h"

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

const struct isa_kernel isa_ops_convert[] = {
	ISA_ROW_OF(TCVT, tcvt){.op = 0},
};
