/* SPDX-License-Identifier: MIT
 * test_isa_memory.c - memory and single elements of every type on random values, against what pto_ops.def says written once more; and whatever lies
 * outside is refused before it is touched. */
#include "tests/isa/tile_trials.h"

enum { SIDE = 12, ELEMENTS = 4096, GUARD = 64 };

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

/* --- tiles --- */

/* A tile, where it lies in `memory`, and its elements packed in `other`. */
struct tile {
	uint32_t rows, columns;
	int64_t r, c;
	bool flat;
};

static struct tile tile_choose(unsigned dtype, unsigned trial)
{
	struct tile t = {1 + random_below(SIDE), 1 + random_below(SIDE), 0, 0, trial % 2};

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
		return (struct cell){0, cell_wrap(type, (wide)((unsigned_wide)a.n * (unsigned_wide)s.n))};
	return (struct cell){cell_round(type, type == PTOWSP_F64 ? a.f * s.f : cell_round(PTOWSP_F32, a.f * s.f)), 0};
}

/* A tile from memory into packed elements, or back. */
static bool move_trial(unsigned op, unsigned dtype, unsigned trial)
{
	const bool load = op == PTOWSP_PTO_TLOAD;
	struct tile t;
	unsigned x, zero, row, column;
	bool good;

	begin(op, dtype, trial);
	t = tile_choose(dtype, trial);
	tile_param(&b, "m", dtype);
	tile_param(&b, "packed", dtype);
	x = tile_tile(&b, "x", t.rows, t.columns, dtype);
	zero = tile_int(&b, 0);
	row = tile_int(&b, t.r);
	column = tile_int(&b, t.c);
	tile_op(&b, PTOWSP_PTO_TLOAD, x, load ? 0 : 1, load ? row : zero, load ? column : zero);
	tile_op(&b, PTOWSP_PTO_TSTORE, x, load ? 1 : 0, load ? zero : row, load ? zero : column);
	good = run() == PTOWSP_OK;
	return good && memory_holds(&t, stored); /* of a load, memory is unchanged, and `other` its tile */
}

static bool tload_trial(unsigned dtype, unsigned trial)
{
	return move_trial(PTOWSP_PTO_TLOAD, dtype, trial);
}

static bool tstore_trial(unsigned dtype, unsigned trial)
{
	return move_trial(PTOWSP_PTO_TSTORE, dtype, trial);
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
		good = good && (op == PTOWSP_PTO_GETVAL
					? i == k || !memcmp(other.before + i * cell_bytes(dtype), other.bytes + i * cell_bytes(dtype), cell_bytes(dtype))
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

static const struct subject subjects[] = {
	{PTOWSP_PTO_TLOAD, tload_trial},     {PTOWSP_PTO_TSTORE, tstore_trial},     {PTOWSP_PTO_TSTORE_FP, tstore_fp_trial},
	{PTOWSP_PTO_MGATHER, mgather_trial}, {PTOWSP_PTO_MSCATTER, mscatter_trial}, {PTOWSP_PTO_GETVAL, getval_trial},
	{PTOWSP_PTO_SETVAL, setval_trial},   {PTOWSP_PTO_LOAD, load_trial},         {PTOWSP_PTO_STORE, store_trial},
};
enum { SUBJECTS = sizeof(subjects) / sizeof(*subjects) };

static void op_agrees_with_its_row(void)
{
	subjects_run(subjects, SUBJECTS);
}

static bool is_here(unsigned op)
{
	return isa_op(op) && ((op >= PTOWSP_PTO_TLOAD && op <= PTOWSP_PTO_SETVAL) || op == PTOWSP_PTO_LOAD || op == PTOWSP_PTO_STORE);
}

static void every_pair_of_operation_and_type_was_compared(void)
{
	subjects_complete(is_here, "isa_memory");
}

/* An element in a register of its own type, of i64, and what i64 memory then holds. */
TEST(elements_keep_their_value_in_wider_registers)
{
	static const unsigned ops[] = {PTOWSP_PTO_LOAD, PTOWSP_PTO_GETVAL};

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
	const uint32_t wrong[] = {limit ? limit : 4, UINT32_MAX, 0x80000000u, 0x7FFFFFFFu, 1 + (limit ? limit : 4)};
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

TEST(indices_outside_end_the_run)
{
	static const unsigned ops[] = {PTOWSP_PTO_MGATHER, PTOWSP_PTO_MSCATTER, PTOWSP_PTO_TGATHER, PTOWSP_PTO_TGATHERB, PTOWSP_PTO_TSCATTER};

	for (unsigned k = 0; k < 5; k++)
		for (unsigned i = 0; i < TILE_TYPES; i++)
			for (unsigned trial = 0; trial < 10; trial++)
				outside_trial(ops[k], tile_dtypes[i], trial);
}

/* A byte that is the first of no element. */
TEST(byte_offsets_between_elements_end_the_run)
{
	static const struct {
		unsigned dtype;
		const char *sentence;
	} rows[] = {
		{PTOWSP_BF16, "kernel trial line 3: tgatherb index 3 at element 0 of %i; multiples of 2 from bytes 0 to 31 are there"},
		{PTOWSP_U32, "kernel trial line 3: tgatherb index 6 at element 0 of %i; multiples of 4 from bytes 0 to 63 are there"},
		{PTOWSP_F64, "kernel trial line 3: tgatherb index 4 at element 0 of %i; multiples of 8 from bytes 0 to 127 are there"},
	};
	static const uint32_t offsets[] = {3, 6, 4};

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

void suite_isa_memory(CU_pSuite s)
{
	subjects_add(s, subjects, SUBJECTS, op_agrees_with_its_row);
	TEST(s, every_pair_of_operation_and_type_was_compared);
}
