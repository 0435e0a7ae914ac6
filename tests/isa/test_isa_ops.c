/* SPDX-License-Identifier: MIT
 * test_isa_ops.c - every tile operation on random tiles, in place and not, against tests/tile_reference.c. */
#include <math.h>
#include <stdio.h>

#include "tests/check.h"
#include "tests/isa/tile_builder.h"
#include "tests/isa/tile_random.h"
#include "tests/isa/tile_subjects.h"

static uint32_t below(uint32_t limit)
{
	return random_below(limit);
}

/* Small sizes, among them 1 and multiples of every block and vector. */
static uint32_t random_side(void)
{
	static const uint32_t liked[] = {1, 2, 4, 8, 16, 32, 33};

	return below(3) ? liked[below(7)] : 1 + below(40);
}

/* One operation under test: what the tiles hold, which of them are the same tile. */
struct trial {
	const struct subject *s;
	unsigned key, mask, sum, index, mode; /* element types by letter */
	uint32_t R, C, K, G, H, r, c;
	unsigned dst_count, count; /* tiles, destinations first */
	struct mat tile[6];        /* before */
	unsigned same_as[6];       /* smallest operand that is the same tile */
	unsigned scalar_type[2];
	struct cell scalar[2], seen[2];
};

static uint32_t side_of(const struct trial *t, char letter)
{
	switch (letter) {
	case 'r': return t->r;
	case 'c': return t->c;
	case 'P': return t->R * t->C;
	case 'M': return 1 + below(t->R * t->C + t->K * t->C);
	default: return TILE_SIDE(t, letter);
	}
}

static struct cell random_element(const struct trial *t, unsigned k, char type)
{
	const uint32_t bytes = cell_bytes(t->key);

	if (type != 'i' || k < t->dst_count)
		return random_cell(t->tile[k].dtype);
	if (t->s->op == PTOWSP_PTO_TSCATTER)
		return (struct cell){0, below(t->tile[0].rows)};
	return (struct cell){0, below(t->tile[1].rows * t->tile[1].columns) * (t->s->op == PTOWSP_PTO_TGATHERB ? bytes : 1)};
}

static int falling_floats(const void *x, const void *y)
{
	const double a = ((const struct cell *)x)->f, b = ((const struct cell *)y)->f;

	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a < b) - (a > b);
}

static int falling_integers(const void *x, const void *y)
{
	const wide a = ((const struct cell *)x)->n, b = ((const struct cell *)y)->n;

	return (a < b) - (a > b);
}

static void trial_fill(struct trial *t)
{
	for (unsigned k = 0; k < t->count; k++) {
		struct mat *m = &t->tile[k];

		for (uint32_t i = 0; i < m->rows * m->columns; i++)
			m->v[i] = random_element(t, k, t->s->types[k]);
		if (t->s->op == PTOWSP_PTO_TMRGSORT && k > 0)
			qsort(m->v, m->rows * m->columns, sizeof(*m->v), cell_is_float(t->key) ? falling_floats : falling_integers);
	}
}

/* Operands that are scalars. `seen` is what the operation makes of it: the low bits, or whether it is true. */
static void scalar_choose(struct trial *t, unsigned k, unsigned dtype, struct cell value)
{
	t->scalar_type[k] = dtype;
	t->scalar[k] = t->seen[k] = value;
	if (t->s->op == PTOWSP_PTO_TSELS)
		t->seen[k] = (struct cell){0, cell_is_float(dtype) ? value.f != 0 : value.n != 0};
	else if (!cell_is_float(dtype) && t->s->op != PTOWSP_PTO_TEXTRACT)
		t->seen[k].n = cell_wrap(t->key, value.n);
}

/* Integers go with integer tiles whatever their type. */
static void trial_scalars(struct trial *t, bool of_other_type)
{
	unsigned type = t->key;

	if (t->s->op == PTOWSP_PTO_TEXTRACT) {
		scalar_choose(t, 0, PTOWSP_I64, (struct cell){0, below(t->R - t->r + 1)});
		scalar_choose(t, 1, PTOWSP_I64, (struct cell){0, below(t->C - t->c + 1)});
		return;
	}
	if (t->s->op == PTOWSP_PTO_TSELS)
		type = tile_dtypes[below(TILE_TYPES)];
	else if (of_other_type && !cell_is_float(t->key))
		do
			type = tile_dtypes[below(TILE_TYPES)];
		while (cell_is_float(type));
	scalar_choose(t, 0, type, below(3) ? random_cell(type) : (struct cell){-0.0, 0});
	scalar_choose(t, 1, type, random_cell(type));
}

