/* SPDX-License-Identifier: MIT
 * test_isa_type.c - element types: what each one holds, in memory, in scalars and between types; wrong ones with their sentence. */
#include <math.h>
#include <stdio.h>

#include "isa/convert.h"
#include "isa/state.h"
#include "registry/common/common_dtype.h"
#include "tests/check.h"
#include "tests/isa/tile_random.h"
#include "tests/isa/tile_run.h"
#include "tests/isa/tile_text.h"

static struct tile_builder b;
static struct tile_task task;
static struct isa_program *program;
TEST(element_table_agrees_with_the_list_of_types)
{
	static const struct {
		unsigned code, bytes;
		char class;
	} rows[] = {
#define X(name, number, size, letter, text, descr) {number, size, letter},
#include "ptowsp/dtype.def"
#undef X
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_UINT(isa_element(rows[i].code)->bytes, rows[i].bytes);
		CHECK_INT(isa_element(rows[i].code)->class, rows[i].class);
		CHECK(isa_element(rows[i].code)->one != 0);
	}
	CHECK_UINT(sizeof(rows) / sizeof(*rows), TILE_TYPES);
	CHECK_UINT(isa_element(999)->bytes, 0);
	CHECK_STR(common_dtype_text(PTOWSP_BF16), "bf16");
	CHECK_STR(common_dtype_text(999), "?");
}

static ptowsp_status run(void)
{
	return tile_run_built(&task, &b);
}

/* One operation on tiles of 256 x 256: operands are memrefs 0 and 1, the result is memref 2. */
static void whole_tile(unsigned op, unsigned mode, unsigned from, unsigned to, void *x, void *y, void *result)
{
	const unsigned types[3] = {from, from, to};
	void *memory[3] = {x, y, result};
	unsigned tile[3], zero;

	tile_begin(&b, "whole");
	tile_task_begin(&task);
	for (unsigned i = 0; i < 3; i++) {
		tile_param(&b, check_fmt("m%u", i), types[i]);
		tile[i] = tile_tile(&b, check_fmt("t%u", i), 256, 256, types[i]);
		tile_window(&task, i, memory[i], types[i], 65536);
	}
	zero = tile_int(&b, 0);
	for (unsigned i = 0; i < 2; i++)
		tile_op(&b, PTOWSP_PTO_TLOAD, tile[i], i, zero, zero);
	if (strlen(isa_op(op)->operands) == 2)
		tile_op(&b, op, tile[2], tile[0]);
	else
		tile_op(&b, op, tile[2], tile[0], tile[1]);
	tile_mode(&b, mode);
	tile_op(&b, PTOWSP_PTO_TSTORE, tile[2], 2, zero, zero);
	CHECK_INT(run(), PTOWSP_OK);
}

static uint16_t halves[65536], others[65536], narrow[65536];
static float singles[65536];

static bool same_float(double a, double c)
{
	return isnan(a) ? isnan(c) : a == c && signbit(a) == signbit(c);
}

/* All of them, there and back. */
TEST(every_narrow_float_survives_f32)
{
	static const unsigned types[] = {PTOWSP_F16, PTOWSP_BF16};

	for (unsigned k = 0; k < 2; k++) {
		const unsigned type = types[k];
		unsigned wrong = 0;

		for (uint32_t i = 0; i < 65536; i++)
			halves[i] = (uint16_t)i;
		whole_tile(PTOWSP_PTO_TCVT, 0, type, PTOWSP_F32, halves, halves, singles);
		for (uint32_t i = 0; i < 65536; i++)
			wrong += !same_float((double)singles[i], cell_unpack(type, &halves[i]).f);
		whole_tile(PTOWSP_PTO_TCVT, 0, PTOWSP_F32, type, singles, singles, narrow);
		for (uint32_t i = 0; i < 65536; i++)
			wrong += isnan(singles[i]) ? !isnan(cell_unpack(type, &narrow[i]).f) : narrow[i] != halves[i];
		CHECK_UINT(wrong, 0);
	}
}

