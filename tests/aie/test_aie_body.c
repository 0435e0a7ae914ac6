/* SPDX-License-Identifier: MIT
 * test_aie_body.c - what a core executes: every operation beside its definition, loops, branches, functions, views, what it costs, what ends it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aie/sim/aie_cost.h"
#include "tests/aie/aie_bench.h"
#include "tests/check.h"
#include "tests/draw.h"

enum { COUNT = 64 };

static uint64_t next(uint64_t *state)
{
	return draw(state, 0);
}

/* ---- integers ----------------------------------------------------------------------------------------------------- */

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

static wide floor_div(wide a, wide b)
{
	const wide q = a / b;

	return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

/* By the definition, with room enough; s: with a sign, u: without. */
static bool integer_by_definition(const char *op, wide sa, wide sb, wide ua, wide ub, int bits, wide *out)
{
	static const char *const dividing[] = {"divsi", "divui", "remsi", "remui", "ceildivsi", "ceildivui", "floordivsi"};

	for (size_t i = 0; i < 7; i++)
		if (!strcmp(op, dividing[i]) && !ub)
			return false;
	if (!strcmp(op, "addi"))
		*out = sa + sb;
	else if (!strcmp(op, "subi"))
		*out = sa - sb;
	else if (!strcmp(op, "muli"))
		*out = (wide)((unsigned_wide)sa * (unsigned_wide)sb);
	else if (!strcmp(op, "andi"))
		*out = ua & ub;
	else if (!strcmp(op, "ori"))
		*out = ua | ub;
	else if (!strcmp(op, "xori"))
		*out = ua ^ ub;
	else if (!strcmp(op, "shli"))
		*out = ub < bits ? (wide)((unsigned_wide)ua << ub) : 0;
	else if (!strcmp(op, "shrui"))
		*out = ub < bits ? ua >> ub : 0;
	else if (!strcmp(op, "shrsi"))
		*out = floor_div(sa, (wide)1 << (ub < bits ? ub : bits - 1));
	else if (!strcmp(op, "maxsi"))
		*out = sa > sb ? sa : sb;
	else if (!strcmp(op, "minsi"))
		*out = sa < sb ? sa : sb;
	else if (!strcmp(op, "maxui"))
		*out = ua > ub ? ua : ub;
	else if (!strcmp(op, "minui"))
		*out = ua < ub ? ua : ub;
	else if (!strcmp(op, "divsi"))
		*out = sa / sb;
	else if (!strcmp(op, "divui"))
		*out = ua / ub;
	else if (!strcmp(op, "remsi"))
		*out = sa % sb;
	else if (!strcmp(op, "remui"))
		*out = ua % ub;
	else if (!strcmp(op, "ceildivsi"))
		*out = -floor_div(-sa, sb);
	else if (!strcmp(op, "ceildivui"))
		*out = -floor_div(-ua, ub);
	else if (!strcmp(op, "floordivsi"))
		*out = floor_div(sa, sb);
	else if (!strcmp(op, "cmp eq"))
		*out = -(wide)(sa == sb);
	else if (!strcmp(op, "cmp ne"))
		*out = -(wide)(sa != sb);
	else if (!strcmp(op, "cmp slt"))
		*out = -(wide)(sa < sb);
	else if (!strcmp(op, "cmp sle"))
		*out = -(wide)(sa <= sb);
	else if (!strcmp(op, "cmp sgt"))
		*out = -(wide)(sa > sb);
	else if (!strcmp(op, "cmp sge"))
		*out = -(wide)(sa >= sb);
	else if (!strcmp(op, "cmp ult"))
		*out = -(wide)(ua < ub);
	else if (!strcmp(op, "cmp ule"))
		*out = -(wide)(ua <= ub);
	else if (!strcmp(op, "cmp ugt"))
		*out = -(wide)(ua > ub);
	else if (!strcmp(op, "cmp uge"))
		*out = -(wide)(ua >= ub);
	else
		return false;
	return true;
}

static const char *const integer_ops[] = {"addi",   "subi",   "muli",    "andi",    "ori",     "xori",    "shli",    "shrui",     "shrsi",     "maxsi",
					  "minsi",  "maxui",  "minui",   "divsi",   "divui",   "remsi",   "remui",   "ceildivsi", "ceildivui", "floordivsi",
					  "cmp eq", "cmp ne", "cmp slt", "cmp sle", "cmp sgt", "cmp sge", "cmp ult", "cmp ule",   "cmp ugt",   "cmp uge"};

static void integer_fill(struct aie_bench *b, int bytes, uint64_t *state)
{
	const int64_t least = INT64_MIN >> (64 - 8 * bytes), special[] = {0, 1, -1, least, -(least + 1), 2};

	for (int i = 0; i < COUNT; i++)
		for (int k = 0; k < 2; k++) {
			const int64_t value = next(state) % 3 ? (int64_t)next(state) : special[next(state) % 6];

			memcpy(b->memory[k] + i * bytes, &value, (size_t)bytes);
		}
}

static wide element(const uint8_t *memory, int i, int bytes, bool sign)
{
	uint64_t value = 0;

	memcpy(&value, memory + i * bytes, (size_t)bytes);
	return sign ? (wide)((int64_t)(value << (64 - 8 * bytes)) >> (64 - 8 * bytes)) : (wide)value;
}

/* Divisors of 0 are made 1 by a select. */
static const char *integer_body(const char *op, const char *type)
{
	const bool cmp = !strncmp(op, "cmp ", 4);
	static char text[4096];

	snprintf(text, sizeof(text),
		 "%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n%%n = arith.constant %d : index\n%%zero = arith.constant 0 : %s\n%%one = "
		 "arith.constant 1 : %s\n"
		 "scf.for %%i = %%c0 to %%n step %%c1 {\n"
		 "%%x = memref.load %%a[%%i] : memref<%dx%s>\n%%w = memref.load %%b[%%i] : memref<%dx%s>\n%%z = arith.cmpi eq, %%w, %%zero : %s\n"
		 "%%s = arith.select %%z, %%one, %%w : %s\n%%r = arith.%s%s %s, %s : %s\n%s"
		 "memref.store %s, %%c[%%i] : memref<%dx%s>\n}",
		 COUNT, type, type, COUNT, type, COUNT, type, type, type, cmp ? "cmpi " : op, cmp ? check_fmt("%s,", op + 4) : "", "%x",
		 strstr(op, "div") || strstr(op, "rem") ? "%s" : "%w", type, cmp ? check_fmt("%%e = arith.extsi %%r : i1 to %s\n", type) : "",
		 cmp ? "%e" : "%r", COUNT, type);
	return text;
}

TEST(integers_are_as_defined)
{
	static const int widths[] = {1, 2, 4, 8};
	static struct aie_bench b;

	for (size_t o = 0; o < sizeof(integer_ops) / sizeof(*integer_ops); o++)
		for (int w = 0; w < 4; w++) {
			const char *memref = check_fmt("memref<%dxi%d>", COUNT, 8 * widths[w]), *const types[] = {memref, memref, memref, NULL};
			uint64_t state = o * 4 + (uint64_t)w + 1;

			REQUIRE_INT(aie_bench_make(&b, types, "", integer_body(integer_ops[o], check_fmt("i%d", 8 * widths[w]))), PTOWSP_OK);
			integer_fill(&b, widths[w], &state);
			REQUIRE_INT(aie_bench_run(&b), PTOWSP_OK);
			for (int i = 0; i < COUNT; i++) {
				const wide sa = element(b.memory[0], i, widths[w], true), ua = element(b.memory[0], i, widths[w], false);
				wide sb = element(b.memory[1], i, widths[w], true), ub = element(b.memory[1], i, widths[w], false), out = 0;
				const bool divides = strstr(integer_ops[o], "div") || strstr(integer_ops[o], "rem");

				if (divides && !ub)
					sb = ub = 1;
				REQUIRE(integer_by_definition(integer_ops[o], sa, sb, ua, ub, 8 * widths[w], &out));
				if (!CHECK_INT((int64_t)element(b.memory[2], i, widths[w], true),
					       (int64_t)((uint64_t)out << (64 - 8 * widths[w])) >> (64 - 8 * widths[w])))
					CHECK_FAIL("%s i%d of %lld and %lld", integer_ops[o], 8 * widths[w], (long long)sa, (long long)sb);
			}
			aie_bench_finish(&b);
		}
}

/* ---- floats ------------------------------------------------------------------------------------------------------- */

static float float_special(uint64_t *state)
{
	static const float special[] = {0.0f, -0.0f, 1.0f, -1.5f, INFINITY, -INFINITY, NAN, 3.0e-40f, 65504.0f, 1.00390625f};

	if (next(state) % 3 == 0)
		return special[next(state) % 10];
	return (float)((double)(int64_t)next(state) / (double)(UINT64_C(1) << (next(state) % 60)));
}

static bool same_float(double a, double b)
{
	return (a != a && b != b) || (a == b && signbit(a) == signbit(b));
}

/* By the words of arith: maximumf and minimumf carry a NaN on, the others drop it; -0 is below 0 for all. */
static float float_by_definition(int op, float a, float b)
{
	const bool nan = a != a || b != b;

	switch (op) {
	case 0: return a + b;
	case 1: return a - b;
	case 2: return a * b;
	case 3: return a / b;
	case 4: return (float)fmod(a, b);
	case 5: return nan ? NAN : a == b ? (signbit(a) ? b : a) : a > b ? a : b;
	case 6: return nan ? NAN : a == b ? (signbit(a) ? a : b) : a < b ? a : b;
	case 7: return a != a ? b : b != b ? a : float_by_definition(5, a, b);
	default: return a != a ? b : b != b ? a : float_by_definition(6, a, b);
	}
}

/* Runs %r = arith.OPERATION %x, %y on each pair of floats; what the line `store` leaves of it in %c lies in memory 2. */
static void pairs_run(struct aie_bench *b, const char *operation, const char *store, const char *type, float pairs[2][COUNT])
{
	const char *types[] = {"memref<64xf32>", "memref<64xf32>", type, NULL};
	const char *body =
		check_fmt("%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n%%n = arith.constant %d : index\n"
			  "scf.for %%i = %%c0 to %%n step %%c1 {\n%%x = memref.load %%a[%%i] : memref<64xf32>\n%%y = memref.load %%b[%%i] : memref<64xf32>\n"
			  "%%r = arith.%s %%x, %%y : f32\n%s : %s\n}",
			  COUNT, operation, store, type);

	REQUIRE_INT(aie_bench_make(b, types, "", body), PTOWSP_OK);
	for (int k = 0; k < 2; k++)
		memcpy(b->memory[k], pairs[k], sizeof(pairs[k]));
	REQUIRE_INT(aie_bench_run(b), PTOWSP_OK);
}

TEST(floats_are_as_defined)
{
	static const char *const ops[] = {"addf", "subf", "mulf", "divf", "remf", "maximumf", "minimumf", "maxnumf", "minnumf"};
	static struct aie_bench b;

	for (int o = 0; o < 9; o++) {
		uint64_t state = (uint64_t)o + 77;
		float v[2][COUNT], got[COUNT];

		for (int i = 0; i < COUNT; i++)
			for (int k = 0; k < 2; k++)
				v[k][i] = float_special(&state);
		pairs_run(&b, ops[o], "memref.store %r, %c[%i]", "memref<64xf32>", v);
		memcpy(got, b.memory[2], sizeof(got));
		for (int i = 0; i < COUNT; i++)
			if (!CHECK(same_float(got[i], float_by_definition(o, v[0][i], v[1][i]))))
				CHECK_FAIL("%s of %g and %g is %g", ops[o], v[0][i], v[1][i], got[i]);
		aie_bench_finish(&b);
	}
}

TEST(comparisons_of_floats_are_as_defined)
{
	static const char *const words[] = {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"};
	static struct aie_bench b;

	for (int p = 0; p < 16; p++) {
		uint64_t state = (uint64_t)p + 5;
		float v[2][COUNT];

		for (int i = 0; i < COUNT; i++)
			for (int k = 0; k < 2; k++)
				v[k][i] = k && next(&state) % 3 == 0 ? v[0][i] : float_special(&state);
		pairs_run(&b, check_fmt("cmpf %s,", words[p]), "%e = arith.extui %r : i1 to i8\nmemref.store %e, %c[%i]", "memref<64xi8>", v);
		for (int i = 0; i < COUNT; i++) {
			/* Four outcomes of a comparison, and which of them a word takes: =, >, <, unordered. */
			const int outcome = v[0][i] != v[0][i] || v[1][i] != v[1][i] ? 8 : v[0][i] == v[1][i] ? 1 : v[0][i] > v[1][i] ? 2 : 4;
			static const int takes[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 8, 15};

			CHECK_INT(b.memory[2][i], (takes[p] & outcome) != 0);
		}
		aie_bench_finish(&b);
	}
}

TEST(bf16_is_rounded_when_it_is_stored_and_not_before)
{
	/* 1 + 3 * 2^-9 lies between two bf16, 1 + 2^-8 is a tie. */
	static const char *const types[] = {"memref<4xbf16>", "memref<4xbf16>", "memref<4xf32>", NULL};
	static const char body[] = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n"
				   "%one = arith.constant 1.0 : bf16\n%tie = arith.constant 0.00390625 : bf16\n%more = arith.constant 0.005859375 : bf16\n"
				   "%s = arith.addf %one, %tie : bf16\n%u = arith.addf %one, %more : bf16\n"
				   "memref.store %s, %b[%c0] : memref<4xbf16>\nmemref.store %u, %b[%c1] : memref<4xbf16>\n"
				   "%w = arith.extf %s : bf16 to f32\nmemref.store %w, %c[%c0] : memref<4xf32>\n"
				   "%r = arith.truncf %w : f32 to bf16\n%v = arith.extf %r : bf16 to f32\nmemref.store %v, %c[%c1] : memref<4xf32>\n"
				   "%third = arith.addf %u, %tie : bf16\nmemref.store %third, %b[%c2] : memref<4xbf16>";
	static struct aie_bench b;
	uint16_t stored[3];
	float f[2];

	REQUIRE_INT(aie_bench_make(&b, types, "", body), PTOWSP_OK);
	REQUIRE_INT(aie_bench_run(&b), PTOWSP_OK);
	memcpy(stored, b.memory[1], sizeof(stored));
	memcpy(f, b.memory[2], sizeof(f));
	CHECK_INT(stored[0], 0x3F80);
	CHECK_INT(stored[1], 0x3F81);
	CHECK_INT(stored[2], 0x3F81); /* 1.009765625, not 1.0078125 + 0.00390625 */
	CHECK(f[0] == 1.00390625f);
	CHECK(f[1] == 1.0f);
	aie_bench_finish(&b);
}

TEST(conversions_keep_what_fits_and_take_the_nearest_else)
{
	static const char *const types[] = {"memref<8xf32>", "memref<16xi32>", "memref<16xf32>", "memref<8xi64>"};
	static const char body[] =
		"%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n%c3 = arith.constant 3 : index\n%c4 = "
		"arith.constant 4 : index\n"
		"%x = memref.load %a[%c0] : memref<8xf32>\n%y = memref.load %a[%c1] : memref<8xf32>\n"
		"%i = arith.fptosi %x : f32 to i32\nmemref.store %i, %b[%c0] : memref<16xi32>\n"
		"%j = arith.fptosi %y : f32 to i8\n%je = arith.extsi %j : i8 to i32\nmemref.store %je, %b[%c1] : memref<16xi32>\n"
		"%k = arith.fptoui %y : f32 to i8\n%ke = arith.extui %k : i8 to i32\nmemref.store %ke, %b[%c2] : memref<16xi32>\n"
		"%m = arith.constant -3 : i16\n%mu = arith.uitofp %m : i16 to f32\nmemref.store %mu, %c[%c0] : memref<16xf32>\n"
		"%ms = arith.sitofp %m : i16 to f32\nmemref.store %ms, %c[%c1] : memref<16xf32>\n"
		"%mt = arith.trunci %m : i16 to i8\n%mx = arith.extui %mt : i8 to i32\nmemref.store %mx, %b[%c3] : memref<16xi32>\n"
		"%q = arith.bitcast %x : f32 to i32\nmemref.store %q, %b[%c4] : memref<16xi32>\n"
		"%idx = arith.index_cast %m : i16 to index\n%back = arith.index_cast %idx : index to i64\nmemref.store %back, %d[%c0] : memref<8xi64>\n"
		"%idu = arith.index_castui %m : i16 to index\n%bacu = arith.index_cast %idu : index to i64\nmemref.store %bacu, %d[%c1] : memref<8xi64>";
	static struct aie_bench b;
	const float in[] = {-7.9f, 1000.0f};
	int32_t ints[5];
	int64_t longs[2];
	float floats[2];

	REQUIRE_INT(aie_bench_make(&b, types, "", body), PTOWSP_OK);
	memcpy(b.memory[0], in, sizeof(in));
	REQUIRE_INT(aie_bench_run(&b), PTOWSP_OK);
	memcpy(ints, b.memory[1], sizeof(ints));
	memcpy(floats, b.memory[2], sizeof(floats));
	memcpy(longs, b.memory[3], sizeof(longs));
	CHECK_INT(ints[0], -7);
	CHECK_INT(ints[1], 127);
	CHECK_INT(ints[2], 255);
	CHECK_INT(ints[3], 253);
	CHECK_INT((uint32_t)ints[4], 0xC0FCCCCDu);
	CHECK(floats[0] == 65533.0f);
	CHECK(floats[1] == -3.0f);
	CHECK_INT(longs[0], -3);
	CHECK_INT(longs[1], 65533);
	aie_bench_finish(&b);
}

/* ---- control and memory ------------------------------------------------------------------------------------------- */

TEST(loops_carry_values_and_branches_give_them)
{
	/* Fibonacci: what is yielded changes places; the even ones are added up. */
	static const char *const types[] = {"memref<4xi64>", NULL};
	static const char body[] = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%n = arith.constant 20 : index\n"
				   "%zero = arith.constant 0 : i64\n%one = arith.constant 1 : i64\n"
				   "%r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero, %y = %one, %s = %zero) -> (i64, i64, i64) {\n"
				   "%odd = arith.andi %x, %one : i64\n%even = arith.cmpi eq, %odd, %zero : i64\n%z = arith.addi %x, %y : i64\n"
				   "%u = scf.if %even -> (i64) {\n%p = arith.addi %s, %x : i64\nscf.yield %p : i64\n} else {\nscf.yield %s : i64\n}\n"
				   "scf.yield %y, %z, %u : i64, i64, i64\n}\n"
				   "memref.store %r#0, %a[%c0] : memref<4xi64>\nmemref.store %r#2, %a[%c1] : memref<4xi64>";
	static struct aie_bench b;
	int64_t out[2];

	REQUIRE_INT(aie_bench_make(&b, types, "", body), PTOWSP_OK);
	REQUIRE_INT(aie_bench_run(&b), PTOWSP_OK);
	memcpy(out, b.memory[0], sizeof(out));
	CHECK_INT(out[0], 6765);
	CHECK_INT(out[1], 3382);
	aie_bench_finish(&b);
}

TEST(functions_take_and_give)
{
	static const char *const types[] = {"memref<4x4xi32>", NULL};
	static const char functions[] =
		"func.func private @twice(%x: i32) -> i32 {\n%two = arith.constant 2 : i32\n%r = arith.muli %x, %two : i32\nreturn %r : i32\n}\n"
		"func.func private @set(%m: memref<4x4xi32>, %i: index, %x: i32) {\n%y = func.call @twice(%x) : (i32) -> i32\n"
		"memref.store %y, %m[%i, %i] : memref<4x4xi32>\nreturn\n}\n";
	static const char body[] =
		"%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c4 = arith.constant 4 : index\n%seven = arith.constant 7 : i32\n"
		"scf.for %i = %c0 to %c4 step %c1 {\n%k = arith.index_cast %i : index to i32\n%s = arith.addi %k, %seven : i32\n"
		"func.call @set(%a, %i, %s) : (memref<4x4xi32>, index, i32) -> ()\n}";
	static struct aie_bench b;
	int32_t out[16];

	REQUIRE_INT(aie_bench_make(&b, types, functions, body), PTOWSP_OK);
	REQUIRE_INT(aie_bench_run(&b), PTOWSP_OK);
	memcpy(out, b.memory[0], sizeof(out));
	for (int i = 0; i < 4; i++)
		CHECK_INT(out[5 * i], 2 * (i + 7));
	CHECK_INT(out[1], 0);
	aie_bench_finish(&b);
}

TEST(views_look_into_memory)
{
	/* A window of 2 x 4 at (i, 2) of 4 x 8 copied behind bytes of a scratch, and read there as i16. */
	static const char *const types[] = {"memref<4x8xi16>", "memref<64xi8>", NULL};
	static const char body[] =
		"%c1 = arith.constant 1 : index\n%c0 = arith.constant 0 : index\n%c3 = arith.constant 3 : index\n%at = arith.constant 8 : index\n"
		"%s = memref.subview %a[%c1, 2] [2, 4] [1, 1] : memref<4x8xi16> to memref<2x4xi16, strided<[8, 1], offset: ?>>\n"
		"%v = \"memref.view\"(%b, %at) : (memref<64xi8>, index) -> memref<2x4xi16>\n"
		"memref.copy %s, %v : memref<2x4xi16, strided<[8, 1], offset: ?>> to memref<2x4xi16>\n"
		"%x = memref.load %v[%c1, %c3] : memref<2x4xi16>\nmemref.store %x, %s[%c0, %c0] : memref<2x4xi16, strided<[8, 1], offset: ?>>";
	static struct aie_bench b;
	int16_t in[32], out[32], scratch[8];

	for (int i = 0; i < 32; i++)
		in[i] = (int16_t)(100 + i);
	REQUIRE_INT(aie_bench_make(&b, types, "", body), PTOWSP_OK);
	memcpy(b.memory[0], in, sizeof(in));
	REQUIRE_INT(aie_bench_run(&b), PTOWSP_OK);
	memcpy(out, b.memory[0], sizeof(out));
	memcpy(scratch, b.memory[1] + 8, sizeof(scratch));
	for (int i = 0; i < 8; i++)
		CHECK_INT(scratch[i], in[(1 + i / 4) * 8 + 2 + i % 4]);
	CHECK_INT(out[10], in[21]);
	aie_bench_finish(&b);
}

TEST(a_loop_costs_what_its_operations_do)
{
	static const char *const types[] = {"memref<1024xi8>", "memref<1024xi8>", NULL};
	static const char body[] =
		"%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%n = arith.constant 1024 : index\n"
		"scf.for %i = %c0 to %n step %c1 {\n%k = arith.constant 3 : i8\n%x = memref.load %a[%i] : memref<1024xi8>\n%y = arith.muli %x, %k : i8\n"
		"memref.store %y, %b[%i] : memref<1024xi8>\n}";
	static struct aie_bench b;

	REQUIRE_INT(aie_bench_make(&b, types, "", body), PTOWSP_OK);
	REQUIRE_INT(aie_bench_run(&b), PTOWSP_OK);
	CHECK_UINT(b.cycles, 1024 * (AIE_COST_OP_LOAD + AIE_COST_OP_MUL + AIE_COST_OP_STORE + AIE_COST_OP_BRANCH));
	CHECK_UINT(aie_body_instructions(b.body), 4 + 2 + 1 + 1 + 1024 * 4 + 1);
	aie_bench_finish(&b);
}

/* ---- what ends it ------------------------------------------------------------------------------------------------- */

#define START "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c9 = arith.constant 9 : index\n%z = arith.constant 0 : i32\n"
static const struct refusal {
	const char *functions, *body, *text;
	ptowsp_status status;
} refusals[] = {
	{"", START "%x = memref.load %a[%c9] : memref<8xi32>", "the core loads from outside of a memref", PTOWSP_KERNEL_FAILED},
	{"", START "%m = arith.subi %c0, %c1 : index\nmemref.store %z, %a[%m] : memref<8xi32>", "the core stores outside of a memref", PTOWSP_KERNEL_FAILED},
	{"", START "%x = arith.divui %z, %z : i32", "the core divides by 0", PTOWSP_KERNEL_FAILED},
	{"", START "scf.for %i = %c0 to %c9 step %c0 {\n}", "has a loop whose step is not above 0", PTOWSP_KERNEL_FAILED},
	{"", START "%s = memref.subview %a[%c9] [4] [1] : memref<8xi32> to memref<4xi32, strided<[1], offset: ?>>", "takes a subview that is not within",
	 PTOWSP_KERNEL_FAILED},
	{"", START "%v = \"memref.view\"(%b, %c9) : (memref<8xi8>, index) -> memref<1xi32>", "takes a view that is not within", PTOWSP_KERNEL_FAILED},
	{"", "%x = \"complex.exp\"() : () -> f32", "complex.exp has no model in a core; write it by others of arith, memref and scf, or call a kernel",
	 PTOWSP_UNSUPPORTED},
	{"", "%x = arith.constant 1.0 : f64\n%y = arith.addf %x, %x : f64", "arith.constant of f64 has no model; use f32", PTOWSP_UNSUPPORTED},
	{"", START "%x = arith.sitofp %z : i32 to f64", "arith.sitofp of f64 has no model; use f32", PTOWSP_UNSUPPORTED},
	{"", START "%m = memref.alloc() : memref<2xf64>\n%x = memref.load %m[%c0] : memref<2xf64>", "memref.load of f64 has no model; use f32",
	 PTOWSP_UNSUPPORTED},
	{"", "%x = arith.constant 1.0 : f32\n%y = \"math.exp\"(%x) : (f32) -> f32",
	 "math.exp has no model in a core; write it by others of arith, memref and scf, or call a kernel", PTOWSP_UNSUPPORTED},
	{"", "%x = arith.constant 1 : i7\n%y = memref.alloc() : memref<4xi7>\n%i = arith.constant 0 : index\nmemref.store %x, %y[%i] : memref<4xi7>",
	 "elements of 7 bits has no model", PTOWSP_UNSUPPORTED},
	{"", "%x = arith.constant 1.0 : bf16\n%y = arith.bitcast %x : bf16 to f16", "arith.bitcast between two sorts of floats has no model",
	 PTOWSP_UNSUPPORTED},
	{"func.func private @k(memref<8xi32>)", "func.call @k(%a) : (memref<8xi32>) -> ()", "no model for kernel k; give the simulator one",
	 PTOWSP_UNSUPPORTED},
	{"func.func private @k(memref<8xi32>) -> i32", "%x = func.call @k(%a) : (memref<8xi32>) -> i32", "kernel @k gives 1 results; a kernel gives none",
	 PTOWSP_UNSUPPORTED},
	{"", "func.call @nobody() : () -> ()", "func.call of @nobody, which is no function; declare it", PTOWSP_INVALID},
	{"func.func private @k(memref<8xi32>)", "func.call @k() : () -> ()", "func.call of @k with other types than it has", PTOWSP_INVALID},
	{"func.func private @f() {\nfunc.call @g() : () -> ()\nreturn\n}\nfunc.func private @g() {\nfunc.call @f() : () -> ()\nreturn\n}",
	 "func.call @f() : () -> ()", "calls itself, which has no model", PTOWSP_UNSUPPORTED},
	{"", "%x = \"aie.objectfifo.acquire\"() {objFifo_name = @f, port = 1 : i32, size = 1 : i32} : () -> memref<8xi32>",
	 "of @f, of which this core is not the consumer", PTOWSP_INVALID},
	{"", "%x = \"aie.objectfifo.acquire\"() {objFifo_name = @f, port = 1 : i32, size = 2 : i32} : () -> memref<8xi32>",
	 "a size of at least 1 and a result for each object", PTOWSP_INVALID},
	{"", "%x = \"arith.index_cast\"(%t) : (index) -> i32", "takes a value of aie.tile from outside, which a core cannot reach", PTOWSP_INVALID},
};

TEST(what_a_core_must_not_do_ends_with_a_sentence)
{
	static const char *const types[] = {"memref<8xi32>", "memref<8xi8>", NULL};
	static struct aie_bench b;

	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		ptowsp_status status = aie_bench_make(&b, types, refusals[i].functions, refusals[i].body);

		if (!status)
			status = aie_bench_run(&b);
		if (!CHECK_INT(status, refusals[i].status) || !CHECK_CONTAINS(b.error.text, refusals[i].text))
			CHECK_FAIL("%zu", i);
		aie_bench_finish(&b);
	}
}
