/* SPDX-License-Identifier: MIT
 * test_isa_memory.c - memory, single elements and scalars of every type on random values, against what pto_ops.def says written
 * once more; and whatever lies outside is refused before it is touched. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "isa/isa.h"
#include "tile_random.h"
#include "tile_run.h"

enum { TRIALS = 24, SIDE = 12, ELEMENTS = 4096, GUARD = 64 };

static struct tile_builder b;
static struct tile_task task;

static const char *dtype_text(unsigned dtype)
{
	static const char *const texts[] = {
#define X(name, code, size, cls, word, descr) [code] = word,
#include "ptowsp/dtype.def"
#undef X
	};

	return texts[dtype];
}

static bool is_key(unsigned op, unsigned dtype)
{
	const char class = dtype == PTOWSP_BOOL ? 'b' : cell_is_float(dtype) ? 'f' : 'i';

	return strchr(isa_op(op)->keys, class) != NULL;
}

/* Elements of one type in memory, some of them behind the end: those are never touched. */
struct area {
	unsigned dtype;
	uint64_t rows, columns, row_stride, column_stride, count;
	unsigned char bytes[(ELEMENTS + GUARD) * 8], before[(ELEMENTS + GUARD) * 8];
};
static struct area memory, other;

static struct cell area_cell(const struct area *m, size_t element)
{
	return cell_unpack(m->dtype, m->bytes + element * cell_bytes(m->dtype));
}

static void area_fill(struct area *m, unsigned dtype)
{
	m->dtype = dtype;
	for (size_t i = 0; i < ELEMENTS + GUARD; i++)
		cell_pack(dtype, random_cell(dtype), m->bytes + i * cell_bytes(dtype));
	memcpy(m->before, m->bytes, sizeof(m->bytes));
}

static void area_flat(struct area *m, unsigned dtype, uint64_t count)
{
	area_fill(m, dtype);
	m->rows = 1;
	m->columns = m->row_stride = m->count = count;
	m->column_stride = 1;
}

/* Rows and columns in any order, with gaps. */
static void area_grid(struct area *m, unsigned dtype, uint64_t rows, uint64_t columns)
{
	area_fill(m, dtype);
	m->rows = rows;
	m->columns = columns;
	m->column_stride = 1 + random_below(2);
	m->row_stride = columns * m->column_stride + random_below(3);
	if (random_below(3) == 0) {
		m->row_stride = 1;
		m->column_stride = rows + random_below(3);
	}
	m->count = (rows - 1) * m->row_stride + (columns - 1) * m->column_stride + 1;
}

static void area_pass(unsigned param, struct area *m)
{
	tile_grid(&task, param, m->bytes, m->dtype, m->rows, m->columns, m->row_stride, m->column_stride);
}

static const char *seed_text(void)
{
	return check_fmt("PTOWSP_SEED=%llu", (unsigned long long)random_start());
}

static ptowsp_status run(void)
{
	return tile_run_built(&task, &b);
}

static void begin(unsigned op, unsigned dtype, unsigned trial)
{
	random_seed = random_start() + op * 7919u + dtype * 104729u + trial;
	random_few = trial % 5 == 4;
	tile_begin(&b, "trial");
	tile_task_begin(&task);
}

/* --- tiles --- */

/* A tile, where it lies in `memory`, and its elements packed in `other`. */
struct tile {
	uint32_t rows, columns;
	int64_t r, c;
	bool flat;
};

static struct tile tile_choose(unsigned dtype, unsigned trial)
{
	struct tile t = { 1 + random_below(SIDE), 1 + random_below(SIDE), 0, 0, trial % 2 };

	if (trial < 4)
		t.rows = t.columns = 1;
	if (t.flat) {
		t.r = random_below(3);
		t.c = random_below(20);
		area_flat(&memory, dtype, (t.r + 1) * t.rows * t.columns + (uint64_t)t.c + random_below(2));
	} else {
		t.r = random_below(3);
		t.c = random_below(5);
		/* more than one row, or the window counts as flat */
		area_grid(&memory, dtype, (t.r + 1) * t.rows + 1 + random_below(2), t.c + t.columns + random_below(2));
	}
	area_flat(&other, dtype, (uint64_t)t.rows * t.columns);
	area_pass(0, &memory);
	area_pass(1, &other);
	return t;
}