static unsigned dtype_of(const struct trial *t, char type)
{
	return type == 'k' ? t->key : type == 'm' ? t->mask : type == 'r' ? t->sum : t->index;
}

/* How many modes the operation has. */
static unsigned modes_of(unsigned op)
{
	return op == PTOWSP_PTO_TCVT ? PTOWSP_ROUND_ODD + 1 : op == PTOWSP_PTO_TCMP || op == PTOWSP_PTO_TCMPS ? PTOWSP_COMPARE_GE + 1 : 1;
}

/* The first ones are a single element, a row and a column; each comes plain and with shared tiles. */
static void trial_sides(struct trial *t, unsigned number)
{
	const unsigned form = number / 2;
	const bool large = t->s->types[0] == 'm'; /* many values for each of its modes */

	t->R = form == 0 || form == 1 ? 1 : large ? 16 + below(25) : random_side();
	t->C = form == 0 || form == 2 ? 1 : large ? 16 + below(25) : random_side();
	t->G = 1 + below(4);
	t->H = 1 + below(4);
	t->K = t->G * t->H * (1 + below(4));
	if (form == 0 || below(3) == 0) /* makes room for in-place products and transpositions */
		t->K = t->R = t->C, t->G = t->H = 1;
	t->r = 1 + below(t->R);
	t->c = 1 + below(t->C);
}

/* Masks of every type with every mode, sums and indices of both their types. */
static void trial_make(struct trial *t, const struct subject *s, unsigned key, unsigned number)
{
	unsigned i;

	random_few = below(5) == 0;
	memset(t, 0, offsetof(struct trial, tile));
	t->s = s;
	t->key = key;
	t->mask = tile_dtypes[number % TILE_TYPES];
	t->mode = number / TILE_TYPES % modes_of(s->op);
	t->sum = number / 2 % 2 ? key : tile_wider(key);
	t->index = number / 2 % 2 ? PTOWSP_I32 : PTOWSP_U32;
	trial_sides(t, number);
	t->count = (unsigned)strlen(s->types);
	t->dst_count = s->op == PTOWSP_PTO_TSORT32 ? 2 : 1;
	for (i = 0; i < t->count; i++) {
		t->tile[i].rows = side_of(t, s->shapes[2 * i]);
		t->tile[i].columns = side_of(t, s->shapes[2 * i + 1]);
		t->tile[i].dtype = dtype_of(t, s->types[i]);
		t->same_as[i] = i;
	}
	trial_fill(t);
	trial_scalars(t, number / 2 % 2);
}

static bool may_share(const struct trial *t, unsigned i, unsigned k)
{
	const struct mat *a = &t->tile[i], *b = &t->tile[k];

	if (t->dst_count == 2 && i == 0 && k == 1)
		return false;
	/* Indices are valid as indices only where they stand. */
	if (k >= t->dst_count && i >= t->dst_count && (t->s->types[k] == 'i') != (t->s->types[i] == 'i'))
		return false;
	return a->rows == b->rows && a->columns == b->columns && a->dtype == b->dtype;
}

/* Whether operand k can join the tile of operand i and of all that already share it. */
static bool may_join(const struct trial *t, unsigned i, unsigned k)
{
	for (unsigned n = 0; n < k; n++)
		if (t->same_as[n] == i && !may_share(t, n, k))
			return false;
	return true;
}

/* Lets some operands be the same tile where shapes and types allow. It holds what its sources want to read: indices first. */
static void trial_share(struct trial *t)
{
	for (unsigned k = 1; k < t->count; k++)
		for (unsigned i = 0; i < k; i++)
			if (t->same_as[k] == k && t->same_as[i] == i && below(3) && may_join(t, i, k))
				t->same_as[k] = i;
	for (unsigned i = 0; i < t->count; i++) {
		unsigned from = i;

		for (unsigned k = i; k < t->count; k++)
			if (t->same_as[k] == i && (from < t->dst_count || t->s->types[from] != 'i'))
				from = k;
		for (unsigned k = i; k < t->count; k++)
			if (t->same_as[k] == i && k != from)
				memcpy(t->tile[k].v, t->tile[from].v, sizeof(t->tile[k].v));
	}
}

/* Tile memory of a matrix. */
static void mat_pack(const struct mat *m, void *memory)
{
	for (uint32_t i = 0; i < m->rows * m->columns; i++)
		cell_pack(m->dtype, m->v[i], (char *)memory + i * cell_bytes(m->dtype));
}