/* f32 around every value and every middle between two of them, where rounding goes wrong. */
TEST(f32_is_rounded_once_to_a_narrow_float)
{
	static const unsigned types[] = {PTOWSP_F16, PTOWSP_BF16};
	static const uint32_t drop[] = {13, 16};

	for (unsigned k = 0; k < 2; k++)
		for (unsigned mode = PTOWSP_ROUND_NONE; mode <= PTOWSP_ROUND_ODD; mode++) {
			unsigned wrong = 0;

			random_seed = 7 + mode;
			for (uint32_t i = 0; i < 65536; i++) {
				const uint64_t r = random_next();
				const uint32_t step = (uint32_t)(r % 3) - 1, half = r & 8 ? 1u << (drop[k] - 1) : 0;
				/* f16 lies in the middle of the range of f32 */
				const uint32_t bits = k == 0 ? ((i & 0x8000) << 16) + ((i & 0x7FFF) << 13) + (100u << 23) : i << 16;
				const uint32_t near = bits + half + step;

				memcpy(&singles[i], &near, 4);
			}
			whole_tile(PTOWSP_PTO_TCVT, mode, PTOWSP_F32, types[k], singles, singles, narrow);
			for (uint32_t i = 0; i < 65536; i++) {
				const struct cell from = {(double)singles[i], 0};
				const struct cell want = cell_convert(types[k], PTOWSP_F32, mode, from);

				wrong += !same_float(cell_unpack(types[k], &narrow[i]).f, want.f);
			}
			CHECK_UINT(wrong, 0);
		}
}

/* What pto_ops.def says of one operation: rounding to f32 first changes nothing, but bf16 products and quotients that small. */
TEST(one_narrow_operation_is_correctly_rounded)
{
	static const struct {
		unsigned op;
		char sign;
	} ops[] = {{PTOWSP_PTO_TADD, '+'}, {PTOWSP_PTO_TSUB, '-'}, {PTOWSP_PTO_TMUL, '*'}, {PTOWSP_PTO_TDIV, '/'}, {PTOWSP_PTO_TSQRT, 's'}};
	static const unsigned types[] = {PTOWSP_F16, PTOWSP_BF16};

	for (unsigned k = 0; k < 10; k++) {
		const unsigned type = types[k / 5], op = ops[k % 5].op;
		const char sign = ops[k % 5].sign;
		unsigned wrong = 0;

		random_seed = 99 + k;
		for (uint32_t i = 0; i < 65536; i++) {
			halves[i] = sign == 's' ? (uint16_t)i : (uint16_t)random_next();
			others[i] = (uint16_t)random_next();
		}
		whole_tile(op, 0, type, type, halves, others, narrow);
		for (uint32_t i = 0; i < 65536; i++) {
			const double x = cell_unpack(type, &halves[i]).f, y = cell_unpack(type, &others[i]).f;
			const double exact = sign == '+' ? x + y : sign == '-' ? x - y : sign == '*' ? x * y : sign == '/' ? x / y : sqrt(x);
			const bool tiny = type == PTOWSP_BF16 && (sign == '*' || sign == '/') && fabs(exact) < 0x1p-126;

			wrong += !tiny && !same_float(cell_round(type, exact), cell_unpack(type, &narrow[i]).f);
		}
		CHECK_UINT(wrong, 0);
	}
}