/* Element [i, j] of the tile, as pto_ops.def and isa.h say. */
static size_t tile_at(const struct tile *t, uint32_t i, uint32_t j)
{
	if (t->flat)
		return (size_t)t->r * t->rows * t->columns + (size_t)t->c + i * (size_t)t->columns + j;
	return ((size_t)t->r * t->rows + i) * memory.row_stride + ((size_t)t->c + j) * memory.column_stride;
}

/* memory is as before but for the tile, whose element [i, j] is want(t, i, j). */
static bool memory_holds(const struct tile *t, struct cell (*want)(const struct tile *t, uint32_t i, uint32_t j))
{
	const unsigned bytes = cell_bytes(memory.dtype);
	bool good = true;

	for (uint32_t i = 0; i < t->rows; i++)
		for (uint32_t j = 0; j < t->columns; j++) {
			unsigned char *before = memory.before + tile_at(t, i, j) * bytes;

			good = good && cell_same(memory.dtype, area_cell(&memory, tile_at(t, i, j)), want(t, i, j));
			memcpy(before, memory.bytes + tile_at(t, i, j) * bytes, bytes);
		}
	return good && !memcmp(memory.before, memory.bytes, (ELEMENTS + GUARD) * (size_t)bytes);
}

static struct cell stored(const struct tile *t, uint32_t i, uint32_t j)
{
	return area_cell(&other, i * (size_t)t->columns + j);
}

/* Computed in f32 where the type is narrower. */
static struct cell scaled(const struct tile *t, uint32_t i, uint32_t j)
{
	const struct cell a = stored(t, i, j), s = area_cell(&other, (size_t)t->rows * t->columns + j);
	const unsigned type = other.dtype;

	if (!cell_is_float(type))
		return (struct cell){ 0, cell_wrap(type, (wide)((unsigned_wide)a.n * (unsigned_wide)s.n)) };
	return (struct cell){ cell_round(type, type == PTOWSP_F64 ? a.f * s.f : cell_round(PTOWSP_F32, a.f * s.f)), 0 };
}

static bool tload_trial(unsigned dtype, unsigned trial)
{
	struct tile t;
	unsigned x, zero;
	bool good;

	begin(PTOWSP_PTO_TLOAD, dtype, trial);
	t = tile_choose(dtype, trial);
	tile_param(&b, "m", dtype);
	tile_param(&b, "out", dtype);
	x = tile_tile(&b, "x", t.rows, t.columns, dtype);
	zero = tile_int(&b, 0);
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, tile_int(&b, t.r), tile_int(&b, t.c));
	tile_op(&b, PTOWSP_PTO_TSTORE, x, 1, zero, zero);
	good = run() == PTOWSP_OK;
	return good && memory_holds(&t, stored); /* memory is unchanged, and `other` its tile */
}

static bool tstore_trial(unsigned dtype, unsigned trial)
{
	struct tile t;
	unsigned x, zero;
	bool good;

	begin(PTOWSP_PTO_TSTORE, dtype, trial);
	t = tile_choose(dtype, trial);
	tile_param(&b, "m", dtype);
	tile_param(&b, "in", dtype);
	x = tile_tile(&b, "x", t.rows, t.columns, dtype);
	zero = tile_int(&b, 0);
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 1, zero, zero);
	tile_op(&b, PTOWSP_PTO_TSTORE, x, 0, tile_int(&b, t.r), tile_int(&b, t.c));
	good = run() == PTOWSP_OK;
	return good && memory_holds(&t, stored);
}

