/* SPDX-License-Identifier: MIT */
/* body_lanes_ops.c - an instruction in all rounds: body.def once more, as loops over columns. Behind the last round columns hold something, so loops are of whole eights, but where memory is. */
#include "aie/body_lanes.h"
#include "aie/body_number.h"

#include "isa/isa_tile.h"

/* Columns are the same ones or apart. Clang looks for itself; told so it would refuse loops that call functions. */
#if defined(__clang__)
#define EACH
#else
#define EACH _Pragma("GCC ivdep")
#endif
/* a, b and d are rows of numbers, i the round. */
#define RUN(name, ...)                                                                                                                                                     \
	static void run_##name(const struct aie_lane_ins *in, struct aie_lane_state *s)                                                                                   \
	{                                                                                                                                                                 \
		union aie_column *const cd = &s->columns[in->d];                                                                                                          \
		const union aie_column *const ca = &s->columns[in->a], *const cb = &s->columns[in->b], *const cc = &s->columns[in->c];                                    \
		const uint32_t n = s->padded;                                                                                                                             \
		(void)cb, (void)cc;                                                                                                                                       \
		EACH for (uint32_t i = 0; i < n; i++) { __VA_ARGS__ }                                                                                                     \
	}

#define INTEGER(op, name, cost, value)                                                                                                                                     \
	RUN(op##_32, const int32_t a = ca->i32[i], b = cb->i32[i]; const uint32_t shift = in->shift, bits = 32 - shift;                                                    \
	    const uint32_t ua = (uint32_t)a << shift >> shift, ub = (uint32_t)b << shift >> shift; (void)a, (void)b, (void)ua, (void)ub, (void)bits;                        \
	    cd->i32[i] = (int32_t)((uint32_t)(value) << shift) >> shift;)                                                                                                 \
	RUN(op##_64, const int64_t a = ca->i64[i], b = cb->i64[i]; const uint32_t shift = in->shift; const uint64_t bits = 64 - shift;                                     \
	    const uint64_t ua = aie_number_bare(a, shift), ub = aie_number_bare(b, shift); (void)a, (void)b, (void)ua, (void)ub, (void)bits;                               \
	    cd->i64[i] = aie_number_cut(value, shift);)