static unsigned scalar_row(struct tile_builder *b, unsigned dtype, struct cell value)
{
	return tile_scalar(b, "", dtype, PTOWSP_SCALAR_CONST, cell_bits(dtype, value));
}

/* Loads every tile, runs the operation once, stores the destinations: memref k for operand k. */
static void program_make(const struct trial *t, struct tile_builder *b)
{
	const char *letters = isa_op(t->s->op)->operands;
	unsigned tile[6], row[6], next = 0, scalar = 0, zero;

	tile_begin(b, "trial");
	for (unsigned k = 0; k < t->count; k++) {
		tile_param(b, check_fmt("m%u", k), t->tile[k].dtype);
		tile[k] = t->same_as[k] == k ? tile_tile(b, check_fmt("t%u", k), t->tile[k].rows, t->tile[k].columns, t->tile[k].dtype) : tile[t->same_as[k]];
	}
	zero = tile_int(b, 0);
	for (unsigned k = 0; k < t->count; k++)
		tile_op(b, PTOWSP_PTO_TLOAD, tile[k], k, zero, zero);
	for (unsigned k = 0; letters[k]; k++) {
		row[k] = letters[k] == 'T' || letters[k] == 't' ? tile[next++] : scalar_row(b, t->scalar_type[scalar], t->scalar[scalar]);
		scalar += letters[k] == 's';
	}
	tile_op(b, t->s->op, row[0], row[1], row[2], row[3], row[4]);
	tile_mode(b, t->mode);
	for (unsigned k = 0; k < t->dst_count; k++)
		tile_op(b, PTOWSP_PTO_TSTORE, tile[k], k, zero, zero);
}

/* How far a function of the C library may be off: a few units of what it was computed in, half a unit of the type. */
static double allowance(const struct trial *t, double want, double a)
{
	const double f32 = 0x1p-24 * 8, f64 = 0x1p-53 * 16;
	/* erfc of a rounded argument x: 2 x dx of it. */
	const double steep = t->s->op == PTOWSP_PTO_TGELU && isfinite(a) ? 1 + a * a / 2 : 1;
	const double computed = (t->key == PTOWSP_F64 ? f64 : f32) * steep;

	switch (t->key) {
	case PTOWSP_F16: return fabs(want) * (computed + 0x1p-11) + 0x1p-25 * 1.01;
	case PTOWSP_BF16: return fabs(want) * (computed + 0x1p-8) + 1e-36;
	case PTOWSP_F32: return fabs(want) * computed + 1e-36;
	default: return fabs(want) * computed + 1e-305;
	}
}

static bool is_library(unsigned op)
{
	return op == PTOWSP_PTO_TEXP || op == PTOWSP_PTO_TLOG || (op >= PTOWSP_PTO_TSILU && op <= PTOWSP_PTO_TGELU);
}

/* Bit for bit, but the functions of the C library. One NaN is as good as another. */
static bool agrees(const struct trial *t, unsigned dtype, struct cell got, struct cell want, uint32_t i)
{
	if (!cell_is_float(dtype))
		return got.n == want.n;
	if (isnan(want.f))
		return isnan(got.f);
	if (is_library(t->s->op))
		return got.f == cell_round(dtype, want.f) || fabs(got.f - want.f) <= allowance(t, want.f, t->tile[1].v[i].f);
	return got.f == want.f && signbit(got.f) == signbit(want.f);
}

static const char *dtype_text(unsigned dtype)
{
	static const char *const texts[] = {
#define X(name, code, size, cls, word, descr) [code] = word,
#include "ptowsp/dtype.def"
#undef X
	};

	return texts[dtype];
}

static bool trial_compare(const struct trial *t, const struct mat *want, const void *memory, const char *how)
{
	for (uint32_t i = 0; i < want->rows * want->columns; i++) {
		const struct cell got = cell_unpack(want->dtype, (const char *)memory + i * cell_bytes(want->dtype));

		if (agrees(t, want->dtype, got, want->v[i], i))
			continue;
		CHECK_FAIL("%s %s -> %s%s, mode %u, %ux%u, element %u: got %.9g or %lld, want %.17g or %lld", isa_op(t->s->op)->mnemonic, dtype_text(t->key),
			   dtype_text(want->dtype), how, t->mode, want->rows, want->columns, i, got.f, (long long)got.n, want->v[i].f, (long long)want->v[i].n);
		return false;
	}
	return true;
}