static bool tstore_fp_trial(unsigned dtype, unsigned trial)
{
	struct tile t;
	unsigned x, y, zero;
	bool good;

	begin(PTOWSP_PTO_TSTORE_FP, dtype, trial);
	t = tile_choose(dtype, trial);
	other.columns += t.columns; /* the scale behind the tile */
	area_pass(1, &other);
	tile_param(&b, "m", dtype);
	tile_param(&b, "in", dtype);
	x = tile_tile(&b, "x", t.rows, t.columns, dtype);
	y = tile_tile(&b, "y", 1, t.columns, dtype);
	zero = tile_int(&b, 0);
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 1, zero, zero);
	tile_op(&b, PTOWSP_PTO_TLOAD, y, 1, zero, tile_int(&b, t.rows * t.columns));
	tile_op(&b, PTOWSP_PTO_TSTORE_FP, x, y, 0, tile_int(&b, t.r), tile_int(&b, t.c));
	good = run() == PTOWSP_OK;
	return good && memory_holds(&t, scaled);
}

/* --- indices --- */

static uint32_t indices[SIDE * SIDE];

/* Where element number n of the window lies: row by row. */
static size_t window_at(uint64_t n)
{
	return n / memory.columns * memory.row_stride + n % memory.columns * memory.column_stride;
}

static struct tile indices_choose(unsigned dtype, unsigned trial)
{
	struct tile t = tile_choose(dtype, trial);

	for (uint32_t i = 0; i < t.rows * t.columns; i++)
		indices[i] = random_below((uint32_t)(memory.rows * memory.columns));
	tile_param(&b, "m", dtype);
	tile_param(&b, "tile", dtype);
	tile_param(&b, "index", trial % 3 ? PTOWSP_U32 : PTOWSP_I32);
	tile_window(&task, 2, indices, trial % 3 ? PTOWSP_U32 : PTOWSP_I32, (uint64_t)t.rows * t.columns);
	return t;
}

/* The other memory's tile is made of m's elements at the indices, or the other way round. */
static bool indexed_run(unsigned op, unsigned dtype, unsigned trial, struct tile *t_out)
{
	unsigned x, i, zero;

	begin(op, dtype, trial);
	*t_out = indices_choose(dtype, trial);
	x = tile_tile(&b, "x", t_out->rows, t_out->columns, dtype);
	i = tile_tile(&b, "i", t_out->rows, t_out->columns, trial % 3 ? PTOWSP_U32 : PTOWSP_I32);
	zero = tile_int(&b, 0);
	tile_op(&b, PTOWSP_PTO_TLOAD, i, 2, zero, zero);
	if (op == PTOWSP_PTO_MSCATTER)
		tile_op(&b, PTOWSP_PTO_TLOAD, x, 1, zero, zero);
	tile_op(&b, op, x, 0, i);
	if (op == PTOWSP_PTO_MGATHER)
		tile_op(&b, PTOWSP_PTO_TSTORE, x, 1, zero, zero);
	return run() == PTOWSP_OK;
}

static bool mgather_trial(unsigned dtype, unsigned trial)
{
	struct tile t;
	bool good = indexed_run(PTOWSP_PTO_MGATHER, dtype, trial, &t);

	for (uint32_t n = 0; n < t.rows * t.columns; n++)
		good = good && cell_same(dtype, area_cell(&other, n), area_cell(&memory, window_at(indices[n])));
	return good;
}

/* The last one that names a place wins. */
static bool mscatter_trial(unsigned dtype, unsigned trial)
{
	struct tile t;
	bool good = indexed_run(PTOWSP_PTO_MSCATTER, dtype, trial, &t);

	for (uint32_t n = 0; n < t.rows * t.columns; n++)
		memcpy(memory.before + window_at(indices[n]) * cell_bytes(dtype), other.bytes + n * cell_bytes(dtype), cell_bytes(dtype));
	return good && !memcmp(memory.before, memory.bytes, (ELEMENTS + GUARD) * (size_t)cell_bytes(dtype));
}

/* --- single elements --- */

/* An element by way of a scalar of its own type is the same bytes; u1 is then 0 or 1. */
static bool element_moved(unsigned dtype, size_t from, size_t to)
{
	return cell_same(dtype, area_cell(&memory, from), area_cell(&other, to));
}

