/* SPDX-License-Identifier: MIT
 * test_aie_math.c - bodies of kernels in cores: operations of math beside their definitions, scopes with their memory, what such a body costs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aie/aie_cost.h"
#include "aie_bench.h"
#include "check.h"
#include "isa/isa_tile.h"

enum { COUNT = 64 };

static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	return z ^ (z >> 31);
}

/* ---- floats ------------------------------------------------------------------------------------------------------- */

static float special(uint64_t *state, int i)
{
	static const float values[] = {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 0x1p-149f, -0x1p-149f, 0x1p-126f, 0x1.fffffep127f, -0x1.fffffep127f, 0.5f, -0.5f, 1.5f, 2.5f, -2.5f,
				       0x1.fffffep-2f, 88.72284f, 88.7229f, -103.98f, -104.0f, 10.0f, 0x1.8p23f, 0x1.000002p23f};

	if (i < (int)(sizeof(values) / sizeof(*values)))
		return values[i];
	return (float)(int64_t)next(state) / (float)(UINT64_C(1) << (next(state) % 64));
}

#define OF(name, value) static float name##_32(float a) { return (float)(value); } static double name##_64(double a) { return value; }
#define OF_TWO(name, value32, value64) static float name##_32(float a) { return value32; } static double name##_64(double a) { return value64; }
OF(absf, fabs(a)) OF(acos, acos(a)) OF(acosh, acosh(a)) OF(asin, asin(a)) OF(asinh, asinh(a)) OF(atan, atan(a)) OF(atanh, atanh(a)) OF(cbrt, cbrt(a)) OF(ceil, ceil(a))
OF(cos, cos(a)) OF(cosh, cosh(a)) OF(erf, erf(a)) OF(exp2, exp2(a)) OF(expm1, expm1(a)) OF(floor, floor(a)) OF(log10, log10(a)) OF(log1p, log1p(a)) OF(log2, log2(a))
OF(round, round(a)) OF(roundeven, nearbyint(a)) OF(sin, sin(a)) OF(sinh, sinh(a)) OF(sqrt, sqrt(a)) OF(tan, tan(a)) OF(trunc, trunc(a))
OF_TWO(exp, tile_exp_f32(a), exp(a)) OF_TWO(log, tile_log_f32(a), log(a)) OF_TWO(tanh, tile_tanh_f32(a), tanh(a)) OF_TWO(erfc, erfcf(a), erfc(a))
OF_TWO(rsqrt, 1.0f / sqrtf(a), 1.0 / sqrt(a))

static const struct function {
	const char *name;
	float (*of32)(float);
	double (*of64)(double);
} functions[] = {
#define ROW(name) {#name, name##_32, name##_64}
	ROW(absf), ROW(acos), ROW(acosh), ROW(asin), ROW(asinh), ROW(atan), ROW(atanh), ROW(cbrt), ROW(ceil), ROW(cos), ROW(cosh), ROW(erf), ROW(erfc), ROW(exp), ROW(exp2),
	ROW(expm1), ROW(floor), ROW(log), ROW(log10), ROW(log1p), ROW(log2), ROW(round), ROW(roundeven), ROW(rsqrt), ROW(sin), ROW(sinh), ROW(sqrt), ROW(tan), ROW(tanh), ROW(trunc),
};

static bool same_bits(const void *a, const void *b, size_t bytes, bool nan)
{
	return nan || !memcmp(a, b, bytes);
}

/* c = NAME(a) over COUNT elements. */
static const char *mapped(const char *name, const char *type)
{
	return check_fmt("%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n%%n = arith.constant %d : index\nscf.for %%i = %%c0 to %%n step %%c1 {\n"
			 "%%x = memref.load %%a[%%i] : memref<%dx%s>\n%%r = math.%s %%x : %s\nmemref.store %%r, %%c[%%i] : memref<%dx%s>\n}",
			 COUNT, COUNT, type, name, type, COUNT, type);
}

