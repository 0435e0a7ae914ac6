/* SPDX-License-Identifier: MIT
 * test_isa_register.c - scalars of every type on random values, against what pto_ops.def says written once more. */
#include "tests/isa/tile_trials.h"

/* d = x op y; both of one type. Returns what d holds. */
static struct cell scalar_run(unsigned op, unsigned mode, unsigned d_type, unsigned type, struct cell x, struct cell y)
{
	const unsigned row[2] = {tile_scalar(&b, "x", type, PTOWSP_SCALAR_LOCAL, cell_bits(type, x)),
				 tile_scalar(&b, "y", type, PTOWSP_SCALAR_LOCAL, cell_bits(type, y))};
	const unsigned d = tile_local(&b, "d", d_type, 0);
	uint64_t got = 0;

	tile_param(&b, "out", d_type);
	tile_op(&b, op, d, row[0], row[1]);
	tile_mode(&b, mode);
	tile_op(&b, PTOWSP_PTO_STORE, d, 0, tile_int(&b, 0));
	tile_window(&task, 0, &got, d_type, 1);
	if (run() != PTOWSP_OK)
		CHECK_FAIL("%s of %s: %s", isa_op(op)->mnemonic, dtype_text(type), task.error.text);
	return cell_unpack(d_type, &got);
}

static struct cell scalar_want(unsigned op, unsigned type, struct cell x, struct cell y)
{
	static struct mat d, a, c;
	const struct mat *src[5] = {&a, &c};
	static const unsigned tile_ops[] = {PTOWSP_PTO_TADD, PTOWSP_PTO_TSUB, PTOWSP_PTO_TMUL, PTOWSP_PTO_TDIV};

	d.rows = d.columns = a.rows = a.columns = c.rows = c.columns = 1;
	d.dtype = a.dtype = c.dtype = type;
	a.v[0] = x;
	c.v[0] = y;
	reference_op(tile_ops[op - PTOWSP_PTO_ADD], 0, &d, NULL, src, NULL);
	return d.v[0];
}

static bool arithmetic_trial(unsigned op, unsigned dtype, unsigned trial)
{
	struct cell x, y, got, want;

	begin(op, dtype, trial);
	x = random_cell(dtype);
	y = random_cell(dtype);
	if (op == PTOWSP_PTO_DIV && !cell_is_float(dtype) && y.n == 0)
		y.n = 1;
	got = scalar_run(op, 0, dtype, dtype, x, y);
	want = scalar_want(op, dtype, x, y);
	return cell_same(dtype, got, want);
}

static bool add_trial(unsigned dtype, unsigned trial)
{
	return arithmetic_trial(PTOWSP_PTO_ADD, dtype, trial);
}

static bool sub_trial(unsigned dtype, unsigned trial)
{
	return arithmetic_trial(PTOWSP_PTO_SUB, dtype, trial);
}

static bool mul_trial(unsigned dtype, unsigned trial)
{
	return arithmetic_trial(PTOWSP_PTO_MUL, dtype, trial);
}

static bool div_trial(unsigned dtype, unsigned trial)
{
	return arithmetic_trial(PTOWSP_PTO_DIV, dtype, trial);
}

/* -1 less, 0 equal, 1 greater, 2 none of them. */
static int order(unsigned dtype, struct cell x, struct cell y)
{
	if (!cell_is_float(dtype))
		return (x.n > y.n) - (x.n < y.n);
	return isnan(x.f) || isnan(y.f) ? 2 : (x.f > y.f) - (x.f < y.f);
}

static bool cmp_trial(unsigned dtype, unsigned trial)
{
	bool good = true;

	for (unsigned mode = PTOWSP_COMPARE_EQ; mode <= PTOWSP_COMPARE_GE; mode++) {
		struct cell x, y;
		int is;

		begin(PTOWSP_PTO_CMP, dtype, trial);
		x = random_cell(dtype);
		y = trial % 3 ? random_cell(dtype) : x;
		is = order(dtype, x, y);
		good = good && scalar_run(PTOWSP_PTO_CMP, mode, PTOWSP_BOOL, dtype, x, y).n == (mode == PTOWSP_COMPARE_EQ   ? is == 0
												: mode == PTOWSP_COMPARE_NE ? is != 0
												: mode == PTOWSP_COMPARE_LT ? is == -1
												: mode == PTOWSP_COMPARE_LE ? is == -1 || is == 0
												: mode == PTOWSP_COMPARE_GT ? is == 1
															    : is == 1 || is == 0);
	}
	return good;
}