/* d = tile[n] and m[k] = d; tile[n] = d and the whole tile. */
static bool getval_setval_trial(unsigned op, unsigned dtype, unsigned trial)
{
	struct tile t;
	unsigned x, s, zero;
	uint32_t count, n, k;
	bool good;

	begin(op, dtype, trial);
	t = tile_choose(dtype, trial | 1);
	t.r = t.c = 0;
	count = t.rows * t.columns;
	n = random_below(count);
	k = random_below(count);
	tile_param(&b, "m", dtype);
	tile_param(&b, "out", dtype);
	x = tile_tile(&b, "x", t.rows, t.columns, dtype);
	s = tile_local(&b, "s", dtype, 0);
	zero = tile_int(&b, 0);
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, zero, zero);
	if (op == PTOWSP_PTO_GETVAL) {
		tile_op(&b, PTOWSP_PTO_GETVAL, s, x, tile_int(&b, n));
		tile_op(&b, PTOWSP_PTO_STORE, s, 1, tile_int(&b, k));
	} else {
		tile_op(&b, PTOWSP_PTO_LOAD, s, 0, tile_int(&b, n));
		tile_op(&b, PTOWSP_PTO_SETVAL, x, tile_int(&b, k), s);
		tile_op(&b, PTOWSP_PTO_TSTORE, x, 1, zero, zero);
	}
	good = run() == PTOWSP_OK && element_moved(dtype, n, k);
	if (op == PTOWSP_PTO_GETVAL)
		memcpy(other.before + k * cell_bytes(dtype), other.bytes + k * cell_bytes(dtype), cell_bytes(dtype));
	for (uint32_t i = 0; i < count; i++)
		good = good && (op == PTOWSP_PTO_GETVAL ? i == k || !memcmp(other.before + i * cell_bytes(dtype),
									   other.bytes + i * cell_bytes(dtype), cell_bytes(dtype))
							: i == k || element_moved(dtype, i, i));
	return good;
}

static bool getval_trial(unsigned dtype, unsigned trial)
{
	return getval_setval_trial(PTOWSP_PTO_GETVAL, dtype, trial);
}

static bool setval_trial(unsigned dtype, unsigned trial)
{
	return getval_setval_trial(PTOWSP_PTO_SETVAL, dtype, trial);
}

/* m[to] = m'[from]: LOAD from any window, STORE to any window. */
static bool load_store_trial(unsigned op, unsigned dtype, unsigned trial)
{
	const bool loads = op == PTOWSP_PTO_LOAD;
	unsigned s;
	uint64_t n, k;
	size_t here, there;

	begin(op, dtype, trial);
	tile_choose(dtype, trial);
	n = random_below((uint32_t)(memory.rows * memory.columns));
	k = random_below((uint32_t)other.count);
	tile_param(&b, "m", dtype);
	tile_param(&b, "other", dtype);
	s = tile_local(&b, "s", dtype, 0);
	tile_op(&b, PTOWSP_PTO_LOAD, s, loads ? 0 : 1, tile_int(&b, (int64_t)(loads ? n : k)));
	tile_op(&b, PTOWSP_PTO_STORE, s, loads ? 1 : 0, tile_int(&b, (int64_t)(loads ? k : n)));
	here = window_at(n);
	there = (size_t)k;
	return run() == PTOWSP_OK && element_moved(dtype, here, there) &&
	       !memcmp(loads ? memory.bytes : other.bytes, loads ? memory.before : other.before, sizeof(memory.bytes));
}

static bool load_trial(unsigned dtype, unsigned trial)
{
	return load_store_trial(PTOWSP_PTO_LOAD, dtype, trial);
}

static bool store_trial(unsigned dtype, unsigned trial)
{
	return load_store_trial(PTOWSP_PTO_STORE, dtype, trial);
}

/* --- scalars --- */