static void functions_of_floats_are_as_defined(void)
{
	static struct aie_bench b;

	for (size_t f = 0; f < sizeof(functions) / sizeof(*functions); f++)
		for (int wide = 0; wide < 2; wide++) {
			const char *memref = wide ? "memref<64xf64>" : "memref<64xf32>", *const types[] = {memref, memref, memref, NULL};
			uint64_t state = f + 1;
			float in[COUNT];
			double in64[COUNT];

			REQUIRE_INT(aie_bench_make(&b, types, "", mapped(functions[f].name, wide ? "f64" : "f32")), PTOWSP_OK);
			for (int i = 0; i < COUNT; i++)
				in64[i] = in[i] = special(&state, i);
			memcpy(b.memory[0], wide ? (void *)in64 : in, wide ? sizeof(in64) : sizeof(in));
			REQUIRE_INT(aie_bench_run(&b), PTOWSP_OK);
			for (int i = 0; i < COUNT; i++) {
				const float wanted = functions[f].of32(in[i]);
				const double wanted64 = functions[f].of64(in64[i]);
				const uint8_t *got = b.memory[2] + i * (wide ? 8 : 4);
				float g;
				double g64;

				memcpy(&g, got, sizeof(g));
				memcpy(&g64, got, sizeof(g64));
				if (!CHECK(wide ? same_bits(got, &wanted64, 8, wanted64 != wanted64 && g64 != g64) : same_bits(got, &wanted, 4, wanted != wanted && g != g)))
					CHECK_FAIL("math.%s of %a, f%d", functions[f].name, in64[i], wide ? 64 : 32);
			}
			aie_bench_finish(&b);
		}
}

static void functions_of_two_and_three_floats_are_as_defined(void)
{
	static const char *const types[] = {"memref<64xf32>", "memref<64xf32>", "memref<64x6xf32>", "memref<64x5xi8>"};
	static const char body[] =
		"%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n%c3 = arith.constant 3 : index\n%c4 = arith.constant 4 : index\n%c5 = arith.constant 5 : index\n"
		"%n = arith.constant 64 : index\n%five = arith.constant -5 : i16\n"
		"scf.for %i = %c0 to %n step %c1 {\n%x = memref.load %a[%i] : memref<64xf32>\n%y = memref.load %b[%i] : memref<64xf32>\n"
		"%p = math.atan2 %x, %y : f32\nmemref.store %p, %c[%i, %c0] : memref<64x6xf32>\n%q = math.copysign %x, %y : f32\nmemref.store %q, %c[%i, %c1] : memref<64x6xf32>\n"
		"%r = math.powf %x, %y : f32\nmemref.store %r, %c[%i, %c2] : memref<64x6xf32>\n%s = math.fma %x, %y, %x : f32\nmemref.store %s, %c[%i, %c3] : memref<64x6xf32>\n"
		"%z = math.fpowi %x, %five : f32, i16\nmemref.store %z, %c[%i, %c4] : memref<64x6xf32>\n"
		"%u, %v = math.sincos %x : f32\n%w = arith.addf %u, %v : f32\nmemref.store %w, %c[%i, %c5] : memref<64x6xf32>\n"
		"%k0 = math.isfinite %x : f32\n%e0 = arith.extui %k0 : i1 to i8\nmemref.store %e0, %d[%i, %c0] : memref<64x5xi8>\n"
		"%k1 = math.isinf %x : f32\n%e1 = arith.extui %k1 : i1 to i8\nmemref.store %e1, %d[%i, %c1] : memref<64x5xi8>\n"
		"%k2 = math.isnan %x : f32\n%e2 = arith.extui %k2 : i1 to i8\nmemref.store %e2, %d[%i, %c2] : memref<64x5xi8>\n"
		"%k3 = math.isnormal %x : f32\n%e3 = arith.extui %k3 : i1 to i8\nmemref.store %e3, %d[%i, %c3] : memref<64x5xi8>\n"
		"%xh = arith.truncf %x : f32 to f16\n%k4 = math.isnormal %xh : f16\n%e4 = arith.extui %k4 : i1 to i8\nmemref.store %e4, %d[%i, %c4] : memref<64x5xi8>\n}";
	static struct aie_bench b;
	float in[2][COUNT], got[COUNT][6];
	uint64_t state = 5;

	REQUIRE_INT(aie_bench_make(&b, types, "", body), PTOWSP_OK);
	for (int i = 0; i < COUNT; i++) {
		in[0][i] = special(&state, i);
		in[1][i] = special(&state, (int)(next(&state) % 40));
	}
	memcpy(b.memory[0], in[0], sizeof(in[0]));
	memcpy(b.memory[1], in[1], sizeof(in[1]));
	REQUIRE_INT(aie_bench_run(&b), PTOWSP_OK);
	memcpy(got, b.memory[2], sizeof(got));
	for (int i = 0; i < COUNT; i++) {
		const float x = in[0][i], y = in[1][i], size = fabsf(x);
		const float wanted[6] = {(float)atan2(x, y), copysignf(x, y), (float)pow(x, y), fmaf(x, y, x), (float)pow(x, -5), (float)sin(x) + (float)cos(x)};
		const bool classes[5] = {size < INFINITY, size == INFINITY, x != x, fpclassify(x) == FP_NORMAL, size >= 0x1p-14f - 0x1p-26f && size < 65520.0f};

		for (int k = 0; k < 6; k++)
			if (!CHECK(same_bits(&got[i][k], &wanted[k], 4, got[i][k] != got[i][k] && wanted[k] != wanted[k])))
				CHECK_FAIL("function %d of %a and %a is %a, not %a", k, x, y, got[i][k], wanted[k]);
		for (int k = 0; k < 5; k++)
			if (!CHECK_INT(b.memory[3][5 * i + k], classes[k]))
				CHECK_FAIL("class %d of %a", k, x);
	}
	aie_bench_finish(&b);
}