/* To every type: floats to integers toward zero and saturating, integers by their low bits. */
static bool move_trial(unsigned op, unsigned dtype, unsigned trial)
{
	bool good = true;

	for (unsigned i = 0; i < TILE_TYPES; i++) {
		const unsigned to = tile_dtypes[i];
		struct cell x, want, got;
		uint64_t bits = 0;
		unsigned d;

		begin(op, dtype, trial);
		x = random_cell(dtype);
		if (cell_is_float(dtype) && to == PTOWSP_BOOL)
			want = (struct cell){0, !isnan(x.f) && trunc(x.f) != 0};
		else if (cell_is_float(dtype) && cell_is_float(to))
			want = dtype == to ? x : cell_convert(to, dtype, PTOWSP_ROUND_RINT, x);
		else if (cell_is_float(dtype))
			want = cell_convert(to, dtype, PTOWSP_ROUND_TRUNC, x);
		else if (cell_is_float(to))
			want = cell_convert(to, dtype, PTOWSP_ROUND_RINT, x);
		else
			want = (struct cell){0, cell_wrap(to, x.n)};
		tile_param(&b, "out", to);
		d = tile_local(&b, "d", to, 0);
		tile_op(&b, op, d, tile_scalar(&b, "x", dtype, op == PTOWSP_PTO_LI ? PTOWSP_SCALAR_CONST : PTOWSP_SCALAR_LOCAL, cell_bits(dtype, x)));
		tile_op(&b, PTOWSP_PTO_STORE, d, 0, tile_int(&b, 0));
		tile_window(&task, 0, &bits, to, 1);
		good = good && run() == PTOWSP_OK;
		got = cell_unpack(to, &bits);
		if (!cell_same(to, got, want)) {
			CHECK_FAIL("%s of %s to %s: %.17g or %lld became %.17g or %lld", isa_op(op)->mnemonic, dtype_text(dtype), dtype_text(to), x.f,
				   (long long)x.n, got.f, (long long)got.n);
			good = false;
		}
	}
	return good;
}

static bool mov_trial(unsigned dtype, unsigned trial)
{
	return move_trial(PTOWSP_PTO_MOV, dtype, trial);
}

static bool li_trial(unsigned dtype, unsigned trial)
{
	return move_trial(PTOWSP_PTO_LI, dtype, trial);
}

static const struct subject subjects[] = {
	{PTOWSP_PTO_ADD, add_trial}, {PTOWSP_PTO_SUB, sub_trial}, {PTOWSP_PTO_MUL, mul_trial}, {PTOWSP_PTO_DIV, div_trial},
	{PTOWSP_PTO_CMP, cmp_trial}, {PTOWSP_PTO_MOV, mov_trial}, {PTOWSP_PTO_LI, li_trial},
};
enum { SUBJECTS = sizeof(subjects) / sizeof(*subjects) };

static void op_agrees_with_its_row(void)
{
	subjects_run(subjects, SUBJECTS);
}

/* Control has no types of its own: suite isa_run. */
static bool is_here(unsigned op)
{
	return isa_op(op) && op >= PTOWSP_PTO_ADD && op < PTOWSP_PTO_LOAD;
}

static void every_pair_of_operation_and_type_was_compared(void)
{
	subjects_complete(is_here, "isa_register");
}

/* Integers of every width by a zero: its place is named. */
TEST(scalar_division_by_zero_ends_the_run)
{
	for (unsigned i = 0; i < TILE_TYPES; i++) {
		const unsigned type = tile_dtypes[i];
		unsigned d;

		if (cell_is_float(type))
			continue;
		begin(PTOWSP_PTO_DIV, type, i);
		d = tile_local(&b, "d", type, 1);
		tile_op(&b, PTOWSP_PTO_DIV, d, d, tile_local(&b, "nothing", type, 0));
		CHECK_INT(run(), PTOWSP_KERNEL_FAILED);
		CHECK_STR(task.error.text, "kernel trial line 1: DIV of 1 by 0 (%nothing)");
	}
}

void suite_isa_register(CU_pSuite s)
{
	subjects_add(s, subjects, SUBJECTS, op_agrees_with_its_row);
	TEST(s, every_pair_of_operation_and_type_was_compared);
}