/* d = x op y; both of one type. Returns what d holds. */
static struct cell scalar_run(unsigned op, unsigned mode, unsigned d_type, unsigned type, struct cell x, struct cell y)
{
	const unsigned row[2] = { tile_scalar(&b, "x", type, PTOWSP_SCALAR_LOCAL, cell_bits(type, x)),
				  tile_scalar(&b, "y", type, PTOWSP_SCALAR_LOCAL, cell_bits(type, y)) };
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
	const struct mat *src[5] = { &a, &c };
	static const unsigned tile_ops[] = { PTOWSP_PTO_TADD, PTOWSP_PTO_TSUB, PTOWSP_PTO_TMUL, PTOWSP_PTO_TDIV };

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
		good = good && scalar_run(PTOWSP_PTO_CMP, mode, PTOWSP_BOOL, dtype, x, y).n ==
				       (mode == PTOWSP_COMPARE_EQ   ? is == 0
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
			want = (struct cell){ 0, !isnan(x.f) && trunc(x.f) != 0 };
		else if (cell_is_float(dtype) && cell_is_float(to))
			want = dtype == to ? x : cell_convert(to, dtype, PTOWSP_ROUND_RINT, x);
		else if (cell_is_float(dtype))
			want = cell_convert(to, dtype, PTOWSP_ROUND_TRUNC, x);
		else if (cell_is_float(to))
			want = cell_convert(to, dtype, PTOWSP_ROUND_RINT, x);
		else
			want = (struct cell){ 0, cell_wrap(to, x.n) };
		tile_param(&b, "out", to);
		d = tile_local(&b, "d", to, 0);
		tile_op(&b, op, d, tile_scalar(&b, "x", dtype, op == PTOWSP_PTO_LI ? PTOWSP_SCALAR_CONST : PTOWSP_SCALAR_LOCAL, cell_bits(dtype, x)));
		tile_op(&b, PTOWSP_PTO_STORE, d, 0, tile_int(&b, 0));
		tile_window(&task, 0, &bits, to, 1);
		good = good && run() == PTOWSP_OK;
		got = cell_unpack(to, &bits);
		if (!cell_same(to, got, want)) {
			CHECK_FAIL("%s of %s to %s: %.17g or %lld became %.17g or %lld", isa_op(op)->mnemonic, dtype_text(dtype), dtype_text(to),
				   x.f, (long long)x.n, got.f, (long long)got.n);
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

static const struct subject {
	unsigned op;
	bool (*trial)(unsigned dtype, unsigned trial);
} subjects[] = {
	{ PTOWSP_PTO_TLOAD, tload_trial },     { PTOWSP_PTO_TSTORE, tstore_trial },     { PTOWSP_PTO_TSTORE_FP, tstore_fp_trial },
	{ PTOWSP_PTO_MGATHER, mgather_trial }, { PTOWSP_PTO_MSCATTER, mscatter_trial }, { PTOWSP_PTO_GETVAL, getval_trial },
	{ PTOWSP_PTO_SETVAL, setval_trial },   { PTOWSP_PTO_LOAD, load_trial },         { PTOWSP_PTO_STORE, store_trial },
	{ PTOWSP_PTO_ADD, add_trial },         { PTOWSP_PTO_SUB, sub_trial },           { PTOWSP_PTO_MUL, mul_trial },
	{ PTOWSP_PTO_DIV, div_trial },         { PTOWSP_PTO_CMP, cmp_trial },           { PTOWSP_PTO_MOV, mov_trial },
	{ PTOWSP_PTO_LI, li_trial },
};
enum { SUBJECTS = sizeof(subjects) / sizeof(*subjects) };

/* Scalars have no key: they work on every type. */
static bool is_pair(unsigned op, unsigned dtype)
{
	return !*isa_op(op)->keys || is_key(op, dtype);
}

static void op_agrees_with_its_row(void)
{
	for (unsigned k = 0; k < SUBJECTS; k++) {
		const struct subject *s = &subjects[k];

		if (strcmp(check_name(), check_fmt("%s_agrees_with_its_row", isa_op(s->op)->mnemonic)))
			continue;
		for (unsigned i = 0; i < TILE_TYPES; i++) {
			bool good = is_pair(s->op, tile_dtypes[i]);

			for (unsigned trial = 0; trial < TRIALS && good; trial++) {
				good = s->trial(tile_dtypes[i], trial);
				if (!good)
					CHECK_FAIL("%s of %s, trial %u of %s", isa_op(s->op)->mnemonic, dtype_text(tile_dtypes[i]), trial, seed_text());
			}
			if (good)
				pair_mark(s->op, tile_dtypes[i]);
		}
	}
}

/* Control has no types of its own: suite isa_run. */
static bool is_here(unsigned op)
{
	return isa_op(op) && ((op >= PTOWSP_PTO_TLOAD && op <= PTOWSP_PTO_SETVAL) || (op >= PTOWSP_PTO_ADD && op <= PTOWSP_PTO_STORE));
}

/* Must come behind the comparisons. */
static void every_pair_of_operation_and_type_was_compared(void)
{
	unsigned pairs = 0;

	for (unsigned op = 0; op < 256; op++)
		for (unsigned i = 0; i < TILE_TYPES && is_here(op); i++) {
			if (!is_pair(op, tile_dtypes[i]))
				continue;
			pairs++;
			if (!(pairs_compared[op] >> tile_dtypes[i] & 1))
				CHECK_FAIL("%s of %s was not compared", isa_op(op)->mnemonic, dtype_text(tile_dtypes[i]));
		}
	printf("# isa_memory: %u pairs of operation and type, %s\n", pairs, seed_text());
}

/* An element in a register of its own type, of i64, and what i64 memory then holds. */
static void elements_keep_their_value_in_wider_registers(void)
{
	static const unsigned ops[] = { PTOWSP_PTO_LOAD, PTOWSP_PTO_GETVAL };

	for (unsigned k = 0; k < 4 * TILE_TYPES; k++) {
		const unsigned type = tile_dtypes[k / 4], op = ops[k % 2];
		unsigned char from[8];
		unsigned s, x, zero;
		int64_t got = 0;

		if (cell_is_float(type))
			continue;
		memset(from, 0x85, sizeof(from)); /* negative where there is a sign; u1: not 0 */
		begin(op, type, k);
		tile_param(&b, "m", type);
		tile_param(&b, "out", PTOWSP_I64);
		x = tile_tile(&b, "x", 1, 1, type);
		s = tile_local(&b, "s", k % 4 < 2 ? type : PTOWSP_I64, 0);
		zero = tile_int(&b, 0);
		tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, zero, zero);
		tile_op(&b, op, s, op == PTOWSP_PTO_LOAD ? 0 : x, zero);
		tile_op(&b, PTOWSP_PTO_STORE, s, 1, zero);
		tile_window(&task, 0, from, type, 1);
		tile_window(&task, 1, &got, PTOWSP_I64, 1);
		CHECK_INT(run(), PTOWSP_OK);
		CHECK_INT(got, (int64_t)cell_unpack(type, from).n);
	}
}

/* --- what is not there --- */

/* Some indices are outside: the run ends with a sentence, and no element was touched outside. */
static void outside_trial(unsigned op, unsigned dtype, unsigned trial)
{
	const uint32_t limit = 16 * (op == PTOWSP_PTO_TGATHERB ? cell_bytes(dtype) : op == PTOWSP_PTO_TSCATTER ? 0 : 1);
	const bool is_unsigned = trial & 1;
	const uint32_t wrong[] = { limit ? limit : 4, UINT32_MAX, 0x80000000u, 0x7FFFFFFFu, 1 + (limit ? limit : 4) };
	unsigned x, y, i, zero;

	begin(op, dtype, trial);
	area_flat(&memory, dtype, 16);
	for (uint32_t n = 0; n < 16; n++)
		indices[n] = 0;
	indices[random_below(16)] = wrong[trial % 5];
	area_pass(0, &memory);
	tile_window(&task, 1, indices, is_unsigned ? PTOWSP_U32 : PTOWSP_I32, 16);
	tile_param(&b, "m", dtype);
	tile_param(&b, "index", is_unsigned ? PTOWSP_U32 : PTOWSP_I32);
	x = tile_tile(&b, "x", 4, 4, dtype);
	y = tile_tile(&b, "y", 4, 4, dtype);
	i = tile_tile(&b, "i", 4, 4, is_unsigned ? PTOWSP_U32 : PTOWSP_I32);
	zero = tile_int(&b, 0);
	tile_op(&b, PTOWSP_PTO_TLOAD, i, 1, zero, zero);
	tile_op(&b, PTOWSP_PTO_TLOAD, y, 0, zero, zero);
	if (op == PTOWSP_PTO_MSCATTER)
		tile_op(&b, op, y, 0, i);
	else if (op == PTOWSP_PTO_MGATHER)
		tile_op(&b, op, x, 0, i);
	else
		tile_op(&b, op, x, y, i);
	if (run() != PTOWSP_KERNEL_FAILED)
		CHECK_FAIL("%s of %s took index %lu", isa_op(op)->mnemonic, dtype_text(dtype), (unsigned long)wrong[trial % 5]);
	else
		CHECK_CONTAINS(task.error.text, isa_op(op)->mnemonic);
	CHECK_MEM(memory.bytes + 16 * cell_bytes(dtype), memory.before + 16 * cell_bytes(dtype), GUARD * cell_bytes(dtype));
}

static void indices_outside_end_the_run(void)
{
	static const unsigned ops[] = { PTOWSP_PTO_MGATHER, PTOWSP_PTO_MSCATTER, PTOWSP_PTO_TGATHER, PTOWSP_PTO_TGATHERB, PTOWSP_PTO_TSCATTER };

	for (unsigned k = 0; k < 5; k++)
		for (unsigned i = 0; i < TILE_TYPES; i++)
			for (unsigned trial = 0; trial < 10; trial++)
				outside_trial(ops[k], tile_dtypes[i], trial);
}

/* A byte that is the first of no element. */
static void byte_offsets_between_elements_end_the_run(void)
{
	static const struct {
		unsigned dtype;
		const char *sentence;
	} rows[] = {
		{ PTOWSP_BF16, "kernel trial line 3: tgatherb index 3 at element 0 of %i; multiples of 2 from bytes 0 to 31 are there" },
		{ PTOWSP_U32, "kernel trial line 3: tgatherb index 6 at element 0 of %i; multiples of 4 from bytes 0 to 63 are there" },
		{ PTOWSP_F64, "kernel trial line 3: tgatherb index 4 at element 0 of %i; multiples of 8 from bytes 0 to 127 are there" },
	};
	static const uint32_t offsets[] = { 3, 6, 4 };

	for (unsigned k = 0; k < 3; k++) {
		unsigned y, i, zero;

		begin(PTOWSP_PTO_TGATHERB, rows[k].dtype, k);
		area_flat(&memory, rows[k].dtype, 16);
		memset(indices, 0, sizeof(indices));
		indices[0] = offsets[k];
		area_pass(0, &memory);
		tile_window(&task, 1, indices, PTOWSP_U32, 16);
		tile_param(&b, "m", rows[k].dtype);
		tile_param(&b, "index", PTOWSP_U32);
		y = tile_tile(&b, "y", 4, 4, rows[k].dtype);
		i = tile_tile(&b, "i", 4, 4, PTOWSP_U32);
		zero = tile_int(&b, 0);
		tile_op(&b, PTOWSP_PTO_TLOAD, i, 1, zero, zero);
		tile_op(&b, PTOWSP_PTO_TLOAD, y, 0, zero, zero);
		tile_op(&b, PTOWSP_PTO_TGATHERB, y, y, i);
		CHECK_INT(run(), PTOWSP_KERNEL_FAILED);
		CHECK_STR(task.error.text, rows[k].sentence);
	}
}

/* Integers of every width by a zero: its place is named. */
static void scalar_division_by_zero_ends_the_run(void)
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

void suite_isa_memory(CU_pSuite s)
{
	for (unsigned k = 0; k < SUBJECTS; k++)
		check_add(s, check_fmt("%s_agrees_with_its_row", isa_op(subjects[k].op)->mnemonic), op_agrees_with_its_row);
	TEST(s, every_pair_of_operation_and_type_was_compared);
	TEST(s, elements_keep_their_value_in_wider_registers);
	TEST(s, indices_outside_end_the_run);
	TEST(s, byte_offsets_between_elements_end_the_run);
	TEST(s, scalar_division_by_zero_ends_the_run);
}