/* ---- integers ----------------------------------------------------------------------------------------------------- */

static int64_t integer_of(int op, int64_t a, int64_t b, int bits)
{
	const uint64_t ua = bits == 64 ? (uint64_t)a : (uint64_t)a & ((UINT64_C(1) << bits) - 1);
	uint64_t made = 0;

	switch (op) {
	case 0: made = (uint64_t)(a < 0 ? 0 - (uint64_t)a : (uint64_t)a); break;
	case 1:
		while (made < (uint64_t)bits && !(ua >> (bits - 1 - (int)made) & 1))
			made++;
		break;
	case 2:
		for (int i = 0; i < bits; i++)
			made += ua >> i & 1;
		break;
	case 3:
		while (made < (uint64_t)bits && !(ua >> made & 1))
			made++;
		break;
	default: /* a power: product by product; below 0 of what is neither 1 nor -1 is 0 */
		made = b < 0 ? a == 1 || (a == -1 && !(b & 1)) ? 1 : a == -1 ? UINT64_MAX : 0 : 1;
		for (int64_t i = 0; i < b; i++)
			made *= (uint64_t)a;
	}
	return (int64_t)(made << (64 - bits)) >> (64 - bits);
}

static void functions_of_integers_are_as_defined(void)
{
	static const char *const ops[] = {"absi", "ctlz", "ctpop", "cttz", "ipowi"};
	static const int widths[] = {8, 16, 32, 64};
	static struct aie_bench b;

	for (int op = 0; op < 5; op++)
		for (int w = 0; w < 4; w++) {
			const int bytes = widths[w] / 8;
			const char *type = check_fmt("i%d", widths[w]), *memref = check_fmt("memref<64xi%d>", widths[w]), *const types[] = {memref, memref, memref, NULL};
			uint64_t state = (uint64_t)op * 4 + (uint64_t)w;

			REQUIRE_INT(aie_bench_make(&b, types, "", check_fmt("%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n%%n = arith.constant %d : index\nscf.for %%i = %%c0 to %%n step %%c1 {\n"
				"%%x = memref.load %%a[%%i] : %s\n%%y = memref.load %%b[%%i] : %s\n%%r = math.%s %%x%s : %s\nmemref.store %%r, %%c[%%i] : %s\n}", COUNT, memref, memref, ops[op],
				op == 4 ? ", %y" : "", type, memref)), PTOWSP_OK);
			for (int i = 0; i < COUNT; i++) {
				const int64_t least = INT64_MIN >> (64 - widths[w]), some[] = {0, 1, -1, least, -(least + 1), 2};
				const int64_t power = (int64_t)(next(&state) % 30) - 4, value = i < 6 ? some[i] : (int64_t)next(&state) >> (next(&state) % 64);

				memcpy(b.memory[0] + i * bytes, op == 4 && !value ? &some[1] : &value, (size_t)bytes);
				memcpy(b.memory[1] + i * bytes, &power, (size_t)bytes);
			}
			/* 0 below a power of 0 divides. */
			for (int i = 0; i < COUNT; i++) {
				static const uint8_t nothing[8];

				if (!memcmp(b.memory[0] + i * bytes, nothing, (size_t)bytes))
					memset(b.memory[1] + i * bytes, 0, (size_t)bytes);
			}
			REQUIRE_INT(aie_bench_run(&b), PTOWSP_OK);
			for (int i = 0; i < COUNT; i++) {
				int64_t v[3] = {0};

				for (int k = 0; k < 3; k++) {
					memcpy(&v[k], b.memory[k] + i * bytes, (size_t)bytes);
					v[k] = (int64_t)((uint64_t)v[k] << (64 - widths[w])) >> (64 - widths[w]);
				}
				if (!CHECK_INT(v[2], integer_of(op, v[0], v[1], widths[w])))
					CHECK_FAIL("math.%s of %lld and %lld, i%d", ops[op], (long long)v[0], (long long)v[1], widths[w]);
			}
			aie_bench_finish(&b);
		}
}

/* ---- scopes ------------------------------------------------------------------------------------------------------- */