/* A 4 x 6 tile of any type through a window with strides, gathered and scattered, element by element. */
TEST(memory_moves_every_type)
{
	for (unsigned k = 0; k < TILE_TYPES; k++) {
		const unsigned type = tile_dtypes[k], bytes = cell_bytes(type);
		unsigned char in[8 * 240], out[8 * 240], sparse[8 * 24];
		uint32_t index[24];
		unsigned x, i, s, zero, wrong = 0;

		random_seed = 5 + k;
		for (size_t n = 0; n < sizeof(in); n++)
			in[n] = type == PTOWSP_BOOL ? random_next() & 1 : (unsigned char)random_next();
		memset(out, 0, sizeof(out));
		for (unsigned n = 0; n < 24; n++)
			index[n] = 23 - n;
		tile_begin(&b, "moves");
		tile_task_begin(&task);
		tile_param(&b, "in", type);
		tile_param(&b, "out", type);
		tile_param(&b, "index", PTOWSP_U32);
		tile_param(&b, "sparse", type);
		x = tile_tile(&b, "x", 4, 6, type);
		i = tile_tile(&b, "i", 4, 6, PTOWSP_U32);
		s = tile_local(&b, "s", type, 0);
		zero = tile_int(&b, 0);
		tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, tile_int(&b, 1), tile_int(&b, 2)); /* rows 4 ..., columns 2 ... */
		tile_op(&b, PTOWSP_PTO_TLOAD, i, 2, zero, zero);
		tile_op(&b, PTOWSP_PTO_TSTORE, x, 1, zero, zero);
		tile_op(&b, PTOWSP_PTO_MSCATTER, x, 3, i);
		tile_op(&b, PTOWSP_PTO_MGATHER, x, 3, i);
		tile_op(&b, PTOWSP_PTO_TSTORE, x, 1, tile_int(&b, 1), zero);
		tile_op(&b, PTOWSP_PTO_GETVAL, s, x, tile_int(&b, 3));
		tile_op(&b, PTOWSP_PTO_SETVAL, x, tile_int(&b, 20), s);
		tile_op(&b, PTOWSP_PTO_TSTORE, x, 1, tile_int(&b, 2), zero);
		tile_op(&b, PTOWSP_PTO_LOAD, s, 3, tile_int(&b, 9));
		tile_op(&b, PTOWSP_PTO_STORE, s, 1, tile_int(&b, 100));
		tile_grid(&task, 0, in, type, 10, 10, 1, 20);
		tile_window(&task, 1, out, type, 240);
		tile_window(&task, 2, index, PTOWSP_U32, 24);
		tile_window(&task, 3, sparse, type, 24);
		CHECK_INT(run(), PTOWSP_OK);
		for (unsigned n = 0; n < 24; n++) {
			const unsigned char *from = in + (4 + n / 6 + (2 + n % 6) * 20) * bytes;

			wrong += memcmp(out + n * bytes, from, bytes) != 0;
			wrong += memcmp(out + (24 + n) * bytes, from, bytes) != 0;
			wrong += memcmp(sparse + (23 - n) * bytes, from, bytes) != 0;
			if (n != 20)
				wrong += memcmp(out + (48 + n) * bytes, from, bytes) != 0;
		}
		wrong += memcmp(out + 68 * bytes, out + 3 * bytes, bytes) != 0;
		wrong += memcmp(out + 100 * bytes, sparse + 9 * bytes, bytes) != 0;
		CHECK_UINT(wrong, 0);
	}
}

TEST(stores_are_scaled_in_every_type)
{
	for (unsigned k = 0; k < TILE_TYPES - 1; k++) {
		const unsigned type = tile_dtypes[k], bytes = cell_bytes(type);
		unsigned char in[8 * 12], scale[8 * 4], out[8 * 12];
		unsigned x, y, zero;

		for (unsigned n = 0; n < 12; n++)
			cell_pack(type, (struct cell){n + 0.25, (wide)n * 11}, in + n * bytes);
		for (unsigned n = 0; n < 4; n++)
			cell_pack(type, (struct cell){n - 1.5, (wide)n * 7 + 1}, scale + n * bytes);
		tile_begin(&b, "scaled");
		tile_task_begin(&task);
		tile_param(&b, "in", type);
		tile_param(&b, "scale", type);
		tile_param(&b, "out", type);
		x = tile_tile(&b, "x", 3, 4, type);
		y = tile_tile(&b, "y", 1, 4, type);
		zero = tile_int(&b, 0);
		tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, zero, zero);
		tile_op(&b, PTOWSP_PTO_TLOAD, y, 1, zero, zero);
		tile_op(&b, PTOWSP_PTO_TSTORE_FP, x, y, 2, zero, zero);
		tile_window(&task, 0, in, type, 12);
		tile_window(&task, 1, scale, type, 4);
		tile_window(&task, 2, out, type, 12);
		CHECK_INT(run(), PTOWSP_OK);
		for (unsigned n = 0; n < 12; n++) {
			const struct cell a = cell_unpack(type, in + n * bytes), s = cell_unpack(type, scale + n % 4 * bytes);
			const struct cell got = cell_unpack(type, out + n * bytes);

			if (cell_is_float(type))
				CHECK(got.f == cell_round(type, a.f * s.f));
			else
				CHECK(got.n == cell_wrap(type, a.n * s.n));
		}
	}
}