static bool trial_run(struct trial *t, const char *how)
{
	static struct tile_builder b;
	static struct mat want[2];
	static char memory[6][MAT_ELEMENTS * 8];
	const struct mat *src[5] = {NULL};
	struct isa_program *program = NULL;
	struct tile_task task;
	bool good;

	program_make(t, &b);
	tile_task_begin(&task);
	if (tile_create(&b, &program, &task.error) || isa_program_unusable(program)) {
		CHECK_FAIL("%s%s: %s", isa_op(t->s->op)->mnemonic, how, program ? isa_program_unusable(program) : task.error.text);
		isa_program_destroy(program);
		return false;
	}
	for (unsigned k = 0; k < t->count; k++) {
		mat_pack(&t->tile[k], memory[k]);
		tile_window(&task, k, memory[k], t->tile[k].dtype, t->tile[k].rows * (uint64_t)t->tile[k].columns);
		if (k >= t->dst_count)
			src[k - t->dst_count] = &t->tile[k];
	}
	want[0] = t->tile[0];
	want[1] = t->tile[1];
	reference_op(t->s->op, t->mode, &want[0], &want[1], src, t->seen);
	good = tile_run(&task, program) == PTOWSP_OK;
	if (!good)
		CHECK_FAIL("%s%s: %s", isa_op(t->s->op)->mnemonic, how, task.error.text);
	for (unsigned k = 0; k < t->dst_count && good; k++)
		good = trial_compare(t, &want[k], memory[k], how);
	isa_program_destroy(program);
	tile_finish(&b);
	return good;
}

/* Whether the table's letters name the type. */
static bool is_key(unsigned op, unsigned dtype)
{
	const char class = dtype == PTOWSP_BOOL ? 'b' : cell_is_float(dtype) ? 'f' : 'i';
	const char *keys = isa_op(op)->keys;

	return *keys ? strchr(keys, class) != NULL : dtype == PTOWSP_F32;
}

enum { TRIALS = 32 /* of an operation on a type at least; half of them with shared tiles */ };

static bool subject_run(const struct subject *s, unsigned key)
{
	static struct trial t;
	const unsigned sweep = strchr(s->types, 'm') ? TILE_TYPES * modes_of(s->op) : 0, count = sweep > TRIALS ? sweep : TRIALS;
	char how[64];
	bool good = true;

	for (unsigned i = 0; i < count && good; i++) {
		const uint64_t start = random_start() + i * 1000003u + key * 31u;

		random_seed = start;
		trial_make(&t, s, key, i);
		if (i & 1)
			trial_share(&t);
		snprintf(how, sizeof(how), " (trial %u of PTOWSP_SEED=%llu%s)", i, (unsigned long long)random_start(), i & 1 ? ", shared" : "");
		good = trial_run(&t, how);
	}
	if (good)
		pair_mark(s->op, key);
	return good;
}

/* The running test's name is the mnemonic. */
static void op_agrees_with_reference(void)
{
	unsigned types = 0;

	for (size_t k = 0; k < sizeof(subjects) / sizeof(*subjects); k++) {
		const struct subject *s = &subjects[k];

		if (strcmp(check_name(), check_fmt("%s_agrees_with_reference", isa_op(s->op)->mnemonic)))
			continue;
		for (unsigned i = 0; i < TILE_TYPES; i++)
			if (is_key(s->op, tile_dtypes[i])) {
				CHECK(subject_run(s, tile_dtypes[i]));
				types++;
			}
	}
	CHECK(types > 0);
}

/* Memory, single elements and scalars: suite isa_memory. Control: isa_run. Must come last. */
static void every_pair_of_operation_and_type_was_compared(void)
{
	unsigned pairs = 0;

	for (unsigned op = PTOWSP_PTO_TABS; op < PTOWSP_PTO_TSYNC; op++)
		for (unsigned i = 0; i < TILE_TYPES && isa_op(op); i++) {
			if (!is_key(op, tile_dtypes[i]))
				continue;
			pairs++;
			if (!(pairs_compared[op] >> tile_dtypes[i] & 1))
				CHECK_FAIL("%s of %s was not compared", isa_op(op)->mnemonic, dtype_text(tile_dtypes[i]));
		}
	printf("# isa_ops: %u pairs of operation and type, PTOWSP_SEED=%llu\n", pairs, (unsigned long long)random_start());
}

void suite_isa_ops(CU_pSuite s)
{
	for (size_t k = 0; k < sizeof(subjects) / sizeof(*subjects); k++)
		if (k == 0 || subjects[k].op != subjects[k - 1].op)
			check_add(s, check_fmt("%s_agrees_with_reference", isa_op(subjects[k].op)->mnemonic), op_agrees_with_reference);
	TEST(s, every_pair_of_operation_and_type_was_compared);
}