#define FLOAT(op, name, cost, value)                                                                                                                                       \
	RUN(op, const float a = ca->f32[i], b = cb->f32[i]; cd->f32[i] = (float)(value);)                                                                                  \
	RUN(op##64, const double a = ca->f64[i], b = cb->f64[i]; cd->f64[i] = value;)
#define FUNCTION(op, name, value, value64)                                                                                                                                 \
	RUN(op, const float a = ca->f32[i]; cd->f32[i] = (float)(value);)                                                                                                  \
	RUN(op##64, const double a = ca->f64[i]; cd->f64[i] = value64;)
#define COMPARE(op, number, value)                                                                                                                                         \
	RUN(op##_32, const int32_t a = ca->i32[i], b = cb->i32[i]; cd->i32[i] = -(int32_t)(value);)                                                                        \
	RUN(op##_64, const int64_t a = ca->i64[i], b = cb->i64[i]; cd->i32[i] = -(int32_t)(value);)
#include "aie/body.def"

#define PREDICATES(X)                                                                                                                                                      \
	X(0, 0) X(1, a == b) X(2, a > b) X(3, a >= b) X(4, a < b) X(5, a <= b) X(6, (a < b) | (a > b)) X(7, (a == a) & (b == b)) X(8, !((a < b) | (a > b)))                \
	X(9, !(a <= b)) X(10, !(a < b)) X(11, !(a >= b)) X(12, !(a > b)) X(13, a != b) X(14, (a != a) | (b != b)) X(15, 1)
#define CMPF(number, value)                                                                                                                                                \
	RUN(CMPF_##number, const float a = ca->f32[i], b = cb->f32[i]; (void)a, (void)b; cd->i32[i] = -(int32_t)(value);)                                                 \
	RUN(CMPF_##number##_64, const double a = ca->f64[i], b = cb->f64[i]; (void)a, (void)b; cd->i32[i] = -(int32_t)(value);)
PREDICATES(CMPF)
RUN(MOVE_32, cd->i32[i] = ca->i32[i];)
RUN(MOVE_64, cd->i64[i] = ca->i64[i];)
RUN(NEGF, cd->f32[i] = -ca->f32[i];)
RUN(NEGF64, cd->f64[i] = -ca->f64[i];)
RUN(SELECT_32, const int32_t mask = ca->i32[i]; cd->i32[i] = (cb->i32[i] & mask) | (cc->i32[i] & ~mask);)
RUN(SELECT_64, const int64_t mask = ca->i32[i]; cd->i64[i] = (cb->i64[i] & mask) | (cc->i64[i] & ~mask);)
RUN(CUT_32_32, cd->i32[i] = (int32_t)((uint32_t)ca->i32[i] << in->shift) >> in->shift;)
RUN(CUT_64_32, cd->i32[i] = (int32_t)((uint32_t)ca->i64[i] << in->shift) >> in->shift;)
RUN(CUT_32_64, cd->i64[i] = ca->i32[i];)
RUN(CUT_64_64, cd->i64[i] = aie_number_cut(ca->i64[i], in->shift);)
RUN(CUTU_32_32, cd->i32[i] = (int32_t)((uint32_t)ca->i32[i] << in->shift >> in->shift);)
RUN(CUTU_32_64, cd->i64[i] = (int64_t)((uint64_t)(uint32_t)ca->i32[i] << 32 << in->shift >> in->shift >> 32);)
RUN(CUTU_64_64, cd->i64[i] = (int64_t)aie_number_bare(ca->i64[i], in->shift);)
RUN(NARROW_F32, cd->f32[i] = (float)ca->f64[i];)
RUN(NARROW_BF16, cd->f32[i] = isa_get_bf16(isa_put_bf16(ca->f32[i]));)
RUN(NARROW_F16, cd->f32[i] = isa_get_f16(isa_put_f16(ca->f32[i]));)
RUN(WIDEN, cd->f64[i] = ca->f32[i];)
RUN(FLOAT_OF_I32, cd->f32[i] = (float)ca->i32[i];)
RUN(FLOAT_OF_I64, cd->f32[i] = (float)ca->i64[i];)
RUN(DOUBLE_OF_I32, cd->f64[i] = ca->i32[i];)
RUN(MULF_ADDF, const float product = ca->f32[i] * cb->f32[i]; cd->f32[i] = cc->f32[i] + product;)
RUN(MULI_ADDI, cd->i32[i] = (int32_t)(((uint32_t)cc->i32[i] + (uint32_t)ca->i32[i] * (uint32_t)cb->i32[i]) << in->shift) >> in->shift;)
RUN(FMA, cd->f32[i] = fmaf(ca->f32[i], cb->f32[i], cc->f32[i]);)
RUN(FMA64, cd->f64[i] = fma(ca->f64[i], cb->f64[i], cc->f64[i]);)

/* ---- memory ------------------------------------------------------------------------------------------------------- */

static inline uint8_t *place(const struct aie_lane_ins *in, const struct aie_lane_state *s)
{
	const struct aie_lane_access *access = &s->accesses[in->b];

	return access->at + (int64_t)s->begin * access->lane + (int64_t)s->turn[0] * access->inner[0] + (int64_t)s->turn[1] * access->inner[1];
}

/* One behind the other, the same in all rounds, or apart. */
#define LOAD(kind, stored, member, value)                                                                                                                                  \
	static void load_##kind(const struct aie_lane_ins *in, struct aie_lane_state *s)                                                                                  \
	{                                                                                                                                                                 \
		const uint8_t *at = place(in, s);                                                                                                                         \
		const int64_t lane = s->accesses[in->b].lane;                                                                                                             \
		const uint32_t n = s->n, padded = s->padded;                                                                                                              \
		union aie_column *const cd = &s->columns[in->d];                                                                                                          \
                                                                                                                                                                           \
		if (lane == (int64_t)sizeof(stored)) {                                                                                                                    \
			EACH for (uint32_t i = 0; i < n; i++) { stored v; memcpy(&v, at + i * sizeof(v), sizeof(v)); cd->member[i] = value; }                             \
		} else if (!lane) {                                                                                                                                       \
			stored v;                                                                                                                                         \
			memcpy(&v, at, sizeof(v));                                                                                                                        \
			EACH for (uint32_t i = 0; i < padded; i++) { cd->member[i] = value; }                                                                             \
		} else {                                                                                                                                                  \
			for (uint32_t i = 0; i < n; i++) { stored v; memcpy(&v, at + (int64_t)i * lane, sizeof(v)); cd->member[i] = value; }                              \
		}                                                                                                                                                         \
	}
#define STORE(kind, stored, member, value)                                                                                                                                 \
	static void store_##kind(const struct aie_lane_ins *in, struct aie_lane_state *s)                                                                                 \
	{                                                                                                                                                                 \
		uint8_t *at = place(in, s);                                                                                                                               \
		const int64_t lane = s->accesses[in->b].lane;                                                                                                             \
		const uint32_t n = s->n;                                                                                                                                  \
		const union aie_column *const cd = &s->columns[in->d];                                                                                                    \
                                                                                                                                                                           \
		if (lane == (int64_t)sizeof(stored)) {                                                                                                                    \
			EACH for (uint32_t i = 0; i < n; i++) { const stored v = (stored)(value(cd->member[i])); memcpy(at + i * sizeof(v), &v, sizeof(v)); }               \
		} else {                                                                                                                                                  \
			for (uint32_t i = 0; i < n; i++) { const stored v = (stored)(value(cd->member[i])); memcpy(at + (int64_t)i * lane, &v, sizeof(v)); }                \
		}                                                                                                                                                         \
	}
/* X(kind, stored, column, as a number, as it is stored) */
#define ELEMENTS(X)                                                                                                                                                        \
	X(BIT, uint8_t, i32, -(int32_t)(v & 1), 1 &)                                                                                                                      \
	X(I8, int8_t, i32, v, )                                                                                                                                           \
	X(I16, int16_t, i32, v, )                                                                                                                                         \
	X(I32, int32_t, i32, v, )                                                                                                                                         \
	X(I64, int64_t, i64, v, )                                                                                                                                         \
	X(BF16, uint16_t, f32, isa_get_bf16(v), isa_put_bf16)                                                                                                             \
	X(F16, uint16_t, f32, isa_get_f16(v), isa_put_f16)                                                                                                                \
	X(F32, float, f32, v, )                                                                                                                                           \
	X(F64, double, f64, v, )
#define BOTH(kind, stored, member, get, put) LOAD(kind, stored, member, get) STORE(kind, stored, member, put)
ELEMENTS(BOTH)

/* ---- which one ---------------------------------------------------------------------------------------------------- */

bool aie_lane_element(uint16_t code, bool *store_out, enum aie_lane_kind *kind_out, uint32_t *bytes_out)
{
#define KIND_i32 AIE_LANE_I32
#define KIND_i64 AIE_LANE_I64
#define KIND_f32 AIE_LANE_F32
#define KIND_f64 AIE_LANE_F64
#define ELEMENT_ROW(kind, stored, member, get, put)                                                                                                                        \
	case AIE_CODE_LOAD_##kind:                                                                                                                                        \
	case AIE_CODE_STORE_##kind:                                                                                                                                       \
		*store_out = code == AIE_CODE_STORE_##kind;                                                                                                               \
		*kind_out = KIND_##member;                                                                                                                                \
		*bytes_out = sizeof(stored);                                                                                                                              \
		return true;
	switch (code) {
		ELEMENTS(ELEMENT_ROW)
	default: return false;
	}
}

aie_lane_run *aie_lane_move(uint16_t code)
{
	switch (code) {
#define LOADS(kind, stored, member, get, put)                                                                                                                              \
	case AIE_CODE_LOAD_##kind: return load_##kind;                                                                                                                    \
	case AIE_CODE_STORE_##kind: return store_##kind;
		ELEMENTS(LOADS)
	default: return NULL;
	}
}

bool aie_lane_stores(aie_lane_run *run)
{
#define STORES(kind, stored, member, get, put) || run == store_##kind
	return false ELEMENTS(STORES);
}

/* Of integers the sum has the product's width. */
aie_lane_run *aie_lane_join(aie_lane_run *product, uint16_t code)
{
	if (product == run_MULF && code == AIE_CODE_ADDF)
		return run_MULF_ADDF;
	return product == run_MULI_32 && code == AIE_CODE_ADDI ? run_MULI_ADDI : NULL;
}

static aie_lane_run *cut_find(bool sign, enum aie_lane_kind d, enum aie_lane_kind a)
{
	if (a == AIE_LANE_I32)
		return d == AIE_LANE_I32 ? (sign ? run_CUT_32_32 : run_CUTU_32_32) : sign ? run_CUT_32_64 : run_CUTU_32_64;
	if (d == AIE_LANE_I32)
		return sign ? run_CUT_64_32 : NULL;
	return sign ? run_CUT_64_64 : run_CUTU_64_64;
}

static aie_lane_run *narrow_find(const struct aie_ins *in)
{
	if (in->c == AIE_TYPE_F32)
		return run_NARROW_F32;
	return in->b ? NULL : in->c == AIE_TYPE_BF16 ? run_NARROW_BF16 : run_NARROW_F16;
}

static aie_lane_run *float_of_find(const struct aie_ins *in, enum aie_lane_kind a)
{
	if (in->c)
		return NULL;
	if (in->b == AIE_TYPE_F32)
		return a == AIE_LANE_I32 ? run_FLOAT_OF_I32 : run_FLOAT_OF_I64;
	return in->b == AIE_TYPE_F64 && a == AIE_LANE_I32 ? run_DOUBLE_OF_I32 : NULL;
}

static aie_lane_run *cmpf_find(uint32_t predicate)
{
	static aie_lane_run *const runs[][2] = {
#define CMPF_ROW(number, value) {run_CMPF_##number, run_CMPF_##number##_64},
		PREDICATES(CMPF_ROW)
	};

	return runs[predicate & 15][predicate >> 4];
}

aie_lane_run *aie_lane_find(const struct aie_ins *in, enum aie_lane_kind d, enum aie_lane_kind a, uint32_t *shift_out)
{
	const bool small = a == AIE_LANE_I32;

	*shift_out = in->c;
	switch (in->code) {
#define INTEGER(op, name, cost, value)                                                                                                                                     \
	case AIE_CODE_##op:                                                                                                                                               \
		*shift_out = in->c - (small ? 32 : 0);                                                                                                                    \
		return small ? run_##op##_32 : run_##op##_64;
#define FLOAT(op, name, cost, value)                                                                                                                                       \
	case AIE_CODE_##op: return run_##op;                                                                                                                              \
	case AIE_CODE_##op##64: return run_##op##64;
#define FUNCTION(op, name, value, value64)                                                                                                                                 \
	case AIE_CODE_##op: return run_##op;                                                                                                                              \
	case AIE_CODE_##op##64: return run_##op##64;
#define COMPARE(op, number, value)                                                                                                                                         \
	case AIE_CODE_##op: return small ? run_##op##_32 : run_##op##_64;
#include "aie/body.def"
	case AIE_CODE_CMPF: return cmpf_find(in->c);
	case AIE_CODE_NEGF: return run_NEGF;
	case AIE_CODE_NEGF64: return run_NEGF64;
	case AIE_CODE_MOVE: return d == AIE_LANE_I32 || d == AIE_LANE_F32 ? run_MOVE_32 : run_MOVE_64;
	case AIE_CODE_SELECT: return d == AIE_LANE_I32 || d == AIE_LANE_F32 ? run_SELECT_32 : run_SELECT_64;
	case AIE_CODE_CUT:
		*shift_out = in->c - (d == AIE_LANE_I32 ? 32 : 0);
		return cut_find(true, d, a);
	case AIE_CODE_CUTU:
		*shift_out = in->c - (small ? 32 : 0);
		return cut_find(false, d, a);
	case AIE_CODE_NARROW: return narrow_find(in);
	case AIE_CODE_BITS:
	case AIE_CODE_OF_BITS: return in->c == AIE_TYPE_F32 ? run_MOVE_32 : in->c == AIE_TYPE_F64 ? run_MOVE_64 : NULL;
	case AIE_CODE_WIDEN: return run_WIDEN;
	case AIE_CODE_FLOAT_OF: return float_of_find(in, a);
	case AIE_CODE_FMA: return run_FMA;
	case AIE_CODE_FMA64: return run_FMA64;
	default: return NULL;
	}
}