/* d = x op y on scalars; the bits of d. */
static uint64_t scalar_op(unsigned op, unsigned mode, unsigned d_type, unsigned x_type, struct cell x, unsigned y_type, struct cell y)
{
	uint64_t got = 0, bits[2] = {(uint64_t)x.n, (uint64_t)y.n};
	unsigned d, row[2];

	tile_begin(&b, "scalar");
	tile_task_begin(&task);
	tile_param(&b, "out", d_type);
	if (cell_is_float(x_type))
		bits[0] = 0, cell_pack(x_type, x, &bits[0]);
	if (cell_is_float(y_type))
		bits[1] = 0, cell_pack(y_type, y, &bits[1]);
	row[0] = tile_scalar(&b, "x", x_type, PTOWSP_SCALAR_LOCAL, bits[0]);
	row[1] = tile_scalar(&b, "y", y_type, PTOWSP_SCALAR_LOCAL, bits[1]);
	d = tile_local(&b, "d", d_type, 0);
	if (strlen(isa_op(op)->operands) == 2)
		tile_op(&b, op, d, row[0]);
	else
		tile_op(&b, op, d, row[0], row[1]);
	tile_mode(&b, mode);
	tile_op(&b, PTOWSP_PTO_STORE, d, 0, tile_int(&b, 0));
	tile_window(&task, 0, &got, d_type, 1);
	CHECK_INT(run(), PTOWSP_OK);
	return got;
}

static struct cell scalar_same(unsigned op, unsigned type, struct cell x, struct cell y)
{
	const uint64_t bits = scalar_op(op, 0, type, type, x, type, y);

	return cell_unpack(type, &bits);
}

static struct cell whole(wide n)
{
	return (struct cell){(double)n, n};
}

TEST(scalars_compute_in_every_type)
{
	for (unsigned k = 0; k < TILE_TYPES - 1; k++) {
		const unsigned type = tile_dtypes[k], bytes = cell_bytes(type);
		const wide top = ((wide)1 << (8 * bytes - 1));

		if (cell_is_float(type)) {
			CHECK(scalar_same(PTOWSP_PTO_ADD, type, whole(100), whole(27)).f == 127);
			CHECK(scalar_same(PTOWSP_PTO_SUB, type, whole(100), whole(27)).f == 73);
			CHECK(scalar_same(PTOWSP_PTO_DIV, type, whole(1), whole(3)).f == cell_round(type, 1.0 / 3.0));
			CHECK(scalar_same(PTOWSP_PTO_MUL, type, whole(101), whole(101)).f == cell_round(type, 10201));
			continue;
		}
		CHECK(scalar_same(PTOWSP_PTO_ADD, type, whole(top - 1), whole(1)).n == cell_wrap(type, top));
		CHECK(scalar_same(PTOWSP_PTO_SUB, type, whole(0), whole(1)).n == cell_wrap(type, -1));
		CHECK(scalar_same(PTOWSP_PTO_MUL, type, whole(top / 2 + 3), whole(5)).n == cell_wrap(type, (top / 2 + 3) * 5));
		CHECK(scalar_same(PTOWSP_PTO_DIV, type, whole(cell_wrap(type, -9)), whole(2)).n == cell_wrap(type, -9) / 2);
	}
}

static int compared(unsigned mode, unsigned type, struct cell x, struct cell y)
{
	return (int)scalar_op(PTOWSP_PTO_CMP, mode, PTOWSP_BOOL, type, x, type, y);
}

TEST(comparisons_of_u64_are_unsigned)
{
	const struct cell large = whole(((wide)1 << 63) + 5), small = whole(3);

	CHECK_INT(compared(PTOWSP_COMPARE_GT, PTOWSP_U64, large, small), 1);
	CHECK_INT(compared(PTOWSP_COMPARE_LT, PTOWSP_U64, large, small), 0);
	CHECK_INT(compared(PTOWSP_COMPARE_GT, PTOWSP_I64, whole(-5), small), 0);
	CHECK_INT(compared(PTOWSP_COMPARE_GE, PTOWSP_U8, whole(200), small), 1);
	CHECK_INT(compared(PTOWSP_COMPARE_LT, PTOWSP_F16, (struct cell){-1.5, 0}, (struct cell){0.25, 0}), 1);
	CHECK_INT(compared(PTOWSP_COMPARE_NE, PTOWSP_F64, (struct cell){NAN, 0}, (struct cell){NAN, 0}), 1);
	CHECK(scalar_op(PTOWSP_PTO_DIV, 0, PTOWSP_U64, PTOWSP_U64, large, PTOWSP_I64, small) == ((UINT64_C(1) << 63) + 5) / 3);
}