static ptowsp_status inlined(void *context, const struct aie_sim_scope *scope, enum aie_sim_how *how_out, uint64_t *cycles_out, struct ptowsp_error *error)
{
	uint64_t *last = context;

	(void)error;
	last[0]++;
	last[1] = scope->at;
	if (!strcmp(scope->kernel, "known"))
		*how_out = AIE_SIM_COSTS;
	if (!strcmp(scope->kernel, "skipped"))
		*how_out = AIE_SIM_SKIPPED;
	*cycles_out = *how_out == AIE_SIM_UNKNOWN ? 0 : 1000;
	return PTOWSP_OK;
}

/* Adds up a row in memory of its own, and stores the sum. */
static const char *scoped(const char *kernel, int turns)
{
	return check_fmt("%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n%%n = arith.constant %d : index\n%%one = arith.constant 1 : i32\n"
			 "memref.alloca_scope {\n%%s = memref.alloca() : memref<1xi32>\nmemref.store %%one, %%s[%%c0] : memref<1xi32>\n"
			 "scf.for %%i = %%c0 to %%n step %%c1 {\n%%x = memref.load %%s[%%c0] : memref<1xi32>\n%%y = arith.addi %%x, %%one : i32\nmemref.store %%y, %%s[%%c0] : memref<1xi32>\n}\n"
			 "%%r = memref.load %%s[%%c0] : memref<1xi32>\nmemref.store %%r, %%a[%%c0] : memref<4xi32>\n} {ptowsp.kernel = \"%s\"}\n"
			 "%%z = arith.addi %%one, %%one : i32\nmemref.store %%z, %%a[%%c1] : memref<4xi32>",
			 turns, kernel);
}

static void the_body_of_a_kernel_costs_what_the_kernel_does(void)
{
	static const struct {
		const char *kernel;
		int turns;
		uint64_t inside; /* cycles */
		int32_t sum;
	} cases[] = {
		{"known", 10, 1000, 11},
		{"known", 200000, 1000, 200001}, /* more turns than one go */
		{"skipped", 10, 1000, 0},
		{"unknown", 10, 10 * (AIE_COST_OP_LOAD + 1 + AIE_COST_OP_STORE + AIE_COST_OP_BRANCH) + AIE_COST_OP_LOAD + 2 * AIE_COST_OP_STORE, 11},
	};
	static const char *const types[] = {"memref<4xi32>", NULL};
	static struct aie_bench b;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t last[2] = {0};
		int32_t got[2];

		b.outside.kernels = (struct aie_sim_kernels){.context = last, .inlined = inlined};
		REQUIRE_INT(aie_bench_make(&b, types, "", scoped(cases[i].kernel, cases[i].turns)), PTOWSP_OK);
		REQUIRE_INT(aie_bench_run(&b), PTOWSP_OK);
		memcpy(got, b.memory[0], sizeof(got));
		CHECK_INT(got[0], cases[i].sum);
		CHECK_INT(got[1], 2);
		CHECK_UINT(last[0], 1);
		CHECK_UINT(b.cycles, cases[i].inside + AIE_COST_OP_OTHER + AIE_COST_OP_STORE);
		aie_bench_finish(&b);
	}
}

static void scopes_give_values_and_stand_in_each_other(void)
{
	static const char body[] = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%one = arith.constant 1 : i32\n"
				   "memref.alloca_scope {\n%p, %q = memref.alloca_scope -> (i32, i32) {\n%two = arith.addi %one, %one : i32\nmemref.alloca_scope.return %two, %one : i32, i32\n}\n"
				   "memref.alloca_scope {\nmemref.store %p, %a[%c0] : memref<4xi32>\nmemref.store %q, %a[%c1] : memref<4xi32>\n} {ptowsp.kernel = \"known\"}\n} {ptowsp.kernel = \"known\"}";
	static const char *const types[] = {"memref<4xi32>", NULL};
	static struct aie_bench b;
	uint64_t last[2] = {0};
	int32_t got[2];

	b.outside.kernels = (struct aie_sim_kernels){.context = last, .inlined = inlined};
	REQUIRE_INT(aie_bench_make(&b, types, "", body), PTOWSP_OK);
	REQUIRE_INT(aie_bench_run(&b), PTOWSP_OK);
	memcpy(got, b.memory[0], sizeof(got));
	CHECK_INT(got[0], 2);
	CHECK_INT(got[1], 1);
	CHECK_UINT(last[0], 1); /* the outer one */
	CHECK_UINT(b.cycles, 1000);
	aie_bench_finish(&b);
}

void suite_aie_math(CU_pSuite s)
{
	TEST(s, functions_of_floats_are_as_defined);
	TEST(s, functions_of_two_and_three_floats_are_as_defined);
	TEST(s, functions_of_integers_are_as_defined);
	TEST(s, the_body_of_a_kernel_costs_what_the_kernel_does);
	TEST(s, scopes_give_values_and_stand_in_each_other);
}