static struct cell moved(unsigned to, unsigned from, struct cell x)
{
	const uint64_t bits = scalar_op(PTOWSP_PTO_MOV, 0, to, from, x, PTOWSP_I64, whole(0));

	return cell_unpack(to, &bits);
}

TEST(mov_converts_between_all_types)
{
	for (unsigned k = 0; k < TILE_TYPES; k++)
		for (unsigned n = 0; n < TILE_TYPES; n++) {
			const unsigned from = tile_dtypes[k], to = tile_dtypes[n];
			const struct cell one = moved(to, from, whole(1)), large = {cell_is_float(from) ? cell_round(from, 65504) : 0, cell_wrap(from, 65504)};
			const struct cell got = moved(to, from, large);

			CHECK(cell_is_float(to) ? one.f == 1 : one.n == 1);
			if (cell_is_float(from) && cell_is_float(to))
				CHECK(got.f == cell_round(to, cell_round(from, 65504)));
			else if (cell_is_float(from))
				CHECK(got.n ==
				      (to == PTOWSP_BOOL ? 1 : cell_convert(to, from, PTOWSP_ROUND_TRUNC, (struct cell){cell_round(from, 65504), 0}).n));
			else if (cell_is_float(to))
				CHECK(got.f == cell_round(to, (double)large.n));
			else
				CHECK(got.n == cell_wrap(to, large.n));
		}
	CHECK(moved(PTOWSP_U8, PTOWSP_F32, (struct cell){-7.5, 0}).n == 0);
	CHECK(moved(PTOWSP_I8, PTOWSP_F64, (struct cell){-1e300, 0}).n == -128);
	CHECK(moved(PTOWSP_U64, PTOWSP_F64, (struct cell){1.8e19, 0}).n == (wide)1.8e19);
	CHECK(moved(PTOWSP_U64, PTOWSP_F64, (struct cell){INFINITY, 0}).n == (wide)UINT64_MAX);
	CHECK(moved(PTOWSP_BOOL, PTOWSP_F16, (struct cell){0.5, 0}).n == 0); /* toward zero first */
	CHECK(moved(PTOWSP_F32, PTOWSP_U64, whole((wide)UINT64_MAX)).f == 0x1p64);
	CHECK(moved(PTOWSP_BF16, PTOWSP_I64, whole(((wide)1 << 62) + ((wide)1 << 54) + 1)).f == 0x1p62 + 0x1p55);
}

/* A condition of any type, both zeros of floats. */
TEST(conditions_are_of_every_type)
{
	for (unsigned k = 0; k < TILE_TYPES; k++) {
		const unsigned type = tile_dtypes[k];

		for (unsigned n = 0; n < 3; n++) {
			const struct cell value = n == 0 ? whole(0) : n == 1 ? whole(1) : (struct cell){-0.0, 0};
			uint64_t bits = (uint64_t)value.n;
			int32_t got = 7;

			if (cell_is_float(type))
				bits = 0, cell_pack(type, value, &bits);
			tile_begin(&b, "condition");
			tile_task_begin(&task);
			tile_param(&b, "out", PTOWSP_I32);
			tile_if(&b, tile_scalar(&b, "c", type, PTOWSP_SCALAR_LOCAL, bits));
			tile_op(&b, PTOWSP_PTO_STORE, tile_int(&b, 1), 0, tile_int(&b, 0));
			tile_else(&b);
			tile_op(&b, PTOWSP_PTO_STORE, tile_int(&b, 0), 0, tile_int(&b, 0));
			tile_end(&b);
			tile_window(&task, 0, &got, PTOWSP_I32, 1);
			CHECK_INT(run(), PTOWSP_OK);
			CHECK_INT(got, n == 1);
		}
	}
}

enum { HALVES = 1 << 16, SIDE = 256, ODD = 255 };
static isa_s_f16 halves[HALVES];
static float floats[HALVES];

/* halves to floats, or back: SIDE x ODD of them, which is no multiple of what a processor converts at once. */
static void halves_convert(unsigned from, unsigned to)
{
	const bool widens = from == PTOWSP_F16;
	unsigned x, y;

	tile_begin(&b, "halves");
	tile_param(&b, "in", from);
	tile_param(&b, "out", to);
	x = tile_tile(&b, "x", SIDE, ODD, from);
	y = tile_tile(&b, "y", SIDE, ODD, to);
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, tile_int(&b, 0), tile_int(&b, 0));
	tile_op(&b, PTOWSP_PTO_TCVT, y, x);
	tile_op(&b, PTOWSP_PTO_TSTORE, y, 1, tile_int(&b, 0), tile_int(&b, 0));
	REQUIRE_INT(tile_create(&b, &program, &task.error), PTOWSP_OK);
	tile_task_begin(&task);
	tile_window(&task, 0, widens ? (void *)halves : (void *)floats, from, HALVES);
	tile_window(&task, 1, widens ? (void *)floats : (void *)halves, to, HALVES);
	REQUIRE_INT(tile_run(&task, program), PTOWSP_OK);
	isa_program_destroy(program);
	tile_finish(&b);
}

/* Whatever instruction a processor has for it: signalling NaN stay so, and those of f32 become one of f16. Those that are not the type's own number are a bit away from it, or a bit less than half of one. */
TEST(every_f16_is_converted_with_the_bits_of_an_element)
{
	static const uint32_t away[] = {0, 1, 0xFFF, 0x1000, 0x1001, 0x1FFF};

	for (unsigned first = 0; first < HALVES; first += SIDE * ODD / 2) {
		for (unsigned i = 0; i < SIDE * ODD; i++)
			halves[i] = (isa_s_f16)(first + i);
		halves_convert(PTOWSP_F16, PTOWSP_F32);
		for (unsigned i = 0; i < SIDE * ODD; i++)
			if (isa_bits_of(floats[i]) != isa_bits_of(isa_get_f16((isa_s_f16)(first + i))))
				CHECK_FAIL("%x becomes %llx", first + i, (unsigned long long)isa_bits_of(floats[i]));
		for (unsigned k = 0; k < sizeof(away) / sizeof(*away); k++) {
			for (unsigned i = 0; i < SIDE * ODD; i++)
				floats[i] = isa_float_of(isa_bits_of(isa_get_f16((isa_s_f16)(first + i))) + away[k]);
			halves_convert(PTOWSP_F32, PTOWSP_F16);
			for (unsigned i = 0; i < SIDE * ODD; i++)
				if (halves[i] != isa_put_f16(floats[i]))
					CHECK_FAIL("%llx becomes %x", (unsigned long long)isa_bits_of(floats[i]), halves[i]);
		}
	}
}

TEST(wrong_types_are_one_sentence)
{
	static const struct {
		const char *program, *sentence;
	} rows[] = {
		{"tile x 4x4 f16; tile y 4x4 f64; tmatmul y x x", "tmatmul of f16 adds up in f16 or f32, not in f64 (%y)"},
		{"tile x 4x4 f32; tile y 4x4 f16; tmatmul y x x", "tmatmul needs one element type, got f32 and f16 (%y)"},
		{"tile x 4x4 i8; tile y 4x4 i32; tmatmul.acc y x x x", "tmatmul.acc needs one type of result, got i32 and i8 (%x)"},
		{"tile x 4x4 f16; local k f32; tmuls x x k", "tmuls of f16 needs an f16 scalar, got f32 (%k)"},
		{"tile x 4x4 bf16; local k i32; tmuls x x k", "tmuls of bf16 needs a bf16 scalar, got i32 (%k)"},
		{"tile x 4x4 u16; local k f16; tadds x x k", "tadds of u16 needs an integer scalar, got f16 (%k)"},
		{"tile x 4x4 bool; tadd x x x", "tadd works on floats and integers, not on bool (%x)"},
		{"local x f64; local y f32; ADD x x y", "ADD needs one type of float, got f64 and f32 (%y)"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		tile_begin(&b, "odd");
		tile_text(&b, rows[i].program);
		REQUIRE_INT(tile_create(&b, &program, &task.error), PTOWSP_OK);
		CHECK_STR(isa_program_unusable(program), check_fmt("kernel odd line 1: %s", rows[i].sentence));
		isa_program_destroy(program);
		tile_finish(&b);
	}
}
